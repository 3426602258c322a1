/* Sizing in virtual time; see size_model.h. */
#include "plan/size_model.h"

#include "plan/whatif.h"
#include "plan/why.h"
#include "workloads/loader.h"
#include "workloads/training.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Enough to see the rate of a drive that is asked for more than it has. */
#define SHORT_WINDOWS 8
#define SHORT_STEPS 32
#define LOOK_MANY 64
#define CLOSER_PART 3
/* A campaign of so many requests is asked for file by file. */
#define REQUESTS_MAX 50000000.0
struct search {
	const struct size_model *m;
	uint64_t steps; /* m->steps, or fewer for a first look */
	double rate_factor;
	uint64_t estimate; /* of N */
};

double size_demand_bytes_per_s(const struct train_config *c)
{
	return (double)c->batch_size * (double)c->record_bytes * 1e9 /
	       (double)c->computation_ns;
}

uint64_t size_files(const struct train_config *c, uint64_t n, uint64_t steps)
{
	uint64_t samples = steps * c->batch_size, spf = c->samples_per_file;

	return n * ((samples + spf - 1) / spf);
}

/* The same drive at another rate; its link and its latency stay. */
static void scale_rate(struct engine_spec *s, double factor)
{
	struct drive_profile *d = &s->drive;
	uint32_t i;

	if (s->kind == ENGINE_CONSTANT)
		s->bytes_per_s = (uint64_t)((double)s->bytes_per_s * factor);
	if (s->kind != ENGINE_MODEL)
		return;
	d->sequential_read_gb_per_s *= factor;
	d->random_read_kiops *= factor;
	d->buffered_read_gb_per_s *= factor;
	for (i = 0; i < d->point_count; i++)
		d->points[i].gb_per_s *= factor;
}

static int too_few_steps(const struct train_config *c, struct err *e)
{
	return err_set(e, ERR_USAGE, -EINVAL,
		"steady AU needs more than %u steps an epoch (twice "
		"reader.read_threads=%" PRIu64 " x prefetch), %" PRIu64
		" accelerators over %" PRIu64 " files have %u; use more files "
		"or fewer readers",
		2 * loader_window(c), c->read_threads, c->accelerators,
		c->files, training_steps(c));
}

/* Means are kept for every N, epochs are not. */
static void drop_arrays(struct rec_metrics *m)
{
	struct rec_metrics kept = *m;

	whatif_fini(m);
	kept.au_pct = kept.throughput_per_s = NULL;
	*m = kept;
}

/* c is filled, w stands on it. */
static void make_run(const struct search *s, uint64_t n, struct train_config *c,
	struct whatif *w)
{
	*c = *s->m->config;
	c->accelerators = n;
	if (!s->m->fixed_set)
		c->files = size_files(c, n, s->steps);
	*w = (struct whatif){
		.config = c,
		.engine = s->m->engine,
		.epochs = 1,
		.event_per_file = true,
	};
	scale_rate(&w->engine, s->rate_factor);
}

static int run(const struct search *s, uint64_t n, struct rec_metrics *m,
	struct err *e)
{
	struct train_config c;
	struct whatif w;
	int r;

	make_run(s, n, &c, &w);
	r = whatif_run(&w, m, e);
	if (r)
		return r;
	if (!m->steady_evaluated)
		r = too_few_steps(&c, e);
	drop_arrays(m);
	return r;
}

static void few_steps(struct search *s)
{
	uint64_t few = SHORT_WINDOWS * loader_window(s->m->config);

	s->steps = few > SHORT_STEPS ? few : SHORT_STEPS;
	if (s->steps > s->m->steps || s->m->fixed_set)
		s->steps = s->m->steps;
}

static int probe(void *ctx, uint64_t n, struct size_point *p, struct err *e)
{
	struct search *s = ctx;
	int r;

	/* far below the edge, and many: a look whether it passes at all */
	if (n > LOOK_MANY && n <= s->estimate * 3 / 4)
		few_steps(s);
	r = run(s, n, &p->metrics, e);
	s->steps = s->m->steps;
	p->passes = p->metrics.steady_meets;
	p->reference_passes = p->metrics.meets_exact;
	return r;
}

/*
 * An estimate of N from a drive that is asked for too much: 1, 2, 4 ...
 * accelerators for a few steps until they do not get what they ask for. What
 * it gives then is (nearly) all that it has.
 */
static int first_look(struct search *s, uint64_t *first, struct err *e)
{
	const struct train_config *c = s->m->config;
	struct rec_metrics m;
	uint64_t n;
	int r;

	few_steps(s);
	for (n = 1;; n = n < s->m->most / 2 ? 2 * n : s->m->most) {
		r = run(s, n, &m, e);
		if (r)
			return r;
		if (!m.steady_meets || n == s->m->most)
			break;
	}
	/* many: a closer look costs less than to begin beside the edge */
	s->steps = s->m->fixed_set ? s->m->steps : s->m->steps / CLOSER_PART;
	if (n > LOOK_MANY && !m.steady_meets &&
		s->steps > 2ULL * loader_window(c))
		r = run(s, n, &m, e);
	s->steps = s->m->steps;
	if (r)
		return r;
	/* it gave n x demand x AU, which is the floor's worth for N */
	*first = m.steady_meets ? n
				: (uint64_t)((double)n * m.steady_au_pct /
					     (c->au_floor_ppm / 1e4));
	if (!*first)
		*first = 1;
	return 0;
}

