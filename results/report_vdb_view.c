/*
 * What a report says of vector-database runs: those of one folder and one
 * configuration together, whatever their clients; see report.h.
 */
#include "results/report.h"

#include "core/file.h"
#include "results/record_fields.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_MAX REPORT_RUNS_MAX
#define CURVES_MAX 8
#define CSV_BYTES_MAX (32UL << 20)
#define SAMPLES_MAX 2000000

/* Runs of one configuration, by clients, then L, then time. */
struct group {
	const struct report_vdb *run[GROUP_MAX];
	size_t count;
};

/* The runs with the same clients and L: means. */
struct point {
	const struct report_vdb *first;
	size_t runs;
	double least, most; /* QPS */
	double queries_per_s, mean, p95, p99;
};

struct curve {
	struct point at[GROUP_MAX];
	size_t count;
	int knee; /* -1: none */
};

static size_t folder_length(const struct report_vdb *v)
{
	const char *slash = strrchr(v->at.path, '/');

	return slash ? (size_t)(slash - v->at.path) : 0;
}

static bool alike(const struct report_vdb *a, const struct report_vdb *b)
{
	size_t n = folder_length(a);

	return n == folder_length(b) && !strncmp(a->at.path, b->at.path, n) &&
	       !strcmp(a->at.drive, b->at.drive) &&
	       a->rate_per_s == b->rate_per_s &&
	       (a->config == b->config ||
		       cJSON_Compare(a->config, b->config, true));
}

static int by_point(const void *pa, const void *pb)
{
	const struct report_vdb *a = *(const struct report_vdb *const *)pa;
	const struct report_vdb *b = *(const struct report_vdb *const *)pb;

	if (a->in_flight != b->in_flight)
		return a->in_flight < b->in_flight ? -1 : 1;
	if (a->search_list != b->search_list)
		return a->search_list < b->search_list ? -1 : 1;
	return strcmp(a->at.stamp, b->at.stamp);
}

/* The next group from run `*from` on, whose first run is in no earlier one. */
static bool next_group(
	const struct report_input *in, size_t *from, struct group *g)
{
	size_t i, k;

	for (; *from < in->vdb_count; ++*from) {
		for (k = 0; k < *from; k++)
			if (alike(&in->vdbs[k], &in->vdbs[*from]))
				break;
		if (k == *from)
			break;
	}
	g->count = 0;
	for (i = *from; i < in->vdb_count && g->count < GROUP_MAX; i++)
		if (alike(&in->vdbs[*from], &in->vdbs[i]))
			g->run[g->count++] = &in->vdbs[i];
	++*from;
	if (g->count)
		qsort(g->run, g->count, sizeof(g->run[0]), by_point);
	return g->count > 0;
}

static void add_to(struct point *p, const struct report_vdb *v)
{
	double n = (double)p->runs;

	if (!p->runs || v->queries_per_s < p->least)
		p->least = v->queries_per_s;
	if (!p->runs || v->queries_per_s > p->most)
		p->most = v->queries_per_s;
	p->queries_per_s = (p->queries_per_s * n + v->queries_per_s) / (n + 1);
	p->mean = (p->mean * n + v->mean) / (n + 1);
	p->p95 = (p->p95 * n + v->p95) / (n + 1);
	p->p99 = (p->p99 * n + v->p99) / (n + 1);
	p->runs++;
}

/* The knee is where QPS over mean latency is largest, as of vectordb run. */
static void curve_of(const struct group *g, struct curve *c)
{
	struct point *p = NULL;
	double best = 0;
	size_t i;

	memset(c, 0, sizeof(*c));
	c->knee = -1;
	for (i = 0; i < g->count; i++) {
		if (!p || p->first->in_flight != g->run[i]->in_flight ||
			p->first->search_list != g->run[i]->search_list) {
			p = &c->at[c->count++];
			p->first = g->run[i];
		}
		add_to(p, g->run[i]);
	}
	for (i = 0; i < c->count; i++) {
		p = &c->at[i];
		if (p->first->search_list != c->at[0].first->search_list ||
			!(p->mean > 0) || p->queries_per_s / p->mean <= best)
			continue;
		best = p->queries_per_s / p->mean;
		c->knee = (int)i;
	}
}

/* Do clients vary (a client curve), or L? */
static bool clients_vary(const struct curve *c)
{
	return c->count > 1 && c->at[0].first->in_flight !=
				       c->at[c->count - 1].first->in_flight;
}

static enum doc_tone tone_of(const struct group *g)
{
	bool known = false;
	size_t i;

