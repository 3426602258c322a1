/* Built segments and their copies; see vdb_made.h. */
#include "datagen/vdb_made.h"

#include "core/rng.h"
#include "datagen/vdb_math.h"

#include <stdlib.h>
#include <string.h>

#define KEY_NODES 0x6e6f6465735f5f5fULL
#define KEY_CHUNKS 0x6368756e6b735f5fULL

/* Node i of the first is node_of[i] of the copy, chunk c is chunk_of[c]. */
struct exchange {
	uint32_t *node_of;
	uint32_t chunk_of[VDB_CHUNKS_MAX];
};

void vdb_made_free(struct vdb_made *m)
{
	vdb_vectors_free(&m->vectors);
	vdb_vamana_free(&m->graph);
	vdb_pq_free(&m->pq);
	vdb_bin_free(&m->sample);
	vdb_bin_free(&m->cached);
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t x = *a;

	*a = *b;
	*b = x;
}

static uint32_t chunk_dims(const struct vdb_pq *q, uint32_t c)
{
	return q->starts[c + 1] - q->starts[c];
}

static int draw(struct exchange *x, const struct vdb_made *from,
	uint32_t number, uint64_t seed, struct err *e)
{
	const struct vdb_pq *q = &from->pq;
	uint32_t n = (uint32_t)from->vectors.count, i, end;
	struct rng_xo r;

	x->node_of = malloc(n * sizeof(*x->node_of));
	if (!x->node_of)
		return err_nomem(e, "a copy of the segment");
	rng_xo_seed(&r, rng_mix64(seed ^ KEY_NODES, number));
	for (i = 0; i < n; i++)
		x->node_of[i] = i;
	for (i = n; i > 1; i--)
		swap(&x->node_of[i - 1], &x->node_of[rng_xo_int(&r, 0, i - 1)]);
	rng_xo_seed(&r, rng_mix64(seed ^ KEY_CHUNKS, number));
	for (i = 0; i < q->chunks; i++)
		x->chunk_of[i] = i;
	/* the longer chunks come first, and change among themselves */
	for (end = 0; end < q->chunks && chunk_dims(q, end) == chunk_dims(q, 0);
		end++)
		;
	for (i = q->chunks; i > 1; i--)
		swap(&x->chunk_of[i - 1], &x->chunk_of[i > end
				? rng_xo_int(&r, end, i - 1)
				: rng_xo_int(&r, 0, i - 1)]);
	return 0;
}

/* Rows of v at their new places, their chunks exchanged; NULL: no memory. */
static float *copy_rows(const float *rows, const struct vdb_made *from,
	const struct exchange *x)
{
	const struct vdb_vectors *v = &from->vectors;
	const struct vdb_pq *q = &from->pq;
	float *out = vdb_huge_alloc(v->count * v->stride * sizeof(float)), *to;
	uint64_t i;
	uint32_t c;

	for (i = 0; out && i < v->count; i++) {
		to = out + (uint64_t)x->node_of[i] * v->stride;
		memset(to + v->dim, 0, (v->stride - v->dim) * sizeof(float));
		for (c = 0; c < q->chunks; c++)
			memcpy(to + q->starts[x->chunk_of[c]],
				rows + i * v->stride + q->starts[c],
				chunk_dims(q, c) * sizeof(float));
	}
	return out;
}

static int copy_vectors(struct vdb_made *out, const struct vdb_made *from,
	const struct exchange *x, uint64_t first, struct err *e)
{
	const struct vdb_vectors *v = &from->vectors;
	uint64_t i;

	out->vectors = *v;
	out->vectors.first = first;
	out->vectors.raw = out->vectors.norms = NULL;
	out->vectors.data = copy_rows(v->data, from, x);
	if (out->vectors.data && v->raw) {
		out->vectors.raw = copy_rows(v->raw, from, x);
		out->vectors.norms = malloc(v->count * sizeof(float));
	}
	if (!out->vectors.data ||
		(v->raw && (!out->vectors.raw || !out->vectors.norms)))
		return err_nomem(e, "a copy of the vectors");
	for (i = 0; v->raw && i < v->count; i++)
		out->vectors.norms[x->node_of[i]] = v->norms[i];
	return 0;
}

