#ifndef DATAGEN_VDB_MATH_H
#define DATAGEN_VDB_MATH_H
/*
 * The inner loops of building and searching. Each is compiled for AVX-512, for
 * AVX2 and for any CPU, by gcc and clang alike; the best that this CPU has is
 * chosen once, when the program is loaded. All of them add the same numbers in
 * the same order (16 running sums, folded in halves, no fused multiply-add),
 * so that a result is the same to the last bit on every CPU: what is built
 * from a seed is the same file everywhere.
 *
 * Vectors are padded with zeroes to a multiple of VDB_PAD floats.
 */
#include <stddef.h>
#include <stdint.h>

#define VDB_PAD 16u
#define VDB_CENTROIDS 256u

static inline uint32_t vdb_stride(uint32_t dim)
{
	return (dim + VDB_PAD - 1) / VDB_PAD * VDB_PAD;
}

struct vdb_kernels {
	const char *name; /* "avx512", "avx2", "plain" */
	float (*l2)(const float *a, const float *b, uint32_t n);
	float (*dot)(const float *a, const float *b, uint32_t n);
	void (*l2_rows)(const float *x, const float *rows, uint32_t n,
		const uint32_t *ids, uint32_t count, float *out);
	void (*l2_near)(const float *x, const float *rows, uint32_t n,
		const uint32_t *ids, uint32_t count, float *out);
	void (*centroids)(const float *x, uint32_t dims,
		const float *transposed, float *out);
	uint32_t (*smallest)(const float *v);
	float (*approach)(const float *columns, uint32_t stride, uint32_t dims,
		const float *centre, float *nearest, uint32_t count);
};

/* What this CPU can run, the best first, NULL at the end; [0] is in use. */
extern const struct vdb_kernels *vdb_kernels[4];

/* Squared Euclidean distance; n is a multiple of VDB_PAD. */
static inline float vdb_l2(const float *a, const float *b, uint32_t n)
{
	return vdb_kernels[0]->l2(a, b, n);
}

/* Inner product. */
static inline float vdb_dot(const float *a, const float *b, uint32_t n)
{
	return vdb_kernels[0]->dot(a, b, n);
}

/* out[i] = vdb_l2() of x and row ids[i] of rows, which are n floats each. */
static inline void vdb_l2_rows(const float *x, const float *rows, uint32_t n,
	const uint32_t *ids, uint32_t count, float *out)
{
	vdb_kernels[0]->l2_rows(x, rows, n, ids, count, out);
}

/* The same of rows that were looked at a moment ago. */
static inline void vdb_l2_near(const float *x, const float *rows, uint32_t n,
	const uint32_t *ids, uint32_t count, float *out)
{
	vdb_kernels[0]->l2_near(x, rows, n, ids, count, out);
}

/*
 * out[k] = squared distance of x (dims floats) to centroid k; the centroids
 * transposed: [dims][VDB_CENTROIDS].
 */
static inline void vdb_centroid_distances(const float *x, uint32_t dims,
	const float *transposed, float out[VDB_CENTROIDS])
{
	vdb_kernels[0]->centroids(x, dims, transposed, out);
}

/* The number of the smallest of VDB_CENTROIDS values, the first of equals. */
static inline uint32_t vdb_smallest(const float v[VDB_CENTROIDS])
{
	return vdb_kernels[0]->smallest(v);
}

/*
 * nearest[i] = the smaller of it and of the squared distance of row i to
 * centre; their sum. Rows stand in columns, [dims][stride]; count is a multiple
 * of VDB_PAD.
 */
static inline float vdb_approach(const float *columns, uint32_t stride,
	uint32_t dims, const float *centre, float *nearest, uint32_t count)
{
	return vdb_kernels[0]->approach(
		columns, stride, dims, centre, nearest, count);
}

/* Sum over chunks of table[chunk][codes[chunk]]. */
float vdb_lookup(const float *table, const uint8_t *codes, uint32_t chunks);

/* Divide by the length, and tell it; zeroes stay as they are. */
float vdb_normalise(float *x, uint32_t dim);

#endif
