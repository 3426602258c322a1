/* Clients of a vector database as state machines; see vectordb.h. */
#include "workloads/vectordb.h"

#include "core/rng.h"
#include "storage/host.h"
#include "storage/loop.h"
#include "workloads/vdb_chain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum slot_state {
	SLOT_WAIT, /* for its client to begin */
	SLOT_IDLE,
	SLOT_DUE, /* for the batch to be due, or the client to be ready */
	SLOT_SEARCH,
	SLOT_SOFTWARE,
};

struct client;

/* One batch in flight: batch x segments chains. */
struct slot {
	struct loop_task task;
	struct client *client;
	enum slot_state state;
	struct vdb_chain **chains;
	struct vdb_chain *ready, **ready_tail; /* to be stepped */
	uint32_t pending; /* searches that go on */
	struct vdb_row row;
	int64_t until_ns;
	struct vdb_answer *answers; /* [segments][limit] */
};

struct client {
	struct loop_task task;
	struct job *job;
	struct vdb_client *out;
	uint32_t member, index; /* of the group; in this process */
	enum { CLIENT_COME,
		CLIENT_MEET,
		CLIENT_DELAY,
		CLIENT_RUN,
		CLIENT_END,
		CLIENT_DONE } state;
	struct slot *slots;
	uint32_t live;	 /* slots that go on */
	uint64_t given, most; /* queries handed out; UINT64_MAX: no limit */
	int64_t start_ns, stop_ns;
	int64_t due_ns; /* open loop: of the next batch */
	struct rng_xo arrivals;
	int64_t cpu_from_ns;
	uint64_t device_from;
};

struct job {
	struct workload w;
	const struct vectordb_env *env;
	const struct vdb_config *c;
	struct loop *loop;
	struct store_file *files; /* [segments] */
	uint32_t opened;
	struct client *clients;
};

uint64_t vectordb_buffers(const struct vdb_config *c)
{
	uint64_t n = (uint64_t)c->outstanding * c->batch * c->beam_width;

	return __builtin_mul_overflow(n, c->shape.segments, &n) ||
			       n > UINT32_MAX
		       ? UINT64_MAX
		       : n;
}

int vectordb_path(const char *folder, uint64_t i, char *buf, size_t buf_bytes)
{
	int n = snprintf(buf, buf_bytes, "%s/" VDB_SEGMENT_FILE, folder, i);

	return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
}

static void chain_ready(void *ctx, struct vdb_chain *c)
{
	struct slot *s = ctx;

	/* pipelined, several reads may land before it is stepped */
	if (*vdb_chain_link(c) || s->ready_tail == vdb_chain_link(c))
		return;
	*s->ready_tail = c;
	s->ready_tail = vdb_chain_link(c);
	loop_ready(s->client->job->loop, &s->task);
}

static int64_t exponential(struct rng_xo *r, double mean_ns)
{
	double u = ((double)(rng_xo_next(r) >> 11) + 1) / 9007199254740992.0;

	return (int64_t)(-log(u) * mean_ns);
}

static double arrival_ns(const struct client *c)
{
	const struct vdb_config *f = c->job->c;

	return 1e9 * f->clients * f->batch / f->rate_per_s;
}

/* The next batch into the row; false: there is none. */
static bool take_batch(struct client *c, struct vdb_row *row)
{
	const struct vdb_config *f = c->job->c;
	int64_t now = clock_now(c->job->loop->clock);
	uint64_t left = c->most - c->given, first;

	if (!left || now >= c->stop_ns)
		return false;
	memset(row, 0, sizeof(*row));
	if (f->rate_per_s > 0) {
		if (c->due_ns >= c->stop_ns)
			return false;
		row->intended_ns = c->due_ns;
		c->due_ns += exponential(&c->arrivals, arrival_ns(c));
	}
	row->size = left < f->batch ? (uint32_t)left : f->batch;
	/* clients start in different places of the same round of queries */
	first = c->given + (uint64_t)f->distinct * c->member / f->clients;
	row->query = f->distinct ? (uint32_t)(first % f->distinct)
				 : (uint32_t)c->given;
	c->given += row->size;
	return true;
}

