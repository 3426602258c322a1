/*
 * Which result folders make a bundle: of each phase the newest, of training
 * the six newest runs, of vectors the five newest, if they are runs of one
 * configuration. See bundle_create.h.
 */
#include "results/bundle_create.h"

#include "core/file.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 6		/* Rules 2.1.17: a warm-up and five */
#define VDB_RUNS 5	/* Rules 5.3.1 */
#define KV_OPTIONS 3	/* Rules 6.3.1.1 */
#define KV_TRIALS 3	/* Rules 6.3.2.1 */
#define KV_LOOK_BACK 64 /* runs among which a whole one is looked for */

struct gather {
	const struct bundle_create *o;
	struct bundle_sources *s;
	struct names *missing;
};

/* Folders in path by name; stamps: only those that are named by a time. */
static void folders(const char *path, bool stamps, struct names *out)
{
	char below[PATH_MAX];
	DIR *d = opendir(path);
	struct dirent *de;

	while (d && (de = readdir(d)))
		if (de->d_name[0] != '.' &&
			file_is_folder(bundle_join(below, path, de->d_name)) &&
			(!stamps || bundle_stamp_s(de->d_name) != INT64_MIN))
			names_add(out, de->d_name);
	if (d)
		closedir(d);
	names_sort(out);
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

/* config.json of a run of vectors, but for when it was. */
static struct cJSON *search_of(const struct bundle_source *l)
{
	char path[PATH_MAX];
	struct cJSON *c = NULL;
	struct err e;

	bundle_join(path, l->path, "config.json");
	if (json_read_file(path, &c, &e))
		return NULL;
	cJSON_DeleteItemFromObjectCaseSensitive(c, "timestamp");
	return c;
}

static bool alike(const struct bundle_source *x, const struct bundle_source *y)
{
	struct cJSON *a = bundle_metadata_read(x->path, x->family),
		     *b = bundle_metadata_read(y->path, y->family), *p, *q;
	bool same;

	same = a && b &&
	       cJSON_Compare(bundle_at(a, "parameters"),
		       bundle_at(b, "parameters"), 1) &&
	       /* a modelled drive's, or that of another model */
	       !strcmp(bundle_string(a, "drive"), bundle_string(b, "drive")) &&
	       !strcmp(bundle_string(a, "accelerator"),
		       bundle_string(b, "accelerator")) &&
	       bundle_number(a, "args.num_accelerators") ==
		       bundle_number(b, "args.num_accelerators");
	if (a && b && !strcmp(x->family, "vector_database")) {
		p = search_of(x);
		q = search_of(y);
		same = cJSON_Compare(bundle_at(a, "parameters"),
			       bundle_at(b, "parameters"), 1) &&
		       !strcmp(bundle_string(a, "drive"),
			       bundle_string(b, "drive")) &&
		       p && q && cJSON_Compare(p, q, 1);
		cJSON_Delete(p);
		cJSON_Delete(q);
	}
	cJSON_Delete(a);
	cJSON_Delete(b);
	return same;
}

/* Are the runs [first, n) of one configuration? */
static int check_alike(
	const struct bundle_sources *s, size_t first, size_t want, struct err *e)
{
	size_t i;

	for (i = first + 1; i < s->n; i++)
		if (!alike(&s->v[first], &s->v[i]))
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s has other parameters than %s, or another "
				"drive: a result is %zu runs of one "
				"configuration; move the runs that do not "
				"belong to it away",
				s->v[i].path, s->v[first].path, want);
	return 0;
}

/* What is known of the workload whose leaves are the last ones. */
static struct bundle_hint hint(const struct gather *g, const char *family,
	size_t first)
{
	return (struct bundle_hint){.missing = g->missing,
		.results_dir = g->o->results_dir,
		.root = g->s->root,
		.family = family,
		.known = g->s->n > first ? g->s->v[g->s->n - 1].path : NULL};
}

/* The phases before the runs: the newest of each. */
static int before(const struct gather *g, const char *place,
	const char *family, const char *model, bool has[2], struct err *e)
{
	static const char *const phases[] = {"datasize", "datagen"};
	char below[PATH_MAX];
	size_t i, n;
	int r;

	for (i = 0; i < 2; i++) {
		bundle_join(below, place, phases[i]);
		r = newest(g->s, below, 1, family, model, phases[i], &n, e);
		if (r)
			return r;
		has[i] = n > 0;
	}
	return 0;
}

