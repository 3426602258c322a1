/* The record of a KV cache run; see kv_record.h. */
#include "core/kv_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kv_record_init(struct kv_record *r)
{
	memset(r, 0, sizeof(*r));
	record_init(&r->base);
}

void kv_rank_result_fini(struct kv_rank_result *k)
{
	int i;

	for (i = 0; i < KV_SERIES; i++) {
		free(k->series[i].v);
		free(k->series[i].sorted);
	}
	memset(k->series, 0, sizeof(k->series));
}

static void trial_fini(struct kv_trial *t)
{
	uint32_t i;

	for (i = 0; t->ranks && i < t->rank_count; i++)
		kv_rank_result_fini(&t->ranks[i]);
	free(t->ranks);
}

void kv_record_fini(struct kv_record *r)
{
	struct kv_option_result *o;
	uint32_t i, k;

	for (i = 0; i < r->option_count; i++) {
		o = &r->options[i];
		for (k = 0; o->trials && k < r->trials; k++)
			trial_fini(&o->trials[k]);
		free(o->trials);
	}
	record_fini(&r->base);
}

const char *kv_phase_name(enum kv_phase p)
{
	static const char *const names[KV_PHASES] = {"idle", "slot", "demotion",
		"lock", "write", "read", "host", "generate"};

	return names[p];
}

int kv_series_add(struct kv_series *s, int64_t value)
{
	uint32_t room = s->room ? s->room * 2 : 256;
	int64_t *v;

	if (s->n == s->room) {
		v = realloc(s->v, room * sizeof(*v));
		if (!v)
			return -ENOMEM;
		s->v = v;
		s->room = room;
	}
	s->v[s->n++] = value;
	return 0;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

double kv_series_percentile(struct kv_series *s, double share)
{
	double at, rest;
	int64_t *v;
	uint32_t i;

	if (!s->n)
		return 0;
	if (!s->sorted) {
		s->sorted = malloc(s->n * sizeof(*s->v));
		if (s->sorted)
			memcpy(s->sorted, s->v, s->n * sizeof(*s->v));
		/* without memory their order is lost, not their values */
		qsort(s->sorted ? s->sorted : s->v, s->n, sizeof(*s->v),
			compare);
	}
	v = s->sorted ? s->sorted : s->v;
	at = share * (double)(s->n - 1);
	i = (uint32_t)at;
	if (i + 1 >= s->n)
		return (double)v[s->n - 1];
	rest = at - (double)i;
	return (double)v[i] + rest * (double)(v[i + 1] - v[i]);
}

double kv_series_mean(const struct kv_series *s)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < s->n; i++)
		sum += (double)s->v[i];
	return s->n ? sum / s->n : 0;
}

/* The struct as it is, then the samples of each series. */
int kv_rank_pack(
	const struct kv_rank_result *k, void **buf, size_t *size_bytes)
{
	size_t size = sizeof(*k);
	char *out;
	int i;

	for (i = 0; i < KV_SERIES; i++)
		size += k->series[i].n * sizeof(int64_t);
	out = malloc(size);
	if (!out)
		return -ENOMEM;
	*buf = out;
	*size_bytes = size;
	memcpy(out, k, sizeof(*k));
	out += sizeof(*k);
	for (i = 0; i < KV_SERIES; i++) {
		size = k->series[i].n * sizeof(int64_t);
		if (size)
			memcpy(out, k->series[i].v, size);
		out += size;
	}
	return 0;
}

int kv_rank_unpack(struct kv_rank_result *k, const void *buf,
	size_t size_bytes, size_t *used_bytes, struct err *e)
{
	const char *at = buf;
	size_t left = size_bytes, size;
	int i;

	if (left < sizeof(*k))
		return err_set(e, ERR_BUG, -EBADMSG, "bad record of a rank");
	memcpy(k, at, sizeof(*k));
	at += sizeof(*k);
	left -= sizeof(*k);
	for (i = 0; i < KV_SERIES; i++)
		k->series[i].v = k->series[i].sorted = NULL;
	for (i = 0; i < KV_SERIES; i++) {
		size = k->series[i].n * sizeof(int64_t);
		k->series[i].room = k->series[i].n;
		if (!size)
			continue;
		if (size > left) {
			kv_rank_result_fini(k);
			return err_set(e, ERR_BUG, -EBADMSG,
				"bad record of a rank");
		}
		k->series[i].v = malloc(size);
		if (!k->series[i].v) {
			kv_rank_result_fini(k);
			return err_nomem(e, "the record of a rank");
		}
		memcpy(k->series[i].v, at, size);
		at += size;
		left -= size;
	}
	*used_bytes = size_bytes - left;
	return 0;
}