/* Query i of a batch as a number: the same number, the same walk. */
static uint64_t query_number(const struct slot *s, uint32_t i)
{
	const struct vdb_config *f = s->client->job->c;

	if (f->distinct)
		return (s->row.query + i) % f->distinct;
	/* clients are fewer than 2^21 */
	return (uint64_t)f->run << 53 |
	       ((uint64_t)s->client->member + 1) << 32 | (s->row.query + i);
}

static void search_begin(struct slot *s)
{
	const struct vdb_config *f = s->client->job->c;
	uint32_t q, i, n = f->shape.segments;
	struct vdb_chain *c;

	s->row.start_ns = clock_now(s->client->job->loop->clock);
	if (f->rate_per_s <= 0)
		s->row.intended_ns = s->row.start_ns;
	s->pending = s->row.size * n;
	for (q = 0; q < s->row.size; q++)
		for (i = 0; i < n; i++) {
			c = s->chains[q * n + i];
			vdb_chain_begin(c, query_number(s, q));
			*s->ready_tail = c;
			s->ready_tail = vdb_chain_link(c);
		}
	s->state = SLOT_SEARCH;
}

/* 1: all searches of the batch are over. */
static int search_step(struct slot *s, struct err *e)
{
	struct vdb_chain *c;
	int r;

	while ((c = s->ready)) {
		s->ready = *vdb_chain_link(c);
		if (!s->ready)
			s->ready_tail = &s->ready;
		*vdb_chain_link(c) = NULL;
		r = vdb_chain_step(c, e);
		if (r < 0)
			return r;
		s->pending -= (uint32_t)r;
	}
	return !s->pending;
}

