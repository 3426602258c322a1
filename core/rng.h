#ifndef CORE_RNG_H
#define CORE_RNG_H
/*
 * Random numbers of two kinds. rng_mt_ is MT19937 with the derived draws of
 * numpy's legacy RandomState, bit for bit, because file sizes and file order
 * of the reference (DLIO 3.0.2) come from it. rng_xo_ is xoshiro256++, fast,
 * for file content. Neither is for secrets. No function can fail.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng_mt {
	uint32_t state[624];
	uint32_t index;	 /* next word of state; 624: all used */
	bool has_normal; /* normal holds the second value of a pair */
	double normal;
};

/* As numpy.random.seed(seed) for an integer. */
void rng_mt_seed(struct rng_mt *r, uint32_t seed);

uint32_t rng_mt_u32(struct rng_mt *r);

/* Uniform in [0, 1) with 53 bits; two 32-bit draws. */
double rng_mt_double(struct rng_mt *r);

/* numpy.random.normal(loc, scale): Marsaglia's polar method, in pairs. */
double rng_mt_normal(struct rng_mt *r, double loc, double scale);

/*
 * Draw what two rng_mt_normal() calls draw, without the values (no logarithm).
 * Only between pairs, that is while has_normal is false.
 */
void rng_mt_skip_normal_pair(struct rng_mt *r);

/* Uniform in [0, max], both included; nothing is drawn for max 0. */
uint32_t rng_mt_interval(struct rng_mt *r, uint32_t max);

/*
 * The draws of Python's module random, bit for bit: random.seed(seed) for an
 * integer, randint(a, b) with both ends, choice() as an index, uniform(a, b).
 * random.random() is rng_mt_double(). rng_mt_py_below: n >= 1.
 */
void rng_mt_py_seed(struct rng_mt *r, uint64_t seed);
uint32_t rng_mt_py_below(struct rng_mt *r, uint32_t n);
double rng_mt_py_uniform(struct rng_mt *r, double a, double b);

static inline uint32_t rng_mt_py_int(struct rng_mt *r, uint32_t a, uint32_t b)
{
	return a + rng_mt_py_below(r, b - a + 1);
}

/* numpy.random.shuffle(): Fisher-Yates from the top. n < 2^32. */
void rng_mt_shuffle_u32(struct rng_mt *r, uint32_t *a, size_t n);

struct rng_xo {
	uint64_t s[4];
};

/* The four words are the first outputs of SplitMix64 started at seed. */
void rng_xo_seed(struct rng_xo *r, uint64_t seed);

static inline uint64_t rng_rotl64(uint64_t x, unsigned k)
{
	return x << k | x >> (64 - k);
}

__attribute__((unused)) static inline uint64_t rng_xo_next(struct rng_xo *r)
{
	uint64_t *s = r->s;
	uint64_t out = rng_rotl64(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl64(s[3], 45);
	return out;
}

/* Uniform in [a, b], both included; in [0, 1) with 53 bits. */
static inline uint32_t rng_xo_int(struct rng_xo *r, uint32_t a, uint32_t b)
{
	return a + (uint32_t)((rng_xo_next(r) >> 32) * (b - a + 1ULL) >> 32);
}

static inline double rng_xo_double(struct rng_xo *r)
{
	return (double)(rng_xo_next(r) >> 11) / 9007199254740992.0;
}

/*
 * One number from two: for a fixed a no two b give the same result, nor the
 * other way round; close inputs give unrelated results. The order matters.
 */
uint64_t rng_mix64(uint64_t a, uint64_t b);

#endif
