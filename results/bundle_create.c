/*
 * Writes a submission's tree: the chosen result folders as they are, and what
 * says where they come from. See bundle_create.h.
 */
#include "results/bundle_create.h"

#include "core/core_hash.h"
#include "core/file.h"
#include "core/json.h"
#include "results/bundle_rows.h"
#include "results/yaml.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX 8
#define NOTE                                                                   \
	"EMULATED: produced by stoker, an emulator, without mlpstorage and "   \
	"DLIO; not an MLPerf result"

struct writer {
	const struct bundle_create *o;
	struct bundle_sources s;
	char root[PATH_MAX]; /* under a hidden name until all is there */
	char org[128], system[128], org_dir[PATH_MAX], pointer[64];
	char now[32];
	struct cJSON *description; /* of the system */
	struct cJSON *runs;	   /* of the manifest */
	struct cJSON *rows;	   /* of the rollup */
};

static void emulated(char out[128], const char *name)
{
	snprintf(out, 128, "%s%.100s",
		strncmp(name, "emulated-", 9) ? "emulated-" : "", name);
}

static int out_of(struct err *e)
{
	return err_nomem(e, "the bundle");
}

static int write_json(const struct cJSON *tree, const char *dir,
	const char *name, struct err *e)
{
	char path[PATH_MAX], *text = json_print(tree, 2), *line = NULL;
	int r;

	bundle_join(path, dir, name);
	if (!text || asprintf(&line, "%s\n", text) < 0) {
		free(text);
		return out_of(e);
	}
	r = file_write_atomic(path, line, strlen(line), e);
	free(text);
	free(line);
	return r;
}

static int write_text(
	const char *text, const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX];

	bundle_join(path, dir, name);
	return file_write_atomic(path, text, strlen(text), e);
}

/* Files and folders of a leaf; the trace of every step is left out. */
static int copy_tree(const char *from, const char *to, int depth, struct err *e)
{
	char a[PATH_MAX], b[PATH_MAX];
	DIR *d = opendir(from);
	struct dirent *de;
	struct stat st;
	int r = d ? file_mkdirs(to, e)
		  : err_set(e, ERR_IO, -errno, "cannot list %s: %s", from,
			    strerror(errno));

	while (!r && (de = readdir(d))) {
		if (de->d_name[0] == '.' || !strcmp(de->d_name, "trace.h5") ||
			lstat(bundle_join(a, from, de->d_name), &st))
			continue;
		bundle_join(b, to, de->d_name);
		if (S_ISREG(st.st_mode))
			r = file_copy(a, b, e);
		else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			r = copy_tree(a, b, depth + 1, e);
	}
	if (d)
		closedir(d);
	return r;
}

/* --- provenance.json ------------------------------------------------------ */

static bool texts(struct cJSON *o, const char *const v[][2])
{
	size_t i;

	for (i = 0; v[i][0]; i++)
		if (!json_add_string(o, v[i][0], v[i][1]))
			return false;
	return true;
}

static bool add_core(struct cJSON *o, const struct bundle_source *src,
	const struct cJSON *metadata, char hash[CORE_HASH_MAX])
{
	bool known = !strcmp(src->command, "run") &&
		     (!strcmp(src->family, "training") ||
			     !strcmp(src->family, "checkpointing"));
	enum core_list list = !strcmp(src->family, "training")
				      ? CORE_TRAINING
				      : CORE_CHECKPOINTING;
	struct cJSON *core = json_add_object(o, "core_config"), *keys = NULL;
	struct err e;

	strcpy(hash, "unknown");
	if (known && core_hash(bundle_at(metadata, "parameters"), list,
			     src->path, hash, &keys, &e))
		strcpy(hash, "unknown");
	return core && json_add_string(core, "algorithm", "core-config-v1") &&
	       json_add_string(core, "allowlist",
		       known ? core_list_name(list) : "unknown") &&
	       json_add_string(core, "hash", hash) &&
	       json_add(core, "keys", keys ? keys : cJSON_CreateArray());
}

