#ifndef RESULTS_RUN_JSON_H
#define RESULTS_RUN_JSON_H
/*
 * run.json: what the benchmark's files of a checkpointing, vector-database or
 * KV cache run have no place for: notes, hosts, the drive's passport, engine,
 * and figures of the family under its name ("checkpointing" ...). A training
 * run has all of that in record.json.
 */
#include "core/err.h"
#include "core/record.h"

struct cJSON;

/* Into the folder dir; part is taken over, NULL: out of memory. */
int results_write_run_json(const struct record *base, const char *family,
	struct cJSON *part, const char *dir, struct err *e);

/*
 * The same of a run's folder: rec gets notes, drive, engine and names of
 * hosts, *doc (NULL after an error) the whole document. *rec need not be
 * initialized; free with record_fini() in any case. -ENOENT when there is no
 * such file, -EBADMSG when it is none of ours.
 */
int results_read_run_json(const char *leaf, struct record *rec,
	struct cJSON **doc, struct err *e);

#endif
