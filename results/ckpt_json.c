/* Result files of checkpointing runs; see ckpt_json.h. */
#include "results/ckpt_json.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/dlio_json.h"
#include "results/invocation.h"
#include "results/run_json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

static bool add_reference(
	struct cJSON *o, const char *prefix, const struct ckpt_phase *p)
{
	const struct {
		const char *key;
		double value;
	} t[] = {
		{"io_mean_GB_per_second", p->rate_mean_gib_s},
		{"io_stdev_GB_per_second", p->rate_stdev_gib_s},
		{"duration_mean_seconds", p->duration_mean_s},
		{"duration_stdev_seconds", p->duration_stdev_s},
	};
	char key[64];
	bool ok = true;
	size_t i;

	for (i = 0; ok && p->count && i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(key, sizeof(key), "%s_checkpoint_%s", prefix, t[i].key);
		ok = json_add_double(o, key, t[i].value);
	}
	return ok;
}

bool results_add_ckpt_phase(struct cJSON *o, const char *key,
	const char *prefix, const struct ckpt_phase *p)
{
	const struct {
		const char *name;
		double value;
	} strict[] = {
		{"slowest_mean_seconds", p->slowest_mean_s},
		{"slowest_max_seconds", p->slowest_max_s},
		{"total_gib_per_second", p->total_gib_s},
		{"lowest_gib_per_second", p->lowest_gib_s},
		{"cached_percentage", p->cached_pct},
		{"content_gib_per_second", p->fill_gib_s},
		{"content_percentage", p->fill_pct},
		{"fsync_percentage", p->sync_pct},
		{"cpu_seconds_per_gib", p->cpu_s_per_gib},
	};
	struct cJSON *x;
	bool ok = true;
	size_t i;

	if (!p->count)
		return true;
	x = json_add_object(o, key);
	ok = x && json_add_u64(x, "checkpoints", p->count) &&
	     add_reference(x, prefix, p);
	for (i = 0; ok && i < sizeof(strict) / sizeof(strict[0]); i++)
		ok = json_add_double(x, strict[i].name, strict[i].value);
	return ok && json_add_bool(x, "cache_evaluated", !p->cache_unknown) &&
	       json_add_u64(x, "bytes", p->bytes) &&
	       json_add_u64(x, "device_bytes", p->device_bytes) &&
	       json_add_bool(x, "valid", p->valid);
}

/* What the benchmark's files have no place for. */
static struct cJSON *own(const struct ckpt_record *rec)
{
	const struct ckpt_config *c = &rec->config;
	struct cJSON *o = cJSON_CreateObject();

	if (o && json_add_string(o, "model", c->shape.model.name) &&
		json_add_string(o, "io",
			c->io == CKPT_IO_DIRECT ? "direct" : "reference") &&
		json_add_u64(o, "ranks", c->shape.ranks) &&
		json_add_bool(o, "scaled",
			c->shape.scale_num != c->shape.scale_den) &&
		json_add_bool(o, "subset", c->shape.subset) &&
		json_add_u64(o, "rotate", c->rotate) &&
		json_add_bool(o, "verified", c->verify) &&
		json_add_u64(o, "checkpoint_bytes", rec->bytes) &&
		results_add_ckpt_phase(o, "save", "save", &rec->save) &&
		results_add_ckpt_phase(o, "load", "load", &rec->load))
		return o;
	cJSON_Delete(o);
	return NULL;
}

static struct cJSON *summary(const struct ckpt_record *rec)
{
	struct cJSON *metric = cJSON_CreateObject();

	if (metric && add_reference(metric, "save", &rec->save) &&
		add_reference(metric, "load", &rec->load) &&
		json_add_double(metric, "checkpoint_size_GB", gib(rec->bytes)))
		return results_summary(&rec->base, rec->start_ns, rec->end_ns,
			metric, 0);
	cJSON_Delete(metric);
	return NULL;
}

static bool add_stamp(struct cJSON *o, const char *key,
	const struct ckpt_record *rec, int64_t ns)
{
	char buf[RESULTS_STAMP_MAX];

	return json_add_string(
		o, key, results_stamp(buf, &rec->base.time, ns));
}

/* An epoch with nothing of training in it. */
static struct cJSON *output(const struct ckpt_record *rec, uint64_t rank)
{
	static const char *const empty[] = {
		"load", "proc", "throughput", "au", "compute"};
	static const struct rec_host none;
	uint32_t at = rec->op_count ? ckpt_record_op(rec, rank, 0)->host : 0;
	const struct rec_host *host = at < rec->base.host_count
					      ? &rec->base.hosts[at]
					      : &none;
	struct cJSON *o = results_output_head(&rec->base, host);
	struct cJSON *epoch = o ? json_add_object(o, "1") : NULL;
	bool ok = epoch && add_stamp(epoch, "start", rec, rec->start_ns);
	size_t i;

