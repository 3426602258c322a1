/* `stoker training datasize`: how many files, and which rule binds. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/training.h"

#include "core/json.h"
#include "core/units.h"
#include "core/datasize.h"
#include "plan/hosts.h"
#include "storage/clock.h"
#include "storage/host.h"
#include "storage/store.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
	struct datasize d;
	uint64_t accelerators, hosts, memory_bytes_per_host;
	bool measured;	    /* memory is this host's MemTotal */
	bool has_room_known;
	uint64_t free_bytes;
};

static int no_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	(void)ctx, (void)i, (void)buf, (void)buf_bytes;
	return -ENOENT;
}

static int compute(const struct training_options *o,
	const struct training_setup *s, struct answer *a, struct err *e)
{
	struct store_namer namer = {.path = no_path};
	struct datasize_input in = {.shape = profile_shape(&s->profile)};
	struct store store;
	int r;

	a->measured = !s->memory_bytes_per_host;
	a->accelerators = in.accelerators = o->max_accelerators;
	a->hosts = in.hosts = s->config.hosts;
	a->memory_bytes_per_host = in.memory_bytes_per_host =
		a->measured ? host_memory_bytes() : s->memory_bytes_per_host;
	r = datasize_compute(&in, &s->edition, &a->d, e);
	if (!r && s->engine.kind == ENGINE_MODEL) {
		a->has_room_known = true;
		a->free_bytes = drive_capacity_bytes(&s->engine.drive);
	}
	if (r || !o->data_dir)
		return r;
	store_posix_init(&store, o->data_dir, &namer);
	a->has_room_known = true;
	return store_free_space(&store, &a->free_bytes, e);
}

static const char *rule_name(const struct answer *a, const struct edition *ed,
	char *buf, size_t size)
{
	if (a->d.bound_by_memory)
		snprintf(buf, size, "%" PRIu64 "x memory", ed->memory_factor);
	else
		snprintf(buf, size, "%" PRIu64 " steps", ed->min_steps);
	return buf;
}

static void print_text(const struct training_setup *s, const struct answer *a)
{
	const struct train_config *c = &s->config;
	char size[UNITS_TEXT_MAX], memory[UNITS_TEXT_MAX], rule[64];
	char scale[40] = "", drive[sizeof(c->drive) + 2];

	snprintf(drive, sizeof(drive), strchr(c->drive, ' ') ? "'%s'" : "%s",
		c->drive);
	printf("%" PRIu64 " files (%s), bound by %s: %" PRIu64
	       " x %s on %s, %s\n",
		a->d.required, units_format_bytes(size, a->d.disk_bytes),
		rule_name(a, &s->edition, rule, sizeof(rule)),
		a->accelerators, c->accelerator, c->model, s->edition.name);
	printf("  by %" PRIu64 "x memory  %" PRIu64 " files  (%" PRIu64
	       " host%s x %s%s)\n",
		s->edition.memory_factor, a->d.by_bytes, a->hosts,
		a->hosts == 1 ? "" : "s",
		units_format_bytes(memory, a->memory_bytes_per_host),
		a->measured ? ", measured here; --client-host-memory-in-gb "
			      "overrides" : "");
	printf("  by %" PRIu64 " steps  %" PRIu64 " files\n",
		s->edition.min_steps, a->d.by_steps);
	printf("  memory takes over above %.2f GiB in all\n",
		a->d.crossover_gib);
	printf("  disk space %" PRIu64 " bytes nominal (%" PRIu64
	       " bytes a file), %" PRIu64 " steps an epoch and accelerator\n",
		a->d.disk_bytes, a->d.file_bytes, a->d.steps_per_epoch);
	if (a->has_room_known)
		printf("  room: %s has %s free, %s\n",
			c->drive[0] ? c->drive : c->data_dir,
			units_format_bytes(memory, a->free_bytes),
			a->free_bytes >= a->d.disk_bytes
				? "enough"
				: "NOT ENOUGH");
	if (a->d.suggested_subfolders)
		printf("  more than %" PRIu64 " files: consider --param "
		       "dataset.num_subfolders_train=%" PRIu64 "\n",
			s->edition.files_per_subfolder,
			a->d.suggested_subfolders);
	if (s->scale.num != s->scale.den) {
		printf("not CLOSED: --scale %u/%u\n", s->scale.num,
			s->scale.den);
		snprintf(scale, sizeof(scale), " --scale %u/%u", s->scale.num,
			s->scale.den);
	}
	printf("next: stoker training datagen --model %s --accelerator-type "
	       "%s%s --param dataset.num_files_train=%" PRIu64
	       " --%s %s\n",
		c->model, c->accelerator, scale, a->d.required,
		c->drive[0] ? "drive" : "data-dir",
		c->drive[0]	 ? drive
		: c->data_dir[0] ? c->data_dir
				 : "DIR");
}

