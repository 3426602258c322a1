/* The record as JSON, and its folder; see record_json.h. */
#include "results/record_json.h"

#include "core/file.h"
#include "core/json.h"
#include "results/dlio_json.h"
#include "results/drive.h"
#include "results/record_fields.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define INDENT 4

#define FIELDS(table) {table, sizeof(table) / sizeof((table)[0])}
#define ADD_FIELDS(o, table, base)                                             \
	record_add_fields(o, &(const struct fields)FIELDS(table), base)

#define C(member, kind) FIELD(struct train_config, member, kind)
static const struct field config_fields[] = {
	C(model, K_TEXT),
	C(accelerator, K_TEXT),
	C(format, K_TEXT),
	C(framework, K_TEXT),
	C(accelerators, K_U64),
	C(files, K_U64),
	C(subfolders, K_U64),
	C(samples_per_file, K_U64),
	C(batch_size, K_U64),
	C(epochs, K_U64),
	C(record_bytes, K_U64),
	C(record_stdev_bytes, K_DOUBLE),
	C(resize_bytes, K_U64),
	C(computation_ns, K_I64),
	C(read_threads, K_U64),
	C(prefetch_size, K_U64),
	C(prefetch_factor, K_U64),
	C(transfer_bytes, K_U64),
	C(odirect, K_BOOL),
	C(queue_depth, K_U64),
	C(au_floor_ppm, K_U32),
	C(file_shuffle, K_BOOL),
	C(datagen_ranks, K_U64),
	C(seed, K_U64),
	C(verify, K_BOOL),
	C(host_memory_gib, K_DOUBLE),
	C(hosts, K_U64),
	C(data_dir, K_TEXT),
	C(data_folder, K_TEXT),
	C(results_dir, K_TEXT),
	C(drive, K_TEXT),
	C(engine, K_TEXT),
	C(group, K_TEXT),
	C(clock, K_TEXT),
	C(system_name, K_TEXT),
	C(organization, K_TEXT),
	C(limit_read_bytes_per_s, K_U64),
	FIELD_SINCE(2, struct train_config, "host_model", host_model, K_TEXT),
	FIELD_SINCE(2, struct train_config, "host_step_ns", host_step_ns,
		K_I64),
	FIELD_SINCE(2, struct train_config, "steps_most", steps_most, K_U64),
};
#undef C

#define E(member, kind) FIELD(struct rec_epoch, member, kind)
static const struct field epoch_fields[] = {
	E(steps, K_U32),
	E(start_ns, K_I64),
	E(block_ns, K_I64),
	E(block_end_ns, K_I64),
	E(train_end_ns, K_I64),
	E(end_ns, K_I64),
	E(bytes_asked, K_U64),
	E(bytes_device, K_U64),
	E(samples_read, K_U64),
	E(cpu_ns, K_I64),
	E(au_pct, K_DOUBLE),
	E(throughput_per_s, K_DOUBLE),
};
#undef E

#define S(member, kind) FIELD(struct rec_steady, member, kind)
static const struct field steady_fields[] = {
	S(first, K_U32),
	S(end, K_U32),
	S(begin_ns, K_I64),
	S(end_ns, K_I64),
	S(busy_ns, K_I64),
	S(bytes_read, K_U64),
	S(bytes_taken, K_U64),
};
#undef S

#define K(member, kind) FIELD(struct rec_rank, member, kind)
static const struct field rank_fields[] = {
	K(rank, K_U32),
	K(host, K_U32),
	K(pid, K_I64),
	K(peak_rss_bytes, K_U64),
	K(cpu_ns, K_I64),
	K(files_opened, K_U64),
	K(samples_verified, K_U64),
};
#undef K

#define Q(member, kind) FIELD(struct rec_quantiles, member, kind)
static const struct field quantile_fields[] = {
	Q(count, K_U64),
	Q(mean, K_DOUBLE),
	Q(min, K_U64),
	Q(p50, K_U64),
	Q(p99, K_U64),
	Q(p999, K_U64),
	Q(max, K_U64),
};
#undef Q

