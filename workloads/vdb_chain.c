/* The reads of one search; see vdb_chain.h. */
#include "workloads/vdb_chain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LATELY 8 /* a new figure counts an eighth */

struct read {
	struct engine_op op;
	struct vdb_chain *chain;
	struct read *next; /* landed, in order */
	uint32_t node;
	int64_t start_ns, end_ns;
	bool busy; /* in flight, or landed and not yet looked at */
};

struct vdb_chain {
	struct vdb_chain_env env;
	struct vdb_guide *guide;
	struct vdb_chain *link;
	struct read *reads; /* [beam_width] */
	uint32_t *nodes;    /* [beam_width], what next() names */
	uint32_t in_flight, busy;
	uint32_t awaited; /* of what is in flight, before the next step */
	struct read *landed, **landed_tail;
	int64_t look_ns, read_ns; /* of a read, lately: looked at; in flight */
	uint8_t *expected; /* to verify with */
};

/* Alone on the engine? Then nobody else needs to be woken earlier. */
static void await(struct vdb_chain *c)
{
	if (c->env.engine->in_flight == c->in_flight)
		engine_await(c->env.engine, c->awaited);
}

static void read_done(struct engine_op *op)
{
	struct read *r = op->owner;
	struct vdb_chain *c = r->chain;

	r->end_ns = engine_seen_ns(c->env.engine);
	r->next = NULL;
	*c->landed_tail = r;
	c->landed_tail = &r->next;
	c->in_flight--;
	if (!c->awaited)
		return; /* and more than that */
	if (--c->awaited)
		await(c);
	else
		c->env.ready(c->env.ctx, c);
}

static void read_init(struct vdb_chain *c, uint32_t i)
{
	struct read *r = &c->reads[i];

	r->chain = c;
	r->op.opcode = ENGINE_READ;
	r->op.fd = c->env.file->fd;
	r->op.buf = buffers_at(c->env.buffers, c->env.first_buffer + i);
	r->op.buf_index = c->env.buffers->registered ? 0 : -1;
	r->op.len_bytes = c->guide->layout->read_bytes;
	r->op.done = read_done;
	r->op.owner = r;
}

int vdb_chain_open(const struct vdb_chain_env *env, struct vdb_guide *guide,
	struct vdb_chain **out, struct err *e)
{
	struct vdb_chain *c = calloc(1, sizeof(*c));
	uint32_t w = env->config->beam_width, i;

	*out = c;
	if (!c) {
		guide->ops->close(guide);
		return err_nomem(e, "a search");
	}
	c->env = *env;
	c->guide = guide;
	c->landed_tail = &c->landed;
	c->reads = calloc(w, sizeof(*c->reads));
	c->nodes = calloc(w, sizeof(*c->nodes));
	if (env->graph)
		c->expected = malloc(guide->layout->read_bytes);
	if (!c->reads || !c->nodes || (env->graph && !c->expected)) {
		vdb_chain_close(c);
		*out = NULL;
		return err_nomem(e, "a search");
	}
	for (i = 0; i < w; i++)
		read_init(c, i);
	return 0;
}

void vdb_chain_close(struct vdb_chain *c)
{
	if (!c)
		return;
	c->guide->ops->close(c->guide);
	free(c->reads);
	free(c->nodes);
	free(c->expected);
	free(c);
}

void vdb_chain_begin(struct vdb_chain *c, uint64_t query)
{
	c->env.counts->searches++;
	c->guide->ops->begin(c->guide, query, c->env.counts);
}

struct vdb_guide *vdb_chain_guide(struct vdb_chain *c)
{
	return c->guide;
}

struct vdb_chain **vdb_chain_link(struct vdb_chain *c)
{
	return &c->link;
}

static int submit(
	struct vdb_chain *c, uint32_t node, int64_t now_ns, struct err *e)
{
	struct read *r = c->reads;
	int ret;

	while (r->busy)
		r++;
	r->busy = true;
	c->busy++;
	r->node = node;
	r->op.offset_bytes = vdb_layout_offset(c->guide->layout, node);
	r->start_ns = now_ns;
	c->in_flight++;
	c->env.counts->reads++;
	c->env.counts->read_bytes += r->op.len_bytes;
	ret = engine_submit(c->env.engine, &r->op);
	if (ret) {
		c->in_flight--;
		return err_set(e, ERR_IO, ret, "cannot hand in a read: %s",
			strerror(-ret));
	}
	return 0;
}

static int differs(const struct vdb_chain *c, const struct read *r,
	uint32_t at, const char *how, struct err *e)
{
	uint64_t offset = r->op.offset_bytes + at;

	return err_set(e, ERR_IO, -EBADMSG,
		"%s/" VDB_SEGMENT_FILE " differs from what was written at "
		"offset %" PRIu64 " (%s; node %u, sector %" PRIu64 ")",
		c->env.config->folder, c->env.file->id, offset, how, r->node,
		offset / VDB_SECTOR_BYTES);
}

