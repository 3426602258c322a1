/*
 * A modelled drive as an engine. What happens inside the drive is in
 * drive_model.c; here are the events and the link that reads share.
 *
 * The link gives every command of a read the same part of its rate, and none
 * more than a single command can take. With V the bytes that each command in
 * the link has got since it was empty, a command of n bytes is through when V
 * has grown by n: two heaps (before the link by time, in it by V) are all it
 * takes, whatever the number of commands. A request longer than split_bytes
 * stands for split_depth commands of that size in flight: it has that many
 * parts of the link, and its latencies in between are counted once a command.
 *
 * Where the profile has measured rates of large reads over depth, the link's
 * rate at n commands in the drive is the one measured there; latency is then
 * contained in it.
 */
#include "core/units.h"
#include "storage/drive_model.h"
#include "storage/engine.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_BYTES (512U << 10) /* measured points of such reads count */

struct event {
	double key; /* nanoseconds, or V */
	uint64_t order; /* of those with the same key, first come first */
	struct engine_op *op;
	int64_t floor_ns; /* in the link: not done before */
	uint32_t weight; /* parts of the link; 0 = does not pass it */
	struct drive_write write;
};

struct heap {
	struct event *items; /* from [0] */
	size_t count, room;
};

struct model_engine {
	struct engine g;
	struct drive_model drive;
	struct host_model host;
	uint32_t split_bytes, split_depth;
	struct heap before, in_link;
	uint64_t order;
	double v;	  /* bytes each part of the link has got */
	double v_at_ns;	  /* when that was true */
	uint64_t in_link_parts;
	uint64_t large_parts; /* of large reads in the drive, wherever */
	double ceiling_bytes_per_s; /* of link and host */
	/* measured: rate_at[i] with depth_at[i] commands in the drive */
	uint32_t measured;
	double depth_at[DRIVE_POINTS_MAX], rate_at[DRIVE_POINTS_MAX];
	bool completed; /* something, in this wait */
};

static bool sooner(const struct event *a, const struct event *b)
{
	return a->key < b->key || (a->key == b->key && a->order < b->order);
}

static int heap_reserve(struct heap *h, size_t count)
{
	size_t room = h->room ? h->room : 256;
	struct event *items;

	if (count <= h->room)
		return 0;
	while (room < count)
		room *= 2;
	items = realloc(h->items, room * sizeof(*items));
	if (!items)
		return -ENOMEM;
	h->items = items;
	h->room = room;
	return 0;
}

/* There is room: model_queue() saw to it. */
static void heap_push(struct heap *h, const struct event *x)
{
	size_t i = h->count++, up;

	for (; i; i = up) {
		up = (i - 1) / 2;
		if (!sooner(x, &h->items[up]))
			break;
		h->items[i] = h->items[up];
	}
	h->items[i] = *x;
}

static struct event heap_pop(struct heap *h)
{
	struct event top = h->items[0], *x = &h->items[--h->count];
	size_t i = 0, down;

	for (; (down = 2 * i + 1) < h->count; i = down) {
		if (down + 1 < h->count &&
			sooner(&h->items[down + 1], &h->items[down]))
			down++;
		if (!sooner(&h->items[down], x))
			break;
		h->items[i] = h->items[down];
	}
	h->items[i] = *x;
	return top;
}

/* What n large reads were measured to get together. */
static double measured_rate(const struct model_engine *m, double n)
{
	const double *depth = m->depth_at, *rate = m->rate_at;
	uint32_t i;

	for (i = 0; i < m->measured && depth[i] < n; i++)
		;
	if (!i)
		return rate[0] * n / depth[0];
	if (i == m->measured)
		return rate[i - 1];
	return rate[i - 1] + (rate[i] - rate[i - 1]) * (n - depth[i - 1]) /
				     (depth[i] - depth[i - 1]);
}

/* Bytes per second of one part of the link, as it is filled now. */
static double part_rate(const struct model_engine *m)
{
	bool curve = m->measured && m->large_parts;
	double one = m->drive.command_read_bytes_per_s, rate;

	if (!(m->drive.mechanisms & DRIVE_LINK))
		return one;
	rate = curve ? measured_rate(m, (double)m->large_parts)
		     : m->drive.link_bytes_per_s;
	if (m->ceiling_bytes_per_s > 0 && rate > m->ceiling_bytes_per_s)
		rate = m->ceiling_bytes_per_s;
	rate /= (double)m->in_link_parts;
	return curve || rate < one ? rate : one;
}

