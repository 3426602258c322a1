/* `stoker training datagen`: writes a data set, or finishes one. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/outputs.h"
#include "cli/training.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "core/units.h"
#include "plan/data_source.h"
#include "plan/dataset_job.h"
#include "plan/hosts.h"
#include "storage/clock.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_plan(void *ctx, const struct dataset_progress *p)
{
	struct outputs *x = ctx;
	char size[UNITS_TEXT_MAX], row[128];

	if (!p->files_total)
		return;
	snprintf(row, sizeof(row), "to write: %" PRIu64 " files, %s",
		p->files_total, units_format_bytes(size, p->bytes_total));
	outputs_row(x, true, "%s", row);
	if (!x->o->quiet)
		cli_line(true, "%s", row);
}

static void show_progress(void *ctx, const struct dataset_progress *p)
{
	double rate = p->elapsed_ns ? (double)p->bytes_done /
					      ((double)p->elapsed_ns / 1e9)
				    : 0;
	int64_t left = rate > 0 ? (int64_t)((double)(p->bytes_total -
						    p->bytes_done) /
					    rate * 1e9)
				: 0;
	char done[UNITS_TEXT_MAX], all[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	struct outputs *x = ctx;
	char row[256];

	snprintf(row, sizeof(row),
		"%" PRIu64 "/%" PRIu64 " files, %s of %s, %.2f GiB/s, %s left",
		p->files_done, p->files_total,
		units_format_bytes(done, p->bytes_done),
		units_format_bytes(all, p->bytes_total),
		rate / (double)GIB_BYTES, units_format_time(time, left));
	outputs_row(x, false, "%s", row);
	if (!x->o->quiet)
		cli_line(false, "%s", row);
}

static void show_note(void *ctx, const char *id, const char *text)
{
	(void)id;
	outputs_row(ctx, true, "note: %s", text);
	cli_line_end();
	fprintf(stderr, "stoker: note: %s\n", text);
}

static int parse_ratio(const struct training_options *o, const char *text,
	const char *what, uint32_t *milli, struct err *e)
{
	char *end;
	double v = strtod(text, &end);

	/* written so that NaN fails */
	if (end == text || *end ||
		!(v >= 1 && v * CONTENT_RATIO_ONE <= CONTENT_RATIO_MAX))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s %s: must be a number from 1 to 100", what, text);
	*milli = (uint32_t)(v * CONTENT_RATIO_ONE + 0.5);
	if (content_ratio_set(*milli) && strcmp(o->content, "unique"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s goes with --content unique", what);
	return 0;
}

static int parse_ratios(const struct training_options *o,
	struct content_ratios *ratios, struct err *e)
{
	int r = parse_ratio(o, o->compress_ratio, "--compress-ratio",
		&ratios->compress_milli, e);

	return r ? r
		 : parse_ratio(o, o->dedup_ratio, "--dedup-ratio",
			   &ratios->dedup_milli, e);
}

static int fill_job(const struct training_options *o,
	const struct training_setup *s, struct outputs *x,
	struct dataset_job *j, struct err *e)
{
	memset(j, 0, sizeof(*j));
	data_source_layout(&s->config, &j->layout);
	if (!strcmp(o->content, "unique"))
		j->kind = CONTENT_UNIQUE;
	else if (!strcmp(o->content, "reference"))
		j->kind = CONTENT_REFERENCE;
	else
		return err_set(e, ERR_USAGE, -EINVAL,
			"--content %s: must be unique or reference",
			o->content);
	if (!format_find(s->config.format))
		return err_set(e, ERR_USAGE, -ENOTSUP,
			"%s/%s: format %s is not generated (%s are)",
			s->config.model, s->config.accelerator,
			s->config.format, format_names());
	if (parse_ratios(o, &j->ratios, e))
		return e->code;
	j->engine = s->engine;
	j->seed = o->seed;
	j->folder = s->config.data_folder;
	j->model = s->config.model;
	j->scale = o->scale;
	j->direct = !o->buffered;
	j->overwrite = o->overwrite;
	j->note = show_note;
	j->progress = show_progress;
	j->plan = show_plan;
	j->ctx = x;
	return 0;
}

static void print_text(FILE *f, const struct training_options *o,
	const struct training_setup *s, const struct dataset_result *res,
	bool dry)
{
	struct content_ratios ratios;
	char all[UNITS_TEXT_MAX], now[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	double gib_s = res->elapsed_ns > 0
			       ? (double)res->bytes_written /
					 (double)GIB_BYTES /
					 ((double)res->elapsed_ns / 1e9)
			       : 0;

	fprintf(f, "%s: %" PRIu64 " files, %s (%" PRIu64 " bytes)\n",
		s->config.drive[0] ? s->config.drive : s->config.data_folder,
		res->files, units_format_bytes(all, res->bytes), res->bytes);
	if (s->config.drive[0])
		fprintf(f, "modelled: nothing was written, these are the sizes "
			   "that a run on it reads\n");
	else if (dry)
		fprintf(f, "would write %" PRIu64 " files, %s\n",
			res->files_written,
			units_format_bytes(now, res->bytes_written));
	else if (!res->files_written)
		fprintf(f, "complete already: nothing was written\n");
	else
		fprintf(f, "wrote %" PRIu64 " files, %s in %s: %.2f GiB/s (%s)\n",
			res->files_written,
			units_format_bytes(now, res->bytes_written),
			units_format_time(time, res->elapsed_ns), gib_s,
			res->engine);
	if (s->scale.num != s->scale.den)
		fprintf(f, "not CLOSED: --scale %u/%u\n", s->scale.num,
			s->scale.den);
	if (!parse_ratios(o, &ratios, NULL) && content_ratios_set(&ratios))
		fprintf(f,
			"not CLOSED: --compress-ratio %g, --dedup-ratio %g\n",
			content_ratio(ratios.compress_milli),
			content_ratio(ratios.dedup_milli));
}

static int print_json(const struct training_options *opt,
	const struct training_setup *s, const struct dataset_result *res,
	const struct err *failed, int code)
{
	struct cJSON *o = cJSON_CreateObject();
	struct content_ratios ratios = {0};
	char *text;

	parse_ratios(opt, &ratios, NULL);
	json_add_string(o, "status",
		!failed ? "finished"
		: failed->code == -EINTR ? "interrupted" : "failed");
	if (failed)
		json_add_string(o, "error", failed->text);
	if (s->config.drive[0])
		json_add_string(o, "drive", s->config.drive);
	else
		json_add_string(o, "data_folder", s->config.data_folder);
	json_add_u64(o, "files", res->files);
	json_add_u64(o, "total_bytes", res->bytes);
	if (!failed) {
		json_add_u64(o, "files_written", res->files_written);
		json_add_u64(o, "bytes_written", res->bytes_written);
	}
	json_add_i64(o, "elapsed_ns", res->elapsed_ns);
	json_add_bool(o, "scaled", s->scale.num != s->scale.den);
	json_add_double(
		o, "compress_ratio", content_ratio(ratios.compress_milli));
	json_add_double(o, "dedup_ratio", content_ratio(ratios.dedup_milli));
	json_add_u64(o, "exit_code", (uint64_t)code);
	text = json_print(o, 2);
	cJSON_Delete(o);
	printf("%s\n", text ? text : "{}");
	free(text);
	return code;
}

/* The result folder, in rank 0's process. */
static int write_leaf(struct outputs *x, const struct record *rec,
	const struct dataset_result *res, int64_t elapsed_ns, struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!v || !f) {
		r = err_nomem(e, "the result files");
	} else {
		print_text(f, x->o, x->s, res, false);
		fflush(f);
		v->time = rec->time;
		v->end_ns = elapsed_ns;
		v->hosts = rec->hosts;
		v->host_count = rec->host_count;
		r = outputs_write_plain(x, v, text, e);
	}
	if (f)
		fclose(f);
	free(text);
	free(v);
	return r ? err_wrap(e, "the data set is complete, but its result files "
			       "could not be written")
		 : 0;
}

/* Collective: the data set, then its result folder if one is wanted. */
static int write_set(const struct dataset_job *j, struct outputs *x,
	struct dataset_result *res, struct err *e)
{
	struct record rec;
	struct clock clock;
	int r;

	record_init(&rec);
	clock_start(&clock, false);
	rec.time.wall_anchor_ns = clock.wall_anchor_ns;
	r = dataset_job_run(j, res, e);
	cli_line_end();
	if (!r && x->s->config.results_dir[0]) {
		r = hosts_gather(j->group, true, &rec, e);
		if (!r && !j->group->first)
			r = write_leaf(x, &rec, res, clock_now(&clock), e);
		r = group_agree(j->group, r, e);
	}
	record_fini(&rec);
	return r;
}

/* What goes with writing only. */
static int check_model_options(const struct training_options *o, struct err *e)
{
	const char *said = o->data_dir	       ? "--data-dir"
			   : o->overwrite      ? "--overwrite"
			   : o->buffered       ? "--buffered"
			   : o->hosts_list     ? "--hosts"
			   : o->per_node       ? "--npernode"
			   : strcmp(o->content, "unique") ? "--content"
			   : strcmp(o->compress_ratio, "1")
				   ? "--compress-ratio"
			   : strcmp(o->dedup_ratio, "1") ? "--dedup-ratio"
							 : NULL;

	if (!said)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"--drive and %s exclude each other: of a modelled drive's data "
		"set there are only sizes", said);
}

