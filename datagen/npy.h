#ifndef DATAGEN_NPY_H
#define DATAGEN_NPY_H
/*
 * The header of an npy array: a Python dictionary as text. It is read by a
 * small strict parser; nothing is evaluated (see rogersce/cnpy PR #107).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPY_DIMS_MAX 8
#define NPY_DESCR_MAX 16
#define NPY_HEADER_BYTES 128 /* of every header written here */

struct npy_info {
	char descr[NPY_DESCR_MAX]; /* "|u1", "<i8" */
	bool fortran_order;
	uint32_t item_bytes;
	uint32_t ndim; /* 0: a scalar */
	uint64_t shape[NPY_DIMS_MAX];
	uint64_t data_bytes; /* item_bytes times the shape */
};

/*
 * Read the dictionary: {'descr': '|u1', 'fortran_order': False, 'shape': (2,
 * 3), } padded with blanks and perhaps a newline. The keys may come in any
 * order, each exactly once. Types are plain numbers. Returns NULL, or what is
 * wrong as a constant text.
 */
const char *npy_parse_dict(const char *text, size_t len, struct npy_info *out);

/* A whole version 1 header, as numpy and s3dlio write it. ndim 1 to 3. */
void npy_build_header(uint8_t out[NPY_HEADER_BYTES], const char *descr,
	const uint64_t *shape, uint32_t ndim);

#endif
