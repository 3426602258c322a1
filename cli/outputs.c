/* Result folders of training commands; see outputs.h. */
#include "cli/outputs.h"

#include "cli/cli.h"
#include "cli/launch.h"
#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/text.h"
#include "storage/clock.h"
#include "storage/host.h"

#include <cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STAMP "%Y%m%d_%H%M%S"
/* "/.STAMP.partial/training_STAMP_metadata.json.PID.tmp" and then some */
#define LONGEST_FILE 128
#define ROW_GAP_NS (10 * NS_PER_S)

void outputs_command_line(char *buf, size_t size)
{
	size_t used = 0;
	int i, n;

	buf[0] = '\0';
	for (i = 0; i < launch_argc && used < size; i++) {
		n = snprintf(buf + used, size - used, "%s%s", i ? " " : "",
			i ? launch_argv[i] : "stoker");
		used += n > 0 ? (size_t)n : 0;
	}
}

static bool add_option(
	struct cJSON *o, const struct option_row *row, const char *p)
{
	const char *const *list = (const char *const *)(const void *)p;
	struct cJSON *array;
	char name[64];
	size_t i;

	for (i = 0; row->name[i] && i + 1 < sizeof(name); i++)
		name[i] = row->name[i] == '-' ? '_' : row->name[i];
	name[i] = '\0';
	switch (row->kind) {
	case OPTION_TEXT:
		return *list ? json_add_string(o, name, *list)
			     : json_add(o, name, cJSON_CreateNull());
	case OPTION_COUNT:
		return json_add_u64(
			o, name, *(const uint64_t *)(const void *)p);
	case OPTION_FLAG:
		return json_add_bool(o, name, *(const bool *)p);
	case OPTION_LIST:
		array = json_add_array(o, name);
		for (i = 0; array && list[i]; i++)
			if (!json_add_string(array, NULL, list[i]))
				return false;
		return array != NULL;
	case OPTION_HEADING:
		break;
	}
	return true;
}

static bool seen_before(
	const struct option_row *rows, const struct option_row *row)
{
	for (; rows < row; rows++)
		if (rows->kind == row->kind && rows->kind != OPTION_HEADING &&
			rows->offset == row->offset)
			return true;
	return false;
}

struct cJSON *options_json(const struct option_row *rows, const void *from)
{
	struct cJSON *o = cJSON_CreateObject();
	const struct option_row *row;
	bool ok = o != NULL;

	for (row = rows; ok && row->name; row++)
		if (!seen_before(rows, row))
			ok = add_option(
				o, row, (const char *)from + row->offset);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static bool set(struct cJSON *o, const char *key, struct cJSON *item)
{
	if (!cJSON_GetObjectItemCaseSensitive(o, key))
		return json_add(o, key, item);
	return item && cJSON_ReplaceItemInObjectCaseSensitive(o, key, item);
}

/* "a:2,b" -> ["a", "b"]; this host when nothing was said. */
static struct cJSON *host_list(const char *text)
{
	struct cJSON *list = cJSON_CreateArray();
	char name[256];
	size_t n;

	if (!text) {
		host_name(name, sizeof(name));
		json_add_string(list, NULL, name);
		return list;
	}
	for (; *text; text += *text == ',') {
		n = strcspn(text, ",:");
		snprintf(name, sizeof(name), "%.*s", (int)n, text);
		if (n)
			json_add_string(list, NULL, name);
		text += strcspn(text, ",");
	}
	return list;
}

/* What readers of the benchmark's metadata look for, as it came out. */
static int make_args(
	struct outputs *x, const struct option_row *rows, struct err *e)
{
	const struct train_config *c = &x->s->config;
	double gib = c->host_memory_gib;
	char model[4096];
	bool ok;

	x->args = options_json(rows, x->o);
	ok = x->args && set(x->args, "hosts", host_list(x->o->hosts_list)) &&
	     set(x->args, "num_client_hosts",
		     cJSON_CreateNumber((double)c->hosts));
	if (ok && c->drive[0]) {
		outputs_model_name(c->drive, model);
		ok = set(x->args, "data_dir", cJSON_CreateString(model));
	}
	if (ok && c->accelerators)
		ok = set(x->args, "num_accelerators",
			cJSON_CreateNumber((double)c->accelerators));
	ok = ok && set(x->args, "num_processes",
			   cJSON_CreateNumber(
				   (double)(x->o->processes   ? x->o->processes
					    : c->accelerators ? c->accelerators
							      : 1)));
	ok = ok &&
	     set(x->args, "client_host_memory_in_gb",
		     gib > 0 ? cJSON_CreateNumber(gib) : cJSON_CreateNull());
	return ok ? 0 : err_nomem(e, "the options");
}

/* The same workload with nothing but its name said. */
static int resolve_base(struct outputs *x, struct err *e)
{
	struct training_options plain;
	struct training_setup *s = malloc(sizeof(*s));
	int r;

	if (!s)
		return err_nomem(e, "the profile");
	training_options_default(&plain);
	plain.model = x->o->model;
	plain.accelerator = x->o->accelerator;
	plain.config_dir = x->o->config_dir;
	plain.edition = x->o->edition;
	r = training_resolve(&plain, false, s, e);
	x->base = s->config;
	free(s);
	return r;
}

int outputs_folder(
	const struct train_config *c, const char *command, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s/%s/%s/results/%s/training/%s/%s",
		c->results_dir, rec_division_name(c->division), c->organization,
		c->system_name, c->model, command);

