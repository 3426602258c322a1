/* Ranks of the KV cache workload: users, begin, end and drain; see kvcache.h. */
#include "workloads/kvcache.h"

#include "core/units.h"
#include "storage/host.h"
#include "workloads/kv_rank.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the reference waits for each worker at the end. */
#define JOIN_NS (2 * NS_PER_S)
#define LOOK_NS (NS_PER_S / 4)

int kvcache_rank_dir(
	const struct kv_config *c, uint64_t rank, char *buf, size_t buf_bytes)
{
	int n = snprintf(buf, buf_bytes, "%s/rank_%" PRIu64, c->cache_dir,
		rank);

	return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
}

int kvcache_path(void *ctx, uint64_t id, char *buf, size_t buf_bytes)
{
	const struct kvcache_env *env = ctx;
	const struct kv_rank *r = &env->job->ranks[id >> 32];
	const struct kv_entry *x = &r->cache.entries[(uint32_t)id];
	const struct kv_conversation *c;
	char dir[4096];
	int n;

	if (kvcache_rank_dir(r->c, r->rank, dir, sizeof(dir)))
		return -ENAMETOOLONG;
	if (!kv_owner_is_conversation(x->owner)) {
		n = x->owner & KV_OWNER_DOCUMENT
			    ? snprintf(buf, buf_bytes,
				      "%s/rag_doc_%u_chunk_%u.npy", dir,
				      x->owner & KV_OWNER_MASK, x->turn)
			    : snprintf(buf, buf_bytes,
				      "%s/rag_question_%u.npy", dir,
				      x->owner & KV_OWNER_MASK);
		return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
	}
	c = &r->conversations.v[x->owner];
	if (r->c->multi_turn)
		n = snprintf(buf, buf_bytes,
			"%s/conv_user_%04u_%lld_turn_%u.npy", dir, c->user,
			(r->loop->clock->wall_anchor_ns + c->start_ns) /
				NS_PER_MS, x->turn);
	else
		n = snprintf(buf, buf_bytes, "%s/user_%04u_req_%06u.npy", dir,
			c->user, x->owner);
	return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
}

uint64_t kvcache_size(void *ctx, uint64_t id)
{
	const struct kvcache_env *env = ctx;
	const struct kv_rank *r = &env->job->ranks[id >> 32];

	return r->cache.entries[(uint32_t)id].bytes + kv_header_bytes(r->c);
}

int kv_offer(struct kv_rank *r, struct kv_request *q, struct err *e)
{
	if (kv_queue_put(&r->queue, q))
		return err_nomem(e, "the queue of requests");
	r->k->offered++;
	kv_wake_first(&r->idle);
	return 0;
}

static int offer_turn(struct kv_rank *r, struct kv_request *q, struct err *e)
{
	if (q->conversation == KV_NONE)
		return err_nomem(e, "the conversations");
	q->turn = kv_conversation_turn(&r->conversations, q->conversation);
	return kv_offer(r, q, e);
}

/* The request whose time has come goes into the queue. */
static int make_request(struct kv_user_task *u, struct err *e)
{
	struct kv_rank *r = u->rank;
	struct kv_conversations *cs = &r->conversations;
	const struct kv_ask *a = &u->ask;
	struct kv_request q = {
		.made_ns = kv_now(r),
		.context = a->context,
		.generation = (uint16_t)a->generation,
		.user = (uint16_t)u->index,
		.prefix = (int8_t)a->prefix,
		.class = (uint8_t)u->user.class,
		.prefill_only = a->prefill_only,
	};

	if (u->conversation == KV_NONE || a->ends_conversation ||
		!r->c->multi_turn ||
		cs->v[u->conversation].turns == r->w->turns_most)
		u->conversation =
			kv_conversation_start(cs, u->index, q.made_ns);
	q.conversation = u->conversation;
	return offer_turn(r, &q, e);
}

/* Every recorded request is a conversation of its own. */
static int trace_step(struct loop_task *t, struct err *e)
{
	struct kv_trace_task *task = (struct kv_trace_task *)t;
	struct kv_rank *r = task->rank;
	const struct kv_trace *trace = r->job->env->trace;
	const struct kv_trace_row *row;
	int64_t now = kv_now(r), due;
	struct kv_request q;
	double class;

	if (r->stop)
		return 1;
	if (r->state != KV_R_RUN)
		return 0;
	for (; task->next < trace->count; task->next++) {
		due = r->start_ns + kv_trace_due_ns(trace, task->next);
		if (due > now) {
			loop_sleep(r->loop, t, due);
			return 0;
		}
		row = &trace->rows[task->next];
		class = rng_xo_double(&task->rng);
		memset(&q, 0, sizeof(q));
		q.made_ns = now;
		q.context = row->context;
		q.generation = (uint16_t)row->generation;
		q.user = (uint16_t)(task->next % KV_TRACE_USERS);
		q.prefix = -1;
		q.class = class < r->w->interactive_share ? KV_INTERACTIVE
			  : class < r->w->interactive_share +
					    r->w->responsive_share
				  ? KV_RESPONSIVE
				  : KV_BATCH;
		q.prefill_only = row->context >= r->w->prefill_only_tokens;
		q.conversation =
			kv_conversation_start(&r->conversations, q.user, now);
		if (offer_turn(r, &q, e))
			return e->code;
	}
	return 0;
}

