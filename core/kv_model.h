#ifndef CORE_KV_MODEL_H
#define CORE_KV_MODEL_H
/*
 * How large the keys and values of a token are, from configs/kvmodels/:
 *
 *	classic	layers x KV heads x head dim x 2 (K and V) x 2 (float16)
 *	MLA	layers x (KV LoRA rank + RoPE head dim) x 2
 *
 * head_dim is hidden_size / num_attention_heads unless the file has one:
 *
 *	{"name": "tiny-1b", "layers": 12, "hidden_size": 1024,
 *	 "num_attention_heads": 8, "num_kv_heads": 4}
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

#define KV_MODEL_NAME_MAX 64
#define KV_ELEMENT_BYTES 2
#define KV_MODEL_DIMS_MAX 5

struct kv_model {
	char name[KV_MODEL_NAME_MAX];
	uint64_t layers, hidden, heads, kv_heads, head_dim;
	uint64_t lora_rank, rope_dim; /* MLA: both > 0, kv_heads is 0 */
	uint64_t token_bytes;
};

/* ERR_USAGE with the known names. config_dir as in config_load(). */
int kv_model_load(const char *config_dir, const char *name, struct kv_model *m,
	struct err *e);

/*
 * The shape of an entry of so many tokens as a float16 array; how many
 * dimensions it has: layers, 2, tokens, KV heads, head dim (MLA: layers,
 * tokens, rank + rope).
 */
uint32_t kv_model_shape(const struct kv_model *m, uint64_t tokens,
	uint64_t shape[KV_MODEL_DIMS_MAX]);

#endif
