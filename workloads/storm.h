#ifndef WORKLOADS_STORM_H
#define WORKLOADS_STORM_H
/*
 * The plainest workload: equal requests to one file, a fixed number of them
 * in flight, until the rate is known well enough. It measures a drive by the
 * means of batches (core/batch_means.h), leaving out the start. Several
 * storms, each in a thread of its own, may be one measurement: the first
 * member decides when all have seen enough.
 */
#include "core/batch_means.h"
#include "core/err.h"
#include "core/hist.h"
#include "storage/buffers.h"
#include "storage/engine.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define STORM_JOBS_MAX 64

/* Shared by the members of one measurement; zeroed before it. */
struct storm_team {
	uint32_t members;
	_Atomic bool counting, stop;
	struct {
		_Alignas(64) _Atomic uint64_t bytes;
	} done[STORM_JOBS_MAX];
};

struct storm {
	/* what to do */
	struct engine *engine;
	struct buffers *buffers; /* room for depth requests, side by side */
	int fd;			 /* real engines */
	uint64_t file_bytes;
	enum engine_opcode opcode; /* ENGINE_READ or ENGINE_WRITE */
	bool random;		 /* else sequential, wrapping */
	bool streams;		 /* each slot goes through a part of its own */
	uint32_t bytes, depth;
	uint64_t seed;
	int64_t batch_ns; /* a piece of a batch; the first two are left out */
	int64_t least_ns, most_ns; /* of the whole */
	double ci_pct;	     /* stop when the interval is this narrow */
	uint64_t most_bytes; /* stop behind so many; 0 = no limit */
	uint64_t sync_bytes; /* fsync behind so many written; 0 = never */
	bool sync_last;	     /* and once at the end, within the time */
	struct storm_team *team; /* NULL: alone */
	uint32_t member;
	/* called now and then by member 0; may be NULL */
	void (*tick)(void *ctx, double rate_bytes_per_s);
	void *tick_ctx;
	/* what came of it */
	double rate_bytes_per_s;
	double ci_reached_pct;	/* < 0 = not known */
	/* of what was counted, or of all if it ended before; hist_fini() it */
	struct hist latency_ns;
	uint64_t bytes_moved;	/* everything, also what was left out */
	int64_t ns;		/* everything */
	double cpu_share;  /* of this thread's time: on a CPU */
	double wait_share; /* of this thread's time: ready, but without one */
};

/*
 * Run it. Errors name the offset; -EINTR when interrupted. Nothing is in
 * flight when it returns, unless the user forced the end.
 */
int storm_run(struct storm *s, struct err *e);

/* Fill memory that writes come from: it does not compress. */
void storm_fill(const struct buffers *b, uint64_t seed);

#endif
