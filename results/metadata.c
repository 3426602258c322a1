/*
 * What the benchmark's wrapper leaves beside DLIO's files: the metadata of an
 * invocation and whether data and results share a file system. They have its
 * keys, and say that they are stoker's.
 */
#include "results/invocation.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/dlio_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#define INDENT 2

int results_path(char *path, const char *dir, const char *name, struct err *e)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, name);

	if (n > 0 && n < PATH_MAX)
		return 0;
	return err_set(e, ERR_USAGE, -ENAMETOOLONG,
		"the results folder's name is too long: %.100s...", dir);
}

/* "2026-07-20T10:00:03Z" */
static const char *utc(char buf[32], int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S);
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(buf, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

/* A value of /proc/meminfo in bytes; 0 where it is not said. */
static uint64_t meminfo_bytes(const struct rec_host *h, const char *key)
{
	size_t n = strlen(key);
	const char *line = h->meminfo;

	while (line && (strncmp(line, key, n) || line[n] != ':')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line ? strtoull(line + n + 1, NULL, 10) * KIB_BYTES : 0;
}

static bool add_memory(struct cJSON *host, const struct rec_host *h)
{
	static const char *const keys[][2] = {{"free", "MemFree"},
		{"active", "Active"}, {"inactive", "Inactive"},
		{"buffers", "Buffers"}, {"cached", "Cached"},
		{"shared", "Shmem"}};
	struct cJSON *o = json_add_object(host, "memory");
	uint64_t available = meminfo_bytes(h, "MemAvailable");
	bool ok = o && json_add_u64(o, "total", h->memory_bytes);
	size_t i;

	if (!ok || !h->meminfo || !*h->meminfo)
		return ok; /* a simulation has none */
	ok = json_add_u64(o, "available", available) &&
	     json_add_u64(o, "used",
		     h->memory_bytes > available ? h->memory_bytes - available
						 : 0);
	for (i = 0; ok && i < sizeof(keys) / sizeof(keys[0]); i++)
		ok = json_add_u64(o, keys[i][0], meminfo_bytes(h, keys[i][1]));
	return ok;
}

static const char *proc_value(const struct cJSON *proc, const char *key)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(proc, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

/* All hosts run one binary: this one's architecture is theirs. */
static bool add_cpu(struct cJSON *host, const struct rec_host *h)
{
	struct cJSON *proc = results_proc_object(h->cpuinfo);
	struct cJSON *o = json_add_object(host, "cpu");
	struct utsname u;
	uint64_t cores, sockets;
	bool ok;

	memset(&u, 0, sizeof(u));
	uname(&u);
	/* of the last CPU: cores of its socket, and the socket's number */
	cores = strtoull(proc_value(proc, "cpu cores"), NULL, 10);
	sockets = strtoull(proc_value(proc, "physical id"), NULL, 10) + 1;
	cores *= sockets;
	ok = proc && o &&
	     json_add_u64(o, "num_cores",
		     cores && cores <= h->cpu_count ? cores : h->cpu_count) &&
	     json_add_u64(o, "num_logical_cores", h->cpu_count) &&
	     json_add_string(o, "model", proc_value(proc, "model name")) &&
	     json_add_string(o, "architecture", u.machine);
	cJSON_Delete(proc);
	return ok;
}

static bool add_host(
	struct cJSON *list, const struct rec_host *h, const char *stamp)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_string(o, "hostname", h->name) &&
	       add_memory(o, h) &&
	       json_add_string(o, "collection_timestamp", stamp) &&
	       add_cpu(o, h) && json_add_array(o, "disks") &&
	       json_add_array(o, "network") && json_add_object(o, "system");
}

/* What the wrapper's collector finds out; NULL: no memory. */
static struct cJSON *system_info(const struct invocation *v)
{
	struct cJSON *o = cJSON_CreateObject(), *list;
	uint64_t sum = 0, cpus = 0, min = 0, max = 0, bytes;
	char stamp[32];
	uint32_t i;
	bool ok;

	utc(stamp, v->time.wall_anchor_ns + v->start_ns);
	for (i = 0; i < v->host_count; i++) {
		bytes = v->hosts[i].memory_bytes;
		sum += bytes;
		cpus += v->hosts[i].cpu_count;
		min = !i || bytes < min ? bytes : min;
		max = bytes > max ? bytes : max;
	}
	ok = o && json_add_u64(o, "total_memory_bytes", sum) &&
	     json_add_u64(o, "total_cores", cpus) &&
	     json_add_u64(o, "num_hosts", v->host_count) &&
	     json_add_u64(o, "min_memory_bytes", min) &&
	     json_add_u64(o, "max_memory_bytes", max) &&
	     json_add_string(o, "collection_method",
		     v->host_count > 1 ? "mpi" : "local") &&
	     json_add_string(o, "collection_timestamp", stamp);
	list = ok ? json_add_array(o, "hosts") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < v->host_count; i++)
		ok = add_host(list, &v->hosts[i], stamp);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

static bool add_output_files(struct cJSON *root, const struct invocation *v)
{
	struct cJSON *list = json_add_array(root, "command_output_files"), *o;
	char name[64];
	bool ok;

	if (!list || !v->out_text)
		return list != NULL;
	o = json_add_object(list, NULL);
	ok = o && json_add_string(o, "command", v->command_line);
	snprintf(name, sizeof(name), "%s_%s.stdout.log",
		results_family(v), v->command);
	ok = ok && json_add_string(o, "stdout", name);
	snprintf(name, sizeof(name), "%s_%s.stderr.log",
		results_family(v), v->command);
	return ok && json_add_string(o, "stderr", name);
}

static bool add_text_or_null(struct cJSON *o, const char *key, const char *text)
{
	return text ? json_add_string(o, key, text)
		    : json_add(o, key, cJSON_CreateNull());
}

/* The wrapper's keys in its order, then what tells us from it. */
static bool fill(struct cJSON *o, const struct invocation *v,
	struct cJSON *parameters, struct cJSON *overrides)
{
	const struct train_config *c = v->config;
	char start[RESULTS_STAMP_MAX], end[RESULTS_STAMP_MAX];
	struct cJSON *tool;

	return json_add_string(o, "benchmark_type", results_family(v)) &&
	       json_add_string(o, "model", c->model) &&
	       json_add_string(o, "command", v->command) &&
	       json_add_string(o, "run_datetime", v->stamp) &&
	       json_add_u64(o, "num_processes", v->processes) &&
	       add_text_or_null(o, "accelerator",
		       c->accelerator[0] ? c->accelerator : NULL) &&
	       json_add_string(o, "result_dir", v->leaf) &&
	       json_add(o, "parameters", parameters) &&
	       json_add(o, "override_parameters", overrides) &&
	       json_add(o, "system_info", system_info(v)) &&
	       json_add_double(o, "runtime",
		       (double)(v->end_ns - v->start_ns) / (double)NS_PER_S) &&
	       json_add_string(o, "invocation_start_time",
		       results_stamp(start, &v->time, v->start_ns)) &&
	       json_add_string(o, "invocation_end_time",
		       results_stamp(end, &v->time, v->end_ns)) &&
	       add_text_or_null(o, "verification", v->verification) &&
	       json_add_string(o, "executed_command", v->command_line) &&
	       add_output_files(o, v) &&
	       json_add(o, "args", cJSON_Duplicate(v->args, 1)) &&
	       json_add_bool(o, "emulated", true) &&
	       json_add_bool(o, "virtual_time", v->time.is_virtual) &&
	       json_add_string(o, "drive", c->drive) &&
	       (tool = json_add_object(o, "tool")) &&
	       json_add_string(tool, "name", "stoker") &&
	       json_add_string(tool, "version", v->tool_version);
}

static int write_tree(
	struct cJSON *tree, const char *dir, const char *name, struct err *e)
{
	char path[PATH_MAX];
	int ret = results_path(path, dir, name, e);

	return ret ? ret : json_write_file(path, tree, INDENT, e);
}

static int write_separation(
	const struct fs_separation *s, const char *dir, struct err *e)
{
	struct cJSON *o = cJSON_CreateObject();
	char at[32];
	bool ok;
	int ret;

	ok = o && json_add_u64(o, "version", 1) &&
	     json_add_string(o, "method", s->method) &&
	     json_add_string(o, "data_or_chkpt_path", s->data) &&
	     json_add_string(o, "results_path", s->results) &&
	     json_add_string(o, "data_or_chkpt_realpath", s->data_real) &&
	     json_add_string(o, "results_realpath", s->results_real) &&
	     json_add_bool(o, "same_filesystem", s->same) &&
	     json_add_string(o, "probed_at", utc(at, s->wall_ns)) &&
	     json_add_u64(o, "probed_by_rank", 0) &&
	     json_add_string(o, "probed_by_host", s->host);
	ret = ok ? write_tree(o, dir, "fs_separation.json", e)
		 : err_nomem(e, "fs_separation.json");
	cJSON_Delete(o);
	return ret;
}

int results_write_cluster_info(
	const struct invocation *v, const char *dir, struct err *e)
{
	char path[PATH_MAX];
	int ret;

	if (v->family) /* each family's wrapper has a place of its own */
		return results_write_tree(system_info(v), dir,
			"kv_cache_cluster_info.json", e);
	ret = results_path(path, dir, "collector-staging", e);
	if (!ret)
		ret = file_mkdirs(path, e);
	return ret ? ret
		   : results_write_tree(
			     system_info(v), path, "cluster_info.json", e);
}

int results_write_metadata(
	const struct invocation *v, const char *dir, struct err *e)
{
	struct cJSON *parameters = NULL, *overrides = NULL, *o;
	char name[64];
	int ret;

	snprintf(name, sizeof(name), "%s_%s_metadata.json",
		results_family(v), v->stamp);
	ret = results_parameters(v, true, &parameters, e);
	if (!ret)
		ret = results_overrides(v, &overrides, e);
	if (ret) {
		cJSON_Delete(parameters);
		return ret;
	}
	o = cJSON_CreateObject();
	if (!o || !fill(o, v, parameters, overrides))
		ret = err_nomem(e, name);
	else
		ret = write_tree(o, dir, name, e);
	cJSON_Delete(o);
	if (!ret && v->separation.known)
		ret = write_separation(&v->separation, dir, e);
	return ret;
}
