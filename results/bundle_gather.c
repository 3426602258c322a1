/*
 * Which result folders make a bundle: of each phase the newest, of training
 * the six newest runs, if they are runs of one configuration. See
 * bundle_create.h.
 */
#include "results/bundle_create.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RUNS 6 /* Rules 2.1.17: a warm-up and five */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Folders in path by name; stamps: only those that are named by a time. */
static void folders(const char *path, bool stamps, struct names *out)
{
	char below[PATH_MAX];
	DIR *d = opendir(path);
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (de->d_name[0] != '.' &&
			is_dir(bundle_join(below, path, de->d_name)) &&
			(!stamps || bundle_stamp_s(de->d_name) != INT64_MIN))
			names_add(out, de->d_name);
	if (d)
		closedir(d);
	names_sort(out);
}

static void miss(struct names *missing, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void miss(struct names *missing, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	names_add(missing, text);
}

static int add(struct bundle_sources *s, const char *place, const char *stamp,
	const char *family, const char *model, const char *command,
	struct err *e)
{
	struct bundle_source *v = realloc(s->v, (s->n + 1) * sizeof(*s->v)), *n;

	if (!v)
		return err_nomem(e, "the list of result folders");
	s->v = v;
	n = &v[s->n++];
	memset(n, 0, sizeof(*n));
	bundle_join(n->place, place, stamp);
	bundle_join(n->path, s->root, n->place);
	n->family = family;
	snprintf(n->model, sizeof(n->model), "%s", model);
	n->command = command;
	return 0;
}

/* The newest `most` leaves of a phase; returns how many there were. */
static int newest(struct bundle_sources *s, const char *place, size_t most,
	const char *family, const char *model, const char *command, size_t *n,
	struct err *e)
{
	struct names stamps = {0};
	char path[PATH_MAX];
	size_t i;
	int r = 0;

	folders(bundle_join(path, s->root, place), true, &stamps);
	*n = stamps.n;
	for (i = stamps.n > most ? stamps.n - most : 0; !r && i < stamps.n; i++)
		r = add(s, place, stamps.v[i], family, model, command, e);
	names_fini(&stamps);
	return r;
}

struct cJSON *bundle_metadata_read(const char *leaf, const char *family)
{
	char name[128], path[PATH_MAX];
	const char *stamp = strrchr(leaf, '/');
	struct cJSON *m = NULL;
	struct err e;

	snprintf(name, sizeof(name), "%s_%s_metadata.json", family,
		stamp ? stamp + 1 : leaf);
	if (json_read_file(bundle_join(path, leaf, name), &m, &e))
		return NULL;
	return m;
}

/* Are the runs [first, n) of one configuration? */
static int check_alike(
	const struct bundle_sources *s, size_t first, struct err *e)
{
	struct cJSON *a = NULL, *b;
	const char *differ = NULL;
	size_t i;

	if (first < s->n)
		a = bundle_metadata_read(s->v[first].path, "training");
	for (i = first + 1; i < s->n && !differ; i++) {
		b = bundle_metadata_read(s->v[i].path, "training");
		if (!a || !b ||
			!cJSON_Compare(bundle_at(a, "parameters"),
				bundle_at(b, "parameters"), 1) ||
			/* a modelled drive's, or that of another model */
			strcmp(bundle_string(a, "drive"),
				bundle_string(b, "drive")) ||
			bundle_number(a, "args.num_accelerators") !=
				bundle_number(b, "args.num_accelerators"))
			differ = s->v[i].path;
		cJSON_Delete(b);
	}
	cJSON_Delete(a);
	if (!differ)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s has other parameters than %s, or another drive: a result is %d runs of one "
		"configuration; move the runs that do not belong to it away",
		differ, s->v[first].path, RUNS);
}

static int training(const struct bundle_create *o, struct bundle_sources *s,
	const char *model, struct names *missing, struct err *e)
{
	static const char *const phases[] = {"datasize", "datagen"};
	char place[PATH_MAX];
	size_t i, n, first;
	int r;

	for (i = 0; i < 2; i++) {
		snprintf(place, sizeof(place), "training/%s/%s", model,
			phases[i]);
		r = newest(s, place, 1, "training", model, phases[i], &n, e);
		if (r)
			return r;
		if (!n)
			miss(missing,
				"training %s: no %s; make it with: stoker "
				"training %s --model %s --data-dir DIR "
				"--results-dir %s",
				model, phases[i], phases[i], model,
				o->results_dir);
	}
	snprintf(place, sizeof(place), "training/%s/run", model);
	first = s->n;
	r = newest(s, place, RUNS, "training", model, "run", &n, e);
	if (!r && n < RUNS)
		miss(missing,
			"training %s: %zu of %d runs; make them with: stoker "
			"training run --model %s --warmup 1 --runs 5 "
			"--data-dir DIR --results-dir %s",
			model, n, RUNS, model, o->results_dir);
	return r ? r : check_alike(s, first, e);
}

static double count(const struct cJSON *m, const char *what)
{
	char at[64];

	snprintf(at, sizeof(at), "args.num_checkpoints_%s", what);
	return bundle_number(m, at);
}

/* One invocation that writes and reads, or one of each. */
static int checkpointing(const struct bundle_create *o,
	struct bundle_sources *s, const char *model, struct names *missing,
	struct err *e)
{
	static const char how[] = "checkpointing %s: no %s; make it with: "
				  "stoker checkpointing run --model %s "
				  "--num-checkpoints-%s 0 --checkpoint-folder "
				  "DIR --results-dir %s";
	struct cJSON *last = NULL, *before = NULL;
	size_t first = s->n, n;
	char place[PATH_MAX];
	int r;

