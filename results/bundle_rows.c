/* Rows of result tables; see bundle_rows.h. */
#include "results/bundle_rows.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[] = {"Public ID", "Organization", "Division",
	"Benchmark Type", "Model", "Name", "Description", "Type",
	"Access Protocol", "Availability", "RU's",
	"Integrated Client Storage (TiB)", "Usable Capacity (TiB)",
	"Training - Accelerator Type", "Training - # Client Nodes",
	"Training - Code", "Training - Logs",
	"Training - # Simulated Accelerators", "Training - Read B/W (GiB/s)",
	"Checkpointing - Checkpoint Mode", "Checkpointing - # Client Nodes",
	"Checkpointing - DP Instances", "Checkpointing - Code",
	"Checkpointing - Logs", "Checkpointing - Write B/W (GiB/s)",
	"Checkpointing - Write Duration (secs)",
	"Checkpointing - Read B/W (GiB/s)",
	"Checkpointing - Read Duration (secs)", "VDB - # Client Nodes",
	"VDB - Code", "VDB - Logs", "VDB - Vector Count",
	"VDB - Vector Dimension", "VDB - Index Type", "VDB - Queries per Sec",
	"VDB - Query Latency (ms)", "VDB - Recall Percentage",
	"VDB - Storage IOPs", "VDB - Read B/W (GiB/s)",
	"KVCache - # Client Nodes", "KVCache - Code", "KVCache - Logs",
	"KVCache llama3.1-8b Storage Only - Throughput (tok/s)",
	"KVCache llama3.1-8b Storage Only - Read B/W (GiB/s)",
	"KVCache llama3.1-8b Storage Only - Write B/W (GiB/s)",
	"KVCache llama3.1-8b Storage Only - P95 Read Latency (ms)",
	"KVCache llama3.1-8b Storage + Mem - Throughput (tok/s)",
	"KVCache llama3.1-8b Storage + Mem - Read B/W (GiB/s)",
	"KVCache llama3.1-8b Storage + Mem - Write B/W (GiB/s)",
	"KVCache llama3.1-8b Storage + Mem - P95 Read Latency (ms)",
	"KVCache llama3.1-70b Storage Only - Throughput (tok/s)",
	"KVCache llama3.1-70b Storage Only - Read B/W (GiB/s)",
	"KVCache llama3.1-70b Storage Only - Write B/W (GiB/s)",
	"KVCache llama3.1-70b Storage Only - P95 Read Latency (ms)"};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static bool set(struct cJSON *row, const char *key, struct cJSON *item)
{
	if (item && cJSON_ReplaceItemInObjectCaseSensitive(row, key, item))
		return true;
	cJSON_Delete(item);
	return false;
}

static bool set_text(struct cJSON *row, const char *key, const char *text)
{
	return set(row, key, cJSON_CreateString(text));
}

/* A number that is not known leaves its field empty. */
static bool set_number(struct cJSON *row, const char *key, double d)
{
	return isnan(d) ||
	       set(row, key,
		       d == floor(d) ? cJSON_CreateNumber(d) : json_double(d));
}

static bool set_link(
	struct cJSON *row, const char *key, const char *text, const char *href)
{
	struct cJSON *o = cJSON_CreateObject();

	if (!o || !json_add_string(o, "text", text) ||
		!json_add_string(o, "href", href)) {
		cJSON_Delete(o);
		return false;
	}
	return set(row, key, o);
}

static bool set_links(
	struct cJSON *row, const struct bundle_row_facts *f, const char *block)
{
	char key[64], href[PATH_MAX];
	bool ok;

	snprintf(key, sizeof(key), "%s - Code", block);
	snprintf(href, sizeof(href), "code-images/code-%.8s",
		f->pointer + strlen("md5-tree-v2:"));
	ok = set_link(row, key, "code", href);
	snprintf(key, sizeof(key), "%s - Logs", block);
	snprintf(href, sizeof(href), "%s/%s/results/%s/%.3000s", f->division,
		f->organization, f->system, f->leaves[0].place);
	*strrchr(href, '/') = '\0';
	return ok && set_link(row, key, "logs", href);
}

