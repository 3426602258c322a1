/* Reading record.json back; see record_read.h. */
#include "results/record_read.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/drive.h"
#include "results/record_fields.h"
#include "results/record_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORD_BYTES_MAX (512UL << 20)
#define SUMMARY_BYTES_MAX (16UL << 20)
#define NOTES_MAX 256
#define EPOCHS_MAX 100000

/* Which of names[] (NULL-ended) is the text `key` of o? -1: none. */
static int get_choice(
	const struct cJSON *o, const char *key, const char *const *names)
{
	const struct cJSON *c = cJSON_GetObjectItemCaseSensitive(o, key);
	int i;

	for (i = 0; cJSON_IsString(c) && names[i]; i++)
		if (!strcmp(c->valuestring, names[i]))
			return i;
	return -1;
}

/* Two runs are compared by all of their configuration, not by a part of it. */
static int check_known(const struct cJSON *config, const char *name,
	struct err *e)
{
	const struct cJSON *c;
	size_t i;

	cJSON_ArrayForEach(c, config)
	{
		for (i = 0; i < record_config.n; i++)
			if (!strcmp(c->string, record_config.f[i].key))
				break;
		if (i == record_config.n && strcmp(c->string, "division") &&
			strcmp(c->string, "scale"))
			return err_set(e, ERR_IO, -EBADMSG,
				"%s: this stoker does not know \"%.60s\" of a "
				"run's configuration; use the stoker that made "
				"the record",
				name, c->string);
	}
	return 0;
}

static int get_config(const struct cJSON *root, uint32_t version,
	struct train_config *c, const char *name, struct err *e)
{
	static const char *const divisions[] = {
		"whatif", "closed", "open", NULL};
	static const struct field scale[] = {
		FIELD(struct rec_scale, num, K_U32),
		FIELD(struct rec_scale, den, K_U32),
	};
	static const struct fields scales = {scale, 2};
	const struct cJSON *o;
	int r, d;

	r = record_get_object(root, "config", version, &record_config, c, name, e);
	if (r)
		return r;
	o = cJSON_GetObjectItemCaseSensitive(root, "config");
	r = check_known(o, name, e);
	if (!r)
		r = record_get_object(o, "scale", version, &scales, &c->scale, name, e);
	d = get_choice(o, "division", divisions);
	if (r)
		return r;
	if (d < 0)
		return record_bad(e, name, "division");
	if (!c->scale.den || !c->au_floor_ppm)
		return record_bad(e, name, c->scale.den ? "au_floor_ppm" : "scale");
	c->division = (enum rec_division)d;
	return 0;
}

int record_get_notes(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e)
{
	const struct cJSON *list, *n, *id, *text;

	list = cJSON_GetObjectItemCaseSensitive(root, "notes");
	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > NOTES_MAX)
		return record_bad(e, name, "notes");
	cJSON_ArrayForEach(n, list)
	{
		id = cJSON_GetObjectItemCaseSensitive(n, "id");
		text = cJSON_GetObjectItemCaseSensitive(n, "text");
		if (!cJSON_IsString(id) || !cJSON_IsString(text))
			return record_bad(e, name, "notes");
		if (record_note(rec, id->valuestring, "%s", text->valuestring))
			return err_nomem(e, name);
	}
	return 0;
}

static int get_doubles(const struct cJSON *o, const char *key, uint32_t n,
	double **out, const char *name, struct err *e)
{
	const struct cJSON *list, *c;
	uint32_t i = 0;

	list = cJSON_GetObjectItemCaseSensitive(o, key);
	if (!cJSON_IsArray(list) || n > EPOCHS_MAX ||
		cJSON_GetArraySize(list) != (int)n)
		return record_bad(e, name, key);
	*out = calloc(n ? n : 1, sizeof(**out));
	if (!*out)
		return err_nomem(e, name);
	cJSON_ArrayForEach(c, list)
	{
		if (!cJSON_IsNumber(c))
			return record_bad(e, name, key);
		(*out)[i++] = c->valuedouble;
	}
	return 0;
}

static int get_metrics(const struct cJSON *run, uint32_t version,
	struct rec_metrics *m, const char *name, struct err *e)
{
	static const struct field steady[] = {
		FIELD(struct rec_metrics, steady_au_pct, K_DOUBLE),
		FIELD(struct rec_metrics, steady_meets, K_BOOL),
	};
	const struct cJSON *o;
	int r;

