#ifndef ACCEL_SIM_SHARD_H
#define ACCEL_SIM_SHARD_H
/*
 * Which files each accelerator reads in an epoch, and in which order: the file
 * shuffle of the reference (DLIO 3.0.2), exactly. It exchanges file names
 * between all ranks; here every process computes the lists of all ranks, so
 * there is no communication. The order depends on nothing but the number of
 * files, the number of ranks and the epoch: every run reads the same one.
 */
#include "core/err.h"

#include <stdint.h>

struct shard;

/*
 * Rank r of `ranks` gets files / ranks files; the last files % ranks files are
 * never read. Holds two index lists, 8 bytes a file. NULL with e filled if
 * there are fewer files than ranks (ERR_USAGE), more than 2^32 - 1 files, or
 * no memory. Freed with shard_free().
 */
struct shard *shard_new(uint64_t files, uint64_t ranks, struct err *e);

/*
 * Make the lists those of `epoch`, counted from 1. Each epoch permutes the one
 * before, so later epochs are cheap in order; the current one again does
 * nothing, an earlier one starts over. 0, or -EINVAL for epoch 0 or one beyond
 * the 32-bit seeds.
 */
int shard_epoch(struct shard *s, uint64_t epoch, struct err *e);

/*
 * The shard_files_per_rank() file indices of a rank, in reading order; before
 * the first shard_epoch() those of the unshuffled split. Valid until the next
 * shard_epoch(). rank must be below ranks.
 */
const uint32_t *shard_rank(const struct shard *s, uint64_t rank);

uint64_t shard_files_per_rank(const struct shard *s);

void shard_free(struct shard *s); /* NULL is fine */

#endif
