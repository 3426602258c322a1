#ifndef DATAGEN_VDB_VECTORS_H
#define DATAGEN_VDB_VECTORS_H
/*
 * Vectors in memory, from a generator or a .fbin file (u32 rows, u32 columns,
 * floats). Generated ones are functions of seed and id and of length 1, so
 * that L2, cosine and inner product rank alike:
 *	uniform		[0, 1) in every dimension, as the benchmark's
 *	clustered	256 centres and 12 directions shared by all, a normal
 *			draw along each: like real data, of few dimensions
 * Queries are uniform draws of numpy's legacy generator, as the benchmark's,
 * or clustered ones that are no vector of the set.
 */
#include "core/err.h"
#include "core/vdb_record.h"

#include <stdbool.h>
#include <stdint.h>

struct vdb_vectors {
	uint64_t count, first; /* ids first ... first + count - 1 */
	uint32_t dim, stride;
	float *data; /* [count][stride], zeroes behind dim */
};

static inline const float *vdb_vector(const struct vdb_vectors *v, uint64_t i)
{
	return v->data + i * v->stride;
}

void vdb_vectors_free(struct vdb_vectors *v);

int vdb_vectors_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint64_t first, uint64_t count, uint32_t dim,
	struct err *e);
int vdb_queries_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint32_t count, uint32_t dim, struct err *e);

/* Rows and columns of an .fbin file, whose size must fit them. */
int vdb_fbin_shape(const char *path, uint64_t *rows, uint32_t *dim,
	struct err *e);
/* Rows first ... of it; -EBADMSG for a number that is not finite. */
int vdb_fbin_read(struct vdb_vectors *v, const char *path, uint64_t first,
	uint64_t count, struct err *e);
int vdb_fbin_write(
	const struct vdb_vectors *v, const char *path, struct err *e);

#endif
