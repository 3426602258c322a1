/* KV cache runs in a report, read from their folders; see report.h. */
#include "results/report.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of results_kv_figures(); whatever is not there is NAN. */
static void read_figures(struct report_kv_figures *f, const struct cJSON *o)
{
	const struct cJSON *share = report_member(o, "worker_time_share");
	size_t i;

	f->tokens_per_s = report_number(o, "reported_tokens_per_wall_second");
	f->io_tokens_per_s = report_number(o, "tokens_per_io_thread_second");
	f->read_gib_s = report_number(o, "reported_read_gib_per_second");
	f->write_gib_s = report_number(o, "reported_write_gib_per_second");
	f->p95_s = report_number(o, "p95_request_io_ms") / 1e3;
	f->file_read_p95_s = report_number(o, "p95_file_read_ms") / 1e3;
	f->file_write_p95_s = report_number(o, "p95_file_write_ms") / 1e3;
	f->end_to_end_p95_s =
		report_number(o, "p95_request_end_to_end_ms") / 1e3;
	f->tokens_per_gib_read = report_number(o, "tokens_per_gib_read");
	f->requests = f->abandoned = NAN;
	for (i = 0; i < KV_PHASES; i++)
		f->phase_pct[i] =
			100 *
			report_number(share, kv_phase_name((enum kv_phase)i));
}

static void read_trials(struct report_kv_option *k, const struct cJSON *own)
{
	const struct cJSON *list = report_member(own, "trials"), *t;

	report_text(own, "label", k->label, sizeof(k->label));
	report_text(own, "model", k->model, sizeof(k->model));
	k->users = (uint64_t)report_positive(own, "num_users");
	cJSON_ArrayForEach(t, list)
	{
		struct report_kv_figures *f = &k->trials[k->trial_count];

		if (k->trial_count == REPORT_KV_TRIALS_MAX)
			return;
		read_figures(f, report_member(t, "figures"));
		f->requests = report_number(t, "requests");
		f->abandoned = report_number(t, "requests_abandoned");
		k->trial_count++;
	}
}

/* The option of run.json with this number; NULL: not told. */
static const struct cJSON *own_option(
	const struct report_kv *k, uint64_t option)
{
	const struct cJSON *o;

	cJSON_ArrayForEach(
		o, report_member(report_member(k->at.run, "kv_cache"),
			   "options")) if (report_positive(o, "option") ==
					   (double)option) return o;
	return NULL;
}

static void read_option(struct report_kv *k, const struct cJSON *o)
{
	struct report_kv_option *p = &k->options[k->option_count++];

	memset(p, 0, sizeof(*p));
	p->option = (uint64_t)report_positive(o, "option");
	if (!p->option && o->string)
		p->option = strtoull(o->string, NULL, 10);
	p->ranks = (uint64_t)report_positive(o, "rank_count");
	p->trials_done = (uint64_t)report_positive(o, "trial_count");
	p->partial = cJSON_IsTrue(report_member(o, "partial_failure"));
	p->missing_files =
		(uint64_t)cJSON_GetArraySize(report_member(o, "missing_files"));
	report_text(o, "bound_by", p->bound_by, sizeof(p->bound_by));
	read_figures(&p->mean, report_member(o, "stoker"));
	/* the benchmark's own words for the figures that it reports */
	p->mean.tokens_per_s =
		report_number(o, "aggregated_avg_throughput_tokens_per_sec");
	p->mean.io_tokens_per_s = report_number(
		o, "aggregated_storage_throughput_tokens_per_sec");
	p->mean.read_gib_s = report_number(o, "aggregated_read_bandwidth_gbps");
	p->mean.write_gib_s =
		report_number(o, "aggregated_write_bandwidth_gbps");
	p->mean.p95_s = report_number(o, "aggregated_p95_latency_ms") / 1e3;
	read_trials(p, own_option(k, p->option));
}

int report_add_kv(struct report_input *in, const char *leaf,
	const struct cJSON *summary, struct err *e)
{
	struct report_kv *k =
		report_more((void **)&in->kvs, &in->kv_count, sizeof(*k));
	const struct cJSON *o;

	if (!k)
		return err_nomem(e, leaf);
	report_leaf_read(&k->at, leaf, "kv_cache_run.stdout.log");
	k->trials_wanted =
		(uint64_t)report_positive(summary, "trials_per_option");
	k->partial = cJSON_IsTrue(report_member(summary, "partial_failure"));
	k->failures = (uint64_t)cJSON_GetArraySize(
		report_member(summary, "trial_failures"));
	cJSON_ArrayForEach(
		o, report_member(summary, "options")) if (k->option_count <
							  REPORT_KV_OPTIONS_MAX)
		read_option(k, o);
	return 0;
}
