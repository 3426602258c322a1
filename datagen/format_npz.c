/* npz as a format of data sets; see format.h and npz.h. */
#include "datagen/format.h"
#include "datagen/npz.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define MEMBERS_MAX 8

static int check_fits(const struct format_shape *s, struct err *e)
{
	return npz_check_fits(s->d1, s->d2, s->spf, e);
}

static uint64_t tail_bytes(uint64_t spf)
{
	return npz_tail_bytes(spf);
}

static uint32_t crc_begin(const struct format_shape *s)
{
	return npz_crc_begin(s->d1, s->d2, s->spf);
}

static int build_head(uint8_t *out, const struct format_shape *s,
	uint32_t crc32, struct err *e)
{
	(void)e;
	npz_build_head(out, s->d1, s->d2, s->spf, crc32);
	return 0;
}

static int build_tail(uint8_t *out, const struct format_shape *s,
	uint32_t crc32, struct err *e)
{
	(void)e;
	npz_build_tail(
		out, npz_tail_bytes(s->spf), s->d1, s->d2, s->spf, crc32);
	return 0;
}

static int check_head(const void *first, size_t len,
	const struct format_shape *s, uint32_t *crc32, struct err *e)
{
	return npz_check_head(first, len, npz_file_bytes(s->d1, s->d2, s->spf),
		s->d1, s->d2, s->spf, crc32, e);
}

static int read_at(
	void *ctx, uint64_t offset, void *buf, size_t len, struct err *e)
{
	const struct format_file *f = ctx;
	ssize_t n = pread(f->fd, buf, len, (off_t)offset);

	if (n == (ssize_t)len)
		return 0;
	return err_set(e, ERR_IO, n < 0 ? -errno : -EBADMSG,
		"cannot read %zu bytes at offset %" PRIu64, len, offset);
}

/* The archive must be one that numpy reads: all its headers are looked at. */
static int inspect(const struct format_file *f, struct err *e)
{
	struct npz_member members[MEMBERS_MAX];
	const struct npz_member *x;
	struct npz_source s = {
		.read_at = read_at,
		.ctx = (void *)(uintptr_t)f,
		.size_bytes = f->size_bytes,
		.name = f->path,
	};
	size_t count;
	int r = npz_parse(&s, members, MEMBERS_MAX, &count, e);

	if (r)
		return r;
	x = npz_find(members, count, "x");
	if (!x)
		return err_set(e, ERR_IO, -EBADMSG,
			"%s has no array \"x\": not a training sample",
			f->path);
	if (f->spf > 1 && (x->ndim < 3 || x->shape[x->ndim - 1] != f->spf))
		return err_set(e, ERR_IO, -EBADMSG,
			"%s: array \"x\" does not hold %" PRIu64 " samples as "
			"its last dimension; was it generated with that "
			"dataset.num_samples_per_file?",
			f->path, f->spf);
	return 0;
}

const struct dataset_format format_npz = {
	.name = "npz",
	.has_crc = true,
	.check_fits = check_fits,
	.head_bytes = NPZ_HEAD_BYTES,
	.tail_bytes = tail_bytes,
	.crc_begin = crc_begin,
	.crc_update = npz_crc_update,
	.build_head = build_head,
	.build_tail = build_tail,
	.check_head = check_head,
	.check_start = npz_check_start,
	.inspect = inspect,
};
