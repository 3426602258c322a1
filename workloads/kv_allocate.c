/* Writing an entry: a slot, room in a tier, the bytes; see kv_rank.h. */
#include "workloads/kv_rank.h"

#include <errno.h>

static void tier_changed(struct kv_rank *r)
{
	while (kv_wake_first(&r->rooms))
		;
}

void kv_allocate_begin(struct kv_worker *w)
{
	w->alloc = KV_A_SLOT;
	w->level = -1;
	w->has_slot = false;
	kv_worker_phase(w, KV_PHASE_SLOT);
}

static bool take_slot(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;

	if (w->waits)
		return false;
	if (w->granted) {
		w->granted = false; /* handed over by who had it */
	} else if (r->c->opt.allocations) {
		if (!r->slots_free) {
			kv_wait_in(&r->slots, w);
			return false;
		}
		r->slots_free--;
	}
	w->has_slot = true;
	w->slot_since_ns = kv_now(r);
	return true;
}

static void give_slot(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	int64_t now = kv_now(r), until = now < r->end_ns ? now : r->end_ns;

	if (until > w->slot_since_ns)
		r->k->slot_ns += until - w->slot_since_ns;
	w->has_slot = false;
	if (r->c->opt.allocations && !kv_wake_first(&r->slots))
		r->slots_free++;
}

static void level_begin(struct kv_worker *w, enum kv_tier t, uint64_t bytes)
{
	struct kv_level *l = &w->levels[++w->level];

	l->at = KV_LEVEL_ASK;
	kv_room_begin(&l->room, t, bytes);
}

static int delete_entry(struct kv_rank *r, uint32_t id, struct err *e)
{
	int ret = store_remove(
		r->job->env->store, kv_file_id(r, id), e);

	if (ret)
		return ret;
	kv_cache_drop(&r->cache, id);
	r->k->counted.deleted++;
	return 0;
}

/* The room below is there: read the victim out of memory. */
static void move_out(struct kv_worker *w, struct kv_level *l)
{
	struct kv_rank *r = w->rank;

	l->at = KV_LEVEL_OUT;
	l->begun_ns = kv_now(r);
	l->due_ns = l->begun_ns +
		    kv_copy_ns(r, r->cache.entries[l->victim].bytes);
}

static int move_in(struct kv_worker *w, struct kv_level *l, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_entry *x = &r->cache.entries[l->victim];

	l->at = KV_LEVEL_IN;
	if (l->to == KV_STORAGE)
		return kv_stream_write(&w->stream, kv_file_id(r, l->victim),
			kv_content_key(r, l->victim), x->tokens, e);
	l->due_ns = kv_now(r) + kv_copy_ns(r, x->bytes);
	return 0;
}

static int moved(struct kv_worker *w, struct kv_level *l, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_entry *x = &r->cache.entries[l->victim];
	struct kv_counts *n = &r->k->counted;

	n->tier_read_bytes[x->tier] += x->bytes;
	n->tier_written_bytes[l->to] += x->bytes;
	n->offloads[l->to]++;
	n->moved_bytes += x->bytes;
	n->moves++;
	if (l->to == KV_STORAGE)
		n->storage_tokens += x->tokens;
	kv_cache_move(&r->cache, l->victim, l->to);
	kv_unlock(r, l->victim);
	tier_changed(r);
	l->at = KV_LEVEL_ASK;
	if (kv_series_add(&r->k->series[KV_MOVE], kv_now(r) - l->begun_ns))
		return err_nomem(e, "the record of moves");
	return 0;
}

/* The victim is locked: is it still there, and is there room below? */
static void victim_locked(struct kv_worker *w, struct kv_level *l)
{
	struct kv_rank *r = w->rank;
	const struct kv_entry *x = &r->cache.entries[l->victim];

	if (x->tier != l->room.tier) {
		/* the reference keeps what it has reserved below */
		kv_unlock(r, l->victim);
		l->at = KV_LEVEL_ASK;
	} else if (r->cache.reference_bugs) {
		move_out(w, l);
	} else {
		l->at = KV_LEVEL_BELOW;
		level_begin(w, l->to, x->bytes);
	}
}

/* What kv_room_next() wants. 1 = taken, 2 = refused, 3 = go on. */
static int ask(struct kv_worker *w, struct kv_level *l, struct err *e)
{
	struct kv_rank *r = w->rank;
	uint32_t victim = KV_NONE;
	int step = kv_room_next(&l->room, &r->cache, &victim), ret;

	switch (step) {
	case KV_ROOM_TAKEN:
	case KV_ROOM_REFUSED:
		kv_room_end(&l->room);
		return step == KV_ROOM_TAKEN ? 1 : 2;
	case KV_ROOM_WAIT:
		kv_wait_in(&r->rooms, w);
		return 0;
	case KV_ROOM_DELETE:
		ret = delete_entry(r, victim, e);
		return ret ? ret : 3;
	case KV_ROOM_MOVE:
		l->victim = victim;
		l->to = l->room.tier + 1;
		l->at = KV_LEVEL_LOCK;
		if (r->cache.reference_bugs) {
			l->at = KV_LEVEL_BELOW;
			level_begin(w, l->to, r->cache.entries[victim].bytes);
		}
		return 3;
	default:
		return err_nomem(e, "the order of the cache");
	}
}

