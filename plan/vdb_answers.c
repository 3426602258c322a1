/* Real indexes of a run and their recall; see vdb_answers.h. */
#include "plan/vdb_answers.h"

#include "core/units.h"
#include "datagen/vdb_cache.h"
#include "plan/vdb_build.h"
#include "plan/vdb_files.h"
#include "storage/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Nodes of a segment that searches keep in memory, at most. */
static uint64_t cached_most(const struct vdb_config *c, uint64_t n)
{
	uint64_t most = c->node_cache == VDB_CACHE_NONE ? 0
			: c->cache_nodes ? c->cache_nodes
			: vdb_cache_count(n, vdb_stored_dim(&c->shape),
				  c->shape.degree);

	return most < n ? most : n;
}

/* Codes, cached nodes, and what each search in flight keeps. */
static int check_memory(const struct vdb_config *c, struct err *e)
{
	const struct vdb_shape *s = &c->shape;
	uint64_t n = s->vectors / s->segments + 1, bytes;
	uint64_t node = 4ULL * s->dim + 4ULL * (s->degree + 1);
	uint64_t cached = cached_most(c, n);
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	struct memory_room room;

	bytes = s->segments *
		(n * s->chunks + cached * node + (cached ? 4 * n : 0) +
			(c->verify ? 4 * n : 0) +
			1024ULL * s->dim +
			(uint64_t)c->outstanding * c->batch *
				(4 * n + 1024ULL * s->chunks));
	memory_available(&room);
	if (!room.bytes || bytes <= room.bytes / 10 * 9)
		return 0;
	return err_set(e, ERR_ENV, -ENOMEM,
		"searching keeps %s in memory (codes of %" PRIu64 " vectors, "
		"%" PRIu64 " nodes a segment, %u x %u queries), %s is "
		"available: fewer --outstanding or --cache-nodes",
		units_format_bytes(a, bytes), s->vectors, cached,
		c->outstanding, c->batch, units_format_bytes(b, room.bytes));
}

static int open_truth(struct vdb_answers *a, struct err *e)
{
	const struct vdb_config *c = a->config;
	char path[PATH_MAX];
	uint64_t rows;
	uint32_t dim;
	int r;

	snprintf(path, sizeof(path), "%.4000s/" VDB_QUERIES_NAME, c->folder);
	r = vdb_fbin_shape(path, &rows, &dim, e);
	if (!r)
		r = vdb_fbin_read(&a->queries, path, 0, rows, e);
	snprintf(path, sizeof(path), "%.4000s/" VDB_TRUTH_NAME, c->folder);
	if (!r)
		r = vdb_truth_load(&a->truth, path, e);
	if (r)
		return r;
	if (dim != c->shape.dim || rows < c->distinct ||
		a->truth.queries != rows || a->truth.k < c->limit)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s has answers of %u queries up to %u neighbours, for "
			"%" PRIu64 " queries of %u dimensions; asked for are %u "
			"and %u of %u dimensions: lower --num-query-vectors or "
			"--search-limit, or make a new index", path,
			a->truth.queries, a->truth.k, rows, dim, c->distinct,
			c->limit, c->shape.dim);
	r = vdb_metric_queries(&a->queries, c->shape.metric, e);
	return r ? err_wrap(e, "%.4000s/" VDB_QUERIES_NAME, c->folder) : 0;
}

static int open_segments(struct vdb_answers *a, struct err *e)
{
	const struct vdb_config *c = a->config;
	const struct vdb_index_want want = {.cache = c->node_cache,
		.nodes = c->cache_nodes, .sums = c->verify};
	char prefix[PATH_MAX];
	uint64_t first = 0;
	uint32_t i;
	int r = 0;

	for (i = 0; !r && i < c->shape.segments; i++) {
		struct vdb_index *x = &a->indexes[i];

		r = vdb_files_prefix(c->folder, i, prefix, e);
		if (r)
			break;
		r = vdb_index_open(x, prefix, first, vdb_stored_dim(&c->shape),
			&want, e);
		if (r)
			break;
		a->opened++;
		a->cached_nodes += x->cached;
		a->without_cache += c->node_cache == VDB_CACHE_VISITS &&
				    !x->cached;
		r = vdb_index_set_metric(x, prefix, c->shape.metric, e);
		if (r)
			break;
		if (x->layout.nodes != vdb_segment_nodes(&c->shape, i))
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s_disk.index has %" PRIu64 " nodes, not %"
				PRIu64, prefix, x->layout.nodes,
				vdb_segment_nodes(&c->shape, i));
		first += x->layout.nodes;
		a->index_bytes += x->layout.file_bytes;
		if (x->layout.read_bytes > a->read_bytes)
			a->read_bytes = x->layout.read_bytes;
	}
	return r;
}

