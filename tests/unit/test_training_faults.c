/* What goes wrong in a run: all leave together, soon, and with the reason. */
#include "storage/loop.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"
#include "tests/unit/ut_sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Four accelerators with read-ahead of 2 x 2 batches of 4 files each; the
 * tenth file of rank 2 cannot be opened. Its text is everyone's, and nobody
 * opens another file: the read-ahead of the other three would be up to 48.
 */
static void test_error_ends_all(void)
{
	struct shard *shard;
	struct sim s;
	struct err e = {0};

	sim_shape(&s, 400, 4, 2);
	s.c.accelerators = 4;
	s.c.prefetch_factor = 2;
	s.drive.bytes_per_s = 100000000;
	shard = shard_new(400, 4, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(shard);
	CU_ASSERT_EQUAL(shard_epoch(shard, 1, &e), 0);
	s.bad_id = shard_rank(shard, 2)[9];
	shard_free(shard);
	CU_ASSERT_EQUAL(sim_run(&s, &e), -EIO);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "burns"));
	CU_ASSERT(s.opens_before_bad > 4);
	CU_ASSERT_EQUAL(s.opens, s.opens_before_bad);
	sim_check_tidy(&s);
	sim_close(&s);
}

static void interrupt_in_step_5(void *ctx, const struct training_progress *p)
{
	struct sim *s = ctx;

	if (p->step == 5 && !loop_interrupted) {
		loop_interrupted = 1;
		s->opens_before_bad = s->opens;
	}
}

/*
 * Ctrl-C: what is in flight ends, and no more is read. A batch of 16 files
 * takes 320 ms of the link and 100 ms to compute: the drive never rests, and
 * the read-ahead of 4 batches would take a second and more.
 */
static void test_interrupted(void)
{
	struct err e = {0};
	struct sim s;

	sim_shape(&s, 1600, 16, 2);
	s.c.prefetch_factor = 2;
	s.c.computation_ns = 100 * MS;
	s.drive.bytes_per_s = 50000000;
	s.progress = interrupt_in_step_5;
	CU_ASSERT_EQUAL(sim_run(&s, &e), -EINTR);
	CU_ASSERT_EQUAL(loop_interrupted, 1);
	loop_interrupted = 0;
	CU_ASSERT_STRING_EQUAL(e.text, "interrupted");
	CU_ASSERT(s.opens_before_bad > 16);
	CU_ASSERT_EQUAL(s.opens, s.opens_before_bad);
	sim_check_tidy(&s);
	sim_close(&s);
}

/* A catalog's files have no descriptor: reads of a real engine fail. */
static void test_engine_error(void)
{
	struct err e = {0};
	struct sim s;

	sim_init(&s);
	s.c.accelerators = 2;
	s.c.computation_ns = MS / 10;
	s.drive.kind = ENGINE_PREAD;
	CU_ASSERT_EQUAL(sim_run(&s, &e), -EBADF);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "reading file "));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		e.text, " at offset 0 (1000000 bytes): Bad file descriptor"));
	sim_check_tidy(&s);
	sim_close(&s);
}

static int refuse(struct engine *g, struct engine_op *op)
{
	(void)g, (void)op;
	return -EAGAIN;
}

static struct sim *refusing;

static void refuse_from_now(void *ctx, const struct training_progress *p)
{
	(void)ctx;
	if (p->step == 3)
		refusing->queue = refuse;
}

/* An engine that takes no more requests: an error, not a hang in the drain */
static void test_engine_refuses(void)
{
	struct sim s;

	sim_init(&s);
	s.c.computation_ns = 300 * MS;
	s.progress = refuse_from_now;
	refusing = &s;
	sim_run_fails(&s, -EAGAIN, "request refused");
	sim_close(&s);
}

static uint64_t seven_is_empty(uint64_t id)
{
	return id == 7 ? 0 : 1000000;
}

static void test_empty_file(void)
{
	struct sim s;

	sim_init(&s);
	s.size_of = seven_is_empty;
	sim_run_fails(&s, -ENODATA,
		"file 7 is empty; generate the data set again");
	sim_close(&s);
}

static void make_files(const char *dir, unsigned count, size_t bytes)
{
	char name[32], path[UT_PATH_MAX];
	uint8_t *data = calloc(1, bytes);
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		memset(data, (int)i + 1, bytes);
		ut_file_write(ut_join(path, dir, name), data, bytes);
	}
	free(data);
}

static void real_sim(struct sim *s, const char *dir, enum engine_kind kind)
{
	sim_init(s);
	s->dir = dir;
	s->drive.kind = kind;
	s->c.files = 8;
	s->c.computation_ns = MS;
	s->c.transfer_bytes = 65536;
	s->file_bytes = 200000;
}

