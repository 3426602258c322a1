/* Lists of numbers beside an index; see vdb_bin.h. */
#include "datagen/vdb_bin.h"

#include "core/file.h"

#include <endian.h>
#include <errno.h>
#include <isa-l.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (UINT64_C(1) << 35)

int vdb_bin_save(const char *prefix, const char *suffix,
	const struct vdb_bin *b, struct err *e)
{
	char path[PATH_MAX];
	uint32_t *text = malloc(8 + 4 * (size_t)b->count), i;
	int r = vdb_path(path, prefix, suffix, e);

	if (!r && !text)
		r = err_nomem(e, path);
	if (!r) {
		text[0] = htole32(b->count);
		text[1] = htole32(1);
		for (i = 0; i < b->count; i++)
			text[2 + i] = htole32(b->items[i]);
		r = file_write_atomic(path, text, 8 + 4 * (size_t)b->count, e);
	}
	free(text);
	return r;
}

int vdb_bin_load(const char *prefix, const char *suffix, struct vdb_bin *b,
	struct err *e)
{
	char path[PATH_MAX], *text = NULL;
	uint32_t head[2] = {0, 0}, i;
	size_t len = 0;
	int r = vdb_path(path, prefix, suffix, e);

	memset(b, 0, sizeof(*b));
	if (!r)
		r = file_read_all(path, FILE_MAX, &text, &len, e);
	if (r)
		return r;
	if (len >= 8)
		memcpy(head, text, 8);
	b->count = le32toh(head[0]);
	if (!b->count || le32toh(head[1]) != 1 ||
		len != 8 + 4 * (size_t)b->count)
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s is no list of numbers: two 32-bit numbers, rows "
			"and 1, then the rows", path);
	if (!r) {
		b->items = malloc(4 * (size_t)b->count);
		if (!b->items)
			r = err_nomem(e, path);
	}
	if (!r)
		memcpy(b->items, text + 8, 4 * (size_t)b->count);
	for (i = 0; !r && i < b->count; i++)
		b->items[i] = le32toh(b->items[i]);
	free(text);
	return r;
}

void vdb_bin_free(struct vdb_bin *b)
{
	free(b->items);
	memset(b, 0, sizeof(*b));
}

uint32_t vdb_sum(const struct vdb_layout *l, uint64_t offset_bytes,
	const void *bytes)
{
	uint64_t at = htole64(offset_bytes);
	uint32_t crc = crc32_gzip_refl(0, (const void *)&at, sizeof(at));

	return crc32_gzip_refl(crc, bytes, l->read_bytes);
}
