/* Result files of vector-database runs; see vdb_json.h. */
#include "results/vdb_json.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/dlio_json.h"
#include "results/invocation.h"
#include "results/record_fields.h"
#include "results/run_json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_RECALL "a replayed index: the reads are those of searches, but "    \
		  "nothing is found"

static bool add_null(struct cJSON *o, const char *key)
{
	return json_add(o, key, cJSON_CreateNull());
}

/* Null where it is not known. */
static bool add_text(struct cJSON *o, const char *key, const char *text)
{
	return text[0] ? json_add_string(o, key, text) : add_null(o, key);
}

/* {min,max,mean,median,p95,p99,p999,p9999}_<what>_ms */
static bool add_spread(
	struct cJSON *o, const char *what, const struct vdb_spread *s)
{
	const struct {
		const char *name;
		double value;
	} f[] = {
		{"min", s->min}, {"max", s->max}, {"mean", s->mean},
		{"median", s->median}, {"p95", s->p95}, {"p99", s->p99},
		{"p999", s->p999}, {"p9999", s->p9999},
	};
	char key[64];
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < sizeof(f) / sizeof(f[0]); i++) {
		snprintf(key, sizeof(key), "%s_%s_ms", f[i].name, what);
		ok = json_add_double(o, key, f[i].value);
	}
	return ok;
}

static bool add_formatted(struct cJSON *o, const char *key, uint64_t bytes)
{
	char text[32];

	snprintf(text, sizeof(text), "%.2f GB",
		(double)bytes / (double)GIB_BYTES);
	return json_add_string(o, key, text);
}

static bool add_device(struct cJSON *o, const struct vdb_record *rec)
{
	const struct vdb_device *d = &rec->device;
	struct cJSON *devices = json_add_object(o, "devices"), *x;

	x = devices ? json_add_object(devices, d->name) : NULL;
	return x && json_add_u64(x, "bytes_read", d->read_bytes) &&
	       json_add_u64(x, "bytes_written", d->written_bytes) &&
	       add_formatted(x, "read_formatted", d->read_bytes) &&
	       add_formatted(x, "write_formatted", d->written_bytes);
}

static bool add_target(struct cJSON *o, const struct vdb_record *rec)
{
	struct cJSON *t = json_add_object(o, "storage_target");
	const struct rec_drive *d = &rec->base.drive;

	return t && json_add_bool(t, "applicable", rec->device_known) &&
	       json_add_string(t, "confidence",
		       rec->device_known ? "high" : "none") &&
	       json_add_string(t, "data_path", rec->config.folder) &&
	       add_text(t, "fstype", d->filesystem) &&
	       add_text(t, "mountpoint", d->mount_point) &&
	       json_add_string(t, "source", rec->device.name) &&
	       json_add_array(t, "network_mounts_detected") &&
	       json_add_string(t, "reason",
		       rec->device_known ? ""
		       : rec->base.time.is_virtual
			       ? "a modelled drive"
			       : "no block device below this folder");
}

static bool add_disk_io(struct cJSON *to, const struct vdb_record *rec)
{
	struct cJSON *o = json_add_object(to, "disk_io");
	const struct vdb_device *d = &rec->device;
	double s = rec->metrics.total_s;
	bool ok;

	ok = o && json_add_bool(o, "applicable", rec->device_known) &&
	     json_add_string(o, "status", rec->device_known ? "OK" : "N/A") &&
	     json_add_string(o, "scope", "host") &&
	     json_add_u64(o, "host_count",
		     rec->base.host_count ? rec->base.host_count : 1) &&
	     add_target(o, rec);
	if (!ok || !rec->device_known)
		return ok;
	return json_add_u64(o, "total_bytes_read", d->read_bytes) &&
	       json_add_double(o, "total_bytes_read_per_sec",
		       s > 0 ? (double)d->read_bytes / s : 0) &&
	       json_add_u64(o, "total_bytes_written", d->written_bytes) &&
	       json_add_double(o, "total_bytes_written_per_sec",
		       s > 0 ? (double)d->written_bytes / s : 0) &&
	       add_formatted(o, "total_read_formatted", d->read_bytes) &&
	       add_formatted(o, "total_write_formatted", d->written_bytes) &&
	       add_device(o, rec);
}