/* As the published tables have it; an index has a column of its own. */
static const char *model_name(const struct bundle_source *l)
{
	if (!strcmp(l->model, "unet3d"))
		return "Unet3D";
	if (!strcmp(l->model, "llama3-1t"))
		return "1250B";
	return strcmp(l->family, "vector_database") ? l->model : "";
}

static bool set_solution(struct cJSON *row, const struct bundle_row_facts *f)
{
	const struct cJSON *sut = bundle_at(
				   f->description, "system_under_test"),
			   *s = bundle_at(sut, "solution");

	return set_text(row, "Organization", f->organization) &&
	       set_text(row, "Division",
		       !strcmp(f->division, "open") ? "OPEN" : "CLOSED") &&
	       set_text(row, "Benchmark Type", f->leaves[0].family) &&
	       set_text(row, "Model", model_name(&f->leaves[0])) &&
	       set_text(row, "Name", f->system) &&
	       set_text(row, "Description",
		       bundle_string(s, "friendly_description")) &&
	       set_text(row, "Type",
		       bundle_string(s, "architecture.storage_location")) &&
	       set_text(row, "Access Protocol",
		       bundle_string(s, "architecture.product_API")) &&
	       set_text(
		       row, "Availability", bundle_string(s, "availability")) &&
	       set_number(
		       row, "RU's", bundle_number(sut, "total_rack_units")) &&
	       set_number(row, "Integrated Client Storage (TiB)",
		       bundle_number(s, "int_client_store_tib")) &&
	       set_number(row, "Usable Capacity (TiB)",
		       bundle_number(s, "usable_capacity_tib"));
}

static struct cJSON *summary_of(const struct bundle_source *s)
{
	char path[PATH_MAX];
	struct cJSON *o = NULL;
	struct err e;

	bundle_join(path, s->path, "summary.json");
	return json_read_file(path, &o, &e) ? NULL : o;
}

/* The mean of the measured runs; the first is the warm-up. */
static bool set_training(struct cJSON *row, const struct bundle_row_facts *f)
{
	struct cJSON *m = bundle_metadata_read(f->leaves[0].path, "training"),
		     *s;
	double sum = 0, hosts = NAN, acc = NAN;
	size_t i;
	bool ok;

	for (i = f->count > 1; i < f->count; i++) {
		s = summary_of(&f->leaves[i]);
		sum += bundle_number(s, "metric.train_io_mean_MB_per_second");
		hosts = bundle_number(s, "num_hosts");
		acc = bundle_number(s, "num_accelerators");
		cJSON_Delete(s);
	}
	ok = set_text(row, "Training - Accelerator Type",
		     bundle_string(m, "accelerator")) &&
	     set_number(row, "Training - # Client Nodes", hosts) &&
	     set_number(row, "Training - # Simulated Accelerators", acc) &&
	     set_number(row, "Training - Read B/W (GiB/s)",
		     sum / 1024 / (double)(f->count > 1 ? f->count - 1 : 1)) &&
	     set_links(row, f, "Training");
	cJSON_Delete(m);
	return ok;
}

static bool set_phase(struct cJSON *row, const struct cJSON *s,
	const char *verb, const char *rate, const char *time)
{
	char at[96];
	double d;

	snprintf(at, sizeof(at), "metric.%s_checkpoint_io_mean_GB_per_second",
		verb);
	d = bundle_number(s, at);
	if (isnan(d))
		return true;
	snprintf(at, sizeof(at), "metric.%s_checkpoint_duration_mean_seconds",
		verb);
	return set_number(row, rate, d) &&
	       set_number(row, time, bundle_number(s, at));
}

