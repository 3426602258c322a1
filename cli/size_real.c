/*
 * `stoker size` on folders of real drives. Each N is a short run over the
 * data set that lies there, repeated with more steps until the 95 % interval
 * of its steady AU is clear of the floor; then N goes through five whole runs.
 */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/size.h"
#include "cli/size_probe.h"

#include "accel_sim/group.h"
#include "core/datasize.h"
#include "core/units.h"
#include "core/why.h"
#include "storage/host.h"
#include "storage/store.h"
#include "workloads/loader.h"
#include "workloads/training.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Steps of the steady window: of a first probe, and when it is given up. */
#define STEADY_STEPS 24
#define STEADY_STEPS_MAX 384
/* An epoch's steady window is no shorter. */
#define STEADY_STEPS_LEAST 8
#define RATE_STEPS 16
#define MAKE_ACCELERATORS 4
#define HOST_BUSY 0.9 /* of all cores */
#define NEAR_BEST 0.95

struct search {
	struct size_drive d;
	struct size_row *row;
	uint64_t most;
	bool has_set, by_set;
	double best_gib_per_s;
	/* cores at work at the last failure: all of the host's, and ours */
	double busy_cores, own_cores;
	uint64_t unconfirmed; /* passed short runs, not the five */
};

static void say(const struct search *x, const char *text)
{
	if (!x->d.o->run.quiet)
		cli_line(true, "%s", text);
}

static const struct train_config *config(const struct search *x)
{
	return &x->d.s.config;
}

/* Steps of an epoch at either end that are not steady. */
static uint64_t margins(const struct search *x)
{
	return 2ULL * loader_window(config(x));
}

static uint64_t steps_there(const struct search *x, uint64_t n)
{
	struct train_config c = *config(x);

	c.accelerators = n;
	return training_steps(&c);
}

static double bytes_of(const struct search *x, uint64_t n, uint64_t steps)
{
	const struct train_config *c = config(x);

	return (double)(n * steps * c->batch_size) * (double)c->record_bytes;
}

static void tell_probe(const struct search *x, const struct size_point *p,
	uint64_t steps)
{
	char row[256];

	snprintf(row, sizeof(row),
		"%s: %" PRIu64 " %s: steady AU %.2f +-%.2f %% over %" PRIu64
		" steps, %.2f GiB/s: %s", x->d.dir, p->accelerators,
		x->d.accelerator, p->metrics.steady_au_pct, p->ci_pct, steps,
		p->metrics.read_gib_per_s,
		p->undecided ? "too near the floor to tell"
		: p->passes  ? "passes"
			     : "fails");
	say(x, row);
}

/* One short run; steady_steps of all its epochs together. */
static int short_run(struct search *x, uint64_t n,
	uint64_t steady_steps, struct size_probed *out, struct err *e)
{
	struct size_probe p = {.accelerators = n, .runs = 1};
	uint64_t there = steps_there(x, n), each = there - margins(x);

	if (each > steady_steps)
		each = steady_steps;
	p.steps = each + margins(x);
	p.epochs = (steady_steps + each - 1) / each;
	return size_probe_run(&x->d, &p, out, e);
}

static double cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (double)n : 1;
}

/* No core was left, and it was us who took them. */
static bool host_binds(const struct search *x)
{
	return x->busy_cores >= HOST_BUSY * cores() &&
	       x->own_cores >= x->busy_cores / 2;
}

static int probe(void *ctx, uint64_t n, struct size_point *p, struct err *e)
{
	struct search *x = ctx;
	double floor = config(x)->au_floor_ppm / 1e4, off;
	struct size_probed got;
	uint64_t steps = STEADY_STEPS;
	int r;

	for (;; steps *= 2) {
		r = short_run(x, n, steps, &got, e);
		if (r)
			return err_wrap(e, "%s, %" PRIu64 " %s", x->d.dir, n,
				x->d.accelerator);
		p->accelerators = n;
		p->metrics = got.metrics;
		p->ci_pct = got.metrics.steady_ci_pct;
		p->passes = got.metrics.steady_meets;
		p->reference_passes = got.metrics.meets_exact;
		off = got.metrics.steady_au_pct - floor;
		p->undecided = (off < 0 ? -off : off) < p->ci_pct;
		tell_probe(x, p, steps);
		if (!p->undecided || 2 * steps > STEADY_STEPS_MAX)
			break;
	}
	if (p->metrics.read_gib_per_s > x->best_gib_per_s)
		x->best_gib_per_s = p->metrics.read_gib_per_s;
	if (!p->passes) {
		x->busy_cores = got.cpu_busy_pct / 100 * cores();
		x->own_cores = p->metrics.cpu_s_per_gib *
			       p->metrics.read_gib_per_s;
	}
	return 0;
}

