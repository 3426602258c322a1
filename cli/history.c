/* `stoker history`: the finished runs below a results directory. */
#include "cli/history.h"

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/training.h"

#include "accel_sim/au.h"
#include "core/json.h"
#include "results/history.h"
#include "results/record_read.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct history_options {
	const char *results_dir;
	bool json;
};

#define O struct history_options
#include "cli/rows.h"

const struct option_row history_rows[] = {
	HEADING("History"),
	TEXT("results-dir", results_dir, "DIR",
		"where runs were written", .letter = 'r',
		.words = COMPLETE_DIR),
	JSON_ROW,
	END,
};

static const char *verdict_word(const struct rec_metrics *m)
{
	return !m->epochs ? "-" : m->meets_exact ? "PASS" : "FAIL";
}

static const char *campaign_word(enum rec_verdict v)
{
	return v == VERDICT_PASS   ? "PASS"
	       : v == VERDICT_FAIL ? "FAIL"
				   : "NOT EVALUATED";
}

static const char *run_name(char buf[16], const struct record *rec)
{
	const struct rec_run *run = &rec->runs[0];

	if (results_is_foreign(rec))
		snprintf(buf, 16, "?");
	else if (run->warmup)
		snprintf(buf, 16, "warm-up");
	else
		snprintf(buf, 16, "%u",
			run->index >= rec->campaign.warmups
				? run->index - rec->campaign.warmups + 1
				: run->index + 1);
	return buf;
}

static const char *place(const struct train_config *c)
{
	return c->drive[0] ? c->drive : c->data_dir[0] ? c->data_dir : "?";
}

static const char *known(const char *text)
{
	return text[0] ? text : "?";
}

static void print_run(const struct history_run *h)
{
	const struct record *rec = &h->rec;
	const struct train_config *c = &rec->config;
	const struct rec_run *run = &rec->runs[0];
	const struct rec_metrics *m = &run->metrics;
	char au[REC_AU_TEXT_MAX] = "-", steady[REC_AU_TEXT_MAX] = "-";
	char name[16];

	if (m->epochs)
		rec_format_au(
			au, m->au_mean_pct, c->au_floor_ppm, m->meets_exact);
	if (m->steady_evaluated)
		rec_format_au(steady, m->steady_au_pct, c->au_floor_ppm,
			m->steady_meets);
	printf("%-15s %-7s %-8s %-7s %4" PRIu64 " %-7s %9s %9s %-4s %s\n",
		known(run->stamp), rec_division_name(c->division),
		known(c->model), known(c->accelerator), c->accelerators,
		run_name(name, rec), au, steady, verdict_word(m), place(c));
}

int history_judge(const struct history_run *h, size_t n, struct record *rec)
{
	size_t i;

	record_init(rec);
	rec->config = h[0].rec.config;
	rec->campaign = h[0].rec.campaign;
	if (results_is_foreign(&h[0].rec))
		rec->campaign.runs_wanted = (uint32_t)n;
	rec->runs = calloc(n, sizeof(*rec->runs));
	if (!rec->runs)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		rec->runs[i] = h[i].rec.runs[0];
		rec->runs[i].start_ns += h[i].rec.time.wall_anchor_ns;
		rec->runs[i].end_ns += h[i].rec.time.wall_anchor_ns;
	}
	rec->run_count = (uint32_t)n;
	acc_campaign_verdict(rec);
	return 0;
}

void history_judge_end(struct record *rec)
{
	free(rec->runs);
	rec->runs = NULL;
	rec->run_count = 0;
	record_fini(rec);
}

static size_t campaign_length(const struct history *h, size_t begin)
{
	size_t n = 1;

	while (begin + n < h->count &&
		h->runs[begin + n].campaign == h->runs[begin].campaign)
		n++;
	return n;
}

static int print_text(const struct history *h)
{
	struct record rec;
	size_t i, k, n;

	if (!h->count) {
		printf("no finished run\n");
		return 0;
	}
	printf("%-15s %-7s %-8s %-7s %4s %-7s %9s %9s %-4s %s\n", "stamp",
		"divis.", "model", "accel.", "N", "run", "AU %", "steady %", "",
		"drive or data");
	for (i = 0; i < h->count; i += n) {
		n = campaign_length(h, i);
		for (k = 0; k < n; k++)
			print_run(&h->runs[i + k]);
		if (history_judge(&h->runs[i], n, &rec))
			return ERR_ENV;
		printf("  campaign %u: %zu run%s, %s%s%s\n",
			h->runs[i].campaign, n, n == 1 ? "" : "s",
			campaign_word(rec.campaign.reference),
			rec.campaign.reason[0] ? ": " : "",
			rec.campaign.reason);
		history_judge_end(&rec);
	}
	return 0;
}

