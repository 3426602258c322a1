/* The result file of one rank of a KV cache run; see kv_json.h. */
#include "results/kv_json.h"

#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <stdio.h>

/* enum kv_tier, which results/ does not see */
static const char *const tiers[KV_RECORD_TIERS] = {"gpu", "cpu", "storage"};
#define CPU 1
#define STORAGE 2

static const struct {
	const char *key;
	double share;
} percentiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999},
	{"p9999", 0.9999}};
#define PERCENTILES (sizeof(percentiles) / sizeof(percentiles[0]))

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

static double seconds(const struct kv_rank_result *k)
{
	return k->elapsed_ns > 0 ? (double)k->elapsed_ns / 1e9 : 1;
}

/* Before anything sorts them: the requests in the order they were served. */
static bool add_seconds(
	struct cJSON *o, const char *key, const struct kv_series *s)
{
	struct cJSON *list = json_add_array(o, key);
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < s->n; i++)
		ok = json_add_double(list, NULL, (double)s->v[i] / 1e9);
	return ok;
}

static bool add_latency(struct cJSON *o, const char *key, struct kv_series *s)
{
	struct cJSON *x = json_add_object(o, key);
	bool ok = x && json_add_double(x, "mean", kv_series_mean(s) / 1e6);
	size_t i;

	for (i = 0; ok && i < PERCENTILES; i++)
		ok = json_add_double(x, percentiles[i].key,
			kv_series_percentile(s, percentiles[i].share) / 1e6);
	return ok;
}

/* "storage_read_p50_ms" ...; no keys without samples. */
static bool add_flat(struct cJSON *o, const char *prefix, struct kv_series *s)
{
	char key[64];
	bool ok = true;
	size_t i;

	for (i = 0; ok && s->n && i < PERCENTILES; i++) {
		snprintf(key, sizeof(key), "%s_%s_ms", prefix,
			percentiles[i].key);
		ok = json_add_double(o, key,
			kv_series_percentile(s, percentiles[i].share) / 1e6);
	}
	return ok;
}

/* A gate without samples is not evaluated: mlcommons/storage#421. */
static bool add_health(struct cJSON *o, struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	uint64_t lookups = c->hits + c->misses;
	const struct {
		const char *name, *unit;
		double target, actual;
		uint64_t samples;
		bool above;
	} t[] = {
		{"storage_write_device_p95", "ms", 500,
			kv_series_percentile(
				&k->series[KV_WRITE_DEVICE], 0.95) / 1e6,
			k->series[KV_WRITE_DEVICE].n, false},
		{"storage_read_device_p95", "ms", 200,
			kv_series_percentile(
				&k->series[KV_READ_DEVICE], 0.95) / 1e6,
			k->series[KV_READ_DEVICE].n, false},
		{"cpu_read_write_p95", "ms", 150,
			kv_series_percentile(&k->series[KV_CPU_READ], 0.95) /
				1e6, k->series[KV_CPU_READ].n, false},
		{"cache_hit_rate", "ratio", 0.3,
			lookups ? (double)c->hits / (double)lookups : 0,
			lookups, true},
	};
	struct cJSON *x = json_add_object(o, "storage_health"), *list, *item;
	uint64_t passed = 0, total = 0;
	bool ok = x != NULL, good;
	size_t i;

	list = ok ? cJSON_CreateArray() : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < sizeof(t) / sizeof(t[0]); i++) {
		good = t[i].above ? t[i].actual > t[i].target
				  : t[i].actual < t[i].target;
		total += t[i].samples > 0;
		passed += t[i].samples > 0 && good;
		item = json_add_object(list, NULL);
		ok = item && json_add_string(item, "name", t[i].name) &&
		     json_add_double(item, "target", t[i].target) &&
		     json_add_double(item, "actual", t[i].actual) &&
		     json_add_string(item, "unit", t[i].unit) &&
		     (t[i].samples
				     ? json_add_bool(item, "passed", good)
				     : json_add_string(item, "passed",
					       "NOT EVALUATED"));
	}
	ok = ok && json_add_string(x, "overall_status",
			   !total	     ? "NOT EVALUATED"
			   : passed == total ? "PASS"
					     : "FAIL");
	if (!ok) {
		cJSON_Delete(list);
		return false;
	}
	return json_add(x, "criteria", list) &&
	       json_add_u64(x, "passed_count", passed) &&
	       json_add_u64(x, "total_count", total);
}

