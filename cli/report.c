/* `stoker report`: runs as one document that can be passed on. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/report.h"

#include "core/file.h"
#include "core/json.h"
#include "plan/ckpt_plan.h"
#include "plan/why.h"
#include "results/report.h"
#include "results/report_gnuplot.h"
#include "results/report_view.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCELERATOR_MTBF_S (50000.0 * 3600) /* as of plan checkpoint */

struct report_options {
	const char *out, *format, *config_dir;
	bool compare;
};

const struct option_row report_rows[] = {
	OPT_HEADING("Report"),
	OPT_TEXT("out", struct report_options, out, "FILE",
		"write it there and print the verdict", .letter = 'o',
		.standard = "stdout"),
	OPT_TEXT("format", struct report_options, format, "FORMAT",
		"html, md, csv or json", .standard = "html",
		.words = "html md csv json"),
	OPT_FLAG("compare", struct report_options, compare,
		"runs side by side: those of one campaign, or the deciding "
		"one of each; checkpoints, vectors and KV cache in tables"),
	OPT_TEXT("config-dir", struct report_options, config_dir, "DIR",
		"rules that override the built-in ones",
		.words = COMPLETE_DIR),
	OPT_END,
};

/* What limits each run; what cannot be said is a text of the report. */
static void explain(struct report_campaign *c)
{
	struct report_extra *x;
	struct record *rec;
	struct err e;
	size_t i;

	for (i = 0; i < c->run_count; i++) {
		x = &c->extra[i];
		rec = &c->runs[i].rec;
		if (!rec->runs[0].rank_count)
			snprintf(x->not_explained, sizeof(x->not_explained),
				"%s", x->no_steps);
		else if (why_explain(rec, &rec->runs[0], NULL, &x->why, &e))
			snprintf(x->not_explained, sizeof(x->not_explained),
				"%.500s", e.text);
		else
			x->explained = true;
	}
}

/* The time of a load: of the run itself, or of the phase that read. */
static double load_s_of(
	const struct report_input *in, const struct report_ckpt *c)
{
	const struct report_ckpt *o;
	size_t i;

	for (i = 0; c->load_s <= 0 && i < in->ckpt_count; i++) {
		o = &in->ckpts[i];
		if (o->save_s <= 0 && o->load_s > 0 && o->ranks == c->ranks &&
			!strcmp(o->at.model, c->at.model) &&
			!strcmp(o->at.drive, c->at.drive))
			return o->load_s;
	}
	return c->load_s;
}

static void plan(const struct report_input *in, struct report_ckpt *c)
{
	struct report_plan *p = &c->plan;
	struct ckpt_job job = {
		.bytes = c->size_gib * 1073741824.0,
		.mtbf_s = c->ranks ? ACCELERATOR_MTBF_S / (double)c->ranks : 0,
		.save_s = c->save_s,
		.restart_s = load_s_of(in, c),
	};
	struct ckpt_loss l;
	struct err e;
	int i;

	if (c->save_s <= 0 || job.restart_s <= 0) {
		snprintf(p->why_not, sizeof(p->why_not),
			"this run has no %s; a plan needs the time of a save "
			"and of a load", c->save_s <= 0 ? "saves" : "loads");
		return;
	}
	if (ckpt_job_check(&job, &e)) {
		snprintf(p->why_not, sizeof(p->why_not), "%.250s", e.text);
		return;
	}
	p->made = true;
	p->mtbf_s = job.mtbf_s;
	p->accelerator_mtbf_s = ACCELERATOR_MTBF_S;
	p->save_s = job.save_s;
	p->restart_s = job.restart_s;
	for (i = 0; i < CKPT_RULES; i++) {
		ckpt_loss_at(&job, ckpt_interval_s(&job, (enum ckpt_rule)i),
			&l);
		p->rules[i] = (struct report_rule){
			ckpt_rule_name((enum ckpt_rule)i), l.interval_s,
			100 * l.stall, 100 * l.rework, 100 * l.restart,
			100 * l.total};
	}
}

static int gather(struct report_input *in, const struct option_words *places,
	struct err *e)
{
	struct report_campaign *c;
	size_t i, k;
	int r = 0;

