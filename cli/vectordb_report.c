/* The report of vector-database runs; see vectordb.h. */
#include "cli/vectordb.h"

#include "core/json.h"
#include "core/units.h"
#include "datagen/vdb_manifest.h"

#include <cJSON.h>
#include <inttypes.h>
#include <string.h>

static const char *schedule_name(const struct vdb_config *c)
{
	return c->schedule == VDB_PIPELINED ? "pipelined" : "reference";
}

/* Batches in flight, the clients of a closed loop. */
static uint64_t in_flight(const struct vdb_record *r)
{
	return (uint64_t)r->config.clients * r->config.outstanding;
}

static bool same_point(const struct vdb_record *a, const struct vdb_record *b)
{
	return a->config.outstanding == b->config.outstanding &&
	       a->config.search_list == b->config.search_list;
}

/* All runs of one point: means, and the worst P95. */
struct point {
	double queries_per_s, mean_ms, p95_ms;
	bool overloaded; /* in a run queries were due and never began */
};

static void point_of(
	const struct vectordb_curve *c, uint32_t at, struct point *p)
{
	const struct vdb_metrics *m;
	uint32_t i, n = 0;

	memset(p, 0, sizeof(*p));
	for (i = 0; i < c->count; i++) {
		if (!same_point(&c->recs[i], &c->recs[at]))
			continue;
		m = &c->recs[i].metrics;
		p->queries_per_s += m->queries_per_s;
		p->mean_ms += m->latency.mean;
		if (m->latency.p95 > p->p95_ms)
			p->p95_ms = m->latency.p95;
		p->overloaded |= c->recs[i].unserved > 0;
		n++;
	}
	p->queries_per_s /= n;
	p->mean_ms /= n;
}

int vectordb_knee(const struct vectordb_curve *c)
{
	double best = 0, value;
	struct point p;
	int knee = -1;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		if (c->recs[i].config.search_list !=
			c->recs[0].config.search_list)
			continue;
		point_of(c, i, &p);
		if (p.mean_ms <= 0)
			continue;
		value = p.queries_per_s / p.mean_ms;
		if (c->goal_ns) {
			value = p.queries_per_s;
			if (p.overloaded ||
				p.p95_ms * 1e6 > (double)c->goal_ns)
				continue;
		}
		if (value > best) {
			best = value;
			knee = (int)i;
		}
	}
	return knee;
}

/* Are all of them runs of the same? */
static bool one_point(const struct vectordb_curve *c)
{
	uint32_t i;

	for (i = 1; i < c->count; i++)
		if (!same_point(&c->recs[0], &c->recs[i]))
			return false;
	return true;
}

static void headline_runs(FILE *f, const struct vectordb_curve *c)
{
	double sum = 0, least = 0, most = 0, p95 = 0, v;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		v = c->recs[i].metrics.queries_per_s;
		sum += v;
		if (!i || v < least)
			least = v;
		if (v > most)
			most = v;
		if (c->recs[i].metrics.latency.p95 > p95)
			p95 = c->recs[i].metrics.latency.p95;
	}
	fprintf(f, "%u runs: mean %.1f QPS (%.1f to %.1f), P95 at most %.2f "
		"ms, of %" PRIu64 " client%s\n", c->count, sum / c->count,
		least, most, p95, in_flight(&c->recs[0]),
		in_flight(&c->recs[0]) == 1 ? "" : "s");
}

