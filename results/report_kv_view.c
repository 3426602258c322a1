/* What a report says of a KV cache run; see report.h. */
#include "results/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void report_kv_verdict(struct doc *d, const struct report_kv *k)
{
	char drive[REPORT_DRIVE_MAX], text[512] = "";
	const struct report_kv_option *o;
	double worst = 0;
	size_t i, n = 0;

	for (i = 0; i < k->option_count && n < sizeof(text); i++) {
		o = &k->options[i];
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%soption %" PRIu64 " %.1f tok/s", i ? ", " : "",
			o->option, o->mean.tokens_per_s);
		worst = fmax(worst, o->mean.p95_s);
	}
	doc_text(d, k->partial ? TONE_BAD : TONE_PLAIN,
		"%sKV cache: %s; P95 of a request's I/O up to %.2f s%s (%s)",
		k->partial ? "INCOMPLETE: " : "", text, worst,
		k->partial ? "; trials failed or are missing" : "",
		report_drive(&k->at, drive));
}

static void row(struct doc *d, const struct report_kv_option *o,
	const char *trial, const struct report_kv_figures *f)
{
	doc_number(d, true, (double)o->option, 0);
	doc_cell(d, TONE_PLAIN, "%s", trial);
	doc_number(d, true, f->tokens_per_s, 1);
	doc_number(d, true, f->io_tokens_per_s, 2);
	doc_number(d, true, f->read_gib_s, 3);
	doc_number(d, true, f->write_gib_s, 3);
	doc_number(d, true, f->p95_s, 3);
	doc_number(d, true, f->file_read_p95_s, 3);
	doc_number(d, true, f->file_write_p95_s, 3);
	doc_number(d, true, f->end_to_end_p95_s, 1);
	doc_number(d, true, f->tokens_per_gib_read, 1);
	doc_number(d, true, f->requests, 0);
	doc_number(d, true, f->abandoned, 0);
}

static void trials(struct doc *d, const struct report_kv *k)
{
	static const char *const columns[] = {"option", "trial", "tok/s",
		"tok/s of I/O", "read GiB/s", "write GiB/s",
		"P95 request I/O, s", "P95 file read, s", "P95 file write, s",
		"P95 end to end, s", "tok/GiB read", "requests", "abandoned",
		NULL};
	const struct report_kv_option *o;
	char name[24];
	size_t i, t;

	doc_table(d,
		"Options and trials, as reported; the mean has the "
		"largest P95",
		columns);
	for (i = 0; i < k->option_count; i++) {
		o = &k->options[i];
		for (t = 0; t < o->trial_count; t++) {
			snprintf(name, sizeof(name), "%zu", t + 1);
			row(d, o, name, &o->trials[t]);
		}
		row(d, o, "mean", &o->mean);
	}
	if (!k->at.has_own)
		doc_text(d, TONE_MISSING, "trials are not told one by one: %s",
			k->at.no_own);
}

enum shown { SHOW_TOKENS, SHOW_READ, SHOW_WRITE };

static double shown(const struct report_kv_figures *f, enum shown what)
{
	return what == SHOW_TOKENS ? f->tokens_per_s
	       : what == SHOW_READ ? f->read_gib_s
				   : f->write_gib_s;
}

/* Points of all trials, by option; without trials of the mean. */
static void series(struct doc *d, const struct report_kv *k, enum shown what,
	const char *name)
{
	double x[REPORT_KV_OPTIONS_MAX * REPORT_KV_TRIALS_MAX];
	double y[REPORT_KV_OPTIONS_MAX * REPORT_KV_TRIALS_MAX];
	const struct report_kv_option *o;
	size_t i, t, n = 0;

	for (i = 0; i < k->option_count; i++) {
		o = &k->options[i];
		for (t = 0; t < (o->trial_count ? o->trial_count : 1); t++) {
			x[n] = (double)o->option;
			y[n] = shown(o->trial_count ? &o->trials[t] : &o->mean,
				what);
			n += isfinite(y[n]) != 0;
		}
	}
	doc_series(d, DRAW_POINTS, n, x, y, "%s", name);
}

static void charts(struct doc *d, const struct report_kv *k)
{
	doc_chart(d, "Tokens a second, each trial", "option", "tokens/s");
	if (!d->nomem)
		d->chart->whole_x = true;
	series(d, k, SHOW_TOKENS, "tokens/s of wall clock");
	doc_chart(d, "Bandwidth, each trial", "option", "GiB/s");
	if (!d->nomem)
		d->chart->whole_x = true;
	series(d, k, SHOW_READ, "read");
	series(d, k, SHOW_WRITE, "written");
}

