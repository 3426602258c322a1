/* `stoker training run`: options, plan, campaign, report. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/outputs.h"
#include "cli/rules_ask.h"
#include "cli/resume.h"
#include "cli/training.h"
#include "cli/why.h"

#include "accel_sim/group.h"
#include "core/units.h"
#include "plan/campaign.h"
#include "plan/data_source.h"
#include "plan/hosts.h"
#include "results/record_json.h"
#include "results/text.h"
#include "storage/host.h"
#include "storage/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct view {
	const struct training_options *o;
	const struct training_setup *s;
	struct record *rec;
	struct outputs *outputs;
	uint32_t run, runs;
	bool warmup;
};

static void show_progress(void *ctx, const struct training_progress *p)
{
	struct view *v = ctx;
	uint64_t done = (uint64_t)(p->epoch - 1) * p->steps + p->step;
	uint64_t all = (uint64_t)p->epochs * p->steps;
	double floor_pct = v->rec->config.au_floor_ppm / 1e4;
	double gib_s = p->elapsed_ns ? (double)p->bytes_read *
				(double)v->rec->config.accelerators /
				(double)GIB_BYTES /
				((double)p->elapsed_ns / 1e9)
				     : 0;
	int64_t left = done ? (int64_t)((double)p->elapsed_ns *
				      (double)(all - done) / (double)done)
			    : 0;
	char time[UNITS_TEXT_MAX], row[256];

	snprintf(row, sizeof(row),
		"run %u/%u%s epoch %u/%u step %u/%u  AU so far %.2f %% "
		"(on course for %s)  %.2f GiB/s  %s left in this run",
		v->run, v->runs, v->warmup ? " (warm-up)" : "", p->epoch,
		p->epochs, p->step, p->steps, p->au_pct,
		p->au_pct >= floor_pct ? "PASS" : "FAIL", gib_s,
		units_format_time(time, left));
	outputs_row(v->outputs, p->epoch_ended, "%s", row);
	if (!v->o->quiet)
		cli_line(false, "%s", row);
}

static void run_begins(void *ctx, const struct rec_run *run)
{
	struct view *v = ctx;

	v->run = run->index + 1;
	v->warmup = run->warmup;
	outputs_begin(v->outputs);
}

static int run_ended(void *ctx, struct record *rec, struct rec_run *run,
	struct err *e)
{
	struct view *v = ctx;
	char line[256];
	int r;

	results_run_line(line, sizeof(line), rec, run);
	outputs_row(v->outputs, true, "run %s", line);
	if (!v->o->quiet)
		cli_line(true, "run %s", line);
	if (!rec->config.results_dir[0])
		return 0;
	r = outputs_write_run(v->outputs, rec, run, e);
	return r ? err_wrap(e, "the run itself finished, but %s could not be "
			       "written", run->leaf[0] ? "one of its files"
						       : "its files") : 0;
}

static int print_json(const struct training_options *o,
	const struct training_setup *s, const struct record *rec,
	const struct err *failed, int code)
{
	struct cJSON *doc = results_record_json(rec, false);

	if (doc && !failed)
		why_report_json(doc, rec, o->why, s->steady_verdict);
	return cli_print_report(doc, failed, code);
}

/* Any counted run below the floor fails, also with fewer than five runs. */
static int verdict_code(const struct record *rec, bool steady)
{
	uint32_t i;

	for (i = 0; i < rec->run_count; i++) {
		const struct rec_run *run = &rec->runs[i];
		const struct rec_metrics *m = &run->metrics;

		if ((run->warmup && rec->campaign.runs_wanted) || !m->epochs)
			continue;
		if (steady ? m->steady_evaluated && !m->steady_meets
			   : !m->meets_exact)
			return ERR_VERDICT;
	}
	return 0;
}

static void resolve_record(struct record *rec, const struct training_setup *s)
{
	uint32_t i;

	record_init(rec);
	snprintf(rec->tool_version, sizeof(rec->tool_version), "%s",
		STOKER_VERSION);
	outputs_command_line(rec->command_line, sizeof(rec->command_line));
	rec->config = s->config;
	rec->campaign.runs_rule = s->edition.runs;
	record_note(rec, "no-pre-warm",
		"the reference's untimed pre-warm reads before each epoch are "
		"left out: nothing is read before an epoch's block starts");
	for (i = 0; i < s->not_closed.count; i++)
		record_note(rec, "not-closed", "%s", s->not_closed.text[i]);
}