static int write_stamp(struct writer *w, const struct bundle_source *src,
	const struct cJSON *metadata, const char *leaf,
	char hash[CORE_HASH_MAX], struct err *e)
{
	const char *const tool[][2] = {{"name", "stoker"},
		{"version", w->o->tool_version}, {"git_sha", "unknown"},
		{"code_image", w->pointer}, {NULL, NULL}};
	static const char *const dlio[][2] = {{"version", "unknown"},
		{"source", "unknown"}, {"commit", "unknown"}, {NULL, NULL}};
	struct cJSON *o = cJSON_CreateObject(), *t, *d, *l, *p;
	char by[64];
	bool ok;
	int r;

	snprintf(by, sizeof(by), "stoker %.40s", w->o->tool_version);
	ok = o && json_add_string(o, "schema", "mlps-run-provenance/1") &&
	     json_add_string(o, "rules_edition", "3.0") &&
	     json_add_u64(o, "layout_version", 3) &&
	     (t = json_add_object(o, "tool")) && texts(t, tool) &&
	     (d = json_add_object(o, "dlio")) && texts(d, dlio) &&
	     (l = json_add_object(o, "storage_library")) &&
	     json_add_string(l, "name", "none") &&
	     add_core(o, src, metadata, hash) &&
	     json_add_string(o, "stamped_at", w->now) &&
	     json_add_string(o, "stamped_by", by);
	if (ok) {
		const char *const origin[][2] = {{"rules_edition", "declared"},
			{"layout_version", "declared"}, {"tool", "runtime"},
			{"dlio", "n/a"}, {"storage_library", "n/a"},
			{"core_config", strcmp(hash, "unknown") ? "inferred"
								: "unknown"},
			{NULL, NULL}};

		ok = (p = json_add_object(o, "provenance")) &&
		     texts(p, origin) && json_add_string(o, "notes", NOTE);
	}
	r = ok ? write_json(o, leaf, "provenance.json", e) : out_of(e);
	cJSON_Delete(o);
	return r;
}

/* --- leaves ----------------------------------------------------------------
 */

static bool add_run(struct writer *w, const struct bundle_source *src,
	const struct cJSON *metadata, const char *core)
{
	char leaf[PATH_MAX];
	struct cJSON *o = json_add_object(w->runs, NULL);

	snprintf(leaf, sizeof(leaf), "results/%s/%.3800s", w->system,
		src->place);
	return o && json_add_string(o, "leaf", leaf) &&
	       json_add_string(o, "benchmark", src->family) &&
	       json_add_string(o, "model", src->model) &&
	       json_add_string(o, "command", src->command) &&
	       json_add_string(o, "accelerator",
		       bundle_string(metadata, "accelerator")) &&
	       json_add_string(o, "system", w->system) &&
	       json_add_string(o, "rules_edition", "3.0") &&
	       json_add_string(o, "core_config", core) &&
	       json_add_string(o, "code_image", w->pointer) &&
	       json_add_string(o, "provenance", "provenance.json") &&
	       json_add_bool(o, "emulated", true);
}

static int write_leaf(
	struct writer *w, const struct bundle_source *src, struct err *e)
{
	struct cJSON *m = bundle_metadata_read(src->path, src->family);
	char results[PATH_MAX], leaf[PATH_MAX], core[CORE_HASH_MAX];
	int r;

	snprintf(results, sizeof(results), "%.3000s/results/%s", w->org_dir,
		w->system);
	bundle_join(leaf, results, src->place);
	r = copy_tree(src->path, leaf, 0, e);
	if (!r)
		r = write_text(w->pointer, leaf, ".mlps-code-image", e);
	if (!r)
		r = write_stamp(w, src, m, leaf, core, e);
	if (!r && !add_run(w, src, m, core))
		r = out_of(e);
	cJSON_Delete(m);
	return r;
}

/* A workload's results.json, and its rows in the rollup. */
static int write_table(struct writer *w, const char *place, size_t first,
	size_t end, struct err *e)
{
	struct bundle_row_facts f = {.organization = w->org,
		.system = w->system,
		.division = w->o->division,
		.pointer = w->pointer,
		.description = w->description,
		.leaves = &w->s.v[first],
		.count = end - first};
	struct cJSON *row = bundle_row(&f), *list = cJSON_CreateArray();
	char dir[PATH_MAX];
	bool ok = row && list && json_add(list, NULL, cJSON_Duplicate(row, 1));
	/* the others have no table of their own */
	bool alone = !strcmp(f.leaves->family, "training") ||
		     !strcmp(f.leaves->family, "checkpointing");
	int r;

	snprintf(dir, sizeof(dir), "%.2000s/results/%s/%.1000s", w->org_dir,
		w->system, place);
	r = ok ? file_mkdirs(dir, e) : out_of(e);
	if (!r && alone)
		r = write_json(list, dir, "results.json", e);
	cJSON_Delete(list);
	if (!json_add(w->rows, NULL, row) && !r)
		r = out_of(e);
	return r;
}

