#ifndef ACCEL_SIM_AU_INTERVAL_H
#define ACCEL_SIM_AU_INTERVAL_H
/*
 * How well a run knows its steady AU: the method of batch means. Steps follow
 * each other and are not independent, so the steps of each epoch's steady
 * window are cut into batches of equal length, and the AU of a batch,
 *
 *	sum(C) / sum(L + C + barrier) over its steps and all ranks
 *
 * is taken as one observation. With b batches, mean m and sample deviation s
 * the 95 % interval is m +- t(b - 1) s / sqrt(b), t of Student's distribution.
 */
#include "core/record.h"

/*
 * The half width in points of AU; 0 where it is not known: no steady window,
 * or fewer than ACC_BATCHES_MIN batches in all.
 */
#define ACC_BATCHES_MIN 4
double acc_steady_ci_pct(const struct rec_run *run);

#endif
