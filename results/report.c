/* The document of a report: its order, and runs side by side; see report.h. */
#include "results/report.h"

#include "core/units.h"
#include "results/drive.h"
#include "results/record_read.h"
#include "results/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPARED_MAX 16

/* Which runs stand side by side, and what they are called. */
struct compared {
	struct report_curve at[COMPARED_MAX];
	size_t n, left_out;
};

static void add(struct compared *l, const struct report_campaign *c,
	size_t run, const char *prefix)
{
	struct report_curve *to = &l->at[l->n];
	char name[REPORT_NAME_MAX];

	if (l->n == COMPARED_MAX) {
		l->left_out++;
		return;
	}
	to->campaign = c;
	to->run = run;
	snprintf(to->name, sizeof(to->name), "%s%s", prefix,
		report_run_name(name, c, run));
	l->n++;
}

/* Of several campaigns the run that decides each; of one, its runs. */
static void choose(struct compared *l, const struct report_input *in)
{
	const struct report_campaign *c;
	char prefix[8];
	size_t i, at;

	memset(l, 0, sizeof(*l));
	if (in->campaign_count == 1) {
		c = &in->campaigns[0];
		for (i = 0; i < c->run_count; i++)
			add(l, c, i, "");
		return;
	}
	for (i = 0; i < in->campaign_count; i++) {
		c = &in->campaigns[i];
		at = report_deciding_run(c);
		snprintf(prefix, sizeof(prefix), "%c: ",
			i < 26 ? (char)('A' + i) : '?');
		add(l, c, at < c->run_count ? at : 0, prefix);
	}
}

static const struct record *rec_of(const struct report_curve *c)
{
	return &c->campaign->runs[c->run].rec;
}

static const struct rec_metrics *metrics_of(const struct report_curve *c)
{
	return &rec_of(c)->runs[0].metrics;
}

enum figure {
	F_AU, F_STEADY, F_RATE, F_READ, F_CACHED, F_COMPUTE, F_STORAGE,
	F_BARRIER, F_SOFTWARE, F_P50, F_P99, F_P999, F_CPU, F_FIGURES
};

static const struct {
	const char *name;
	int digits;
} figures[F_FIGURES] = {
	[F_AU] = {"AU %", 4},
	[F_STEADY] = {"steady AU %", 4},
	[F_RATE] = {"MB/s, nominal", 1},
	[F_READ] = {"read GB/s", 3},
	[F_CACHED] = {"from cache %", 2},
	[F_COMPUTE] = {"compute %", 2},
	[F_STORAGE] = {"waiting for storage %", 2},
	[F_BARRIER] = {"barrier %", 2},
	[F_SOFTWARE] = {"software %", 2},
	[F_P50] = {"latency p50 us", 1},
	[F_P99] = {"latency p99 us", 1},
	[F_P999] = {"latency p99.9 us", 1},
	[F_CPU] = {"CPU s/GiB", 4},
};

/* False: not known. */
static bool figure_of(
	const struct report_curve *c, enum figure f, double *value)
{
	const struct record *rec = rec_of(c);
	const struct rec_metrics *m = metrics_of(c);
	const struct rec_quantiles *q = &rec->runs[0].requests[REC_LATENCY_NS];
	bool own = m->epochs && !results_is_foreign(rec);
	const double values[F_FIGURES] = {
		[F_AU] = m->au_mean_pct,
		[F_STEADY] = m->steady_au_pct,
		[F_RATE] = m->io_mean_mib_per_s * (double)MIB_BYTES / 1e6,
		[F_READ] = m->read_gib_per_s * (double)GIB_BYTES / 1e9,
		[F_CACHED] = m->cached_pct,
		[F_COMPUTE] = m->compute_pct,
		[F_STORAGE] = m->storage_pct,
		[F_BARRIER] = m->barrier_pct,
		[F_SOFTWARE] = m->software_pct,
		[F_P50] = (double)q->p50 / 1e3,
		[F_P99] = (double)q->p99 / 1e3,
		[F_P999] = (double)q->p999 / 1e3,
		[F_CPU] = m->cpu_s_per_gib,
	};

	*value = values[f];
	if (f == F_AU)
		return m->epochs;
	if (f == F_STEADY)
		return own && m->steady_evaluated;
	if (f == F_P50 || f == F_P99 || f == F_P999)
		return q->count;
	if (f == F_CACHED)
		return own && !rec->config.drive[0];
	if (f == F_CPU)
		return own && !rec->time.is_virtual;
	return own;
}