static void add_run(struct cJSON *list, const struct history_run *h)
{
	const struct record *rec = &h->rec;
	const struct train_config *c = &rec->config;
	const struct rec_run *run = &rec->runs[0];
	const struct rec_metrics *m = &run->metrics;
	struct cJSON *o = json_add_object(list, NULL);

	json_add_u64(o, "campaign", h->campaign);
	json_add_string(o, "stamp", run->stamp);
	json_add_string(o, "leaf", run->leaf);
	json_add_string(o, "tool_version", rec->tool_version);
	json_add_string(o, "division", rec_division_name(c->division));
	json_add_string(o, "model", c->model);
	json_add_string(o, "accelerator", c->accelerator);
	json_add_u64(o, "accelerators", c->accelerators);
	json_add_u64(o, "index", run->index);
	json_add_bool(o, "warmup", run->warmup);
	json_add_string(o, "status", rec_status_name(run->status));
	json_add_i64(o, "start_ns", run->start_ns);
	json_add_i64(o, "end_ns", run->end_ns);
	json_add(o, "au_mean_pct",
		m->epochs ? json_double(m->au_mean_pct) : cJSON_CreateNull());
	json_add(o, "steady_au_pct",
		m->steady_evaluated ? json_double(m->steady_au_pct)
				    : cJSON_CreateNull());
	json_add(o, "meets",
		m->epochs ? cJSON_CreateBool(m->meets_exact)
			  : cJSON_CreateNull());
	json_add_string(o, "drive", c->drive);
	json_add_string(o, "data_dir", c->data_dir);
}

static bool add_campaigns(struct cJSON *root, const struct history *h)
{
	struct cJSON *list = json_add_array(root, "campaigns"), *o;
	struct record rec;
	size_t i, n;

	for (i = 0; i < h->count; i += n) {
		n = campaign_length(h, i);
		if (history_judge(&h->runs[i], n, &rec))
			return false;
		o = json_add_object(list, NULL);
		json_add_u64(o, "campaign", h->runs[i].campaign);
		json_add_u64(o, "runs", n);
		json_add_u64(o, "runs_wanted", rec.campaign.runs_wanted);
		json_add_u64(o, "warmups", rec.campaign.warmups);
		json_add_string(
			o, "reference", campaign_word(rec.campaign.reference));
		json_add_string(
			o, "steady", campaign_word(rec.campaign.steady));
		json_add_string(o, "reason", rec.campaign.reason);
		history_judge_end(&rec);
	}
	return list != NULL;
}

static int print_json(const char *dir, const struct history *h)
{
	struct cJSON *root = cJSON_CreateObject(), *list, *o;
	char *text = NULL;
	size_t i;

	json_add_string(root, "results_dir", dir);
	list = json_add_array(root, "runs");
	for (i = 0; list && i < h->count; i++)
		add_run(list, &h->runs[i]);
	if (add_campaigns(root, h)) {
		list = json_add_array(root, "broken");
		for (i = 0; list && i < h->broken_count; i++) {
			o = json_add_object(list, NULL);
			json_add_string(o, "leaf", h->broken[i].leaf);
			json_add_string(o, "why", h->broken[i].why);
		}
		text = json_print(root, 2);
	}
	cJSON_Delete(root);
	if (text)
		printf("%s\n", text);
	free(text);
	return text ? 0 : ERR_ENV;
}

int cmd_history(int argc, const char **argv)
{
	struct history_options o = {.json = false};
	struct history h;
	struct err e;
	size_t i;
	int code;

	if (!command_options(history_rows, &o, argc, argv, &code))
		return code;
	if (!o.results_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"history needs --results-dir DIR");
		return cli_fail_report(o.json, &e);
	}
	if (history_scan(o.results_dir, &h, &e)) {
		history_fini(&h);
		return cli_fail_report(o.json, &e);
	}
	for (i = 0; i < h.broken_count; i++)
		fprintf(stderr, "stoker: %s is left out: %s\n",
			h.broken[i].leaf, h.broken[i].why);
	code = o.json ? print_json(o.results_dir, &h) : print_text(&h);
	history_fini(&h);
	return code;
}
