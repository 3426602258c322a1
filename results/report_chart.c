/* The charts of training runs, and their tables; see report.h. */
#include "results/report.h"

#include "core/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CDF_POINTS 200
#define TIME_BINS 120
#define EPOCHS_DRAWN 200
#define EPOCHS_LISTED 10
#define RANKS_SHOWN 64

static const struct rec_run *run_of(const struct report_curve *c)
{
	return &c->campaign->runs[c->run].rec.runs[0];
}

static const struct report_extra *extra_of(const struct report_curve *c)
{
	return &c->campaign->extra[c->run];
}

void report_chart_au(struct doc *d, const struct report_campaign *c)
{
	double floor_pct = c->runs[0].rec.config.au_floor_ppm / 1e4;
	double *v = doc_alloc(d, 4 * c->run_count * sizeof(*v) + 1);
	double *x = v, *au = v + c->run_count, least = floor_pct;
	double *xs = v + 2 * c->run_count, *steady = v + 3 * c->run_count;
	const struct rec_metrics *m;
	size_t i, n = 0, ns = 0;

	if (!v)
		return;
	for (i = 0; i < c->run_count; i++) {
		m = &c->runs[i].rec.runs[0].metrics;
		if (m->epochs) {
			x[n] = report_run_number(c, i);
			au[n++] = m->au_mean_pct;
			least = fmin(least, m->au_mean_pct);
		}
		if (m->epochs && m->steady_evaluated) {
			xs[ns] = report_run_number(c, i);
			steady[ns++] = m->steady_au_pct;
			least = fmin(least, m->steady_au_pct);
		}
	}
	doc_chart(d, "AU of each run against the floor",
		"run (0: warm-up)", "AU in %");
	if (d->nomem)
		return;
	d->chart->whole_x = true;
	d->chart->y_least = fmax(0, 10 * floor(least / 10 - 0.5));
	d->chart->y_most = 101;
	doc_series(d, DRAW_POINTS, n, x, au, "reference AU");
	doc_series(d, DRAW_RINGS, ns, xs, steady, "steady AU");
	doc_series(d, DRAW_FLOOR, 1, &floor_pct, &floor_pct, "floor, %g %%",
		floor_pct);
}

