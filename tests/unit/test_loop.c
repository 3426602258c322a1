/* The event loop on the virtual clock: every moment is exact. */
#include "storage/loop.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MANY 500

static struct clock clock_;
static struct engine *engine;
static struct loop loop;

static void open_loop(enum engine_kind kind)
{
	struct engine_spec s = {.kind = kind, .bytes_per_s = 1000000000};
	char why[64];
	struct err e;

	clock_start(&clock_, true);
	CU_ASSERT_EQUAL_FATAL(engine_open(&s, &clock_, &engine, why,
				      sizeof(why), &e), 0);
	loop_init(&loop, engine);
}

static void close_loop(void)
{
	loop_fini(&loop);
	engine_close(engine);
}

static int64_t now(void)
{
	return clock_now(&clock_);
}

/* A task whose step is told by the test. */
struct actor {
	struct loop_task task;
	unsigned steps, wanted;
	int64_t at_ns[64];
	int64_t until_ns;
	struct actor *other;
	uint32_t random;
};

static void add(struct actor *a, int (*step)(struct loop_task *, struct err *))
{
	struct err e;

	a->task.step = step;
	CU_ASSERT_EQUAL_FATAL(loop_add(&loop, &a->task, &e), 0);
}

static int64_t firing[3];
static int fired;

/* First step: sleep; the second comes at the deadline and is the last. */
static int sleep_once(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	if (a->steps++) {
		CU_ASSERT_EQUAL(now(), a->until_ns);
		firing[fired++] = a->until_ns;
		return 1;
	}
	loop_sleep(&loop, t, a->until_ns);
	return 0;
}

