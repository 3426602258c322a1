/* The data set a run reads; see data_source.h. */
#include "plan/data_source.h"

#include "core/units.h"
#include "datagen/content.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void data_source_layout(const struct train_config *c, struct dataset_layout *l)
{
	memset(l, 0, sizeof(*l));
	l->files = c->files;
	l->subfolders = c->subfolders;
	l->samples_per_file = c->samples_per_file;
	l->record_bytes = c->record_bytes;
	l->record_stdev_bytes = c->record_stdev_bytes;
	l->ranks = c->datagen_ranks ? c->datagen_ranks : 1;
	snprintf(l->format, sizeof(l->format), "%s", c->format);
}

static int name_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	struct data_source *d = ctx;

	return dataset_file_path(&d->layout, d->folder, i, buf, buf_bytes);
}

static uint64_t name_size(void *ctx, uint64_t i)
{
	struct data_source *d = ctx;

	if (d->dims)
		return dataset_file_bytes(&d->layout, d->dims[i]);
	return d->has_manifest && d->manifest.file_bytes
		       ? d->manifest.file_bytes[i]
		       : 0;
}

#define HUGE_PAGE_BYTES (2 * MIB_BYTES)

static int compute_dims(struct data_source *d, struct err *e)
{
	size_t size = d->layout.files * sizeof(*d->dims);
	void *mem;

	/* looked up in shuffled order: of millions, most miss small pages */
	if (size < HUGE_PAGE_BYTES)
		mem = malloc(size);
	else if (posix_memalign(&mem, HUGE_PAGE_BYTES, size))
		mem = NULL;
	else
		madvise(mem, size, MADV_HUGEPAGE);
	d->dims = mem;
	if (!d->dims)
		return err_nomem(e, "the data set's sizes");
	return dataset_dims_all(&d->layout, d->dims, e);
}

int data_source_total_bytes(
	const struct dataset_layout *l, uint64_t *bytes, struct err *e)
{
	struct data_source d = {.layout = *l};
	uint64_t i, sum = 0;
	int r = compute_dims(&d, e);

	for (i = 0; !r && i < l->files; i++)
		sum += dataset_file_bytes(l, d.dims[i]);
	free(d.dims);
	*bytes = sum;
	return r;
}

#define HOLES_LOOK 16

/* As the reference: every k-th file, so that 10^4 looks are the most. */
static uint64_t look_interval(uint64_t files)
{
	uint64_t k = 1;

	while (k < 10000 && files >= 10000 * k)
		k *= 10;
	return k;
}

static int check_one(struct data_source *d, uint64_t i, struct err *e)
{
	char path[4352];
	uint64_t size;
	int r = store_stat(&d->store, i, &size);

	if (!r && size && (!d->has_manifest || !d->manifest.file_bytes ||
				  size == d->manifest.file_bytes[i]))
		return 0;
	store_label(&d->store, i, path, sizeof(path));
	if (r == -EISDIR || r == -EINVAL)
		return err_set(e, ERR_IO, r,
			"%s is %s, not a file of samples; remove it and run "
			"the same datagen again, it mends this",
			path, r == -EISDIR ? "a folder" : "a special file");
	if (!r && size)
		return err_set(e, ERR_IO, -EBADMSG,
			"%s has %" PRIu64 " bytes, the manifest says %" PRIu64
			"; run the same datagen again, it mends this",
			path, size, d->manifest.file_bytes[i]);
	if (!r)
		return err_set(e, ERR_IO, -ENODATA,
			"%s is empty; generate the data set again", path);
	return err_set(e, ERR_IO, r,
		"%s: %s; is the data set complete, and was it generated with "
		"dataset.num_files_train=%" PRIu64 "? (stoker training datagen "
		"makes it)",
		path, strerror(-r), d->layout.files);
}

static int check_manifest(struct data_source *d, const struct train_config *c,
	struct err *e)
{
	const struct manifest *m = &d->manifest;

	if (m->layout.files != c->files ||
		m->layout.record_bytes != c->record_bytes)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s holds %" PRIu64 " files of %" PRIu64 " bytes on "
			"average (scale %s), the run asks for %" PRIu64
			" of %" PRIu64 "; pass --param "
			"dataset.num_files_train=%" PRIu64
			" and the same --scale, or generate another set",
			d->folder, m->layout.files, m->layout.record_bytes,
			m->scale, c->files, c->record_bytes, m->layout.files);
	if (m->layout.samples_per_file != c->samples_per_file)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s holds files of %" PRIu64 " sample(s), the run asks "
			"for %" PRIu64 "; pass --param "
			"dataset.num_samples_per_file=%" PRIu64
			", or generate another set",
			d->folder, m->layout.samples_per_file,
			c->samples_per_file, m->layout.samples_per_file);
	if (strcmp(m->layout.format, c->format))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s holds %s files, the run asks for %s; generate "
			"another set", d->folder, m->layout.format, c->format);
	if (!m->complete)
		return err_set(e, ERR_USAGE, -EINVAL,
			"the data set in %s is not complete (its generation "
			"was interrupted); run the same datagen again, it "
			"continues", d->folder);
	return 0;
}

