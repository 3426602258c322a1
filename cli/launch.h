#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H
/*
 * Starting mpirun for ourselves. The parent stays: it passes Ctrl-C on in a
 * way that lets every rank leave in order, and takes the exit code from rank
 * 0, since mpirun has its own opinion of exit codes. Where rank 0 has died it
 * reports what the others said.
 */
#include "core/err.h"

#include <stdint.h>

/*
 * Run this program again with the same arguments as `ranks` MPI ranks;
 * per_node 0 = as mpirun thinks; hosts may be NULL. Prints the command.
 * Returns the exit code of the job, or 3 with a message.
 */
int launch_mpirun(uint64_t ranks, const char *hosts, uint64_t per_node);

/*
 * Rank 0 hands its standard output to the parent in a file, if that is on this
 * host: mpirun forwards nothing while it ends a job, and cuts what it has.
 */
void launch_stdout(uint32_t rank);

/*
 * The exit code that a rank's process returns for the job's code: rank 0
 * leaves it to the parent, if that is on this host, and all return 0 then,
 * so that mpirun has nothing to complain about. Call it before group_close(),
 * which a dying job may not survive.
 */
int launch_exit(uint32_t rank, int code);

/* A rank other than 0 failed: the parent tells if rank 0 cannot. */
void launch_failed(const struct err *e);

/* Catch SIGINT, SIGTERM, SIGHUP and what the parent sends: loop_interrupted. */
void launch_catch_signals(void);

extern int launch_argc;
extern char **launch_argv;

#endif
