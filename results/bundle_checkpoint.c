/* Checkpointing in a tree; see bundle.h. */
#include "results/bundle_tree.h"

#include "core/ckpt_model.h"
#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *model_of(const struct bundle_leaf *l)
{
	return bundle_string(l->metadata, "args.model");
}

/* The benchmark's model whose size args.model names; false: none. */
static bool model_load(const struct bundle *b, const struct bundle_leaf *l,
	struct ckpt_model *m)
{
	static const char *const sizes[] = {"405b", "70b", "8b", "1t"};
	char name[32];
	struct err e;
	size_t i;

	for (i = 0; i < 4; i++) {
		if (!strstr(model_of(l), sizes[i]))
			continue;
		snprintf(name, sizeof(name), "llama3-%s", sizes[i]);
		return !ckpt_model_load(b->options->config_dir, name, m, &e);
	}
	return false;
}

static double counted(const struct bundle_leaf *l, const char *what)
{
	char at[64];
	double d;

	snprintf(at, sizeof(at), "args.num_checkpoints_%s", what);
	d = bundle_number(l->metadata, at);
	if (!isnan(d))
		return d;
	snprintf(at, sizeof(at), "parameters.checkpoint.num_checkpoints_%s",
		what);
	return bundle_number(l->metadata, at);
}

static bool only_writes(const struct bundle_leaf *l)
{
	return counted(l, "write") > 0 && counted(l, "read") == 0;
}

static bool only_reads(const struct bundle_leaf *l)
{
	return counted(l, "read") > 0 && counted(l, "write") == 0;
}

/* Of the invocation, else of the summary; INT64_MIN: not known. */
static int64_t moment(const struct bundle_leaf *l, bool start)
{
	int64_t t = bundle_iso_ns(bundle_string(l->metadata,
		start ? "invocation_start_time" : "invocation_end_time"));

	if (t != INT64_MIN)
		return t;
	t = bundle_iso_ns(
		bundle_string(l->summary, start ? "start_time" : "end_time"));
	return t != INT64_MIN ? t
			      : bundle_iso_ns(bundle_string(
					l->summary, start ? "start" : "end"));
}

/* The end of a write: also what was collected after it counts. */
static int64_t write_end(const struct bundle_leaf *l)
{
	int64_t said = bundle_iso_ns(
			bundle_string(l->metadata, "invocation_end_time")),
		end = moment(l, false), collected = bundle_iso_ns(l->collected);

	if (said != INT64_MIN)
		return said;
	return collected != INT64_MIN && collected >= end ? collected : end;
}

static int by_start(const void *a, const void *b)
{
	int64_t s = moment(*(const struct bundle_leaf *const *)a, true),
		t = moment(*(const struct bundle_leaf *const *)b, true);

	return (s > t) - (s < t);
}

/* --- pairs of phases ----------------------------------------------------- */

static bool is_time(
	const struct bundle_leaf *l, const char *invocation, const char *summary)
{
	const char *s = bundle_string(l->metadata, invocation);

	if (!s[0])
		s = bundle_string(l->summary, summary);
	return bundle_iso_ns(s) != INT64_MIN;
}

/* Has the phase a start and an end? Only one with a summary must have them. */
static bool check_times(struct bundle *b, const struct bundle_leaf *l)
{
	if (!l->summary)
		return false;
	if (is_time(l, "invocation_start_time", "start") &&
		is_time(l, "invocation_end_time", "end"))
		return true;
	bundle_say_level(b, "2.1.24", RULE_ERROR, false, l->path, NULL,
		"the phase's start or end is no time");
	return false;
}

static void check_gap(struct bundle *b, const struct bundle_leaf *a,
	const struct bundle_leaf *z)
{
	int64_t as = moment(a, true), ae = moment(a, false),
		zs = moment(z, true), ze = moment(z, false),
		limit = ae - as > ze - zs ? ae - as : ze - zs;

	bundle_say(b, "2.1.24", zs - ae < limit, z->path, NULL,
		"%.3f s between the phases, less than %.3f s allowed",
		(double)(zs - ae) / (double)NS_PER_S,
		(double)limit / (double)NS_PER_S);
}

