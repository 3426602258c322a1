#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H
/*
 * Starting mpirun for ourselves. The parent stays: it passes Ctrl-C on in a
 * way that lets every rank leave in order, and takes the exit code from rank
 * 0, since mpirun has its own opinion of exit codes.
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
 * The exit code that a rank's process returns for the job's code: rank 0
 * leaves it to the parent, if that is on this host, and all return 0 then,
 * so that mpirun has nothing to complain about.
 */
int launch_exit(uint32_t rank, int code);

/* Catch SIGINT, SIGTERM, SIGHUP and what the parent sends: loop_interrupted. */
void launch_catch_signals(void);

extern int launch_argc;
extern char **launch_argv;

#endif
