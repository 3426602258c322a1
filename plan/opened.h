#ifndef PLAN_OPENED_H
#define PLAN_OPENED_H
/*
 * What runs of all workloads open alike: clock, engine and buffers of a
 * process, and what the record says of them. Errors as of the modules that are
 * opened. All but opened_hosts(), opened_shift() and opened_end() are local.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/buffers.h"
#include "storage/clock.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct opened {
	struct clock clock;
	struct engine *engine; /* owned; NULL: not open */
	struct buffers buffers;
};

/* rec->config: the kinds of group and clock. */
void opened_names(
	struct record *rec, const struct group *g, bool virtual_time);

/*
 * Start the clock; rec->time. A simulation that leaves no files is the same at
 * any hour: it begins at 0. One that leaves some begins now, or at
 * not_before_ns of wall time if that is later.
 */
void opened_clock(struct opened *o, bool virtual_time, int64_t not_before_ns,
	struct record *rec);

/*
 * Before a real engine is opened (others pass): is there memory for `each`
 * buffers of so many bytes for every rank of this host, and may this process
 * open so many files?
 */
int opened_check(const struct group *g, const struct engine_spec *spec,
	uint64_t each, uint64_t buffer_bytes, uint64_t files, struct err *e);

/* The engine of spec; its name and why it is another one to rec. */
int opened_engine(struct opened *o, const struct engine_spec *spec,
	bool tell_depth, struct record *rec, struct err *e);

/* count buffers, of real pages for a real engine; a note if they are not huge. */
int opened_buffers(struct opened *o, const struct engine_spec *spec,
	uint32_t count, uint64_t bytes, struct record *rec, struct err *e);

/* Collective: rec->hosts, with their free memory unless time begins at 0. */
int opened_hosts(struct group *g, struct record *rec, struct err *e);

/*
 * Collective: every process started its own clock; what to add to this one's
 * stamps to have them in rank 0's time.
 */
int opened_shift(const struct opened *o, struct group *g, int64_t *shift_ns,
	struct err *e);

/* Collective unless r, which is returned then: all notes to rank 0. */
int opened_end(const struct opened *o, struct group *g, int r,
	struct record *rec, struct err *e);

/*
 * Close engine and buffers. false, and nothing is closed, after a forced end:
 * what never returned keeps its memory, also the caller's.
 */
bool opened_close(struct opened *o);

#endif
