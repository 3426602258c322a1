/* The buffer arena and the guard of a host's memory. */
#include "core/units.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

static const struct memory_room *room(uint64_t bytes)
{
	static struct memory_room r = {.limit = "so they say"};

	r.bytes = bytes;
	return &r;
}

/*
 * mlcommons/storage#372, #448, #741: 200 ranks on 25 hosts, 8 buffers of 512
 * MiB per rank. A host has 200 / 25 = 8 ranks: 8 x 8 x 512 MiB = 32 GiB, which
 * may be nine tenths of what is available: at least 32 / 0.9 = 35.6 GiB.
 * The job's 800 GiB are nobody's business.
 */
static void test_C30_guard_counts_ranks_of_one_host(void)
{
	uint64_t ranks = 200 / 25;
	struct err e = {0};

	CU_ASSERT_EQUAL(buffers_guard(ranks, 8, 512 * MIB_BYTES,
				room(36 * GIB_BYTES), &e), 0);
	CU_ASSERT_EQUAL(buffers_guard(ranks, 8, 512 * MIB_BYTES,
				room(35 * GIB_BYTES), &e), -ENOMEM);
	CU_ASSERT_EQUAL(e.kind, ERR_ENV);
	/* the sum it made */
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "32 GiB"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(e.text, "8 ranks here x 8 buffers x 512 MiB"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "35 GiB"));
	CU_ASSERT_PTR_NULL(strstr(e.text, "800"));
}

/* Exactly nine tenths pass, a byte more does not. */
static void test_guard_edge(void)
{
	struct err e;

	CU_ASSERT_EQUAL(buffers_guard(9, 1, 100, room(1000), &e), 0);
	CU_ASSERT_EQUAL(buffers_guard(1, 1, 901, room(1000), &e), -ENOMEM);
	/* nothing is known: nothing is refused */
	CU_ASSERT_EQUAL(buffers_guard(1000, 1000, GIB_BYTES, room(0), &e), 0);
	/* a product beyond 64 bits is large, not small */
	CU_ASSERT_EQUAL(buffers_guard(UINT64_C(1) << 32, UINT64_C(1) << 32,
				GIB_BYTES, room(UINT64_MAX), &e), -ENOMEM);
}

static struct engine *null_engine(struct clock *c)
{
	struct engine_spec s = {.kind = ENGINE_NULL};
	struct engine *g = NULL;
	char why[64];
	struct err e;

	clock_start(c, true);
	CU_ASSERT_EQUAL_FATAL(engine_open(&s, c, &g, why, sizeof(why), &e), 0);
	return g;
}

static void test_without_memory(void)
{
	struct buffers b;
	struct clock c;
	struct engine *g = null_engine(&c);
	struct err e;

	/* a terabyte costs nothing on a modelled drive */
	CU_ASSERT_EQUAL(buffers_init(&b, g, 1024, GIB_BYTES, false, &e), 0);
	CU_ASSERT_PTR_NULL(buffers_at(&b, 0));
	CU_ASSERT_PTR_NULL(buffers_at(&b, 1023));
	CU_ASSERT_FALSE(b.registered);
	buffers_fini(&b);
	engine_close(g);
}

static void test_arena(void)
{
	const size_t size = 68 * KIB_BYTES; /* no power of two */
	struct buffers b;
	struct clock c;
	struct engine *g = null_engine(&c);
	struct err e;
	uint32_t i;
	size_t k;

	CU_ASSERT_EQUAL_FATAL(buffers_init(&b, g, 40, size, true, &e), 0);
	CU_ASSERT_EQUAL(b.count, 40);
	/* 40 x 68 KiB = 2720 KiB: two huge pages */
	CU_ASSERT_EQUAL(b.arena_bytes, 4 * MIB_BYTES);
	CU_ASSERT_EQUAL((uintptr_t)b.mem % (2 * MIB_BYTES), 0);
	for (i = 0; i < 40; i++) {
		CU_ASSERT_EQUAL((uintptr_t)buffers_at(&b, i) % 4096, 0);
		memset(buffers_at(&b, i), (int)i, size);
	}
	for (i = 0; i < 40; i++) {
		const uint8_t *p = buffers_at(&b, i);

		for (k = 0; k < size && p[k] == i; k++)
			;
		CU_ASSERT_EQUAL(k, size);
	}
	buffers_fini(&b);
	CU_ASSERT_PTR_NULL(b.mem);
	engine_close(g);
}

/* Reclaimable cache counts as available, so it is at least what is free. */
static void test_available(void)
{
	struct memory_room r;

	memory_available(&r);
	CU_ASSERT(r.bytes > 16 * MIB_BYTES);
	CU_ASSERT(r.limit[0] != 0);
}

UT_SUITE(buffers, UT_CASE(test_C30_guard_counts_ranks_of_one_host),
	UT_CASE(test_guard_edge), UT_CASE(test_without_memory),
	UT_CASE(test_arena), UT_CASE(test_available))
