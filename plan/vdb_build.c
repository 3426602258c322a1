/* Building real segments; see vdb_build.h. */
#include "plan/vdb_build.h"

#include "core/units.h"
#include "datagen/vdb_cache.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_metric.h"
#include "plan/vdb_files.h"
#include "storage/loop.h"
#include "storage/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t first_of(const struct vdb_shape *s, uint32_t segment)
{
	return (uint64_t)((unsigned __int128)s->vectors * segment /
			  s->segments);
}

int vdb_build_memory(const struct vdb_shape *s, uint64_t processes,
	uint64_t *bytes, struct err *e)
{
	/* the last has all that the others had to round down */
	uint64_t n = vdb_segment_nodes(s, s->segments - 1);
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX], in[48] = "";
	struct memory_room room;

	*bytes = vdb_vamana_bytes(n, vdb_stored_dim(s), s->degree) +
		 /* raw ones, too, and codes */
		 (s->metric == VDB_L2 ? 0 : n * 4ULL * vdb_stride(s->dim)) +
		 n * s->chunks +
		 /* queries and a block of vectors, less their middle, too */
		 4ULL * VDB_TRUTH_BLOCK * s->dim +
		 (uint64_t)s->queries * (8ULL * s->dim + 16ULL * s->truth_k +
						4 * VDB_TRUTH_BLOCK);
	if (s->copies) /* the first, and the copy that is being written */
		*bytes += n * ((s->metric == VDB_L2 ? 4ULL : 8ULL) * s->dim +
				      6ULL * s->degree + s->chunks);
	memory_available(&room);
	if (!room.bytes || *bytes * processes <= room.bytes / 10 * 9)
		return 0;
	if (processes > 1)
		snprintf(in, sizeof(in), " in each of %" PRIu64 " processes",
			processes);
	return err_set(e, ERR_ENV, -ENOMEM,
		"building a segment of %" PRIu64 " vector%s takes %s%s, %s is "
		"available (%s): more --segments, %sor a replayed index, which "
		"takes none", n, n == 1 ? "" : "s",
		units_format_bytes(a, *bytes), in,
		units_format_bytes(b, room.bytes), room.limit,
		processes > 1 ? "fewer processes, " : "");
}

/* Every row of a file that will be read, piece by piece. */
static int check_rows(
	const struct vdb_shape *s, const char *path, struct err *e)
{
	uint64_t piece = (16ULL << 20) / s->dim + 1, at, n;
	struct vdb_vectors v = {.stride = 0};
	uint32_t dim;
	int r = vdb_fbin_shape(path, &n, &dim, e);

	if (!r && dim != s->dim)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s has %u dimensions, not %u", path, dim, s->dim);
	for (at = 0; !r && at < s->vectors; at += n) {
		n = s->vectors - at < piece ? s->vectors - at : piece;
		r = vdb_fbin_read(&v, path, at, n, e);
		if (!r && s->metric == VDB_COSINE) {
			r = vdb_metric_base(&v, s->metric, e);
			if (r)
				err_wrap(e, "--vectors %s", path);
		}
		vdb_vectors_free(&v);
		if (!r && loop_interrupted)
			r = err_set(e, ERR_IO, -EINTR, "interrupted");
	}
	return r;
}

int vdb_build_check(const struct vdb_shape *s, const char *vectors,
	const char *queries, struct err *e)
{
	struct vdb_build b = {.shape = s};
	int r = vdb_pq_check(vdb_stored_dim(s), s->chunks, e);

	if (!r) {
		r = vdb_build_open(&b, queries, e);
		if (!r)
			r = vdb_metric_queries(&b.queries, s->metric, e);
		if (r && queries)
			err_wrap(e, "--query-vectors %s, of which "
				"--num-query-vectors takes %u", queries,
				s->queries);
		vdb_build_close(&b);
	}
	return !r && vectors ? check_rows(s, vectors, e) : r;
}