static void headline(FILE *f, const struct vectordb_curve *c)
{
	const struct vdb_record *r = &c->recs[0];
	int knee = vectordb_knee(c);
	const struct vdb_metrics *m;
	char goal[UNITS_TEXT_MAX];
	struct point p;

	if (c->goal_ns && knee < 0) {
		fprintf(f, "FAIL: no point keeps P95 within %s%s\n",
			units_format_time(goal, c->goal_ns),
			r->config.rate_per_s > 0
				? " and serves all that arrive" : "");
		return;
	}
	if (c->count > 1 && !c->goal_ns && one_point(c)) {
		headline_runs(f, c);
		return;
	}
	if (c->count > 1 || c->goal_ns) {
		r = &c->recs[knee < 0 ? 0 : knee];
		point_of(c, knee < 0 ? 0 : (uint32_t)knee, &p);
		fprintf(f, "%s serves %.2f ms P95 up to %.1f QPS (",
			r->base.config.drive[0] ? r->base.config.drive
						: "this drive",
			p.p95_ms, p.queries_per_s);
		if (r->config.rate_per_s > 0)
			fprintf(f, "%.1f arrive)", r->config.rate_per_s);
		else
			fprintf(f, "%" PRIu64 " client%s)", in_flight(r),
				in_flight(r) == 1 ? "" : "s");
		fprintf(f, "%s\n",
			c->goal_ns ? "" : ": the knee of the curve");
		return;
	}
	m = &r->metrics;
	if (r->recall.known)
		fprintf(f, "recall@%u %.4f%s at ", r->recall.k, r->recall.mean,
			vdb_recall_ok(&r->recall) ? "" : " (FAIL)");
	fprintf(f, "%.1f QPS, mean %.2f ms, P95 %.2f ms, P99 %.2f ms: %u "
		"client%s x %u, %s\n", m->queries_per_s, m->latency.mean,
		m->latency.p95, m->latency.p99, r->config.clients,
		r->config.clients == 1 ? "" : "s", r->config.outstanding,
		r->base.config.drive[0] ? r->base.config.drive
					: "a real drive");
}

static double wanted(const struct vdb_recall *x)
{
	double most = vdb_recall_chance_most(x);

	return x->target > most ? x->target : most;
}

/* Which runs fail, where the first line is about others. */
static void print_failures(FILE *f, const struct vectordb_curve *c)
{
	const struct vdb_recall *x;
	uint32_t i;

	for (i = 0; i < c->count; i++) {
		x = &c->recs[i].recall;
		if (vdb_recall_ok(x))
			continue;
		fprintf(f, "FAIL: run %u, L %u: recall@%u %.4f, wanted %.4g; "
			"the truth covers %.6g %%\n", i + 1,
			c->recs[i].config.search_list, x->k, x->mean,
			wanted(x), 100 * x->coverage);
	}
}

/* Was note n of run i told of an earlier one? */
static bool told(const struct vectordb_curve *c, uint32_t i, uint32_t n)
{
	const struct rec_note *x = &c->recs[i].base.notes[n], *y;
	uint32_t k, j;

	for (k = 0; k < i; k++)
		for (j = 0; j < c->recs[k].base.note_count; j++) {
			y = &c->recs[k].base.notes[j];
			if (!strcmp(x->id, y->id) && !strcmp(x->text, y->text))
				return true;
		}
	return false;
}

static void print_notes(FILE *f, const struct vectordb_curve *c)
{
	const struct vdb_record *r;
	uint32_t i, n;

	for (i = 0; i < c->count; i++) {
		r = &c->recs[i];
		for (n = 0; n < r->base.note_count; n++) {
			if (told(c, i, n))
				continue;
			fprintf(f, "note: ");
			if (i)
				fprintf(f, "run %u, L %u: ", i + 1,
					r->config.search_list);
			fprintf(f, "%s\n", r->base.notes[n].text);
		}
	}
}

static const char *recall_text(const struct vdb_record *r, char text[16])
{
	if (!r->recall.known)
		return "n/a";
	snprintf(text, 16, "%.4f", r->recall.mean);
	return text;
}

static void print_recall(FILE *f, const struct vdb_record *r)
{
	const struct vdb_recall *x = &r->recall;

	if (!x->known) {
		fprintf(f, "recall         not applicable: a replayed index\n");
		return;
	}
	fprintf(f, "recall         @%u mean %.4f, min %.4f, median %.4f of %u "
		"queries, wanted %.4g; the truth covers %.6g %%: %s\n", x->k,
		x->mean, x->min, x->median, x->queries, wanted(x),
		100 * x->coverage, vdb_recall_ok(x) ? "PASS" : "FAIL");
	if (x->segments)
		fprintf(f, "of a segment   @%u of its own neighbours: mean "
			"%.4f, %.4f to %.4f of %u segments\n", x->k,
			x->segment_mean, x->segment_min, x->segment_max,
			x->segments);
}

