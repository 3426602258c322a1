/* `stoker kvcache run`: options, plan, run, report. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/kvcache.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/rules_ask.h"
#include "cli/run_leaf.h"

#include "accel_sim/group.h"
#include "core/units.h"
#include "plan/kv_run.h"
#include "storage/host.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct view {
	const struct kvcache_options *o;
	const struct kvcache_setup *s;
	struct run_rows rows;
};

static void show(void *ctx, const struct kv_config *c, uint32_t trial,
	const struct kvcache_progress *p)
{
	const struct view *v = ctx;

	if (!v->o->quiet && !v->s->virtual_time)
		cli_line(false,
			"option %u, trial %u: %.0f s%s, %" PRIu64
			" requests, %" PRIu64 " tokens, %" PRIu64 " waiting",
			c->option, trial + 1, p->second,
			p->draining ? " (drain)" : "", p->requests, p->tokens,
			p->queued);
}

static int trial_done(void *ctx, struct kv_option_result *o, uint32_t trial,
	struct err *e)
{
	struct view *v = ctx;
	struct kv_aggregate a;
	char row[160];

	(void)e;
	kv_trial_aggregate(&o->trials[trial], &a);
	snprintf(row, sizeof(row),
		"option %u, trial %u: read %.2f GiB/s, write %.2f GiB/s, "
		"%.1f tok/s", o->config.option, trial + 1, a.read_gib_s,
		a.write_gib_s, a.wall_tokens_s);
	run_rows_add(&v->rows, row);
	if (!v->o->quiet)
		cli_line(true, "%s", row);
	return 0;
}

static void resolve_record(struct kv_record *rec,
	const struct kvcache_options *o, const struct kvcache_setup *s)
{
	struct train_config *base;
	uint32_t i;

	kv_record_init(rec);
	rec->trials = s->trials;
	rec->delay_ns = s->delay_ns;
	rec->inter_option_delay_ns = s->inter_option_delay_ns;
	rec->option_count = s->option_count;
	for (i = 0; i < s->option_count; i++)
		rec->options[i].config = s->options[i];
	base = &rec->base.config;
	run_sign(&rec->base, o->drive, o->results_dir, o->organization,
		o->system_name);
	snprintf(base->model, sizeof(base->model), "%s",
		s->options[0].model.name);
	base->division = s->division;
	not_closed_note(&s->not_closed, &rec->base);
	if (s->virtual_time && s->trials == 1)
		record_note(&rec->base, "one-for-all",
			"one run stands for all trials: in virtual time they "
			"are alike");
}

/* Rank 0: what there is, of a run that may have been interrupted. */
static int write_leaf(struct view *v, struct kv_record *rec, struct err *e)
{
	char leaf[4096] = "";
	int r;

	if (!rec->base.config.results_dir[0] || !rec->options[0].trial_count)
		return 0;
	r = run_rows_end(&v->rows, &rec->base, e);
	if (r)
		return r;
	r = kvcache_write_leaf(v->o, v->s, rec, v->rows.text, leaf, e);
	if (r)
		return err_wrap(e, "the run's files could not be written");
	if (!v->o->quiet)
		fprintf(stderr, "results: %s\n", leaf);
	return 0;
}

static int report(struct view *v, struct kv_record *rec, int r, struct err *e)
{
	struct err other;
	int code;

	if (!r) {
		r = write_leaf(v, rec, e);
	} else if (write_leaf(v, rec, &other)) {
		cli_fail(&other);
	}
	code = r ? cli_fail(e) : 0;
	if (v->o->json)
		code = cli_print_report(kvcache_json(rec), r ? e : NULL, code);
	else if (!r)
		kvcache_print_text(stdout, rec);
	return code;
}

struct job {
	struct kvcache_options *o;
	struct kvcache_setup *s;
};

