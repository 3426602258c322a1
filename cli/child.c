/* This program as a child of itself; see child.h. */
#include "cli/child.h"

#include "core/file.h"
#include "storage/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_US 10000
#define OUT_BYTES_MAX (256UL << 20)
#define SELF "/proc/self/exe"

void child_word(struct child_args *a, const char *word)
{
	if (a->count + 1 >= CHILD_ARGS_MAX)
		a->overflow = true;
	else
		a->at[a->count++] = word;
}

void child_arg(struct child_args *a, const char *name, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0 || a->own_count == CHILD_ARGS_MAX) {
		a->overflow = true;
		return;
	}
	a->own[a->own_count++] = text;
	child_word(a, name);
	child_word(a, text);
}

void child_args_fini(struct child_args *a)
{
	while (a->own_count)
		free(a->own[--a->own_count]);
	a->count = 0;
}

static void exec_self(
	const struct child_args *a, int out, int messages, pid_t parent)
{
	const char *argv[CHILD_ARGS_MAX + 2];
	int null = open("/dev/null", O_RDONLY);

	argv[0] = "stoker";
	memcpy(argv + 1, a->at, a->count * sizeof(*a->at));
	argv[a->count + 1] = NULL;
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	/* a terminal's Ctrl-C is the parent's to pass on */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		execv(SELF, (char *const *)(uintptr_t)argv);
	_exit(ERR_ENV);
}

/* Wait; what interrupts us interrupts the child, once for each level. */
static int wait_for(pid_t pid)
{
	int status = 0, level = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (loop_interrupted > level) {
			level = loop_interrupted;
			kill(pid, level == LOOP_HURRY ? SIGTERM : SIGINT);
		}
		usleep(TICK_US);
	}
	return status;
}

static int read_back(int fd, char **text, size_t *len, struct err *e)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return file_read_all(path, OUT_BYTES_MAX, text, len, e);
}

static int run(const struct child_args *a, int out, int messages,
	struct child_result *res, struct err *e)
{
	pid_t parent = getpid(), pid;
	int status, r;

	pid = fork();
	if (pid == 0)
		exec_self(a, out, messages, parent);
	if (pid < 0)
		return err_set(e, ERR_ENV, -errno, "fork: %s", strerror(errno));
	status = wait_for(pid);
	r = read_back(out, &res->out, &res->out_bytes, e);
	if (!r)
		r = read_back(messages, &res->messages, NULL, e);
	if (r)
		return r;
	if (loop_interrupted)
		return err_set(e, ERR_IO, -EINTR, "interrupted");
	if (!WIFEXITED(status))
		return err_set(e, ERR_ENV, -EIO,
			"a run was ended by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	res->exit_code = WEXITSTATUS(status);
	return 0;
}

int child_run(
	const struct child_args *a, struct child_result *res, struct err *e)
{
	int out, messages, r;

	memset(res, 0, sizeof(*res));
	if (a->overflow)
		return err_set(e, ERR_USAGE, -E2BIG,
			"too many options for a run of its own");
	out = memfd_create("stdout", MFD_CLOEXEC);
	messages = memfd_create("stderr", MFD_CLOEXEC);
	if (out < 0 || messages < 0)
		r = err_set(e, ERR_ENV, -errno,
			"cannot make a memory file for a run's report: %s",
			strerror(errno));
	else
		r = run(a, out, messages, res, e);
	if (out >= 0)
		close(out);
	if (messages >= 0)
		close(messages);
	return r;
}

void child_result_fini(struct child_result *res)
{
	free(res->out);
	free(res->messages);
	memset(res, 0, sizeof(*res));
}
