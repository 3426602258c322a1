/* One rank of a launched command; see launched.h. */
#include "cli/launched.h"

#include "cli/cli.h"
#include "cli/launch.h"

#include "accel_sim/group.h"
#include "core/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

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

int launched_check_clock(bool virtual_time, struct err *e)
{
	if (!virtual_time)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"virtual time runs in one process: start stoker without "
		"mpirun, or pass --clock real");
}

static void say(void *ctx, const char *text)
{
	cli_line_end();
	fprintf(stderr, "stoker: %s\n", text);
	if (ctx)
		record_note(ctx, "silent-rank", "%s", text);
}

void launched_watch(struct group *g, struct record *rec)
{
	g->say = say;
	g->say_ctx = rec;
}

int launched_failed(const struct err *e)
{
	launch_failed(e);
	return e->code == -EINTR ? EXIT_INTERRUPTED : (int)e->kind;
}

int launched_start(const struct launched *l, uint64_t ranks, bool in_process,
	const char *hosts, uint64_t per_node)
{
	struct group *g;
	struct err e;
	int code;

	if (l->only_dry)
		return l->dry_run(l->ctx);
	if (ranks > 1 && !in_process)
		return launch_mpirun(ranks, hosts, per_node);
	if (group_local_open((uint32_t)ranks, &g, &e))
		return cli_fail_report(l->json, &e);
	code = l->run(l->ctx, g);
	group_close(g);
	return code;
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