/* The files that a run on the modelled drive reads, by their formula. */
static int model_set(const struct training_setup *s,
	struct dataset_result *res, struct err *e)
{
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	struct dataset_layout layout;
	uint64_t room = 0;
	int r;

	data_source_layout(&s->config, &layout);
	r = dataset_check(&layout, e);
	if (!r)
		r = data_source_total_bytes(&layout, &res->bytes, e);
	if (r)
		return r;
	res->files = layout.files;
	if (s->engine.kind == ENGINE_MODEL)
		room = drive_capacity_bytes(&s->engine.drive);
	if (!room || res->bytes <= room)
		return 0;
	return err_set(e, ERR_USAGE, -ENOSPC,
		"the data set of %" PRIu64 " files takes %s, --drive %s holds "
		"%s: take more drives, as in \"2x NAME\"",
		res->files, units_format_bytes(need, res->bytes),
		s->config.drive, units_format_bytes(have, room));
}

static int generate_model(const struct training_options *o,
	const struct training_setup *s, struct group *g)
{
	struct dataset_result res = {0};
	struct outputs x;
	struct record rec;
	struct clock clock;
	struct err e = {.kind = ERR_NONE};
	int r, code;

	record_init(&rec);
	clock_start(&clock, false);
	rec.time.wall_anchor_ns = clock.wall_anchor_ns;
	r = outputs_init(&x, "datagen", training_datagen_rows, o, s, &e);
	if (!r)
		r = model_set(s, &res, &e);
	if (!r && !o->dry_run && s->config.results_dir[0]) {
		r = hosts_gather(g, true, &rec, &e);
		if (!r)
			r = write_leaf(&x, &rec, &res, clock_now(&clock), &e);
	}
	outputs_fini(&x);
	record_fini(&rec);
	code = r ? cli_fail(&e) : 0;
	if (o->json)
		return print_json(o, s, &res, r ? &e : NULL, code);
	if (!r)
		print_text(stdout, o, s, &res, false);
	return code;
}

