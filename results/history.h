#ifndef RESULTS_HISTORY_H
#define RESULTS_HISTORY_H
/*
 * The finished runs below a results directory, and which of them are one
 * campaign: runs of one folder, numbered on, alike in configuration, and
 * started less than twice the shortest of them apart (Rules 2.1.18).
 */
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct history_run {
	struct record rec; /* one run, times as CLOCK_REALTIME (anchor 0) */
	uint32_t campaign; /* from 1, in the order of their newest runs */
};

/* A folder that should hold a run and cannot be read. */
struct history_broken {
	char leaf[4096];
	char why[512];
};

struct history {
	struct history_run *runs; /* by campaign, then time: newest last */
	size_t count;
	struct history_broken *broken;
	size_t broken_count;
};

/*
 * Is dir a submission tree (bundle create)? What lies in it are copies: a scan
 * of a folder above passes over it.
 */
bool history_is_bundle(const char *dir);

/*
 * Look for folders with a record.json or summary.json below dir; hidden names,
 * links and the folders of datagen, datasize and checkpointing are passed over.
 * *h need not be initialized; free with history_fini() in any case. -ENOENT
 * (ERR_USAGE) when dir is not there.
 */
int history_scan(const char *dir, struct history *h, struct err *e);
void history_fini(struct history *h);

/*
 * Two runs of a campaign: may b follow a, when the shortest run of the
 * campaign takes shortest_ns? Whole seconds from start to start, as the
 * benchmark's checker counts.
 */
bool history_gap_fits(int64_t start_a_ns, int64_t start_b_ns,
	int64_t shortest_ns, int64_t *gap_s, int64_t *limit_ns);

#endif
