/*
 * The checks of checkpointing, vectors and KV cache that plain facts answer,
 * before a run and in a bundle; their rows are in rules_workloads.c.
 */
#include "results/rules_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- checkpointing ---------------------------------------------------------
 */

RULE_CHECK(ckpt_ratio)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (isnan(c->written_gib) || isnan(c->memory_gib) || !(c->hosts >= 1))
		return rule_unknown(
			figure, "size of checkpoints or memory of hosts is");
	return rule_say(figure,
		c->written_gib >= c->memory_factor * c->memory_gib,
		"%g GiB a host, %g x %g GiB of memory",
		c->written_gib / c->hosts, c->memory_factor,
		c->memory_gib / c->hosts);
}

RULE_CHECK(ckpt_model)
{
	return rule_say(
		figure, f->ckpt->known, "model \"%.60s\"", f->ckpt->model);
}

RULE_CHECK(ckpt_memory)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (isnan(c->checkpoint_gib) || isnan(c->ranks))
		return rule_unknown(
			figure, "size of a checkpoint or accelerators are");
	if (isnan(c->accelerator_gib))
		return rule_say(figure, false,
			c->accelerator[0] ? "accelerator \"%.40s\" is unknown"
					  : "no accelerator is declared%s",
			c->accelerator);
	return rule_say(figure,
		c->ranks * c->accelerator_gib >= c->checkpoint_gib,
		"%g accelerators of %g GiB, checkpoint of %g GiB", c->ranks,
		c->accelerator_gib, c->checkpoint_gib);
}

RULE_CHECK(ckpt_subset)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (!c->subset)
		return rule_say(figure, true, "all ranks");
	return rule_say(figure, strstr(c->model, "8b") && c->ranks == 8,
		"subset of %.60s on %g accelerators", c->model, c->ranks);
}

RULE_CHECK(ckpt_ranks)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (!c->known)
		return rule_unknown(figure, "the model is");
	return rule_say(figure, c->ranks == c->closed_ranks,
		"%g processes, %g needed", c->ranks, c->closed_ranks);
}

RULE_CHECK(ckpt_per_host)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (!(c->hosts >= 1) || isnan(c->ranks))
		return rule_unknown(figure, "accelerators or hosts are");
	return rule_say(figure, c->ranks / c->hosts > c->min_per_host,
		"%g accelerators on %g host%s, more than %g a host needed",
		c->ranks, c->hosts, c->hosts == 1 ? "" : "s", c->min_per_host);
}

RULE_CHECK(ckpt_scaling)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	if (!c->known)
		return rule_unknown(figure, "the model is");
	return rule_say(figure,
		c->ranks >= 1 && fmod(c->ranks, c->multiple) == 0,
		"%g processes, a multiple of %g needed", c->ranks, c->multiple);
}

RULE_CHECK(ckpt_counts)
{
	const struct rule_ckpt_facts *c = f->ckpt;
	bool w = c->writes == c->count, r = c->reads == c->count;

	return rule_say(figure,
		(w && r) || (w && c->reads == 0) || (r && c->writes == 0),
		"%g saves and %g loads, %g or 0 of each needed", c->writes,
		c->reads, c->count);
}

RULE_CHECK(ckpt_kept)
{
	return rule_say(figure, !f->ckpt->removes_old,
		f->ckpt->removes_old ? "--keep removes checkpoints"
				     : "all checkpoints stay");
}

RULE_CHECK(ckpt_pause)
{
	const struct rule_ckpt_facts *c = f->ckpt;

	return rule_say(figure, c->pause_s == c->benchmark_pause_s,
		"--gap %gs, not %g s", c->pause_s, c->benchmark_pause_s);
}

RULE_CHECK(ckpt_rotation)
{
	return rule_say(figure, !f->ckpt->rotates,
		f->ckpt->rotates ? "--rotate-ranks: ranks load what others "
				   "have saved"
				 : "ranks load what they have saved");
}

