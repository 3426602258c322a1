#ifndef PLAN_WHY_H
#define PLAN_WHY_H
/*
 * Why a run's AU is what it is, from its record alone.
 *
 * Where the time went: of each rank the part of its epochs that AU looks at,
 *
 *	(T1 - T0) - P[0] = sum C[1..] + sum L[1..] + sum barrier[0..] + rest
 *
 * compute, waiting for storage, barrier and software. The barrier splits in
 * two: `meet`, the wait of the rank that came last in a step, is what meeting
 * costs; `skew`, what the others waited longer, is that rank's doing.
 *
 * What binds, first rule that holds:
 *
 *  1 none      steady AU (else AU) >= 99.5 %. Half a point is 0.8 ms of a step
 *              of 162 ms: not worth a name.
 *  2 barrier   skew is the largest loss, and only some ranks' storage is slow
 *              (their terms differ by >= 10 points) or none's is. Where all
 *              wait for one slow drive they also wait for each other; that is
 *              the drive's doing. (Runs too short for a steady window: one
 *              rank is last in >= 75 % of the steps.)
 *  3 storage   the storage term of steady AU is the smaller one, or waiting
 *              for storage is the largest loss. Then:
 *     limit-read  delivered >= 90 % of it
 *     cpu         the host's cores are busy for >= 90 % of the time, or, of
 *                 O_DIRECT reads through io_uring, the one thread that each
 *                 rank is
 *     generator   the same with --verify, whose comparing is done between
 *                 reads: >= 70 % of a rank's thread
 *     memory      >= 50 % of the bytes came from memory (tmpfs, page cache)
 *     data set    a sample has >= 10 % more bytes than nominal (sets made by
 *                 the rules differ by 1 %), and with nominal ones this
 *                 storage would have reached the floor
 *     drive, buffered path, link
 *                 delivered >= 90 % of what the profile (or --drive) can do;
 *                 a part that idles more than 10 % of the time does not bind.
 *                 It is the link where the drive's rate is >= 90 % of what
 *                 its PCIe link carries (the rest is protocol)
 *     too few readers
 *                 less than 90 % of the profile's rate; or without a profile
 *                 fewer than 1.5 MB in flight, which is what a drive of
 *                 14.5 GB/s and 100 us needs to be busy
 *     else drive or buffered path, and `doubt` says what would tell. Certain
 *                 without a profile where half of the requests took twice as
 *                 long as the fastest: they stood in a queue.
 *  4 barrier   meeting costs more than software
 *  5 cpu, generator (--verify), software
 *
 * What was delivered while the storage was asked: ranks are busy
 * independently, so storage was idle for the product of their idle shares.
 *
 * Questions are answered by running the workload itself in virtual time on
 * the profile, on the run's own modelled drive, or on one made from its record
 * (rate while busy; latency of the fastest request less its transfer). What a
 * step cost (software, meeting) passes before each compute there. First the
 * run as it was: if its steady AU is off by more than 3 points, or the model
 * cannot know, answers are rough.
 */
#include "core/err.h"
#include "core/record.h"
#include "core/why.h"
#include "storage/drive.h"

/* The counted run with the lowest AU, which decides; NULL without figures. */
const struct rec_run *why_choose(const struct record *rec);

/*
 * Explain a run of rec. profile may be NULL. w is filled anew; free with
 * why_fini(). -EINVAL when the run has no figures.
 */
int why_explain(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, struct why *w, struct err *e);

/* Answer what would change it; after why_explain(). */
int why_answers(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, struct why *w, struct err *e);

#endif
