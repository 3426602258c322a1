/* The two clocks. */
#include "storage/clock.h"
#include "tests/unit/ut.h"

#include <unistd.h>

static void test_virtual_stands_still(void)
{
	struct clock c;

	clock_start(&c, true);
	CU_ASSERT_EQUAL(clock_now(&c), 0);
	usleep(2000);
	CU_ASSERT_EQUAL(clock_now(&c), 0);
	c.virtual_ns = 123456789;
	CU_ASSERT_EQUAL(clock_now(&c), 123456789);
}

/* A wall clock that was set 5 s forward, as seen from the anchor. */
static void test_wall_step(void)
{
	struct clock c;
	int64_t step;

	clock_start(&c, false);
	step = clock_wall_step_ns(&c);
	CU_ASSERT(step > -100000000 && step < 100000000);
	c.wall_anchor_ns -= 5000000000;
	step = clock_wall_step_ns(&c);
	CU_ASSERT(step > 4900000000 && step < 5100000000);
	clock_start(&c, true);
	c.wall_anchor_ns = 0;
	CU_ASSERT_EQUAL(clock_wall_step_ns(&c), 0);
}

static void test_real_counts_from_its_start(void)
{
	int64_t before, after, now;
	struct clock c;

	before = clock_monotonic_ns();
	clock_start(&c, false);
	usleep(3000);
	now = clock_now(&c);
	after = clock_monotonic_ns();
	CU_ASSERT(now >= 3000000);
	CU_ASSERT(now <= after - before);
	CU_ASSERT(clock_now(&c) >= now);
}

/* Both kinds have a wall time, for the stamps. */
static void test_anchor(void)
{
	int64_t wall_s = time(NULL);
	struct clock c;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		clock_start(&c, kind == 1);
		CU_ASSERT(c.wall_anchor_ns / 1000000000 >= wall_s - 1);
		CU_ASSERT(c.wall_anchor_ns / 1000000000 <= wall_s + 60);
	}
}

UT_SUITE(clock, UT_CASE(test_virtual_stands_still),
	UT_CASE(test_real_counts_from_its_start),
	UT_CASE(test_wall_step), UT_CASE(test_anchor))
