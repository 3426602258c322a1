#ifndef PLAN_WHY_LIMIT_H
#define PLAN_WHY_LIMIT_H
/* The two halves of plan/why.c that have a file each; see why.h. */
#include "core/record.h"
#include "core/why.h"
#include "storage/drive.h"
#include "storage/engine.h"

#include <stdbool.h>

/*
 * Name the limit and its evidence from the figures in w. spread_pct: how far
 * the storage terms of the ranks lie apart.
 */
void why_find_limit(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, double spread_pct, struct why *w);

/* What the storage of a run could do, as far as somebody knows. */
struct why_drive {
	bool known;	   /* else a guess from the record */
	double gb_per_s;   /* reads, of the whole stripe; 0: none set */
	bool is_buffered;  /* it is the ceiling of the page cache */
	bool lacks_buffered; /* buffered reads, and that ceiling is unknown */
	double link_gb_per_s; /* of the PCIe links; 0: not known */
	struct engine_spec engine;
	char name[128];
};

/* From the profile, the run's own modelled drive, or what w measured. */
void why_drive_of(const struct record *rec,
	const struct drive_profile *profile, bool odirect, const struct why *w,
	struct why_drive *d);

#endif
