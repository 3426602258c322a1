/*
 * Folders of checkpointing, vector-database and KV cache runs: which is which,
 * what they have in common, and where they lie. See report.h.
 */
#include "results/report.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/drive.h"
#include "results/run_json.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define JSON_BYTES_MAX (64UL << 20)
#define SAID_BYTES_MAX (256UL << 10)
#define DEPTH_MAX 12
#define COMMAND_BYTES_MAX 4000

const struct cJSON *report_member(const struct cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

struct cJSON *report_load(const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX], *text;
	struct cJSON *o = NULL;
	size_t len;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		err_set(e, ERR_USAGE, -ENAMETOOLONG, "path is too long");
		return NULL;
	}
	if (file_read_all(path, JSON_BYTES_MAX, &text, &len, e))
		return NULL;
	if (json_parse(text, len, path, &o, e))
		o = NULL;
	free(text);
	return o;
}

double report_number(const struct cJSON *o, const char *key)
{
	const struct cJSON *c = report_member(o, key);

	return cJSON_IsNumber(c) && fabs(c->valuedouble) < 1e18 ? c->valuedouble
								: NAN;
}

double report_positive(const struct cJSON *o, const char *key)
{
	double v = report_number(o, key);

	return v > 0 ? v : 0;
}

void report_text(const struct cJSON *o, const char *key, char *to, size_t size)
{
	const struct cJSON *c = report_member(o, key);

	if (cJSON_IsString(c))
		snprintf(to, size, "%s", c->valuestring);
}

/* The metadata's name holds the time of the run. */
static struct cJSON *load_metadata(const char *leaf)
{
	DIR *dir = opendir(leaf);
	struct dirent *d;
	struct cJSON *o = NULL;
	struct err e;
	size_t n;

	while (dir && !o && (d = readdir(dir))) {
		n = strlen(d->d_name);
		if (n > 14 && !strcmp(d->d_name + n - 14, "_metadata.json"))
			o = report_load(leaf, d->d_name, &e);
	}
	if (dir)
		closedir(dir);
	return o;
}

static char *read_text(const char *leaf, const char *name)
{
	char path[PATH_MAX], *text;
	struct err e;
	int n = snprintf(path, sizeof(path), "%s/%s", leaf, name);

	if (n < 0 || (size_t)n >= sizeof(path) ||
		file_read_all(path, SAID_BYTES_MAX, &text, NULL, &e))
		return NULL;
	return text;
}

void report_leaf_read(struct report_leaf *l, const char *path, const char *log)
{
	struct cJSON *o = load_metadata(path);
	const char *slash = strrchr(path, '/');
	const struct cJSON *c;
	struct err e;

	snprintf(l->path, sizeof(l->path), "%s", path);
	snprintf(l->stamp, sizeof(l->stamp), "%.15s", slash ? slash + 1 : path);
	report_text(o, "model", l->model, sizeof(l->model));
	report_text(o, "run_datetime", l->stamp, sizeof(l->stamp));
	report_text(
		o, "verification", l->verification, sizeof(l->verification));
	report_text(o, "drive", l->drive, sizeof(l->drive));
	c = report_member(o, "executed_command");
	if (cJSON_IsString(c))
		l->command = strndup(c->valuestring, COMMAND_BYTES_MAX);
	l->is_virtual = cJSON_IsTrue(report_member(o, "virtual_time"));
	cJSON_Delete(o);
	l->has_own = !results_read_run_json(path, &l->own, &l->run, &e);
	if (!l->has_own)
		snprintf(l->no_own, sizeof(l->no_own), "%.500s", e.text);
	else if (!l->drive[0])
		snprintf(l->drive, sizeof(l->drive), "%.127s",
			l->own.config.drive);
	l->said = read_text(path, log);
}

void report_leaf_fini(struct report_leaf *l)
{
	record_fini(&l->own);
	cJSON_Delete(l->run);
	free(l->command);
	free(l->said);
}

int report_add_leaf(
	struct report_input *in, const char *leaf, bool *taken, struct err *e)
{
	struct cJSON *s = report_load(leaf, "summary.json", NULL), *st = NULL;
	int r = 0;

	*taken = true;
	if (report_positive(report_member(s, "metric"), "checkpoint_size_GB") >
		0) {
		if (in->ckpt_count < REPORT_RUNS_MAX)
			r = report_add_ckpt(in, leaf, s, e);
		else
			in->left_out++;
	} else if (cJSON_IsObject(report_member(s, "options")) &&
		   report_member(s, "trials_per_option")) {
		if (in->kv_count < REPORT_RUNS_MAX)
			r = report_add_kv(in, leaf, s, e);
		else
			in->left_out++;
	} else {
		st = report_load(leaf, "statistics.json", NULL);
		*taken = report_member(st, "throughput_qps") != NULL;
		if (*taken && in->vdb_count < REPORT_RUNS_MAX)
			r = report_add_vdb(in, leaf, e);
		else
			in->left_out += *taken;
	}
	cJSON_Delete(st);
	cJSON_Delete(s);
	return r;
}

static bool is_family(const char *name)
{
	return !strcmp(name, "checkpointing") ||
	       !strcmp(name, "vector_database") || !strcmp(name, "kv_cache");
}

