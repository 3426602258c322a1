/* The log-linear histogram; see hist.h. */
#include "core/hist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINEAR_BITS 6
#define SUB_BITS 5
#define GROW HIST_SUB /* buckets are allocated in whole powers of two */

void hist_fini(struct hist *h)
{
	free(h->counts);
	memset(h, 0, sizeof(*h));
}

uint32_t hist_bucket(uint64_t value)
{
	uint32_t shift;

	if (value < HIST_LINEAR)
		return (uint32_t)value;
	shift = 63U - (uint32_t)__builtin_clzll(value) - SUB_BITS;
	return HIST_LINEAR + (shift - 1) * HIST_SUB +
	       ((uint32_t)(value >> shift) - HIST_SUB);
}

uint64_t hist_lower(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < HIST_LINEAR)
		return bucket;
	bucket -= HIST_LINEAR;
	shift = bucket / HIST_SUB + 1;
	return (uint64_t)(HIST_SUB + bucket % HIST_SUB) << shift;
}

static uint64_t upper(uint32_t bucket)
{
	return bucket + 1 < HIST_BUCKETS ? hist_lower(bucket + 1) - 1
					 : UINT64_MAX;
}

/* Let buckets first ... end - 1 exist beside those that do. */
static int widen(struct hist *h, uint32_t first, uint32_t end)
{
	uint64_t *p;

	if (h->n && h->first < first)
		first = h->first;
	if (h->n && h->first + h->n > end)
		end = h->first + h->n;
	first -= first % GROW;
	end += (GROW - end % GROW) % GROW;
	if (h->n && first == h->first && end == h->first + h->n)
		return 0;
	p = calloc(end - first, sizeof(*p));
	if (!p)
		return -ENOMEM;
	if (h->n)
		memcpy(p + (h->first - first), h->counts, h->n * sizeof(*p));
	free(h->counts);
	h->counts = p;
	h->first = first;
	h->n = end - first;
	return 0;
}

int hist_record(struct hist *h, uint64_t value)
{
	uint32_t bucket = hist_bucket(value);

	/* below first: the difference wraps around and is large */
	if (bucket - h->first >= h->n && widen(h, bucket, bucket + 1))
		return -ENOMEM;
	h->counts[bucket - h->first]++;
	if (!h->count || value < h->min)
		h->min = value;
	if (!h->count || value > h->max)
		h->max = value;
	h->count++;
	h->sum += value;
	return 0;
}

int hist_merge(struct hist *h, const struct hist *from)
{
	uint32_t i;

	if (!from->count)
		return 0;
	if (widen(h, from->first, from->first + from->n))
		return -ENOMEM;
	for (i = 0; i < from->n; i++)
		h->counts[from->first + i - h->first] += from->counts[i];
	if (!h->count || from->min < h->min)
		h->min = from->min;
	if (!h->count || from->max > h->max)
		h->max = from->max;
	h->count += from->count;
	h->sum += from->sum;
	return 0;
}

double hist_mean(const struct hist *h)
{
	return h->count ? (double)h->sum / (double)h->count : 0;
}

uint64_t hist_percentile(const struct hist *h, uint32_t ppm)
{
	unsigned __int128 scaled = (unsigned __int128)h->count * ppm + 999999;
	uint64_t rank = (uint64_t)(scaled / 1000000), seen = 0, value;
	uint32_t i;

	if (!h->count)
		return 0;
	if (!rank)
		return h->min;
	for (i = 0; i < h->n; i++) {
		seen += h->counts[i];
		if (seen >= rank)
			break;
	}
	value = i < h->n ? upper(h->first + i) : h->max;
	if (value < h->min)
		return h->min;
	return value < h->max ? value : h->max;
}
