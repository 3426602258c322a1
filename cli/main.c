/* stoker: the command line. Finds the command and hands over. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "storage/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A report that nobody got is not a success, whatever the report says. */
static int after_output(int code)
{
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	fprintf(stderr, "stoker: cannot write to standard output: %s\n",
		strerror(errno));
	return code <= ERR_VERDICT ? ERR_IO : code;
}

static bool is_word(int argc, char **argv, const char *word)
{
	return argc > 1 && !strcmp(argv[1], word);
}

int main(int argc, char **argv)
{
	const struct command *c;
	int words;

	host_raise_open_files();
	launch_argc = argc;
	launch_argv = argv;
	if (is_word(argc, argv, "--help") || is_word(argc, argv, "-h") ||
		is_word(argc, argv, "help")) {
		commands_usage(stdout);
		return after_output(0);
	}
	if (is_word(argc, argv, "--version"))
		return after_output(cmd_version(0, NULL));
	c = command_find(argc - 1, argv + 1, &words);
	if (!c)
		return commands_unknown(argc - 1, argv + 1);
	return after_output(c->run(argc - 1 - words,
		(const char **)(uintptr_t)(argv + 1 + words)));
}
