/* `stoker checkpointing run`: options, plan, run, report. */
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/outputs.h"

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
	/* the rows that were shown, for the log of stderr */
	char *rows;
	size_t rows_bytes;
	FILE *rows_file;
};

static void show(void *ctx, const struct ckpt_op *op)
{
	const struct view *v = ctx;
	double s = (double)(op->end_ns - op->start_ns) / 1e9;
	char row[128];

	snprintf(row, sizeof(row),
		"%s of checkpoint %u: rank 0 took %.3f s (%.3f GiB/s)",
		op->load ? "load" : "save", op->step, s,
		s > 0 ? checkpointing_gib(v->bytes) / s : 0);
	if (v->rows_file)
		fprintf(v->rows_file, "%s\n", row);
	if (!v->o->quiet)
		cli_line(!v->s->virtual_time, "%s", row);
}

/* Rank 0, of a run that has ended well. */
static int write_leaf(struct view *v, struct ckpt_record *rec, struct err *e)
{
	char leaf[4096] = "";
	uint32_t i;
	int r;

	if (!rec->base.config.results_dir[0])
		return 0;
	for (i = 0; v->rows_file && i < rec->base.note_count; i++)
		fprintf(v->rows_file, "note: %s\n", rec->base.notes[i].text);
	if (!v->rows_file || fflush(v->rows_file))
		return err_nomem(e, "the log");
	r = checkpointing_write_leaf(v->o, v->s, rec, v->rows, leaf, e);
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
	uint32_t i;

	ckpt_record_init(rec);
	rec->config = s->config;
	/* to another host, where there is one */
	if (s->config.rotate && g->hosts > 1)
		rec->config.rotate = g->ranks_on_host;
	base = &rec->base.config;
	snprintf(rec->base.tool_version, sizeof(rec->base.tool_version), "%s",
		STOKER_VERSION);
	outputs_command_line(
		rec->base.command_line, sizeof(rec->base.command_line));
	snprintf(base->model, sizeof(base->model), "%s",
		s->config.shape.model.name);
	snprintf(base->accelerator, sizeof(base->accelerator), "%s",
		s->accelerator);
	base->division = s->division;
	/* DLIO's defaults of what has no meaning here */
	base->accelerators = base->files = s->config.shape.ranks;
	base->samples_per_file = 1;
	base->record_bytes = 65536;
	if (o->drive)
		snprintf(base->drive, sizeof(base->drive), "%s", o->drive);
	if (o->results_dir)
		snprintf(base->results_dir, sizeof(base->results_dir), "%s",
			o->results_dir);
	snprintf(base->organization, sizeof(base->organization), "%s",
		o->organization);
	if (o->system_name)
		snprintf(base->system_name, sizeof(base->system_name), "%s",
			o->system_name);
	else
		host_name(base->system_name, sizeof(base->system_name));
	for (i = 0; i < s->not_closed_count; i++)
		record_note(&rec->base, "not-closed", "not CLOSED: %s",
			s->not_closed[i]);
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
	int r, code = 0;

	ckpt_totals(&s->config.shape, &t);
	view.bytes = t.bytes;
	resolve_record(&rec, o, s, g);
	launched_watch(g, &rec.base);
	launch_catch_signals();
	if (!g->first)
		view.rows_file = open_memstream(&view.rows, &view.rows_bytes);
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
	if (view.rows_file)
		fclose(view.rows_file);
	free(view.rows);
	ckpt_record_fini(&rec);
	return code;
}

static int dry_run(void *ctx)
{
	const struct job *j = ctx;
	const struct checkpointing_options *o = j->o;
	const struct checkpointing_setup *s = &j->s;
	const struct ckpt_config *c = &s->config;
	uint32_t each = checkpoint_buffers(c), i;
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
	for (i = 0; i < s->not_closed_count; i++)
		printf("not CLOSED: %s\n", s->not_closed[i]);
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
	bool help;

	checkpointing_options_default(&o);
	if (options_parse(checkpointing_run_rows, &o, argc, argv, &help, &e))
		return cli_fail_report(o.json, &e);
	if (help)
		return command_help(checkpointing_run_rows);
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
