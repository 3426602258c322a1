#ifndef DATAGEN_VDB_VECTORS_H
#define DATAGEN_VDB_VECTORS_H
/*
 * Vectors in memory, from a generator or a file: u32 rows, u32 columns, then
 * floats, or bytes with a sign (.i8bin) or without (.u8bin), which become
 * floats. Generated ones are functions of seed and id and of length 1, so
 * that L2, cosine and inner product rank alike:
 *	uniform		[0, 1) in every dimension, as the benchmark's
 *	clustered	256 centres and 12 directions shared by all, a normal
 *			draw along each: like real data, of few dimensions
 * Queries are uniform draws of numpy's legacy generator, as the benchmark's,
 * or clustered ones that are no vector of the set.
 */
#include "core/err.h"
#include "core/vdb_record.h"

#include <float.h>
#include <stdbool.h>
#include <stdint.h>

struct vdb_vectors {
	uint64_t count, first; /* ids first ... first + count - 1 */
	uint32_t dim, stride;
	float *data; /* [count][stride], zeroes behind dim; lines of the cache */
	/* of a segment, what its metric made of it (see vdb_metric.h), or NULL */
	float *raw; /* [count][stride]: as the index file has them */
	float *norms;
};

static inline const float *vdb_vector(const struct vdb_vectors *v, uint64_t i)
{
	return v->data + i * v->stride;
}

/* What the index file has of a vector. */
static inline const float *vdb_vector_stored(
	const struct vdb_vectors *v, uint64_t i)
{
	return (v->raw ? v->raw : v->data) + i * v->stride;
}

void vdb_vectors_free(struct vdb_vectors *v);

/* For what is read all over: on huge pages where there are any. free() it. */
void *vdb_huge_alloc(uint64_t bytes);

int vdb_vectors_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint64_t first, uint64_t count, uint32_t dim,
	struct err *e);
/* Lengths drawn evenly between 1 - pct % and 1 + pct %. */
void vdb_vectors_spread(struct vdb_vectors *v, uint64_t seed, uint32_t pct);
/* Rows of v, numbered from 0, as the index file has them. */
int vdb_vectors_pick(struct vdb_vectors *out, const struct vdb_vectors *v,
	const uint32_t *rows, uint32_t count, struct err *e);
int vdb_queries_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint32_t count, uint32_t dim, struct err *e);

/* Rows and columns of a file of vectors, whose size must fit them. */
int vdb_fbin_shape(const char *path, uint64_t *rows, uint32_t *dim,
	struct err *e);
/*
 * Squares of lengths above which distances do not fit a 32-bit float: less
 * their mean vectors are at most twice as long, and two of these four times as
 * far from each other.
 */
#define VDB_SQUARE_MAX ((double)FLT_MAX / 16)
/*
 * Rows first ... of it; -EBADMSG for a number that is not finite, -ERANGE for a
 * row of a square above VDB_SQUARE_MAX.
 */
int vdb_fbin_read(struct vdb_vectors *v, const char *path, uint64_t first,
	uint64_t count, struct err *e);
int vdb_fbin_write(
	const struct vdb_vectors *v, const char *path, struct err *e);

#endif
