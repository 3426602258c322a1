#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H
/*
 * What every workload is to the event loop: a task for each member of its
 * group in this process. Several can share one loop and one engine, as
 * training does with a checkpoint that is saved meanwhile (each has a group
 * of its own; groups of MPI ranks cannot share a loop).
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "storage/loop.h"

#include <stdbool.h>
#include <stddef.h>

struct workload {
	struct group *group;
	struct loop_task **tasks; /* [group->count], added to the loop */
	/* Ask for nothing more; what is in flight ends. */
	void (*stop)(struct workload *w);
	/* Free it; nothing may be in flight. */
	void (*close)(struct workload *w);
};

/*
 * Run the loop until all of them have finished. Collective. When any rank
 * fails, all return the first one's error; what is in flight has ended, but
 * where *stuck: then it still owns its memory.
 */
int workloads_run(struct loop *l, struct workload *const *w, size_t count,
	bool *stuck, struct err *e);

/*
 * The end of every open function, collective: r is how far this process came
 * with w, which may be NULL; *out is w where all came to the end.
 */
int workload_opened(struct workload *w, struct group *g, int r,
	struct workload **out, struct err *e);

/* Open one, run it in a loop of its own over this engine, and close it. */
int workload_alone(struct engine *engine,
	int (*open)(void *arg, struct loop *l, struct workload **out,
		struct err *e),
	void *arg, struct err *e);

#endif
