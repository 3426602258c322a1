/* Views of an explanation; see why_view.h. */
#include "results/why_view.h"

#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

#define RANKS_SHOWN 8

static bool about_storage(enum why_limit l)
{
	return l != WHY_COMPUTE && l != WHY_BARRIER && l != WHY_SOFTWARE;
}

void results_print_limit(
	FILE *f, const struct rec_run *run, const struct why *w)
{
	fprintf(f, "limit: %s%s", why_limit_name(w->limit),
		w->sure ? "" : " (likely)");
	if (about_storage(w->limit))
		fprintf(f, ", %.2f GB/s of the %.2f needed", w->busy_gb_per_s,
			w->needed_gb_per_s);
	else if (w->limit == WHY_BARRIER)
		fprintf(f, ", %.1f %% of the time", w->mean.barrier_pct);
	else if (w->limit == WHY_SOFTWARE)
		fprintf(f, ", %.1f %% of the time", w->mean.software_pct);
	fprintf(f, "; %s%s tells more\n",
		run->leaf[0] ? "stoker why " : "--why", run->leaf);
}

static void print_share(FILE *f, const char *name, const struct why_share *s)
{
	fprintf(f, "%-10s %9.2f %9.2f %9.2f %9.2f", name, s->compute_pct,
		s->storage_pct, s->barrier_pct, s->software_pct);
}

static void print_time(FILE *f, const struct why *w)
{
	char name[24];
	uint32_t r;

	fprintf(f, "\n%-10s %9s %9s %9s %9s\n",
		w->has_ranks ? "time in %" : "in % *", "compute", "storage",
		"barrier", "software");
	for (r = 0; w->has_ranks && r < w->rank_count; r++) {
		if (w->rank_count > RANKS_SHOWN && r != w->slowest)
			continue;
		snprintf(name, sizeof(name), "rank %u", w->ranks[r].rank);
		print_share(f, name, &w->ranks[r].share);
		if (r == w->slowest && w->ranks[r].last_pct > 0)
			fprintf(f, "  slowest: last in %.0f %% of the steps",
				w->ranks[r].last_pct);
		fprintf(f, "\n");
	}
	print_share(f, "mean", &w->mean);
	fprintf(f, "\n");
	if (w->rank_count > 1 && w->has_ranks) {
		print_share(f, "min", &w->min);
		fprintf(f, "\n");
		print_share(f, "max", &w->max);
		fprintf(f, "\nof the barrier: %.2f %% waiting for the last rank "
			   "of a step, %.2f %% meeting as such\n",
			w->skew_pct, w->meet_pct);
	}
	if (!w->has_ranks)
		fprintf(f, "* of whole epochs: the record has no step times\n");
}

static void print_storage(FILE *f, const struct why *w)
{
	char least[UNITS_TEXT_MAX], p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX];

	fprintf(f, "\nstorage: %.3f GB/s over all the time",
		w->delivered_gb_per_s);
	if (w->busy_pct > 0)
		fprintf(f, ", %.3f GB/s in the %.1f %% of it that it was "
			   "asked for something",
			w->busy_gb_per_s, w->busy_pct);
	fprintf(f, "; needed %.3f GB/s for AU %g %%, %.3f for 100 %%\n",
		w->needed_gb_per_s, w->floor_pct, w->asked_gb_per_s);
	if (w->latency_p50_ns)
		fprintf(f, "requests: %.1f in flight of %.0f that readers and "
			   "buffers allow; latency fastest %s, p50 %s, p99 "
			   "%s\n",
			w->in_flight_mean, w->in_flight_most,
			units_format_time(least, w->latency_min_ns),
			units_format_time(p50, w->latency_p50_ns),
			units_format_time(p99, w->latency_p99_ns));
	if (w->storage_term_pct >= 0)
		fprintf(f, "steady AU would be %.2f %% by storage alone, %.2f "
			   "%% by barriers and software alone\n",
			w->storage_term_pct, w->software_term_pct);
	if (w->cores > 0)
		fprintf(f, "CPU: %.2f of %.0f cores busy\n", w->cores_busy,
			w->cores);
}

