#ifndef TESTS_UNIT_UT_LOAD_H
#define TESTS_UNIT_UT_LOAD_H
/*
 * Load on a modelled drive in virtual time: `depth` requests kept in flight
 * (closed loop), or, with rate_per_s, requests that arrive at random (Poisson)
 * whatever is in flight. The first fifth of the time is not counted.
 */
#include <stdbool.h>
#include <stdint.h>

struct load {
	const char *drive;  /* as --drive */
	uint32_t without;   /* mechanisms */
	bool write, aligned; /* aligned: to bytes, else to an odd 4 KiB */
	bool sequential;
	uint32_t write_pct; /* of a mix, instead of write */
	uint32_t bytes, depth;
	double rate_per_s, seconds;
	/* what came of it */
	double kiops, gb_per_s, mean_us, read_us, write_us;
};

void load_run(struct load *l);

#endif