	for (i = 0; i < g->count; i++) {
		if (!strcmp(g->run[i]->verdict, "FAIL"))
			return TONE_BAD;
		known |= g->run[i]->has_recall &&
			 !strcmp(g->run[i]->verdict, "PASS");
	}
	return known ? TONE_GOOD : TONE_PLAIN;
}

static const char *recall_text(const struct report_vdb *v, char buf[64])
{
	if (v->has_recall)
		snprintf(buf, 64, "recall@%" PRIu64 " %.4f", v->recall_k,
			v->recall);
	else
		snprintf(buf, 64, "recall not applicable");
	return buf;
}

/* The point with the best recall, where L was swept; NULL: it was not. */
static const struct point *best_recall(const struct curve *c)
{
	const struct point *best = NULL;
	bool swept = false;
	size_t i;

	for (i = 0; i < c->count; i++) {
		swept |= c->at[i].first->search_list !=
			 c->at[0].first->search_list;
		if (c->at[i].first->has_recall &&
			(!best || c->at[i].first->recall > best->first->recall))
			best = &c->at[i];
	}
	return swept ? best : NULL;
}

static void verdict(struct doc *d, const struct group *g)
{
	enum doc_tone tone = tone_of(g);
	const char *word = tone == TONE_BAD    ? "FAIL (recall): "
			   : tone == TONE_GOOD ? "PASS (recall): "
					       : "";
	char drive[REPORT_DRIVE_MAX], recall[64], several[96] = "";
	char more[128] = "";
	const struct point *p, *best;
	struct curve c;

	curve_of(g, &c);
	p = &c.at[c.knee < 0 ? 0 : c.knee];
	report_drive(&p->first->at, drive);
	recall_text(p->first, recall);
	if (p->runs > 1)
		snprintf(several, sizeof(several),
			" (mean of %zu runs, %.1f to %.1f)", p->runs, p->least,
			p->most);
	best = best_recall(&c);
	if (best && best != p)
		snprintf(more, sizeof(more),
			" with L %" PRIu64 ", %.4f at %.1f QPS with L %" PRIu64,
			p->first->search_list, best->first->recall,
			best->queries_per_s, best->first->search_list);
	if (clients_vary(&c) && c.knee >= 0)
		doc_text(d, tone,
			"%sVectors: serves %.2f ms P95 up to %.1f QPS%s, "
			"%" PRIu64 " clients: the knee of the curve; %s%s (%s)",
			word, p->p95, p->queries_per_s, several,
			p->first->in_flight, recall, more, drive);
	else
		doc_text(d, tone,
			"%sVectors: %.1f QPS%s of %" PRIu64 " client%s, mean "
			"%.2f ms, P95 %.2f ms, P99 %.2f ms; %s%s (%s)",
			word, p->queries_per_s, several, p->first->in_flight,
			p->first->in_flight == 1 ? "" : "s", p->mean, p->p95,
			p->p99, recall, more, drive);
}

void report_vdb_verdicts(struct doc *d, const struct report_input *in)
{
	struct group g;
	size_t from = 0;

	while (next_group(in, &from, &g))
		verdict(d, &g);
}

static void runs(struct doc *d, const struct group *g)
{
	static const char *const columns[] = {"run", "in flight", "L", "QPS",
		"mean ms", "P50", "P95", "P99", "P99.9", "recall", "queries",
		NULL};
	size_t i;

	doc_table(d, "Runs", columns);
	for (i = 0; i < g->count; i++) {
		const struct report_vdb *v = g->run[i];

		doc_cell(d, TONE_PLAIN, "%s", v->at.stamp);
		doc_number(d, true, (double)v->in_flight, 0);
		doc_number(d, true, (double)v->search_list, 0);
		doc_number(d, true, v->queries_per_s, 1);
		doc_number(d, true, v->mean, 3);
		doc_number(d, true, v->p50, 3);
		doc_number(d, true, v->p95, 3);
		doc_number(d, true, v->p99, 3);
		doc_number(d, true, v->p999, 3);
		if (v->has_recall)
			doc_number_tone(d,
				!strcmp(v->verdict, "FAIL") ? TONE_BAD
							    : TONE_GOOD,
				v->recall, 4);
		else
			doc_cell(d, TONE_PLAIN, "not applicable");
		doc_number(d, true, (double)v->queries, 0);
	}
}

