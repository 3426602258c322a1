/*
 * MT19937 with numpy's legacy draws, xoshiro256++ and a mixer; see rng.h. The
 * order of floating-point operations below is numpy's and decides the last
 * bit, so products and sums must not be fused.
 */
#include "core/rng.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF /* gcc -std=c11 never fuses */
#endif

#define MT_WORDS 624
#define MT_SHIFT 397
#define GOLDEN_64 0x9e3779b97f4a7c15ULL

void rng_mt_seed(struct rng_mt *r, uint32_t seed)
{
	uint32_t i;

	r->state[0] = seed;
	for (i = 1; i < MT_WORDS; i++) {
		seed = 1812433253U * (seed ^ seed >> 30) + i;
		r->state[i] = seed;
	}
	r->index = MT_WORDS;
	r->has_normal = false;
	r->normal = 0;
}

static uint32_t mt_twist(uint32_t hi, uint32_t lo)
{
	uint32_t y = (hi & 0x80000000U) | (lo & 0x7fffffffU);

	return y >> 1 ^ (-(y & 1U) & 0x9908b0dfU);
}

static void mt_refill(struct rng_mt *r)
{
	uint32_t *s = r->state;
	uint32_t i;

	for (i = 0; i < MT_WORDS - MT_SHIFT; i++)
		s[i] = s[i + MT_SHIFT] ^ mt_twist(s[i], s[i + 1]);
	for (; i < MT_WORDS - 1; i++)
		s[i] = s[i + MT_SHIFT - MT_WORDS] ^ mt_twist(s[i], s[i + 1]);
	s[i] = s[MT_SHIFT - 1] ^ mt_twist(s[i], s[0]);
	r->index = 0;
}

uint32_t rng_mt_u32(struct rng_mt *r)
{
	uint32_t y;

	if (r->index == MT_WORDS)
		mt_refill(r);
	y = r->state[r->index++];
	y ^= y >> 11;
	y ^= y << 7 & 0x9d2c5680U;
	y ^= y << 15 & 0xefc60000U;
	return y ^ y >> 18;
}

double rng_mt_double(struct rng_mt *r)
{
	uint32_t a = rng_mt_u32(r) >> 5;
	uint32_t b = rng_mt_u32(r) >> 6;

	return ((double)a * 67108864.0 + (double)b) / 9007199254740992.0;
}

/* A point in the unit circle without its centre; returns its squared radius. */
static double mt_polar(struct rng_mt *r, double *x1, double *x2)
{
	double r2;

	do {
		*x1 = 2.0 * rng_mt_double(r) - 1.0;
		*x2 = 2.0 * rng_mt_double(r) - 1.0;
		r2 = *x1 * *x1 + *x2 * *x2;
	} while (r2 >= 1.0 || r2 == 0.0);
	return r2;
}

double rng_mt_normal(struct rng_mt *r, double loc, double scale)
{
	double x1, x2, r2, f;

	if (r->has_normal) {
		r->has_normal = false;
		return loc + scale * r->normal;
	}
	r2 = mt_polar(r, &x1, &x2);
	f = sqrt(-2.0 * log(r2) / r2);
	r->normal = f * x1;
	r->has_normal = true;
	return loc + scale * (f * x2);
}

void rng_mt_skip_normal_pair(struct rng_mt *r)
{
	double x1, x2;

	(void)mt_polar(r, &x1, &x2);
}

uint32_t rng_mt_interval(struct rng_mt *r, uint32_t max)
{
	uint32_t mask = max, v;

	if (!max)
		return 0;
	mask |= mask >> 1;
	mask |= mask >> 2;
	mask |= mask >> 4;
	mask |= mask >> 8;
	mask |= mask >> 16;
	do
		v = rng_mt_u32(r) & mask;
	while (v > max);
	return v;
}

/* The reference generator's init_by_array, with a key of one or two words. */
void rng_mt_py_seed(struct rng_mt *r, uint64_t seed)
{
	uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t *s = r->state, keys = key[1] ? 2 : 1, i = 1, j = 0, k;

	rng_mt_seed(r, 19650218);
	for (k = MT_WORDS; k; k--) {
		s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525U) +
		       key[j] + j;
		if (++i == MT_WORDS) {
			s[0] = s[MT_WORDS - 1];
			i = 1;
		}
		if (++j == keys)
			j = 0;
	}
	for (k = MT_WORDS - 1; k; k--) {
		s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941U) - i;
		if (++i == MT_WORDS) {
			s[0] = s[MT_WORDS - 1];
			i = 1;
		}
	}
	s[0] = 0x80000000U;
}

uint32_t rng_mt_py_below(struct rng_mt *r, uint32_t n)
{
	uint32_t shift = (uint32_t)__builtin_clz(n), v;

	do
		v = rng_mt_u32(r) >> shift;
	while (v >= n);
	return v;
}

double rng_mt_py_uniform(struct rng_mt *r, double a, double b)
{
	return a + (b - a) * rng_mt_double(r);
}

void rng_mt_shuffle_u32(struct rng_mt *r, uint32_t *a, size_t n)
{
	uint32_t j, t;
	size_t i;

	for (i = n; i-- > 1;) {
		j = rng_mt_interval(r, (uint32_t)i);
		t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
}

/* The finalizer of SplitMix64; a bijection. */
static uint64_t mix_bits(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

void rng_xo_seed(struct rng_xo *r, uint64_t seed)
{
	int i;

	for (i = 0; i < 4; i++) {
		seed += GOLDEN_64;
		r->s[i] = mix_bits(seed);
	}
}

uint64_t rng_mix64(uint64_t a, uint64_t b)
{
	uint64_t h = mix_bits(a + GOLDEN_64);

	return mix_bits(h + mix_bits(b + 0xd1b54a32d192ed03ULL));
}
