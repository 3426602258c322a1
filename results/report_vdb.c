/* Vector-database runs in a report, read from their folders; see report.h. */
#include "results/report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t count(const struct cJSON *o, const char *key)
{
	return (uint64_t)report_positive(o, key);
}

/* What may differ between the points of one curve is no part of it. */
static struct cJSON *load_config(struct report_vdb *v)
{
	static const char *const varied[] = {"timestamp", "processes",
		"outstanding", "search_ef", "search_params"};
	struct cJSON *o = report_load(v->at.path, "config.json", NULL);
	size_t i;

	v->clients = count(o, "processes");
	v->in_flight = count(o, "outstanding");
	v->in_flight = v->clients * (v->in_flight ? v->in_flight : 1);
	v->search_list = count(o, "search_ef");
	v->rate_per_s = report_positive(o, "rate_qps");
	v->segments = count(o, "segments");
	v->dim = count(o, "vector_dim");
	report_text(o, "collection_name", v->profile, sizeof(v->profile));
	report_text(o, "profile", v->profile, sizeof(v->profile));
	report_text(o, "index_type", v->index_type, sizeof(v->index_type));
	for (i = 0; i < sizeof(varied) / sizeof(varied[0]); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(o, varied[i]);
	return o;
}

static void read_latency(struct report_vdb *v, const struct cJSON *s)
{
	v->total_s = report_positive(s, "total_time_seconds");
	v->queries_per_s = report_positive(s, "throughput_qps");
	v->mean = report_number(s, "mean_latency_ms");
	v->p50 = report_number(s, "median_latency_ms");
	v->p95 = report_number(s, "p95_latency_ms");
	v->p99 = report_number(s, "p99_latency_ms");
	v->p999 = report_number(s, "p999_latency_ms");
}

/* Ours tell how reads came about; the benchmark's only what disks moved. */
static void read_reads(struct report_vdb *v, const struct cJSON *s)
{
	const struct cJSON *m = report_member(s, "read_model");
	const struct cJSON *disk = report_member(s, "disk_io");
	double reads = report_positive(m, "reads"), queries, expansions;
	const struct cJSON *own = report_member(v->at.run, "vector_database");

	queries = (double)v->queries;
	v->unserved = count(m, "unserved_queries");
	v->cached_pct = v->device_bytes_per_s = NAN;
	if (queries > 0) {
		v->reads = reads / queries;
		v->bytes = reads * report_positive(m, "read_bytes") / queries;
		v->rounds = report_positive(m, "rounds") / queries;
	}
	expansions = report_positive(own, "expansions");
	if (expansions > 0)
		v->cached_pct =
			100 * report_positive(m, "cache_hits") / expansions;
	if (v->total_s > 0)
		v->asked_bytes_per_s = v->bytes * queries / v->total_s;
	if (cJSON_IsTrue(report_member(disk, "applicable")))
		v->device_bytes_per_s =
			report_number(disk, "total_bytes_read_per_sec");
	/* a model moves just what it is asked for */
	else if (v->at.drive[0] && v->at.is_virtual)
		v->device_bytes_per_s = v->asked_bytes_per_s;
}

static void read_recall(struct report_vdb *v, const struct cJSON *s)
{
	const struct cJSON *r = report_member(s, "recall");
	struct cJSON *o = report_load(v->at.path, "recall_stats.json", NULL);

	if (!cJSON_IsObject(r))
		r = o;
	v->recall = report_number(r, "mean_recall");
	v->has_recall = isfinite(v->recall);
	v->recall_k = count(r, "k");
	v->recall_target = report_positive(
		report_member(v->at.run, "vector_database"), "recall_target");
	cJSON_Delete(o);
	o = report_load(v->at.path, "result_verdict.json", NULL);
	report_text(o, "result", v->verdict, sizeof(v->verdict));
	cJSON_Delete(o);
}

int report_add_vdb(struct report_input *in, const char *leaf, struct err *e)
{
	struct cJSON *s = report_load(leaf, "statistics.json", e);
	struct report_vdb *v;

	v = s ? report_more((void **)&in->vdbs, &in->vdb_count, sizeof(*v))
	      : NULL;
	if (!v) {
		cJSON_Delete(s);
		return s				  ? err_nomem(e, leaf)
		       : report_broken(in, leaf, e->text) ? err_nomem(e, leaf)
							  : 0;
	}
	report_leaf_read(&v->at, leaf, "vector_database_run.stdout.log");
	v->config = load_config(v);
	v->queries = count(s, "total_queries");
	v->vectors = count(s, "num_vectors");
	if (count(s, "dimension"))
		v->dim = count(s, "dimension");
	read_latency(v, s);
	read_reads(v, s);
	read_recall(v, s);
	cJSON_Delete(s);
	return 0;
}
