#ifndef DATAGEN_CKPT_CONTENT_H
#define DATAGEN_CKPT_CONTENT_H
/*
 * What stands in a checkpoint file: a function of seed, file and offset, so
 * that any rank can check it. It must be made while the drive writes, so it
 * is made at the speed of memory: a pool of random words that stays in the
 * second-level cache, of which each block of 512 bytes is combined with a
 * 64-bit key of its own. No two blocks are alike, within a file or between
 * files, ranks and checkpoints, and nothing in them can be compressed.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKPT_BLOCK_BYTES 512u
#define CKPT_POOL_BYTES 131072u

struct ckpt_content {
	uint64_t seed;
	uint64_t pool[CKPT_POOL_BYTES / 8];
};

void ckpt_content_init(struct ckpt_content *c, uint64_t seed);

/* Bytes [offset, offset + len) of a file; offset in whole blocks. */
void ckpt_content_fill(const struct ckpt_content *c, uint64_t file,
	uint64_t offset_bytes, void *buf, size_t len);

/* Compare; on a difference *bad is the offset in the file. */
bool ckpt_content_check(const struct ckpt_content *c, uint64_t file,
	uint64_t offset_bytes, const void *buf, size_t len, uint64_t *bad);

#endif
