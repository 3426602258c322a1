#ifndef DATAGEN_NPZ_H
#define DATAGEN_NPZ_H
/*
 * npz files: uncompressed zip archives of npy arrays. The writer makes the
 * layout of the reference's generator (DLIO 3.0.2 with s3dlio) byte for byte:
 * `x`, uint8 of shape (d1, d2, samples per file), random content at offset
 * 163, then `y`, int64 zeros, one a sample; no zip64, so files stay below 4
 * GiB. The reader takes that, what numpy.savez of any Python writes (zip64
 * extra fields; see mlcommons/storage#286), and zip64 archives; it trusts no
 * field and reads only headers.
 */
#include "core/err.h"
#include "datagen/npy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Writing. Sides of x are d1 and d2, spf is samples per file. ---- */

#define NPZ_HEAD_BYTES 163 /* everything before the payload of x */

/* 0, or -EFBIG (ERR_USAGE) if such a file needs zip64. */
int npz_check_fits(uint32_t d1, uint32_t d2, uint64_t spf, struct err *e);

/* Payload + 450 + 8 * spf. Meaningless where npz_check_fits() fails. */
uint64_t npz_file_bytes(uint32_t d1, uint32_t d2, uint64_t spf);

/*
 * CRC-32 of member x, which covers its npy header and the payload: begin with
 * the header, then update with all payload bytes in order.
 */
uint32_t npz_crc_begin(uint32_t d1, uint32_t d2, uint64_t spf);
uint32_t npz_crc_update(uint32_t crc32, const void *buf, size_t len);

/*
 * Since the head holds the CRC, a file whose head is written last is known to
 * be complete by npz_check_head().
 */
void npz_build_head(uint8_t out[NPZ_HEAD_BYTES], uint32_t d1, uint32_t d2,
	uint64_t spf, uint32_t crc32);

/* Everything behind the payload: its length, and its bytes. */
size_t npz_tail_bytes(uint64_t spf);
/* Returns the length, or 0 if cap is too small. */
size_t npz_build_tail(uint8_t *out, size_t cap, uint32_t d1, uint32_t d2,
	uint64_t spf, uint32_t crc32);

/*
 * Does a file of file_bytes that starts with `first` (len bytes, at least
 * NPZ_HEAD_BYTES) look like one of ours with these sides? Gives the CRC-32 its
 * head claims. 0, or -EBADMSG (ERR_IO) saying what differs.
 */
int npz_check_head(const void *first, size_t len, uint64_t file_bytes,
	uint32_t d1, uint32_t d2, uint64_t spf, uint32_t *crc32, struct err *e);

/* ---- Reading. ---- */

#define NPZ_NAME_MAX 64

struct npz_member {
	char name[NPZ_NAME_MAX]; /* as in the archive: "x.npy" */
	uint16_t method;	 /* always 0, stored */
	uint32_t crc32;		 /* of npy_bytes at npy_offset */
	uint64_t header_offset;	 /* of the local zip header */
	uint64_t npy_offset, npy_bytes;
	uint64_t payload_offset, payload_bytes;
	char descr[NPY_DESCR_MAX];
	bool fortran_order;
	uint32_t ndim;
	uint64_t shape[NPY_DIMS_MAX];
};

/* Where bytes come from. read_at reads all of len or fails and fills e. */
struct npz_source {
	int (*read_at)(void *ctx, uint64_t offset, void *buf, size_t len,
		struct err *e);
	void *ctx;
	uint64_t size_bytes;
	const char *name; /* for errors */
};

/*
 * List the arrays in the order of the central directory. Sizes, offsets,
 * names and types of both zip headers and of the npy header must agree and
 * lie inside the file without overlap. 0; -EBADMSG for a damaged file,
 * -ENOTSUP for what this reader does not take (compression, encryption,
 * object arrays, more than max members), both ERR_IO; or read_at's error.
 */
int npz_parse(const struct npz_source *s, struct npz_member *members,
	size_t max, size_t *count, struct err *e);

/*
 * Do the first len bytes of a file begin an npz archive with an uncompressed
 * array? A cheap look for readers that take files as bytes: signature, method
 * and the array's magic, as far as len reaches. -EBADMSG or -ENOTSUP (ERR_IO)
 * naming the file.
 */
int npz_check_start(
	const void *first, size_t len, const char *name, struct err *e);

/* Array "x" is member "x.npy". NULL if there is none. */
const struct npz_member *npz_find(
	const struct npz_member *members, size_t count, const char *array);

#endif
