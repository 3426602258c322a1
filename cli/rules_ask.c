/* Asking the rules before a run; see rules_ask.h. */
#include "cli/rules_ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rules_refuse(const struct rule_finding *found, size_t count,
	const char *edition, enum rec_division division, struct err *e)
{
	size_t i, used = 0;
	char text[768] = "";
	int k;

	for (i = 0; i < count && used < sizeof(text); i++) {
		if (found[i].outcome != RULE_FAIL ||
			found[i].level != RULE_ERROR)
			continue;
		k = snprintf(text + used, sizeof(text) - used,
			"\n  %s %s: %s; %s", found[i].rule->id,
			found[i].rule->name, found[i].figure,
			found[i].rule->remedy);
		used += k > 0 ? (size_t)k : 0;
	}
	if (!used)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"the rules of %s refuse --division %s:%s", edition,
		rec_division_name(division), text);
}

/* Advice, and what a later command can still do, unmakes no run. */
static bool is_advice(const struct rule *r)
{
	static const char *const ids[] = {"4.3.1", "5.3.1"};
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (!strcmp(r->id, ids[i]))
			return true;
	return false;
}

static void list(const struct rule_finding *found, size_t count,
	struct not_closed *reasons)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (found[i].outcome != RULE_FAIL ||
			found[i].level == RULE_INFO || is_advice(found[i].rule))
			continue;
		not_closed_add(reasons, "%s %s: %s", found[i].rule->id,
			found[i].rule->name, found[i].figure);
	}
}

int rules_ask(struct rule_facts *f, const char *config_dir,
	enum rec_division *division, struct not_closed *reasons, struct err *e)
{
	struct rule_finding *found = calloc(RULES_MAX, sizeof(*found));
	struct edition *ed = calloc(1, sizeof(*ed));
	char why[RULE_FIGURE_MAX];
	size_t n;
	int r = found && ed ? 0 : err_nomem(e, "the rules");

	if (!r)
		r = edition_load(config_dir, EDITION_DEFAULT, ed, e);
	if (!r) {
		f->edition = ed;
		f->division = *division;
		if (f->ckpt && f->config->accelerator[0] && f->ckpt->known &&
			!edition_admits(ed, *division, f->config->model,
				f->config->accelerator, why, sizeof(why)))
			*division = DIV_WHATIF;
		n = rules_evaluate(f, PHASE_BEFORE, found, RULES_MAX);
		list(found, n, reasons);
		if (*division != DIV_WHATIF)
			r = rules_refuse(found, n, ed->name, *division, e);
		f->edition = NULL;
	}
	free(found);
	free(ed);
	return r;
}

void rules_warn_filesystem(const char *what)
{
	fprintf(stderr,
		"stoker: warning: %s and results are on the same file system, "
		"not CLOSED; put --results-dir on another\n",
		what);
}
