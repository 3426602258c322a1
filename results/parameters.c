/* The workload by DLIO's names, and what was changed of it. */
#include "results/invocation.h"

#include "core/config.h"
#include "core/json.h"
#include "core/params.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The part of a key behind its group. */
static const char *name_of(const struct param_row *p)
{
	return strchr(p->key, '.') + 1;
}

static bool is_text(const struct param_row *p)
{
	return p->kind == PARAM_TEXT || p->kind == PARAM_FORMAT;
}

static const void *at(const struct param_row *p, const struct train_config *c)
{
	return (const char *)c + p->offset;
}

static double as_double(const struct param_row *p, const struct train_config *c)
{
	if (p->kind == PARAM_TIME)
		return (double)*(const int64_t *)at(p, c) / (double)NS_PER_S;
	return *(const double *)at(p, c);
}

static bool same_value(const struct param_row *p, const struct train_config *a,
	const struct train_config *b)
{
	switch (p->kind) {
	case PARAM_TEXT:
	case PARAM_FORMAT:
		return !strcmp(at(p, a), at(p, b));
	case PARAM_BOOL:
		return *(const bool *)at(p, a) == *(const bool *)at(p, b);
	case PARAM_STDEV:
	case PARAM_TIME:
	case PARAM_COUNT:
	case PARAM_BYTES:
		break;
	}
	return !memcmp(at(p, a), at(p, b), sizeof(uint64_t));
}

static bool is_named(const struct invocation *v, const struct param_row *p)
{
	size_t i, n = strlen(p->key);

	for (i = 0; v->params && v->params[i]; i++)
		if (!strncmp(v->params[i], p->key, n) &&
			v->params[i][n] == '=')
			return true;
	return false;
}

static bool is_changed(const struct invocation *v, const struct param_row *p)
{
	return !same_value(p, v->config, v->base) || is_named(v, p);
}

/* As Python's str() writes it. */
static const char *value_text(
	char buf[4096], const struct param_row *p, const struct train_config *c)
{
	double d;

	switch (p->kind) {
	case PARAM_TEXT:
	case PARAM_FORMAT:
		return at(p, c);
	case PARAM_COUNT:
	case PARAM_BYTES:
		snprintf(buf, 4096, "%" PRIu64, *(const uint64_t *)at(p, c));
		return buf;
	case PARAM_BOOL:
		return *(const bool *)at(p, c) ? "True" : "False";
	case PARAM_STDEV:
	case PARAM_TIME:
		break;
	}
	d = as_double(p, c);
	if (p->kind == PARAM_STDEV && d >= 0 && d < 1e15 &&
		d == (double)(uint64_t)d)
		snprintf(buf, 4096, "%" PRIu64, (uint64_t)d);
	else
		json_repr(buf, d);
	return buf;
}

static bool add_value(struct cJSON *o, const struct param_row *p,
	const struct train_config *c, bool as_string)
{
	char buf[4096];
	double d;

	if (as_string || is_text(p))
		return json_add_string(o, name_of(p), value_text(buf, p, c));
	switch (p->kind) {
	case PARAM_COUNT:
	case PARAM_BYTES:
		return json_add_u64(o, name_of(p), *(const uint64_t *)at(p, c));
	case PARAM_BOOL:
		return json_add_bool(o, name_of(p), *(const bool *)at(p, c));
	case PARAM_TIME:
		return json_add_double(o, name_of(p), as_double(p, c));
	case PARAM_STDEV:
	case PARAM_TEXT:
	case PARAM_FORMAT:
		break;
	}
	/* a whole number of bytes is written as one */
	d = as_double(p, c);
	return json_add(o, name_of(p), cJSON_CreateNumber(d));
}

/* The rows of one group, but those that were left as they are by default. */
static bool add_group(struct cJSON *o, const struct invocation *v,
	const char *group, const char *from, const char *to, bool as_strings)
{
	bool on = !from, changed, ok = o != NULL;
	const struct param_row *p;
	size_t n = strlen(group);

	for (p = params_training; ok && p->key; p++) {
		if (strncmp(p->key, group, n) || p->key[n] != '.')
			continue;
		if (from && !strcmp(name_of(p), from))
			on = true;
		changed = is_changed(v, p);
		if (on && (changed || !p->only_changed))
			ok = add_value(o, p, v->config, as_strings && changed);
		if (to && !strcmp(name_of(p), to))
			break;
	}
	return ok;
}

static bool copy(struct cJSON *to, const char *as, const struct cJSON *file,
	const char *key)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(file, key);

	return !item || json_add(to, as, cJSON_Duplicate(item, 1));
}

