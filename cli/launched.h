#ifndef CLI_LAUNCHED_H
#define CLI_LAUNCHED_H
/*
 * The frame of a command that runs in a group of ranks: in processes that mpirun
 * or srun started, in ones that it starts itself, or all in this process; and
 * how all of them come to one end with one report.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

struct group;
struct record;

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

/* In a process that mpirun or srun started; returns its exit code. */
int launched_run(const struct launched *l);

/*
 * In a process that a user started, with the options resolved (prepare is not
 * called): the dry run, or mpirun with so many ranks, or, of one rank or with
 * in_process, all of them here. hosts and per_node as in launch_mpirun().
 * Returns the process's exit code.
 */
int launched_start(const struct launched *l, uint64_t ranks, bool in_process,
	const char *hosts, uint64_t per_node);

/* -EINVAL where mpirun did not start as many ranks as were asked for. */
int launched_check(const struct group *g, uint64_t wanted, const char *what,
	struct err *e);

/* -EINVAL for virtual time, which ranks of their own cannot share. */
int launched_check_clock(bool virtual_time, struct err *e);

/*
 * What the watchdog tells of a silent rank goes to stderr at once and, unless
 * rec is NULL, into its notes. rec must live as long as g is used.
 */
void launched_watch(struct group *g, struct record *rec);

/* A rank other than 0 is left with an error: tell it; returns the exit code. */
int launched_failed(const struct err *e);

#endif
