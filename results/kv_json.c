/* The suite's summary and the folder of a KV cache run; see kv_json.h. */
#include "results/kv_json.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/dlio_json.h"
#include "results/record_json.h"
#include "results/run_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define STORAGE 2

struct cJSON *results_kv_figures(const struct kv_aggregate *a)
{
	const struct {
		const char *key;
		double value;
	} t[] = {
		{"reported_read_gib_per_second", a->read_gib_s},
		{"reported_write_gib_per_second", a->write_gib_s},
		{"reported_tokens_per_wall_second", a->wall_tokens_s},
		{"tokens_per_io_thread_second", a->io_tokens_s},
		{"frozen_read_gib_per_second", a->strict_read_gib_s},
		{"frozen_write_gib_per_second", a->strict_write_gib_s},
		{"frozen_tokens_per_wall_second", a->strict_tokens_s},
		{"drain_seconds", a->drain_s},
		{"drain_read_gib",
			(double)a->drain_read_bytes / (double)GIB_BYTES},
		{"p95_request_io_ms", a->p95_request_io_ms},
		{"p95_request_end_to_end_ms", a->p95_end_to_end_ms},
		{"p95_file_read_ms", a->p95_read_ms},
		{"p95_file_write_ms", a->p95_write_ms},
		{"p95_file_read_device_ms", a->p95_device_read_ms},
		{"p95_file_write_device_ms", a->p95_device_write_ms},
		{"tokens_per_gib_read", a->tokens_per_gib_read},
		{"tokens_per_gib_written", a->tokens_per_gib_written},
	};
	struct cJSON *o = cJSON_CreateObject(), *x;
	bool ok = o != NULL;
	size_t i;

	for (i = 0; ok && i < sizeof(t) / sizeof(t[0]); i++)
		ok = json_add_double(o, t[i].key, t[i].value);
	x = ok ? json_add_object(o, "worker_time_share") : NULL;
	ok = x != NULL;
	for (i = 0; ok && i < KV_PHASES; i++)
		ok = json_add_double(x, kv_phase_name((enum kv_phase)i),
			a->phase_share[i]);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* Ranks that ended without a file, each once. */
static bool add_cpu_tier_ranks(
	struct cJSON *o, const struct kv_option_result *r)
{
	struct cJSON *list = json_add_array(o, "cpu_tier_ranks");
	uint32_t i, t, n = r->trial_count ? r->trials[0].rank_count : 0;
	bool ok = list != NULL, none;

	for (i = 0; ok && i < n; i++) {
		none = false;
		for (t = 0; t < r->trial_count; t++)
			none |= !r->trials[t].ranks[i].entries[STORAGE];
		if (none)
			ok = json_add_u64(list, NULL, r->trials[0].ranks[i].rank);
	}
	return ok;
}

/* What the option was run with: what the rules fix (Rules 6.3.1.1). */
static bool add_configuration(struct cJSON *to, const struct kv_config *c)
{
	struct cJSON *o = json_add_object(to, "configuration");

	return o && json_add_string(o, "model", c->model.name) &&
	       json_add_u64(o, "num_users", c->opt.users) &&
	       json_add_double(o, "duration", (double)c->duration_ns / 1e9) &&
	       json_add_double(o, "gpu_mem_gb",
		       (double)c->limits[0] / (double)GIB_BYTES) &&
	       json_add_double(o, "cpu_mem_gb",
		       (double)c->limits[1] / (double)GIB_BYTES) &&
	       json_add_u64(o, "max_concurrent_allocs", c->opt.allocations) &&
	       json_add_double(o, "token_seconds", (double)c->token_ns / 1e9) &&
	       json_add_u64(o, "seed", c->seed);
}

static bool add_option(struct cJSON *options, const struct kv_record *rec,
	const struct kv_option_result *r)
{
	const struct kv_aggregate *m = &r->mean;
	char key[16], bound[KV_BOUND_MAX];
	struct cJSON *o;

	snprintf(key, sizeof(key), "%u", r->config.option);
	o = json_add_object(options, key);
	if (!o || !json_add_u64(o, "option", r->config.option) ||
		!json_add_double(
			o, "aggregated_read_bandwidth_gbps", m->read_gib_s) ||
		!json_add_double(
			o, "aggregated_write_bandwidth_gbps", m->write_gib_s) ||
		!json_add_double(o,
			"aggregated_avg_throughput_tokens_per_sec",
			m->wall_tokens_s) ||
		!json_add_double(o,
			"aggregated_storage_throughput_tokens_per_sec",
			m->io_tokens_s) ||
		!json_add_double(o, "aggregated_p95_latency_ms",
			m->p95_request_io_ms) ||
		!json_add_double(o, "aggregated_device_read_p95_ms",
			m->p95_device_read_ms) ||
		!json_add_double(o, "aggregated_device_write_p95_ms",
			m->p95_device_write_ms) ||
		!json_add_u64(o, "rank_count", r->config.ranks) ||
		!json_add_u64(o, "trial_count", r->trial_count) ||
		!json_add_bool(o, "partial_failure",
			r->trial_count < rec->trials) ||
		!json_add_array(o, "missing_files") ||
		!add_cpu_tier_ranks(o, r) ||
		!add_configuration(o, &r->config) ||
		!json_add(o, "stoker", results_kv_figures(m)))
		return false;
	if (!r->trial_count)
		return true;
	return json_add_string(o, "bound_by",
		kv_bound(&r->config, m, &r->trials[r->trial_count - 1], bound));
}

struct cJSON *results_kv_summary(const struct kv_record *rec, const char *stamp)
{
	uint32_t hosts = rec->base.host_count ? rec->base.host_count : 1, i;
	uint32_t ranks = rec->options[0].config.ranks;
	struct cJSON *o = cJSON_CreateObject(), *x;
	bool ok, partial = !rec->finished;

