/* Content of checkpoint files: the same by any way, nothing of it twice. */
#include "datagen/ckpt_content.h"

#include "tests/unit/ut.h"

#include <stdlib.h>
#include <string.h>

#define PART (4u << 20)

static struct ckpt_content content;

static void test_any_range(void)
{
	static uint8_t whole[8192], part[8192];
	uint64_t bad;

	ckpt_content_init(&content, 7);
	ckpt_content_fill(&content, 3, 0, whole, sizeof(whole));
	ckpt_content_fill(&content, 3, 1024, part, 5000);
	CU_ASSERT_EQUAL(memcmp(part, whole + 1024, 5000), 0);
	/* checks may begin anywhere: the readers' quarters are not aligned */
	CU_ASSERT_TRUE(ckpt_content_check(
		&content, 3, 777, whole + 777, 4001, &bad));
	whole[777 + 4000] ^= 1;
	CU_ASSERT_FALSE(ckpt_content_check(
		&content, 3, 777, whole + 777, 4001, &bad));
	CU_ASSERT_EQUAL(bad, 4777);
	/* other file, other seed: another content */
	CU_ASSERT_FALSE(ckpt_content_check(&content, 4, 0, whole, 512, &bad));
	ckpt_content_init(&content, 8);
	CU_ASSERT_FALSE(ckpt_content_check(&content, 3, 0, whole, 512, &bad));
}

static int by_block(const void *a, const void *b)
{
	return memcmp(a, b, CKPT_BLOCK_BYTES);
}

/* C44: 2 files of 4 MiB, farther than the pool is long: no 512 bytes twice. */
static void test_C44_no_block_twice(void)
{
	size_t n = 2 * PART / CKPT_BLOCK_BYTES, i, twice = 0;
	uint8_t *buf = malloc(2 * PART);

	CU_ASSERT_PTR_NOT_NULL_FATAL(buf);
	ckpt_content_init(&content, 1);
	ckpt_content_fill(&content, 0, 0, buf, PART);
	ckpt_content_fill(&content, 1, 0, buf + PART, PART);
	qsort(buf, n, CKPT_BLOCK_BYTES, by_block);
	for (i = 1; i < n; i++)
		twice += !memcmp(buf + i * CKPT_BLOCK_BYTES,
			buf + (i - 1) * CKPT_BLOCK_BYTES, CKPT_BLOCK_BYTES);
	CU_ASSERT_EQUAL(twice, 0);
	free(buf);
}

UT_SUITE(ckpt_content, UT_CASE(test_any_range),
	UT_CASE(test_C44_no_block_twice))