static void print_cache(FILE *f, const struct vdb_record *r)
{
	const struct vdb_config *c = &r->config;

	if (!c->shape.built)
		fprintf(f, "node cache     modelled: answers %.1f %% of the "
			"visits\n", r->metrics.cache_pct);
	else
		fprintf(f, "node cache     %s, %" PRIu64 " nodes (%.1f %%): "
			"%.1f %% of the visits\n",
			vdb_node_cache_name(c->node_cache), r->cached_nodes,
			100 * (double)r->cached_nodes /
				(double)c->shape.vectors,
			r->metrics.cache_pct);
}

static void print_point(FILE *f, const struct vdb_record *r)
{
	const struct vdb_metrics *m = &r->metrics;
	char text[16];

	fprintf(f, "%7" PRIu64 " %5u %9.1f %8.2f %8.2f %8.2f %8.2f %8.2f %6s "
		"%8.1f %8.3f %7.1f %6.1f %7.3f\n", in_flight(r),
		r->config.search_list, m->queries_per_s, m->latency.mean,
		m->latency.median, m->latency.p95, m->latency.p99,
		m->latency.p999, recall_text(r, text), m->reads_per_query, m->bytes_per_query / 1e6,
		m->rounds_per_query, m->cache_pct,
		m->read_bytes_per_s / 1e9);
}

static void print_details(FILE *f, const struct vdb_record *r)
{
	const struct vdb_metrics *m = &r->metrics;
	const struct vdb_config *c = &r->config;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	fprintf(f, "queries        %" PRIu64 " in %.3f s; %s schedule, W %u, L "
		"%u, software %s a batch\n", r->counts.queries, m->total_s,
		schedule_name(c), c->beam_width, c->search_list,
		units_format_time(a, c->software_ns));
	fprintf(f, "index          %" PRIu64 " x %u, degree %u, %u segments, "
		"%s; read %s at a time\n", c->shape.vectors, c->shape.dim,
		c->shape.degree, c->shape.segments,
		units_format_bytes(a, r->index_bytes),
		units_format_bytes(b, r->read_bytes));
	print_recall(f, r);
	print_cache(f, r);
	if (c->clients > 1 && m->steady_s > 0)
		fprintf(f, "steady         %.1f QPS in the %.3f s in which all "
			"%u clients were at work\n", m->steady_queries_per_s,
			m->steady_s, c->clients);
	fprintf(f, "reads          P50 %.1f us, P99 %.1f us, P99.9 %.1f us\n",
		(double)m->read_latency.p50 / 1e3,
		(double)m->read_latency.p99 / 1e3,
		(double)m->read_latency.p999 / 1e3);
	if (c->rate_per_s > 0)
		fprintf(f, "open loop      %.1f QPS asked for; P99 began %.2f "
			"ms after it was due; %" PRIu64 " never began\n",
			c->rate_per_s, m->late_p99_ms, r->unserved);
	if (r->base.time.is_virtual)
		return;
	if (r->device_known)
		fprintf(f, "device         %s read %.3f GB (%.3f GB/s), asked "
			"for %.3f GB\n", r->device.name,
			(double)r->device.read_bytes / 1e9,
			m->total_s > 0 ? (double)r->device.read_bytes / 1e9 /
						 m->total_s
				       : 0,
			(double)r->counts.read_bytes / 1e9);
	fprintf(f, "CPU            %.2f us a read\n", m->cpu_us_per_read);
	if (c->verify)
		fprintf(f, "verified       %" PRIu64 " bytes: all as written\n",
			r->counts.verified_bytes);
}