/* How fast one accelerator's readers read when nothing computes. */
static int estimate(struct search *x, uint64_t *first, struct err *e)
{
	const struct train_config *c = config(x);
	double wants = size_demand_bytes_per_s(c) * c->au_floor_ppm / 1e6;
	struct size_probe p = {.accelerators = 1, .runs = 1, .epochs = 1,
		.steps = margins(x) + RATE_STEPS, .no_compute = true};
	struct size_probed got;
	char row[256];
	int r = size_probe_run(&x->d, &p, &got, e);

	if (r)
		return err_wrap(e, "%s: read rate", x->d.dir);
	x->best_gib_per_s = got.metrics.read_gib_per_s;
	*first = (uint64_t)(x->best_gib_per_s * (double)GIB_BYTES / wants);
	if (!*first)
		*first = 1;
	snprintf(row, sizeof(row),
		"%s: one accelerator's %" PRIu64 " readers get %.2f GiB/s; "
		"beginning with %" PRIu64 " %s", x->d.dir, c->read_threads,
		x->best_gib_per_s, *first < x->most ? *first : x->most,
		x->d.accelerator);
	say(x, row);
	return 0;
}

/* N, or the next smaller one, through the rule of five runs. */
static int confirm(
	struct search *x, const struct size_search *find, struct err *e)
{
	struct size_answer *a = &x->row->a;
	struct size_probe p = {.runs = x->d.s.edition.runs};
	struct size_probed got;
	struct size_point *point;
	char row[256];
	int r;

	while (a->steady.accelerators) {
		p.accelerators = a->steady.accelerators;
		snprintf(row, sizeof(row),
			"%s: confirming %" PRIu64 " %s with %" PRIu64
			" runs of %" PRIu64 " epochs", x->d.dir,
			p.accelerators, x->d.accelerator, p.runs,
			config(x)->epochs);
		say(x, row);
		r = size_probe_run(&x->d, &p, &got, e);
		if (r)
			return err_wrap(e, "%s: confirming %" PRIu64 " %s",
				x->d.dir, p.accelerators, x->d.accelerator);
		a->confirmed = true;
		a->confirm_passes = got.reference_passes && got.steady_passes;
		a->confirm.au_mean_pct = got.au_mean_pct;
		a->confirm.steady_au_pct = got.steady_mean_pct;
		point = (struct size_point *)(uintptr_t)size_at(
			&a->curve, p.accelerators);
		if (a->confirm_passes) {
			point->metrics.steady_au_pct = got.steady_mean_pct;
			return 0;
		}
		/* whole runs know better than a short one; look below */
		point->passes = false;
		point->metrics.steady_au_pct = got.lowest_au_pct;
		x->unconfirmed = p.accelerators;
		r = size_find(find, &a->curve, &a->steady, e);
		if (r)
			return r;
	}
	return 0;
}

static void name_limit(struct search *x)
{
	struct size_answer *a = &x->row->a;
	const struct size_point *p = size_at(&a->curve, a->steady.failed);
	const char *limit = why_limit_name(WHY_DRIVE);

	if (a->steady.capped)
		limit = x->by_set ? "the data set has too few files for more"
				  : "none up to --max-accelerators";
	else if (host_binds(x))
		limit = why_limit_name(WHY_CPU);
	else if (config(x)->limit_read_bytes_per_s)
		limit = why_limit_name(WHY_LIMIT_READ);
	else if (p && p->metrics.read_gib_per_s <
			      NEAR_BEST * x->best_gib_per_s)
		limit = why_limit_name(WHY_READERS);
	snprintf(a->limit, sizeof(a->limit), "%s", limit);
}

static int no_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	(void)ctx, (void)i, (void)buf, (void)buf_bytes;
	return -ENOENT;
}

static uint64_t free_bytes(const struct search *x)
{
	struct store_namer namer = {.path = no_path};
	struct store store;
	uint64_t bytes;

	store_posix_init(&store, x->d.dir, &namer);
	return store_free_space(&store, &bytes, NULL) ? 0 : bytes;
}

