/* The record of a vector-database run; see vdb_record.h. */
#include "core/vdb_record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void vdb_record_init(struct vdb_record *r)
{
	memset(r, 0, sizeof(*r));
	record_init(&r->base);
}

void vdb_client_fini(struct vdb_client *c)
{
	hist_fini(&c->read_latency_ns);
	free(c->rows);
	memset(c, 0, sizeof(*c));
}

void vdb_record_fini(struct vdb_record *r)
{
	uint32_t i;

	for (i = 0; r->clients && i < r->client_count; i++)
		vdb_client_fini(&r->clients[i]);
	free(r->clients);
	r->clients = NULL;
	free(r->recall.per_query);
	r->recall.per_query = NULL;
	record_fini(&r->base);
}

int vdb_client_add_row(struct vdb_client *c, const struct vdb_row *row)
{
	size_t room = c->row_room ? 2 * c->row_room : 256;
	struct vdb_row *more;

	if (c->row_count == c->row_room) {
		more = realloc(c->rows, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->rows = more;
		c->row_room = room;
	}
	c->rows[c->row_count++] = *row;
	return 0;
}

/* Client, rows, then the buckets of its histogram. */
int vdb_client_pack(const struct vdb_client *c, void **buf, size_t *size_bytes)
{
	size_t rows = c->row_count * sizeof(*c->rows);
	size_t buckets = c->read_latency_ns.n * sizeof(uint64_t);
	uint8_t *p;

	*size_bytes = sizeof(*c) + rows + buckets;
	p = malloc(*size_bytes);
	*buf = p;
	if (!p)
		return -ENOMEM;
	memcpy(p, c, sizeof(*c));
	if (rows)
		memcpy(p + sizeof(*c), c->rows, rows);
	if (buckets)
		memcpy(p + sizeof(*c) + rows, c->read_latency_ns.counts,
			buckets);
	return 0;
}

int vdb_client_unpack(struct vdb_client *c, const void *buf, size_t size_bytes,
	struct err *e)
{
	const uint8_t *p = buf;
	size_t rows, buckets;

	memset(c, 0, sizeof(*c));
	if (size_bytes < sizeof(*c))
		return err_set(e, ERR_BUG, -EBADMSG, "bad record of a client");
	memcpy(c, p, sizeof(*c));
	c->rows = NULL;
	c->read_latency_ns.counts = NULL;
	rows = c->row_count * sizeof(*c->rows);
	buckets = c->read_latency_ns.n * sizeof(uint64_t);
	if (c->row_count > size_bytes || buckets > size_bytes ||
		sizeof(*c) + rows + buckets != size_bytes) {
		memset(c, 0, sizeof(*c));
		return err_set(e, ERR_BUG, -EBADMSG, "bad record of a client");
	}
	c->row_room = c->row_count;
	c->rows = malloc(rows + 1);
	c->read_latency_ns.counts = malloc(buckets + 1);
	if (!c->rows || !c->read_latency_ns.counts) {
		vdb_client_fini(c);
		return err_nomem(e, "the record of a client");
	}
	memcpy(c->rows, p + sizeof(*c), rows);
	memcpy(c->read_latency_ns.counts, p + sizeof(*c) + rows, buckets);
	return 0;
}

double vdb_percentile(const double *sorted, size_t n, double pct)
{
	double at, whole;
	size_t i;

	if (!n)
		return 0;
	at = pct / 100 * (double)(n - 1);
	whole = floor(at);
	i = (size_t)whole;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - whole) * (sorted[i + 1] - sorted[i]);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void spread_of(double *ms, size_t n, struct vdb_spread *s)
{
	double sum = 0;
	size_t i;

	memset(s, 0, sizeof(*s));
	if (!n)
		return;
	qsort(ms, n, sizeof(*ms), by_value);
	for (i = 0; i < n; i++)
		sum += ms[i];
	s->min = ms[0];
	s->max = ms[n - 1];
	s->mean = sum / (double)n;
	s->median = vdb_percentile(ms, n, 50);
	s->p95 = vdb_percentile(ms, n, 95);
	s->p99 = vdb_percentile(ms, n, 99);
	s->p999 = vdb_percentile(ms, n, 99.9);
	s->p9999 = vdb_percentile(ms, n, 99.99);
}

const char *vdb_distribution_name(enum vdb_distribution d)
{
	static const char *const names[] = {"uniform", "clustered", "file"};

	return names[d];
}

const char *vdb_metric_name(enum vdb_metric m)
{
	static const char *const names[] = {"L2", "COSINE", "IP"};

	return names[m];
}

const char *vdb_builder_name(enum vdb_builder b)
{
	static const char *const names[] = {"microsoft", "knowhere"};

	return names[b];
}

const char *vdb_node_cache_name(enum vdb_node_cache c)
{
	static const char *const names[] = {"none", "breadth-first", "visits"};

	return names[c];
}

const char *vdb_level_name(const struct vdb_shape *s)
{
	return s->copies ? "copies" : s->built ? "built" : "replay";
}

double vdb_recall_chance_most(const struct vdb_recall *r)
{
	double n = (double)r->queries * r->k, most;

	if (r->chance <= 0 || n <= 0)
		return 0;
	most = 3 * r->chance + 5 * sqrt(r->chance / n);
	return most < 0.5 ? most : 0.5;
}

int vdb_recall_figures(struct vdb_recall *r, uint32_t n)
{
	double *v = malloc((n + 1) * sizeof(*v)), sum = 0;
	uint32_t i;

	if (!v)
		return -ENOMEM;
	r->queries = 0;
	for (i = 0; i < n; i++)
		if (r->per_query[i] >= 0) {
			v[r->queries++] = r->per_query[i];
			sum += r->per_query[i];
		}
	qsort(v, r->queries, sizeof(*v), by_value);
	if (r->queries) {
		r->min = v[0];
		r->max = v[r->queries - 1];
		r->mean = sum / r->queries;
	}
	r->median = vdb_percentile(v, r->queries, 50);
	r->p5 = vdb_percentile(v, r->queries, 5);
	r->p95 = vdb_percentile(v, r->queries, 95);
	r->p99 = vdb_percentile(v, r->queries, 99);
	free(v);
	return 0;
}

static void add_counts(struct vdb_counts *to, const struct vdb_counts *c)
{
	to->queries += c->queries;
	to->searches += c->searches;
	to->expansions += c->expansions;
	to->cache_hits += c->cache_hits;
	to->reads += c->reads;
	to->read_bytes += c->read_bytes;
	to->rounds += c->rounds;
	to->reading_rounds += c->reading_rounds;
	to->verified_bytes += c->verified_bytes;
}

/* Sums over the clients; the number of batches. */
static size_t sum_up(struct vdb_record *r, int64_t *cpu_ns)
{
	size_t batches = 0;
	uint32_t i;

	memset(&r->counts, 0, sizeof(r->counts));
	r->device_bytes = r->unserved = 0;
	*cpu_ns = 0;
	for (i = 0; i < r->client_count; i++) {
		add_counts(&r->counts, &r->clients[i].counts);
		batches += r->clients[i].row_count;
		r->device_bytes += r->clients[i].device_bytes;
		r->unserved += r->clients[i].unserved;
		*cpu_ns += r->clients[i].cpu_ns;
	}
	return batches;
}

struct times {
	double *latency, *batch, *late;
	size_t queries, batches;
	int64_t first_ns, last_ns;
};

static void take_row(struct times *t, const struct vdb_row *w)
{
	double ms = (double)(w->end_ns - w->intended_ns) / 1e6;
	uint32_t i;

	t->late[t->batches] = (double)(w->start_ns - w->intended_ns) / 1e6;
	t->batch[t->batches++] = ms;
	for (i = 0; i < w->size; i++)
		t->latency[t->queries++] = ms / w->size;
	if (w->start_ns < t->first_ns)
		t->first_ns = w->start_ns;
	if (w->end_ns > t->last_ns)
		t->last_ns = w->end_ns;
}

/* From the last client's start to the first one's end. */
static void steady(struct vdb_record *r)
{
	struct vdb_metrics *m = &r->metrics;
	int64_t from = INT64_MIN, to = INT64_MAX;
	const struct vdb_client *c;
	uint64_t queries = 0;
	uint32_t i;
	size_t k;

	for (i = 0; i < r->client_count; i++) {
		c = &r->clients[i];
		if (!c->row_count)
			return;
		if (c->rows[0].start_ns > from)
			from = c->rows[0].start_ns;
		if (c->rows[c->row_count - 1].end_ns < to)
			to = c->rows[c->row_count - 1].end_ns;
	}
	for (i = 0; i < r->client_count; i++)
		for (k = 0; k < r->clients[i].row_count; k++)
			if (r->clients[i].rows[k].end_ns > from &&
				r->clients[i].rows[k].end_ns <= to)
				queries += r->clients[i].rows[k].size;
	if (!r->client_count || to <= from)
		return;
	m->steady_s = (double)(to - from) / 1e9;
	m->steady_queries_per_s = (double)queries / m->steady_s;
}

static int read_latencies(struct vdb_record *r)
{
	struct hist all;
	uint32_t i;
	int ret = 0;

	memset(&all, 0, sizeof(all));
	for (i = 0; !ret && i < r->client_count; i++)
		ret = hist_merge(&all, &r->clients[i].read_latency_ns);
	if (!ret)
		rec_quantiles_of(&all, &r->metrics.read_latency);
	hist_fini(&all);
	return ret;
}

static void ratios(struct vdb_record *r, int64_t cpu_ns)
{
	const struct vdb_counts *c = &r->counts;
	struct vdb_metrics *m = &r->metrics;
	double queries = (double)c->queries;

	if (m->total_s > 0) {
		m->queries_per_s = queries / m->total_s;
		m->read_bytes_per_s = (double)c->read_bytes / m->total_s;
	}
	if (c->queries) {
		m->reads_per_query = (double)c->reads / queries;
		m->bytes_per_query = (double)c->read_bytes / queries;
		m->rounds_per_query = (double)c->rounds / queries;
		m->reading_rounds_per_query =
			(double)c->reading_rounds / queries;
	}
	if (c->searches)
		m->expansions_per_search =
			(double)c->expansions / (double)c->searches;
	if (c->expansions)
		m->cache_pct = 100 * (double)c->cache_hits /
			       (double)c->expansions;
	if (c->reads)
		m->cpu_us_per_read = (double)cpu_ns / 1e3 / (double)c->reads;
}

int vdb_record_metrics(struct vdb_record *r)
{
	struct vdb_metrics *m = &r->metrics;
	struct times t = {.first_ns = INT64_MAX};
	int64_t cpu_ns;
	size_t batches = sum_up(r, &cpu_ns), k;
	uint32_t i;
	int ret = -ENOMEM;

	memset(m, 0, sizeof(*m));
	t.latency = malloc((r->counts.queries + 1) * sizeof(double));
	t.batch = malloc((batches + 1) * sizeof(double));
	t.late = malloc((batches + 1) * sizeof(double));
	if (t.latency && t.batch && t.late) {
		for (i = 0; i < r->client_count; i++)
			for (k = 0; k < r->clients[i].row_count; k++)
				take_row(&t, &r->clients[i].rows[k]);
		m->batches = batches;
		if (batches)
			m->total_s = (double)(t.last_ns - t.first_ns) / 1e9;
		spread_of(t.latency, t.queries, &m->latency);
		spread_of(t.batch, batches, &m->batch);
		qsort(t.late, batches, sizeof(double), by_value);
		m->late_p99_ms = vdb_percentile(t.late, batches, 99);
		ratios(r, cpu_ns);
		steady(r);
		ret = read_latencies(r);
	}
	free(t.latency);
	free(t.batch);
	free(t.late);
	return ret;
}
