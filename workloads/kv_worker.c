/*
 * A worker: takes a request and serves it to its end, in the order in which
 * the benchmark does; see kvcache.h.
 */
#include "workloads/kv_rank.h"

#include <errno.h>

void kv_waiters_init(struct kv_waiters *l)
{
	l->head = NULL;
	l->tail = &l->head;
}

void kv_wait_in(struct kv_waiters *l, struct kv_worker *w)
{
	w->waits = true;
	w->granted = false;
	w->next = NULL;
	*l->tail = w;
	l->tail = &w->next;
}

struct kv_worker *kv_wake_first(struct kv_waiters *l)
{
	struct kv_worker *w = l->head;

	if (!w)
		return NULL;
	l->head = w->next;
	if (!l->head)
		l->tail = &l->head;
	w->waits = false;
	w->granted = true;
	loop_ready(w->rank->loop, &w->task);
	return w;
}

/* Time counts until the run's end; the drain is nobody's. */
void kv_worker_phase(struct kv_worker *w, enum kv_phase p)
{
	struct kv_rank *r = w->rank;
	int64_t now = kv_now(r), until = now < r->end_ns ? now : r->end_ns;

	/* one that serves no requests has no part in it */
	if (until > w->phase_since_ns && w->task.step == kv_worker_step)
		r->k->phase_ns[w->phase] += until - w->phase_since_ns;
	w->phase = p;
	w->phase_since_ns = now;
}

bool kv_lock(struct kv_worker *w, uint32_t id)
{
	struct kv_entry *x = &w->rank->cache.entries[id];
	struct kv_worker **tail;

	if (w->granted) {
		w->granted = false;
		return true; /* handed over, still locked */
	}
	if (w->waits)
		return false;
	if (!x->locked) {
		x->locked = true;
		return true;
	}
	w->waits = true;
	w->next = NULL;
	/* few wait for one entry; entries move in memory, so no tail is kept */
	for (tail = (struct kv_worker **)&x->waiters; *tail;
		tail = &(*tail)->next)
		;
	*tail = w;
	return false;
}

void kv_unlock(struct kv_rank *r, uint32_t id)
{
	struct kv_entry *x = &r->cache.entries[id];
	struct kv_worker *w = x->waiters;

	if (!w) {
		x->locked = false;
	} else {
		x->waiters = w->next;
		w->waits = false;
		w->granted = true;
		loop_ready(r->loop, &w->task);
	}
	while (kv_wake_first(&r->rooms))
		;
}

void kv_read_begin(struct kv_worker *w, uint32_t id)
{
	w->read.id = id;
	w->read.at = KV_READ_LOCK;
	kv_worker_phase(w, KV_PHASE_LOCK);
}

/* The entry is ours: begin to move its bytes; 2 = it is gone. */
static int read_locked(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	struct kv_read *d = &w->read;
	struct kv_entry *x = &r->cache.entries[d->id];
	struct kv_counts *n = &r->k->counted;

	if (x->tier == KV_NOWHERE) {
		kv_unlock(r, d->id);
		return 2;
	}
	kv_cache_touch(&r->cache, d->id);
	d->tier = x->tier;
	d->device_ns = 0;
	d->begun_ns = kv_now(r);
	n->decode_reads++;
	n->tier_read_bytes[d->tier] += x->bytes;
	n->read_bytes += x->bytes;
	if (d->tier == KV_STORAGE) {
		n->storage_tokens += x->tokens;
		d->at = KV_READ_BYTES;
		kv_worker_phase(w, KV_PHASE_READ);
		return kv_stream_read(&w->stream, kv_file_id(r, d->id),
			kv_content_key(r, d->id), x->tokens, e);
	}
	d->at = KV_READ_COPY;
	d->due_ns = d->begun_ns + kv_copy_ns(r, x->bytes);
	kv_worker_phase(w, KV_PHASE_HOST);
	return 0;
}

static int read_end(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	struct kv_read *d = &w->read;
	struct kv_series *s = r->k->series;
	int64_t all = kv_now(r) - d->begun_ns;
	int bad;

	w->io_ns += all;
	if (d->tier == KV_STORAGE) {
		bad = kv_series_add(&s[KV_READ], all) ||
		      kv_series_add(&s[KV_READ_DEVICE], d->device_ns) ||
		      kv_series_add(&s[KV_READ_HOST], all - d->device_ns);
	} else {
		bad = d->tier == KV_CPU &&
		      kv_series_add(&s[KV_CPU_READ], all);
	}
	kv_unlock(r, d->id);
	return bad ? err_nomem(e, "the record of reads") : 1;
}

