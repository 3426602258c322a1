/* Runs on a real drive for `stoker size`; see size_probe.h. */
#include "cli/size_probe.h"

#include "cli/child.h"
#include "core/file.h"
#include "core/json.h"
#include "results/record_read.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_BYTES_MAX (1U << 20)
#define COMPUTE_NONE "1us"

static void text_option(
	struct child_args *a, const char *name, const char *value)
{
	if (value)
		child_arg(a, name, "%s", value);
}

/* What datagen and run have in common. */
static void workload_args(struct child_args *a, const struct size_drive *d)
{
	const struct training_options *o = &d->o->run;
	size_t i;

	child_word(a, "--json");
	child_word(a, "--quiet");
	child_arg(a, "--data-dir", "%s", d->dir);
	child_arg(a, "--model", "%s", o->model);
	child_arg(a, "--accelerator-type", "%s", d->accelerator);
	child_arg(a, "--scale", "%s", o->scale);
	child_arg(a, "--edition", "%s", o->edition);
	text_option(a, "--computation-time", o->computation_time);
	text_option(a, "--config-dir", o->config_dir);
	for (i = 0; o->params[i]; i++)
		child_arg(a, "--param", "%s", o->params[i]);
	text_option(a, "--engine", o->engine);
}

static void run_args(struct child_args *a, const struct size_drive *d,
	const struct size_probe *p)
{
	const struct training_options *o = &d->o->run;

	child_word(a, "training");
	child_word(a, "run");
	workload_args(a, d);
	child_arg(a, "--num-accelerators", "%" PRIu64, p->accelerators);
	child_arg(a, "--runs", "%" PRIu64, p->runs);
	if (p->epochs)
		child_arg(a, "--param", "train.epochs=%" PRIu64, p->epochs);
	if (p->steps)
		child_arg(a, "--param",
			"train.total_training_steps=%" PRIu64, p->steps);
	if (p->no_compute)
		child_arg(a, "--param",
			"train.computation_time=" COMPUTE_NONE);
	text_option(a, "--limit-read", o->limit_read);
	text_option(a, "--hosts", o->hosts_list);
	text_option(a, "--client-host-memory-in-gb", o->memory);
	if (o->per_node)
		child_arg(a, "--npernode", "%" PRIu64, o->per_node);
	if (o->queue_depth)
		child_arg(a, "--queue-depth", "%" PRIu64, o->queue_depth);
	child_word(a, d->s.config.odirect ? "--odirect" : "--buffered");
	if (o->in_process)
		child_word(a, "--in-process");
	if (o->allow_fallback || d->direct_chosen)
		child_word(a, "--allow-fallback");
	if (o->no_drop_caches)
		child_word(a, "--no-drop-caches");
}

/* What went wrong in a child that left no report. */
static int child_failed(const struct child_result *res,
	const struct cJSON *doc, struct err *e)
{
	const struct cJSON *text =
		cJSON_GetObjectItemCaseSensitive(doc, "error");
	enum err_kind kind = res->exit_code > ERR_VERDICT &&
					     res->exit_code <= ERR_BUG
				     ? (enum err_kind)res->exit_code
				     : ERR_BUG;

	if (cJSON_IsString(text))
		return err_set(e, kind, -EIO, "%s", text->valuestring);
	return err_set(e, kind, -EIO, "exit code %d: %.800s", res->exit_code,
		res->messages);
}

/* The child's document; the caller frees it. */
static int ask(const struct child_args *a, struct child_result *res,
	struct cJSON **doc, struct err *e)
{
	int r = child_run(a, res, e);

	*doc = NULL;
	if (r)
		return r;
	if (json_parse(res->out, res->out_bytes, "a run's report", doc, e) ||
		res->exit_code > ERR_VERDICT)
		return child_failed(res, *doc, e);
	return 0;
}

