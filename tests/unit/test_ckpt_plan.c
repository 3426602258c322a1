/* plan/ckpt_plan.c: published figures, and arithmetic by hand. */
#include "plan/ckpt_plan.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define GIB 1073741824.0

/* Daly (2006): 5-minute saves; the interval in minutes over the MTBF. */
static void test_daly(void)
{
	static const struct {
		double mtbf_min, interval_min, within;
	} rows[] = {{24 * 60, 117, 0.5}, {6 * 60, 57, 0.5}, {15, 9.1, 0.05}};
	struct ckpt_job j = {.bytes = 1, .save_s = 300};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		j.mtbf_s = rows[i].mtbf_min * 60;
		CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_DALY) / 60,
			rows[i].interval_min, rows[i].within);
	}
	/* from d = 2 M on it is M */
	j.mtbf_s = 150;
	CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_DALY), 150, 0);
}

/* 2 x 50 s x 3600 s: sqrt(360000) = 600 s; detection takes longer. */
static void test_young(void)
{
	struct ckpt_job j = {.bytes = 1, .save_s = 50, .mtbf_s = 3600};

	CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_YOUNG), 600, 1e-9);
	j.detect_s = 900;
	CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_YOUNG), 900, 0);
}

/* d + sqrt(2 (M + R) d + d^2) from start to start: 8 + sqrt(2 x 96 x 8 + 64) */
static void test_availability(void)
{
	struct ckpt_job j = {
		.bytes = 1, .save_s = 8, .mtbf_s = 90, .restart_s = 6};

	CU_ASSERT_DOUBLE_EQUAL(
		ckpt_interval_s(&j, CKPT_AVAILABILITY), 40, 1e-9);
	/* saves much shorter than restarts, these than failures: Young's */
	j = (struct ckpt_job){
		.bytes = 1, .save_s = 0.01, .mtbf_s = 1e6, .restart_s = 10};
	CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_AVAILABILITY) /
				       ckpt_interval_s(&j, CKPT_YOUNG),
		1, 1e-4);
}

