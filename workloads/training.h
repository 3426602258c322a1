#ifndef WORKLOADS_TRAINING_H
#define WORKLOADS_TRAINING_H
/*
 * The training workload: each accelerator has W readers that read whole
 * samples one after another, takes batches in order, computes (a deadline,
 * not a spin) and meets the others behind every step. It is handed an engine,
 * a store, a group and a clock and knows nothing of their kinds.
 *
 * Rules of the queue (DLIO's PyTorch loader): batch b belongs to reader
 * b mod W; at most prefetch_factor x W batches are pending or untaken; taking
 * batch k hands out one more before compute starts; nothing is read before
 * the epoch's block starts.
 */
#include "accel_sim/group.h"
#include "accel_sim/shard.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"
#include "workloads/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the live line shows; of the process's first accelerator. */
struct training_progress {
	uint32_t epoch, epochs; /* from 1 */
	uint32_t step, steps;	/* done in this epoch */
	double au_pct;		/* this epoch so far, first step left out */
	uint64_t bytes_read;	/* this accelerator, all epochs */
	int64_t elapsed_ns;	/* since the run's start */
	bool epoch_ended;
};

struct training_env {
	const struct train_config *config;
	struct engine *engine;
	struct store *store;
	struct group *group;
	struct shard *shard;
	struct buffers *buffers; /* group->count x training_buffers() */
	bool drop_caches;
	/* Compare bytes of a sample with what was generated; may be NULL. */
	int (*check)(void *ctx, uint64_t file, uint64_t offset_bytes,
		const void *buf, size_t len_bytes, struct err *e);
	void *check_ctx;
	void (*progress)(void *ctx, const struct training_progress *p);
	void *progress_ctx;
	/* Called when caches could not be dropped; may be NULL. */
	void (*not_dropped)(void *ctx, const struct err *why);
	void *note_ctx;
};

/*
 * Steps per epoch and accelerator: floor(floor(N / R) x spf / B), or
 * train.total_training_steps if that is less.
 */
uint32_t training_steps(const struct train_config *c);

/* Buffers of transfer_bytes each that one accelerator uses. */
uint32_t training_buffers(const struct train_config *c);

/*
 * Ready in a loop over env->engine, for workloads_run(); env, loop and ranks
 * outlive it. Collective; *out is NULL after an error.
 */
int training_open(const struct training_env *env, struct loop *loop,
	struct rec_rank *ranks, struct workload **out, struct err *e);

/*
 * Run every epoch for this process's accelerators; ranks[i] gets what member
 * group->first + i measured (epochs allocated here). Collective. When any
 * rank fails, all return the first one's error; what is in flight has ended.
 */
int training_run(const struct training_env *env, struct rec_rank *ranks,
	struct err *e);

#endif
