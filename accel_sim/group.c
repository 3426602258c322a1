/* What both kinds of group share; see group.h. */
#include "accel_sim/group.h"

#include <stdlib.h>

bool group_launched(void)
{
	return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") ||
	       getenv("PMI_RANK");
}

int group_attach(struct group *g, struct loop *l, struct loop_task **tasks,
	struct err *e)
{
	g->loop = l;
	g->tasks = tasks;
	return g->ops->attach(g, e);
}

void group_detach(struct group *g)
{
	g->ops->detach(g);
	g->loop = NULL;
	g->tasks = NULL;
}

void group_close(struct group *g)
{
	if (g)
		g->ops->close(g);
}