int kv_read_step(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	struct kv_read *d = &w->read;
	int ret;

	if (d->at == KV_READ_LOCK) {
		if (!kv_lock(w, d->id))
			return 0;
		ret = read_locked(w, e);
		if (ret)
			return ret;
	}
	if (d->at == KV_READ_BYTES) {
		ret = kv_stream_step(&w->stream, e);
		if (ret <= 0)
			return ret;
		d->device_ns = w->stream.device_ns;
		d->at = KV_READ_COPY;
		d->due_ns = kv_now(r);
		/* the second copy, which the reference makes of each read */
		if (r->c->io == KV_IO_REFERENCE)
			d->due_ns += kv_copy_ns(
				r, r->cache.entries[d->id].bytes);
		kv_worker_phase(w, KV_PHASE_HOST);
	}
	if (!kv_due(w, d->due_ns))
		return 0;
	return read_end(w, e);
}

/* The next request, or false: the worker is idle. */
static bool take_request(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	struct kv_request *q = &w->request;
	struct kv_counts *n = &r->k->counted;
	const struct kv_conversation *c;
	uint32_t prefix;

	kv_worker_phase(w, KV_PHASE_IDLE);
	w->granted = false;
	if (r->stop || w->waits)
		return false;
	if (!kv_queue_take(&r->queue, q)) {
		kv_wait_in(&r->idle, w);
		return false;
	}
	w->context = q->context;
	if (r->c->prefix && q->prefix >= 0) {
		/* nothing ever stores a prefix: a miss */
		prefix = r->w->prefix_tokens[q->prefix];
		if (prefix >= q->context)
			prefix = q->context - 1;
		w->context -= prefix;
		n->misses++;
		n->prefix_hits++;
		n->prefix_bytes_saved += prefix * r->c->model.token_bytes;
	} else if (r->c->prefix) {
		n->prefix_misses++;
	}
	w->io_ns = w->prefill_ns = w->decode_ns = 0;
	w->turn = w->turns = 0;
	w->entry = KV_NONE;
	if (q->decode_only)
		return true;
	c = &r->conversations.v[q->conversation];
	w->turns = r->c->multi_turn && c->remembered ? c->turns : 0;
	return true;
}

static void count_hit(struct kv_worker *w, bool turn)
{
	struct kv_counts *n = &w->rank->k->counted;

	n->hits++;
	if (turn)
		n->multi_turn_hits++;
	else if (w->rank->c->prefix && w->request.prefix >= 0)
		n->system_prompt_hits++;
	else
		n->user_hits++;
}

static bool readable(const struct kv_rank *r, uint32_t id)
{
	return id != KV_NONE && r->cache.entries[id].tier != KV_NOWHERE;
}

/* The next other turn that can be read: false = none is left. */
static bool next_turn(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	uint32_t id;

	while (++w->turn <= w->turns) {
		if (w->turn == w->request.turn)
			continue;
		id = kv_conversation_entry(&r->conversations,
			w->request.conversation, w->turn);
		if (readable(r, id)) {
			count_hit(w, true);
			kv_read_begin(w, id);
			return true;
		}
		r->k->counted.misses++;
		r->k->counted.multi_turn_misses++;
	}
	return false;
}

static int add_entry(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_request *q = &w->request;

	w->entry = kv_cache_add(&r->cache, q->conversation, q->turn,
		w->context, w->context * r->c->model.token_bytes);
	if (w->entry == KV_NONE ||
		(!q->decode_only &&
			kv_conversation_set(&r->conversations,
				q->conversation, q->turn, w->entry)))
		return err_nomem(e, "the cache's entries");
	return 0;
}

/* The first write; what is asked about a document has none. */
static int begin_prefill(struct kv_worker *w, struct err *e)
{
	w->prefill_ns = -w->io_ns;
	if (w->request.decode_only) {
		w->prefill_ns = 0;
		kv_rag_retrieve(w);
		w->state = KV_W_CHUNKS;
		return 0;
	}
	if (add_entry(w, e))
		return e->code;
	kv_allocate_begin(w);
	w->state = KV_W_ALLOCATE;
	return 0;
}