/* Bring V to the time at_ns; nothing enters or leaves the link in between. */
static void advance(struct model_engine *m, double at_ns)
{
	if (m->in_link_parts && at_ns > m->v_at_ns)
		m->v += (at_ns - m->v_at_ns) * part_rate(m) / 1e9;
	if (at_ns > m->v_at_ns)
		m->v_at_ns = at_ns;
	if (!m->in_link_parts)
		m->v = 0;
}

/* When the first of the link will be through; CLOCK_NEVER as a double. */
static double link_next_ns(const struct model_engine *m)
{
	const struct event *x = m->in_link.items;
	double left;

	if (!m->in_link.count)
		return (double)CLOCK_NEVER;
	left = x->key > m->v ? (x->key - m->v) * 1e9 / part_rate(m) : 0;
	return m->v_at_ns + left;
}

/* A read that stands for `commands` of them, x->weight in flight at a time. */
static uint64_t split(
	const struct model_engine *m, uint32_t len_bytes, struct event *x)
{
	uint64_t commands = 1;

	if (m->split_bytes)
		commands = (len_bytes + m->split_bytes - 1ULL) / m->split_bytes;
	x->weight = commands < m->split_depth ? (uint32_t)commands
					      : m->split_depth;
	return commands;
}

static bool is_large(const struct engine_op *op)
{
	return op->len_bytes >= LARGE_BYTES;
}

static void queue_read(
	struct model_engine *m, struct engine_op *op, int64_t now)
{
	struct event x = {.op = op, .order = m->order++};
	uint64_t commands = split(m, op->len_bytes, &x);
	int64_t ready = now, latency = 0;
	double each;

	/* the measured rate is all that such a read feels; others feel it */
	if (m->measured && is_large(op)) {
		drive_model_read(&m->drive, now, 1);
		commands = 1;
	} else {
		ready = drive_model_read_split(
			&m->drive, now, op->len_bytes, commands);
		latency = ready - now;
	}
	if (!op->offset_bytes)
		ready += m->host.file_open_ns;
	/* every round of a split request has that latency */
	if (commands > 1) {
		each = (double)(op->len_bytes / commands) * 1e9 /
			       m->drive.command_read_bytes_per_s +
		       (double)latency;
		x.floor_ns = now + (int64_t)(each * (double)commands /
					     x.weight);
	}
	m->large_parts += is_large(op) ? x.weight : 0;
	x.key = (double)ready;
	heap_push(&m->before, &x);
}

static void complete(struct model_engine *m, const struct event *x)
{
	m->completed = true;
	engine_complete(&m->g, x->op, x->op->len_bytes);
}

static int model_queue(struct engine *g, struct engine_op *op)
{
	struct model_engine *m = (struct model_engine *)g;
	struct event x = {.op = op};
	int64_t now = clock_now(g->clock), next;

	if (heap_reserve(&m->before, g->in_flight) ||
		heap_reserve(&m->in_link, g->in_flight))
		return -ENOMEM;
	advance(m, (double)now);
	if (op->opcode == ENGINE_READ) {
		queue_read(m, op, now);
		return 0;
	}
	if (op->opcode == ENGINE_WRITE)
		next = drive_model_write(&m->drive, now, op->offset_bytes,
			op->len_bytes, &x.write);
	else /* what is in the protected buffer is safe */
		next = now + m->drive.write_base_ns;
	x.order = m->order++;
	x.key = (double)next;
	heap_push(&m->before, &x);
	return 0;
}

/* The first of those before the link, or that do not pass it. */
static void before_the_link(struct model_engine *m)
{
	struct event x = heap_pop(&m->before);
	int64_t now = (int64_t)x.key, in = now;

	if (x.op->opcode == ENGINE_WRITE)
		in = drive_model_written(&m->drive, now, &x.write);
	if (in > now) {
		x.key = (double)in;
		heap_push(&m->before, &x);
		return;
	}
	if (!x.weight) {
		complete(m, &x);
		return;
	}
	advance(m, x.key);
	x.key = m->v + (double)x.op->len_bytes / x.weight;
	m->in_link_parts += x.weight;
	heap_push(&m->in_link, &x);
}

