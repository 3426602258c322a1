/* run.json, written and read; see run_json.h. */
#include "results/run_json.h"

#include "core/json.h"
#include "results/dlio_json.h"
#include "results/drive.h"
#include "results/invocation.h"
#include "results/record_fields.h"
#include "results/record_json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "stoker-run"
#define NAME "run.json"
#define HOSTS_MAX 100000

#define R(name, member, kind) FIELD_AS(struct record, name, member, kind)
static const struct field head_fields[] = {
	R("tool_version", tool_version, K_TEXT),
	R("command_line", command_line, K_TEXT),
	R("virtual_time", time.is_virtual, K_BOOL),
	R("engine", config.engine, K_TEXT),
	R("drive_model", config.drive, K_TEXT),
};
#undef R

#define H(member, kind) FIELD(struct rec_host, member, kind)
static const struct field host_fields[] = {
	H(name, K_TEXT),
	H(cpu_count, K_U32),
	H(memory_bytes, K_U64),
};
#undef H

static const struct fields head = {
	head_fields, sizeof(head_fields) / sizeof(head_fields[0])};
static const struct fields hosts = {
	host_fields, sizeof(host_fields) / sizeof(host_fields[0])};

static bool add_hosts(struct cJSON *o, const struct record *rec)
{
	struct cJSON *list = json_add_array(o, "hosts");
	bool ok = list != NULL;
	uint32_t i;

	for (i = 0; ok && i < rec->host_count; i++)
		ok = record_add_fields(
			json_add_object(list, NULL), &hosts, &rec->hosts[i]);
	return ok;
}

static bool fill(struct cJSON *o, const struct record *rec, const char *family)
{
	return json_add_string(o, "schema", SCHEMA) &&
	       json_add_u64(o, "schema_version", RECORD_SCHEMA_VERSION) &&
	       json_add_string(o, "family", family) &&
	       json_add_bool(o, "emulated", true) &&
	       record_add_fields(o, &head, rec) && record_add_notes(o, rec) &&
	       add_hosts(o, rec) &&
	       (!rec->drive.known ||
		       json_add(o, "drive", results_drive_json(&rec->drive)));
}

int results_write_run_json(const struct record *base, const char *family,
	struct cJSON *part, const char *dir, struct err *e)
{
	struct cJSON *o = part ? cJSON_CreateObject() : NULL;

	if (!o || !fill(o, base, family)) {
		cJSON_Delete(part);
		cJSON_Delete(o);
		o = NULL;
	} else if (!json_add(o, family, part)) { /* which takes part over */
		cJSON_Delete(o);
		o = NULL;
	}
	return results_write_tree(o, dir, NAME, e);
}

static int get_hosts(const struct cJSON *root, struct record *rec,
	uint32_t version, const char *name, struct err *e)
{
	const struct cJSON *list, *c;
	int n, r = 0;

	list = cJSON_GetObjectItemCaseSensitive(root, "hosts");
	n = cJSON_GetArraySize(list);
	if (!cJSON_IsArray(list) || n > HOSTS_MAX)
		return record_bad(e, name, "hosts");
	rec->hosts = calloc((size_t)n + 1, sizeof(*rec->hosts));
	if (!rec->hosts)
		return err_nomem(e, name);
	cJSON_ArrayForEach(c, list)
	{
		if (!r)
			r = record_get_fields(c, version, &hosts,
				&rec->hosts[rec->host_count++], name, e);
	}
	return r;
}

static int get(const struct cJSON *o, struct record *rec, const char *name,
	struct err *e)
{
	const struct cJSON *schema, *v;
	uint32_t version;
	int r;

	schema = cJSON_GetObjectItemCaseSensitive(o, "schema");
	v = cJSON_GetObjectItemCaseSensitive(o, "schema_version");
	if (!cJSON_IsString(schema) || strcmp(schema->valuestring, SCHEMA))
		return record_bad(e, name, "schema");
	if (!cJSON_IsNumber(v) || v->valuedouble < 1 ||
		v->valuedouble > RECORD_SCHEMA_VERSION)
		return record_bad(e, name, "schema_version");
	version = (uint32_t)v->valuedouble;
	r = record_get_fields(o, version, &head, rec, name, e);
	if (!r)
		r = record_get_notes(o, rec, name, e);
	if (!r)
		r = get_hosts(o, rec, version, name, e);
	return r ? r
		 : results_drive_read(
			   o, "drive", version, &rec->drive, name, e);
}

int results_read_run_json(
	const char *leaf, struct record *rec, struct cJSON **doc, struct err *e)
{
	char path[PATH_MAX];
	int r;

	record_init(rec);
	*doc = NULL;
	r = results_path(path, leaf, NAME, e);
	if (!r)
		r = json_read_file(path, doc, e);
	if (!r)
		r = get(*doc, rec, path, e);
	if (r) {
		cJSON_Delete(*doc);
		*doc = NULL;
	}
	return r;
}
