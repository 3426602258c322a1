/*
 * Continuing a campaign; see resume.h. The rules want consecutive runs of one
 * configuration (Rules 2.1.17), each started less than twice the shortest
 * run's length after the one before (2.1.18). What cannot satisfy that any
 * more is refused here, before anything is read.
 */
#include "cli/resume.h"

#include "cli/cli.h"
#include "cli/outputs.h"

#include "core/units.h"
#include "results/history.h"
#include "results/record_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static int refuse(
	struct err *e, const char *fmt, ...)
{
	va_list ap;
	char text[900];

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_USAGE, -EINVAL,
		"cannot continue the campaign: %s; nothing was started "
		"(without --resume a new campaign begins)",
		text);
}

static const struct rec_run *run_of(const struct history_run *h)
{
	return &h->rec.runs[0];
}

/* The notes that say why a run is not CLOSED are part of what it was. */
static int same_reasons(
	const struct training_setup *s, const struct record *rec, struct err *e)
{
	const struct rec_note *n = rec->notes;
	uint32_t i, k;

	for (i = 0; i < rec->note_count; i++) {
		if (strcmp(n[i].id, "not-closed"))
			continue;
		for (k = 0; k < s->not_closed.count; k++)
			if (!strcmp(n[i].text, s->not_closed.text[k]))
				break;
		if (k == s->not_closed.count)
			return refuse(e,
				"run %s was not CLOSED because \"%s\", "
				"which is not so now",
				rec->runs[0].stamp, n[i].text);
	}
	for (k = 0; k < s->not_closed.count; k++) {
		for (i = 0; i < rec->note_count; i++)
			if (!strcmp(n[i].id, "not-closed") &&
				!strcmp(n[i].text, s->not_closed.text[k]))
				break;
		if (i == rec->note_count)
			return refuse(e,
				"now it is not CLOSED because \"%s\", "
				"which was not so in run %s",
				s->not_closed.text[k], rec->runs[0].stamp);
	}
	return 0;
}

static int same_run(const struct training_options *o,
	const struct training_setup *s, const char *group,
	const struct history_run *h, struct err *e)
{
	const struct record *rec = &h->rec;
	const struct rec_run *run = run_of(h);
	char what[512];

	if (results_is_foreign(rec))
		return refuse(e, "run %s is not stoker's", run->stamp);
	if (run->status != REC_FINISHED)
		return refuse(e, "run %s is %s, not finished", run->stamp,
			rec_status_name(run->status));
	if (rec->time.is_virtual)
		return refuse(e, "run %s was a simulation", run->stamp);
	if (strcmp(rec->tool_version, STOKER_VERSION))
		return refuse(e, "run %s was made by stoker %s, this is %s",
			run->stamp, rec->tool_version, STOKER_VERSION);
	if (!results_same_config(&rec->config, &s->config, what, sizeof(what)))
		return refuse(e, "run %s has another configuration (%s)",
			run->stamp, what);
	if (group && strcmp(rec->config.group, group))
		return refuse(e, "run %s ran in group %s, not %s", run->stamp,
			rec->config.group, group);
	if (rec->campaign.runs_wanted != o->runs ||
		rec->campaign.warmups != o->warmups)
		return refuse(e,
			"run %s belongs to --warmup %u --runs %u, not "
			"--warmup %" PRIu64 " --runs %" PRIu64,
			run->stamp, rec->campaign.warmups,
			rec->campaign.runs_wanted, o->warmups, o->runs);
	return same_reasons(s, rec, e);
}

/* Runs [begin, count) of h, and one that starts now. */
static int check_gaps(
	const struct history *h, size_t begin, int64_t now_ns, struct err *e)
{
	int64_t shortest_ns = INT64_MAX, start_ns, gap_s, limit_ns, took;
	char limit[UNITS_TEXT_MAX];
	bool last;
	size_t i;

	for (i = begin; i < h->count; i++) {
		took = run_of(&h->runs[i])->end_ns -
		       run_of(&h->runs[i])->start_ns;
		if (took < shortest_ns)
			shortest_ns = took;
	}
	for (i = begin; i < h->count; i++) {
		last = i + 1 == h->count;
		start_ns = last ? now_ns : run_of(&h->runs[i + 1])->start_ns;
		if (start_ns < run_of(&h->runs[i])->start_ns)
			return refuse(e,
				"run %s starts in the future; the "
				"clock was set back",
				run_of(&h->runs[i])->stamp);
		if (history_gap_fits(run_of(&h->runs[i])->start_ns, start_ns,
			    shortest_ns, &gap_s, &limit_ns))
			continue;
		return refuse(e,
			"%s would start %" PRId64 " s after run %s "
			"did, the rules want less than %s, twice the shortest "
			"run (Rules 2.1.18)",
			last ? "the next run" : run_of(&h->runs[i + 1])->stamp,
			gap_s, run_of(&h->runs[i])->stamp,
			units_format_time(limit, limit_ns));
	}
	return 0;
}

