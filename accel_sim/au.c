/*
 * AU arithmetic; formulas in au.h. Names follow the reference: C compute, L
 * load, P = L + C of a step, T0 and T1 the ends of an epoch's block.
 */
#include "accel_sim/au.h"

#include "accel_sim/au_exact.h"
#include "accel_sim/au_interval.h"
#include "core/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXCLUDE_START 1U /* steps; exclude_start_steps, as DLIO 3.0.2 */

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static int64_t sum_ns(const int64_t *v, uint32_t first, uint32_t end)
{
	int64_t sum = 0;
	uint32_t i;

	for (i = first; i < end; i++)
		sum += v[i];
	return sum;
}

/* One rank in one epoch. */
struct cell {
	struct acc_fraction exact;
	double nominal_pct;
	double compute_pct, storage_pct, barrier_pct, software_pct;
};

/* The reference's doubles, added in its order; both 0 without a window. */
static void reference_figures(
	struct rec_epoch *ep, const struct train_config *c, double *total_s)
{
	double total, sum = 0;
	uint32_t i;

	total = seconds(ep->block_end_ns - ep->block_ns);
	total -= seconds(ep->proc_ns[0]);
	for (i = EXCLUDE_START; i < ep->steps; i++)
		sum += seconds(ep->compute_ns[i]);
	*total_s = total;
	ep->au_pct = 0;
	ep->throughput_per_s = 0;
	if (total <= 0)
		return;
	ep->au_pct = 100 * sum / total;
	ep->throughput_per_s = (double)(ep->steps - EXCLUDE_START) / total *
			       (double)c->batch_size;
}

static void cell_figures(
	struct cell *cell, struct rec_epoch *ep, const struct train_config *c)
{
	uint32_t n = ep->steps;
	int64_t block = ep->block_end_ns - ep->block_ns;
	double total, rest;

	reference_figures(ep, c, &total);
	cell->exact.num_ns = sum_ns(ep->compute_ns, EXCLUDE_START, n);
	cell->exact.den_ns = block - ep->proc_ns[0];
	cell->nominal_pct = percent(
		(n - EXCLUDE_START) * seconds(c->computation_ns), total);
	cell->compute_pct =
		percent((double)sum_ns(ep->compute_ns, 0, n), (double)block);
	cell->storage_pct =
		percent((double)sum_ns(ep->load_ns, 0, n), (double)block);
	cell->barrier_pct =
		percent((double)sum_ns(ep->barrier_ns, 0, n), (double)block);
	rest = 100 - cell->compute_pct - cell->storage_pct - cell->barrier_pct;
	cell->software_pct = block > 0 && rest > 0 ? rest : 0;
}

/*
 * What meeting costs in itself: in each step the wait of the rank that came
 * last, since the others' waits are for that rank's storage or compute.
 */
static double barrier_cost_pct(const struct rec_run *run, uint32_t epoch)
{
	const struct rec_epoch *ep = &run->ranks[0].epochs[epoch];
	int64_t cost = 0, steps = 0, least;
	uint32_t k, r;

	for (k = EXCLUDE_START; k < ep->steps; k++) {
		least = ep->barrier_ns[k];
		for (r = 1; r < run->rank_count; r++)
			if (run->ranks[r].epochs[epoch].barrier_ns[k] < least)
				least = run->ranks[r].epochs[epoch]
						.barrier_ns[k];
		cost += least;
		steps += ep->proc_ns[k] + ep->barrier_ns[k];
	}
	return percent((double)cost, (double)steps);
}

bool acc_steady_terms(const struct rec_epoch *ep, const struct train_config *c,
	struct acc_steady *out)
{
	const struct rec_steady *w = &ep->steady;
	double compute, nominal, busy, window;

