/* Where a run's time went and what binds it; rules in why.h. */
#include "plan/why.h"

#include "accel_sim/au.h"
#include "plan/why_limit.h"
#include "workloads/training.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_NS_MAX 40000000000000 /* 11 hours, of a step */

static double share(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static double total(const int64_t *ns, uint32_t first, uint32_t end)
{
	double sum = 0;

	for (; first < end; first++)
		sum += (double)ns[first];
	return sum;
}

const struct rec_run *why_choose(const struct record *rec)
{
	const struct rec_run *best = NULL, *run;
	uint32_t i;

	for (i = 0; i < rec->run_count; i++) {
		run = &rec->runs[i];
		if (!run->metrics.epochs || !run->rank_count)
			continue;
		if (!best || (best->warmup && !run->warmup) ||
			(best->warmup == run->warmup &&
				run->metrics.au_mean_pct <
					best->metrics.au_mean_pct))
			best = run;
	}
	return best;
}

/* The timed part of a rank's epochs in nanoseconds. */
static double timed_ns(const struct rec_epoch *ep)
{
	return (double)(ep->block_end_ns - ep->block_ns - ep->proc_ns[0]);
}

static void rank_share(const struct rec_rank *k, struct why_share *s)
{
	double all = 0, compute = 0, load = 0, barrier = 0, rest;
	const struct rec_epoch *ep;
	uint32_t i;

	for (i = 0; i < k->epoch_count; i++) {
		ep = &k->epochs[i];
		all += timed_ns(ep);
		compute += total(ep->compute_ns, 1, ep->steps);
		load += total(ep->load_ns, 1, ep->steps);
		barrier += total(ep->barrier_ns, 0, ep->steps);
	}
	rest = all - compute - load - barrier;
	s->compute_pct = share(compute, all);
	s->storage_pct = share(load, all);
	s->barrier_pct = share(barrier, all);
	s->software_pct = share(rest > 0 ? rest : 0, all);
}

#define EACH_SHARE(do_one)                                                     \
	do_one(compute_pct) do_one(storage_pct) do_one(barrier_pct)            \
		do_one(software_pct)

static void add_share(struct why *w, const struct why_share *s, bool first)
{
#define ONE(field)                                                             \
	w->mean.field += s->field / w->rank_count;                             \
	if (first || s->field < w->min.field)                                  \
		w->min.field = s->field;                                       \
	if (first || s->field > w->max.field)                                  \
		w->max.field = s->field;
	EACH_SHARE(ONE)
#undef ONE
}

/*
 * The barrier of one epoch in two: what the last rank of a step waited, and
 * what the others waited longer than it. last[r] counts whom they waited for.
 */
static void split_barrier(const struct rec_run *run, uint32_t epoch,
	double *meet_ns, double *skew_ns, uint64_t *last)
{
	uint32_t r, k, n = run->rank_count, who;
	int64_t least, ns;
	double sum;

	for (k = 0; k < run->ranks[0].epochs[epoch].steps; k++) {
		least = INT64_MAX;
		sum = 0;
		who = 0;
		for (r = 0; r < n; r++) {
			ns = run->ranks[r].epochs[epoch].barrier_ns[k];
			sum += (double)ns;
			if (ns >= least)
				continue;
			least = ns;
			who = r;
		}
		*meet_ns += (double)least;
		*skew_ns += sum / n - (double)least;
		if (sum > (double)least * n)
			last[who]++;
	}
}

static int explain_ranks(
	const struct rec_run *run, struct why *w, struct err *e)
{
	uint64_t *last = calloc(run->rank_count, sizeof(*last)), steps = 0;
	double meet = 0, skew = 0, all = 0;
	uint32_t i, r;

	w->ranks = calloc(run->rank_count, sizeof(*w->ranks));
	if (!last || !w->ranks) {
		free(last);
		return err_nomem(e, "an explanation");
	}
	for (i = 0; i < run->ranks[0].epoch_count; i++) {
		split_barrier(run, i, &meet, &skew, last);
		steps += run->ranks[0].epochs[i].steps;
		for (r = 0; r < run->rank_count; r++)
			all += timed_ns(&run->ranks[r].epochs[i]) /
			       run->rank_count;
	}
	for (r = 0; r < run->rank_count; r++) {
		w->ranks[r].rank = run->ranks[r].rank;
		w->ranks[r].last_pct = share((double)last[r], (double)steps);
		rank_share(&run->ranks[r], &w->ranks[r].share);
		add_share(w, &w->ranks[r].share, !r);
		if (w->ranks[r].last_pct > w->ranks[w->slowest].last_pct)
			w->slowest = r;
	}
	w->meet_pct = share(meet, all);
	w->skew_pct = share(skew, all);
	all *= (w->mean.software_pct + w->meet_pct) / 100 / (double)steps;
	w->step_cost_ns = all < TIME_NS_MAX ? (int64_t)all : TIME_NS_MAX;
	w->has_ranks = true;
	free(last);
	return 0;
}

/* A record without step times holds the means of the whole blocks. */
static void explain_means(const struct rec_run *run, struct why *w)
{
	const struct rec_metrics *m = &run->metrics;

	w->mean = (struct why_share){m->compute_pct, m->storage_pct,
		m->barrier_pct, m->software_pct};
	w->min = w->max = w->mean;
	w->meet_pct = m->barrier_step_pct < m->barrier_pct ? m->barrier_step_pct
							   : m->barrier_pct;
	w->skew_pct = m->barrier_pct - w->meet_pct;
}

/* The terms of steady AU as the means tell them. */
static void mean_terms(const struct rec_run *run, struct why *w)
{
	double busy = 100 - w->mean.storage_pct;

	if (!run->no_step_times || !w->steady_evaluated)
		return;
	w->software_term_pct = share(w->mean.compute_pct, busy);
	w->storage_term_pct = share(w->busy_gb_per_s, w->asked_gb_per_s);
	if (w->storage_term_pct > 100)
		w->storage_term_pct = 100;
}

/* Sums over the windows in which storage is looked at. */
struct window {
	double time_ns, busy_ns; /* of the job: ranks run at the same time */
	double bytes;
	double asked; /* bytes per ns at AU 100 %, times time_ns */
	double taken, nominal; /* bytes of the samples in it */
};

static void steady_window(const struct rec_run *run, uint32_t epoch,
	const struct train_config *c, struct window *x)
{
	double longest = 0, idle = 1, ns, busy, n, asked = 0;
	const struct rec_steady *s;
	uint32_t r;

	for (r = 0; r < run->rank_count; r++) {
		s = &run->ranks[r].epochs[epoch].steady;
		ns = (double)(s->end_ns - s->begin_ns);
		n = (double)(s->end - s->first);
		if (ns <= 0 || n <= 0)
			continue;
		busy = (double)s->busy_ns / ns;
		idle *= busy < 1 ? 1 - busy : 0;
		longest = ns > longest ? ns : longest;
		x->bytes += (double)s->bytes_read;
		x->taken += (double)s->bytes_taken;
		x->nominal += n * (double)(c->batch_size * c->record_bytes);
		asked += (double)s->bytes_taken / n / (double)c->computation_ns;
	}
	x->time_ns += longest;
	x->busy_ns += longest * (1 - idle);
	x->asked += asked * longest;
}

static void block_window(const struct rec_run *run, uint32_t epoch,
	const struct train_config *c, struct window *x)
{
	double longest = 0, ns, n, asked = 0;
	const struct rec_epoch *ep;
	uint32_t r;

	for (r = 0; r < run->rank_count; r++) {
		ep = &run->ranks[r].epochs[epoch];
		ns = (double)(ep->block_end_ns - ep->block_ns);
		n = (double)ep->steps;
		longest = ns > longest ? ns : longest;
		x->bytes += (double)ep->bytes_asked;
		x->taken += (double)ep->bytes_asked;
		x->nominal += n * (double)(c->batch_size * c->record_bytes);
		asked += (double)ep->bytes_asked / n /
			 (double)c->computation_ns;
	}
	x->time_ns += longest;
	x->asked += asked * longest;
}

/* Both terms of steady AU, and how far the ranks' storage lies apart. */
static bool steady_terms(const struct record *rec, const struct rec_run *run,
	struct why *w, double *spread)
{
	double storage, sum, least = 100, most = 0;
	uint32_t r, i, epochs = run->ranks[0].epoch_count;
	double cells = (double)run->rank_count * epochs;
	struct acc_steady t;

	if (run->no_step_times || !run->metrics.steady_evaluated)
		return false;
	w->storage_term_pct = w->software_term_pct = 0;
	for (r = 0; r < run->rank_count; r++) {
		sum = 0;
		for (i = 0; i < epochs; i++) {
			if (!acc_steady_terms(&run->ranks[r].epochs[i],
				    &rec->config, &t))
				return false;
			storage = t.storage_pct < 100 ? t.storage_pct : 100;
			sum += storage / epochs;
			w->storage_term_pct += storage / cells;
			w->software_term_pct += t.software_pct / cells;
		}
		least = sum < least ? sum : least;
		most = sum > most ? sum : most;
	}
	*spread = most - least;
	return true;
}

static void explain_storage(const struct record *rec, const struct rec_run *run,
	bool steady, struct why *w)
{
	const struct train_config *c = &rec->config;
	struct window x = {0};
	uint32_t i;

	for (i = 0; i < run->ranks[0].epoch_count; i++)
		if (steady)
			steady_window(run, i, c, &x);
		else
			block_window(run, i, c, &x);
	w->busy_pct = steady ? share(x.busy_ns, x.time_ns) : -1;
	w->delivered_gb_per_s = x.time_ns > 0 ? x.bytes / x.time_ns : 0;
	w->busy_gb_per_s = steady && x.busy_ns > 0 ? x.bytes / x.busy_ns
						   : w->delivered_gb_per_s;
	w->asked_gb_per_s = x.time_ns > 0 && c->computation_ns
				    ? x.asked / x.time_ns
				    : 0;
	w->needed_gb_per_s = w->asked_gb_per_s * c->au_floor_ppm / 1e6;
	w->bytes_per_nominal = x.nominal > 0 ? x.taken / x.nominal : 0;
}

static int explain_requests(const struct record *rec, const struct rec_run *run,
	struct why *w, struct err *e)
{
	const struct train_config *c = &rec->config;
	struct rec_quantiles q[REC_HISTS];
	int i;

	for (i = 0; i < REC_HISTS; i++)
		if (rec_run_quantiles(run, (enum rec_hist)i, &q[i]))
			return err_nomem(e, "an explanation");
	w->latency_min_ns = (int64_t)q[REC_LATENCY_NS].min;
	w->latency_p50_ns = (int64_t)q[REC_LATENCY_NS].p50;
	w->latency_p99_ns = (int64_t)q[REC_LATENCY_NS].p99;
	w->request_mean_bytes = q[REC_REQUEST_BYTES].mean;
	w->in_flight_mean = q[REC_IN_FLIGHT].mean * run->rank_count;
	w->in_flight_most = (double)training_buffers(c) * run->rank_count;
	return 0;
}

/* Cores that this job kept busy, of those of its hosts. */
static void explain_cores(
	const struct record *rec, const struct rec_run *run, struct why *w)
{
	double cpu = 0, time = 0, block;
	const struct rec_epoch *ep;
	uint32_t r, i;

	if (rec->time.is_virtual)
		return;
	for (i = 0; i < run->ranks[0].epoch_count; i++) {
		block = 0;
		for (r = 0; r < run->rank_count; r++) {
			ep = &run->ranks[r].epochs[i];
			cpu += (double)ep->cpu_ns;
			if ((double)(ep->block_end_ns - ep->block_ns) > block)
				block = (double)(ep->block_end_ns -
						 ep->block_ns);
		}
		time += block;
	}
	for (i = 0; i < rec->host_count; i++)
		w->cores += rec->hosts[i].cpu_count;
	w->cores_busy = time > 0 ? cpu / time : 0;
}

/* A record from a file may hold anything. */
static bool is_config(const struct train_config *c)
{
	return c->accelerators && c->accelerators <= 1000000 &&
	       c->batch_size && c->batch_size <= 1U << 24 && c->files &&
	       c->samples_per_file && c->samples_per_file <= 1U << 30 &&
	       c->record_bytes && c->record_bytes <= 1ULL << 40 &&
	       c->computation_ns > 0 && c->computation_ns <= TIME_NS_MAX &&
	       c->read_threads && c->read_threads <= 65536 &&
	       c->queue_depth && c->queue_depth <= 65536 &&
	       c->transfer_bytes && c->transfer_bytes <= 1U << 30 &&
	       c->prefetch_factor && c->prefetch_factor <= 65536 &&
	       c->record_stdev_bytes >= 0 &&
	       c->record_stdev_bytes <= (double)c->record_bytes;
}

int why_explain(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, struct why *w, struct err *e)
{
	const struct rec_metrics *m = &run->metrics;
	double spread = 0;
	bool steady;
	int r = 0;

	memset(w, 0, sizeof(*w));
	if (!m->epochs || !run->rank_count || !run->ranks[0].epoch_count ||
		run->ranks[0].epochs[0].steps < 2)
		return err_set(e, ERR_USAGE, -EINVAL,
			"run %s has no AU to explain: it needs at least 2 "
			"steps an epoch",
			run->stamp);
	if (!is_config(&rec->config))
		return err_set(e, ERR_USAGE, -EINVAL,
			"the record of run %s holds a configuration that no "
			"run can have had",
			run->stamp);
	w->rank_count = run->rank_count;
	w->meets = m->meets_exact;
	w->au_pct = m->au_mean_pct;
	w->floor_pct = rec->config.au_floor_ppm / 1e4;
	w->steady_evaluated = m->steady_evaluated;
	w->steady_au_pct = m->steady_au_pct;
	if (run->no_step_times)
		explain_means(run, w);
	else
		r = explain_ranks(run, w, e);
	if (r)
		return r;
	w->storage_term_pct = w->software_term_pct = -1;
	steady = steady_terms(rec, run, w, &spread);
	explain_storage(rec, run,
		steady || (run->no_step_times && m->steady_evaluated), w);
	mean_terms(run, w);
	r = explain_requests(rec, run, w, e);
	if (r)
		return r;
	explain_cores(rec, run, w);
	why_find_limit(rec, run, profile, spread, w);
	return 0;
}
