/* mpirun around ourselves; see launch.h. */
#include "cli/launch.h"

#include "cli/cli.h"
#include "storage/host.h"
#include "storage/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_ENV "STOKER_EXIT_FILE"
#define OUT_ENV "STOKER_STDOUT_FILE"
#define HOST_ENV "STOKER_EXIT_HOST"
#define ARGS_MAX 512
/*
 * A second Ctrl-C, or this long after the first, ends the ranks by force. Who
 * sends a SIGTERM or SIGHUP will not wait that long.
 */
#define PATIENCE_S 10
#define PATIENCE_TERM_S 1
/* mpirun's SIGTERM to the ranks takes effect, or this ends mpirun. */
#define PATIENCE_MPIRUN_S 15
#define REPEAT_S 3
#define TICKS_PER_S 100

/* What rank 0 hands over; memory files, of which nothing is left behind. */
struct handover {
	int exit_fd, out_fd;
};

int launch_argc;
char **launch_argv;

static volatile sig_atomic_t signals_seen, first_signal, asked;

static void on_signal(int sig)
{
	int level = sig == SIGTERM ? LOOP_HURRY : LOOP_LEAVE;

	/* SIGUSR1 is the parent's, who repeats it */
	if (sig != SIGUSR1 && asked++)
		level = LOOP_FORCED;
	if (loop_interrupted < level)
		loop_interrupted = level;
	if (!signals_seen++)
		first_signal = sig;
}

void launch_catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	size_t i;

	/* no SA_RESTART: a wait must end */
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &sa, NULL);
}

/*
 * One line to the parent's file: rank 0 says "= CODE", others that failed say
 * "? CODE TEXT", which counts when rank 0 has died.
 */
static int tell_parent(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0) {
		n = write(fd, line, strlen(line));
		close(fd);
	}
	return n < 0 ? -EIO : 0;
}

/* The parent's file, if the parent is on this host. */
static const char *parent_file(const char *variable)
{
	const char *path = getenv(variable), *host = getenv(HOST_ENV);
	char here[256];

	host_name(here, sizeof(here));
	return path && host && !strcmp(host, here) ? path : NULL;
}

void launch_stdout(uint32_t rank)
{
	const char *path = rank ? NULL : parent_file(OUT_ENV);
	int fd;

	if (!path)
		return;
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	close(fd);
}

int launch_exit(uint32_t rank, int code)
{
	const char *path = parent_file(EXIT_ENV);
	char line[32];

	if (rank)
		return 0; /* rank 0 speaks for all */
	snprintf(line, sizeof(line), "= %d\n", code);
	if (fflush(stdout))
		return code; /* main() will say so */
	return path && !tell_parent(path, line) ? 0 : code;
}

static void failure_line(char *line, size_t size, const struct err *e)
{
	snprintf(line, size, "? %d %s\n",
		e->code == -EINTR ? EXIT_INTERRUPTED : (int)e->kind, e->text);
}

void launch_failed(const struct err *e)
{
	const char *path = parent_file(EXIT_ENV);
	char line[sizeof(e->text) + 32];

	failure_line(line, sizeof(line), e);
	if (path)
		tell_parent(path, line);
}

/* Read from its start what others wrote. */
static FILE *rewound(int fd)
{
	FILE *f;

	lseek(fd, 0, SEEK_SET);
	f = fdopen(dup(fd), "r");
	return f;
}

/*
 * What the ranks left: true if rank 0 has spoken. Else e may hold what another
 * one said.
 */
static bool read_exit(int fd, int *code, struct err *e)
{
	FILE *f = rewound(fd);
	char line[sizeof(e->text) + 32];
	bool spoken = false;
	int at;

	while (f && !spoken && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		spoken = sscanf(line, "= %d", code) == 1;
		if (!spoken && !e->kind && sscanf(line, "? %d %n", code, &at))
			err_set(e,
				*code == EXIT_INTERRUPTED ? ERR_IO
							  : (enum err_kind)*code,
				*code == EXIT_INTERRUPTED ? -EINTR : -EIO,
				"%s", line + at);
	}
	if (f)
		fclose(f);
	return spoken;
}

