/* Drive profiles: reading, checking and writing them; see drive.h. */
#include "storage/drive.h"

#include "core/config.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key that is a double, where it goes and what it may be. */
struct number {
	const char *key;
	size_t offset;
	double min, max;
	bool needed;
};

#define NUMBER(name, min, max, needed) \
	{#name, offsetof(struct drive_profile, name), min, max, needed}

static const struct number numbers[] = {
	NUMBER(capacity_gb, 0.001, 1e9, true),
	NUMBER(sequential_read_gb_per_s, 1e-4, 1e4, true),
	NUMBER(sequential_write_gb_per_s, 1e-4, 1e4, true),
	NUMBER(random_read_kiops, 1e-3, 1e6, true),
	NUMBER(random_write_kiops, 1e-3, 1e6, true),
	NUMBER(read_latency_us, 0.1, 1e6, true),
	NUMBER(write_latency_us, 0.1, 1e6, true),
	NUMBER(command_read_gb_per_s, 1e-4, 1e4, false),
	NUMBER(command_write_gb_per_s, 1e-4, 1e4, false),
	NUMBER(buffered_read_gb_per_s, 1e-4, 1e4, false),
	NUMBER(write_buffer_mb, 0.001, 1e6, false),
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))
#define WRITE_BUFFER_MB 64

static double *number_at(struct drive_profile *p, const struct number *n)
{
	return (double *)(void *)((char *)p + n->offset);
}

static int parse_point(const struct cJSON *o, const char *file,
	struct drive_point *p, struct err *e)
{
	static const char *const keys[] = {"op", "pattern", "bytes", "depth",
		"jobs", "gb_per_s", "mean_us", "p50_us", "p95_us", "p99_us",
		"ci_percent", NULL};
	char op[16] = "", pattern[16] = "";
	uint64_t bytes = 0, depth = 0, jobs = 1;

	if (json_only_keys(o, file, keys, e) ||
		json_get_string(o, file, "op", op, sizeof(op), e) ||
		json_get_string(
			o, file, "pattern", pattern, sizeof(pattern), e) ||
		json_get_u64(o, file, "bytes", 512, 1U << 30, &bytes, e) ||
		json_get_u64(o, file, "depth", 1, 1U << 20, &depth, e) ||
		json_opt_u64(o, file, "jobs", 1, 1U << 20, &jobs, e) ||
		json_get_double(
			o, file, "gb_per_s", 1e-6, 1e5, &p->gb_per_s, e) ||
		json_opt_double(o, file, "mean_us", 0, 1e9, &p->mean_us, e) ||
		json_opt_double(o, file, "p50_us", 0, 1e9, &p->p50_us, e) ||
		json_opt_double(o, file, "p95_us", 0, 1e9, &p->p95_us, e) ||
		json_opt_double(o, file, "p99_us", 0, 1e9, &p->p99_us, e) ||
		json_opt_double(o, file, "ci_percent", 0, 1e6, &p->ci_pct, e))
		return e->code;
	p->write = !strcmp(op, "write");
	p->random = !strcmp(pattern, "random");
	if ((!p->write && strcmp(op, "read")) ||
		(!p->random && strcmp(pattern, "sequential")))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: measured: op \"%s\", pattern \"%s\": must be read "
			"or write, random or sequential", file, op, pattern);
	p->bytes = (uint32_t)bytes;
	p->depth = (uint32_t)depth;
	p->jobs = (uint32_t)jobs;
	return 0;
}

static int parse_points(const struct cJSON *obj, const char *file,
	struct drive_profile *p, struct err *e)
{
	const struct cJSON *list, *o;
	int r = 0;

	if (!json_has(obj, "measured"))
		return 0;
	if (json_get_array(obj, file, "measured", &list, e))
		return e->code;
	cJSON_ArrayForEach (o, list) {
		if (p->point_count == DRIVE_POINTS_MAX)
			return err_set(e, ERR_USAGE, -ERANGE,
				"%s: measured: more than %d points", file,
				DRIVE_POINTS_MAX);
		r = parse_point(o, file, &p->points[p->point_count++], e);
		if (r)
			return r;
	}
	return 0;
}

int drive_profile_parse(const struct cJSON *obj, const char *file,
	struct drive_profile *p, struct err *e)
{
	static const char *const keys[] = {"name", "model", "media",
		"interface", "capacity_gb", "sequential_read_gb_per_s",
		"sequential_write_gb_per_s", "random_read_kiops",
		"random_write_kiops", "random_write_bytes", "read_latency_us",
		"write_latency_us", "command_read_gb_per_s",
		"command_write_gb_per_s", "buffered_read_gb_per_s",
		"write_buffer_mb", "indirection_bytes", "generic", "note",
		"probed", "sources", "measured", "passport", NULL};
	uint64_t indirection = 4096, random_write = 4096;
	size_t i;
	int r = 0;