	for (i = 0; i < rec->option_count; i++)
		partial |= rec->options[i].trial_count < rec->trials;
	ok = o && json_add_string(o, "schema_version", "1.0") &&
	     json_add_string(o, "run_datetime", stamp) &&
	     json_add_u64(o, "npernode", ranks / hosts) &&
	     json_add_u64(o, "host_count", hosts) &&
	     json_add_u64(o, "total_ranks", ranks) &&
	     json_add_u64(o, "trials_per_option", rec->trials);
	x = ok ? json_add_object(o, "options") : NULL;
	ok = x != NULL;
	for (i = 0; ok && i < rec->option_count; i++)
		ok = add_option(x, rec, &rec->options[i]);
	if (ok && json_add_bool(o, "partial_failure", partial) &&
		json_add_object(o, "trial_failures"))
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* Over the ranks of a trial. */
static bool add_trial(struct cJSON *list, const struct kv_trial *t)
{
	struct cJSON *o = json_add_object(list, NULL);
	uint64_t requests = 0, offered = 0, abandoned = 0, hits = 0, misses = 0;
	uint64_t read = 0, written = 0;
	struct kv_aggregate a;
	uint32_t i;

	for (i = 0; i < t->rank_count; i++) {
		const struct kv_rank_result *k = &t->ranks[i];

		requests += k->counted.requests;
		offered += k->offered;
		abandoned += k->abandoned;
		hits += k->counted.hits;
		misses += k->counted.misses;
		read += k->device_read_bytes;
		written += k->device_written_bytes;
	}
	kv_trial_aggregate(t, &a);
	return o && json_add_string(o, "stamp", t->stamp) &&
	       json_add_u64(o, "ranks", t->rank_count) &&
	       json_add(o, "figures", results_kv_figures(&a)) &&
	       json_add_u64(o, "requests", requests) &&
	       json_add_u64(o, "requests_offered", offered) &&
	       json_add_u64(o, "requests_abandoned", abandoned) &&
	       json_add_u64(o, "cache_hits", hits) &&
	       json_add_u64(o, "cache_misses", misses) &&
	       json_add_u64(o, "device_read_bytes", read) &&
	       json_add_u64(o, "device_written_bytes", written);
}

/* What the benchmark's files have no place for: the trials, one by one. */
static struct cJSON *own(const struct kv_record *rec)
{
	struct cJSON *o = cJSON_CreateObject(), *list, *x, *trials;
	const struct kv_option_result *r;
	bool ok = o && json_add_bool(o, "finished", rec->finished) &&
		  json_add_string(o, "io",
			  rec->options[0].config.io == KV_IO_DIRECT
				  ? "direct"
				  : "reference");
	uint32_t i, t;

