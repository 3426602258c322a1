/*
 * The npz layout of the reference's generator; see npz.h. Two members, stored,
 * dates zero, no extra fields.
 */
#include "datagen/npz.h"

#include <errno.h>
#include <inttypes.h>
#include <isa-l.h>
#include <string.h>

#define LOCAL_BYTES 35	 /* local header with a name of five */
#define CENTRAL_BYTES 51 /* central directory entry likewise */
#define END_BYTES 22
#define NAME_BYTES 5
#define ZIP_VERSION 20

static uint64_t payload_bytes(uint32_t d1, uint32_t d2, uint64_t spf)
{
	return (uint64_t)d1 * d2 * spf;
}

static uint64_t y_bytes(uint64_t spf)
{
	return NPY_HEADER_BYTES + 8 * spf;
}

int npz_check_fits(uint32_t d1, uint32_t d2, uint64_t spf, struct err *e)
{
	uint64_t bytes = (uint64_t)d1 * d2;

	/* All ones would mean "see the zip64 field". */
	if (spf < UINT32_MAX && !__builtin_mul_overflow(bytes, spf, &bytes) &&
		bytes < UINT32_MAX && npz_file_bytes(d1, d2, spf) < UINT32_MAX)
		return 0;
	return err_set(e, ERR_USAGE, -EFBIG,
		"an npz file of %" PRIu32 " x %" PRIu32 " x %" PRIu64
		" bytes reaches 4 GiB, which the reference's layout cannot "
		"hold; lower the record length or the samples per file",
		d1, d2, spf);
}

size_t npz_tail_bytes(uint64_t spf)
{
	return LOCAL_BYTES + y_bytes(spf) + 2 * CENTRAL_BYTES + END_BYTES;
}

uint64_t npz_file_bytes(uint32_t d1, uint32_t d2, uint64_t spf)
{
	return NPZ_HEAD_BYTES + payload_bytes(d1, d2, spf) +
	       npz_tail_bytes(spf);
}

/* Little-endian; returns the place behind it. */
static uint8_t *put(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (; bytes; bytes--, v >>= 8)
		*p++ = (uint8_t)v;
	return p;
}

/* The fields that both headers share, from "version needed" to "extra". */
static uint8_t *put_common(uint8_t *p, uint32_t crc32, uint64_t bytes)
{
	p = put(p, ZIP_VERSION, 2);
	p = put(p, 0, 8); /* flags, method, time, date */
	p = put(p, crc32, 4);
	p = put(p, bytes, 4); /* compressed */
	p = put(p, bytes, 4);
	p = put(p, NAME_BYTES, 2);
	return put(p, 0, 2);
}

static uint8_t *put_local(
	uint8_t *p, const char *name, uint32_t crc32, uint64_t bytes)
{
	p = put(p, 0x04034b50, 4);
	p = put_common(p, crc32, bytes);
	memcpy(p, name, NAME_BYTES);
	return p + NAME_BYTES;
}

static uint8_t *put_central(uint8_t *p, const char *name, uint32_t crc32,
	uint64_t bytes, uint64_t offset)
{
	p = put(p, 0x02014b50, 4);
	p = put(p, ZIP_VERSION, 2);
	p = put_common(p, crc32, bytes);
	p = put(p, 0, 2 + 2 + 2); /* comment, disk, internal attributes */
	p = put(p, 0, 4);	  /* external attributes */
	p = put(p, offset, 4);
	memcpy(p, name, NAME_BYTES);
	return p + NAME_BYTES;
}

static uint8_t *put_x_npy(uint8_t *p, uint32_t d1, uint32_t d2, uint64_t spf)
{
	const uint64_t shape[3] = {d1, d2, spf};

	npy_build_header(p, "|u1", shape, 3);
	return p + NPY_HEADER_BYTES;
}

uint32_t npz_crc_update(uint32_t crc32, const void *buf, size_t len)
{
	return crc32_gzip_refl(crc32, buf, len);
}

uint32_t npz_crc_begin(uint32_t d1, uint32_t d2, uint64_t spf)
{
	uint8_t npy[NPY_HEADER_BYTES];

	put_x_npy(npy, d1, d2, spf);
	return npz_crc_update(0, npy, sizeof(npy));
}

void npz_build_head(uint8_t out[NPZ_HEAD_BYTES], uint32_t d1, uint32_t d2,
	uint64_t spf, uint32_t crc32)
{
	uint64_t bytes = NPY_HEADER_BYTES + payload_bytes(d1, d2, spf);

	put_x_npy(put_local(out, "x.npy", crc32, bytes), d1, d2, spf);
}

size_t npz_build_tail(uint8_t *out, size_t cap, uint32_t d1, uint32_t d2,
	uint64_t spf, uint32_t crc32)
{
	uint64_t payload = payload_bytes(d1, d2, spf);
	uint64_t y_offset = NPZ_HEAD_BYTES + payload;
	uint64_t y_len = y_bytes(spf);
	uint8_t *p = out, *npy = out + LOCAL_BYTES;
	uint32_t y_crc;

	if (cap < npz_tail_bytes(spf))
		return 0;
	npy_build_header(npy, "<i8", &spf, 1);
	memset(npy + NPY_HEADER_BYTES, 0, 8 * spf);
	y_crc = npz_crc_update(0, npy, y_len);
	p = put_local(p, "y.npy", y_crc, y_len) + y_len;
	p = put_central(p, "x.npy", crc32, NPY_HEADER_BYTES + payload, 0);
	p = put_central(p, "y.npy", y_crc, y_len, y_offset);
	p = put(p, 0x06054b50, 4);
	p = put(p, 0, 4); /* disks */
	p = put(p, 2, 2); /* entries on this disk, and in all */
	p = put(p, 2, 2);
	p = put(p, 2 * CENTRAL_BYTES, 4);
	p = put(p, y_offset + LOCAL_BYTES + y_len, 4);
	p = put(p, 0, 2);
	return (size_t)(p - out);
}

int npz_check_head(const void *first, size_t len, uint64_t file_bytes,
	uint32_t d1, uint32_t d2, uint64_t spf, uint32_t *crc32, struct err *e)
{
	uint64_t want_bytes = npz_file_bytes(d1, d2, spf);
	uint8_t want[NPZ_HEAD_BYTES];
	const uint8_t *in = first;

	if (file_bytes != want_bytes)
		return err_set(e, ERR_IO, -EBADMSG,
			"the file has %" PRIu64 " bytes, not %" PRIu64
			"; generate it again",
			file_bytes, want_bytes);
	if (len < NPZ_HEAD_BYTES)
		return err_set(e, ERR_IO, -EBADMSG,
			"only %zu bytes of the file are there, not the %d of "
			"its head; generate it again",
			len, NPZ_HEAD_BYTES);
	*crc32 = in[14] | (uint32_t)in[15] << 8 | (uint32_t)in[16] << 16 |
		 (uint32_t)in[17] << 24;
	npz_build_head(want, d1, d2, spf, *crc32);
	if (memcmp(in, want, sizeof(want)) != 0)
		return err_set(e, ERR_IO, -EBADMSG,
			"the file does not start with the head of an npz with "
			"x of shape (%" PRIu32 ", %" PRIu32 ", %" PRIu64
			"); generate it again",
			d1, d2, spf);
	return 0;
}
