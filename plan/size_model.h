#ifndef PLAN_SIZE_MODEL_H
#define PLAN_SIZE_MODEL_H
/*
 * The search of size.h on a modelled drive: each N is one epoch in virtual
 * time over a data set of its own, so that every accelerator has the same
 * number of steps whatever N is. Over one fixed data set more accelerators
 * have fewer steps each, and the head start of the first step flatters them.
 */
#include "core/err.h"
#include "core/record.h"
#include "plan/size.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

#define SIZE_LIMIT_MAX 64

struct size_model {
	const struct train_config *config; /* resolved, with drive */
	struct engine_spec engine;
	uint64_t steps; /* of each accelerator and epoch */
	bool fixed_set; /* config->files files for every N instead */
	uint64_t most;	/* look for no more accelerators than that */
	/*
	 * How well the drive's rate is known, in per cent: AU is computed for
	 * both ends as well.
	 */
	double rate_error_pct;
	bool confirm; /* all epochs and requests of the campaign, at N */
};

struct size_answer {
	struct size_curve curve;
	struct size_found steady, reference;
	bool by_data_set;	   /* capped by a fixed set's steps */
	double error_pct;	   /* +- of the steady AU at N, in points */
	char limit[SIZE_LIMIT_MAX]; /* what binds at N + 1 */
	/* confirm: the campaign's epochs; it stands for all runs */
	bool confirmed, confirm_passes;
	struct rec_metrics confirm; /* without arrays */
};

/* The caller frees with size_answer_fini(), also after an error. */
int size_model_run(
	const struct size_model *m, struct size_answer *a, struct err *e);
void size_answer_fini(struct size_answer *a);

/* Bytes per second that one accelerator asks for at AU 100 %, nominal. */
double size_demand_bytes_per_s(const struct train_config *c);

/*
 * Files with which each of n accelerators has so many steps an epoch: so many
 * times n as one of them needs.
 */
uint64_t size_files(const struct train_config *c, uint64_t n, uint64_t steps);

#endif
