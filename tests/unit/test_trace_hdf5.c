#include "results/trace_hdf5.h"

#include "core/file.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Uneven ranks too; twice, as a campaign does. What is in it is compared by
 * h5py (tests/fixtures/check_leaf.py).
 */
static void test_written_twice(void)
{
	char dir[] = "/tmp/stoker-ut-XXXXXX", path[PATH_MAX], *text = NULL;
	struct rec_run run = {.rank_count = 2};
	struct record rec;
	struct err e;
	int i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	record_init(&rec);
	run.ranks = calloc(2, sizeof(*run.ranks));
	CU_ASSERT_EQUAL_FATAL(rec_rank_init(&run.ranks[0], 2, 3), 0);
	CU_ASSERT_EQUAL_FATAL(rec_rank_init(&run.ranks[1], 1, 4), 0);
	hist_record(&run.ranks[0].hists[REC_LATENCY_NS], 80000);
	for (i = 0; i < 2; i++)
		CU_ASSERT_EQUAL_FATAL(
			results_write_trace(&rec, &run, dir, &e), 0);
	snprintf(path, sizeof(path), "%s/trace.h5", dir);
	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 1 << 20, &text, NULL, &e), 0);
	CU_ASSERT_EQUAL(memcmp(text, "\211HDF\r\n\032\n", 8), 0);
	free(text);
	rec_run_fini(&run);
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

static void test_nowhere(void)
{
	struct rec_run run = {.rank_count = 0};
	struct record rec;
	struct err e;

	record_init(&rec);
	CU_ASSERT_EQUAL(
		results_write_trace(&rec, &run, "/nowhere", &e), -ENOENT);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/nowhere/trace.h5: No such"));
}

/* A disk that is full when the file is closed. */
static void test_no_space(void)
{
	struct rec_run run = {.rank_count = 0};
	char dir[] = "/tmp/stoker-ut-XXXXXX", path[PATH_MAX];
	struct record rec;
	struct err e;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	record_init(&rec);
	snprintf(path, sizeof(path), "%s/trace.h5", dir);
	CU_ASSERT_EQUAL_FATAL(symlink("/dev/full", path), 0);
	CU_ASSERT_TRUE(results_write_trace(&rec, &run, dir, &e) < 0);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, path));
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

/* What comes back has the counts, bounds and percentiles of what went in. */
static void test_read_back(void)
{
	char dir[] = "/tmp/stoker-ut-XXXXXX", path[PATH_MAX];
	struct rec_run run = {.rank_count = 1};
	struct hist h, *in;
	struct record rec;
	struct err e;
	uint64_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/trace.h5", dir);
	CU_ASSERT_EQUAL(results_read_trace_hist(dir, REC_LATENCY_NS, &h, &e),
		-ENOENT);
	record_init(&rec);
	run.ranks = calloc(1, sizeof(*run.ranks));
	CU_ASSERT_EQUAL_FATAL(rec_rank_init(&run.ranks[0], 1, 1), 0);
	in = &run.ranks[0].hists[REC_LATENCY_NS];
	for (i = 1; i <= 1000; i++)
		hist_record(in, i * i);
	CU_ASSERT_EQUAL_FATAL(results_write_trace(&rec, &run, dir, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		results_read_trace_hist(dir, REC_LATENCY_NS, &h, &e), 0);
	CU_ASSERT_EQUAL(h.count, 1000);
	CU_ASSERT_EQUAL(h.min, 1);
	CU_ASSERT_EQUAL(h.max, 1000000);
	for (i = 0; i <= 1000000; i += 1000)
		CU_ASSERT_EQUAL(hist_percentile(&h, (uint32_t)i),
			hist_percentile(in, (uint32_t)i));
	hist_fini(&h);
	/* nothing was counted: empty, and no error */
	CU_ASSERT_EQUAL(
		results_read_trace_hist(dir, REC_IN_FLIGHT, &h, &e), 0);
	CU_ASSERT_EQUAL(h.count, 0);
	hist_fini(&h);
	CU_ASSERT_EQUAL(file_write_atomic(path, "no HDF5", 7, &e), 0);
	CU_ASSERT_EQUAL(results_read_trace_hist(dir, REC_LATENCY_NS, &h, &e),
		-EBADMSG);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	rec_run_fini(&run);
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

UT_SUITE(trace_hdf5, UT_CASE(test_written_twice), UT_CASE(test_nowhere),
	UT_CASE(test_no_space), UT_CASE(test_read_back))
