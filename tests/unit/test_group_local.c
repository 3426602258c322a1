/* All accelerators in one process: meeting and failing together. */
#include "accel_sim/group.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

#define MEMBERS 3

struct member {
	struct loop_task task;
	uint32_t index, rounds, round;
	bool waiting;
	int64_t left_ns[4]; /* when it left round i */
};

static struct clock clock_;
static struct engine *engine;
static struct loop loop;
static struct group *group;
static struct member members[MEMBERS];
static uint32_t failing; /* member that fails instead of round 1 */

/* In round r member m comes at the moment 100 r + 10 (m + 1). */
static int step(struct loop_task *t, struct err *e)
{
	struct member *m = (struct member *)t;
	int64_t comes;
	int r;

	for (;;) {
		if (m->waiting) {
			r = group_barrier_test(group, m->index, e);
			if (r <= 0)
				return r;
			m->left_ns[m->round] = clock_now(&clock_);
			m->waiting = false;
			if (++m->round == m->rounds)
				return 1;
		}
		comes = 100 * m->round + 10 * (m->index + 1);
		if (clock_now(&clock_) < comes) {
			loop_sleep(&loop, t, comes);
			return 0;
		}
		if (m->round == 1 && m->index == failing) {
			err_set(e, ERR_IO, -EIO, "rank %u: disk on fire",
				m->index);
			group_fail(group, e);
			m->round = m->rounds;
			return 1;
		}
		m->waiting = true;
		group_barrier_start(group, m->index);
	}
}

static int run(uint32_t fails, struct err *e)
{
	struct engine_spec s = {.kind = ENGINE_NULL};
	struct loop_task *tasks[MEMBERS];
	char why[64];
	uint32_t i;
	int r;

	failing = fails;
	memset(members, 0, sizeof(members));
	clock_start(&clock_, true);
	CU_ASSERT_EQUAL_FATAL(
		engine_open(&s, &clock_, &engine, why, sizeof(why), e), 0);
	loop_init(&loop, engine);
	for (i = 0; i < MEMBERS; i++) {
		members[i].index = i;
		members[i].rounds = 4;
		members[i].task.step = step;
		tasks[i] = &members[i].task;
		CU_ASSERT_EQUAL_FATAL(loop_add(&loop, tasks[i], e), 0);
	}
	CU_ASSERT_EQUAL_FATAL(group_attach(group, &loop, tasks, e), 0);
	r = loop_run(&loop, e);
	group_detach(group);
	loop_fini(&loop);
	engine_close(engine);
	return r;
}

/* Everyone leaves round r when the last one comes, at 100 r + 30. */
static void test_barriers(void)
{
	struct err e;
	uint32_t i, r;

	CU_ASSERT_EQUAL_FATAL(group_local_open(MEMBERS, &group, &e), 0);
	CU_ASSERT_EQUAL(run(MEMBERS, &e), 0);
	for (i = 0; i < MEMBERS; i++)
		for (r = 0; r < 4; r++)
			CU_ASSERT_EQUAL(members[i].left_ns[r], 100 * r + 30);
	group_close(group);
}

/* One fails in round 1: those who wait and those who come leave with it. */
static void test_failure_spreads(void)
{
	struct err e = {0};
	uint32_t i;

	CU_ASSERT_EQUAL_FATAL(group_local_open(MEMBERS, &group, &e), 0);
	CU_ASSERT_EQUAL(run(1, &e), -ECANCELED);
	CU_ASSERT_STRING_EQUAL(e.text, "rank 1: disk on fire");
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	for (i = 0; i < MEMBERS; i++)
		CU_ASSERT_EQUAL(members[i].left_ns[0], 30);
	CU_ASSERT_EQUAL(members[0].left_ns[1], 0);
	/* the last one fails: those who wait are woken */
	CU_ASSERT_EQUAL(run(2, &e), -ECANCELED);
	CU_ASSERT_STRING_EQUAL(e.text, "rank 2: disk on fire");
	CU_ASSERT_EQUAL(clock_now(&clock_), 130);
	/* the group can be used again; nothing is left of the failure */
	CU_ASSERT_EQUAL(run(MEMBERS, &e), 0);
	for (i = 0; i < MEMBERS; i++)
		CU_ASSERT_EQUAL(members[i].left_ns[3], 330);
	group_close(group);
}

static int taken;

static int take(void *arg, uint32_t process, const void *buf, size_t size,
	struct err *e)
{
	CU_ASSERT_EQUAL(process, 0);
	CU_ASSERT_EQUAL(size, 4);
	CU_ASSERT_EQUAL(memcmp(buf, "abc", 4), 0);
	taken++;
	return *(int *)arg ? err_set(e, ERR_BUG, *(int *)arg, "no") : 0;
}

static void test_collectives(void)
{
	struct err e = {.code = -EIO};
	char bytes[4] = "abc";
	int answer = 0;

	CU_ASSERT_EQUAL_FATAL(group_local_open(5, &group, &e), 0);
	CU_ASSERT_EQUAL(group->size, 5);
	CU_ASSERT_EQUAL(group->first, 0);
	CU_ASSERT_EQUAL(group->count, 5);
	CU_ASSERT_EQUAL(group->hosts, 1);
	CU_ASSERT_EQUAL(group->ranks_on_host, 5);
	CU_ASSERT_TRUE(group->host_leader);
	CU_ASSERT_EQUAL(group_agree(group, 0, &e), 0);
	err_set(&e, ERR_ENV, -EPERM, "as it was");
	CU_ASSERT_EQUAL(group_agree(group, -EPERM, &e), -EPERM);
	CU_ASSERT_STRING_EQUAL(e.text, "as it was");
	taken = 0;
	CU_ASSERT_EQUAL(group_gather(group, bytes, 4, take, &answer, &e), 0);
	answer = -EBADMSG;
	CU_ASSERT_EQUAL(
		group_gather(group, bytes, 4, take, &answer, &e), -EBADMSG);
	CU_ASSERT_EQUAL(taken, 2);
	CU_ASSERT_EQUAL(group_share(group, bytes, 4, &e), 0);
	CU_ASSERT_STRING_EQUAL(bytes, "abc");
	CU_ASSERT_PTR_NOT_NULL(group_limit_word(group));
	CU_ASSERT_EQUAL(*group_limit_word(group), 0);
	group_close(group);
}

UT_SUITE(group_local, UT_CASE(test_barriers), UT_CASE(test_failure_spreads),
	UT_CASE(test_collectives))