	memset(p, 0, sizeof(*p));
	p->count = 1;
	p->write_buffer_mb = WRITE_BUFFER_MB;
	if (json_only_keys(obj, file, keys, e) ||
		json_get_string(
			obj, file, "name", p->name, sizeof(p->name), e) ||
		json_opt_string(
			obj, file, "model", p->model, sizeof(p->model), e) ||
		json_opt_string(
			obj, file, "media", p->media, sizeof(p->media), e) ||
		json_opt_string(obj, file, "interface", p->interface,
			sizeof(p->interface), e) ||
		json_opt_string(
			obj, file, "note", p->note, sizeof(p->note), e) ||
		json_opt_bool(obj, file, "generic", &p->generic, e) ||
		json_opt_bool(obj, file, "probed", &p->measured, e) ||
		json_opt_u64(obj, file, "indirection_bytes", 512, 1U << 26,
			&indirection, e) ||
		json_opt_u64(obj, file, "random_write_bytes", 512, 1U << 26,
			&random_write, e))
		return e->code;
	for (i = 0; !r && i < NUMBERS; i++)
		r = (numbers[i].needed ? json_get_double : json_opt_double)(obj,
			file, numbers[i].key, numbers[i].min, numbers[i].max,
			number_at(p, &numbers[i]), e);
	p->indirection_bytes = (uint32_t)indirection;
	p->random_write_bytes = (uint32_t)random_write;
	return r ? r : parse_points(obj, file, p, e);
}

/* "24x NAME": the count, and text moved to the name; 1 without. */
static int stripe(const char **text, uint32_t *count, struct err *e)
{
	const char *s = *text;
	char *end;
	unsigned long n;

	*count = 1;
	if (!isdigit((unsigned char)*s))
		return 0;
	n = strtoul(s, &end, 10);
	if (*end != 'x' && *end != 'X')
		return 0;
	if (!n || n > DRIVE_COUNT_MAX)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--drive %s: a stripe has 1 to %d drives", s,
			DRIVE_COUNT_MAX);
	*count = (uint32_t)n;
	*text = end + 1 + strspn(end + 1, " ");
	return 0;
}

int drive_profile_load(const char *config_dir, const char *text,
	struct drive_profile *p, struct err *e)
{
	char file[DRIVE_NAME_MAX + 32];
	struct cJSON *obj = NULL;
	size_t n;
	uint32_t count;
	int r = stripe(&text, &count, e);

	if (r)
		return r;
	n = strlen(text);
	if (strchr(text, '/') || (n > 5 && !strcmp(text + n - 5, ".json"))) {
		r = json_read_file(text, &obj, e);
		if (!r)
			r = drive_profile_parse(obj, text, p, e);
	} else if (n >= DRIVE_NAME_MAX) {
		r = err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--drive %s: the name is too long", text);
	} else {
		snprintf(file, sizeof(file), "drives/%s.json", text);
		r = config_load(config_dir, file, &obj, e);
		if (!r)
			r = drive_profile_parse(obj, file, p, e);
	}
	cJSON_Delete(obj);
	p->count = count;
	return r;
}

static bool add_point(struct cJSON *list, const struct drive_point *p)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_string(o, "op", p->write ? "write" : "read") &&
	       json_add_string(
		       o, "pattern", p->random ? "random" : "sequential") &&
	       json_add_u64(o, "bytes", p->bytes) &&
	       json_add_u64(o, "depth", p->depth) &&
	       json_add_u64(o, "jobs", p->jobs) &&
	       json_add_double(o, "gb_per_s", p->gb_per_s) &&
	       json_add_double(o, "mean_us", p->mean_us) &&
	       json_add_double(o, "p50_us", p->p50_us) &&
	       json_add_double(o, "p95_us", p->p95_us) &&
	       json_add_double(o, "p99_us", p->p99_us) &&
	       json_add_double(o, "ci_percent", p->ci_pct);
}

struct cJSON *drive_profile_json(const struct drive_profile *p)
{
	struct cJSON *o = cJSON_CreateObject(), *list;
	struct drive_profile copy = *p;
	bool ok = o && json_add_string(o, "name", p->name) &&
		  json_add_string(o, "model", p->model) &&
		  json_add_string(o, "media", p->media) &&
		  json_add_string(o, "interface", p->interface) &&
		  json_add_u64(
			  o, "indirection_bytes", p->indirection_bytes) &&
		  json_add_u64(
			  o, "random_write_bytes", p->random_write_bytes) &&
		  json_add_bool(o, "generic", p->generic) &&
		  json_add_bool(o, "probed", p->measured) &&
		  json_add_string(o, "note", p->note);
	size_t i;

	for (i = 0; ok && i < NUMBERS; i++)
		if (numbers[i].needed || *number_at(&copy, &numbers[i]) > 0)
			ok = json_add_double(o, numbers[i].key,
				*number_at(&copy, &numbers[i]));
	list = ok ? json_add_array(o, "measured") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < p->point_count; i++)
		ok = add_point(list, &p->points[i]);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}
