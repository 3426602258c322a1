/* `stoker why`: what a run's AU was limited by, and what would change it. */
#include "cli/why.h"

#include "cli/cli.h"
#include "cli/commands.h"

#include "core/json.h"
#include "plan/why.h"
#include "results/history.h"
#include "results/record_read.h"
#include "results/why_view.h"
#include "storage/drive.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct why_options {
	const char *profile, *config_dir;
	bool json;
};

#define O struct why_options
#include "cli/rows.h"

const struct option_row why_rows[] = {
	HEADING("Why"),
	TEXT("profile", profile, "NAME|FILE",
		"what the drive can do: a profile of stoker drive probe, or "
		"one of the built-in ones"),
	PROFILES_DIR_ROW,
	OUTPUT_ROWS,
	END,
};

/* All of it; what cannot be answered does not spoil what is known. */
static int explain(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, bool answers, struct why *w,
	struct err *e)
{
	int r = why_explain(rec, run, profile, w, e);
	struct err no;

	if (!r && answers && why_answers(rec, run, profile, w, &no))
		snprintf(w->no_answer, sizeof(w->no_answer), "%.250s",
			no.text);
	return r;
}

static bool failed(const struct rec_run *run, bool steady)
{
	const struct rec_metrics *m = &run->metrics;

	return steady ? m->steady_evaluated && !m->steady_meets
		      : !m->meets_exact;
}

/* False: nothing is to be said of this record. */
static bool report_on(const struct record *rec, bool all, bool steady,
	const struct rec_run **run, struct why *w)
{
	struct err e;

	*run = why_choose(rec);
	if (!*run || (!all && !failed(*run, steady)))
		return false;
	if (!explain(rec, *run, NULL, all, w, &e))
		return true;
	why_fini(w);
	fprintf(stderr, "stoker: %s\n", e.text);
	return false;
}

void why_report(const struct record *rec, bool all, bool steady)
{
	const struct rec_run *run;
	struct why w;

	if (!report_on(rec, all, steady, &run, &w))
		return;
	printf("\n");
	if (all)
		results_print_why(stdout, rec, run, &w);
	else
		results_print_limit(stdout, run, &w);
	why_fini(&w);
}

void why_report_json(
	struct cJSON *doc, const struct record *rec, bool all, bool steady)
{
	const struct rec_run *run;
	struct why w;

	if (!report_on(rec, all, steady, &run, &w))
		return;
	results_add_why(doc, run, &w);
	why_fini(&w);
}

/* Of the newest campaign below dir the run that decides. */
static int choose_leaf(
	const char *dir, char *leaf, size_t size, struct err *e)
{
	const struct history_run *best = NULL, *h;
	struct history all;
	size_t i;
	int r = history_scan(dir, &all, e);

	for (i = 0; !r && i < all.count; i++) {
		h = &all.runs[i];
		if (h->campaign != all.runs[all.count - 1].campaign ||
			results_is_foreign(&h->rec) ||
			!h->rec.runs[0].metrics.epochs)
			continue;
		if (!best || (best->rec.runs[0].warmup &&
				     !h->rec.runs[0].warmup) ||
			(best->rec.runs[0].warmup == h->rec.runs[0].warmup &&
				h->rec.runs[0].metrics.au_mean_pct <
					best->rec.runs[0].metrics.au_mean_pct))
			best = h;
	}
	if (!r && !best)
		r = err_set(e, ERR_USAGE, -ENOENT,
			"%s: no finished run of stoker in it (record.json)",
			dir);
	if (!r)
		snprintf(leaf, size, "%s", best->rec.runs[0].leaf);
	history_fini(&all);
	return r;
}

static int find_record(const char *where, struct record *rec, struct err *e)
{
	char path[4352], leaf[4096];
	int r = 0;

	if (!where)
		return err_set(e, ERR_USAGE, -EINVAL,
			"why needs the folder of a run, or a results directory "
			"(its newest campaign is taken)");
	snprintf(path, sizeof(path), "%s/record.json", where);
	snprintf(leaf, sizeof(leaf), "%s", where);
	if (access(path, F_OK))
		r = choose_leaf(where, leaf, sizeof(leaf), e);
	return r ? r : results_record_read_steps(leaf, rec, e);
}

static int print_json(const struct rec_run *run, const struct why *w)
{
	struct cJSON *doc = cJSON_CreateObject();
	char *text = doc && results_add_why(doc, run, w) ? json_print(doc, 2)
							 : NULL;

	cJSON_Delete(doc);
	if (text)
		printf("%s\n", text);
	free(text);
	return text ? 0 : ERR_ENV;
}

int cmd_why(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	struct why_options o = {.json = false};
	struct drive_profile profile;
	struct record rec;
	struct why w = {.ranks = NULL};
	struct err e;
	int r = 0, code;

	if (!command_options_words(why_rows, &o, argc, argv, &words, &code))
		return code;
	record_init(&rec);
	if (o.profile)
		r = drive_profile_load(o.config_dir, o.profile, &profile, &e);
	if (!r)
		r = find_record(option_word(&words), &rec, &e);
	if (!r)
		r = explain(&rec, &rec.runs[0], o.profile ? &profile : NULL,
			true, &w, &e);
	if (r)
		code = cli_fail_report(o.json, &e);
	else if (o.json)
		code = print_json(&rec.runs[0], &w);
	else
		code = 0;
	if (!r && !o.json)
		results_print_why(stdout, &rec, &rec.runs[0], &w);
	why_fini(&w);
	record_fini(&rec);
	return code;
}