void vectordb_print_text(FILE *f, const struct vectordb_curve *c)
{
	const struct vdb_record *r = &c->recs[0];
	uint32_t i;

	if (c->count > 1 || c->goal_ns)
		print_failures(f, c);
	headline(f, c);
	print_notes(f, c);
	fprintf(f, "clients     L       QPS  mean ms   P50 ms   P95 ms   P99 "
		"ms  P99.9 ms recall reads/q    MB/q  rounds cache%%    GB/s\n");
	for (i = 0; i < c->count; i++)
		print_point(f, &c->recs[i]);
	if (c->count == 1)
		print_details(f, r);
}

static bool add_spread(
	struct cJSON *o, const char *key, const struct vdb_spread *s)
{
	struct cJSON *x = json_add_object(o, key);

	return x && json_add_double(x, "min", s->min) &&
	       json_add_double(x, "mean", s->mean) &&
	       json_add_double(x, "p50", s->median) &&
	       json_add_double(x, "p95", s->p95) &&
	       json_add_double(x, "p99", s->p99) &&
	       json_add_double(x, "p999", s->p999) &&
	       json_add_double(x, "p9999", s->p9999) &&
	       json_add_double(x, "max", s->max);
}

static bool add_device(struct cJSON *o, const struct vdb_record *r)
{
	struct cJSON *x;

	if (!r->device_known)
		return json_add(o, "device", cJSON_CreateNull());
	x = json_add_object(o, "device");
	return x && json_add_string(x, "name", r->device.name) &&
	       json_add_u64(x, "read_bytes", r->device.read_bytes) &&
	       json_add_u64(x, "written_bytes", r->device.written_bytes);
}

static bool add_recall(struct cJSON *o, const struct vdb_record *r)
{
	const struct vdb_recall *x = &r->recall;

	if (!x->known)
		return json_add(o, "recall", cJSON_CreateNull());
	return json_add_double(o, "recall", x->mean) &&
	       json_add_double(o, "recall_min", x->min) &&
	       json_add_u64(o, "recall_k", x->k) &&
	       json_add_u64(o, "recall_queries", x->queries) &&
	       json_add_double(o, "truth_coverage", x->coverage) &&
	       json_add_u64(o, "segments_known", x->segments) &&
	       json_add_double(o, "segment_recall", x->segment_mean) &&
	       json_add_double(o, "segment_recall_min", x->segment_min) &&
	       json_add_double(o, "segment_recall_max", x->segment_max) &&
	       json_add_bool(o, "recall_ok", vdb_recall_ok(x));
}

static bool add_point(struct cJSON *list, const struct vdb_record *r)
{
	const struct vdb_metrics *m = &r->metrics;
	const struct vdb_config *c = &r->config;
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_u64(o, "clients", c->clients) &&
	       json_add_u64(o, "outstanding", c->outstanding) &&
	       json_add_u64(o, "batch_size", c->batch) &&
	       json_add_u64(o, "search_list", c->search_list) &&
	       json_add_u64(o, "expansions", c->expansions) &&
	       json_add_double(o, "rate", c->rate_per_s) &&
	       json_add_u64(o, "queries", r->counts.queries) &&
	       json_add_u64(o, "unserved", r->unserved) &&
	       json_add_double(o, "seconds", m->total_s) &&
	       json_add_double(o, "qps", m->queries_per_s) &&
	       json_add_double(o, "steady_qps", m->steady_queries_per_s) &&
	       add_spread(o, "latency_ms", &m->latency) &&
	       add_spread(o, "batch_ms", &m->batch) &&
	       json_add_double(o, "late_p99_ms", m->late_p99_ms) &&
	       add_recall(o, r) &&
	       json_add_u64(o, "reads", r->counts.reads) &&
	       json_add_u64(o, "read_bytes", r->counts.read_bytes) &&
	       json_add_double(o, "reads_per_query", m->reads_per_query) &&
	       json_add_double(o, "bytes_per_query", m->bytes_per_query) &&
	       json_add_double(o, "rounds_per_query", m->rounds_per_query) &&
	       json_add_double(o, "reading_rounds_per_query",
		       m->reading_rounds_per_query) &&
	       json_add_double(o, "expansions_per_search",
		       m->expansions_per_search) &&
	       json_add_double(o, "cache_percentage", m->cache_pct) &&
	       json_add_string(o, "node_cache",
		       c->shape.built ? vdb_node_cache_name(c->node_cache)
				      : "profile") &&
	       json_add_u64(o, "cached_nodes", r->cached_nodes) &&
	       json_add_double(
		       o, "read_bytes_per_second", m->read_bytes_per_s) &&
	       json_add_u64(o, "read_p50_ns", m->read_latency.p50) &&
	       json_add_u64(o, "read_p99_ns", m->read_latency.p99) &&
	       json_add_double(o, "cpu_us_per_read", m->cpu_us_per_read) &&
	       json_add_u64(o, "verified_bytes", r->counts.verified_bytes) &&
	       json_add_u64(o, "process_read_bytes", r->device_bytes) &&
	       add_device(o, r);
}

