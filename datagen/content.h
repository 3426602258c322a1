#ifndef DATAGEN_CONTENT_H
#define DATAGEN_CONTENT_H
/*
 * The random bytes of a file, as a function of key and offset: what is written
 * can be checked later, anywhere, without keeping it. Content is made in
 * pieces of 2 MiB, each a xoshiro256++ stream with a seed of its own, eight
 * little-endian bytes an output. Nothing here can fail or allocate.
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

struct content_key {
	enum content_kind kind;
	uint64_t seed; /* of the data set; CONTENT_UNIQUE only */
	uint64_t file; /* index in the data set; CONTENT_UNIQUE only */
};

struct content_stream {
	struct content_key key;
	uint64_t offset; /* of the next byte */
	struct rng_xo rng;
	uint64_t word; /* rest of an output, next byte lowest */
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
