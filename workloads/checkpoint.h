#ifndef WORKLOADS_CHECKPOINT_H
#define WORKLOADS_CHECKPOINT_H
/*
 * The checkpointing workload: every rank saves its files one after another,
 * checkpoint after checkpoint, then loads them, oldest first. Before each save
 * and load all wait a gap and meet; a rank's time ends with its own last file.
 * It is handed an engine, a store, a group and a clock and knows nothing of
 * their kinds.
 *
 * Reference mode moves bytes as the benchmark's streaming writer and reader
 * do: files under their own names through the page cache, one 32 MiB write at
 * a time out of four buffers, each followed by FADV_DONTNEED, one fsync; four
 * readers of a quarter of the file each, 128 MiB a request, FADV_RANDOM. Direct
 * mode is the fastest honest one: O_DIRECT, many requests in flight, space
 * reserved, a temporary name that fsync and rename end, an fsync of the folder.
 * A buffer is filled again only when its write has completed.
 */
#include "accel_sim/group.h"
#include "core/ckpt_record.h"
#include "core/err.h"
#include "datagen/ckpt_content.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"
#include "workloads/workload.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Number of file i of a rank's part of checkpoint `step` (from 1), and back:
 * what the store's namer is asked for, and the content's key.
 */
static inline uint64_t checkpoint_file_id(const struct ckpt_shape *s,
	uint32_t step, uint64_t rank, uint32_t i)
{
	return ((step - 1) * s->ranks + rank) * s->files_per_rank + i;
}

/*
 * store_namer.path and .size_bytes; ctx is a struct ckpt_config. The size is
 * for catalogs: of real files it is checked here, with a better text.
 */
int checkpoint_path(void *ctx, uint64_t id, char *buf, size_t buf_bytes);
uint64_t checkpoint_size(void *ctx, uint64_t id);

struct checkpoint_env {
	const struct ckpt_config *config;
	struct engine *engine;
	struct store *store;
	struct group *group;
	struct buffers *buffers; /* group->count x checkpoint_buffers() */
	const struct ckpt_content *content; /* not used in a catalog */
	/* After every save and load of the process's first rank; may be NULL */
	void (*progress)(void *ctx, const struct ckpt_op *op);
	void *progress_ctx;
	/* Once before the loads, in each host's leader, where config asks */
	void (*drop_caches)(void *ctx);
	void *drop_ctx;
};

/* Buffers that a rank uses, and the bytes of each. */
uint32_t checkpoint_buffers(const struct ckpt_config *c);
uint32_t checkpoint_buffer_bytes(const struct ckpt_config *c);

/*
 * Ready in a loop over env->engine, for workloads_run(); env, loop and ops
 * outlive it. Collective; *out is NULL after an error.
 */
int checkpoint_open(const struct checkpoint_env *env, struct loop *loop,
	struct ckpt_op *ops, struct workload **out, struct err *e);

/*
 * Run all saves and loads; ops gets ckpt_config_ops() entries for each rank of
 * this process. Collective. When any rank fails, all return the first one's
 * error; what is in flight has ended.
 */
int checkpoint_run(const struct checkpoint_env *env, struct ckpt_op *ops,
	struct err *e);

#endif
