/* The rules before a checkpointing run; see checkpointing.h. */
#include "cli/checkpointing.h"
#include "cli/rules_ask.h"

#include "core/units.h"
#include "storage/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rules 4.3.1 and 4.6.2 */
#define MEMORY_FACTOR 3
#define MIN_PER_HOST 4

/* "a,b,c": 3 */
static uint64_t hosts_named(const char *list)
{
	uint64_t n = 1;

	for (; list && *list; list++)
		n += *list == ',';
	return n;
}

static void gather(const struct checkpointing_options *o,
	const struct checkpointing_setup *s, struct rule_ckpt_facts *c)
{
	const struct ckpt_config *k = &s->config;
	const struct ckpt_model *m = &k->shape.model;
	struct ckpt_totals t;
	uint64_t memory = s->client_memory_bytes ? s->client_memory_bytes
						 : host_memory_bytes();

	ckpt_totals(&k->shape, &t);
	*c = (struct rule_ckpt_facts){
		.model = m->name,
		.known = m->closed_ranks > 0,
		.closed_ranks = (double)m->closed_ranks,
		.multiple = (double)(m->tensor * m->pipeline),
		.ranks = (double)k->shape.ranks,
		.hosts = (double)hosts_named(o->hosts_list),
		.subset = k->shape.subset,
		.writes = k->writes,
		.reads = k->reads,
		.count = (double)m->writes,
		.written_gib = checkpointing_gib(t.bytes) * k->writes,
		.memory_gib = checkpointing_gib(memory) *
			      (double)hosts_named(o->hosts_list),
		.memory_factor = MEMORY_FACTOR,
		.min_per_host = MIN_PER_HOST,
		.accelerator = s->accelerator,
		.accelerator_gib = s->accelerator_gib,
		.checkpoint_gib = checkpointing_gib(t.bytes),
		.removes_old = k->keep > 0,
		.limited = o->limit_content != NULL,
		.rotates = k->rotate > 0,
		.pause_s = (double)k->gap_ns / 1e9,
		.benchmark_pause_s = m->gap_s,
	};
	if (!k->writes) /* what was saved before is not known */
		c->written_gib = NAN;
}

int checkpointing_check_rules(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e)
{
	struct train_config *c = calloc(1, sizeof(*c));
	struct rule_ckpt_facts facts;
	struct rule_facts f = {
		.family = FAMILY_CHECKPOINTING, .ckpt = &facts, .config = c};
	bool same;
	int r;

	if (!c)
		return err_nomem(e, "the rules");
	gather(o, s, &facts);
	c->scale = (struct rec_scale){
		s->config.shape.scale_num, s->config.shape.scale_den};
	snprintf(c->model, sizeof(c->model), "%s", facts.model);
	snprintf(c->accelerator, sizeof(c->accelerator), "%s", s->accelerator);
	if (o->drive)
		snprintf(c->drive, sizeof(c->drive), "%s", o->drive);
	if (o->folder)
		snprintf(c->data_dir, sizeof(c->data_dir), "%s", o->folder);
	if (o->results_dir)
		snprintf(c->results_dir, sizeof(c->results_dir), "%s",
			o->results_dir);
	if (o->folder && o->results_dir &&
		!host_same_filesystem(o->folder, o->results_dir, &same)) {
		f.same_filesystem = same ? FACT_YES : FACT_NO;
		s->same_filesystem = same;
	}
	r = rules_ask(&f, o->config_dir, &s->division, &s->not_closed, e);
	free(c);
	return r;
}

enum rule_outcome checkpointing_cache_rule(uint64_t bytes, uint64_t hosts,
	uint64_t memory_bytes, const struct rule **rule, char *figure)
{
	struct rule_ckpt_facts c = {.hosts = (double)hosts,
		.written_gib = checkpointing_gib(bytes),
		.memory_gib = checkpointing_gib(memory_bytes) * (double)hosts,
		.memory_factor = MEMORY_FACTOR};
	struct rule_facts f = {.family = FAMILY_CHECKPOINTING, .ckpt = &c};

	*rule = rule_find("4.3.1");
	return (*rule)->check(&f, figure);
}