	list = ok ? json_add_array(o, "options") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < rec->option_count; i++) {
		r = &rec->options[i];
		x = json_add_object(list, NULL);
		ok = x && json_add_u64(x, "option", r->config.option) &&
		     json_add_string(x, "label", r->config.opt.label) &&
		     json_add_string(x, "model", r->config.model.name) &&
		     json_add_u64(x, "num_users", r->config.opt.users) &&
		     json_add_double(x, "duration_seconds",
			     (double)r->config.duration_ns / 1e9);
		trials = ok ? json_add_array(x, "trials") : NULL;
		ok = trials != NULL;
		for (t = 0; ok && t < r->trial_count; t++)
			ok = add_trial(trials, &r->trials[t]);
	}
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static int write_ranks(const struct kv_config *c, struct kv_trial *t,
	uint32_t trial, const char *dir, struct err *e)
{
	char folder[PATH_MAX], name[64];
	uint32_t i;
	int r = 0;

	snprintf(name, sizeof(name), "kvcache_results_%s.json", t->stamp);
	for (i = 0; !r && i < t->rank_count; i++) {
		if (snprintf(folder, sizeof(folder),
			    "%s/option_%u/trial_%u/rank_%u", dir, c->option,
			    trial, t->ranks[i].rank) >= (int)sizeof(folder))
			return err_set(e, ERR_USAGE, -ENAMETOOLONG,
				"the results folder's name is too long");
		r = file_mkdirs(folder, e);
		if (!r)
			r = results_write_tree(
				results_kv_rank(c, &t->ranks[i]), folder, name,
				e);
	}
	return r;
}

static int write_text(const char *text, const char *dir, const char *name,
	struct err *e)
{
	char path[PATH_MAX];
	int r = text ? results_path(path, dir, name, e) : 0;

	return r || !text ? r : file_write_atomic(path, text, strlen(text), e);
}

/* The two logs that the wrapper leaves of each trial. */
static int write_logs(const struct kv_config *c, struct kv_trial *t,
	uint32_t trial, const char *dir, struct err *e)
{
	struct kv_aggregate a;
	char name[96], text[512];
	int r;

	kv_trial_aggregate(t, &a);
	snprintf(text, sizeof(text),
		"option %u, trial %u: %u rank%s of %s, %u users each\n"
		"storage read %.4f GiB/s, write %.4f GiB/s\n"
		"%.4f tok/s by the wall clock, %.4f by time of I/O\n"
		"P95 of a request's I/O %.3f ms\n",
		c->option, trial, t->rank_count,
		t->rank_count == 1 ? "" : "s", c->model.name, c->opt.users,
		a.read_gib_s, a.write_gib_s, a.wall_tokens_s, a.io_tokens_s,
		a.p95_request_io_ms);
	snprintf(name, sizeof(name), "kvcache_opt%u_trial%u_%s.stdout.log",
		c->option, trial, t->stamp);
	r = write_text(text, dir, name, e);
	snprintf(name, sizeof(name), "kvcache_opt%u_trial%u_%s.stderr.log",
		c->option, trial, t->stamp);
	return r ? r : write_text("", dir, name, e);
}

static int write_trial(struct kv_option_result *o, uint32_t trial,
	const char *dir, struct err *e)
{
	int r = write_ranks(&o->config, &o->trials[trial], trial, dir, e);

	return r ? r
		 : write_logs(&o->config, &o->trials[trial], trial, dir, e);
}

static int write_all(const struct invocation *v, struct kv_record *rec,
	const char *dir, struct err *e)
{
	char name[64];
	uint32_t i, t;
	int r = results_write_tree(
		results_kv_summary(rec, v->stamp), dir, "summary.json", e);

	/* the name it had first, for readers that look for it */
	snprintf(name, sizeof(name), "kvcache_run_summary_%s.json", v->stamp);
	if (!r)
		r = results_write_tree(
			results_kv_summary(rec, v->stamp), dir, name, e);
	for (i = 0; !r && i < rec->option_count; i++)
		for (t = 0; !r && t < rec->options[i].trial_count; t++)
			r = write_trial(&rec->options[i], t, dir, e);
	if (!r)
		r = results_write_run_json(
			&rec->base, "kv_cache", own(rec), dir, e);
	if (!r)
		r = results_write_metadata(v, dir, e);
	if (!r)
		r = results_write_cluster_info(v, dir, e);
	if (!r)
		r = write_text(v->out_text, dir, "kv_cache_run.stdout.log", e);
	return r ? r
		 : write_text(v->err_text, dir, "kv_cache_run.stderr.log", e);
}

int results_write_kv_leaf(const struct invocation *v, struct kv_record *rec,
	struct err *e)
{
	char partial[PATH_MAX];
	int r = results_leaf_open(v->leaf, partial, sizeof(partial), e);

	if (r)
		return r;
	r = write_all(v, rec, partial, e);
	if (!r)
		r = results_leaf_commit(v->leaf, partial, e);
	if (r)
		file_remove_tree(partial, NULL);
	return r;
}
