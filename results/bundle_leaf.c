/*
 * Leaves: loading one, and the rules that every family has about names,
 * folders and parameters. See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAVES_MAX 1000 /* of one folder */
#define LOG_BYTES_MAX (4U << 20)

/* What rules read of a metadata file; the rest, which can be large, goes. */
static const char *const kept[] = {"benchmark_type", "model", "command",
	"accelerator", "parameters", "override_parameters",
	"invocation_start_time", "invocation_end_time", "verification", "args",
	"yaml_params", "provenance_file", "datagen_manifest_file", "emulated",
	"tool", "cluster_information", NULL};

/* The latest collection_timestamp anywhere below. */
static void find_collected(const struct cJSON *item, char latest[40])
{
	const struct cJSON *c;

	for (c = item ? item->child : NULL; c; c = c->next) {
		if (c->string && !strcmp(c->string, "collection_timestamp") &&
			cJSON_IsString(c) &&
			bundle_iso_ns(c->valuestring) != INT64_MIN &&
			strcmp(c->valuestring, latest) > 0)
			snprintf(latest, 40, "%s", c->valuestring);
		find_collected(c, latest);
	}
}

static void strip_metadata(struct cJSON *m)
{
	struct cJSON *c, *behind;
	size_t i;

	for (c = m->child; c; c = behind) {
		behind = c->next;
		for (i = 0; kept[i] && c->string && strcmp(kept[i], c->string);)
			i++;
		if (!kept[i])
			cJSON_Delete(cJSON_DetachItemViaPointer(m, c));
	}
}

static void load_metadata(struct bundle *b, struct bundle_leaf *l)
{
	char path[PATH_MAX];
	const char *first = NULL;
	size_t i, n = 0;

	for (i = 0; i < l->files.n; i++) {
		if (!strstr(l->files.v[i], "metadata"))
			continue;
		first = first ? first : l->files.v[i];
		n++;
	}
	bundle_say(b, "B-02", n == 1, l->path, "one file *metadata*",
		"%zu files *metadata*", n);
	if (!first)
		return;
	l->metadata = bundle_json(b, bundle_join(path, l->path, first), NULL);
	if (!l->metadata)
		return;
	if (!cJSON_IsObject(l->metadata))
		bundle_say(b, "B-01", false, path, NULL,
			"it holds no JSON object");
	find_collected(l->metadata, l->collected);
	strip_metadata(l->metadata);
}

static struct cJSON *load(
	struct bundle *b, const struct bundle_leaf *l, const char *name)
{
	char path[PATH_MAX];

	return bundle_json(b, bundle_join(path, l->path, name), NULL);
}

void bundle_leaf_load(struct bundle *b, const char *folder, const char *name,
	struct bundle_leaf *l)
{
	memset(l, 0, sizeof(*l));
	bundle_join(l->path, folder, name);
	snprintf(l->stamp, sizeof(l->stamp), "%s", name);
	l->stamped = bundle_is_stamp(name);
	l->stamp_s = bundle_stamp_s(name);
	bundle_list(b, l->path, &l->dirs, &l->files);
	l->summary = load(b, l, "summary.json");
	load_metadata(b, l);
	l->separation = load(b, l, "fs_separation.json");
	if (b->options->strict)
		l->stats = load(b, l, "0_per_epoch_stats.json");
	b->report->leaves++;
}

void bundle_group_load(
	struct bundle *b, const char *path, struct bundle_group *g)
{
	struct names dirs = {0};
	size_t i;

	memset(g, 0, sizeof(*g));
	if (!bundle_list(b, path, &dirs, NULL))
		return;
	if (dirs.n > LEAVES_MAX)
		bundle_say(b, "B-01", false, path, NULL,
			"%zu folders; only the first %d are looked at", dirs.n,
			LEAVES_MAX);
	g->v = calloc(dirs.n ? dirs.n : 1, sizeof(*g->v));
	b->no_memory = b->no_memory || !g->v;
	for (i = 0; g->v && i < dirs.n && i < LEAVES_MAX; i++)
		bundle_leaf_load(b, path, dirs.v[i], &g->v[g->n++]);
	names_fini(&dirs);
}