/* Is every byte of the read what datagen wrote? */
static int verify(struct vdb_chain *c, const struct read *r, struct err *e)
{
	const struct vdb_layout *l = c->guide->layout;
	const uint8_t *got = r->op.buf;
	uint64_t at = r->op.offset_bytes;
	uint32_t i;

	if ((!c->expected && !c->env.sums) || !got)
		return 0;
	c->env.counts->verified_bytes += r->op.len_bytes;
	if (c->env.sums)
		return vdb_sum(l, at, got) ==
				       c->env.sums->items[vdb_sum_number(l, at)]
			       ? 0
			       : differs(c, r, 0, "or behind it in the same "
					 "read: by its sum", e);
	vdb_graph_fill(c->env.graph, at, c->expected, r->op.len_bytes);
	if (!memcmp(got, c->expected, r->op.len_bytes))
		return 0;
	for (i = 0; got[i] == c->expected[i]; i++)
		;
	return differs(c, r, i, "the first such byte", e);
}

static int look_at(struct vdb_chain *c, struct read *r, struct err *e)
{
	const uint8_t *block = r->op.buf;
	int64_t got = r->op.result;
	int ret;

	r->busy = false;
	c->busy--;
	if (got != r->op.len_bytes) {
		ret = got < 0 ? (int)got : -EIO;
		return err_set(e, ERR_IO, ret,
			"reading %u bytes at %" PRIu64
			" of %s/" VDB_SEGMENT_FILE " failed: %s",
			r->op.len_bytes, r->op.offset_bytes,
			c->env.config->folder, c->env.file->id,
			got < 0 ? strerror((int)-got) : "the file has become "
							"shorter");
	}
	hist_record(c->env.latency_ns, (uint64_t)(r->end_ns - r->start_ns));
	c->read_ns += (r->end_ns - r->start_ns - c->read_ns) / LATELY;
	ret = verify(c, r, e);
	if (ret)
		return ret;
	ret = c->guide->ops->landed(c->guide, r->node,
		block ? block + vdb_layout_within(c->guide->layout, r->node)
		      : NULL, e);
	return ret ? err_wrap(e, "%s/" VDB_SEGMENT_FILE ", offset %" PRIu64,
			     c->env.config->folder, c->env.file->id,
			     r->op.offset_bytes)
		   : 0;
}

/* The reads of a round in the order in which they were named. */
static int look_at_round(struct vdb_chain *c, struct err *e)
{
	struct read *r;
	int ret = 0;

	for (r = c->reads; !ret && r < c->reads + c->env.config->beam_width;
		r++)
		if (r->busy)
			ret = look_at(c, r, e);
	c->landed = NULL;
	c->landed_tail = &c->landed;
	return ret;
}

static int look_at_landed(struct vdb_chain *c, struct err *e)
{
	struct read *r;
	int ret = 0;

	while (!ret && (r = c->landed)) {
		c->landed = r->next;
		if (!c->landed)
			c->landed_tail = &c->landed;
		ret = look_at(c, r, e);
	}
	return ret;
}

uint32_t vdb_chain_together(uint32_t width, int64_t look_ns, int64_t read_ns)
{
	int64_t n = read_ns > 0 ? (int64_t)width * width * look_ns / read_ns
				: 0;

	if (n > width / 2)
		n = width / 2;
	return n > 1 ? (uint32_t)n : 1;
}

/* How many of the reads in flight the next step waits for. */
static uint32_t to_await(const struct vdb_chain *c)
{
	uint32_t n = c->env.config->schedule == VDB_PIPELINED
			     ? vdb_chain_together(c->env.config->beam_width,
				       c->look_ns, c->read_ns)
			     : c->in_flight;

	return n < c->in_flight ? n : c->in_flight;
}

int vdb_chain_step(struct vdb_chain *c, struct err *e)
{
	bool pipelined = c->env.config->schedule == VDB_PIPELINED;
	struct clock *clock = c->env.engine->clock;
	uint32_t width = c->env.config->beam_width, looked = c->busy, n, i;
	int64_t begin_ns = clock_now(clock), now_ns;
	int r;

	r = pipelined ? look_at_landed(c, e) : look_at_round(c, e);
	if (r)
		return r;
	looked -= c->busy;
	n = c->guide->ops->next(c->guide, width - c->busy, c->nodes);
	now_ns = clock_now(clock);
	if (looked)
		c->look_ns += ((now_ns - begin_ns) / looked - c->look_ns) /
			      LATELY;
	for (i = 0; !r && i < n; i++)
		r = submit(c, c->nodes[i], now_ns, e);
	if (r)
		return r;
	c->awaited = to_await(c);
	await(c);
	return !n && !c->busy;
}
