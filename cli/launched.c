/* One rank of a launched command; see launched.h. */
#include "cli/launched.h"

#include "cli/cli.h"
#include "cli/launch.h"

#include "accel_sim/group.h"

#include <errno.h>
#include <inttypes.h>

int launched_check(const struct group *g, uint64_t wanted, const char *what,
	struct err *e)
{
	if (g->size == wanted)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"asked for %" PRIu64 " %s, MPI started %u rank%s; use "
		"mpirun -n %" PRIu64,
		wanted, what, g->size, g->size == 1 ? "" : "s", wanted);
}

int launched_run(const struct launched *l)
{
	struct group *g;
	struct err e;
	int r, code;

	r = group_mpi_open(&g, &e);
	if (r)
		return cli_fail(&e);
	launch_stdout(g->first);
	r = l->prepare(l->ctx, g, &e);
	r = group_agree(g, r, &e);
	if (r) {
		if (g->first)
			launch_failed(&e);
		code = g->first ? (int)e.kind : cli_fail_report(l->json, &e);
	} else if (l->only_dry) {
		code = g->first ? 0 : l->dry_run(l->ctx);
	} else {
		code = l->run(l->ctx, g);
	}
	code = launch_exit(g->first, code);
	group_close(g);
	return code;
}