/* What the benchmark's checker looks for, and how the reads came about. */
static bool add_ours(struct cJSON *o, const struct vdb_record *rec)
{
	const struct vdb_shape *s = &rec->config.shape;
	const struct vdb_counts *c = &rec->counts;
	struct cJSON *x;
	bool ok;

	ok = json_add_string(o, "index_type", "DISKANN") &&
	     json_add_u64(o, "num_vectors", s->vectors) &&
	     json_add_u64(o, "dimension", s->dim);
	x = ok ? json_add_object(o, "database") : NULL;
	ok = x && json_add_string(x, "database", VDB_ENGINE);
	x = ok ? json_add_object(o, "read_model") : NULL;
	return x && json_add_u64(x, "segments", s->segments) &&
	       json_add_u64(x, "reads", c->reads) &&
	       json_add_u64(x, "read_bytes", rec->read_bytes) &&
	       json_add_u64(x, "cache_hits", c->cache_hits) &&
	       json_add_u64(x, "rounds", c->rounds) &&
	       json_add_u64(x, "reading_rounds", c->reading_rounds) &&
	       json_add_string(x, "schedule",
		       rec->config.schedule == VDB_PIPELINED ? "pipelined"
							     : "reference") &&
	       json_add_double(x, "software_ms",
		       (double)rec->config.software_ns / 1e6) &&
	       json_add_u64(x, "unserved_queries", rec->unserved) &&
	       json_add_bool(x, "virtual_time", rec->base.time.is_virtual);
}

static bool add_per_query(struct cJSON *o, const struct vdb_record *rec)
{
	const struct vdb_recall *r = &rec->recall;
	struct cJSON *list = json_add_array(o, "per_query_recall"), *by;
	uint32_t i, n = rec->config.distinct;
	char key[16];
	bool ok = list != NULL;

	for (i = 0; ok && i < n; i++)
		if (r->per_query[i] >= 0)
			ok = json_add_double(list, NULL, r->per_query[i]);
	by = ok ? json_add_object(o, "recall_by_query") : NULL;
	ok = by != NULL;
	for (i = 0; ok && i < n; i++)
		if (r->per_query[i] >= 0) {
			snprintf(key, sizeof(key), "%u", i);
			ok = json_add_double(by, key, r->per_query[i]);
		}
	return ok;
}

/* The benchmark's recall object, with its lists where `all`. */
static bool fill_recall(
	struct cJSON *o, const struct vdb_record *rec, bool all)
{
	const struct vdb_recall *r = &rec->recall;

	return json_add_double(o, "recall_at_k", r->mean) &&
	       json_add_double(o, "recall_at_k_exact", r->mean) &&
	       json_add_double(o, "recall_epsilon", 0) &&
	       json_add_u64(o, "num_queries_evaluated", r->queries) &&
	       json_add_u64(o, "k", r->k) &&
	       json_add_double(o, "min_recall", r->min) &&
	       json_add_double(o, "max_recall", r->max) &&
	       json_add_double(o, "mean_recall", r->mean) &&
	       json_add_double(o, "median_recall", r->median) &&
	       json_add_double(o, "p5_recall", r->p5) &&
	       json_add_double(o, "p95_recall", r->p95) &&
	       json_add_double(o, "p99_recall", r->p99) &&
	       (!all || add_per_query(o, rec));
}

/* Null, the object, or its mean alone. */
static bool add_recall(
	struct cJSON *o, const struct vdb_record *rec, bool summary)
{
	struct cJSON *x;

