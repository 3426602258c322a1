#ifndef ACCEL_SIM_WATCH_H
#define ACCEL_SIM_WATCH_H
/*
 * The ranks of a host watch each other. Each has a slot in shared memory in
 * which it leaves a heartbeat and what it is doing; about once a second it
 * looks at the others. A rank whose process is gone is an error for all. A
 * rank that is silent, or waits for its data for a long time, is only talked
 * about, by the lowest rank that is alive, and never killed: it may be stopped
 * on purpose or wait for storage that comes back.
 */
#include "core/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WATCH_LOOK_NS 1000000000LL /* between looks */

enum watch_phase {
	WATCH_START, /* before its first step */
	WATCH_CACHE_DROP,
	WATCH_LOAD,
	WATCH_COMPUTE,
	WATCH_BARRIER,
	WATCH_WRITE,   /* of a data set */
	WATCH_BETWEEN, /* runs: gathering, writing results */
};

struct watch_slot {
	_Atomic int64_t beat_ns; /* CLOCK_MONOTONIC; 0: absent */
	_Atomic uint64_t at;	 /* phase, epoch and step */
	uint64_t pid_ns;	 /* pids mean something within it only */
	int32_t pid;
	uint32_t rank;
	char own_cache_line[32];
};

/* What an observer keeps of a slot. */
struct watch_seen {
	uint64_t at;
	int64_t since_ns, tell_ns;
	bool silent;
};

struct watch {
	struct watch_slot *slots; /* [count], shared */
	struct watch_seen *seen;  /* [count] */
	uint32_t count, self;
	int64_t period_ns; /* of silence before it is told; 0 = never */
	int64_t looked_ns;
	char host[256];
	/* tells the user; may be NULL */
	void (*say)(void *ctx, const char *text);
	void *ctx;
};

/*
 * Enter slots[self] as `rank`. The slots are the caller's and start as zeroes.
 * $STOKER_WATCHDOG_S sets the period (30 s; 0: silence is not told).
 */
int watch_init(struct watch *w, struct watch_slot *slots, uint32_t count,
	uint32_t self, uint32_t rank, struct err *e);
/* Leave: from now on this process may end without being missed. */
void watch_fini(struct watch *w);

/* Epoch and step count from 0; they show from 1. */
void watch_set_phase(
	struct watch *w, enum watch_phase phase, uint32_t epoch, uint32_t step);

/*
 * Leave a heartbeat and, when it is time, look at the others. -ESRCH: one
 * has died, e names it.
 */
int watch_look(struct watch *w, int64_t now_ns, struct err *e);

/* Look for a dead rank at once. */
int watch_find_dead(struct watch *w, struct err *e);

/* Is this the rank that speaks for its host? */
bool watch_speaks(const struct watch *w, int64_t now_ns);

#endif