static int print_json(const struct training_setup *s, const struct answer *a)
{
	struct cJSON *o = cJSON_CreateObject();
	char *text, rule[64];

	json_add_string(o, "model", s->config.model);
	json_add_string(o, "accelerator", s->config.accelerator);
	json_add_u64(o, "accelerators", a->accelerators);
	json_add_u64(o, "hosts", a->hosts);
	json_add_u64(o, "host_memory_bytes", a->memory_bytes_per_host);
	json_add_u64(o, "num_files_train", a->d.required);
	json_add_u64(o, "files_by_memory", a->d.by_bytes);
	json_add_u64(o, "files_by_steps", a->d.by_steps);
	json_add_string(o, "bound_by",
		rule_name(a, &s->edition, rule, sizeof(rule)));
	json_add_double(o, "crossover_gib", a->d.crossover_gib);
	json_add_u64(o, "file_bytes", a->d.file_bytes);
	json_add_u64(o, "total_disk_bytes", a->d.disk_bytes);
	json_add_u64(o, "steps_per_epoch", a->d.steps_per_epoch);
	json_add_u64(o, "num_subfolders_train", a->d.suggested_subfolders);
	if (a->has_room_known)
		json_add_u64(o, "free_bytes", a->free_bytes);
	json_add_bool(o, "scaled", s->scale.num != s->scale.den);
	text = json_print(o, 2);
	cJSON_Delete(o);
	printf("%s\n", text ? text : "{}");
	free(text);
	return text ? 0 : ERR_ENV;
}

/* The result folder: nothing but the metadata. */
static int write_leaf(const struct training_options *o,
	const struct training_setup *s, const struct answer *a, struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	struct outputs x = {.o = NULL};
	struct group *g = NULL;
	struct record rec;
	struct clock clock;
	int r;

	record_init(&rec);
	clock_start(&clock, false);
	r = v ? group_local_open(1, &g, e) : err_nomem(e, "the result files");
	if (!r)
		r = hosts_gather(g, true, &rec, e);
	if (!r && s->virtual_time && s->memory_bytes_per_host)
		hosts_state_memory(&rec, s->memory_bytes_per_host);
	if (!r)
		r = outputs_init(
			&x, "datasize", training_datasize_rows, o, s, e);
	if (!r) {
		v->size = &a->d;
		v->time.wall_anchor_ns = clock.wall_anchor_ns;
		v->end_ns = clock_now(&clock);
		v->hosts = rec.hosts;
		v->host_count = rec.host_count;
		r = outputs_write_plain(&x, v, NULL, e);
	}
	outputs_fini(&x);
	record_fini(&rec);
	if (g)
		group_close(g);
	free(v);
	return r;
}

int cmd_training_datasize(int argc, const char **argv)
{
	struct training_options o;
	struct training_setup s;
	struct answer a = {.hosts = 1};
	struct err e;
	int code;

	training_options_default(&o);
	if (!command_options(training_datasize_rows, &o,
		    argc, argv, &code))
		return code;
	if (o.help_params)
		return training_help_params(&o);
	if (training_resolve(&o, false, &s, &e) || compute(&o, &s, &a, &e))
		return cli_fail_report(o.json, &e);
	if (s.config.results_dir[0] && write_leaf(&o, &s, &a, &e))
		return cli_fail_report(o.json, &e);
	if (o.json)
		return print_json(&s, &a);
	print_text(&s, &a);
	return 0;
}