	if (!rec->recall.known)
		return add_null(o, "recall");
	if (summary)
		return json_add_double(o, "recall", rec->recall.mean);
	x = json_add_object(o, "recall");
	return x && fill_recall(x, rec, true);
}

/* summary: summary.json, which has of the recall its mean alone. */
static struct cJSON *statistics(const struct vdb_record *rec, bool summary)
{
	const struct vdb_metrics *m = &rec->metrics;
	struct cJSON *o = cJSON_CreateObject();

	if (o && json_add_u64(o, "total_queries", rec->counts.queries) &&
		json_add_double(o, "total_time_seconds", m->total_s) &&
		add_spread(o, "latency", &m->latency) &&
		json_add_double(o, "throughput_qps", m->queries_per_s) &&
		json_add_u64(o, "batch_count", m->batches) &&
		json_add_u64(o, "successful_batches", m->batches) &&
		json_add_u64(o, "failed_batches", 0) &&
		add_spread(o, "batch_time", &m->batch) &&
		add_recall(o, rec, summary) && add_disk_io(o, rec) &&
		add_ours(o, rec))
		return o;
	cJSON_Delete(o);
	return NULL;
}

static struct cJSON *recall_stats(const struct vdb_record *rec)
{
	struct cJSON *o = cJSON_CreateObject();

	if (o && rec->recall.known && fill_recall(o, rec, true))
		return o;
	if (o && !rec->recall.known && add_null(o, "recall_at_k") &&
		add_null(o, "recall_at_k_exact") &&
		json_add_u64(o, "num_queries_evaluated", 0) &&
		json_add_u64(o, "k", rec->config.limit) &&
		json_add_string(o, "not_applicable", NO_RECALL))
		return o;
	cJSON_Delete(o);
	return NULL;
}

static bool add_verdict_recall(struct cJSON *o, const struct vdb_recall *r)
{
	struct cJSON *x;

	if (!r->known)
		return add_null(o, "recall_summary");
	x = json_add_object(o, "recall_summary");
	return x && json_add_double(x, "recall_at_k", r->mean) &&
	       json_add_double(x, "mean_recall", r->mean) &&
	       json_add_double(x, "min_recall", r->min) &&
	       json_add_double(x, "max_recall", r->max) &&
	       json_add_u64(x, "num_queries_evaluated", r->queries);
}

static struct cJSON *verdict(const struct vdb_record *rec)
{
	const struct vdb_shape *s = &rec->config.shape;
	const struct vdb_recall *r = &rec->recall;
	struct cJSON *o = cJSON_CreateObject(), *x;
	bool complete = r->known && r->coverage == 1, ok;

