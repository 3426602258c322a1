/* `stoker bundle check TREE`: a submission's tree against the rules. */
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "core/file.h"
#include "core/json.h"
#include "results/bundle.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check_options {
	const char *severity, *config_dir;
	bool strict, all, json;
};

#define O struct check_options
#include "cli/rows.h"

const struct option_row bundle_check_rows[] = {
	HEADING("Rules"),
	TEXT("severity", severity, "WHICH",
		"how the edition weighs: while its round was open, or since",
		.standard = "head", .words = "v30 head"),
	FLAG("strict", strict,
		"also what reviewers look for: caches, outliers, placeholders"),
	TEXT("config-dir", config_dir, "DIR",
		"editions of your own", .words = COMPLETE_DIR),
	HEADING("Output"),
	FLAG("all", all,
		"also what passes, and every NOT EVALUATED by itself"),
	JSON_ROW,
	END,
};

static const char *verdict(const struct bundle_report *r)
{
	return r->errors ? "FAIL" : "PASS";
}

static void print_finding(const struct bundle_finding *f)
{
	static const char *const levels[] = {"INFO", "WARNING", "ERROR", "OFF"};

	printf("[%s] [%s %s] %s: %s; required: %s\n",
		f->outcome == RULE_FAIL ? levels[f->level]
					: rule_outcome_name(f->outcome),
		f->rule->id, f->rule->name, f->path, f->found, f->required);
}

/* What could not be answered: once a rule, with the first as an example. */
static void print_unknown(const struct bundle_report *r)
{
	const struct bundle_finding *f;
	size_t i, k;

	for (i = 0; i < r->rule_count; i++) {
		if (!r->rules[i].not_evaluated)
			continue;
		for (k = 0; k < r->count; k++) {
			f = &r->findings[k];
			if (f->rule != r->rules[i].rule ||
				f->outcome != RULE_NOT_EVALUATED)
				continue;
			printf("[NOT EVALUATED] [%s %s] %" PRIu64
			       " time%s, such as %s: %s\n",
				f->rule->id, f->rule->name,
				r->rules[i].not_evaluated,
				plural(r->rules[i].not_evaluated), f->path,
				f->found);
			break;
		}
	}
}

static int print_text(const char *tree, const struct check_options *o,
	const struct bundle_report *r)
{
	size_t i;

	printf("%s: %" PRIu64 " error%s, %" PRIu64 " warning%s (severity %s%s)"
	       " in %s: %" PRIu64 " organization%s, %" PRIu64 " system%s, "
	       "%" PRIu64 " leaves\n",
		verdict(r), r->errors, plural(r->errors), r->warnings,
		plural(r->warnings), o->severity, o->strict ? ", strict" : "",
		tree, r->organizations, plural(r->organizations), r->systems,
		plural(r->systems), r->leaves);
	for (i = 0; i < r->count; i++)
		if (o->all || r->findings[i].outcome == RULE_FAIL)
			print_finding(&r->findings[i]);
	if (!o->all)
		print_unknown(r);
	if (r->left_out)
		printf("%" PRIu64 " more of these rules are only counted\n",
			r->left_out);
	return r->errors ? ERR_VERDICT : 0;
}

/* Only what fails weighs something and has a remedy; else null. */
static bool add_finding(struct cJSON *list, const struct bundle_finding *f)
{
	struct cJSON *o = json_add_object(list, NULL);
	bool fails = f->outcome == RULE_FAIL;

	return o && json_add_string(o, "id", f->rule->id) &&
	       json_add_string(o, "name", f->rule->name) &&
	       json_add_string(o, "outcome", rule_outcome_name(f->outcome)) &&
	       json_add(o, "level", fails ? cJSON_CreateString(rule_level_name(
							 f->level))
					  : cJSON_CreateNull()) &&
	       json_add_string(o, "path", f->path) &&
	       json_add_string(o, "found", f->found) &&
	       json_add_string(o, "required", f->required) &&
	       json_add(o, "remedy", fails ? cJSON_CreateString(f->rule->remedy)
					   : cJSON_CreateNull());
}