static void test_timers_in_order(void)
{
	struct actor a[3] = {{.until_ns = 300}, {.until_ns = 100},
		{.until_ns = 200}};
	struct err e;
	int i;

	open_loop(ENGINE_NULL);
	fired = 0;
	for (i = 0; i < 3; i++)
		add(&a[i], sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(fired, 3);
	CU_ASSERT_EQUAL(firing[0], 100);
	CU_ASSERT_EQUAL(firing[1], 200);
	CU_ASSERT_EQUAL(firing[2], 300);
	CU_ASSERT_EQUAL(now(), 300);
	close_loop();
}

static uint32_t next_random(struct actor *a)
{
	return a->random = a->random * 1664525u + 1013904223u;
}

static struct actor *many;
static int64_t last_ns;

/*
 * Sleeps again and again for a random time, twice in a step so that one
 * deadline replaces another, and now and then pushes another sleeper's
 * deadline away, which takes a timer out of the middle of the heap.
 */
static int sleep_randomly(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t, *b;

	(void)e;
	if (a->steps)
		CU_ASSERT_EQUAL(now(), a->until_ns);
	CU_ASSERT(now() >= last_ns);
	last_ns = now();
	if (++a->steps > a->wanted)
		return 1;
	loop_sleep(&loop, t, now() + 1 + next_random(a) % 100000);
	a->until_ns = now() + 1 + next_random(a) % 1000;
	loop_sleep(&loop, t, a->until_ns);
	b = &many[next_random(a) % MANY];
	if (b != a && b->task.timer && !b->task.ready) {
		b->until_ns = now() + 1 + next_random(a) % 1000;
		loop_sleep(&loop, &b->task, b->until_ns);
	}
	return 0;
}

static void test_many_timers(void)
{
	struct err e;
	size_t i;

	many = calloc(MANY, sizeof(*many));
	CU_ASSERT_PTR_NOT_NULL_FATAL(many);
	open_loop(ENGINE_NULL);
	last_ns = 0;
	for (i = 0; i < MANY; i++) {
		many[i].random = (uint32_t)i;
		many[i].wanted = 20 + (unsigned)i % 7;
		add(&many[i], sleep_randomly);
	}
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(loop.live, 0);
	CU_ASSERT_EQUAL(loop.timer_count, 0);
	for (i = 0; i < MANY; i++) {
		CU_ASSERT_EQUAL(many[i].steps, many[i].wanted + 1);
		CU_ASSERT_TRUE(many[i].task.finished);
	}
	close_loop();
	free(many);
}

static unsigned waits;

static int count_waits(void *arg, struct err *e)
{
	(void)arg, (void)e;
	waits++;
	return 0;
}

/* Finishes at once although its alarm is set. */
static int finish_with_alarm(struct loop_task *t, struct err *e)
{
	(void)e;
	((struct actor *)t)->steps++;
	loop_sleep(&loop, t, 50);
	return 1;
}

/* A finished task's alarm does not ring and keeps nobody waiting. */
static void test_finish_clears_alarm(void)
{
	struct actor a = {.steps = 0}, b = {.until_ns = 1000};
	struct err e;

	open_loop(ENGINE_NULL);
	fired = 0;
	waits = 0;
	loop.after_wait = count_waits;
	add(&a, finish_with_alarm);
	add(&b, sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(a.steps, 1);
	CU_ASSERT_EQUAL(firing[0], 1000);
	CU_ASSERT_EQUAL(waits, 1); /* until 1000, not until 50 first */
	close_loop();
}

static int ready_itself(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	a->steps++;
	loop_ready(&loop, t);
	loop_ready(&loop, t);
	return a->steps == a->wanted;
}

/* Made ready in its own last step, even twice: not stepped again. */
static void test_ready_in_last_step(void)
{
	struct actor a = {.wanted = 1}, b = {.wanted = 3};
	struct err e;

	open_loop(ENGINE_NULL);
	add(&a, ready_itself);
	add(&b, ready_itself);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(a.steps, 1);
	CU_ASSERT_EQUAL(b.steps, 3);
	/* nor afterwards */
	loop_ready(&loop, &a.task);
	CU_ASSERT_PTR_NULL(loop.head);
	close_loop();
}

static int wait_for_other(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	return ++a->steps == 2;
}

static int wake_other_later(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	if (!a->steps++) {
		loop_sleep(&loop, t, 70);
		return 0;
	}
	loop_ready(&loop, &a->other->task);
	loop_ready(&loop, &a->other->task);
	return 1;
}

static void test_ready_once(void)
{
	struct actor a = {.steps = 0}, b = {.other = &a};
	struct err e;

	open_loop(ENGINE_NULL);
	add(&a, wait_for_other);
	add(&b, wake_other_later);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(a.steps, 2);
	CU_ASSERT_EQUAL(now(), 70);
	close_loop();
}

static int fail_at_10(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	if (a->steps++)
		return err_set(e, ERR_IO, -ENODATA, "file 7 has no data");
	loop_sleep(&loop, t, 10);
	return 0;
}

static void test_error_stops_all(void)
{
	struct actor a = {.steps = 0}, b = {.until_ns = 11};
	struct err e = {0};

	open_loop(ENGINE_NULL);
	add(&a, fail_at_10);
	add(&b, sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), -ENODATA);
	CU_ASSERT_STRING_EQUAL(e.text, "file 7 has no data");
	CU_ASSERT_EQUAL(now(), 10);
	CU_ASSERT_EQUAL(b.steps, 1);
	close_loop();
}

/* Two that wait for each other for ever: told, not hung. */
static void test_deadlock_is_told(void)
{
	struct actor a = {.steps = 0};
	struct err e = {0};

	open_loop(ENGINE_NULL);
	add(&a, wait_for_other);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), -EDEADLK);
	CU_ASSERT_EQUAL(e.kind, ERR_BUG);
	close_loop();
}

static int interrupt_at_3(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	if (++a->steps == 3)
		loop_interrupted = 1;
	loop_sleep(&loop, t, now() + 5);
	return 0;
}

