/* RPT-01: the tables of results of an organization. See bundle.h. */
#include "results/bundle_tree.h"

#include <cjson/cJSON.h>

#define DEPTH_MAX 16

/* Public IDs of a table; false, and told: it is none. */
static bool read_ids(struct bundle *b, const char *path, struct names *ids)
{
	struct cJSON *t = bundle_json(b, path, "RPT-01");
	bool ok = cJSON_IsArray(t);
	const struct cJSON *row;
	const char *id;

	if (!t)
		return false;
	bundle_say(b, "RPT-01", ok, path, "a list",
		ok ? "a list of %d rows" : "no list (%d)",
		cJSON_GetArraySize(t));
	if (ok)
		cJSON_ArrayForEach(row, t)
		{
			id = bundle_string(row, "Public ID");
			if (*id && !names_add(ids, id))
				b->no_memory = true;
		}
	cJSON_Delete(t);
	return ok;
}

static void read_tables(
	struct bundle *b, const char *folder, struct names *ids, int depth)
{
	struct names dirs = {0}, files = {0};
	char below[PATH_MAX];
	size_t i;

	if (depth > DEPTH_MAX || !bundle_list(b, folder, &dirs, &files))
		return;
	if (depth && names_have(&files, "results.json"))
		read_ids(b, bundle_join(below, folder, "results.json"), ids);
	for (i = 0; i < dirs.n; i++)
		if (dirs.v[i][0] != '.' &&
			!bundle_is_link(
				b, bundle_join(below, folder, dirs.v[i])))
			read_tables(b, below, ids, depth + 1);
	names_fini(&dirs);
	names_fini(&files);
}

static void check_ids(struct bundle *b, const char *path,
	const struct names *from, const struct names *in, const char *what)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		if (!names_have(in, from->v[i]))
			bundle_say(b, "RPT-01", false, path, NULL,
				"Public ID %.40s is only in %s", from->v[i],
				what);
}

void bundle_check_tables(struct bundle *b)
{
	struct names rollup = {0}, tables = {0};
	char org[PATH_MAX], results[PATH_MAX], path[PATH_MAX];

	bundle_join(org, b->division, b->org);
	bundle_join(results, org, "results");
	bundle_join(path, results, "results.json");
	if (!bundle_is_head(b) || !bundle_has(b, path, false) ||
		!read_ids(b, path, &rollup))
		return;
	read_tables(b, results, &tables, 0);
	check_ids(b, path, &rollup, &tables, "the rollup");
	check_ids(b, path, &tables, &rollup, "the table of a workload");
	names_fini(&rollup);
	names_fini(&tables);
}