static void check_flush(struct bundle *b, const struct bundle_leaf *w,
	const struct bundle_leaf *r)
{
	double limit = bundle_number(b->rules, "checkpoint.gap_seconds"),
	       remap = bundle_number(b->system,
		       "solution.capabilities.remap_time_in_seconds"),
	       gap;
	int64_t end = write_end(w), start = moment(r, true);

	if (end == INT64_MIN || start == INT64_MIN) {
		bundle_unknown(b, "4.7.1", r->path, "start or end not known");
	} else {
		gap = (double)(start - end) / (double)NS_PER_S;
		if (gap < 0)
			bundle_say_level(b, "4.7.1", RULE_WARNING, false,
				r->path, NULL,
				"read starts %g s before the write's end: "
				"clocks differ",
				-gap);
		else
			bundle_say(b, "4.7.1", gap <= limit, r->path, NULL,
				"%g s from write to read, %g s allowed", gap,
				limit);
	}
	start = bundle_iso_ns(bundle_string(r->summary, "start"));
	end = bundle_iso_ns(bundle_string(w->summary, "end"));
	bundle_say_level(b, "4.7.2",
		start == INT64_MIN || end == INT64_MIN ? RULE_ERROR : RULE_INFO,
		start != INT64_MIN && end != INT64_MIN, r->path, NULL,
		"start and end of the phases are %s",
		start == INT64_MIN || end == INT64_MIN ? "missing" : "there");
	if (isnan(remap) || start == INT64_MIN || end == INT64_MIN) {
		bundle_unknown(b, "4.7.3", r->path, "%s not known",
			isnan(remap) ? "remap_time_in_seconds" : "a time");
		return;
	}
	gap = (double)(start - end) / (double)NS_PER_S;
	bundle_say(b, "4.7.3", remap == 0 || gap >= 0.5 * remap, r->path, NULL,
		"%g s declared, %g s from write to read", remap, gap);
}

static void check_structure(
	struct bundle *b, const char *path, const struct bundle_group *g)
{
	double n = bundle_number(b->rules, "checkpoint.count");
	bool ok = false;
	size_t i;

	for (i = 0; i < g->n; i++)
		if (strcmp(bundle_string(g->v[i].metadata, "verification"),
			    "closed"))
			return;
	if (g->n == 1)
		ok = counted(&g->v[0], "write") == n &&
		     counted(&g->v[0], "read") == n;
	else if (g->n == 2)
		ok = only_writes(&g->v[0]) && only_reads(&g->v[1]) &&
		     counted(&g->v[0], "write") == n &&
		     counted(&g->v[1], "read") == n &&
		     moment(&g->v[1], true) >= moment(&g->v[0], false);
	bundle_say_level(b, "4.7.1", RULE_ERROR, ok, path,
		"one run 10/10, or 10/0 and then 0/10 without overlap",
		"%zu runs, the first %g/%g", g->n,
		g->n ? counted(&g->v[0], "write") : NAN,
		g->n ? counted(&g->v[0], "read") : NAN);
}

static void check_pairs(
	struct bundle *b, const char *path, const struct bundle_group *g)
{
	const struct bundle_leaf **by = calloc(g->n + 1, sizeof(*by));
	const struct bundle_leaf *write = NULL, *before = NULL;
	size_t i;

	b->no_memory = b->no_memory || !by;
	for (i = 0; by && i < g->n; i++)
		by[i] = &g->v[i];
	if (by)
		qsort(by, g->n, sizeof(*by), by_start);
	for (i = 0; by && i < g->n; i++) {
		if (check_times(b, by[i])) {
			if (before)
				check_gap(b, before, by[i]);
			before = by[i];
		}
		if (only_writes(by[i])) {
			write = by[i];
		} else if (write && only_reads(by[i])) {
			check_flush(b, write, by[i]);
			write = NULL;
		} else if (only_reads(by[i]) && g->n == 2 && !i &&
			   only_writes(by[1])) {
			/* by their clocks the read came first */
			check_flush(b, by[1], by[0]);
		}
	}
	free(by);
	check_structure(b, path, g);
}