static void test_interrupted(void)
{
	struct actor a = {.steps = 0};
	struct err e = {0};

	open_loop(ENGINE_NULL);
	add(&a, interrupt_at_3);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), -EINTR);
	loop_interrupted = 0;
	CU_ASSERT_EQUAL(a.steps, 3);
	CU_ASSERT_EQUAL(now(), 10); /* at 0, 5 and 10 */
	CU_ASSERT_STRING_EQUAL(e.text, "interrupted");
	close_loop();
}

static unsigned looks;

static int64_t look_again(void *arg)
{
	(void)arg;
	return now() + 25;
}

static int after_wait(void *arg, struct err *e)
{
	if (++looks == *(unsigned *)arg)
		return err_set(e, ERR_ENV, -ECANCELED, "rank 3 failed");
	return 0;
}

/* A group's hooks: no wait lasts longer than it wishes, and it can stop all */
static void test_hooks(void)
{
	struct actor a = {.until_ns = 60};
	unsigned stop_at = 0;
	struct err e;

	open_loop(ENGINE_NULL);
	loop.look_again = look_again;
	loop.after_wait = after_wait;
	loop.arg = &stop_at;
	looks = 0;
	fired = 0;
	add(&a, sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(looks, 3); /* at 25, 50 and 60 */
	close_loop();

	memset(&a, 0, sizeof(a));
	a.until_ns = 60;
	open_loop(ENGINE_NULL);
	loop.look_again = look_again;
	loop.after_wait = after_wait;
	loop.arg = &stop_at;
	stop_at = 2;
	looks = 0;
	add(&a, sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), -ECANCELED);
	CU_ASSERT_STRING_EQUAL(e.text, "rank 3 failed");
	CU_ASSERT_EQUAL(now(), 50);
	close_loop();
}

static unsigned ended;

static void end(struct engine_op *op)
{
	(void)op;
	ended++;
}

static int tick(struct loop_task *t, struct err *e)
{
	struct actor *a = (struct actor *)t;

	(void)e;
	a->steps++;
	loop_sleep(&loop, t, now() + 100);
	return 0;
}

/* A ticker every 100 ns does not keep the loop running: it ends at 250. */
static void test_background(void)
{
	struct actor a = {.until_ns = 250}, b[4];
	struct err e;
	int i;

	open_loop(ENGINE_NULL);
	memset(b, 0, sizeof(b));
	fired = 0;
	for (i = 0; i < 4; i++) {
		b[i].task.background = true;
		add(&b[i], tick);
	}
	add(&a, sleep_once);
	CU_ASSERT_EQUAL(loop_run(&loop, &e), 0);
	CU_ASSERT_EQUAL(now(), 250);
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(b[i].steps, 3); /* at 0, 100 and 200 */
	close_loop();
}

/* 1000 and 2000 bytes at a byte a nanosecond: drained at 3000. */
static void test_drain(void)
{
	struct engine_op op[2];
	struct err e;

	memset(op, 0, sizeof(op));
	open_loop(ENGINE_CONSTANT);
	ended = 0;
	op[0].done = op[1].done = end;
	op[0].len_bytes = 1000;
	op[1].len_bytes = 2000;
	CU_ASSERT_EQUAL(engine_submit(engine, &op[0]), 0);
	CU_ASSERT_EQUAL(engine_submit(engine, &op[1]), 0);
	CU_ASSERT_EQUAL(loop_drain(&loop, &e), 0);
	CU_ASSERT_EQUAL(ended, 2);
	CU_ASSERT_EQUAL(engine->in_flight, 0);
	CU_ASSERT_EQUAL(now(), 3000);
	close_loop();
}

UT_SUITE(loop, UT_CASE(test_timers_in_order), UT_CASE(test_many_timers),
	UT_CASE(test_finish_clears_alarm), UT_CASE(test_ready_in_last_step),
	UT_CASE(test_ready_once), UT_CASE(test_error_stops_all),
	UT_CASE(test_deadlock_is_told), UT_CASE(test_interrupted),
	UT_CASE(test_hooks), UT_CASE(test_background), UT_CASE(test_drain))
