/* `stoker drive list`, `show` and `passport`; see drive.h. */
#include "cli/drive.h"

#include "cli/cli.h"
#include "cli/commands.h"

#include "core/config.h"
#include "core/json.h"
#include "results/drive.h"
#include "storage/drive.h"
#include "storage/drive_id.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define O struct drive_options
#include "cli/rows.h"


const struct option_row drive_list_rows[] = {
	HEADING("Profiles"),
	PROFILES_DIR_ROW,
	OUTPUT_ROWS,
	END,
};

const struct option_row drive_show_rows[] = {
	HEADING("Profiles"),
	PROFILES_DIR_ROW,
	OUTPUT_ROWS,
	END,
};

const struct option_row drive_passport_rows[] = {
	HEADING("Drive"),
	TEXT("data-dir", data_dir, "DIR", "a folder on it",
		.letter = 'd', .words = COMPLETE_DIR),
	FLAG("show-serial", show_serial,
		"serial numbers in full, else their last four characters"),
	OUTPUT_ROWS,
	END,
};

struct listing {
	const char *config_dir;
	struct cJSON *json; /* array, or NULL for text */
	struct err *e;
};

static void print_row(const struct drive_profile *p)
{
	printf("%-18s %-32s %-5s %-13s %9.0f %6.1f %6.1f %7.0f %7.0f %6.1f "
	       "%6.1f\n",
		p->name, p->model, p->media, p->interface, p->capacity_gb,
		p->sequential_read_gb_per_s, p->sequential_write_gb_per_s,
		p->random_read_kiops, p->random_write_kiops,
		p->read_latency_us, p->write_latency_us);
}

static int each_drive(void *arg, const char *base)
{
	struct listing *l = arg;
	struct drive_profile p;
	int r = drive_profile_load(l->config_dir, base, &p, l->e);

	if (r)
		return r;
	if (!l->json)
		print_row(&p);
	else if (!json_add(l->json, NULL, drive_profile_json(&p)))
		return err_nomem(l->e, "the list");
	return 0;
}

int cmd_drive_list(int argc, const char **argv)
{
	struct drive_options o = {.data_dir = NULL};
	struct err e;
	struct listing l = {.e = &e};
	int code;

	if (!command_options(drive_list_rows, &o, argc, argv, &code))
		return code;
	l.config_dir = o.config_dir;
	if (o.json)
		l.json = cJSON_CreateArray();
	else
		printf("%-18s %-32s %-5s %-13s %9s %6s %6s %7s %7s %6s %6s\n",
			"name", "model", "media", "interface", "GB",
			"r GB/s", "w GB/s", "r kIOPS", "w kIOPS", "r us",
			"w us");
	if (config_each(o.config_dir, "drives", each_drive, &l, &e)) {
		cJSON_Delete(l.json);
		return cli_fail_report(o.json, &e);
	}
	return l.json ? cli_print_json(l.json) : 0;
}

static bool is_file(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".json"));
}

static int load(const struct drive_options *o, const char *name,
	struct cJSON **obj, struct err *e)
{
	struct drive_profile p;
	char file[DRIVE_NAME_MAX + 32];
	int r = drive_profile_load(o->config_dir, name, &p, e);

	if (r)
		return r;
	if (is_file(name))
		return json_read_file(name, obj, e);
	/* "24x NAME" shows what a drive of it is */
	snprintf(file, sizeof(file), "drives/%s.json", p.name);
	return config_load(o->config_dir, file, obj, e);
}

static void print_member(const struct cJSON *c, const struct cJSON *sources)
{
	const struct cJSON *from = cJSON_GetObjectItemCaseSensitive(
		sources, c->string);
	char *text;

	if (cJSON_IsArray(c)) {
		printf("%-26s %d points\n", c->string, cJSON_GetArraySize(c));
		return;
	}
	if (cJSON_IsObject(c))
		return;
	text = json_print(c, -1);
	printf("%-26s %-14s %s\n", c->string,
		cJSON_IsString(c) ? c->valuestring : text ? text : "",
		cJSON_IsString(from) ? from->valuestring : "");
	free(text);
}

static void print_points(const struct drive_profile *p)
{
	const struct drive_point *t;
	uint32_t i;

	if (p->point_count)
		printf("\n%-6s %-10s %8s %6s %5s %9s %9s %9s %9s %9s\n", "op",
			"pattern", "bytes", "depth", "jobs", "GB/s", "mean us",
			"p50 us", "p99 us", "+-%");
	for (i = 0; i < p->point_count; i++) {
		t = &p->points[i];
		printf("%-6s %-10s %8u %6u %5u %9.3f %9.1f %9.1f %9.1f %9.1f\n",
			t->write ? "write" : "read",
			t->random ? "random" : "sequential", t->bytes,
			t->depth, t->jobs, t->gb_per_s, t->mean_us, t->p50_us,
			t->p99_us, t->ci_pct);
	}
}

static void print_profile(const struct cJSON *obj)
{
	const struct cJSON *c, *sources;
	struct drive_profile p;
	struct err e;

	sources = cJSON_GetObjectItemCaseSensitive(obj, "sources");
	cJSON_ArrayForEach (c, obj)
		print_member(c, sources);
	if (!drive_profile_parse(obj, "profile", &p, &e))
		print_points(&p);
}

int cmd_drive_show(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	struct drive_options o = {.data_dir = NULL};
	struct cJSON *obj = NULL;
	const char *name;
	struct err e;
	int code;

	if (!command_options_words(
		    drive_show_rows, &o, argc, argv, &words, &code))
		return code;
	name = option_word(&words);
	if (!name)
		err_set(&e, ERR_USAGE, -EINVAL,
			"drive show needs a profile's NAME or FILE.json; "
			"stoker drive list shows all");
	if (!name || load(&o, name, &obj, &e))
		return cli_fail_report(o.json, &e);
	if (o.json)
		return cli_print_json(obj);
	print_profile(obj);
	cJSON_Delete(obj);
	return 0;
}

int cmd_drive_passport(int argc, const char **argv)
{
	struct drive_options o = {.data_dir = NULL};
	struct rec_drive d;
	struct err e;
	int code;
	int r;

	if (!command_options(drive_passport_rows, &o, argc, argv, &code))
		return code;
	r = o.data_dir ? drive_identify(o.data_dir, o.show_serial, &d)
		       : -EINVAL;
	if (!o.data_dir)
		err_set(&e, ERR_USAGE, r, "drive passport needs --data-dir DIR");
	else if (r)
		err_set(&e, ERR_ENV, r, "cannot tell what --data-dir %s is on: "
			"%s", o.data_dir, strerror(-r));
	if (r)
		return cli_fail_report(o.json, &e);
	if (o.json)
		return cli_print_json(results_drive_json(&d));
	results_drive_print(stdout, &d);
	return 0;
}
