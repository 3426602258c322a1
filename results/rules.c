/* The engine: looks rules up and evaluates them; see rules.h. */
#include "results/rules_checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum rule_outcome rule_say(
	char figure[RULE_FIGURE_MAX], bool pass, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(figure, RULE_FIGURE_MAX, fmt, ap);
	va_end(ap);
	return pass ? RULE_PASS : RULE_FAIL;
}

enum rule_outcome rule_unknown(char figure[RULE_FIGURE_MAX], const char *what)
{
	snprintf(figure, RULE_FIGURE_MAX, "%s not known", what);
	return RULE_NOT_EVALUATED;
}

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
	const struct rule *r;
	size_t i, count = 0;

	for (i = 0; (r = rules_at(i)) && count < max; i++) {
		if (r->phase != phase || !r->check ||
			!(r->families & 1U << f->family))
			continue;
		n = &findings[count++];
		n->rule = r;
		n->figure[0] = 0;
		n->level = f->division == DIV_OPEN ? r->open : r->closed;
		n->outcome = r->check(f, n->figure);
	}
	return count;
}