/* One aligned read tells whether O_DIRECT works here. */
static int try_direct(struct data_source *d, uint64_t transfer_bytes,
	struct err *e)
{
	struct store_file f;
	int r = store_open(&d->store, 0, true, &f, e);
	char path[4352];
	void *buf;

	if (r)
		return r;
	store_label(&d->store, 0, path, sizeof(path));
	if (transfer_bytes % f.align) {
		store_close(&d->store, &f);
		return err_set(e, ERR_USAGE, -ERANGE,
			"reader.transfer_size=%" PRIu64 " is no multiple of "
			"the %u bytes that direct I/O on %s is aligned to",
			transfer_bytes, f.align, path);
	}
	if (posix_memalign(&buf, f.align, f.align)) {
		store_close(&d->store, &f);
		return err_nomem(e, "a trial read");
	}
	if (pread(f.fd, buf, f.align, 0) < 0 && errno == EINVAL)
		r = err_set(e, ERR_ENV, -EINVAL,
			"direct I/O refused on %s (EINVAL on read); pass "
			"--buffered, or --allow-fallback", path);
	free(buf);
	store_close(&d->store, &f);
	return r;
}

/* Is it of the format it should be of? A thorough look at file 0. */
static int inspect_first(struct data_source *d, struct err *e)
{
	struct format_file file;
	struct store_file f;
	char path[4352];
	int r;

	if (!d->format->inspect)
		return 0;
	r = store_open(&d->store, 0, false, &f, e);
	if (r)
		return r;
	file = (struct format_file){
		.fd = f.fd,
		.path = store_label(&d->store, 0, path, sizeof(path)),
		.size_bytes = f.size_bytes,
		.spf = d->layout.samples_per_file,
	};
	r = d->format->inspect(&file, e);
	store_close(&d->store, &f);
	return r;
}

/* What is wrong with the folder itself is said of it, not of a file. */
static int check_folder(struct data_source *d, const struct train_config *c,
	struct err *e)
{
	struct stat st;
	int r = stat(c->data_dir, &st) ? -errno : 0;

	if (r && r != -EACCES)
		return err_set(e, ERR_USAGE, r, "--data-dir %s: %s",
			c->data_dir, r == -ENOENT ? "no such folder"
						  : strerror(-r));
	if (!r && !S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, -ENOTDIR,
			"--data-dir %s is a file, not a folder", c->data_dir);
	if (access(d->folder, R_OK | X_OK) && errno == EACCES)
		return err_set(e, ERR_ENV, -EACCES,
			"%s may not be read by uid %u (EACCES); change its "
			"owner or mode (and its parents'), or run as another "
			"user", d->folder, geteuid());
	return 0;
}

/*
 * Reads of holes are answered by the file system without the device. A few
 * files stand for all; a file system that cannot tell says "no holes".
 */
static void note_holes(struct data_source *d, struct record *rec)
{
	uint64_t n = d->layout.files < HOLES_LOOK ? d->layout.files
						  : HOLES_LOOK;
	uint64_t i, holes = 0;
	struct store_file f;
	off_t at;

	for (i = 0; i < n; i++) {
		if (store_open(&d->store, i * d->layout.files / n, false, &f,
			    NULL))
			continue;
		at = lseek(f.fd, 0, SEEK_HOLE);
		holes += at >= 0 && (uint64_t)at < f.size_bytes;
		store_close(&d->store, &f);
	}
	if (holes)
		record_note(rec, "holes",
			"%" PRIu64 " of %" PRIu64 " sampled files have holes: "
			"reads of holes do not reach the device, AU flatters "
			"the drive; copy the set without making it sparse, or "
			"generate it again", holes, n);
}

static int open_real(struct data_source *d, struct train_config *c,
	bool allow_fallback, struct record *rec, struct err *e)
{
	uint64_t i, k = look_interval(c->files);
	int r = check_folder(d, c, e);

	if (r)
		return r;
	r = manifest_load(d->folder, &d->manifest, e);
	if (r && r != -ENOENT)
		return r;
	d->has_manifest = r == 0;
	if (d->has_manifest) {
		r = check_manifest(d, c, e);
		if (r)
			return r;
		d->layout = d->manifest.layout;
		c->datagen_ranks = d->layout.ranks;
		c->subfolders = d->layout.subfolders;
		c->seed = d->manifest.seed;
	} else if (c->verify) {
		return err_set(e, ERR_USAGE, -EINVAL,
			"--verify needs the manifest that stoker's datagen "
			"leaves; %s has none", d->folder);
	}
	r = check_one(d, 0, e);
	if (!r)
		r = check_one(d, c->files - 1, e);
	for (i = k; !r && i < c->files; i += k)
		r = check_one(d, i, e);
	if (!r)
		r = inspect_first(d, e);
	if (!r && c->odirect) {
		r = try_direct(d, c->transfer_bytes, e);
		if (r == -EINVAL && allow_fallback) {
			record_note(rec, "direct",
				"%s; reading through the page cache instead "
				"(--allow-fallback)", e->text);
			c->odirect = false;
			r = 0;
		}
	}
	if (!r && c->verify)
		r = compute_dims(d, e);
	if (!r)
		note_holes(d, rec);
	return r;
}

