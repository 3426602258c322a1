/* Distances; see vdb_math.h. */
#include "datagen/vdb_math.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#define BODY static inline __attribute__((always_inline))
#else
#define BODY static inline
#endif

typedef float vec __attribute__((vector_size(64)));
typedef int32_t ivec __attribute__((vector_size(64)));
typedef float vec8 __attribute__((vector_size(32)));
typedef float vec4 __attribute__((vector_size(16)));

#define LANES 16u
#define GROUP 4u /* rows whose distances are added up together */
#define LINE 16u /* floats in a cache line */
#define AHEAD_LINES 8u /* of a row; the CPU fetches the rest by itself */

#define LOAD(v, from) memcpy(&(v), from, sizeof(v))

/* The 16 sums of s, halves onto halves; a macro, since no function for all
 * CPUs can take or give such a vector. */
#define FOLD(s, out)                                                           \
	do {                                                                   \
		vec8 a8 = __builtin_shufflevector(s, s, 0, 1, 2, 3, 4, 5, 6,   \
				  7) +                                         \
			  __builtin_shufflevector(s, s, 8, 9, 10, 11, 12, 13,  \
				  14, 15);                                     \
		vec4 a4 = __builtin_shufflevector(a8, a8, 0, 1, 2, 3) +        \
			  __builtin_shufflevector(a8, a8, 4, 5, 6, 7);         \
		(out) = (a4[0] + a4[2]) + (a4[1] + a4[3]);                     \
	} while (0)

BODY float l2_body(const float *a, const float *b, uint32_t n)
{
	vec sum = {0}, x, y;
	uint32_t i;
	float out;

	for (i = 0; i < n; i += LANES) {
		LOAD(x, a + i);
		LOAD(y, b + i);
		x -= y;
		sum += x * x;
	}
	FOLD(sum, out);
	return out;
}

BODY float dot_body(const float *a, const float *b, uint32_t n)
{
	vec sum = {0}, x, y;
	uint32_t i;
	float out;

	for (i = 0; i < n; i += LANES) {
		LOAD(x, a + i);
		LOAD(y, b + i);
		sum += x * y;
	}
	FOLD(sum, out);
	return out;
}

BODY void fetch(const float *row, uint32_t n)
{
	uint32_t i, most = AHEAD_LINES * LINE;

	for (i = 0; i < n && i < most; i += LINE)
		__builtin_prefetch(row + i);
}

/* far: the rows are not in a cache, and are fetched while others are at work */
BODY void rows_body(const float *x, const float *rows, uint32_t n,
	const uint32_t *ids, uint32_t count, float *out, bool far)
{
	const float *r0, *r1, *r2, *r3;
	vec s0, s1, s2, s3, v, w;
	uint32_t i, k, ahead;

	for (k = 0; far && k < count && k < 2 * GROUP; k++)
		fetch(rows + (size_t)ids[k] * n, n);
	for (k = 0; k + GROUP <= count; k += GROUP) {
		for (ahead = k + 2 * GROUP; far &&
			ahead < k + 3 * GROUP && ahead < count; ahead++)
			fetch(rows + (size_t)ids[ahead] * n, n);
		r0 = rows + (size_t)ids[k] * n;
		r1 = rows + (size_t)ids[k + 1] * n;
		r2 = rows + (size_t)ids[k + 2] * n;
		r3 = rows + (size_t)ids[k + 3] * n;
		s0 = s1 = s2 = s3 = (vec){0};
		for (i = 0; i < n; i += LANES) {
			LOAD(v, x + i);
			LOAD(w, r0 + i);
			w = v - w;
			s0 += w * w;
			LOAD(w, r1 + i);
			w = v - w;
			s1 += w * w;
			LOAD(w, r2 + i);
			w = v - w;
			s2 += w * w;
			LOAD(w, r3 + i);
			w = v - w;
			s3 += w * w;
		}
		FOLD(s0, out[k]);
		FOLD(s1, out[k + 1]);
		FOLD(s2, out[k + 2]);
		FOLD(s3, out[k + 3]);
	}
	for (; k < count; k++)
		out[k] = l2_body(x, rows + (size_t)ids[k] * n, n);
}

/* 64 centroids at a time, so that few sums wait for each other. */
BODY void centroids_body(const float *x, uint32_t dims, const float *transposed,
	float *out)
{
	const float *c;
	uint32_t k, d;
	vec s0, s1, s2, s3, v;

	for (k = 0; k < VDB_CENTROIDS; k += 4 * LANES) {
		s0 = s1 = s2 = s3 = (vec){0};
		for (d = 0; d < dims; d++) {
			c = transposed + (size_t)d * VDB_CENTROIDS + k;
			LOAD(v, c);
			v -= x[d];
			s0 += v * v;
			LOAD(v, c + LANES);
			v -= x[d];
			s1 += v * v;
			LOAD(v, c + 2 * LANES);
			v -= x[d];
			s2 += v * v;
			LOAD(v, c + 3 * LANES);
			v -= x[d];
			s3 += v * v;
		}
		memcpy(out + k, &s0, sizeof(s0));
		memcpy(out + k + LANES, &s1, sizeof(s1));
		memcpy(out + k + 2 * LANES, &s2, sizeof(s2));
		memcpy(out + k + 3 * LANES, &s3, sizeof(s3));
	}
}

