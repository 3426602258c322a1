/*
 * Names and sizes of a training data set; see dataset.h. A process's stream
 * must be drawn from its start, but only the side lengths of its own files are
 * worth a logarithm: the rest is skipped pair by pair.
 */
#include "datagen/dataset.h"

#include "core/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DATASET_SEED 10 /* process r draws with 10 + r */

static int out_of_range(struct err *e, const char *what, uint64_t value,
	uint64_t min, uint64_t max)
{
	return err_set(e, ERR_USAGE, -EINVAL,
		"data set: %s is %" PRIu64 ", must be %" PRIu64 " to %" PRIu64,
		what, value, min, max);
}

int dataset_check(const struct dataset_layout *l, struct err *e)
{
	const struct {
		const char *what;
		uint64_t value, min, max;
	} fields[] = {
		{"number of files", l->files, 1, UINT32_MAX},
		{"number of sub-folders", l->subfolders, 0, UINT32_MAX},
		{"samples per file", l->samples_per_file, 1, UINT32_MAX},
		{"record length in bytes", l->record_bytes, 1, 1ULL << 53},
		{"number of generating processes", l->ranks, 1, UINT32_MAX},
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].value < fields[i].min ||
			fields[i].value > fields[i].max)
			return out_of_range(e, fields[i].what, fields[i].value,
				fields[i].min, fields[i].max);
	/* Written so that NaN fails. */
	if (!(l->record_stdev_bytes >= 0 && l->record_stdev_bytes < 1e18))
		return err_set(e, ERR_USAGE, -EINVAL,
			"data set: standard deviation of the record length is "
			"%g bytes, must be 0 to 1e18",
			l->record_stdev_bytes);
	if (!format_find(l->format))
		return err_set(e, ERR_USAGE, -EINVAL,
			"data set: format '%.63s' is not supported; known: %s",
			l->format, format_names());
	if (dataset_format(l)->one_sample && l->samples_per_file != 1)
		return err_set(e, ERR_USAGE, -EINVAL,
			"data set: a %s file holds one sample, not %" PRIu64,
			l->format, l->samples_per_file);
	return 0;
}

/* Side length from a draw: cut toward zero, at least 1; 0 if it is too big. */
static uint32_t side(double v)
{
	if (v >= 4294967296.0)
		return 0;
	return v < 1.0 ? 1 : (uint32_t)v;
}

static int check_dims(const struct dataset_layout *l, uint64_t i,
	struct dataset_dims d, struct err *e)
{
	struct format_shape s = dataset_shape(l, d);
	int rc;

	if (!d.d1 || !d.d2)
		return err_set(e, ERR_USAGE, -EFBIG,
			"data set: file %" PRIu64 " has a side of 2^32 bytes "
			"or more; lower the record length of %" PRIu64
			" bytes or its standard deviation",
			i, l->record_bytes);
	rc = dataset_format(l)->check_fits(&s, e);
	return rc ? err_wrap(e, "data set: file %" PRIu64, i) : 0;
}

int dataset_dims_all(const struct dataset_layout *l, struct dataset_dims *dims,
	struct err *e)
{
	double root, mean, sd;
	uint64_t rank, i, own;
	struct rng_mt mt;
	int rc;

	rc = dataset_check(l, e);
	if (rc)
		return rc;
	root = sqrt((double)l->record_bytes);
	mean = floor(root);
	sd = l->record_stdev_bytes / 2 / root;
	/* Exact, and what loc + 0 * g gives for every draw. */
	if (sd == 0) {
		dims[0].d1 = dims[0].d2 = side(mean);
		for (i = 1; i < l->files; i++)
			dims[i] = dims[0];
		return check_dims(l, 0, dims[0], e);
	}
	for (rank = 0; rank < l->ranks && rank < l->files; rank++) {
		rng_mt_seed(&mt, (uint32_t)(DATASET_SEED + rank));
		for (i = 0, own = rank; own < l->files; own += l->ranks) {
			for (; i < own; i++)
				rng_mt_skip_normal_pair(&mt);
			dims[i].d1 = side(rng_mt_normal(&mt, mean, sd));
			dims[i].d2 = side(rng_mt_normal(&mt, mean, sd));
			rc = check_dims(l, i, dims[i], e);
			if (rc)
				return rc;
			i++;
		}
	}
	return 0;
}

uint64_t dataset_payload_bytes(
	const struct dataset_layout *l, struct dataset_dims d)
{
	struct format_shape s = dataset_shape(l, d);

	return format_payload_bytes(&s);
}

uint64_t dataset_file_bytes(
	const struct dataset_layout *l, struct dataset_dims d)
{
	struct format_shape s = dataset_shape(l, d);

	return format_file_bytes(dataset_format(l), &s);
}

static int digits(uint64_t n)
{
	int d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

static int fits(int n, size_t buf_bytes)
{
	return n < 0 || (size_t)n >= buf_bytes ? -ENAMETOOLONG : 0;
}

int dataset_subfolder_path(const struct dataset_layout *l, const char *folder,
	uint64_t k, char *buf, size_t buf_bytes)
{
	const char *slash = *folder ? "/" : "";

	if (l->subfolders <= 1)
		return k ? -EINVAL
			 : fits(snprintf(buf, buf_bytes, "%s%strain", folder,
					slash),
				   buf_bytes);
	if (k >= l->subfolders)
		return -EINVAL;
	return fits(snprintf(buf, buf_bytes, "%s%strain/%0*" PRIu64, folder,
			    slash, digits(l->subfolders), k),
		buf_bytes);
}

int dataset_file_path(const struct dataset_layout *l, const char *folder,
	uint64_t i, char *buf, size_t buf_bytes)
{
	uint64_t k = l->subfolders > 1 ? i % l->subfolders : 0;
	size_t used;
	int rc;

	if (i >= l->files)
		return -EINVAL;
	rc = dataset_subfolder_path(l, folder, k, buf, buf_bytes);
	if (rc)
		return rc;
	used = strlen(buf);
	return fits(snprintf(buf + used, buf_bytes - used,
			    "/img_%0*" PRIu64 "_of_%" PRIu64 ".%s",
			    digits(l->files), i, l->files, l->format),
		buf_bytes - used);
}