int data_source_open(struct data_source *d, struct train_config *c,
	bool allow_fallback, struct record *rec, struct err *e)
{
	struct store_namer namer = {
		.ctx = d, .path = name_path, .size_bytes = name_size};

	memset(d, 0, sizeof(*d));
	data_source_layout(c, &d->layout);
	if (dataset_check(&d->layout, e))
		return e->code;
	d->format = dataset_format(&d->layout);
	d->verify = c->verify;
	snprintf(d->folder, sizeof(d->folder), "%s", c->data_folder);
	if (c->drive[0]) {
		store_catalog_init(&d->store, &namer);
		if (c->verify)
			return err_set(e, ERR_USAGE, -EINVAL,
				"--verify needs real files; a modelled drive "
				"holds no content");
		return compute_dims(d, e);
	}
	store_posix_init(&d->store, d->folder, &namer);
	return open_real(d, c, allow_fallback, rec, e);
}

void data_source_close(struct data_source *d)
{
	free(d->dims);
	d->dims = NULL;
	manifest_free(&d->manifest);
}

static int differs(struct data_source *d, uint64_t file, uint64_t offset,
	struct err *e)
{
	char path[4352];

	store_label(&d->store, file, path, sizeof(path));
	return err_set(e, ERR_IO, -EBADMSG,
		"%s differs from what was generated at byte %" PRIu64, path,
		offset);
}

static int check_bytes(struct data_source *d, uint64_t file, uint64_t at,
	const uint8_t *have, const uint8_t *want, uint64_t len, struct err *e)
{
	uint64_t i = 0;

	if (!memcmp(have, want, len))
		return 0;
	while (have[i] == want[i])
		i++;
	return differs(d, file, at + i, e);
}

/* What lies around the payload: made again and compared. */
static int check_frame(struct data_source *d, uint64_t file, uint64_t offset,
	const uint8_t *buf, uint64_t len, struct err *e)
{
	const struct dataset_format *f = d->format;
	struct format_shape s = dataset_shape(&d->layout, d->dims[file]);
	uint64_t tail_at = f->head_bytes + format_payload_bytes(&s);
	uint64_t tail_bytes = format_tail_bytes(f, s.spf);
	uint32_t crc32 = d->manifest.file_crc32
				 ? d->manifest.file_crc32[file] : 0;
	uint8_t head[FORMAT_HEAD_MAX], *tail;
	uint64_t from, n;
	int r = 0;

	if (f->has_crc && !d->manifest.file_crc32)
		return 0;
	if (offset < f->head_bytes) {
		n = f->head_bytes - offset < len ? f->head_bytes - offset : len;
		r = f->build_head(head, &s, crc32, e);
		if (!r)
			r = check_bytes(
				d, file, offset, buf, head + offset, n, e);
	}
	if (r || offset + len <= tail_at)
		return r;
	tail = malloc(tail_bytes);
	if (!tail)
		return err_nomem(e, "a check");
	r = f->build_tail(tail, &s, crc32, e);
	from = offset > tail_at ? offset : tail_at;
	if (!r)
		r = check_bytes(d, file, from, buf + (from - offset),
			tail + (from - tail_at), offset + len - from, e);
	free(tail);
	return r;
}

static int check_content(struct data_source *d, uint64_t file,
	uint64_t offset_bytes, const void *buf, size_t len_bytes,
	struct err *e)
{
	struct content_key key = {.kind = d->manifest.kind,
		.ratios = d->manifest.ratios,
		.head_bytes = d->format->head_bytes,
		.seed = d->manifest.seed,
		.file = file};
	uint64_t total = dataset_file_bytes(&d->layout, d->dims[file]);
	uint64_t at = d->format->head_bytes;
	uint64_t end = at + dataset_payload_bytes(&d->layout, d->dims[file]);
	uint64_t from = offset_bytes > at ? offset_bytes : at;
	uint64_t to = offset_bytes + len_bytes, bad;

	if (to > total)
		return differs(d, file, total, e);
	if (to == total)
		d->verified++;
	if (to > end)
		to = end;
	if (from < to && !content_check(&key, from - at,
				 (const uint8_t *)buf + (from - offset_bytes),
				 to - from, &bad))
		return differs(d, file, bad + at, e);
	return check_frame(d, file, offset_bytes, buf, len_bytes, e);
}

int data_source_check(void *ctx, uint64_t file, uint64_t offset_bytes,
	const void *buf, size_t len_bytes, struct err *e)
{
	struct data_source *d = ctx;
	char path[4352];

	if (d->verify)
		return check_content(d, file, offset_bytes, buf, len_bytes, e);
	if (offset_bytes || !d->format->check_start)
		return 0;
	if (!d->format->check_start(buf, len_bytes, "", NULL))
		return 0;
	store_label(&d->store, file, path, sizeof(path));
	return d->format->check_start(buf, len_bytes, path, e);
}
