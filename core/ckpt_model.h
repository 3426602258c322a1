#ifndef CORE_CKPT_MODEL_H
#define CORE_CKPT_MODEL_H
/*
 * A model whose training state is saved: its shape, how it is divided among
 * ranks, and how the benchmark saves it (configs/models/, and models of the
 * user's own in a --config-dir). "parameters" of such a file are the
 * benchmark's own keys, as its workload files have them.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

#define CKPT_MODEL_NAME_MAX 64
#define CKPT_HASH_MAX 17

struct ckpt_model {
	char name[CKPT_MODEL_NAME_MAX];	     /* "llama3-8b" */
	char dlio_name[CKPT_MODEL_NAME_MAX]; /* model.name, "llama_8b" */
	uint64_t layers;   /* L, transformer blocks */
	uint64_t hidden;   /* H */
	uint64_t ffn;	   /* F */
	uint64_t heads;	   /* A */
	uint64_t kv_heads; /* K */
	uint64_t vocab;	   /* V */
	uint64_t tensor, pipeline; /* T, P */
	uint64_t zero_stage;	   /* 1, 2 or 3 */
	char model_datatype[16], optimizer_datatype[16]; /* "fp16", "fp32" */
	uint64_t model_element_bytes, optimizer_element_bytes;
	uint64_t closed_ranks; /* what CLOSED asks for; 0: not a benchmark's */
	double gap_s;	       /* checkpoint.time_between_checkpoints */
	uint64_t writes, reads;
	bool fsync;
	/* what the rules call its size, and why that is another number; "" */
	char published_size[32], published_remark[160];
	/*
	 * First 16 hex digits of SHA-256 over the parameters without folder
	 * and counts, by which published results are compared.
	 */
	char core_hash[CKPT_HASH_MAX];
};

/*
 * Load models/<name>.json; a name that does not exist is answered with those
 * that do. Every figure is checked, so that sizes fit into 64 bits.
 */
int ckpt_model_load(const char *config_dir, const char *name,
	struct ckpt_model *m, struct err *e);

#endif
