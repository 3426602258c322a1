/* Batch means against arithmetic by hand. */
#include "core/batch_means.h"

#include "tests/unit/ut.h"

#include <math.h>
#include <string.h>

/*
 * Rates 1 ... 10: mean 5.5, squares of the deviations sum to 82.5, so s =
 * sqrt(82.5 / 9) = 3.027650, s / sqrt(10) = 0.957427, times t(9) = 2.262 gives
 * 2.165700, which is 39.3764 % of 5.5.
 */
static void ten_by_hand(void)
{
	struct batch_means b;
	int i;

	memset(&b, 0, sizeof(b));
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 0, 0);
	for (i = 1; i <= 10; i++) {
		CU_ASSERT(isinf(batch_means_ci_pct(&b)));
		/* half a second: the rate is twice the amount */
		batch_means_add(&b, i / 2.0, 0.5);
	}
	CU_ASSERT_EQUAL(b.count, 10);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 5.5, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_ci_pct(&b), 39.3764, 1e-3);
}

/*
 * The 21st piece merges twenty into ten: (1 + 2) / 2, (3 + 4) / 2 ... 19.5.
 * Twice the spread of before, 2 x 0.957427 x 2.262 = 4.331400 of 10.5.
 */
static void merged_by_hand(void)
{
	struct batch_means b;
	int i;

	memset(&b, 0, sizeof(b));
	for (i = 1; i <= 20; i++)
		batch_means_add(&b, i, 1);
	CU_ASSERT_EQUAL(b.count, 20);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 10.5, 1e-12);
	batch_means_add(&b, 21, 1);
	CU_ASSERT_EQUAL(b.count, 10);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 10.5, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(
		batch_means_ci_pct(&b), 100 * 4.331400 / 10.5, 1e-3);
	batch_means_add(&b, 22, 1);
	CU_ASSERT_EQUAL(b.count, 11);
	/* (1 + ... + 22) / 22 */
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 11.5, 1e-12);
	for (i = 23; i <= 1000; i++) {
		batch_means_add(&b, i, 1);
		CU_ASSERT(b.count >= 10 && b.count <= 20);
	}
}

/* A steady rate is known exactly; the longer batch weighs more. */
static void steady_and_weighted(void)
{
	struct batch_means b;
	int i;

	memset(&b, 0, sizeof(b));
	for (i = 0; i < 12; i++)
		batch_means_add(&b, 8, 2);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_ci_pct(&b), 0, 1e-12);
	memset(&b, 0, sizeof(b));
	batch_means_add(&b, 10, 1);
	batch_means_add(&b, 10, 3);
	CU_ASSERT_DOUBLE_EQUAL(batch_means_rate(&b), 5, 1e-12);
}

UT_SUITE(batch_means, UT_CASE(ten_by_hand), UT_CASE(merged_by_hand),
	UT_CASE(steady_and_weighted))