/* --- vectors ---------------------------------------------------------------
 */

RULE_CHECK(vdb_runs)
{
	return rule_say(figure, f->vdb->runs == f->vdb->runs_needed,
		"%g runs, %g needed", f->vdb->runs, f->vdb->runs_needed);
}

RULE_CHECK(vdb_recall)
{
	if (f->vdb->answers == FACT_UNKNOWN)
		return rule_unknown(figure, "the index is");
	return rule_say(figure, f->vdb->answers == FACT_YES,
		f->vdb->answers == FACT_YES
			? "the answers of the queries are known"
			: "a replayed index finds nothing: no recall");
}

RULE_CHECK(vdb_database)
{
	return rule_say(figure,
		!strcmp(f->vdb->database, f->vdb->closed_database),
		"database \"%.60s\"", f->vdb->database);
}

RULE_CHECK(vdb_index)
{
	const struct rule_vdb_facts *v = f->vdb;

	return rule_say(figure,
		v->index_listed && !strcmp(v->index, v->index_type),
		"folder %.60s, index_type \"%.60s\"", v->index, v->index_type);
}

/* --- KV cache --------------------------------------------------------------
 */

/* The first figure of an option that is not the rules'; "": none. */
static void option_differs(const struct rule_kv_option *is,
	const struct rule_kv_option *want, char text[128])
{
	const struct {
		const char *what;
		double is, want;
	} t[] = {
		{"num_users", is->users, want->users},
		{"duration", is->duration_s, want->duration_s},
		{"gpu_mem_gb", is->gpu_gib, want->gpu_gib},
		{"cpu_mem_gb", is->cpu_gib, want->cpu_gib},
		{"max_concurrent_allocs", is->allocations, want->allocations},
		{"seconds a token", is->token_s, want->token_s},
	};
	size_t i;

	text[0] = '\0';
	if (strcmp(is->model, want->model)) {
		snprintf(text, 128, "model %.40s, not %.40s", is->model,
			want->model);
		return;
	}
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (t[i].is != t[i].want) {
			snprintf(text, 128, "%s %g, not %g", t[i].what, t[i].is,
				t[i].want);
			return;
		}
}

RULE_CHECK(kv_options)
{
	const struct rule_kv_facts *k = f->kv;
	bool known = true;
	char text[128];
	size_t i;

	for (i = 0; i < RULE_KV_OPTIONS; i++)
		if (!k->present[i])
			return rule_say(figure, false,
				"option %zu is missing or failed in part",
				i + 1);
	for (i = 0; i < RULE_KV_OPTIONS; i++) {
		known = known && k->known[i];
		option_differs(&k->is[i], &k->want[i], text);
		if (k->known[i] && text[0])
			return rule_say(
				figure, false, "option %zu: %s", i + 1, text);
	}
	if (!known)
		return rule_unknown(figure,
			"options 1, 2, 3 are there; with which users, limits "
			"and length is");
	return rule_say(figure, true, "options 1, 2, 3 as the rules have them");
}

RULE_CHECK(kv_sequence)
{
	const struct rule_kv_facts *k = f->kv;

	if (k->config)
		return rule_say(figure, false, "a workload of one's own: %.60s",
			k->config);
	if (isnan(k->seed) && isnan(k->trials) && isnan(k->pause_s))
		return rule_unknown(figure, "seed, trials and delay are");
	return rule_say(figure,
		k->seed == k->want_seed && k->trials == k->want_trials &&
			k->pause_s == k->want_pause_s,
		"seed %g, %g trials, %g s between options; %g, %g and %g s "
		"needed",
		k->seed, k->trials, k->pause_s, k->want_seed, k->want_trials,
		k->want_pause_s);
}

RULE_CHECK(kv_changed)
{
	return rule_say(figure, !f->kv->changed, "%s%s",
		f->kv->changed ? "changed: " : "nothing else is changed",
		f->kv->changed ? f->kv->changed : "");
}
