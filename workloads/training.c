/* The training state machine; see training.h. */
#include "workloads/training.h"

#include "core/units.h"
#include "storage/host.h"
#include "storage/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Together a rank's readers keep at most this much in flight by default. */
#define BUFFERS_BYTES_MAX (48 * MIB_BYTES)
#define DIRECT_ALIGN 4096ULL
#define PROGRESS_NS (200 * NS_PER_MS)

enum state {
	EPOCH_START, /* drop caches, then meet */
	EPOCH_BARRIER,
	LOAD,
	COMPUTE,
	STEP_BARRIER,
	BLOCK_BARRIER,
	FINISHED,
};

struct accel;

/* One request of a reader, with the buffer that is its own for ever. */
struct io {
	struct engine_op op;
	struct reader *reader;
	uint32_t want_bytes; /* not counting O_DIRECT's padding */
	struct io *next;
};

/* Reads the samples of its batches, one whole file after another. */
struct reader {
	struct accel *a;
	uint32_t *queue; /* batches handed out, [prefetch_factor] */
	uint32_t queue_head, queued;
	uint32_t sample; /* of the batch at the head */
	struct store_file file;
	bool open;
	uint64_t next_offset;
	uint64_t left_bytes; /* of the open file, not yet read */
	uint32_t in_flight;
	bool starved; /* in the line for a buffer */
	struct reader *next_starved;
};

struct accel {
	struct loop_task task;
	struct training *t;
	uint32_t member, index;
	enum state state;
	struct rec_rank *rec;
	struct rec_epoch *ep;
	uint32_t epoch; /* from 0 */
	uint32_t step;	/* k, from 0 */
	int64_t load_from_ns, compute_from_ns, compute_until_ns;
	const uint32_t *order; /* files of this rank and epoch */
	struct reader *readers;
	struct io *ios, *free_ios;
	struct reader *starved, **starved_tail;
	bool *ready;	       /* [window] batch b at b mod window */
	uint64_t *batch_bytes; /* [window] */
	uint64_t bytes_read;   /* all epochs */
	uint32_t in_flight;
	int64_t busy_ns, busy_since_ns; /* with something in flight */
	uint64_t epoch_bytes_from, device_from;
	int64_t cpu_from_ns, cpu_start_ns;
	int64_t au_wall_from_ns, au_compute_ns;
	bool failed;
	struct err error;
};

struct training {
	const struct training_env *env;
	const struct train_config *c;
	struct loop loop;
	struct accel *accels;
	uint32_t steps, window, depth, ios_each;
	uint64_t reader_count; /* W */
	int64_t start_ns, progress_ns;
	bool drop_refused;
};

uint32_t training_steps(const struct train_config *c)
{
	uint64_t per_rank = c->files / c->accelerators;

	return (uint32_t)(per_rank * c->samples_per_file / c->batch_size);
}

uint32_t training_buffers(const struct train_config *c)
{
	uint64_t want = c->read_threads * c->queue_depth;
	uint64_t most = BUFFERS_BYTES_MAX / c->transfer_bytes;

	if (most < c->read_threads)
		most = c->read_threads;
	return (uint32_t)(want < most ? want : most);
}

static void fail(struct accel *a, const struct err *e)
{
	if (!a->failed) {
		a->failed = true;
		a->error = *e;
	}
	loop_ready(&a->t->loop, &a->task);
}

static void reader_pump(struct reader *r);

static void wait_for_buffer(struct accel *a, struct reader *r)
{
	if (r->starved)
		return;
	r->starved = true;
	r->next_starved = NULL;
	*a->starved_tail = r;
	a->starved_tail = &r->next_starved;
}

/* What was put back goes to the readers in the order they asked. */
static void serve_starved(struct accel *a)
{
	struct reader *r;

	while (a->free_ios && (r = a->starved)) {
		a->starved = r->next_starved;
		if (!a->starved)
			a->starved_tail = &a->starved;
		r->starved = false;
		reader_pump(r);
	}
}

static void sample_done(struct reader *r)
{
	struct accel *a = r->a;
	struct training *t = a->t;
	uint32_t batch = r->queue[r->queue_head];

	store_close(t->env->store, &r->file);
	r->open = false;
	a->ep->samples_read++;
	if (++r->sample < t->c->batch_size)
		return;
	r->sample = 0;
	r->queue_head = (r->queue_head + 1) % (uint32_t)t->c->prefetch_factor;
	r->queued--;
	a->ready[batch % t->window] = true;
	if (batch == a->step && a->state == LOAD)
		loop_ready(&t->loop, &a->task);
}

