/*
 * HDF5 as a format of data sets: `records`, uint8 of shape (samples per file,
 * d1, d2), contiguous from offset 4096 on, so that a direct read needs no
 * other blocks; then `labels`, int64 zeros. The library makes the first 4 KiB
 * and looks into files; payload and labels are written and read as bytes.
 *
 * A head is made by letting the library lay out such a file in memory: it is
 * sparse, since space is reserved early and never filled. Old format versions
 * and no time stamps, so that the same shape always gives the same bytes.
 */
#include "datagen/format.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD_BYTES 4096
#define LABEL_BYTES 8

static const char records_name[] = "records", labels_name[] = "labels";

/* What the library says of a failure: its deepest reason. */
struct reason {
	char text[256];
};

static herr_t keep_reason(unsigned n, const H5E_error2_t *h5e, void *ctx)
{
	struct reason *r = ctx;

	(void)n;
	if (h5e->desc)
		snprintf(r->text, sizeof(r->text), "%s", h5e->desc);
	return 0;
}

static int library_failed(const char *path, const char *what, struct err *e)
{
	struct reason r = {"unknown reason"};

	H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_reason, &r);
	/* h5py/h5py#1101: NFS and Lustre without lock support */
	if (strstr(r.text, "unable to lock file"))
		return err_set(e, ERR_ENV, -ENOLCK,
			"%s: the file system does not support locks; set "
			"HDF5_USE_FILE_LOCKING=FALSE (HDF5: %s)",
			path, r.text);
	return err_set(e, ERR_IO, -EBADMSG, "%s: cannot %s: HDF5: %s", path,
		what, r.text);
}

/* The library prints its errors itself unless it is told not to. */
struct silence {
	H5E_auto2_t print;
	void *ctx;
};

static void silence_begin(struct silence *s)
{
	H5Eget_auto2(H5E_DEFAULT, &s->print, &s->ctx);
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void silence_end(const struct silence *s)
{
	H5Eset_auto2(H5E_DEFAULT, s->print, s->ctx);
}

static int check_fits(const struct format_shape *s, struct err *e)
{
	uint64_t area = (uint64_t)s->d1 * s->d2, bytes, labels;

	if (!__builtin_mul_overflow(area, s->spf, &bytes) &&
		!__builtin_mul_overflow(s->spf, LABEL_BYTES, &labels) &&
		bytes < INT64_MAX / 2 && labels < INT64_MAX / 2)
		return 0;
	return err_set(e, ERR_USAGE, -EFBIG,
		"%" PRIu64 " x %" PRIu64 " bytes are too many for a file",
		s->spf, area);
}

static uint64_t tail_bytes(uint64_t spf)
{
	return LABEL_BYTES * spf;
}

/* Contiguous, allocated here and now, nothing written. Gives its offset. */
static bool add_dataset(hid_t file, const char *name, hid_t type, int ndim,
	const hsize_t *dims, uint64_t *offset)
{
	hid_t props = H5Pcreate(H5P_DATASET_CREATE);
	hid_t space = H5Screate_simple(ndim, dims, NULL), set;

	H5Pset_layout(props, H5D_CONTIGUOUS);
	H5Pset_alloc_time(props, H5D_ALLOC_TIME_EARLY);
	H5Pset_fill_time(props, H5D_FILL_TIME_NEVER);
	H5Pset_obj_track_times(props, false);
	set = H5Dcreate2(
		file, name, type, space, H5P_DEFAULT, props, H5P_DEFAULT);
	*offset = set >= 0 ? H5Dget_offset(set) : HADDR_UNDEF;
	if (set >= 0)
		H5Dclose(set);
	H5Sclose(space);
	H5Pclose(props);
	return set >= 0;
}

static hid_t create(const char *path)
{
	hid_t props = H5Pcreate(H5P_FILE_ACCESS), file;

	H5Pset_libver_bounds(props, H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST);
	/* all that is not data in one block, whose end is the payload's start
	 */
	H5Pset_meta_block_size(props, HEAD_BYTES);
	H5Pset_small_data_block_size(props, 0);
#if H5_VERSION_GE(1, 14, 0) || (H5_VERS_MINOR == 12 && H5_VERS_RELEASE > 0) || \
	(H5_VERS_MINOR == 10 && H5_VERS_RELEASE > 6)
	H5Pset_file_locking(props, false, true); /* nobody else sees it */
#endif
	file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, props);
	H5Pclose(props);
	return file;
}

/* Lay out the file at path; its first block is the head. */
static int lay_out(
	const char *path, const struct format_shape *s, struct err *e)
{
	const hsize_t records[3] = {s->spf, s->d1, s->d2}, labels[1] = {s->spf};
	uint64_t records_at = 0, labels_at = 0;
	hid_t file = create(path);
	bool ok;

	if (file < 0)
		return library_failed(path, "create a file", e);
	ok = add_dataset(file, records_name, H5T_STD_U8LE, 3, records,
		     &records_at) &&
	     add_dataset(
		     file, labels_name, H5T_STD_I64LE, 1, labels, &labels_at);
	if (!ok)
		library_failed(path, "lay out a file", e);
	if (H5Fclose(file) < 0 && ok) {
		library_failed(path, "write a file", e);
		ok = false;
	}
	if (!ok)
		return e ? e->code : -EBADMSG;
	if (records_at == HEAD_BYTES &&
		labels_at == HEAD_BYTES + format_payload_bytes(s))
		return 0;
	return err_set(e, ERR_ENV, -ENOTSUP,
		"this HDF5 library (" H5_VERS_INFO ") puts records at %" PRIu64
		" and labels at %" PRIu64 ", not behind 4 KiB; use "
		"dataset.format=npz",
		records_at, labels_at);
}