static int user_step(struct loop_task *t, struct err *e)
{
	struct kv_user_task *u = (struct kv_user_task *)t;
	struct kv_rank *r = u->rank;

	if (r->stop)
		return 1;
	if (r->state != KV_R_RUN || u->waits)
		return 0;
	if (kv_now(r) >= u->due_ns) {
		if (make_request(u, e) || kv_rag_ask(u, e))
			return e->code;
		kv_user_ask(r->w, &u->user, &u->ask);
		u->waits = r->c->closed_loop;
		u->due_ns = kv_now(r) + u->ask.pause_ns;
	}
	if (!u->waits)
		loop_sleep(r->loop, &u->task, u->due_ns);
	return 0;
}

static void begin(struct kv_rank *r)
{
	uint32_t i;

	r->state = KV_R_RUN;
	r->start_ns = r->k->start_ns = kv_now(r);
	r->end_ns = r->start_ns + r->c->duration_ns;
	r->k->cpu_ns = -host_cpu_ns();
	if (!r->users)
		loop_ready(r->loop, &r->trace.task);
	for (i = 0; r->users && i < r->c->opt.users; i++) {
		r->users[i].due_ns = r->start_ns + r->users[i].ask.pause_ns;
		loop_ready(r->loop, &r->users[i].task);
	}
	for (i = 0; i < r->worker_count; i++)
		r->workers[i].phase_since_ns = r->start_ns;
	if (r->rag.count)
		loop_ready(r->loop, &r->workers[r->worker_count].task);
	group_set_phase(r->job->env->group, WATCH_COMPUTE, 0, 0);
}

/* The time is over: freeze the counts, let the workers finish. */
static void freeze(struct kv_rank *r)
{
	struct kv_worker *w;
	int64_t now = kv_now(r);
	uint32_t i;

	r->state = KV_R_DRAIN;
	r->stop = true;
	r->k->elapsed_ns = now - r->start_ns;
	/* a busy machine may look a little late */
	r->end_ns = now;
	for (i = 0; i < kv_all_workers(r); i++) {
		w = &r->workers[i];
		kv_worker_phase(w, w->phase);
		if (w->has_slot) {
			r->k->slot_ns += now - w->slot_since_ns;
			w->slot_since_ns = now;
		}
	}
	r->k->frozen = r->k->counted;
	r->join_ns = now + JOIN_NS;
	while (kv_wake_first(&r->idle))
		;
}

/* Workers are waited for in turn, each for two seconds at most. */
static bool drained(struct kv_rank *r)
{
	int64_t now = kv_now(r);

	while (r->joined < r->worker_count) {
		if (r->workers[r->joined].state != KV_W_IDLE &&
			now < r->join_ns) {
			loop_sleep(r->loop, &r->task,
				r->join_ns < now + NS_PER_S / 20
					? r->join_ns
					: now + NS_PER_S / 20);
			return false;
		}
		r->joined++;
		r->join_ns = now + JOIN_NS;
	}
	return true;
}

static void result(struct kv_rank *r)
{
	struct kv_rank_result *k = r->k;
	uint32_t i, t;

	k->drain_ns = kv_now(r) - r->end_ns;
	k->queue_peak = r->queue.peak;
	for (i = 0; i < r->worker_count; i++)
		k->abandoned += r->workers[i].state != KV_W_IDLE;
	for (t = 0; t < KV_TIERS; t++) {
		k->entries[t] = r->cache.tiers[t].entries;
		k->used_bytes[t] = r->cache.tiers[t].used_bytes;
	}
	k->cpu_ns += host_cpu_ns();
	k->peak_rss_bytes = host_peak_rss_bytes();
}