/* What the rules want of a data set for n accelerators. */
static int rules_want(const struct search *x, uint64_t n, struct datasize *d,
	struct err *e)
{
	struct datasize_input in = {
		.shape = profile_shape(&x->d.s.profile),
		.accelerators = n,
		.hosts = config(x)->hosts,
		.memory_bytes_per_host = x->d.s.memory_bytes_per_host
						 ? x->d.s.memory_bytes_per_host
						 : host_memory_bytes(),
	};

	return datasize_compute(&in, &x->d.s.edition, d, e);
}

static void add_note(struct size_row *row, const char *text)
{
	size_t n = strlen(row->note);

	snprintf(row->note + n, sizeof(row->note) - n, "%s%s", n ? "; " : "",
		text);
}

static int add_notes(struct search *x, struct err *e)
{
	const struct train_config *c = config(x);
	uint64_t n = x->row->a.steady.accelerators;
	double gb = bytes_of(x, 1, x->d.s.edition.min_steps) / 1e9;
	const struct size_point *p = size_at(&x->row->a.curve, n);
	struct datasize want;
	char text[320];
	int r = rules_want(x, n ? n : 1, &want, e);

	if (r)
		return r;
	snprintf(text, sizeof(text),
		"by the rules %" PRIu64 " x %s need %" PRIu64 " files, %.0f GB "
		"(%.4g GB an accelerator for %" PRIu64 " steps%s), there are "
		"%" PRIu64, n ? n : 1, c->accelerator, want.required,
		(double)want.disk_bytes / 1e9, gb, x->d.s.edition.min_steps,
		want.bound_by_memory ? "; the host's memory asks for more" : "",
		c->files);
	add_note(x->row, text);
	if (x->busy_cores >= HOST_BUSY * cores()) {
		snprintf(text, sizeof(text),
			host_binds(x)
				? "the host, not the drive, is the limit: at "
				  "N + 1 %.1f of its %.0f cores were busy, %.1f "
				  "with this"
				: "other programs kept this host busy: at "
				  "N + 1 %.1f of its %.0f cores were, %.1f with "
				  "this; measure again when it is quiet",
			x->busy_cores, cores(), x->own_cores);
		add_note(x->row, text);
	}
	if (p && p->undecided && !x->row->a.confirmed) {
		snprintf(text, sizeof(text),
			"the floor lies within +-%.2f points of the AU at N",
			p->ci_pct);
		add_note(x->row, text);
	}
	if (x->unconfirmed) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " passed a short run but not five whole "
			"ones, of which the lowest AU is shown",
			x->unconfirmed);
		add_note(x->row, text);
	}
	if (x->d.fell_back)
		add_note(x->row, "O_DIRECT is refused here: read through the "
				 "page cache");
	if (p && p->metrics.cached_pct > 1) {
		snprintf(text, sizeof(text),
			"%.0f %% of the bytes came from the page cache, not "
			"from the drive", p->metrics.cached_pct);
		add_note(x->row, text);
	}
	return 0;
}

/* Files for a short run of n accelerators. */
static uint64_t probe_files(const struct search *x, uint64_t n)
{
	return size_files(config(x), n, margins(x) + STEADY_STEPS_LEAST);
}

/* What this will cost, before anything happens. */
static void print_cost(const struct search *x, FILE *f)
{
	const struct train_config *c = config(x);
	double seconds = (double)c->computation_ns / 1e9 * 1e6 /
			 c->au_floor_ppm;
	uint64_t steps = margins(x) + STEADY_STEPS, all;
	double set = (double)c->files * (double)c->samples_per_file *
		     (double)c->record_bytes / 1e9;
	char time[UNITS_TEXT_MAX];

	all = steps_there(x, 1) * c->epochs * x->d.s.edition.runs;
	fprintf(f, "%s: %s data set of %" PRIu64 " files, %.3g GB%s; %.4g GB "
		   "are free\n", x->d.dir,
		x->has_set ? "reads the" : "makes a", c->files, set,
		x->has_set ? "" : ", which stays there",
		(double)free_bytes(x) / 1e9);
	fprintf(f, "  probes   a handful, each reads about N x %.3g GB in %s "
		   "or more, writes nothing\n",
		bytes_of(x, 1, steps) / 1e9,
		units_format_time(
			time, (int64_t)((double)steps * seconds * 1e9)));
	if (x->d.o->quick)
		return;
	fprintf(f, "  confirm  %u runs x %" PRIu64 " epochs of N read "
		   "about %.4g GB in %s / N; --quick leaves it out\n",
		x->d.s.edition.runs, c->epochs,
		set * (double)(c->epochs * x->d.s.edition.runs),
		units_format_time(
			time, (int64_t)((double)all * seconds * 1e9)));
}