void bundle_leaf_fini(struct bundle_leaf *l)
{
	names_fini(&l->files);
	names_fini(&l->dirs);
	cJSON_Delete(l->summary);
	cJSON_Delete(l->metadata);
	cJSON_Delete(l->separation);
	cJSON_Delete(l->stats);
}

void bundle_group_fini(struct bundle_group *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		bundle_leaf_fini(&g->v[i]);
	free(g->v);
	memset(g, 0, sizeof(*g));
}

static bool has_match(const struct names *files, const char *pattern)
{
	bool found = false;
	regex_t re;
	size_t i;

	/* the edition's own; a bad one was refused when it was loaded */
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return true;
	for (i = 0; !found && i < files->n; i++)
		found = !regexec(&re, files->v[i], 0, NULL, 0);
	regfree(&re);
	return found;
}

static void check_config(
	struct bundle *b, const struct bundle_leaf *l, const char *id)
{
	struct names files = {0};
	char path[PATH_MAX], want[256];
	bool ok;
	size_t i;

	bundle_words(b, "files.dlio_config", want);
	if (!names_have(&l->dirs, "dlio_config")) {
		bundle_say(b, id, false, l->path, want,
			"there is no folder dlio_config");
		return;
	}
	bundle_join(path, l->path, "dlio_config");
	if (!bundle_list(b, path, NULL, &files))
		return;
	ok = files.n == (size_t)cJSON_GetArraySize(
				bundle_at(b->rules, "files.dlio_config"));
	for (i = 0; i < files.n; i++) {
		if (bundle_listed(b, "files.dlio_config", files.v[i]))
			continue;
		ok = false;
		bundle_say(b, id, false, path, want, "%s is there", files.v[i]);
		break;
	}
	if (i == files.n)
		bundle_say(b, id, ok, path, want, "%zu files", files.n);
	names_fini(&files);
}

void bundle_check_files(struct bundle *b, const struct bundle_leaf *l,
	const char *patterns, const char *files_id, const char *config_id)
{
	const struct cJSON *p;
	bool all = true;

	cJSON_ArrayForEach(p, bundle_at(b->rules, patterns))
	{
		if (!cJSON_IsString(p) || has_match(&l->files, p->valuestring))
			continue;
		all = false;
		bundle_say(b, files_id, false, l->path, p->valuestring,
			"no file is called like %s", p->valuestring);
	}
	if (!names_have(&l->dirs, "dlio_config")) {
		all = false;
		bundle_say(b, files_id, false, l->path, "dlio_config",
			"there is no folder dlio_config");
	}
	if (all)
		bundle_say(b, files_id, true, l->path, NULL, "all are there");
	check_config(b, l, config_id);
	if (b->options->strict)
		bundle_strict_files(b, l, patterns);
}

/* Mount point of a line of df, or NULL; cuts the line. */
static char *mount_of(char *line)
{
	char *p, *fields[6] = {NULL};
	size_t n = 0;

	for (p = strtok(line, " \t"); p; p = strtok(NULL, " \t")) {
		if (n == 6) { /* split from the right: the last six count */
			memmove(fields, fields + 1, 5 * sizeof(*fields));
			n = 5;
		}
		fields[n++] = p;
	}
	return n == 6 ? fields[5] : NULL;
}

static bool is_below(const char *path, const char *mount)
{
	size_t n = strlen(mount);

	return !strcmp(mount, "/") ||
	       (!strncmp(path, mount, n) && (!path[n] || path[n] == '/'));
}

/*
 * The longest mount points of two paths in the listings of df in a log: 1 the
 * same, 0 different, -1 no match, -2 no listing.
 */
static int df_compare(char *log, const char *a, const char *z)
{
	char best[2][256] = {"", ""}, *line, *next, *mount;
	const char *path[2] = {a, z};
	bool within = false, seen = false;
	int k;

	for (line = log; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!strncmp(line, "Filesystem", 10) && strstr(line, "Used") &&
			strstr(line, "Avail") && strstr(line, "Mounted on")) {
			within = seen = true;
			continue;
		}
		mount = within ? mount_of(line) : NULL;
		within = mount != NULL;
		for (k = 0; mount && k < 2; k++)
			if (is_below(path[k], mount) &&
				strlen(mount) >= strlen(best[k]))
				snprintf(best[k], sizeof(best[k]), "%s", mount);
	}
	if (!seen)
		return -2;
	return !best[0][0] || !best[1][0] ? -1 : !strcmp(best[0], best[1]);
}

