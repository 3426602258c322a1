/* Loads and merges workload profiles; see profile.h. */
#include "accel_sim/profile.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Those after "sample_shuffle" describe the model but steer nothing here. */
static const char *const workload_keys[] = {"name", "runnable", "why",
	"framework", "format", "batch_size", "computation_time",
	"record_length_bytes", "record_length_bytes_stdev",
	"record_length_bytes_resize", "num_samples_per_file", "num_files_train",
	"epochs", "au", "read_threads", "prefetch_size", "transfer_size",
	"model_type", "model_size", "file_shuffle", "sample_shuffle",
	"shuffle_size", "computation_threads", "dont_use_mmap", "parquet",
	"checkpoint", "comment", NULL};

static const char *const accelerator_keys[] = {
	"name", "memory_gb", "workloads", "comment", NULL};

struct names {
	char text[512];
	size_t len;
};

static void names_add(struct names *l, const char *name)
{
	if (l->len < sizeof(l->text) - 1)
		l->len += (size_t)snprintf(l->text + l->len,
			sizeof(l->text) - l->len, "%s%s", l->len ? ", " : "",
			name);
}

static int list_all(void *arg, const char *base)
{
	names_add(arg, base);
	return 0;
}

/* Load folder/name.json and check that it says the same name. */
static int load_named(const char *dir, const char *folder, const char *what,
	const char *name, const char *const keys[], char file[192],
	struct cJSON **out, struct err *e)
{
	struct names known = {.len = 0};
	char said[64] = "";
	int ret;

	*out = NULL;
	snprintf(file, 192, "%s/%s.json", folder, name);
	ret = config_load(dir, file, out, e);
	if (ret == -ENOENT) {
		config_each(dir, folder, list_all, &known, NULL);
		return err_set(e, ERR_USAGE, ret, "unknown %s '%s'; known: %s",
			what, name, known.text);
	}
	if (!ret)
		ret = json_only_keys(*out, file, keys, e);
	if (!ret)
		ret = json_get_string(
			*out, file, "name", said, sizeof(said), e);
	if (!ret && strcmp(said, name))
		ret = err_set(e, ERR_USAGE, -EINVAL,
			"%s: key 'name' is '%s' but the file is for '%s'", file,
			said, name);
	return ret;
}

static int apply_texts(struct workload_profile *p, const struct cJSON *obj,
	const char *file, struct err *e)
{
	const struct {
		const char *key;
		char *buf;
		size_t size;
	} texts[] = {
		{"framework", p->framework, sizeof(p->framework)},
		{"format", p->format, sizeof(p->format)},
		{"model_type", p->model_type, sizeof(p->model_type)},
		{"file_shuffle", p->file_shuffle, sizeof(p->file_shuffle)},
		{"sample_shuffle", p->sample_shuffle,
			sizeof(p->sample_shuffle)},
		{"why", p->why, sizeof(p->why)},
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(texts) / sizeof(texts[0]); i++)
		ret = json_opt_string(obj, file, texts[i].key, texts[i].buf,
			texts[i].size, e);
	return ret ? ret
		   : json_opt_bool(obj, file, "runnable", &p->runnable, e);
}

static int apply_whole(struct workload_profile *p, const struct cJSON *obj,
	const char *file, struct err *e)
{
	const struct {
		const char *key;
		uint64_t min, max;
		uint64_t *value;
	} whole[] = {
		{"batch_size", 1, 1ULL << 32, &p->batch_size},
		{"num_samples_per_file", 1, 1ULL << 40, &p->samples_per_file},
		{"num_files_train", 1, 1ULL << 40, &p->default_files},
		{"epochs", 1, 100000, &p->epochs},
		{"read_threads", 0, 1024, &p->read_threads},
		{"prefetch_size", 0, 65536, &p->prefetch_size},
		{"transfer_size", 1, 1ULL << 40, &p->transfer_bytes},
		{"record_length_bytes_resize", 0, 1ULL << 50, &p->resize_bytes},
		{"model_size", 0, 1ULL << 53, &p->model_size},
	};
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < sizeof(whole) / sizeof(whole[0]); i++)
		ret = json_opt_u64(obj, file, whole[i].key, whole[i].min,
			whole[i].max, whole[i].value, e);
	return ret;
}

/* Seconds, bytes and fractions: a double of a short decimal is exact here. */
static int apply_real(struct workload_profile *p, const struct cJSON *obj,
	const char *file, struct err *e)
{
	double ct = (double)p->computation_ns / (double)NS_PER_S;
	double au = p->au_floor_ppm / 1e6;
	double rl = (double)p->record_bytes;
	int ret;

	ret = json_opt_double(obj, file, "computation_time", 1e-9, 1e6, &ct, e);
	if (!ret)
		ret = json_opt_double(obj, file, "au", 0, 1, &au, e);
	if (!ret)
		ret = json_opt_double(
			obj, file, "record_length_bytes", 1, 1e15, &rl, e);
	if (!ret)
		ret = json_opt_double(obj, file, "record_length_bytes_stdev", 0,
			1e15, &p->record_stdev_bytes, e);
	p->computation_ns = llround(ct * (double)NS_PER_S);
	p->au_floor_ppm = (uint32_t)lround(au * 1e6);
	p->record_bytes = (uint64_t)llround(rl);
	return ret;
}