	for (i = 0; ok && i < sizeof(empty) / sizeof(empty[0]); i++)
		ok = json_add_object(epoch, empty[i]) != NULL;
	ok = ok && add_stamp(epoch, "end", rec, rec->end_ns) &&
	     json_add_string(o, "hostname", host->name);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static bool add_op(struct cJSON *epoch, const struct ckpt_record *rec,
	const struct ckpt_op *op)
{
	double s = (double)(op->end_ns - op->start_ns) / (double)NS_PER_S;
	struct cJSON *o;
	char key[32];

	snprintf(key, sizeof(key), "%s_ckpt%u", op->load ? "load" : "save",
		op->step);
	o = json_add_object(epoch, key);
	return o && add_stamp(o, "start", rec, op->start_ns) &&
	       add_stamp(o, "end", rec, op->end_ns) &&
	       json_add_double(o, "duration", s) &&
	       json_add_double(
		       o, "throughput", s > 0 ? gib(rec->bytes) / s : 0);
}

static struct cJSON *epoch_stats(const struct ckpt_record *rec, uint64_t rank)
{
	struct cJSON *o = cJSON_CreateObject();
	struct cJSON *epoch = o ? json_add_object(o, "1") : NULL;
	bool ok = epoch && add_stamp(epoch, "start", rec, rec->start_ns);
	uint32_t i;

	for (i = 0; ok && i < rec->op_count; i++)
		ok = add_op(epoch, rec, ckpt_record_op(rec, rank, i));
	if (ok && add_stamp(epoch, "end", rec, rec->end_ns))
		return o;
	cJSON_Delete(o);
	return NULL;
}

int results_write_ckpt(
	const struct ckpt_record *rec, const char *dir, struct err *e)
{
	char name[64];
	uint64_t r;
	int ret;

	ret = results_write_tree(summary(rec), dir, "summary.json", e);
	for (r = 0; !ret && r < rec->config.shape.ranks; r++) {
		snprintf(name, sizeof(name), "%" PRIu64 "_output.json", r);
		ret = results_write_tree(output(rec, r), dir, name, e);
		snprintf(name, sizeof(name), "%" PRIu64
			"_per_epoch_stats.json", r);
		if (!ret)
			ret = results_write_tree(
				epoch_stats(rec, r), dir, name, e);
	}
	return ret ? ret
		   : results_write_run_json(&rec->base, "checkpointing",
			     own(rec), dir, e);
}

static void metric_lines(FILE *f, const char *name, const struct ckpt_phase *p)
{
	if (!p->count)
		return;
	fprintf(f, "[METRIC] Checkpoint %s duration (seconds): %.4f (%.4f)\n",
		name, p->duration_mean_s, p->duration_stdev_s);
	fprintf(f,
		"[METRIC] Checkpoint %s I/O Throughput (GiB/second): %.4f "
		"(%.4f)\n", name, p->rate_mean_gib_s, p->rate_stdev_gib_s);
}

static void log_lines(
	FILE *f, const struct invocation *v, const struct ckpt_record *rec)
{
	const struct ckpt_op *op;
	char stamp[RESULTS_STAMP_MAX];
	uint32_t i;

	fprintf(f, "[OUTPUT] %s stoker %s, an emulator (DLIO itself did not "
		"run), with %" PRIu64 " process(es)\n",
		results_stamp(stamp, &v->time, v->start_ns), v->tool_version,
		v->processes);
	for (i = 0; i < rec->op_count; i++) {
		op = ckpt_record_op(rec, 0, i);
		fprintf(f, "[OUTPUT] %s Starting %s checkpoint %u\n",
			results_stamp(stamp, &v->time, op->start_ns),
			op->load ? "loading" : "saving", op->step);
		fprintf(f, "[OUTPUT] %s Finished %s checkpoint %u in %.4f "
			"seconds; Throughput: %.4f GiB/second\n",
			results_stamp(stamp, &v->time, op->end_ns),
			op->load ? "loading" : "saving", op->step,
			(double)(op->end_ns - op->start_ns) / 1e9,
			gib(rec->bytes) * 1e9 /
				(double)(op->end_ns - op->start_ns));
	}
	fprintf(f, "[OUTPUT] %s Saved outputs in %s\n",
		results_stamp(stamp, &v->time, v->end_ns), v->leaf);
	fprintf(f, "[METRIC] =================================================="
		"========\n");
	fprintf(f, "[METRIC] Number of Simulated Accelerators: %" PRIu64 "\n",
		rec->config.shape.ranks);
	metric_lines(f, "save", &rec->save);
	metric_lines(f, "load", &rec->load);
	fprintf(f, "[METRIC] =================================================="
		"========\n");
}

int results_write_ckpt_log(const struct invocation *v,
	const struct ckpt_record *rec, const char *dir, struct err *e)
{
	char path[PATH_MAX], *text = NULL;
	size_t size = 0;
	int ret = results_path(path, dir, "dlio.log", e);
	FILE *f;

	if (ret)
		return ret;
	f = open_memstream(&text, &size);
	if (!f)
		return err_nomem(e, "dlio.log");
	log_lines(f, v, rec);
	ret = fclose(f) ? err_nomem(e, "dlio.log")
			: file_write_atomic(path, text, size, e);
	free(text);
	return ret;
}
