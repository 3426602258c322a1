/* The ranks of a run, their epochs and steps, read back; see record_read.h. */
#include "results/record_fields.h"
#include "results/record_json.h"
#include "results/record_read.h"

#include "core/record.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 1000000
#define EPOCHS_MAX 100000
#define STEPS_MAX 100000000
#define HOSTS_MAX 100000
/* 11 hours; so many of the longest still fit into 64 bits */
#define STEP_NS_MAX 40000000000000.0

static const struct cJSON *member(const struct cJSON *o, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(o, key);
}

static int get_hosts(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e)
{
#define H(member, kind) FIELD(struct rec_host, member, kind)
	static const struct field fields[] = {H(name, K_TEXT), H(ranks, K_U32),
		H(cpu_count, K_U32), H(memory_bytes, K_U64)};
#undef H
	static const struct fields all = {fields, 4};
	const struct cJSON *list = member(root, "hosts"), *o;
	int n = cJSON_GetArraySize(list), r;

	if (!cJSON_IsArray(list) || n > HOSTS_MAX)
		return record_bad(e, name, "hosts");
	rec->hosts = calloc(n ? (size_t)n : 1, sizeof(*rec->hosts));
	if (!rec->hosts)
		return err_nomem(e, name);
	cJSON_ArrayForEach(o, list)
	{
		r = record_get_fields(o, 0, &all,
			 &rec->hosts[rec->host_count++], name, e);
		if (r)
			return r;
	}
	return 0;
}

/* Exactly n times of at least 0. */
static int get_steps(const struct cJSON *o, const char *key, int64_t *ns,
	uint32_t n, const char *name, struct err *e)
{
	const struct cJSON *list = member(o, key), *c;

	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != (int)n)
		return record_bad(e, name, key);
	cJSON_ArrayForEach(c, list)
	{
		if (!cJSON_IsNumber(c) || !(c->valuedouble >= 0) ||
			c->valuedouble > STEP_NS_MAX)
			return record_bad(e, name, key);
		*ns++ = (int64_t)c->valuedouble;
	}
	return 0;
}

static int get_epoch(const struct cJSON *o, bool steps, uint32_t room,
	struct rec_epoch *ep, const char *name, struct err *e)
{
	struct rec_epoch to = {.steps = 0};
	int r;

	r = record_get_fields(o, 0, &record_epoch, &to, name, e);
	if (!r)
		r = record_get_object(
			o, "steady", 0, &record_steady, &to.steady, name, e);
	if (r)
		return r;
	if (to.steps > room || to.block_ns < 0 ||
		to.block_end_ns < to.block_ns || to.steady.begin_ns < 0 ||
		to.steady.first > to.steady.end || to.steady.end > to.steps ||
		to.steady.begin_ns > to.steady.end_ns)
		return record_bad(e, name, "steps");
	to.load_ns = ep->load_ns;
	to.proc_ns = ep->proc_ns;
	to.compute_ns = ep->compute_ns;
	to.barrier_ns = ep->barrier_ns;
	*ep = to;
	if (!steps)
		return 0;
	r = get_steps(o, "load_ns", ep->load_ns, ep->steps, name, e);
	if (!r)
		r = get_steps(o, "proc_ns", ep->proc_ns, ep->steps, name, e);
	if (!r)
		r = get_steps(
			o, "compute_ns", ep->compute_ns, ep->steps, name, e);
	if (!r)
		r = get_steps(
			o, "barrier_ns", ep->barrier_ns, ep->steps, name, e);
	return r;
}

/*
 * Room for the longest epoch of a list, or UINT32_MAX. With `steps` the file
 * must hold as many: no more memory than the text has numbers.
 */
static uint32_t longest(const struct cJSON *list, bool steps)
{
	const struct cJSON *o, *n;
	double most = 0;

	cJSON_ArrayForEach(o, list)
	{
		n = member(o, "steps");
		if (!cJSON_IsNumber(n) || !(n->valuedouble >= 0) ||
			n->valuedouble > STEPS_MAX ||
			(steps && cJSON_GetArraySize(member(o, "load_ns")) !=
					  (int)n->valuedouble))
			return UINT32_MAX;
		if (n->valuedouble > most)
			most = n->valuedouble;
	}
	return (uint32_t)most;
}

static int get_rank(const struct cJSON *o, bool steps, struct rec_rank *k,
	const char *name, struct err *e)
{
	const struct cJSON *list = member(o, "epochs"), *item;
	int n = cJSON_GetArraySize(list), r;
	uint32_t room = longest(list, steps), i = 0;

	if (!cJSON_IsArray(list) || n > EPOCHS_MAX || room == UINT32_MAX)
		return record_bad(e, name, "epochs");
	/* steps that the file does not hold take no memory */
	if (rec_rank_init(k, (uint32_t)n, steps ? room : 0))
		return err_nomem(e, name);
	r = record_get_fields(o, 0, &record_rank, k, name, e);
	cJSON_ArrayForEach(item, list)
	{
		if (!r)
			r = get_epoch(item, steps, room, &k->epochs[i++], name,
				e);
	}
	return r;
}

static int get_requests(const struct cJSON *run_object, struct rec_run *run,
	const char *name, struct err *e)
{
	const struct cJSON *o = member(run_object, "requests");
	const char *key;
	int i, r = 0;

	for (i = 0; !r && i < REC_HISTS; i++) {
		key = rec_hist_name((enum rec_hist)i);
		if (!cJSON_IsNull(member(o, key)))
			r = record_get_object(o, key, 0, &record_quantiles,
				&run->requests[i], name, e);
	}
	return r;
}

/* All ranks have the same epochs and steps. */
static int check_alike(
	const struct record *rec, const char *name, struct err *e)
{
	const struct rec_run *run = &rec->runs[0];
	const struct rec_rank *k, *first = &run->ranks[0];
	uint64_t steps = 0;
	uint32_t r, i;

	for (r = 0; r < run->rank_count; r++) {
		k = &run->ranks[r];
		if (k->host >= rec->host_count)
			return record_bad(e, name, "host");
		if (k->epoch_count != first->epoch_count ||
			(run->metrics.epochs &&
				k->epoch_count != run->metrics.epochs))
			return record_bad(e, name, "epochs");
		for (i = 0; i < k->epoch_count; i++) {
			steps += k->epochs[i].steps;
			if (k->epochs[i].steps != first->epochs[i].steps)
				return record_bad(e, name, "steps");
		}
	}
	if (steps > RECORD_STEPS_MAX && !run->no_step_times)
		return record_bad(e, name, "step_times");
	return 0;
}

int record_get_ranks(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e)
{
	const struct cJSON *o = cJSON_GetArrayItem(member(root, "runs"), 0);
	const struct cJSON *list = member(o, "ranks"), *item;
	bool steps = cJSON_IsTrue(member(root, "step_times"));
	struct rec_run *run = &rec->runs[0];
	int n = cJSON_GetArraySize(list), r;

	if (!cJSON_IsArray(list) || n < 1 || n > RANKS_MAX)
		return record_bad(e, name, "ranks");
	r = get_hosts(root, rec, name, e);
	if (!r)
		r = get_requests(o, run, name, e);
	if (r)
		return r;
	run->no_step_times = !steps;
	run->ranks = calloc((size_t)n, sizeof(*run->ranks));
	if (!run->ranks)
		return err_nomem(e, name);
	cJSON_ArrayForEach(item, list)
	{
		r = get_rank(
			item, steps, &run->ranks[run->rank_count++], name, e);
		if (r)
			return r;
	}
	return check_alike(rec, name, e);
}