/* The level below the current one has ended: 1 = taken, 2 = refused. */
static void below_ended(struct kv_worker *w, int how)
{
	struct kv_level *l = &w->levels[w->level];

	if (how == 2) { /* the last tier refuses nothing */
		l->to++;
		level_begin(w, l->to, w->rank->cache.entries[l->victim].bytes);
	} else if (w->rank->cache.reference_bugs) {
		l->at = KV_LEVEL_LOCK;
	} else {
		move_out(w, l);
	}
}

/* 1 = the space is reserved, 2 = refused, 0 = not yet, or an error. */
static int room_step(struct kv_worker *w, struct err *e)
{
	struct kv_level *l;
	int ret;

	for (;;) {
		l = &w->levels[w->level];
		switch (l->at) {
		case KV_LEVEL_ASK:
			if (w->waits)
				return 0;
			w->granted = false;
			ret = ask(w, l, e);
			if (ret <= 0)
				return ret;
			if (ret == 3)
				break;
			if (!w->level--)
				return ret;
			below_ended(w, ret);
			break;
		case KV_LEVEL_LOCK:
			if (!kv_lock(w, l->victim))
				return 0;
			victim_locked(w, l);
			break;
		case KV_LEVEL_OUT:
			if (!kv_due(w, l->due_ns))
				return 0;
			ret = move_in(w, l, e);
			if (ret)
				return ret;
			break;
		case KV_LEVEL_IN:
			if (l->to != KV_STORAGE && !kv_due(w, l->due_ns))
				return 0;
			ret = l->to == KV_STORAGE
				      ? kv_stream_step(&w->stream, e)
				      : 1;
			if (ret <= 0)
				return ret;
			ret = moved(w, l, e);
			if (ret)
				return ret;
			break;
		case KV_LEVEL_BELOW:
			return err_set(e, ERR_BUG, -EINVAL,
				"a level of the cache waits for nobody");
		}
	}
}

static int write_begin(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_entry *x = &r->cache.entries[w->entry];

	w->alloc = KV_A_WRITE;
	w->begun_ns = kv_now(r);
	if (w->tier == KV_STORAGE) {
		kv_worker_phase(w, KV_PHASE_WRITE);
		return kv_stream_write(&w->stream, kv_file_id(r, w->entry),
			kv_content_key(r, w->entry), x->tokens, e);
	}
	kv_worker_phase(w, KV_PHASE_HOST);
	w->due_ns = w->begun_ns + kv_copy_ns(r, x->bytes);
	return 0;
}

static int written(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	const struct kv_entry *x = &r->cache.entries[w->entry];
	struct kv_counts *n = &r->k->counted;
	struct kv_series *s = r->k->series;
	int64_t all = kv_now(r) - w->begun_ns;
	int bad;

	n->prefill_writes++;
	n->write_bytes += x->bytes;
	n->tier_written_bytes[w->tier] += x->bytes;
	n->offloads[w->tier]++;
	w->io_ns += all;
	if (w->tier == KV_STORAGE) {
		n->storage_tokens += x->tokens;
		bad = kv_series_add(&s[KV_WRITE], all) ||
		      kv_series_add(
			      &s[KV_WRITE_DEVICE], w->stream.device_ns) ||
		      kv_series_add(&s[KV_WRITE_HOST], w->stream.host_ns);
	} else {
		bad = w->tier == KV_CPU &&
		      kv_series_add(&s[KV_CPU_WRITE], all);
	}
	kv_cache_put(&r->cache, w->entry, w->tier);
	give_slot(w);
	tier_changed(r);
	return bad ? err_nomem(e, "the record of writes") : 1;
}

int kv_allocate_step(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	int ret;

	if (w->alloc == KV_A_SLOT) {
		if (!take_slot(w))
			return 0;
		w->tier = KV_GPU;
		w->alloc = KV_A_TIER;
		kv_worker_phase(w, KV_PHASE_ROOM);
	}
	while (w->alloc == KV_A_TIER || w->alloc == KV_A_ROOM) {
		if (w->alloc == KV_A_TIER)
			level_begin(
				w, w->tier, r->cache.entries[w->entry].bytes);
		w->alloc = KV_A_ROOM;
		ret = room_step(w, e);
		if (ret <= 0)
			return ret;
		if (ret == 1) {
			ret = write_begin(w, e);
			if (ret)
				return ret;
			break;
		}
		if (w->tier == KV_STORAGE)
			return err_set(e, ERR_USAGE, -ENOSPC,
				"the storage tier takes nothing: its limit is "
				"%llu bytes (--storage-capacity-gb)",
				(unsigned long long)r->c->limits[KV_STORAGE]);
		w->tier++;
		w->alloc = KV_A_TIER;
	}
	ret = w->tier == KV_STORAGE ? kv_stream_step(&w->stream, e)
				    : kv_due(w, w->due_ns);
	return ret <= 0 ? ret : written(w, e);
}
