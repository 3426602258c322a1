/* The reference's result files; see dlio_json.h. */
#include "results/dlio_json.h"

#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define INDENT 4
#define BLOCK "block1" /* the only one without checkpoints inside an epoch */

const char *results_stamp(
	char buf[RESULTS_STAMP_MAX], const struct rec_time *t, int64_t ns)
{
	int64_t wall = t->wall_anchor_ns + ns;
	int64_t us = wall % NS_PER_S / NS_PER_US;
	time_t s = (time_t)(wall / NS_PER_S);
	char date[24];
	struct tm tm;

	if (us < 0) {
		us += 1000000;
		s--;
	}
	localtime_r(&s, &tm);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf, RESULTS_STAMP_MAX, "%s.%06" PRId64, date, us);
	return buf;
}

static bool add_stamp(struct cJSON *obj, const char *key,
	const struct record *rec, int64_t ns)
{
	char buf[RESULTS_STAMP_MAX];

	return json_add_string(obj, key, results_stamp(buf, &rec->time, ns));
}

static size_t trim(const char **s, size_t len)
{
	while (len && isspace((unsigned char)**s)) {
		(*s)++;
		len--;
	}
	while (len && isspace((unsigned char)(*s)[len - 1]))
		len--;
	return len;
}

/* Set or replace, which keeps the place of the key. */
static bool set_text(struct cJSON *obj, const char *key, const char *value)
{
	if (!cJSON_GetObjectItemCaseSensitive(obj, key))
		return json_add_string(obj, key, value);
	return cJSON_ReplaceItemInObjectCaseSensitive(
		obj, key, cJSON_CreateString(value));
}

static bool add_proc_line(struct cJSON *obj, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *value;
	size_t klen, vlen;
	char key[128], text[4096];

	if (!colon)
		return true;
	value = colon + 1;
	vlen = len - (size_t)(value - line);
	if (memchr(value, ':', vlen))
		return true;
	klen = trim(&line, (size_t)(colon - line));
	vlen = trim(&value, vlen);
	if (!klen || klen >= sizeof(key) || vlen >= sizeof(text))
		return true;
	memcpy(key, line, klen);
	key[klen] = '\0';
	memcpy(text, value, vlen);
	text[vlen] = '\0';
	return !strcmp(key, "processor") || set_text(obj, key, text);
}

struct cJSON *results_proc_object(const char *text)
{
	struct cJSON *obj = cJSON_CreateObject();
	const char *end;

	for (; obj && text && *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (!add_proc_line(obj, text, (size_t)(end - text))) {
			cJSON_Delete(obj);
			return NULL;
		}
	}
	return obj;
}

static bool add_doubles(
	struct cJSON *obj, const char *key, const double *v, uint32_t n)
{
	struct cJSON *array = json_add_array(obj, key);
	bool ok = array != NULL;
	uint32_t i;

	for (i = 0; ok && i < n; i++)
		ok = json_add_double(array, NULL, v[i]);
	return ok;
}

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

/* ((ranks on the node * samples) // R) * record length, in GiB. */
static double data_gib(const struct record *rec, const struct rec_host *host)
{
	const struct train_config *c = &rec->config;
	uint64_t samples = 0;

	if (host && c->accelerators)
		samples = host->ranks * c->samples_per_file * c->files /
			  c->accelerators;
	return (double)samples * (double)c->record_bytes / (double)GIB_BYTES;
}

static bool may_cache(const struct record *rec, const struct rec_host *host)
{
	return host && gib(host->memory_bytes) > data_gib(rec, host);
}

static bool fill_metric(struct cJSON *o, const struct rec_metrics *m)
{
	bool ok = o != NULL;

	ok = ok && add_doubles(o, "train_au_percentage", m->au_pct, m->epochs);
	ok = ok &&
	     json_add_double(o, "train_au_mean_percentage", m->au_mean_pct);
	/* The exact verdict, so that this file and ours never disagree. */
	ok = ok && json_add_string(o, "train_au_meet_expectation",
			   m->meets_double ? "success" : "fail");
	ok = ok &&
	     json_add_double(o, "train_au_stdev_percentage", m->au_stdev_pct);
	ok = ok && add_doubles(o, "train_throughput_samples_per_second",
			   m->throughput_per_s, m->epochs);
	ok = ok &&
	     json_add_double(o, "train_throughput_mean_samples_per_second",
		     m->throughput_mean_per_s);
	ok = ok &&
	     json_add_double(o, "train_throughput_stdev_samples_per_second",
		     m->throughput_stdev_per_s);
	ok = ok && json_add_double(o, "train_io_mean_MB_per_second",
			   m->io_mean_mib_per_s);
	ok = ok && json_add_double(o, "train_io_stdev_MB_per_second",
			   m->io_stdev_mib_per_s);
	return ok;
}