/* The least of each lane and where it first is, then the least of all lanes. */
BODY uint32_t smallest_body(const float *v)
{
	float low[LANES];
	uint32_t first[LANES], k, best;
	ivec at = {0}, here, nearer;
	vec least, x;

	LOAD(least, v);
	for (k = LANES; k < VDB_CENTROIDS; k += LANES) {
		LOAD(x, v + k);
		nearer = x < least;
		here = (ivec){0} + (int32_t)k;
		at = (here & nearer) | (at & ~nearer);
		least = (vec)(((ivec)x & nearer) | ((ivec)least & ~nearer));
	}
	memcpy(low, &least, sizeof(low));
	memcpy(first, &at, sizeof(first));
	for (best = 0, k = 1; k < LANES; k++)
		if (low[k] < low[best] || (low[k] == low[best] &&
						  first[k] < first[best]))
			best = k;
	return first[best] + best;
}

/* Lanes are rows: 16 of them meet a centre together. */
BODY float approach_body(const float *columns, uint32_t stride, uint32_t dims,
	const float *centre, float *nearest, uint32_t count)
{
	vec sum = {0}, s, x, before;
	ivec less;
	uint32_t i, d;
	float out;

	for (i = 0; i < count; i += LANES) {
		s = (vec){0};
		for (d = 0; d < dims; d++) {
			LOAD(x, columns + (size_t)d * stride + i);
			x -= centre[d];
			s += x * x;
		}
		LOAD(before, nearest + i);
		less = s < before;
		s = (vec)(((ivec)s & less) | ((ivec)before & ~less));
		memcpy(nearest + i, &s, sizeof(s));
		sum += s;
	}
	FOLD(sum, out);
	return out;
}

/* The same bodies for a set of instructions. */
#define KERNELS(suffix, attribute)                                             \
	attribute static float l2_##suffix(                                    \
		const float *a, const float *b, uint32_t n)                    \
	{                                                                      \
		return l2_body(a, b, n);                                       \
	}                                                                      \
	attribute static float dot_##suffix(                                   \
		const float *a, const float *b, uint32_t n)                    \
	{                                                                      \
		return dot_body(a, b, n);                                      \
	}                                                                      \
	attribute static void rows_##suffix(const float *x, const float *rows, \
		uint32_t n, const uint32_t *ids, uint32_t count, float *out)   \
	{                                                                      \
		rows_body(x, rows, n, ids, count, out, true);                  \
	}                                                                      \
	attribute static void near_##suffix(const float *x, const float *rows, \
		uint32_t n, const uint32_t *ids, uint32_t count, float *out)   \
	{                                                                      \
		rows_body(x, rows, n, ids, count, out, false);                 \
	}                                                                      \
	attribute static void centroids_##suffix(const float *x,               \
		uint32_t dims, const float *transposed, float *out)            \
	{                                                                      \
		centroids_body(x, dims, transposed, out);                      \
	}                                                                      \
	attribute static uint32_t smallest_##suffix(const float *v)            \
	{                                                                      \
		return smallest_body(v);                                       \
	}                                                                      \
	attribute static float approach_##suffix(const float *columns,         \
		uint32_t stride, uint32_t dims, const float *centre,           \
		float *nearest, uint32_t count)                                \
	{                                                                      \
		return approach_body(                                          \
			columns, stride, dims, centre, nearest, count);        \
	}                                                                      \
	static const struct vdb_kernels kernels_##suffix = {                   \
		#suffix,                                                       \
		l2_##suffix,                                                   \
		dot_##suffix,                                                  \
		rows_##suffix,                                                 \
		near_##suffix,                                                 \
		centroids_##suffix,                                            \
		smallest_##suffix,                                             \
		approach_##suffix,                                             \
	};

KERNELS(plain, )

const struct vdb_kernels *vdb_kernels[4] = {&kernels_plain};

#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f,avx512vl,avx512dq"))))

__attribute__((constructor)) static void choose(void)
{
	size_t n = 0;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") &&
		__builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512dq"))
		vdb_kernels[n++] = &kernels_avx512;
	if (__builtin_cpu_supports("avx2"))
		vdb_kernels[n++] = &kernels_avx2;
	vdb_kernels[n] = &kernels_plain;
}
#endif

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

float vdb_normalise(float *x, uint32_t dim)
{
	float sum = 0;
	uint32_t d;

	for (d = 0; d < dim; d++)
		sum += x[d] * x[d];
	sum = sqrtf(sum);
	for (d = 0; sum > 0 && d < dim; d++)
		x[d] /= sum;
	return sum;
}
