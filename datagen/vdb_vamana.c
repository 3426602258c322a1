/* Building the graph; see vdb_vamana.h. */
#include "datagen/vdb_vamana.h"

#include "datagen/vdb_list.h"
#include "datagen/vdb_layout.h"
#include "datagen/vdb_math.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 1.2f
#define POOL_MAX 750u /* candidates that pruning looks at */
#define SLACK_NUM 13u /* lists grow to 1.3 R before they are pruned */
#define SLACK_DEN 10u
#define PROGRESS 1000u

struct builder {
	struct vdb_vamana *g;
	const struct vdb_vectors *v;
	struct vdb_list list;
	uint32_t *seen, stamp; /* seen[id] == stamp: in this search */
	struct vdb_candidate *pool;
	uint32_t pool_count, pool_room;
	float *occluded; /* [POOL_MAX] */
	uint32_t *chosen; /* [degree] */
};

uint64_t vdb_vamana_bytes(uint64_t count, uint32_t dim, uint32_t degree)
{
	return count * (4ULL * vdb_stride(dim) + 4ULL * degree * SLACK_NUM /
							  SLACK_DEN +
			       4 + 4);
}

static float between(struct builder *b, uint64_t x, uint64_t y)
{
	b->g->distances++;
	return vdb_l2(vdb_vector(b->v, x), vdb_vector(b->v, y), b->v->stride);
}

/* The vector nearest to the mean of all. */
static int find_medoid(struct builder *b, struct err *e)
{
	const struct vdb_vectors *v = b->v;
	double *sum = calloc(v->stride, sizeof(*sum));
	float *mean = malloc(v->stride * sizeof(*mean)), d, best = FLT_MAX;
	uint64_t i;
	uint32_t k;

	for (i = 0; sum && mean && i < v->count; i++)
		for (k = 0; k < v->dim; k++)
			sum[k] += vdb_vector(v, i)[k];
	for (k = 0; sum && mean && k < v->stride; k++)
		mean[k] = (float)(sum[k] / (double)v->count);
	for (i = 0; sum && mean && i < v->count; i++) {
		d = vdb_l2(mean, vdb_vector(v, i), v->stride);
		if (d < best) {
			best = d;
			b->g->medoid = (uint32_t)i;
		}
	}
	k = sum && mean;
	free(sum);
	free(mean);
	return k ? 0 : err_nomem(e, "the mean of the vectors");
}

/* The pool: every node that a search for p expands, but p itself. */
static int search(struct builder *b, uint32_t p, struct err *e)
{
	const uint32_t *ids;
	struct vdb_candidate *c, at, *more;
	uint32_t i, medoid = b->g->medoid;

	b->stamp++;
	b->pool_count = 0;
	b->list.count = b->list.cursor = 0;
	b->seen[medoid] = b->stamp;
	vdb_list_add(&b->list, between(b, p, medoid), medoid);
	while ((c = vdb_list_next(&b->list))) {
		at = *c;
		if (b->pool_count + b->g->room + 1 >= b->pool_room) {
			b->pool_room *= 2;
			more = realloc(b->pool,
				b->pool_room * sizeof(*b->pool));
			if (!more)
				return err_nomem(e, "the build");
			b->pool = more;
		}
		if (at.id != p)
			b->pool[b->pool_count++] = at;
		ids = vdb_vamana_list(b->g, at.id);
		for (i = 0; i < b->g->sizes[at.id]; i++) {
			if (b->seen[ids[i]] == b->stamp)
				continue;
			b->seen[ids[i]] = b->stamp;
			vdb_list_add(&b->list, between(b, p, ids[i]), ids[i]);
		}
	}
	return 0;
}

