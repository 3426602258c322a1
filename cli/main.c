/* stoker: the command line. Finds the command and hands over. */
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/training.h"
#include "storage/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *noun, *verb;
	int (*run)(int argc, const char **argv);
	const char *help;
};

static const struct command commands[] = {
	{"training", "datasize", cmd_training_datasize,
		"how many files a data set needs, and why"},
	{"training", "datagen", cmd_training_datagen,
		"generate a data set, or finish one"},
	{"training", "run", cmd_training_run,
		"feed emulated accelerators; the five-run verdict"},
	{"training", "profiles", cmd_training_profiles,
		"workloads and accelerators there are"},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *f)
{
	size_t i;

	fprintf(f,
		"stoker: how many AI accelerators can this drive feed? (an "
		"emulator of the MLPerf Storage workloads;\nresults are "
		"unverified and not MLPerf results)\n\n"
		"usage: stoker COMMAND [OPTION...]\n\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(f, "  stoker %-9s %-9s %s\n", commands[i].noun,
			commands[i].verb, commands[i].help);
	fprintf(f, "  stoker version\n\n"
		   "stoker COMMAND --help lists a command's options.\n"
		   "exit codes: 0 done, 1 verdict FAIL, 2 usage, 3 "
		   "environment, 4 I/O, 5 bug, 130 interrupted\n");
}

static const char *nearest_verb(const char *noun, const char *verb)
{
	const char *names[COMMANDS + 1];
	size_t i, n = 0;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].noun, noun))
			names[n++] = commands[i].verb;
	names[n] = NULL;
	return options_nearest(verb, names);
}

static int unknown(int argc, char **argv)
{
	const char *near = argc > 2 ? nearest_verb(argv[1], argv[2]) : NULL;
	size_t i;

	for (i = 0; argc == 2 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].noun))
			break;
	if (argc == 2 && i < COMMANDS)
		fprintf(stderr, "stoker: %s needs a command\n\n", argv[1]);
	else if (near)
		fprintf(stderr, "stoker: no command \"%s %s\"; did you mean "
				"\"%s %s\"?\n\n",
			argv[1], argv[2], argv[1], near);
	else if (argc > 1)
		fprintf(stderr, "stoker: no command \"%s\"\n\n", argv[1]);
	usage(stderr);
	return ERR_USAGE;
}

/* A report that nobody got is not a success, whatever the report says. */
static int after_output(int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	fprintf(stderr, "stoker: cannot write to standard output: %s\n",
		strerror(errno));
	return code <= ERR_VERDICT ? ERR_IO : code;
}

int main(int argc, char **argv)
{
	size_t i;

	host_raise_open_files();
	launch_argc = argc;
	launch_argv = argv;
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
				!strcmp(argv[1], "help"))) {
		usage(stdout);
		return after_output(0);
	}
	if (argc > 1 && (!strcmp(argv[1], "version") ||
				!strcmp(argv[1], "--version"))) {
		printf("stoker " STOKER_VERSION "\n");
		return after_output(0);
	}
	for (i = 0; argc > 2 && i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].noun) &&
			!strcmp(argv[2], commands[i].verb))
			return after_output(commands[i].run(
				argc - 3, (const char **)argv + 3));
	return unknown(argc, argv);
}