	r = record_get_object(run, "metrics", version, &record_metrics, m, name, e);
	if (r)
		return r;
	o = cJSON_GetObjectItemCaseSensitive(run, "metrics");
	r = get_doubles(o, "au_pct", m->epochs, &m->au_pct, name, e);
	if (!r)
		r = get_doubles(o, "throughput_per_s", m->epochs,
			&m->throughput_per_s, name, e);
	if (!r && m->steady_evaluated &&
		(!cJSON_IsNumber(
			 cJSON_GetObjectItemCaseSensitive(o, steady[0].key)) ||
			!record_get_field(o, &steady[0], m) ||
			!record_get_field(o, &steady[1], m)))
		r = record_bad(e, name, "steady_au_pct");
	return r;
}

static bool is_stamp(const char *s)
{
	size_t i;

	for (i = 0; s[i]; i++)
		if (i == 8 ? s[i] != '_' : s[i] < '0' || s[i] > '9')
			return false;
	return i == 15;
}

static int get_run(const struct cJSON *root, uint32_t version,
	struct record *rec, const char *name, struct err *e)
{
	static const char *const statuses[] = {
		"running", "finished", "failed", "interrupted", NULL};
#define R(member, kind) FIELD(struct rec_run, member, kind)
	static const struct field fields[] = {R(index, K_U32),
		R(warmup, K_BOOL), R(stamp, K_TEXT), R(start_ns, K_I64),
		R(end_ns, K_I64)};
#undef R
	const struct cJSON *runs, *o;
	struct rec_run *run;
	int status;
	size_t i;

	runs = cJSON_GetObjectItemCaseSensitive(root, "runs");
	if (!cJSON_IsArray(runs) || cJSON_GetArraySize(runs) != 1)
		return record_bad(e, name, "runs");
	o = cJSON_GetArrayItem(runs, 0);
	run = record_add_run(rec);
	if (!run)
		return err_nomem(e, name);
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!record_get_field(o, &fields[i], run))
			return record_bad(e, name, fields[i].key);
	status = get_choice(o, "status", statuses);
	if (status < 0)
		return record_bad(e, name, "status");
	run->status = (enum rec_status)status;
	if (!is_stamp(run->stamp))
		return record_bad(e, name, "stamp");
	if (run->start_ns < 0 || run->end_ns < run->start_ns)
		return record_bad(e, name, "end_ns");
	return get_metrics(o, version, &run->metrics, name, e);
}

/* What a newer stoker meant by its record is not for us to guess. */
static int get_version(const struct cJSON *root, uint32_t *version,
	const char *name, struct err *e)
{
	static const struct field f = {
		.key = "schema_version", .kind = K_U32, .bytes = 4};
	const struct cJSON *tool;

	if (!record_get_field(root, &f, version) || !*version)
		return record_bad(e, name, f.key);
	if (*version <= RECORD_SCHEMA_VERSION)
		return 0;
	tool = cJSON_GetObjectItemCaseSensitive(root, "tool_version");
	return err_set(e, ERR_IO, -EBADMSG,
		"%s: a record of version %" PRIu32 ", made by stoker %.32s; "
		"this stoker reads records up to version %d: use that one",
		name, *version, cJSON_IsString(tool) ? tool->valuestring : "?",
		RECORD_SCHEMA_VERSION);
}

static int get_record(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e)
{
	static const struct field fields[] = {
		FIELD(struct record, tool_version, K_TEXT),
		FIELD(struct record, command_line, K_TEXT)};
	static const struct field times[] = {
		FIELD(struct rec_time, wall_anchor_ns, K_I64),
		FIELD_AS(struct rec_time, "virtual_time", is_virtual, K_BOOL),
	};
	static const char *const schema[] = {RECORD_SCHEMA, NULL};
	uint32_t version;
	int64_t anchor;
	int r;

	if (get_choice(root, "schema", schema) != 0)
		return err_set(e, ERR_IO, -EBADMSG,
			"%s: not a record of stoker (schema)", name);
	r = get_version(root, &version, name, e);
	if (r)
		return r;
	if (!record_get_field(root, &fields[0], rec) || !rec->tool_version[0])
		return record_bad(e, name, "tool_version");
	if (!record_get_field(root, &fields[1], rec))
		return record_bad(e, name, "command_line");
	anchor = record_get_field(root, &times[0], &rec->time)
			 ? rec->time.wall_anchor_ns
			 : -1;
	if (anchor < 0 || !record_get_field(root, &times[1], &rec->time))
		return record_bad(e, name, "wall_anchor_ns");
	r = get_config(root, version, &rec->config, name, e);
	if (!r)
		r = record_get_notes(root, rec, name, e);
	if (!r)
		r = record_get_object(root, "campaign", version, &record_campaign,
			&rec->campaign, name, e);
	if (!r)
		r = results_drive_read(
			root, "drive", version, &rec->drive, name, e);
	if (!r)
		r = get_run(root, version, rec, name, e);
	if (!r && rec->runs[0].end_ns > INT64_MAX - anchor)
		r = record_bad(e, name, "end_ns");
	return r;
}