static int report(const struct training_options *o,
	const struct training_setup *s, struct record *rec,
	const struct err *failed)
{
	int code = failed ? cli_fail(failed)
			  : verdict_code(rec, s->steady_verdict);

	if (o->json)
		return print_json(o, s, rec, failed, code);
	if (failed) {
		/* runs that had ended keep their worth */
		if (rec->run_count > 1) {
			printf("stopped early: %s\n", failed->text);
			results_print_text(stdout, rec, s->steady_verdict);
		}
		return code;
	}
	results_print_text(stdout, rec, s->steady_verdict);
	why_report(rec, o->why, s->steady_verdict);
	return code;
}

static int64_t wall_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* Rank 0 looks at what is there; all hear from which run to go on. */
static int resume(const struct training_options *o,
	const struct training_setup *s, struct campaign *c,
	struct record *earlier, struct err *e)
{
	struct group *g = c->group;
	int r = 0;

	if (!o->resume)
		return 0;
	if (!g->first) {
		r = resume_find(o, s, g->ops->name, wall_now_ns(), earlier, e);
		c->first = earlier->run_count;
		c->earlier = earlier;
	}
	r = group_agree(g, r, e);
	if (!r)
		r = group_share(g, &c->first, sizeof(c->first), e);
	if (!r && !g->first && !o->quiet)
		cli_line(true, "continuing with run %u of %u", c->first + 1,
			c->runs + c->warmups);
	return r;
}

/* Files of a run are of that run, never of another one. */
static bool each_run(
	const struct training_options *o, const struct training_setup *s)
{
	return o->each_run ||
	       (s->config.results_dir[0] && o->runs + o->warmups > 1);
}

struct job {
	struct training_options *o;
	struct training_setup s;
};

static int run_in_group(void *ctx, struct group *g)
{
	const struct job *j = ctx;
	const struct training_options *o = j->o;
	const struct training_setup *s = &j->s;
	struct record rec, earlier;
	struct outputs outputs = {.o = NULL};
	struct view view = {.o = o, .s = s, .rec = &rec, .outputs = &outputs};
	struct campaign c = {
		.group = g,
		.engine = s->engine,
		.virtual_time = s->virtual_time,
		.drop_caches = !o->no_drop_caches,
		.allow_fallback = o->allow_fallback,
		.each_run = each_run(o, s),
		.not_before_ns = s->virtual_time ? resume_last_end_ns(s) : 0,
		.client_memory_bytes = s->memory_bytes_per_host,
		.runs = (uint32_t)o->runs,
		.warmups = (uint32_t)o->warmups,
		.run_ended = run_ended,
		.run_begins = run_begins,
		.progress = show_progress,
		.ctx = &view,
	};
	struct err e = {.kind = ERR_NONE};
	int r, code = 0;

	resolve_record(&rec, s);
	launched_watch(g, &rec);
	view.runs = c.runs + c.warmups;
	launch_catch_signals();
	/* said now, not after hours: mlcommons/storage#772 */
	if (!g->first && s->same_filesystem)
		rules_warn_filesystem("data");
	record_init(&earlier);
	r = g->first ? 0
		     : outputs_init(&outputs, "run", training_run_rows, o, s,
			       &e);
	r = group_agree(g, r, &e);
	if (!r)
		r = resume(o, s, &c, &earlier, &e);
	if (!r)
		r = campaign_run(&c, &rec, &e);
	record_fini(&earlier);
	if (!rec.campaign.stands_for_all)
		training_note_rules(s, &rec);
	cli_line_end();
	if (!g->first) {
		code = report(o, s, &rec, r ? &e : NULL);
	} else if (r) {
		code = launched_failed(&e);
	}
	outputs_fini(&outputs);
	record_fini(&rec);
	return code;
}

