/* The result folder of a KV cache run. */
#include "cli/cli.h"
#include "cli/kvcache.h"
#include "cli/outputs.h"
#include "cli/run_leaf.h"

#include "core/json.h"
#include "core/units.h"
#include "results/kv_json.h"

#include <cJSON.h>

/* null: each of the benchmark's options has its own. */
static bool add_given(
	struct cJSON *a, const char *key, uint64_t value, uint64_t not_given)
{
	return value == not_given ? json_add(a, key, cJSON_CreateNull())
				  : json_add_u64(a, key, value);
}

/* The names that readers of the metadata look for, as they came out. */
static struct cJSON *args(const struct kvcache_options *o,
	const struct kvcache_setup *s, const struct kv_record *rec)
{
	static const char *const replaced[] = {"seed", "trials",
		"inter_option_delay", "num_processes", "num_users",
		"max_concurrent_allocs", "rag_num_docs"};
	struct cJSON *a = options_json(kvcache_run_rows, o);
	char name[4096];
	size_t i;
	bool ok;

	if (!a)
		return NULL;
	if (o->drive) {
		outputs_model_name(o->drive, name);
		cJSON_DeleteItemFromObjectCaseSensitive(a, "cache_dir");
		if (!json_add_string(a, "cache_dir", name)) {
			cJSON_Delete(a);
			return NULL;
		}
	}
	for (i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(a, replaced[i]);
	ok = run_args_hosts(a, &rec->base) &&
	     json_add_u64(a, "seed", s->options[0].seed) &&
	     json_add_u64(a, "trials", s->trials) &&
	     json_add_double(a, "inter_option_delay",
		     (double)s->inter_option_delay_ns / 1e9) &&
	     json_add_u64(a, "num_processes", s->options[0].ranks) &&
	     add_given(a, "num_users", o->users, 0) &&
	     add_given(a, "max_concurrent_allocs", o->allocations,
		     UINT64_MAX) &&
	     add_given(a, "rag_num_docs", s->options[0].rag_documents, 0);
	if (ok)
		return a;
	cJSON_Delete(a);
	return NULL;
}

int kvcache_write_leaf(const struct kvcache_options *o,
	const struct kvcache_setup *s, struct kv_record *rec, const char *rows,
	char leaf[4096], struct err *e)
{
	struct run_leaf *l =
		run_leaf_new(&rec->base, rec->start_ns, rec->end_ns);
	const struct kv_config *c = &s->options[0];
	char below[KV_MODEL_NAME_MAX + 32];
	int r;

	if (!l)
		return err_nomem(e, "the result files");
	kvcache_print_text(l->report, rec);
	l->v.family = "kv_cache";
	l->v.verification =
		s->division == DIV_OPEN ? "OPEN"
		: s->division == DIV_CLOSED && !s->not_closed.count
			? "CLOSED"
			: "INVALID";
	l->v.config_dir = o->config_dir;
	l->v.processes = c->ranks;
	l->v.err_text = rows;
	l->args = args(o, s, rec);
	l->parameters = cJSON_CreateObject();
	l->overrides = cJSON_CreateObject();
	snprintf(below, sizeof(below), "kv_cache/%s/run", c->model.name);
	r = run_leaf_place(l, rec_division_name(s->division), below, e);
	if (!r)
		r = run_leaf_probe(l, c->cache_dir, e);
	if (!r) {
		snprintf(leaf, 4096, "%s", l->v.leaf);
		r = results_write_kv_leaf(&l->v, rec, e);
	}
	run_leaf_free(l);
	return r;
}
