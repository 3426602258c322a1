/* The content of checkpoint files; see ckpt_content.h. */
#include "datagen/ckpt_content.h"

#include "core/rng.h"

#include <endian.h>
#include <string.h>

#define WORDS (CKPT_BLOCK_BYTES / 8)
#define POOL_BLOCKS (CKPT_POOL_BYTES / CKPT_BLOCK_BYTES)

void ckpt_content_init(struct ckpt_content *c, uint64_t seed)
{
	struct rng_xo r;
	size_t i;

	c->seed = seed;
	rng_xo_seed(&r, seed);
	for (i = 0; i < CKPT_POOL_BYTES / 8; i++)
		c->pool[i] = htole64(rng_xo_next(&r));
}

static void block(const struct ckpt_content *c, uint64_t file_key, uint64_t n,
	uint64_t out[WORDS])
{
	const uint64_t *from = c->pool + n % POOL_BLOCKS * WORDS;
	uint64_t key = htole64(rng_mix64(file_key, n));
	size_t i;

	for (i = 0; i < WORDS; i++)
		out[i] = from[i] ^ key;
}

void ckpt_content_fill(const struct ckpt_content *c, uint64_t file,
	uint64_t offset_bytes, void *buf, size_t len)
{
	uint64_t key = rng_mix64(c->seed, file);
	uint64_t n = offset_bytes / CKPT_BLOCK_BYTES, last[WORDS];
	uint8_t *out = buf;

	for (; len >= CKPT_BLOCK_BYTES; n++) {
		block(c, key, n, (uint64_t *)(void *)out);
		out += CKPT_BLOCK_BYTES;
		len -= CKPT_BLOCK_BYTES;
	}
	if (len) {
		block(c, key, n, last);
		memcpy(out, last, len);
	}
}

bool ckpt_content_check(const struct ckpt_content *c, uint64_t file,
	uint64_t offset_bytes, const void *buf, size_t len, uint64_t *bad)
{
	uint64_t key = rng_mix64(c->seed, file), want[WORDS];
	uint64_t n = offset_bytes / CKPT_BLOCK_BYTES;
	size_t skip = offset_bytes % CKPT_BLOCK_BYTES, part, i;
	const uint8_t *in = buf;

	for (; len; n++, skip = 0) {
		block(c, key, n, want);
		part = CKPT_BLOCK_BYTES - skip;
		if (part > len)
			part = len;
		if (memcmp((uint8_t *)want + skip, in, part)) {
			for (i = 0; ((uint8_t *)want)[skip + i] == in[i]; i++)
				;
			*bad = n * CKPT_BLOCK_BYTES + skip + i;
			return false;
		}
		in += part;
		len -= part;
	}
	return true;
}
