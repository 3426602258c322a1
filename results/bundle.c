/*
 * The tree: divisions, organizations, systems, and which of them are what they
 * should be. Depth is fixed by the layout, so that links cannot lead astray.
 * See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/config.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SENTINEL ".mlps-image-pool"

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), k = strlen(with);

	return n > k && !strcmp(name + n - k, with);
}

static bool has_with(
	const struct names *files, const char *stem, const char *ending)
{
	char name[NAME_MAX + 8];

	snprintf(name, sizeof(name), "%s%s", stem, ending);
	return names_have(files, name);
}

/* --- results/SYSTEM ------------------------------------------------------ */

/* Folders of a workload category, known (in list, when there is one) or not. */
static void each_known(struct bundle *b, const char *path, const char *list,
	const char *id, void (*fn)(struct bundle *, const char *, const char *))
{
	char below[PATH_MAX], want[256];
	struct names dirs = {0};
	size_t i;

	bundle_list(b, path, &dirs, NULL);
	for (i = 0; i < dirs.n; i++) {
		bool ok = !list || bundle_listed(b, list, dirs.v[i]);

		bundle_join(below, path, dirs.v[i]);
		if (id)
			bundle_say(b, id, ok, below,
				bundle_words(b, list, want), "%s", dirs.v[i]);
		fn(b, below, dirs.v[i]);
	}
	names_fini(&dirs);
}

static void each_index(struct bundle *b, const char *path, const char *engine)
{
	char below[PATH_MAX];
	struct names dirs = {0};
	size_t i;

	(void)engine;
	bundle_list(b, path, &dirs, NULL);
	for (i = 0; i < dirs.n; i++)
		bundle_check_vdb(
			b, bundle_join(below, path, dirs.v[i]), dirs.v[i]);
	names_fini(&dirs);
}

static void each_kv_model(struct bundle *b, const char *path, const char *model)
{
	(void)model;
	bundle_check_kv(b, path);
}

static void check_results_of(
	struct bundle *b, const char *path, const char *system)
{
	static const char want[] =
		"training, checkpointing, vector_database, kv_cache";
	char below[PATH_MAX];
	struct names dirs = {0};
	size_t i;

	b->report->systems++;
	bundle_list(b, path, &dirs, NULL);
	if (!dirs.n)
		bundle_say(b, "2.1.10", false, path, want, "%s has no workload",
			system);
	for (i = 0; i < dirs.n; i++) {
		const char *name = dirs.v[i];

		bundle_join(below, path, name);
		bundle_say(b, "2.1.10",
			bundle_at(b->rules, "workloads") != NULL &&
				cJSON_GetObjectItemCaseSensitive(
					bundle_at(b->rules, "workloads"), name),
			below, want, "%s", name);
		if (!strcmp(name, "training"))
			each_known(b, below, "workloads.training", "2.1.11",
				bundle_check_training);
		else if (!strcmp(name, "checkpointing"))
			each_known(b, below, "workloads.checkpointing",
				"2.1.21", bundle_check_checkpointing);
		else if (!strcmp(name, "vector_database"))
			each_known(b, below, NULL, NULL, each_index);
		else if (!strcmp(name, "kv_cache"))
			each_known(b, below, NULL, NULL, each_kv_model);
	}
	names_fini(&dirs);
}

/* --- systems/ ------------------------------------------------------------ */

static void check_systems_files(struct bundle *b, const char *path,
	const struct names *dirs, const struct names *files)
{
	char below[PATH_MAX], stem[NAME_MAX + 1];
	size_t i, n;

	for (i = 0; i < dirs->n; i++)
		if (dirs->v[i][0] != '.')
			bundle_say(b, "2.1.7", false,
				bundle_join(below, path, dirs->v[i]), NULL,
				"it is a folder");
	for (i = 0; i < files->n; i++) {
		const char *name = files->v[i];
		bool yaml = ends(name, ".yaml"), pdf = ends(name, ".pdf");

		bundle_join(below, path, name);
		if (name[0] == '.' || ends(name, ".md"))
			continue;
		if (!yaml && !pdf) {
			bundle_say(b, "2.1.7", false, below, NULL,
				"neither .yaml, .pdf nor .md");
			continue;
		}
		n = strlen(name) - (yaml ? 5 : 4);
		snprintf(stem, sizeof(stem), "%.*s", (int)n, name);
		bundle_say(b, "2.1.7",
			has_with(files, stem, yaml ? ".pdf" : ".yaml"), below,
			yaml ? "its .pdf" : "its .yaml", "%s", name);
	}
}

