/* What would change a run's verdict, in virtual time; see why.h. */
#include "plan/why.h"

#include "core/units.h"
#include "plan/whatif.h"
#include "plan/why_limit.h"
#include "workloads/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define ROUGH_POINTS 3.0
#define REQUESTS_MAX 1000000.0 /* of one virtual run: 0.1 s */
#define RATE_FACTOR 4.0	       /* times what the bytes need: then give up */
#define RATE_ROUNDS 10	       /* 3 / 2^8 of it: 1.2 % */

/* What is asked: the run with one thing changed. */
struct question {
	const struct record *rec;
	const struct rec_run *run;
	const struct drive_profile *profile;
	struct why *w;
	uint64_t accelerators, read_threads, prefetch_size;
	bool odirect;
	bool unlimited;	 /* without --limit-read */
	double gb_per_s; /* instead of the drive's; 0 = its own */
};

/* Steps an epoch, so that the answer has a steady window where one can be. */
static uint64_t steps_for(const struct question *q, const struct train_config *c)
{
	uint64_t window = c->read_threads * c->prefetch_factor;
	uint64_t steps = q->run->ranks[0].epochs[0].steps;
	double each = (double)(c->batch_size * c->accelerators) *
		      ceil((double)c->record_bytes /
			      (double)c->transfer_bytes);
	double most = REQUESTS_MAX / each;

	if ((double)steps > most)
		steps = (uint64_t)most;
	return steps < 4 * window + 8 && q->w->steady_evaluated
		       ? 4 * window + 8
		       : steps < 2 ? 2
				   : steps;
}

static void configure(const struct question *q, struct train_config *c)
{
	const struct why *w = q->w;
	uint64_t samples;

	*c = q->rec->config;
	c->accelerators = q->accelerators;
	c->read_threads = q->read_threads;
	c->prefetch_size = q->prefetch_size;
	c->prefetch_factor = loader_prefetch_factor(c);
	if (q->odirect != c->odirect) {
		c->odirect = q->odirect;
		c->queue_depth = loader_queue_depth(c->odirect);
	}
	c->verify = false;
	c->limit_read_bytes_per_s = 0; /* a matter of the drive's rate here */
	c->data_dir[0] = c->data_folder[0] = 0;
	snprintf(c->drive, sizeof(c->drive), "%s", w->model);
	/* sets whose files are not of the nominal length */
	if (c->samples_per_file == 1 && w->bytes_per_nominal > 0 &&
		fabs(w->bytes_per_nominal - 1) > 0.02) {
		c->record_bytes = (uint64_t)((double)c->record_bytes *
					     w->bytes_per_nominal);
		c->record_stdev_bytes *= w->bytes_per_nominal;
	}
	c->host_step_ns = w->step_cost_ns;
	samples = steps_for(q, c) * c->batch_size;
	c->files = (samples + c->samples_per_file - 1) / c->samples_per_file *
		   c->accelerators;
}

/* The same drive at another rate of its reads, as if it were built for it. */
static void set_rate(const struct why_drive *d, double gb_per_s,
	struct engine_spec *s)
{
	double factor = gb_per_s / d->gb_per_s;

	s->bytes_per_s = (uint64_t)(gb_per_s * 1e9);
	s->drive.sequential_read_gb_per_s *= factor;
	s->drive.buffered_read_gb_per_s *= factor;
	if (factor > 1)
		s->drive.random_read_kiops *= factor;
}

/* What the drive is asked to deliver; 0: as it can. */
static double asked_rate(const struct question *q, const struct why_drive *d)
{
	const struct train_config *c = &q->rec->config;
	double limit = (double)c->limit_read_bytes_per_s / 1e9 *
		       (double)(c->hosts ? c->hosts : 1);

	if (q->gb_per_s > 0 || q->unlimited)
		return q->gb_per_s;
	return limit < d->gb_per_s ? limit : 0;
}

static int ask(
	const struct question *q, struct why_answer *a, struct err *e)
{
	struct train_config c;
	struct rec_metrics m;
	struct why_drive d;
	struct whatif w = {.config = &c, .epochs = 1};
	double rate;
	int r;

	why_drive_of(q->rec, q->profile, q->odirect, q->w, &d);
	configure(q, &c);
	w.engine = d.engine;
	/* the drive model splits a file itself, in fewer events */
	w.event_per_file = d.engine.kind == ENGINE_MODEL;
	rate = asked_rate(q, &d);
	if (rate > 0)
		set_rate(&d, rate, &w.engine);
	r = whatif_run(&w, &m, e);
	if (r)
		return r;
	a->au_pct = m.au_mean_pct;
	a->steady_evaluated = m.steady_evaluated;
	a->steady_au_pct = m.steady_au_pct;
	a->meets = (a->steady_evaluated ? a->steady_au_pct : a->au_pct) >=
		   q->w->floor_pct;
	a->needed_gb_per_s = q->w->needed_gb_per_s * (double)q->accelerators /
			     (double)q->rec->config.accelerators;
	a->rough = q->w->rough;
	whatif_fini(&m);
	return 0;
}

static struct question as_it_was(const struct record *rec,
	const struct rec_run *run, const struct drive_profile *profile,
	struct why *w)
{
	return (struct question){
		.rec = rec,
		.run = run,
		.profile = profile,
		.w = w,
		.accelerators = rec->config.accelerators,
		.read_threads = rec->config.read_threads,
		.prefetch_size = rec->config.prefetch_size,
		.odirect = rec->config.odirect,
	};
}