static void short_read(struct io *io)
{
	const struct engine_op *op = &io->op;
	struct accel *a = io->reader->a;
	char path[4352];
	struct err e;

	store_label(a->t->env->store, io->reader->file.id, path, sizeof(path));
	if (op->result < 0)
		err_set(&e, ERR_IO, (int)op->result,
			"reading %s at offset %" PRIu64 " (%u bytes): %s", path,
			op->offset_bytes, op->len_bytes,
			strerror((int)-op->result));
	else
		err_set(&e, ERR_IO, -ENODATA,
			"short read of %s: %" PRId64 " of %u bytes at offset "
			"%" PRIu64 " although the file had %" PRIu64
			" bytes when opened; was it changed during the run?",
			path, op->result, io->want_bytes, op->offset_bytes,
			io->reader->file.size_bytes);
	fail(a, &e);
}

static void io_done(struct engine_op *op)
{
	struct io *io = op->owner;
	struct reader *r = io->reader;
	struct accel *a = r->a;
	const struct training_env *env = a->t->env;
	struct err e;

	r->in_flight--;
	if (!--a->in_flight)
		a->busy_ns += clock_now(a->t->loop.clock) - a->busy_since_ns;
	if (op->result < (int64_t)io->want_bytes) {
		if (!a->failed)
			short_read(io);
	} else if (!a->failed && env->check &&
		   env->check(env->check_ctx, r->file.id, op->offset_bytes,
			   op->buf, io->want_bytes, &e)) {
		fail(a, &e);
	}
	io->next = a->free_ios;
	a->free_ios = io;
	if (a->failed)
		return;
	a->bytes_read += io->want_bytes;
	r->left_bytes -= io->want_bytes;
	if (!r->left_bytes)
		sample_done(r);
	if (a->starved)
		wait_for_buffer(a, r);
	else
		reader_pump(r);
	serve_starved(a);
}

static int reader_open(struct reader *r)
{
	struct accel *a = r->a;
	struct training *t = a->t;
	uint32_t batch = r->queue[r->queue_head];
	uint64_t sample = (uint64_t)batch * t->c->batch_size + r->sample;
	uint32_t file = a->order[sample / t->c->samples_per_file];
	char path[4352];
	struct err e;
	int err;

	err = store_open(t->env->store, file, t->c->odirect, &r->file, &e);
	if (!err && !r->file.size_bytes) {
		store_close(t->env->store, &r->file);
		store_label(t->env->store, file, path, sizeof(path));
		err = err_set(&e, ERR_IO, -ENODATA,
			"%s is empty; generate the data set again", path);
	}
	if (err) {
		fail(a, &e);
		return err;
	}
	r->open = true;
	r->next_offset = 0;
	r->left_bytes = r->file.size_bytes;
	a->rec->files_opened++;
	a->batch_bytes[batch % t->window] += r->file.size_bytes;
	return 0;
}

static int reader_submit(struct reader *r, struct io *io)
{
	struct accel *a = r->a;
	struct training *t = a->t;
	uint64_t left = r->file.size_bytes - r->next_offset, len;
	struct err e;
	int err;

	io->want_bytes = (uint32_t)(left < t->c->transfer_bytes
					    ? left
					    : t->c->transfer_bytes);
	len = io->want_bytes;
	if (t->c->odirect)
		len = (len + DIRECT_ALIGN - 1) / DIRECT_ALIGN * DIRECT_ALIGN;
	io->reader = r;
	io->op.fd = r->file.fd;
	io->op.len_bytes = (uint32_t)len;
	io->op.offset_bytes = r->next_offset;
	r->next_offset += io->want_bytes;
	r->in_flight++;
	if (!a->in_flight++)
		a->busy_since_ns = clock_now(t->loop.clock);
	err = engine_submit(t->env->engine, &io->op);
	if (err) {
		err_set(&e, ERR_IO, err, "%s engine: request refused: %s",
			engine_name(t->env->engine), strerror(-err));
		r->in_flight--;
		a->in_flight--;
		fail(a, &e);
	}
	return err;
}

/* Do all that this reader can do now. */
static void reader_pump(struct reader *r)
{
	struct accel *a = r->a;
	struct io *io;

	if (a->failed || (!r->open && !r->queued))
		return;
	if (!r->open && reader_open(r))
		return;
	while (r->next_offset < r->file.size_bytes &&
		r->in_flight < a->t->depth) {
		io = a->free_ios;
		if (!io) {
			wait_for_buffer(a, r);
			return;
		}
		a->free_ios = io->next;
		if (reader_submit(r, io))
			return;
	}
}