/* Below a folder of a family, every folder of a run. */
static int walk(struct report_input *in, const char *dir, bool inside,
	int depth, struct err *e)
{
	struct dirent **list;
	char path[PATH_MAX];
	struct stat st;
	bool taken;
	int i, k, r = 0, n = scandir(dir, &list, NULL, alphasort);

	/* the newest first, as names are times */
	for (i = n - 1; i >= 0; i--) {
		const char *name = list[i]->d_name;

		k = snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (r || name[0] == '.' || k < 0 || k >= PATH_MAX ||
			lstat(path, &st) || !S_ISDIR(st.st_mode)) {
			free(list[i]);
			continue;
		}
		taken = false;
		if (inside || is_family(name))
			r = report_add_leaf(in, path, &taken, e);
		if (!r && !taken && depth < DEPTH_MAX &&
			!history_is_bundle(path))
			r = walk(in, path, inside || is_family(name), depth + 1,
				e);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return r;
}

/* dir itself may lie below a folder of a family. */
static bool lies_inside(const char *dir)
{
	char real[PATH_MAX], *p, *name;

	if (!realpath(dir, real))
		return false;
	for (p = real; (name = strsep(&p, "/"));)
		if (is_family(name))
			return true;
	return false;
}

int report_add_leaves_below(
	struct report_input *in, const char *dir, struct err *e)
{
	return walk(in, dir, lies_inside(dir), 0, e);
}

void report_fact(struct doc *d, const char *name, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	doc_cell(d, TONE_PLAIN, "%s", name);
	doc_cell(d, TONE_PLAIN, "%s", text ? text : "");
	free(text);
}

void report_passport(struct doc *d, const struct record *rec)
{
	char *text = NULL, *p, *line;
	size_t size;
	FILE *f;

	doc_section(d, 3, "Drive passport");
	if (rec->config.drive[0]) {
		doc_text(d, TONE_NOTE,
			"Modelled, not a drive that was "
			"measured here: %s",
			rec->config.drive);
		return;
	}
	if (!rec->drive.known) {
		doc_text(d, TONE_MISSING, "no drive passport in this record");
		return;
	}
	f = open_memstream(&text, &size);
	if (!f)
		return;
	results_drive_print(f, &rec->drive);
	fclose(f);
	for (p = text; (line = strsep(&p, "\n"));)
		if (*line)
			doc_text(d, TONE_PLAIN, "%s", line);
	free(text);
}

const char *report_drive(
	const struct report_leaf *l, char buf[REPORT_DRIVE_MAX])
{
	if (l->drive[0])
		snprintf(buf, REPORT_DRIVE_MAX, "%s", l->drive);
	else if (l->has_own && l->own.drive.known)
		results_drive_line(buf, REPORT_DRIVE_MAX, &l->own.drive);
	else
		snprintf(buf, REPORT_DRIVE_MAX, "?");
	return buf;
}

/* Lines of what the run printed that begin with "note:". */
static size_t said_notes(struct doc *d, const char *said)
{
	const char *p = said, *end;
	size_t n = 0;

	for (; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (strncmp(p, "note: ", 6))
			continue;
		doc_text(d, TONE_NOTE, "%.*s", (int)(end - p - 6), p + 6);
		n++;
	}
	return n;
}

/* Said once, however many runs say it. */
void report_leaf_notes(
	struct doc *d, const struct report_leaf *const *l, size_t count)
{
	const struct rec_note *n;
	uint32_t k, before;
	struct record seen;
	size_t i, said = 0;

	record_init(&seen);
	doc_section(d, 3,
		"Notes: what was asked for and not delivered, and "
		"what bends the result");
	for (i = 0; i < count; i++) {
		for (k = 0; k < l[i]->own.note_count; k++) {
			n = &l[i]->own.notes[k];
			before = seen.note_count;
			if (record_note(&seen, n->id, "%s", n->text) ||
				seen.note_count == before)
				continue;
			doc_text(d, TONE_NOTE, "%s", n->text);
			said++;
		}
		if (l[i]->has_own)
			continue;
		if (l[i]->said)
			said += said_notes(d, l[i]->said);
		else
			doc_text(d, TONE_MISSING,
				"no notes: %s does not keep "
				"what the run said",
				l[i]->path);
	}
	if (!said)
		doc_text(d, TONE_PLAIN, "None.");
	record_fini(&seen);
}

void report_leaf_facts(struct doc *d, const struct report_leaf *l)
{
	static const char *const columns[] = {"what", "value", NULL};
	char bytes[UNITS_TEXT_MAX];
	uint32_t i;

	if (l->has_own)
		report_passport(d, &l->own);
	else {
		doc_section(d, 3, "Drive passport");
		doc_text(d, TONE_MISSING, "no drive passport: %s", l->no_own);
	}
	doc_section(d, 3, "Configuration");
	doc_table(d, "As resolved", columns);
	report_fact(d, "folder", "%s", l->path);
	report_fact(d, "verification", "%s", report_known(l->verification));
	report_fact(d, "clock", "%s", l->is_virtual ? "virtual" : "real");
	if (l->has_own) {
		report_fact(
			d, "engine", "%s", report_known(l->own.config.engine));
		report_fact(d, "stoker", "%s", l->own.tool_version);
	}
	for (i = 0; l->has_own && i < l->own.host_count && i < 16; i++)
		report_fact(d, "host", "%s: %u CPUs, %s", l->own.hosts[i].name,
			l->own.hosts[i].cpu_count,
			units_format_bytes(
				bytes, l->own.hosts[i].memory_bytes));
	report_fact(d, "command", "%s", l->command ? l->command : "?");
}
