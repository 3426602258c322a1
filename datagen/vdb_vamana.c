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
#define GROUP 4u /* chosen ones that a candidate is compared with at once */

#define CHOSEN UINT32_MAX

/* A candidate for the list of p. */
struct entry {
	float distance; /* to p */
	uint32_t id;
	float occluded; /* most of what the chosen ones it met do to it */
	uint32_t met;	/* chosen ones it was compared with; CHOSEN: is one */
	bool kept;	/* in p's list since before; see is_occluded() */
};

struct builder {
	struct vdb_vamana *g;
	const struct vdb_vectors *v;
	struct vdb_list list;
	uint8_t *seen, stamp; /* seen[id] == stamp: in this search */
	float alpha;	      /* of this pass */
	struct entry *pool;
	uint32_t pool_count, pool_room;
	uint32_t *chosen, *places; /* [degree]: ids, and where in the pool */
	uint32_t chosen_count;
	/* how many of a list were chosen, at alpha 1, when it was last pruned:
	 * they stand first */
	uint16_t *kept; /* [count] */
	uint32_t *batch; /* [room + 1]: ids whose distances are wanted */
	float *distances;
};

uint64_t vdb_vamana_bytes(uint64_t count, uint32_t dim, uint32_t degree)
{
	return count * (4ULL * vdb_stride(dim) + 4ULL * degree * SLACK_NUM /
							  SLACK_DEN +
			       4 + 1 + 2);
}

/* b->distances of p to n nodes */
static void measure(
	struct builder *b, uint32_t p, const uint32_t *ids, uint32_t n)
{
	const struct vdb_vectors *v = b->v;