static int run_in_group(void *ctx, struct group *g)
{
	const struct job *j = ctx;
	const struct kvcache_options *o = j->o;
	const struct kvcache_setup *s = j->s;
	struct kv_record *rec = malloc(sizeof(*rec));
	struct view view = {.o = o, .s = s};
	struct kv_run c = {
		.group = g,
		.engine = s->engine,
		.virtual_time = s->virtual_time,
		.drive = o->drive,
		.workload = &s->workload,
		.trace = s->trace.count ? &s->trace : NULL,
		.keep_files = o->keep_cache,
		.precondition = o->precondition,
		.progress = show,
		.trial_done = trial_done,
		.ctx = &view,
	};
	struct err e = {.kind = ERR_NONE};
	int r, code = 0;

	if (!rec) {
		err_nomem(&e, "the record");
		return cli_fail(&e);
	}
	resolve_record(rec, o, s);
	launched_watch(g, &rec->base);
	launch_catch_signals();
	if (!g->first && s->same_filesystem)
		rules_warn_filesystem("cache");
	if (!g->first)
		run_rows_open(&view.rows);
	r = kv_run(&c, rec, &e);
	cli_line_end();
	if (!g->first) {
		code = report(&view, rec, r, &e);
	} else if (r) {
		code = launched_failed(&e);
	}
	run_rows_close(&view.rows);
	kv_record_fini(rec);
	free(rec);
	return code;
}

static int dry_run(void *ctx)
{
	const struct job *j = ctx;
	const struct kvcache_options *o = j->o;
	const struct kvcache_setup *s = j->s;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	const struct kv_config *c;
	int64_t ns = 0;
	uint32_t i;

	printf("dry run: nothing is read or written\n");
	for (i = 0; i < s->option_count; i++) {
		c = &s->options[i];
		ns += s->trials * (c->duration_ns + 2 * s->delay_ns) +
		      (i ? s->inter_option_delay_ns : 0);
		printf("option %u  %s, %u users, %u allocations, %u rank%s of "
		       "%s buffers, --io %s, %u x %s\n", c->option,
			c->model.name, c->opt.users, c->opt.allocations,
			c->ranks, c->ranks == 1 ? "" : "s",
			units_format_bytes(
				a, o->drive ? 0 : kv_run_buffer_bytes(c)),
			o->io, s->trials,
			units_format_time(b, c->duration_ns));
	}
	printf("on        %s\n", o->drive ? o->drive : o->cache_dir);
	if (!s->virtual_time)
		printf("takes     %s, and the drains\n",
			units_format_time(a, ns));
	not_closed_print(&s->not_closed);
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct job *j = ctx;
	int r;

	j->o->processes = g->size;
	r = kvcache_resolve(j->o, j->s, e);
	return r ? r : launched_check_clock(j->s->virtual_time, e);
}

static int run(struct kvcache_options *o, struct kvcache_setup *s)
{
	struct job j = {.o = o, .s = s};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = run_in_group, .ctx = &j, .only_dry = o->dry_run,
		.json = o->json};
	struct err e;

	if (group_launched())
		return launched_run(&l);
	if (kvcache_resolve(o, s, &e))
		return cli_fail_report(o->json, &e);
	return launched_start(&l, o->processes,
		s->virtual_time || o->in_process, o->hosts_list, o->per_node);
}

int cmd_kvcache_run(int argc, const char **argv)
{
	struct kvcache_setup *s;
	struct kvcache_options o;
	struct err e;
	int code;

	kvcache_options_default(&o);
	if (!command_options(kvcache_run_rows, &o, argc, argv, &code))
		return code;
	if (!o.drive == !o.cache_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"kvcache run needs either --cache-dir DIR (a real "
			"drive) or --drive MODEL (a modelled one)");
		return cli_fail_report(o.json, &e);
	}
	s = calloc(1, sizeof(*s));
	if (!s) {
		err_nomem(&e, "the run");
		return cli_fail_report(o.json, &e);
	}
	code = run(&o, s);
	kv_trace_free(&s->trace);
	free(s);
	return code;
}
