#ifndef CORE_CKPT_SHAPE_H
#define CORE_CKPT_SHAPE_H
/*
 * What one checkpoint of a model is: which rank writes which files of how many
 * bytes, as DLIO 3.0.2 divides it, in whole numbers. World is rank-ordered:
 *
 *	tp = r mod T, pp = (r / T) mod P, dp = r / (T P), mp = r mod (T P)
 *
 * Layer 0 is the embedding, 1 ... L the blocks, L+1 the output head, L+2 the
 * final norm. Stage p has L/P blocks, the first L mod P stages one more; stage
 * 0 also has layer 0, the last one also L+1 and L+2. With h = H/A, k = hK and
 * s = D for ZeRO-3, else 1, each division a floor and T before s, a rank has
 * of a layer these elements:
 *
 *	0 and L+1	HV/T/s
 *	1 ... L		H/s, H(H+2k)/T/s, HH/T/s, H/s, 2HF/T/s, HF/T/s
 *	L+2		H/s
 *
 * Below ZeRO-3 only ranks with dp = 0 have model state. Each rank has three
 * optimizer groups of g = N / (D T P) elements and three tensors of 5 H, N =
 * 2VH + H + L(2H + H(H+2k) + HH + 3HF).
 */
#include "core/ckpt_model.h"
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKPT_ALL_LAYERS UINT64_MAX
#define CKPT_FILE_NAME_MAX 96

struct ckpt_shape {
	struct ckpt_model model;
	uint64_t ranks; /* that take part */
	uint64_t data;	/* D */
	bool subset;	/* shards of the full scale, not all ranks */
	uint32_t scale_num, scale_den; /* of every file's length */
	uint64_t parameters;	       /* N */
	uint64_t group_elements;       /* g */
	uint32_t files_per_rank;       /* most of any rank */
};

enum ckpt_mode {
	CKPT_AUTO,    /* as the benchmark: subset below the CLOSED ranks */
	CKPT_DEFAULT, /* the model is divided among the ranks there are */
	CKPT_SUBSET,
};

/*
 * For `ranks` ranks. Without a subset they must be a multiple of T P; a subset
 * takes any number below the CLOSED one. Scale 1/1 is the real size.
 */
int ckpt_shape_init(struct ckpt_shape *s, const struct ckpt_model *m,
	uint64_t ranks, enum ckpt_mode mode, uint32_t scale_num,
	uint32_t scale_den, struct err *e);

struct ckpt_place {
	uint64_t tp, pp, dp, mp;
};

struct ckpt_place ckpt_place(const struct ckpt_shape *s, uint64_t rank);

/* The blocks first ... first + count - 1 of a stage. */
void ckpt_stage_blocks(const struct ckpt_shape *s, uint64_t stage,
	uint64_t *first, uint64_t *count);

struct ckpt_file {
	bool optimizer;
	uint64_t layer; /* or CKPT_ALL_LAYERS */
	uint64_t bytes;
};

/* Files of a rank, in the order in which they are written. */
uint32_t ckpt_rank_files(const struct ckpt_shape *s, uint64_t rank);
void ckpt_rank_file(const struct ckpt_shape *s, uint64_t rank, uint32_t i,
	struct ckpt_file *f);
/* "layer_3-model_7_model_states.pt"; returns buf. */
const char *ckpt_file_name(const struct ckpt_shape *s, uint64_t rank,
	const struct ckpt_file *f, char buf[CKPT_FILE_NAME_MAX]);

struct ckpt_bytes {
	uint64_t model, optimizer; /* bytes */
	uint64_t files;
};

void ckpt_rank_bytes(
	const struct ckpt_shape *s, uint64_t rank, struct ckpt_bytes *b);

struct ckpt_totals {
	struct ckpt_bytes sum;
	uint64_t bytes;		      /* of one checkpoint */
	uint64_t heaviest_bytes, lightest_bytes; /* of a rank */
};

/* Over all ranks that take part. */
void ckpt_totals(const struct ckpt_shape *s, struct ckpt_totals *t);

#endif
