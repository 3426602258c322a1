#ifndef PLAN_KV_RUN_H
#define PLAN_KV_RUN_H
/*
 * KV cache runs over a group: options one after another, each with its trials
 * and the pauses between them, into one record. Collective; the record is
 * complete in rank 0's process.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/kv_record.h"
#include "core/kv_workload.h"
#include "storage/engine.h"
#include "workloads/kvcache.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_run {
	struct group *group;
	struct engine_spec engine;
	bool virtual_time;
	const char *drive; /* its name; NULL: a real one */
	const struct kv_workload *workload;
	const struct kv_trace *trace; /* requests instead of users; or NULL */
	bool keep_files;   /* of the last trial of each option */
	bool precondition; /* write twice the capacity first */
	/* of rank 0: where it is, and after each trial; may be NULL */
	void (*progress)(void *ctx, const struct kv_config *c, uint32_t trial,
		const struct kvcache_progress *p);
	int (*trial_done)(void *ctx, struct kv_option_result *o,
		uint32_t trial, struct err *e);
	void *ctx;
};

/*
 * rec->options[].config, trials and delays are resolved; all else is added.
 * Limits of the storage tier that were not set are 95 % of what is free, shared
 * by the ranks of a host.
 */
int kv_run(const struct kv_run *c, struct kv_record *rec, struct err *e);

/* What the buffers of one rank take. */
static inline uint64_t kv_run_buffer_bytes(const struct kv_config *c)
{
	return (uint64_t)c->buffers * c->request_bytes;
}

#endif
