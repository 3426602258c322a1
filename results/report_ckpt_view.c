/* What a report says of a checkpointing run; see report.h. */
#include "results/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *known(const char *text)
{
	return text[0] ? text : "?";
}

/* INVALID is said of what-if runs, too; the run's own first note tells. */
static bool loads_cached(const struct report_ckpt *c)
{
	return c->said && strstr(c->said, "INVALID");
}

void report_ckpt_verdict(struct doc *d, const struct report_ckpt *c)
{
	char save[96] = "no saves", load[96] = "no loads";

	if (c->save_gib_s > 0)
		snprintf(save, sizeof(save), "saves at %.3f GiB/s (%.2f s)",
			c->save_gib_s, c->save_s);
	if (c->load_gib_s > 0)
		snprintf(load, sizeof(load), "loads at %.3f GiB/s (%.2f s)",
			c->load_gib_s, c->load_s);
	doc_text(d, loads_cached(c) ? TONE_BAD : TONE_PLAIN,
		"Checkpoints of %s, %.2f GiB on %" PRIu64 " ranks: %s, %s%s%s",
		known(c->model), c->size_gib, c->ranks, save, load,
		c->drive[0] ? "; modelled: " : "", c->drive);
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

/* What the run itself said, line by line; its notes stand out. */
static void said(struct doc *d, const struct report_ckpt *c)
{
	const char *p = c->said, *end;

	if (!p) {
		doc_text(d, TONE_MISSING, "no notes: this folder does not keep "
					  "what the run said");
		return;
	}
	for (; *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (end > p)
			doc_text(d, strncmp(p, "note:", 5) ? TONE_PLAIN
							   : TONE_NOTE,
				"%.*s", (int)(end - p), p);
	}
}

void report_ckpt_sections(struct doc *d, const struct report_ckpt *c)
{
	static const char *const columns[] = {
		"", "mean GiB/s", "stdev", "mean s", NULL};

	doc_section(d, 2, "Checkpoints: %s %s", known(c->model), c->stamp);
	doc_text(d, TONE_PLAIN, "Folder %s; %" PRIu64 " ranks on %" PRIu64
		" hosts%s%s%s; verification: %s", c->leaf, c->ranks, c->hosts,
		c->drive[0] ? "; modelled: " : "", c->drive,
		c->is_virtual ? ", virtual time" : "", known(c->verification));
	doc_section(d, 3, "What the run said");
	said(d, c);
	doc_section(d, 3, "Checkpoint times");
	doc_table(d, "Rates (the benchmark's: size over rank 0's time)",
		columns);
	phase_row(d, "saves", c->save_gib_s, c->save_stdev, c->save_s);
	phase_row(d, "loads", c->load_gib_s, c->load_stdev, c->load_s);
	times(d, c);
	plan(d, &c->plan);
}