/* File 3 shrinks while it is read: to within a request, and between two. */
static void test_file_shrinks(void)
{
	static const struct {
		uint64_t cut;
		const char *text;
	} cases[] = {
		{100000, "/f3: 34464 of 65536 bytes at offset 65536 although "
			 "the file had 200000 bytes when opened"},
		{65536, "/f3: 0 of 65536 bytes at offset 65536 although the "
			"file had 200000 bytes when opened"},
	};
	char dir[UT_PATH_MAX];
	struct err e = {0};
	struct sim s;
	size_t i;

	for (i = 0; i < 2; i++) {
		ut_dir_make(dir, "/tmp");
		make_files(dir, 8, 200000);
		real_sim(&s, dir, ENGINE_PREAD);
		s.bad_id = 3;
		s.cut_bytes = cases[i].cut;
		CU_ASSERT_EQUAL(sim_run(&s, &e), -ENODATA);
		CU_ASSERT_EQUAL(e.kind, ERR_IO);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "short read of "));
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, cases[i].text));
		sim_check_tidy(&s);
		sim_close(&s);
		ut_dir_remove(dir);
	}
}

static uint64_t checked_bytes;
static uint64_t wrong_file = UINT64_MAX;

/* File i holds the byte i + 1. */
static int check(void *ctx, uint64_t file, uint64_t offset_bytes,
	const void *buf, size_t len_bytes, struct err *e)
{
	const uint8_t *p = buf;
	size_t i;

	(void)ctx;
	checked_bytes += len_bytes;
	CU_ASSERT(offset_bytes + len_bytes <= 200000);
	for (i = 0; i < len_bytes; i++)
		if (p[i] != (uint8_t)(file + 1) || file == wrong_file)
			return err_set(e, ERR_IO, -EBADMSG,
				"file %u differs", (unsigned)file);
	return 0;
}

/* Every byte of real files comes by, through either engine, direct or not. */
static void test_real_files(void)
{
	static const enum engine_kind kinds[] = {ENGINE_AUTO, ENGINE_PREAD};
	char dir[UT_PATH_MAX];
	struct err e = {0};
	struct sim s;
	int k;

	ut_dir_make(dir, "/tmp");
	make_files(dir, 8, 200000);
	for (k = 0; k < 4; k++) {
		real_sim(&s, dir, kinds[k % 2]);
		s.c.accelerators = 2;
		s.c.epochs = 2;
		s.c.odirect = k >= 2;
		s.c.queue_depth = 3;
		s.check = check;
		checked_bytes = 0;
		CU_ASSERT_EQUAL(sim_run(&s, &e), 0);
		CU_ASSERT_EQUAL(checked_bytes, 2 * 8 * 200000);
		CU_ASSERT_EQUAL(sim_epoch(&s, 1, 1)->bytes_asked, 4 * 200000);
		CU_ASSERT(sim_epoch(&s, 1, 0)->compute_ns[0] >= MS);
		CU_ASSERT_PTR_NOT_NULL(sim_epoch(&s, 0, 0)->meminfo);
		sim_check_tidy(&s);
		sim_close(&s);
	}
	real_sim(&s, dir, ENGINE_PREAD);
	s.check = check;
	wrong_file = 5;
	CU_ASSERT_EQUAL(sim_run(&s, &e), -EBADMSG);
	CU_ASSERT_STRING_EQUAL(e.text, "file 5 differs");
	wrong_file = UINT64_MAX;
	sim_check_tidy(&s);
	sim_close(&s);
	ut_dir_remove(dir);
}

static struct training_progress seen[64];
static unsigned seen_count;

static void keep(void *ctx, const struct training_progress *p)
{
	(void)ctx;
	if (seen_count < 64)
		seen[seen_count++] = *p;
}

/*
 * The live line: 10 steps of 100 ms after 3 ms of loading, shown at most every
 * 200 ms (at 203, 403, 603 and 803) and at the epoch's end (1003).
 */
static void test_progress(void)
{
	struct err e = {0};
	struct sim s;
	unsigned i;

	sim_init(&s);
	s.c.computation_ns = 100 * MS;
	s.c.epochs = 2;
	s.progress = keep;
	seen_count = 0;
	CU_ASSERT_EQUAL(sim_run(&s, &e), 0);
	CU_ASSERT_EQUAL_FATAL(seen_count, 10);
	for (i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(seen[i].epoch, 1);
		CU_ASSERT_EQUAL(seen[i].epochs, 2);
		CU_ASSERT_EQUAL(seen[i].step, 2 * (i + 1));
		CU_ASSERT_EQUAL(seen[i].steps, 10);
		CU_ASSERT_EQUAL(seen[i].elapsed_ns, (200 * i + 203) * MS);
		CU_ASSERT_DOUBLE_EQUAL(seen[i].au_pct, 100, 1e-9);
		CU_ASSERT_EQUAL(seen[i].epoch_ended, i == 4);
	}
	CU_ASSERT_EQUAL(seen[4].bytes_read, 20000000);
	CU_ASSERT_EQUAL(seen[5].epoch, 2);
	CU_ASSERT_EQUAL(seen[9].bytes_read, 40000000);
	CU_ASSERT_TRUE(seen[9].epoch_ended);
	sim_close(&s);
}

UT_SUITE(training_faults, UT_CASE(test_error_ends_all),
	UT_CASE(test_interrupted), UT_CASE(test_engine_error),
	UT_CASE(test_engine_refuses), UT_CASE(test_empty_file),
	UT_CASE(test_file_shrinks), UT_CASE(test_real_files),
	UT_CASE(test_progress))
