/*
 * The figures of a KV cache run. As the benchmark aggregates: sums over the
 * ranks of a trial, means over trials, and the largest P95 of any rank and
 * trial. "GB" in its names are GiB; its divisor is the time without the drain.
 */
#include "core/kv_record.h"

#include "core/units.h"

#include <stdio.h>
#include <string.h>

#define STORAGE 2

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

static double largest(double a, double b)
{
	return a > b ? a : b;
}

static double p95_ms(struct kv_rank_result *k, enum kv_series_id id)
{
	return kv_series_percentile(&k->series[id], 0.95) / 1e6;
}

static void add_rank(struct kv_aggregate *a, struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted, *f = &k->frozen;
	double s = (double)k->elapsed_ns / 1e9;

	if (s <= 0)
		return;
	a->read_gib_s += gib(c->tier_read_bytes[STORAGE]) / s;
	a->write_gib_s += gib(c->tier_written_bytes[STORAGE]) / s;
	a->wall_tokens_s += (double)c->tokens / s;
	if (c->request_io_ns)
		a->io_tokens_s +=
			(double)c->tokens / ((double)c->request_io_ns / 1e9);
	a->strict_read_gib_s += gib(f->file_read_bytes) / s;
	a->strict_write_gib_s += gib(f->file_written_bytes) / s;
	a->strict_tokens_s += (double)f->tokens / s;
	a->drain_read_bytes += c->file_read_bytes - f->file_read_bytes;
	a->drain_s = largest(a->drain_s, (double)k->drain_ns / 1e9);
	a->p95_request_io_ms =
		largest(a->p95_request_io_ms, p95_ms(k, KV_REQUEST_IO));
	a->p95_end_to_end_ms =
		largest(a->p95_end_to_end_ms, p95_ms(k, KV_END_TO_END));
	a->p95_read_ms = largest(a->p95_read_ms, p95_ms(k, KV_READ));
	a->p95_write_ms = largest(a->p95_write_ms, p95_ms(k, KV_WRITE));
	a->p95_device_read_ms =
		largest(a->p95_device_read_ms, p95_ms(k, KV_READ_DEVICE));
	a->p95_device_write_ms =
		largest(a->p95_device_write_ms, p95_ms(k, KV_WRITE_DEVICE));
	a->cpu_tier_ranks += !k->entries[STORAGE];
}

void kv_trial_aggregate(const struct kv_trial *t, struct kv_aggregate *a)
{
	double phases[KV_PHASES] = {0}, all = 0;
	uint32_t i, p;

	memset(a, 0, sizeof(*a));
	for (i = 0; i < t->rank_count; i++) {
		add_rank(a, &t->ranks[i]);
		for (p = 0; p < KV_PHASES; p++) {
			phases[p] += (double)t->ranks[i].phase_ns[p];
			all += (double)t->ranks[i].phase_ns[p];
		}
	}
	for (p = 0; p < KV_PHASES; p++)
		a->phase_share[p] = all > 0 ? phases[p] / all : 0;
	if (a->read_gib_s > 0)
		a->tokens_per_gib_read = a->wall_tokens_s / a->read_gib_s;
	if (a->write_gib_s > 0)
		a->tokens_per_gib_written = a->wall_tokens_s / a->write_gib_s;
}

void kv_option_aggregate(struct kv_option_result *o)
{
	struct kv_aggregate *m = &o->mean, a;
	double n = o->trial_count;
	uint32_t i, p;

	memset(m, 0, sizeof(*m));
	for (i = 0; i < o->trial_count; i++) {
		kv_trial_aggregate(&o->trials[i], &a);
		m->read_gib_s += a.read_gib_s / n;
		m->write_gib_s += a.write_gib_s / n;
		m->wall_tokens_s += a.wall_tokens_s / n;
		m->io_tokens_s += a.io_tokens_s / n;
		m->strict_read_gib_s += a.strict_read_gib_s / n;
		m->strict_write_gib_s += a.strict_write_gib_s / n;
		m->strict_tokens_s += a.strict_tokens_s / n;
		m->drain_s += a.drain_s / n;
		m->drain_read_bytes += a.drain_read_bytes;
		m->p95_request_io_ms =
			largest(m->p95_request_io_ms, a.p95_request_io_ms);
		m->p95_end_to_end_ms =
			largest(m->p95_end_to_end_ms, a.p95_end_to_end_ms);
		m->p95_read_ms = largest(m->p95_read_ms, a.p95_read_ms);
		m->p95_write_ms = largest(m->p95_write_ms, a.p95_write_ms);
		m->p95_device_read_ms =
			largest(m->p95_device_read_ms, a.p95_device_read_ms);
		m->p95_device_write_ms =
			largest(m->p95_device_write_ms, a.p95_device_write_ms);
		m->cpu_tier_ranks += a.cpu_tier_ranks;
		for (p = 0; p < KV_PHASES; p++)
			m->phase_share[p] += a.phase_share[p] / n;
	}
	if (m->read_gib_s > 0)
		m->tokens_per_gib_read = m->wall_tokens_s / m->read_gib_s;
	if (m->write_gib_s > 0)
		m->tokens_per_gib_written = m->wall_tokens_s / m->write_gib_s;
}

