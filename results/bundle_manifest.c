/*
 * The copy of the data set's manifest in a training run (datagen-manifest.json,
 * schema mlps-datagen-manifest-snapshot/1): which generation the run has read.
 * Rules 3.3.1, the MANIFEST- findings. See bundle.h.
 */
#include "results/bundle_tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#define ID "3.3.1"
#define SCHEMA "mlps-datagen-manifest-snapshot/1"

static const struct bundle_leaf *made_by(
	const struct bundle_group *gens, const char *result_dir)
{
	const char *stamp = strrchr(result_dir, '/');
	size_t i;

	stamp = stamp ? stamp + 1 : result_dir;
	for (i = 0; i < gens->n; i++)
		if (!strcmp(gens->v[i].stamp, stamp))
			return &gens->v[i];
	return NULL;
}

/* What it says against the generation and the run. */
static bool check_content(struct bundle *b, const struct bundle_leaf *run,
	const struct bundle_group *gens, const struct cJSON *snapshot,
	const char *path)
{
	const struct cJSON *waived = bundle_at(snapshot, "overridden");
	double has = bundle_number(snapshot, "manifest.num_files_train"),
	       reads = bundle_number(run->summary, "num_files_train"), made;
	const char *from =
		bundle_string(snapshot, "manifest.source_datagen_result_dir");
	const struct bundle_leaf *gen = made_by(gens, from);
	bool ok = true;

	if (cJSON_GetArraySize(waived) > 0)
		bundle_say(b, ID, ok = false, path, "nothing waived",
			"MANIFEST-OVERRIDDEN: the run was started in spite of "
			"%d finding%s",
			cJSON_GetArraySize(waived),
			cJSON_GetArraySize(waived) == 1 ? "" : "s");
	if (!gen)
		bundle_say(b, ID, ok = false, path,
			"source_datagen_result_dir is a datagen leaf of this "
			"tree",
			"MANIFEST-LINK: made by \"%.200s\"", from);
	made = gen ? bundle_number(gen->metadata,
			     "parameters.dataset.num_files_train")
		   : NAN;
	if (!isnan(made) && made != has)
		bundle_say(b, ID, ok = false, path,
			"as many files as its datagen made",
			"MANIFEST-COUNT: %.0f files, datagen made %.0f", has,
			made);
	if (reads > has)
		bundle_say(b, ID, ok = false, path,
			"no more files than the manifest has",
			"MANIFEST-OVERRUN: %.0f files read, %.0f are in it",
			reads, has);
	return ok;
}

bool bundle_check_datagen_manifest(struct bundle *b,
	const struct bundle_leaf *run, const struct bundle_group *gens)
{
	const char *name =
		bundle_string(run->metadata, "datagen_manifest_file");
	char path[PATH_MAX];
	struct cJSON *s;
	bool ok;

	if (!bundle_is_head(b)) /* the open round knew neither */
		return true;
	if (!*name) {
		if (!*bundle_string(run->metadata, "provenance_file"))
			return true;
		bundle_say_level(b, ID, RULE_WARNING, false, run->path,
			"datagen_manifest_file in a stamped run",
			"MANIFEST-ABSENT: the run does not say which manifest "
			"it read");
		return false;
	}
	bundle_join(path, run->path, name);
	if (strchr(name, '/') || !names_have(&run->files, name)) {
		bundle_say(b, ID, false, run->path, name,
			"MANIFEST-MISSING: there is no %.200s", name);
		return false;
	}
	s = bundle_json(b, path, ID);
	if (!s)
		return false;
	ok = !strcmp(bundle_string(s, "schema"), SCHEMA) &&
	     !isnan(bundle_number(s, "manifest.num_files_train"));
	if (!ok)
		bundle_say(b, ID, false, path, SCHEMA,
			"MANIFEST-MISSING: schema \"%.60s\", or no "
			"manifest.num_files_train",
			bundle_string(s, "schema"));
	else
		ok = check_content(b, run, gens, s, path);
	cJSON_Delete(s);
	return ok;
}