static void text_rows(struct doc *d, const struct compared *l)
{
	char line[RESULTS_DRIVE_LINE_MAX];
	const struct record *rec;
	size_t i;

	doc_cell(d, TONE_PLAIN, "accelerators");
	for (i = 0; i < l->n; i++)
		doc_cell(d, TONE_PLAIN, "%" PRIu64 " x %s",
			rec_of(&l->at[i])->config.accelerators,
			rec_of(&l->at[i])->config.accelerator);
	doc_cell(d, TONE_PLAIN, "model");
	for (i = 0; i < l->n; i++)
		doc_cell(d, TONE_PLAIN, "%s", rec_of(&l->at[i])->config.model);
	doc_cell(d, TONE_PLAIN, "drive");
	for (i = 0; i < l->n; i++) {
		rec = rec_of(&l->at[i]);
		doc_cell(d, TONE_PLAIN, "%s",
			rec->config.drive[0] ? rec->config.drive
			: rec->drive.known
				? results_drive_line(line, sizeof(line),
					  &rec->drive)
				: "?");
	}
	doc_cell(d, TONE_PLAIN, "verdict of the run");
	for (i = 0; i < l->n; i++) {
		const struct rec_metrics *m = metrics_of(&l->at[i]);

		doc_cell(d, !m->epochs	       ? TONE_PLAIN
			    : m->meets_exact ? TONE_GOOD
					     : TONE_BAD,
			"%s", !m->epochs	 ? "NOT EVALUATED"
			      : m->meets_exact ? "PASS"
					       : "FAIL");
	}
	doc_cell(d, TONE_PLAIN, "limit");
	for (i = 0; i < l->n; i++) {
		const struct report_extra *x =
			&l->at[i].campaign->extra[l->at[i].run];

		if (x->explained)
			doc_cell(d, TONE_PLAIN, "%s%s",
				why_limit_name(x->why.limit),
				x->why.sure ? "" : " (likely)");
		else
			doc_cell(d, TONE_MISSING, "-");
	}
}

/* Every first difference in configuration, as it is what explains the rest. */
static void differences(struct doc *d, const struct compared *l)
{
	char what[512];
	size_t i;

	for (i = 1; i < l->n; i++) {
		if (results_is_foreign(rec_of(&l->at[0])) ||
			results_is_foreign(rec_of(&l->at[i])))
			continue;
		if (!results_same_config(&rec_of(&l->at[i])->config,
			    &rec_of(&l->at[0])->config, what, sizeof(what)))
			doc_text(d, TONE_NOTE, "%s differs from %s, first in %s",
				l->at[i].name, l->at[0].name, what);
	}
}

static void compare_training(struct doc *d, const struct report_input *in,
	const struct compared *l)
{
	static const char *const columns[] = {"", NULL};
	double value;
	size_t i;
	int f;

	if (in->campaign_count > 1)
		doc_text(d, TONE_PLAIN, "Of each campaign the counted run with "
			"the lowest AU, which decides it.");
	if (l->left_out)
		doc_text(d, TONE_MISSING, "%zu more are left out", l->left_out);
	differences(d, l);
	doc_table(d, "Side by side", columns);
	for (i = 0; i < l->n; i++)
		doc_column(d, "%s", l->at[i].name);
	text_rows(d, l);
	for (f = 0; f < F_FIGURES; f++) {
		doc_cell(d, TONE_PLAIN, "%s", figures[f].name);
		for (i = 0; i < l->n; i++) {
			bool known =
				figure_of(&l->at[i], (enum figure)f, &value);

			doc_number(d, known, value, figures[f].digits);
		}
	}
	report_steps(d, l->at, l->n);
	report_latency(d, l->at, l->n);
}

void report_compare(struct doc *d, const struct report_input *in)
{
	bool others = in->ckpt_count > 1 || in->vdb_count > 1 ||
		      in->kv_count > 1;
	struct compared l;

	choose(&l, in);
	doc_section(d, 2, "Side by side");
	if (l.n < 2 && !others)
		doc_text(d, TONE_MISSING, "fewer than two runs of a family: "
					  "nothing to compare");
	if (l.n > 1)
		compare_training(d, in, &l);
	report_ckpt_compare(d, in);
	report_vdb_compare(d, in);
	report_kv_compare(d, in);
}

