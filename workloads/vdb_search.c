/*
 * Beam search in a real index, as DiskANN does it: candidates by their codes,
 * the nearest unexpanded ones read together, answers by the vectors that came
 * with them.
 */
#include "workloads/vdb_guide.h"

#include "datagen/vdb_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct vdb_guide g;
	const struct vdb_index *x;
	const struct vdb_search *from;
	struct vdb_counts *counts;
	const float *query;
	float *vector; /* one that was read, padded */
	struct vdb_walk walk;
	struct vdb_answer *best; /* [limit], nearest first */
	uint32_t best_count;
};

static void begin(struct vdb_guide *g, uint64_t query, struct vdb_counts *c)
{
	struct search *s = (struct search *)g;

	s->counts = c;
	s->query = vdb_vector(s->from->queries, query);
	s->best_count = 0;
	vdb_walk_begin(
		&s->walk, s->query, (uint32_t)s->x->layout.medoid);
}

static void add_answer(struct search *s, uint32_t id, float distance)
{
	uint32_t limit = s->from->guides.config->limit, i = s->best_count;

	if (i == limit && s->best[i - 1].distance <= distance)
		return;
	if (i == limit)
		i--;
	else
		s->best_count++;
	for (; i && s->best[i - 1].distance > distance; i--)
		s->best[i] = s->best[i - 1];
	s->best[i].id = id;
	s->best[i].distance = distance;
}

/* A record is there: its vector is an answer, its links are candidates. */
static int expand(struct search *s, uint32_t node, const uint8_t *record)
{
	const struct vdb_layout *l = &s->x->layout;
	uint32_t ids[VDB_DEGREE_MAX];
	int n = vdb_record_ids(l, record, ids);

	if (n < 0)
		return n;
	memcpy(s->vector, record, l->vector_bytes);
	add_answer(s, (uint32_t)(s->x->first + node),
		vdb_index_distance(s->x, node, s->vector, s->query));
	vdb_walk_consider(&s->walk, ids, (uint32_t)n);
	return 0;
}

/*
 * The nearest unexpanded candidates, at most W of them together: those in the
 * cache are expanded when all have been named, as the others are.
 */
static uint32_t next(struct vdb_guide *g, uint32_t max, uint32_t *nodes)
{
	struct search *s = (struct search *)g;
	uint32_t cached[256], hits, n, i;
	struct vdb_candidate *c;

	do {
		for (hits = n = 0; hits + n < max &&
				   (c = vdb_list_next(&s->walk.list));) {
			s->counts->expansions++;
			if (vdb_index_cached(s->x, c->id))
				cached[hits++] = c->id;
			else
				nodes[n++] = c->id;
		}
		s->counts->rounds += hits + n > 0;
		s->counts->cache_hits += hits;
		/* checked when the cache was filled */
		for (i = 0; i < hits; i++)
			expand(s, cached[i], vdb_index_cached(s->x, cached[i]));
	} while (hits && !n);
	s->counts->reading_rounds += n != 0;
	return n;
}

static int landed(struct vdb_guide *g, uint32_t node, const uint8_t *record,
	struct err *e)
{
	struct search *s = (struct search *)g;

	if (!expand(s, node, record))
		return 0;
	return err_set(e, ERR_IO, -EBADMSG,
		"node %u is damaged: its neighbours are not up to %u ids of "
		"nodes", node, s->x->layout.degree);
}

static uint32_t answers(
	struct vdb_guide *g, uint32_t k, struct vdb_answer *out)
{
	struct search *s = (struct search *)g;
	uint32_t n = s->best_count < k ? s->best_count : k;

	memcpy(out, s->best, n * sizeof(*out));
	return n;
}

static void close_search(struct vdb_guide *g)
{
	struct search *s = (struct search *)g;

	free(s->vector);
	vdb_walk_close(&s->walk);
	free(s->best);
	free(s);
}

static const struct vdb_guide_ops search_ops = {
	.begin = begin,
	.next = next,
	.landed = landed,
	.answers = answers,
	.close = close_search,
};

static int open_search(const struct vdb_guides *from, uint32_t segment,
	struct vdb_guide **out, struct err *e)
{
	const struct vdb_search *v = (const struct vdb_search *)from;
	const struct vdb_config *c = from->config;
	struct search *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "a search");
	s->g.ops = &search_ops;
	s->x = &v->indexes[segment];
	s->g.layout = &s->x->layout;
	s->from = v;
	s->vector = calloc(v->queries->stride, sizeof(float));
	s->best = malloc(c->limit * sizeof(*s->best));
	if (!s->vector || !s->best) {
		close_search(&s->g);
		return err_nomem(e, "a search");
	}
	r = vdb_walk_open(
		&s->walk, &s->x->pq, c->search_list, VDB_DEGREE_MAX, e);
	if (r) {
		close_search(&s->g);
		return r;
	}
	*out = &s->g;
	return 0;
}

void vdb_search_init(struct vdb_search *v, const struct vdb_config *c,
	const struct vdb_index *indexes, const struct vdb_vectors *queries)
{
	v->guides.open = open_search;
	v->guides.config = c;
	v->indexes = indexes;
	v->queries = queries;
}
