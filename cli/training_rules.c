/* The rules before and after a training run; see training.h. */
#include "cli/rules_ask.h"
#include "cli/training.h"

#include "core/datasize.h"
#include "results/rules.h"
#include "storage/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int size_facts(const struct training_options *o,
	const struct training_setup *s, struct rule_facts *f, struct err *e)
{
	const struct train_config *c = &s->config;
	struct datasize d;
	struct datasize_input in = {
		.shape = profile_shape(&s->profile),
		.accelerators = c->accelerators,
		.hosts = c->hosts,
		.memory_bytes_per_host = s->memory_bytes_per_host,
	};
	int r;

	/*
	 * What the hosts have counts when it is more than was said; those of a
	 * simulation are what was said.
	 */
	if (!s->virtual_time || !s->memory_bytes_per_host)
		in.measured_memory_bytes = o->measured_memory_bytes
						   ? o->measured_memory_bytes
						   : host_memory_bytes();
	if (s->scale.den != s->scale.num)
		return 0; /* not CLOSED anyway: the size proves nothing */
	r = datasize_compute(&in, &s->edition, &d, e);
	f->required_files = d.required;
	f->bound_by_memory = d.bound_by_memory;
	return r;
}

/* params[OPTION_LIST_MAX + 1] is the caller's and lives as long as *f */
static int gather_facts(const struct training_options *o,
	const struct training_setup *s, struct rule_facts *f,
	const char **params, struct err *e)
{
	const struct train_config *c = &s->config;
	uint32_t i;
	bool same;

	memset(f, 0, sizeof(*f));
	f->edition = &s->edition;
	f->config = c;
	f->division = c->division;
	f->datagen_files = s->datagen_files;
	f->hosts = (uint32_t)c->hosts;
	for (i = 0; i < s->param_count; i++)
		params[i] = s->params[i];
	params[i] = NULL;
	f->params = params;
	f->computation_time_changed = o->computation_time != NULL;
	f->caches_not_dropped = o->no_drop_caches;
	f->runs_planned = (uint32_t)o->runs;
	f->warmups_planned = (uint32_t)o->warmups;
	if (c->data_dir[0] && c->results_dir[0] &&
		!host_same_filesystem(c->data_dir, c->results_dir, &same))
		f->same_filesystem = same ? FACT_YES : FACT_NO;
	return size_facts(o, s, f, e);
}

static void list_findings(struct training_setup *s,
	const struct rule_finding *n, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		/* advice and the number of runs do not unmake a run */
		if (n[i].outcome != RULE_FAIL || n[i].level == RULE_INFO ||
			!strcmp(n[i].rule->id, "3.3.3") ||
			!strcmp(n[i].rule->id, "2.1.17"))
			continue;
		not_closed_add(&s->not_closed, "%s", n[i].figure);
	}
}

int training_check_rules(const struct training_options *o,
	struct training_setup *s, struct err *e)
{
	struct train_config *c = &s->config;
	struct rule_finding found[RULES_MAX];
	struct rule_facts f;
	const char *params[OPTION_LIST_MAX + 1];
	char why[RULE_FIGURE_MAX];
	size_t n;
	int r;

	if (!s->profile.runnable)
		return err_set(e, ERR_USAGE, -ENOTSUP, "%s/%s: %s", c->model,
			c->accelerator, s->profile.why);
	r = gather_facts(o, s, &f, params, e);
	if (r)
		return r;
	/* as the rule's own text says: it goes on as what-if */
	if (!edition_admits(&s->edition, c->division, c->model,
		    c->accelerator, why, sizeof(why)))
		c->division = DIV_WHATIF;
	s->same_filesystem = f.same_filesystem == FACT_YES;
	n = rules_evaluate(&f, PHASE_BEFORE, found, RULES_MAX);
	list_findings(s, found, n);
	return c->division == DIV_WHATIF
		       ? 0
		       : rules_refuse(
				 found, n, s->edition.name, c->division, e);
}

void training_note_rules(const struct training_setup *s, struct record *rec)
{
	struct rule_finding found[RULES_MAX];
	struct rule_facts f = {
		.edition = &s->edition,
		.config = &s->config,
		.division = s->config.division,
		.record = rec,
	};
	size_t n = rules_evaluate(&f, PHASE_AFTER, found, RULES_MAX), i;

	for (i = 0; i < n; i++)
		/* AU is what the whole report is about */
		if (found[i].outcome == RULE_FAIL &&
			strcmp(found[i].rule->id, "3.3.2"))
			record_note(rec, "rule", "%s %s: %s; %s",
				found[i].rule->id, found[i].rule->name,
				found[i].figure, found[i].rule->remedy);
}
