#ifndef ACCEL_SIM_AU_EXACT_H
#define ACCEL_SIM_AU_EXACT_H
/* The exact comparison behind the AU verdict; private to accel_sim. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compute over total time of one rank and epoch; den <= 0 counts as 0. */
struct acc_fraction {
	int64_t num_ns, den_ns;
};

/*
 * Is the mean of the n > 0 fractions >= floor_ppm / 10^6, as rationals?
 */
bool acc_mean_meets(const struct acc_fraction *v, size_t n, uint32_t floor_ppm);

/* The slow way, always exact; acc_mean_meets() uses it when it must. */
bool acc_mean_meets_gmp(
	const struct acc_fraction *v, size_t n, uint32_t floor_ppm);

#endif
