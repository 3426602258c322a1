/* Random numbers against numpy and the published xoshiro outputs. */
#include "core/rng.h"
#include "tests/unit/ut.h"

#include <string.h>

static void test_mt_words(void)
{
	struct rng_mt r;
	int i;

	/* The standard's check: word 10000 after seed 5489. */
	rng_mt_seed(&r, 5489);
	for (i = 0; i < 9999; i++)
		rng_mt_u32(&r);
	CU_ASSERT_EQUAL(rng_mt_u32(&r), 4123659995U);
}

static void test_mt_normal_as_numpy(void)
{
	const double sd = 68341808.0 / 2 / __builtin_sqrt(146600628.0);
	static const double seed10[] = {15865.010055391904, 14125.663879412647,
		7745.563608635938, 12083.33905702966, 13860.537476097785,
		10074.770948765246};
	static const double seed11[] = {17044.319872865304, 11299.643365430833,
		10739.457873572555, 4618.791164194062};
	struct rng_mt r;
	size_t i;

	CU_ASSERT_EQUAL(sd, 2822.204974094854);
	rng_mt_seed(&r, 10);
	for (i = 0; i < 6; i++)
		CU_ASSERT_EQUAL(rng_mt_normal(&r, 12107, sd), seed10[i]);
	rng_mt_seed(&r, 11);
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(rng_mt_normal(&r, 12107, sd), seed11[i]);
}

static void test_mt_skip_pair(void)
{
	struct rng_mt a, b;
	int i;

	rng_mt_seed(&a, 10);
	rng_mt_seed(&b, 10);
	for (i = 0; i < 1000; i++) {
		rng_mt_normal(&a, 0, 1);
		rng_mt_normal(&a, 0, 1);
		rng_mt_skip_normal_pair(&b);
	}
	CU_ASSERT_FALSE(a.has_normal);
	CU_ASSERT_EQUAL(a.index, b.index);
	CU_ASSERT_EQUAL(memcmp(a.state, b.state, sizeof(a.state)), 0);
}

/* numpy.random.seed(7); shuffle(list(range(10))). */
static void test_mt_shuffle_as_numpy(void)
{
	static const uint32_t want[10] = {8, 5, 0, 2, 1, 9, 7, 3, 6, 4};
	uint32_t a[10], i;
	struct rng_mt r;

	for (i = 0; i < 10; i++)
		a[i] = i;
	rng_mt_seed(&r, 7);
	rng_mt_shuffle_u32(&r, a, 10);
	CU_ASSERT_EQUAL(memcmp(a, want, sizeof(want)), 0);
	rng_mt_shuffle_u32(&r, a, 1);
	rng_mt_shuffle_u32(&r, a, 0);
	CU_ASSERT_EQUAL(a[0], want[0]);
}

static void test_mt_interval(void)
{
	uint32_t seen[6] = {0}, v, i;
	struct rng_mt r;

	rng_mt_seed(&r, 1);
	CU_ASSERT_EQUAL(rng_mt_interval(&r, 0), 0);
	CU_ASSERT_EQUAL(r.index, 624); /* nothing was drawn */
	for (i = 0; i < 6000; i++) {
		v = rng_mt_interval(&r, 5);
		CU_ASSERT_FATAL(v <= 5);
		seen[v]++;
	}
	for (i = 0; i < 6; i++)
		CU_ASSERT(seen[i] > 850 && seen[i] < 1150);
	rng_mt_seed(&r, 5489);
	CU_ASSERT_EQUAL(rng_mt_interval(&r, UINT32_MAX), 3499211612U);
}

/* As rand_xoshiro: from the state 1 2 3 4, and from the seed 0. */
static void test_xo_reference(void)
{
	static const uint64_t raw[] = {41943041, 58720359, 3588806011781223,
		3591011842654386, 9228616714210784205U, 9973669472204895162U};
	static const uint64_t seed0[] = {5987356902031041503U,
		7051070477665621255U, 6633766593972829180U, 211316841551650330U,
		9136120204379184874U};
	struct rng_xo r = {{1, 2, 3, 4}};
	size_t i;

	for (i = 0; i < sizeof(raw) / sizeof(raw[0]); i++)
		CU_ASSERT_EQUAL(rng_xo_next(&r), raw[i]);
	rng_xo_seed(&r, 0);
	CU_ASSERT_EQUAL(r.s[0], 0xe220a8397b1dcdafU);
	for (i = 0; i < sizeof(seed0) / sizeof(seed0[0]); i++)
		CU_ASSERT_EQUAL(rng_xo_next(&r), seed0[i]);
}

static int bits_changed(uint64_t a, uint64_t b)
{
	return __builtin_popcountll(a ^ b);
}

static void test_mix64(void)
{
	uint64_t h = rng_mix64(3, 5);
	int i, n, sum = 0;

	CU_ASSERT_NOT_EQUAL(h, rng_mix64(5, 3));
	CU_ASSERT_NOT_EQUAL(rng_mix64(0, 0), 0);
	CU_ASSERT_NOT_EQUAL(rng_mix64(1, 0), rng_mix64(0, 1));
	/* Any input bit flips about half of the output. */
	for (i = 0; i < 64; i++) {
		n = bits_changed(h, rng_mix64(3 ^ 1ULL << i, 5));
		CU_ASSERT(n > 12 && n < 52);
		sum += n;
		n = bits_changed(h, rng_mix64(3, 5 ^ 1ULL << i));
		CU_ASSERT(n > 12 && n < 52);
		sum += n;
	}
	CU_ASSERT(sum > 128 * 30 && sum < 128 * 34);
}

UT_SUITE(rng, UT_CASE(test_mt_words), UT_CASE(test_mt_normal_as_numpy),
	UT_CASE(test_mt_skip_pair), UT_CASE(test_mt_shuffle_as_numpy),
	UT_CASE(test_mt_interval), UT_CASE(test_xo_reference),
	UT_CASE(test_mix64))
