/* `stoker drive probe`: the plan, the measurement, its profile. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/drive.h"
#include "cli/drive_report.h"
#include "cli/launch.h"
#include "cli/resolve.h"

#include "core/json.h"
#include "core/units.h"
#include "storage/drive_id.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define O struct drive_options
#define SECONDS_MIN_NS (50 * NS_PER_MS)
#define INDENT 4

const struct option_row drive_probe_rows[] = {
	OPT_HEADING("What is measured"),
	OPT_TEXT("data-dir", O, data_dir, "DIR",
		"a folder on the drive; all is done in a file of its own there",
		.letter = 'd', .words = COMPLETE_DIR),
	OPT_TEXT("file", O, file, "FILE",
		"read this file of yours instead, and write nothing; refused "
		"where it was never written or is stored compressed"),
	OPT_TEXT("size", O, size, "SIZE",
		"of that file; a drive's own cache should not hold it",
		.standard = "2GiB", .bare = "GiB"),
	OPT_TEXT("seconds", O, seconds, "TIME",
		"at most for each point; it ends before that when its 95 % "
		"interval is within 5 %",
		.standard = "5", .bare = "seconds"),
	OPT_FLAG("write", O, write, "measure writes too, the default"),
	OPT_FLAG("no-write", O, no_write,
		"write nothing but the file that is read"),
	OPT_TEXT("engine", O, engine, "KIND", "uring, pread or auto",
		.standard = "auto", .words = "uring pread auto"),
	OPT_TEXT("drive", O, drive, "MODEL",
		"a modelled drive instead, in virtual time: a profile's NAME "
		"or FILE.json, or constant:14.5GB/s,80us",
		.words = "constant:14.5GB/s,80us"),
	OPT_TEXT("config-dir", O, config_dir, "DIR",
		"profiles that override or add to the built-in ones",
		.words = COMPLETE_DIR),
	OPT_HEADING("Output"),
	OPT_TEXT("out", O, out, "FILE.json", "save the profile, for --drive",
		.letter = 'o', .standard = "none"),
	OPT_TEXT("name", O, name, "NAME", "of the profile",
		.standard = "that of the file"),
	OPT_FLAG("show-serial", O, show_serial,
		"serial numbers in full, else their last four characters"),
	OPT_FLAG("json", O, json, "the profile on stdout, nothing else"),
	OPT_FLAG("dry-run", O, dry_run,
		"tell what would be written and how long it takes"),
	OPT_FLAG("quiet", O, quiet, "no plan and no progress line"),
	OPT_END,
};

static int resolve_target(
	const struct drive_options *o, struct probe *p, struct err *e)
{
	struct stat st;

	if ((o->data_dir != NULL) + (o->file != NULL) + (o->drive != NULL) !=
		1)
		return err_set(e, ERR_USAGE, -EINVAL,
			"drive probe needs one of --data-dir DIR, a folder on "
			"the drive, --file FILE to read that only, and --drive "
			"MODEL to check the probe itself");
	if (o->drive) {
		if (engine_spec_parse(
			    o->config_dir, o->drive, &p->engine, e))
			return e->code;
		return p->engine.kind != ENGINE_NULL
			       ? 0
			       : err_set(e, ERR_USAGE, -EINVAL,
					 "--drive %s takes no time, so it has "
					 "no rate to measure", o->drive);
	}
	p->file = o->file;
	p->dir = o->file ? o->file : o->data_dir;
	if (resolve_engine_kind(o->engine, ENGINE_AUTO, &p->engine.kind, e))
		return e->code;
	if (!stat(p->dir, &st) &&
		(o->file ? S_ISREG(st.st_mode) : S_ISDIR(st.st_mode)))
		return 0;
	return err_set(e, ERR_USAGE, -ENOENT,
		o->file ? "--file %s is not a file that exists"
			: "--data-dir %s is not a folder that exists",
		p->dir);
}

/* Told now, not after minutes. */
static int check_out(const char *out, struct err *e)
{
	char *copy = out ? strdup(out) : NULL;
	const char *dir = copy ? dirname(copy) : ".";
	struct stat st;
	int r = 0;

	if (out && !*out)
		r = err_set(e, ERR_USAGE, -EINVAL, "--out: no name");
	else if (out && !stat(out, &st) && !S_ISREG(st.st_mode))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--out %s exists and is not a file", out);
	else if (out && access(dir, W_OK | X_OK))
		r = err_set(e, ERR_USAGE, -errno,
			"--out %s: folder %s: %s", out, dir, strerror(errno));
	free(copy);
	return r;
}

static int resolve(
	const struct drive_options *o, struct probe *p, struct err *e)
{
	int r;

	if (o->write && (o->no_write || o->file))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--write and %s contradict each other",
			o->file ? "--file" : "--no-write");
	p->writes = !o->no_write && !o->file;
	r = units_parse_bytes(
		o->size, GIB_BYTES, "--size", &p->size_bytes, e);
	if (!r)
		r = units_parse_time(
			o->seconds, "--seconds", &p->point_ns, e);
	if (r)
		return r;
	p->size_bytes -= p->size_bytes % MIB_BYTES;
	if (p->size_bytes < PROBE_SIZE_MIN || p->size_bytes > 1ULL << 50)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--size %s: must be 64MiB to 1024TiB", o->size);
	if (p->point_ns < SECONDS_MIN_NS || p->point_ns > 3600 * NS_PER_S)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--seconds %s: must be 50 ms to an hour", o->seconds);
	r = resolve_target(o, p, e);
	return r ? r : check_out(o->out, e);
}

