/*
 * Beam search in a real index, as DiskANN does it: candidates by their codes,
 * the nearest unexpanded ones read together, answers by the vectors that came
 * with them.
 */
#include "workloads/vdb_guide.h"

#include "datagen/vdb_list.h"
#include "datagen/vdb_math.h"

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
	float *table;  /* [chunks][256] of this query */
	struct vdb_list candidates;
	uint32_t *seen, stamp; /* [nodes] */
	struct vdb_answer *best; /* [limit], nearest first */
	uint32_t best_count;
};

static void consider(struct search *s, uint32_t node)
{
	const struct vdb_pq *q = &s->x->pq;

	if (s->seen[node] == s->stamp)
		return;
	s->seen[node] = s->stamp;
	vdb_list_add(&s->candidates,
		vdb_lookup(s->table, q->codes + (uint64_t)node * q->chunks,
			q->chunks), node);
}

static void begin(struct vdb_guide *g, uint64_t query, struct vdb_counts *c)
{
	struct search *s = (struct search *)g;
	uint32_t list = s->from->guides.config->search_list;

	s->counts = c;
	s->query = vdb_vector(s->from->queries, query);
	vdb_pq_table(&s->x->pq, s->query, s->table);
	s->candidates.count = s->candidates.cursor = 0;
	s->candidates.room = list;
	s->best_count = 0;
	if (!++s->stamp) {
		memset(s->seen, 0, s->x->layout.nodes * sizeof(*s->seen));
		s->stamp = 1;
	}
	consider(s, (uint32_t)s->x->layout.medoid);
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
	int n = vdb_record_ids(l, record, ids), i;

	if (n < 0)
		return n;
	memcpy(s->vector, record, l->vector_bytes);
	add_answer(s, (uint32_t)(s->x->first + node),
		vdb_index_distance(s->x, node, s->vector, s->query));
	for (i = 0; i < n; i++)
		consider(s, ids[i]);
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
				   (c = vdb_list_next(&s->candidates));) {
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
	free(s->table);
	free(s->candidates.items);
	free(s->seen);
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

	if (!s)
		return err_nomem(e, "a search");
	s->g.ops = &search_ops;
	s->x = &v->indexes[segment];
	s->g.layout = &s->x->layout;
	s->from = v;
	s->vector = calloc(v->queries->stride, sizeof(float));
	s->table = malloc((size_t)s->x->pq.chunks * VDB_CENTROIDS *
			  sizeof(float));
	s->candidates.items = malloc(
		(c->search_list + 1) * sizeof(*s->candidates.items));
	s->seen = calloc(s->x->layout.nodes, sizeof(*s->seen));
	s->best = malloc(c->limit * sizeof(*s->best));
	if (!s->vector || !s->table || !s->candidates.items || !s->seen ||
		!s->best) {
		close_search(&s->g);
		return err_nomem(e, "a search");
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
