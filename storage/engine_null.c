/* The null engine: every request is done by the next wait. */
#include "storage/engine.h"

#include <errno.h>
#include <stdlib.h>

struct null_engine {
	struct engine g;
	struct engine_op *head, **tail;
};

static int null_queue(struct engine *g, struct engine_op *op)
{
	struct null_engine *n = (struct null_engine *)g;

	op->next = NULL;
	*n->tail = op;
	n->tail = &op->next;
	return 0;
}

static int null_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	struct null_engine *n = (struct null_engine *)g;
	struct engine_op *op = n->head, *next;

	if (!op)
		return engine_idle(g, deadline_ns, e);
	/* done() may hand in more: they wait for the next call */
	n->head = NULL;
	n->tail = &n->head;
	for (; op; op = next) {
		next = op->next;
		engine_complete(g, op, op->len_bytes);
	}
	return 0;
}

static void null_close(struct engine *g)
{
	free(g);
}

static const struct engine_ops null_ops = {
	.name = "null",
	.queue = null_queue,
	.wait = null_wait,
	.close = null_close,
};

int engine_null_open(
	const struct engine_spec *s, struct engine **out, struct err *e)
{
	struct null_engine *n = calloc(1, sizeof(*n));

	(void)s;
	if (!n)
		return err_nomem(e, "the null engine");
	n->g.ops = &null_ops;
	n->tail = &n->head;
	*out = &n->g;
	return 0;
}
