/* mpirun around ourselves; see launch.h. */
#include "cli/launch.h"

#include "cli/cli.h"
#include "storage/host.h"
#include "storage/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_ENV "STOKER_EXIT_FILE"
#define HOST_ENV "STOKER_EXIT_HOST"
#define ARGS_MAX 512
/* A second Ctrl-C, or this long after the first, ends the ranks by force. */
#define PATIENCE_S 10

int launch_argc;
char **launch_argv;

static volatile sig_atomic_t signals_seen;

static void on_signal(int sig)
{
	(void)sig;
	loop_interrupted = 1;
	signals_seen++;
}

void launch_catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
	size_t i;

	/* no SA_RESTART: a wait must end */
	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigaction(sigs[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int launch_exit(uint32_t rank, int code)
{
	const char *path = getenv(EXIT_ENV), *host = getenv(HOST_ENV);
	char here[256];
	FILE *f;

	if (rank)
		return 0; /* rank 0 speaks for all */
	host_name(here, sizeof(here));
	if (!path || !host || strcmp(host, here))
		return code;
	f = fopen(path, "we");
	if (!f)
		return code;
	fprintf(f, "%d\n", code);
	return fclose(f) ? code : 0;
}

static int read_exit(const char *path, int fallback)
{
	FILE *f = fopen(path, "re");
	int code = fallback;

	if (f) {
		if (fscanf(f, "%d", &code) != 1)
			code = fallback;
		fclose(f);
	}
	return code;
}

static void build_args(const char **args, uint64_t ranks, const char *hosts,
	uint64_t per_node, const char *exit_file)
{
	static char count[24], node[24], env[4096], self[4096], host[300];
	char here[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int i, k = 0;

	self[n > 0 ? n : 0] = 0;
	snprintf(count, sizeof(count), "%" PRIu64, ranks);
	snprintf(node, sizeof(node), "%" PRIu64, per_node);
	snprintf(env, sizeof(env), EXIT_ENV "=%s", exit_file);
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
	if (per_node) {
		args[k++] = "-npernode";
		args[k++] = node;
	}
	if (hosts) {
		args[k++] = "--host";
		args[k++] = hosts;
	}
	args[k++] = "-x";
	args[k++] = env;
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

static void child(const char *const *args, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	/* a terminal's Ctrl-C is the parent's to handle */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(ERR_ENV);
	execvp(args[0], (char *const *)(uintptr_t)args);
	fprintf(stderr,
		"stoker: cannot run %s: %s; install it (Debian: apt-get "
		"install openmpi-bin), or use --in-process\n",
		args[0], strerror(errno));
	_exit(ERR_ENV);
}

/* Wait for mpirun, passing interrupts on: first gently, then not. */
static int supervise(pid_t pid)
{
	int status = 0, passed = 0, patience = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (signals_seen > passed && !passed) {
			kill(pid, SIGUSR1); /* mpirun hands it to all ranks */
			passed = signals_seen;
			patience = 0;
		} else if (passed && (signals_seen > passed ||
					     patience > PATIENCE_S * 100)) {
			kill(pid, SIGTERM);
			passed = signals_seen;
			patience = 0;
		} else if (passed && patience && patience % 100 == 0) {
			kill(pid, SIGUSR1); /* lost while ranks start */
		}
		patience++;
		usleep(10000);
	}
	return status;
}

int launch_mpirun(uint64_t ranks, const char *hosts, uint64_t per_node)
{
	char exit_file[] = "/tmp/stoker-exit-XXXXXX";
	const char *args[ARGS_MAX];
	pid_t pid, parent = getpid();
	int fd, status, code;

	fd = mkstemp(exit_file);
	if (fd < 0) {
		fprintf(stderr, "stoker: cannot make %s: %s\n", exit_file,
			strerror(errno));
		return ERR_ENV;
	}
	close(fd);
	build_args(args, ranks, hosts, per_node, exit_file);
	print_args(args);
	launch_catch_signals();
	pid = fork();
	if (pid == 0)
		child(args, parent);
	if (pid < 0) {
		fprintf(stderr, "stoker: fork: %s\n", strerror(errno));
		unlink(exit_file);
		return ERR_ENV;
	}
	status = supervise(pid);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : ERR_ENV;
	/*
	 * A rank that died left nothing: mpirun's own code stands, but for
	 * ranks that were interrupted before they could catch it.
	 */
	code = read_exit(exit_file, signals_seen ? EXIT_INTERRUPTED
				    : code	 ? code
						 : ERR_ENV);
	unlink(exit_file);
	return code;
}
