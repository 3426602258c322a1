/* `stoker training datagen`: writes a data set, or finishes one. */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/training.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "core/units.h"
#include "plan/data_source.h"
#include "plan/dataset_job.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show_plan(void *ctx, const struct dataset_progress *p)
{
	char size[UNITS_TEXT_MAX];

	(void)ctx;
	if (p->files_total)
		cli_line(true, "to write: %" PRIu64 " files, %s",
			p->files_total,
			units_format_bytes(size, p->bytes_total));
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

	(void)ctx;
	cli_line(false, "%" PRIu64 "/%" PRIu64 " files, %s of %s, %.2f GiB/s, "
			"%s left",
		p->files_done, p->files_total,
		units_format_bytes(done, p->bytes_done),
		units_format_bytes(all, p->bytes_total),
		rate / (double)GIB_BYTES, units_format_time(time, left));
}

static void show_note(void *ctx, const char *id, const char *text)
{
	(void)ctx, (void)id;
	cli_line_end();
	fprintf(stderr, "stoker: note: %s\n", text);
}

static int fill_job(const struct training_options *o,
	const struct training_setup *s, struct dataset_job *j, struct err *e)
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
	if (strcmp(s->config.format, "npz"))
		return err_set(e, ERR_USAGE, -ENOTSUP,
			"%s/%s: format %s is not generated yet (npz is)",
			s->config.model, s->config.accelerator,
			s->config.format);
	j->engine = s->engine;
	j->seed = o->seed;
	j->folder = s->config.data_folder;
	j->model = s->config.model;
	j->scale = o->scale;
	j->direct = !o->buffered;
	j->overwrite = o->overwrite;
	j->note = show_note;
	if (!o->quiet) {
		j->progress = show_progress;
		j->plan = show_plan;
	}
	return 0;
}

static void print_text(const struct training_setup *s,
	const struct dataset_result *res, bool dry)
{
	char all[UNITS_TEXT_MAX], now[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	double gib_s = res->elapsed_ns > 0
			       ? (double)res->bytes_written /
					 (double)GIB_BYTES /
					 ((double)res->elapsed_ns / 1e9)
			       : 0;

	printf("%s: %" PRIu64 " files, %s (%" PRIu64 " bytes)\n",
		s->config.data_folder, res->files,
		units_format_bytes(all, res->bytes), res->bytes);
	if (dry)
		printf("would write %" PRIu64 " files, %s\n",
			res->files_written,
			units_format_bytes(now, res->bytes_written));
	else if (!res->files_written)
		printf("complete already: nothing was written\n");
	else
		printf("wrote %" PRIu64 " files, %s in %s: %.2f GiB/s (%s)\n",
			res->files_written,
			units_format_bytes(now, res->bytes_written),
			units_format_time(time, res->elapsed_ns), gib_s,
			res->engine);
	if (s->scale.num != s->scale.den)
		printf("not CLOSED: --scale %u/%u\n", s->scale.num,
			s->scale.den);
}

static int print_json(const struct training_setup *s,
	const struct dataset_result *res, const struct err *failed, int code)
{
	struct cJSON *o = cJSON_CreateObject();
	char *text;

	json_add_string(o, "status",
		!failed ? "finished"
		: failed->code == -EINTR ? "interrupted" : "failed");
	if (failed)
		json_add_string(o, "error", failed->text);
	json_add_string(o, "data_folder", s->config.data_folder);
	json_add_u64(o, "files", res->files);
	json_add_u64(o, "total_bytes", res->bytes);
	if (!failed) {
		json_add_u64(o, "files_written", res->files_written);
		json_add_u64(o, "bytes_written", res->bytes_written);
	}
	json_add_i64(o, "elapsed_ns", res->elapsed_ns);
	json_add_bool(o, "scaled", s->scale.num != s->scale.den);
	json_add_u64(o, "exit_code", (uint64_t)code);
	text = json_print(o, 2);
	cJSON_Delete(o);
	printf("%s\n", text ? text : "{}");
	free(text);
	return code;
}

/* The watchdog tells of a rank. */
static void say(void *ctx, const char *text)
{
	(void)ctx;
	cli_line_end();
	fprintf(stderr, "stoker: %s\n", text);
}

static int generate(const struct training_options *o,
	const struct training_setup *s, struct group *g)
{
	struct dataset_result res;
	struct dataset_job j;
	struct err e = {.kind = ERR_NONE};
	int r, code = 0;

	memset(&res, 0, sizeof(res));
	r = fill_job(o, s, &j, &e);
	j.group = g;
	g->say = say;
	launch_catch_signals();
	if (!r)
		r = dataset_job_run(&j, &res, &e);
	cli_line_end();
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
		code = print_json(s, &res, r ? &e : NULL, code);
	else if (!r)
		print_text(s, &res, false);
	return code;
}

static int dry_run(const struct training_options *o,
	const struct training_setup *s)
{
	struct dataset_result res;
	char have[UNITS_TEXT_MAX];
	struct dataset_job j;
	uint64_t free_bytes;
	struct err e;

	if (fill_job(o, s, &j, &e) ||
		dataset_job_plan(&j, &res, &free_bytes, &e))
		return cli_fail(&e);
	printf("dry run: nothing is written\n");
	print_text(s, &res, true);
	printf("free: %s\n", units_format_bytes(have, free_bytes));
	return 0;
}

static int generate_launched(struct training_options *o)
{
	struct training_setup s;
	struct group *g;
	struct err e;
	int r, code;

	r = group_mpi_open(&g, &e);
	if (r)
		return cli_fail(&e);
	launch_stdout(g->first);
	if (!o->processes)
		o->processes = g->size;
	if (o->processes != g->size)
		r = err_set(&e, ERR_USAGE, -EINVAL,
			"asked for %" PRIu64 " processes, MPI started %u; use "
			"mpirun -n %" PRIu64,
			o->processes, g->size, o->processes);
	if (!r)
		r = training_resolve(o, false, &s, &e);
	r = group_agree(g, r, &e);
	if (!r && o->dry_run) {
		code = g->first ? 0 : dry_run(o, &s);
	} else if (!r) {
		code = generate(o, &s, g);
	} else {
		if (g->first)
			launch_failed(&e);
		code = g->first ? (int)e.kind : cli_fail_report(o->json, &e);
	}
	code = launch_exit(g->first, code);
	group_close(g);
	return code;
}

int cmd_training_datagen(int argc, const char **argv)
{
	struct training_options o;
	struct training_setup s;
	struct group *g;
	struct err e;
	bool help;
	int code;

	training_options_default(&o);
	if (options_parse(training_datagen_rows, &o, argc, argv, &help, &e))
		return cli_fail_report(o.json, &e);
	if (help) {
		printf("usage: stoker training datagen --data-dir DIR "
		       "[OPTION...]\n");
		options_print_help(training_datagen_rows);
		return 0;
	}
	if (!o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"training datagen needs --data-dir DIR");
		return cli_fail_report(o.json, &e);
	}
	if (group_launched())
		return generate_launched(&o);
	if (training_resolve(&o, false, &s, &e))
		return cli_fail_report(o.json, &e);
	if (o.dry_run)
		return dry_run(&o, &s);
	if (o.processes > 1)
		return launch_mpirun(o.processes, o.hosts_list, o.per_node);
	if (group_local_open(1, &g, &e))
		return cli_fail_report(o.json, &e);
	code = generate(&o, &s, g);
	group_close(g);
	return code;
}