#define M(member, kind) FIELD(struct rec_metrics, member, kind)
static const struct field metrics_fields[] = {
	M(epochs, K_U32),
	M(au_mean_pct, K_DOUBLE),
	M(au_stdev_pct, K_DOUBLE),
	M(throughput_mean_per_s, K_DOUBLE),
	M(throughput_stdev_per_s, K_DOUBLE),
	M(io_mean_mib_per_s, K_DOUBLE),
	M(io_stdev_mib_per_s, K_DOUBLE),
	M(meets_double, K_BOOL),
	M(meets_exact, K_BOOL),
	M(steady_evaluated, K_BOOL),
	M(head_start_pct, K_DOUBLE),
	M(nominal_au_pct, K_DOUBLE),
	M(bytes_asked, K_U64),
	M(bytes_device, K_U64),
	M(cached_pct, K_DOUBLE),
	M(compute_pct, K_DOUBLE),
	M(storage_pct, K_DOUBLE),
	M(barrier_pct, K_DOUBLE),
	M(software_pct, K_DOUBLE),
	M(barrier_step_pct, K_DOUBLE),
	M(cpu_s_per_gib, K_DOUBLE),
	M(read_gib_per_s, K_DOUBLE),
	M(peak_rss_bytes, K_U64),
	M(unused_samples, K_U64),
	FIELD_SINCE(2, struct rec_metrics, "steady_ci_pct", steady_ci_pct,
		K_DOUBLE),
};
#undef M

#define G(member, kind) FIELD(struct rec_campaign, member, kind)
static const struct field campaign_fields[] = {
	G(runs_wanted, K_U32),
	G(warmups, K_U32),
	G(runs_rule, K_U32),
	G(stands_for_all, K_BOOL),
	G(au_mean_pct, K_DOUBLE),
	G(steady_mean_pct, K_DOUBLE),
	G(margin_pct, K_DOUBLE),
	G(reason, K_TEXT),
};
#undef G

const struct fields record_config = FIELDS(config_fields);
const struct fields record_metrics = FIELDS(metrics_fields);
const struct fields record_campaign = FIELDS(campaign_fields);
const struct fields record_epoch = FIELDS(epoch_fields);
const struct fields record_steady = FIELDS(steady_fields);
const struct fields record_rank = FIELDS(rank_fields);
const struct fields record_quantiles = FIELDS(quantile_fields);

static bool add_config(struct cJSON *root, const struct train_config *c)
{
	struct cJSON *o = json_add_object(root, "config"), *scale;
	bool ok = ADD_FIELDS(o, config_fields, c);

	ok = ok &&
	     json_add_string(o, "division", rec_division_name(c->division));
	scale = ok ? json_add_object(o, "scale") : NULL;
	return scale && json_add_u64(scale, "num", c->scale.num) &&
	       json_add_u64(scale, "den", c->scale.den);
}

static bool add_hosts(struct cJSON *root, const struct record *rec)
{
	struct cJSON *list = json_add_array(root, "hosts"), *o;
	const struct rec_host *h;
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < rec->host_count; i++) {
		h = &rec->hosts[i];
		o = json_add_object(list, NULL);
		ok = o && json_add_string(o, "name", h->name) &&
		     json_add_u64(o, "ranks", h->ranks) &&
		     json_add_u64(o, "cpu_count", h->cpu_count) &&
		     json_add_u64(o, "memory_bytes", h->memory_bytes) &&
		     json_add(o, "cpuinfo", results_proc_object(h->cpuinfo)) &&
		     json_add(o, "meminfo", results_proc_object(h->meminfo));
	}
	return ok;
}

bool record_add_notes(struct cJSON *root, const struct record *rec)
{
	struct cJSON *list = json_add_array(root, "notes"), *o;
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < rec->note_count; i++) {
		o = json_add_object(list, NULL);
		ok = o && json_add_string(o, "id", rec->notes[i].id) &&
		     json_add_string(o, "text", rec->notes[i].text);
	}
	return ok;
}

static bool add_steps(
	struct cJSON *o, const char *key, const int64_t *ns, uint32_t n)
{
	struct cJSON *list = json_add_array(o, key);
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < n; i++)
		ok = json_add_i64(list, NULL, ns[i]);
	return ok;
}

static bool add_epoch(
	struct cJSON *list, const struct rec_epoch *ep, bool with_steps)
{
	struct cJSON *o = json_add_object(list, NULL);
	bool ok = ADD_FIELDS(o, epoch_fields, ep);