/* Where the workers' time went: an option a bar. */
static void phases(struct doc *d, const struct report_kv *k)
{
	double x[REPORT_KV_OPTIONS_MAX], y[REPORT_KV_OPTIONS_MAX];
	size_t i, p, n;

	doc_chart(d, "Where the workers' time went", "option", "% of the time");
	if (!d->nomem) {
		d->chart->whole_x = true;
		d->chart->y_most = 100;
	}
	for (p = 0; p < KV_PHASES; p++) {
		for (i = n = 0; i < k->option_count; i++) {
			x[n] = (double)k->options[i].option;
			y[n] = k->options[i].mean.phase_pct[p];
			n += isfinite(y[n]) != 0;
		}
		doc_series(d, DRAW_STACK, n, x, y, "%s",
			kv_phase_name((enum kv_phase)p));
	}
}

static void phase_table(struct doc *d, const struct report_kv *k)
{
	static const char *const columns[] = {"option", NULL};
	size_t i, p;

	doc_table(d, "Time of the workers, %", columns);
	for (p = 0; p < KV_PHASES; p++)
		doc_column(d, "%s", kv_phase_name((enum kv_phase)p));
	for (i = 0; i < k->option_count; i++) {
		doc_number(d, true, (double)k->options[i].option, 0);
		for (p = 0; p < KV_PHASES; p++)
			doc_number(d, true, k->options[i].mean.phase_pct[p], 1);
	}
}

static void failures(struct doc *d, const struct report_kv *k)
{
	static const char *const columns[] = {"option", "what", "model",
		"users a rank", "ranks", "trials done", "of", "files missing",
		"failed", "bound by", NULL};
	const struct report_kv_option *o;
	size_t i;

	doc_table(
		d, "Options: what ran, what failed, what bounds them", columns);
	for (i = 0; i < k->option_count; i++) {
		o = &k->options[i];
		doc_number(d, true, (double)o->option, 0);
		doc_cell(d, TONE_PLAIN, "%s", o->label);
		doc_cell(d, TONE_PLAIN, "%s", o->model);
		doc_number(d, o->users, (double)o->users, 0);
		doc_number(d, true, (double)o->ranks, 0);
		doc_number(d, true, (double)o->trials_done, 0);
		doc_number(d, true, (double)k->trials_wanted, 0);
		doc_number(d, true, (double)o->missing_files, 0);
		doc_cell(d, o->partial ? TONE_BAD : TONE_GOOD, "%s",
			o->partial ? "yes" : "no");
		doc_cell(d, TONE_PLAIN, "%s", o->bound_by);
	}
	if (k->failures)
		doc_text(d, TONE_BAD, "%" PRIu64 " trial(s) failed",
			k->failures);
}

void report_kv_sections(struct doc *d, const struct report_kv *k)
{
	const struct report_leaf *at = &k->at;
	char drive[REPORT_DRIVE_MAX];

	doc_section(d, 2, "KV cache: %s, %s", report_known(at->model),
		report_drive(at, drive));
	report_kv_verdict(d, k);
	report_leaf_notes(d, &at, 1);
	doc_section(d, 3, "Options and trials");
	charts(d, k);
	trials(d, k);
	failures(d, k);
	doc_section(d, 3, "Time of the workers");
	phases(d, k);
	phase_table(d, k);
	report_leaf_facts(d, at);
}

void report_kv_compare(struct doc *d, const struct report_input *in)
{
	static const char *const columns[] = {"KV cache", "run", "option",
		"tok/s", "read GiB/s", "write GiB/s", "P95 request I/O, s",
		"tok/GiB read", NULL};
	char drive[REPORT_DRIVE_MAX];
	size_t i, k;

	if (in->kv_count < 2)
		return;
	doc_table(d, "KV cache side by side", columns);
	for (k = 0; k < REPORT_KV_OPTIONS_MAX; k++)
		for (i = 0; i < in->kv_count; i++) {
			const struct report_kv_option *o =
				&in->kvs[i].options[k];

			if (k >= in->kvs[i].option_count)
				continue;
			doc_cell(d, TONE_PLAIN, "%s",
				report_drive(&in->kvs[i].at, drive));
			doc_cell(d, TONE_PLAIN, "%s", in->kvs[i].at.stamp);
			doc_number(d, true, (double)o->option, 0);
			doc_number(d, true, o->mean.tokens_per_s, 1);
			doc_number(d, true, o->mean.read_gib_s, 3);
			doc_number(d, true, o->mean.write_gib_s, 3);
			doc_number(d, true, o->mean.p95_s, 3);
			doc_number(d, true, o->mean.tokens_per_gib_read, 1);
		}
}
