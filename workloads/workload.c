/* Workloads in a loop; see workload.h. */
#include "workloads/workload.h"

int workloads_run(struct loop *l, struct workload *const *w, size_t count,
	bool *stuck, struct err *e)
{
	struct err drained;
	size_t i, attached;
	int r = 0;

	for (i = 0; !r && i < count; i++)
		r = group_attach(w[i]->group, l, w[i]->tasks, e);
	attached = i;
	if (!r)
		r = loop_run(l, e);
	for (i = 0; i < attached; i++) {
		if (r)
			group_fail(w[i]->group, e);
		group_detach(w[i]->group);
	}
	for (i = 0; r && i < count; i++)
		w[i]->stop(w[i]);
	*stuck = loop_drain(l, &drained) != 0;
	if (*stuck && !r) {
		*e = drained;
		r = e->code;
	}
	for (i = 0; i < count; i++)
		r = group_agree(w[i]->group, r, e);
	return r;
}

int workload_opened(struct workload *w, struct group *g, int r,
	struct workload **out, struct err *e)
{
	r = group_agree(g, r, e);
	*out = r ? NULL : w;
	if (r && w)
		w->close(w);
	return r;
}

int workload_alone(struct engine *engine,
	int (*open)(void *arg, struct loop *l, struct workload **out,
		struct err *e),
	void *arg, struct err *e)
{
	struct workload *w;
	struct loop loop;
	bool stuck = false;
	int r;

	loop_init(&loop, engine);
	r = open(arg, &loop, &w, e);
	if (!r)
		r = workloads_run(&loop, &w, 1, &stuck, e);
	if (stuck)
		return r; /* what is in flight still owns its memory */
	if (w)
		w->close(w);
	loop_fini(&loop);
	return r;
}
