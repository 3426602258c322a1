/*
 * A drive of constant bandwidth and latency: requests pass one after another
 * through a link of bytes_per_s and are seen latency_ns later. Since latency
 * is constant, they complete in the order they came, so a list is enough.
 * Times are exact: what a division by the rate leaves over is carried on.
 */
#include "storage/engine.h"

#include "core/units.h"

#include <errno.h>
#include <stdlib.h>

struct constant_engine {
	struct engine g;
	uint64_t bytes_per_s;
	int64_t latency_ns;
	int64_t free_ns;   /* when the link is free */
	uint64_t rest;	   /* ... plus rest / bytes_per_s of a nanosecond */
	struct engine_op *head, **tail;
};

static int constant_queue(struct engine *g, struct engine_op *op)
{
	struct constant_engine *c = (struct constant_engine *)g;
	int64_t now = clock_now(g->clock);
	unsigned __int128 work;

	if (c->free_ns < now) {
		c->free_ns = now;
		c->rest = 0;
	}
	work = (unsigned __int128)op->len_bytes * (uint64_t)NS_PER_S + c->rest;
	c->free_ns += (int64_t)(work / c->bytes_per_s);
	c->rest = (uint64_t)(work % c->bytes_per_s);
	op->due_ns = c->free_ns + c->latency_ns;
	op->next = NULL;
	*c->tail = op;
	c->tail = &op->next;
	return 0;
}

static int constant_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	struct constant_engine *c = (struct constant_engine *)g;
	struct engine_op *op = c->head;
	int64_t until, now;
	int r;

	until = op && op->due_ns < deadline_ns ? op->due_ns : deadline_ns;
	r = engine_idle(g, until, e);
	if (r)
		return r;
	now = clock_now(g->clock);
	while ((op = c->head) && op->due_ns <= now) {
		c->head = op->next;
		if (!c->head)
			c->tail = &c->head;
		engine_complete(g, op, op->len_bytes);
	}
	return 0;
}

static void constant_close(struct engine *g)
{
	free(g);
}

static const struct engine_ops constant_ops = {
	.name = "constant",
	.queue = constant_queue,
	.wait = constant_wait,
	.close = constant_close,
};

int engine_constant_open(
	const struct engine_spec *s, struct engine **out, struct err *e)
{
	struct constant_engine *c = calloc(1, sizeof(*c));

	if (!c)
		return err_nomem(e, "the constant engine");
	c->g.ops = &constant_ops;
	c->bytes_per_s = s->bytes_per_s;
	c->latency_ns = s->latency_ns;
	c->tail = &c->head;
	*out = &c->g;
	return 0;
}
