/*
 * What is in an index's folder before and after it is written again, in part,
 * with other options, or not at all.
 */
#include "datagen/vdb_manifest.h"
#include "datagen/vdb_vectors.h"
#include "plan/vdb_files.h"
#include "plan/vdb_run.h"
#include "storage/loop.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENTS 3

static const struct vdb_shape built = {.vectors = 900, .dim = 16, .degree = 8,
	.segments = SEGMENTS, .seed = 42, .built = true, .list = 20,
	.chunks = 8, .queries = 20, .truth_k = 10};
static const struct vdb_shape replay = {.vectors = 900, .dim = 16, .degree = 8,
	.segments = SEGMENTS, .seed = 42, .hub_ppm = 300000};

struct bed {
	char dir[UT_PATH_MAX];
	bool overwrite, stop;
	const char *vectors, *queries;
	struct vdb_written w;
	struct err e;
};

static void bed_make(struct bed *b)
{
	memset(b, 0, sizeof(*b));
	ut_dir_make(b->dir, "/tmp");
}

/* As a signal would, when something was done. */
static void stop(void *ctx, uint64_t vectors)
{
	if (*(bool *)ctx && vectors >= 300)
		loop_interrupted = 1;
}

static int generate(struct bed *b, const struct vdb_shape *s)
{
	struct engine_spec spec = {.kind = ENGINE_PREAD, .dir = b->dir};
	struct vdb_generate p = {.engine = &spec, .shape = s, .folder = b->dir,
		.overwrite = b->overwrite, .vectors = b->vectors,
		.queries = b->queries, .progress = stop, .ctx = &b->stop};
	int r;

	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &p.group, &b->e), 0);
	r = vdb_generate(&p, &b->w, &b->e);
	group_close(p.group);
	loop_interrupted = 0;
	return r;
}

static bool same(const char *a, const char *b)
{
	char command[2 * UT_PATH_MAX + 32];

	snprintf(command, sizeof(command), "diff -r %s %s >/dev/null", a, b);
	return !system(command);
}

/*
 * A new index over an old one, stopped behind its first segment: the others
 * are the old index's no more, and the rest is built.
 */
static void check_stopped(const struct vdb_shape *shape)
{
	struct vdb_shape s = *shape;
	struct bed b, fresh;

	bed_make(&b);
	bed_make(&fresh);
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	s.seed = 43;
	CU_ASSERT_EQUAL(generate(&b, &s), -EEXIST);
	b.overwrite = b.stop = true;
	CU_ASSERT_EQUAL(generate(&b, &s), -EINTR);
	CU_ASSERT_EQUAL(ut_files_ending(b.dir, "_disk.index"), 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "1 of 3 segments are whole and "
		"stay, the same command without --overwrite continues"));
	b.overwrite = b.stop = false;
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	CU_ASSERT_EQUAL(b.w.segments, 2);
	CU_ASSERT_EQUAL(generate(&fresh, &s), 0);
	CU_ASSERT_TRUE(same(b.dir, fresh.dir));
	/* less, of the other kind: nothing of the old one stays */
	s = shape->built ? replay : built;
	s.segments = 2;
	b.overwrite = true;
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	ut_dir_remove(fresh.dir);
	bed_make(&fresh);
	CU_ASSERT_EQUAL(generate(&fresh, &s), 0);
	CU_ASSERT_TRUE(same(b.dir, fresh.dir));
	ut_dir_remove(b.dir);
	ut_dir_remove(fresh.dir);
}

static void test_stopped(void)
{
	check_stopped(&built);
	check_stopped(&replay);
}

/* What is missing or of another length is made again, and no more than that. */
static void check_missing(const struct vdb_shape *s, const char *const *names)
{
	char path[UT_PATH_MAX];
	struct bed b, fresh;

	bed_make(&b);
	bed_make(&fresh);
	CU_ASSERT_EQUAL(generate(&fresh, s), 0);
	CU_ASSERT_EQUAL(generate(&b, s), 0);
	for (; *names; names++) {
		CU_ASSERT_EQUAL(generate(&b, s), 0);
		CU_ASSERT_TRUE(b.w.was_complete);
		ut_join(path, b.dir, *names);
		CU_ASSERT_EQUAL(truncate(path, (off_t)ut_file_size(path) / 2),
			0);
		CU_ASSERT_EQUAL(generate(&b, s), 0);
		CU_ASSERT_EQUAL(b.w.segments, 1);
		CU_ASSERT_EQUAL(unlink(path), 0);
		CU_ASSERT_EQUAL(generate(&b, s), 0);
		CU_ASSERT_FALSE(b.w.was_complete);
		CU_ASSERT_EQUAL(b.w.segments, 1);
		CU_ASSERT_TRUE(same(b.dir, fresh.dir));
	}
	ut_dir_remove(b.dir);
	ut_dir_remove(fresh.dir);
}

static void test_missing(void)
{
	static const char *const index[] = {"segment_0001_disk.index", NULL};
	static const char *const all[] = {"segment_0002_disk.index",
		"segment_0001_pq_compressed.bin", "segment_0000_pq_pivots.bin",
		"segment_0000_sample_data.bin", "segment_0001_sample_ids.bin",
		"segment_0000_cached_nodes.bin",
		"segment_0002_disk.index_sums.bin",
		"segment_0000_disk.index_max_base_norm.bin", NULL};
	struct vdb_shape s = built;

	check_missing(&replay, index);
	check_missing(&built, index);
	s.metric = VDB_COSINE;
	check_missing(&s, all);
	s.metric = VDB_IP;
	check_missing(&s, all);
	s = built;
	s.copies = true;
	check_missing(&s, index);
}

