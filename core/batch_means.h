#ifndef CORE_BATCH_MEANS_H
#define CORE_BATCH_MEANS_H
/*
 * How sure is a measured rate? Batch means: a run is cut into batches, long
 * enough to be nearly independent, and Student's t over their rates gives a
 * 95 % interval. There are at most 20; when full, neighbours are merged, so
 * that batches grow with the run and their number stays between 10 and 20.
 * (Law & Kelton, Simulation Modeling and Analysis: fixed-sample-size method.)
 */
#include <stdint.h>

#define BATCH_MEANS_MAX 20
#define BATCH_MEANS_LEAST 10 /* fewer do not decide */

/* Zeroed memory is empty. */
struct batch_means {
	uint32_t count; /* whole batches */
	uint32_t merged; /* pieces in one; 0 before the first piece */
	uint32_t pieces; /* in the open batch, number `count` */
	double amount[BATCH_MEANS_MAX + 1], length[BATCH_MEANS_MAX + 1];
};

/* Add a piece: so much (bytes) in that long (seconds, above 0). */
void batch_means_add(struct batch_means *b, double amount, double length);

/* Amount per length over whole batches; 0 when there is none. */
double batch_means_rate(const struct batch_means *b);

/*
 * Half the width of the 95 % interval of the rate, as a percentage of it;
 * INFINITY when there are fewer than BATCH_MEANS_LEAST batches.
 */
double batch_means_ci_pct(const struct batch_means *b);

/* Two-sided 95 % quantile of Student's distribution; df of 1 or more. */
double batch_means_t95(uint32_t df);

#endif
