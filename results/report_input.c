/* What a report is made of, read from disk; see report.h. */
#include "results/report.h"

#include "results/record_read.h"
#include "results/trace_hdf5.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *report_more(void **array, size_t *count, size_t bytes)
{
	void *all = realloc(*array, (*count + 1) * bytes);

	if (!all)
		return NULL;
	*array = all;
	return memset((char *)all + (*count)++ * bytes, 0, bytes);
}

int report_broken(struct report_input *in, const char *path, const char *why)
{
	struct history_broken *b = report_more(
		(void **)&in->broken, &in->broken_count, sizeof(*b));

	if (!b)
		return -ENOMEM;
	snprintf(b->leaf, sizeof(b->leaf), "%s", path);
	snprintf(b->why, sizeof(b->why), "%.500s", why);
	return 0;
}

/* The run again, with its steps and the histogram of its requests. */
static void read_more(struct history_run *h, struct report_extra *x)
{
	char leaf[4096];
	struct record rec;
	struct err e;

	snprintf(leaf, sizeof(leaf), "%s", h->rec.runs[0].leaf);
	if (results_is_foreign(&h->rec)) {
		snprintf(x->no_steps, sizeof(x->no_steps),
			"only the benchmark's summary.json is there");
		snprintf(x->no_latency, sizeof(x->no_latency), "%s",
			x->no_steps);
		return;
	}
	if (results_record_read_steps(leaf, &rec, &e)) {
		snprintf(x->no_steps, sizeof(x->no_steps), "%.500s", e.text);
	} else {
		record_fini(&h->rec);
		h->rec = rec;
		x->has_steps = !rec.runs[0].no_step_times;
		if (!x->has_steps)
			snprintf(x->no_steps, sizeof(x->no_steps),
				"no step times in this record: the run had too "
				"many steps to keep them");
	}
	if (results_read_trace_hist(leaf, REC_LATENCY_NS, &x->latency, &e))
		snprintf(x->no_latency, sizeof(x->no_latency), "%.500s",
			e.text);
	else if (!x->latency.count)
		snprintf(x->no_latency, sizeof(x->no_latency),
			"trace.h5 counts no requests");
}

static int newest(struct report_campaign *c, struct err *e)
{
	struct history *h = &c->history;
	uint32_t last = h->runs[h->count - 1].campaign;
	size_t i, begin = h->count;

	while (begin > 0 && h->runs[begin - 1].campaign == last)
		begin--;
	c->runs = h->runs + begin;
	c->run_count = h->count - begin;
	c->older = last - 1;
	c->extra = calloc(c->run_count, sizeof(*c->extra));
	if (!c->extra)
		return err_nomem(e, "the report");
	for (i = 0; i < c->run_count; i++)
		read_more(&c->runs[i], &c->extra[i]);
	return 0;
}

/* The folder that a run's folder lies in: its runs are of one workload. */
static size_t folder_length(const struct history_run *r)
{
	const char *leaf = r->rec.runs[0].leaf, *slash = strrchr(leaf, '/');

	return slash ? (size_t)(slash - leaf) : 0;
}

static bool same_folder(
	const struct history_run *a, const struct history_run *b)
{
	size_t n = folder_length(a);

	return n == folder_length(b) &&
	       !strncmp(a->rec.runs[0].leaf, b->rec.runs[0].leaf, n);
}

/*
 * Move the runs of the newest one's folder out of h into a history of their
 * own, whose campaigns count from 1 again.
 */
static int take_folder(struct history *h, struct history *to, struct err *e)
{
	struct history_run newest = h->runs[h->count - 1];
	uint32_t last = 0, campaign = 0;
	size_t i, kept = 0;

	memset(to, 0, sizeof(*to));
	to->runs = calloc(h->count, sizeof(*to->runs));
	if (!to->runs)
		return err_nomem(e, "the report");
	for (i = 0; i < h->count; i++) {
		if (!same_folder(&h->runs[i], &newest)) {
			h->runs[kept++] = h->runs[i];
			continue;
		}
		campaign += h->runs[i].campaign != last;
		last = h->runs[i].campaign;
		to->runs[to->count] = h->runs[i];
		to->runs[to->count++].campaign = campaign;
	}
	h->count = kept;
	return 0;
}

static int add_campaign(struct report_input *in, struct history *h,
	const char *dir, struct err *e)
{
	struct report_campaign *c = report_more(
		(void **)&in->campaigns, &in->campaign_count, sizeof(*c));
	int r;

	if (!c)
		return err_nomem(e, "the report");
	r = take_folder(h, &c->history, e);
	if (r) {
		in->campaign_count--;
		return r;
	}
	snprintf(c->place, sizeof(c->place), "%s", dir);
	return newest(c, e);
}

/* The folder with the newest run first. */
static int add_runs(struct report_input *in, const char *dir, struct err *e)
{
	struct history h;
	size_t i;
	int r = history_scan(dir, &h, e);

	for (i = 0; !r && i < h.broken_count; i++)
		if (report_broken(in, h.broken[i].leaf, h.broken[i].why))
			r = err_nomem(e, "the report");
	while (!r && h.count)
		r = add_campaign(in, &h, dir, e);
	history_fini(&h);
	return r;
}

static size_t parts(const struct report_input *in)
{
	return in->campaign_count + in->ckpt_count + in->vdb_count +
	       in->kv_count + in->size_count + in->broken_count;
}

int report_add(struct report_input *in, const char *path, struct err *e)
{
	size_t before = parts(in);
	struct stat st;
	bool taken;
	int r;

	if (strlen(path) >= 4096)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"path is too long: %.100s...", path);
	if (stat(path, &st))
		return err_set(e, ERR_USAGE, -errno, "%s: %s", path,
			strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return report_add_size(in, path, e);
	r = report_add_leaf(in, path, &taken, e);
	if (r || taken)
		return r;
	r = add_runs(in, path, e);
	if (!r)
		r = report_add_leaves_below(in, path, e);
	if (!r && parts(in) == before)
		r = err_set(e, ERR_USAGE, -ENOENT,
			"%s: no finished run in it (record.json or "
			"summary.json); give the --results-dir of a run, or "
			"the folder of one",
			path);
	return r;
}

static void campaign_fini(struct report_campaign *c)
{
	size_t i;

	for (i = 0; c->extra && i < c->run_count; i++) {
		hist_fini(&c->extra[i].latency);
		why_fini(&c->extra[i].why);
	}
	free(c->extra);
	history_fini(&c->history);
}

void report_input_fini(struct report_input *in)
{
	size_t i;

	for (i = 0; i < in->campaign_count; i++)
		campaign_fini(&in->campaigns[i]);
	for (i = 0; i < in->ckpt_count; i++) {
		free(in->ckpts[i].ops);
		report_leaf_fini(&in->ckpts[i].at);
	}
	for (i = 0; i < in->vdb_count; i++) {
		cJSON_Delete(in->vdbs[i].config);
		report_leaf_fini(&in->vdbs[i].at);
	}
	for (i = 0; i < in->kv_count; i++)
		report_leaf_fini(&in->kvs[i].at);
	for (i = 0; i < in->size_count; i++)
		cJSON_Delete(in->sizes[i].doc);
	free(in->campaigns);
	free(in->ckpts);
	free(in->vdbs);
	free(in->kvs);
	free(in->sizes);
	free(in->broken);
	memset(in, 0, sizeof(*in));
}