static void build_args(const char **args, uint64_t ranks, const char *hosts,
	uint64_t per_node, const struct handover *h)
{
	static char count[24], node[24], env[2][64], self[4096], host[300];
	char here[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int i, k = 0;

	self[n > 0 ? n : 0] = 0;
	snprintf(count, sizeof(count), "%" PRIu64, ranks);
	snprintf(node, sizeof(node), "%" PRIu64, per_node);
	snprintf(env[0], sizeof(env[0]), EXIT_ENV "=/proc/%d/fd/%d", getpid(),
		h->exit_fd);
	snprintf(env[1], sizeof(env[1]), OUT_ENV "=/proc/%d/fd/%d", getpid(),
		h->out_fd);
	host_name(here, sizeof(here));
	snprintf(host, sizeof(host), HOST_ENV "=%s", here);
	args[k++] = "mpirun";
	args[k++] = "-n";
	args[k++] = count;
	if (geteuid() == 0)
		args[k++] = "--allow-run-as-root";
	args[k++] = "--oversubscribe";
	args[k++] = "--bind-to";
	args[k++] = "none";
	/* in containers copying between processes is often forbidden */
	args[k++] = "--mca";
	args[k++] = "btl_vader_single_copy_mechanism";
	args[k++] = "none";
	/* more ranks than cores: waiting in MPI must not starve the others */
	args[k++] = "--mca";
	args[k++] = "mpi_yield_when_idle";
	args[k++] = "1";
	/* when a rank dies the others have this long to write what they have */
	args[k++] = "--mca";
	args[k++] = "odls_base_sigkill_timeout";
	args[k++] = "2";
	if (per_node) {
		args[k++] = "-npernode";
		args[k++] = node;
	}
	if (hosts) {
		args[k++] = "--host";
		args[k++] = hosts;
	}
	for (i = 0; i < 2; i++) {
		args[k++] = "-x";
		args[k++] = env[i];
	}
	args[k++] = "-x";
	args[k++] = host;
	args[k++] = n > 0 ? self : launch_argv[0];
	for (i = 1; i < launch_argc && k < ARGS_MAX - 1; i++)
		args[k++] = launch_argv[i];
	args[k] = NULL;
}

static void print_args(const char *const *args)
{
	fprintf(stderr, "stoker: running");
	for (; *args; args++) {
		if (!strcmp(*args, "-x") && args[1]) {
			args++; /* ours alone */
			continue;
		}
		fprintf(stderr, strpbrk(*args, " '\"$") ? " '%s'" : " %s",
			*args);
	}
	fprintf(stderr, "\n");
}

static void child(const char *const *args, pid_t parent, int exit_fd)
{
	char line[sizeof(((struct err *)0)->text) + 32];
	struct err e;
	int null = open("/dev/null", O_RDONLY);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	/* a terminal's Ctrl-C is the parent's to handle */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/*
	 * PMIx's default store has a lock in shared memory: a rank that dies
	 * while it holds it leaves mpirun waiting for ever.
	 */
	setenv("PMIX_MCA_gds", "hash", 0);
	/* PMIx dies of a user without a home, as containers have them */
	if (!getpwuid(geteuid()))
		setenv("HOME", "/", 0);
	if (getppid() != parent)
		_exit(ERR_ENV);
	execvp(args[0], (char *const *)(uintptr_t)args);
	err_set(&e, ERR_ENV, -errno,
		"cannot run %s: %s; install it (Debian: apt-get install "
		"openmpi-bin), or use --in-process",
		args[0], strerror(errno));
	failure_line(line, sizeof(line), &e);
	if (write(exit_fd, line, strlen(line)) < 0)
		fprintf(stderr, "stoker: %s\n", e.text);
	_exit(ERR_ENV);
}

/* Wait for mpirun, passing interrupts on: first gently, then not. */
static int supervise(pid_t pid)
{
	int status = 0, passed = 0, ticks = 0, patience = 0;
	bool told = false;

	for (; waitpid(pid, &status, WNOHANG) == 0; ticks++, usleep(10000)) {
		if (!signals_seen)
			continue;
		if (!passed) {
			kill(pid, SIGUSR1); /* mpirun hands it to all ranks */
			passed = signals_seen;
			ticks = 0;
			patience = first_signal == SIGINT ? PATIENCE_S
							  : PATIENCE_TERM_S;
		} else if (!told && (signals_seen > passed ||
					    ticks > patience * TICKS_PER_S)) {
			kill(pid, SIGTERM);
			told = true;
			ticks = 0;
		} else if (told && ticks == PATIENCE_MPIRUN_S * TICKS_PER_S) {
			kill(pid, SIGKILL);
		} else if (!told && ticks <= REPEAT_S * TICKS_PER_S &&
			   ticks && ticks % TICKS_PER_S == 0) {
			kill(pid, SIGUSR1); /* lost while ranks start */
		}
		if (ticks == REPEAT_S * TICKS_PER_S && !told)
			fprintf(stderr, "stoker: waiting for the ranks to "
					"leave; Ctrl-C again ends them by "
					"force\n");
	}
	return status;
}

static bool json_asked(void)
{
	int i;

	for (i = 1; i < launch_argc; i++)
		if (!strcmp(launch_argv[i], "--json"))
			return true;
	return false;
}

/* Rank 0's standard output, whole. */
static void pass_output(int fd)
{
	FILE *f = rewound(fd);
	char buf[65536];
	size_t n;

	while (f && (n = fread(buf, 1, sizeof(buf), f)))
		fwrite(buf, 1, n, stdout);
	if (f)
		fclose(f);
}

/* The exit code of the job; what rank 0 could not say is said here. */
static int job_code(const struct handover *h, int status)
{
	struct err e = {.kind = ERR_NONE};
	int code;

	if (read_exit(h->exit_fd, &code, &e)) {
		pass_output(h->out_fd);
		return code;
	}
	if (!e.kind && signals_seen)
		err_set(&e, ERR_IO, -EINTR, "interrupted");
	else if (!e.kind && WIFSIGNALED(status))
		err_set(&e, ERR_ENV, -EIO, "mpirun was ended by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (!e.kind)
		err_set(&e, ERR_ENV, -EIO,
			"mpirun ended with exit code %d and no rank left a "
			"report: either it started none (its own message is "
			"above; check --hosts and --npernode), or all were "
			"killed at once (dmesg tells of the kernel's "
			"out-of-memory killer). Without MPI: --in-process",
			WEXITSTATUS(status));
	return cli_fail_report(json_asked(), &e);
}

/* "a,b:4,c" is three hosts; none named is this one. */
static uint64_t count_hosts(const char *hosts)
{
	uint64_t n = 1;

	for (; hosts && *hosts; hosts++)
		n += *hosts == ',';
	return n;
}

static int start(uint64_t ranks, const char *hosts, uint64_t per_node,
	struct handover *h, struct err *e)
{
	const char *args[ARGS_MAX];
	char cwd[PATH_MAX];
	pid_t pid, parent = getpid();

	if (per_node && count_hosts(hosts) * per_node < ranks)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--npernode %" PRIu64 " on %" PRIu64 " host(s) makes "
			"%" PRIu64 " ranks, %" PRIu64 " are asked for; raise "
			"it or name more --hosts",
			per_node, count_hosts(hosts),
			count_hosts(hosts) * per_node, ranks);
	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ERR_ENV, -errno,
			"mpirun needs a current folder (%s): change to one "
			"that is there, or use --in-process",
			strerror(errno));
	h->exit_fd = memfd_create("exit", MFD_CLOEXEC);
	h->out_fd = memfd_create("stdout", MFD_CLOEXEC);
	if (h->exit_fd < 0 || h->out_fd < 0)
		return err_set(e, ERR_ENV, -errno,
			"cannot make a memory file for the ranks' report: %s",
			strerror(errno));
	build_args(args, ranks, hosts, per_node, h);
	launch_catch_signals();
	print_args(args);
	pid = fork();
	if (pid == 0)
		child(args, parent, h->exit_fd);
	if (pid > 0)
		return pid;
	return err_set(e, ERR_ENV, -errno, "fork: %s", strerror(errno));
}

int launch_mpirun(uint64_t ranks, const char *hosts, uint64_t per_node)
{
	struct handover h = {-1, -1};
	struct err e;
	int pid;

	pid = start(ranks, hosts, per_node, &h, &e);
	if (pid < 0)
		return cli_fail_report(json_asked(), &e);
	return job_code(&h, supervise(pid));
}
