/* See rules_data.h. */
#include "results/rules_data.h"

#include "core/config.h"
#include "core/edition.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

int rules_vdb_words(const char *config_dir, const char *index,
	struct rule_vdb_words *w, struct err *e)
{
	static const char file[] = "editions/" EDITION_DEFAULT ".json";
	const struct cJSON *bundle, *v, *list = NULL, *item;
	struct cJSON *root;
	size_t n = 0;
	int r;

	memset(w, 0, sizeof(*w));
	r = config_load(config_dir, file, &root, e);
	if (r)
		return r;
	r = json_get_object(root, file, "bundle", &bundle, e);
	if (!r)
		r = json_get_object(bundle, file, "vector_database", &v, e);
	if (!r)
		r = json_get_string(v, file, "database", w->database,
			sizeof(w->database), e);
	if (!r)
		r = json_get_double(v, file, "runs", 1, 1000, &w->runs, e);
	if (!r)
		r = json_get_array(v, file, "indexes", &list, e);
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item) || n >= sizeof(w->indexes) - 1)
			continue;
		w->listed = w->listed || !strcmp(item->valuestring, index);
		n += (size_t)snprintf(w->indexes + n, sizeof(w->indexes) - n,
			"%s%s", n ? ", " : "", item->valuestring);
	}
	cJSON_Delete(root);
	return r;
}

void rules_kv_wanted(const struct kv_workload *w, struct rule_kv_facts *k)
{
	uint32_t i;

	for (i = 0; i < w->option_count && i < RULE_KV_OPTIONS; i++) {
		snprintf(k->want[i].model, sizeof(k->want[i].model), "%s",
			w->options[i].model);
		k->want[i].users = w->options[i].users;
		k->want[i].duration_s = w->options[i].duration_s;
		k->want[i].gpu_gib = w->options[i].gpu_gib;
		k->want[i].cpu_gib = w->options[i].cpu_gib;
		k->want[i].allocations = w->options[i].allocations;
	}
	k->want_seed = (double)w->seed;
	k->want_trials = w->trials;
	k->want_pause_s = w->inter_option_delay_s;
}