/* --- one leaf ------------------------------------------------------------ */

static struct rule_ckpt_facts facts_of(
	const struct bundle *b, const struct bundle_leaf *l)
{
	const struct cJSON *mode = cJSON_GetObjectItemCaseSensitive(
		bundle_at(l->metadata, "override_parameters"),
		"checkpoint.mode");
	double size = bundle_number(l->summary, "metric.checkpoint_size_GB");

	return (struct rule_ckpt_facts){
		.model = model_of(l),
		.ranks = bundle_number(l->summary, "num_accelerators"),
		.hosts = bundle_number(l->summary, "num_hosts"),
		.subset = bundle_true(l->metadata, "args.checkpoint_subset") ||
			  (cJSON_IsString(mode) &&
				  !strcmp(mode->valuestring, "subset")),
		/* the checker's reading: one checkpoint against the memory */
		.written_gib = size,
		.memory_gib = bundle_sum(l->summary, "host_memory_GB"),
		.memory_factor =
			bundle_number(b->rules, "checkpoint.memory_factor"),
		.min_per_host = bundle_number(
			b->rules, "checkpoint.min_accelerators_per_host"),
		.accelerator = bundle_string(l->metadata, "accelerator"),
		.accelerator_gib = bundle_number(
			b->rules, "checkpoint.accelerator_gib_v30"),
		.checkpoint_gib = size,
	};
}

static void check_memory(struct bundle *b, const struct bundle_leaf *l)
{
	struct rule_ckpt_facts c = facts_of(b, l);
	struct rule_facts f = {.family = FAMILY_CHECKPOINTING, .ckpt = &c};
	struct cJSON *a = NULL;
	char name[64];
	struct err e;

	bundle_ask(b, "4.3.1", l->path, &f);
	if (bundle_is_head(b)) {
		snprintf(name, sizeof(name), "accelerators/%.40s.json",
			c.accelerator);
		if (!*c.accelerator || strchr(c.accelerator, '/') ||
			config_load(b->options->config_dir, name, &a, &e))
			a = NULL;
		c.accelerator_gib = bundle_number(a, "memory_gb");
		cJSON_Delete(a);
	}
	bundle_ask(b, "4.3.4", l->path, &f);
}

/* Rules 4.6.3, and the same for "CLOSED" where reviewers look. */
static void check_shipped(struct bundle *b, const struct bundle_leaf *l,
	const char *model, bool closed)
{
	static const char *const folder[] = {
		"checkpoint.checkpoint_folder", NULL};
	static const char *const counts[] = {"checkpoint.checkpoint_folder",
		"checkpoint.num_checkpoints_write",
		"checkpoint.num_checkpoints_read", "checkpoint.mode", NULL};
	const struct cJSON *yaml = bundle_at(l->metadata, "yaml_params"),
			   *p = bundle_at(l->metadata, "parameters");
	char text[256];
	bool bad;

	if (!closed) {
		bundle_unknown(b, "4.6.3", l->path,
			"verification is \"%.32s\"; the checker looks only at "
			"\"closed\"",
			bundle_string(l->metadata, "verification"));
	} else if (!yaml) {
		bundle_unknown(
			b, "4.6.3", l->path, "no yaml_params in the metadata");
	} else {
		bad = bundle_shipped_differs(b, model, yaml, folder, text);
		bundle_say(b, "4.6.3", !bad, l->path, NULL, "%s",
			bad ? text : "as shipped");
	}
	/* whole parameters only: what says nothing of a model changes none */
	if (strcmp(b->division, "closed") || !bundle_at(p, "model"))
		return;
	bad = bundle_shipped_differs(b, model, p, counts, text);
	bundle_say(b, "R-10", !bad, l->path, NULL, "%s",
		bad ? text : "as shipped");
}

