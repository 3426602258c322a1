/* Distances; see vdb_math.h. */
#include "datagen/vdb_math.h"

#include <string.h>

/* clang 14 leaves the plain name of such a function undefined */
#if defined(__x86_64__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

typedef float vec __attribute__((vector_size(64)));

#define LANES (sizeof(vec) / sizeof(float))

CLONES float vdb_l2(const float *a, const float *b, uint32_t n)
{
	vec sum = {0}, x, y;
	float out[LANES], s = 0;
	uint32_t i;

	for (i = 0; i < n; i += LANES) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		x -= y;
		sum += x * x;
	}
	memcpy(out, &sum, sizeof(out));
	for (i = 0; i < LANES; i++)
		s += out[i];
	return s;
}

CLONES void vdb_centroid_distances(const float *x, uint32_t dims,
	const float *transposed, float out[VDB_CENTROIDS])
{
	uint32_t k, d;
	vec sum, c;

	for (k = 0; k < VDB_CENTROIDS; k += LANES) {
		sum = (vec){0};
		for (d = 0; d < dims; d++) {
			memcpy(&c, transposed + d * VDB_CENTROIDS + k,
				sizeof(c));
			c -= x[d];
			sum += c * c;
		}
		memcpy(out + k, &sum, sizeof(sum));
	}
}

CLONES uint32_t vdb_smallest(const float v[VDB_CENTROIDS])
{
	float low[LANES], least;
	uint32_t k, i;

	memcpy(low, v, sizeof(low));
	for (k = LANES; k < VDB_CENTROIDS; k += LANES)
		for (i = 0; i < LANES; i++)
			low[i] = v[k + i] < low[i] ? v[k + i] : low[i];
	least = low[0];
	for (i = 1; i < LANES; i++)
		least = low[i] < least ? low[i] : least;
	for (k = 0; k < VDB_CENTROIDS - 1 && v[k] > least; k++)
		;
	return k;
}

float vdb_lookup(const float *table, const uint8_t *codes, uint32_t chunks)
{
	float s[4] = {0};
	uint32_t i;

	for (i = 0; i + 4 <= chunks; i += 4, table += 4 * VDB_CENTROIDS) {
		s[0] += table[codes[i]];
		s[1] += table[VDB_CENTROIDS + codes[i + 1]];
		s[2] += table[2 * VDB_CENTROIDS + codes[i + 2]];
		s[3] += table[3 * VDB_CENTROIDS + codes[i + 3]];
	}
	for (; i < chunks; i++, table += VDB_CENTROIDS)
		s[0] += table[codes[i]];
	return s[0] + s[1] + s[2] + s[3];
}