	return n > 0 && (size_t)n < size ? 0 : -ENAMETOOLONG;
}

static int leaf_path(const struct outputs *x, const char *stamp, char buf[4096],
	struct err *e)
{
	const struct train_config *c = &x->s->config;
	size_t n;

	if (!outputs_folder(c, x->command, buf, 4096)) {
		n = strlen(buf);
		if (n + strlen(stamp) + 2 <= 4096) {
			snprintf(buf + n, 4096 - n, "/%s", stamp);
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, -ENAMETOOLONG,
		"--results-dir %s: path too long", c->results_dir);
}

/* Found now, not after hours of running. */
static int check_room(const struct outputs *x, struct err *e)
{
	char leaf[4096];
	int r = leaf_path(x, "YYYYMMDD_hhmmss", leaf, e);

	if (!r && strlen(leaf) + LONGEST_FILE >= PATH_MAX)
		r = err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %.60s...: path too long: %zu bytes to "
			"a run's folder, and %d are needed below it",
			x->s->config.results_dir, strlen(leaf), LONGEST_FILE);
	return r;
}

int outputs_init(struct outputs *x, const char *command,
	const struct option_row *rows, const struct training_options *o,
	const struct training_setup *s, struct err *e)
{
	int r;

	memset(x, 0, sizeof(*x));
	x->command = command;
	x->o = o;
	x->s = s;
	outputs_command_line(x->command_line, sizeof(x->command_line));
	if (!s->config.results_dir[0])
		return 0;
	r = check_room(x, e);
	if (!r)
		r = resolve_base(x, e);
	if (!r)
		r = make_args(x, rows, e);
	outputs_begin(x);
	return r;
}

void outputs_fini(struct outputs *x)
{
	if (x->rows_file)
		fclose(x->rows_file);
	free(x->rows);
	cJSON_Delete(x->args);
	memset(x, 0, sizeof(*x));
}

void outputs_begin(struct outputs *x)
{
	if (!x->args)
		return;
	if (x->rows_file)
		fclose(x->rows_file);
	free(x->rows);
	x->rows = NULL;
	x->row_ns = 0;
	x->rows_file = open_memstream(&x->rows, &x->rows_bytes);
	outputs_row(x, true, "stoker: %s", x->command_line);
}

void outputs_row(struct outputs *x, bool keep, const char *fmt, ...)
{
	int64_t now;
	va_list ap;

	if (!x->rows_file)
		return;
	now = clock_monotonic_ns();
	if (!keep && now - x->row_ns < ROW_GAP_NS)
		return;
	if (!keep)
		x->row_ns = now;
	va_start(ap, fmt);
	vfprintf(x->rows_file, fmt, ap);
	va_end(ap);
	fprintf(x->rows_file, "\n");
}

/*
 * Folders are named by the second in which a run began. Where runs are that
 * short, or another campaign took the name, the next free second is used.
 */
int outputs_free_leaf(
	const char *folder, char stamp[16], char buf[4096], struct err *e)
{
	struct tm tm = {.tm_isdst = -1};
	time_t s;
	int n;

	for (;;) {
		n = snprintf(buf, 4096, "%s/%s", folder, stamp);
		if (n < 0 || n >= 4096)
			return err_set(e, ERR_USAGE, -ENAMETOOLONG,
				"--results-dir %.100s...: path too long",
				folder);
		if (access(buf, F_OK) || !strptime(stamp, STAMP, &tm))
			return 0;
		s = mktime(&tm) + 1;
		localtime_r(&s, &tm);
		strftime(stamp, 16, STAMP, &tm);
	}
}

static int free_leaf(
	const struct outputs *x, char stamp[16], char buf[4096], struct err *e)
{
	const struct train_config *c = &x->s->config;
	char folder[4096];

	if (outputs_folder(c, x->command, folder, sizeof(folder)))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %s: path too long", c->results_dir);
	return outputs_free_leaf(folder, stamp, buf, e);
}

static void real_path(const char *path, char out[4096])
{
	char *p = realpath(path, NULL);

	snprintf(out, 4096, "%s", p ? p : path);
	free(p);
}