static bool add_tiers(struct cJSON *o, const struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	const struct {
		const char *key;
		const uint64_t *bytes;
		double per;
	} t[] = {
		{"kv_bytes_written_gb", c->tier_written_bytes, 1},
		{"kv_bytes_read_gb", c->tier_read_bytes, 1},
		{"read_bandwidth_gbps", c->tier_read_bytes,
			seconds(k)},
		{"write_bandwidth_gbps", c->tier_written_bytes,
			seconds(k)},
	};
	char key[64];
	bool ok = true;
	uint32_t i;
	size_t j;

	for (j = 0; j < sizeof(t) / sizeof(t[0]); j++)
		for (i = 0; ok && i < KV_RECORD_TIERS; i++) {
			snprintf(key, sizeof(key), "tier_%s_%s", tiers[i],
				t[j].key);
			ok = json_add_double(
				o, key, gib(t[j].bytes[i]) / t[j].per);
		}
	return ok;
}

static bool add_counts(struct cJSON *o, const struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;

	return json_add_u64(o, "prefill_writes", c->prefill_writes) &&
	       json_add_u64(o, "decode_reads", c->decode_reads) &&
	       add_tiers(o, k) &&
	       json_add_u64(o, "system_prompt_hits", c->system_prompt_hits) &&
	       json_add_u64(o, "common_phrase_hits", 0) &&
	       json_add_u64(o, "user_cache_hits", c->user_hits) &&
	       json_add_u64(o, "multi_turn_hits", c->multi_turn_hits) &&
	       json_add_u64(o, "total_read_bytes", c->read_bytes) &&
	       json_add_u64(o, "total_write_bytes", c->write_bytes) &&
	       json_add_double(o, "total_read_gb", gib(c->read_bytes)) &&
	       json_add_double(o, "total_write_gb", gib(c->write_bytes)) &&
	       json_add_double(o, "read_write_ratio",
		       c->write_bytes ? (double)c->read_bytes /
						(double)c->write_bytes
				      : 0) &&
	       json_add_u64(o, "read_iops", c->decode_reads) &&
	       json_add_u64(o, "write_iops", c->prefill_writes) &&
	       json_add_double(o, "storage_tokens_processed",
		       (double)c->storage_tokens);
}

static bool add_cache_stats(struct cJSON *o, struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	uint64_t lookups = c->hits + c->misses;
	struct kv_series *s = k->series;
	struct cJSON *x = json_add_object(o, "cache_stats");

	return x &&
	       json_add_double(x, "cache_hit_rate",
		       lookups ? (double)c->hits / (double)lookups : 0) &&
	       json_add_u64(x, "cache_hits", c->hits) &&
	       json_add_u64(x, "cache_misses", c->misses) &&
	       json_add_u64(x, "gpu_entries", k->entries[0]) &&
	       json_add_u64(x, "cpu_entries", k->entries[CPU]) &&
	       json_add_u64(x, "storage_entries", k->entries[STORAGE]) &&
	       json_add_double(
		       x, "gpu_memory_used_gb", gib(k->used_bytes[0])) &&
	       json_add_double(
		       x, "cpu_memory_used_gb", gib(k->used_bytes[CPU])) &&
	       json_add_u64(x, "offloads_cpu", c->offloads[CPU]) &&
	       json_add_u64(x, "offloads_storage", c->offloads[STORAGE]) &&
	       add_health(x, k) && add_counts(x, k) &&
	       add_flat(x, "storage_read", &s[KV_READ]) &&
	       add_flat(x, "storage_read_device", &s[KV_READ_DEVICE]) &&
	       add_flat(x, "storage_read_host", &s[KV_READ_HOST]) &&
	       add_flat(x, "storage_write", &s[KV_WRITE]) &&
	       add_flat(x, "storage_write_device", &s[KV_WRITE_DEVICE]) &&
	       add_flat(x, "storage_write_host", &s[KV_WRITE_HOST]) &&
	       add_flat(x, "cpu_read", &s[KV_CPU_READ]) &&
	       add_flat(x, "cpu_write", &s[KV_CPU_WRITE]);
}