int vdb_build_open(struct vdb_build *b, const char *queries, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	int r;

	if (queries)
		r = vdb_fbin_read(&b->queries, queries, 0, s->queries, e);
	else
		r = vdb_queries_generate(&b->queries, s->distribution, s->seed,
			s->queries, s->dim, e);
	if (!r && b->queries.dim != s->dim)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s has %u dimensions, the vectors %u", queries,
			b->queries.dim, s->dim);
	if (!r)
		r = vdb_truth_init(&b->truth, s->queries, s->truth_k, e);
	b->truth.metric = s->metric;
	return r;
}

void vdb_build_close(struct vdb_build *b)
{
	vdb_vectors_free(&b->queries);
	vdb_truth_free(&b->truth);
	vdb_made_free(&b->first);
}

static int inserted(void *ctx, uint64_t n)
{
	struct vdb_build *b = ctx;

	if (b->progress)
		b->progress(b->ctx, b->done + n);
	return loop_interrupted;
}

static void fill_built(const void *ctx, uint64_t offset_bytes, void *buf,
	uint64_t len_bytes)
{
	const struct vdb_built *b = ctx;

	vdb_layout_fill(&b->layout, offset_bytes, buf, len_bytes,
		vdb_built_record, b);
}

/* Everything beside the index first: an index file that is there is complete.
 * But its sums, which are known when it is written. */
static int write_files(struct vdb_build *b, uint32_t segment,
	const struct vdb_made *m, struct vdb_writer *w, uint64_t *bytes,
	struct err *e)
{
	struct vdb_vectors sample = {.stride = 0};
	struct vdb_bin sums = {.count = 0};
	char prefix[PATH_MAX], path[PATH_MAX];
	struct vdb_built built;
	int r = vdb_files_prefix(b->folder, segment, prefix, e);

	if (r)
		return r;
	snprintf(path, sizeof(path), "%.4000s" VDB_SAMPLE_DATA, prefix);
	r = vdb_pq_save(&m->pq, prefix, e);
	if (!r)
		r = vdb_norms_save(&m->vectors, b->shape->metric, prefix, e);
	if (!r)
		r = vdb_vectors_pick(&sample, &m->vectors, m->sample.items,
			m->sample.count, e);
	if (!r)
		r = vdb_fbin_write(&sample, path, e);
	vdb_vectors_free(&sample);
	if (!r)
		r = vdb_bin_save(prefix, VDB_SAMPLE_IDS, &m->sample, e);
	if (!r)
		r = vdb_bin_save(prefix, VDB_CACHED_NODES, &m->cached, e);
	if (!r)
		r = vdb_built_init(&built, &m->vectors, &m->graph, e);
	if (!r)
		r = vdb_writer_write(w, segment, &built.layout, fill_built,
			&built, &sums, e);
	if (!r)
		r = vdb_bin_save(prefix, VDB_SUMS, &sums, e);
	if (!r)
		*bytes = built.layout.file_bytes;
	vdb_bin_free(&sums);
	return r;
}

/* Graph, quantizer, and which nodes to keep in memory. */
static int make(struct vdb_build *b, struct vdb_made *m, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	struct vdb_vamana_plan plan = {.builder = s->builder,
		.degree = s->degree, .list = s->list, .progress = inserted,
		.ctx = b};
	int r = vdb_metric_base(&m->vectors, s->metric, e);

	if (!r)
		r = vdb_vamana_build(&m->graph, &m->vectors, &plan, e);
	if (!r)
		r = vdb_pq_train(&m->pq, &m->vectors, s->chunks,
			s->metric == VDB_L2, s->seed, e);
	if (!r)
		r = vdb_cache_sample(
			&m->sample, m->vectors.count, s->seed, e);
	if (!r)
		r = vdb_cache_choose(&m->cached, &m->vectors, &m->graph,
			&m->pq, &m->sample, s->degree, e);
	return r;
}

static int get_vectors(const struct vdb_build *b, uint64_t first, uint64_t n,
	struct vdb_vectors *v, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	int r;

	if (b->vectors)
		return vdb_fbin_read(v, b->vectors, first, n, e);
	r = vdb_vectors_generate(
		v, s->distribution, s->seed, first, n, s->dim, e);
	if (!r)
		vdb_vectors_spread(v, s->seed, s->norm_spread_pct);
	return r;
}