	if (!places->count)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"report needs the folder of a run, a results directory "
			"or a document of stoker size --json: stoker report "
			"DIR...");
	for (i = 0; !r && i < places->count; i++)
		r = report_add(in, places->word[i], e);
	for (k = 0; !r && k < in->campaign_count; k++) {
		c = &in->campaigns[k];
		if (history_judge(c->runs, c->run_count, &c->judged))
			return err_nomem(e, "the report");
		c->is_judged = true;
		explain(c);
	}
	for (k = 0; !r && k < in->ckpt_count; k++)
		plan(in, &in->ckpts[k]);
	return r;
}

static int check(const struct report_options *o, struct err *e)
{
	static const char *const formats[] = {"html", "md", "csv", "json"};
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(o->format, formats[i]))
			return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"--format %s: must be html, md, csv or json", o->format);
}

static int print(FILE *f, const char *format, const struct doc *d)
{
	struct cJSON *o;
	char *text;

	if (!strcmp(format, "html")) {
		report_html(f, d);
	} else if (!strcmp(format, "md")) {
		report_markdown(f, d);
	} else if (!strcmp(format, "csv")) {
		report_csv(f, d);
	} else {
		o = report_json(d);
		text = o ? json_print(o, 2) : NULL;
		cJSON_Delete(o);
		if (!text)
			return -ENOMEM;
		fprintf(f, "%s\n", text);
		free(text);
	}
	return 0;
}

static int deliver(
	const struct report_options *o, const struct doc *d, struct err *e)
{
	const struct doc_section *s = d->sections;
	char *text = NULL;
	size_t size, i;
	FILE *f = open_memstream(&text, &size);
	int r = f ? print(f, o->format, d) : -ENOMEM;

	if (f && fclose(f))
		r = -ENOMEM;
	if (r)
		r = err_nomem(e, "the report");
	else if (o->out)
		r = file_write_atomic(o->out, text, size, e);
	else
		fwrite(text, 1, size, stdout);
	free(text);
	for (i = 0; !r && o->out && i < s->item_count; i++)
		printf("%s\n", s->items[i].text);
	if (!r && o->out)
		printf("written: %s\n", o->out);
	return r;
}

static int report(
	const struct report_options *o, struct report_input *in, struct err *e)
{
	struct edition *edition = calloc(1, sizeof(*edition));
	struct doc d;
	struct err no;
	int r;

	if (!edition)
		return err_nomem(e, "the report");
	r = edition_load(o->config_dir, EDITION_DEFAULT, edition, e);
	if (r) {
		free(edition);
		return r;
	}
	in->edition = edition;
	report_build(&d, in, o->compare);
	if (!strcmp(o->format, "html") && report_draw(&d, &no)) {
		fprintf(stderr, "stoker: charts are missing: %s\n", no.text);
		doc_text(&d, TONE_MISSING, "charts are missing: %s; the tables "
			"say the same", no.text);
	}
	r = d.nomem ? err_nomem(e, "the report") : deliver(o, &d, e);
	doc_fini(&d);
	free(edition);
	return r;
}

int cmd_report(int argc, const char **argv)
{
	struct report_options o = {.format = "html"};
	struct report_input in = {.edition = NULL};
	struct option_words places = {.most = OPTION_WORDS_MAX};
	struct err e;
	size_t i;
	int r, code;

	if (!command_options_words(report_rows, &o, argc, argv, &places, &code))
		return code;
	r = check(&o, &e);
	if (!r)
		r = gather(&in, &places, &e);
	if (!r)
		r = report(&o, &in, &e);
	for (i = 0; i < in.broken_count; i++)
		fprintf(stderr, "stoker: %s is left out: %s\n",
			in.broken[i].leaf, in.broken[i].why);
	for (i = 0; i < in.campaign_count; i++)
		if (in.campaigns[i].is_judged)
			history_judge_end(&in.campaigns[i].judged);
	report_input_fini(&in);
	return r ? cli_fail_report(!strcmp(o.format, "json"), &e) : 0;
}
