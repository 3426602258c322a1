/* The interval of the steady AU, from numbers worked out by hand. */
#include "accel_sim/au_interval.h"
#include "core/record.h"
#include "tests/unit/ut.h"

#include <math.h>
#include <string.h>

/* One rank, one epoch; step k takes 100 ns of which compute[k] are compute. */
static double interval(const int64_t *compute, uint32_t steps, uint32_t first,
	uint32_t end)
{
	struct rec_run run = {.rank_count = 1};
	struct rec_rank rank;
	struct rec_epoch *ep;
	double ci;
	uint32_t k;

	memset(&rank, 0, sizeof(rank));
	CU_ASSERT_EQUAL_FATAL(rec_rank_init(&rank, 1, steps), 0);
	run.ranks = &rank;
	ep = &rank.epochs[0];
	for (k = 0; k < steps; k++) {
		ep->compute_ns[k] = compute[k];
		ep->proc_ns[k] = compute[k] + 5;
		ep->barrier_ns[k] = 95 - compute[k];
	}
	ep->steady.first = first;
	ep->steady.end = end;
	ci = acc_steady_ci_pct(&run);
	rec_rank_fini(&rank);
	return ci;
}

/*
 * Batches of two: 80 90 80 90, mean 85, s^2 = 4 x 25 / 3, t(3) = 3.182:
 * 3.182 x sqrt(100 / 3 / 4) = 9.186.
 */
static void test_by_hand(void)
{
	static const int64_t c[] = {1, 70, 90, 95, 85, 80, 80, 90, 90, 1};

	CU_ASSERT_DOUBLE_EQUAL(interval(c, 10, 1, 9), 9.186, 0.001);
}

static void test_even_steps_have_none(void)
{
	static const int64_t c[] = {1, 90, 90, 90, 90, 90, 90, 90, 90, 1};

	CU_ASSERT_DOUBLE_EQUAL(interval(c, 10, 1, 9), 0, 1e-6);
}

static void test_too_short_is_not_known(void)
{
	static const int64_t c[] = {1, 10, 90, 95, 30, 80, 80, 90, 90, 1};

	CU_ASSERT_EQUAL(interval(c, 10, 2, 8), 0);
	CU_ASSERT_EQUAL(interval(c, 10, 5, 5), 0);
}

/* More steps of the same kind: narrower as 1 / sqrt(b), but for t. */
static void test_ten_batches_of_an_epoch(void)
{
	int64_t c[60];
	uint32_t k;

	/* windows of 40: batches of 4, alternating 80 and 90 */
	for (k = 0; k < 60; k++)
		c[k] = k / 4 % 2 ? 90 : 80;
	/* s^2 = 10 x 25 / 9, t(9) = 2.262 */
	CU_ASSERT_DOUBLE_EQUAL(interval(c, 60, 8, 48),
		2.262 * sqrt(250.0 / 9 / 10), 0.001);
}

UT_SUITE(au_interval, UT_CASE(test_by_hand),
	UT_CASE(test_even_steps_have_none),
	UT_CASE(test_too_short_is_not_known),
	UT_CASE(test_ten_batches_of_an_epoch))
