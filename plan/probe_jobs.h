#ifndef PLAN_PROBE_JOBS_H
#define PLAN_PROBE_JOBS_H
/* One measurement by several threads, where one core is not enough. */
#include "core/err.h"
#include "storage/engine.h"
#include "workloads/storm.h"

#include <stdint.h>

/*
 * Run s (alone: jobs 1) in this thread and jobs - 1 more of the same in threads
 * with engines of their own. Figures and latencies of all are in s.
 */
int probe_jobs_run(struct storm *s, uint32_t jobs,
	const struct engine_spec *spec, struct err *e);

#endif
