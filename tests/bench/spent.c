/*
 * Runs a command and tells what it cost, with all the processes and kernel
 * workers it waited for: one line "wall_s cpu_s peak_rss_bytes" in FILE.
 *
 *	spent FILE COMMAND [ARG...]
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct rusage ru;
	double from_s;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: spent FILE COMMAND [ARG...]\n");
		return 2;
	}
	from_s = now_s();
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &ru) < 0) {
		perror("spent");
		return 3;
	}
	from_s = now_s() - from_s;
	f = fopen(argv[1], "we");
	if (!f) {
		perror(argv[1]);
		return 3;
	}
	fprintf(f, "%.6f %.6f %ld\n", from_s,
		seconds(ru.ru_utime) + seconds(ru.ru_stime),
		ru.ru_maxrss * 1024L);
	fclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}
