#ifndef RESULTS_RECORD_JSON_H
#define RESULTS_RECORD_JSON_H
/*
 * The whole record as one JSON document (record.json, --json), and the folder
 * of one run, which appears under its name whole or not at all.
 */
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

#define RECORD_SCHEMA "stoker-record"
#define RECORD_SCHEMA_VERSION 2 /* to be raised with FIELD_SINCE */

/*
 * Units are in the names; times are nanoseconds of the run's clock, whose zero
 * is "wall_anchor_ns" (CLOCK_REALTIME). with_steps adds the four arrays of
 * every epoch and says so in "step_times". NULL when out of memory.
 */
struct cJSON *results_record_json(const struct record *rec, bool with_steps);

/*
 * A folder for one run's files: open() makes "PARENT/.NAME.partial", afresh
 * when an earlier one was left, and gives its path; commit() renames it to
 * leaf. Nothing of a run that dies in between carries a result's name.
 */
int results_leaf_open(
	const char *leaf, char *partial, size_t size, struct err *e);
int results_leaf_commit(const char *leaf, const char *partial, struct err *e);

#define RECORD_STEPS_MAX 200000 /* steps of all ranks and epochs */
/*
 * Into an open folder: DLIO's files and record.json of this run alone, with
 * step times unless it has more than RECORD_STEPS_MAX of them (DLIO's files
 * hold load, proc and compute in any case).
 */
int results_write_files(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e);

#endif
