/* File order against the reference's, computed with numpy. */
#include "accel_sim/shard.h"
#include "tests/unit/ut.h"

#include <stdlib.h>
#include <string.h>

static void expect(
	struct shard *s, uint64_t epoch, uint64_t rank, const uint32_t *want)
{
	struct err e;
	size_t bytes = shard_files_per_rank(s) * sizeof(*want);

	CU_ASSERT_EQUAL_FATAL(shard_epoch(s, epoch, &e), 0);
	CU_ASSERT_EQUAL(memcmp(shard_rank(s, rank), want, bytes), 0);
}

static const uint32_t two_ranks[3][2][6] = {
	{{0, 9, 2, 11, 4, 7}, {1, 3, 10, 8, 6, 5}},
	{{0, 4, 8, 3, 2, 5}, {9, 1, 11, 7, 10, 6}},
	{{7, 11, 2, 6, 0, 4}, {3, 1, 9, 8, 10, 5}},
};

static void test_one_rank(void)
{
	static const uint32_t want[2][8] = {
		{5, 6, 3, 1, 0, 7, 2, 4}, {1, 0, 5, 4, 2, 6, 7, 3}};
	struct err e;
	struct shard *s = shard_new(8, 1, &e);

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	expect(s, 1, 0, want[0]);
	expect(s, 2, 0, want[1]);
	shard_free(s);
}

static void test_two_ranks(void)
{
	struct err e;
	struct shard *s = shard_new(12, 2, &e);
	uint64_t epoch, rank;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT_EQUAL(shard_files_per_rank(s), 6);
	for (epoch = 1; epoch <= 3; epoch++)
		for (rank = 0; rank < 2; rank++)
			expect(s, epoch, rank, two_ranks[epoch - 1][rank]);
	shard_free(s);
}

/* Again, backwards, and with a jump: the same lists. */
static void test_any_epoch_order(void)
{
	static const uint64_t order[] = {3, 3, 1, 2, 2, 3, 1};
	struct err e;
	struct shard *s = shard_new(12, 2, &e);
	size_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		expect(s, order[i], 1, two_ranks[order[i] - 1][1]);
	shard_free(s);
}

/* Each of the first R * m files exactly once, the rest never. */
static void test_every_file_once(void)
{
	static const uint64_t ranks[] = {1, 2, 3, 7, 33, 64, 1000};
	uint8_t seen[1000];
	struct err e;
	size_t k;

	for (k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++) {
		uint64_t n = 1000 / ranks[k] * ranks[k], m, r, i;
		struct shard *s = shard_new(1000, ranks[k], &e);

		CU_ASSERT_PTR_NOT_NULL_FATAL(s);
		CU_ASSERT_EQUAL_FATAL(shard_epoch(s, 4, &e), 0);
		memset(seen, 0, sizeof(seen));
		m = shard_files_per_rank(s);
		CU_ASSERT_EQUAL(m, 1000 / ranks[k]);
		for (r = 0; r < ranks[k]; r++)
			for (i = 0; i < m; i++)
				seen[shard_rank(s, r)[i]]++;
		for (i = 0; i < 1000; i++)
			CU_ASSERT_EQUAL(seen[i], i < n);
		shard_free(s);
	}
}

static void test_bad_parameters(void)
{
	struct shard *s;
	struct err e;

	CU_ASSERT_PTR_NULL(shard_new(3, 4, &e));
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "3 files among 4"));
	CU_ASSERT_PTR_NULL(shard_new(3, 0, &e));
	CU_ASSERT_PTR_NULL(shard_new(0, 0, &e));
	CU_ASSERT_PTR_NULL(shard_new(1ULL << 32, 1, &e));
	s = shard_new(4, 4, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	CU_ASSERT(shard_epoch(s, 0, &e) < 0);
	CU_ASSERT(shard_epoch(s, UINT32_MAX, &e) < 0);
	CU_ASSERT_EQUAL(shard_epoch(s, 1, &e), 0);
	shard_free(s);
	shard_free(NULL);
}

UT_SUITE(shard, UT_CASE(test_one_rank), UT_CASE(test_two_ranks),
	UT_CASE(test_any_epoch_order), UT_CASE(test_every_file_once),
	UT_CASE(test_bad_parameters))
