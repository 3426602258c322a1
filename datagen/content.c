/*
 * Random bytes addressable by offset; see content.h. Pieces are a multiple of
 * eight bytes, so an output never spans two of them, and the place inside an
 * output is the low three bits of the offset.
 */
#include "datagen/content.h"

#include <endian.h>
#include <string.h>

#define WORD_BYTES 8

/* Makes the seeds of pool blocks and of the dice differ from all others. */
#define POOL_SALT 0x706f6f6cULL
#define DICE_SALT 0x64696365ULL

const char *content_kind_name(enum content_kind kind)
{
	return kind == CONTENT_REFERENCE ? "reference" : "unique";
}

static void start_piece(struct content_stream *s)
{
	uint64_t piece = s->offset / CONTENT_PIECE_BYTES;

	if (s->key.kind == CONTENT_UNIQUE)
		piece = rng_mix64(rng_mix64(s->key.seed, s->key.file), piece);
	rng_xo_seed(&s->rng, piece);
}

void content_stream_init(struct content_stream *s, const struct content_key *k)
{
	s->key = *k;
	s->offset = 0;
	s->word = 0;
	start_piece(s);
}

/* The state lives in registers while whole outputs are stored. */
static void fill_words(struct rng_xo *rng, uint8_t *out, size_t words)
{
	struct rng_xo r = *rng;
	uint64_t w;

	for (; words; words--) {
		w = htole64(rng_xo_next(&r));
		memcpy(out, &w, WORD_BYTES);
		out += WORD_BYTES;
	}
	*rng = r;
}

/* Up to the end of an output; returns the bytes made. */
static size_t fill_part(struct content_stream *s, uint8_t *out, size_t len)
{
	size_t at = s->offset % WORD_BYTES;
	size_t n = WORD_BYTES - at, i;

	if (!at)
		s->word = rng_xo_next(&s->rng);
	if (n > len)
		n = len;
	for (i = 0; i < n; i++) {
		out[i] = (uint8_t)s->word;
		s->word >>= 8;
	}
	return n;
}

/* Is block n of the file a copy? If so, of which pool block. */
static bool is_copy(const struct content_key *k, uint64_t n, uint64_t *pool)
{
	uint64_t dice, unique;

	if (!content_ratio_set(k->ratios.dedup_milli))
		return false;
	dice = rng_mix64(rng_mix64(k->seed ^ DICE_SALT, k->file), n);
	unique =
		(UINT64_C(1) << 32) * CONTENT_RATIO_ONE / k->ratios.dedup_milli;
	*pool = (dice & UINT32_MAX) % CONTENT_POOL_BLOCKS;
	return dice >> 32 >= unique;
}

/* Bytes [at, at + len) of what comes out of rng, which is at its start. */
static void fill_from(struct rng_xo *rng, size_t at, uint8_t *out, size_t len)
{
	size_t words, part;
	uint64_t w;

	for (words = at / WORD_BYTES; words; words--)
		(void)rng_xo_next(rng);
	for (at %= WORD_BYTES; len; at = 0) {
		words = at ? 0 : len / WORD_BYTES;
		fill_words(rng, out, words);
		out += words * WORD_BYTES;
		len -= words * WORD_BYTES;
		part = WORD_BYTES - at < len ? WORD_BYTES - at : len;
		w = part ? htole64(rng_xo_next(rng)) : 0;
		memcpy(out, (const uint8_t *)&w + at, part);
		out += part;
		len -= part;
	}
}

/* Bytes [at, at + len) of block n of the file. */
static void make_block(const struct content_key *k, uint64_t n, size_t at,
	uint8_t *out, size_t len)
{
	uint32_t milli = content_ratio_milli(k->ratios.compress_milli);
	size_t random;
	struct rng_xo rng;
	uint64_t seed;

	if (is_copy(k, n, &seed))
		seed = rng_mix64(k->seed ^ POOL_SALT, seed);
	else
		seed = rng_mix64(rng_mix64(k->seed, k->file), n);
	random = (CONTENT_BLOCK_BYTES * CONTENT_RATIO_ONE + milli / 2) / milli;
	random = at < random ? random - at : 0;
	if (random > len)
		random = len;
	rng_xo_seed(&rng, seed);
	fill_from(&rng, at, out, random);
	memset(out + random, 0, len - random);
}