static int resolve(struct search *x, struct err *e)
{
	struct training_options run = x->d.o->run;
	struct train_config *c = &x->d.s.config;
	char path[4352];
	int r;

	run.data_dir = x->d.dir;
	run.accelerator = x->d.accelerator;
	run.accelerators = 1;
	r = size_resolve(&run, true, &x->d.s, &x->d.direct_chosen, e);
	if (r)
		return r;
	snprintf(path, sizeof(path), "%s/train", c->data_folder);
	x->has_set = !access(path, F_OK);
	if (!x->has_set && !size_sets_param(&x->d.s, "dataset.num_files_train"))
		c->files = size_files(c,
			x->d.o->run.max_accelerators
				? x->d.o->run.max_accelerators + 1
				: MAKE_ACCELERATORS,
			margins(x) + STEADY_STEPS);
	x->most = c->files / probe_files(x, 1);
	x->by_set = !x->d.o->run.max_accelerators ||
		    x->most < x->d.o->run.max_accelerators;
	if (!x->by_set)
		x->most = x->d.o->run.max_accelerators;
	if (x->most)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s: a probe of one accelerator takes %" PRIu64 " files (%"
		PRIu64 " steps of %" PRIu64 "), the data set has %" PRIu64
		"; generate a larger one, or use fewer readers", x->d.dir,
		probe_files(x, 1), margins(x) + STEADY_STEPS_LEAST,
		c->batch_size, c->files);
}

static int answer(struct search *x, struct err *e)
{
	struct size_answer *a = &x->row->a;
	struct size_search find = {
		.most = x->most, .probe = probe, .ctx = x};
	const struct size_point *p;
	int r = 0;

	if (!x->d.o->run.quiet)
		print_cost(x, stderr);
	if (!x->has_set)
		r = size_make_set(&x->d, config(x)->files, e);
	if (!r)
		r = estimate(x, &find.first, e);
	if (!r)
		r = size_find(&find, &a->curve, &a->steady, e);
	if (!r && !x->d.o->quick)
		r = confirm(x, &find, e);
	if (r == -EINTR && a->steady.accelerators)
		return err_wrap(e, "so far %" PRIu64 " %s pass on %s",
			a->steady.accelerators, x->d.accelerator, x->d.dir);
	if (r)
		return r;
	size_judge(&a->curve, true, x->most, &a->reference);
	p = size_at(&a->curve,
		a->steady.accelerators ? a->steady.accelerators : 1);
	a->error_pct = p ? p->ci_pct : 0;
	x->row->odirect = config(x)->odirect && !x->d.fell_back;
	x->row->floor_ppm = config(x)->au_floor_ppm;
	x->row->demand_bytes_per_s = size_demand_bytes_per_s(config(x));
	name_limit(x);
	return add_notes(x, e);
}

int size_real(const struct size_options *o, struct size_table *t,
	struct err *e)
{
	struct search *x = calloc(t->count ? t->count : 1, sizeof(*x));
	size_t i;
	int r = x ? 0 : err_nomem(e, "the search");

	if (!r && group_launched())
		r = err_set(e, ERR_USAGE, -EINVAL,
			"size starts mpirun itself for each probe: start it "
			"without");
	launch_catch_signals();
	for (i = 0; !r && i < t->count; i++) {
		x[i].row = &t->rows[i];
		x[i].row->real = true;
		x[i].d.o = o;
		x[i].d.dir = x[i].row->drive;
		x[i].d.accelerator = x[i].row->accelerator;
		r = resolve(&x[i], e);
	}
	for (i = 0; !r && i < t->count; i++) {
		snprintf(t->model, sizeof(t->model), "%s",
			config(&x[i])->model);
		if (o->run.dry_run)
			print_cost(&x[i], stdout);
		else
			r = answer(&x[i], e);
	}
	free(x);
	return r;
}
