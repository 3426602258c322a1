#ifndef PLAN_INTERFERENCE_H
#define PLAN_INTERFERENCE_H
/*
 * Training while a checkpoint is saved on the same drive: both workloads, as
 * they run alone, in one event loop over one modelled drive. The training
 * reads for a while, then one checkpoint is saved; a step is the time from
 * one meeting of the accelerators to the next, AU its share of compute.
 */
#include "core/ckpt_record.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/engine.h"

#include <stdint.h>

struct interference {
	const struct train_config *config; /* resolved; files are replaced */
	struct engine_spec engine;	   /* a modelled drive */
	struct ckpt_config checkpoint;	   /* shape, io, sizes and depths */
	double period_s; /* from one save to the next */
};

struct interference_found {
	double au_pct;	   /* before the save */
	double dip_au_pct; /* from its start until steps are as before */
	double dip_s;	   /* ... which lasts this long; 0 = no step slowed */
	double slowest_au_pct; /* of ten steps in a row */
	double save_s;	       /* of the slowest rank, while training reads */
	double save_alone_s;
	double au_period_pct; /* over period_s */
};

/*
 * Steps count as slowed from the first of the save until ten in a row take no
 * more than 2 % longer than those before it did. -ERANGE (ERR_USAGE): saves do
 * not end within the period.
 */
int interference_run(const struct interference *i,
	struct interference_found *found, struct err *e);

#endif