/* The largest of some phases. */
static enum kv_phase heaviest(
	const struct kv_aggregate *a, const enum kv_phase *of, size_t n)
{
	enum kv_phase best = of[0];
	size_t i;

	for (i = 1; i < n; i++)
		if (a->phase_share[of[i]] > a->phase_share[best])
			best = of[i];
	return best;
}

/* Seconds that an allocation is held. */
static double slot_s(const struct kv_trial *t)
{
	int64_t held = 0;
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < t->rank_count; i++) {
		held += t->ranks[i].slot_ns;
		n += t->ranks[i].frozen.prefill_writes;
	}
	return n ? (double)held / 1e9 / (double)n : 0;
}

static double mean_ns(const struct kv_trial *t, enum kv_series_id id)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < t->rank_count; i++)
		sum += kv_series_mean(&t->ranks[i].series[id]);
	return t->rank_count ? sum / t->rank_count : 0;
}

const char *kv_bound(const struct kv_config *c, const struct kv_aggregate *a,
	const struct kv_trial *t, char buf[KV_BOUND_MAX])
{
	static const enum kv_phase busy[] = {KV_PHASE_READ, KV_PHASE_WRITE,
		KV_PHASE_ROOM, KV_PHASE_HOST};
	static const char *const words[KV_PHASES] = {
		[KV_PHASE_READ] = "read", [KV_PHASE_WRITE] = "write",
		[KV_PHASE_ROOM] = "demotion", [KV_PHASE_HOST] = "host"};
	const double *p = a->phase_share;
	double workers = 0, held_s = slot_s(t);
	enum kv_phase most = heaviest(a, busy, 4);
	uint32_t i;

	for (i = 0; i < t->rank_count; i++)
		workers += t->ranks[i].workers;
	workers /= t->rank_count ? t->rank_count : 1;
	if (p[KV_PHASE_IDLE] > 0.1)
		snprintf(buf, KV_BOUND_MAX,
			"users: the workers were idle %.0f %% of the time, the "
			"drive kept up with what was asked",
			100 * p[KV_PHASE_IDLE]);
	else if (p[KV_PHASE_ROOM] > 0.05 &&
		 p[KV_PHASE_ROOM] + p[KV_PHASE_SLOT] > 0.5)
		snprintf(buf, KV_BOUND_MAX,
			"demotion: %.1f of %.0f workers move entries out of "
			"memory or wait for it, %.1f wait for them in turn "
			"(%u allocations of %.2f s)", p[KV_PHASE_ROOM] * workers,
			workers, p[KV_PHASE_SLOT] * workers,
			c->opt.allocations, held_s);
	else if (p[KV_PHASE_SLOT] > 0.5 && p[KV_PHASE_READ] < 0.25)
		snprintf(buf, KV_BOUND_MAX,
			"slots: %.1f of %.0f workers wait for one of %u "
			"allocations, each held for %.2f s (%s)",
			p[KV_PHASE_SLOT] * workers, workers,
			c->opt.allocations, held_s,
			mean_ns(t, KV_WRITE_HOST) > mean_ns(t, KV_WRITE_DEVICE)
				? "mostly the host's write into the "
				  "page cache"
				: "the drive's write");
	else
		snprintf(buf, KV_BOUND_MAX,
			"%s: %.1f of %.0f workers are in it (in a read %.1f, "
			"in a write %.1f, waiting for an allocation %.1f, in "
			"copies of the host %.1f)", words[most],
			p[most] * workers, workers, p[KV_PHASE_READ] * workers,
			p[KV_PHASE_WRITE] * workers,
			p[KV_PHASE_SLOT] * workers,
			p[KV_PHASE_HOST] * workers);
	return buf;
}
