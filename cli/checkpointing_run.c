/* `stoker checkpointing run`: options, plan, run, report. */
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/rules_ask.h"
#include "cli/run_leaf.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "core/units.h"
#include "plan/ckpt_run.h"
#include "storage/host.h"
#include "workloads/checkpoint.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct view {
	const struct checkpointing_options *o;
	const struct checkpointing_setup *s;
	uint64_t bytes;
	struct run_rows rows;
};

static void show(void *ctx, const struct ckpt_op *op)
{
	struct view *v = ctx;
	double s = (double)(op->end_ns - op->start_ns) / 1e9;
	char row[128];

	snprintf(row, sizeof(row),
		"%s of checkpoint %u: rank 0 took %.3f s (%.3f GiB/s)",
		op->load ? "load" : "save", op->step, s,
		s > 0 ? checkpointing_gib(v->bytes) / s : 0);
	run_rows_add(&v->rows, row);
	if (!v->o->quiet)
		cli_line(!v->s->virtual_time, "%s", row);
}

/* Rank 0, of a run that has ended well. */
static int write_leaf(struct view *v, struct ckpt_record *rec, struct err *e)
{
	char leaf[4096] = "";
	int r;

	if (!rec->base.config.results_dir[0])
		return 0;
	r = run_rows_end(&v->rows, &rec->base, e);
	if (r)
		return r;
	r = checkpointing_write_leaf(v->o, v->s, rec, v->rows.text, leaf, e);
	if (r)
		return err_wrap(e, "the run itself finished, but its files "
				   "could not be written");
	if (!v->o->quiet)
		fprintf(stderr, "results: %s\n", leaf);
	return 0;
}

static void resolve_record(struct ckpt_record *rec,
	const struct checkpointing_options *o,
	const struct checkpointing_setup *s, const struct group *g)
{
	struct train_config *base;

	ckpt_record_init(rec);
	rec->config = s->config;
	/* to another host, where there is one */
	if (s->config.rotate && g->hosts > 1)
		rec->config.rotate = g->ranks_on_host;
	base = &rec->base.config;
	run_sign(&rec->base, o->drive, o->results_dir, o->organization,
		o->system_name);
	snprintf(base->model, sizeof(base->model), "%s",
		s->config.shape.model.name);
	snprintf(base->accelerator, sizeof(base->accelerator), "%s",
		s->accelerator);
	base->division = s->division;
	/* DLIO's defaults of what has no meaning here */
	base->accelerators = base->files = s->config.shape.ranks;
	base->samples_per_file = 1;
	base->record_bytes = 65536;
	not_closed_note(&s->not_closed, &rec->base);
}

struct job {
	struct checkpointing_options *o;
	struct checkpointing_setup s;
};

static int run_in_group(void *ctx, struct group *g)
{
	const struct job *j = ctx;
	const struct checkpointing_options *o = j->o;
	const struct checkpointing_setup *s = &j->s;
	struct ckpt_totals t;
	struct ckpt_record rec;
	struct view view = {.o = o, .s = s};
	struct ckpt_run c = {
		.group = g,
		.engine = s->engine,
		.virtual_time = s->virtual_time,
		.drive = o->drive,
		.client_memory_bytes = s->client_memory_bytes,
		.progress = show,
		.ctx = &view,
	};
	struct err e = {.kind = ERR_NONE};
	char below[CKPT_MODEL_NAME_MAX + 32];
	int r, code = 0;

	ckpt_totals(&s->config.shape, &t);
	view.bytes = t.bytes;
	resolve_record(&rec, o, s, g);
	snprintf(below, sizeof(below), "checkpointing/%s",
		s->config.shape.model.name);
	if (s->virtual_time)
		c.not_before_ns = run_last_end_ns(&rec.base.config,
			rec_division_name(s->division), below,
			"checkpointing");
	launched_watch(g, &rec.base);
	launch_catch_signals();
	if (!g->first && s->same_filesystem)
		rules_warn_filesystem("checkpoints");
	if (!g->first)
		run_rows_open(&view.rows);
	r = ckpt_run(&c, &rec, &e);
	cli_line_end();
	if (!g->first && !r)
		r = write_leaf(&view, &rec, &e);
	if (!g->first) {
		code = r ? cli_fail(&e)
		       : rec.load.count && !rec.load.valid ? ERR_VERDICT
							   : 0;
		if (o->json)
			code = cli_print_report(checkpointing_json(&rec),
				r ? &e : NULL, code);
		else if (!r)
			checkpointing_print_text(stdout, &rec);
	} else if (r) {
		code = launched_failed(&e);
	}
	run_rows_close(&view.rows);
	ckpt_record_fini(&rec);
	return code;
}

static int dry_run(void *ctx)
{
	const struct job *j = ctx;
	const struct checkpointing_options *o = j->o;
	const struct checkpointing_setup *s = &j->s;
	const struct ckpt_config *c = &s->config;
	uint32_t each = checkpoint_buffers(c);
	uint64_t bytes = checkpoint_buffer_bytes(c);
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	struct ckpt_totals t;

	ckpt_totals(&c->shape, &t);
	printf("dry run: nothing is read or written\n");
	printf("%" PRIu64 " ranks of %s on %s, --io %s\n", c->shape.ranks,
		c->shape.model.name, o->drive ? o->drive : c->folder,
		c->io == CKPT_IO_DIRECT ? "direct" : "reference");
	printf("saves     %u x %s, %" PRIu64 " files each; needs %s free\n",
		c->writes, units_format_bytes(a, t.bytes), t.sum.files,
		units_format_bytes(b, ckpt_run_room_bytes(c)));
	printf("loads     %u x %s%s\n", c->reads,
		units_format_bytes(a, t.bytes),
		c->rotate ? ", by other ranks than saved" : "");
	printf("pauses    %s before each\n",
		units_format_time(a, c->gap_ns));
	printf("memory    %u buffers of %s a rank, %s in all\n", each,
		units_format_bytes(a, bytes),
		units_format_bytes(b, each * bytes * c->shape.ranks));
	not_closed_print(&s->not_closed);
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct job *j = ctx;
	int r;

	if (!j->o->processes)
		j->o->processes = g->size;
	r = launched_check(g, j->o->processes, "ranks", e);
	if (!r)
		r = checkpointing_resolve(j->o, &j->s, e);
	return r ? r : launched_check_clock(j->s.virtual_time, e);
}

int cmd_checkpointing_run(int argc, const char **argv)
{
	struct checkpointing_options o;
	struct job j = {.o = &o};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = run_in_group, .ctx = &j};
	struct err e;
	int code;

	checkpointing_options_default(&o);
	if (!command_options(checkpointing_run_rows, &o, argc, argv, &code))
		return code;
	if (!o.drive == !o.folder) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"checkpointing run needs either --checkpoint-folder "
			"DIR (a real drive) or --drive MODEL (a modelled one)");
		return cli_fail_report(o.json, &e);
	}
	l.only_dry = o.dry_run;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	if (checkpointing_resolve(&o, &j.s, &e))
		return cli_fail_report(o.json, &e);
	return launched_start(&l, j.s.config.shape.ranks,
		j.s.virtual_time || o.in_process, o.hosts_list, o.per_node);
}
