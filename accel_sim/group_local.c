/* All accelerators in one process: a barrier is a count; see group.h. */
#include "accel_sim/group.h"

#include <errno.h>
#include <stdlib.h>

struct local_group {
	struct group g;
	uint32_t arrived;
	uint64_t generation;
	uint64_t *waits_for; /* [size] generation at arrival */
	bool failed;
	struct err error;
	_Atomic int64_t limit_next_ns;
};

static int local_attach(struct group *g, struct err *e)
{
	struct local_group *l = (struct local_group *)g;

	(void)e;
	l->arrived = 0;
	l->failed = false;
	return 0;
}

static void local_detach(struct group *g)
{
	(void)g;
}

static void wake_all(struct local_group *l)
{
	uint32_t i;

	for (i = 0; i < l->g.count; i++)
		loop_ready(l->g.loop, l->g.tasks[i]);
}

static void local_barrier_start(struct group *g, uint32_t member)
{
	struct local_group *l = (struct local_group *)g;

	l->waits_for[member] = l->generation;
	if (++l->arrived < g->size)
		return;
	l->arrived = 0;
	l->generation++;
	wake_all(l);
}

static int local_barrier_test(struct group *g, uint32_t member, struct err *e)
{
	struct local_group *l = (struct local_group *)g;

	if (l->failed) {
		*e = l->error;
		return -ECANCELED;
	}
	return l->generation != l->waits_for[member];
}

static void local_fail(struct group *g, const struct err *e)
{
	struct local_group *l = (struct local_group *)g;

	if (l->failed)
		return;
	l->failed = true;
	l->error = *e;
	if (g->loop)
		wake_all(l);
}

static int local_agree(struct group *g, int status, struct err *e)
{
	(void)g, (void)e;
	return status;
}

static int local_gather(struct group *g, const void *buf, size_t size_bytes,
	int (*take)(void *arg, uint32_t process, const void *buf,
		size_t size_bytes, struct err *e),
	void *arg, struct err *e)
{
	(void)g;
	return take(arg, 0, buf, size_bytes, e);
}

static int local_share(
	struct group *g, void *buf, size_t size_bytes, struct err *e)
{
	(void)g, (void)buf, (void)size_bytes, (void)e;
	return 0;
}

static _Atomic int64_t *local_limit_word(struct group *g)
{
	return &((struct local_group *)g)->limit_next_ns;
}

static void local_close(struct group *g)
{
	free(((struct local_group *)g)->waits_for);
	free(g);
}

static const struct group_ops local_ops = {
	.name = "local",
	.attach = local_attach,
	.detach = local_detach,
	.barrier_start = local_barrier_start,
	.barrier_test = local_barrier_test,
	.fail = local_fail,
	.agree = local_agree,
	.gather = local_gather,
	.share = local_share,
	.limit_word = local_limit_word,
	.close = local_close,
};

int group_local_open(uint32_t size, struct group **out, struct err *e)
{
	struct local_group *l = calloc(1, sizeof(*l));

	if (l)
		l->waits_for = calloc(size, sizeof(*l->waits_for));
	if (!l || !l->waits_for) {
		free(l);
		return err_nomem(e, "the accelerators of this process");
	}
	l->g.ops = &local_ops;
	l->g.size = l->g.count = l->g.ranks_on_host = size;
	l->g.hosts = 1;
	l->g.host_leader = true;
	*out = &l->g;
	return 0;
}
