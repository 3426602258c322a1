#ifndef STORAGE_CLOCK_H
#define STORAGE_CLOCK_H
/*
 * Time as the workloads see it: nanoseconds since the clock was started. The
 * real clock is CLOCK_MONOTONIC; the virtual one stands still until an engine
 * moves it to the next event. Either has one wall-clock anchor, taken at the
 * start, so that a step of CLOCK_REALTIME cannot bend a measurement.
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NEVER INT64_MAX

struct clock {
	bool is_virtual;
	int64_t virtual_ns;	/* now, if virtual */
	int64_t zero_ns;	/* CLOCK_MONOTONIC at start */
	int64_t wall_anchor_ns; /* CLOCK_REALTIME at start */
};

void clock_start(struct clock *c, bool is_virtual);

/* How far the wall clock has been set since the start; + = forward. */
int64_t clock_wall_step_ns(const struct clock *c);

static inline int64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static inline int64_t clock_now(const struct clock *c)
{
	return c->is_virtual ? c->virtual_ns
			     : clock_monotonic_ns() - c->zero_ns;
}

#endif
