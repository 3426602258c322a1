/* Training and a checkpoint on one drive; see interference.h. */
#include "plan/interference.h"

#include "accel_sim/group.h"
#include "accel_sim/shard.h"
#include "core/units.h"
#include "datagen/dataset.h"
#include "plan/data_source.h"
#include "storage/buffers.h"
#include "workloads/checkpoint.h"
#include "workloads/training.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_S 15.0 /* training alone, at least */
#define AFTER_S 15.0
#define RUN 10 /* steps in a row that tell of a state */
#define SLOWED 1.02

/* Both workloads and what they stand on. */
struct both {
	const struct interference *i;
	struct train_config train;
	struct ckpt_config ckpt;
	struct clock clock;
	struct engine *engine;
	struct loop loop;
	struct group *train_group, *ckpt_group;
	struct data_source source;
	struct store ckpt_store;
	struct buffers train_buffers, ckpt_buffers;
	struct shard *shard;
	struct record notes;
	struct rec_rank *ranks;
	struct ckpt_op *ops;
};

static int open_drive(struct both *b, struct err *e)
{
	struct engine_spec spec = b->i->engine;
	struct store_namer namer = {
		.ctx = &b->ckpt, .size_bytes = checkpoint_size};
	uint32_t n = (uint32_t)b->ckpt.shape.ranks;
	char why[256];
	int r;

	clock_start(&b->clock, true);
	spec.buffered = !b->train.odirect;
	r = engine_open(&spec, &b->clock, &b->engine, why, sizeof(why), e);
	if (r)
		return r;
	loop_init(&b->loop, b->engine);
	store_catalog_init(&b->ckpt_store, &namer);
	r = group_local_open(n, &b->ckpt_group, e);
	if (!r)
		r = buffers_init(&b->ckpt_buffers, b->engine,
			n * checkpoint_buffers(&b->ckpt),
			checkpoint_buffer_bytes(&b->ckpt), false, e);
	b->ops = calloc(n, sizeof(*b->ops));
	return r || b->ops ? r : err_nomem(e, "a checkpoint");
}

static int open_training(struct both *b, struct err *e)
{
	struct train_config *c = &b->train;
	uint32_t n = (uint32_t)c->accelerators;
	int r = group_local_open(n, &b->train_group, e);

	if (!r)
		r = data_source_open(&b->source, c, false, &b->notes, e);
	if (!r)
		r = buffers_init(&b->train_buffers, b->engine,
			n * training_buffers(c), c->transfer_bytes, false, e);
	if (r)
		return r;
	b->shard = shard_new(c->files, n, e);
	if (!b->shard)
		return e->code;
	b->ranks = calloc(n, sizeof(*b->ranks));
	return b->ranks ? 0 : err_nomem(e, "the accelerators");
}

static void close_both(struct both *b)
{
	uint64_t k;

	for (k = 0; b->ranks && k < b->train.accelerators; k++)
		rec_rank_fini(&b->ranks[k]);
	free(b->ranks);
	free(b->ops);
	shard_free(b->shard);
	buffers_fini(&b->train_buffers);
	buffers_fini(&b->ckpt_buffers);
	data_source_close(&b->source);
	if (b->train_group)
		group_close(b->train_group);
	if (b->ckpt_group)
		group_close(b->ckpt_group);
	loop_fini(&b->loop);
	engine_close(b->engine);
	record_fini(&b->notes);
}

static void set_up(struct both *b, const struct interference *i)
{
	memset(b, 0, sizeof(*b));
	record_init(&b->notes);
	b->i = i;
	b->ckpt = i->checkpoint;
	b->ckpt.writes = 1;
	b->ckpt.reads = 0;
	b->train = *i->config;
	b->train.epochs = 1;
}

/* Of the slowest rank. */
static double save_s(const struct both *b)
{
	int64_t longest = 0, each;
	uint64_t k;

	for (k = 0; k < b->ckpt.shape.ranks; k++) {
		each = b->ops[k].end_ns - b->ops[k].start_ns;
		if (each > longest)
			longest = each;
	}
	return (double)longest / 1e9;
}

static int save_alone(
	const struct interference *i, double *seconds, struct err *e)
{
	struct both b;
	struct checkpoint_env env = {.config = &b.ckpt};
	int r;

	set_up(&b, i);
	b.ckpt.gap_ns = 0;
	r = open_drive(&b, e);
	env.engine = b.engine;
	env.store = &b.ckpt_store;
	env.group = b.ckpt_group;
	env.buffers = &b.ckpt_buffers;
	if (!r)
		r = checkpoint_run(&env, b.ops, e);
	if (!r)
		*seconds = save_s(&b);
	close_both(&b);
	return r;
}

/* From one meeting to the next; all accelerators meet. */
static double step_s(const struct rec_epoch *ep, uint32_t k)
{
	return (double)(ep->proc_ns[k] + ep->barrier_ns[k]) / 1e9;
}

