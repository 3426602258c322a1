/* The engines that move no bytes, and what all engines share. */
#include "storage/engine.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

#define OPS_MAX 16

/* Ops that note when and in which order they were done. */
struct noted {
	struct engine_op op;
	struct bench *b;
	int64_t done_ns;
	int place; /* in the order of completion, from 0; -1: not done */
};

struct bench {
	struct clock clock;
	struct engine *engine;
	struct noted ops[OPS_MAX];
	int done;
};

static void note(struct engine_op *op)
{
	struct noted *n = op->owner;

	n->done_ns = clock_now(&n->b->clock);
	n->place = n->b->done++;
}

static void bench_open(
	struct bench *b, const struct engine_spec *s, bool is_virtual)
{
	char why[256];
	struct err e;
	int i;

	memset(b, 0, sizeof(*b));
	clock_start(&b->clock, is_virtual);
	CU_ASSERT_EQUAL_FATAL(engine_open(s, &b->clock, &b->engine, why,
				      sizeof(why), &e), 0);
	CU_ASSERT_STRING_EQUAL(why, "");
	for (i = 0; i < OPS_MAX; i++) {
		b->ops[i].op.done = note;
		b->ops[i].op.owner = &b->ops[i];
		b->ops[i].b = b;
		b->ops[i].place = -1;
	}
}

static void submit(struct bench *b, int i, uint32_t len)
{
	b->ops[i].op.len_bytes = len;
	CU_ASSERT_EQUAL_FATAL(engine_submit(b->engine, &b->ops[i].op), 0);
}

static void wait_until(struct bench *b, int64_t deadline)
{
	struct err e;

	CU_ASSERT_EQUAL_FATAL(engine_wait(b->engine, deadline, &e), 0);
}

static struct engine_spec drive(uint64_t bytes_per_s, int64_t latency_ns)
{
	return (struct engine_spec){.kind = ENGINE_CONSTANT,
		.bytes_per_s = bytes_per_s, .latency_ns = latency_ns};
}

/*
 * 1 GB/s is a byte a nanosecond: 1000, 500 and 250 bytes leave the link at
 * 1000, 1500 and 1750 and are seen 80 ns later.
 */
static void test_constant_one_link(void)
{
	struct engine_spec s = drive(1000000000, 80);
	struct bench b;

	bench_open(&b, &s, true);
	CU_ASSERT_STRING_EQUAL(engine_name(b.engine), "constant");
	submit(&b, 0, 1000);
	submit(&b, 1, 500);
	submit(&b, 2, 250);
	CU_ASSERT_EQUAL(b.engine->in_flight, 3);
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.done, 1);
	CU_ASSERT_EQUAL(b.ops[0].done_ns, 1080);
	CU_ASSERT_EQUAL(b.ops[0].op.result, 1000);
	/* the deadline is sooner than the next completion */
	wait_until(&b, 1579);
	CU_ASSERT_EQUAL(b.done, 1);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 1579);
	wait_until(&b, 1580);
	CU_ASSERT_EQUAL(b.ops[1].done_ns, 1580);
	CU_ASSERT_EQUAL(b.ops[1].place, 1);
	wait_until(&b, 5000);
	CU_ASSERT_EQUAL(b.ops[2].done_ns, 1830);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 1830);
	CU_ASSERT_EQUAL(b.engine->in_flight, 0);
	CU_ASSERT_EQUAL(b.engine->bytes_read, 1750);
	/* an idle link starts when it is asked, here at 5000 */
	wait_until(&b, 5000);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 5000);
	submit(&b, 3, 10);
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.ops[3].done_ns, 5090);
	engine_close(b.engine);
}

/*
 * 3 bytes a second: a byte takes 333333333 1/3 ns. The thirds add up: three
 * bytes in a row end at exactly 1 s, nine at 3 s. After a pause they do not
 * come back.
 */