	ok = ok && ADD_FIELDS(json_add_object(o, "steady"), steady_fields,
			   &ep->steady);
	if (!ok || !with_steps)
		return ok;
	return add_steps(o, "load_ns", ep->load_ns, ep->steps) &&
	       add_steps(o, "proc_ns", ep->proc_ns, ep->steps) &&
	       add_steps(o, "compute_ns", ep->compute_ns, ep->steps) &&
	       add_steps(o, "barrier_ns", ep->barrier_ns, ep->steps);
}

/* Null where nothing was read. */
static bool add_quantiles(
	struct cJSON *to, const char *key, const struct rec_quantiles *q)
{
	if (!q->count)
		return json_add(to, key, cJSON_CreateNull());
	return ADD_FIELDS(json_add_object(to, key), quantile_fields, q);
}

/* The requests of all ranks: what hist.h promises of p50, p99 and p999. */
static bool add_requests(struct cJSON *run_object, const struct rec_run *run)
{
	struct cJSON *o = json_add_object(run_object, "requests");
	bool ok = o != NULL;
	struct rec_quantiles q;
	int i;

	for (i = 0; ok && i < REC_HISTS; i++)
		ok = !rec_run_quantiles(run, (enum rec_hist)i, &q) &&
		     add_quantiles(o, rec_hist_name((enum rec_hist)i), &q);
	return ok;
}

static bool add_ranks(
	struct cJSON *run_object, const struct rec_run *run, bool with_steps)
{
	struct cJSON *list = json_add_array(run_object, "ranks"), *o, *epochs;
	const struct rec_rank *k;
	bool ok = list != NULL;
	struct rec_quantiles q;
	uint32_t r, i;

	for (r = 0; ok && r < run->rank_count; r++) {
		k = &run->ranks[r];
		o = json_add_object(list, NULL);
		rec_quantiles_of(&k->hists[REC_LATENCY_NS], &q);
		ok = ADD_FIELDS(o, rank_fields, k) &&
		     add_quantiles(o, "latency_ns", &q);
		epochs = ok ? json_add_array(o, "epochs") : NULL;
		ok = epochs != NULL;
		for (i = 0; ok && i < k->epoch_count; i++)
			ok = add_epoch(epochs, &k->epochs[i], with_steps);
	}
	return ok;
}

static bool add_doubles(
	struct cJSON *o, const char *key, const double *v, uint32_t n)
{
	struct cJSON *list = json_add_array(o, key);
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && v && i < n; i++)
		ok = json_add_double(list, NULL, v[i]);
	return ok;
}

/* Null, not 0, where there was nothing to evaluate. */
static bool add_metrics(struct cJSON *run_object, const struct rec_metrics *m)
{
	struct cJSON *o = json_add_object(run_object, "metrics");
	bool ok = ADD_FIELDS(o, metrics_fields, m);

	ok = ok && add_doubles(o, "au_pct", m->au_pct, m->epochs);
	ok = ok &&
	     add_doubles(o, "throughput_per_s", m->throughput_per_s, m->epochs);
	if (ok && m->steady_evaluated)
		return json_add_double(o, "steady_au_pct", m->steady_au_pct) &&
		       json_add_bool(o, "steady_meets", m->steady_meets);
	return ok && json_add(o, "steady_au_pct", cJSON_CreateNull()) &&
	       json_add(o, "steady_meets", cJSON_CreateNull());
}

static bool add_run(
	struct cJSON *list, const struct rec_run *run, bool with_steps)
{
	struct cJSON *o = json_add_object(list, NULL);
	bool ok = o && json_add_u64(o, "index", run->index);

	ok = ok && json_add_bool(o, "warmup", run->warmup);
	ok = ok && json_add_string(o, "status", rec_status_name(run->status));
	ok = ok && json_add_string(o, "stamp", run->stamp);
	ok = ok && json_add_string(o, "leaf", run->leaf);
	ok = ok && json_add_i64(o, "start_ns", run->start_ns);
	ok = ok && json_add_i64(o, "end_ns", run->end_ns);
	ok = ok && add_metrics(o, &run->metrics);
	ok = ok && add_requests(o, run);
	return ok && add_ranks(o, run, with_steps);
}

static const char *verdict_name(enum rec_verdict v)
{
	switch (v) {
	case VERDICT_PASS:
		return "PASS";
	case VERDICT_FAIL:
		return "FAIL";
	case VERDICT_NONE:
		break;
	}
	return "NOT EVALUATED";
}