static void hand_out(struct accel *a, uint32_t batch)
{
	struct training *t = a->t;
	struct reader *r = &a->readers[batch % t->reader_count];
	uint32_t factor = (uint32_t)t->c->prefetch_factor;

	a->ready[batch % t->window] = false;
	a->batch_bytes[batch % t->window] = 0;
	r->queue[(r->queue_head + r->queued) % factor] = batch;
	if (r->queued++ == 0)
		reader_pump(r);
}

static void drop_caches(struct accel *a)
{
	struct training *t = a->t;
	const struct training_env *env = t->env;
	uint64_t i, m = shard_files_per_rank(env->shard);
	struct err e;

	if (!env->drop_caches || env->store->ops->is_virtual)
		return;
	if (env->group->host_leader && a->index == 0 && !t->drop_refused &&
		host_drop_caches(&e)) {
		t->drop_refused = true;
		if (env->not_dropped)
			env->not_dropped(env->note_ctx, &e);
	}
	/* A shared cache need not be dropped for the next best: our files. */
	if (t->drop_refused && !t->c->odirect)
		for (i = 0; i < m; i++)
			store_forget(env->store, a->order[i]);
}

static int epoch_start(struct accel *a, struct err *e)
{
	struct training *t = a->t;
	int r = shard_epoch(t->env->shard, a->epoch + 1, e);

	if (r)
		return r;
	a->ep = &a->rec->epochs[a->epoch];
	a->order = shard_rank(t->env->shard, a->member);
	a->step = 0;
	drop_caches(a);
	a->state = EPOCH_BARRIER;
	group_barrier_start(t->env->group, a->member);
	return 0;
}

static uint64_t device_bytes(const struct accel *a)
{
	uint64_t bytes = 0;

	if (a->t->env->store->ops->is_virtual)
		return a->bytes_read;
	host_device_read_bytes(&bytes);
	/* one process, several accelerators: to each its share */
	return bytes / a->t->env->group->count;
}

/* Of this process; a simulated run has no CPU time of its own. */
static int64_t cpu_now(const struct training *t)
{
	return t->loop.clock->is_virtual ? 0 : host_cpu_ns();
}

/* The block starts: only now does anything get read. */
static void block_start(struct accel *a)
{
	struct training *t = a->t;
	struct rec_epoch *ep = a->ep;
	uint32_t b;

	ep->meminfo = t->env->store->ops->is_virtual || a->index
			      ? NULL
			      : host_meminfo_text();
	a->cpu_from_ns = cpu_now(t);
	a->device_from = device_bytes(a);
	a->epoch_bytes_from = a->bytes_read;
	a->au_wall_from_ns = 0;
	a->au_compute_ns = 0;
	ep->start_ns = clock_now(t->loop.clock);
	ep->block_ns = ep->start_ns;
	a->load_from_ns = ep->block_ns;
	a->state = LOAD;
	for (b = 0; b < t->window && b < t->steps; b++)
		hand_out(a, b);
}

static int64_t busy_until(const struct accel *a, int64_t now_ns)
{
	return a->busy_ns + (a->in_flight ? now_ns - a->busy_since_ns : 0);
}

/* Read-ahead is in balance between steps window and steps - window. */
static void steady_mark(struct accel *a, int64_t now_ns)
{
	struct rec_steady *s = &a->ep->steady;
	struct training *t = a->t;

	if (t->steps <= 2 * t->window)
		return;
	if (a->step == t->window) {
		s->first = t->window;
		s->end = t->steps - t->window;
		s->begin_ns = now_ns;
		s->busy_ns = busy_until(a, now_ns);
		s->bytes_read = a->bytes_read; /* difference at the end */
	} else if (a->step == t->steps - t->window) {
		s->end_ns = now_ns;
		s->busy_ns = busy_until(a, now_ns) - s->busy_ns;
		s->bytes_read = a->bytes_read - s->bytes_read;
	}
}

