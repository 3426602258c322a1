#ifndef CORE_HIST_H
#define CORE_HIST_H
/*
 * A log-linear histogram of 64-bit values: one bucket per value below 64, then
 * 32 buckets of equal width per power of two. What a percentile returns is
 * never below the exact one and less than 1/32 (3.2 %) above it; below 64, and
 * at either end, it is exact. Only the range of buckets in use is allocated:
 * latencies of one drive take a few KiB.
 */
#include <stddef.h>
#include <stdint.h>

#define HIST_LINEAR 64U /* values with a bucket of their own */
#define HIST_SUB 32U	/* buckets per power of two above */
#define HIST_BUCKETS (HIST_LINEAR + (64U - 6U) * HIST_SUB)

/* Zeroed memory is an empty histogram. */
struct hist {
	uint64_t count;
	uint64_t min, max;     /* of no meaning while count is 0 */
	unsigned __int128 sum; /* of the values, not of the buckets */
	uint32_t first, n;     /* buckets first ... first + n - 1 exist */
	uint64_t *counts;      /* [n] */
};

void hist_fini(struct hist *h);

/* Count a value; 0 or -ENOMEM (then it is not counted). */
int hist_record(struct hist *h, uint64_t value);

/* Add what `from` counted; 0 or -ENOMEM (then nothing was added). */
int hist_merge(struct hist *h, const struct hist *from);

/* 0 when nothing was counted. */
double hist_mean(const struct hist *h);

/*
 * The value that ppm millionths of the values do not exceed (500000: median,
 * 990000: p99): the upper end of its bucket, but at most max. 0 when nothing
 * was counted; ppm 0 gives min.
 */
uint64_t hist_percentile(const struct hist *h, uint32_t ppm);

/* The bucket of a value, and the first value of a bucket below HIST_BUCKETS. */
uint32_t hist_bucket(uint64_t value);
uint64_t hist_lower(uint32_t bucket);

#endif
