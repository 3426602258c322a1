/* Retrieval from documents; see kv_rag.h. */
#include "workloads/kv_rag.h"

#include "workloads/kv_rank.h"

#include <stdlib.h>

int kv_rag_init(struct kv_rank *r, struct err *e)
{
	struct kv_rag_rank *g = &r->rag;
	uint32_t n = r->c->rag_documents, i, chunks = 0;

	if (!n)
		return 0;
	g->documents = calloc(n, sizeof(*g->documents));
	g->first = calloc(n, sizeof(*g->first));
	if (!g->documents || !g->first)
		return err_nomem(e, "the documents");
	g->count = n;
	g->chunk_tokens = kv_chunk_tokens(&r->w->rag, &r->c->model);
	kv_documents_make(&r->w->rag, &r->c->model,
		rng_mix64(r->k->seed, KV_OWNER_DOCUMENT), n, g->documents);
	rng_xo_seed(&g->ask_rng, rng_mix64(r->k->seed, KV_OWNER_QUESTION));
	rng_xo_seed(&g->read_rng, rng_mix64(r->k->seed, KV_OWNER_MASK));
	for (i = 0; i < n; i++) {
		g->first[i] = chunks;
		chunks += g->documents[i].chunks;
	}
	g->entries = calloc(chunks, sizeof(*g->entries));
	return g->entries ? 0 : err_nomem(e, "the documents' chunks");
}

void kv_rag_fini(struct kv_rank *r)
{
	free(r->rag.documents);
	free(r->rag.first);
	free(r->rag.entries);
}

static int begin_chunk(struct kv_worker *w, struct err *e)
{
	struct kv_rank *r = w->rank;
	struct kv_rag_rank *g = &r->rag;
	uint32_t tokens = kv_document_chunk(
		&g->documents[g->ready], g->chunk_tokens, g->chunk);

	w->entry = kv_cache_add(&r->cache, KV_OWNER_DOCUMENT | g->ready,
		g->chunk, tokens, tokens * r->c->model.token_bytes);
	if (w->entry == KV_NONE)
		return err_nomem(e, "the cache's entries");
	g->entries[g->first[g->ready] + g->chunk] = w->entry;
	kv_allocate_begin(w);
	w->state = KV_W_ALLOCATE;
	return 0;
}

static void end_chunk(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	struct kv_rag_rank *g = &r->rag;

	r->k->counted.rag_chunks_written++;
	if (++g->chunk == g->documents[g->ready].chunks) {
		g->chunk = 0;
		g->ready++;
		r->k->counted.rag_documents++;
	}
	w->state = KV_W_IDLE;
}

int kv_rag_ingest_step(struct loop_task *t, struct err *e)
{
	struct kv_worker *w = (struct kv_worker *)t;
	struct kv_rank *r = w->rank;
	int ret;

	for (;;) {
		if (w->state == KV_W_IDLE) {
			if (r->stop || r->rag.ready == r->rag.count)
				return 1;
			if (r->state != KV_R_RUN)
				return 0;
			ret = begin_chunk(w, e);
			if (ret)
				return ret;
		}
		ret = kv_allocate_step(w, e);
		if (ret <= 0)
			return ret;
		end_chunk(w);
	}
}

int kv_rag_ask(struct kv_user_task *u, struct err *e)
{
	struct kv_rank *r = u->rank;
	const struct kv_rag *rag = &r->w->rag;
	struct kv_rag_rank *g = &r->rag;
	uint32_t picked[KV_RAG_CHUNKS_READ_MAX], n, i;
	const struct kv_document *d;
	struct kv_request q = {
		.made_ns = kv_now(r),
		.user = (uint16_t)u->index,
		.prefix = -1,
		.class = (uint8_t)u->user.class,
		.decode_only = true,
	};

	if (!g->count || rng_xo_double(&g->ask_rng) >= rag->share || !g->ready)
		return 0;
	d = &g->documents[rng_xo_int(&g->ask_rng, 0, g->ready - 1)];
	n = kv_chunks_pick(&g->ask_rng, d->chunks, rag->chunks_read, picked);
	for (i = 0; i < n; i++)
		q.context += kv_document_chunk(d, g->chunk_tokens, picked[i]);
	q.generation = (uint16_t)rng_xo_int(
		&g->ask_rng, rag->generation[0], rag->generation[1]);
	if (rng_xo_double(&g->ask_rng) < r->w->prefix_share)
		q.prefix = (int8_t)rng_xo_int(
			&g->ask_rng, 0, KV_PREFIXES - 1);
	q.conversation = KV_OWNER_QUESTION | g->questions++;
	return kv_offer(r, &q, e);
}

void kv_rag_retrieve(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	struct kv_rag_rank *g = &r->rag;
	uint32_t d, i;

	w->chunk = w->chunk_count = 0;
	if (!g->count || rng_xo_double(&g->read_rng) >= r->w->rag.share ||
		!g->ready)
		return;
	r->k->counted.rag_retrievals++;
	d = rng_xo_int(&g->read_rng, 0, g->ready - 1);
	w->chunk_count = kv_chunks_pick(&g->read_rng, g->documents[d].chunks,
		r->w->rag.chunks_read, w->chunks);
	for (i = 0; i < w->chunk_count; i++)
		w->chunks[i] = g->entries[g->first[d] + w->chunks[i]];
}

bool kv_rag_next(struct kv_worker *w)
{
	struct kv_rank *r = w->rank;
	struct kv_counts *n = &r->k->counted;
	uint32_t id;

	while (w->chunk < w->chunk_count) {
		id = w->chunks[w->chunk++];
		if (r->cache.entries[id].tier != KV_NOWHERE) {
			n->hits++;
			n->user_hits++;
			n->rag_chunk_reads++;
			kv_read_begin(w, id);
			return true;
		}
		n->misses++;
		n->rag_chunk_misses++;
	}
	return false;
}
