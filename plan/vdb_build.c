/* Building real segments; see vdb_build.h. */
#include "plan/vdb_build.h"

#include "core/units.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_metric.h"
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
	/* one or the other segment has one more than the first */
	uint64_t n = vdb_segment_nodes(s, s->segments - 1) + 1;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	struct memory_room room;

	*bytes = vdb_vamana_bytes(n, vdb_stored_dim(s), s->degree) +
		 /* raw ones, too, and codes */
		 (s->metric == VDB_L2 ? 0 : n * 4ULL * vdb_stride(s->dim)) +
		 n * s->chunks +
		 (uint64_t)s->queries * (4ULL * s->dim + 8ULL * s->truth_k +
						4 * 4096);
	memory_available(&room);
	if (!room.bytes || *bytes * processes <= room.bytes / 10 * 9)
		return 0;
	return err_set(e, ERR_ENV, -ENOMEM,
		"building a segment of %" PRIu64 " vectors takes %s in each of "
		"%" PRIu64 " processes, %s is available (%s): more --segments, "
		"fewer processes, or a replayed index, which takes none",
		n, units_format_bytes(a, *bytes), processes,
		units_format_bytes(b, room.bytes), room.limit);
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

/* The quantizer's files first: an index file that is there is complete. */
static int write_files(struct vdb_build *b, uint32_t segment,
	const struct vdb_vectors *v, const struct vdb_vamana *g,
	struct vdb_writer *w, uint64_t *bytes, struct err *e)
{
	char prefix[PATH_MAX];
	struct vdb_built built;
	struct vdb_pq q;
	int n = snprintf(prefix, sizeof(prefix), "%s/segment_%04u", b->folder,
		segment);
	int r = n < 0 || n >= (int)sizeof(prefix)
			? err_set(e, ERR_USAGE, -ENAMETOOLONG,
				  "--data-dir: path too long")
			: 0;

	if (!r)
		r = vdb_pq_train(&q, v, b->shape->chunks,
			b->shape->metric == VDB_L2, b->shape->seed, e);
	if (r)
		return r;
	r = vdb_pq_save(&q, prefix, e);
	vdb_pq_free(&q);
	if (!r)
		r = vdb_norms_save(v, b->shape->metric, prefix, e);
	if (!r)
		r = vdb_built_init(&built, v, g, e);
	if (!r)
		r = vdb_writer_write(
			w, segment, &built.layout, fill_built, &built, e);
	if (!r)
		*bytes = built.layout.file_bytes;
	return r;
}

int vdb_build_segment(struct vdb_build *b, uint32_t segment,
	struct vdb_writer *w, uint64_t *bytes, struct err *e)
{
	const struct vdb_shape *s = b->shape;
	struct vdb_vamana_plan plan = {.builder = s->builder,
		.degree = s->degree, .list = s->list, .progress = inserted,
		.ctx = b};
	uint64_t first = first_of(s, segment);
	uint64_t n = vdb_segment_nodes(s, segment);
	struct vdb_vectors v;
	struct vdb_vamana g;
	int r;

	if (b->vectors)
		r = vdb_fbin_read(&v, b->vectors, first, n, e);
	else
		r = vdb_vectors_generate(&v, s->distribution, s->seed, first, n,
			s->dim, e);
	if (r)
		return r;
	if (!b->vectors)
		vdb_vectors_spread(&v, s->seed, s->norm_spread_pct);
	r = vdb_truth_add(&b->truth, &b->queries, &v, e);
	if (!r && !b->skip)
		r = vdb_metric_base(&v, s->metric, e);
	if (!r && !b->skip) {
		r = vdb_vamana_build(&g, &v, &plan, e);
		if (!r) {
			r = write_files(b, segment, &v, &g, w, bytes, e);
			vdb_vamana_free(&g);
		}
	}
	vdb_vectors_free(&v);
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