static int by_value(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/*
 * Milliseconds of each step: load, compute and the wait behind it. The first
 * of an epoch is left out, as AU leaves it out. NULL = none.
 */
static double *step_times(const struct rec_run *run, size_t *count)
{
	const struct rec_epoch *ep;
	size_t n = 0, r, i, s;
	double *ms;

	for (r = 0; r < run->rank_count; r++)
		for (i = 0; i < run->ranks[r].epoch_count; i++)
			n += run->ranks[r].epochs[i].steps;
	ms = calloc(n + 1, sizeof(*ms));
	n = 0;
	for (r = 0; ms && r < run->rank_count; r++)
		for (i = 0; i < run->ranks[r].epoch_count; i++) {
			ep = &run->ranks[r].epochs[i];
			for (s = 1; s < ep->steps; s++)
				ms[n++] = ((double)ep->proc_ns[s] +
					    (double)ep->barrier_ns[s]) /
					  (double)NS_PER_MS;
		}
	*count = n;
	return ms;
}

/* The value that a share of n sorted ones does not exceed. */
static double quantile(const double *sorted, size_t n, double share)
{
	size_t at = (size_t)ceil(share * (double)n);

	return sorted[at ? at - 1 : 0];
}

static void step_row(
	struct doc *d, const char *name, const double *ms, size_t n)
{
	static const double shares[] = {0, 0.5, 0.9, 0.99, 0.999, 1};
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += ms[i];
	doc_cell(d, TONE_PLAIN, "%s", name);
	doc_number(d, true, (double)n, 0);
	doc_number(d, true, sum / (double)n, 3);
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		doc_number(d, true, quantile(ms, n, shares[i]), 3);
}

void report_cdf(struct doc *d, double *values, size_t n, const char *fmt, ...)
{
	double x[CDF_POINTS + 1], y[CDF_POINTS + 1], share;
	char name[256];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	qsort(values, n, sizeof(*values), by_value);
	for (i = 0; i <= CDF_POINTS; i++) {
		share = (double)i / CDF_POINTS;
		x[i] = quantile(values, n, share);
		y[i] = 100 * share;
	}
	doc_series(d, DRAW_LINE, CDF_POINTS + 1, x, y, "%s", name);
}

/* Where the slowest step took far longer than the fastest. */
static bool wide(const struct doc_chart *c)
{
	double least = INFINITY, most = 0;
	size_t i;

	for (i = 0; i < c->series_count; i++) {
		least = fmin(least, c->series[i].x[0]);
		most = fmax(most, c->series[i].x[c->series[i].n - 1]);
	}
	return least > 0 && most > 20 * least;
}

void report_log_if_wide(struct doc *d)
{
	if (!d->nomem)
		d->chart->log_x = wide(d->chart);
}

void report_steps(
	struct doc *d, const struct report_curve *curves, size_t count)
{
	static const char *const columns[] = {"run", "steps", "mean ms",
		"min", "p50", "p90", "p99", "p99.9", "max", NULL};
	double *ms;
	size_t i, n;

	doc_chart(d, "Step time: share of steps that took no longer",
		"milliseconds of a step (load, compute, barrier)",
		"% of steps");
	doc_table(d, "Step times in ms, without the first of each epoch",
		columns);
	for (i = 0; i < count && !d->nomem; i++) {
		if (!extra_of(&curves[i])->has_steps) {
			doc_text(d, TONE_MISSING, "%s: no step times (%s)",
				curves[i].name, extra_of(&curves[i])->no_steps);
			continue;
		}
		ms = step_times(run_of(&curves[i]), &n);
		if (ms && n) {
			report_cdf(d, ms, n, "%s", curves[i].name);
			step_row(d, curves[i].name, ms, n);
		} else {
			doc_text(d, TONE_MISSING,
				"%s: no step times (one step an epoch)",
				curves[i].name);
		}
		free(ms);
	}
	report_log_if_wide(d);
}

static void latency_row(struct doc *d, const struct report_curve *c)
{
	const struct rec_quantiles *q = &run_of(c)->requests[REC_LATENCY_NS];
	bool known = q->count > 0;
	double us = 1e-3;

	doc_cell(d, TONE_PLAIN, "%s", c->name);
	doc_number(d, known, (double)q->count, 0);
	doc_number(d, known, q->mean * us, 1);
	doc_number(d, known, (double)q->min * us, 1);
	doc_number(d, known, (double)q->p50 * us, 1);
	doc_number(d, known, (double)q->p99 * us, 1);
	doc_number(d, known, (double)q->p999 * us, 1);
	doc_number(d, known, (double)q->max * us, 1);
}

/* Microseconds and the share of requests that took no longer. */
static void latency_curve(
	struct doc *d, const char *name, const struct hist *h)
{
	double *x = doc_alloc(d, (h->n + 1) * sizeof(*x));
	double *y = doc_alloc(d, (h->n + 1) * sizeof(*y)), sum = 0, upper;
	size_t n = 0;
	uint32_t i;

	if (x && y) {
		x[n] = fmax((double)h->min, 1) * 1e-3;
		y[n++] = 0;
	}
	for (i = 0; x && y && i < h->n; i++) {
		if (!h->counts[i])
			continue;
		upper = h->first + i + 1 < HIST_BUCKETS
				? (double)hist_lower(h->first + i + 1)
				: (double)h->max;
		sum += (double)h->counts[i];
		x[n] = fmax(fmin(upper, (double)h->max), 1) * 1e-3;
		y[n++] = 100 * sum / (double)h->count;
	}
	doc_series(d, DRAW_LINE, n, x, y, "%s", name);
}

void report_latency(
	struct doc *d, const struct report_curve *curves, size_t count)
{
	static const char *const columns[] = {"run", "requests", "mean us",
		"min", "p50", "p99", "p99.9", "max", NULL};
	size_t i;

	doc_chart(d, "I/O latency: share of requests that took no longer",
		"microseconds", "% of requests");
	if (!d->nomem)
		d->chart->log_x = true;
	for (i = 0; i < count; i++)
		if (extra_of(&curves[i])->latency.count)
			latency_curve(d, curves[i].name,
				&extra_of(&curves[i])->latency);
	doc_table(d, "I/O latency in us", columns);
	for (i = 0; i < count; i++)
		latency_row(d, &curves[i]);
	for (i = 0; i < count; i++)
		if (!extra_of(&curves[i])->latency.count)
			doc_text(d, TONE_MISSING,
				"%s: no latency curve (%s)", curves[i].name,
				extra_of(&curves[i])->no_latency);
}

/* Of one epoch, over all ranks: first start of a block to the last end. */
struct span {
	double begin_s, end_s, asked, device;
};

static struct span span_of(const struct rec_run *run, uint32_t epoch)
{
	struct span s = {.begin_s = INFINITY};
	const struct rec_epoch *ep;
	uint32_t r;

	for (r = 0; r < run->rank_count; r++) {
		if (epoch >= run->ranks[r].epoch_count)
			continue;
		ep = &run->ranks[r].epochs[epoch];
		s.begin_s = fmin(s.begin_s,
			(double)(ep->block_ns - run->start_ns) / 1e9);
		s.end_s = fmax(s.end_s,
			(double)(ep->block_end_ns - run->start_ns) / 1e9);
		s.asked += (double)ep->bytes_asked;
		s.device += (double)ep->bytes_device;
	}
	return s;
}

/* GB/s that the steps took in, in equal parts of the run's time. */
static size_t taken(const struct rec_run *run, double *x, double *y)
{
	double all = (double)(run->end_ns - run->start_ns), bin, at, bytes;
	const struct rec_epoch *ep;
	uint32_t r, i, s;
	size_t k, bins = 0;

	for (i = 0; run->rank_count && i < run->ranks[0].epoch_count; i++)
		bins += run->ranks[0].epochs[i].steps;
	bins /= 8;
	bins = bins < 8 ? 8 : bins > TIME_BINS ? TIME_BINS : bins;
	bin = all / (double)bins;
	for (k = 0; k < bins; k++) {
		x[k] = bin * (double)k / 1e9;
		y[k] = 0;
	}
	for (r = 0; bin > 0 && r < run->rank_count; r++)
		for (i = 0; i < run->ranks[r].epoch_count; i++) {
			ep = &run->ranks[r].epochs[i];
			at = (double)(ep->block_ns - run->start_ns);
			bytes = ep->steps ? (double)ep->bytes_asked / ep->steps
					  : 0;
			for (s = 0; s < ep->steps; s++) {
				at += (double)ep->load_ns[s];
				k = at > 0 ? (size_t)(at / bin) : 0;
				if (k < bins)
					y[k] += bytes / bin; /* bytes/ns */
				at += (double)(ep->proc_ns[s] -
					       ep->load_ns[s] +
					       ep->barrier_ns[s]);
			}
		}
	return bin > 0 ? bins : 0;
}

/* Points of the chart: flat over each epoch. */
struct flat {
	double x[2 * EPOCHS_DRAWN], asked[2 * EPOCHS_DRAWN];
	double device[2 * EPOCHS_DRAWN];
	size_t n;
};

static void draw_epoch(struct flat *f, const struct span *s)
{
	double took = s->end_s - s->begin_s;
	int i;

	for (i = 0; i < 2 && f->n < 2 * EPOCHS_DRAWN; i++, f->n++) {
		f->x[f->n] = i ? s->end_s : s->begin_s;
		f->asked[f->n] = s->asked / took / 1e9;
		f->device[f->n] = s->device / took / 1e9;
	}
}

static void epoch_rows(
	struct doc *d, const struct report_curve *c, struct flat *f)
{
	const struct rec_run *run = run_of(c);
	struct span s;
	double took;
	uint32_t i;

	f->n = 0;
	for (i = 0; run->rank_count && i < run->ranks[0].epoch_count; i++) {
		s = span_of(run, i);
		took = s.end_s - s.begin_s;
		if (!(took > 0))
			continue;
		draw_epoch(f, &s);
		if (i >= EPOCHS_LISTED)
			continue;
		doc_cell(d, TONE_PLAIN, "%s", c->name);
		doc_number(d, true, i + 1, 0);
		doc_number(d, true, s.begin_s, 2);
		doc_number(d, true, took, 2);
		doc_number(d, true, s.asked / took / 1e9, 3);
		doc_number(d, true, s.device / took / 1e9, 3);
	}
}

void report_throughput(
	struct doc *d, const struct report_curve *curves, size_t count)
{
	static const char *const columns[] = {"run", "epoch", "starts at s",
		"takes s", "asked GB/s", "moved by the device GB/s", NULL};
	const struct report_curve *shown = NULL;
	double x[TIME_BINS], y[TIME_BINS];
	struct flat f = {.n = 0};
	size_t i, n;

	doc_chart(d, "Throughput over time, of the last run of the table",
		"seconds since the run began", "GB/s");
	doc_table(d, "Bytes asked for, and moved by the device, per epoch",
		columns);
	for (i = 0; i < count; i++) {
		if (!run_of(&curves[i])->rank_count)
			continue;
		shown = &curves[i]; /* the last one is drawn */
		epoch_rows(d, shown, &f);
	}
	if (!shown) {
		doc_text(d, TONE_MISSING,
			"no throughput over time: no record of ranks and "
			"epochs (record.json)");
		return;
	}
	doc_series(d, DRAW_BROAD, f.n, f.x, f.asked,
		"asked, mean of the epoch");
	doc_series(d, DRAW_LINE, f.n, f.x, f.device,
		"moved by the device, mean of the epoch");
	if (extra_of(shown)->has_steps) {
		n = taken(run_of(shown), x, y);
		doc_series(d, DRAW_STEPS, n, x, y, "taken by the steps");
	}
	if (run_of(shown)->ranks[0].epoch_count > EPOCHS_LISTED)
		doc_text(d, TONE_MISSING,
			"the table has the first %d of %u epochs of a run",
			EPOCHS_LISTED, run_of(shown)->ranks[0].epoch_count);
	doc_text(d, TONE_PLAIN,
		"The device's bytes are counted per epoch. What the steps took "
		"is each epoch's bytes, in equal parts at the end of each "
		"step's load.");
}

static void share_row(struct doc *d, const struct why_share *s)
{
	doc_number(d, true, s->compute_pct, 2);
	doc_number(d, true, s->storage_pct, 2);
	doc_number(d, true, s->barrier_pct, 2);
	doc_number(d, true, s->software_pct, 2);
}

static void breakdown_chart(struct doc *d, const struct why *w, uint32_t n)
{
	static const char *const parts[] = {
		"compute", "storage", "barrier", "software"};
	double x[RANKS_SHOWN], y[4][RANKS_SHOWN];
	uint32_t i;

	for (i = 0; i < n; i++) {
		const struct why_share *s = &w->ranks[i].share;

		x[i] = w->ranks[i].rank;
		y[0][i] = s->compute_pct;
		y[1][i] = s->storage_pct;
		y[2][i] = s->barrier_pct;
		y[3][i] = s->software_pct;
	}
	doc_chart(d, "Where each accelerator's time went", "accelerator",
		"% of the timed part");
	if (d->nomem)
		return;
	d->chart->whole_x = true;
	d->chart->y_least = 0;
	d->chart->y_most = 100;
	for (i = 0; i < 4; i++)
		doc_series(d, DRAW_STACK, n, x, y[i], "%s", parts[i]);
}

void report_breakdown(struct doc *d, const struct report_curve *curve)
{
	static const char *const columns[] = {"accelerator", "compute %",
		"storage %", "barrier %", "software %", "last in % of steps",
		NULL};
	const struct report_extra *x = extra_of(curve);
	const struct why *w = &x->why;
	uint32_t i, n;

	if (!x->explained) {
		doc_text(d, TONE_MISSING, "no time breakdown: %s",
			x->not_explained);
		return;
	}
	n = w->has_ranks && w->rank_count < RANKS_SHOWN ? w->rank_count
			       : w->has_ranks		? RANKS_SHOWN
							: 0;
	if (n)
		breakdown_chart(d, w, n);
	doc_table(d, w->has_ranks ? "Time of each accelerator"
				  : "Time, of whole epochs (no step times)",
		columns);
	for (i = 0; i < n; i++) {
		doc_number(d, true, w->ranks[i].rank, 0);
		share_row(d, &w->ranks[i].share);
		doc_number(d, w->rank_count > 1, w->ranks[i].last_pct, 1);
	}
	doc_cell(d, TONE_PLAIN, "mean");
	share_row(d, &w->mean);
	doc_number(d, false, 0, 0);
	if (n < w->rank_count && w->has_ranks)
		doc_text(d, TONE_PLAIN,
			"the first %u of %u accelerators; the mean is of all",
			n, w->rank_count);
}
