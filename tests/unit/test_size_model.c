/*
 * Sizing in virtual time, from arithmetic. Files are of one length F; an
 * accelerator with batch B and compute time t that waits for nothing asks for
 * d = B x F / t. N of them on a drive of rate R keep up an AU of
 * min(1, R / (N x d)), so N passes iff R >= N x 0.9 x d.
 */
#include "plan/size_model.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

/* A side of 1000 bytes: npz files of 1000 x 1000 and the frame around them. */
#define SIDE2 1000000ULL
#define FRAME_BYTES 458ULL /* headers, y and directory of a stored npz */
#define FILE_BYTES (SIDE2 + FRAME_BYTES)
/* O_DIRECT moves whole blocks. */
#define MOVED_BYTES ((FILE_BYTES + 4095) / 4096 * 4096)
#define BATCH 7ULL
#define COMPUTE_NS 7000000LL
#define FLOOR 0.9
/*
 * A window of 100 - 2 x 4 steps begins and ends somewhere in a file: of its
 * 644 files one may be seen or not, which is 0.155 % of the AU.
 */
#define GRAIN (1.0 / (92 * 7))

static struct train_config config(void)
{
	struct train_config c;

	memset(&c, 0, sizeof(c));
	strcpy(c.model, "unet3d");
	strcpy(c.format, "npz");
	strcpy(c.drive, "constant");
	c.accelerators = 1;
	c.hosts = 1;
	c.samples_per_file = 1;
	c.batch_size = BATCH;
	c.epochs = 5;
	c.record_bytes = SIDE2;
	c.computation_ns = COMPUTE_NS;
	c.read_threads = 4;
	c.prefetch_factor = 1;
	c.queue_depth = 1;
	c.odirect = true; /* no page cache to blame */
	c.transfer_bytes = 1 << 20;
	c.au_floor_ppm = 900000;
	c.datagen_ranks = 1;
	return c;
}

/* Bytes per second with which n accelerators are exactly at the floor. */
static double edge(uint64_t n)
{
	return (double)n * FLOOR * (double)(BATCH * MOVED_BYTES) * 1e9 /
	       (double)COMPUTE_NS;
}

static void ask(struct size_model *m, struct train_config *c, double rate,
	struct size_answer *a)
{
	struct err e = {.kind = ERR_NONE};

	memset(m, 0, sizeof(*m));
	m->config = c;
	m->engine.kind = rate > 0 ? ENGINE_CONSTANT : ENGINE_NULL;
	m->engine.bytes_per_s = (uint64_t)rate;
	m->steps = 100;
	m->most = 64;
	CU_ASSERT_EQUAL(size_model_run(m, a, &e), 0);
	if (e.kind)
		CU_FAIL(e.text);
}

/* A thousandth on either side of the edge decides. */
static void test_both_sides_of_each_edge(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;
	uint64_t n;

	for (n = 1; n <= 12; n++) {
		ask(&m, &c, edge(n) * 1.001, &a);
		CU_ASSERT_EQUAL(a.steady.accelerators, n);
		CU_ASSERT_DOUBLE_EQUAL(
			size_at(&a.curve, n)->metrics.steady_au_pct, 90.09,
			90.09 * GRAIN);
		CU_ASSERT_DOUBLE_EQUAL(
			size_at(&a.curve, n + 1)->metrics.steady_au_pct,
			90.09 * (double)n / (double)(n + 1), 90.09 * GRAIN);
		size_answer_fini(&a);
		ask(&m, &c, edge(n) * 0.999, &a);
		CU_ASSERT_EQUAL(a.steady.accelerators, n - 1);
		CU_ASSERT_EQUAL(a.steady.again, 0);
		CU_ASSERT_STRING_EQUAL(a.limit, "drive");
		size_answer_fini(&a);
	}
}

static void test_no_limit_is_capped(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;

	ask(&m, &c, 0, &a);
	CU_ASSERT_EQUAL(a.steady.accelerators, 64);
	CU_ASSERT_TRUE(a.steady.capped);
	CU_ASSERT_EQUAL(a.reference.accelerators, 64);
	size_answer_fini(&a);
}

/*
 * Of S steps W batches are read while the untimed first step waits, so the
 * reference AU is better by (S - 1) / (S - W) or less: at 100 steps and 4
 * readers a drive 1 % below the edge passes by it, and not by the steady one.
 */