/* The lists with one entry per host, and what rank 0's host says. */
static bool add_hosts(struct cJSON *o, const struct record *rec)
{
	const struct rec_host *first = rec->host_count ? rec->hosts : NULL;
	struct cJSON *cpus = json_add_array(o, "host_cpu_count");
	bool ok = cpus && json_add_string(o, "host_processor_name", "");
	struct cJSON *caching, *memory;
	uint32_t i;

	caching = ok ? json_add_array(o, "potential_caching") : NULL;
	ok = caching &&
	     json_add(o, "host_cpuinfo",
		     results_proc_object(first ? first->cpuinfo : NULL));
	ok = ok && json_add(o, "host_meminfo",
			   results_proc_object(first ? first->meminfo : NULL));
	memory = ok ? json_add_array(o, "host_memory_GB") : NULL;
	ok = memory != NULL;
	for (i = 0; ok && i < rec->host_count; i++)
		ok = json_add_u64(cpus, NULL, rec->hosts[i].cpu_count) &&
		     json_add_u64(
			     caching, NULL, may_cache(rec, &rec->hosts[i])) &&
		     json_add_double(
			     memory, NULL, gib(rec->hosts[i].memory_bytes));
	return ok && json_add_double(
			     o, "data_size_per_host_GB", data_gib(rec, first));
}

struct cJSON *results_summary(const struct record *rec, int64_t start_ns,
	int64_t end_ns, struct cJSON *metric, uint32_t epochs)
{
	const struct train_config *c = &rec->config;
	struct cJSON *o = cJSON_CreateObject();
	bool ok = o && add_stamp(o, "start", rec, start_ns);

	ok = ok && json_add_u64(o, "num_accelerators", c->accelerators);
	ok = ok && json_add_u64(o, "num_hosts", rec->host_count);
	ok = ok && json_add_string(o, "hostname",
			   rec->host_count ? rec->hosts[0].name : "");
	if (ok)
		ok = json_add(o, "metric", metric);
	else
		cJSON_Delete(metric);
	ok = ok && json_add_u64(o, "num_files_train", c->files);
	ok = ok && json_add_u64(o, "num_files_eval", 0);
	ok = ok && json_add_u64(o, "num_samples_per_file", c->samples_per_file);
	ok = ok && add_hosts(o, rec);
	ok = ok && json_add_u64(o, "epochs", epochs);
	ok = ok && add_stamp(o, "end", rec, end_ns);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static struct cJSON *summary(
	const struct record *rec, const struct rec_run *run)
{
	struct cJSON *metric = cJSON_CreateObject();

	if (!fill_metric(metric, &run->metrics)) {
		cJSON_Delete(metric);
		return NULL;
	}
	return results_summary(rec, run->start_ns, run->end_ns, metric,
		run->metrics.epochs);
}

static bool add_block_list(
	struct cJSON *obj, const char *key, const int64_t *ns, uint32_t n)
{
	struct cJSON *block = json_add_object(obj, key);
	struct cJSON *list = block ? json_add_array(block, BLOCK) : NULL;
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < n; i++)
		ok = json_add_double(
			list, NULL, (double)ns[i] / (double)NS_PER_S);
	return ok;
}

static bool add_block_value(struct cJSON *obj, const char *key, double value)
{
	struct cJSON *block = json_add_object(obj, key);

	return block && json_add_double(block, BLOCK, value);
}

static bool add_output_epoch(struct cJSON *root, const struct record *rec,
	const struct rec_epoch *ep, uint32_t number)
{
	struct cJSON *o;
	char key[16];
	bool ok;

	snprintf(key, sizeof(key), "%u", number);
	o = json_add_object(root, key);
	ok = o && add_block_list(o, "load", ep->load_ns, ep->steps);
	ok = ok && add_block_list(o, "proc", ep->proc_ns, ep->steps);
	ok = ok && add_block_value(o, "throughput", ep->throughput_per_s);
	ok = ok && add_block_value(o, "au", ep->au_pct);
	ok = ok && add_block_list(o, "compute", ep->compute_ns, ep->steps);
	ok = ok &&
	     json_add(o, "host_meminfo", results_proc_object(ep->meminfo));
	return ok && add_stamp(o, "end", rec, ep->end_ns);
}