/* The answers, too; the segments stay. */
static void test_truth_missing(void)
{
	char path[UT_PATH_MAX];
	struct bed b;

	bed_make(&b);
	CU_ASSERT_EQUAL(generate(&b, &built), 0);
	unlink(ut_join(path, b.dir, "ground_truth.bin"));
	CU_ASSERT_EQUAL(generate(&b, &built), 0);
	CU_ASSERT_FALSE(b.w.was_complete);
	CU_ASSERT_EQUAL(b.w.segments, 0);
	CU_ASSERT_TRUE(ut_file_exists(path));
	ut_dir_remove(b.dir);
}

static void write_rows(const char *path, uint64_t seed, uint64_t rows)
{
	struct vdb_vectors v;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(vdb_vectors_generate(
		&v, VDB_UNIFORM, seed, 0, rows, 16, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_fbin_write(&v, path, &e), 0);
	vdb_vectors_free(&v);
}

/* What cannot be built leaves the folder as it was, and no new one. */
static void test_refused(void)
{
	char dir[UT_PATH_MAX], few[UT_PATH_MAX], none[UT_PATH_MAX];
	struct vdb_shape s = built;
	struct bed b, keep;

	ut_dir_make(dir, "/tmp");
	write_rows(ut_join(few, dir, "few.fbin"), 1, 19);
	bed_make(&b);
	bed_make(&keep);
	CU_ASSERT_EQUAL(generate(&b, &built), 0);
	CU_ASSERT_EQUAL(generate(&keep, &built), 0);
	b.overwrite = true;
	/* 17 chunks of 16 dimensions; 20 queries of 19; 900 vectors of 19 */
	s.chunks = 17;
	CU_ASSERT_EQUAL(generate(&b, &s), -ERANGE);
	s.chunks = 8;
	b.queries = few;
	CU_ASSERT_EQUAL(generate(&b, &s), -ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "--num-query-vectors"));
	b.queries = NULL;
	s.distribution = VDB_FROM_FILE;
	b.vectors = few;
	CU_ASSERT_EQUAL(generate(&b, &s), -ERANGE);
	/* its own queries would go before they are read */
	b.vectors = NULL;
	b.queries = ut_join(none, b.dir, "queries.fbin");
	CU_ASSERT_EQUAL(generate(&b, &built), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "give the copy"));
	CU_ASSERT_TRUE(same(b.dir, keep.dir));
	b.queries = few;
	ut_dir_remove(b.dir);
	CU_ASSERT_EQUAL(generate(&b, &built), -ERANGE);
	CU_ASSERT_FALSE(ut_file_exists(b.dir));
	ut_dir_remove(keep.dir);
	ut_dir_remove(dir);
}

/* Files of one shape, of another content: another index. */
static void test_input(void)
{
	char dir[UT_PATH_MAX], base[UT_PATH_MAX], queries[UT_PATH_MAX];
	struct vdb_shape s = built;
	struct vdb_manifest m;
	struct bed b;

	ut_dir_make(dir, "/tmp");
	bed_make(&b);
	b.vectors = ut_join(base, dir, "base.fbin");
	b.queries = ut_join(queries, dir, "queries.fbin");
	s.distribution = VDB_FROM_FILE;
	write_rows(base, 1, 900);
	write_rows(queries, 2, 20);
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	CU_ASSERT_TRUE(b.w.was_complete);
	write_rows(queries, 3, 20);
	CU_ASSERT_EQUAL(generate(&b, &s), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "(query_vectors_sha256 "));
	b.queries = NULL;
	CU_ASSERT_EQUAL(generate(&b, &s), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "not generated)"));
	b.queries = queries;
	write_rows(queries, 2, 20);
	write_rows(base, 4, 900);
	CU_ASSERT_EQUAL(generate(&b, &s), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "(vectors_sha256 "));
	/* a manifest of old says nothing of it */
	CU_ASSERT_EQUAL(vdb_manifest_load(b.dir, &m, &b.e), 0);
	CU_ASSERT_EQUAL(strlen(m.vectors_sha256), 64);
	*m.vectors_sha256 = *m.queries_sha256 = 0;
	CU_ASSERT_EQUAL(vdb_manifest_save(b.dir, &m, &b.e), 0);
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	CU_ASSERT_TRUE(b.w.was_complete);
	ut_dir_remove(b.dir);
	ut_dir_remove(dir);
}

/* One that has not one segment is replaced without a word. */
static void test_begun(void)
{
	struct vdb_manifest m = {.shape = built};
	struct vdb_shape s = built;
	struct bed b;

	bed_make(&b);
	CU_ASSERT_EQUAL(vdb_manifest_save(b.dir, &m, &b.e), 0);
	s.seed = 7;
	CU_ASSERT_EQUAL(generate(&b, &s), 0);
	CU_ASSERT_EQUAL(b.w.segments, SEGMENTS);
	ut_dir_remove(b.dir);
}

UT_SUITE(vdb_files, UT_CASE(test_stopped), UT_CASE(test_missing),
	UT_CASE(test_truth_missing), UT_CASE(test_refused), UT_CASE(test_input),
	UT_CASE(test_begun))