static void print_answer(FILE *f, const struct why_answer *a)
{
	fprintf(f, "%-40s %9.2f ", a->what, a->au_pct);
	if (a->steady_evaluated)
		fprintf(f, "%9.2f", a->steady_au_pct);
	else
		fprintf(f, "%9s", "-");
	fprintf(f, " %-4s %12.2f%s\n", a->meets ? "pass" : "FAIL",
		a->needed_gb_per_s, a->rough ? "  rough" : "");
}

static void print_answers(FILE *f, const struct why *w)
{
	uint32_t i;

	if (!w->answered) {
		if (w->no_answer[0])
			fprintf(f, "\nwhat would change it: NOT EVALUATED (%s)\n",
				w->no_answer);
		return;
	}
	fprintf(f, "\nwhat would change it, in virtual time on %s\n", w->model);
	fprintf(f, "this run again: AU %.2f %%, measured %.2f %%: error bar "
		   "%.2f points",
		w->model_au_pct,
		w->steady_evaluated ? w->steady_au_pct : w->au_pct,
		w->error_points);
	if (w->rough)
		fprintf(f, "; rough: %s", w->rough_why);
	if (w->floor_gb_per_s > 0)
		fprintf(f, "\nAU %g %% takes a drive of %.2f GB/s with this "
			   "latency and cost of a step",
			w->floor_pct, w->floor_gb_per_s);
	else if (w->floor_gb_per_s == 0)
		fprintf(f, "\nno rate alone takes it to AU %g %%",
			w->floor_pct);
	fprintf(f, "\n%-40s %9s %9s %-4s %12s\n", "with", "AU %", "steady %",
		"", "GB/s needed");
	for (i = 0; i < w->answer_count; i++)
		print_answer(f, &w->answers[i]);
}

void results_print_why(FILE *f, const struct record *rec,
	const struct rec_run *run, const struct why *w)
{
	const struct train_config *c = &rec->config;
	char au[REC_AU_TEXT_MAX];

	fprintf(f, "limit: %s%s: %s\n", why_limit_name(w->limit),
		w->sure ? "" : " (likely)", w->evidence);
	if (w->doubt[0])
		fprintf(f, "not certain: %s\n", w->doubt);
	rec_format_au(au, w->au_pct, c->au_floor_ppm, w->meets);
	fprintf(f, "%" PRIu64 " x %s on %s, %s, run %s: AU %s %%, ",
		c->accelerators, c->accelerator, c->model,
		c->drive[0] ? c->drive : c->data_folder, run->stamp, au);
	if (w->steady_evaluated)
		fprintf(f, "steady %.3f %%, ", w->steady_au_pct);
	fprintf(f, "%s (>= %g %% needed)\n", w->meets ? "PASS" : "FAIL",
		w->floor_pct);
	print_time(f, w);
	print_storage(f, w);
	print_answers(f, w);
}

static bool add_share(struct cJSON *o, const struct why_share *s)
{
	return o && json_add_double(o, "compute_pct", s->compute_pct) &&
	       json_add_double(o, "storage_pct", s->storage_pct) &&
	       json_add_double(o, "barrier_pct", s->barrier_pct) &&
	       json_add_double(o, "software_pct", s->software_pct);
}

static bool add_time(struct cJSON *why, const struct why *w)
{
	struct cJSON *list, *o;
	bool ok = add_share(json_add_object(why, "mean"), &w->mean) &&
		  add_share(json_add_object(why, "min"), &w->min) &&
		  add_share(json_add_object(why, "max"), &w->max) &&
		  json_add_double(why, "skew_pct", w->skew_pct) &&
		  json_add_double(why, "meet_pct", w->meet_pct);
	uint32_t r;

	ok = ok && json_add(why, "slowest_rank",
			   w->has_ranks && w->ranks[w->slowest].last_pct > 0
				   ? json_u64(w->ranks[w->slowest].rank)
				   : cJSON_CreateNull());
	list = ok ? json_add_array(why, "ranks") : NULL;
	ok = list != NULL;
	for (r = 0; ok && w->has_ranks && r < w->rank_count; r++) {
		o = json_add_object(list, NULL);
		ok = o && json_add_u64(o, "rank", w->ranks[r].rank) &&
		     add_share(o, &w->ranks[r].share) &&
		     json_add_double(o, "last_pct", w->ranks[r].last_pct);
	}
	return ok;
}

