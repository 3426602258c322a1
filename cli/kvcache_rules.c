/* The rules before a KV cache run; see kvcache.h. */
#include "cli/kvcache.h"
#include "cli/rules_ask.h"

#include "core/units.h"
#include "results/rules_data.h"
#include "storage/host.h"

#include <stdlib.h>
#include <string.h>

/* Options of ours that no table of the rules has: "--closed-loop, ...". */
static void changed(const struct kvcache_options *o,
	const struct kvcache_setup *s, char text[256])
{
	const struct {
		bool given;
		const char *name;
	} t[] = {
		{o->no_multi_turn, "--disable-multi-turn"},
		{o->no_prefix, "--disable-prefix-caching"},
		{o->closed_loop, "--closed-loop"},
		{o->trace != NULL, "--burst-trace-path"},
		{o->rag, "--enable-rag"},
		{o->capacity != NULL, "--storage-capacity-gb"},
		{s->delay_ns != (int64_t)(s->workload.delay_s * 1e9),
			"--delay"},
	};
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (t[i].given)
			n += (size_t)snprintf(text + n, 256 - n, "%s%s",
				n ? ", " : "", t[i].name);
}

static void gather(const struct kvcache_options *o,
	const struct kvcache_setup *s, const struct kv_workload *rules,
	struct rule_kv_facts *k)
{
	uint32_t i, n;

	rules_kv_wanted(rules, k);
	for (i = 0; i < s->option_count; i++) {
		const struct kv_config *c = &s->options[i];

		n = c->option - 1;
		if (n >= RULE_KV_OPTIONS)
			continue;
		k->present[n] = k->known[n] = true;
		snprintf(k->is[n].model, sizeof(k->is[n].model), "%s",
			c->model.name);
		k->is[n].users = c->opt.users;
		k->is[n].duration_s = (double)c->duration_ns / 1e9;
		k->is[n].gpu_gib = (double)c->limits[0] / (double)GIB_BYTES;
		k->is[n].cpu_gib = (double)c->limits[1] / (double)GIB_BYTES;
		k->is[n].allocations = c->opt.allocations;
		k->is[n].token_s = (double)c->token_ns / 1e9;
	}
	k->seed = (double)s->options[0].seed;
	k->trials = s->trials;
	k->pause_s = (double)s->inter_option_delay_ns / 1e9;
	if (strcmp(o->workload, KV_WORKLOAD_DEFAULT))
		k->config = o->workload;
}

int kvcache_check_rules(
	const struct kvcache_options *o, struct kvcache_setup *s, struct err *e)
{
	struct train_config *c = calloc(1, sizeof(*c));
	struct kv_workload *rules = calloc(1, sizeof(*rules));
	struct rule_kv_facts facts = {.seed = 0};
	struct rule_facts f = {.family = FAMILY_KV, .kv = &facts, .config = c};
	char text[256];
	bool same;
	int r = c && rules ? 0 : err_nomem(e, "the rules");

	if (!r)
		r = kv_workload_load(NULL, KV_WORKLOAD_DEFAULT, rules, e);
	if (!r) {
		gather(o, s, rules, &facts);
		changed(o, s, text);
		facts.changed = text[0] ? text : NULL;
		if (o->drive)
			snprintf(c->drive, sizeof(c->drive), "%s", o->drive);
	}
	if (!r && o->cache_dir && o->results_dir &&
		!host_same_filesystem(o->cache_dir, o->results_dir, &same)) {
		f.same_filesystem = same ? FACT_YES : FACT_NO;
		s->same_filesystem = same;
	}
	if (!r)
		r = rules_ask(
			&f, o->config_dir, &s->division, &s->not_closed, e);
	free(c);
	free(rules);
	return r;
}
