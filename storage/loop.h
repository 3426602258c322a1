#ifndef STORAGE_LOOP_H
#define STORAGE_LOOP_H
/*
 * The event loop of a process: tasks (state machines) that step until they
 * cannot move, and one engine to wait in. A task is stepped again after
 * loop_ready(), usually from the done() of one of its requests, or when its
 * deadline has come. Thousands of tasks cost what their events cost.
 */
#include "core/err.h"
#include "storage/engine.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop_task {
	/* 1 = finished, 0 = waits for loop_ready() or its deadline, < 0 */
	int (*step)(struct loop_task *t, struct err *e);
	bool background; /* the loop does not go on for its sake */
	/* the loop's own */
	struct loop_task *next;
	bool ready, finished;
	int64_t deadline_ns;
	size_t timer; /* 1-based place in the heap; 0 = none */
};

struct loop {
	struct engine *engine;
	struct clock *clock;
	struct loop_task *head, **tail; /* ready */
	struct loop_task **timers;	/* heap by deadline, from [1] */
	size_t timer_count, timer_room;
	uint32_t tasks; /* added */
	uint32_t live;	/* of these, unfinished and not in the background */
	/* Called after every wait: 0, or -errno to stop all tasks. */
	int (*after_wait)(void *arg, struct err *e);
	/* Latest time to look again, CLOCK_NEVER = no need. */
	int64_t (*look_again)(void *arg);
	void *arg;
};

/*
 * Set by a signal handler, and never lowered: loop_run() then ends with
 * -EINTR, and from LOOP_FORCED on loop_drain() too.
 */
enum loop_interruption {
	LOOP_LEAVE = 1, /* in order */
	LOOP_HURRY,	/* a SIGKILL will follow */
	LOOP_FORCED,	/* the user has lost patience */
};
extern volatile sig_atomic_t loop_interrupted;

void loop_init(struct loop *l, struct engine *g);
void loop_fini(struct loop *l);

/* Add a task; it is ready at once. */
int loop_add(struct loop *l, struct loop_task *t, struct err *e);
void loop_ready(struct loop *l, struct loop_task *t);
/* Step t at the latest at deadline_ns; it replaces an earlier deadline. */
void loop_sleep(struct loop *l, struct loop_task *t, int64_t deadline_ns);

/*
 * Run until every task has finished, or one fails, or loop_interrupted. After
 * a failure the caller lets its tasks end their requests with loop_drain().
 */
int loop_run(struct loop *l, struct err *e);

/*
 * Cancel what is held back, wait for what is in flight; steps nobody. -EINTR:
 * forced to give up, the memory of what is in flight must stay.
 */
int loop_drain(struct loop *l, struct err *e);

#endif