static void read_blocks(struct content_stream *s, uint8_t *out, size_t len)
{
	uint64_t at;
	size_t n;

	while (len) {
		at = s->key.head_bytes + s->offset;
		n = CONTENT_BLOCK_BYTES - at % CONTENT_BLOCK_BYTES;
		if (n > len)
			n = len;
		make_block(&s->key, at / CONTENT_BLOCK_BYTES,
			at % CONTENT_BLOCK_BYTES, out, n);
		s->offset += n;
		out += n;
		len -= n;
	}
}

void content_stream_read(struct content_stream *s, void *buf, size_t len)
{
	uint8_t *out = buf;
	uint64_t left;
	size_t n;

	if (content_ratios_set(&s->key.ratios)) {
		read_blocks(s, buf, len);
		return;
	}
	while (len) {
		left = CONTENT_PIECE_BYTES - s->offset % CONTENT_PIECE_BYTES;
		if (left == CONTENT_PIECE_BYTES)
			start_piece(s);
		if (s->offset % WORD_BYTES || len < WORD_BYTES) {
			n = fill_part(s, out, len);
		} else {
			n = (len < left ? len : (size_t)left) / WORD_BYTES;
			fill_words(&s->rng, out, n);
			n *= WORD_BYTES;
		}
		s->offset += n;
		out += n;
		len -= n;
	}
}

void content_stream_seek(struct content_stream *s, uint64_t offset_bytes)
{
	uint64_t word = offset_bytes / WORD_BYTES, skip;
	unsigned at = offset_bytes % WORD_BYTES;
	struct rng_xo r;

	if (content_ratios_set(&s->key.ratios)) {
		s->offset = offset_bytes;
		return;
	}
	if (offset_bytes < s->offset || !(s->offset % CONTENT_PIECE_BYTES) ||
		offset_bytes / CONTENT_PIECE_BYTES !=
			s->offset / CONTENT_PIECE_BYTES) {
		s->offset = offset_bytes - offset_bytes % CONTENT_PIECE_BYTES;
		start_piece(s);
	}
	if (s->offset % WORD_BYTES && s->offset / WORD_BYTES == word) {
		s->word >>= 8 * (offset_bytes - s->offset);
		s->offset = offset_bytes;
		return;
	}
	/* An output that was begun has been drawn already. */
	skip = word - (s->offset + WORD_BYTES - 1) / WORD_BYTES;
	for (r = s->rng; skip; skip--)
		(void)rng_xo_next(&r);
	if (at)
		s->word = rng_xo_next(&r) >> 8 * at;
	s->rng = r;
	s->offset = offset_bytes;
}

bool content_stream_check(
	struct content_stream *s, const void *buf, size_t len, size_t *bad)
{
	const uint8_t *in = buf;
	uint8_t want[4096]; /* stays in the first-level cache */
	size_t done, n, i;

	for (done = 0; done < len; done += n) {
		n = len - done < sizeof(want) ? len - done : sizeof(want);
		content_stream_read(s, want, n);
		if (!memcmp(want, in + done, n))
			continue;
		for (i = 0; want[i] == in[done + i]; i++)
			;
		if (bad)
			*bad = done + i;
		return false;
	}
	return true;
}

bool content_check(const struct content_key *k, uint64_t offset_bytes,
	const void *buf, size_t len, uint64_t *bad_offset)
{
	struct content_stream s;
	size_t bad;

	content_stream_init(&s, k);
	content_stream_seek(&s, offset_bytes);
	if (content_stream_check(&s, buf, len, &bad))
		return true;
	if (bad_offset)
		*bad_offset = offset_bytes + bad;
	return false;
}
