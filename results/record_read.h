#ifndef RESULTS_RECORD_READ_H
#define RESULTS_RECORD_READ_H
/*
 * A finished run read back from its folder, as far as a listing or the
 * continuation of its campaign needs it: configuration, notes, campaign, and
 * of the run its place, times and metrics; hosts, ranks and steps where asked
 * for. Nothing in the file is trusted.
 */
#include "core/err.h"
#include "core/record.h"

#include <stddef.h>

/*
 * `text` is record.json, `name` stands for it in errors. The record has one
 * run, whose leaf is not set. *rec need not be initialized and is empty after
 * an error: -EBADMSG (ERR_IO).
 */
int results_record_parse(const char *text, size_t len, const char *name,
	struct record *rec, struct err *e);

/*
 * The folder of a run: its record.json, or where there is none the reference's
 * summary.json. Of that only is known: model and division (from the folder's
 * path), accelerators, files, epochs, mean AU, verdict, times; tool_version is
 * "" then. The caller frees with record_fini(). -ENOENT if it has neither.
 */
int results_record_read(const char *leaf, struct record *rec, struct err *e);

/*
 * The same from record.json alone, with all ranks of the run: epochs, steps
 * (see rec_run.no_step_times) and the quantiles of the requests. Host names
 * and memory come along, their raw /proc texts do not. -ENOENT without a
 * record.json: the reference's files do not tell times of storage.
 */
int results_record_read_steps(
	const char *leaf, struct record *rec, struct err *e);

/* Was the run read from the reference's own summary.json? */
bool results_is_foreign(const struct record *rec);

/*
 * Would a run under `b` be the same run again as one under `a`? What names
 * the first difference, "files: 56, not 70"; a's value first. Not compared:
 * where results go, and which engine, group and clock were found to work.
 */
bool results_same_config(const struct train_config *a,
	const struct train_config *b, char *what, size_t size);

#endif