static bool add_class(
	struct cJSON *o, struct kv_rank_result *k, enum kv_class class)
{
	static const double targets_ms[KV_CLASSES] = {50, 100, 1000};
	struct kv_series *s = &k->series[KV_END_TO_END_CLASS + class];
	struct cJSON *x = json_add_object(o, kv_class_name(class)), *l;
	double target = targets_ms[class], good;
	uint32_t i, over = 0;

	if (!x || !s->n)
		return x && json_add_bool(x, "no_data", true);
	for (i = 0; i < s->n; i++)
		over += (double)s->v[i] / 1e6 > target;
	good = 1 - (double)over / s->n;
	l = json_add_u64(x, "total_requests", s->n)
		    ? json_add_object(x, "latency_ms")
		    : NULL;
	if (!l || !json_add_double(l, "mean", kv_series_mean(s) / 1e6) ||
		!json_add_double(
			l, "p50", kv_series_percentile(s, 0.5) / 1e6) ||
		!json_add_double(
			l, "p95", kv_series_percentile(s, 0.95) / 1e6) ||
		!json_add_double(
			l, "p99", kv_series_percentile(s, 0.99) / 1e6) ||
		!json_add_double(l, "max", kv_series_percentile(s, 1) / 1e6))
		return false;
	l = json_add_object(x, "sla");
	return l && json_add_double(l, "target_p95_ms", target) &&
	       json_add_double(l, "actual_p95_ms",
		       kv_series_percentile(s, 0.95) / 1e6) &&
	       json_add_double(l, "compliance", good) &&
	       json_add_bool(l, "met", good >= 0.95);
}

static bool add_prefix_and_turns(struct cJSON *o, const struct kv_counts *c)
{
	struct cJSON *x = json_add_object(o, "prefix_cache_stats");
	uint64_t n = c->multi_turn_hits + c->multi_turn_misses;

	if (!x || !json_add_u64(x, "prefix_hits", c->prefix_hits) ||
		!json_add_u64(x, "prefix_misses", c->prefix_misses) ||
		!json_add_u64(x, "system_prompt_reuse", c->prefix_hits) ||
		!json_add_u64(x, "common_phrase_reuse", 0) ||
		!json_add_u64(x, "bytes_saved", c->prefix_bytes_saved) ||
		!json_add_array(o, "autoscaling_stats") ||
		!json_add(o, "autoscaling_summary", cJSON_CreateNull()))
		return false;
	x = json_add_object(o, "multi_turn_stats");
	return x && json_add_u64(x, "cache_hits", c->multi_turn_hits) &&
	       json_add_u64(x, "cache_misses", c->multi_turn_misses) &&
	       json_add_double(x, "hit_rate",
		       (double)c->multi_turn_hits / (double)(n ? n : 1));
}

static bool add_summary(struct cJSON *o, struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	double io_s = (double)c->request_io_ns / 1e9;
	struct cJSON *x = json_add_object(o, "summary"), *q;
	bool ok;
	int i;

	ok = x && json_add_u64(x, "total_requests", c->requests) &&
	     json_add_u64(x, "total_tokens", c->tokens) &&
	     json_add_double(x, "elapsed_time", seconds(k)) &&
	     json_add_double(x, "avg_throughput_tokens_per_sec",
		     (double)c->tokens / seconds(k)) &&
	     json_add_double(x, "total_storage_io_time", io_s) &&
	     json_add_double(x, "storage_throughput_tokens_per_sec",
		     io_s > 0 ? (double)c->tokens / io_s : 0) &&
	     json_add_double(x, "requests_per_second",
		     (double)c->requests / seconds(k)) &&
	     add_latency(x, "end_to_end_latency_ms",
		     &k->series[KV_END_TO_END]) &&
	     add_latency(x, "storage_io_latency_ms",
		     &k->series[KV_REQUEST_IO]);
	ok = ok &&
	     add_latency(x, "generation_latency_ms",
		     &k->series[KV_GENERATION]) &&
	     add_cache_stats(x, k);
	q = ok ? json_add_object(x, "qos_metrics") : NULL;
	ok = q != NULL;
	for (i = 0; ok && i < KV_CLASSES; i++)
		ok = add_class(q, k, (enum kv_class)i);
	return ok && add_prefix_and_turns(x, c);
}