static void check_system(struct bundle *b, const char *results,
	const char *systems, const struct names *files, const char *name,
	bool measured)
{
	char path[PATH_MAX], file[NAME_MAX + 8];
	struct cJSON *yaml = NULL;
	const char *said;

	snprintf(file, sizeof(file), "%s.yaml", name);
	bundle_join(path, systems, file);
	if (names_have(files, file)) {
		yaml = bundle_yaml(b, path, "2.1.7");
		if (yaml)
			bundle_check_system(b, path, name, yaml);
		said = bundle_string(
			yaml, "system_under_test.solution.submission_name");
		if (yaml && measured)
			bundle_say(b, "2.1.8", !strcmp(said, name), path, name,
				"submission_name \"%.200s\"", said);
	} else if (measured) {
		bundle_say(
			b, "2.1.8", false, path, file, "%s is missing", file);
	}
	b->system = bundle_at(yaml, "system_under_test");
	snprintf(file, sizeof(file), "%s.pdf", name);
	if (measured && !names_have(files, file))
		bundle_say(b, "2.1.8", false, bundle_join(path, systems, file),
			NULL, "%s is missing", file);
	if (!measured)
		bundle_say(b, "2.1.8", false, bundle_join(path, results, name),
			NULL, "there is no results/%s", name);
	else
		check_results_of(b, bundle_join(path, results, name), name);
	b->system = NULL;
	cJSON_Delete(yaml);
}

/* --- an organization ----------------------------------------------------- */

static void check_org_folders(
	struct bundle *b, const char *path, const struct names *dirs)
{
	static const char want[] = "results, systems";
	bool results = names_have(dirs, "results"),
	     systems = names_have(dirs, "systems"), extra = false;
	char below[PATH_MAX];
	size_t i;

	for (i = 0; i < dirs->n; i++) {
		if (dirs->v[i][0] == '.' || !strcmp(dirs->v[i], "results") ||
			!strcmp(dirs->v[i], "systems"))
			continue;
		extra = true;
		bundle_join(below, path, dirs->v[i]);
		bundle_say(b, "2.1.5", false, below, want, "a folder %s",
			dirs->v[i]);
	}
	if (!results || !systems)
		bundle_say(b, "2.1.5", false, path, want, "no folder %s",
			!results ? "results" : "systems");
	else if (!extra)
		bundle_say(b, "2.1.5", true, path, want, "%s", want);
	bundle_say(b, "CHECK-04", !names_have(dirs, "code"),
		names_have(dirs, "code") ? bundle_join(below, path, "code")
					 : path,
		"no folder code",
		names_have(dirs, "code") ? "a folder code is left"
					 : "no folder code");
}

static void check_edition(struct bundle *b, const char *path)
{
	char file[PATH_MAX], edition[64];
	struct cJSON *m;

	b->unchecked_edition = false;
	bundle_join(file, path, "submission.yaml");
	if (!bundle_is_head(b) || !bundle_has(b, file, false))
		return;
	m = bundle_yaml(b, file, "-"); /* told later */
	bundle_manifest_edition(m, edition);
	/* one that is not known is EDN-01, and checked as the current one */
	b->unchecked_edition = bundle_is_manifest(m) &&
			       bundle_listed(b, "editions", edition) &&
			       !bundle_listed(
				       b, "checkable_editions", edition);
	if (bundle_is_manifest(m))
		bundle_say(b, "EDN-04", !b->unchecked_edition, file, NULL,
			"rules_edition \"%.32s\"%s", edition,
			b->unchecked_edition ? "; its workloads are not checked"
					     : "");
	cJSON_Delete(m);
}

static void check_systems(struct bundle *b, const char *path)
{
	char results[PATH_MAX], systems[PATH_MAX], stem[NAME_MAX + 1];
	struct names measured = {0}, dirs = {0}, files = {0};
	size_t i;

	bundle_join(results, path, "results");
	bundle_join(systems, path, "systems");
	if (bundle_has(b, results, true))
		bundle_list(b, results, &measured, NULL);
	if (bundle_has(b, systems, true))
		bundle_list(b, systems, &dirs, &files);
	check_systems_files(b, systems, &dirs, &files);
	for (i = 0; i < measured.n; i++)
		check_system(b, results, systems, &files, measured.v[i], true);
	for (i = 0; i < files.n; i++) {
		if (!ends(files.v[i], ".yaml") || files.v[i][0] == '.')
			continue;
		snprintf(stem, sizeof(stem), "%.*s",
			(int)strlen(files.v[i]) - 5, files.v[i]);
		if (!names_have(&measured, stem))
			check_system(b, results, systems, &files, stem, false);
	}
	names_fini(&measured);
	names_fini(&dirs);
	names_fini(&files);
}