	ok = o && json_add_string(o, "result",
			  !r->known	     ? "NOT EVALUATED"
			  : vdb_recall_ok(r) ? "PASS"
					     : "FAIL") &&
	     json_add_bool(o, "valid", r->known && vdb_recall_ok(r)) &&
	     json_add_u64(o, "num_queries_evaluated", r->queries);
	x = ok ? json_add_object(o, "flat_setup") : NULL;
	ok = x && json_add_bool(x, "ok", complete) &&
	     json_add_double(x, "coverage", r->coverage) &&
	     json_add_u64(x, "total_vectors", s->vectors) &&
	     json_add_u64(x, "copied_vectors", s->truth_vectors) &&
	     json_add_bool(x, "had_recoverable_error", false) &&
	     json_add_string(x, "reason",
		     !r->known	? NO_RECALL
		     : complete ? ""
				: "the ground truth does not know all vectors") &&
	     json_add_bool(x, "reused", false) && add_verdict_recall(o, r);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* Of length 1, as generated vectors are: L2 and cosine are one order. */
static const char *metric(const struct vdb_config *c)
{
	const struct vdb_shape *s = &c->shape;

	return s->metric == VDB_L2 && s->distribution != VDB_FROM_FILE &&
			       !s->norm_spread_pct
		       ? "COSINE"
		       : vdb_metric_name(s->metric);
}

static bool add_search(struct cJSON *o, const struct vdb_config *c)
{
	struct cJSON *s = json_add_object(o, "search_params"), *p;

	p = s && json_add_string(s, "metric_type", metric(c))
		    ? json_add_object(s, "params")
		    : NULL;
	return p && json_add_u64(p, "search_list", c->search_list);
}

static bool add_config_ours(struct cJSON *o, const struct vdb_config *c)
{
	return json_add_string(o, "profile", c->profile) &&
	       json_add_u64(o, "outstanding", c->outstanding) &&
	       json_add_double(o, "rate_qps", c->rate_per_s) &&
	       json_add_u64(o, "max_degree", c->shape.degree) &&
	       json_add_u64(o, "segments", c->shape.segments) &&
	       json_add_u64(o, "expansions", c->expansions) &&
	       json_add_u64(o, "beam_width", c->beam_width) &&
	       json_add_double(o, "cache_share", c->cache_share);
}

/* The benchmark's words; of a server that there is not, none. */
static struct cJSON *config(const struct vdb_record *rec)
{
	const struct vdb_config *c = &rec->config;
	struct cJSON *o = cJSON_CreateObject();
	char stamp[RESULTS_STAMP_MAX];
	bool ok;

	ok = o && json_add_string(o, "timestamp",
			  results_stamp(stamp, &rec->base.time,
				  rec->start_ns)) &&
	     json_add_u64(o, "processes", c->clients) &&
	     json_add_u64(o, "batch_size", c->batch) &&
	     json_add_u64(o, "report_count", 100) &&
	     json_add_u64(o, "vector_dim", c->shape.dim) &&
	     add_null(o, "host") && add_null(o, "port") &&
	     json_add_string(o, "collection_name", c->profile);
	if (ok)
		ok = c->runtime_ns ? json_add_double(o, "runtime_seconds",
					     (double)c->runtime_ns / 1e9)
				   : add_null(o, "runtime_seconds");
	if (ok)
		ok = c->queries ? json_add_u64(o, "total_queries", c->queries)
				: add_null(o, "total_queries");
	ok = ok && json_add_u64(o, "search_limit", c->limit) &&
	     json_add_u64(o, "search_ef", c->search_list) &&
	     add_null(o, "gt_collection") &&
	     json_add_u64(o, "num_query_vectors", c->distinct) &&
	     json_add_bool(o, "no_create_flat", true) &&
	     /* of the queries: a built index has its own */
	     json_add_u64(o, "seed",
		     c->shape.built ? c->shape.seed : c->seed) &&
	     json_add_string(o, "data_path", c->folder) &&
	     json_add_u64(o, "recall_k", c->limit) &&
	     json_add_string(o, "query_mode", "independent") &&
	     json_add_double(o, "query_noise", 0.05) &&
	     json_add_double(o, "recall_epsilon", 0) &&
	     json_add_string(o, "metric_type", metric(c)) &&
	     json_add_string(o, "index_type", "DISKANN") &&
	     add_search(o, c) && add_config_ours(o, c);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* What the benchmark's files have no place for. */
static struct cJSON *own(const struct vdb_record *rec)
{
	const struct vdb_metrics *m = &rec->metrics;
	struct cJSON *o = cJSON_CreateObject(), *q;

