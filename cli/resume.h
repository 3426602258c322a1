#ifndef CLI_RESUME_H
#define CLI_RESUME_H
/* `training run --resume`: the runs of an interrupted campaign. */
#include "cli/training.h"

/*
 * Find the newest campaign below --results-dir that o and s would continue.
 * *found gets its finished runs, times as CLOCK_REALTIME; free it with
 * record_fini(). `group` is "mpi" or "local", or NULL if not known yet.
 * Otherwise -EINVAL or -ENOENT (ERR_USAGE) with what stands against it: which
 * run, which figure.
 */
int resume_find(const struct training_options *o,
	const struct training_setup *s, const char *group, int64_t now_ns,
	struct record *found, struct err *e);

/*
 * CLOCK_REALTIME at which the last of the runs in this campaign's folder ends,
 * 0 without any. In virtual time that may be to come.
 */
int64_t resume_last_end_ns(const struct training_setup *s);

#endif