static bool add_model(struct cJSON *root, const struct invocation *v,
	const struct cJSON *file)
{
	struct cJSON *o = json_add_object(root, "model");

	return o && json_add_string(o, "name", v->config->model) &&
	       copy(o, "type", file, "model_type") &&
	       copy(o, "model_size", file, "model_size") &&
	       json_add_string(root, "framework", v->config->framework);
}

static bool add_workflow(struct cJSON *root, const struct invocation *v)
{
	struct cJSON *o = json_add_object(root, "workflow");
	bool generate = !strcmp(v->command, "datagen");

	return o && json_add_bool(o, "generate_data", generate) &&
	       json_add_bool(o, "train", !generate) &&
	       json_add_bool(o, "checkpoint", false);
}

static bool add_dataset(
	struct cJSON *root, const struct invocation *v, bool as_strings)
{
	struct cJSON *o = json_add_object(root, "dataset");
	const struct datasize *d = v->size;
	bool ok = add_group(o, v, "dataset", NULL, NULL, as_strings);

	if (!ok || !d)
		return ok;
	/* what datasize found out is no override, but a number */
	cJSON_DeleteItemFromObjectCaseSensitive(o, "num_files_train");
	cJSON_DeleteItemFromObjectCaseSensitive(o, "num_subfolders_train");
	return json_add_u64(o, "num_files_train", d->required) &&
	       json_add_u64(
		       o, "num_subfolders_train", d->suggested_subfolders) &&
	       json_add_u64(o, "total_disk_bytes", d->disk_bytes);
}

static bool add_reader(struct cJSON *root, const struct invocation *v,
	const struct cJSON *file, bool as_strings)
{
	struct cJSON *o = json_add_object(root, "reader");
	bool torch = !strcmp(v->config->framework, "pytorch");

	return o && json_add_string(o, "data_loader", v->config->framework) &&
	       add_group(o, v, "reader", NULL, "transfer_size", as_strings) &&
	       (!torch ||
		       json_add_string(o, "multiprocessing_context", "fork")) &&
	       copy(o, "file_shuffle", file, "file_shuffle") &&
	       copy(o, "sample_shuffle", file, "sample_shuffle") &&
	       add_group(o, v, "reader", "odirect", NULL, as_strings);
}

static bool add_rest(struct cJSON *root, const struct invocation *v,
	const struct cJSON *file, bool as_strings)
{
	struct cJSON *train = json_add_object(root, "train"), *metric;
	bool ok = add_group(train, v, "train", NULL, NULL, as_strings) &&
		  copy(root, "checkpoint", file, "checkpoint");

	metric = ok ? json_add_object(root, "metric") : NULL;
	return metric &&
	       json_add_double(metric, "au", v->config->au_floor_ppm / 1e6);
}

int results_parameters(const struct invocation *v, bool as_strings,
	struct cJSON **out, struct err *e)
{
	struct cJSON *root = cJSON_CreateObject(), *file = NULL;
	char name[128];
	bool ok = root != NULL;
	int ret;

	if (v->parameters) {
		cJSON_Delete(root);
		*out = cJSON_Duplicate(v->parameters, 1);
		return *out ? 0 : err_nomem(e, "the workload's parameters");
	}
	snprintf(name, sizeof(name), "workloads/%s.json", v->config->model);
	ret = config_load(v->config_dir, name, &file, e);
	if (ret) {
		cJSON_Delete(root);
		return ret;
	}
	ok = ok && add_model(root, v, file);
	ok = ok && add_workflow(root, v);
	ok = ok && add_dataset(root, v, as_strings);
	ok = ok && add_reader(root, v, file, as_strings);
	ok = ok && add_rest(root, v, file, as_strings);
	cJSON_Delete(file);
	if (!ok) {
		cJSON_Delete(root);
		return err_nomem(e, "the workload's parameters");
	}
	*out = root;
	return 0;
}

int results_overrides(
	const struct invocation *v, struct cJSON **out, struct err *e)
{
	struct cJSON *root = cJSON_CreateObject();
	const struct param_row *p;
	bool ok = root != NULL;
	char buf[4096];

	if (v->parameters) {
		cJSON_Delete(root);
		*out = cJSON_Duplicate(v->overrides, 1);
		return *out ? 0 : err_nomem(e, "the workload's overrides");
	}
	for (p = params_training; ok && p->key; p++)
		if (is_changed(v, p))
			ok = json_add_string(
				root, p->key, value_text(buf, p, v->config));
	if (!ok) {
		cJSON_Delete(root);
		return err_nomem(e, "the workload's overrides");
	}
	*out = root;
	return 0;
}
