#ifndef RESULTS_KV_JSON_H
#define RESULTS_KV_JSON_H
/*
 * Result files of KV cache runs, as the benchmark leaves them: summary.json of
 * the suite and, of each rank of each trial, option_O/trial_T/rank_R/
 * kvcache_results_STAMP.json. Its names are kept ("gb" and "gbps" mean GiB and
 * GiB/s there, read_iops is a count); what they leave open stands beside them
 * under "stoker", with units in the names.
 */
#include "core/err.h"
#include "core/kv_record.h"
#include "results/invocation.h"

struct cJSON;

/* The suite's summary; NULL: no memory. */
struct cJSON *results_kv_summary(const struct kv_record *rec, const char *stamp);

/* The file of one rank. */
struct cJSON *results_kv_rank(
	const struct kv_config *c, struct kv_rank_result *k);

/* Figures of an option or trial under unambiguous names. */
struct cJSON *results_kv_figures(const struct kv_aggregate *a);

/* The whole folder v->leaf, as results_write_run_leaf(). */
int results_write_kv_leaf(const struct invocation *v, struct kv_record *rec,
	struct err *e);

#endif