	snprintf(place, sizeof(place), "checkpointing/%s", model);
	r = newest(s, place, 2, "checkpointing", model, "run", &n, e);
	if (r || s->n == first)
		return r;
	last = bundle_metadata_read(s->v[s->n - 1].path, "checkpointing");
	if (s->n - first == 2)
		before =
			bundle_metadata_read(s->v[first].path, "checkpointing");
	if (count(last, "write") > 0) { /* whole, or a write without a read */
		s->v[first] = s->v[s->n - 1];
		s->n = first + 1;
		if (!(count(last, "read") > 0))
			miss(missing, how, model, "read phase", model, "write",
				o->results_dir);
	} else if (!before || !(count(before, "write") > 0)) {
		miss(missing, how, model, "write phase before the read", model,
			"read", o->results_dir);
		s->v[first] = s->v[s->n - 1];
		s->n = first + 1;
	}
	cJSON_Delete(last);
	cJSON_Delete(before);
	return 0;
}

static int vdb(struct bundle_sources *s, struct err *e)
{
	struct names engines = {0}, indexes = {0};
	char path[PATH_MAX], place[PATH_MAX], below[PATH_MAX];
	size_t i, k, n;
	int r = 0;

	folders(bundle_join(path, s->root, "vector_database"), false, &engines);
	for (i = 0; i < engines.n; i++) {
		bundle_join(place, "vector_database", engines.v[i]);
		folders(bundle_join(path, s->root, place), false, &indexes);
		for (k = 0; !r && k < indexes.n; k++) {
			bundle_join(path, place, indexes.v[k]);
			bundle_join(below, path, "datasize");
			r = newest(s, below, 1, "vector_database", engines.v[i],
				"datasize", &n, e);
			bundle_join(below, path, "datagen");
			if (!r)
				r = newest(s, below, 1, "vector_database",
					engines.v[i], "datagen", &n, e);
			bundle_join(below, path, "run");
			if (!r)
				r = newest(s, below, 5, "vector_database",
					engines.v[i], "run", &n, e);
		}
		names_fini(&indexes);
	}
	names_fini(&engines);
	return r;
}

static int each_model(const struct bundle_create *o, struct bundle_sources *s,
	struct names *missing, struct err *e)
{
	struct names models = {0};
	char path[PATH_MAX], place[PATH_MAX];
	size_t i, n;
	int r = 0;

	folders(bundle_join(path, s->root, "training"), false, &models);
	for (i = 0; !r && i < models.n; i++)
		r = training(o, s, models.v[i], missing, e);
	names_fini(&models);
	folders(bundle_join(path, s->root, "checkpointing"), false, &models);
	for (i = 0; !r && i < models.n; i++)
		r = checkpointing(o, s, models.v[i], missing, e);
	names_fini(&models);
	if (!r)
		r = vdb(s, e);
	folders(bundle_join(path, s->root, "kv_cache"), false, &models);
	for (i = 0; !r && i < models.n; i++) {
		snprintf(place, sizeof(place), "kv_cache/%s/run", models.v[i]);
		r = newest(s, place, 1, "kv_cache", models.v[i], "run", &n, e);
	}
	names_fini(&models);
	return r;
}

/* The only DIVISION/ORG/results/SYSTEM below --results-dir. */
static int find_root(
	const struct bundle_create *o, char root[PATH_MAX], struct err *e)
{
	const char *in[2] = {o->division, "whatif"};
	char org[PATH_MAX], results[PATH_MAX], div[PATH_MAX], list[512] = "";
	struct names orgs = {0}, systems = {0};
	size_t i, k, d, n = 0, len = 0;

	if (o->source) {
		bundle_join(root, o->results_dir, o->source);
		if (is_dir(root))
			return 0;
		return err_set(e, ERR_USAGE, -ENOENT,
			"there is no folder %s (--source %s)", root, o->source);
	}
	for (d = 0; d < 2; d++) {
		bundle_join(div, o->results_dir, in[d]);
		folders(div, false, &orgs);
		for (i = 0; i < orgs.n; i++) {
			bundle_join(org, div, orgs.v[i]);
			folders(bundle_join(results, org, "results"), false,
				&systems);
			for (k = 0; k < systems.n; k++) {
				bundle_join(root, results, systems.v[k]);
				n++;
				if (len < sizeof(list) - 1)
					len += (size_t)snprintf(list + len,
						sizeof(list) - len,
						"%s%s/%s/results/%s",
						n > 1 ? ", " : "", in[d],
						orgs.v[i], systems.v[k]);
			}
			names_fini(&systems);
		}
		names_fini(&orgs);
	}
	if (n == 1)
		return 0;
	if (!n)
		return err_set(e, ERR_USAGE, -ENOENT,
			"--results-dir %s: no runs of division %s or whatif; "
			"stoker training run --results-dir %s leaves them",
			o->results_dir, o->division, o->results_dir);
	return err_set(e, ERR_USAGE, -EINVAL,
		"--results-dir %s has several systems; choose one with "
		"--source: %s",
		o->results_dir, list);
}

int bundle_gather(const struct bundle_create *o, struct bundle_sources *s,
	struct names *missing, struct err *e)
{
	int r;

	memset(s, 0, sizeof(*s));
	r = find_root(o, s->root, e);
	if (!r)
		r = each_model(o, s, missing, e);
	if (!r && !s->n)
		r = err_set(e, ERR_USAGE, -ENOENT,
			"%s holds no result of any workload", s->root);
	return r;
}