static void check_df(struct bundle *b, const struct bundle_leaf *l,
	const char *id, const char *log, const char *data, const char *results)
{
	char path[PATH_MAX], real[2][PATH_MAX], *text;
	size_t len;
	int same = -2;

	text = bundle_text(
		b, bundle_join(path, l->path, log), NULL, LOG_BYTES_MAX, &len);
	if (!realpath(data, real[0]))
		snprintf(real[0], PATH_MAX, "%s", data);
	if (!realpath(results, real[1]))
		snprintf(real[1], PATH_MAX, "%s", results);
	if (text)
		same = df_compare(text, real[0], real[1]);
	free(text);
	if (same == -2)
		bundle_say(b, id, false, l->path,
			"fs_separation.json with same_filesystem false",
			"no fs_separation.json, no df listing in %s", log);
	else if (same == -1)
		bundle_say_level(b, id, RULE_WARNING, false, l->path, NULL,
			"df lists no mount point of %s and %s", data, results);
	else
		bundle_say(b, id, !same, l->path, NULL,
			"by df, %s and %s are on %s", data, results,
			same ? "the same file system" : "different ones");
}

/* As Python has it: anything but false, null, 0 and what is empty. */
static bool is_truth(const struct cJSON *item)
{
	return item && !cJSON_IsFalse(item) && !cJSON_IsNull(item) &&
	       !(cJSON_IsNumber(item) && item->valuedouble == 0) &&
	       !(cJSON_IsString(item) && !item->valuestring[0]) &&
	       !((cJSON_IsArray(item) || cJSON_IsObject(item)) && !item->child);
}

void bundle_check_paths(struct bundle *b, const struct bundle_leaf *l,
	const char *data, const char *paths_id, const char *filesystem_id,
	const char *log)
{
	const char *results = bundle_string(l->metadata, "args.results_dir");
	const struct cJSON *same = bundle_at(l->separation, "same_filesystem");

	if (!l->metadata) {
		bundle_unknown(b, paths_id, l->path, "no metadata");
		bundle_unknown(b, filesystem_id, l->path, "no metadata");
		return;
	}
	bundle_say(b, paths_id,
			*data && *results && strcmp(data, results), l->path,
			NULL, "data \"%s\", results \"%s\"", data, results);
	if (!strcmp(bundle_string(
			    b->system, "solution.architecture.benchmark_API"),
		    "object")) {
		bundle_unknown(b, filesystem_id, l->path,
			"data are objects, not files");
		return;
	}
	if (l->separation) /* what it does not say is not the same */
		bundle_say(b, filesystem_id,
			cJSON_IsObject(l->separation) && !is_truth(same),
			l->path, "same_filesystem false", "same_filesystem %s",
			is_truth(same) ? "true" : "false or missing");
	else if (!*data || !*results)
		bundle_unknown(b, filesystem_id, l->path, "a path is not said");
	else
		check_df(b, l, filesystem_id, log, data, results);
}

void bundle_check_params(struct bundle *b, const struct bundle_leaf *l,
	const char *id, const char *first, const char *second)
{
	const struct cJSON *all = bundle_at(l->metadata, "override_parameters"),
			   *c;
	char want[256], bad[256] = "";
	size_t n = 0, count = 0;

	for (c = cJSON_IsObject(all) ? all->child : NULL; c; c = c->next) {
		count++;
		if (bundle_listed(b, first, c->string) ||
			(second && bundle_listed(b, second, c->string)))
			continue;
		if (n < sizeof(bad) - 1)
			n += (size_t)snprintf(bad + n, sizeof(bad) - n,
				"%s%.100s", n ? ", " : "", c->string);
	}
	if (n)
		bundle_say(b, id, false, l->path, bundle_words(b, first, want),
			"%s overridden", bad);
	else
		bundle_say(b, id, true, l->path, NULL, "%zu overridden", count);
}