static bool add_rules(struct cJSON *list, const struct bundle_report *r)
{
	const struct bundle_count *c;
	struct cJSON *o;
	size_t i;

	for (i = 0; list && i < r->rule_count; i++) {
		c = &r->rules[i];
		o = json_add_object(list, NULL);
		if (!o || !json_add_string(o, "id", c->rule->id) ||
			!json_add_string(o, "name", c->rule->name) ||
			!json_add_u64(o, "pass", c->pass) ||
			!json_add_u64(o, "fail", c->fail) ||
			!json_add_u64(o, "not_evaluated", c->not_evaluated))
			return false;
	}
	return list != NULL;
}

static int print_json(const char *tree, const struct check_options *o,
	const struct bundle_report *r)
{
	struct cJSON *root = cJSON_CreateObject(), *list;
	char *text = NULL;
	size_t i;
	bool ok;

	ok = root && json_add_string(root, "verdict", verdict(r)) &&
	     json_add_string(root, "tree", tree) &&
	     json_add_string(root, "severity", o->severity) &&
	     json_add_bool(root, "strict", o->strict) &&
	     json_add_u64(root, "errors", r->errors) &&
	     json_add_u64(root, "warnings", r->warnings) &&
	     json_add_u64(root, "organizations", r->organizations) &&
	     json_add_u64(root, "systems", r->systems) &&
	     json_add_u64(root, "leaves", r->leaves) &&
	     json_add_u64(root, "left_out", r->left_out);
	list = ok ? json_add_array(root, "findings") : NULL;
	for (i = 0; list && ok && i < r->count; i++)
		ok = add_finding(list, &r->findings[i]);
	if (list && ok && add_rules(json_add_array(root, "rules"), r))
		text = json_print(root, 2);
	cJSON_Delete(root);
	if (!text)
		return ERR_ENV;
	printf("%s\n", text);
	free(text);
	return r->errors ? ERR_VERDICT : 0;
}

static bool has_folder(const char *parent, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", parent, name) <
		       (int)sizeof(path) &&
	       file_is_folder(path);
}

/* A leaf or an organization is given? Then say where its tree begins. */
static void note_root(const char *tree)
{
	static const char *const divisions[] = {"closed", "open"};
	char root[PATH_MAX], *cut;
	size_t i;

	if (has_folder(tree, "closed") || has_folder(tree, "open") ||
		!realpath(tree, root))
		return;
	while ((cut = strrchr(root, '/')) && cut != root) {
		*cut = '\0';
		for (i = 0; i < 2; i++)
			if (!strcmp(cut + 1, divisions[i])) {
				fprintf(stderr, "stoker: %s lies inside a "
					"tree; to judge that: stoker bundle "
					"check %s\n", tree, root);
				return;
			}
	}
}

int cmd_bundle_check(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	struct check_options o = {.severity = "head"};
	struct bundle_options check = {0};
	struct bundle_report r;
	const char *tree;
	struct err e;
	int code;

	if (!command_options_words(bundle_check_rows, &o, argc, argv,
		    &words, &code))
		return code;
	tree = option_word(&words);
	if (!tree ||
		(strcmp(o.severity, "v30") && strcmp(o.severity, "head"))) {
		err_set(&e, ERR_USAGE, -EINVAL,
			tree ? "--severity %s: v30 or head"
			     : "bundle check needs the folder that holds "
			       "closed "
			       "or open: stoker bundle check TREE%.0s",
			o.severity);
		return cli_fail_report(o.json, &e);
	}
	check.config_dir = o.config_dir;
	check.severity =
		!strcmp(o.severity, "v30") ? SEVERITY_V30 : SEVERITY_HEAD;
	check.strict = o.strict;
	check.all = o.all;
	if (bundle_check(tree, &check, &r, &e)) {
		bundle_report_fini(&r);
		return cli_fail_report(o.json, &e);
	}
	code = o.json ? print_json(tree, &o, &r) : print_text(tree, &o, &r);
	note_root(tree);
	bundle_report_fini(&r);
	return code;
}
