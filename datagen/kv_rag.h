#ifndef DATAGEN_KV_RAG_H
#define DATAGEN_KV_RAG_H
/*
 * Documents that requests of the KV cache workload retrieve from: how long
 * they are, how they are cut, which of their chunks are read. Only the
 * distributions can be those of the reference, whose threads race for one
 * generator.
 */
#include "core/kv_model.h"
#include "core/kv_workload.h"
#include "core/rng.h"

#include <stdint.h>

struct kv_document {
	uint32_t tokens;
	uint32_t chunks; /* all but the last of kv_chunk_tokens() */
};

/* Tokens of a chunk: what was asked for, or what chunk_bytes_most holds. */
uint32_t kv_chunk_tokens(const struct kv_rag *g, const struct kv_model *m);

/* seed is that of the rank. */
void kv_documents_make(const struct kv_rag *g, const struct kv_model *m,
	uint64_t seed, uint32_t count, struct kv_document *d);

/* Tokens of chunk i < chunks of a document. */
static inline uint32_t kv_document_chunk(
	const struct kv_document *d, uint32_t chunk_tokens, uint32_t i)
{
	return i + 1 < d->chunks ? chunk_tokens
				 : d->tokens - i * chunk_tokens;
}

/*
 * Which chunks of so many are read: `most` different ones, or all; each in
 * turn drawn from those that are left, chunk i with weight 1 / (i + 1). How
 * many is returned.
 */
uint32_t kv_chunks_pick(struct rng_xo *r, uint32_t chunks, uint32_t most,
	uint32_t picked[KV_RAG_CHUNKS_READ_MAX]);

#endif