static void hint_before(const struct bundle_hint *h, const char *name,
	const char *verb, const char *options, const bool has[2])
{
	static const char *const phases[] = {"datasize", "datagen"};
	char what[256], command[64];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(what, sizeof(what), "%.160s: no %s; make it", name,
			phases[i]);
		snprintf(command, sizeof(command), "%s %s", verb, phases[i]);
		if (!has[i])
			bundle_hint(h, what, command, options);
	}
}

static int training(
	const struct gather *g, const char *model, struct err *e)
{
	char place[PATH_MAX], name[128], options[128];
	size_t n, first = g->s->n, runs;
	struct bundle_hint h;
	bool has[2];
	int r;

	snprintf(place, sizeof(place), "training/%s", model);
	r = before(g, place, "training", model, has, e);
	if (r)
		return r;
	snprintf(place, sizeof(place), "training/%s/run", model);
	runs = g->s->n;
	r = newest(g->s, place, RUNS, "training", model, "run", &n, e);
	if (r)
		return r;
	h = hint(g, "training", first);
	snprintf(name, sizeof(name), "training %.100s", model);
	snprintf(options, sizeof(options), " --model %.100s", model);
	hint_before(&h, name, "training", options, has);
	snprintf(name, sizeof(name), "training %.60s: %zu of %d runs; make them",
		model, n, RUNS);
	snprintf(options, sizeof(options),
		" --model %.60s --warmup 1 --runs 5", model);
	if (n < RUNS)
		bundle_hint(&h, name, "training run", options);
	return check_alike(g->s, runs, RUNS, e);
}

static double count(const struct cJSON *m, const char *what)
{
	char at[64];

	snprintf(at, sizeof(at), "args.num_checkpoints_%s", what);
	return bundle_number(m, at);
}

static void hint_checkpoints(const struct gather *g, size_t first,
	const char *model, const char *what, const char *but)
{
	struct bundle_hint h = hint(g, "checkpointing", first);
	char text[192], options[128];

	snprintf(text, sizeof(text), "checkpointing %.80s: no %s; make it",
		model, what);
	snprintf(options, sizeof(options),
		" --model %.60s --num-checkpoints-%s 0", model, but);
	bundle_hint(&h, text, "checkpointing run", options);
}

/* One invocation that writes and reads, or one of each. */
static int checkpointing(
	const struct gather *g, const char *model, struct err *e)
{
	struct bundle_sources *s = g->s;
	struct cJSON *last = NULL, *earlier = NULL;
	size_t first = s->n, n;
	char place[PATH_MAX];
	int r;

	snprintf(place, sizeof(place), "checkpointing/%s", model);
	r = newest(s, place, 2, "checkpointing", model, "run", &n, e);
	if (r || s->n == first)
		return r;
	last = bundle_metadata_read(s->v[s->n - 1].path, "checkpointing");
	if (s->n - first == 2)
		earlier =
			bundle_metadata_read(s->v[first].path, "checkpointing");
	if (count(last, "write") > 0) { /* whole, or a write without a read */
		s->v[first] = s->v[s->n - 1];
		s->n = first + 1;
		if (!(count(last, "read") > 0))
			hint_checkpoints(
				g, first, model, "read phase", "write");
	} else if (!earlier || !(count(earlier, "write") > 0)) {
		s->v[first] = s->v[s->n - 1];
		s->n = first + 1;
		hint_checkpoints(g, first, model, "write phase before the read",
			"read");
	}
	cJSON_Delete(last);
	cJSON_Delete(earlier);
	return 0;
}

/* An index: its phases and five runs. */
static int vectors(const struct gather *g, const char *engine,
	const char *index, struct err *e)
{
	char place[PATH_MAX], below[PATH_MAX], model[64], name[128];
	char options[64];
	size_t n, first = g->s->n, runs;
	struct bundle_hint h;
	bool has[2];
	int r;

	snprintf(model, sizeof(model), "%.30s_%.30s", engine, index);
	snprintf(place, sizeof(place), "vector_database/%.1000s/%.1000s",
		engine, index);
	r = before(g, place, "vector_database", model, has, e);
	if (r)
		return r;
	runs = g->s->n;
	bundle_join(below, place, "run");
	r = newest(g->s, below, VDB_RUNS, "vector_database", model, "run", &n,
		e);
	if (r || g->s->n == first)
		return r;
	h = hint(g, "vector_database", first);
	snprintf(options, sizeof(options), " --index-type %.30s", index);
	snprintf(name, sizeof(name), "vector_database %.60s", model);
	hint_before(&h, name, "vectordb", options, has);
	snprintf(name, sizeof(name),
		"vector_database %.60s: %zu of %d runs; make the others", model,
		n, VDB_RUNS);
	if (n < VDB_RUNS) {
		snprintf(options, sizeof(options),
			" --index-type %.30s --runs %zu", index, VDB_RUNS - n);
		bundle_hint(&h, name, "vectordb run", options);
	}
	return check_alike(g->s, runs, VDB_RUNS, e);
}

