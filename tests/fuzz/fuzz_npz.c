/* The npz reader: any bytes as an archive, and as the beginning of one. */
#include "datagen/npz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
	const uint8_t *data;
	size_t size;
};

static int read_at(
	void *ctx, uint64_t offset, void *buf, size_t len, struct err *e)
{
	const struct file *f = ctx;

	if (offset > f->size || len > f->size - offset)
		return err_set(e, ERR_IO, -EIO, "read behind the end");
	memcpy(buf, f->data + offset, len);
	return 0;
}

/* What the parser promises of what it takes. */
static void check(const struct npz_member *m, size_t size)
{
	if (m->npy_offset > size || m->npy_bytes > size - m->npy_offset ||
		m->payload_offset < m->npy_offset ||
		m->payload_bytes > m->npy_bytes ||
		m->payload_offset + m->payload_bytes !=
			m->npy_offset + m->npy_bytes ||
		!memchr(m->name, 0, sizeof(m->name)) ||
		!memchr(m->descr, 0, sizeof(m->descr)) ||
		m->ndim > NPY_DIMS_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct npz_member members[MEMBERS];
	struct file f = {data, size};
	struct npz_source s = {
		.read_at = read_at,
		.ctx = &f,
		.size_bytes = size,
		.name = "fuzz.npz",
	};
	size_t count = 0, i;
	uint32_t crc32;
	struct err e = {.kind = ERR_NONE};

	if (!npz_parse(&s, members, MEMBERS, &count, &e)) {
		for (i = 0; i < count; i++)
			check(&members[i], size);
		npz_find(members, count, "x");
	} else if (e.kind == ERR_NONE || !e.text[0]) {
		abort(); /* refused without a word */
	}
	npz_check_start(data, size, "fuzz.npz", &e);
	if (size >= NPZ_HEAD_BYTES)
		npz_check_head(data, size, size, 4, 4, 1, &crc32, &e);
	return 0;
}
