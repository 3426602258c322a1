#include "core/hist.h"

#include "tests/unit/ut.h"

#include <stdlib.h>

#define VALUES 20000

static void test_buckets(void)
{
	uint64_t lower, next;
	uint32_t b;

	CU_ASSERT_EQUAL(HIST_BUCKETS, 1920);
	for (b = 0; b < HIST_BUCKETS; b++) {
		lower = hist_lower(b);
		CU_ASSERT_EQUAL_FATAL(hist_bucket(lower), b);
		if (b + 1 == HIST_BUCKETS)
			break;
		next = hist_lower(b + 1);
		CU_ASSERT_TRUE_FATAL(next > lower);
		CU_ASSERT_EQUAL_FATAL(hist_bucket(next - 1), b);
		/* the promise of hist.h */
		CU_ASSERT_TRUE_FATAL(b < HIST_LINEAR
					     ? next - lower == 1
					     : (next - lower) * 32 <= lower);
	}
	CU_ASSERT_EQUAL(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
	CU_ASSERT_EQUAL(hist_bucket(63), 63);
	CU_ASSERT_EQUAL(hist_bucket(64), 64);
	CU_ASSERT_EQUAL(hist_bucket(65), 64);
	CU_ASSERT_EQUAL(hist_lower(65), 66);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Values of every magnitude, from a simple generator of our own. */
static uint64_t next_value(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state ^ *state >> 29) >> (*state >> 58);
}

static void check_percentiles(
	const struct hist *h, const uint64_t *sorted, uint64_t n)
{
	static const uint32_t ppm[] = {
		1, 1000, 10000, 250000, 500000, 900000, 990000, 999999};
	uint64_t exact, got;
	size_t i;

	for (i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		exact = sorted[(n * ppm[i] + 999999) / 1000000 - 1];
		got = hist_percentile(h, ppm[i]);
		CU_ASSERT_TRUE(got >= exact);
		CU_ASSERT_TRUE(got - exact <= exact / 32);
		if (exact < HIST_LINEAR)
			CU_ASSERT_EQUAL(got, exact);
	}
	CU_ASSERT_EQUAL(hist_percentile(h, 0), sorted[0]);
	CU_ASSERT_EQUAL(hist_percentile(h, 1000000), sorted[n - 1]);
}

static void test_against_exact(void)
{
	uint64_t *v = malloc(VALUES * sizeof(*v)), state = 7, i;
	struct hist h = {0}, half[2] = {{0}, {0}};
	unsigned __int128 sum = 0;

	for (i = 0; i < VALUES; i++) {
		v[i] = next_value(&state);
		sum += v[i];
		CU_ASSERT_EQUAL_FATAL(hist_record(&h, v[i]), 0);
		CU_ASSERT_EQUAL_FATAL(hist_record(&half[i % 2], v[i]), 0);
	}
	qsort(v, VALUES, sizeof(*v), by_value);
	CU_ASSERT_EQUAL(h.count, VALUES);
	CU_ASSERT_EQUAL(h.min, v[0]);
	CU_ASSERT_EQUAL(h.max, v[VALUES - 1]);
	CU_ASSERT_TRUE(h.sum == sum);
	CU_ASSERT_EQUAL(hist_mean(&h), (double)sum / VALUES);
	check_percentiles(&h, v, VALUES);
	/* two halves make the same whole */
	CU_ASSERT_EQUAL_FATAL(hist_merge(&half[0], &half[1]), 0);
	CU_ASSERT_EQUAL(half[0].count, VALUES);
	CU_ASSERT_TRUE(half[0].sum == sum);
	check_percentiles(&half[0], v, VALUES);
	hist_fini(&half[0]);
	hist_fini(&half[1]);
	hist_fini(&h);
	free(v);
}

static void test_empty_and_single(void)
{
	struct hist h = {0}, none = {0};

	CU_ASSERT_EQUAL(hist_percentile(&h, 500000), 0);
	CU_ASSERT_EQUAL(hist_mean(&h), 0);
	CU_ASSERT_EQUAL(hist_merge(&h, &none), 0);
	CU_ASSERT_EQUAL(h.n, 0);
	CU_ASSERT_EQUAL_FATAL(hist_record(&h, 80000), 0);
	/* one value: exact, though its bucket is wider */
	CU_ASSERT_EQUAL(hist_percentile(&h, 500000), 80000);
	CU_ASSERT_EQUAL(hist_percentile(&h, 0), 80000);
	CU_ASSERT_EQUAL(hist_merge(&none, &h), 0);
	CU_ASSERT_EQUAL(none.min, 80000);
	CU_ASSERT_EQUAL(none.max, 80000);
	hist_fini(&none);
	hist_fini(&h);
	CU_ASSERT_PTR_NULL(h.counts);
}

/* Only what is used takes memory; it grows either way. */
static void test_range(void)
{
	struct hist h = {0};

	CU_ASSERT_EQUAL(hist_record(&h, 1 << 20), 0);
	CU_ASSERT_EQUAL(h.n, 32);
	CU_ASSERT_EQUAL(hist_record(&h, 1 << 18), 0);
	CU_ASSERT_EQUAL(h.n, 96);
	CU_ASSERT_EQUAL(hist_record(&h, 1 << 21), 0);
	CU_ASSERT_EQUAL(h.n, 128);
	CU_ASSERT_EQUAL(hist_record(&h, 0), 0);
	CU_ASSERT_EQUAL(hist_record(&h, UINT64_MAX), 0);
	CU_ASSERT_EQUAL(h.n, HIST_BUCKETS);
	CU_ASSERT_EQUAL(h.count, 5);
	CU_ASSERT_EQUAL(h.counts[hist_bucket(1 << 18)], 1);
	CU_ASSERT_EQUAL(h.counts[hist_bucket(1 << 21)], 1);
	CU_ASSERT_EQUAL(hist_percentile(&h, 1000000), UINT64_MAX);
	hist_fini(&h);
}

UT_SUITE(hist, UT_CASE(test_buckets), UT_CASE(test_against_exact),
	UT_CASE(test_empty_and_single), UT_CASE(test_range))
