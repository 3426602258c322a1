#ifndef RESULTS_CKPT_JSON_H
#define RESULTS_CKPT_JSON_H
/*
 * The files that a checkpointing run of DLIO leaves, from a record:
 * summary.json, <rank>_output.json, <rank>_per_epoch_stats.json, dlio.log.
 * "GB" in names are GiB. Rates are S, the checkpoint's size by the formula,
 * over the rank's own time, as there.
 */
#include "core/ckpt_record.h"
#include "core/err.h"

#include <stdbool.h>

struct cJSON;
struct invocation;

/* Figures of saves or loads (prefix "save", "load"), strict ones too. */
bool results_add_ckpt_phase(struct cJSON *o, const char *key,
	const char *prefix, const struct ckpt_phase *p);

/* The three kinds of JSON files, into the existing folder dir. */
int results_write_ckpt(
	const struct ckpt_record *rec, const char *dir, struct err *e);

int results_write_ckpt_log(const struct invocation *v,
	const struct ckpt_record *rec, const char *dir, struct err *e);

#endif