static int take_run(struct size_drive *d, const struct child_result *res,
	struct size_probed *out, struct err *e)
{
	struct record rec;
	int r = results_record_parse(
		res->out, res->out_bytes, "a run's report", &rec, e);

	if (r)
		return r;
	d->fell_back = d->s.config.odirect && !rec.config.odirect;
	out->metrics = rec.runs[0].metrics;
	out->metrics.au_pct = out->metrics.throughput_per_s = NULL;
	record_fini(&rec);
	return 0;
}

static int take_campaign(const struct cJSON *doc, double floor_pct,
	struct size_probed *out, struct err *e)
{
	static const char name[] = "a campaign's report";
	const struct cJSON *c;
	char reference[16], steady[16];
	double margin = 0;
	int r = json_get_object(doc, name, "campaign", &c, e);

	if (!r)
		r = json_get_string(c, name, "reference", reference,
			sizeof(reference), e);
	if (!r)
		r = json_get_string(
			c, name, "steady", steady, sizeof(steady), e);
	if (!r)
		r = json_get_double(c, name, "au_mean_pct", 0, 1e6,
			&out->au_mean_pct, e);
	if (!r)
		r = json_get_double(c, name, "steady_mean_pct", 0, 1e6,
			&out->steady_mean_pct, e);
	if (!r)
		r = json_get_double(
			c, name, "margin_pct", -1e6, 1e6, &margin, e);
	if (r)
		return r;
	margin += floor_pct;
	out->lowest_au_pct = margin < out->steady_mean_pct
				     ? margin
				     : out->steady_mean_pct;
	out->reference_passes = !strcmp(reference, "PASS");
	out->steady_passes = !strcmp(steady, "PASS");
	return 0;
}

/* Jiffies of all cores since boot: all, and those of doing nothing. */
static bool read_cpu(uint64_t *all, uint64_t *idle)
{
	char *text, *at;
	struct err e;
	uint64_t v;
	int i;

	*all = *idle = 0;
	if (file_read_all("/proc/stat", STAT_BYTES_MAX, &text, NULL, &e))
		return false;
	at = text + strcspn(text, " ");
	/* user nice system idle iowait irq softirq steal */
	for (i = 0; i < 8; i++) {
		v = strtoull(at, &at, 10);
		*all += v;
		*idle += i == 3 || i == 4 ? v : 0;
	}
	free(text);
	return true;
}

int size_probe_run(struct size_drive *d, const struct size_probe *p,
	struct size_probed *out, struct err *e)
{
	struct child_args a = {.count = 0};
	struct child_result res = {.out = NULL};
	uint64_t all[2], idle[2];
	struct cJSON *doc = NULL;
	int r;

	memset(out, 0, sizeof(*out));
	run_args(&a, d, p);
	read_cpu(&all[0], &idle[0]);
	r = ask(&a, &res, &doc, e);
	if (!r && read_cpu(&all[1], &idle[1]) && all[1] > all[0])
		out->cpu_busy_pct = 100 - 100 * (double)(idle[1] - idle[0]) /
						  (double)(all[1] - all[0]);
	if (!r)
		r = p->runs == 1 ? take_run(d, &res, out, e)
				 : take_campaign(doc, d->s.config.au_floor_ppm / 1e4,
					 out, e);
	cJSON_Delete(doc);
	child_result_fini(&res);
	child_args_fini(&a);
	return r;
}

int size_make_set(const struct size_drive *d, uint64_t files, struct err *e)
{
	struct child_args a = {.count = 0};
	struct child_result res = {.out = NULL};
	struct cJSON *doc = NULL;
	int r;

	child_word(&a, "training");
	child_word(&a, "datagen");
	workload_args(&a, d);
	child_arg(&a, "--param", "dataset.num_files_train=%" PRIu64, files);
	r = ask(&a, &res, &doc, e);
	cJSON_Delete(doc);
	child_result_fini(&res);
	child_args_fini(&a);
	return r;
}