	if (o && json_add_u64(o, "expansions", rec->counts.expansions) &&
		json_add_u64(o, "searches", rec->counts.searches) &&
		json_add_u64(o, "index_bytes", rec->index_bytes) &&
		json_add_bool(o, "built", rec->config.shape.built) &&
		json_add_double(o, "late_p99_ms", m->late_p99_ms) &&
		json_add_double(o, "recall_target", rec->recall.target) &&
		json_add_u64(o, "process_read_bytes", rec->device_bytes) &&
		json_add_double(o, "cpu_us_per_read", m->cpu_us_per_read) &&
		json_add_u64(o, "verified_bytes", rec->counts.verified_bytes) &&
		(q = json_add_object(o, "read_latency_ns")) &&
		record_add_fields(q, &record_quantiles, &m->read_latency))
		return o;
	cJSON_Delete(o);
	return NULL;
}

static void csv_lines(FILE *f, const struct vdb_record *rec, uint32_t client)
{
	const struct vdb_client *c = &rec->clients[client];
	const struct vdb_row *r;
	char s[JSON_REPR_MAX], a[JSON_REPR_MAX], b[JSON_REPR_MAX];
	double seconds;
	size_t i;

	fprintf(f, "process_id,batch_id,timestamp,batch_size,"
		"batch_time_seconds,avg_query_time_seconds,success\n");
	for (i = 0; i < c->row_count; i++) {
		r = &c->rows[i];
		seconds = (double)(r->end_ns - r->intended_ns) / 1e9;
		fprintf(f, "%u,%zu,%s,%u,%s,%s,True\n", client, i,
			json_repr(s, (double)(rec->base.time.wall_anchor_ns +
					     r->start_ns) / 1e9),
			r->size, json_repr(a, seconds),
			json_repr(b, seconds / r->size));
	}
}

static int write_csv(const struct vdb_record *rec, uint32_t client,
	const char *dir, struct err *e)
{
	char path[PATH_MAX], name[64], *text = NULL;
	size_t size = 0;
	FILE *f;
	int ret;

	snprintf(name, sizeof(name), "milvus_benchmark_p%u.csv", client);
	ret = results_path(path, dir, name, e);
	f = ret ? NULL : open_memstream(&text, &size);
	if (!ret && !f)
		return err_nomem(e, name);
	if (ret)
		return ret;
	csv_lines(f, rec, client);
	ret = fclose(f) ? err_nomem(e, name)
			: file_write_atomic(path, text, size, e);
	free(text);
	return ret;
}

int results_write_vdb(
	const struct vdb_record *rec, const char *dir, struct err *e)
{
	uint32_t i;
	int ret;

	ret = results_write_tree(config(rec), dir, "config.json", e);
	if (!ret)
		ret = results_write_tree(
			statistics(rec, false), dir, "statistics.json", e);
	if (!ret)
		ret = results_write_tree(
			recall_stats(rec), dir, "recall_stats.json", e);
	if (!ret)
		ret = results_write_tree(
			verdict(rec), dir, "result_verdict.json", e);
	if (!ret)
		ret = results_write_tree(
			statistics(rec, true), dir, "summary.json", e);
	if (!ret)
		ret = results_write_run_json(
			&rec->base, "vector_database", own(rec), dir, e);
	for (i = 0; !ret && i < rec->client_count; i++)
		ret = write_csv(rec, i, dir, e);
	return ret;
}

int results_write_vdb_datagen(const struct vdb_shape *shape,
	const char *index_type, bool modelled, const char *dir, struct err *e)
{
	struct cJSON *o = cJSON_CreateObject(), *x;
	bool ok;

	/* a modelled drive holds the index by its sizes, and no byte of it */
	ok = o && json_add_u64(o, "num_vectors", shape->vectors) &&
	     json_add_u64(o, "inserted_vectors", shape->vectors) &&
	     json_add_u64(o, "dimension", shape->dim) &&
	     json_add_string(o, "index_type", index_type);
	x = ok ? json_add_object(o, "database") : NULL;
	ok = x && json_add_string(x, "database", VDB_ENGINE) &&
	     json_add_u64(o, "segments", shape->segments) &&
	     json_add_string(o, "level", vdb_level_name(shape)) &&
	     json_add_bool(o, "modelled", modelled);
	if (!ok) {
		cJSON_Delete(o);
		o = NULL;
	}
	return results_write_tree(o, dir, "summary.json", e);
}