static void dry_run_cost(const struct training_setup *s)
{
	const struct train_config *c = &s->config;
	uint64_t steps = training_steps(c), total = 0, per_epoch;
	struct dataset_layout layout;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX], d[UNITS_TEXT_MAX];
	struct err e;

	data_source_layout(c, &layout);
	if (data_source_total_bytes(&layout, &total, &e))
		total = c->files * c->record_bytes;
	per_epoch = (uint64_t)((double)total / (double)c->files *
			       (double)(steps * c->batch_size *
					c->accelerators));
	printf("data set  %" PRIu64 " files, %s\n", c->files,
		units_format_bytes(a, total));
	printf("an epoch  %" PRIu64 " steps x batch %" PRIu64 " x %" PRIu64
	       " accelerators: reads %s\n",
		steps, c->batch_size, c->accelerators,
		units_format_bytes(a, per_epoch));
	printf("a run     %" PRIu64 " epochs: reads %s, writes nothing; at "
	       "least %s at AU 100 %%, %s at the floor\n",
		c->epochs, units_format_bytes(a, per_epoch * c->epochs),
		units_format_time(b, (int64_t)(steps * c->epochs) *
					     c->computation_ns),
		units_format_time(d, (int64_t)((double)(steps * c->epochs) *
				     (double)c->computation_ns * 1e6 /
				     c->au_floor_ppm)));
	printf("demand    %.3f GB/s at AU 100 %%, %.3f GB/s at the floor of "
	       "%g %%\n",
		profile_demand_mib_per_s(&s->profile) * 1048576 / 1e9 *
			(double)c->accelerators,
		profile_demand_mib_per_s(&s->profile) * 1048576 / 1e9 *
			(double)c->accelerators * c->au_floor_ppm / 1e6,
		c->au_floor_ppm / 1e4);
}

static int dry_run(void *ctx)
{
	const struct job *j = ctx;
	const struct training_options *o = j->o;
	const struct training_setup *s = &j->s;
	const struct train_config *c = &s->config;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	uint32_t each = training_buffers(c);

	printf("dry run: nothing is read or written\n");
	printf("%" PRIu64 " x %s on %s (%s), %s\n", c->accelerators,
		c->accelerator, c->model, rec_division_name(c->division),
		c->drive[0] ? c->drive : c->data_folder);
	dry_run_cost(s);
	printf("campaign  %" PRIu64 " warm-up + %" PRIu64 " counted run%s\n",
		o->warmups, o->runs, o->runs == 1 ? "" : "s");
	printf("reads     %s, %" PRIu64 " readers x %" PRIu64
	       " requests of %s\n",
		c->odirect ? "O_DIRECT" : "buffered", c->read_threads,
		c->queue_depth, units_format_bytes(a, c->transfer_bytes));
	printf("memory    %u buffers, %s an accelerator, %s in all\n", each,
		units_format_bytes(a, each * c->transfer_bytes),
		units_format_bytes(
			b, each * c->transfer_bytes * c->accelerators));
	printf("results   %s\n",
		c->results_dir[0] ? c->results_dir : "on the screen only");
	not_closed_print(&s->not_closed);
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct job *j = ctx;
	struct training_options *o = j->o;
	int r;

	if (!o->accelerators)
		o->accelerators = g->size;
	if (!o->hosts)
		o->hosts = g->hosts;
	r = launched_check(g, o->accelerators, "accelerators", e);
	if (!r)
		r = hosts_memory_bytes(g, &o->measured_memory_bytes, e);
	if (!r)
		r = training_resolve(o, true, &j->s, e);
	return r ? r : launched_check_clock(j->s.virtual_time, e);
}

/*
 * Before ranks are started: can this campaign be continued at all? Where other
 * hosts have their say in the configuration, only rank 0 can tell.
 */
static int look_before(const struct training_options *o,
	const struct training_setup *s, struct err *e)
{
	struct record found;
	int r;

	if (o->hosts_list)
		return 0;
	r = resume_find(o, s,
		o->accelerators > 1 && !o->in_process ? "mpi" : "local",
		wall_now_ns(), &found, e);
	record_fini(&found);
	return r;
}

int cmd_training_run(int argc, const char **argv)
{
	struct training_options o;
	struct job j = {.o = &o};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = run_in_group, .ctx = &j};
	struct err e;
	int code;

	training_options_default(&o);
	if (!command_options(training_run_rows, &o, argc, argv, &code))
		return code;
	if (o.help_params)
		return training_help_params(&o);
	if (!o.drive && !o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"training run needs --data-dir DIR (a real drive) or "
			"--drive MODEL (a modelled one)");
		return cli_fail_report(o.json, &e);
	}
	l.only_dry = o.dry_run;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	if (!o.accelerators)
		o.accelerators = 1;
	if (training_resolve(&o, true, &j.s, &e))
		return cli_fail_report(o.json, &e);
	if (o.resume && look_before(&o, &j.s, &e))
		return cli_fail_report(o.json, &e);
	return launched_start(&l, o.accelerators,
		j.s.virtual_time || o.in_process, o.hosts_list, o.per_node);
}