/* The point that tells of the limit: where it fails, else where it ends. */
static const struct size_point *telling(const struct size_answer *a)
{
	return size_at(&a->curve, a->steady.failed ? a->steady.failed
						   : a->steady.accelerators);
}

/* The run that fails, or the last that passes, once more: what binds it? */
static int name_limit(struct search *s, struct size_answer *a, struct err *e)
{
	uint64_t n = telling(a)->accelerators;
	struct train_config c;
	struct record rec;
	struct whatif w;
	struct why why;
	int r;

	if (n > LOOK_MANY)
		few_steps(s);
	make_run(s, n, &c, &w);
	s->steps = s->m->steps;
	r = whatif_record(&w, &rec, e);
	if (!r)
		r = why_explain(&rec, &rec.runs[0],
			w.engine.kind == ENGINE_MODEL ? &w.engine.drive : NULL,
			&why, e);
	if (!r) {
		snprintf(a->limit, sizeof(a->limit), "%s",
			why_limit_name(why.limit));
		why_fini(&why);
	}
	record_fini(&rec);
	if (a->by_data_set)
		snprintf(a->limit, sizeof(a->limit),
			"the data set has too few files for more");
	else if (a->steady.capped)
		snprintf(a->limit, sizeof(a->limit),
			"none up to --max-accelerators");
	return r;
}

/*
 * How far AU moves when the drive is that much slower or faster: it needs no
 * edge, so few steps do.
 */
static int error_bar(struct search *s, struct size_answer *a, struct err *e)
{
	uint64_t n = a->steady.accelerators ? a->steady.accelerators : 1;
	double part = s->m->rate_error_pct / 100, au[3], d;
	struct rec_metrics m;
	int side, r = 0;

	if (part <= 0)
		return 0;
	if (n > LOOK_MANY)
		few_steps(s);
	for (side = 0; !r && side < 3; side++) {
		s->rate_factor = 1 + part * (side - 1);
		r = run(s, n, &m, e);
		au[side] = m.steady_au_pct;
	}
	s->rate_factor = 1;
	s->steps = s->m->steps;
	for (side = 0; !r && side < 3; side += 2) {
		d = fabs(au[side] - au[1]);
		if (d > a->error_pct)
			a->error_pct = d;
	}
	return r;
}

/* Every epoch and, where that is not too much, every request. */
static int confirm(
	const struct search *s, struct size_answer *a, struct err *e)
{
	struct train_config c = *s->m->config;
	struct whatif w = {.config = &c, .engine = s->m->engine};
	double requests;
	int r;

	c.accelerators = a->steady.accelerators;
	if (!c.accelerators)
		return 0;
	if (!s->m->fixed_set)
		c.files = size_files(&c, c.accelerators, s->m->steps);
	requests = (double)c.files * (double)c.epochs *
		   (double)(c.record_bytes * c.samples_per_file) /
		   (double)c.transfer_bytes;
	w.event_per_file = requests > REQUESTS_MAX;
	r = whatif_run(&w, &a->confirm, e);
	if (r)
		return r;
	a->confirmed = true;
	a->confirm_passes = a->confirm.meets_exact &&
			    (!a->confirm.steady_evaluated ||
				    a->confirm.steady_meets);
	drop_arrays(&a->confirm);
	return 0;
}

/* With a fixed set: no more than leave each accelerator a steady window. */
static uint64_t most_by_set(const struct train_config *c)
{
	uint64_t samples = (2ULL * loader_window(c) + 1) * c->batch_size;
	uint64_t files = (samples + c->samples_per_file - 1) /
			 c->samples_per_file;

	return c->files / files;
}

int size_model_run(
	const struct size_model *m, struct size_answer *a, struct err *e)
{
	struct size_model limited = *m;
	struct search s = {.m = &limited, .rate_factor = 1};
	struct size_search find = {.most = m->most,
		.neighbours = true,
		.probe = probe,
		.ctx = &s};
	uint64_t most;
	int r;

	memset(a, 0, sizeof(*a));
	if (m->fixed_set) {
		most = most_by_set(m->config);
		a->by_data_set = most < m->most;
		if (a->by_data_set)
			limited.most = find.most = most ? most : 1;
	}
	r = first_look(&s, &find.first, e);
	s.estimate = find.first;
	if (!r)
		r = size_find(&find, &a->curve, &a->steady, e);
	if (r)
		return r;
	find.reference = true;
	find.neighbours = false;
	r = size_find(&find, &a->curve, &a->reference, e);
	if (r)
		return r;
	size_judge(&a->curve, false, find.most, &a->steady);
	a->by_data_set = a->by_data_set && a->steady.capped;
	r = name_limit(&s, a, e);
	if (!r)
		r = error_bar(&s, a, e);
	return r || !m->confirm ? r : confirm(&s, a, e);
}

void size_answer_fini(struct size_answer *a)
{
	size_curve_fini(&a->curve);
}
