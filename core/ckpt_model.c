/* Loads the models of checkpoints; see ckpt_model.h. */
#include "core/ckpt_model.h"

#include "core/config.h"
#include "core/core_hash.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const file_keys[] = {"name", "closed_ranks",
	"published_size", "published_remark", "parameters", "comment", NULL};

static int element_bytes(
	const char *file, const char *type, uint64_t *bytes, struct err *e)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} t[] = {{"fp64", 8}, {"fp32", 4}, {"fp16", 2}, {"bf16", 2},
		{"fp8", 1}, {"int8", 1}, {"uint8", 1}};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		if (strcmp(type, t[i].name))
			continue;
		*bytes = t[i].bytes;
		return 0;
	}
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s: unknown datatype '%s'; known: fp64, fp32, fp16, bf16, "
		"fp8, int8, uint8", file, type);
}

/* The limits keep every size below 2^62 bytes. */
static int read_shape(struct ckpt_model *m, const struct cJSON *model,
	const char *file, struct err *e)
{
	static const char *const keys[] = {"name", "type", "model_datatype",
		"optimizer_datatype", "num_layers", "parallelism",
		"transformer", NULL};
	const struct cJSON *parallelism, *transformer;
	struct {
		const struct cJSON **from;
		const char *key;
		uint64_t min, max, *value;
	} whole[] = {
		{&model, "num_layers", 1, 4096, &m->layers},
		{&parallelism, "tensor", 1, 65536, &m->tensor},
		{&parallelism, "pipeline", 1, 4096, &m->pipeline},
		{&parallelism, "zero_stage", 1, 3, &m->zero_stage},
		{&transformer, "vocab_size", 1, 1 << 24, &m->vocab},
		{&transformer, "hidden_size", 1, 1 << 20, &m->hidden},
		{&transformer, "ffn_hidden_size", 1, 1 << 22, &m->ffn},
		{&transformer, "num_attention_heads", 1, 1 << 16, &m->heads},
		{&transformer, "num_kv_heads", 1, 1 << 16, &m->kv_heads},
	};
	size_t i;
	int r;

	r = json_only_keys(model, file, keys, e);
	if (!r)
		r = json_get_object(
			model, file, "parallelism", &parallelism, e);
	if (!r)
		r = json_get_object(
			model, file, "transformer", &transformer, e);
	for (i = 0; !r && i < sizeof(whole) / sizeof(whole[0]); i++)
		r = json_get_u64(*whole[i].from, file, whole[i].key,
			whole[i].min, whole[i].max, whole[i].value, e);
	if (!r)
		r = json_get_string(model, file, "name", m->dlio_name,
			sizeof(m->dlio_name), e);
	if (!r)
		r = json_get_string(model, file, "model_datatype",
			m->model_datatype, sizeof(m->model_datatype), e);
	if (!r)
		r = json_get_string(model, file, "optimizer_datatype",
			m->optimizer_datatype, sizeof(m->optimizer_datatype),
			e);
	if (!r)
		r = element_bytes(file, m->model_datatype,
			&m->model_element_bytes, e);
	return r ? r : element_bytes(file, m->optimizer_datatype,
			       &m->optimizer_element_bytes, e);
}

static int check_shape(
	const struct ckpt_model *m, const char *file, struct err *e)
{
	if (m->zero_stage == 3 && m->pipeline > 1)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: zero_stage 3 divides every layer over all ranks "
			"and goes with pipeline 1 only (it is %llu)", file,
			(unsigned long long)m->pipeline);
	if (m->pipeline > m->layers)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: %llu pipeline stages for %llu layers", file,
			(unsigned long long)m->pipeline,
			(unsigned long long)m->layers);
	if (m->heads > m->hidden || m->kv_heads > m->heads)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: hidden_size %llu, num_attention_heads %llu and "
			"num_kv_heads %llu must not increase in this order",
			file, (unsigned long long)m->hidden,
			(unsigned long long)m->heads,
			(unsigned long long)m->kv_heads);
	if (m->closed_ranks % (m->tensor * m->pipeline))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: closed_ranks %llu is no multiple of tensor x "
			"pipeline = %llu", file,
			(unsigned long long)m->closed_ranks,
			(unsigned long long)(m->tensor * m->pipeline));
	return 0;
}

static int read_model(struct ckpt_model *m, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct cJSON *parameters, *model, *checkpoint;
	int r;

	r = json_get_object(o, file, "parameters", &parameters, e);
	if (!r)
		r = json_get_object(parameters, file, "model", &model, e);
	if (!r)
		r = json_get_object(
			parameters, file, "checkpoint", &checkpoint, e);
	if (!r)
		r = read_shape(m, model, file, e);
	if (!r)
		r = json_opt_u64(o, file, "closed_ranks", 1, 1 << 20,
			&m->closed_ranks, e);
	if (!r)
		r = json_opt_string(o, file, "published_size",
			m->published_size, sizeof(m->published_size), e);
	if (!r)
		r = json_opt_string(o, file, "published_remark",
			m->published_remark, sizeof(m->published_remark), e);
	if (!r)
		r = json_opt_double(checkpoint, file,
			"time_between_checkpoints", 0, 86400, &m->gap_s, e);
	if (!r)
		r = json_opt_u64(checkpoint, file, "num_checkpoints_write", 0,
			100000, &m->writes, e);
	if (!r)
		r = json_opt_u64(checkpoint, file, "num_checkpoints_read", 0,
			100000, &m->reads, e);
	if (!r)
		r = json_opt_bool(checkpoint, file, "fsync", &m->fsync, e);
	if (!r)
		r = check_shape(m, file, e);
	return r ? r : core_hash(parameters, CORE_CHECKPOINTING,
			file, m->core_hash, NULL, e);
}

struct names {
	char text[512];
	size_t len;
};

static int list_one(void *arg, const char *base)
{
	struct names *l = arg;

	if (l->len < sizeof(l->text) - 1)
		l->len += (size_t)snprintf(l->text + l->len,
			sizeof(l->text) - l->len, "%s%s", l->len ? ", " : "",
			base);
	return 0;
}

int ckpt_model_load(const char *config_dir, const char *name,
	struct ckpt_model *m, struct err *e)
{
	char file[CKPT_MODEL_NAME_MAX + 16], said[CKPT_MODEL_NAME_MAX];
	struct names known = {.len = 0};
	struct cJSON *o;
	int r;

	memset(m, 0, sizeof(*m));
	m->gap_s = 5;
	m->writes = m->reads = 10;
	m->fsync = true;
	snprintf(file, sizeof(file), "models/%.*s.json",
		CKPT_MODEL_NAME_MAX - 1, name);
	r = config_load(config_dir, file, &o, e);
	if (r == -ENOENT) {
		config_each(config_dir, "models", list_one, &known, NULL);
		return err_set(e, ERR_USAGE, r,
			"unknown model '%s'; known: %s (others as "
			"models/NAME.json below a --config-dir)", name,
			known.text);
	}
	if (r)
		return r;
	r = json_only_keys(o, file, file_keys, e);
	if (!r)
		r = json_get_string(o, file, "name", said, sizeof(said), e);
	if (!r && strcmp(said, name))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s: key 'name' is '%s' but the file is for '%s'", file,
			said, name);
	snprintf(m->name, sizeof(m->name), "%s", name);
	if (!r)
		r = read_model(m, o, file, e);
	cJSON_Delete(o);
	return r;
}
