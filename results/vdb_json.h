#ifndef RESULTS_VDB_JSON_H
#define RESULTS_VDB_JSON_H
/*
 * The files that a run of the benchmark's vector-database scripts leaves, from
 * a record: config.json, statistics.json, recall_stats.json,
 * result_verdict.json, summary.json and a CSV of batches for each client, with
 * their keys; what we add stands behind them. "formatted" byte counts are GiB
 * called GB, as there.
 */
#include "core/err.h"
#include "core/vdb_record.h"

struct invocation;

/* All of them, into the existing folder dir. */
int results_write_vdb(
	const struct vdb_record *rec, const char *dir, struct err *e);

#endif
