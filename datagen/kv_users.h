#ifndef DATAGEN_KV_USERS_H
#define DATAGEN_KV_USERS_H
/*
 * The users of the KV cache workload and what each of them asks for.
 *
 * The list of users is the reference's, bit for bit: Python's random, seeded
 * with seed + rank, of which making the users is the first consumer; for each
 * user in turn kind, priority class, context cap, generation cap, think time.
 * What comes after is drawn there by threads that race for one generator, so
 * only its distribution can be matched: here each user has a stream of its
 * own. A user's requests are therefore the same on any drive.
 */
#include "core/kv_workload.h"
#include "core/rng.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_user {
	uint32_t kind; /* of the workload's */
	enum kv_class class;
	uint32_t context_cap, generation_cap; /* tokens */
	double think_s;
	struct rng_xo rng; /* of its requests */
};

/* seed is that of the rank: the run's + rank. */
void kv_users_make(const struct kv_workload *w, uint64_t seed, uint32_t count,
	struct kv_user *users);

/* What a user asks for, once the pause before it is over. */
struct kv_ask {
	int64_t pause_ns;
	uint32_t context, generation; /* tokens */
	bool prefill_only;
	bool ends_conversation; /* a new one starts with this request */
	int prefix; /* index of the prefix tried, -1 = none */
};
void kv_user_ask(
	const struct kv_workload *w, struct kv_user *u, struct kv_ask *a);

/* Reads of an entry while so many tokens are made: 1 + max(1, ceil(n / 32)). */
static inline uint32_t kv_decode_reads(
	const struct kv_workload *w, uint32_t generation)
{
	uint32_t n = (generation + w->decode_tokens - 1) / w->decode_tokens;

	return 1 + (n ? n : 1);
}

#endif