/* A copy of the first segment, which is made when it is needed. */
static int make_copy(struct vdb_build *b, uint32_t segment,
	struct vdb_made *m, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	int r = 0;

	if (!b->first.vectors.data) {
		r = get_vectors(b, 0, vdb_segment_nodes(s, 0),
			&b->first.vectors, e);
		if (!r)
			r = make(b, &b->first, e);
	}
	return r ? r
		 : vdb_made_copy(m, &b->first, segment, first_of(s, segment),
			   s->seed, e);
}

/* The exact answers of this segment alone, and with all the others. */
static int add_truth(struct vdb_build *b, uint32_t segment,
	const struct vdb_vectors *v, struct err *e)
{
	char prefix[PATH_MAX], path[PATH_MAX];
	struct vdb_truth own;
	int r = vdb_files_prefix(b->folder, segment, prefix, e);

	if (!r)
		r = vdb_truth_init(&own, b->truth.queries, b->truth.k, e);
	if (r)
		return r;
	own.metric = b->truth.metric;
	snprintf(path, sizeof(path), "%.4000s" VDB_SEGMENT_TRUTH, prefix);
	r = vdb_truth_add(&own, &b->queries, v, e);
	if (!r)
		r = vdb_truth_save(&own, path, e);
	if (!r)
		vdb_truth_merge(&b->truth, &own);
	vdb_truth_free(&own);
	return r;
}

int vdb_build_segment(struct vdb_build *b, uint32_t segment,
	struct vdb_writer *w, uint64_t *bytes, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	struct vdb_made m = {.sample.count = 0};
	int r;

	if (s->copies)
		r = make_copy(b, segment, &m, e);
	else
		r = get_vectors(b, first_of(s, segment),
			vdb_segment_nodes(s, segment), &m.vectors, e);
	if (!r)
		r = add_truth(b, segment, &m.vectors, e);
	if (!r && !b->skip && !s->copies)
		r = make(b, &m, e);
	if (!r && !b->skip)
		r = write_files(b, segment, &m, w, bytes, e);
	vdb_made_free(&m);
	return r;
}

static int take_truth(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct vdb_truth *to = arg, from = *to;
	size_t n = (size_t)to->queries * to->k * 4;
	const uint8_t *p = buf;

	if (!process)
		return 0;
	if (size_bytes != 2 * n + 8)
		return err_set(e, ERR_BUG, -EBADMSG, "bad truth of a rank");
	from.ids = malloc(n);
	from.distances = malloc(n);
	if (from.ids && from.distances) {
		memcpy(from.ids, p, n);
		memcpy(from.distances, p + n, n);
		memcpy(&from.covered, p + 2 * n, 8);
		vdb_truth_merge(to, &from);
	}
	size_bytes = from.ids && from.distances;
	vdb_truth_free(&from);
	return size_bytes ? 0 : err_nomem(e, "the ground truth");
}

static int save_truth(struct vdb_build *b, struct err *e)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/" VDB_QUERIES_NAME, b->folder);
	int r;

	if (n < 0 || n + 16 >= (int)sizeof(path))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--data-dir: path too long");
	r = vdb_fbin_write(&b->queries, path, e);
	snprintf(path, sizeof(path), "%s/" VDB_TRUTH_NAME, b->folder);
	return r ? r : vdb_truth_save(&b->truth, path, e);
}

int vdb_build_truth(struct vdb_build *b, struct group *g, uint64_t *covered,
	struct err *e)
{
	size_t n = (size_t)b->truth.queries * b->truth.k * 4;
	uint8_t *mine = malloc(2 * n + 8);
	int r = mine ? 0 : err_nomem(e, "the ground truth");

	if (mine) {
		memcpy(mine, b->truth.ids, n);
		memcpy(mine + n, b->truth.distances, n);
		memcpy(mine + 2 * n, &b->truth.covered, 8);
	}
	r = group_agree(g, r, e);
	if (!r)
		r = group_gather(g, mine, 2 * n + 8, take_truth, &b->truth, e);
	if (!r && !g->first)
		r = save_truth(b, e);
	*covered = b->truth.covered;
	free(mine);
	return group_agree(g, r, e);
}
