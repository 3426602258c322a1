/* The result folder of a KV cache run. */
#include "cli/cli.h"
#include "cli/kvcache.h"
#include "cli/outputs.h"

#include "core/json.h"
#include "core/units.h"
#include "results/kv_json.h"

#include <cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
	static const char *const replaced[] = {"hosts", "seed", "trials",
		"inter_option_delay", "num_processes", "num_users",
		"max_concurrent_allocs", "rag_num_docs"};
	struct cJSON *a = options_json(kvcache_run_rows, o), *hosts;
	size_t i;
	bool ok;

	if (!a)
		return NULL;
	for (i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(a, replaced[i]);
	hosts = json_add_array(a, "hosts");
	ok = hosts != NULL;
	for (i = 0; ok && i < rec->base.host_count; i++)
		ok = json_add_string(hosts, NULL, rec->base.hosts[i].name);
	ok = ok && json_add_u64(a, "seed", s->options[0].seed) &&
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

static int leaf_name(const struct kvcache_setup *s,
	const struct kv_record *rec, struct invocation *v, struct err *e)
{
	const struct train_config *b = &rec->base.config;
	time_t t = (time_t)((rec->base.time.wall_anchor_ns + rec->start_ns) /
			    NS_PER_S);
	char folder[4096];
	struct tm tm;
	int n;

	localtime_r(&t, &tm);
	strftime(v->stamp, sizeof(v->stamp), "%Y%m%d_%H%M%S", &tm);
	n = snprintf(folder, sizeof(folder),
		"%s/%s/%s/results/%s/kv_cache/%s/run", b->results_dir,
		rec_division_name(s->division), b->organization,
		b->system_name, s->options[0].model.name);
	if (n < 0 || (size_t)n >= sizeof(folder))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %.100s...: path too long",
			b->results_dir);
	return outputs_free_leaf(folder, v->stamp, v->leaf, e);
}

static void fill(struct invocation *v, const struct kvcache_options *o,
	const struct kvcache_setup *s, const struct kv_record *rec)
{
	v->family = "kv_cache";
	v->command = "run";
	v->tool_version = STOKER_VERSION;
	v->command_line = rec->base.command_line;
	v->verification = s->division == DIV_OPEN     ? "OPEN"
			  : s->division == DIV_CLOSED ? "CLOSED"
						      : "INVALID";
	v->config_dir = o->config_dir;
	v->config = v->base = &rec->base.config;
	v->processes = s->options[0].ranks;
	v->time = rec->base.time;
	v->start_ns = rec->start_ns;
	v->end_ns = rec->end_ns;
	v->host_count = rec->base.host_count;
	v->hosts = rec->base.hosts;
}

int kvcache_write_leaf(const struct kvcache_options *o,
	const struct kvcache_setup *s, struct kv_record *rec, const char *rows,
	char leaf[4096], struct err *e)
{
	struct invocation *v = calloc(1, sizeof(*v));
	struct cJSON *none = cJSON_CreateObject(), *a = args(o, s, rec);
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r = 0;

	if (!v || !none || !a || !f)
		r = err_nomem(e, "the result files");
	if (f) {
		kvcache_print_text(f, rec);
		fclose(f);
	}
	if (!r)
		r = leaf_name(s, rec, v, e);
	if (!r)
		r = outputs_probe(s->options[0].cache_dir,
			rec->base.config.results_dir, v->leaf, &v->separation,
			e);
	if (!r) {
		fill(v, o, s, rec);
		v->args = a;
		v->parameters = v->overrides = none;
		v->out_text = text;
		v->err_text = rows;
		snprintf(leaf, 4096, "%s", v->leaf);
		r = results_write_kv_leaf(v, rec, e);
	}
	cJSON_Delete(none);
	cJSON_Delete(a);
	free(text);
	free(v);
	return r;
}
