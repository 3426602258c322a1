#ifndef DATAGEN_VDB_TRUTH_H
#define DATAGEN_VDB_TRUTH_H
/*
 * Exact nearest neighbours, by brute force through BLAS, and their file:
 * u32 queries, u32 k, then the ids, then the distances: squares of Euclidean
 * ones, 1 - cosine, or the inner product with its sign changed.
 */
#include "core/err.h"
#include "datagen/vdb_vectors.h"

#include <stdint.h>

/* Vectors of a multiplication: so many are held twice, and their products. */
#define VDB_TRUTH_BLOCK 4096

struct vdb_truth {
	enum vdb_metric metric; /* L2 unless its maker says otherwise */
	uint32_t queries, k;
	uint64_t covered; /* vectors that were looked at; not in the file */
	uint32_t *ids;	  /* [queries][k], nearest first, ties by id */
	float *distances;
};

int vdb_truth_init(struct vdb_truth *t, uint32_t queries, uint32_t k,
	struct err *e);
void vdb_truth_free(struct vdb_truth *t);

/* Look at these vectors, too. */
int vdb_truth_add(struct vdb_truth *t, const struct vdb_vectors *queries,
	const struct vdb_vectors *base, struct err *e);
/* What another one has found among other vectors. */
void vdb_truth_merge(struct vdb_truth *t, const struct vdb_truth *from);

int vdb_truth_save(const struct vdb_truth *t, const char *path, struct err *e);
/* -EBADMSG: its size fits neither ids nor ids and distances. */
int vdb_truth_load(struct vdb_truth *t, const char *path, struct err *e);

#endif