static bool add_head(struct cJSON *o, const struct vdb_record *r)
{
	const struct vdb_config *c = &r->config;

	return json_add_string(o, "status",
		       r->finished ? "finished" : "failed") &&
	       json_add_string(o, "profile", c->profile) &&
	       json_add_string(o, "index_type", "DISKANN") &&
	       json_add_string(o, "level",
		       vdb_level_name(&c->shape)) &&
	       json_add_u64(o, "num_vectors", c->shape.vectors) &&
	       json_add_u64(o, "dimension", c->shape.dim) &&
	       json_add_u64(o, "max_degree", c->shape.degree) &&
	       json_add_u64(o, "segments", c->shape.segments) &&
	       json_add_u64(o, "index_bytes", r->index_bytes) &&
	       json_add_u64(o, "bytes_per_read", r->read_bytes) &&
	       json_add_u64(o, "beam_width", c->beam_width) &&
	       json_add_string(o, "schedule", schedule_name(c)) &&
	       json_add_double(
		       o, "software_ms", (double)c->software_ns / 1e6) &&
	       json_add_string(o, "engine", r->base.config.engine) &&
	       json_add_string(o, "drive", r->base.config.drive) &&
	       json_add_bool(o, "virtual_time", r->base.time.is_virtual) &&
	       (r->recall.known ||
		       json_add_string(o, "recall", "not applicable"));
}

static bool add_notes(struct cJSON *o, const struct vectordb_curve *c)
{
	struct cJSON *list = json_add_array(o, "notes"), *x;
	bool ok = list != NULL;
	const struct rec_note *note;
	uint32_t i, n;

	for (i = 0; i < c->count; i++)
		for (n = 0; ok && n < c->recs[i].base.note_count; n++) {
			if (told(c, i, n))
				continue;
			note = &c->recs[i].base.notes[n];
			x = json_add_object(list, NULL);
			ok = x && json_add_string(x, "id", note->id) &&
			     json_add_string(x, "text", note->text) &&
			     json_add_u64(x, "point", i);
		}
	return ok;
}

static bool fill(struct cJSON *o, const struct vectordb_curve *c)
{
	const struct vdb_record *r = &c->recs[0];
	int knee = vectordb_knee(c);
	struct cJSON *list;
	struct point p;
	bool ok = add_head(o, r);
	uint32_t i;

	list = ok ? json_add_array(o, "points") : NULL;
	ok = list != NULL;
	for (i = 0; ok && r->finished && i < c->count; i++)
		ok = add_point(list, &c->recs[i]);
	if (ok && c->count > 1 && knee >= 0)
		ok = json_add_u64(o, "knee", (uint64_t)knee);
	if (ok && c->goal_ns) {
		memset(&p, 0, sizeof(p));
		if (knee >= 0)
			point_of(c, (uint32_t)knee, &p);
		ok = json_add_double(
			     o, "p95_goal_ms", (double)c->goal_ns / 1e6) &&
		     json_add_double(o, "qps_within_goal", p.queries_per_s);
	}
	return ok && add_notes(o, c);
}

struct cJSON *vectordb_json(const struct vectordb_curve *c)
{
	struct cJSON *o = cJSON_CreateObject();

	if (o && fill(o, c))
		return o;
	cJSON_Delete(o);
	return NULL;
}
