/* `stoker bundle create ... OUT`: a submission's tree from finished runs. */
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "core/json.h"
#include "results/bundle_create.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct create_options {
	const char *results_dir, *source, *org, *system_name, *division;
	const char *system_file, *system_pdf, *code_dir, *config_dir;
	bool allow_missing, json;
};

#define O struct create_options
#include "cli/rows.h"

const struct option_row bundle_create_rows[] = {
	OPT_HEADING("Runs"),
	TEXT("results-dir", results_dir, "DIR", "where runs were written",
		.letter = 'r', .words = COMPLETE_DIR),
	TEXT("source", source, "DIVISION/ORG/results/SYSTEM",
		"which of them, when there are several"),
	FLAG("allow-missing", allow_missing,
		"make it although phases are missing"),
	OPT_HEADING("Submission"),
	TEXT("org", org, "NAME",
		"the organization; \"emulated-\" is put before it"),
	TEXT("systemname", system_name, "NAME",
		"the system; \"emulated-\" is put before it"),
	TEXT("division", division, "DIVISION", "closed or open",
		.standard = "closed", .words = "closed open"),
	TEXT("system-file", system_file, "FILE",
		"its description: stoker system describe, filled in"),
	TEXT("system-pdf", system_pdf, "FILE",
		"the same for people; made from the description if not given"),
	TEXT("code-dir", code_dir, "DIR",
		"stoker's sources for the code image; those beside build/ if "
		"not given",
		.words = COMPLETE_DIR),
	TEXT("config-dir", config_dir, "DIR", "editions of your own",
		.words = COMPLETE_DIR),
	OPT_HEADING("Output"),
	JSON_ROW,
	OPT_END,
};

/* Where this binary was built: the folder above its own. */
static const char *built_in(char dir[PATH_MAX])
{
	char mark[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
	int up;

	if (n <= 0)
		return NULL;
	dir[n] = '\0';
	for (up = 0; up < 3; up++) {
		*strrchr(dir, '/') = '\0';
		if (!*dir)
			return NULL;
		if (!access(bundle_join(mark, dir, "core/record.h"), R_OK))
			return dir;
	}
	return NULL;
}

static int check_options(const struct create_options *o, const char *out,
	const char *code_dir, struct err *e)
{
	const char *missing = !out		? "the folder to make"
			      : !o->results_dir ? "--results-dir DIR"
			      : !o->org		? "--org NAME"
			      : !o->system_name ? "--systemname NAME"
			      : !o->system_file ? "--system-file FILE (stoker "
						  "system describe writes one "
						  "to fill in)"
			      : !code_dir	? "--code-dir DIR, stoker's "
						  "sources"
						: NULL;

	if (missing)
		return err_set(e, ERR_USAGE, -EINVAL, "bundle create needs %s",
			missing);
	if (strcmp(o->division, "closed") && strcmp(o->division, "open"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--division %s: closed or open", o->division);
	if (strspn(o->org, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuv"
			   "wxyz0123456789._-") != strlen(o->org) ||
		strchr(o->system_name, '/'))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--org %s, --systemname %s: letters, digits, '.', '_' "
			"and '-' only",
			o->org, o->system_name);
	return 0;
}

static int print(const struct create_options *o, const char *out,
	const struct names *missing, const struct bundle_report *r)
{
	struct cJSON *root, *list;
	char *text = NULL;
	size_t i;

	if (!o->json) {
		printf("%s: an EMULATED bundle of %" PRIu64 " result folders "
		       "(not an MLPerf result); its check says %s: %" PRIu64
		       " errors, %" PRIu64 " warnings\n",
			out, r->leaves, r->errors ? "FAIL" : "PASS", r->errors,
			r->warnings);
		for (i = 0; i < missing->n; i++)
			printf("missing: %s\n", missing->v[i]);
		printf("details: stoker bundle check %s\n", out);
		return r->errors ? ERR_VERDICT : 0;
	}
	root = cJSON_CreateObject();
	if (root && json_add_string(root, "status", "done") &&
		json_add_bool(root, "emulated", true) &&
		json_add_string(root, "bundle", out) &&
		json_add_u64(root, "leaves", r->leaves) &&
		json_add_string(root, "verdict", r->errors ? "FAIL" : "PASS") &&
		json_add_u64(root, "errors", r->errors) &&
		json_add_u64(root, "warnings", r->warnings) &&
		(list = json_add_array(root, "missing"))) {
		for (i = 0; i < missing->n; i++)
			json_add_string(list, NULL, missing->v[i]);
		text = json_print(root, 2);
	}
	cJSON_Delete(root);
	if (!text)
		return ERR_ENV;
	printf("%s\n", text);
	free(text);
	return r->errors ? ERR_VERDICT : 0;
}

static int create(
	const struct create_options *o, const char *out, const char *code_dir)
{
	const struct bundle_create c = {.config_dir = o->config_dir,
		.results_dir = o->results_dir,
		.source = o->source,
		.organization = o->org,
		.system_name = o->system_name,
		.division = o->division,
		.system_file = o->system_file,
		.system_pdf = o->system_pdf,
		.code_dir = code_dir,
		.tool_version = STOKER_VERSION,
		.out = out,
		.allow_missing = o->allow_missing};
	const struct bundle_options check = {
		.config_dir = o->config_dir, .severity = SEVERITY_HEAD};
	struct names missing = {0};
	struct bundle_report r = {0};
	struct err e;
	size_t i;
	int code;

	if (bundle_create(&c, &missing, &e)) {
		for (i = 0; i < missing.n; i++)
			fprintf(stderr, "stoker: %s\n", missing.v[i]);
		code = cli_fail_report(o->json, &e);
	} else if (bundle_check(out, &check, &r, &e)) {
		code = cli_fail_report(o->json, &e);
	} else {
		code = print(o, out, &missing, &r);
	}
	bundle_report_fini(&r);
	names_fini(&missing);
	return code;
}

int cmd_bundle_create(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	struct create_options o = {.division = "closed"};
	char built[PATH_MAX];
	const char *code_dir, *out;
	struct err e;
	int code;

	if (!command_options_words(bundle_create_rows, &o, argc, argv,
		    &words, &code))
		return code;
	out = option_word(&words);
	code_dir = o.code_dir ? o.code_dir : built_in(built);
	if (check_options(&o, out, code_dir, &e))
		return cli_fail_report(o.json, &e);
	return create(&o, out, code_dir);
}