static void report(struct kv_rank *r)
{
	const struct kvcache_env *env = r->job->env;
	struct kvcache_progress p;
	int64_t now = kv_now(r);

	if (r->index || !env->progress || now < r->progress_ns)
		return;
	r->progress_ns = now + NS_PER_S;
	p.second = (double)(now - r->start_ns) / 1e9;
	p.requests = r->k->counted.requests;
	p.tokens = r->k->counted.tokens;
	p.queued = r->queue.n;
	p.draining = r->state == KV_R_DRAIN;
	env->progress(env->progress_ctx, &p);
}

static int rank_step(struct loop_task *t, struct err *e)
{
	struct kv_rank *r = (struct kv_rank *)t;
	struct group *g = r->job->env->group;
	int64_t next;
	int ret;

	for (;;) {
		switch (r->state) {
		case KV_R_MEET:
			ret = group_barrier_test(g, r->rank, e);
			if (ret <= 0)
				return ret;
			begin(r);
			break;
		case KV_R_RUN:
			report(r);
			if (r->c->stop_written_bytes &&
				r->k->counted.file_written_bytes >=
					r->c->stop_written_bytes)
				r->end_ns = kv_now(r);
			if (kv_now(r) < r->end_ns) {
				next = kv_now(r) + LOOK_NS;
				loop_sleep(r->loop, &r->task,
					next < r->end_ns ? next : r->end_ns);
				return 0;
			}
			freeze(r);
			break;
		case KV_R_DRAIN:
			report(r);
			if (!drained(r))
				return 0;
			result(r);
			r->state = KV_R_END;
			group_set_phase(g, WATCH_BARRIER, 0, 0);
			group_barrier_start(g, r->rank);
			break;
		case KV_R_END:
			ret = group_barrier_test(g, r->rank, e);
			if (ret <= 0)
				return ret;
			r->state = KV_R_FINISHED;
			break;
		case KV_R_FINISHED:
			return 1;
		}
	}
}

static int add_users(struct kv_rank *r, struct err *e)
{
	uint32_t n = r->c->opt.users, i;
	struct kv_user *users = calloc(n, sizeof(*users));
	int ret = 0;

	r->users = calloc(n, sizeof(*r->users));
	if (!users || !r->users)
		ret = err_nomem(e, "the users");
	else
		kv_users_make(r->w, r->k->seed, n, users);
	for (i = 0; !ret && i < n; i++) {
		r->users[i].rank = r;
		r->users[i].user = users[i];
		r->users[i].index = i;
		r->users[i].conversation = KV_NONE;
		kv_user_ask(r->w, &r->users[i].user, &r->users[i].ask);
		r->users[i].task.step = user_step;
		r->users[i].task.background = true;
		ret = loop_add(r->loop, &r->users[i].task, e);
	}
	free(users);
	return ret;
}

static int add_trace(struct kv_rank *r, struct err *e)
{
	r->trace.rank = r;
	rng_xo_seed(&r->trace.rng, r->k->seed);
	r->trace.task.step = trace_step;
	r->trace.task.background = true;
	return loop_add(r->loop, &r->trace.task, e);
}

static int add_workers(struct kv_rank *r, struct err *e)
{
	struct kv_counts *n = &r->k->counted;
	struct kv_worker *w;
	uint32_t i;
	int ret = 0;

	r->worker_count = r->c->opt.users < r->w->workers_most
				  ? r->c->opt.users
				  : r->w->workers_most;
	r->k->workers = r->worker_count;
	r->workers = calloc(kv_all_workers(r), sizeof(*r->workers));
	if (!r->workers)
		return err_nomem(e, "the workers");
	for (i = 0; !ret && i < kv_all_workers(r); i++) {
		w = &r->workers[i];
		w->rank = r;
		w->level = -1;
		w->stream.pool = &r->pool;
		w->stream.task = &w->task;
		w->stream.read_bytes = &n->file_read_bytes;
		w->stream.written_bytes = &n->file_written_bytes;
		w->stream.verified_bytes = &n->verified_bytes;
		w->stream.file.fd = -1;
		w->task.step = i < r->worker_count ? kv_worker_step
						   : kv_rag_ingest_step;
		w->task.background = true;
		ret = loop_add(r->loop, &w->task, e);
	}
	return ret;
}

static int rank_init(struct kvcache_job *j, uint32_t index,
	struct kv_rank_result *k, struct err *e)
{
	struct kvcache_env *env = j->env;
	struct kv_rank *r = &j->ranks[index];
	const struct kv_config *c = env->config;
	int ret;

