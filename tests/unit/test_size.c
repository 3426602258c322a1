/* The search for the largest N, over made-up curves. */
#include "plan/size.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

struct curve {
	uint64_t passes_to; /* N that pass from 1 on */
	uint64_t hole, hole_end; /* N that do not, all the same */
	uint64_t again;	    /* one above that passes */
	uint64_t fails_at;  /* probing it is an error */
	unsigned probes;
	uint64_t least, highest; /* N probed */
};

static int probe(void *ctx, uint64_t n, struct size_point *p, struct err *e)
{
	struct curve *c = ctx;

	c->probes++;
	if (!c->least || n < c->least)
		c->least = n;
	if (n > c->highest)
		c->highest = n;
	if (n == c->fails_at)
		return err_set(e, ERR_IO, -EIO, "no probe of %d", (int)n);
	p->passes = (n <= c->passes_to && !(n >= c->hole && n < c->hole_end)) ||
		    n == c->again;
	/* the reference is kinder by two */
	p->reference_passes = n <= c->passes_to + 2;
	return 0;
}

static struct size_found find(struct curve *c, uint64_t first, uint64_t most)
{
	struct size_search s = {.first = first, .most = most,
		.neighbours = true, .probe = probe, .ctx = c};
	struct size_curve curve = {0};
	struct size_found found;
	struct err e;
	size_t i;

	CU_ASSERT_EQUAL(size_find(&s, &curve, &found, &e), 0);
	/* each N once, in order */
	CU_ASSERT_EQUAL(curve.count, c->probes);
	for (i = 1; i < curve.count; i++)
		CU_ASSERT_TRUE(curve.points[i - 1].accelerators <
			       curve.points[i].accelerators);
	size_curve_fini(&curve);
	return found;
}

static void test_any_estimate_finds_the_edge(void)
{
	static const uint64_t firsts[] = {1, 2, 6, 7, 8, 9, 30, 1000};
	struct size_found f;
	uint64_t edge;
	size_t i;

	for (edge = 0; edge <= 20; edge++)
		for (i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++) {
			struct curve c = {.passes_to = edge};

			f = find(&c, firsts[i], 1000);
			CU_ASSERT_EQUAL(f.accelerators, edge);
			CU_ASSERT_EQUAL(f.failed, edge + 1);
			CU_ASSERT_EQUAL(f.again, 0);
			CU_ASSERT_FALSE(f.capped);
		}
}

static void test_good_estimate_is_cheap(void)
{
	struct curve c = {.passes_to = 998};
	struct size_found f = find(&c, 998, 2048);

	CU_ASSERT_EQUAL(f.accelerators, 998);
	/* 998 999, neighbours 997 1000, and 499 and 1 */
	CU_ASSERT_EQUAL(c.probes, 6);
}

static void test_cannot_feed_one(void)
{
	struct curve c = {.passes_to = 0};
	struct size_found f = find(&c, 4, 100);

	CU_ASSERT_EQUAL(f.accelerators, 0);
	CU_ASSERT_EQUAL(f.failed, 1);
	CU_ASSERT_EQUAL(c.least, 1);
}

static void test_all_pass_up_to_the_cap(void)
{
	struct curve c = {.passes_to = 1000000};
	struct size_found f = find(&c, 3, 100);

	CU_ASSERT_EQUAL(f.accelerators, 100);
	CU_ASSERT_TRUE(f.capped);
	CU_ASSERT_EQUAL(f.failed, 0);
	CU_ASSERT_EQUAL(c.highest, 100);
}

/* 5 fail, 6 pass again: 4 is what can be promised, and 6 is told. */
static void test_hole_above_the_edge(void)
{
	struct curve c = {.passes_to = 4, .again = 6};
	struct size_found f = find(&c, 4, 100);

	CU_ASSERT_EQUAL(f.accelerators, 4);
	CU_ASSERT_EQUAL(f.failed, 5);
	CU_ASSERT_EQUAL(f.again, 6);
}

