/* Which nodes to keep in memory; see vdb_cache.h. */
#include "datagen/vdb_cache.h"

#include "core/rng.h"
#include "datagen/vdb_list.h"
#include "datagen/vdb_math.h"

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

/* Each row with the chance that gives so many of those that are left. */
int vdb_cache_sample(struct vdb_bin *ids, uint64_t nodes, uint64_t seed,
	struct err *e)
{
	uint64_t want = nodes / 10, i;
	struct rng_xo r;

	if (want > VDB_SAMPLE_MAX)
		want = VDB_SAMPLE_MAX;
	if (!want)
		want = 1;
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

struct visits {
	const struct vdb_vamana *graph;
	const struct vdb_pq *q;
	float *table;
	struct vdb_candidate items[VDB_SAMPLE_LIST + 1];
	struct vdb_list list;
	uint32_t *seen; /* [nodes], the number of the search */
	uint32_t *count; /* [nodes] */
};

static void consider(struct visits *s, uint32_t node, uint32_t stamp)
{
	if (s->seen[node] == stamp)
		return;
	s->seen[node] = stamp;
	vdb_list_add(&s->list,
		vdb_lookup(s->table, s->q->codes + (uint64_t)node * s->q->chunks,
			s->q->chunks), node);
}

static void search(struct visits *s, const float *query, uint32_t stamp)
{
	uint32_t beam[VDB_SAMPLE_BEAM], n, k, i;
	const struct vdb_candidate *c;
	const uint32_t *ids;

	vdb_pq_table(s->q, query, s->table);
	s->list.count = s->list.cursor = 0;
	consider(s, s->graph->medoid, stamp);
	do {
		for (n = 0; n < VDB_SAMPLE_BEAM &&
			    (c = vdb_list_next(&s->list)); n++)
			beam[n] = c->id;
		for (k = 0; k < n; k++) {
			s->count[beam[k]]++;
			ids = vdb_vamana_list(s->graph, beam[k]);
			for (i = 0; i < s->graph->sizes[beam[k]]; i++)
				consider(s, ids[i], stamp);
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
	struct visits *s = calloc(1, sizeof(*s));
	uint32_t i;
	int r = 0;

	nodes->count = (uint32_t)vdb_cache_count(v->count, v->dim, degree);
	nodes->items = NULL;
	if (s) {
		s->graph = g;
		s->q = q;
		s->list.items = s->items;
		s->list.room = VDB_SAMPLE_LIST;
		s->table = malloc((size_t)q->chunks * VDB_CENTROIDS *
				  sizeof(*s->table));
		s->seen = calloc(v->count, sizeof(*s->seen));
		s->count = calloc(v->count, sizeof(*s->count));
	}
	if (!s || !s->table || !s->seen || !s->count)
		r = err_nomem(e, "the node cache");
	for (i = 0; !r && i < sample->count; i++)
		search(s, vdb_vector(v, sample->items[i]), i + 1);
	if (!r)
		r = most_visited(nodes, s->count, v->count, e);
	if (s) {
		free(s->table);
		free(s->seen);
		free(s->count);
	}
	free(s);
	return r;
}