	memset(k, 0, sizeof(*k));
	r->job = j;
	r->index = index;
	r->rank = env->group->first + index;
	r->c = c;
	r->w = env->workload;
	r->loop = &j->loop;
	r->k = k;
	k->rank = r->rank;
	k->host = env->group->host;
	k->seed = c->seed + r->rank;
	kv_cache_init(&r->cache, c->limits);
	r->cache.serial_moves = c->io == KV_IO_REFERENCE;
	r->cache.strict_limit = c->io == KV_IO_DIRECT && !c->reference_bugs;
	r->cache.reference_bugs = c->reference_bugs;
	kv_conversations_init(&r->conversations, r->w->conversations_most,
		r->w->turns_most);
	kv_waiters_init(&r->idle);
	kv_waiters_init(&r->slots);
	kv_waiters_init(&r->rooms);
	r->slots_free = c->opt.allocations;
	r->pool.config = c;
	r->pool.engine = env->engine;
	r->pool.loop = &j->loop;
	r->pool.store = env->store;
	r->pool.content = env->content;
	r->task.step = rank_step;
	ret = kv_pool_open(
		&r->pool, env->buffers, index * c->buffers, c->buffers, e);
	if (!ret)
		ret = loop_add(&j->loop, &r->task, e);
	if (!ret)
		ret = env->trace ? add_trace(r, e) : add_users(r, e);
	if (!ret)
		ret = kv_rag_init(r, e);
	return ret ? ret : add_workers(r, e);
}

/* Files of entries that can be read or were just being written: gone. */
static int remove_files(struct kv_rank *r, struct err *e)
{
	struct kv_stream *s;
	uint32_t i;
	int ret = 0;

	for (i = 0; r->workers && !ret && i < kv_all_workers(r); i++) {
		s = &r->workers[i].stream;
		if (s->phase != KV_STREAM_IDLE && s->phase != KV_STREAM_READ)
			ret = store_remove(r->job->env->store, s->id, e);
	}

	for (i = 0; r->workers && !ret && i < r->cache.count; i++)
		if (r->cache.entries[i].tier == KV_STORAGE)
			ret = store_remove(
				r->job->env->store, kv_file_id(r, i), e);
	return ret;
}

static void rank_fini(struct kv_rank *r)
{
	uint32_t i;

	for (i = 0; r->workers && i < kv_all_workers(r); i++) {
		for (; r->workers[i].level >= 0; r->workers[i].level--)
			kv_room_end(&r->workers[i]
					     .levels[r->workers[i].level]
					     .room);
		/* what was being written has no reader */
		if (r->workers[i].stream.pool)
			kv_stream_close(&r->workers[i].stream);
	}
	kv_pool_close(&r->pool);
	kv_cache_fini(&r->cache);
	kv_conversations_fini(&r->conversations);
	kv_queue_fini(&r->queue);
	kv_rag_fini(r);
	free(r->users);
	free(r->workers);
}

static int run(struct kvcache_job *j, struct loop_task **tasks, bool *stuck,
	struct err *e)
{
	struct group *g = j->env->group;
	struct err drained_err;
	uint32_t i;
	int r;

	for (i = 0; i < g->count; i++)
		tasks[i] = &j->ranks[i].task;
	r = group_attach(g, &j->loop, tasks, e);
	for (i = 0; !r && i < g->count; i++)
		group_barrier_start(g, g->first + i);
	if (!r)
		r = loop_run(&j->loop, e);
	if (r)
		group_fail(g, e);
	group_detach(g);
	for (i = 0; i < g->count; i++)
		j->ranks[i].pool.stopped = true;
	*stuck = loop_drain(&j->loop, &drained_err) != 0;
	if (*stuck && !r) {
		*e = drained_err;
		r = e->code;
	}
	return group_agree(g, r, e);
}

int kvcache_run(struct kvcache_env *env, bool keep_files,
	struct kv_rank_result *results, struct err *e)
{
	struct kvcache_job j = {.env = env};
	uint32_t i, n = env->group->count;
	struct loop_task **tasks = calloc(n, sizeof(*tasks));
	bool stuck = false;
	int r = 0, removed = 0;

	env->job = &j;
	j.ranks = calloc(n, sizeof(*j.ranks));
	loop_init(&j.loop, env->engine);
	if (!tasks || !j.ranks)
		r = err_nomem(e, "the ranks");
	for (i = 0; !r && i < n; i++)
		r = rank_init(&j, i, &results[i], e);
	r = group_agree(env->group, r, e);
	if (!r)
		r = run(&j, tasks, &stuck, e);
	if (stuck)
		return r; /* what is in flight still owns its memory */
	for (i = 0; j.ranks && i < n; i++) {
		if (!keep_files && !removed && env->content)
			removed = remove_files(&j.ranks[i], r ? NULL : e);
		rank_fini(&j.ranks[i]);
	}
	loop_fini(&j.loop);
	free(j.ranks);
	free(tasks);
	env->job = NULL;
	return r ? r : removed;
}
