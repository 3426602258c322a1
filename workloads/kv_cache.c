/* The tiers of a KV cache; see kv_cache.h. */
#include "workloads/kv_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a memory tier's limit. */
#define TARGET_SHARE 0.8     /* what room is made down to */
#define LARGEST_SHARE 0.95   /* a larger entry is refused */
#define EMPTY_SHARE 0.05     /* below it the next entry is taken in any case */
#define LITTLE_SHARE 0.2     /* listed less: a large one is not worth it */
#define MOVES_MOST 5000

void kv_cache_init(struct kv_cache *c, const uint64_t limits[KV_TIERS])
{
	int t;

	memset(c, 0, sizeof(*c));
	for (t = 0; t < KV_TIERS; t++) {
		c->tiers[t].limit_bytes = limits[t];
		c->tiers[t].oldest = c->tiers[t].newest = KV_NONE;
	}
}

void kv_cache_fini(struct kv_cache *c)
{
	free(c->entries);
	c->entries = NULL;
}

uint32_t kv_cache_add(struct kv_cache *c, uint32_t owner, uint32_t turn,
	uint32_t tokens, uint64_t bytes)
{
	struct kv_entry *more, *x;

	if (c->count == c->room) {
		c->room = c->room ? c->room * 2 : 1024;
		more = realloc(c->entries, c->room * sizeof(*more));
		if (!more)
			return KV_NONE;
		c->entries = more;
	}
	x = &c->entries[c->count];
	memset(x, 0, sizeof(*x));
	x->owner = owner;
	x->turn = turn;
	x->tokens = tokens;
	x->bytes = bytes;
	x->tier = KV_NOWHERE;
	return c->count++;
}

static void unlink_entry(struct kv_cache *c, uint32_t id)
{
	struct kv_entry *x = &c->entries[id];
	struct kv_tier_state *t = &c->tiers[x->tier];

	if (x->older == KV_NONE)
		t->oldest = x->newer;
	else
		c->entries[x->older].newer = x->newer;
	if (x->newer == KV_NONE)
		t->newest = x->older;
	else
		c->entries[x->newer].older = x->older;
}

static void link_newest(struct kv_cache *c, uint32_t id)
{
	struct kv_entry *x = &c->entries[id];
	struct kv_tier_state *t = &c->tiers[x->tier];

	x->older = t->newest;
	x->newer = KV_NONE;
	if (t->newest == KV_NONE)
		t->oldest = id;
	else
		c->entries[t->newest].newer = id;
	t->newest = id;
}

void kv_cache_touch(struct kv_cache *c, uint32_t id)
{
	if (c->entries[id].tier == KV_NOWHERE)
		return;
	unlink_entry(c, id);
	link_newest(c, id);
}

void kv_cache_put(struct kv_cache *c, uint32_t id, enum kv_tier t)
{
	c->entries[id].tier = t;
	c->tiers[t].listed_bytes += c->entries[id].bytes;
	c->tiers[t].entries++;
	link_newest(c, id);
}

void kv_cache_release(struct kv_cache *c, enum kv_tier t, uint64_t bytes)
{
	uint64_t *used = &c->tiers[t].used_bytes;

	/* with the reference's mistakes it may have been forgotten already */
	*used -= bytes < *used ? bytes : *used;
}

void kv_cache_drop(struct kv_cache *c, uint32_t id)
{
	struct kv_entry *x = &c->entries[id];
	struct kv_tier_state *t = &c->tiers[x->tier];

	unlink_entry(c, id);
	t->listed_bytes -= x->bytes;
	t->entries--;
	kv_cache_release(c, x->tier, x->bytes);
	x->tier = KV_NOWHERE;
}

void kv_cache_move(struct kv_cache *c, uint32_t id, enum kv_tier t)
{
	kv_cache_drop(c, id);
	kv_cache_put(c, id, t);
}

void kv_room_begin(struct kv_room *r, enum kv_tier t, uint64_t need_bytes)
{
	memset(r, 0, sizeof(*r));
	r->tier = t;
	r->need_bytes = need_bytes;
}

