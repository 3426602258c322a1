/* The checkpointing state machine; see checkpoint.h. */
#include "workloads/checkpoint.h"

#include "core/units.h"
#include "storage/host.h"
#include "storage/loop.h"
#include "workloads/ckpt_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_BUFFERS 4

enum state {
	GAP,	 /* the pause before a save or load */
	PREPARE, /* untimed: what must go goes, is the cache cold? */
	MEET,
	MOVE, /* timed */
	END,  /* all meet once more */
	FINISHED,
};

struct rank {
	struct loop_task task;
	struct job *job;
	uint64_t rank;
	uint32_t index; /* in this process */
	enum state state;
	uint32_t op; /* current */
	uint32_t file, files;
	uint64_t owner; /* whose files these are: rotation */
	int64_t until_ns;
	bool begun; /* the current file */
	struct ckpt_op *rec;
	struct ckpt_stream *stream;
	struct ckpt_stream_totals from;
	int64_t cpu_from_ns;
	uint64_t device_from;
};

struct job {
	struct workload w;
	const struct checkpoint_env *env;
	const struct ckpt_config *c;
	struct loop *loop;
	struct rank *ranks;
};

uint32_t checkpoint_buffers(const struct ckpt_config *c)
{
	uint32_t most = c->write_depth > c->read_depth ? c->write_depth
							: c->read_depth;

	/* one more, which is made while the others are being written */
	return c->io == CKPT_IO_REFERENCE ? REFERENCE_BUFFERS : most + 1;
}

uint32_t checkpoint_buffer_bytes(const struct ckpt_config *c)
{
	uint64_t most = 0, longest = 1, part, i;
	struct ckpt_file f;
	uint64_t r;

	if (c->writes)
		most = c->write_bytes;
	if (c->reads && c->read_bytes > most)
		most = c->read_bytes;
	for (r = 0; r < c->shape.ranks; r++)
		for (i = 0; i < ckpt_rank_files(&c->shape, r); i++) {
			ckpt_rank_file(&c->shape, r, (uint32_t)i, &f);
			part = f.bytes;
			/* a reader's part, where that is all it is needed for */
			if (c->io == CKPT_IO_REFERENCE &&
				part > c->write_bytes) {
				part = (part + 3) / 4;
				if (part < c->write_bytes)
					part = c->write_bytes;
			}
			if (part > longest)
				longest = part;
		}
	if (most > longest)
		most = longest;
	return (uint32_t)((most + 4095) / 4096 * 4096);
}

static void where(const struct ckpt_config *c, uint64_t id, uint32_t *step,
	uint64_t *rank, struct ckpt_file *f)
{
	uint64_t n = id / c->shape.files_per_rank;

	*step = (uint32_t)(n / c->shape.ranks) + 1;
	*rank = n % c->shape.ranks;
	ckpt_rank_file(&c->shape, *rank,
		(uint32_t)(id % c->shape.files_per_rank), f);
}

int checkpoint_path(void *ctx, uint64_t id, char *buf, size_t buf_bytes)
{
	const struct ckpt_config *c = ctx;
	char name[CKPT_FILE_NAME_MAX];
	struct ckpt_file f;
	uint64_t rank;
	uint32_t step;
	int n;

	where(c, id, &step, &rank, &f);
	n = snprintf(buf, buf_bytes, "%s/global_epoch1_step%u/%s", c->folder,
		step, ckpt_file_name(&c->shape, rank, &f, name));
	return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
}

uint64_t checkpoint_size(void *ctx, uint64_t id)
{
	struct ckpt_file f;
	uint64_t rank;
	uint32_t step;

	where(ctx, id, &step, &rank, &f);
	return f.bytes;
}

static void stream_changed(void *ctx)
{
	struct rank *r = ctx;

	loop_ready(r->job->loop, &r->task);
}

static bool is_real(const struct job *j)
{
	return !j->env->store->ops->is_virtual;
}

static int64_t cpu_now(const struct rank *r)
{
	const struct job *j = r->job;

	return j->loop->clock->is_virtual
		       ? 0
		       : host_cpu_ns() / j->env->group->count;
}

static uint64_t device_now(const struct rank *r)
{
	uint64_t bytes = 0;

	if (is_real(r->job))
		host_device_read_bytes(&bytes);
	/* one process, several ranks: to each its share */
	return bytes / r->job->env->group->count;
}

static uint64_t file_id(const struct rank *r, uint32_t step, uint32_t i)
{
	return checkpoint_file_id(&r->job->c->shape, step, r->owner, i);
}

static void op_begin(struct rank *r)
{
	const struct ckpt_config *c = r->job->c;
	struct ckpt_op *op = &r->rec[r->op];

	op->load = r->op >= c->writes;
	op->step = ckpt_config_step(c, r->op);
	op->host = r->job->env->group->host;
	r->owner = r->rank;
	if (op->load)
		r->owner = (r->rank + c->rotate) % c->shape.ranks;
	r->files = ckpt_rank_files(&c->shape, r->owner);
	r->file = 0;
	r->begun = false;
	r->state = GAP;
	r->until_ns = clock_now(r->job->loop->clock) + c->gap_ns;
	loop_sleep(r->job->loop, &r->task, r->until_ns);
	group_set_phase(r->job->env->group, WATCH_COMPUTE, r->op, 0);
}