static void take_batch(struct accel *a)
{
	struct training *t = a->t;
	struct rec_steady *s = &a->ep->steady;
	int64_t now = clock_now(t->loop.clock);
	uint32_t k = a->step;

	a->ep->load_ns[k] = now - a->load_from_ns;
	if (k >= s->first && k < s->end)
		s->bytes_taken += a->batch_bytes[k % t->window];
	if (k + t->window < t->steps)
		hand_out(a, k + t->window);
	a->compute_from_ns = clock_now(t->loop.clock);
	a->compute_until_ns = a->compute_from_ns + t->c->computation_ns;
	a->state = COMPUTE;
	loop_sleep(&t->loop, &a->task, a->compute_until_ns);
}

static void compute_done(struct accel *a, int64_t now_ns)
{
	uint32_t k = a->step;

	a->ep->compute_ns[k] = now_ns - a->compute_from_ns;
	a->ep->proc_ns[k] = now_ns - a->load_from_ns;
	if (k)
		a->au_compute_ns += a->ep->compute_ns[k];
	else
		a->au_wall_from_ns = now_ns;
	a->load_from_ns = now_ns; /* the barrier's start, for now */
	a->state = STEP_BARRIER;
	group_barrier_start(a->t->env->group, a->member);
}

static void show_progress(struct accel *a, int64_t now_ns, bool epoch_ended)
{
	struct training *t = a->t;
	struct training_progress p;
	int64_t wall = now_ns - a->au_wall_from_ns;

	if (!t->env->progress || a->index)
		return;
	if (!epoch_ended && now_ns - t->progress_ns < PROGRESS_NS)
		return;
	t->progress_ns = now_ns;
	p.epoch = a->epoch + 1;
	p.epochs = (uint32_t)t->c->epochs;
	p.step = a->step;
	p.steps = t->steps;
	p.au_pct = a->step > 1 && wall > 0
			   ? 100.0 * (double)a->au_compute_ns / (double)wall
			   : 0;
	p.bytes_read = a->bytes_read;
	p.elapsed_ns = now_ns - t->start_ns;
	p.epoch_ended = epoch_ended;
	t->env->progress(t->env->progress_ctx, &p);
}

static void block_end(struct accel *a, int64_t now_ns)
{
	struct rec_epoch *ep = a->ep;
	uint32_t count = a->t->env->group->count;

	ep->block_end_ns = now_ns;
	ep->bytes_asked = a->bytes_read - a->epoch_bytes_from;
	ep->bytes_device = device_bytes(a) - a->device_from;
	ep->cpu_ns = (cpu_now(a->t) - a->cpu_from_ns) / count;
	show_progress(a, now_ns, true);
	a->state = BLOCK_BARRIER;
	group_barrier_start(a->t->env->group, a->member);
}

static void step_done(struct accel *a)
{
	struct training *t = a->t;
	int64_t now = clock_now(t->loop.clock);

	a->ep->barrier_ns[a->step] = now - a->load_from_ns;
	a->load_from_ns = now;
	a->step++;
	steady_mark(a, now);
	if (a->step == t->steps) {
		block_end(a, now);
		return;
	}
	show_progress(a, now, false);
	a->state = LOAD;
}

static void epoch_done(struct accel *a)
{
	struct training *t = a->t;

	a->ep->train_end_ns = clock_now(t->loop.clock);
	a->ep->end_ns = clock_now(t->loop.clock);
	a->epoch++;
	a->state = a->epoch < t->c->epochs ? EPOCH_START : FINISHED;
	if (a->state == FINISHED) {
		if (!t->loop.clock->is_virtual)
			a->rec->peak_rss_bytes = host_peak_rss_bytes();
		a->rec->cpu_ns = (cpu_now(t) - a->cpu_start_ns) /
				 t->env->group->count;
	}
}

static int accel_step(struct loop_task *task, struct err *e)
{
	struct accel *a = (struct accel *)task;
	struct training *t = a->t;
	int64_t now;
	int r;

	for (;;) {
		if (a->failed) {
			*e = a->error;
			return e->code;
		}
		switch (a->state) {
		case EPOCH_START:
			r = epoch_start(a, e);
			if (r)
				return r;
			break;
		case LOAD:
			if (!a->ready[a->step % t->window])
				return 0;
			take_batch(a);
			break;
		case COMPUTE:
			now = clock_now(t->loop.clock);
			if (now < a->compute_until_ns)
				return 0;
			compute_done(a, now);
			break;
		case EPOCH_BARRIER:
		case STEP_BARRIER:
		case BLOCK_BARRIER:
			r = group_barrier_test(t->env->group, a->member, e);
			if (r <= 0)
				return r;
			if (a->state == EPOCH_BARRIER)
				block_start(a);
			else if (a->state == STEP_BARRIER)
				step_done(a);
			else
				epoch_done(a);
			break;
		case FINISHED:
			return 1;
		}
	}
}

