/* `stoker rules list` and `stoker rules explain ID`. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/training.h"

#include "core/json.h"
#include "core/nearest.h"
#include "results/rules.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rules_options {
	bool json;
};

#define O struct rules_options
#include "cli/rows.h"

const struct option_row rules_list_rows[] = {OUTPUT_ROWS, END};
const struct option_row rules_explain_rows[] = {OUTPUT_ROWS, END};

static const char *phase_name(const struct rule *r)
{
	return r->phase == PHASE_BEFORE	 ? "before a run"
	       : r->phase == PHASE_AFTER ? "after it"
	       : r->tree.strict		 ? "in a bundle, with --strict"
					 : "in a bundle";
}

static void print_rule(const struct rule *r)
{
	printf("%s %s\n", r->id, r->name);
	printf("  reads    %s (%s)\n", r->reads, phase_name(r));
	printf("  passes   %s\n", r->passes);
	if (r->phase != PHASE_TREE)
		printf("  weight   closed: %s, open: %s\n",
			rule_level_name(r->closed), rule_level_name(r->open));
	if (r->tree.judged)
		printf("  bundle   --severity v30: %s, head: %s%s\n",
			rule_level_name(r->tree.v30),
			rule_level_name(r->tree.head),
			r->tree.strict ? "; with --strict" : "");
	printf("  remedy   %s\n", r->remedy);
}

static void add_rule(struct cJSON *list, const struct rule *r)
{
	struct cJSON *o = json_add_object(list, NULL);

	json_add_string(o, "id", r->id);
	json_add_string(o, "name", r->name);
	json_add_string(o, "reads", r->reads);
	json_add_string(o, "passes", r->passes);
	json_add_string(o, "remedy", r->remedy);
	json_add_string(o, "phase", phase_name(r));
	json_add_string(o, "closed", rule_level_name(r->closed));
	json_add_string(o, "open", rule_level_name(r->open));
	if (!r->tree.judged)
		return;
	json_add_bool(o, "strict", r->tree.strict);
	json_add_string(o, "bundle_v30", rule_level_name(r->tree.v30));
	json_add_string(o, "bundle_head", rule_level_name(r->tree.head));
}

static int print_json(const struct rule *only)
{
	struct cJSON *list = cJSON_CreateArray();
	const struct rule *r;
	char *text;
	size_t i;

	for (i = 0; (r = rules_at(i)); i++)
		if (!only || only == r)
			add_rule(list, r);
	text = json_print(list, 2);
	cJSON_Delete(list);
	printf("%s\n", text ? text : "[]");
	free(text);
	return text ? 0 : ERR_ENV;
}

int cmd_rules_list(int argc, const char **argv)
{
	struct rules_options o = {.json = false};
	const struct rule *r;
	size_t i;
	int code;

	if (!command_options(rules_list_rows, &o, argc, argv, &code))
		return code;
	if (o.json)
		return print_json(NULL);
	printf("%-8s %-42s %-8s %-8s %-8s %s\n", "id", "name", "CLOSED",
		"v30", "head", "passes");
	for (i = 0; (r = rules_at(i)); i++)
		printf("%-8s %-42s %-8s %-8s %-8s %s\n", r->id, r->name,
			r->phase == PHASE_TREE ? "-"
					       : rule_level_name(r->closed),
			r->tree.judged ? rule_level_name(r->tree.v30) : "-",
			r->tree.judged ? rule_level_name(r->tree.head) : "-",
			r->passes);
	printf("\nCLOSED: what it weighs before or after a run with --division "
	       "closed; v30, head: in a\nsubmission's tree, by that --severity "
	       "of bundle check (head is the default).\n");
	return 0;
}

int cmd_rules_explain(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	const char *id, *names[RULES_ALL_MAX * 2 + 1], *near;
	const struct rule *r;
	struct rules_options o = {.json = false};
	struct err e;
	size_t i, n = 0;
	int code;

	if (!command_options_words(
		    rules_explain_rows, &o, argc, argv, &words, &code))
		return code;
	id = option_word(&words);
	r = id ? rule_find(id) : NULL;
	if (r && o.json)
		return print_json(r);
	if (r) {
		print_rule(r);
		return 0;
	}
	for (i = 0; (r = rules_at(i)); i++) {
		names[n++] = r->id;
		names[n++] = r->name;
	}
	names[n] = NULL;
	near = id ? nearest_name(id, names) : NULL;
	err_set(&e, ERR_USAGE, -ENOENT,
		"rules explain %s: %s%s%s%s; stoker rules list shows all",
		id ? id : "", id ? "no such rule" : "needs a rule's ID",
		near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "");
	return cli_fail_report(o.json, &e);
}