static bool add_rag(struct cJSON *o, const struct kv_counts *c)
{
	struct cJSON *x = json_add_object(o, "rag");

	return x && json_add_u64(x, "documents", c->rag_documents) &&
	       json_add_u64(x, "chunks_written", c->rag_chunks_written) &&
	       json_add_u64(x, "retrievals", c->rag_retrievals) &&
	       json_add_u64(x, "chunk_reads", c->rag_chunk_reads) &&
	       json_add_u64(x, "chunk_misses", c->rag_chunk_misses) &&
	       json_add_u64(x, "questions", c->rag_questions);
}

/* What the reference's names do not tell. */
static bool add_own(struct cJSON *o, const struct kv_config *cfg,
	struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted, *f = &k->frozen;
	struct cJSON *x = json_add_object(o, "stoker");

	if (x && cfg->rag_documents && !add_rag(x, c))
		return false;
	return x && json_add_double(x, "drain_seconds",
			    (double)k->drain_ns / 1e9) &&
	       json_add_u64(x, "frozen_requests", f->requests) &&
	       json_add_u64(x, "frozen_tokens", f->tokens) &&
	       json_add_u64(x, "frozen_file_read_bytes", f->file_read_bytes) &&
	       json_add_u64(
		       x, "frozen_file_written_bytes", f->file_written_bytes) &&
	       json_add_u64(x, "file_read_bytes", c->file_read_bytes) &&
	       json_add_u64(x, "file_written_bytes", c->file_written_bytes) &&
	       json_add_u64(x, "device_read_bytes", k->device_read_bytes) &&
	       json_add_u64(
		       x, "device_written_bytes", k->device_written_bytes) &&
	       json_add_u64(x, "verified_bytes", c->verified_bytes) &&
	       json_add_u64(x, "requests_offered", k->offered) &&
	       json_add_u64(x, "queue_peak", k->queue_peak) &&
	       json_add_u64(x, "requests_abandoned", k->abandoned) &&
	       json_add_u64(x, "prefill_only_requests", c->prefill_only) &&
	       json_add_u64(x, "moved_bytes", c->moved_bytes) &&
	       json_add_u64(x, "moves", c->moves) &&
	       add_flat(x, "move", &k->series[KV_MOVE]) &&
	       json_add_u64(x, "entries_deleted", c->deleted) &&
	       json_add_double(x, "cpu_seconds", (double)k->cpu_ns / 1e9) &&
	       json_add_u64(x, "peak_rss_bytes", k->peak_rss_bytes);
}

static bool fill(struct cJSON *o, const struct kv_config *cfg,
	struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	struct kv_series *s = k->series;

	return json_add_u64(o, "requests_completed", c->requests) &&
	       json_add_u64(o, "total_tokens_generated", c->tokens) &&
	       json_add_double(o, "total_storage_io_latency",
		       (double)c->request_io_ns / 1e9) &&
	       json_add_double(o, "total_generation_latency",
		       (double)cfg->token_ns * (double)c->tokens / 1e9) &&
	       add_seconds(o, "end_to_end_latencies", &s[KV_END_TO_END]) &&
	       add_seconds(o, "storage_latencies", &s[KV_REQUEST_IO]) &&
	       add_seconds(o, "generation_latencies", &s[KV_GENERATION]) &&
	       json_add_array(o, "throughput_timeline") &&
	       add_seconds(o, "prefill_latencies", &s[KV_PREFILL]) &&
	       add_seconds(o, "decode_latencies", &s[KV_DECODE]) &&
	       json_add_u64(o, "multi_turn_cache_hits", c->multi_turn_hits) &&
	       json_add_u64(
		       o, "multi_turn_cache_misses", c->multi_turn_misses) &&
	       json_add_u64(o, "seed", k->seed) && add_summary(o, k) &&
	       add_own(o, cfg, k);
}

struct cJSON *results_kv_rank(
	const struct kv_config *c, struct kv_rank_result *k)
{
	struct cJSON *o = cJSON_CreateObject();

	if (o && fill(o, c, k))
		return o;
	cJSON_Delete(o);
	return NULL;
}