	if (w->first >= w->end || w->end > ep->steps ||
		w->end_ns <= w->begin_ns || !w->bytes_taken ||
		w->busy_ns < 0)
		return false;
	compute = (double)sum_ns(ep->compute_ns, w->first, w->end);
	window = (double)(w->end_ns - w->begin_ns);
	busy = window - (double)sum_ns(ep->load_ns, w->first, w->end);
	if (busy < compute)
		busy = compute;
	out->software_pct = percent(compute, busy);
	nominal = (double)(w->end - w->first) * (double)c->computation_ns;
	/* a drive that takes no time sets no limit */
	out->storage_pct =
		w->busy_ns ? percent(nominal * (double)w->bytes_read /
					     (double)w->bytes_taken,
				     (double)w->busy_ns)
			   : INFINITY;
	return true;
}

/* False when the epoch has no steady window; see au.h for the formula. */
static bool steady_pct(const struct rec_epoch *ep,
	const struct train_config *c, double *pct)
{
	struct acc_steady t;

	if (!acc_steady_terms(ep, c, &t))
		return false;
	*pct = t.software_pct < t.storage_pct ? t.software_pct : t.storage_pct;
	return true;
}

static void mean_stdev(const double *v, uint32_t n, double *mean, double *stdev)
{
	double sum = 0, squares = 0, d;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	*mean = sum / n;
	for (i = 0; i < n; i++) {
		d = v[i] - *mean;
		squares += d * d;
	}
	*stdev = sqrt(squares / n);
}

static int check_run(const struct rec_run *run, struct err *e)
{
	uint32_t r, i, epochs;

	if (!run->rank_count || !run->ranks[0].epoch_count)
		return err_set(e, ERR_BUG, -EINVAL,
			"run %u left no epochs to compute AU from", run->index);
	epochs = run->ranks[0].epoch_count;
	for (r = 0; r < run->rank_count; r++) {
		if (run->ranks[r].epoch_count != epochs)
			return err_set(e, ERR_BUG, -EINVAL,
				"rank %u left %u epochs, rank 0 left %u", r,
				run->ranks[r].epoch_count, epochs);
		for (i = 0; i < epochs; i++)
			if (run->ranks[r].epochs[i].steps <= EXCLUDE_START)
				return err_set(e, ERR_USAGE, -EINVAL,
					"epoch %u of rank %u has %u step: no "
					"steps left after excluding the first; "
					"use more files (at least 2 batches "
					"per accelerator)",
					i + 1, r,
					run->ranks[r].epochs[i].steps);
	}
	return 0;
}

/* Per-epoch reference figures over ranks, and the shares over both. */
static void reduce_ranks(struct rec_run *run, const struct train_config *c,
	struct acc_fraction *exact)
{
	struct rec_metrics *m = &run->metrics;
	double cells = (double)run->rank_count * m->epochs;
	struct rec_epoch *ep;
	struct cell cell;
	uint32_t r, i;

	for (i = 0; i < m->epochs; i++) {
		for (r = 0; r < run->rank_count; r++) {
			ep = &run->ranks[r].epochs[i];
			cell_figures(&cell, ep, c);
			*exact++ = cell.exact;
			m->au_pct[i] += ep->au_pct;
			m->throughput_per_s[i] += ep->throughput_per_s;
			m->nominal_au_pct += cell.nominal_pct / cells;
			m->compute_pct += cell.compute_pct / cells;
			m->storage_pct += cell.storage_pct / cells;
			m->barrier_pct += cell.barrier_pct / cells;
			m->software_pct += cell.software_pct / cells;
		}
		m->au_pct[i] /= run->rank_count;
		m->barrier_step_pct += barrier_cost_pct(run, i) / m->epochs;
	}
}

static void reduce_epochs(struct rec_metrics *m, const struct train_config *c)
{
	double record = (double)c->record_bytes;

	mean_stdev(m->au_pct, m->epochs, &m->au_mean_pct, &m->au_stdev_pct);
	mean_stdev(m->throughput_per_s, m->epochs, &m->throughput_mean_per_s,
		&m->throughput_stdev_per_s);
	m->io_mean_mib_per_s = m->throughput_mean_per_s * record / 1024 / 1024;
	m->io_stdev_mib_per_s =
		m->throughput_stdev_per_s * record / 1024 / 1024;
	m->meets_double = m->au_mean_pct >= c->au_floor_ppm / 1e6 * 100;
}