static int write_tables(struct writer *w, struct err *e)
{
	const struct bundle_source *v = w->s.v;
	char place[PATH_MAX];
	size_t i, end;
	int r = 0;

	for (i = 0; !r && i < w->s.n; i = end) {
		for (end = i + 1; end < w->s.n &&
				  !strcmp(v[i].family, v[end].family) &&
				  !strcmp(v[i].model, v[end].model) &&
				  !strcmp(v[i].command, v[end].command);)
			end++;
		if (strcmp(v[i].command, "run"))
			continue;
		snprintf(place, sizeof(place), "%.3000s", v[i].place);
		*strrchr(place, '/') = '\0';
		r = write_table(w, place, i, end, e);
	}
	return r;
}

/* --- the organization's files ----------------------------------------------
 */

static int set_text(
	struct cJSON *o, const char *key, const char *text, struct err *e)
{
	struct cJSON *item = cJSON_CreateString(text);

	if (item && cJSON_ReplaceItemInObjectCaseSensitive(o, key, item))
		return 0;
	cJSON_Delete(item);
	return err_set(e, ERR_USAGE, -EINVAL,
		"the system description has no solution.%s; stoker system "
		"describe writes one to fill in",
		key);
}

static int read_description(struct writer *w, struct err *e)
{
	struct cJSON *solution;
	char text[512], *yaml;
	size_t len;
	int r;

	r = file_read_regular(w->o->system_file, 1 << 20, &yaml, &len, e);
	if (r)
		return r;
	if (strstr(yaml, "FILL_IN"))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s still has blanks (FILL_IN): only you know what "
			"belongs there",
			w->o->system_file);
	if (!r)
		r = results_yaml_parse(
			yaml, len, w->o->system_file, &w->description, e);
	free(yaml);
	if (r)
		return r;
	solution = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(
			w->description, "system_under_test"),
		"solution");
	r = set_text(solution, "submission_name", w->system, e);
	snprintf(text, sizeof(text), "EMULATED (stoker): %.400s",
		bundle_string(solution, "friendly_description"));
	return r ? r : set_text(solution, "friendly_description", text, e);
}

static int write_system(struct writer *w, struct err *e)
{
	char dir[PATH_MAX], path[PATH_MAX], name[160], *yaml = NULL;
	size_t len;
	int r;

	bundle_join(dir, w->org_dir, "systems");
	r = file_mkdirs(dir, e);
	snprintf(name, sizeof(name), "%s.yaml", w->system);
	bundle_join(path, dir, name);
	if (!r)
		r = results_write_yaml(path, NOTE, w->description, e);
	if (!r)
		r = file_read_all(path, 1 << 20, &yaml, &len, e);
	snprintf(name, sizeof(name), "%s.pdf", w->system);
	bundle_join(path, dir, name);
	if (!r)
		r = w->o->system_pdf
			    ? file_copy(w->o->system_pdf, path, e)
			    : bundle_pdf_write(path, w->system, yaml, e);
	free(yaml);
	return r ? r
		 : write_text("# Emulated\n\n" NOTE ".\n\nThe files of the "
			      "runs are as stoker wrote them; provenance.json "
			      "of each names the tool and its code image.\n",
			   dir, "NOTES.md", e);
}