static int parse_record(const char *text, size_t len, const char *name,
	bool steps, struct record *rec, struct err *e)
{
	struct cJSON *root;
	int r;

	record_init(rec);
	r = json_parse(text, len, name, &root, e);
	if (r)
		return err_set(e, ERR_IO, -EBADMSG, "%s: not JSON", name);
	r = get_record(root, rec, name, e);
	if (!r && steps)
		r = record_get_ranks(root, rec, name, e);
	cJSON_Delete(root);
	if (r)
		record_fini(rec);
	return r;
}

int results_record_parse(const char *text, size_t len, const char *name,
	struct record *rec, struct err *e)
{
	return parse_record(text, len, name, false, rec, e);
}

/* "2026-07-20T10:00:03.114201", local time, to CLOCK_REALTIME; -1: bad. */
static int64_t parse_time(const struct cJSON *c)
{
	struct tm tm = {.tm_isdst = -1};
	const char *rest;
	double fraction = 0;
	time_t s;

	if (!cJSON_IsString(c))
		return -1;
	rest = strptime(c->valuestring, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return -1;
	if (*rest == '.')
		fraction = strtod(rest, NULL);
	s = mktime(&tm);
	if (s < 0 || s > INT64_MAX / NS_PER_S / 2 || !(fraction >= 0) ||
		fraction >= 1)
		return -1;
	return (int64_t)s * NS_PER_S + (int64_t)(fraction * 1e9);
}

/* The n-th component of path from its end, 0 = the last. */
static void component(const char *path, int n, char *buf, size_t size)
{
	const char *end = path + strlen(path), *begin = end;

	for (;; n--) {
		while (end > path && end[-1] == '/')
			end--;
		for (begin = end; begin > path && begin[-1] != '/';)
			begin--;
		if (!n || begin == path)
			break;
		end = begin;
	}
	snprintf(buf, size, "%.*s", n ? 0 : (int)(end - begin), begin);
}

/* .../DIVISION/ORG/results/SYSTEM/training/MODEL/run/STAMP */
static void from_path(const char *leaf, struct record *rec)
{
	struct train_config *c = &rec->config;
	char part[REC_NAME_MAX];

	component(leaf, 0, part, sizeof(part));
	if (is_stamp(part))
		snprintf(rec->runs[0].stamp, sizeof(rec->runs[0].stamp),
			"%.15s", part);
	component(leaf, 3, part, sizeof(part));
	if (strcmp(part, "training"))
		return;
	component(leaf, 2, c->model, sizeof(c->model));
	component(leaf, 4, c->system_name, sizeof(c->system_name));
	component(leaf, 6, c->organization, sizeof(c->organization));
	component(leaf, 7, part, sizeof(part));
	if (!strcmp(part, "closed"))
		c->division = DIV_CLOSED;
	else if (!strcmp(part, "open"))
		c->division = DIV_OPEN;
}

static int get_summary(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e)
{
	static const struct field numbers[] = {
		FIELD_AS(struct train_config, "num_accelerators", accelerators,
			K_U64),
		FIELD_AS(struct train_config, "num_files_train", files, K_U64),
		FIELD(struct train_config, epochs, K_U64),
	};
	static const char *const said[] = {"fail", "success", NULL};
	const struct cJSON *metric, *au, *start, *end;
	struct rec_run *run = record_add_run(rec);
	int meets;
	size_t i;

	if (!run)
		return err_nomem(e, name);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!record_get_field(root, &numbers[i], &rec->config))
			return record_bad(e, name, numbers[i].key);
	metric = cJSON_GetObjectItemCaseSensitive(root, "metric");
	au = cJSON_GetObjectItemCaseSensitive(
		metric, "train_au_mean_percentage");
	meets = get_choice(metric, "train_au_meet_expectation", said);
	if (!cJSON_IsNumber(au) || !isfinite(au->valuedouble) || meets < 0)
		return record_bad(e, name, "train_au_mean_percentage");
	start = cJSON_GetObjectItemCaseSensitive(root, "start");
	end = cJSON_GetObjectItemCaseSensitive(root, "end");
	run->start_ns = parse_time(start);
	run->end_ns = parse_time(end);
	if (run->start_ns < 0 || run->end_ns < run->start_ns)
		return record_bad(e, name, "start");
	run->status = REC_FINISHED;
	run->metrics.epochs = 1; /* known: a mean over all of them */
	run->metrics.au_mean_pct = au->valuedouble;
	run->metrics.meets_double = run->metrics.meets_exact = meets;
	rec->config.au_floor_ppm = 900000;
	rec->config.scale = (struct rec_scale){1, 1};
	return 0;
}

