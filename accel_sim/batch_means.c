/* Batch means; see batch_means.h. */
#include "accel_sim/batch_means.h"

#include <math.h>

/* Of an epoch; shorter windows have batches of BATCH_STEPS_MIN steps. */
#define BATCHES 10
#define BATCH_STEPS_MIN 2

/* Observations, as they come. */
struct sums {
	double sum, squares;
	uint32_t n;
};

/* Two-sided 95 % quantile of Student's distribution. */
static double student(uint32_t df)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
		2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
		2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	if (df <= sizeof(t) / sizeof(t[0]))
		return t[df - 1];
	/* within 0.001 from there on */
	return 1.96 + 2.42 / df;
}

static void observe(struct sums *s, const struct rec_run *run, uint32_t epoch,
	uint32_t first, uint32_t end)
{
	const struct rec_epoch *ep;
	int64_t compute = 0, all = 0;
	double pct;
	uint32_t r, k;

	for (r = 0; r < run->rank_count; r++) {
		ep = &run->ranks[r].epochs[epoch];
		for (k = first; k < end; k++) {
			compute += ep->compute_ns[k];
			all += ep->proc_ns[k] + ep->barrier_ns[k];
		}
	}
	if (all <= 0)
		return;
	pct = 100 * (double)compute / (double)all;
	s->sum += pct;
	s->squares += pct * pct;
	s->n++;
}

static void epoch_batches(
	struct sums *s, const struct rec_run *run, uint32_t epoch)
{
	const struct rec_steady *w = &run->ranks[0].epochs[epoch].steady;
	uint32_t steps = w->end > w->first ? w->end - w->first : 0;
	uint32_t each = steps / BATCHES, k;

	if (each < BATCH_STEPS_MIN)
		each = BATCH_STEPS_MIN;
	for (k = w->first; k + each <= w->first + steps; k += each)
		observe(s, run, epoch, k, k + each);
}

double acc_batch_means_ci_pct(const struct rec_run *run)
{
	struct sums s = {0};
	double variance;
	uint32_t i;

	for (i = 0; run->rank_count && i < run->ranks[0].epoch_count; i++)
		epoch_batches(&s, run, i);
	if (s.n < ACC_BATCHES_MIN)
		return 0;
	variance = (s.squares - s.sum * s.sum / s.n) / (s.n - 1);
	return variance > 0 ? student(s.n - 1) * sqrt(variance / s.n) : 0;
}