static int write_manifest(struct writer *w, struct err *e)
{
	struct cJSON *o = cJSON_CreateObject(), *list, *sys;
	char path[PATH_MAX], by[64], pdf[160];
	bool ok;
	int r;

	snprintf(by, sizeof(by), "stoker %.40s", w->o->tool_version);
	snprintf(pdf, sizeof(pdf), "systems/%s.pdf", w->system);
	ok = o && json_add_string(o, "schema", "mlps-submission-manifest/1") &&
	     json_add_string(o, "orgname", w->org) &&
	     json_add_string(o, "mode", w->o->division) &&
	     json_add_string(o, "rules_edition", "3.0") &&
	     json_add_u64(o, "layout_version", 3) &&
	     json_add_string(o, "generated_at", w->now) &&
	     json_add_string(o, "generated_by", by) &&
	     json_add_bool(o, "emulated", true) &&
	     json_add_string(o, "notes", NOTE) &&
	     (list = json_add_array(o, "tool_versions")) &&
	     json_add_string(list, NULL, by) &&
	     json_add_array(o, "dlio_commits") &&
	     (list = json_add_array(o, "systems")) &&
	     (sys = json_add_object(list, NULL)) &&
	     json_add_string(sys, "name", w->system) &&
	     json_add_string(sys, "description",
		     bundle_string(w->description, "system_under_test.solution."
						   "friendly_description")) &&
	     json_add_string(sys, "pdf", pdf) &&
	     json_add(o, "runs", cJSON_Duplicate(w->runs, 1)) &&
	     (list = json_add_array(o, "code_images")) &&
	     json_add_string(list, NULL, w->pointer);
	bundle_join(path, w->org_dir, "submission.yaml");
	r = ok ? results_write_yaml(path, NOTE, o, e) : out_of(e);
	cJSON_Delete(o);
	return r;
}

static int write_rollup(struct writer *w, struct err *e)
{
	char dir[PATH_MAX], path[PATH_MAX];
	int r;

	bundle_join(dir, w->org_dir, "results");
	r = write_json(w->rows, dir, "results.json", e);
	bundle_join(path, dir, "results.csv");
	return r ? r : bundle_rows_csv(path, w->rows, e);
}

static int write_all(struct writer *w, struct err *e)
{
	char pool[PATH_MAX];
	size_t i;
	int r = read_description(w, e);

	bundle_join(pool, w->root, "code-images");
	if (!r)
		r = file_mkdirs(pool, e);
	if (!r)
		r = write_text("", pool, ".mlps-image-pool", e);
	if (!r)
		r = bundle_image_capture(w->o, pool, w->pointer, e);
	for (i = 0; !r && i < w->s.n; i++)
		r = write_leaf(w, &w->s.v[i], e);
	if (!r)
		r = write_tables(w, e);
	if (!r)
		r = write_system(w, e);
	if (!r)
		r = write_manifest(w, e);
	return r ? r : write_rollup(w, e);
}

static int create(struct writer *w, struct err *e)
{
	time_t t = time(NULL);
	struct stat st;
	struct tm tm;
	int r;

	if (!lstat(w->o->out, &st))
		return err_set(e, ERR_USAGE, -EEXIST,
			"%s exists; a bundle is made whole, in a new folder",
			w->o->out);
	gmtime_r(&t, &tm);
	strftime(w->now, sizeof(w->now), "%Y-%m-%dT%H:%M:%SZ", &tm);
	emulated(w->org, w->o->organization);
	emulated(w->system, w->o->system_name);
	snprintf(w->root, sizeof(w->root), "%.3900s.%ld.partial", w->o->out,
		(long)getpid());
	snprintf(w->org_dir, sizeof(w->org_dir), "%.3800s/%s/%s", w->root,
		w->o->division, w->org);
	w->runs = cJSON_CreateArray();
	w->rows = cJSON_CreateArray();
	r = w->runs && w->rows ? write_all(w, e) : out_of(e);
	if (!r && rename(w->root, w->o->out))
		r = err_set(e, ERR_IO, -errno, "cannot rename %s to %s: %s",
			w->root, w->o->out, strerror(errno));
	if (r)
		file_remove_tree(w->root, NULL);
	cJSON_Delete(w->runs);
	cJSON_Delete(w->rows);
	cJSON_Delete(w->description);
	return r;
}

int bundle_create(
	const struct bundle_create *o, struct names *missing, struct err *e)
{
	struct writer *w = calloc(1, sizeof(*w));
	int r;

	memset(missing, 0, sizeof(*missing));
	if (!w)
		return out_of(e);
	w->o = o;
	r = bundle_gather(o, &w->s, missing, e);
	if (!r && missing->n && !o->allow_missing)
		r = err_set(e, ERR_USAGE, -ENODATA,
			"%zu phase%s missing; --allow-missing makes a bundle "
			"without, which the check will not pass",
			missing->n, missing->n == 1 ? " is" : "s are");
	if (!r)
		r = create(w, e);
	free(w->s.v);
	free(w);
	return r;
}