/* The request has been served. */
static int complete(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_request *q = &w->request;
	struct kv_counts *n = &r->k->counted;
	struct kv_series *s = r->k->series;
	int64_t all = kv_now(r) - q->made_ns;
	struct kv_user_task *u = r->users ? &r->users[q->user] : NULL;

	n->requests++;
	n->tokens += q->generation;
	n->prefill_only += q->prefill_only;
	n->rag_questions += q->decode_only;
	n->by_class[q->class]++;
	n->request_io_ns += w->io_ns;
	if (kv_series_add(&s[KV_END_TO_END], all) ||
		kv_series_add(&s[KV_END_TO_END_CLASS + q->class], all) ||
		kv_series_add(&s[KV_REQUEST_IO], w->io_ns) ||
		kv_series_add(&s[KV_GENERATION],
			q->generation * r->c->token_ns) ||
		(!q->decode_only &&
			kv_series_add(&s[KV_PREFILL], w->prefill_ns)) ||
		(!q->prefill_only &&
			kv_series_add(&s[KV_DECODE], w->decode_ns)))
		return err_nomem(e, "the record of requests");
	if (u && u->waits && !q->decode_only) {
		u->waits = false;
		u->due_ns = kv_now(r) + u->ask.pause_ns;
		loop_ready(r->loop, &u->task);
	}
	w->state = KV_W_IDLE;
	return 0;
}

static void generate(struct kv_worker *w)
{
	w->state = KV_W_GENERATE;
	w->due_ns = kv_now(w->rank) +
		    w->request.generation * w->rank->c->token_ns;
	kv_worker_phase(w, KV_PHASE_GENERATE);
}

/* After the chunks: the reads of the answer, if it has any. */
static void begin_decode(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;

	w->decode_ns = -w->io_ns;
	if (w->request.prefill_only) {
		generate(w);
		return;
	}
	w->reads_left = kv_decode_reads(r->w, w->request.generation);
	w->state = KV_W_DECODE;
}

static int next_decode(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	bool first = w->reads_left ==
		     kv_decode_reads(r->w, w->request.generation);

	if (!w->reads_left) {
		w->decode_ns += w->io_ns;
		generate(w);
		return 0;
	}
	if (readable(r, w->entry)) {
		w->reads_left--;
		count_hit(w, false);
		kv_read_begin(w, w->entry);
		w->state = KV_W_DECODE_READ;
		return 0;
	}
	r->k->counted.misses++;
	w->reads_left = 0;
	if (!first)
		return 0;
	if (w->entry == KV_NONE && add_entry(w, e))
		return e->code;
	kv_allocate_begin(w);
	w->state = KV_W_AGAIN;
	return 0;
}

/* Of another turn, a chunk or the own entry, which may have been gone. */
static void read_ended(struct kv_worker *w, bool gone)
{
	struct kv_counts *n = &w->rank->k->counted;

	if (gone) {
		n->misses++;
		w->reads_left = 0;
	}
	if (gone && w->state == KV_W_CHUNK_READ) {
		n->rag_chunk_reads--;
		n->rag_chunk_misses++;
	}
	w->state = w->state == KV_W_TURN_READ	? KV_W_TURNS
		   : w->state == KV_W_CHUNK_READ ? KV_W_CHUNKS
						 : KV_W_DECODE;
}

static void prefilled(struct kv_worker *w)
{
	w->prefill_ns += w->io_ns;
	kv_rag_retrieve(w);
	w->state = KV_W_CHUNKS;
}

int kv_worker_step(struct loop_task *t, struct err *e)
{
	struct kv_worker *w = (struct kv_worker *)t;
	int r = 0;

	for (;;) {
		switch (w->state) {
		case KV_W_IDLE:
			if (!take_request(w))
				return w->rank->stop;
			w->state = KV_W_TURNS;
			break;
		case KV_W_TURNS:
			if (next_turn(w))
				w->state = KV_W_TURN_READ;
			else
				r = begin_prefill(w, e);
			break;
		case KV_W_CHUNKS:
			if (kv_rag_next(w))
				w->state = KV_W_CHUNK_READ;
			else
				begin_decode(w);
			break;
		case KV_W_TURN_READ:
		case KV_W_CHUNK_READ:
		case KV_W_DECODE_READ:
			r = kv_read_step(w, e);
			if (r <= 0)
				return r;
			read_ended(w, r == 2);
			r = 0;
			break;
		case KV_W_ALLOCATE:
		case KV_W_AGAIN:
			r = kv_allocate_step(w, e);
			if (r <= 0)
				return r;
			r = 0;
			if (w->state == KV_W_ALLOCATE)
				prefilled(w);
			else
				w->state = KV_W_DECODE;
			break;
		case KV_W_DECODE:
			r = next_decode(w, e);
			break;
		case KV_W_GENERATE:
			if (!kv_due(w, w->due_ns))
				return 0;
			r = complete(w, e);
			break;
		}
		if (r < 0)
			return r;
	}
}
