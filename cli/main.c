/* stoker: the command line. Finds the command and hands over. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "storage/host.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
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

/*
 * A descriptor 0 to 2 that the caller closed would be given to the next file
 * that is opened, and messages would land in data. Opened the wrong way round
 * it takes the number, and using it is the same error as before.
 */
static void hold_standard_streams(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
			open("/dev/null", modes[fd]) != fd)
			return;
}

int main(int argc, char **argv)
{
	const struct command *c;
	int words, code;

	hold_standard_streams();
	/* a reader that left (| head) and ulimit -f are errors, not deaths */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	host_raise_open_files();
	launch_argc = argc;
	launch_argv = argv;
	if (commands_asked_for_help(argc - 1, argv + 1, &code))
		return after_output(code);
	if (argc > 1 && !strcmp(argv[1], "--version"))
		return after_output(cmd_version(0, NULL));
	c = command_find(argc - 1, argv + 1, &words);
	if (!c)
		return commands_unknown(argc - 1, argv + 1);
	return after_output(c->run(argc - 1 - words,
		(const char **)(uintptr_t)(argv + 1 + words)));
}
