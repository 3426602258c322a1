/* Heartbeats among the ranks of a host, without MPI. */
#include "accel_sim/watch.h"

#include "core/units.h"
#include "storage/clock.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS 3

static char told[8][1024];
static unsigned told_count;

static void say(void *ctx, const char *text)
{
	(void)ctx;
	if (told_count < 8)
		snprintf(told[told_count++], sizeof(told[0]), "%s", text);
}

/* All in this process; ranks 10, 11, 12 with a heartbeat at time t. */
static void open_all(
	struct watch w[RANKS], struct watch_slot s[RANKS], int64_t t)
{
	struct err e;
	uint32_t i;

	told_count = 0;
	memset(s, 0, RANKS * sizeof(*s));
	memset(w, 0, RANKS * sizeof(*w));
	for (i = 0; i < RANKS; i++) {
		CU_ASSERT_EQUAL(watch_init(&w[i], s, RANKS, i, 10 + i, &e), 0);
		w[i].say = say;
		w[i].period_ns = 30 * NS_PER_S;
		w[i].looked_ns = t;
		atomic_store(&s[i].beat_ns, t);
	}
}

static void close_all(struct watch w[RANKS])
{
	uint32_t i;

	for (i = 0; i < RANKS; i++)
		watch_fini(&w[i]);
}

static void look(struct watch *w, int64_t second)
{
	struct err e;

	CU_ASSERT_EQUAL(watch_look(w, second * NS_PER_S, &e), 0);
}

/*
 * Rank 12 is silent from second 100 on, in its step 12. Rank 10 tells it once
 * at 30 s and again at 60 s, rank 11 never; then that it goes on.
 */
static void test_silence(void)
{
	struct watch_slot s[RANKS];
	struct watch w[RANKS];
	int64_t t;

	open_all(w, s, 100 * NS_PER_S);
	watch_set_phase(&w[2], WATCH_LOAD, 0, 11);
	for (t = 101; t < 180; t++) {
		look(&w[0], t);
		look(&w[1], t);
		if (t == 129)
			CU_ASSERT_EQUAL(told_count, 0);
		if (t == 159)
			CU_ASSERT_EQUAL(told_count, 1);
	}
	CU_ASSERT_EQUAL(told_count, 2);
	CU_ASSERT_PTR_EQUAL(strstr(told[0], "rank 12 (host "), told[0]);
	CU_ASSERT_PTR_NOT_NULL(strstr(told[0],
		") silent for 30 s, last phase: load, step 12 of epoch 1"));
	CU_ASSERT_PTR_NOT_NULL(strstr(told[1], "silent for 60 s"));
	look(&w[2], 180); /* it was stopped: it does not accuse the others */
	look(&w[0], 181);
	look(&w[0], 182);
	CU_ASSERT_EQUAL(told_count, 3);
	CU_ASSERT_PTR_NOT_NULL(strstr(told[2], "goes on"));
	close_all(w);
}

/* The lowest rank is the silent one: the next speaks. */
static void test_who_speaks(void)
{
	struct watch_slot s[RANKS];
	struct watch w[RANKS];
	int64_t t;

	open_all(w, s, 100 * NS_PER_S);
	for (t = 101; t < 140; t++) {
		look(&w[1], t);
		look(&w[2], t);
	}
	CU_ASSERT_EQUAL(told_count, 1);
	CU_ASSERT_PTR_EQUAL(strstr(told[0], "rank 10 (host "), told[0]);
	CU_ASSERT_PTR_NOT_NULL(strstr(told[0], "last phase: start-up"));
	close_all(w);
}

/* Alive, but its reads do not return: told too; compute of any length not. */
static void test_no_data(void)
{
	struct watch_slot s[RANKS];
	struct watch w[RANKS];
	uint32_t i;
	int64_t t;

	open_all(w, s, 100 * NS_PER_S);
	watch_set_phase(&w[0], WATCH_COMPUTE, 1, 4);
	watch_set_phase(&w[1], WATCH_LOAD, 1, 4);
	watch_set_phase(&w[2], WATCH_BARRIER, 1, 3);
	for (t = 101; t < 150; t++)
		for (i = 0; i < RANKS; i++)
			look(&w[i], t);
	CU_ASSERT_EQUAL(told_count, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(told[0], "rank 11 (host "));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		told[0], "has waited 30 s for the data of step 5 of epoch 2"));
	/* a step further: the clock starts again */
	watch_set_phase(&w[1], WATCH_LOAD, 1, 5);
	for (; t < 175; t++)
		for (i = 0; i < RANKS; i++)
			look(&w[i], t);
	CU_ASSERT_EQUAL(told_count, 1);
	close_all(w);
}

/* A process that has gone without leaving is dead; one that left is not. */
static void test_death(void)
{
	struct watch_slot s[RANKS];
	struct watch w[RANKS];
	struct err e = {0};
	pid_t pid;

	open_all(w, s, 100 * NS_PER_S);
	CU_ASSERT_EQUAL(watch_find_dead(&w[0], &e), 0);
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	s[1].pid = pid;
	watch_set_phase(&w[1], WATCH_CACHE_DROP, 2, 0);
	CU_ASSERT_EQUAL(watch_find_dead(&w[0], &e), -ESRCH);
	CU_ASSERT_EQUAL(e.kind, ERR_ENV);
	CU_ASSERT_PTR_EQUAL(strstr(e.text, "rank 11 (host "), e.text);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(e.text, "died, last phase: cache drop before epoch 3"));
	CU_ASSERT_EQUAL(watch_look(&w[2], 101 * NS_PER_S, &e), -ESRCH);
	/* in another container that number says nothing */
	s[1].pid_ns++;
	CU_ASSERT_EQUAL(watch_find_dead(&w[0], &e), 0);
	s[1].pid_ns--;
	atomic_store(&s[1].beat_ns, 0);
	CU_ASSERT_EQUAL(watch_find_dead(&w[0], &e), 0);
	close_all(w);
}

/* The period comes from the environment; 0 turns the telling off. */
static void test_period(void)
{
	struct watch_slot s[RANKS];
	struct watch w[RANKS];
	struct err e;

	memset(s, 0, sizeof(s));
	memset(w, 0, sizeof(w));
	setenv("STOKER_WATCHDOG_S", "7", 1);
	CU_ASSERT_EQUAL(watch_init(&w[0], s, RANKS, 0, 0, &e), 0);
	CU_ASSERT_EQUAL(w[0].period_ns, 7 * NS_PER_S);
	watch_fini(&w[0]);
	unsetenv("STOKER_WATCHDOG_S");
	CU_ASSERT_EQUAL(watch_init(&w[0], s, RANKS, 0, 0, &e), 0);
	CU_ASSERT_EQUAL(w[0].period_ns, 30 * NS_PER_S);
	watch_fini(&w[0]);
}

UT_SUITE(watch, UT_CASE(test_silence), UT_CASE(test_who_speaks),
	UT_CASE(test_no_data), UT_CASE(test_death), UT_CASE(test_period))
