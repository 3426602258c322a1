#ifndef RESULTS_WHY_VIEW_H
#define RESULTS_WHY_VIEW_H
/* An explanation for people and as JSON; see core/why.h. */
#include "core/record.h"
#include "core/why.h"

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/* The limit first, then the time, the storage and what would change it. */
void results_print_why(FILE *f, const struct record *rec,
	const struct rec_run *run, const struct why *w);

/* "limit: drive, 5.1 GB/s of the 5.7 needed; stoker why LEAF tells more" */
void results_print_limit(
	FILE *f, const struct rec_run *run, const struct why *w);

/* Add the object "why" to `to`; false when out of memory. */
bool results_add_why(struct cJSON *to, const struct rec_run *run,
	const struct why *w);

#endif