/* Where the newest campaign begins: run k of it is numbered k. */
static int find_begin(const struct history *h, size_t *begin, struct err *e)
{
	const struct rec_run *run;
	size_t i;

	for (i = h->count; i > 0; i--) {
		run = run_of(&h->runs[i - 1]);
		if (i < h->count &&
			run->index + 1 != run_of(&h->runs[i])->index)
			break;
		if (!run->index) {
			*begin = i - 1;
			return 0;
		}
	}
	run = run_of(&h->runs[i]);
	return refuse(e,
		"run %s is number %u of its campaign and number %u is "
		"not before it: the runs are not consecutive",
		run->stamp, run->index + 1, run->index);
}

static int by_start(const void *pa, const void *pb)
{
	int64_t a = run_of(pa)->start_ns, b = run_of(pb)->start_ns;

	return (a > b) - (a < b);
}

static int check(const struct training_options *o,
	const struct training_setup *s, const char *group, int64_t now_ns,
	struct history *h, size_t *begin, struct err *e)
{
	uint64_t all = o->runs + o->warmups;
	size_t i;
	int r;

	if (h->broken_count)
		return refuse(e, "%s cannot be read (%s)", h->broken[0].leaf,
			h->broken[0].why);
	if (!h->count)
		return refuse(e, "no finished run is there");
	/* all lie in one folder, where time alone is the order */
	qsort(h->runs, h->count, sizeof(*h->runs), by_start);
	r = same_run(o, s, group, &h->runs[h->count - 1], e);
	if (!r)
		r = find_begin(h, begin, e);
	for (i = *begin; !r && i < h->count; i++)
		r = same_run(o, s, group, &h->runs[i], e);
	if (!r && h->count - *begin >= all)
		return refuse(e,
			"all %" PRIu64 " runs are there, the last is %s", all,
			run_of(&h->runs[h->count - 1])->stamp);
	return r ? r : check_gaps(h, *begin, now_ns, e);
}

/* Move the runs out of h. */
static int collect(
	struct history *h, size_t begin, struct record *found, struct err *e)
{
	struct rec_run *run;
	size_t i;

	found->config = h->runs[begin].rec.config;
	for (i = begin; i < h->count; i++) {
		run = record_add_run(found);
		if (!run)
			return err_nomem(e, "earlier runs");
		*run = h->runs[i].rec.runs[0];
		memset(&h->runs[i].rec.runs[0], 0, sizeof(*run));
	}
	return 0;
}

int resume_find(const struct training_options *o,
	const struct training_setup *s, const char *group, int64_t now_ns,
	struct record *found, struct err *e)
{
	char folder[4096];
	struct history h;
	size_t begin = 0;
	int r;

	record_init(found);
	if (!o->results_dir)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--resume needs --results-dir DIR, where the campaign "
			"left its runs");
	if (s->virtual_time)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--resume goes with a real clock: in virtual time a "
			"whole campaign takes seconds");
	if (outputs_folder(&s->config, "run", folder, sizeof(folder)))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--results-dir %s: path too long", o->results_dir);
	r = history_scan(folder, &h, e);
	if (r)
		r = refuse(e, "no runs in %s", folder);
	else
		r = check(o, s, group, now_ns, &h, &begin, e);
	if (!r)
		r = collect(&h, begin, found, e);
	history_fini(&h);
	if (r)
		record_fini(found);
	return r;
}

int64_t resume_last_end_ns(const struct training_setup *s)
{
	int64_t last_ns = 0;
	char folder[4096];
	struct history h;
	struct err e;
	size_t i;

	if (!s->config.results_dir[0] ||
		outputs_folder(&s->config, "run", folder, sizeof(folder)))
		return 0;
	if (!history_scan(folder, &h, &e))
		for (i = 0; i < h.count; i++)
			if (run_of(&h.runs[i])->end_ns > last_ns)
				last_ns = run_of(&h.runs[i])->end_ns;
	history_fini(&h);
	return last_ns;
}