/* The first one is through the link. */
static void through_the_link(struct model_engine *m, double now_ns)
{
	struct event x;

	advance(m, now_ns);
	x = heap_pop(&m->in_link);
	m->v = x.key > m->v ? x.key : m->v;
	m->in_link_parts -= x.weight;
	m->large_parts -= is_large(x.op) ? x.weight : 0;
	if (x.floor_ns > (int64_t)now_ns) {
		x.key = (double)x.floor_ns;
		x.weight = 0;
		heap_push(&m->before, &x);
		return;
	}
	complete(m, &x);
}

/* The first thing that has happened by now_ns; false: nothing has. */
static bool happen(struct model_engine *m, double now_ns)
{
	double first = m->before.count ? m->before.items[0].key
				       : (double)CLOCK_NEVER;
	double through = link_next_ns(m);

	if ((first < through ? first : through) > now_ns)
		return false;
	if (first <= through)
		before_the_link(m);
	else
		through_the_link(m, through);
	return true;
}

static int model_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	struct model_engine *m = (struct model_engine *)g;
	double next, through;
	int64_t now;
	int r;

	m->completed = false;
	for (;;) {
		next = m->before.count ? m->before.items[0].key
				       : (double)CLOCK_NEVER;
		through = link_next_ns(m);
		if (through < next)
			next = through;
		next = ceil(next);
		r = engine_idle(g,
			next < (double)deadline_ns ? (int64_t)next
						   : deadline_ns, e);
		if (r)
			return r;
		now = clock_now(g->clock);
		while (happen(m, (double)now))
			;
		/* a step inside the drive is nobody's event */
		if (m->completed || now >= deadline_ns || engine_woken(g) ||
			!g->clock->is_virtual)
			return 0;
	}
}

static void model_close(struct engine *g)
{
	struct model_engine *m = (struct model_engine *)g;

	drive_model_fini(&m->drive);
	free(m->before.items);
	free(m->in_link.items);
	free(m);
}

static const struct engine_ops model_ops = {
	.name = "model",
	.queue = model_queue,
	.wait = model_wait,
	.close = model_close,
};

/* The curve of the largest group of measured large reads, rising. */
static void take_points(struct model_engine *m, const struct drive_profile *p)
{
	double depth, rate;
	uint32_t i, k;

	for (i = 0; i < p->point_count; i++) {
		if (p->points[i].write || p->points[i].bytes < LARGE_BYTES)
			continue;
		depth = (double)p->points[i].depth * p->points[i].jobs *
			p->count;
		rate = p->points[i].gb_per_s * 1e9 * p->count;
		for (k = m->measured; k && m->depth_at[k - 1] > depth; k--) {
			m->depth_at[k] = m->depth_at[k - 1];
			m->rate_at[k] = m->rate_at[k - 1];
		}
		if (k && m->depth_at[k - 1] == depth) {
			/* twice: the better one; close the gap again */
			if (rate > m->rate_at[k - 1])
				m->rate_at[k - 1] = rate;
			for (; k < m->measured; k++) {
				m->depth_at[k] = m->depth_at[k + 1];
				m->rate_at[k] = m->rate_at[k + 1];
			}
			continue;
		}
		m->depth_at[k] = depth;
		m->rate_at[k] = rate;
		m->measured++;
	}
	for (i = 1; i < m->measured; i++)
		if (m->rate_at[i] < m->rate_at[i - 1])
			m->rate_at[i] = m->rate_at[i - 1];
}

int engine_model_open(
	const struct engine_spec *s, struct engine **out, struct err *e)
{
	struct model_engine *m = calloc(1, sizeof(*m));
	double buffered = s->drive.buffered_read_gb_per_s * 1e9 *
			  s->drive.count;

	if (!m)
		return err_nomem(e, "the drive model");
	if (drive_model_init(&m->drive, &s->drive, DRIVE_ALL & ~s->without,
		    s->seed, e)) {
		free(m);
		return e->code;
	}
	m->g.ops = &model_ops;
	m->host = s->host;
	m->split_bytes = s->split_bytes;
	m->split_depth = s->split_depth ? s->split_depth : 1;
	take_points(m, &s->drive);
	m->ceiling_bytes_per_s = host_model_ceiling(&s->host, s->buffered);
	if (s->buffered && buffered > 0 &&
		(m->ceiling_bytes_per_s <= 0 ||
			buffered < m->ceiling_bytes_per_s))
		m->ceiling_bytes_per_s = buffered;
	*out = &m->g;
	return 0;
}
