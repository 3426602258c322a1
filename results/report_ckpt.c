/* Checkpointing runs in a report; see report.h. */
#include "results/report.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>

#define RANKS_READ_MAX 4096 /* files of ranks; the rest is told */

static struct report_op *find_op(
	struct report_ckpt *c, const char *key, double s)
{
	struct report_op *op;
	uint32_t step;
	bool load_it;
	size_t i;

	if (sscanf(key, "save_ckpt%" SCNu32, &step) == 1)
		load_it = false;
	else if (sscanf(key, "load_ckpt%" SCNu32, &step) == 1)
		load_it = true;
	else
		return NULL;
	for (i = 0; i < c->op_count; i++)
		if (c->ops[i].step == step && c->ops[i].load == load_it)
			return &c->ops[i];
	if (c->op_count >= REPORT_OPS_MAX)
		return NULL;
	op = report_more((void **)&c->ops, &c->op_count, sizeof(*op));
	if (op)
		*op = (struct report_op){
			.step = step, .load = load_it, .first_s = s};
	return op;
}

static void read_rank(struct report_ckpt *c, const struct cJSON *o)
{
	const struct cJSON *epoch, *item;
	struct report_op *op;
	double s;

	cJSON_ArrayForEach(epoch, o)
	{
		cJSON_ArrayForEach(item, epoch)
		{
			s = report_positive(item, "duration");
			op = s > 0 && item->string
				     ? find_op(c, item->string, s)
				     : NULL;
			if (op && s > op->slowest_s)
				op->slowest_s = s;
		}
	}
}

static void read_ranks(struct report_ckpt *c)
{
	char name[64];
	struct cJSON *o;
	struct err e;
	uint64_t r;

	for (r = 0; r < c->ranks && r < RANKS_READ_MAX; r++) {
		snprintf(name, sizeof(name), "%" PRIu64 "_per_epoch_stats.json",
			r);
		o = report_load(c->at.path, name, &e);
		if (!o)
			return;
		read_rank(c, o);
		cJSON_Delete(o);
		c->ranks_read++;
	}
}

int report_add_ckpt(struct report_input *in, const char *leaf,
	const struct cJSON *o, struct err *e)
{
	const struct cJSON *m = report_member(o, "metric");
	struct report_ckpt *c;

	c = report_more((void **)&in->ckpts, &in->ckpt_count, sizeof(*c));
	if (!c)
		return err_nomem(e, leaf);
	c->ranks = (uint64_t)report_positive(o, "num_accelerators");
	c->hosts = (uint64_t)report_positive(o, "num_hosts");
	c->size_gib = report_positive(m, "checkpoint_size_GB");
	c->save_gib_s =
		report_positive(m, "save_checkpoint_io_mean_GB_per_second");
	c->save_stdev =
		report_positive(m, "save_checkpoint_io_stdev_GB_per_second");
	c->save_s = report_positive(m, "save_checkpoint_duration_mean_seconds");
	c->load_gib_s =
		report_positive(m, "load_checkpoint_io_mean_GB_per_second");
	c->load_stdev =
		report_positive(m, "load_checkpoint_io_stdev_GB_per_second");
	c->load_s = report_positive(m, "load_checkpoint_duration_mean_seconds");
	report_leaf_read(&c->at, leaf, "checkpointing_run.stdout.log");
	read_ranks(c);
	return 0;
}
