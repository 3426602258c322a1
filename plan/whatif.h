#ifndef PLAN_WHATIF_H
#define PLAN_WHATIF_H
/*
 * One training run in virtual time, asked for its figures: what every
 * question above single runs (sizing, why, other accelerators) is made of. It
 * is the workload's own code over a modelled drive, all accelerators in this
 * process, and leaves no files.
 */
#include "core/err.h"
#include "core/record.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct whatif {
	/* What runs: resolved, with drive set; not changed. */
	const struct train_config *config;
	/* A modelled drive: constant, null or model. */
	struct engine_spec engine;
	uint32_t epochs; /* instead of the configuration's; 0 = as it says */
	/*
	 * One request for a whole file: what a reader's queue_depth requests
	 * of transfer_bytes would get is then computed in the drive model.
	 */
	bool event_per_file;
};

/*
 * Run it and fill m (free with whatif_fini()). Errors are those of
 * campaign_run(): a configuration that makes no step, or too many files.
 */
int whatif_run(const struct whatif *w, struct rec_metrics *m, struct err *e);
/* The same, and the whole record of it; free it with record_fini(). */
int whatif_record(const struct whatif *w, struct record *rec, struct err *e);
void whatif_fini(struct rec_metrics *m);

#endif