static void verdicts(struct doc *d, const struct report_input *in)
{
	size_t i;

	doc_section(d, 2, "Verdict");
	for (i = 0; i < in->campaign_count; i++)
		report_campaign_verdict(d, &in->campaigns[i]);
	for (i = 0; i < in->size_count; i++)
		report_size_verdict(d, &in->sizes[i]);
	for (i = 0; i < in->ckpt_count; i++)
		report_ckpt_verdict(d, &in->ckpts[i]);
	report_vdb_verdicts(d, in);
	for (i = 0; i < in->kv_count; i++)
		report_kv_verdict(d, &in->kvs[i]);
	doc_text(d, TONE_NOTE, "Emulated: unverified, MLPerf-Storage-style; "
			       "not an MLPerf result.");
	if (in->broken_count)
		doc_text(d, TONE_MISSING, "%zu result%s could not be read; see "
			"the last section", in->broken_count,
			in->broken_count == 1 ? "" : "s");
	if (in->left_out)
		doc_text(d, TONE_MISSING, "%u more runs are left out: the "
			"report takes %d of a family; give their folders",
			in->left_out, REPORT_RUNS_MAX);
}

/* What the folders held, the more so where they held several kinds. */
static void found(struct doc *d, const struct report_input *in)
{
	static const char *const columns[] = {"what", "found", NULL};
	size_t runs = 0, i;

	for (i = 0; i < in->campaign_count; i++)
		runs += in->campaigns[i].run_count;
	doc_section(d, 2, "What was found");
	doc_table(d, "In the folders that were given", columns);
	report_fact(d, "training", "%zu run%s of %zu campaign%s", runs,
		runs == 1 ? "" : "s", in->campaign_count,
		in->campaign_count == 1 ? "" : "s");
	doc_cell(d, TONE_PLAIN, "checkpointing runs");
	doc_number(d, true, (double)in->ckpt_count, 0);
	doc_cell(d, TONE_PLAIN, "vector-database runs");
	doc_number(d, true, (double)in->vdb_count, 0);
	doc_cell(d, TONE_PLAIN, "KV cache runs");
	doc_number(d, true, (double)in->kv_count, 0);
	doc_cell(d, TONE_PLAIN, "documents of sizing");
	doc_number(d, true, (double)in->size_count, 0);
	doc_cell(d, TONE_PLAIN, "could not be read");
	doc_number(d, true, (double)in->broken_count, 0);
}

static void missing_kinds(struct doc *d, const struct report_input *in)
{
	doc_section(d, 2, "What is not in this report");
	if (!in->campaign_count)
		doc_text(d, TONE_MISSING, "no training runs were given");
	if (!in->ckpt_count)
		doc_text(d, TONE_MISSING, "no checkpoint times: no folder of "
			"checkpointing runs was given");
	if (!in->vdb_count)
		doc_text(d, TONE_MISSING, "no queries of vectors: no folder of "
			"vector-database runs was given");
	if (!in->kv_count)
		doc_text(d, TONE_MISSING, "no KV cache: no folder of KV cache "
			"runs was given");
	if (in->campaign_count && in->ckpt_count && in->vdb_count &&
		in->kv_count && in->size_count && !in->broken_count)
		doc_text(d, TONE_PLAIN, "Nothing: there are results of every "
					"kind.");
	if (!in->size_count)
		doc_text(d, TONE_MISSING, "no sizing matrix: no document of "
			"stoker size --json was given");
}

void report_build(struct doc *d, const struct report_input *in, bool compare)
{
	size_t i;

	doc_init(d, "stoker report");
	verdicts(d, in);
	found(d, in);
	if (compare)
		report_compare(d, in);
	for (i = 0; i < in->campaign_count; i++)
		report_campaign_sections(d, in, &in->campaigns[i]);
	for (i = 0; i < in->size_count; i++)
		report_size_sections(d, &in->sizes[i]);
	for (i = 0; i < in->ckpt_count; i++)
		report_ckpt_sections(d, &in->ckpts[i]);
	report_vdb_sections(d, in);
	for (i = 0; i < in->kv_count; i++)
		report_kv_sections(d, &in->kvs[i]);
	missing_kinds(d, in);
	for (i = 0; i < in->broken_count; i++)
		doc_text(d, TONE_MISSING, "%s is left out: %s",
			in->broken[i].leaf, in->broken[i].why);
}