static void test_head_start_flatters_the_reference(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;

	ask(&m, &c, edge(10) * 0.99, &a);
	CU_ASSERT_EQUAL(a.steady.accelerators, 9);
	CU_ASSERT_EQUAL(a.reference.accelerators, 10);
	size_answer_fini(&a);
}

/* One reader and much latency: the drive idles, more readers are the remedy. */
static void test_too_few_readers(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;
	struct err e;

	c.read_threads = 1;
	c.prefetch_factor = 2;
	memset(&m, 0, sizeof(m));
	m.config = &c;
	m.engine.kind = ENGINE_CONSTANT;
	m.engine.bytes_per_s = 100000000000;
	/* 7 files one after another take 7 x (2 ms + 0.01 ms) > 7 ms */
	m.engine.latency_ns = 2000000;
	m.steps = 100;
	m.most = 64;
	CU_ASSERT_EQUAL(size_model_run(&m, &a, &e), 0);
	CU_ASSERT_EQUAL(a.steady.accelerators, 0);
	CU_ASSERT_DOUBLE_EQUAL(size_at(&a.curve, 1)->metrics.steady_au_pct,
		100 * 7.0 / (7 * 2.01), 0.5);
	CU_ASSERT_STRING_EQUAL(a.limit, "too few readers");
	size_answer_fini(&a);
}

/* At an AU of 45 % 5 % of the rate are 2.25 points. */
static void test_error_bar_follows_the_rate(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;
	struct err e;

	memset(&m, 0, sizeof(m));
	m.config = &c;
	m.engine.kind = ENGINE_CONSTANT;
	m.engine.bytes_per_s = (uint64_t)(edge(1) / 2);
	m.steps = 100;
	m.most = 64;
	m.rate_error_pct = 5;
	CU_ASSERT_EQUAL(size_model_run(&m, &a, &e), 0);
	CU_ASSERT_EQUAL(a.steady.accelerators, 0);
	CU_ASSERT_DOUBLE_EQUAL(a.error_pct, 2.25, 45 * GRAIN);
	size_answer_fini(&a);
}

/* 140 files, 7 a step, and a steady window wants 9 steps: 2 at most. */
static void test_fixed_set_caps(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;
	struct err e;

	c.files = 140;
	memset(&m, 0, sizeof(m));
	m.config = &c;
	m.engine.kind = ENGINE_NULL;
	m.steps = 100;
	m.most = 64;
	m.fixed_set = true;
	CU_ASSERT_EQUAL(size_model_run(&m, &a, &e), 0);
	CU_ASSERT_EQUAL(a.steady.accelerators, 2);
	CU_ASSERT_TRUE(a.by_data_set);
	size_answer_fini(&a);
	/* and with fewer than 63 there is nothing to measure */
	c.files = 62;
	CU_ASSERT_EQUAL(size_model_run(&m, &a, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "use more files"));
	size_answer_fini(&a);
}

static void test_confirm_runs_the_campaign(void)
{
	struct train_config c = config();
	struct size_model m;
	struct size_answer a;
	struct err e;

	memset(&m, 0, sizeof(m));
	m.config = &c;
	m.engine.kind = ENGINE_CONSTANT;
	m.engine.bytes_per_s = (uint64_t)(edge(3) * 1.01);
	m.steps = 100;
	m.most = 64;
	m.confirm = true;
	CU_ASSERT_EQUAL(size_model_run(&m, &a, &e), 0);
	CU_ASSERT_TRUE(a.confirmed && a.confirm_passes);
	CU_ASSERT_EQUAL(a.confirm.epochs, 5);
	/* 5 epochs x 100 steps x 7 files x 3 accelerators */
	CU_ASSERT_EQUAL(a.confirm.bytes_asked, 5 * 100 * 7 * 3 * FILE_BYTES);
	size_answer_fini(&a);
}

UT_SUITE(size_model, UT_CASE(test_both_sides_of_each_edge),
	UT_CASE(test_no_limit_is_capped),
	UT_CASE(test_head_start_flatters_the_reference),
	UT_CASE(test_too_few_readers),
	UT_CASE(test_error_bar_follows_the_rate), UT_CASE(test_fixed_set_caps),
	UT_CASE(test_confirm_runs_the_campaign))
