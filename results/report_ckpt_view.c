/* What a report says of a checkpointing run; see report.h. */
#include "results/report.h"

#include "core/units.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* An object of run.json's "checkpointing"; NULL: not told. */
static const struct cJSON *phase_of(
	const struct report_ckpt *c, const char *name)
{
	return report_member(
		report_member(c->at.run, "checkpointing"), name);
}

/*
 * Did loads come from memory? INVALID is said of what-if runs, too: without
 * run.json what the run printed decides.
 */
static bool loads_cached(const struct report_ckpt *c)
{
	if (c->at.has_own)
		return cJSON_IsFalse(
			report_member(phase_of(c, "load"), "valid"));
	return c->at.said && strstr(c->at.said, "INVALID");
}

void report_ckpt_verdict(struct doc *d, const struct report_ckpt *c)
{
	char save[96] = "no saves", load[96] = "no loads";
	bool cached = loads_cached(c);

	if (c->save_gib_s > 0)
		snprintf(save, sizeof(save), "saves at %.3f GiB/s (%.2f s)",
			c->save_gib_s, c->save_s);
	if (c->load_gib_s > 0)
		snprintf(load, sizeof(load), "loads at %.3f GiB/s (%.2f s)",
			c->load_gib_s, c->load_s);
	doc_text(d, cached ? TONE_BAD : TONE_PLAIN,
		"%sCheckpoints of %s, %.2f GiB on %" PRIu64
		" ranks: %s, %s%s%s%s",
		cached ? "LOADS INVALID (from memory): " : "",
		report_known(c->at.model), c->size_gib, c->ranks, save, load,
		c->at.drive[0] ? " (" : "", c->at.drive,
		c->at.drive[0] ? ")" : "");
}

static void phase_row(struct doc *d, const char *name, double gib_s,
	double stdev, double s)
{
	doc_cell(d, TONE_PLAIN, "%s", name);
	doc_number(d, gib_s > 0, gib_s, 3);
	doc_number(d, gib_s > 0, stdev, 3);
	doc_number(d, s > 0, s, 3);
}

static void times(struct doc *d, const struct report_ckpt *c)
{
	static const char *const columns[] = {"checkpoint", "what",
		"rank 0, s", "slowest rank, s", "GiB/s by the slowest", NULL};
	double x[2][REPORT_OPS_MAX], y[2][REPORT_OPS_MAX];
	size_t i, n[2] = {0, 0};

	if (!c->op_count) {
		doc_text(d, TONE_MISSING, "no times of single checkpoints in "
					  "this folder (N_per_epoch_stats.json)");
		return;
	}
	doc_chart(d, "Time of each checkpoint, slowest rank", "checkpoint",
		"seconds");
	if (!d->nomem)
		d->chart->whole_x = true;
	for (i = 0; i < c->op_count; i++) {
		bool l = c->ops[i].load;

		x[l][n[l]] = c->ops[i].step;
		y[l][n[l]++] = c->ops[i].slowest_s;
	}
	doc_series(d, DRAW_POINTS, n[0], x[0], y[0], "save");
	doc_series(d, DRAW_POINTS, n[1], x[1], y[1], "load");
	doc_table(d, "Times of each checkpoint", columns);
	for (i = 0; i < c->op_count; i++) {
		const struct report_op *op = &c->ops[i];

		doc_number(d, true, op->step, 0);
		doc_cell(d, TONE_PLAIN, op->load ? "load" : "save");
		doc_number(d, true, op->first_s, 3);
		doc_number(d, true, op->slowest_s, 3);
		doc_number(d, true, c->size_gib / op->slowest_s, 3);
	}
	if (c->ranks_read < c->ranks)
		doc_text(d, TONE_MISSING,
			"times of %" PRIu64 " of %" PRIu64 " ranks were read",
			c->ranks_read, c->ranks);
}

static void plan(struct doc *d, const struct report_plan *p)
{
	static const char *const columns[] = {"rule", "compute between saves, s",
		"stall %", "rework %", "restart %", "lost %", NULL};
	size_t i;

	doc_section(d, 3, "How often to save");
	if (!p->made) {
		doc_text(d, TONE_MISSING, "no plan: %s", p->why_not);
		return;
	}
	doc_text(d, TONE_PLAIN,
		"Save every %.0f s (Daly): %.2f %% of the time is lost. "
		"Assumed: a failure every %.1f h of the job (each accelerator "
		"every %.0f h), synchronous saves of %.2f s, restarts of "
		"%.2f s (the load). stoker plan checkpoint takes other "
		"figures.",
		p->rules[1].interval_s, p->rules[1].total_pct,
		p->mtbf_s / 3600, p->accelerator_mtbf_s / 3600, p->save_s,
		p->restart_s);
	doc_table(d, "Plan", columns);
	for (i = 0; i < 3; i++) {
		doc_cell(d, TONE_PLAIN, "%s", p->rules[i].name);
		doc_number(d, true, p->rules[i].interval_s, 1);
		doc_number(d, true, p->rules[i].stall_pct, 3);
		doc_number(d, true, p->rules[i].rework_pct, 3);
		doc_number(d, true, p->rules[i].restart_pct, 3);
		doc_number(d, true, p->rules[i].total_pct, 3);
	}
}