/* 8 pass, but 7 do not: the answer is below the failure. */
static void test_hole_below_the_edge(void)
{
	struct curve c = {.passes_to = 8, .hole = 6, .hole_end = 8};
	struct size_found f = find(&c, 8, 100);

	CU_ASSERT_EQUAL(f.accelerators, 5);
	CU_ASSERT_EQUAL(f.failed, 7);
	CU_ASSERT_EQUAL(f.again, 8);
}

/* A collapse at half of N is found as well. */
static void test_hole_far_below(void)
{
	struct curve c = {.passes_to = 40, .hole = 19, .hole_end = 22};
	struct size_found f = find(&c, 40, 100);

	CU_ASSERT_EQUAL(f.accelerators, 18);
	CU_ASSERT_EQUAL(f.again, 39);
}

static void test_reference_has_its_own_answer(void)
{
	struct curve c = {.passes_to = 10};
	struct size_search s = {.first = 10, .most = 100, .neighbours = true,
		.probe = probe, .ctx = &c};
	struct size_curve curve = {0};
	struct size_found steady, reference;
	unsigned probes;
	struct err e;

	CU_ASSERT_EQUAL(size_find(&s, &curve, &steady, &e), 0);
	probes = c.probes;
	s.reference = true;
	s.neighbours = false;
	CU_ASSERT_EQUAL(size_find(&s, &curve, &reference, &e), 0);
	CU_ASSERT_EQUAL(steady.accelerators, 10);
	CU_ASSERT_EQUAL(reference.accelerators, 12);
	/* 12 was tried as a neighbour: only 13 is new */
	CU_ASSERT_EQUAL(c.probes, probes + 1);
	size_curve_fini(&curve);
}

/* Noise at the edge: whatever passes, it is below what fails. */
static int noisy(void *ctx, uint64_t n, struct size_point *p, struct err *e)
{
	uint32_t *state = ctx;

	(void)e;
	*state = *state * 1664525 + 1013904223;
	p->passes = n < 10 || (n < 15 && (*state >> 31));
	p->reference_passes = p->passes;
	return 0;
}

static void test_noise_ends_and_is_consistent(void)
{
	uint32_t seed, state;
	const struct size_point *p;

	for (seed = 1; seed <= 200; seed++) {
		struct size_search s = {.first = 12, .most = 100,
			.neighbours = true, .probe = noisy, .ctx = &state};
		struct size_curve curve = {0};
		struct size_found f;
		struct err e;
		size_t i;

		state = seed;
		CU_ASSERT_EQUAL(size_find(&s, &curve, &f, &e), 0);
		CU_ASSERT_TRUE(f.accelerators >= 9 && f.accelerators < 15);
		p = size_at(&curve, f.accelerators + 1);
		CU_ASSERT_TRUE(p && !p->passes);
		for (i = 0; i < curve.count; i++)
			CU_ASSERT_TRUE(
				curve.points[i].accelerators > f.accelerators ||
				curve.points[i].passes);
		CU_ASSERT_TRUE(curve.count < 30);
		size_curve_fini(&curve);
	}
}

static void test_error_keeps_what_was_found(void)
{
	struct curve c = {.passes_to = 3, .fails_at = 4};
	struct size_search s = {
		.first = 3, .most = 100, .probe = probe, .ctx = &c};
	struct size_curve curve = {0};
	struct size_found f;
	struct err e;

	CU_ASSERT_EQUAL(size_find(&s, &curve, &f, &e), -EIO);
	CU_ASSERT_EQUAL(f.accelerators, 3);
	CU_ASSERT_EQUAL(f.failed, 0);
	CU_ASSERT_FALSE(f.capped);
	size_curve_fini(&curve);
}

UT_SUITE(size, UT_CASE(test_any_estimate_finds_the_edge),
	UT_CASE(test_good_estimate_is_cheap), UT_CASE(test_cannot_feed_one),
	UT_CASE(test_all_pass_up_to_the_cap),
	UT_CASE(test_hole_above_the_edge), UT_CASE(test_hole_below_the_edge),
	UT_CASE(test_hole_far_below),
	UT_CASE(test_reference_has_its_own_answer),
	UT_CASE(test_noise_ends_and_is_consistent),
	UT_CASE(test_error_keeps_what_was_found))