static void print_plan(FILE *f, const struct drive_options *o,
	const struct probe *p, const struct rec_drive *d)
{
	char size[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	char line[RESULTS_DRIVE_LINE_MAX];

	if (!p->dir) {
		fprintf(f, "probes the modelled drive %s in virtual time: "
			   "writes and reads nothing\n", o->drive);
		return;
	}
	if (p->file) {
		fprintf(f, "will read %s for at most %s, and write nothing\n",
			p->file,
			units_format_time(time, probe_longest_ns(p, false)));
		return;
	}
	fprintf(f,
		"will write %s into a file of its own in %s (gone at the end, "
		"however it ends), read it for at most %s",
		units_format_bytes(size, p->size_bytes), o->data_dir,
		units_format_time(time, probe_longest_ns(p, false)));
	if (p->writes)
		fprintf(f,
			" and overwrite it for at most %s (%s in all at most; "
			"--no-write leaves it at %s)",
			units_format_time(time, probe_longest_ns(p, true)),
			units_format_bytes(most, probe_writes_bytes(p)), size);
	fprintf(f, "\n%s\n", results_drive_line(line, sizeof(line), d));
}

static void show_progress(void *ctx, const struct probe_progress *p)
{
	(void)ctx;
	if (p->gb_per_s > 0)
		cli_line(false, "point %" PRIu32 "/%" PRIu32 "  %s  %.3g GB/s",
			p->point, p->points, p->what, p->gb_per_s);
	else
		cli_line(false, "point %" PRIu32 "/%" PRIu32 "  %s", p->point,
			p->points, p->what);
}

/* What is going to be written is a profile that others can load. */
static int reads_back(const struct cJSON *doc, struct err *e)
{
	const char *name = "the measured profile";
	struct drive_profile p;
	struct cJSON *copy;
	char *text = json_print(doc, -1);
	int r;

	if (!text)
		return err_nomem(e, name);
	r = json_parse(text, strlen(text), name, &copy, e);
	free(text);
	if (r)
		return r;
	r = drive_profile_parse(copy, name, &p, e);
	cJSON_Delete(copy);
	return r;
}

/* The profile as a document. */
static struct cJSON *document(const struct drive_options *o,
	const struct probe *p, const struct rec_drive *d,
	struct drive_profile *profile, struct err *e)
{
	struct probe_assumed assumed;
	struct cJSON *doc;

	if (probe_profile(p, profile, &assumed, e))
		return NULL;
	drive_report_name(profile, o->name, o->out, p->dir, d);
	doc = drive_report_json(profile, p, d, &assumed);
	if (!doc) {
		err_nomem(e, "the profile");
		return NULL;
	}
	if (!reads_back(doc, e))
		return doc;
	cJSON_Delete(doc);
	return NULL;
}

static int finish(const struct drive_options *o, const struct probe *p,
	const struct rec_drive *d, struct err *e)
{
	struct drive_profile profile;
	struct cJSON *doc = document(o, p, d, &profile, e);

	if (!doc) {
		/* what was seen is no profile, but worth seeing */
		if (!o->json)
			drive_report_table(stdout, p);
		return cli_fail_report(o->json, e);
	}
	if (o->out && json_write_file(o->out, doc, INDENT, e)) {
		cJSON_Delete(doc);
		return cli_fail_report(o->json, e);
	}
	if (o->json)
		return cli_print_json(doc);
	cJSON_Delete(doc);
	drive_report_print(stdout, p, d, &profile);
	if (o->out)
		printf("profile: %s\n", o->out);
	else
		printf("--out FILE.json saves this as a profile\n");
	return 0;
}

int cmd_drive_probe(int argc, const char **argv)
{
	struct drive_options o = {
		.size = "2GiB", .seconds = "5", .engine = "auto"};
	struct rec_drive d = {.known = false};
	struct probe *p;
	struct err e = {.kind = ERR_NONE};
	int code = 0, r;

	if (!command_options(drive_probe_rows, &o, argc, argv, &code))
		return code;
	p = calloc(1, sizeof(*p));
	r = p ? resolve(&o, p, &e) : err_nomem(&e, "the probe");
	if (!r && p->dir) {
		r = drive_identify(p->dir, o.show_serial, &d);
		if (r)
			err_set(&e, ERR_ENV, r, "cannot tell what %s is on: %s",
				p->dir, strerror(-r));
		p->drive = &d;
	}
	if (!r && (o.dry_run || !o.quiet))
		print_plan(o.dry_run ? stdout : stderr, &o, p, &d);
	if (!r && !o.dry_run) {
		p->progress = o.quiet ? NULL : show_progress;
		launch_catch_signals();
		prctl(PR_SET_TIMERSLACK, 1000UL);
		r = probe_run(p, &e);
		cli_line_end();
	}
	if (r)
		code = cli_fail_report(o.json, &e);
	else if (!o.dry_run)
		code = finish(&o, p, &d, &e);
	free(p);
	return code;
}
