#ifndef PLAN_CKPT_PLAN_H
#define PLAN_CKPT_PLAN_H
/*
 * How often to save a checkpoint, and what failures and checkpoints cost a job.
 *
 * With M the mean time between failures of the job, d the time a save stalls
 * it, R the time of a restart, t the compute time between two saves, a job
 * that saves synchronously loses of its time about
 *
 *	d / (t + d)		stall
 *	(t + d) / (2 M)		work done again
 *	R / M			restarts
 *
 * Intervals t:
 *	Young (1974)	sqrt(2 d M)
 *	Daly (2006)	sqrt(2 d M) (1 + sqrt(x) / 3 + x / 9) - d, x = d / 2M,
 *			and M where d >= 2 M
 *	availability	d + sqrt(2 (M + R) d + d^2), less d since it counts from
 *			start to start (arXiv 2410.18124)
 *
 * Asynchronous saves stall only for the copy c from device to host memory, and
 * storage drains S bytes at B until the next one: t + c >= S / B. A failure
 * falls back to the newest checkpoint that has drained:
 *
 *	c / (t + c) + (t + c + S / B) / (2 M) + R / M
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

struct ckpt_job {
	double bytes;	  /* S: of one checkpoint */
	double mtbf_s;	  /* M: of the whole job */
	double save_s;	  /* d: S over the write rate, or as measured */
	double restart_s; /* R: all of it, the load included */
	bool asynchronous;
	double copy_s;	 /* c: asynchronous */
	double detect_s; /* a failure is found after: no shorter interval */
};

struct ckpt_loss {
	double interval_s; /* t */
	/* shares of all time; together at most 1 where it makes progress */
	double stall, rework, restart, total;
};

enum ckpt_rule { CKPT_YOUNG, CKPT_DALY, CKPT_AVAILABILITY, CKPT_RULES };

const char *ckpt_rule_name(enum ckpt_rule r);

/*
 * What makes no sense is refused with ERR_USAGE: times that are not positive
 * and finite, a negative restart or copy time.
 */
int ckpt_job_check(const struct ckpt_job *j, struct err *e);

/* Interval of a rule, at least detect_s and, asynchronous, S / B - c. */
double ckpt_interval_s(const struct ckpt_job *j, enum ckpt_rule r);

void ckpt_loss_at(
	const struct ckpt_job *j, double interval_s, struct ckpt_loss *l);

/* What it takes to lose no more than a share of all time. */
struct ckpt_target {
	double loss;	    /* 0 ... 1, stall and rework; restarts come on top */
	bool reachable;	    /* asynchronous: the copy alone may cost more */
	double save_s;	    /* longest time of a save */
	double interval_s;  /* from start to start */
	double bytes_per_s; /* B, of the whole job */
};

/*
 * Synchronous: d = loss^2 M / 2, from start to start loss M, B = S / d.
 * Asynchronous: the least B of all intervals T with B >= S / T and
 * c / T + (T + S / B) / (2 M) = loss.
 */
void ckpt_target_for(
	const struct ckpt_job *j, double loss, struct ckpt_target *t);

#endif
