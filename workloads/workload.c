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