static void test_constant_carries_the_rest(void)
{
	static const int64_t want[] = {333333333, 666666666, 1000000000,
		1333333333, 1666666666, 2000000000, 2333333333, 2666666666,
		3000000000};
	struct engine_spec s = drive(3, 0);
	struct bench b;
	int i;

	bench_open(&b, &s, true);
	for (i = 0; i < 9; i++)
		submit(&b, i, 1);
	for (i = 0; i < 9; i++) {
		wait_until(&b, CLOCK_NEVER);
		CU_ASSERT_EQUAL(b.ops[i].done_ns, want[i]);
	}
	submit(&b, 9, 2); /* until 3.666666666 2/3 */
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.ops[9].done_ns, 3666666666);
	wait_until(&b, 4000000000);
	submit(&b, 10, 1); /* from 4 s, not from 4 s + 2/3 ns */
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.ops[10].done_ns, 4333333333);
	submit(&b, 11, 1);
	submit(&b, 12, 1);
	wait_until(&b, CLOCK_NEVER);
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.ops[12].done_ns, 5000000000);
	engine_close(b.engine);
}

/* 4 GiB - 1 at 1 byte/s: (2^32 - 1) * 10^9 ns does not overflow. */
static void test_constant_large(void)
{
	struct engine_spec s = drive(1, 7);
	struct bench b;

	bench_open(&b, &s, true);
	submit(&b, 0, UINT32_MAX);
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.ops[0].done_ns, 4294967295 * INT64_C(1000000000) + 7);
	engine_close(b.engine);
}

/* Several due at one moment end in one wait, in their order. */
static void test_constant_same_moment(void)
{
	struct engine_spec s = drive(UINT64_C(1000000000000), 100);
	struct bench b;
	int i;

	bench_open(&b, &s, true);
	for (i = 0; i < 4; i++)
		submit(&b, i, 10); /* 0.01 ns each */
	wait_until(&b, CLOCK_NEVER);
	CU_ASSERT_EQUAL(b.done, 4);
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(b.ops[i].place, i);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 100);
	engine_close(b.engine);
}

static void test_constant_real_clock(void)
{
	struct engine_spec s = drive(100000000, 0);
	struct bench b;

	bench_open(&b, &s, false);
	submit(&b, 0, 2000000); /* 20 ms */
	while (b.done < 1)
		wait_until(&b, CLOCK_NEVER);
	CU_ASSERT(b.ops[0].done_ns >= 20000000);
	CU_ASSERT(b.ops[0].done_ns < INT64_C(10000000000));
	engine_close(b.engine);
}

/* Nothing in flight and no deadline: virtual time would stand for ever. */
static void test_virtual_deadlock(void)
{
	struct engine_spec s = drive(1000, 0);
	struct bench b;
	struct err e;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		if (kind)
			s.kind = ENGINE_NULL;
		bench_open(&b, &s, true);
		CU_ASSERT_EQUAL(engine_wait(b.engine, CLOCK_NEVER, &e),
			-EDEADLK);
		CU_ASSERT_EQUAL(e.kind, ERR_BUG);
		CU_ASSERT_EQUAL(clock_now(&b.clock), 0);
		engine_close(b.engine);
	}
}

static struct bench *resubmitting;

static void note_and_resubmit(struct engine_op *op)
{
	note(op);
	if (resubmitting->done < 3)
		CU_ASSERT_EQUAL(engine_submit(resubmitting->engine, op), 0);
}

/* What done() hands in is done by the next wait, not by this one. */
static void test_null(void)
{
	struct engine_spec s = {.kind = ENGINE_NULL};
	struct bench b;

	bench_open(&b, &s, true);
	CU_ASSERT_STRING_EQUAL(engine_name(b.engine), "null");
	resubmitting = &b;
	b.ops[0].op.done = note_and_resubmit;
	b.ops[1].op.opcode = ENGINE_WRITE;
	submit(&b, 0, 4096);
	submit(&b, 1, 512);
	wait_until(&b, 1000);
	CU_ASSERT_EQUAL(b.done, 2);
	CU_ASSERT_EQUAL(b.ops[1].place, 1);
	CU_ASSERT_EQUAL(b.engine->in_flight, 1);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 0);
	wait_until(&b, 1000);
	CU_ASSERT_EQUAL(b.done, 3);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 0);
	CU_ASSERT_EQUAL(b.engine->in_flight, 0);
	CU_ASSERT_EQUAL(b.engine->bytes_read, 8192);
	CU_ASSERT_EQUAL(b.engine->bytes_written, 512);
	wait_until(&b, 1000);
	CU_ASSERT_EQUAL(clock_now(&b.clock), 1000);
	engine_close(b.engine);
}