/* --keep: the oldest goes before the next one comes. */
static int make_room(struct rank *r, struct err *e)
{
	const struct ckpt_config *c = r->job->c;
	uint32_t step = r->rec[r->op].step, i;
	int ret = 0;

	if (!c->keep || step <= c->keep)
		return 0;
	for (i = 0; !ret && i < r->files; i++)
		ret = store_remove(r->job->env->store,
			file_id(r, step - c->keep, i), e);
	return ret;
}

/* How much of what is to be read is in the page cache; drop it if asked. */
static int look_at_cache(struct rank *r, struct err *e)
{
	const struct ckpt_config *c = r->job->c;
	struct store *s = r->job->env->store;
	struct ckpt_op *op = &r->rec[r->op];
	bool direct = c->io == CKPT_IO_DIRECT;
	uint64_t bytes, size = 0, id;
	char path[4352];
	uint32_t i;

	for (i = 0; i < r->files; i++) {
		id = file_id(r, op->step, i);
		if (direct || c->drop_caches)
			store_forget(s, id);
		/* what is missing is found when it is opened */
		if (store_stat(s, id, &size))
			continue;
		bytes = 0;
		if (store_cached(s, id, &bytes, e)) {
			/* no mmap here (FUSE): nobody can tell */
			if (e->code != -ENODEV || (direct && !c->allow_cached))
				return e->code;
			op->cache_unknown = true;
		}
		op->cached_bytes += bytes;
		if (!direct || c->allow_cached ||
			(double)bytes * 100 <=
				CKPT_CACHED_MOST_PCT * (double)size ||
			bytes <= 64 * KIB_BYTES)
			continue;
		return err_set(e, ERR_ENV, -EBUSY,
			"load refused: %.1f %% of %s is in memory and cannot "
			"be dropped (tmpfs? in use?), so that this would not "
			"measure the drive; --allow-cached loads it all the "
			"same", 100 * (double)bytes / (double)size,
			store_label(s, id, path, sizeof(path)));
	}
	return 0;
}

static int prepare(struct rank *r, struct err *e)
{
	struct job *j = r->job;
	const struct checkpoint_env *env = j->env;
	const struct ckpt_op *op = &r->rec[r->op];

	if (!op->load)
		return make_room(r, e);
	if (r->op == j->c->writes && j->c->drop_caches && !r->index &&
		env->group->host_leader && env->drop_caches)
		env->drop_caches(env->drop_ctx);
	return is_real(j) ? look_at_cache(r, e) : 0;
}

static void move_begin(struct rank *r)
{
	struct ckpt_op *op = &r->rec[r->op];

	ckpt_stream_get_totals(r->stream, &r->from);
	r->cpu_from_ns = cpu_now(r);
	r->device_from = device_now(r);
	op->start_ns = clock_now(r->job->loop->clock);
	r->state = MOVE;
	group_set_phase(r->job->env->group,
		op->load ? WATCH_LOAD : WATCH_WRITE, r->op, 0);
}

/* All files of this rank: a save also makes their names outlive a power cut. */
static int move_end(struct rank *r, struct err *e)
{
	struct job *j = r->job;
	struct ckpt_op *op = &r->rec[r->op];
	struct ckpt_stream_totals t;
	int64_t from_ns;

	ckpt_stream_get_totals(r->stream, &t);
	op->sync_ns = t.sync_ns - r->from.sync_ns;
	if (!op->load && j->c->io == CKPT_IO_DIRECT) {
		from_ns = clock_now(j->loop->clock);
		if (store_sync_folder(
			    j->env->store, file_id(r, op->step, 0), e))
			return e->code;
		op->sync_ns += clock_now(j->loop->clock) - from_ns;
	}
	op->end_ns = clock_now(j->loop->clock);
	op->bytes = t.bytes - r->from.bytes;
	op->verified_bytes = t.verified_bytes - r->from.verified_bytes;
	op->fill_ns = t.fill_ns - r->from.fill_ns;
	op->cpu_ns = cpu_now(r) - r->cpu_from_ns;
	if (op->load)
		op->device_bytes = is_real(j) ? device_now(r) - r->device_from
					      : op->bytes;
	if (j->env->progress && !r->index)
		j->env->progress(j->env->progress_ctx, op);
	r->op++;
	if (r->op < ckpt_config_ops(j->c)) {
		op_begin(r);
		return 0;
	}
	r->state = END;
	group_set_phase(j->env->group, WATCH_BARRIER, r->op, 0);
	group_barrier_start(j->env->group, (uint32_t)r->rank);
	return 0;
}