static int each_index(const struct gather *g, struct err *e)
{
	struct names engines = {0}, indexes = {0};
	char path[PATH_MAX], place[PATH_MAX];
	size_t i, k;
	int r = 0;

	folders(bundle_join(path, g->s->root, "vector_database"), false,
		&engines);
	for (i = 0; i < engines.n; i++) {
		bundle_join(place, "vector_database", engines.v[i]);
		folders(bundle_join(path, g->s->root, place), false, &indexes);
		for (k = 0; !r && k < indexes.n; k++)
			r = vectors(g, engines.v[i], indexes.v[k], e);
		names_fini(&indexes);
	}
	names_fini(&engines);
	return r;
}

/* Options 1, 2, 3 that are not there three times; "" when all are. */
static void kv_lacks(const char *leaf, char text[64])
{
	struct cJSON *s = NULL;
	char path[PATH_MAX], at[64];
	size_t n = 0;
	struct err e;
	int i;

	text[0] = '\0';
	if (json_read_file(bundle_join(path, leaf, "summary.json"), &s, &e))
		s = NULL;
	for (i = 1; i <= KV_OPTIONS; i++) {
		snprintf(at, sizeof(at), "options.%d.trial_count", i);
		if (!(bundle_number(s, at) >= KV_TRIALS))
			n += (size_t)snprintf(text + n, 64 - n, "%s%d",
				n ? ", " : "", i);
	}
	cJSON_Delete(s);
}

/* One run holds all options: the newest that is whole, else the newest. */
static int kv_cache(
	const struct gather *g, const char *model, struct err *e)
{
	struct bundle_sources *s = g->s;
	size_t first = s->n, i, n;
	char place[PATH_MAX], lacks[64] = "", what[192];
	struct bundle_hint h;
	int r;

	snprintf(place, sizeof(place), "kv_cache/%s/run", model);
	r = newest(s, place, KV_LOOK_BACK, "kv_cache", model, "run", &n, e);
	if (r || s->n == first)
		return r;
	for (i = s->n; i-- > first;) {
		kv_lacks(s->v[i].path, lacks);
		if (!lacks[0])
			break;
	}
	if (lacks[0]) {
		i = s->n - 1;
		kv_lacks(s->v[i].path, lacks);
	}
	s->v[first] = s->v[i];
	s->n = first + 1;
	if (!lacks[0])
		return 0;
	h = hint(g, "kv_cache", first);
	snprintf(what, sizeof(what), "kv_cache %.60s: option%s %.60s without "
		"%d trials; make all", model, strchr(lacks, ',') ? "s" : "",
		lacks, KV_TRIALS);
	bundle_hint(&h, what, "kvcache run", " --option 1,2,3 --trials 3");
	return 0;
}

static int each_model(const struct gather *g, struct err *e)
{
	static const struct {
		const char *family;
		int (*gather)(
			const struct gather *, const char *, struct err *);
	} families[] = {{"training", training},
		{"checkpointing", checkpointing}, {"kv_cache", kv_cache}};
	struct names models = {0};
	char path[PATH_MAX];
	size_t f, i;
	int r = 0;

	for (f = 0; !r && f < 3; f++) {
		bundle_join(path, g->s->root, families[f].family);
		folders(path, false, &models);
		for (i = 0; !r && i < models.n; i++)
			r = families[f].gather(g, models.v[i], e);
		names_fini(&models);
	}
	return r ? r : each_index(g, e);
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
		if (file_is_folder(root))
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
	struct gather g = {.o = o, .s = s, .missing = missing};
	int r;

	memset(s, 0, sizeof(*s));
	r = find_root(o, s->root, e);
	if (!r)
		r = each_model(&g, e);
	if (!r && !s->n)
		r = err_set(e, ERR_USAGE, -ENOENT,
			"%s holds no result of any workload", s->root);
	return r;
}
