/* Documents of the KV cache workload; see kv_rag.h. */
#include "datagen/kv_rag.h"

#include <stdbool.h>

uint32_t kv_chunk_tokens(const struct kv_rag *g, const struct kv_model *m)
{
	uint64_t most = g->chunk_bytes_most / m->token_bytes;

	if (!most)
		return 1;
	return most < g->chunk_tokens ? (uint32_t)most : g->chunk_tokens;
}

void kv_documents_make(const struct kv_rag *g, const struct kv_model *m,
	uint64_t seed, uint32_t count, struct kv_document *d)
{
	bool large = m->hidden >= g->large_hidden ||
		     m->layers >= g->large_layers;
	const uint32_t *range =
		large ? g->large_document_tokens : g->document_tokens;
	uint32_t chunk = kv_chunk_tokens(g, m), i;
	struct rng_xo r;

	rng_xo_seed(&r, seed);
	for (i = 0; i < count; i++) {
		d[i].tokens = rng_xo_int(&r, range[0], range[1]);
		d[i].chunks = (d[i].tokens + chunk - 1) / chunk;
	}
}

static bool is_in(const uint32_t *v, uint32_t n, uint32_t x)
{
	while (n)
		if (v[--n] == x)
			return true;
	return false;
}

uint32_t kv_chunks_pick(struct rng_xo *r, uint32_t chunks, uint32_t most,
	uint32_t picked[KV_RAG_CHUNKS_READ_MAX])
{
	uint32_t n = 0, i, last;
	double left, at;

	while (n < most && n < chunks) {
		for (i = 0, left = 0; i < chunks; i++)
			if (!is_in(picked, n, i))
				left += 1.0 / (i + 1);
		at = rng_xo_double(r) * left;
		for (i = 0, last = 0; i < chunks; i++) {
			if (is_in(picked, n, i))
				continue;
			last = i;
			at -= 1.0 / (i + 1);
			if (at < 0)
				break;
		}
		/* rounding may leave a rest behind the last one */
		picked[n++] = last;
	}
	return n;
}