static int read_summary(
	const char *leaf, const char *path, struct record *rec, struct err *e)
{
	struct cJSON *root;
	size_t len;
	char *text;
	int r;

	r = file_read_all(path, SUMMARY_BYTES_MAX, &text, &len, e);
	if (r)
		return r;
	r = json_parse(text, len, path, &root, e);
	free(text);
	if (r)
		return err_set(e, ERR_IO, -EBADMSG, "%s: not JSON", path);
	r = get_summary(root, rec, path, e);
	cJSON_Delete(root);
	if (!r)
		from_path(leaf, rec);
	return r;
}

static bool join(char buf[PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(buf, PATH_MAX, "%s/%s", dir, name);

	return n > 0 && n < PATH_MAX;
}

static int read_record(
	const char *path, bool steps, struct record *rec, struct err *e)
{
	size_t len;
	char *text;
	int r;

	r = file_read_all(path, RECORD_BYTES_MAX, &text, &len, e);
	if (r)
		return r;
	r = parse_record(text, len, path, steps, rec, e);
	free(text);
	return r;
}

static int read_leaf(
	const char *leaf, bool steps, struct record *rec, struct err *e)
{
	char path[PATH_MAX];
	int r;

	record_init(rec);
	if (strlen(leaf) >= sizeof(rec->runs[0].leaf) ||
		!join(path, leaf, "summary.json") ||
		!join(path, leaf, "record.json"))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"path is too long: %.100s...", leaf);
	if (steps || !access(path, F_OK)) {
		r = read_record(path, steps, rec, e);
	} else {
		join(path, leaf, "summary.json");
		r = read_summary(leaf, path, rec, e);
	}
	if (r) {
		record_fini(rec);
		return r;
	}
	snprintf(rec->runs[0].leaf, sizeof(rec->runs[0].leaf), "%s", leaf);
	return 0;
}

int results_record_read(const char *leaf, struct record *rec, struct err *e)
{
	return read_leaf(leaf, false, rec, e);
}

int results_record_read_steps(
	const char *leaf, struct record *rec, struct err *e)
{
	return read_leaf(leaf, true, rec, e);
}

bool results_is_foreign(const struct record *rec)
{
	return !rec->tool_version[0];
}

/* As the file would hold it: numbers are doubles there. */
static void value_text(
	const struct field *f, const void *base, char *buf, size_t size)
{
	const char *p = (const char *)base + f->offset;
	char repr[JSON_REPR_MAX];

	switch (f->kind) {
	case K_U64:
		snprintf(buf, size, "%.0f", (double)*(const uint64_t *)p);
		break;
	case K_I64:
		snprintf(buf, size, "%.0f", (double)*(const int64_t *)p);
		break;
	case K_U32:
		snprintf(buf, size, "%" PRIu32, *(const uint32_t *)p);
		break;
	case K_DOUBLE:
		snprintf(buf, size, "%s", json_repr(repr, *(const double *)p));
		break;
	case K_BOOL:
		snprintf(buf, size, *(const bool *)p ? "true" : "false");
		break;
	case K_TEXT:
		snprintf(buf, size, "%s", *p ? p : "(none)");
		break;
	}
}

bool results_same_config(const struct train_config *a,
	const struct train_config *b, char *what, size_t size)
{
	static const char *const skipped[] = {
		"results_dir", "engine", "group", "clock"};
	char va[4200], vb[4200];
	const struct field *f;
	size_t i, k;

	what[0] = '\0';
	for (i = 0; i < record_config.n; i++) {
		f = &record_config.f[i];
		for (k = 0; k < 4 && strcmp(f->key, skipped[k]);)
			k++;
		if (k < 4)
			continue;
		value_text(f, a, va, sizeof(va));
		value_text(f, b, vb, sizeof(vb));
		if (!strcmp(va, vb))
			continue;
		snprintf(what, size, "%s: %.200s, not %.200s", f->key, va, vb);
		return false;
	}
	if (a->division == b->division && a->scale.num == b->scale.num &&
		a->scale.den == b->scale.den)
		return true;
	snprintf(what, size, "division and scale: %s %u/%u, not %s %u/%u",
		rec_division_name(a->division), a->scale.num, a->scale.den,
		rec_division_name(b->division), b->scale.num, b->scale.den);
	return false;
}