static int by_distance(const void *a, const void *b)
{
	const struct vdb_candidate *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* t was chosen: what is nearer to it than to p will do without an edge. */
static void occlude(struct builder *b, uint32_t t, uint32_t count)
{
	uint32_t u;
	float d, f;

	for (u = t + 1; u < count; u++) {
		if (b->occluded[u] > ALPHA)
			continue;
		d = between(b, b->pool[t].id, b->pool[u].id);
		f = d > 0 ? b->pool[u].distance / d : INFINITY;
		if (f > b->occluded[u])
			b->occluded[u] = f;
	}
}

/* The pool, cut down to what becomes p's list. */
static void prune(struct builder *b, uint32_t p)
{
	uint32_t degree = b->g->degree, n = 0, t, count = b->pool_count;
	float a;

	qsort(b->pool, count, sizeof(*b->pool), by_distance);
	if (count > POOL_MAX)
		count = POOL_MAX;
	memset(b->occluded, 0, count * sizeof(*b->occluded));
	for (a = 1; a <= ALPHA * 1.0001f && n < degree; a *= 1.2f)
		for (t = 0; t < count && n < degree; t++) {
			if (b->pool[t].expanded || b->occluded[t] > a)
				continue;
			b->pool[t].expanded = true; /* chosen */
			b->occluded[t] = INFINITY;
			b->chosen[n++] = b->pool[t].id;
			occlude(b, t, count);
		}
	/* fill up with the nearest that are left */
	for (t = 0; t < count && n < degree; t++)
		if (!b->pool[t].expanded)
			b->chosen[n++] = b->pool[t].id;
	memcpy(b->g->ids + (uint64_t)p * b->g->room, b->chosen,
		n * sizeof(*b->chosen));
	b->g->sizes[p] = n;
}

/* A list that has become too long, with one more if `more` is none of it. */
static void prune_list(struct builder *b, uint32_t p, uint32_t more)
{
	const uint32_t *ids = vdb_vamana_list(b->g, p);
	uint32_t i;

	b->pool_count = 0;
	for (i = 0; i <= b->g->sizes[p]; i++) {
		struct vdb_candidate *c = &b->pool[b->pool_count];

		c->id = i < b->g->sizes[p] ? ids[i] : more;
		c->expanded = false;
		if (c->id == p)
			continue;
		c->distance = between(b, p, c->id);
		b->pool_count++;
	}
	prune(b, p);
}

static void add_back_links(struct builder *b, uint32_t p)
{
	struct vdb_vamana *g = b->g;
	uint32_t mine[VDB_DEGREE_MAX], n = g->sizes[p], i, k, j, *ids;

	memcpy(mine, vdb_vamana_list(g, p), n * sizeof(*mine));
	for (i = 0; i < n; i++) {
		j = mine[i];
		ids = g->ids + (uint64_t)j * g->room;
		for (k = 0; k < g->sizes[j] && ids[k] != p; k++)
			;
		if (k < g->sizes[j])
			continue;
		if (g->sizes[j] < g->room)
			ids[g->sizes[j]++] = p;
		else
			prune_list(b, j, p);
	}
}

static int builder_init(struct builder *b, uint32_t list, struct err *e)
{
	struct vdb_vamana *g = b->g;

	b->list.room = list;
	b->list.items = malloc((list + 1) * sizeof(*b->list.items));
	b->seen = calloc(g->count, sizeof(*b->seen));
	b->pool_room = 2 * (list + g->room + 2);
	b->pool = malloc(b->pool_room * sizeof(*b->pool));
	b->occluded = malloc(POOL_MAX * sizeof(*b->occluded));
	b->chosen = malloc(g->degree * sizeof(*b->chosen));
	g->sizes = calloc(g->count, sizeof(*g->sizes));
	g->ids = malloc(g->count * g->room * sizeof(*g->ids));
	if (b->list.items && b->seen && b->pool && b->occluded && b->chosen &&
		g->sizes && g->ids)
		return 0;
	return err_nomem(e, "the graph");
}

static void builder_fini(struct builder *b)
{
	free(b->list.items);
	free(b->seen);
	free(b->pool);
	free(b->occluded);
	free(b->chosen);
}

static int insert_all(struct builder *b,
	int (*progress)(void *ctx, uint64_t n), void *ctx, struct err *e)
{
	uint64_t i;
	uint32_t k;
	int r = 0;

	for (i = 0; !r && i < b->v->count; i++) {
		r = search(b, (uint32_t)i, e);
		if (r)
			break;
		/* "expanded" says from here on: chosen */
		for (k = 0; k < b->pool_count; k++)
			b->pool[k].expanded = false;
		prune(b, (uint32_t)i);
		add_back_links(b, (uint32_t)i);
		if (progress && i % PROGRESS == PROGRESS - 1 &&
			progress(ctx, i + 1))
			r = err_set(e, ERR_IO, -EINTR, "interrupted");
	}
	for (i = 0; !r && i < b->v->count; i++)
		if (b->g->sizes[i] > b->g->degree)
			prune_list(b, (uint32_t)i, (uint32_t)i);
	return r;
}

int vdb_vamana_build(struct vdb_vamana *g, const struct vdb_vectors *v,
	uint32_t degree, uint32_t list, int (*progress)(void *ctx, uint64_t n),
	void *ctx, struct err *e)
{
	struct builder b = {.g = g, .v = v};
	int r;

	memset(g, 0, sizeof(*g));
	g->count = v->count;
	g->degree = degree;
	g->room = degree * SLACK_NUM / SLACK_DEN;
	r = builder_init(&b, list, e);
	if (!r)
		r = find_medoid(&b, e);
	if (!r)
		r = insert_all(&b, progress, ctx, e);
	builder_fini(&b);
	if (r)
		vdb_vamana_free(g);
	return r;
}

void vdb_vamana_free(struct vdb_vamana *g)
{
	free(g->sizes);
	free(g->ids);
	memset(g, 0, sizeof(*g));
}

uint32_t vdb_vamana_longest(const struct vdb_vamana *g)
{
	uint32_t most = 1;
	uint64_t i;

	for (i = 0; i < g->count; i++)
		if (g->sizes[i] > most)
			most = g->sizes[i];
	return most;
}
