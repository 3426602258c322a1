#ifndef CLI_SIZE_PROBE_H
#define CLI_SIZE_PROBE_H
/* One run on a real drive for `stoker size`, as a child of ours. */
#include "cli/size.h"
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stdint.h>

struct size_drive {
	const struct size_options *o;
	const char *dir, *accelerator;
	struct training_setup s; /* resolved for one accelerator */
	bool direct_chosen;	 /* O_DIRECT is our choice, not the user's */
	bool fell_back;		 /* and the file system refuses it */
};

/* What is run. */
struct size_probe {
	uint64_t accelerators;
	uint64_t epochs, steps; /* 0: as configured */
	uint64_t runs;
	bool no_compute; /* how fast can it read? */
};

struct size_probed {
	struct rec_metrics metrics; /* of a single run; without arrays */
	double cpu_busy_pct;	    /* of all cores of this host meanwhile */
	/* of several runs: the campaign's verdicts and means */
	bool reference_passes, steady_passes;
	double au_mean_pct, steady_mean_pct;
	/* of the run that decides, or the steady mean if that is lower */
	double lowest_au_pct;
};

/* -EINTR when interrupted; what a run says itself is its error. */
int size_probe_run(struct size_drive *d, const struct size_probe *p,
	struct size_probed *out, struct err *e);

/* Make a data set of so many files with `training datagen`. */
int size_make_set(const struct size_drive *d, uint64_t files, struct err *e);

#endif