static void check_org(struct bundle *b, const char *division, const char *org)
{
	char path[PATH_MAX];
	struct names dirs = {0};

	b->division = division;
	b->org = org;
	b->report->organizations++;
	bundle_join(path, division, org);
	bundle_say(b, "2.1.1",
		org[0] && strspn(org, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789._-") == strlen(org),
		path, NULL, "%s", org);
	if (bundle_list(b, path, &dirs, NULL)) {
		check_org_folders(b, path, &dirs);
		check_edition(b, path);
		check_systems(b, path);
		bundle_check_strays(b);
		bundle_check_manifest(b);
		bundle_check_tables(b);
	}
	names_fini(&dirs);
	names_fini(&b->leaves);
	names_fini(&b->stamp_editions);
}

/* --- the top ------------------------------------------------------------- */

static const char *const divisions[] = {"closed", "open"};

/* An organization's pool serves what it has in both divisions. */
static void check_orgs(struct bundle *b)
{
	struct names in[2] = {{0}, {0}}, all = {0};
	size_t i, k;

	for (k = 0; k < 2; k++) {
		if (bundle_has(b, divisions[k], true))
			bundle_list(b, divisions[k], &in[k], NULL);
		for (i = 0; i < in[k].n; i++)
			if (in[k].v[i][0] != '.' &&
				(!k || !names_have(&in[0], in[k].v[i])))
				names_add(&all, in[k].v[i]);
	}
	names_sort(&all);
	for (i = 0; i < all.n; i++) {
		bundle_pool_open(b, &b->org_pool, all.v[i]);
		b->no_pool_told = false;
		for (k = 0; k < 2; k++)
			if (names_have(&in[k], all.v[i]))
				check_org(b, divisions[k], all.v[i]);
		bundle_pool_check(b, &b->org_pool);
		bundle_pool_fini(&b->org_pool);
	}
	names_fini(&in[0]);
	names_fini(&in[1]);
	names_fini(&all);
}

/* Pools of nobody who submits: nothing can point at their images. */
static void check_other_pools(struct bundle *b)
{
	char path[PATH_MAX], sentinel[PATH_MAX];
	struct names dirs = {0};
	struct bundle_pool p;
	size_t i;

	bundle_list(b, ".", &dirs, NULL);
	for (i = 0; i < dirs.n; i++) {
		const char *name = dirs.v[i];

		if (!strcmp(name, "code-images") ||
			bundle_has(
				b, bundle_join(path, "closed", name), true) ||
			bundle_has(b, bundle_join(path, "open", name), true) ||
			!bundle_has(b, bundle_join(sentinel, name, SENTINEL),
				false))
			continue;
		bundle_pool_open(b, &p, name);
		bundle_pool_check(b, &p);
		bundle_pool_fini(&p);
	}
	names_fini(&dirs);
}

static void check_top(struct bundle *b)
{
	static const char want[] = "closed, open, code-images, pools";
	char sentinel[PATH_MAX];
	struct names dirs = {0};
	bool any = false;
	size_t i;

	bundle_list(b, ".", &dirs, NULL);
	for (i = 0; i < dirs.n; i++) {
		const char *name = dirs.v[i];
		bool division =
			!strcmp(name, "closed") || !strcmp(name, "open");

		any = any || division;
		if (name[0] == '.')
			continue;
		bundle_say(b, "2.1.2",
			division || !strcmp(name, "code-images") ||
				bundle_has(b,
					bundle_join(sentinel, name, SENTINEL),
					false),
			name, want, "a folder %s", name);
	}
	if (!any)
		bundle_say(b, "2.1.2", false, ".", "closed or open",
			"neither closed nor open");
	names_fini(&dirs);
	bundle_unknown(b, "3.6.1", ".", "no reference digests are published");
	bundle_unknown(b, "5.6.1", ".", "no reference digests are published");
}

int bundle_check(const char *tree, const struct bundle_options *o,
	struct bundle_report *r, struct err *e)
{
	struct bundle *b = calloc(1, sizeof(*b));
	struct stat st;
	int ret;

	memset(r, 0, sizeof(*r));
	if (!b)
		return err_nomem(e, "the check");
	b->options = o;
	b->report = r;
	snprintf(b->root, sizeof(b->root), "%s", tree);
	if (stat(tree, &st) || !S_ISDIR(st.st_mode)) {
		free(b);
		return err_set(e, ERR_USAGE, -ENOENT,
			"bundle check %s: there is no such folder; give the "
			"one that holds closed or open",
			tree);
	}
	ret = edition_load(o->config_dir, EDITION_DEFAULT, &b->edition, e);
	if (!ret)
		ret = config_load(o->config_dir,
			"editions/" EDITION_DEFAULT ".json", &b->config, e);
	if (!ret)
		ret = json_get_object(b->config, "editions/" EDITION_DEFAULT,
			"bundle", &b->rules, e);
	if (!ret) {
		check_top(b);
		bundle_pool_open(b, &b->pool, "code-images");
		check_orgs(b);
		check_other_pools(b);
		bundle_pool_check(b, &b->pool);
		bundle_pool_fini(&b->pool);
		if (b->no_memory)
			ret = err_nomem(e, "the findings");
	}
	cJSON_Delete(b->config);
	free(b);
	return ret;
}