static int generate(const struct training_options *o,
	const struct training_setup *s, struct group *g)
{
	struct dataset_result res;
	struct dataset_job j;
	struct outputs x;
	struct err e = {.kind = ERR_NONE};
	int r, code = 0;

	memset(&res, 0, sizeof(res));
	r = outputs_init(&x, "datagen", training_datagen_rows, o, s, &e);
	if (!r)
		r = fill_job(o, s, &x, &j, &e);
	j.group = g;
	launched_watch(g, NULL);
	launch_catch_signals();
	if (!r)
		r = write_set(&j, &x, &res, &e);
	outputs_fini(&x);
	if (g->first) {
		if (r)
			launch_failed(&e);
		return r ? (int)e.kind : 0;
	}
	if (r)
		code = cli_fail(&e);
	if (r == -EINTR)
		fprintf(stderr, "stoker: finished files are kept; the same "
				"command continues\n");
	if (o->json)
		code = print_json(o, s, &res, r ? &e : NULL, code);
	else if (!r)
		print_text(stdout, o, s, &res, false);
	return code;
}

struct job {
	struct training_options *o;
	struct training_setup s;
};

static int dry_run(void *ctx)
{
	const struct job *x = ctx;
	const struct training_options *o = x->o;
	const struct training_setup *s = &x->s;
	struct dataset_result res;
	char have[UNITS_TEXT_MAX];
	struct dataset_job j;
	uint64_t free_bytes;
	struct err e;

	if (fill_job(o, s, NULL, &j, &e) ||
		dataset_job_plan(&j, &res, &free_bytes, &e))
		return cli_fail(&e);
	printf("dry run: nothing is written\n");
	print_text(stdout, o, s, &res, true);
	printf("free: %s\n", units_format_bytes(have, free_bytes));
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct job *j = ctx;
	int r;

	if (!j->o->processes)
		j->o->processes = g->size;
	r = launched_check(g, j->o->processes, "processes", e);
	if (!r && j->o->drive)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--drive writes nothing: start stoker without mpirun");
	return r ? r : training_resolve(j->o, false, &j->s, e);
}

static int job_run(void *ctx, struct group *g)
{
	struct job *j = ctx;

	return j->o->drive ? generate_model(j->o, &j->s, g)
			   : generate(j->o, &j->s, g);
}

int cmd_training_datagen(int argc, const char **argv)
{
	struct training_options o;
	struct job j = {.o = &o};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = job_run, .ctx = &j};
	struct err e;
	int code;

	training_options_default(&o);
	if (!command_options(training_datagen_rows, &o, argc, argv, &code))
		return code;
	if (o.help_params)
		return training_help_params(&o);
	if (!o.drive && !o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"training datagen needs --data-dir DIR (or --drive "
			"MODEL, which only records what the set would be)");
		return cli_fail_report(o.json, &e);
	}
	if (o.drive && check_model_options(&o, &e))
		return cli_fail_report(o.json, &e);
	l.only_dry = o.dry_run && !o.drive;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	if (training_resolve(&o, false, &j.s, &e))
		return cli_fail_report(o.json, &e);
	return launched_start(&l, o.drive || !o.processes ? 1 : o.processes,
		false, o.hosts_list, o.per_node);
}