void kv_room_end(struct kv_room *r)
{
	free(r->list);
	r->list = NULL;
}

static int take(struct kv_tier_state *t, uint64_t bytes)
{
	t->used_bytes += bytes;
	return KV_ROOM_TAKEN;
}

static double part(const struct kv_tier_state *t, double share)
{
	return share * (double)t->limit_bytes;
}

/* Look who lies in the tier now, oldest first. */
static int look(struct kv_room *r, const struct kv_cache *c)
{
	const struct kv_tier_state *t = &c->tiers[r->tier];
	uint32_t id;

	free(r->list);
	r->list = malloc((t->entries + 1) * sizeof(*r->list));
	if (!r->list)
		return -ENOMEM;
	r->n = r->at = 0;
	for (id = t->oldest; id != KV_NONE; id = c->entries[id].newer)
		r->list[r->n++] = id;
	return 0;
}

/* The tier lists nothing, but its space is taken by what is on its way. */
static int nothing_listed(struct kv_room *r, struct kv_cache *c)
{
	struct kv_tier_state *t = &c->tiers[r->tier];

	if (!c->reference_bugs)
		return KV_ROOM_WAIT;
	t->used_bytes = t->listed_bytes;
	if ((double)(t->used_bytes + r->need_bytes) <= part(t, TARGET_SHARE))
		return take(t, r->need_bytes);
	return KV_ROOM_REFUSED;
}

static int memory_next(struct kv_room *r, struct kv_cache *c, uint32_t *victim)
{
	struct kv_tier_state *t = &c->tiers[r->tier];
	const struct kv_entry *x;
	bool fresh;

	if ((double)r->need_bytes > part(t, LARGEST_SHARE))
		return KV_ROOM_REFUSED;
	if ((double)(t->used_bytes + r->need_bytes) <= part(t, TARGET_SHARE) ||
		(double)t->used_bytes < part(t, EMPTY_SHARE))
		return take(t, r->need_bytes);
	if (!r->looked && (double)t->listed_bytes < part(t, LITTLE_SHARE) &&
		(double)r->need_bytes > part(t, TARGET_SHARE) / 2)
		return KV_ROOM_REFUSED;
	fresh = !r->looked || r->at == r->n;
	if (fresh && look(r, c))
		return -ENOMEM;
	r->looked = true;
	for (;;) {
		if (r->at == r->n && fresh)
			return r->n ? KV_ROOM_WAIT : nothing_listed(r, c);
		if (r->at == r->n) {
			if (look(r, c))
				return -ENOMEM;
			fresh = true;
			continue;
		}
		x = &c->entries[r->list[r->at]];
		if (x->tier == r->tier && (c->serial_moves || !x->locked))
			break;
		r->at++;
	}
	if (r->moves++ == MOVES_MOST)
		return KV_ROOM_REFUSED;
	*victim = r->list[r->at++];
	return KV_ROOM_MOVE;
}

int kv_room_next(struct kv_room *r, struct kv_cache *c, uint32_t *victim)
{
	struct kv_tier_state *t = &c->tiers[r->tier];
	uint32_t id;

	if (!t->limit_bytes)
		return KV_ROOM_REFUSED;
	if (r->tier != KV_STORAGE)
		return memory_next(r, c, victim);
	if (t->used_bytes + r->need_bytes <= t->limit_bytes)
		return take(t, r->need_bytes);
	for (id = t->oldest; id != KV_NONE; id = c->entries[id].newer)
		if (!c->entries[id].locked)
			break;
	if (id == KV_NONE) {
		/* what is read or written now can be deleted soon */
		if (c->strict_limit && t->used_bytes)
			return KV_ROOM_WAIT;
		if (c->reference_bugs)
			t->used_bytes = t->listed_bytes;
		return take(t, r->need_bytes);
	}
	*victim = id;
	return KV_ROOM_DELETE;
}
