/*
 * KV cache in a tree. The benchmark's checker asks little of it; its rules 6.x
 * are for reviewers, and asked with --strict. See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/json.h"
#include "core/kv_workload.h"
#include "results/rules_data.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options of the benchmark's and of stoker's that CLOSED does not have. */
static const char *const locked[] = {"config", "enable_rag", "use_burst_trace",
	"burst_trace_path", "enable_latency_tracing", "disable_multi_turn",
	"disable_prefix_caching", "closed_loop", "storage_capacity_gb",
	"tensor_parallel", NULL};

static bool is_set(const struct cJSON *item)
{
	return cJSON_IsTrue(item) || cJSON_IsNumber(item) ||
	       (cJSON_IsString(item) && item->valuestring[0] &&
		       strcmp(item->valuestring, "False"));
}

static void find_changed(const struct bundle_leaf *l, char text[256])
{
	const struct cJSON *args = bundle_at(l->metadata, "args");
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; locked[i]; i++)
		if (is_set(cJSON_GetObjectItemCaseSensitive(args, locked[i])))
			n += (size_t)snprintf(text + n, 256 - n, "%s%s",
				n ? ", " : "", locked[i]);
}

/* What stoker's summaries tell of an option; those of others do not. */
static bool read_option(const struct cJSON *option, struct rule_kv_option *is)
{
	const struct cJSON *c = bundle_at(option, "configuration");

	snprintf(is->model, sizeof(is->model), "%s", bundle_string(c, "model"));
	is->users = bundle_number(c, "num_users");
	is->duration_s = bundle_number(c, "duration");
	is->gpu_gib = bundle_number(c, "gpu_mem_gb");
	is->cpu_gib = bundle_number(c, "cpu_mem_gb");
	is->allocations = bundle_number(c, "max_concurrent_allocs");
	is->token_s = bundle_number(c, "token_seconds");
	return c != NULL;
}

static void read_facts(
	const struct bundle_leaf *l, struct rule_kv_facts *k, char changed[256])
{
	const char *workload = bundle_string(l->metadata, "args.workload");
	const struct cJSON *o;
	char at[32];
	size_t i;

	for (i = 0; i < RULE_KV_OPTIONS; i++) {
		snprintf(at, sizeof(at), "options.%zu", i + 1);
		o = bundle_at(l->summary, at);
		k->present[i] = o && !bundle_true(o, "partial_failure");
		k->known[i] = o && read_option(o, &k->is[i]);
	}
	k->seed = bundle_number(l->metadata, "args.seed");
	k->trials = bundle_number(l->metadata, "args.trials");
	k->pause_s = bundle_number(l->metadata, "args.inter_option_delay");
	k->config = *workload && strcmp(workload, KV_WORKLOAD_DEFAULT)
			    ? workload
			    : NULL;
	find_changed(l, changed);
	k->changed = *changed ? changed : NULL;
}

/* Files of a name like that in a folder of the leaf; -1: no folder. */
static int results_in(struct bundle *b, const char *path)
{
	struct names files = {0};
	int n = -1;
	size_t i;

	if (!bundle_has(b, path, true))
		return -1;
	bundle_list(b, path, NULL, &files);
	for (i = 0, n = 0; i < files.n; i++)
		n += !strncmp(files.v[i], "kvcache_results_", 16);
	names_fini(&files);
	return n;
}

/* Each rank of each trial has one file, in a folder of its own. */
static void check_isolation(struct bundle *b, const struct bundle_leaf *l)
{
	double ranks = bundle_number(l->summary, "total_ranks"), trials;
	char path[PATH_MAX], below[160], at[48];
	const struct cJSON *o;
	unsigned t, r;
	int n;

	if (!(ranks >= 1 && ranks <= 65536)) {
		bundle_unknown(
			b, "6.3.3.3", l->path, "total_ranks is not told");
		return;
	}
	cJSON_ArrayForEach(o, bundle_at(l->summary, "options"))
	{
		snprintf(
			at, sizeof(at), "options.%.16s.trial_count", o->string);
		trials = bundle_number(l->summary, at);
		for (t = 0; trials <= 1000 && t < trials; t++)
			for (r = 0; r < ranks; r++) {
				snprintf(below, sizeof(below),
					"option_%.16s/trial_%u/rank_%u",
					o->string, t, r);
				bundle_join(path, l->path, below);
				n = results_in(b, path);
				bundle_say(b, "6.3.3.3", n == 1, path, NULL,
					n < 0 ? "there is no such folder (%d)"
					      : "%d kvcache_results_*.json",
					n);
			}
	}
}

static void check_tiers(struct bundle *b, const struct bundle_leaf *l)
{
	double ranks = bundle_number(l->summary, "total_ranks");
	const struct cJSON *o;
	int n;

	cJSON_ArrayForEach(o, bundle_at(l->summary, "options"))
	{
		n = cJSON_GetArraySize(bundle_at(o, "cpu_tier_ranks"));
		if (isnan(ranks))
			continue;
		bundle_say(b, "6.3.4.4", n < ranks, l->path, NULL,
			"option %.16s: %d of %g ranks from memory alone",
			o->string, n, ranks);
	}
}

static void review(struct bundle *b, const struct bundle_leaf *l,
	const struct kv_workload *rules)
{
	struct rule_kv_facts k = {.seed = 0};
	struct rule_facts f = {.family = FAMILY_KV, .kv = &k};
	char changed[256];

	rules_kv_wanted(rules, &k);
	read_facts(l, &k, changed);
	if (strcmp(b->division, "open")) {
		bundle_ask(b, "6.3.1.1", l->path, &f);
		bundle_ask(b, "6.3.2.1", l->path, &f);
		bundle_ask(b, "6.6.1", l->path, &f);
		bundle_say(b, "6.3.2.2",
			!bundle_true(l->metadata, "args.enable_autoscaling"),
			l->path, NULL, "enable_autoscaling is %s",
			bundle_true(l->metadata, "args.enable_autoscaling")
				? "set"
				: "not set");
	}
	check_isolation(b, l);
	check_tiers(b, l);
	bundle_check_paths(b, l, bundle_string(l->metadata, "args.cache_dir"),
		"6.4.1", "6.4.1", "kv_cache_run.stdout.log");
}

void bundle_check_kv(struct bundle *b, const char *path)
{
	struct kv_workload *rules = calloc(1, sizeof(*rules));
	struct bundle_group run = {0};
	char below[PATH_MAX];
	struct err e;
	bool known;
	size_t i;

	b->no_memory = b->no_memory || !rules;
	known = rules && !kv_workload_load(b->options->config_dir,
				 KV_WORKLOAD_DEFAULT, rules, &e);
	if (bundle_has(b, bundle_join(below, path, "run"), true))
		bundle_group_load(b, below, &run);
	for (i = 0; i < run.n; i++) {
		bundle_check_leaf(b, &run.v[i], "kv_cache", "", true);
		bundle_say(b, "B-02", run.v[i].summary != NULL, run.v[i].path,
			"summary.json",
			run.v[i].summary ? "summary.json" : "no summary.json");
		bundle_check_one_metadata(b, &run.v[i]);
		if (b->options->strict && known)
			review(b, &run.v[i], rules);
	}
	bundle_group_fini(&run);
	free(rules);
}