static double mean_step_s(const struct rec_epoch *ep, uint32_t from, uint32_t n)
{
	double sum = 0;
	uint32_t k;

	for (k = from; k < from + n; k++)
		sum += step_s(ep, k);
	return sum / n;
}

/* What the steps tell; the save began at start_ns. */
static int evaluate(const struct both *b, struct interference_found *f,
	struct err *e)
{
	const struct rec_epoch *ep = &b->ranks[0].epochs[0];
	double ct = (double)b->train.computation_ns / 1e9, before, slow;
	int64_t at_ns = ep->block_ns;
	uint32_t first, from, k;

	first = (uint32_t)(2 * b->train.read_threads *
			   b->train.prefetch_factor);
	for (from = 0; from < ep->steps && at_ns < b->ops[0].start_ns; from++)
		at_ns += ep->proc_ns[from] + ep->barrier_ns[from];
	/* the step in which it began is one of the slowed */
	from -= from > 0;
	if (from < first + RUN || from + 2 * RUN > ep->steps)
		return err_set(e, ERR_BUG, -ERANGE,
			"a checkpoint began in step %u of %u", from, ep->steps);
	before = mean_step_s(ep, first, from - first);
	f->au_pct = 100 * ct / before;
	slow = before;
	for (k = from; k + RUN <= ep->steps; k++) {
		double now = mean_step_s(ep, k, RUN);

		if (now > slow)
			slow = now;
		if (now <= SLOWED * before &&
			at_ns - b->ops[0].start_ns >=
				(int64_t)(f->save_s * 1e9))
			break;
		at_ns += ep->proc_ns[k] + ep->barrier_ns[k];
	}
	f->slowest_au_pct = 100 * ct / slow;
	f->dip_au_pct = k > from ? 100 * ct / mean_step_s(ep, from, k - from)
				 : f->au_pct;
	f->dip_s = k > from ? mean_step_s(ep, from, k - from) * (k - from) : 0;
	if (slow <= SLOWED * before) {
		f->dip_s = 0;
		f->dip_au_pct = f->au_pct;
	}
	f->au_period_pct = f->au_pct;
	if (f->dip_s > 0 && f->dip_s < b->i->period_s)
		f->au_period_pct = (f->dip_au_pct * f->dip_s +
				   f->au_pct * (b->i->period_s - f->dip_s)) /
				  b->i->period_s;
	else if (f->dip_s > 0)
		f->au_period_pct = f->dip_au_pct;
	return 0;
}

static int run(struct both *b, struct err *e)
{
	struct training_env train = {.config = &b->train,
		.engine = b->engine,
		.store = &b->source.store,
		.group = b->train_group,
		.shard = b->shard,
		.buffers = &b->train_buffers};
	struct checkpoint_env ckpt = {.config = &b->ckpt,
		.engine = b->engine,
		.store = &b->ckpt_store,
		.group = b->ckpt_group,
		.buffers = &b->ckpt_buffers};
	struct workload *w[2];
	bool stuck = false;
	int r;

	r = training_open(&train, &b->loop, b->ranks, &w[0], e);
	if (r)
		return r;
	r = checkpoint_open(&ckpt, &b->loop, b->ops, &w[1], e);
	if (!r)
		r = workloads_run(&b->loop, w, 2, &stuck, e);
	if (w[1])
		w[1]->close(w[1]);
	w[0]->close(w[0]);
	return r;
}

int interference_run(const struct interference *i,
	struct interference_found *found, struct err *e)
{
	double ct = (double)i->config->computation_ns / 1e9, seconds, before;
	struct both b;
	int r;

	memset(found, 0, sizeof(*found));
	r = save_alone(i, &found->save_alone_s, e);
	if (r)
		return r;
	if (found->save_alone_s >= i->period_s)
		return err_set(e, ERR_USAGE, -ERANGE,
			"a checkpoint takes %.1f s on this drive alone, which "
			"is longer than its period of %.1f s",
			found->save_alone_s, i->period_s);
	set_up(&b, i);
	before = BEFORE_S;
	if (before < 4 * RUN * ct)
		before = 4 * RUN * ct;
	/* slow steps and slow saves make it longer: room for four times */
	seconds = before + 4 * found->save_alone_s + AFTER_S + 2 * RUN * ct;
	b.ckpt.gap_ns = (int64_t)(before * 1e9);
	b.train.files = ((uint64_t)(seconds / ct) + 1) *
			i->config->batch_size * i->config->accelerators /
			i->config->samples_per_file;
	b.train.datagen_ranks = 1;
	r = open_drive(&b, e);
	if (!r)
		r = open_training(&b, e);
	if (!r)
		r = run(&b, e);
	if (!r) {
		found->save_s = save_s(&b);
		r = evaluate(&b, found, e);
	}
	close_both(&b);
	return r;
}
