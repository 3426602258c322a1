/*
 * The five-run rule (Rules 2.1.17, 3.3.2): a campaign passes when every
 * measured run reaches the AU floor by itself. See au.h.
 */
#include "accel_sim/au.h"

#include <stdio.h>

#define RUNS_RULE_DEFAULT 5 /* Rules 2.1.17, v3.0 */

/* What the counted runs amount to; runs are numbered from 1. */
struct tally {
	uint32_t counted, finished;
	uint32_t unfinished; /* number of the first such run, 0: none */
	enum rec_status unfinished_status;
	const struct rec_run *fail; /* first below the floor */
	uint32_t fail_number;
	const struct rec_run *steady_fail;
	uint32_t steady_fail_number;
	bool steady_all; /* every finished run was evaluated */
};

static void tally_run(
	struct tally *t, struct rec_campaign *c, const struct rec_run *run)
{
	const struct rec_metrics *m = &run->metrics;

	t->counted++;
	if (run->status != REC_FINISHED) {
		if (!t->unfinished) {
			t->unfinished = t->counted;
			t->unfinished_status = run->status;
		}
		return;
	}
	if (!m->epochs) { /* one step: nothing to judge */
		t->steady_all = false;
		return;
	}
	if (!t->finished || m->au_mean_pct < c->margin_pct)
		c->margin_pct = m->au_mean_pct;
	t->finished++;
	c->au_mean_pct += m->au_mean_pct;
	c->steady_mean_pct += m->steady_au_pct;
	if (!m->meets_exact && !t->fail) {
		t->fail = run;
		t->fail_number = t->counted;
	}
	if (!m->steady_evaluated)
		t->steady_all = false;
	else if (!m->steady_meets && !t->steady_fail) {
		t->steady_fail = run;
		t->steady_fail_number = t->counted;
	}
}

static void fail_text(char *text, size_t size, const char *figure,
	uint32_t number, double au_pct, uint32_t floor_ppm)
{
	char au[REC_AU_TEXT_MAX];

	snprintf(text, size, "run %u: %s %s %% is below %g %%", number, figure,
		rec_format_au(au, au_pct, floor_ppm, false), floor_ppm / 1e4);
}

static enum rec_verdict verdict(bool complete, bool fails, bool evaluated)
{
	if (fails)
		return VERDICT_FAIL;
	return complete && evaluated ? VERDICT_PASS : VERDICT_NONE;
}

static void set_reason(struct rec_campaign *c, const struct tally *t,
	uint32_t rule, uint32_t floor_ppm)
{
	bool few = !c->stands_for_all && c->runs_wanted < rule;
	char fail[128] = "";

	if (t->fail)
		fail_text(fail, sizeof(fail), "AU", t->fail_number,
			t->fail->metrics.au_mean_pct, floor_ppm);
	else if (t->steady_fail)
		fail_text(fail, sizeof(fail), "steady AU",
			t->steady_fail_number,
			t->steady_fail->metrics.steady_au_pct, floor_ppm);
	if (few)
		snprintf(c->reason, sizeof(c->reason),
			"the rule needs %u measured runs, this campaign has "
			"%u%s%s",
			rule, c->runs_wanted, fail[0] ? "; " : "", fail);
	else if (t->fail || (t->steady_fail && c->reference != VERDICT_NONE))
		snprintf(c->reason, sizeof(c->reason), "%s", fail);
	else if (c->reference == VERDICT_NONE && t->unfinished)
		snprintf(c->reason, sizeof(c->reason),
			"%u of %u runs finished; run %u: %s", t->finished,
			c->runs_wanted, t->unfinished,
			rec_status_name(t->unfinished_status));
	else if (c->reference == VERDICT_NONE)
		snprintf(c->reason, sizeof(c->reason), "%u of %u runs finished",
			t->finished, c->runs_wanted);
}

static void warmup_note(struct record *rec, const struct rec_run *run)
{
	uint32_t floor_ppm = rec->config.au_floor_ppm;
	char au[REC_AU_TEXT_MAX];

	if (run->status != REC_FINISHED || !run->metrics.epochs ||
		run->metrics.meets_exact)
		return;
	/* The note is a courtesy: without memory for it nothing is lost. */
	(void)record_note(rec, "warmup",
		"the warm-up's AU %s %% is below %g %%: it does not count for "
		"the verdict, but a bundle needs every run to succeed, the "
		"warm-up too (Rules 3.3.2)",
		rec_format_au(au, run->metrics.au_mean_pct, floor_ppm, false),
		floor_ppm / 1e4);
}

void acc_campaign_verdict(struct record *rec)
{
	struct rec_campaign *c = &rec->campaign;
	uint32_t rule = c->runs_rule ? c->runs_rule : RUNS_RULE_DEFAULT;
	uint32_t i, floor_ppm = rec->config.au_floor_ppm;
	struct tally t = {.steady_all = true};
	bool complete;

	c->reference = c->steady = VERDICT_NONE;
	c->au_mean_pct = c->steady_mean_pct = c->margin_pct = 0;
	c->reason[0] = '\0';
	for (i = 0; i < rec->run_count; i++) {
		if (rec->runs[i].warmup)
			warmup_note(rec, &rec->runs[i]);
		else
			tally_run(&t, c, &rec->runs[i]);
	}
	if (t.finished) {
		c->au_mean_pct /= t.finished;
		c->steady_mean_pct /= t.finished;
		c->margin_pct -= floor_ppm / 1e4;
	}
	if (!t.steady_all)
		c->steady_mean_pct = 0;
	complete = t.finished &&
		   (c->stands_for_all || t.finished >= c->runs_wanted);
	if (c->stands_for_all || c->runs_wanted >= rule) {
		c->reference = verdict(complete, t.fail != NULL, true);
		c->steady =
			verdict(complete, t.steady_fail != NULL, t.steady_all);
	}
	set_reason(c, &t, rule, floor_ppm);
}
