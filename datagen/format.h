#ifndef DATAGEN_FORMAT_H
#define DATAGEN_FORMAT_H
/*
 * File formats of training data sets. To all who write, read or check one, a
 * file is a head, a payload of random bytes (d1 x d2 bytes a sample) and a
 * tail; a format says how long head and tail are, makes them, and recognises
 * its files. Lengths follow from the shape alone, so that they are known
 * without a disk.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest head of any format: it lies in the first block of a file. */
#define FORMAT_HEAD_MAX 4096

/* What of a file decides its head and tail. */
struct format_shape {
	uint32_t d1, d2; /* sides of a sample, bytes */
	uint64_t spf;	 /* samples per file */
};

/* A file to be looked into; every field is set. */
struct format_file {
	int fd; /* open for reading, not O_DIRECT */
	const char *path;
	uint64_t size_bytes;
	uint64_t spf; /* samples it should hold */
};

struct dataset_format {
	const char *name; /* "npz", and the ending of file names */
	bool has_crc;	  /* the frame holds the payload's CRC-32 */
	bool one_sample;  /* a file holds exactly one */

	/* 0, or -EFBIG (ERR_USAGE) if the format cannot hold such a file. */
	int (*check_fits)(const struct format_shape *s, struct err *e);
	uint32_t head_bytes; /* up to FORMAT_HEAD_MAX: the payload's offset */
	/* NULL: 0 */
	uint64_t (*tail_bytes)(uint64_t spf);

	/* The CRC before the first payload byte; only with has_crc. */
	uint32_t (*crc_begin)(const struct format_shape *s);
	uint32_t (*crc_update)(uint32_t crc32, const void *buf, size_t len);

	/*
	 * Make head_bytes or tail_bytes() bytes. NULL where there are none.
	 * The head is written last, so a file whose head is right is complete.
	 * 0, or the error of a library.
	 */
	int (*build_head)(uint8_t *out, const struct format_shape *s,
		uint32_t crc32, struct err *e);
	int (*build_tail)(uint8_t *out, const struct format_shape *s,
		uint32_t crc32, struct err *e);

	/*
	 * Does a file that starts with `first` (len bytes) have the head of
	 * one of ours of this shape? Gives the CRC it claims. 0, or -EBADMSG
	 * (ERR_IO). NULL: its head tells nothing.
	 */
	int (*check_head)(const void *first, size_t len,
		const struct format_shape *s, uint32_t *crc32, struct err *e);
	/*
	 * A cheap look at the first bytes of any file of this format, foreign
	 * ones too. -EBADMSG or -ENOTSUP (ERR_IO) naming the file. NULL: any
	 * bytes will do.
	 */
	int (*check_start)(
		const void *first, size_t len, const char *name, struct err *e);
	/* A thorough look at one file before a run; NULL likewise. */
	int (*inspect)(const struct format_file *f, struct err *e);

	/*
	 * Bytes [from, to) that a reader needs for sample k of a file; it
	 * opens the file again for each. NULL: the whole file.
	 */
	void (*sample_range)(uint64_t file_bytes, uint64_t spf, uint64_t k,
		uint64_t *from, uint64_t *to);
};

extern const struct dataset_format format_npz, format_jpeg, format_hdf5;

/* NULL if there is no format of that name. */
const struct dataset_format *format_find(const char *name);

/* "npz, jpeg ...": all names, for messages. */
const char *format_names(void);

/* Bytes of random content, and of the whole file; check_fits() holds. */
static inline uint64_t format_payload_bytes(const struct format_shape *s)
{
	return (uint64_t)s->d1 * s->d2 * s->spf;
}

static inline uint64_t format_tail_bytes(
	const struct dataset_format *f, uint64_t spf)
{
	return f->tail_bytes ? f->tail_bytes(spf) : 0;
}

static inline uint64_t format_file_bytes(
	const struct dataset_format *f, const struct format_shape *s)
{
	return f->head_bytes + format_payload_bytes(s) +
	       format_tail_bytes(f, s->spf);
}

#endif
