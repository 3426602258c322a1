#ifndef ACCEL_SIM_GROUP_H
#define ACCEL_SIM_GROUP_H
/*
 * The accelerators of a job and what they do together: barriers, failing
 * together, handing results to rank 0. Two kinds: all accelerators in this
 * process (local), or one MPI rank each. Ranks of one host meet in a counter
 * in shared memory whose last arriver wakes the others through their engines;
 * only one leader per host speaks MPI.
 */
#include "accel_sim/watch.h"
#include "core/err.h"
#include "storage/loop.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group {
	const struct group_ops *ops;
	uint32_t size;	/* accelerators of the job */
	uint32_t first; /* members of this process: first ... */
	uint32_t count; /* ... first + count - 1 */
	uint32_t host, hosts;
	uint32_t ranks_on_host;
	bool host_leader; /* this process acts for its host */
	struct loop *loop;
	struct loop_task **tasks; /* [count] */
	/* tells the user of silent ranks; may be NULL */
	void (*say)(void *ctx, const char *text);
	void *say_ctx;
};

struct group_ops {
	const char *name;
	int (*attach)(struct group *g, struct err *e);
	void (*detach)(struct group *g);
	void (*barrier_start)(struct group *g, uint32_t member);
	int (*barrier_test)(struct group *g, uint32_t member, struct err *e);
	void (*fail)(struct group *g, const struct err *e);
	int (*agree)(struct group *g, int status, struct err *e);
	int (*gather)(struct group *g, const void *buf, size_t size_bytes,
		int (*take)(void *arg, uint32_t process, const void *buf,
			size_t size_bytes, struct err *e),
		void *arg, struct err *e);
	int (*share)(struct group *g, void *buf, size_t size_bytes,
		struct err *e);
	_Atomic int64_t *(*limit_word)(struct group *g);
	/* may be NULL */
	void (*set_phase)(struct group *g, enum watch_phase phase,
		uint32_t epoch, uint32_t step);
	void (*close)(struct group *g);
};

/* All `size` accelerators in this process. */
int group_local_open(uint32_t size, struct group **out, struct err *e);

/* MPI_COMM_WORLD, one accelerator a rank; calls MPI_Init. */
int group_mpi_open(struct group **out, struct err *e);

/* "4.1.4", of the MPI library that runs; needs no MPI_Init. "" if unknown. */
void group_mpi_version(char *buf, size_t size);

/* Did a launcher (mpirun, srun) start this process as one of several? */
bool group_launched(void);

/*
 * Join a loop: tasks[i] is the task of member first + i. Barriers belong
 * between attach and detach, which every process of the group calls alike.
 */
int group_attach(struct group *g, struct loop *l, struct loop_task **tasks,
	struct err *e);
void group_detach(struct group *g);

/*
 * Barrier of all members, never blocking: start once, then test until it is
 * not 0. 1 = everyone arrived; -ECANCELED = some rank failed (its text in e).
 * The member's task is made ready when the answer changes.
 */
static inline void group_barrier_start(struct group *g, uint32_t member)
{
	g->ops->barrier_start(g, member);
}

static inline int group_barrier_test(
	struct group *g, uint32_t member, struct err *e)
{
	return g->ops->barrier_test(g, member, e);
}

/* Make every barrier fail with this error: all ranks leave together. */
static inline void group_fail(struct group *g, const struct err *e)
{
	g->ops->fail(g, e);
}

/*
 * Collective, once per process, outside loops: does every process have
 * status 0? If not, each gets the first failing rank's code and error.
 */
static inline int group_agree(struct group *g, int status, struct err *e)
{
	return g->ops->agree(g, status, e);
}

/* Collective: hand each process's bytes to take() in rank 0's process. */
static inline int group_gather(struct group *g, const void *buf,
	size_t size_bytes,
	int (*take)(void *arg, uint32_t process, const void *buf,
		size_t size_bytes, struct err *e),
	void *arg, struct err *e)
{
	return g->ops->gather(g, buf, size_bytes, take, arg, e);
}

/* Collective: everyone gets rank 0's bytes. */
static inline int group_share(
	struct group *g, void *buf, size_t size_bytes, struct err *e)
{
	return g->ops->share(g, buf, size_bytes, e);
}

/* The word that the ranks of a host share for engine_set_limit(). */
static inline _Atomic int64_t *group_limit_word(struct group *g)
{
	return g->ops->limit_word(g);
}

/* Say what this process does now, for those who watch it; see watch.h. */
static inline void group_set_phase(struct group *g, enum watch_phase phase,
	uint32_t epoch, uint32_t step)
{
	if (g->ops->set_phase)
		g->ops->set_phase(g, phase, epoch, step);
}

void group_close(struct group *g);

#endif