static int copy_graph(struct vdb_made *out, const struct vdb_made *from,
	const struct exchange *x, struct err *e)
{
	const struct vdb_vamana *g = &from->graph;
	uint32_t *ids, k, to;
	const uint32_t *old;
	uint64_t i;

	out->graph = *g;
	out->graph.sizes = malloc(g->count * sizeof(uint32_t));
	out->graph.ids = malloc(g->count * g->room * sizeof(uint32_t));
	if (!out->graph.sizes || !out->graph.ids)
		return err_nomem(e, "a copy of the graph");
	out->graph.medoid = x->node_of[g->medoid];
	for (i = 0; i < g->count; i++) {
		to = x->node_of[i];
		out->graph.sizes[to] = g->sizes[i];
		old = vdb_vamana_list(g, i);
		ids = out->graph.ids + (uint64_t)to * g->room;
		for (k = 0; k < g->sizes[i]; k++)
			ids[k] = x->node_of[old[k]];
	}
	return 0;
}

static int copy_quantizer(struct vdb_made *out, const struct vdb_made *from,
	const struct exchange *x, struct err *e)
{
	const struct vdb_pq *q = &from->pq;
	uint32_t c, dims, at, to;
	const uint8_t *a;
	uint64_t i;
	uint8_t *b;

	out->pq = *q;
	out->pq.mean = malloc(q->dim * sizeof(float));
	out->pq.transposed = malloc(
		(size_t)q->dim * VDB_CENTROIDS * sizeof(float));
	out->pq.codes = malloc(q->count * q->chunks);
	if (!out->pq.mean || !out->pq.transposed || !out->pq.codes)
		return err_nomem(e, "a copy of the quantizer");
	for (c = 0; c < q->chunks; c++) {
		dims = chunk_dims(q, c);
		at = q->starts[c];
		to = q->starts[x->chunk_of[c]];
		memcpy(out->pq.mean + to, q->mean + at, dims * sizeof(float));
		memcpy(out->pq.transposed + (size_t)to * VDB_CENTROIDS,
			q->transposed + (size_t)at * VDB_CENTROIDS,
			dims * VDB_CENTROIDS * sizeof(float));
	}
	for (i = 0; i < q->count; i++) {
		a = q->codes + i * q->chunks;
		b = out->pq.codes + (uint64_t)x->node_of[i] * q->chunks;
		for (c = 0; c < q->chunks; c++)
			b[x->chunk_of[c]] = a[c];
	}
	return 0;
}

static int copy_nodes(struct vdb_bin *out, const struct vdb_bin *from,
	const struct exchange *x, struct err *e)
{
	uint32_t i;

	out->count = from->count;
	out->items = malloc(from->count * sizeof(*out->items));
	if (!out->items)
		return err_nomem(e, "a copy of the sample");
	for (i = 0; i < from->count; i++)
		out->items[i] = x->node_of[from->items[i]];
	return 0;
}

int vdb_made_copy(struct vdb_made *out, const struct vdb_made *from,
	uint32_t number, uint64_t first, uint64_t seed, struct err *e)
{
	struct exchange x;
	int r;

	memset(out, 0, sizeof(*out));
	r = draw(&x, from, number, seed, e);
	if (!r)
		r = copy_vectors(out, from, &x, first, e);
	if (!r)
		r = copy_graph(out, from, &x, e);
	if (!r)
		r = copy_quantizer(out, from, &x, e);
	if (!r)
		r = copy_nodes(&out->sample, &from->sample, &x, e);
	if (!r)
		r = copy_nodes(&out->cached, &from->cached, &x, e);
	free(x.node_of);
	if (r)
		vdb_made_free(out);
	return r;
}
