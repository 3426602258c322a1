/* Bytes of a token in a KV cache; see kv_model.h. */
#include "core/kv_model.h"

#include "core/config.h"
#include "core/json.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST (1U << 20)

static const char *const known_keys[] = {"name", "layers", "hidden_size",
	"num_attention_heads", "num_kv_heads", "head_dim", "kv_lora_rank",
	"qk_rope_head_dim", NULL};

static int read_model(struct kv_model *m, const struct cJSON *o,
	const char *file, struct err *e)
{
	bool mla = json_has(o, "kv_lora_rank");
	int r;

	r = json_only_keys(o, file, known_keys, e);
	if (!r)
		r = json_get_string(o, file, "name", m->name, sizeof(m->name),
			e);
	if (!r)
		r = json_get_u64(o, file, "layers", 1, MOST, &m->layers, e);
	if (!r)
		r = json_get_u64(
			o, file, "hidden_size", 1, MOST, &m->hidden, e);
	if (!r)
		r = json_get_u64(o, file, "num_attention_heads", 1, MOST,
			&m->heads, e);
	if (r)
		return r;
	if (mla) {
		r = json_get_u64(
			o, file, "kv_lora_rank", 1, MOST, &m->lora_rank, e);
		if (!r)
			r = json_get_u64(o, file, "qk_rope_head_dim", 1, MOST,
				&m->rope_dim, e);
		m->token_bytes = m->layers * (m->lora_rank + m->rope_dim) *
				 KV_ELEMENT_BYTES;
		return r;
	}
	r = json_get_u64(
		o, file, "num_kv_heads", 1, m->heads, &m->kv_heads, e);
	m->head_dim = m->hidden / m->heads;
	if (!r)
		r = json_opt_u64(
			o, file, "head_dim", 1, MOST, &m->head_dim, e);
	m->token_bytes = m->layers * m->kv_heads * m->head_dim * 2 *
			 KV_ELEMENT_BYTES;
	if (!r && !m->head_dim)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s: hidden_size %llu is less than num_attention_heads "
			"%llu; give head_dim", file,
			(unsigned long long)m->hidden,
			(unsigned long long)m->heads);
	return r;
}

int kv_model_load(const char *config_dir, const char *name, struct kv_model *m,
	struct err *e)
{
	char file[KV_MODEL_NAME_MAX + 32];
	struct cJSON *o;
	int r;

	memset(m, 0, sizeof(*m));
	snprintf(file, sizeof(file), "kvmodels/%.*s.json",
		KV_MODEL_NAME_MAX - 1, name);
	r = config_load(config_dir, file, &o, e);
	if (r)
		return r == -ENOENT ? err_wrap(e,
					"--model %s (others as kvmodels/"
					"NAME.json below a --config-dir)", name)
				    : r;
	r = read_model(m, o, file, e);
	cJSON_Delete(o);
	if (!r && strcmp(m->name, name))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%s: key 'name' is '%s' but the file is for '%s'", file,
			m->name, name);
	/* an entry of a million tokens has a size that 63 bits can count */
	if (!r && m->token_bytes > 1ULL << 40)
		r = err_set(e, ERR_USAGE, -ERANGE,
			"%s: %llu bytes a token are too many", file,
			(unsigned long long)m->token_bytes);
	return r;
}

uint32_t kv_model_shape(const struct kv_model *m, uint64_t tokens,
	uint64_t shape[KV_MODEL_DIMS_MAX])
{
	shape[0] = m->layers;
	if (m->lora_rank) {
		shape[1] = tokens;
		shape[2] = m->lora_rank + m->rope_dim;
		return 3;
	}
	shape[1] = 2;
	shape[2] = tokens;
	shape[3] = m->kv_heads;
	shape[4] = m->head_dim;
	return 5;
}
