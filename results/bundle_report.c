/* The findings of a bundle check: weighing, counting, keeping. See bundle.h. */
#include "results/bundle_tree.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEEP_PER_RULE 1000
#define TEXT_MAX 1024

bool bundle_is_head(const struct bundle *b)
{
	return b->options->severity == SEVERITY_HEAD;
}

/* The rule's counter; NULL when it is not judged here. */
static struct bundle_count *counter(struct bundle *b, const char *id)
{
	struct bundle_report *r = b->report;
	const struct rule *rule;
	size_t i;

	for (i = 0; i < r->rule_count; i++)
		if (!strcmp(r->rules[i].rule->id, id))
			return &r->rules[i];
	rule = rule_find(id);
	if (!rule || !rule->tree.judged || r->rule_count == RULES_ALL_MAX ||
		(rule->tree.strict && !b->options->strict) ||
		(!bundle_is_head(b) && rule->tree.v30 == RULE_OFF))
		return NULL;
	r->rules[r->rule_count].rule = rule;
	return &r->rules[r->rule_count++];
}

/* Rules of a workload, whose edition may be one that nobody can check. */
static bool is_workload(const struct rule *r)
{
	return (r >= rules_workloads &&
		       r < rules_workloads + rules_workloads_count) ||
	       (r >= rules_training &&
		       r < rules_training + rules_training_count &&
		       isdigit((unsigned char)r->id[0]));
}

static enum rule_level weight(const struct bundle *b, const struct rule *r)
{
	return bundle_is_head(b) ? r->tree.head : r->tree.v30;
}

/* A copy without control characters: file names can hold anything. */
static char *printable(const char *s)
{
	char *out = malloc(4 * strlen(s) + 1), *p = out;

	if (!out)
		return NULL;
	for (; *s; s++) {
		if (iscntrl((unsigned char)*s))
			p += sprintf(p, "\\x%02x", (unsigned char)*s);
		else
			*p++ = *s;
	}
	*p = '\0';
	return out;
}

static void keep(struct bundle *b, const struct bundle_count *c,
	enum rule_outcome outcome, enum rule_level level, const char *path,
	const char *required, const char *found)
{
	struct bundle_report *r = b->report;
	struct bundle_finding *n;
	uint64_t same = outcome == RULE_FAIL   ? c->fail
			: outcome == RULE_PASS ? c->pass
					       : c->not_evaluated;

	if (same > KEEP_PER_RULE) {
		r->left_out++;
		return;
	}
	if (!(r->count & (r->count - 1))) { /* grows at powers of two */
		n = realloc(r->findings,
			(r->count ? 2 * r->count : 1) * sizeof(*n));
		if (!n) {
			b->no_memory = true;
			return;
		}
		r->findings = n;
	}
	n = &r->findings[r->count++];
	n->rule = c->rule;
	n->outcome = outcome;
	n->level = level;
	n->path = printable(path && *path ? path : ".");
	n->found = printable(found);
	n->required = printable(required ? required : c->rule->passes);
	if (!n->path || !n->found || !n->required)
		b->no_memory = true;
}

static void judge(struct bundle *b, const char *id, enum rule_outcome outcome,
	const enum rule_level *level, const char *path, const char *required,
	const char *fmt, va_list ap)
{
	struct bundle_count *c = counter(b, id);
	enum rule_level l;
	char text[TEXT_MAX];

	if (!c || (b->unchecked_edition && is_workload(c->rule)))
		return;
	l = level ? *level : weight(b, c->rule);
	if (outcome == RULE_PASS) {
		c->pass++;
		if (!b->options->all)
			return;
	} else if (outcome == RULE_NOT_EVALUATED) {
		c->not_evaluated++;
	} else {
		c->fail++;
		b->report->errors += l == RULE_ERROR;
		b->report->warnings += l == RULE_WARNING;
	}
	vsnprintf(text, sizeof(text), fmt, ap);
	keep(b, c, outcome, l, path, required, text);
}

void bundle_say(struct bundle *b, const char *id, bool pass, const char *path,
	const char *required, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	judge(b, id, pass ? RULE_PASS : RULE_FAIL, NULL, path, required, fmt,
		ap);
	va_end(ap);
}

void bundle_say_level(struct bundle *b, const char *id, enum rule_level level,
	bool pass, const char *path, const char *required, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	judge(b, id, pass ? RULE_PASS : RULE_FAIL, &level, path, required, fmt,
		ap);
	va_end(ap);
}

void bundle_unknown(struct bundle *b, const char *id, const char *path,
	const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	judge(b, id, RULE_NOT_EVALUATED, NULL, path, NULL, fmt, ap);
	va_end(ap);
}

void bundle_ask(struct bundle *b, const char *id, const char *path,
	const struct rule_facts *f)
{
	const struct rule *rule = rule_find(id);
	char figure[RULE_FIGURE_MAX] = "";
	enum rule_outcome o = rule->check(f, figure);

	if (o == RULE_NOT_EVALUATED)
		bundle_unknown(b, id, path, "%s", figure);
	else
		bundle_say(b, id, o == RULE_PASS, path, NULL, "%s", figure);
}

void bundle_report_fini(struct bundle_report *r)
{
	size_t i;

	for (i = 0; i < r->count; i++) {
		free(r->findings[i].path);
		free(r->findings[i].found);
		free(r->findings[i].required);
	}
	free(r->findings);
	memset(r, 0, sizeof(*r));
}
