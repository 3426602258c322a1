#ifndef DATAGEN_CONTENT_H
#define DATAGEN_CONTENT_H
/*
 * The random bytes of a file, as a function of key and offset: what is written
 * can be checked later, anywhere, without keeping it. Content is made in
 * pieces of 2 MiB, each a xoshiro256++ stream with a seed of its own, eight
 * little-endian bytes an output. Nothing here can fail or allocate.
 *
 * Content for storage that compresses or deduplicates is made in blocks of 4
 * KiB instead, that lie on 4 KiB boundaries of the FILE. To compress by R, the
 * first 1/R of each block is random and the rest is zero; to deduplicate by R,
 * all but 1/R of the blocks are copies out of a pool of 256 that the whole
 * data set shares; the pool itself counts once, so a set of a few MiB saves
 * less.
 */
#include "core/rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENT_PIECE_BYTES 2097152ULL

enum content_kind {
	/* Every piece of every file differs: nothing to deduplicate. */
	CONTENT_UNIQUE,
	/*
	 * Piece k of every file is seeded with k, as the reference writes it:
	 * all files of a set start with the same bytes (see
	 * mlcommons/storage#278).
	 */
	CONTENT_REFERENCE,
};

const char *content_kind_name(enum content_kind kind); /* "unique" ... */

#define CONTENT_BLOCK_BYTES 4096u
#define CONTENT_POOL_BLOCKS 256u
#define CONTENT_RATIO_ONE 1000u /* a ratio of 1, in thousandths */
#define CONTENT_RATIO_MAX 100000u

/* In thousandths; 0 and 1000 both mean that nothing is to be gained. */
struct content_ratios {
	uint32_t compress_milli, dedup_milli;
};

static inline bool content_ratio_set(uint32_t milli)
{
	return milli > CONTENT_RATIO_ONE;
}

static inline uint32_t content_ratio_milli(uint32_t milli)
{
	return content_ratio_set(milli) ? milli : CONTENT_RATIO_ONE;
}

static inline double content_ratio(uint32_t milli)
{
	return (double)content_ratio_milli(milli) / CONTENT_RATIO_ONE;
}

static inline bool content_ratios_set(const struct content_ratios *r)
{
	return content_ratio_set(r->compress_milli) ||
	       content_ratio_set(r->dedup_milli);
}

struct content_key {
	enum content_kind kind;
	/* the rest is for CONTENT_UNIQUE only */
	uint64_t seed; /* of the data set */
	uint64_t file; /* index in the data set */
	struct content_ratios ratios;
	uint32_t head_bytes; /* file offset of the content; with ratios */
};

struct content_stream {
	struct content_key key;
	uint64_t offset; /* of the next byte */
	struct rng_xo rng; /* unused with ratios: blocks are made anew */
	uint64_t word;	   /* rest of an output, next byte lowest */
};

/* Start at offset 0. */
void content_stream_init(struct content_stream *s, const struct content_key *k);

/*
 * Go to any offset. Costs the time to make the bytes between it and the start
 * of its 2 MiB piece; when going forward within a piece, only those between.
 */
void content_stream_seek(struct content_stream *s, uint64_t offset_bytes);

/* The next len bytes, any length, to any address. */
void content_stream_read(struct content_stream *s, void *buf, size_t len);

/*
 * Compare the next len bytes with buf. On a difference returns false, sets
 * *bad to its index in buf (bad may be NULL), and leaves the stream near it.
 */
bool content_stream_check(
	struct content_stream *s, const void *buf, size_t len, size_t *bad);

/*
 * The same for content bytes [offset, offset + len) of a key; *bad_offset is
 * an offset in the content. For successive ranges a stream is cheaper.
 */
bool content_check(const struct content_key *k, uint64_t offset_bytes,
	const void *buf, size_t len, uint64_t *bad_offset);

#endif
