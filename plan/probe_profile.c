/* What a probe says of a drive, as a profile; see probe.h. */
#include "plan/probe.h"

#include "core/units.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLATEAU 0.95
#define SMALL_BYTES 4096u

static int by_rate(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double probe_plateau(const double *rates, uint32_t n)
{
	double sorted[PROBE_POINTS_MAX];
	uint32_t first = 0, k;

	if (!n)
		return 0;
	n = n < PROBE_POINTS_MAX ? n : PROBE_POINTS_MAX;
	memcpy(sorted, rates, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_rate);
	while (sorted[first] < PLATEAU * sorted[n - 1])
		first++;
	k = n - first;
	return (sorted[first + (k - 1) / 2] + sorted[first + k / 2]) / 2;
}

/* The points of a kind that speak of the drive. */
struct choice {
	bool write, buffered;
	uint32_t bytes;
	double rates[PROBE_POINTS_MAX];
	uint32_t count;
	double highest;
	double alone_us; /* mean of one request at a time; 0 = not there */
	uint32_t cached; /* left out */
};

static void choose(const struct probe *p, struct choice *c)
{
	const struct probe_point *t;
	uint32_t i;

	for (i = 0; i < p->point_count; i++) {
		t = &p->points[i];
		if (t->synced || t->d.write != c->write ||
			t->buffered != c->buffered || t->d.bytes != c->bytes)
			continue;
		if (t->cached_pct > PROBE_CACHED_PCT) {
			c->cached++;
			continue;
		}
		c->rates[c->count++] = t->d.gb_per_s;
		if (t->d.gb_per_s > c->highest)
			c->highest = t->d.gb_per_s;
		if (t->d.depth == 1 && t->d.jobs == 1)
			c->alone_us = t->d.mean_us;
	}
}

static double kiops(double gb_per_s)
{
	return gb_per_s * 1e9 / SMALL_BYTES / 1e3;
}

/*
 * What a command costs beyond its bytes is the same for 4 KiB and 1 MiB: the
 * difference of their latencies is the time of the bytes between. 1 byte/us is
 * 1 MB/s.
 */
static double command_gb_per_s(const struct choice *large,
	const struct choice *small)
{
	double us = large->alone_us - small->alone_us;

	return small->alone_us > 0 && us > 0
		       ? (double)(large->bytes - small->bytes) / us / 1e3
		       : 0;
}

static int only_cached(const struct probe *p, struct err *e)
{
	return err_set(e, ERR_ENV, -ENODATA,
		"reads of %s with O_DIRECT were answered by a cache (of the "
		"bytes asked for, more than %.0f %% were moved by no device): "
		"these are not the drive's rates and none are reported; use a "
		"file system that reads directly, or a --size beyond the cache",
		p->file ? p->file : p->dir, PROBE_CACHED_PCT);
}

static void add_points(const struct probe *p, struct drive_profile *d)
{
	const struct probe_point *t;
	uint32_t i;

	for (i = 0; i < p->point_count; i++) {
		t = &p->points[i];
		/* the profile has no word for these two kinds */
		if (t->buffered || t->synced ||
			t->cached_pct > PROBE_CACHED_PCT ||
			d->point_count == DRIVE_POINTS_MAX)
			continue;
		d->points[d->point_count++] = t->d;
	}
}

int probe_profile(const struct probe *p, struct drive_profile *d,
	struct probe_assumed *assumed, struct err *e)
{
	struct choice read = {.bytes = (uint32_t)MIB_BYTES};
	struct choice small = {.bytes = SMALL_BYTES};
	struct choice buffered = {
		.bytes = (uint32_t)MIB_BYTES, .buffered = true};
	struct choice write = {.bytes = (uint32_t)MIB_BYTES, .write = true};
	struct choice small_write = {.bytes = SMALL_BYTES, .write = true};

	choose(p, &read);
	choose(p, &small);
	choose(p, &buffered);
	choose(p, &write);
	choose(p, &small_write);
	if (!read.count || !small.count || small.alone_us <= 0)
		return only_cached(p, e);
	memset(d, 0, sizeof(*d));
	d->count = 1;
	d->measured = true;
	d->indirection_bytes = d->random_write_bytes = SMALL_BYTES;
	d->sequential_read_gb_per_s = probe_plateau(read.rates, read.count);
	d->random_read_kiops = kiops(small.highest);
	d->read_latency_us = small.alone_us;
	d->command_read_gb_per_s = command_gb_per_s(&read, &small);
	d->buffered_read_gb_per_s = buffered.highest;
	assumed->writes = !write.count || !small_write.count;
	if (!assumed->writes) {
		d->sequential_write_gb_per_s =
			probe_plateau(write.rates, write.count);
		d->random_write_kiops = kiops(small_write.highest);
		d->write_latency_us = small_write.alone_us;
		d->command_write_gb_per_s =
			command_gb_per_s(&write, &small_write);
	} else {
		d->sequential_write_gb_per_s =
			p->fill_gb_per_s > 0 ? p->fill_gb_per_s
					     : d->sequential_read_gb_per_s;
		d->random_write_kiops = kiops(d->sequential_write_gb_per_s);
		d->write_latency_us = d->read_latency_us;
	}
	add_points(p, d);
	return 0;
}
