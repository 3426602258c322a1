#ifndef WORKLOADS_KV_CACHE_H
#define WORKLOADS_KV_CACHE_H
/*
 * The tiers of a KV cache and who lies in which: a pure state machine that
 * moves no byte and reads no clock. New entries try the tiers from fast to
 * slow; nothing is promoted when it is read.
 *
 * A memory tier is kept at four fifths of its limit: for a new entry its least
 * recently used ones move to the tier below, one after another. The last tier
 * is filled to its limit; then its least recently used entries are deleted,
 * and if there is none left the new one is taken all the same, as the reference
 * has it, or waits until one can be deleted (strict_limit). Space is
 * reserved before it is used. Making room is a dialogue: kv_room_next() says
 * what has to be done, the caller does it (which may take time) and asks again.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

enum kv_tier { KV_GPU, KV_CPU, KV_STORAGE, KV_TIERS, KV_NOWHERE = KV_TIERS };

#define KV_NONE UINT32_MAX

struct kv_entry {
	uint32_t owner, turn; /* the caller's: what it is called */
	uint32_t tokens;
	uint64_t bytes;
	enum kv_tier tier; /* where it can be read; KV_NOWHERE: not yet */
	bool locked;	   /* someone reads or moves it */
	uint32_t older, newer; /* of its tier, by last access */
	void *waiters; /* for the lock; the caller's */
};

struct kv_tier_state {
	uint64_t limit_bytes; /* 0: takes nothing */
	uint64_t used_bytes;  /* reserved */
	uint64_t listed_bytes;
	uint32_t entries;
	uint32_t oldest, newest; /* KV_NONE: empty */
};

struct kv_cache {
	struct kv_tier_state tiers[KV_TIERS];
	struct kv_entry *entries; /* all that ever were */
	uint32_t count, room;
	/*
	 * As the reference does it: everybody who needs room waits for the
	 * same oldest entry, so that entries move nearly one at a time. Else
	 * one that is being moved is passed over.
	 */
	bool serial_moves;
	/* The last tier never holds more than its limit, or one entry. */
	bool strict_limit;
	/*
	 * The reference's known mistakes: a tier that lists nothing forgets
	 * what writes in flight have reserved, and whoever wanted to move an
	 * entry that another has moved keeps the space it had reserved below.
	 */
	bool reference_bugs;
};

void kv_cache_init(struct kv_cache *c, const uint64_t limits[KV_TIERS]);
void kv_cache_fini(struct kv_cache *c);

/* A new entry, nowhere yet; KV_NONE: no memory. */
uint32_t kv_cache_add(struct kv_cache *c, uint32_t owner, uint32_t turn,
	uint32_t tokens, uint64_t bytes);

/* It was used just now. */
void kv_cache_touch(struct kv_cache *c, uint32_t id);

/* It can be read in tier t, where its space is reserved, and nowhere else. */
void kv_cache_put(struct kv_cache *c, uint32_t id, enum kv_tier t);
/* It can be read nowhere any more; its space in its tier is free. */
void kv_cache_drop(struct kv_cache *c, uint32_t id);
/* From its tier to t, where space is reserved; that of the old one is free. */
void kv_cache_move(struct kv_cache *c, uint32_t id, enum kv_tier t);

enum kv_room_step {
	KV_ROOM_TAKEN,	 /* the space is reserved */
	KV_ROOM_REFUSED, /* not in this tier */
	KV_ROOM_MOVE,	 /* move *victim to a tier below, ask again */
	KV_ROOM_DELETE,	 /* delete *victim, then ask again */
	KV_ROOM_WAIT,	 /* until something comes to or leaves this tier */
};

/* One attempt to make room; begin and end it. */
struct kv_room {
	enum kv_tier tier;
	uint64_t need_bytes;
	uint32_t *list; /* by last access, as it was when looked at */
	uint32_t n, at, moves;
	bool looked;
};

void kv_room_begin(struct kv_room *r, enum kv_tier t, uint64_t need_bytes);
/* -ENOMEM, or a kv_room_step. */
int kv_room_next(struct kv_room *r, struct kv_cache *c, uint32_t *victim);
void kv_room_end(struct kv_room *r);

/* Give back what an attempt had reserved. */
void kv_cache_release(struct kv_cache *c, enum kv_tier t, uint64_t bytes);

#endif
