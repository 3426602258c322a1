/* This program as a child of itself; see child.h. */
#include "cli/child.h"

#include "core/file.h"
#include "storage/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* What interrupts us interrupts the child, once for each level. */
static void pass_on(pid_t pid, int *level)
{
	if (loop_interrupted <= *level)
		return;
	*level = loop_interrupted;
	kill(pid, *level == LOOP_HURRY ? SIGTERM : SIGINT);
}

static int wait_for(pid_t pid)
{
	int status = 0, level = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		pass_on(pid, &level);
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

static int exit_of(int status, int *exit_code, struct err *e)
{
	if (WIFEXITED(status))
		*exit_code = WEXITSTATUS(status);
	if (loop_interrupted)
		return err_set(e, ERR_IO, -EINTR, "interrupted");
	if (WIFEXITED(status))
		return 0;
	return err_set(e, ERR_ENV, -EIO, "a run was ended by signal %d (%s)",
		WTERMSIG(status), strsignal(WTERMSIG(status)));
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
	return r ? r : exit_of(status, &res->exit_code, e);
}

/* Hand over what is there; false at the end. */
static bool drain(int fd, int name, child_sink *sink, void *arg)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sink(arg, name, buf, (size_t)n);
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static int listen_to(pid_t pid, const int *ends, child_sink *sink, void *arg)
{
	struct pollfd p[2] = {{.fd = ends[0], .events = POLLIN},
		{.fd = ends[1], .events = POLLIN}};
	int status = 0, level = 0, i;
	bool ended = false;

	while (!ended) {
		ended = waitpid(pid, &status, WNOHANG) != 0;
		pass_on(pid, &level);
		if (!ended)
			poll(p, 2, TICK_US / 1000);
		for (i = 0; i < 2; i++)
			if (p[i].fd >= 0 && !drain(p[i].fd, i + 1, sink, arg))
				p[i].fd = -1;
	}
	return status;
}

static int pipe_of(int ends[2], struct err *e)
{
	if (pipe2(ends, O_CLOEXEC))
		return err_set(e, ERR_ENV, -errno,
			"cannot make a pipe for a step's words: %s",
			strerror(errno));
	/* ours alone: the child's end must wait */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	return 0;
}

int child_stream(const struct child_args *a, child_sink *sink, void *arg,
	int *exit_code, struct err *e)
{
	int out[2] = {-1, -1}, messages[2] = {-1, -1}, ends[2], r;
	pid_t parent = getpid(), pid = -1;

	if (a->overflow)
		return err_set(e, ERR_USAGE, -E2BIG,
			"too many options for a run of its own");
	r = pipe_of(out, e);
	if (!r)
		r = pipe_of(messages, e);
	if (!r) {
		pid = fork();
		if (pid == 0)
			exec_self(a, out[1], messages[1], parent);
		if (pid < 0)
			r = err_set(e, ERR_ENV, -errno, "fork: %s",
				strerror(errno));
	}
	if (out[1] >= 0)
		close(out[1]);
	if (messages[1] >= 0)
		close(messages[1]);
	ends[0] = out[0];
	ends[1] = messages[0];
	if (!r)
		r = exit_of(listen_to(pid, ends, sink, arg), exit_code, e);
	if (out[0] >= 0)
		close(out[0]);
	if (messages[0] >= 0)
		close(messages[0]);
	return r;
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
