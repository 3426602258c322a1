/* Figures of checkpointing runs; see ckpt_record.h. */
#include "core/ckpt_record.h"

#include "core/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void ckpt_record_init(struct ckpt_record *r)
{
	memset(r, 0, sizeof(*r));
	record_init(&r->base);
}

void ckpt_record_fini(struct ckpt_record *r)
{
	free(r->ops);
	record_fini(&r->base);
	memset(r, 0, sizeof(*r));
}

uint32_t ckpt_config_step(const struct ckpt_config *c, uint32_t i)
{
	uint32_t first = 1;

	if (i < c->writes)
		return i + 1;
	if (c->keep && c->writes > c->keep)
		first = c->writes - c->keep + 1;
	return first + i - c->writes;
}

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

static void mean_stdev(const double *v, uint32_t n, double *mean, double *stdev)
{
	double sum = 0, squares = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		sum += v[i];
	*mean = sum / n;
	for (i = 0; i < n; i++)
		squares += (v[i] - *mean) * (v[i] - *mean);
	*stdev = sqrt(squares / n);
}

/* Sums over the ranks of one op. */
struct sum {
	int64_t longest_ns, busy_ns, fill_ns, sync_ns, cpu_ns;
	uint64_t bytes, device_bytes, cached_bytes;
};

/* Of durations only: stamps of several hosts cannot be compared that well. */
static void add(struct sum *s, const struct ckpt_op *op)
{
	int64_t took_ns = op->end_ns - op->start_ns;

	if (took_ns > s->longest_ns)
		s->longest_ns = took_ns;
	s->busy_ns += took_ns;
	s->fill_ns += op->fill_ns;
	s->sync_ns += op->sync_ns;
	s->cpu_ns += op->cpu_ns;
	s->bytes += op->bytes;
	s->device_bytes += op->device_bytes;
	s->cached_bytes += op->cached_bytes;
}

static void phase(const struct ckpt_record *r, bool load, struct ckpt_phase *p)
{
	double *rate = calloc(r->op_count + 1, sizeof(*rate));
	double *took = calloc(r->op_count + 1, sizeof(*took)), total_s = 0, s;
	struct sum all = {.busy_ns = 0};
	const struct ckpt_op *op;
	uint64_t k;
	uint32_t i;

	memset(p, 0, sizeof(*p));
	for (i = 0; rate && took && i < r->op_count; i++) {
		struct sum one = {.busy_ns = 0};

		if (ckpt_record_op(r, 0, i)->load != load)
			continue;
		for (k = 0; k < r->config.shape.ranks; k++) {
			op = ckpt_record_op(r, k, i);
			add(&one, op);
			add(&all, op);
			p->cache_unknown |= op->cache_unknown;
		}
		op = ckpt_record_op(r, 0, i);
		took[p->count] = seconds(op->end_ns - op->start_ns);
		rate[p->count] = took[p->count] > 0
					 ? gib(r->bytes) / took[p->count]
					 : 0;
		p->count++;
		s = seconds(one.longest_ns);
		total_s += s;
		if (s > p->slowest_max_s) {
			p->slowest_max_s = s;
			p->lowest_gib_s = gib(one.bytes) / s;
		}
	}
	if (p->count) {
		mean_stdev(rate, p->count, &p->rate_mean_gib_s,
			&p->rate_stdev_gib_s);
		mean_stdev(took, p->count, &p->duration_mean_s,
			&p->duration_stdev_s);
		p->slowest_mean_s = total_s / p->count;
		p->total_gib_s = total_s > 0 ? gib(all.bytes) / total_s : 0;
		p->bytes = all.bytes;
		p->device_bytes = all.device_bytes;
		p->cached_pct = all.bytes ? 100 * (double)all.cached_bytes /
						    (double)all.bytes : 0;
		p->fill_gib_s = all.fill_ns > 0 ? gib(all.bytes) /
						      seconds(all.fill_ns) : 0;
		p->fill_pct = all.busy_ns > 0 ? 100 * (double)all.fill_ns /
						      (double)all.busy_ns : 0;
		p->sync_pct = all.busy_ns > 0 ? 100 * (double)all.sync_ns /
						      (double)all.busy_ns : 0;
		p->cpu_s_per_gib = all.bytes ? seconds(all.cpu_ns) /
						       gib(all.bytes) : 0;
		p->valid = p->cached_pct <= CKPT_CACHED_MOST_PCT;
	}
	free(rate);
	free(took);
}

void ckpt_record_metrics(struct ckpt_record *r)
{
	phase(r, false, &r->save);
	phase(r, true, &r->load);
}