static void reads(struct doc *d, const struct group *g)
{
	static const char *const columns[] = {"run", "in flight", "L", "reads",
		"KiB", "rounds, all segments", "cached % of visits",
		"asked GB/s", "moved by the device GB/s", NULL};
	size_t i;

	doc_table(d, "What a query reads, and what the drive moves", columns);
	for (i = 0; i < g->count; i++) {
		const struct report_vdb *v = g->run[i];

		doc_cell(d, TONE_PLAIN, "%s", v->at.stamp);
		doc_number(d, true, (double)v->in_flight, 0);
		doc_number(d, true, (double)v->search_list, 0);
		doc_number(d, v->reads > 0, v->reads, 1);
		doc_number(d, v->reads > 0, v->bytes / 1024, 1);
		doc_number(d, v->reads > 0, v->rounds, 1);
		doc_number(d, true, v->cached_pct, 2);
		doc_number(d, v->reads > 0, v->asked_bytes_per_s / 1e9, 4);
		doc_number(d, true, v->device_bytes_per_s / 1e9, 4);
	}
}

/* Latencies of single reads, where run.json tells them. */
static void read_latencies(struct doc *d, const struct group *g)
{
	static const char *const columns[] = {"run", "in flight", "reads",
		"mean us", "min", "P50", "P99", "P99.9", "max", NULL};
	struct rec_quantiles q;
	const struct cJSON *own;
	struct err e;
	size_t i;

	doc_table(d, "I/O latency in us", columns);
	for (i = 0; i < g->count; i++) {
		own = report_member(g->run[i]->at.run, "vector_database");
		memset(&q, 0, sizeof(q));
		if (!own || record_get_object(own, "read_latency_ns", 0,
				    &record_quantiles, &q, "run.json", &e))
			continue;
		doc_cell(d, TONE_PLAIN, "%s", g->run[i]->at.stamp);
		doc_number(d, true, (double)g->run[i]->in_flight, 0);
		doc_number(d, q.count, (double)q.count, 0);
		doc_number(d, q.count, q.mean / 1e3, 1);
		doc_number(d, q.count, (double)q.min / 1e3, 1);
		doc_number(d, q.count, (double)q.p50 / 1e3, 1);
		doc_number(d, q.count, (double)q.p99 / 1e3, 1);
		doc_number(d, q.count, (double)q.p999 / 1e3, 1);
		doc_number(d, q.count, (double)q.max / 1e3, 1);
	}
}

/* What recall costs, of the fewest clients. */
static void recall_curve(struct doc *d, const struct curve *c)
{
	double x[GROUP_MAX], y[GROUP_MAX];
	size_t i, n = 0;

	for (i = 0; i < c->count; i++)
		if (c->at[i].first->has_recall &&
			c->at[i].first->in_flight ==
				c->at[0].first->in_flight) {
			x[n] = c->at[i].first->recall;
			y[n++] = c->at[i].queries_per_s;
		}
	if (n < 2)
		return;
	doc_chart(d, "What recall costs: queries a second", "recall", "QPS");
	doc_series(d, DRAW_LINE, n, x, y, "L from %" PRIu64 " to %" PRIu64,
		c->at[0].first->search_list,
		c->at[c->count - 1].first->search_list);
}

static void client_curve(struct doc *d, const struct curve *c)
{
	double x[GROUP_MAX], y[3][GROUP_MAX], knee = 0;
	size_t i, n = 0;

	for (i = 0; i < c->count; i++) {
		const struct point *p = &c->at[i];

		if (p->first->search_list != c->at[0].first->search_list)
			continue;
		x[n] = (double)p->first->in_flight;
		y[0][n] = p->queries_per_s;
		y[1][n] = p->p95;
		y[2][n++] = p->p99;
	}
	doc_chart(d, "Client curve: queries a second", "queries in flight",
		"QPS");
	if (!d->nomem)
		d->chart->log_x = x[n - 1] > 20 * x[0];
	doc_series(d, DRAW_LINE, n, x, y[0], "QPS");
	if (c->knee >= 0) {
		knee = (double)c->at[c->knee].first->in_flight;
		doc_series(d, DRAW_POINTS, 1, &knee,
			&c->at[c->knee].queries_per_s,
			"knee (QPS over mean "
			"latency)");
	}
	doc_chart(d, "Client curve: latency of a query", "queries in flight",
		"milliseconds");
	if (!d->nomem)
		d->chart->log_x = x[n - 1] > 20 * x[0];
	doc_series(d, DRAW_LINE, n, x, y[1], "P95");
	doc_series(d, DRAW_LINE, n, x, y[2], "P99");
}

/* Latency in ms of each query of a CSV: batch_size times avg_query_time. */
static size_t csv_samples(char *text, double *ms, size_t room)
{
	char *line, *field;
	double value[6];
	size_t n = 0;
	int i, k;

	strsep(&text, "\n"); /* names */
	while ((line = strsep(&text, "\n")) && *line) {
		for (i = 0; i < 6 && (field = strsep(&line, ",")); i++)
			value[i] = strtod(field, NULL);
		if (i < 6 || !(value[5] > 0))
			continue;
		for (k = 0; k < value[3] && n < room; k++)
			ms[n++] = value[5] * 1e3;
	}
	return n;
}