	b->g->distances += n;
	vdb_l2_rows(vdb_vector(v, p), v->data, v->stride, ids, n,
		b->distances);
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

static int pool_add(struct builder *b, uint32_t id, float distance)
{
	struct entry *more;

	if (b->pool_count == b->pool_room) {
		more = realloc(b->pool, 2ULL * b->pool_room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		b->pool = more;
		b->pool_room *= 2;
	}
	b->pool[b->pool_count++] = (struct entry){distance, id, 0, 0, false};
	return 0;
}

static void next_stamp(struct builder *b)
{
	if (++b->stamp)
		return;
	memset(b->seen, 0, b->g->count);
	b->stamp = 1;
}

/* The neighbours of a node that this search has not seen yet, measured. */
static void look_around(struct builder *b, uint32_t p, uint32_t node)
{
	const uint32_t *ids = vdb_vamana_list(b->g, node);
	uint32_t i, n = 0, size = b->g->sizes[node];

	for (i = 0; i < size; i++) {
		b->batch[n] = ids[i];
		n += b->seen[ids[i]] != b->stamp;
		b->seen[ids[i]] = b->stamp;
	}
	measure(b, p, b->batch, n);
	for (i = 0; i < n; i++)
		vdb_list_add(&b->list, b->distances[i], b->batch[i]);
}

/* The pool: every node that a search for p expands, but p itself. */
static int search(struct builder *b, uint32_t p)
{
	struct vdb_candidate *c;
	struct vdb_list *l = &b->list;
	uint32_t medoid = b->g->medoid, id;
	int r = 0;

	next_stamp(b);
	b->pool_count = 0;
	l->count = l->cursor = 0;
	b->seen[medoid] = b->stamp;
	measure(b, p, &medoid, 1);
	vdb_list_add(l, b->distances[0], medoid);
	while (!r && (c = vdb_list_next(l))) {
		id = c->id;
		/* likely the next one: its list should be there by then */
		if (l->cursor + 1 < l->count)
			__builtin_prefetch(vdb_vamana_list(
				b->g, l->items[l->cursor + 1].id));
		if (id != p)
			r = pool_add(b, id, c->distance);
		look_around(b, p, id);
	}
	return r;
}

/* What p already links to and the search did not expand. */
static int add_own_links(struct builder *b, uint32_t p)
{
	const uint32_t *ids = vdb_vamana_list(b->g, p);
	uint32_t i, k, found = b->pool_count;
	int r = 0;

	measure(b, p, ids, b->g->sizes[p]);
	for (i = 0; !r && i < b->g->sizes[p]; i++) {
		for (k = 0; k < found && b->pool[k].id != ids[i]; k++)
			;
		if (k == found)
			r = pool_add(b, ids[i], b->distances[i]);
	}
	return r;
}

/* By distance, ties by id; what a search leaves is nearly sorted. */
static void sort_pool(struct builder *b)
{
	struct entry x, *pool = b->pool;
	uint32_t i, k;

	for (i = 1; i < b->pool_count; i++) {
		x = pool[i];
		for (k = i; k && (pool[k - 1].distance > x.distance ||
					 (pool[k - 1].distance == x.distance &&
						 pool[k - 1].id > x.id));
			k--)
			pool[k] = pool[k - 1];
		pool[k] = x;
	}
}

/*
 * Would one of those chosen, and nearer to p, do instead of an edge to this
 * one? They are compared with it when its turn comes, not when they are chosen:
 * once the list is full no turn comes any more, and one that will do is enough.
 * Two that were both chosen before, when p's list was last pruned, need not meet
 * again: the nearer one did not occlude the other.
 */
static bool is_occluded(struct builder *b, uint32_t place, float a)
{
	struct entry *u = &b->pool[place];
	uint32_t ids[GROUP], n, i, at;
	float d[GROUP], f;

	while (u->met < b->chosen_count && u->occluded <= a) {
		for (n = 0; n < GROUP && u->met < b->chosen_count; u->met++) {
			at = b->places[u->met];
			if (at < place && !(u->kept && b->pool[at].kept))
				ids[n++] = b->chosen[u->met];
		}
		vdb_l2_near(vdb_vector(b->v, u->id), b->v->data, b->v->stride,
			ids, n, d);
		b->g->distances += n;
		for (i = 0; i < n; i++) {
			f = d[i] > 0 ? u->distance / d[i] : INFINITY;
			if (f > u->occluded)
				u->occluded = f;
		}
	}
	return u->occluded > a;
}

static void choose(struct builder *b, uint32_t place)
{
	b->pool[place].occluded = INFINITY;
	b->pool[place].met = CHOSEN;
	b->places[b->chosen_count] = place;
	b->chosen[b->chosen_count++] = b->pool[place].id;
}

/* The pool, cut down to what becomes p's list. */
static void prune(struct builder *b, uint32_t p)
{
	uint32_t degree = b->g->degree, t, count = b->pool_count;
	float a;

	sort_pool(b);
	if (count > POOL_MAX)
		count = POOL_MAX;
	b->chosen_count = 0;
	for (a = 1; a <= b->alpha * 1.0001f && b->chosen_count < degree;
		a *= 1.2f) {
		for (t = 0; t < count && b->chosen_count < degree; t++)
			if (!is_occluded(b, t, a))
				choose(b, t);
		if (a == 1)
			b->kept[p] = (uint16_t)b->chosen_count;
	}
	/* fill up with the nearest that are left */
	for (t = 0; t < count && b->chosen_count < degree; t++)
		if (b->pool[t].met != CHOSEN)
			choose(b, t);
	memcpy(b->g->ids + (uint64_t)p * b->g->room, b->chosen,
		b->chosen_count * sizeof(*b->chosen));
	b->g->sizes[p] = b->chosen_count;
}

/* A list that has become too long, with one more if `more` is not p. */
static int prune_list(struct builder *b, uint32_t p, uint32_t more)
{
	uint32_t n = b->g->sizes[p], i;
	int r = 0;

	memcpy(b->batch, vdb_vamana_list(b->g, p), n * sizeof(*b->batch));
	if (more != p)
		b->batch[n++] = more;
	measure(b, p, b->batch, n);
	b->pool_count = 0;
	for (i = 0; !r && i < n; i++)
		r = pool_add(b, b->batch[i], b->distances[i]);
	if (r)
		return r;
	for (i = 0; i < b->kept[p]; i++)
		b->pool[i].kept = true;
	prune(b, p);
	return r;
}

static int add_back_links(struct builder *b, uint32_t p)
{
	struct vdb_vamana *g = b->g;
	uint32_t mine[VDB_DEGREE_MAX], n = g->sizes[p], i, k, j, *ids;
	int r = 0;

	memcpy(mine, vdb_vamana_list(g, p), n * sizeof(*mine));
	for (i = 0; !r && i < n; i++) {
		if (i + 2 < n)
			__builtin_prefetch(vdb_vamana_list(g, mine[i + 2]));
		j = mine[i];
		ids = g->ids + (uint64_t)j * g->room;
		for (k = 0; k < g->sizes[j] && ids[k] != p; k++)
			;
		if (k < g->sizes[j])
			continue;
		if (g->sizes[j] < g->room)
			ids[g->sizes[j]++] = p;
		else
			r = prune_list(b, j, p);
	}
	return r;
}

static int builder_init(struct builder *b, uint32_t list, struct err *e)
{
	struct vdb_vamana *g = b->g;

	b->list.items = malloc((list + 1) * sizeof(*b->list.items));
	b->seen = calloc(g->count, sizeof(*b->seen));
	b->pool_room = 2 * (list + g->room + 2);
	b->pool = malloc(b->pool_room * sizeof(*b->pool));
	b->chosen = malloc(g->degree * sizeof(*b->chosen));
	b->places = malloc(g->degree * sizeof(*b->places));
	b->kept = calloc(g->count, sizeof(*b->kept));
	b->batch = malloc((g->room + 1) * sizeof(*b->batch));
	b->distances = malloc((g->room + 1) * sizeof(*b->distances));
	g->sizes = calloc(g->count, sizeof(*g->sizes));
	g->ids = vdb_huge_alloc(g->count * g->room * sizeof(*g->ids));
	if (b->list.items && b->seen && b->pool && b->chosen && b->places &&
		b->kept && b->batch && b->distances && g->sizes && g->ids)
		return 0;
	return err_nomem(e, "the graph");
}

static void builder_fini(struct builder *b)
{
	free(b->list.items);
	free(b->seen);
	free(b->pool);
	free(b->chosen);
	free(b->places);
	free(b->kept);
	free(b->batch);
	free(b->distances);
}

/* One pass of all vectors; of Knowhere's first one: before the second. */
static int insert_all(struct builder *b, const struct vdb_vamana_plan *p,
	uint32_t pass, uint32_t passes, struct err *e)
{
	uint64_t i, n = b->v->count;
	int r = 0;

	for (i = 0; !r && i < n; i++) {
		r = search(b, (uint32_t)i);
		if (!r && pass)
			r = add_own_links(b, (uint32_t)i);
		if (r)
			break;
		prune(b, (uint32_t)i);
		r = add_back_links(b, (uint32_t)i);
		if (!r && p->progress && i % PROGRESS == PROGRESS - 1 &&
			p->progress(p->ctx, (pass * n + i + 1) / passes))
			return err_set(e, ERR_IO, -EINTR, "interrupted");
	}
	for (i = 0; !r && i < n; i++)
		if (b->g->sizes[i] > b->g->degree)
			r = prune_list(b, (uint32_t)i, (uint32_t)i);
	return r ? err_nomem(e, "the build") : 0;
}

int vdb_vamana_build(struct vdb_vamana *g, const struct vdb_vectors *v,
	const struct vdb_vamana_plan *p, struct err *e)
{
	bool twice = p->builder == VDB_BUILD_KNOWHERE;
	struct builder b = {.g = g, .v = v};
	int r;

	memset(g, 0, sizeof(*g));
	g->count = v->count;
	g->degree = p->degree;
	g->room = p->degree * SLACK_NUM / SLACK_DEN;
	r = builder_init(&b, p->list, e);
	if (!r)
		r = find_medoid(&b, e);
	if (!r && twice) {
		b.alpha = 1;
		b.list.room = p->list * 4 / 5 ? p->list * 4 / 5 : 1;
		r = insert_all(&b, p, 0, 2, e);
	}
	if (!r) {
		b.alpha = ALPHA;
		b.list.room = p->list;
		r = insert_all(&b, p, twice, 1 + twice, e);
	}
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