struct cJSON *results_output_head(
	const struct record *rec, const struct rec_host *host)
{
	struct cJSON *o = cJSON_CreateObject();
	bool ok;

	ok = o && json_add_double(o, "host_memory_GB", gib(host->memory_bytes));
	ok = ok && json_add_u64(o, "host_cpu_count", host->cpu_count);
	ok = ok && json_add_string(o, "host_processor_name", "");
	ok = ok && json_add_u64(o, "potential_caching", may_cache(rec, host));
	ok = ok &&
	     json_add(o, "host_cpuinfo", results_proc_object(host->cpuinfo));
	ok = ok &&
	     json_add(o, "host_meminfo", results_proc_object(host->meminfo));
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static struct cJSON *output(const struct record *rec, const struct rec_rank *k)
{
	static const struct rec_host none;
	const struct rec_host *host =
		k->host < rec->host_count ? &rec->hosts[k->host] : &none;
	struct cJSON *o = results_output_head(rec, host);
	bool ok = o != NULL;
	uint32_t i;

	for (i = 0; ok && i < k->epoch_count; i++)
		ok = add_output_epoch(o, rec, &k->epochs[i], i + 1);
	ok = ok && json_add_string(o, "hostname", host->name);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

/* Seconds with two decimals, as a text. */
static bool add_duration(struct cJSON *obj, int64_t ns)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "%.2f", (double)ns / (double)NS_PER_S);
	return json_add_string(obj, "duration", buf);
}

/*
 * "duration" runs to the end of training, "end" is that of the epoch after
 * re-sharding: the reference overwrites it, so end - start != duration.
 */
static bool add_stats_epoch(struct cJSON *root, const struct record *rec,
	const struct rec_epoch *ep, uint32_t number)
{
	struct cJSON *o, *block;
	char key[16];
	bool ok;

	snprintf(key, sizeof(key), "%u", number);
	o = json_add_object(root, key);
	ok = o && add_stamp(o, "start", rec, ep->start_ns);
	block = ok ? json_add_object(o, BLOCK) : NULL;
	ok = block && add_stamp(block, "start", rec, ep->block_ns);
	ok = ok && add_stamp(block, "end", rec, ep->block_end_ns);
	ok = ok && add_duration(block, ep->block_end_ns - ep->block_ns);
	ok = ok && add_stamp(o, "end", rec, ep->end_ns);
	return ok && add_duration(o, ep->train_end_ns - ep->start_ns);
}

static struct cJSON *epoch_stats(
	const struct record *rec, const struct rec_rank *k)
{
	struct cJSON *o = cJSON_CreateObject();
	bool ok = o != NULL;
	uint32_t i;

	for (i = 0; ok && i < k->epoch_count; i++)
		ok = add_stats_epoch(o, rec, &k->epochs[i], i + 1);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

int results_write_tree(
	struct cJSON *tree, const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX];
	int n, ret;

	if (!tree)
		return err_nomem(e, name);
	n = snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (n < 0 || (size_t)n >= sizeof(path))
		ret = err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the results folder's name is too long: %.100s...",
			dir);
	else
		ret = json_write_file(path, tree, INDENT, e);
	cJSON_Delete(tree);
	return ret;
}

int results_write_dlio(const struct record *rec, const struct rec_run *run,
	const char *dir, struct err *e)
{
	const struct rec_rank *k;
	char name[64];
	uint32_t r;
	int ret;

	ret = results_write_tree(summary(rec, run), dir, "summary.json", e);
	for (r = 0; !ret && r < run->rank_count; r++) {
		k = &run->ranks[r];
		snprintf(name, sizeof(name), "%u_output.json", k->rank);
		ret = results_write_tree(output(rec, k), dir, name, e);
		if (ret)
			break;
		snprintf(
			name, sizeof(name), "%u_per_epoch_stats.json", k->rank);
		ret = results_write_tree(epoch_stats(rec, k), dir, name, e);
	}
	return ret;
}
