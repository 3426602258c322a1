/* The table of commands; see commands.h. */
#include "cli/commands.h"

#include "cli/bundle.h"
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/drive.h"
#include "cli/kvcache.h"
#include "cli/plan_checkpoint.h"
#include "cli/recipe.h"
#include "cli/report.h"
#include "cli/size.h"
#include "cli/training.h"
#include "cli/vectordb.h"
#include "cli/why.h"
#include "core/nearest.h"

#include <stdio.h>
#include <string.h>

const struct command commands[] = {
	{"training", "datasize", cmd_training_datasize, "[OPTION...]",
		"how many files a data set needs, and why",
		training_datasize_rows},
	{"training", "datagen", cmd_training_datagen,
		"--data-dir DIR [OPTION...]",
		"generate a data set, or finish one", training_datagen_rows},
	{"training", "run", cmd_training_run,
		"--data-dir DIR | --drive MODEL [OPTION...]",
		"feed emulated accelerators; the five-run verdict",
		training_run_rows},
	{"training", "profiles", cmd_training_profiles, "[OPTION...]",
		"workloads and accelerators there are", training_profiles_rows},
	{"size", NULL, cmd_size,
		"--drive MODEL,... | --data-dir DIR... [OPTION...]",
		"how many accelerators a drive feeds, and what limits it",
		size_rows},
	{"checkpointing", "datasize", cmd_checkpointing_datasize, "[OPTION...]",
		"bytes of a checkpoint by rank, stage and file",
		checkpointing_datasize_rows},
	{"checkpointing", "run", cmd_checkpointing_run,
		"--checkpoint-folder DIR | --drive MODEL [OPTION...]",
		"save and load checkpoints; their bandwidth",
		checkpointing_run_rows},
	{"kvcache", "datasize", cmd_kvcache_datasize, "[OPTION...]",
		"bytes of a token, of entries and of a run",
		kvcache_datasize_rows},
	{"kvcache", "run", cmd_kvcache_run,
		"--cache-dir DIR | --drive MODEL [OPTION...]",
		"users, a cache of keys and values, and what bounds it",
		kvcache_run_rows},
	{"kvcache", "size", cmd_kvcache_size,
		"--drive MODEL [--slo p95=TIME] [OPTION...]",
		"users that a drive serves within a time", kvcache_size_rows},
	{"vectordb", "datasize", cmd_vectordb_datasize, "[OPTION...]",
		"bytes of an index by segment, node and read",
		vectordb_datasize_rows},
	{"vectordb", "datagen", cmd_vectordb_datagen,
		"--data-dir DIR [OPTION...]",
		"write the index files that run searches",
		vectordb_datagen_rows},
	{"vectordb", "run", cmd_vectordb_run,
		"--data-dir DIR | --drive MODEL [OPTION...]",
		"search vectors: queries per second and their latency",
		vectordb_run_rows},
	{"plan", "checkpoint", cmd_plan_checkpoint,
		"--model NAME --drive PROFILE --mtbf TIME [OPTION...]",
		"how often to save, what failures cost, bandwidth for a goal",
		plan_checkpoint_rows},
	{"drive", "probe", cmd_drive_probe, "--data-dir DIR [OPTION...]",
		"measure a drive in a few minutes and save its profile",
		drive_probe_rows},
	{"drive", "list", cmd_drive_list, "[OPTION...]",
		"profiles of drives there are", drive_list_rows},
	{"drive", "show", cmd_drive_show, "NAME | FILE.json [OPTION...]",
		"one profile, and where its figures come from",
		drive_show_rows},
	{"drive", "passport", cmd_drive_passport,
		"--data-dir DIR [OPTION...]",
		"which drive a folder lies on: model, link, queue, file "
		"system",
		drive_passport_rows},
	{"history", NULL, cmd_history, "--results-dir DIR [--json]",
		"finished runs, grouped into campaigns", history_rows},
	{"system", "describe", cmd_system_describe, "[OPTION...]",
		"this host as a submission describes systems, to fill in",
		system_describe_rows},
	{"bundle", "create", cmd_bundle_create,
		"--results-dir DIR --org NAME --systemname NAME "
		"--system-file FILE [OPTION...] OUT",
		"a submission's tree from finished runs", bundle_create_rows},
	{"bundle", "check", cmd_bundle_check, "TREE [OPTION...]",
		"a submission's tree against every rule", bundle_check_rows},
	{"why", NULL, cmd_why, "RUN_FOLDER|RESULTS_DIR [OPTION...]",
		"what limits a run, with figures, and what would change it",
		why_rows},
	{"report", NULL, cmd_report, "DIR|SIZE.json... [OPTION...]",
		"runs of all four workloads, and sizing, as one file to pass "
		"on",
		report_rows},
	{"recipe", "list", cmd_recipe_list, "[OPTION...]",
		"campaigns that are ready to run", recipe_list_rows},
	{"recipe", "show", cmd_recipe_show, "NAME|FILE.json [OPTION...]",
		"a recipe's variables, steps and what each must yield",
		recipe_show_rows},
	{"recipe", "run", cmd_recipe_run,
		"NAME|FILE.json --set NAME=VALUE... [OPTION...]",
		"run a campaign step by step, or go on with it",
		recipe_run_rows},
	{"rules", "list", cmd_rules_list, "[--json]", "the rules, one a line",
		rules_list_rows},
	{"rules", "explain", cmd_rules_explain, "ID [--json]",
		"one rule: what it reads, when it passes, the remedy",
		rules_explain_rows},
	{"version", NULL, cmd_version, "[--json]",
		"this program, its libraries, kernel and compiler",
		version_rows},
	{"internal", "man", cmd_internal_man, "", NULL, NULL},
	{"internal", "completion", cmd_internal_completion, "", NULL, NULL},
};
const size_t command_count = sizeof(commands) / sizeof(commands[0]);

