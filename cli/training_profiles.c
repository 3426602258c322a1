/* `stoker training profiles`: what can be emulated. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/training.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct listing {
	const char *config_dir;
	const char *model;
	struct cJSON *json; /* array, or NULL for text */
	struct err *e;
};

static void print_row(const struct workload_profile *p)
{
	char compute[UNITS_TEXT_MAX];

	printf("%-10s %-8s %6" PRIu64 " %9s %3" PRIu64 " %-8s %10" PRIu64
	       " %8" PRIu64 " %8" PRIu64 " %2" PRIu64 " %5.1f %9.1f  %s\n",
		p->model, p->accelerator, p->batch_size,
		units_format_time(compute, p->computation_ns), p->read_threads,
		p->format, p->record_bytes, p->samples_per_file,
		p->default_files, p->epochs, p->au_floor_ppm / 1e4,
		profile_demand_mib_per_s(p), p->runnable ? "" : p->why);
}

static void add_row(struct cJSON *list, const struct workload_profile *p)
{
	struct cJSON *o = json_add_object(list, NULL);

	json_add_string(o, "model", p->model);
	json_add_string(o, "accelerator", p->accelerator);
	json_add_bool(o, "runnable", p->runnable);
	json_add_u64(o, "batch_size", p->batch_size);
	json_add_i64(o, "computation_time_ns", p->computation_ns);
	json_add_u64(o, "read_threads", p->read_threads);
	json_add_string(o, "format", p->format);
	json_add_u64(o, "record_length_bytes", p->record_bytes);
	json_add_u64(o, "num_samples_per_file", p->samples_per_file);
	json_add_u64(o, "num_files_train", p->default_files);
	json_add_u64(o, "epochs", p->epochs);
	json_add_double(o, "au_floor_pct", p->au_floor_ppm / 1e4);
	json_add_double(o, "demand_mib_per_s", profile_demand_mib_per_s(p));
	json_add_double(o, "accelerator_memory_gb", p->accelerator_memory_gb);
}

static int each_accelerator(void *arg, const char *accelerator)
{
	struct listing *l = arg;
	struct workload_profile p;
	int r = profile_load(l->config_dir, l->model, accelerator, &p, l->e);

	if (r == -ENOENT)
		return 0; /* this pair does not exist */
	if (r)
		return r;
	if (l->json)
		add_row(l->json, &p);
	else
		print_row(&p);
	return 0;
}

static int each_model(void *arg, const char *model)
{
	struct listing *l = arg;

	l->model = model;
	return config_each(l->config_dir, "accelerators", each_accelerator, l,
		l->e);
}

int cmd_training_profiles(int argc, const char **argv)
{
	struct training_options o;
	struct err e;
	struct listing l = {.e = &e};
	int code;
	char *text;
	int r;

	training_options_default(&o);
	if (!command_options(training_profiles_rows, &o,
		    argc, argv, &code))
		return code;
	l.config_dir = o.config_dir;
	if (o.json)
		l.json = cJSON_CreateArray();
	else
		printf("%-10s %-8s %6s %9s %3s %-8s %10s %8s %8s %2s %5s %9s\n",
			"model", "accel.", "batch", "compute", "W", "format",
			"record B", "samples", "files", "E", "AU %",
			"MiB/s");
	r = config_each(l.config_dir, "workloads", each_model, &l, &e);
	if (r)
		return cli_fail_report(o.json, &e);
	if (!l.json)
		return 0;
	text = json_print(l.json, 2);
	cJSON_Delete(l.json);
	printf("%s\n", text ? text : "[]");
	free(text);
	return 0;
}
