#ifndef DATAGEN_DATASET_H
#define DATAGEN_DATASET_H
/*
 * Which files a training data set has: names, folders and sizes, exactly as
 * the reference (DLIO 3.0.2) makes them, so that sizes can be known without a
 * disk and sets of both tools can stand for each other.
 *
 * A sample is a square of bytes with random sides. Side lengths come from one
 * random stream per generating process, so SIZES DEPEND ON `ranks`, the number
 * of processes the data set is (or was) generated with. File i belongs to
 * process i mod ranks.
 */
#include "core/err.h"
#include "datagen/format.h"

#include <stddef.h>
#include <stdint.h>

struct dataset_layout {
	uint64_t files;		   /* N */
	uint64_t subfolders;	   /* 0 and 1 both mean none */
	uint64_t samples_per_file; /* third dimension of a file */
	uint64_t record_bytes;	   /* mean size of a sample */
	double record_stdev_bytes; /* as configured; files vary by 1/sqrt(2) */
	uint64_t ranks;		   /* P, generating processes */
	char format[64];	   /* "npz", see format.h */
};

struct dataset_dims {
	uint32_t d1, d2;
};

/* 0, or -EINVAL (ERR_USAGE) naming the first field out of range. */
int dataset_check(const struct dataset_layout *l, struct err *e);

/* Of a layout that dataset_check() takes. */
static inline const struct dataset_format *dataset_format(
	const struct dataset_layout *l)
{
	return format_find(l->format);
}

static inline struct format_shape dataset_shape(
	const struct dataset_layout *l, struct dataset_dims d)
{
	return (struct format_shape){d.d1, d.d2, l->samples_per_file};
}

/*
 * Fill dims[files]; checks the layout first. Time grows with files * ranks
 * when sizes vary. -EINVAL or -EFBIG (ERR_USAGE) for a layout that cannot be
 * written, such as a file beyond the 4 GiB of an npz without zip64.
 */
int dataset_dims_all(const struct dataset_layout *l, struct dataset_dims *dims,
	struct err *e);

/* Bytes of random content in a file, and of the whole file. */
uint64_t dataset_payload_bytes(
	const struct dataset_layout *l, struct dataset_dims d);
uint64_t dataset_file_bytes(
	const struct dataset_layout *l, struct dataset_dims d);

/*
 * folder/train/[k/]img_<i>_of_<N>.<format>, or with a folder of "" the path
 * below the data folder. i is padded to the digits of N, k to those of
 * `subfolders`. 0, -EINVAL (no such file) or -ENAMETOOLONG.
 */
int dataset_file_path(const struct dataset_layout *l, const char *folder,
	uint64_t i, char *buf, size_t buf_bytes);

/*
 * folder/train/<k>, or folder/train for k = 0 without sub-folders. Errors as
 * above.
 */
int dataset_subfolder_path(const struct dataset_layout *l, const char *folder,
	uint64_t k, char *buf, size_t buf_bytes);

#endif
