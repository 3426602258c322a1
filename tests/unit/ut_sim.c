/* Training in virtual time for the tests; see ut_sim.h. */
#include "tests/unit/ut_sim.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sim *running; /* whose engine queue is tapped */

void sim_init(struct sim *s)
{
	memset(s, 0, sizeof(*s));
	s->c.accelerators = 1;
	s->c.files = 20;
	s->c.samples_per_file = 1;
	s->c.batch_size = 2;
	s->c.epochs = 1;
	s->c.computation_ns = 10 * MS;
	s->c.read_threads = 2;
	s->c.prefetch_factor = 1;
	s->c.queue_depth = 1;
	s->c.transfer_bytes = 1 << 20;
	s->c.au_floor_ppm = 900000;
	s->c.record_bytes = 1000000;
	s->file_bytes = 1000000;
	s->drive.kind = ENGINE_CONSTANT;
	s->drive.bytes_per_s = 1000000000;
	s->bad_id = UINT64_MAX;
}

void sim_shape(struct sim *s, uint64_t files, uint64_t batch, uint64_t readers)
{
	sim_init(s);
	s->c.files = files;
	s->c.batch_size = batch;
	s->c.read_threads = readers;
}

static uint64_t size_bytes(void *ctx, uint64_t i)
{
	struct sim *s = ctx;

	return s->size_of ? s->size_of(i) : s->file_bytes;
}

static void note(struct sim *s, bool open, uint64_t id)
{
	if (s->event_count == s->event_room) {
		s->event_room = s->event_room * 2 + 64;
		s->events = realloc(
			s->events, s->event_room * sizeof(*s->events));
		CU_ASSERT_PTR_NOT_NULL_FATAL(s->events);
	}
	s->events[s->event_count++] =
		(struct sim_event){open, id, clock_now(&s->clock)};
	s->opens += open;
	s->closes += !open;
}

static int path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	const struct sim *s = ctx;
	int n = snprintf(buf, buf_bytes, "%s/f%llu", s->dir,
		(unsigned long long)i);

	return n < 0 || (size_t)n >= buf_bytes ? -ENAMETOOLONG : 0;
}

static void cut(struct sim *s, uint64_t id)
{
	char name[512];

	CU_ASSERT_EQUAL_FATAL(path(s, id, name, sizeof(name)), 0);
	CU_ASSERT_EQUAL(truncate(name, (off_t)s->cut_bytes), 0);
}

static int sim_open(struct store *st, uint64_t id, bool direct,
	struct store_file *f, struct err *e)
{
	struct sim *s = st->namer.ctx;
	int r;

	if (id == s->bad_id)
		s->opens_before_bad = s->opens;
	if (id == s->bad_id && !s->dir)
		return err_set(e, ERR_IO, -EIO, "file %llu burns",
			(unsigned long long)id);
	note(s, true, id);
	if (s->dir) {
		r = s->plain_ops->open(st, id, direct, f, e);
		if (!r && id == s->bad_id)
			cut(s, id);
		return r;
	}
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->fd = -1;
	f->direct = direct;
	f->align = s->align ? s->align : 4096;
	f->size_bytes = size_bytes(s, id);
	return 0;
}

static void sim_close_file(struct store *st, struct store_file *f)
{
	struct sim *s = st->namer.ctx;

	note(s, false, f->id);
	s->plain_ops->close(st, f);
}

static int tapped_queue(struct engine *g, struct engine_op *op)
{
	running->requests++;
	running->request_bytes += op->len_bytes;
	if (running->align && (op->offset_bytes % running->align ||
				      op->len_bytes % running->align ||
				      (uintptr_t)op->buf % running->align))
		running->misaligned++;
	if (g->in_flight > running->most_in_flight)
		running->most_in_flight = g->in_flight;
	return running->queue(g, op);
}

static void slow_start(struct group *g, uint32_t member)
{
	struct sim *s = running;

	s->meets_ns[member] = clock_now(&s->clock) + s->barrier_ns;
	loop_sleep(g->loop, g->tasks[member], s->meets_ns[member]);
	s->local_ops.barrier_start(g, member);
}

static int slow_test(struct group *g, uint32_t member, struct err *e)
{
	struct sim *s = running;

	if (clock_now(&s->clock) < s->meets_ns[member])
		return 0;
	return s->local_ops.barrier_test(g, member, e);
}

