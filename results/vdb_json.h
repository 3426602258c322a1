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

#include <stdbool.h>

struct invocation;

/*
 * What answers the queries, in the names of folders and in the files: no
 * database, and so not the one that CLOSED asks for (Rules 5.6.2).
 */
#define VDB_ENGINE "emulated"

/* All of them, into the existing folder dir. */
int results_write_vdb(
	const struct vdb_record *rec, const char *dir, struct err *e);

/* summary.json of datagen; modelled: no index was written. */
int results_write_vdb_datagen(const struct vdb_shape *shape,
	const char *index_type, bool modelled, const char *dir, struct err *e);

#endif
