/* The training state machine; see training.h. */
#include "workloads/training.h"

#include "core/units.h"
#include "storage/host.h"
#include "storage/loop.h"
#include "workloads/loader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	struct loader *loader;
	struct loader_totals epoch_from; /* as the block started */
	uint64_t device_from;
	int64_t cpu_from_ns, cpu_start_ns;
	int64_t au_wall_from_ns, au_compute_ns;
};

struct training {
	struct workload w;
	const struct training_env *env;
	const struct train_config *c;
	struct loop *loop;
	struct accel *accels;
	uint32_t steps, window;
	int64_t start_ns, progress_ns;
	bool drop_refused;
};

uint32_t training_steps(const struct train_config *c)
{
	uint64_t per_rank = c->files / c->accelerators;
	uint64_t steps = per_rank * c->samples_per_file / c->batch_size;

	if (c->steps_most && steps > c->steps_most)
		steps = c->steps_most;
	return (uint32_t)steps;
}

uint32_t training_buffers(const struct train_config *c)
{
	return loader_buffers(c);
}

/* The loader has a batch, or an error: the accelerator looks at it. */
static void loader_changed(void *ctx)
{
	struct accel *a = ctx;

	if (loader_error(a->loader) ||
		(a->state == LOAD && loader_has(a->loader, a->step)))
		loop_ready(a->t->loop, &a->task);
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

static void set_phase(const struct accel *a, enum watch_phase phase)
{
	group_set_phase(a->t->env->group, phase, a->epoch, a->step);
}

static int epoch_start(struct accel *a, struct err *e)
{
	struct training *t = a->t;
	int r = shard_epoch(t->env->shard, a->epoch + 1, e);

	if (r)
		return r;
	a->ep = &a->rec->epochs[a->epoch];
	a->order = shard_rank(t->env->shard, a->member);
	loader_set_order(a->loader, a->order);
	a->step = 0;
	set_phase(a, WATCH_CACHE_DROP);
	drop_caches(a);
	a->state = EPOCH_BARRIER;
	set_phase(a, WATCH_BARRIER);
	group_barrier_start(t->env->group, a->member);
	return 0;
}

static struct loader_totals totals(const struct accel *a)
{
	struct loader_totals t;

	loader_get_totals(a->loader, &t);
	return t;
}

static uint64_t device_bytes(const struct accel *a)
{
	uint64_t bytes = 0;

	if (a->t->env->store->ops->is_virtual)
		return totals(a).bytes_read;
	host_device_read_bytes(&bytes);
	/* one process, several accelerators: to each its share */
	return bytes / a->t->env->group->count;
}

/* Of this process; a simulated run has no CPU time of its own. */
static int64_t cpu_now(const struct training *t)
{
	return t->loop->clock->is_virtual ? 0 : host_cpu_ns();
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
	a->epoch_from = totals(a);
	a->au_wall_from_ns = 0;
	a->au_compute_ns = 0;
	ep->start_ns = clock_now(t->loop->clock);
	ep->block_ns = ep->start_ns;
	a->load_from_ns = ep->block_ns;
	a->state = LOAD;
	set_phase(a, WATCH_LOAD);
	for (b = 0; b < t->window && b < t->steps; b++)
		loader_hand_out(a->loader, b);
}

/* Read-ahead is in balance between steps window and steps - window. */
static void steady_mark(struct accel *a, int64_t now_ns)
{
	struct rec_steady *s = &a->ep->steady;
	struct training *t = a->t;
	struct loader_totals sum;

	if (t->steps <= 2 * t->window)
		return;
	sum = totals(a);
	if (a->step == t->window) {
		s->first = t->window;
		s->end = t->steps - t->window;
		s->begin_ns = now_ns;
		s->busy_ns = sum.busy_ns; /* differences at the end */
		s->bytes_read = sum.bytes_read;
	} else if (a->step == t->steps - t->window) {
		s->end_ns = now_ns;
		s->busy_ns = sum.busy_ns - s->busy_ns;
		s->bytes_read = sum.bytes_read - s->bytes_read;
	}
}

static void take_batch(struct accel *a)
{
	struct training *t = a->t;
	struct rec_steady *s = &a->ep->steady;
	int64_t now = clock_now(t->loop->clock);
	uint32_t k = a->step;

	a->ep->load_ns[k] = now - a->load_from_ns;
	if (k >= s->first && k < s->end)
		s->bytes_taken += loader_batch_bytes(a->loader, k);
	if (k + t->window < t->steps)
		loader_hand_out(a->loader, k + t->window);
	/* what the host of a modelled drive needs before it computes */
	a->compute_from_ns = clock_now(t->loop->clock) + t->c->host_step_ns;
	a->compute_until_ns = a->compute_from_ns + t->c->computation_ns;
	a->state = COMPUTE;
	set_phase(a, WATCH_COMPUTE);
	loop_sleep(t->loop, &a->task, a->compute_until_ns);
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
	set_phase(a, WATCH_BARRIER);
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
	p.bytes_read = totals(a).bytes_read;
	p.elapsed_ns = now_ns - t->start_ns;
	p.epoch_ended = epoch_ended;
	t->env->progress(t->env->progress_ctx, &p);
}

static void block_end(struct accel *a, int64_t now_ns)
{
	struct rec_epoch *ep = a->ep;
	struct loader_totals sum = totals(a);
	uint32_t count = a->t->env->group->count;

	ep->block_end_ns = now_ns;
	ep->bytes_asked = sum.bytes_read - a->epoch_from.bytes_read;
	ep->samples_read = sum.samples_read - a->epoch_from.samples_read;
	ep->bytes_device = device_bytes(a) - a->device_from;
	ep->cpu_ns = (cpu_now(a->t) - a->cpu_from_ns) / count;
	show_progress(a, now_ns, true);
	a->state = BLOCK_BARRIER;
	group_barrier_start(a->t->env->group, a->member);
}

static void step_done(struct accel *a)
{
	struct training *t = a->t;
	int64_t now = clock_now(t->loop->clock);

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
	set_phase(a, WATCH_LOAD);
}

static void epoch_done(struct accel *a)
{
	struct training *t = a->t;

	a->ep->train_end_ns = clock_now(t->loop->clock);
	a->ep->end_ns = clock_now(t->loop->clock);
	a->epoch++;
	a->state = a->epoch < t->c->epochs ? EPOCH_START : FINISHED;
	if (a->state == FINISHED) {
		if (!t->loop->clock->is_virtual)
			a->rec->peak_rss_bytes = host_peak_rss_bytes();
		a->rec->files_opened = totals(a).files_opened;
		loader_take_hists(a->loader, a->rec->hists);
		a->rec->cpu_ns = (cpu_now(t) - a->cpu_start_ns) /
				 t->env->group->count;
	}
}

static int accel_step(struct loop_task *task, struct err *e)
{
	struct accel *a = (struct accel *)task;
	struct training *t = a->t;
	const struct err *failure;
	int64_t now;
	int r;

	for (;;) {
		failure = loader_error(a->loader);
		if (failure) {
			*e = *failure;
			return e->code;
		}
		switch (a->state) {
		case EPOCH_START:
			r = epoch_start(a, e);
			if (r)
				return r;
			break;
		case LOAD:
			if (!loader_has(a->loader, a->step))
				return 0;
			take_batch(a);
			break;
		case COMPUTE:
			now = clock_now(t->loop->clock);
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
	const struct training_env *env = t->env;
	struct loader_env loader = {
		.config = t->c,
		.engine = env->engine,
		.store = env->store,
		.buffers = env->buffers,
		.first_buffer = index * loader_buffers(t->c),
		.check = env->check,
		.check_ctx = env->check_ctx,
		.changed = loader_changed,
		.ctx = a,
	};
	int r;

	a->t = t;
	a->index = index;
	a->member = env->group->first + index;
	a->rec = rec;
	a->task.step = accel_step;
	r = loader_open(&loader, &a->loader, e);
	if (r)
		return r;
	if (rec_rank_init(rec, (uint32_t)t->c->epochs, t->steps))
		return err_nomem(e, "an accelerator");
	rec->rank = a->member;
	rec->host = env->group->host;
	rec->pid = t->loop->clock->is_virtual ? 0 : getpid();
	a->cpu_start_ns = cpu_now(t);
	return loop_add(t->loop, &a->task, e);
}

/* No reader asks for more. */
static void stop(struct workload *w)
{
	struct training *t = (struct training *)w;
	uint32_t i;

	for (i = 0; i < w->group->count; i++)
		loader_stop(t->accels[i].loader);
}

static int training_init(
	struct training *t, struct rec_rank *ranks, struct err *e)
{
	const struct training_env *env = t->env;
	uint32_t i, n = env->group->count;
	int r = 0;

	t->steps = training_steps(t->c);
	t->window = loader_window(t->c);
	t->start_ns = clock_now(t->loop->clock);
	t->drop_refused = !env->store->ops->is_virtual && env->drop_caches &&
			  !env->group->host_leader && !host_may_drop_caches();
	t->w.group = env->group;
	t->w.stop = stop;
	t->w.tasks = calloc(n, sizeof(*t->w.tasks));
	t->accels = calloc(n, sizeof(*t->accels));
	if (!t->w.tasks || !t->accels)
		return err_nomem(e, "the accelerators");
	if (!t->steps)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%" PRIu64 " files for %" PRIu64 " accelerators with "
			"batches of %" PRIu64 " make no step",
			t->c->files, t->c->accelerators, t->c->batch_size);
	for (i = 0; !r && i < n; i++) {
		r = accel_init(t, &t->accels[i], i, &ranks[i], e);
		t->w.tasks[i] = &t->accels[i].task;
	}
	return r;
}

static void close_training(struct workload *w)
{
	struct training *t = (struct training *)w;
	uint32_t i;

	for (i = 0; t->accels && i < t->env->group->count; i++)
		loader_close(t->accels[i].loader);
	free(t->accels);
	free(t->w.tasks);
	free(t);
}

int training_open(const struct training_env *env, struct loop *loop,
	struct rec_rank *ranks, struct workload **out, struct err *e)
{
	struct training *t = calloc(1, sizeof(*t));
	int r;

	if (!t) {
		r = err_nomem(e, "the training");
	} else {
		t->env = env;
		t->c = env->config;
		t->loop = loop;
		t->w.close = close_training;
		r = training_init(t, ranks, e);
	}
	return workload_opened(t ? &t->w : NULL, env->group, r, out, e);
}

/* What training_run() was handed. */
struct alone {
	const struct training_env *env;
	struct rec_rank *ranks;
};

static int open_alone(
	void *arg, struct loop *l, struct workload **out, struct err *e)
{
	const struct alone *a = arg;

	return training_open(a->env, l, a->ranks, out, e);
}

int training_run(const struct training_env *env, struct rec_rank *ranks,
	struct err *e)
{
	struct alone a = {env, ranks};

	return workload_alone(env->engine, open_alone, &a, e);
}
