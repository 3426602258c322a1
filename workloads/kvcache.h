#ifndef WORKLOADS_KVCACHE_H
#define WORKLOADS_KVCACHE_H
/*
 * The KV cache workload: users ask, workers serve, entries lie in tiers. Each
 * rank has users and workers of its own and shares nothing with others but
 * the drive. It is handed an engine, a store, a group and a clock and knows
 * nothing of their kinds. There is no thread a user: users and workers are
 * state machines of one event loop.
 *
 * What a worker does with a request: read the entries of the conversation's
 * other turns; get one of the allocations, make room, write the request's own
 * entry; unless the context is long, read that entry again and again while an
 * answer is made. When the time is over the counts are frozen; the workers
 * finish what they have begun, and the reference counts that too.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/kv_record.h"
#include "datagen/ckpt_content.h"
#include "datagen/kv_trace.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"

#include <stddef.h>
#include <stdint.h>

struct kvcache_job;

struct kvcache_progress {
	double second;
	uint64_t requests, tokens, queued;
	bool draining;
};

struct kvcache_env {
	const struct kv_config *config;
	const struct kv_workload *workload;
	const struct kv_trace *trace; /* requests instead of users; or NULL */
	struct engine *engine;
	struct store *store;
	struct group *group;
	struct buffers *buffers; /* config->buffers x request_bytes a rank */
	const struct ckpt_content *content; /* NULL: a catalog */
	/* about once a second, of the process's first rank; may be NULL */
	void (*progress)(void *ctx, const struct kvcache_progress *p);
	void *progress_ctx;
	/* set by kvcache_run() while it runs: ctx of the store's namer */
	struct kvcache_job *job;
};

/*
 * store_namer.path and .size_bytes; ctx is the struct kvcache_env. Names are
 * CACHE-DIR/rank_R/conv_user_0007_<epoch ms>_turn_2.npy.
 */
int kvcache_path(void *ctx, uint64_t id, char *buf, size_t buf_bytes);
uint64_t kvcache_size(void *ctx, uint64_t id);

/* The folder of a rank. 0 or -ENAMETOOLONG. */
int kvcache_rank_dir(
	const struct kv_config *c, uint64_t rank, char *buf, size_t buf_bytes);

/*
 * Run one trial; results gets one entry for each rank of this process, to be
 * freed with kv_rank_result_fini() whatever is returned. keep_files: leave
 * them behind. Collective.
 */
int kvcache_run(struct kvcache_env *env, bool keep_files,
	struct kv_rank_result *results, struct err *e);

#endif