/* 50 s of 1000 stall, half of 1000 of 10,000 done again, 200 of 10,000. */
static void test_loss(void)
{
	struct ckpt_job j = {
		.bytes = 1, .save_s = 50, .mtbf_s = 10000, .restart_s = 200};
	struct ckpt_loss l;

	ckpt_loss_at(&j, 950, &l);
	CU_ASSERT_DOUBLE_EQUAL(l.stall, 0.05, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(l.rework, 0.05, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(l.restart, 0.02, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(l.total, 0.12, 1e-12);
	/* asynchronous, a copy of 5 s: 5 of 1000; (1000 + 50) / 20,000 */
	j.asynchronous = true;
	j.copy_s = 5;
	ckpt_loss_at(&j, 995, &l);
	CU_ASSERT_DOUBLE_EQUAL(l.stall, 0.005, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(l.rework, 0.0525, 1e-12);
}

/* The bandwidth table: 405b and 1t, M = 54 days / 419 and half an hour. */
static void test_bandwidth_table(void)
{
	static const struct {
		double gib, mtbf_s, loss, save_s, gib_per_s, minutes;
	} rows[] = {
		{5292.248718, 54 * 86400.0 / 419, 0.10, 55.7, 95, 18.6},
		{5292.248718, 54 * 86400.0 / 419, 0.05, 13.9, 380, 9.3},
		{5292.248718, 54 * 86400.0 / 419, 0.02, 2.2, 2376, 3.7},
		{15426.589264, 54 * 86400.0 / 419, 0.10, 55.7, 277, 18.6},
		{15426.589264, 54 * 86400.0 / 419, 0.05, 13.9, 1108, 9.3},
		{15426.589264, 54 * 86400.0 / 419, 0.02, 2.2, 6927, 3.7},
		{15426.589264, 1800, 0.10, 9, 1714, 3},
		{15426.589264, 1800, 0.05, 2.25, 6856, 1.5},
		{15426.589264, 1800, 0.02, 0.36, 42852, 0.6},
	};
	struct ckpt_target t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ckpt_job j = {.bytes = rows[i].gib * GIB, .save_s = 1,
			.mtbf_s = rows[i].mtbf_s};

		ckpt_target_for(&j, rows[i].loss, &t);
		CU_ASSERT(t.reachable);
		CU_ASSERT_DOUBLE_EQUAL(t.save_s, rows[i].save_s, 0.06);
		/* printed whole */
		CU_ASSERT_DOUBLE_EQUAL(
			t.bytes_per_s / GIB, rows[i].gib_per_s, 1.0);
		CU_ASSERT_DOUBLE_EQUAL(
			t.interval_s / 60, rows[i].minutes, 0.06);
	}
}

/* Whatever bandwidth it names: with it, the loss is the one asked for. */
static void test_asynchronous_target(void)
{
	struct ckpt_job j = {.bytes = 1000 * GIB, .mtbf_s = 7200,
		.asynchronous = true, .copy_s = 2, .save_s = 1};
	static const double losses[] = {0.2, 0.1, 0.05, 0.04};
	struct ckpt_target t, more;
	struct ckpt_loss l;
	size_t i;

	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		ckpt_target_for(&j, losses[i], &t);
		CU_ASSERT_TRUE_FATAL(t.reachable);
		j.save_s = j.bytes / t.bytes_per_s;
		/* storage has drained before the next one */
		CU_ASSERT(j.save_s <= t.interval_s * (1 + 1e-12));
		ckpt_loss_at(&j, t.interval_s - j.copy_s, &l);
		CU_ASSERT_DOUBLE_EQUAL(l.stall + l.rework, losses[i], 1e-9);
		/* no other interval does with less */
		j.save_s *= 1.01;
		for (double at = 0.5; at < 2; at += 0.05) {
			double period = t.interval_s * at;

			if (period < j.save_s)
				continue;
			ckpt_loss_at(&j, period - j.copy_s, &l);
			CU_ASSERT(l.stall + l.rework > losses[i]);
		}
		if (i)
			CU_ASSERT(t.bytes_per_s > more.bytes_per_s);
		more = t;
	}
	/* sqrt(2 x 2 / 7200) = 2.36 % are lost to copies alone */
	ckpt_target_for(&j, 0.0235, &t);
	CU_ASSERT_FALSE(t.reachable);
	ckpt_target_for(&j, 0.0236, &t);
	CU_ASSERT_TRUE(t.reachable);
	/* an interval leaves time to drain: S / B - c */
	j.save_s = 3600;
	CU_ASSERT_DOUBLE_EQUAL(ckpt_interval_s(&j, CKPT_DALY), 3598, 1e-9);
}

static void test_nonsense(void)
{
	static const struct ckpt_job bad[] = {
		{.bytes = 0, .save_s = 1, .mtbf_s = 1},
		{.bytes = 1, .save_s = 0, .mtbf_s = 1},
		{.bytes = 1, .save_s = -3, .mtbf_s = 1},
		{.bytes = 1, .save_s = 1, .mtbf_s = 0},
		{.bytes = 1, .save_s = 1, .mtbf_s = INFINITY},
		{.bytes = 1, .save_s = NAN, .mtbf_s = 1},
		{.bytes = 1, .save_s = 1, .mtbf_s = 1, .restart_s = -1},
		{.bytes = 1, .save_s = 1, .mtbf_s = 1, .asynchronous = true},
	};
	struct ckpt_job good = {.bytes = 1, .save_s = 1, .mtbf_s = 1};
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL(ckpt_job_check(&bad[i], &e), -EINVAL);
		CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	}
	CU_ASSERT_EQUAL(ckpt_job_check(&good, &e), 0);
	CU_ASSERT_STRING_EQUAL(ckpt_rule_name(CKPT_DALY), "daly");
}

UT_SUITE(ckpt_plan, UT_CASE(test_daly), UT_CASE(test_young),
	UT_CASE(test_availability), UT_CASE(test_loss),
	UT_CASE(test_bandwidth_table), UT_CASE(test_asynchronous_target),
	UT_CASE(test_nonsense))
