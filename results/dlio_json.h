#ifndef RESULTS_DLIO_JSON_H
#define RESULTS_DLIO_JSON_H
/*
 * The three JSON files a training run of DLIO 3.0.2 leaves, from a record:
 * summary.json, <rank>_output.json and <rank>_per_epoch_stats.json, with its
 * key order, names and types, indent 4. Units are those of its names, with
 * its habits: "GB" are GiB and "MB_per_second" MiB/s.
 */
#include "core/err.h"
#include "core/record.h"

#include <stdint.h>

struct cJSON;

/* Write the files for one run into the existing folder dir. */
int results_write_dlio(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e);

#define RESULTS_STAMP_MAX 40
/*
 * Local time of a moment of the record's clock, "2026-07-20T10:00:03.114201";
 * returns buf.
 */
const char *results_stamp(
	char buf[RESULTS_STAMP_MAX], const struct rec_time *t, int64_t ns);

/*
 * A /proc text as an object of strings, the last value of a key winning, the
 * key "processor" and lines without exactly one colon left out (as DLIO
 * 3.0.2). text may be NULL: empty object. NULL when out of memory.
 */
struct cJSON *results_proc_object(const char *text);

/*
 * summary.json of any workload: what is the same in all around its metric,
 * which is taken over. rec->config has accelerators, files, samples_per_file
 * and record_bytes.
 */
struct cJSON *results_summary(const struct record *rec, int64_t start_ns,
	int64_t end_ns, struct cJSON *metric, uint32_t epochs);

/* The first keys of <rank>_output.json. */
struct cJSON *results_output_head(
	const struct record *rec, const struct rec_host *host);

/* Write tree, which is taken over and may be NULL (out of memory). */
int results_write_tree(
	struct cJSON *tree, const char *dir, const char *name, struct err *e);

#endif
