/* The engine: looks rules up and evaluates them; see rules.h. */
#include "results/rules.h"

#include <string.h>

const char *rule_outcome_name(enum rule_outcome o)
{
	return o == RULE_PASS	? "PASS"
	       : o == RULE_FAIL ? "FAIL"
				: "NOT EVALUATED";
}

const char *rule_level_name(enum rule_level l)
{
	return l == RULE_ERROR	   ? "error"
	       : l == RULE_WARNING ? "warning"
	       : l == RULE_OFF	   ? "off"
				   : "info";
}

const struct rule *rules_at(size_t i)
{
	if (i < rules_training_count)
		return &rules_training[i];
	i -= rules_training_count;
	if (i < rules_structure_count)
		return &rules_structure[i];
	i -= rules_structure_count;
	return i < rules_workloads_count ? &rules_workloads[i] : NULL;
}

const struct rule *rule_find(const char *id)
{
	const struct rule *r;
	size_t i;

	for (i = 0; (r = rules_at(i)); i++)
		if (!strcmp(r->id, id) || !strcmp(r->name, id))
			return r;
	return NULL;
}

size_t rules_evaluate(const struct rule_facts *f, enum rule_phase phase,
	struct rule_finding *findings, size_t max)
{
	struct rule_finding *n;
	size_t i, count = 0;

	for (i = 0; i < rules_training_count && count < max; i++) {
		if (rules_training[i].phase != phase)
			continue;
		n = &findings[count++];
		n->rule = &rules_training[i];
		n->figure[0] = 0;
		n->level = f->division == DIV_OPEN ? n->rule->open
						   : n->rule->closed;
		n->outcome = n->rule->check(f, n->figure);
	}
	return count;
}
