#ifndef PLAN_CAMPAIGN_H
#define PLAN_CAMPAIGN_H
/*
 * A campaign of training runs: warm-up and counted runs over one data set, on
 * a drive or a modelled one, into one record, with the verdict of the rule of
 * five consecutive runs. Collective over a group; what is said of the record
 * holds in rank 0's process.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/engine.h"
#include "workloads/training.h"

#include <stdbool.h>
#include <stdint.h>

struct campaign {
	struct group *group;
	struct engine_spec engine;
	bool virtual_time;
	bool drop_caches;
	bool allow_fallback; /* buffered where O_DIRECT is refused */
	/* Modelled drives only: ask for a whole file in one request. */
	bool event_per_file;
	/*
	 * Modelled drives only: simulate every run for itself, in virtual time
	 * that goes on from run to run, instead of one that stands for all.
	 */
	bool each_run;
	/*
	 * Virtual time with results only: CLOCK_REALTIME before which it does
	 * not begin (an earlier simulation may end after now); 0 = now.
	 */
	int64_t not_before_ns;
	/* Modelled drives only: memory of each client host; 0 = this host's. */
	uint64_t client_memory_bytes;
	uint32_t runs, warmups;
	/*
	 * To continue a campaign: its first runs, which are done. Rank 0's
	 * process has them in `earlier`, with CLOCK_REALTIME as their times and
	 * the engine that was found to work; they move into the record.
	 */
	uint32_t first;
	struct record *earlier;
	/*
	 * Called in rank 0's process when a run has ended and its metrics are
	 * known; an error ends the campaign.
	 */
	int (*run_ended)(void *ctx, struct record *rec, struct rec_run *run,
		struct err *e);
	void (*progress)(void *ctx, const struct training_progress *p);
	void (*run_begins)(void *ctx, const struct rec_run *run);
	void *ctx;
};

/*
 * Run it. rec->config is resolved; hosts, notes, runs and the verdict are
 * added. On an error the runs that had ended stay in the record.
 */
int campaign_run(const struct campaign *c, struct record *rec, struct err *e);

#endif