static void steady_figures(struct rec_run *run, const struct train_config *c)
{
	struct rec_metrics *m = &run->metrics;
	double pct, epoch, sum = 0;
	uint32_t r, i;

	for (i = 0; i < m->epochs; i++) {
		epoch = 0;
		for (r = 0; r < run->rank_count; r++) {
			if (!steady_pct(
				    &run->ranks[r].epochs[i], c, &pct))
				return;
			epoch += pct;
		}
		sum += epoch / run->rank_count;
	}
	m->steady_evaluated = true;
	m->steady_ci_pct = acc_steady_ci_pct(run);
	m->steady_au_pct = sum / m->epochs;
	/* An AU that is the floor in decimals may be a hair below in doubles.
	 */
	m->steady_meets =
		m->steady_au_pct >= c->au_floor_ppm / 1e4 * (1 - 1e-12);
}

/* Bytes, CPU and memory; block time is the slowest rank's in each epoch. */
static void resource_figures(struct rec_run *run, const struct train_config *c)
{
	struct rec_metrics *m = &run->metrics;
	int64_t block, slowest, wall = 0, cpu = 0;
	const struct rec_epoch *ep;
	uint64_t used, all;
	double gib;
	uint32_t r, i;

	for (i = 0; i < m->epochs; i++) {
		slowest = 0;
		for (r = 0; r < run->rank_count; r++) {
			ep = &run->ranks[r].epochs[i];
			m->bytes_asked += ep->bytes_asked;
			m->bytes_device += ep->bytes_device;
			cpu += ep->cpu_ns;
			block = ep->block_end_ns - ep->block_ns;
			if (block > slowest)
				slowest = block;
		}
		wall += slowest;
	}
	for (r = 0; r < run->rank_count; r++)
		if (run->ranks[r].peak_rss_bytes > m->peak_rss_bytes)
			m->peak_rss_bytes = run->ranks[r].peak_rss_bytes;
	gib = (double)m->bytes_asked / (double)GIB_BYTES;
	if (m->bytes_asked > m->bytes_device)
		m->cached_pct =
			percent((double)(m->bytes_asked - m->bytes_device),
				(double)m->bytes_asked);
	m->cpu_s_per_gib = gib > 0 ? seconds(cpu) / gib : 0;
	m->read_gib_per_s = wall > 0 ? gib / seconds(wall) : 0;
	all = c->files * c->samples_per_file;
	used = 0;
	for (r = 0; r < run->rank_count; r++)
		used += run->ranks[r].epochs[0].steps * c->batch_size;
	m->unused_samples = all > used ? all - used : 0;
}

int acc_metrics(
	struct rec_run *run, const struct train_config *c, struct err *e)
{
	struct rec_metrics *m = &run->metrics;
	struct acc_fraction *exact;
	uint64_t ahead;
	uint32_t steps;
	size_t n;
	int ret;

	free(m->au_pct);
	free(m->throughput_per_s);
	memset(m, 0, sizeof(*m));
	ret = check_run(run, e);
	if (ret)
		return ret;
	m->epochs = run->ranks[0].epoch_count;
	n = (size_t)m->epochs * run->rank_count;
	m->au_pct = calloc(m->epochs, sizeof(*m->au_pct));
	m->throughput_per_s = calloc(m->epochs, sizeof(*m->throughput_per_s));
	exact = calloc(n, sizeof(*exact));
	if (!m->au_pct || !m->throughput_per_s || !exact) {
		free(exact);
		return err_nomem(e, "the metrics of a run");
	}
	reduce_ranks(run, c, exact);
	reduce_epochs(m, c);
	m->meets_exact = acc_mean_meets(exact, n, c->au_floor_ppm);
	free(exact);
	steady_figures(run, c);
	resource_figures(run, c);
	steps = run->ranks[0].epochs[0].steps;
	ahead = c->read_threads * c->prefetch_factor;
	m->head_start_pct =
		percent(ahead < steps ? (double)ahead : steps, steps);
	return 0;
}