/* rough: the model does not know what this question is about. */
static int answer(const struct question *q, bool rough, struct err *e,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static int answer(const struct question *q, bool rough, struct err *e,
	const char *fmt, ...)
{
	struct why *w = q->w;
	struct why_answer *a = &w->answers[w->answer_count];
	va_list ap;
	int r;

	if (w->answer_count == WHY_ANSWERS_MAX)
		return 0;
	va_start(ap, fmt);
	vsnprintf(a->what, sizeof(a->what), fmt, ap);
	va_end(ap);
	r = ask(q, a, e);
	if (r)
		return r;
	a->rough = a->rough || rough;
	w->answer_count++;
	return 0;
}

/* The run again: how far may the answers be trusted? */
static int validate(const struct question *q, const struct why_drive *d,
	struct err *e)
{
	struct why *w = q->w;
	struct why_answer a = {.rough = false};
	double measured;
	int r = ask(q, &a, e);

	if (r)
		return r;
	w->answered = true;
	if (a.steady_evaluated && w->steady_evaluated) {
		w->model_au_pct = a.steady_au_pct;
		measured = w->steady_au_pct;
	} else {
		w->model_au_pct = a.au_pct;
		measured = w->au_pct;
	}
	w->error_points = fabs(w->model_au_pct - measured);
	w->rough = true;
	if (w->error_points > ROUGH_POINTS)
		snprintf(w->rough_why, sizeof(w->rough_why),
			"the model misses the measured AU by %.1f points%s",
			w->error_points,
			d->known ? "" : "; --profile FILE knows the drive");
	else if (!d->known && w->limit == WHY_READERS)
		snprintf(w->rough_why, sizeof(w->rough_why),
			"the drive was never busy: what it can do is not "
			"known; --profile FILE knows");
	else if (!d->known && w->busy_pct < 0)
		snprintf(w->rough_why, sizeof(w->rough_why),
			"the run is too short for a steady window; use more "
			"files, or --profile FILE");
	else
		w->rough = false;
	return 0;
}

/*
 * The smallest rate that reaches the floor, to about 1 %. Bytes alone need
 * needed_gb_per_s; uneven batches, latency and step cost need more.
 */
static int ask_rate(
	struct question q, const struct why_drive *d, struct err *e)
{
	double low = q.w->needed_gb_per_s, high = RATE_FACTOR * low;
	struct why_answer a;
	int r = 0, i;

	q.w->floor_gb_per_s = -1;
	if (d->engine.kind == ENGINE_NULL || low <= 0 || d->gb_per_s <= 0)
		return 0;
	q.w->floor_gb_per_s = 0;
	for (i = 0; !r && i < RATE_ROUNDS; i++) {
		q.gb_per_s = !i ? high : i == 1 ? low : (low + high) / 2;
		r = ask(&q, &a, e);
		if (r || (!i && !a.meets))
			return r;
		if (a.meets)
			q.w->floor_gb_per_s = high = q.gb_per_s;
		else
			low = q.gb_per_s;
		if (i == 1 && a.meets)
			return 0;
	}
	return r;
}

static int ask_accelerators(struct question q, struct err *e)
{
	uint64_t n = q.accelerators;
	int r = 0;

	q.accelerators = n - 1;
	if (n > 1)
		r = answer(&q, false, e, "%" PRIu64 " accelerator%s", n - 1,
			n == 2 ? "" : "s");
	q.accelerators = n + 1;
	return r ? r
		 : answer(&q, false, e, "%" PRIu64 " accelerators", n + 1);
}

static int ask_readers(struct question q, bool known, struct err *e)
{
	uint64_t n = q.read_threads;
	int r;

	q.read_threads = 2 * n;
	/* more in flight than was tried */
	r = answer(&q, !known, e, "read_threads %" PRIu64, 2 * n);
	q.read_threads = n / 2;
	if (!r && n > 1)
		r = answer(&q, false, e, "read_threads %" PRIu64, n / 2);
	return r;
}

int why_answers(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, struct why *w, struct err *e)
{
	struct question q = as_it_was(rec, run, profile, w);
	struct why_drive d, other;
	int r;

	if ((double)(rec->config.batch_size * (q.accelerators + 1)) *
			(double)rec->config.record_bytes /
			(double)rec->config.transfer_bytes >
		10 * REQUESTS_MAX)
		return err_set(e, ERR_USAGE, -E2BIG,
			"a step of %" PRIu64 " accelerators makes more than "
			"10 million requests, too many to run again",
			q.accelerators);
	why_drive_of(rec, profile, q.odirect, w, &d);
	why_drive_of(rec, profile, !q.odirect, w, &other);
	snprintf(w->model, sizeof(w->model), "%s", d.name);
	r = validate(&q, &d, e);
	if (!r)
		r = ask_rate(q, &d, e);
	q.unlimited = true;
	if (!r && profile && rec->config.limit_read_bytes_per_s)
		r = answer(&q, false, e, "no --limit-read");
	q.unlimited = false;
	if (!r)
		r = ask_accelerators(q, e);
	if (!r)
		r = ask_readers(q, d.known, e);
	/* a model that sets no ceiling for the page cache flatters it */
	q.odirect = !q.odirect;
	if (!r)
		r = answer(&q, !d.known || d.lacks_buffered ||
				       other.lacks_buffered,
			e, q.odirect ? "O_DIRECT" : "buffered");
	q.odirect = !q.odirect;
	q.prefetch_size = rec->config.prefetch_factor == 1 ? 0 : q.read_threads;
	if (!r)
		r = answer(&q, false, e,
			"prefetch_size %" PRIu64 " (%s)", q.prefetch_size,
			q.prefetch_size ? "one batch a reader"
					: "two batches a reader");
	return r;
}