/* Each segment's own neighbours, where datagen left them. */
static int open_segment_truths(struct vdb_answers *a, struct err *e)
{
	uint32_t n = a->config->shape.segments, i;
	char prefix[PATH_MAX], path[PATH_MAX];
	struct err why;
	int r = 0;

	if (n < 2)
		return 0;
	a->segments = calloc(n, sizeof(*a->segments));
	if (!a->segments)
		return err_nomem(e, "the ground truth");
	for (i = 0; !r && i < n; i++) {
		struct vdb_truth *t = &a->segments[i];

		r = vdb_files_prefix(a->config->folder, i, prefix, &why);
		if (!r)
			r = vdb_path(path, prefix, VDB_SEGMENT_TRUTH, &why);
		if (!r)
			r = vdb_truth_load(t, path, &why);
		if (r == -ENOENT)
			return 0;
		if (r)
			*e = why;
		else if (t->queries != a->truth.queries ||
			 t->k < a->config->limit)
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s has answers of %u queries up to %u "
				"neighbours, not those of " VDB_TRUTH_NAME,
				path, t->queries, t->k);
		a->segments_known += !r;
	}
	return r;
}

int vdb_answers_open(struct vdb_answers *a, const struct vdb_config *c,
	struct err *e)
{
	uint64_t n, i;
	int r = check_memory(c, e);

	memset(a, 0, sizeof(*a));
	a->config = c;
	if (r)
		return r;
	a->indexes = calloc(c->shape.segments, sizeof(*a->indexes));
	n = (uint64_t)c->distinct * (1 + c->shape.segments);
	a->found = malloc(n * sizeof(*a->found));
	if (!a->indexes || !a->found)
		return err_nomem(e, "the index");
	for (i = 0; i < n; i++)
		a->found[i] = -1;
	r = open_truth(a, e);
	if (!r)
		r = open_segment_truths(a, e);
	return r ? r : open_segments(a, e);
}

void vdb_answers_close(struct vdb_answers *a)
{
	uint32_t i;

	for (i = 0; i < a->opened; i++)
		vdb_index_close(&a->indexes[i]);
	for (i = 0; a->segments && i < a->config->shape.segments; i++)
		vdb_truth_free(&a->segments[i]);
	free(a->segments);
	free(a->indexes);
	free(a->found);
	vdb_vectors_free(&a->queries);
	vdb_truth_free(&a->truth);
	memset(a, 0, sizeof(*a));
}

/*
 * |returned[:k] & truth[:k]| / |truth[:k]|, which is less than k where there
 * are fewer vectors; the first answer to a query counts.
 */
static void take(const struct vdb_truth *t, uint64_t query, uint32_t k,
	const struct vdb_answer *best, uint32_t count, double *found)
{
	const uint32_t *truth = t->ids + query * t->k;
	uint32_t hits = 0, known = 0, i, n;

	if (*found >= 0)
		return;
	for (n = 0; n < k && truth[n] != UINT32_MAX; n++) {
		known++;
		for (i = 0; i < count; i++)
			hits += best[i].id == truth[n];
	}
	*found = known ? (double)hits / known : 0;
}

void vdb_answers_take(void *ctx, uint64_t query, const struct vdb_answer *best,
	uint32_t count)
{
	struct vdb_answers *a = ctx;

	take(&a->truth, query, a->config->limit, best, count,
		&a->found[query]);
}

void vdb_answers_take_segment(void *ctx, uint32_t segment, uint64_t query,
	const struct vdb_answer *best, uint32_t count)
{
	struct vdb_answers *a = ctx;

	if (a->segments_known == a->config->shape.segments)
		take(&a->segments[segment], query, a->config->limit, best,
			count, &a->found[(segment + 1ULL) * a->config->distinct +
				query]);
}

static size_t found_bytes(const struct vdb_config *c)
{
	return (size_t)c->distinct * (1 + c->shape.segments) * sizeof(double);
}

static int take_found(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct vdb_answers *a = arg;
	const double *found = buf;
	size_t i;

	if (size_bytes != found_bytes(a->config))
		return err_set(e, ERR_BUG, -EBADMSG, "bad recall of a rank");
	for (i = 0; process && i < size_bytes / sizeof(*found); i++)
		if (a->found[i] < 0)
			a->found[i] = found[i];
	return 0;
}

/* Mean recall of each segment, and these means' range. */
static void segment_figures(const struct vdb_answers *a, struct vdb_recall *out)
{
	uint32_t n = a->config->distinct, s, i, known;
	const double *found;
	double sum, mean;

	for (s = 0; s < a->segments_known; s++) {
		found = a->found + (s + 1ULL) * n;
		for (sum = 0, i = known = 0; i < n; i++)
			if (found[i] >= 0) {
				sum += found[i];
				known++;
			}
		mean = known ? sum / known : 0;
		if (!s || mean < out->segment_min)
			out->segment_min = mean;
		if (!s || mean > out->segment_max)
			out->segment_max = mean;
		out->segment_mean += mean / a->segments_known;
	}
	out->segments = a->segments_known;
}

int vdb_answers_gather(struct vdb_answers *a, struct group *g,
	struct vdb_recall *out, struct err *e)
{
	const struct vdb_shape *s = &a->config->shape;
	int r = group_agree(g, group_gather(g, a->found,
		found_bytes(a->config), take_found, a, e), e);

	if (r || g->first)
		return r;
	out->known = true;
	out->k = a->config->limit;
	out->chance = (double)out->k / (double)s->vectors;
	out->coverage = (double)s->truth_vectors / (double)s->vectors;
	if (a->segments_known == s->segments)
		segment_figures(a, out);
	out->per_query = a->found;
	a->found = NULL;
	return vdb_recall_figures(out, a->config->distinct)
		       ? err_nomem(e, "the recall")
		       : 0;
}
