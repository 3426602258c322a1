/* The workload by DLIO's names, and what was changed of it. */
#include "results/invocation.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum kind { P_TEXT, P_U64, P_DOUBLE, P_SECONDS, P_BOOL };

struct param {
	const char *group, *name; /* the key is GROUP.NAME */
	size_t offset;		  /* into train_config */
	enum kind kind;
	bool only_changed; /* not there unless it was changed */
};

#define C(field) offsetof(struct train_config, field)

/* In the order in which a profile of the benchmark has them. */
static const struct param params[] = {
	{"dataset", "data_folder", C(data_folder), P_TEXT, false},
	{"dataset", "format", C(format), P_TEXT, false},
	{"dataset", "num_files_train", C(files), P_U64, false},
	{"dataset", "num_subfolders_train", C(subfolders), P_U64, true},
	{"dataset", "num_samples_per_file", C(samples_per_file), P_U64, false},
	{"dataset", "record_length_bytes", C(record_bytes), P_U64, false},
	{"dataset", "record_length_bytes_stdev", C(record_stdev_bytes),
		P_DOUBLE, false},
	{"dataset", "record_length_bytes_resize", C(resize_bytes), P_U64,
		false},
	{"reader", "batch_size", C(batch_size), P_U64, false},
	{"reader", "read_threads", C(read_threads), P_U64, false},
	{"reader", "prefetch_size", C(prefetch_size), P_U64, true},
	{"reader", "transfer_size", C(transfer_bytes), P_U64, true},
	{"reader", "odirect", C(odirect), P_BOOL, true},
	{"train", "epochs", C(epochs), P_U64, false},
	{"train", "computation_time", C(computation_ns), P_SECONDS, false},
};

#define PARAMS (sizeof(params) / sizeof(params[0]))

static const void *at(const struct param *p, const struct train_config *c)
{
	return (const char *)c + p->offset;
}

static double as_double(const struct param *p, const struct train_config *c)
{
	if (p->kind == P_SECONDS)
		return (double)*(const int64_t *)at(p, c) / (double)NS_PER_S;
	return *(const double *)at(p, c);
}

static bool same_value(const struct param *p, const struct train_config *a,
	const struct train_config *b)
{
	switch (p->kind) {
	case P_TEXT:
		return !strcmp(at(p, a), at(p, b));
	case P_BOOL:
		return *(const bool *)at(p, a) == *(const bool *)at(p, b);
	case P_DOUBLE:
	case P_SECONDS:
	case P_U64:
		break;
	}
	return !memcmp(at(p, a), at(p, b), sizeof(uint64_t));
}

static bool is_named(const struct invocation *v, const struct param *p)
{
	char key[128];
	size_t i, n;

	n = (size_t)snprintf(key, sizeof(key), "%s.%s=", p->group, p->name);
	for (i = 0; v->params && v->params[i]; i++)
		if (!strncmp(v->params[i], key, n))
			return true;
	return false;
}

static bool is_changed(const struct invocation *v, const struct param *p)
{
	return !same_value(p, v->config, v->base) || is_named(v, p);
}

/* As Python's str() writes it. */
static const char *value_text(
	char buf[4096], const struct param *p, const struct train_config *c)
{
	double d;

	switch (p->kind) {
	case P_TEXT:
		return at(p, c);
	case P_U64:
		snprintf(buf, 4096, "%" PRIu64, *(const uint64_t *)at(p, c));
		return buf;
	case P_BOOL:
		return *(const bool *)at(p, c) ? "True" : "False";
	case P_DOUBLE:
	case P_SECONDS:
		break;
	}
	d = as_double(p, c);
	if (p->kind == P_DOUBLE && d >= 0 && d < 1e15 &&
		d == (double)(uint64_t)d)
		snprintf(buf, 4096, "%" PRIu64, (uint64_t)d);
	else
		json_repr(buf, d);
	return buf;
}

static bool add_value(struct cJSON *o, const struct param *p,
	const struct train_config *c, bool as_string)
{
	char buf[4096];
	double d;

	if (as_string || p->kind == P_TEXT)
		return json_add_string(o, p->name, value_text(buf, p, c));
	switch (p->kind) {
	case P_U64:
		return json_add_u64(o, p->name, *(const uint64_t *)at(p, c));
	case P_BOOL:
		return json_add_bool(o, p->name, *(const bool *)at(p, c));
	case P_SECONDS:
		return json_add_double(o, p->name, as_double(p, c));
	case P_DOUBLE:
	case P_TEXT:
		break;
	}
	/* a whole number of bytes is written as one */
	d = as_double(p, c);
	return json_add(o, p->name, cJSON_CreateNumber(d));
}

/* The rows of one group, but those that were left as they are by default. */
static bool add_group(struct cJSON *o, const struct invocation *v,
	const char *group, const char *from, const char *to, bool as_strings)
{
	bool on = !from, changed, ok = o != NULL;
	size_t i;

	for (i = 0; ok && i < PARAMS; i++) {
		if (strcmp(params[i].group, group))
			continue;
		if (from && !strcmp(params[i].name, from))
			on = true;
		changed = is_changed(v, &params[i]);
		if (on && (changed || !params[i].only_changed))
			ok = add_value(o, &params[i], v->config,
				as_strings && changed);
		if (to && !strcmp(params[i].name, to))
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
	char key[128], buf[4096];
	bool ok = root != NULL;
	size_t i;

	if (v->parameters) {
		cJSON_Delete(root);
		*out = cJSON_Duplicate(v->overrides, 1);
		return *out ? 0 : err_nomem(e, "the workload's overrides");
	}
	for (i = 0; ok && i < PARAMS; i++) {
		if (!is_changed(v, &params[i]))
			continue;
		snprintf(key, sizeof(key), "%s.%s", params[i].group,
			params[i].name);
		ok = json_add_string(
			root, key, value_text(buf, &params[i], v->config));
	}
	if (!ok) {
		cJSON_Delete(root);
		return err_nomem(e, "the workload's overrides");
	}
	*out = root;
	return 0;
}