static bool add_campaign(struct cJSON *root, const struct rec_campaign *c)
{
	struct cJSON *o = json_add_object(root, "campaign");

	return ADD_FIELDS(o, campaign_fields, c) &&
	       json_add_string(o, "reference", verdict_name(c->reference)) &&
	       json_add_string(o, "steady", verdict_name(c->steady));
}

/* Of all runs together: the first that is not finished decides. */
static enum rec_status overall(const struct record *rec)
{
	uint32_t i;

	for (i = 0; i < rec->run_count; i++)
		if (rec->runs[i].status != REC_FINISHED)
			return rec->runs[i].status;
	return rec->run_count ? REC_FINISHED : REC_RUNNING;
}

struct cJSON *results_record_json(const struct record *rec, bool with_steps)
{
	struct cJSON *o = cJSON_CreateObject(), *runs;
	bool ok = o && json_add_string(o, "schema", RECORD_SCHEMA);
	uint32_t i;

	ok = ok && json_add_u64(o, "schema_version", RECORD_SCHEMA_VERSION);
	ok = ok && json_add_string(o, "tool_version", rec->tool_version);
	ok = ok && json_add_string(o, "command_line", rec->command_line);
	ok = ok && json_add_string(o, "status", rec_status_name(overall(rec)));
	ok = ok && json_add_i64(o, "wall_anchor_ns", rec->time.wall_anchor_ns);
	ok = ok && json_add_bool(o, "virtual_time", rec->time.is_virtual);
	ok = ok && json_add_bool(o, "step_times", with_steps);
	ok = ok && record_add_notes(o, rec);
	ok = ok && add_config(o, &rec->config);
	ok = ok && add_hosts(o, rec);
	ok = ok && (!rec->drive.known ||
			   json_add(o, "drive", results_drive_json(&rec->drive)));
	ok = ok && add_campaign(o, &rec->campaign);
	runs = ok ? json_add_array(o, "runs") : NULL;
	ok = runs != NULL;
	for (i = 0; ok && i < rec->run_count; i++)
		ok = add_run(runs, &rec->runs[i], with_steps);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

int results_leaf_open(
	const char *leaf, char *partial, size_t size, struct err *e)
{
	const char *slash = strrchr(leaf, '/');
	const char *name = slash ? slash + 1 : leaf;
	int parent = slash ? (int)(slash - leaf) : 1, n, ret;
	struct stat st;

	if (!*name)
		return err_set(e, ERR_BUG, -EINVAL,
			"results folder '%s' ends with a slash", leaf);
	if (!lstat(leaf, &st))
		return err_set(e, ERR_IO, -EEXIST,
			"results folder %s exists already; move it away or "
			"choose another --results-dir",
			leaf);
	n = snprintf(partial, size, "%.*s/.%s.partial", parent,
		slash ? leaf : ".", name);
	if (n < 0 || (size_t)n >= size)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the results folder's name is too long: %.100s...",
			leaf);
	ret = file_remove_tree(partial, e);
	return ret ? ret : file_mkdirs(partial, e);
}

int results_leaf_commit(const char *leaf, const char *partial, struct err *e)
{
	if (!rename(partial, leaf))
		return 0;
	return err_set(e, ERR_IO, -errno,
		"cannot give the results in %s their name %s: %s", partial,
		leaf, strerror(errno));
}

static uint64_t step_count(const struct rec_run *run)
{
	uint64_t n = 0;
	uint32_t r, i;

	for (r = 0; r < run->rank_count; r++)
		for (i = 0; i < run->ranks[r].epoch_count; i++)
			n += run->ranks[r].epochs[i].steps;
	return n;
}

int results_write_files(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e)
{
	struct record one = *rec;
	struct rec_run only = *run;
	char path[PATH_MAX];
	struct cJSON *tree;
	int n, ret;

	ret = results_write_dlio(rec, run, dir, e);
	if (ret)
		return ret;
	n = snprintf(path, sizeof(path), "%s/record.json", dir);
	if (n < 0 || (size_t)n >= sizeof(path))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the results folder's name is too long: %.100s...",
			dir);
	one.runs = &only;
	one.run_count = 1;
	tree = results_record_json(&one, step_count(run) <= RECORD_STEPS_MAX);
	if (!tree)
		return err_nomem(e, "record.json");
	ret = json_write_file(path, tree, INDENT, e);
	cJSON_Delete(tree);
	return ret;
}