/* Null where it is not known. */
static bool add_known(struct cJSON *o, const char *key, bool known, double v)
{
	return json_add(o, key, known ? json_double(v) : cJSON_CreateNull());
}

static bool add_storage(struct cJSON *o, const struct why *w)
{
	bool terms = w->storage_term_pct >= 0;

	return json_add_double(
		       o, "delivered_gb_per_s", w->delivered_gb_per_s) &&
	       json_add_double(o, "busy_gb_per_s", w->busy_gb_per_s) &&
	       json_add_double(o, "asked_gb_per_s", w->asked_gb_per_s) &&
	       json_add_double(o, "needed_gb_per_s", w->needed_gb_per_s) &&
	       add_known(o, "busy_pct", w->busy_pct >= 0, w->busy_pct) &&
	       add_known(o, "storage_alone_pct", terms, w->storage_term_pct) &&
	       add_known(
		       o, "software_alone_pct", terms, w->software_term_pct) &&
	       json_add_double(o, "in_flight_mean", w->in_flight_mean) &&
	       json_add_double(o, "in_flight_most", w->in_flight_most) &&
	       json_add_i64(o, "latency_min_ns", w->latency_min_ns) &&
	       json_add_i64(o, "latency_p50_ns", w->latency_p50_ns) &&
	       json_add_i64(o, "latency_p99_ns", w->latency_p99_ns) &&
	       json_add_i64(o, "step_cost_ns", w->step_cost_ns) &&
	       add_known(o, "cores_busy", w->cores > 0, w->cores_busy);
}

static bool add_answers(struct cJSON *why, const struct why *w)
{
	const struct why_answer *a;
	struct cJSON *list, *o;
	bool ok = true;
	uint32_t i;

	if (!w->answered)
		return json_add_string(why, "no_answers", w->no_answer);
	ok = json_add_string(why, "model", w->model) &&
	     json_add_double(why, "model_au_pct", w->model_au_pct) &&
	     json_add_double(why, "error_points", w->error_points) &&
	     json_add_bool(why, "rough", w->rough) &&
	     json_add_string(why, "rough_why", w->rough_why) &&
	     add_known(why, "floor_gb_per_s", w->floor_gb_per_s > 0,
		     w->floor_gb_per_s);
	list = ok ? json_add_array(why, "answers") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < w->answer_count; i++) {
		a = &w->answers[i];
		o = json_add_object(list, NULL);
		ok = o && json_add_string(o, "with", a->what) &&
		     json_add_double(o, "au_percent", a->au_pct) &&
		     add_known(o, "steady_au_percent", a->steady_evaluated,
			     a->steady_au_pct) &&
		     json_add_bool(o, "meets", a->meets) &&
		     json_add_double(
			     o, "needed_gb_per_s", a->needed_gb_per_s) &&
		     json_add_bool(o, "rough", a->rough);
	}
	return ok;
}

bool results_add_why(struct cJSON *to, const struct rec_run *run,
	const struct why *w)
{
	struct cJSON *o = json_add_object(to, "why");

	return o && json_add_string(o, "stamp", run->stamp) &&
	       json_add_string(o, "leaf", run->leaf) &&
	       json_add_string(o, "limit", why_limit_name(w->limit)) &&
	       json_add_bool(o, "sure", w->sure) &&
	       json_add_string(o, "evidence", w->evidence) &&
	       json_add_string(o, "doubt", w->doubt) &&
	       json_add_double(o, "au_percent", w->au_pct) &&
	       add_known(o, "steady_au_percent", w->steady_evaluated,
		       w->steady_au_pct) &&
	       json_add_double(o, "floor_percent", w->floor_pct) &&
	       json_add_bool(o, "meets", w->meets) && add_time(o, w) &&
	       add_storage(o, w) && add_answers(o, w);
}
