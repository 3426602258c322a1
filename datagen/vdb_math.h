#ifndef DATAGEN_VDB_MATH_H
#define DATAGEN_VDB_MATH_H
/*
 * The inner loops of building and searching. They are compiled for several
 * vector units and the best one of this CPU is chosen when the program is
 * loaded. Vectors are padded with zeroes to a multiple of VDB_PAD floats.
 */
#include <stddef.h>
#include <stdint.h>

#define VDB_PAD 16u
#define VDB_CENTROIDS 256u

static inline uint32_t vdb_stride(uint32_t dim)
{
	return (dim + VDB_PAD - 1) / VDB_PAD * VDB_PAD;
}

/* Squared Euclidean distance; n is a multiple of VDB_PAD. */
float vdb_l2(const float *a, const float *b, uint32_t n);

/*
 * out[k] = squared distance of x (dims floats) to centroid k; the centroids
 * transposed: [dims][VDB_CENTROIDS].
 */
void vdb_centroid_distances(const float *x, uint32_t dims,
	const float *transposed, float out[VDB_CENTROIDS]);

/* The number of the smallest of VDB_CENTROIDS values, the first of equals. */
uint32_t vdb_smallest(const float v[VDB_CENTROIDS]);

/* Sum over chunks of table[chunk][codes[chunk]]. */
float vdb_lookup(const float *table, const uint8_t *codes, uint32_t chunks);

#endif
