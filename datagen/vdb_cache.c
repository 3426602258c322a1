/* Which nodes to keep in memory; see vdb_cache.h. */
#include "datagen/vdb_cache.h"

#include "core/rng.h"
#include "datagen/vdb_walk.h"

#include <stdlib.h>
#include <string.h>

#define KEY_SAMPLE 0x73616d706c655f5fULL

uint64_t vdb_cache_count(uint64_t nodes, uint32_t dim, uint32_t degree)
{
	double raw = 4.0 * dim * (double)nodes;
	uint64_t n = (uint64_t)(0.1 * raw /
				(1.2 * (4.0 * (degree + 1.0) + 4.0 * dim)));

	return n ? n : 1;
}

uint64_t vdb_cache_sample_count(uint64_t nodes)
{
	uint64_t n = nodes / 10;

	if (n > VDB_SAMPLE_MAX)
		return VDB_SAMPLE_MAX;
	return n ? n : 1;
}

/* Each row with the chance that gives so many of those that are left. */
int vdb_cache_sample(struct vdb_bin *ids, uint64_t nodes, uint64_t seed,
	struct err *e)
{
	uint64_t want = vdb_cache_sample_count(nodes), i;
	struct rng_xo r;

	ids->count = 0;
	ids->items = malloc(want * sizeof(*ids->items));
	if (!ids->items)
		return err_nomem(e, "the sample");
	rng_xo_seed(&r, rng_mix64(seed, KEY_SAMPLE));
	for (i = 0; i < nodes && ids->count < want; i++)
		if (rng_xo_double(&r) * (double)(nodes - i) <
			(double)(want - ids->count))
			ids->items[ids->count++] = (uint32_t)i;
	return 0;
}

static void search(struct vdb_walk *w, const struct vdb_vamana *g,
	const float *query, uint32_t *visits)
{
	uint32_t beam[VDB_SAMPLE_BEAM], n, k;
	const struct vdb_candidate *c;

	vdb_walk_begin(w, query, g->medoid);
	do {
		for (n = 0; n < VDB_SAMPLE_BEAM && (c = vdb_list_next(&w->list));
			n++)
			beam[n] = c->id;
		for (k = 0; k < n; k++) {
			visits[beam[k]]++;
			vdb_walk_consider(w, vdb_vamana_list(g, beam[k]),
				g->sizes[beam[k]]);
		}
	} while (n);
}

/* High word: how often it was not visited; low word: its id. */
static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int most_visited(struct vdb_bin *nodes, const uint32_t *count,
	uint64_t n, struct err *e)
{
	uint64_t *order = malloc(n * sizeof(*order)), i;

	nodes->items = malloc(nodes->count * sizeof(*nodes->items));
	for (i = 0; order && nodes->items && i < n; i++)
		order[i] = (uint64_t)(UINT32_MAX - count[i]) << 32 | i;
	if (order && nodes->items) {
		qsort(order, n, sizeof(*order), by_number);
		for (i = 0; i < nodes->count; i++)
			nodes->items[i] = (uint32_t)order[i];
	}
	free(order);
	return order && nodes->items ? 0 : err_nomem(e, "the node cache");
}

int vdb_cache_choose(struct vdb_bin *nodes, const struct vdb_vectors *v,
	const struct vdb_vamana *g, const struct vdb_pq *q,
	const struct vdb_bin *sample, uint32_t degree, struct err *e)
{
	uint32_t *visits = calloc(v->count, sizeof(*visits)), i;
	struct vdb_walk w = {0};
	int r = visits ? vdb_walk_open(&w, q, VDB_SAMPLE_LIST, degree, e)
		       : err_nomem(e, "the node cache");

	nodes->count = (uint32_t)vdb_cache_count(v->count, v->dim, degree);
	nodes->items = NULL;
	for (i = 0; !r && i < sample->count; i++)
		search(&w, g, vdb_vector(v, sample->items[i]), visits);
	if (!r)
		r = most_visited(nodes, visits, v->count, e);
	vdb_walk_close(&w);
	free(visits);
	return r;
}
