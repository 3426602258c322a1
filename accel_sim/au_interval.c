/* The interval of a steady AU; see au_interval.h. */
#include "accel_sim/au_interval.h"

#include "core/batch_means.h"

#include <math.h>

/* Of an epoch; shorter windows have batches of BATCH_STEPS_MIN steps. */
#define BATCHES 10
#define BATCH_STEPS_MIN 2

/* Observations, as they come. */
struct sums {
	double sum, squares;
	uint32_t n;
};

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

double acc_steady_ci_pct(const struct rec_run *run)
{
	struct sums s = {0};
	double variance;
	uint32_t i;

	for (i = 0; run->rank_count && i < run->ranks[0].epoch_count; i++)
		epoch_batches(&s, run, i);
	if (s.n < ACC_BATCHES_MIN)
		return 0;
	variance = (s.squares - s.sum * s.sum / s.n) / (s.n - 1);
	return variance > 0 ? batch_means_t95(s.n - 1) * sqrt(variance / s.n) : 0;
}
