#ifndef RESULTS_BUNDLE_ROWS_H
#define RESULTS_BUNDLE_ROWS_H
/*
 * The rows of results.json and results.csv: 54 columns in the benchmark's
 * order, those of other workloads empty. A Public ID is left empty: only the
 * benchmark's staff gives one.
 */
#include "core/err.h"
#include "results/bundle_create.h"

struct cJSON;

struct bundle_row_facts {
	const char *organization, *system, *division, *pointer;
	const struct cJSON *description; /* SYSTEM.yaml */
	/* the run leaves of one result, in order of time */
	const struct bundle_source *leaves;
	size_t count;
};

/* NULL when out of memory. */
struct cJSON *bundle_row(const struct bundle_row_facts *f);

int bundle_rows_csv(const char *path, const struct cJSON *rows, struct err *e);

#endif