static void open_parts(struct sim *s)
{
	struct store_namer n = {s, s->dir ? path : NULL, size_bytes};
	char why[512];
	struct err e;

	clock_start(&s->clock, !engine_spec_is_real(&s->drive));
	if (!s->drive.depth)
		s->drive.depth = 64;
	CU_ASSERT_EQUAL_FATAL(engine_open(&s->drive, &s->clock, &s->engine,
				      why, sizeof(why), &e), 0);
	s->engine_ops = *s->engine->ops;
	s->queue = s->engine_ops.queue;
	s->engine_ops.queue = tapped_queue;
	s->engine->ops = &s->engine_ops;
	if (s->dir)
		store_posix_init(&s->store, s->dir, &n);
	else
		store_catalog_init(&s->store, &n);
	s->plain_ops = s->store.ops;
	s->store_ops = *s->store.ops;
	s->store_ops.open = sim_open;
	s->store_ops.close = sim_close_file;
	s->store.ops = &s->store_ops;
	CU_ASSERT_EQUAL_FATAL(group_local_open((uint32_t)s->c.accelerators,
				      &s->group, &e), 0);
	s->local_ops = s->group_ops = *s->group->ops;
	s->group_ops.barrier_start = slow_start;
	s->group_ops.barrier_test = slow_test;
	if (s->barrier_ns)
		s->group->ops = &s->group_ops;
	s->shard = shard_new(s->c.files, s->c.accelerators, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(s->shard);
	CU_ASSERT_EQUAL_FATAL(
		buffers_init(&s->buffers, s->engine,
			training_buffers(&s->c) * (uint32_t)s->c.accelerators,
			s->c.transfer_bytes,
			engine_spec_is_real(&s->drive), &e), 0);
	s->run.status = REC_FINISHED;
	s->run.rank_count = (uint32_t)s->c.accelerators;
	s->run.ranks = calloc(s->c.accelerators, sizeof(*s->run.ranks));
	CU_ASSERT_PTR_NOT_NULL_FATAL(s->run.ranks);
}

int sim_run(struct sim *s, struct err *e)
{
	struct training_env env;

	open_parts(s);
	memset(&env, 0, sizeof(env));
	env.config = &s->c;
	env.engine = s->engine;
	env.store = &s->store;
	env.group = s->group;
	env.shard = s->shard;
	env.buffers = &s->buffers;
	env.progress = s->progress;
	env.progress_ctx = s;
	env.check = s->check;
	env.check_ctx = s;
	running = s;
	return training_run(&env, s->run.ranks, e);
}

void sim_check_tidy(const struct sim *s)
{
	CU_ASSERT_EQUAL(s->opens, s->closes);
	CU_ASSERT_EQUAL(s->engine->in_flight, 0);
}

void sim_run_ok(struct sim *s)
{
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(sim_run(s, &e), 0);
	sim_check_tidy(s);
}

void sim_run_fails(struct sim *s, int code, const char *text)
{
	struct err e = {0};

	CU_ASSERT_EQUAL(sim_run(s, &e), code);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, text));
	sim_check_tidy(s);
}

void sim_close(struct sim *s)
{
	rec_run_fini(&s->run);
	buffers_fini(&s->buffers);
	engine_close(s->engine);
	group_close(s->group);
	shard_free(s->shard);
	free(s->events);
	memset(s, 0, sizeof(*s));
}

struct rec_epoch *sim_epoch(const struct sim *s, uint32_t rank, uint32_t epoch)
{
	CU_ASSERT_FATAL(rank < s->run.rank_count);
	CU_ASSERT_FATAL(epoch < s->run.ranks[rank].epoch_count);
	return &s->run.ranks[rank].epochs[epoch];
}

int64_t sim_met_ns(const struct rec_epoch *ep, uint32_t k)
{
	int64_t t = ep->block_ns;
	uint32_t i;

	for (i = 0; i <= k; i++)
		t += ep->proc_ns[i] + ep->barrier_ns[i];
	return t;
}

int64_t sim_taken_ns(const struct rec_epoch *ep, uint32_t k)
{
	return (k ? sim_met_ns(ep, k - 1) : ep->block_ns) + ep->load_ns[k];
}
