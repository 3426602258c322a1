#ifndef PLAN_KV_SIZE_H
#define PLAN_KV_SIZE_H
/*
 * How many users does a modelled drive serve within a given time? The users of
 * the benchmark never wait for an answer, so any drive is overrun by a handful
 * of them; here they do (closed loop): question, answer, think, next question.
 * The time of a request is that from question to answer, waiting included.
 */
#include "core/err.h"
#include "core/kv_record.h"
#include "plan/kv_run.h"

#include <stdbool.h>
#include <stdint.h>

#define KV_SIZE_POINTS_MAX 64
#define KV_SIZE_USERS_MAX 8192

struct kv_size_point {
	uint32_t users;
	double latency_s; /* of the share asked for */
	double tokens_s, requests_s, read_gib_s, write_gib_s; /* frozen */
	bool meets;
};

struct kv_size {
	/* asked */
	const struct kv_run *run; /* with a modelled engine */
	struct kv_config config;
	double share; /* 0.95: of the requests */
	int64_t target_ns;
	/* answered: by users, rising */
	uint32_t point_count;
	struct kv_size_point points[KV_SIZE_POINTS_MAX];
	uint32_t users; /* most that meet it; 0 = not even one */
};

int kv_size(struct kv_size *q, struct err *e);

#endif
