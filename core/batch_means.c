/* Batch means; see batch_means.h. */
#include "core/batch_means.h"

#include <math.h>

double batch_means_t95(uint32_t df)
{
	static const double t[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447,
		2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
		2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
		2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	if (df <= sizeof(t) / sizeof(t[0]))
		return t[df - 1];
	/* within 0.001 from there on */
	return 1.96 + 2.42 / df;
}

static void merge(struct batch_means *b)
{
	uint32_t i;

	b->count /= 2;
	b->merged *= 2;
	for (i = 0; i < b->count; i++) {
		b->amount[i] = b->amount[2 * i] + b->amount[2 * i + 1];
		b->length[i] = b->length[2 * i] + b->length[2 * i + 1];
	}
}

void batch_means_add(struct batch_means *b, double amount, double length)
{
	uint32_t i;

	if (!b->merged)
		b->merged = 1;
	if (b->count == BATCH_MEANS_MAX)
		merge(b);
	i = b->count;
	if (!b->pieces)
		b->amount[i] = b->length[i] = 0;
	b->amount[i] += amount;
	b->length[i] += length;
	if (++b->pieces < b->merged)
		return;
	b->pieces = 0;
	b->count++;
}

double batch_means_rate(const struct batch_means *b)
{
	double amount = 0, length = 0;
	uint32_t i;

	for (i = 0; i < b->count; i++) {
		amount += b->amount[i];
		length += b->length[i];
	}
	return length > 0 ? amount / length : 0;
}

double batch_means_ci_pct(const struct batch_means *b)
{
	double mean = 0, squares = 0, n = b->count, d;
	uint32_t i;

	if (b->count < BATCH_MEANS_LEAST)
		return INFINITY;
	for (i = 0; i < b->count; i++)
		mean += b->amount[i] / b->length[i] / n;
	for (i = 0; i < b->count; i++) {
		d = b->amount[i] / b->length[i] - mean;
		squares += d * d;
	}
	if (mean <= 0)
		return INFINITY;
	return 100 * batch_means_t95(b->count - 1) * sqrt(squares / (n - 1) / n) / mean;
}