static int temporary(char *path, size_t path_bytes, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	snprintf(path, path_bytes, "/dev/shm/stoker-XXXXXX");
	fd = mkstemp(path);
	if (fd >= 0)
		return fd;
	snprintf(path, path_bytes, "%s/stoker-XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd >= 0)
		return fd;
	return err_set(e, ERR_ENV, -errno,
		"cannot create %s: %s; the head of an HDF5 file is laid out "
		"there (set TMPDIR)",
		path, strerror(errno));
}

static int build_head(uint8_t *out, const struct format_shape *s,
	uint32_t crc32, struct err *e)
{
	struct silence quiet;
	char path[4096];
	int fd, r;

	(void)crc32;
	fd = temporary(path, sizeof(path), e);
	if (fd < 0)
		return fd;
	silence_begin(&quiet);
	r = lay_out(path, s, e);
	silence_end(&quiet);
	if (!r && pread(fd, out, HEAD_BYTES, 0) != HEAD_BYTES)
		r = err_set(e, ERR_IO, -EIO, "cannot read %s", path);
	unlink(path);
	close(fd);
	return r;
}

static int build_tail(uint8_t *out, const struct format_shape *s,
	uint32_t crc32, struct err *e)
{
	(void)crc32, (void)e;
	memset(out, 0, LABEL_BYTES * s->spf);
	return 0;
}

static int check_head(const void *first, size_t len,
	const struct format_shape *s, uint32_t *crc32, struct err *e)
{
	uint8_t want[HEAD_BYTES];
	int r = build_head(want, s, 0, e);

	*crc32 = 0;
	if (r)
		return r;
	if (len >= sizeof(want) && !memcmp(first, want, sizeof(want)))
		return 0;
	return err_set(e, ERR_IO, -EBADMSG,
		"the file does not start with the head of an HDF5 file with "
		"records of shape (%" PRIu64 ", %" PRIu32 ", %" PRIu32
		"); generate it again",
		s->spf, s->d1, s->d2);
}

static int check_start(
	const void *first, size_t len, const char *name, struct err *e)
{
	static const char magic[] = "\211HDF\r\n\032\n";
	size_t n = sizeof(magic) - 1;

	if (!memcmp(first, magic, len < n ? len : n))
		return 0;
	return err_set(e, ERR_IO, -EBADMSG,
		"%s does not start as an HDF5 file does", name);
}

/* One sample: its bytes of `records`; of a file with one, all of it. */
static void sample_range(uint64_t file_bytes, uint64_t spf, uint64_t k,
	uint64_t *from, uint64_t *to)
{
	uint64_t sample;

	*from = 0;
	*to = file_bytes;
	if (spf <= 1 || file_bytes < HEAD_BYTES + tail_bytes(spf))
		return;
	sample = (file_bytes - HEAD_BYTES - tail_bytes(spf)) / spf;
	if (!sample)
		return;
	*from = HEAD_BYTES + k * sample;
	*to = *from + sample;
}

static int bad(const struct format_file *f, const char *why, struct err *e)
{
	return err_set(e, ERR_IO, -EBADMSG,
		"%s: dataset \"records\" %s; was it generated with these "
		"parameters?",
		f->path, why);
}

/* Is `records` laid out so that reading bytes is reading samples? */
static int inspect_records(
	const struct format_file *f, hid_t set, struct err *e)
{
	hid_t props = H5Dget_create_plist(set), type = H5Dget_type(set);
	hid_t space = H5Dget_space(set);
	hsize_t dims[H5S_MAX_RANK] = {0};
	int ndim = H5Sget_simple_extent_dims(space, dims, NULL);
	H5D_layout_t layout = H5Pget_layout(props);
	haddr_t at = H5Dget_offset(set);
	hsize_t bytes = H5Dget_storage_size(set);
	bool is_u8 =
		H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) == 1;
	uint64_t spf = ndim == 3 ? dims[0] : 1;
	int r = 0;

	if (layout != H5D_CONTIGUOUS)
		r = bad(f,
			"is not contiguous (chunked, compressed or "
			"compact)",
			e);
	else if (!is_u8)
		r = bad(f, "is not of bytes", e);
	else if (spf != f->spf)
		r = bad(f,
			"does not hold dataset.num_samples_per_file "
			"samples as its first dimension",
			e);
	else if (at == HADDR_UNDEF || !bytes || at > f->size_bytes ||
		 bytes > f->size_bytes - at)
		r = bad(f, "reaches beyond the end of the file", e);
	else if (spf > 1 &&
		 (at != HEAD_BYTES ||
			 bytes + HEAD_BYTES + tail_bytes(spf) != f->size_bytes))
		r = bad(f,
			"of several samples is not where stoker's datagen "
			"puts it",
			e);
	H5Sclose(space);
	H5Tclose(type);
	H5Pclose(props);
	return r;
}

static int inspect(const struct format_file *f, struct err *e)
{
	struct silence quiet;
	hid_t file, set;
	int r;

	silence_begin(&quiet);
	file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
	if (file < 0) {
		r = library_failed(f->path, "open it as an HDF5 file", e);
	} else {
		set = H5Dopen2(file, records_name, H5P_DEFAULT);
		if (set < 0) {
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s has no dataset \"records\": not a training "
				"sample",
				f->path);
		} else {
			r = inspect_records(f, set, e);
			H5Dclose(set);
		}
		H5Fclose(file);
	}
	silence_end(&quiet);
	return r;
}

const struct dataset_format format_hdf5 = {
	.name = "hdf5",
	.head_bytes = HEAD_BYTES,
	.check_fits = check_fits,
	.tail_bytes = tail_bytes,
	.build_head = build_head,
	.build_tail = build_tail,
	.check_head = check_head,
	.check_start = check_start,
	.inspect = inspect,
	.sample_range = sample_range,
};