static size_t samples_of(const struct report_vdb *v, double *ms)
{
	char path[PATH_MAX], *text;
	struct err e;
	uint64_t i;
	size_t n = 0;
	int r;

	for (i = 0; i < v->clients; i++) {
		r = snprintf(path, sizeof(path),
			"%s/milvus_benchmark_p%" PRIu64 ".csv", v->at.path, i);
		if (r < 0 || r >= PATH_MAX ||
			file_read_all(path, CSV_BYTES_MAX, &text, NULL, &e))
			return 0;
		n += csv_samples(text, ms + n, SAMPLES_MAX - n);
		free(text);
	}
	return n;
}

static void latencies(struct doc *d, const struct group *g)
{
	double *ms = malloc(SAMPLES_MAX * sizeof(*ms));
	size_t i, n, drawn = 0;

	doc_chart(d, "Latency: share of queries that took no longer",
		"milliseconds", "% of queries");
	for (i = 0; ms && i < g->count && drawn < CURVES_MAX; i++) {
		const struct report_vdb *v = g->run[i];

		n = samples_of(v, ms);
		if (!n)
			continue;
		report_cdf(d, ms, n,
			"%" PRIu64 " in flight, L %" PRIu64 " (%s)",
			v->in_flight, v->search_list, v->at.stamp);
		drawn++;
	}
	free(ms);
	report_log_if_wide(d);
	if (!drawn)
		doc_text(d, TONE_MISSING,
			"no latency curve: no times of "
			"single queries in these folders "
			"(milvus_benchmark_pN.csv)");
	else if (drawn < g->count)
		doc_text(d, TONE_MISSING, "latency curves of %zu of %zu runs",
			drawn, g->count);
}

static void section(struct doc *d, const struct group *g)
{
	const struct report_leaf *leaves[GROUP_MAX];
	const struct report_vdb *v = g->run[0];
	char drive[REPORT_DRIVE_MAX];
	struct curve c;
	size_t i;

	curve_of(g, &c);
	for (i = 0; i < g->count; i++)
		leaves[i] = &g->run[i]->at;
	doc_section(d, 2, "Vectors: %s, %s", report_known(v->profile),
		report_drive(&v->at, drive));
	verdict(d, g);
	doc_text(d, TONE_PLAIN,
		"%" PRIu64 " vectors of %" PRIu64 " dimensions, %s, %" PRIu64
		" segments; %s%s",
		v->vectors, v->dim, report_known(v->index_type), v->segments,
		v->rate_per_s > 0 ? "open loop" : "closed loop",
		v->has_recall ? ""
			      : "; recall is not applicable: the reads of "
				"searches are replayed, nothing is found");
	report_leaf_notes(d, leaves, g->count);
	doc_section(d, 3, "Queries");
	if (clients_vary(&c))
		client_curve(d, &c);
	if (best_recall(&c))
		recall_curve(d, &c);
	runs(d, g);
	latencies(d, g);
	doc_section(d, 3, "Reads");
	reads(d, g);
	read_latencies(d, g);
	report_leaf_facts(d, &v->at);
}

void report_vdb_sections(struct doc *d, const struct report_input *in)
{
	struct group g;
	size_t from = 0;

	while (next_group(in, &from, &g))
		section(d, &g);
}

void report_vdb_compare(struct doc *d, const struct report_input *in)
{
	static const char *const columns[] = {"vectors", "in flight", "L",
		"runs", "QPS", "mean ms", "P95", "P99", "reads a query",
		"recall", NULL};
	char drive[REPORT_DRIVE_MAX];
	struct group g;
	struct curve c;
	size_t from = 0, i;

	if (in->vdb_count < 2)
		return;
	doc_table(d, "Vectors side by side", columns);
	while (next_group(in, &from, &g)) {
		curve_of(&g, &c);
		for (i = 0; i < c.count; i++) {
			const struct point *p = &c.at[i];

			doc_cell(d, TONE_PLAIN, "%s, %s",
				report_known(p->first->profile),
				report_drive(&p->first->at, drive));
			doc_number(d, true, (double)p->first->in_flight, 0);
			doc_number(d, true, (double)p->first->search_list, 0);
			doc_number(d, true, (double)p->runs, 0);
			doc_number(d, true, p->queries_per_s, 1);
			doc_number(d, true, p->mean, 3);
			doc_number(d, true, p->p95, 3);
			doc_number(d, true, p->p99, 3);
			doc_number(d, p->first->reads > 0, p->first->reads, 1);
			doc_number(
				d, p->first->has_recall, p->first->recall, 4);
		}
	}
}