static void stamp_probe(
	const char *method, const char *results, struct fs_separation *out)
{
	struct timespec now;

	out->known = true;
	out->method = method;
	snprintf(out->results, sizeof(out->results), "%s", results);
	real_path(results, out->results_real);
	clock_gettime(CLOCK_REALTIME, &now);
	out->wall_ns = (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
	host_name(out->host, sizeof(out->host));
}

/* Can a file of the data folder be linked into where the results go? */
int outputs_probe(const char *data, const char *results, const char *leaf,
	struct fs_separation *out, struct err *e)
{
	char parent[4096];
	bool by_link;
	int r;

	memset(out, 0, sizeof(*out));
	if (!data[0])
		return 0;
	snprintf(parent, sizeof(parent), "%.*s",
		(int)(strrchr(leaf, '/') - leaf), leaf);
	r = file_mkdirs(parent, e);
	if (r)
		return r;
	r = host_link_crosses(data, parent, &out->same, &by_link);
	if (r)
		return err_set(e, ERR_IO, r,
			"cannot tell whether %s and %s are on one file "
			"system: %s",
			data, parent, strerror(-r));
	snprintf(out->data, sizeof(out->data), "%s", data);
	real_path(data, out->data_real);
	stamp_probe(by_link ? "link_exdev" : "st_dev", results, out);
	return 0;
}

void outputs_model_name(const char *drive, char buf[4096])
{
	snprintf(buf, 4096, "model:%.4000s", drive);
}

void outputs_model_probe(const char *drive, const char *results,
	struct fs_separation *out)
{
	memset(out, 0, sizeof(*out));
	outputs_model_name(drive, out->data);
	stamp_probe("modelled", results, out);
	snprintf(out->data_real, sizeof(out->data_real), "%s", out->data);
}

/* The data of this invocation and its results. */
static int probe(
	const struct outputs *x, struct invocation *v, struct err *e)
{
	const struct train_config *c = &x->s->config;

	if (!c->drive[0])
		return outputs_probe(c->data_folder, c->results_dir, v->leaf,
			&v->separation, e);
	outputs_model_probe(c->drive, c->results_dir, &v->separation);
	return 0;
}

/* What a rule refuses is no valid result, whatever division was asked for. */
static const char *verification(const struct outputs *x)
{
	const struct training_setup *s = x->s;

	if (!strcmp(x->command, "datagen"))
		return NULL;
	if (s->config.division == DIV_OPEN)
		return "OPEN";
	if (s->config.division == DIV_CLOSED && !s->not_closed.count)
		return "CLOSED";
	return "INVALID";
}

static void fill(const struct outputs *x, struct invocation *v)
{
	const struct train_config *c = &x->s->config;

	v->command = x->command;
	v->tool_version = STOKER_VERSION;
	v->command_line = x->command_line;
	v->verification = verification(x);
	v->config_dir = x->o->config_dir;
	v->config = c;
	v->base = &x->base;
	v->params = x->o->params;
	v->args = x->args;
	v->processes = x->o->processes ? x->o->processes : c->accelerators;
	if (!strcmp(x->command, "run"))
		v->processes = c->accelerators;
	if (!v->processes)
		v->processes = 1;
}

/* The report of one run alone, which the caller frees. */
static char *run_text(
	const struct outputs *x, const struct record *rec, struct rec_run *run)
{
	struct record one = *rec;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	one.runs = run;
	one.run_count = 1;
	results_print_text(f, &one, x->s->steady_verdict);
	fclose(f);
	return text;
}

static int end_rows(struct outputs *x, const struct record *rec, struct err *e)
{
	uint32_t i;

	for (i = 0; rec && i < rec->note_count; i++)
		outputs_row(x, true, "note: %s", rec->notes[i].text);
	if (!x->rows_file || fflush(x->rows_file))
		return err_nomem(e, "the log");
	return 0;
}

int outputs_write_run(struct outputs *x, const struct record *rec,
	struct rec_run *run, struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	char *text = NULL;
	int r = v ? 0 : err_nomem(e, "the result files");

	if (!r)
		r = free_leaf(x, run->stamp, v->leaf, e);
	if (!r)
		r = end_rows(x, rec, e);
	if (!r)
		r = probe(x, v, e);
	if (!r) {
		fill(x, v);
		v->config = &rec->config; /* knows which engine it was */
		snprintf(v->stamp, sizeof(v->stamp), "%s", run->stamp);
		v->time = rec->time;
		v->start_ns = run->start_ns;
		v->end_ns = run->end_ns;
		v->hosts = rec->hosts;
		v->host_count = rec->host_count;
		text = run_text(x, rec, run);
		v->out_text = text ? text : "";
		v->err_text = x->rows;
		r = results_write_run_leaf(v, rec, run, e);
	}
	free(text);
	free(v);
	return r;
}

int outputs_write_plain(struct outputs *x, struct invocation *v,
	const char *text, struct err *e)
{
	time_t s = (time_t)((v->time.wall_anchor_ns + v->start_ns) / NS_PER_S);
	struct tm tm;
	int r;

	localtime_r(&s, &tm);
	strftime(v->stamp, sizeof(v->stamp), STAMP, &tm);
	r = free_leaf(x, v->stamp, v->leaf, e);
	if (!r && !v->size)
		r = probe(x, v, e);
	if (!r)
		r = end_rows(x, NULL, e);
	if (r)
		return r;
	fill(x, v);
	v->out_text = text;
	v->err_text = text ? x->rows : NULL;
	return results_write_plain_leaf(v, e);
}
