#ifndef CLI_LAUNCHED_H
#define CLI_LAUNCHED_H
/*
 * A command in a process that mpirun or srun started: what each rank does, and
 * how all of them come to one end with one report.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

struct group;

struct launched {
	/*
	 * Resolve the options, knowing the group. Every rank reads the same
	 * arguments; the first error of any ends all.
	 */
	int (*prepare)(void *ctx, struct group *g, struct err *e);
	int (*dry_run)(void *ctx);		/* on rank 0; the exit code */
	int (*run)(void *ctx, struct group *g); /* the exit code */
	void *ctx;
	bool only_dry; /* --dry-run */
	bool json;
};

/* Returns the process's exit code. */
int launched_run(const struct launched *l);

/* -EINVAL where mpirun did not start as many ranks as were asked for. */
int launched_check(const struct group *g, uint64_t wanted, const char *what,
	struct err *e);

#endif
