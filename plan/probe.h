#ifndef PLAN_PROBE_H
#define PLAN_PROBE_H
/*
 * Measure the drive under a folder: rates over depth, 4 KiB random requests,
 * latencies one at a time, the buffered path. All requests go to one file of
 * its own that is written first, with content that neither compresses nor
 * repeats, and that has no name any more while it is used: whatever ends the
 * probe, nothing is left. What a cache answered is told from what the device
 * moved, and never passes for the drive's.
 */
#include "core/err.h"
#include "core/record.h"
#include "storage/drive.h"
#include "storage/engine.h"
#include "storage/extents.h"

#include <stdbool.h>
#include <stdint.h>

#define PROBE_POINTS_MAX 64
#define PROBE_SIZE_MIN (64ULL << 20)
#define PROBE_CI_PCT 5.0
/* More than this part of a point's bytes from a cache: not the drive's. */
#define PROBE_CACHED_PCT 10.0

struct probe_point {
	struct drive_point d;
	bool ci_known;	  /* else d.ci_pct is 0 */
	bool buffered;	  /* through the page cache, a reader a depth */
	bool synced;	  /* with fsync */
	bool settled;	  /* the interval is within PROBE_CI_PCT */
	bool tool_limit;  /* this program had no CPU left, not the drive */
	double p999_us;
	double cached_pct; /* of the bytes; < 0 = cannot be told */
	double cpu_pct;	   /* of one core; what the first job's thread used */
	double wait_pct;   /* the time in which it was kept from a core */
};

struct probe_progress {
	uint32_t point, points; /* from 1 */
	const char *what;
	double gb_per_s; /* so far; 0 = not yet */
};

struct probe {
	/* what is asked for */
	const char *dir;	/* real engines: must exist */
	const char *file;	/* read this one, write nothing; or NULL */
	struct engine_spec engine;
	/* of the file, a multiple of 1 MiB; set to that of `file` */
	uint64_t size_bytes;
	int64_t point_ns;	/* at most so long a point */
	bool writes;		/* measure writes too */
	const struct rec_drive *drive; /* of dir; NULL: a modelled drive */
	void (*progress)(void *ctx, const struct probe_progress *p);
	void *ctx;
	/* what came of it */
	char engine_name[16];
	struct extents extents; /* of the file, after it was written */
	double fill_gb_per_s;	/* writing the new file, with its fsync */
	double sustained_gb_per_s; /* overwriting with fsyncs; 0: not done */
	uint64_t sustained_bytes;
	uint64_t bytes_read, bytes_written;
	int64_t took_ns;
	uint32_t point_count;
	struct probe_point points[PROBE_POINTS_MAX];
	char notes[6][320];
	uint32_t note_count;
};

/* Most bytes that will be written, the file's first time included. */
uint64_t probe_writes_bytes(const struct probe *p);
/* The longest that the points of reads, or those of writes, take. */
int64_t probe_longest_ns(const struct probe *p, bool writes);

/*
 * Run it. ERR_ENV where O_DIRECT is refused, ERR_IO without room (-ENOSPC) or
 * when much of `file` was never written or is stored compressed (-ENODATA);
 * -EINTR when interrupted.
 */
int probe_run(struct probe *p, struct err *e);

/*
 * The profile: sequential rates are plateaus over depth, random ones the
 * highest, latencies the means of one 4 KiB request at a time. name, model,
 * interface and capacity_gb are the caller's. ERR_ENV when reads came from a
 * cache. assumed[] is set where nothing was measured.
 */
struct probe_assumed {
	bool writes; /* without write points */
};
int probe_profile(const struct probe *p, struct drive_profile *d,
	struct probe_assumed *assumed, struct err *e);

/*
 * The plateau of n rates: the median of those within 5 % of the highest (the
 * highest alone is the luckiest). 0 when n is 0.
 */
double probe_plateau(const double *rates, uint32_t n);

#endif