#define NAMES_MAX (2 * sizeof(commands) / sizeof(commands[0]) + 1)

const struct command *command_find(int argc, char **argv, int *words)
{
	size_t i;

	for (i = 0; i < command_count; i++) {
		*words = commands[i].verb ? 2 : 1;
		if (argc >= *words && !strcmp(argv[0], commands[i].noun) &&
			(!commands[i].verb ||
				!strcmp(argv[1], commands[i].verb)))
			return &commands[i];
	}
	return NULL;
}

const char *command_name(const struct command *c, char buf[COMMAND_NAME_MAX])
{
	snprintf(buf, COMMAND_NAME_MAX, "%s%s%s", c->noun, c->verb ? " " : "",
		c->verb ? c->verb : "");
	return buf;
}

int command_help(const struct option_row *rows)
{
	char name[COMMAND_NAME_MAX];
	size_t i;

	for (i = 0; i < command_count; i++) {
		if (commands[i].rows != rows)
			continue;
		printf("usage: stoker %s %s\n%s\n",
			command_name(&commands[i], name), commands[i].synopsis,
			commands[i].help);
	}
	options_print_help(rows);
	return 0;
}

bool command_options(const struct option_row *rows, void *into, int argc,
	const char **argv, int *code)
{
	struct option_words none = {.most = 0};

	return command_options_words(rows, into, argc, argv, &none, code);
}

/* Also where an option before it is wrong. */
static bool wants_json(const struct option_row *r, int argc, const char **argv)
{
	int i;

	while (r->name && strcmp(r->name, "json"))
		r++;
	for (i = 0; r->name && i < argc && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

bool command_options_words(const struct option_row *rows, void *into,
	int argc, const char **argv, struct option_words *w, int *code)
{
	struct err e;
	bool help;

	if (options_parse(rows, into, argc, argv, w, &help, &e)) {
		*code = cli_fail_report(wants_json(rows, argc, argv), &e);
		return false;
	}
	if (help)
		*code = command_help(rows);
	return !help;
}

static void usage_lines(FILE *f, const char *noun)
{
	const struct command *c;

	for (c = commands; c < commands + command_count; c++)
		if (c->help && (!noun || !strcmp(c->noun, noun)))
			fprintf(f, "  stoker %-13s %-9s %s\n", c->noun,
				c->verb ? c->verb : "", c->help);
}

static void commands_usage(FILE *f)
{
	fprintf(f, "stoker: how many AI accelerators can this drive feed? (an "
		   "emulator of the MLPerf Storage workloads;\nresults are "
		   "unverified and not MLPerf results)\n\n"
		   "usage: stoker COMMAND [OPTION...]\n\n");
	usage_lines(f, NULL);
	fprintf(f, "\n"
		   "stoker COMMAND --help lists a command's options.\n"
		   "exit codes: 0 done, 1 verdict FAIL, 2 usage, 3 "
		   "environment, 4 I/O, 5 bug, 130 interrupted\n");
}

static bool is_noun(const char *word)
{
	size_t i;

	for (i = 0; i < command_count; i++)
		if (commands[i].help && !strcmp(word, commands[i].noun))
			return true;
	return false;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h") ||
	       !strcmp(word, "help");
}

static int help_about(int argc, char **argv)
{
	static const char *ask[] = {"--help", NULL};
	const struct command *c;
	int words;

	c = command_find(argc, argv, &words);
	if (c && words == argc)
		return c->run(1, ask);
	if (argc != 1 || !is_noun(argv[0]))
		return commands_unknown(argc, argv);
	printf("usage: stoker %s COMMAND [OPTION...]\n\n", argv[0]);
	usage_lines(stdout, argv[0]);
	printf("\nstoker %s COMMAND --help lists a command's options.\n",
		argv[0]);
	return 0;
}

bool commands_asked_for_help(int argc, char **argv, int *code)
{
	*code = 0;
	if (argc == 1 && is_help(argv[0]))
		commands_usage(stdout);
	else if (argc > 1 && is_help(argv[0]))
		*code = help_about(argc - 1, argv + 1);
	else if (argc == 2 && is_noun(argv[0]) && is_help(argv[1]))
		*code = help_about(1, argv);
	else
		return false;
	return true;
}

/* The nearest verb of a noun; the nearest noun for noun NULL. */
static const char *nearest_word(const char *word, const char *noun)
{
	const char *names[NAMES_MAX];
	size_t i, n = 0;

	for (i = 0; i < command_count; i++) {
		if (!commands[i].help)
			continue;
		if (!noun)
			names[n++] = commands[i].noun;
		else if (!strcmp(commands[i].noun, noun) && commands[i].verb)
			names[n++] = commands[i].verb;
	}
	names[n] = NULL;
	return nearest_name(word, names);
}

int commands_unknown(int argc, char **argv)
{
	const char *near;

	if (argc > 0 && is_noun(argv[0])) {
		near = argc > 1 ? nearest_word(argv[1], argv[0]) : NULL;
		if (argc == 1)
			fprintf(stderr, "stoker: %s needs a command", argv[0]);
		else
			fprintf(stderr, "stoker: no command \"%s %s\"", argv[0],
				argv[1]);
		if (near)
			fprintf(stderr, "; did you mean \"%s %s\"?", argv[0],
				near);
		fprintf(stderr, "\n\n");
	} else if (argc > 0) {
		near = nearest_word(argv[0], NULL);
		fprintf(stderr, "stoker: no command \"%s\"%s%s%s\n\n", argv[0],
			near ? "; did you mean \"" : "", near ? near : "",
			near ? "\"?" : "");
	}
	commands_usage(stderr);
	return ERR_USAGE;
}