static int accel_init(struct training *t, struct accel *a, uint32_t index,
	struct rec_rank *rec, struct err *e)
{
	uint64_t w = t->c->read_threads, i;
	uint32_t j;

	a->t = t;
	a->index = index;
	a->member = t->env->group->first + index;
	a->rec = rec;
	a->task.step = accel_step;
	a->starved_tail = &a->starved;
	a->readers = calloc(w, sizeof(*a->readers));
	a->ios = calloc(t->ios_each, sizeof(*a->ios));
	a->ready = calloc(t->window, sizeof(*a->ready));
	a->batch_bytes = calloc(t->window, sizeof(*a->batch_bytes));
	if (!a->readers || !a->ios || !a->ready || !a->batch_bytes ||
		rec_rank_init(rec, (uint32_t)t->c->epochs, t->steps))
		return err_nomem(e, "an accelerator");
	for (i = 0; i < w; i++) {
		a->readers[i].a = a;
		a->readers[i].queue = calloc(
			t->c->prefetch_factor, sizeof(*a->readers[i].queue));
		if (!a->readers[i].queue)
			return err_nomem(e, "a reader");
	}
	for (j = t->ios_each; j-- > 0;) {
		struct io *io = &a->ios[j];

		io->op.opcode = ENGINE_READ;
		io->op.buf = buffers_at(
			t->env->buffers, index * t->ios_each + j);
		io->op.buf_index = t->env->buffers->registered ? 0 : -1;
		io->op.done = io_done;
		io->op.owner = io;
		io->next = a->free_ios;
		a->free_ios = io;
	}
	rec->rank = a->member;
	rec->host = t->env->group->host;
	rec->pid = t->loop.clock->is_virtual ? 0 : getpid();
	a->cpu_start_ns = cpu_now(t);
	return loop_add(&t->loop, &a->task, e);
}

static void accel_fini(struct accel *a)
{
	uint64_t i;

	for (i = 0; a->readers && i < a->t->c->read_threads; i++) {
		if (a->readers[i].open)
			store_close(a->t->env->store, &a->readers[i].file);
		free(a->readers[i].queue);
	}
	free(a->readers);
	free(a->ios);
	free(a->ready);
	free(a->batch_bytes);
}

int training_run(const struct training_env *env, struct rec_rank *ranks,
	struct err *e)
{
	struct training t = {.env = env, .c = env->config};
	uint32_t i, n = env->group->count;
	struct loop_task **tasks = calloc(n, sizeof(*tasks));
	struct err drained;
	int r = 0;

	t.steps = training_steps(t.c);
	t.reader_count = t.c->read_threads;
	t.window = (uint32_t)(t.c->read_threads * t.c->prefetch_factor);
	t.depth = (uint32_t)t.c->queue_depth;
	t.ios_each = training_buffers(t.c);
	t.accels = calloc(n, sizeof(*t.accels));
	t.drop_refused = !env->store->ops->is_virtual && env->drop_caches &&
			 !env->group->host_leader && !host_may_drop_caches();
	loop_init(&t.loop, env->engine);
	t.start_ns = clock_now(t.loop.clock);
	if (!tasks || !t.accels)
		r = err_nomem(e, "the accelerators");
	else if (!t.steps)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"%" PRIu64 " files for %" PRIu64 " accelerators with "
			"batches of %" PRIu64 " make no step",
			t.c->files, t.c->accelerators, t.c->batch_size);
	for (i = 0; !r && i < n; i++) {
		r = accel_init(&t, &t.accels[i], i, &ranks[i], e);
		tasks[i] = &t.accels[i].task;
	}
	r = group_agree(env->group, r, e);
	if (!r) {
		r = group_attach(env->group, &t.loop, tasks, e);
		if (!r)
			r = loop_run(&t.loop, e);
		if (r)
			group_fail(env->group, e);
		group_detach(env->group);
		/* what is in flight ends; no reader asks for more */
		for (i = 0; r && i < n; i++)
			t.accels[i].failed = true;
		if (loop_drain(&t.loop, &drained) && !r) {
			*e = drained;
			r = e->code;
		}
		r = group_agree(env->group, r, e);
	}
	for (i = 0; t.accels && i < n && t.accels[i].t; i++)
		accel_fini(&t.accels[i]);
	loop_fini(&t.loop);
	free(t.accels);
	free(tasks);
	return r;
}
