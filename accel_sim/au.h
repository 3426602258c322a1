#ifndef ACCEL_SIM_AU_H
#define ACCEL_SIM_AU_H
/*
 * Accelerator utilisation from the step times of a run.
 *
 * Reference figures follow DLIO 3.0.2 in double precision and in its order of
 * operations. For one rank and epoch with n steps, the first is left out:
 *
 *	total = (T1 - T0) - P[0]
 *	au = 100 * sum(C[1..]) / total
 *	throughput = (n - 1) / total * B		samples/s
 *
 * An epoch's AU is the mean over ranks, its throughput their sum; a run's
 * figures are mean and population deviation over epochs. MiB/s are samples/s
 * times the configured record length, not the bytes read.
 *
 * The verdict is not taken from doubles: 9 steps of 0.162 s in 1.62 s are
 * exactly 90 %, where doubles say 89.99999999999999.
 *
 * Strict figures stand beside them. The untimed first step may have filled
 * the read-ahead, so the reference AU of a short run can be far too good.
 * Steady AU asks how much compute the bytes that were read inside a window
 * (rec_steady) pay for: per rank and epoch the smaller of
 *
 *	sum(C) / (window - sum(L))		limit of barriers and software
 *	steps * ct * bytes_read / bytes_taken / busy	limit of storage
 *
 * so that read-ahead left over from the first step neither flatters nor hurts.
 * Time in which the storage was not asked for anything is not held against it
 * (busy <= window; 0 sets no limit). The second takes the nominal compute time
 * ct: an emulated accelerator that wakes up late asks for less, and that is
 * not the drive's merit.
 */
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The two terms of steady AU for one rank and epoch, in per cent; storage is
 * infinite where the storage took no time. False: no steady window.
 */
struct acc_steady {
	double software_pct, storage_pct;
};
bool acc_steady_terms(const struct rec_epoch *ep, const struct train_config *c,
	struct acc_steady *out);

/*
 * Fill run->metrics and the figures of its epochs. Every rank must have the
 * same number of epochs. -EINVAL (ERR_USAGE) when an epoch has one step: no
 * steps are left after excluding the first.
 */
int acc_metrics(
	struct rec_run *run, const struct train_config *c, struct err *e);

/*
 * Fill the verdicts, means, margin and reason of rec->campaign from the
 * metrics of its runs; the caller has set runs_wanted, warmups, runs_rule and
 * stands_for_all. Every counted run must reach the floor by itself (Rules
 * 3.3.2); the mean decides nothing. A campaign of fewer runs than runs_rule
 * gets VERDICT_NONE and a reason. A warm-up below the floor adds a note.
 */
void acc_campaign_verdict(struct record *rec);

#endif
