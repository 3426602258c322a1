#ifndef WORKLOADS_KV_REQUESTS_H
#define WORKLOADS_KV_REQUESTS_H
/*
 * What waits to be served, and which conversations are remembered.
 *
 * The queue is strictly by class, first come first within one. Its users never
 * wait for an answer, so it grows all the time: a request takes 24 bytes.
 *
 * The manager of conversations remembers the last conversations_most that had
 * a turn; of others no earlier turn can be found.
 */
#include "core/kv_workload.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_request {
	int64_t made_ns;
	uint32_t conversation; /* or another owner: kv_rag.h */
	uint32_t context; /* tokens, the prefix included */
	uint16_t generation;
	uint16_t user;
	uint8_t turn;
	int8_t prefix;	 /* its index; -1 = none */
	uint8_t class;
	bool prefill_only : 1;
	bool decode_only : 1; /* about a document: its entry is not stored */
};

struct kv_fifo {
	struct kv_request *v;
	uint32_t first, n, room; /* a ring */
};

struct kv_queue {
	struct kv_fifo classes[KV_CLASSES];
	uint32_t n, peak;
};

int kv_queue_put(struct kv_queue *q, const struct kv_request *r);
bool kv_queue_take(struct kv_queue *q, struct kv_request *r);
void kv_queue_fini(struct kv_queue *q);

struct kv_conversation {
	uint32_t user;
	bool remembered;
	uint8_t turns;
	int64_t start_ns;
	uint32_t older, newer; /* of those remembered, by last turn */
	uint32_t *entries;     /* of the cache, by turn; KV_NONE: none yet */
};

struct kv_conversations {
	struct kv_conversation *v; /* all that ever were */
	uint32_t count, room, most, turns_most;
	uint32_t remembered, oldest, newest;
};

void kv_conversations_init(
	struct kv_conversations *c, uint32_t most, uint32_t turns_most);
void kv_conversations_fini(struct kv_conversations *c);

/* A new one; may make the manager forget another. UINT32_MAX: no memory. */
uint32_t kv_conversation_start(
	struct kv_conversations *c, uint32_t user, int64_t now_ns);

/* One more turn of it, whose number is returned. */
uint8_t kv_conversation_turn(struct kv_conversations *c, uint32_t id);

/* The entry of one of its turns; UINT32_MAX: none (set: -ENOMEM). */
uint32_t kv_conversation_entry(
	const struct kv_conversations *c, uint32_t id, uint32_t turn);
int kv_conversation_set(struct kv_conversations *c, uint32_t id, uint32_t turn,
	uint32_t entry);

#endif
