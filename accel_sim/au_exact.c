/*
 * mean(num/den) >= floor without rounding. Nearly always a sum of fractions in
 * 64-bit fixed point decides: each is cut by less than one unit, so the true
 * sum lies in [sum, sum + cut fractions). When the floor falls inside, which
 * a run that meets it exactly makes happen, rationals decide.
 */
#include "accel_sim/au_exact.h"

#include <assert.h>
#include <gmp.h>

#define PPM 1000000U
/* Bounds that keep the sums below 2^127; beyond them rationals decide. */
#define COUNT_MAX (1UL << 22)
#define RATIO_MAX 1024 /* num < den * RATIO_MAX */

static_assert(sizeof(long) == sizeof(int64_t), "GMP takes long");

bool acc_mean_meets(const struct acc_fraction *v, size_t n, uint32_t floor_ppm)
{
	unsigned __int128 sum = 0, num, target;
	size_t i, cut = 0;

	if (n > COUNT_MAX)
		return acc_mean_meets_gmp(v, n, floor_ppm);
	for (i = 0; i < n; i++) {
		if (v[i].den_ns <= 0)
			continue;
		if (v[i].num_ns < 0 || v[i].num_ns / RATIO_MAX >= v[i].den_ns)
			return acc_mean_meets_gmp(v, n, floor_ppm);
		num = (unsigned __int128)v[i].num_ns << 64;
		sum += num / (uint64_t)v[i].den_ns;
		cut += num % (uint64_t)v[i].den_ns != 0;
	}
	target = (unsigned __int128)floor_ppm * n << 64;
	if (sum * PPM >= target)
		return true;
	if ((sum + cut) * PPM <= target)
		return false;
	return acc_mean_meets_gmp(v, n, floor_ppm);
}

/* By halves: the operands of each addition are of like size. */
static void sum_fractions(mpq_t sum, const struct acc_fraction *v, size_t n)
{
	mpq_t right;

	if (n == 1) {
		if (v->den_ns <= 0) {
			mpq_set_ui(sum, 0, 1);
			return;
		}
		mpq_set_si(sum, v->num_ns, (unsigned long)v->den_ns);
		mpq_canonicalize(sum);
		return;
	}
	mpq_init(right);
	sum_fractions(sum, v, n / 2);
	sum_fractions(right, v + n / 2, n - n / 2);
	mpq_add(sum, sum, right);
	mpq_clear(right);
}

bool acc_mean_meets_gmp(
	const struct acc_fraction *v, size_t n, uint32_t floor_ppm)
{
	mpq_t sum, target, count;
	bool meets;

	mpq_inits(sum, target, count, NULL);
	sum_fractions(sum, v, n);
	mpq_set_ui(target, floor_ppm, PPM);
	mpq_canonicalize(target);
	mpq_set_ui(count, n, 1);
	mpq_mul(target, target, count);
	meets = mpq_cmp(sum, target) >= 0;
	mpq_clears(sum, target, count, NULL);
	return meets;
}