static int apply(struct workload_profile *p, const struct cJSON *obj,
	const char *file, struct err *e)
{
	int ret;

	ret = json_only_keys(obj, file, workload_keys, e);
	if (!ret)
		ret = apply_texts(p, obj, file, e);
	if (!ret)
		ret = apply_whole(p, obj, file, e);
	if (!ret)
		ret = apply_real(p, obj, file, e);
	return ret;
}

struct with_model {
	const char *dir, *model;
	struct names names;
};

static int list_with_model(void *arg, const char *base)
{
	struct with_model *w = arg;
	struct cJSON *root;
	char file[192];

	snprintf(file, sizeof(file), "accelerators/%s.json", base);
	if (config_load(w->dir, file, &root, NULL))
		return 0;
	if (json_has(cJSON_GetObjectItemCaseSensitive(root, "workloads"),
		    w->model))
		names_add(&w->names, base);
	cJSON_Delete(root);
	return 0;
}

static int apply_accelerator(struct workload_profile *p, const char *dir,
	const struct cJSON *root, const char *file, struct err *e)
{
	struct with_model has = {.dir = dir, .model = p->model};
	const struct cJSON *all, *entry;
	char where[288];
	int ret;

	ret = json_opt_double(
		root, file, "memory_gb", 0, 1e6, &p->accelerator_memory_gb, e);
	if (!ret)
		ret = json_get_object(root, file, "workloads", &all, e);
	if (ret)
		return ret;
	entry = cJSON_GetObjectItemCaseSensitive(all, p->model);
	if (!entry) {
		config_each(dir, "accelerators", list_with_model, &has, NULL);
		return err_set(e, ERR_USAGE, -ENOENT,
			"%s has no profile for accelerator %s; it has one "
			"for: %s",
			p->model, p->accelerator,
			has.names.len ? has.names.text : "none");
	}
	snprintf(where, sizeof(where), "%s: %s", file, p->model);
	return apply(p, entry, where, e);
}

static int check_complete(const struct workload_profile *p, struct err *e)
{
	const char *missing = NULL;

	if (!p->format[0])
		missing = "format";
	else if (!p->batch_size)
		missing = "batch_size";
	else if (!p->computation_ns)
		missing = "computation_time";
	else if (!p->record_bytes)
		missing = "record_length_bytes";
	else if (!p->default_files)
		missing = "num_files_train";
	else if (!p->au_floor_ppm)
		missing = "au";
	if (!missing)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"the profile of %s on %s lacks '%s'; set it in "
		"workloads/%s.json or accelerators/%s.json",
		p->model, p->accelerator, missing, p->model, p->accelerator);
}

int profile_load(const char *config_dir, const char *model,
	const char *accelerator, struct workload_profile *p, struct err *e)
{
	struct cJSON *workload = NULL, *accel = NULL;
	char file[192];
	int ret;

	memset(p, 0, sizeof(*p));
	p->prefetch_size = 2; /* engine defaults, as DLIO 3.0.2 */
	p->read_threads = 1;
	p->samples_per_file = 1;
	p->epochs = 1;
	ret = load_named(config_dir, "workloads", "model", model, workload_keys,
		file, &workload, e);
	if (!ret) {
		snprintf(p->model, sizeof(p->model), "%s", model);
		ret = apply(p, workload, file, e);
	}
	if (!ret)
		ret = load_named(config_dir, "accelerators", "accelerator",
			accelerator, accelerator_keys, file, &accel, e);
	if (!ret) {
		snprintf(p->accelerator, sizeof(p->accelerator), "%s",
			accelerator);
		ret = apply_accelerator(p, config_dir, accel, file, e);
	}
	if (!ret)
		ret = check_complete(p, e);
	if (p->runnable) /* here, if not on every accelerator */
		p->why[0] = 0;
	cJSON_Delete(workload);
	cJSON_Delete(accel);
	return ret;
}

/* Nearest whole of v * num / den, half up; not 0 unless v is. */
static uint64_t scaled(uint64_t v, uint32_t num, uint32_t den)
{
	unsigned __int128 q = (unsigned __int128)v * num;

	q = (q + den / 2) / den;
	return v && !q ? 1 : (uint64_t)q;
}

void profile_scale(struct workload_profile *p, uint32_t num, uint32_t den)
{
	p->record_bytes = scaled(p->record_bytes, num, den);
	p->resize_bytes = scaled(p->resize_bytes, num, den);
	p->record_stdev_bytes = p->record_stdev_bytes * num / den;
	p->computation_ns =
		(int64_t)scaled((uint64_t)p->computation_ns, num, den);
}

double profile_demand_mib_per_s(const struct workload_profile *p)
{
	double ct = (double)p->computation_ns / (double)NS_PER_S;

	return (double)p->batch_size / ct * (double)p->record_bytes /
	       (double)MIB_BYTES;
}