static bool set_checkpointing(
	struct cJSON *row, const struct bundle_row_facts *f)
{
	struct cJSON *m =
		bundle_metadata_read(f->leaves[0].path, "checkpointing");
	size_t i;
	bool ok =
		set_text(row, "Checkpointing - Checkpoint Mode",
			bundle_true(m, "args.checkpoint_subset") ? "subset"
								 : "default") &&
		set_links(row, f, "Checkpointing");

	for (i = 0; ok && i < f->count; i++) {
		struct cJSON *s = summary_of(&f->leaves[i]);

		ok = set_phase(row, s, "save",
			     "Checkpointing - Write B/W (GiB/s)",
			     "Checkpointing - Write Duration (secs)") &&
		     set_phase(row, s, "load",
			     "Checkpointing - Read B/W (GiB/s)",
			     "Checkpointing - Read Duration (secs)") &&
		     set_number(row, "Checkpointing - # Client Nodes",
			     bundle_number(s, "num_hosts"));
		cJSON_Delete(s);
	}
	cJSON_Delete(m);
	return ok;
}

/* Of one run of vectors; NAN: it does not say. */
struct vdb_figures {
	double hosts, vectors, dimension, qps, p99_ms, recall_pct, iops;
	double read_gib_s;
};

static double recall_pct(const struct bundle_source *l, const struct cJSON *s)
{
	double d = bundle_number(s, "recall");
	char path[PATH_MAX];
	struct cJSON *o;
	struct err e;

	if (isnan(d))
		d = bundle_number(s, "recall.mean_recall");
	bundle_join(path, l->path, "recall_stats.json");
	if (isnan(d) && !json_read_file(path, &o, &e)) {
		d = bundle_number(o, "mean_recall");
		cJSON_Delete(o);
	}
	return 100 * d;
}

/*
 * The benchmark's files count the bytes of a block device and no requests; a
 * replay of ours knows its reads, also where no device is below.
 */
static struct vdb_figures vdb_figures(const struct bundle_source *l)
{
	struct cJSON *s = summary_of(l);
	double t = bundle_number(s, "total_time_seconds"),
	       reads = bundle_number(s, "read_model.reads"),
	       each = bundle_number(s, "read_model.read_bytes"),
	       bytes = bundle_number(s, "disk_io.total_bytes_read_per_sec");
	struct vdb_figures f = {
		.hosts = bundle_number(s, "disk_io.host_count"),
		.vectors = bundle_number(s, "num_vectors"),
		.dimension = bundle_number(s, "dimension"),
		.qps = bundle_number(s, "throughput_qps"),
		.p99_ms = bundle_number(s, "p99_latency_ms"),
		.recall_pct = recall_pct(l, s),
		.iops = t > 0 ? reads / t : NAN,
		.read_gib_s = (isnan(bytes) && t > 0 ? reads * each / t
						     : bytes) /
			      (double)GIB_BYTES,
	};

	cJSON_Delete(s);
	return f;
}

/*
 * The means of the runs, of which none is a warm-up; what one of them does not
 * say has none.
 */
static bool set_vdb(struct cJSON *row, const struct bundle_row_facts *f)
{
	struct vdb_figures sum = {.qps = 0}, one = {.qps = 0};
	double n = (double)f->count;
	struct cJSON *s = summary_of(&f->leaves[0]);
	size_t i;
	bool ok;

	for (i = 0; i < f->count; i++) {
		one = vdb_figures(&f->leaves[i]);
		sum.qps += one.qps;
		sum.p99_ms += one.p99_ms;
		sum.recall_pct += one.recall_pct;
		sum.iops += one.iops;
		sum.read_gib_s += one.read_gib_s;
	}
	ok = set_number(row, "VDB - # Client Nodes", one.hosts) &&
	     set_number(row, "VDB - Vector Count", one.vectors) &&
	     set_number(row, "VDB - Vector Dimension", one.dimension) &&
	     set_text(row, "VDB - Index Type",
		     bundle_string(s, "index_type")) &&
	     set_number(row, "VDB - Queries per Sec", sum.qps / n) &&
	     set_number(row, "VDB - Query Latency (ms)", sum.p99_ms / n) &&
	     set_number(row, "VDB - Recall Percentage", sum.recall_pct / n) &&
	     set_number(row, "VDB - Storage IOPs", sum.iops / n) &&
	     set_number(row, "VDB - Read B/W (GiB/s)", sum.read_gib_s / n) &&
	     set_links(row, f, "VDB");
	cJSON_Delete(s);
	return ok;
}