/* 1 = all files are done, 0 = wait, or an error. */
static int move(struct rank *r, struct err *e)
{
	struct job *j = r->job;
	struct ckpt_file f;
	int ret;

	while (r->file < r->files) {
		if (!r->begun) {
			ckpt_rank_file(&j->c->shape, r->owner, r->file, &f);
			ret = ckpt_stream_begin(r->stream,
				file_id(r, r->rec[r->op].step, r->file),
				f.bytes, r->rec[r->op].load, e);
			if (ret)
				return ret;
			r->begun = true;
		}
		ret = ckpt_stream_step(r->stream, e);
		if (ret == -EAGAIN && j->env->content) {
			/* between two pieces the loop looks after the engine */
			loop_sleep(j->loop, &r->task,
				clock_now(j->loop->clock));
			return 0;
		}
		if (ret == -EAGAIN)
			continue;
		if (ret <= 0)
			return ret;
		r->begun = false;
		r->file++;
	}
	return 1;
}

static int rank_step(struct loop_task *task, struct err *e)
{
	struct rank *r = (struct rank *)task;
	struct job *j = r->job;
	struct group *g = j->env->group;
	int ret;

	for (;;) {
		switch (r->state) {
		case GAP:
			if (clock_now(j->loop->clock) < r->until_ns)
				return 0;
			r->state = PREPARE;
			break;
		case PREPARE:
			ret = prepare(r, e);
			if (ret)
				return ret;
			r->state = MEET;
			group_set_phase(g, WATCH_BARRIER, r->op, 0);
			group_barrier_start(g, (uint32_t)r->rank);
			break;
		case MEET:
		case END:
			ret = group_barrier_test(g, (uint32_t)r->rank, e);
			if (ret <= 0)
				return ret;
			if (r->state == MEET)
				move_begin(r);
			else
				r->state = FINISHED;
			break;
		case MOVE:
			ret = move(r, e);
			if (ret <= 0)
				return ret;
			ret = move_end(r, e);
			if (ret)
				return ret;
			break;
		case FINISHED:
			return 1;
		}
	}
}

static int rank_init(struct job *j, uint32_t index, struct ckpt_op *ops,
	struct err *e)
{
	const struct checkpoint_env *env = j->env;
	struct rank *r = &j->ranks[index];
	struct ckpt_stream_env stream = {
		.config = j->c,
		.engine = env->engine,
		.store = env->store,
		.buffers = env->buffers,
		.first_buffer = index * checkpoint_buffers(j->c),
		.content = is_real(j) ? env->content : NULL,
		.changed = stream_changed,
		.ctx = r,
	};
	int ret;

	r->job = j;
	r->index = index;
	r->rank = env->group->first + index;
	r->rec = ops + (size_t)index * ckpt_config_ops(j->c);
	r->task.step = rank_step;
	ret = ckpt_stream_open(&stream, &r->stream, e);
	if (!ret)
		ret = loop_add(j->loop, &r->task, e);
	if (!ret)
		op_begin(r);
	return ret;
}

static void stop(struct workload *w)
{
	struct job *j = (struct job *)w;
	uint32_t i;

	for (i = 0; i < w->group->count; i++)
		ckpt_stream_stop(j->ranks[i].stream);
}

static int job_init(struct job *j, struct ckpt_op *ops, struct err *e)
{
	uint32_t i, n = j->env->group->count;
	int r = 0;

	j->w.group = j->env->group;
	j->w.stop = stop;
	j->w.tasks = calloc(n, sizeof(*j->w.tasks));
	j->ranks = calloc(n, sizeof(*j->ranks));
	if (!j->w.tasks || !j->ranks)
		return err_nomem(e, "the ranks");
	for (i = 0; !r && i < n; i++) {
		r = rank_init(j, i, ops, e);
		j->w.tasks[i] = &j->ranks[i].task;
	}
	return r;
}

static void close_job(struct workload *w)
{
	struct job *j = (struct job *)w;
	uint32_t i;

	for (i = 0; j->ranks && i < j->env->group->count; i++)
		ckpt_stream_close(j->ranks[i].stream);
	free(j->ranks);
	free(j->w.tasks);
	free(j);
}

int checkpoint_open(const struct checkpoint_env *env, struct loop *loop,
	struct ckpt_op *ops, struct workload **out, struct err *e)
{
	struct job *j = calloc(1, sizeof(*j));
	int r;

	if (!j) {
		r = err_nomem(e, "the checkpoints");
	} else {
		j->env = env;
		j->c = env->config;
		j->loop = loop;
		j->w.close = close_job;
		r = job_init(j, ops, e);
	}
	return workload_opened(j ? &j->w : NULL, env->group, r, out, e);
}

/* What checkpoint_run() was handed. */
struct alone {
	const struct checkpoint_env *env;
	struct ckpt_op *ops;
};

static int open_alone(
	void *arg, struct loop *l, struct workload **out, struct err *e)
{
	const struct alone *a = arg;

	return checkpoint_open(a->env, l, a->ops, out, e);
}

int checkpoint_run(const struct checkpoint_env *env, struct ckpt_op *ops,
	struct err *e)
{
	struct alone a = {env, ops};

	return workload_alone(env->engine, open_alone, &a, e);
}
