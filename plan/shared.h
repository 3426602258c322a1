#ifndef PLAN_SHARED_H
#define PLAN_SHARED_H
/*
 * Before a job does any I/O: is the data folder the same one on every host, and
 * will the results find room? Asked by content, a token that rank 0 writes and
 * every host reads: device numbers differ on FUSE though the files are the same
 * (mlcommons/storage#619, #772).
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/record.h"

/*
 * Collective. ERR_ENV names the hosts that see another data folder. Results
 * are written by rank 0 alone: another folder elsewhere is a note. `folder`
 * and `results` may be "" for none.
 */
int shared_check(struct group *g, const char *folder, const char *results,
	struct record *rec, struct err *e);

/* The same before data are generated; the folder is there on rank 0. */
int shared_check_data(struct group *g, const char *folder, struct err *e);

/* Rank 0: make the results folder, and see that `bytes` can be written. */
int shared_probe_results(const char *results, uint64_t bytes, struct err *e);

#endif