static int by_distance(const void *a, const void *b)
{
	const struct vdb_answer *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* What the segments found, put together. */
static void merge_answers(struct slot *s)
{
	const struct vectordb_env *env = s->client->job->env;
	const struct vdb_config *f = env->config;
	uint32_t n = f->shape.segments, q, i, count, found;
	struct vdb_guide *g;

	for (q = 0; q < s->row.size; q++) {
		for (i = count = 0; i < n; i++) {
			g = vdb_chain_guide(s->chains[q * n + i]);
			found = g->ops->answers(
				g, f->limit, s->answers + count);
			if (env->segment_answered)
				env->segment_answered(env->ctx, i,
					query_number(s, q), s->answers + count,
					found);
			count += found;
		}
		qsort(s->answers, count, sizeof(*s->answers), by_distance);
		env->answered(env->ctx, query_number(s, q), s->answers,
			count < f->limit ? count : f->limit);
	}
}

static int batch_end(struct slot *s, struct err *e)
{
	struct vdb_client *out = s->client->out;

	s->row.end_ns = clock_now(s->client->job->loop->clock);
	s->until_ns = s->row.end_ns + s->client->job->c->client_ns;
	out->counts.queries += s->row.size;
	s->state = SLOT_IDLE;
	return vdb_client_add_row(out, &s->row)
		       ? err_nomem(e, "the run's record")
		       : 0;
}

static int slot_finished(struct slot *s)
{
	struct client *c = s->client;

	if (!--c->live)
		loop_ready(c->job->loop, &c->task);
	return 1;
}

/* Wait until until_ns; true when it has come. */
static bool slot_until(struct slot *s)
{
	struct loop *l = s->client->job->loop;

	if (clock_now(l->clock) >= s->until_ns)
		return true;
	loop_sleep(l, &s->task, s->until_ns);
	return false;
}

static int slot_step(struct loop_task *task, struct err *e)
{
	struct slot *s = (struct slot *)task;
	const struct vdb_config *f = s->client->job->c;
	int r;

	for (;;) {
		switch (s->state) {
		case SLOT_WAIT:
			return 0;
		case SLOT_IDLE:
			if (!take_batch(s->client, &s->row))
				return slot_finished(s);
			if (f->rate_per_s > 0)
				s->until_ns = s->row.intended_ns;
			s->state = SLOT_DUE;
			break;
		case SLOT_DUE:
			if (!slot_until(s))
				return 0;
			search_begin(s);
			break;
		case SLOT_SEARCH:
			r = search_step(s, e);
			if (r <= 0)
				return r;
			s->until_ns = clock_now(s->client->job->loop->clock) +
				      f->software_ns;
			if (s->answers)
				merge_answers(s);
			s->state = SLOT_SOFTWARE;
			break;
		case SLOT_SOFTWARE:
			if (f->software_ns && !slot_until(s))
				return 0;
			r = batch_end(s, e);
			if (r)
				return r;
			break;
		}
	}
}

static void run_begin(struct client *c)
{
	const struct vdb_config *f = c->job->c;
	struct group *g = c->job->env->group;
	uint32_t i;

	c->start_ns = clock_now(c->job->loop->clock);
	c->stop_ns = f->runtime_ns ? c->start_ns + f->runtime_ns : INT64_MAX;
	if (f->rate_per_s > 0)
		c->due_ns = c->start_ns +
			    exponential(&c->arrivals, arrival_ns(c));
	if (!c->job->loop->clock->is_virtual) {
		c->cpu_from_ns = host_cpu_ns();
		host_device_read_bytes(&c->device_from);
	}
	for (i = 0; i < f->outstanding; i++) {
		c->slots[i].state = SLOT_IDLE;
		loop_ready(c->job->loop, &c->slots[i].task);
	}
	c->state = CLIENT_RUN;
	group_set_phase(g, WATCH_LOAD, 0, 0);
}

static void run_end(struct client *c)
{
	const struct vdb_config *f = c->job->c;
	struct group *g = c->job->env->group;
	uint64_t bytes = 0;

	/* what should have begun and found nobody free */
	while (f->rate_per_s > 0 && f->runtime_ns && c->given < c->most &&
		c->due_ns < c->stop_ns) {
		c->out->unserved += f->batch;
		c->due_ns += exponential(&c->arrivals, arrival_ns(c));
	}
	/* one process, several clients: to each its share */
	if (!c->job->loop->clock->is_virtual) {
		c->out->cpu_ns = (host_cpu_ns() - c->cpu_from_ns) / g->count;
		host_device_read_bytes(&bytes);
		c->out->device_bytes = (bytes - c->device_from) / g->count;
	}
	c->out->host = g->host;
	c->state = CLIENT_END;
	group_set_phase(g, WATCH_BARRIER, 1, 0);
	group_barrier_start(g, c->member);
}

static int client_step(struct loop_task *task, struct err *e)
{
	struct client *c = (struct client *)task;
	struct group *g = c->job->env->group;
	int64_t now = clock_now(c->job->loop->clock);
	int r;

	switch (c->state) {
	case CLIENT_COME:
		c->state = CLIENT_MEET;
		group_barrier_start(g, c->member);
		/* fall through */
	case CLIENT_MEET:
		r = group_barrier_test(g, c->member, e);
		if (r <= 0)
			return r;
		c->state = CLIENT_DELAY;
		c->start_ns = now + c->job->c->stagger_ns * c->member /
					    c->job->c->clients;
		/* fall through */
	case CLIENT_DELAY:
		if (now < c->start_ns)
			loop_sleep(c->job->loop, task, c->start_ns);
		else
			run_begin(c);
		return 0;
	case CLIENT_RUN:
		if (c->live)
			return 0;
		run_end(c);
		/* fall through */
	case CLIENT_END:
		r = group_barrier_test(g, c->member, e);
		if (r > 0)
			c->state = CLIENT_DONE;
		return r;
	case CLIENT_DONE:
		break;
	}
	return 1;
}

static int slot_open(struct client *c, uint32_t number, struct err *e)
{
	struct job *j = c->job;
	const struct vdb_config *f = j->c;
	struct slot *s = &c->slots[number];
	uint32_t n = f->batch * f->shape.segments, i;
	uint32_t first = (c->index * f->outstanding + number) * n;
	struct vdb_chain_env x = {
		.config = f,
		.engine = j->env->engine,
		.buffers = j->env->buffers,
		.ready = chain_ready,
		.ctx = s,
		.counts = &c->out->counts,
		.latency_ns = &c->out->read_latency_ns,
	};
	struct vdb_guide *guide;
	int r;

	s->client = c;
	s->task.step = slot_step;
	s->ready_tail = &s->ready;
	s->chains = calloc(n, sizeof(struct vdb_chain *));
	if (j->env->answered)
		s->answers = malloc((size_t)f->shape.segments * f->limit *
				    sizeof(*s->answers));
	if (!s->chains || (j->env->answered && !s->answers))
		return err_nomem(e, "the searches");
	for (i = 0; i < n; i++) {
		uint32_t segment = i % f->shape.segments;

		x.file = &j->files[segment];
		x.graph = f->verify && j->env->graphs
				  ? &j->env->graphs[segment]
				  : NULL;
		x.sums = f->verify && j->env->indexes
				 ? &j->env->indexes[segment].sums
				 : NULL;
		x.first_buffer = (first + i) * f->beam_width;
		r = j->env->guides->open(j->env->guides, segment, &guide, e);
		if (!r)
			r = vdb_chain_open(&x, guide, &s->chains[i], e);
		if (r)
			return r;
	}
	return loop_add(j->loop, &s->task, e);
}

static int client_open(
	struct job *j, uint32_t index, struct vdb_client *out, struct err *e)
{
	const struct vdb_config *f = j->c;
	struct client *c = &j->clients[index];
	uint32_t i;
	int r = 0;

	c->job = j;
	c->out = out;
	c->index = index;
	c->member = j->env->group->first + index;
	c->task.step = client_step;
	c->live = f->outstanding;
	c->most = UINT64_MAX;
	if (f->queries)
		c->most = f->queries * (c->member + 1) / f->clients -
			  f->queries * c->member / f->clients;
	rng_xo_seed(&c->arrivals, rng_mix64(f->seed, c->member));
	c->slots = calloc(f->outstanding, sizeof(*c->slots));
	if (!c->slots)
		return err_nomem(e, "the clients");
	for (i = 0; !r && i < f->outstanding; i++)
		r = slot_open(c, i, e);
	return r ? r : loop_add(j->loop, &c->task, e);
}

static void job_close(struct job *j)
{
	const struct vdb_config *f = j->c;
	uint32_t i, k, n;
	struct slot *s;

	for (i = 0; j->clients && i < j->env->group->count; i++) {
		for (k = 0; j->clients[i].slots && k < f->outstanding; k++) {
			s = &j->clients[i].slots[k];
			for (n = 0; s->chains && n < f->batch *
							     f->shape.segments;
				n++)
				vdb_chain_close(s->chains[n]);
			free(s->chains);
			free(s->answers);
		}
		free(j->clients[i].slots);
	}
	for (i = 0; i < j->opened; i++)
		store_close(j->env->store, &j->files[i]);
	free(j->files);
	free(j->clients);
	free(j->w.tasks);
}

static int job_open(struct job *j, struct vdb_client *out, struct err *e)
{
	uint32_t n = j->env->group->count, segments = j->c->shape.segments, i;
	int r = 0;

	j->w.tasks = calloc(n, sizeof(*j->w.tasks));
	j->clients = calloc(n, sizeof(*j->clients));
	j->files = calloc(segments, sizeof(*j->files));
	if (!j->w.tasks || !j->clients || !j->files)
		return err_nomem(e, "the clients");
	for (i = 0; !r && i < segments; i++) {
		r = store_open(j->env->store, i, true, &j->files[i], e);
		j->opened += !r;
	}
	for (i = 0; !r && i < n; i++) {
		r = client_open(j, i, &out[i], e);
		j->w.tasks[i] = &j->clients[i].task;
	}
	return r;
}

/* No new read: searches are dropped, and what is in flight ends. */
static void stop(struct workload *w)
{
	(void)w;
}

int vectordb_run(const struct vectordb_env *env, struct vdb_client *clients,
	struct err *e)
{
	struct job j = {.env = env, .c = env->config};
	struct workload *w = &j.w;
	struct loop loop;
	bool stuck = false;
	int r;

	loop_init(&loop, env->engine);
	j.loop = &loop;
	j.w.group = env->group;
	j.w.stop = stop;
	r = group_agree(env->group, job_open(&j, clients, e), e);
	if (!r)
		r = workloads_run(&loop, &w, 1, &stuck, e);
	if (stuck)
		return r; /* what is in flight still owns its memory */
	job_close(&j);
	loop_fini(&loop);
	return r;
}