/* Where a modelled drive or the other phase has no such figure: not known. */
static void strict_row(struct doc *d, const char *name, const struct cJSON *p,
	bool load, bool real)
{
	const struct {
		const char *key;
		bool known;
	} t[] = {
		{"slowest_mean_seconds", true}, {"slowest_max_seconds", true},
		{"total_gib_per_second", true}, {"lowest_gib_per_second", true},
		{"fsync_percentage", !load && real},
		{"cached_percentage", load && real},
		{"cpu_seconds_per_gib", real},
	};
	size_t i;

	if (!p)
		return;
	doc_cell(d, TONE_PLAIN, "%s", name);
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		doc_number(d, t[i].known, report_number(p, t[i].key), 3);
	doc_number(d, true, report_number(p, "bytes") / GIB_BYTES, 3);
	doc_number(d, load && real,
		report_number(p, "device_bytes") / GIB_BYTES, 3);
}

static void strict(struct doc *d, const struct report_ckpt *c)
{
	static const char *const columns[] = {"", "mean s", "slowest s",
		"GiB/s over all", "lowest GiB/s", "fsync %", "cached %",
		"CPU s/GiB", "GiB asked", "GiB moved by the device", NULL};
	bool real = !c->at.is_virtual;

	if (!c->at.has_own) {
		doc_text(d, TONE_MISSING,
			"no strict figures (slowest rank, cache, device): %s",
			c->at.no_own);
		return;
	}
	doc_table(d, "Strict (until the slowest rank has ended)", columns);
	strict_row(d, "saves", phase_of(c, "save"), false, real);
	strict_row(d, "loads", phase_of(c, "load"), true, real);
}

void report_ckpt_sections(struct doc *d, const struct report_ckpt *c)
{
	static const char *const columns[] = {
		"", "mean GiB/s", "stdev", "mean s", NULL};
	const struct report_leaf *at = &c->at;

	doc_section(d, 2, "Checkpoints: %s %s", report_known(c->at.model),
		c->at.stamp);
	doc_text(d, TONE_PLAIN, "%" PRIu64 " ranks on %" PRIu64
		" host%s%s%s%s; verification: %s", c->ranks, c->hosts,
		c->hosts == 1 ? "" : "s", c->at.drive[0] ? "; modelled: " : "",
		c->at.drive, c->at.is_virtual ? ", virtual time" : "",
		report_known(c->at.verification));
	report_leaf_notes(d, &at, 1);
	doc_section(d, 3, "Checkpoint times");
	doc_table(d, "Rates (the benchmark's: size over rank 0's time)",
		columns);
	phase_row(d, "saves", c->save_gib_s, c->save_stdev, c->save_s);
	phase_row(d, "loads", c->load_gib_s, c->load_stdev, c->load_s);
	strict(d, c);
	times(d, c);
	plan(d, &c->plan);
	report_leaf_facts(d, &c->at);
}

#define FIGURES (sizeof(figures) / sizeof(figures[0]))

void report_ckpt_compare(struct doc *d, const struct report_input *in)
{
	static const char *const columns[] = {"checkpoints", NULL};
	static const struct {
		const char *name;
		size_t at;
	} figures[] = {
		{"checkpoint GiB", offsetof(struct report_ckpt, size_gib)},
		{"saves GiB/s", offsetof(struct report_ckpt, save_gib_s)},
		{"a save, s", offsetof(struct report_ckpt, save_s)},
		{"loads GiB/s", offsetof(struct report_ckpt, load_gib_s)},
		{"a load, s", offsetof(struct report_ckpt, load_s)},
	};
	char line[REPORT_DRIVE_MAX];
	double value;
	size_t i, f;

	if (in->ckpt_count < 2)
		return;
	doc_table(d, "Checkpoints side by side", columns);
	for (i = 0; i < in->ckpt_count; i++)
		doc_column(d, "%s %s", report_known(in->ckpts[i].at.model),
			in->ckpts[i].at.stamp);
	doc_cell(d, TONE_PLAIN, "drive");
	for (i = 0; i < in->ckpt_count; i++)
		doc_cell(d, TONE_PLAIN, "%s",
			report_drive(&in->ckpts[i].at, line));
	for (f = 0; f < FIGURES; f++) {
		doc_cell(d, TONE_PLAIN, "%s", figures[f].name);
		for (i = 0; i < in->ckpt_count; i++) {
			value = *(const double *)((const char *)&in->ckpts[i] +
						  figures[f].at);
			doc_number(d, value > 0, value, 3);
		}
	}
}