static void test_spec_forms(void)
{
	static const struct {
		const char *text;
		uint64_t bytes_per_s;
		int64_t latency_ns;
	} good[] = {
		{"constant:14.5GB/s,80us", 14500000000, 80000},
		{"constant:1GiB/s", 1073741824, 0},
		{"constant:250MB/s,0.001", 250000000, 1000000},
	};
	struct engine_spec s;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(&s, 0xff, sizeof(s));
		CU_ASSERT_EQUAL_FATAL(
			engine_spec_parse(NULL, good[i].text, &s, &e), 0);
		CU_ASSERT_EQUAL(s.kind, ENGINE_CONSTANT);
		CU_ASSERT_EQUAL(s.bytes_per_s, good[i].bytes_per_s);
		CU_ASSERT_EQUAL(s.latency_ns, good[i].latency_ns);
		CU_ASSERT_FALSE(engine_spec_is_real(&s));
	}
	CU_ASSERT_EQUAL(engine_spec_parse(NULL, "null", &s, &e), 0);
	CU_ASSERT_EQUAL(s.kind, ENGINE_NULL);
	CU_ASSERT_FALSE(engine_spec_is_real(&s));
	s.kind = ENGINE_AUTO;
	CU_ASSERT_TRUE(engine_spec_is_real(&s));
}

static void test_spec_errors(void)
{
	static const char *const bad[] = {"", "constant", "nul", "null:1",
		"Constant:1GB/s", "constant:", "constant:fast",
		"constant:0GB/s", "constant:-1GB/s", "constant:1GB/s,",
		"constant:1GB/s,80", "constant:1GB/s,80 parsecs",
		"constant:1GB", "constant:1GB/s,-5us"};
	char longest[200] = "constant:";
	struct engine_spec s;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e.kind = ERR_NONE;
		/* "80" is eighty seconds and fine */
		if (!strcmp(bad[i], "constant:1GB/s,80")) {
			CU_ASSERT_EQUAL(engine_spec_parse(NULL, bad[i], &s, &e), 0);
			CU_ASSERT_EQUAL(s.latency_ns, 80000000000);
			continue;
		}
		CU_ASSERT(engine_spec_parse(NULL, bad[i], &s, &e) < 0);
		CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	}
	CU_ASSERT(engine_spec_parse(NULL, "ssd", &s, &e) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "constant:14.5GB/s,80us"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "null"));
	memset(longest + 9, '1', 100);
	CU_ASSERT(engine_spec_parse(NULL, longest, &s, &e) < 0);
}

/* An engine that takes nothing. */
static int refuse(struct engine *g, struct engine_op *op)
{
	(void)g, (void)op;
	return -EAGAIN;
}

/*
 * A refused request is the caller's again: it must not count as in flight, or
 * the one who drains the engine waits for it for ever.
 */
static void test_refused_is_not_in_flight(void)
{
	struct engine_spec s = {.kind = ENGINE_NULL};
	struct engine_ops ops;
	struct bench b;

	bench_open(&b, &s, true);
	ops = *b.engine->ops;
	ops.queue = refuse;
	b.engine->ops = &ops;
	b.ops[0].op.len_bytes = 1;
	CU_ASSERT_EQUAL(engine_submit(b.engine, &b.ops[0].op), -EAGAIN);
	CU_ASSERT_EQUAL(b.engine->in_flight, 0);
	CU_ASSERT_EQUAL(b.done, 0);
	engine_close(b.engine);
}

UT_SUITE(engine, UT_CASE(test_constant_one_link),
	UT_CASE(test_constant_carries_the_rest), UT_CASE(test_constant_large),
	UT_CASE(test_constant_same_moment), UT_CASE(test_constant_real_clock),
	UT_CASE(test_virtual_deadlock), UT_CASE(test_null),
	UT_CASE(test_spec_forms), UT_CASE(test_spec_errors),
	UT_CASE(test_refused_is_not_in_flight))
