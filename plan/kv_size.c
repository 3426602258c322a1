/* Users that a drive serves within a time; see kv_size.h. */
#include "plan/kv_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void take_point(const struct kv_size *q, struct kv_rank_result *k,
	struct kv_size_point *p)
{
	struct kv_trial t = {.rank_count = 1, .ranks = k};
	double s = (double)k->elapsed_ns / 1e9;
	struct kv_aggregate a;

	kv_trial_aggregate(&t, &a);
	p->latency_s = kv_series_percentile(
			       &k->series[KV_END_TO_END], q->share) / 1e9;
	p->tokens_s = a.strict_tokens_s;
	p->requests_s = (double)k->frozen.requests / s;
	p->read_gib_s = a.strict_read_gib_s;
	p->write_gib_s = a.strict_write_gib_s;
	p->meets = k->frozen.requests > 0 &&
		   p->latency_s * 1e9 <= (double)q->target_ns;
}

static void insert(struct kv_size *q, const struct kv_size_point *p)
{
	uint32_t i = q->point_count++;

	for (; i && q->points[i - 1].users > p->users; i--)
		q->points[i] = q->points[i - 1];
	q->points[i] = *p;
}

/* One run with so many users. */
static int try_users(
	struct kv_size *q, uint32_t users, bool *meets, struct err *e)
{
	struct kv_record *rec = malloc(sizeof(*rec));
	struct kv_size_point p = {.users = users};
	uint64_t buffers;
	int r;

	if (!rec)
		return err_nomem(e, "a run");
	kv_record_init(rec);
	rec->trials = rec->option_count = 1;
	rec->options[0].config = q->config;
	rec->options[0].config.closed_loop = true;
	rec->options[0].config.opt.users = users;
	buffers = (uint64_t)users * q->config.depth;
	rec->options[0].config.buffers =
		(uint32_t)(buffers < 65536 ? buffers : 65536);
	r = kv_run(q->run, rec, e);
	if (!r) {
		take_point(q, &rec->options[0].trials[0].ranks[0], &p);
		insert(q, &p);
		*meets = p.meets;
	}
	kv_record_fini(rec);
	free(rec);
	return r;
}

int kv_size(struct kv_size *q, struct err *e)
{
	uint32_t low = 0, high = 1, middle;
	bool meets = true;
	int r = 0;

	q->point_count = 0;
	/* doubled until it is too many, then halved in between */
	while (!r && high <= KV_SIZE_USERS_MAX) {
		r = try_users(q, high, &meets, e);
		if (r || !meets)
			break;
		low = high;
		high *= 2;
	}
	if (high > KV_SIZE_USERS_MAX)
		high = low + 1; /* more than anybody asked for */
	while (!r && high - low > 1 && high - low > low / 64 &&
		q->point_count < KV_SIZE_POINTS_MAX) {
		middle = low + (high - low) / 2;
		r = try_users(q, middle, &meets, e);
		if (meets)
			low = middle;
		else
			high = middle;
	}
	q->users = low;
	return r;
}
