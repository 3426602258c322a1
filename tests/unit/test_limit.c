/* The token bucket that slows reads: never faster than asked. */
#include "core/units.h"
#include "storage/engine.h"
#include "storage/loop.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

#define OPS 20
#define BURST_NS (5 * NS_PER_MS) /* what late reads may catch up */

struct tap {
	struct clock clock;
	struct engine *engine;
	struct engine_op ops[OPS];
};

static int order[2 * OPS];
static int done_count;

static void note(struct engine_op *op)
{
	order[done_count++] = (int)(op->offset_bytes);
}

static void tap_open(struct tap *t)
{
	struct engine_spec s = {.kind = ENGINE_NULL};
	char why[64];
	struct err e;

	memset(t, 0, sizeof(*t));
	clock_start(&t->clock, false);
	CU_ASSERT_EQUAL_FATAL(engine_open(&s, &t->clock, &t->engine, why,
				      sizeof(why), &e), 0);
}

static void submit(struct tap *t, int i, enum engine_opcode code, uint32_t len)
{
	t->ops[i].opcode = code;
	t->ops[i].len_bytes = len;
	t->ops[i].offset_bytes = (uint64_t)i;
	t->ops[i].done = note;
	CU_ASSERT_EQUAL_FATAL(engine_submit(t->engine, &t->ops[i]), 0);
}

static void settle(struct tap *t)
{
	struct err e;

	while (t->engine->in_flight)
		CU_ASSERT_EQUAL_FATAL(
			engine_wait(t->engine, CLOCK_NEVER, &e), 0);
}

/* 20 reads of 1 MB at 100 MB/s: 200 ms, of which 5 are the burst. */
static void test_lower_bound(void)
{
	int64_t from = clock_monotonic_ns(), took;
	struct tap t;
	int i;

	tap_open(&t);
	engine_set_limit(t.engine, 100000000, NULL);
	done_count = 0;
	for (i = 0; i < OPS; i++)
		submit(&t, i, ENGINE_READ, 1000000);
	CU_ASSERT_EQUAL(t.engine->in_flight, OPS);
	settle(&t);
	took = clock_monotonic_ns() - from;
	CU_ASSERT(took >= 200 * NS_PER_MS - BURST_NS);
	CU_ASSERT(took < 60 * NS_PER_S);
	CU_ASSERT_EQUAL(done_count, OPS);
	for (i = 0; i < OPS; i++) {
		CU_ASSERT_EQUAL(order[i], i);
		CU_ASSERT_EQUAL(t.ops[i].result, 1000000);
	}
	engine_close(t.engine);
}

/* One word, two engines, 10 MB each: again 200 ms for both together. */
static void test_shared_word(void)
{
	static _Atomic int64_t next_ns;
	int64_t from, took;
	struct tap a, b;
	int i;

	tap_open(&a);
	tap_open(&b);
	atomic_store(&next_ns, 0);
	engine_set_limit(a.engine, 100000000, &next_ns);
	engine_set_limit(b.engine, 100000000, &next_ns);
	done_count = 0;
	from = clock_monotonic_ns();
	for (i = 0; i < 10; i++) {
		submit(&a, i, ENGINE_READ, 1000000);
		submit(&b, i, ENGINE_READ, 1000000);
	}
	settle(&a);
	settle(&b);
	took = clock_monotonic_ns() - from;
	CU_ASSERT(took >= 200 * NS_PER_MS - BURST_NS);
	CU_ASSERT_EQUAL(done_count, 20);
	/* the word holds the end of the 20 MB, a CLOCK_MONOTONIC time */
	CU_ASSERT(atomic_load(&next_ns) >= from + 200 * NS_PER_MS - BURST_NS);
	engine_close(a.engine);
	engine_close(b.engine);
}

/* A wait ends when something held back is due, whatever the deadline. */
static void test_wait_ends_when_due(void)
{
	struct tap t;
	struct err e;

	tap_open(&t);
	engine_set_limit(t.engine, 100000000, NULL);
	done_count = 0;
	submit(&t, 0, ENGINE_READ, 2000000); /* 20 ms, less 5 */
	while (!done_count)
		CU_ASSERT_EQUAL_FATAL(
			engine_wait(t.engine, 120 * NS_PER_S, &e), 0);
	CU_ASSERT(clock_now(&t.clock) >= 15 * NS_PER_MS);
	CU_ASSERT(clock_now(&t.clock) < 60 * NS_PER_S);
	engine_close(t.engine);
}

/* Writes and syncs pass; with the limit at 1 kB/s a slow one would hang. */
static void test_only_reads(void)
{
	struct tap t;

	tap_open(&t);
	engine_set_limit(t.engine, 1000, NULL);
	done_count = 0;
	submit(&t, 0, ENGINE_WRITE, 1000000);
	submit(&t, 1, ENGINE_FSYNC, 0);
	CU_ASSERT_NOT_EQUAL(t.clock.zero_ns, 0);
	settle(&t);
	CU_ASSERT_EQUAL(done_count, 2);
	CU_ASSERT(clock_now(&t.clock) < 60 * NS_PER_S);
	engine_close(t.engine);
}

/*
 * Held back for hours; a loop that drains its engine cancels them: in order,
 * nothing left in flight.
 */
static void test_cancel_held(void)
{
	struct loop loop;
	struct tap t;
	struct err e;
	int i;

	tap_open(&t);
	engine_set_limit(t.engine, 1000, NULL);
	done_count = 0;
	for (i = 0; i < 3; i++)
		submit(&t, i, ENGINE_READ, 1000000000);
	loop_init(&loop, t.engine);
	CU_ASSERT_EQUAL(loop_drain(&loop, &e), 0);
	loop_fini(&loop);
	CU_ASSERT_EQUAL(t.engine->in_flight, 0);
	CU_ASSERT_EQUAL(t.engine->bytes_read, 0);
	CU_ASSERT_EQUAL(done_count, 3);
	for (i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(order[i], i);
		CU_ASSERT_EQUAL(t.ops[i].result, -ECANCELED);
	}
	/* and the engine still works */
	engine_set_limit(t.engine, 0, NULL);
	submit(&t, 3, ENGINE_READ, 10);
	settle(&t);
	CU_ASSERT_EQUAL(t.ops[3].result, 10);
	engine_close(t.engine);
}

static int refuse(struct engine *g, struct engine_op *op)
{
	(void)g, (void)op;
	return -EAGAIN;
}

/* An engine that refuses what was held back: the caller hears of it. */
static void test_refused_later(void)
{
	struct engine_ops ops;
	struct tap t;

	tap_open(&t);
	ops = *t.engine->ops;
	ops.queue = refuse;
	t.engine->ops = &ops;
	engine_set_limit(t.engine, 1000000000, NULL);
	done_count = 0;
	submit(&t, 0, ENGINE_READ, 1000);
	settle(&t);
	CU_ASSERT_EQUAL(done_count, 1);
	CU_ASSERT_EQUAL(t.ops[0].result, -EAGAIN);
	engine_close(t.engine);
}

UT_SUITE(limit, UT_CASE(test_lower_bound), UT_CASE(test_shared_word),
	UT_CASE(test_wait_ends_when_due), UT_CASE(test_only_reads),
	UT_CASE(test_cancel_held), UT_CASE(test_refused_later))