static void check_processes(struct bundle *b, const struct bundle_leaf *l)
{
	const char *word = bundle_string(l->metadata, "verification");
	bool any_closed = !*word || !strcasecmp(word, "closed"),
	     closed = !strcmp(word, "closed");
	double np = bundle_number(l->metadata, "args.num_processes");
	struct rule_ckpt_facts c = facts_of(b, l);
	struct rule_facts f = {.family = FAMILY_CHECKPOINTING, .ckpt = &c};
	struct ckpt_model m;

	c.known = model_load(b, l, &m);
	bundle_ask(b, "4.3.3", l->path, &f);
	if (c.subset && any_closed)
		bundle_ask(b, "4.3.5", l->path, &f);
	if (closed)
		bundle_ask(b, "4.6.2", l->path, &f);
	else
		bundle_unknown(b, "4.6.2", l->path,
			"verification is \"%.32s\"; the checker looks only at "
			"\"closed\"",
			word);
	if (!c.known)
		return;
	check_shipped(b, l, m.name, closed);
	c.closed_ranks = (double)m.closed_ranks;
	c.multiple = (double)(m.tensor * m.pipeline);
	c.ranks = np;
	if (any_closed)
		bundle_ask(b, "4.6.1", l->path, &f);
	if (!strcmp(word, "open"))
		bundle_ask(b, "4.6.4", l->path, &f);
}

static void check_leaf(
	struct bundle *b, const struct bundle_leaf *l, const char *model)
{
	static const char *const need_both[] = {
		"4.3.1", "4.3.2", "4.3.3", "4.3.4", "4.4.1", "4.4.2", "4.6.1"};
	size_t i;

	bundle_check_leaf(b, l, "checkpointing", model, true);
	bundle_check_files(b, l, "files.checkpointing_run", "2.1.25", "2.1.26");
	bundle_check_hosts(b, l);
	bundle_say(b, "B-02", l->summary != NULL, l->path, "summary.json",
		l->summary ? "summary.json" : "no summary.json");
	if (!l->metadata || !l->summary) {
		for (i = 0; i < sizeof(need_both) / sizeof(need_both[0]); i++)
			bundle_unknown(b, need_both[i], l->path, "no %s",
				l->metadata ? "summary" : "metadata");
		return;
	}
	bundle_check_paths(b, l,
		bundle_string(l->metadata, "args.checkpoint_folder"), "4.4.1",
		"4.4.2", "checkpointing_run.stdout.log");
	check_memory(b, l);
	bundle_say(b, "4.3.2",
		bundle_true(l->metadata, "parameters.checkpoint.fsync"),
		l->path, NULL, "fsync %s",
		bundle_true(l->metadata, "parameters.checkpoint.fsync")
			? "true"
			: "is not true");
	check_processes(b, l);
}

static void check_simultaneous(struct bundle *b, const char *path)
{
	const struct cJSON *c = bundle_at(b->system, "solution.capabilities");
	bool w = cJSON_IsFalse(bundle_at(c, "simultaneous_write")),
	     r = cJSON_IsFalse(bundle_at(c, "simultaneous_read"));

	if (!c)
		bundle_unknown(b, "4.7.4", path, "no capabilities");
	else
		bundle_say(b, "4.7.4", !w && !r, path, NULL,
			"simultaneous_write %s, _read %s", w ? "false" : "true",
			r ? "false" : "true");
}

void bundle_check_checkpointing(
	struct bundle *b, const char *path, const char *model)
{
	struct bundle_group g = {0};
	char table[PATH_MAX];
	size_t i, bad = 0;

	bundle_group_load(b, path, &g);
	if (!g.n) {
		bundle_say(b, "B-02", false, path, "an invocation's folder",
			"there is none; nothing is checked");
		bundle_group_fini(&g);
		return;
	}
	for (i = 0; i < g.n; i++)
		bad += !g.v[i].stamped;
	bundle_say(b, "2.1.23", !bad && g.n >= 1 && g.n <= 2, path, NULL,
		"%zu folders, %zu of them no timestamp", g.n, bad);
	bundle_join(table, path, "results.json");
	bundle_say(b, "2.1.22", bundle_has(b, table, false), path, NULL,
		bundle_has(b, table, false) ? "one" : "none");
	for (i = 0; i < g.n; i++)
		check_leaf(b, &g.v[i], model);
	check_pairs(b, path, &g);
	check_simultaneous(b, path);
	bundle_strict_checkpointing(b, &g);
	bundle_group_fini(&g);
}
