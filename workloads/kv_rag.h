#ifndef WORKLOADS_KV_RAG_H
#define WORKLOADS_KV_RAG_H
/*
 * Retrieval in the KV cache workload. Documents are taken in one after
 * another by a worker that serves no requests: it writes an entry for each of
 * their chunks, through the allocations and tiers like anybody else. Once a
 * document is whole it is retrieved from: a share of the requests that are
 * served reads some chunks of one, and the same share of what users ask is
 * followed by a request about one, whose entry nobody has stored, so that it
 * is a miss and one write.
 */
#include "datagen/kv_rag.h"
#include "storage/loop.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_rank;
struct kv_user_task;
struct kv_worker;

/* Owners of entries that are not conversations. */
#define KV_OWNER_DOCUMENT (1U << 31)
#define KV_OWNER_QUESTION (1U << 30) /* and the running number below it */
#define KV_OWNER_MASK (KV_OWNER_QUESTION - 1)

static inline bool kv_owner_is_conversation(uint32_t owner)
{
	return !(owner & (KV_OWNER_DOCUMENT | KV_OWNER_QUESTION));
}

struct kv_rag_rank {
	uint32_t count; /* of documents; 0: off */
	uint32_t chunk_tokens;
	struct kv_document *documents;
	uint32_t *first; /* of each document's chunks, into entries */
	uint32_t *entries;
	uint32_t ready;	 /* documents that are whole */
	uint32_t chunk;	 /* of document `ready`, that is being written */
	uint32_t questions;
	/* of users and of workers, so that users ask the same on any drive */
	struct rng_xo ask_rng, read_rng;
};

int kv_rag_init(struct kv_rank *r, struct err *e);
void kv_rag_fini(struct kv_rank *r);

/* The step of the worker that takes documents in. */
int kv_rag_ingest_step(struct loop_task *t, struct err *e);

/* After a user's request: perhaps one about a document. */
int kv_rag_ask(struct kv_user_task *u, struct err *e);

/* The chunks, if any, that a request retrieves; then the next to read. */
void kv_rag_retrieve(struct kv_worker *w);
bool kv_rag_next(struct kv_worker *w);

#endif
