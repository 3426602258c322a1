#ifndef CORE_WHY_H
#define CORE_WHY_H
/*
 * Why a run's AU is what it is: where each accelerator's time went, what
 * binds, and what would change it. plan/why.h fills it from a record and holds
 * the rules; results/why_view.h shows it. Rates are decimal GB/s.
 */
#include "core/record.h"

#include <stdbool.h>
#include <stdint.h>

/* What binds; each with the word that users and JSON see. */
enum why_limit {
	WHY_COMPUTE,	/* "none": the accelerators themselves */
	WHY_DRIVE,	/* "drive" */
	WHY_LINK,	/* "link": the drive's PCIe link */
	WHY_BUFFERED,	/* "buffered path": the page cache */
	WHY_CPU,	/* "cpu" */
	WHY_MEMORY,	/* "memory": copies out of memory, or small pages */
	WHY_READERS,	/* "too few readers": latency times requests */
	WHY_BARRIER,	/* "barrier": meeting, or waiting for one rank */
	WHY_SOFTWARE,	/* "software": what a step costs beside compute */
	WHY_DATASET,	/* "data set": more bytes a sample than nominal */
	WHY_GENERATOR,	/* "generator": making bytes again for --verify */
	WHY_LIMIT_READ, /* "limit-read": --limit-read */
	WHY_LIMITS
};

const char *why_limit_name(enum why_limit l);

/* Shares of the timed part of all epochs; they sum to 100. */
struct why_share {
	double compute_pct, storage_pct, barrier_pct, software_pct;
};

struct why_rank {
	uint32_t rank;
	struct why_share share;
	double last_pct; /* of the steps: the one the others waited for */
};

/* One question answered by a run in virtual time. */
struct why_answer {
	char what[64]; /* "3 accelerators", "8 readers" ... */
	double au_pct;
	bool steady_evaluated;
	double steady_au_pct;
	bool meets;		  /* steady where there is one */
	double needed_gb_per_s;	  /* for the floor */
	bool rough;		  /* the model knows less than the question */
};

#define WHY_ANSWERS_MAX 12

struct why {
	enum why_limit limit;
	bool sure; /* else `doubt` says what would tell */
	char evidence[640];
	char doubt[256];
	bool meets; /* the run's reference verdict */
	double au_pct, floor_pct;
	bool steady_evaluated;
	double steady_au_pct;

	/* where the time went */
	bool has_ranks; /* step times were there */
	uint32_t rank_count, slowest; /* slowest: index into ranks */
	struct why_rank *ranks;
	struct why_share mean, min, max;
	double skew_pct; /* of it: waiting for the last rank of each step */
	double meet_pct; /* of it: meeting as such, the last rank's own wait */

	/* storage; of the steady window where there is one */
	double storage_term_pct, software_term_pct; /* of steady AU */
	double busy_pct;		/* time with a read outstanding; <0 */
	double delivered_gb_per_s;	/* over all the time */
	double busy_gb_per_s;		/* while it was asked for something */
	double asked_gb_per_s;		/* AU 100 % with these files */
	double needed_gb_per_s;		/* for the floor */
	double in_flight_mean;		/* of all accelerators */
	double in_flight_most;		/* that readers and buffers allow */
	double request_mean_bytes;
	int64_t latency_min_ns, latency_p50_ns, latency_p99_ns;
	double cores_busy, cores; /* cores 0: not known */
	double bytes_per_nominal; /* true bytes a sample over nominal ones */
	int64_t step_cost_ns;	  /* software and meeting, a step */

	/* what would change it */
	bool answered;
	char no_answer[256]; /* why not */
	char model[128];      /* the drive the answers stand on */
	double model_au_pct; /* this run again, on that drive */
	double error_points; /* against the measured one */
	bool rough;
	char rough_why[256];
	/* smallest rate of this drive that reaches the floor for this run's N,
	 * latency and step cost as they are; 0: no rate does, <0: not asked */
	double floor_gb_per_s;
	uint32_t answer_count;
	struct why_answer answers[WHY_ANSWERS_MAX];
};

void why_fini(struct why *w);

#endif