/* Sums over ranks and means over trials are the summary's own. */
static bool set_kv(struct cJSON *row, const struct bundle_row_facts *f)
{
	static const char *const options[] = {"llama3.1-8b Storage Only",
		"llama3.1-8b Storage + Mem", "llama3.1-70b Storage Only"};
	static const char *const figures[][2] = {
		{"Throughput (tok/s)",
			"aggregated_avg_throughput_tokens_per_sec"},
		{"Read B/W (GiB/s)", "aggregated_read_bandwidth_gbps"},
		{"Write B/W (GiB/s)", "aggregated_write_bandwidth_gbps"},
		{"P95 Read Latency (ms)", "aggregated_p95_latency_ms"}};
	struct cJSON *s = summary_of(&f->leaves[f->count - 1]);
	char key[96], at[96];
	size_t i, k;
	bool ok = set_number(row, "KVCache - # Client Nodes",
			  bundle_number(s, "host_count")) &&
		  set_links(row, f, "KVCache");

	for (i = 0; i < 3; i++)
		for (k = 0; ok && k < 4; k++) {
			snprintf(key, sizeof(key), "KVCache %s - %s",
				options[i], figures[k][0]);
			snprintf(at, sizeof(at), "options.%zu.%s", i + 1,
				figures[k][1]);
			ok = set_number(row, key, bundle_number(s, at));
		}
	cJSON_Delete(s);
	return ok;
}

struct cJSON *bundle_row(const struct bundle_row_facts *f)
{
	static const struct {
		const char *family;
		bool (*set)(struct cJSON *, const struct bundle_row_facts *);
	} families[] = {{"training", set_training},
		{"checkpointing", set_checkpointing},
		{"vector_database", set_vdb}, {"kv_cache", set_kv}};
	struct cJSON *row = cJSON_CreateObject();
	size_t i;
	bool ok = row != NULL;

	for (i = 0; ok && i < COLUMNS; i++)
		ok = json_add_string(row, columns[i], "");
	ok = ok && set_solution(row, f);
	for (i = 0; ok && i < 4; i++)
		if (!strcmp(f->leaves[0].family, families[i].family))
			ok = families[i].set(row, f);
	if (ok)
		return row;
	cJSON_Delete(row);
	return NULL;
}

/* A field of CSV (RFC 4180). */
static void put(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		fputs(text, f);
		return;
	}
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

int bundle_rows_csv(const char *path, const struct cJSON *rows, struct err *e)
{
	char *text = NULL, *number;
	const struct cJSON *row, *c;
	size_t size = 0, i;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return err_nomem(e, path);
	for (i = 0; i < COLUMNS; i++) {
		fputs(i ? "," : "", f);
		put(f, columns[i]);
	}
	fputs("\n", f);
	cJSON_ArrayForEach(row, rows)
	{
		cJSON_ArrayForEach(c, row)
		{
			fputs(c == row->child ? "" : ",", f);
			number = cJSON_IsString(c) || cJSON_IsObject(c)
					 ? NULL
					 : json_print(c, -1);
			put(f, cJSON_IsString(c)    ? c->valuestring
				: cJSON_IsObject(c) ? bundle_string(c, "href")
				: number	    ? number
						    : "");
			free(number);
		}
		fputs("\n", f);
	}
	r = fclose(f) ? err_nomem(e, path)
		      : file_write_atomic(path, text, size, e);
	free(text);
	return r;
}
