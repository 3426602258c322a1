#ifndef ACCEL_SIM_GROUP_MPI_H
#define ACCEL_SIM_GROUP_MPI_H
/*
 * Inside the MPI group: its state, and how its processes meet outside loops.
 * Nothing here blocks in MPI, so that a rank that has died or is silent is
 * noticed wherever the others wait for it. Once a rank is dead the group is
 * broken: MPI is not called any more, and every meeting ends with that error.
 */
#include "accel_sim/group.h"

#include "core/units.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Between looks at a request that others must answer. */
#define POLL_FIRST_NS (10 * NS_PER_US)
#define POLL_LAST_NS (200 * NS_PER_US)

/* Shared by the ranks of a host. */
struct host_page {
	_Atomic uint32_t word;	      /* changes when a barrier opens */
	_Atomic uint32_t leader_word; /* several hosts: all have arrived */
	_Atomic uint32_t generation;
	_Atomic uint32_t arrived;
	_Atomic uint32_t rounds;  /* barriers all local ranks have reached */
	_Atomic uint32_t failing; /* 1 = someone writes error, 2 = written */
	struct err error;
	_Atomic int64_t limit_next_ns;
	_Atomic uint32_t fifos; /* ranks that need a FIFO */
	char fifo_dir[128];
	_Atomic uint32_t broken; /* as failing, for death */
	struct err death;
	struct watch_slot slots[]; /* [ranks_on_host] */
};

struct mpi_group {
	struct group g;
	MPI_Comm local, leaders;
	MPI_Win window;
	struct host_page *page;
	uint32_t local_rank;
	uint32_t waits_for;
	bool waiting;
	/* leader among several hosts */
	uint32_t rounds_started;
	bool reducing;
	MPI_Request request;
	int sent, received;
	int64_t poll_gap_ns, poll_at_ns;
	/* FIFO fall-back */
	int own_fifo;
	int *fifo; /* [ranks_on_host] write ends, -1 = not needed */
	double wtime_start_s;
	int64_t monotonic_start_ns;
	/* deaths */
	struct watch watch;
	bool broken;
	struct err death; /* why; also on its way to other hosts */
	bool asked;	  /* to leave in order, before any hurry */
	int64_t hurry_ns; /* since when the job is to end at once */
};

/*
 * Leave a heartbeat, look at the others about once a second, hear what other
 * hosts say. Not 0: the group is broken, e says by what.
 */
int mpi_watch(struct mpi_group *m, struct err *e);

/* Wait for a request of ours, watching. Not 0: the group is broken. */
int mpi_await(struct mpi_group *m, MPI_Request *request, struct err *e);
int mpi_meet(struct mpi_group *m, MPI_Comm comm, struct err *e);

/* The collective operations of struct group_ops. */
int mpi_agree(struct group *g, int status, struct err *e);
int mpi_gather(struct group *g, const void *buf, size_t size_bytes,
	int (*take)(void *arg, uint32_t process, const void *buf,
		size_t size_bytes, struct err *e),
	void *arg, struct err *e);
int mpi_share(struct group *g, void *buf, size_t size_bytes, struct err *e);

#endif
