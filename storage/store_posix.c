/* Files on a mounted file system; see store.h. */
#include "storage/store.h"

#include "core/file.h"
#include "core/units.h"
#include "storage/dio_align.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define TEMP_SUFFIX ".part"

static int posix_path(struct store *s, uint64_t id, bool temporary, char *buf,
	size_t buf_bytes, struct err *e)
{
	size_t n;

	if (s->namer.path(s->namer.ctx, id, buf, buf_bytes))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"%s: the path of file %llu is too long", s->root,
			(unsigned long long)id);
	n = strlen(buf);
	if (temporary) {
		if (n + sizeof(TEMP_SUFFIX) > buf_bytes)
			return err_set(e, ERR_USAGE, -ENAMETOOLONG,
				"%s%s: path too long", buf, TEMP_SUFFIX);
		memcpy(buf + n, TEMP_SUFFIX, sizeof(TEMP_SUFFIX));
	}
	return 0;
}

static int direct_refused(const char *path, struct err *e)
{
	return err_set(e, ERR_ENV, -EINVAL,
		"direct I/O refused on %s (EINVAL); pass --buffered to read "
		"through the page cache, or --allow-fallback to do so only "
		"where direct I/O is refused",
		path);
}

static int cannot_open(const char *path, bool direct, int code, struct err *e)
{
	bool denied = code == -EACCES || code == -EPERM;
	struct stat st;

	/* a folder refuses O_DIRECT, too */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return err_set(e, ERR_IO, code, "%s is not a regular file",
			path);
	if (code == -EINVAL && direct)
		return direct_refused(path, e);
	return err_set(e, denied ? ERR_ENV : ERR_IO, code,
		"cannot open %s: %s%s", path, strerror(-code),
		code == -ENOENT ? " (is the data set complete, and is "
				  "dataset.num_files_train the number it was "
				  "generated with?)"
		: code == -EMFILE ? " (raise ulimit -n)"
		: denied	  ? " (for the user stoker runs as)"
				  : "");
}

static void set_align(struct store *s, struct store_file *f)
{
	if (f->direct && !s->align)
		s->align = dio_align(f->fd);
	f->align = f->direct ? s->align : 1;
}

/* Cut or replaced since it was looked at, it would flatter the drive. */
static int check_size(struct store *s, uint64_t id, const char *path,
	uint64_t have, struct err *e)
{
	uint64_t want = s->namer.size_bytes
				? s->namer.size_bytes(s->namer.ctx, id)
				: 0;

	if (!want || have == want)
		return 0;
	return err_set(e, ERR_IO, -EBADMSG,
		"%s has %llu bytes and should have %llu; was it changed during "
		"the run? (the same datagen mends it)", path,
		(unsigned long long)have, (unsigned long long)want);
}

static int posix_open(struct store *s, uint64_t id, bool direct,
	struct store_file *f, struct err *e)
{
	char path[4352];
	struct stat st;
	int r;

	r = posix_path(s, id, false, path, sizeof(path), e);
	if (r)
		return r;
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->direct = direct;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0));
	if (f->fd < 0)
		return cannot_open(path, direct, -errno, e);
	if (fstat(f->fd, &st))
		r = err_set(e, ERR_IO, -errno, "cannot stat %s: %s", path,
			strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = err_set(e, ERR_IO, -EINVAL, "%s is not a regular file",
			path);
	else
		r = check_size(s, id, path, (uint64_t)st.st_size, e);
	if (r) {
		close(f->fd);
		f->fd = -1;
		return r;
	}
	f->size_bytes = (uint64_t)st.st_size;
	set_align(s, f);
	return 0;
}

static int no_space(
	struct store *s, const char *path, uint64_t need, struct err *e)
{
	char need_text[UNITS_TEXT_MAX], free_text[UNITS_TEXT_MAX];
	struct statvfs v;
	uint64_t left = 0, inodes = 0;

	if (!statvfs(s->root, &v)) {
		left = (uint64_t)v.f_bavail * v.f_frsize;
		inodes = (uint64_t)v.f_favail;
	}
	return err_set(e, ERR_IO, -ENOSPC,
		"no space for %s: needs %s, %s has %s and %llu inodes free; "
		"free some or use fewer files",
		path, units_format_bytes(need_text, need), s->root,
		units_format_bytes(free_text, left),
		(unsigned long long)inodes);
}

static int posix_create(struct store *s, uint64_t id, uint64_t size_bytes,
	bool direct, struct store_file *f, struct err *e)
{
	char path[4352];
	int r;

	r = posix_path(s, id, true, path, sizeof(path), e);
	if (r)
		return r;
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->size_bytes = size_bytes;
	f->direct = direct;
	f->fd = open(path,
		O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC |
			(direct ? O_DIRECT : 0),
		0644);
	if (f->fd < 0) {
		r = -errno;
		if (r == -EINVAL && direct) {
			/* the kernel makes the file, then refuses to open it */
			unlink(path);
			return direct_refused(path, e);
		}
		if (r == -ENOSPC)
			return no_space(s, path, size_bytes, e);
		return err_set(e, ERR_IO, r, "cannot create %s: %s", path,
			strerror(-r));
	}
	f->temporary = true;
	set_align(s, f);
	if (f->align > DIO_ALIGN_DEFAULT) {
		err_set(e, ERR_ENV, -EINVAL,
			"direct writes to %s must be multiples of %u bytes, "
			"which is not supported; pass --buffered", path,
			f->align);
		s->ops->close(s, f);
		return -EINVAL;
	}
	/* Reserve now: no space is found before a byte is written. */
	r = size_bytes ? fallocate(f->fd, 0, 0, (off_t)size_bytes) : 0;
	if (r && errno != EOPNOTSUPP && errno != ENOSYS) {
		r = -errno;
		if (r == -ENOSPC)
			no_space(s, path, size_bytes, e);
		else
			err_set(e, ERR_IO, r, "cannot reserve %s: %s", path,
				strerror(-r));
		s->ops->close(s, f);
		return r;
	}
	return 0;
}

static void posix_close(struct store *s, struct store_file *f);

static int posix_overwrite(struct store *s, uint64_t id, uint64_t size_bytes,
	struct store_file *f, struct err *e)
{
	char path[4352];
	int r;

	r = posix_path(s, id, false, path, sizeof(path), e);
	if (r)
		return r;
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->size_bytes = size_bytes;
	f->align = 1;
	f->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (f->fd >= 0)
		return 0;
	r = -errno;
	if (r == -ENOSPC)
		return no_space(s, path, size_bytes, e);
	return err_set(e, ERR_IO, r, "cannot create %s: %s", path,
		strerror(-r));
}

/* The folder of file id into path. */
static int folder_path(struct store *s, uint64_t id, char *path, size_t size,
	struct err *e)
{
	int r = posix_path(s, id, false, path, size, e);
	char *slash = r ? NULL : strrchr(path, '/');

	if (slash)
		*slash = 0;
	return r;
}

static int posix_make_folder(struct store *s, uint64_t id, struct err *e)
{
	char path[4352];
	int r = folder_path(s, id, path, sizeof(path), e);

	return r ? r : file_mkdirs(path, e);
}

static int posix_sync_folder(struct store *s, uint64_t id, struct err *e)
{
	char path[4352];
	int r = folder_path(s, id, path, sizeof(path), e), fd;

	if (r)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* some network file systems have no fsync of folders */
	if (fd < 0 || (fsync(fd) && errno != EINVAL && errno != ENOTSUP))
		r = err_set(e, ERR_IO, -errno, "cannot sync the folder %s: %s",
			path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return r;
}

#define CACHED_SPAN (256 * MIB_BYTES)

/* Pages of [at, at + len) of fd in the page cache. */
static int64_t resident_pages(int fd, uint64_t at, size_t len, size_t page)
{
	unsigned char *vec = malloc(len / page + 1);
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);
	int64_t n = 0;
	size_t i;

	if (!vec || p == MAP_FAILED || mincore(p, len, vec))
		n = vec ? -errno : -ENOMEM;
	for (i = 0; n >= 0 && i < (len + page - 1) / page; i++)
		n += vec[i] & 1;
	if (p != MAP_FAILED)
		munmap(p, len);
	free(vec);
	return n;
}

static int posix_cached(
	struct store *s, uint64_t id, uint64_t *bytes, struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len;
	struct store_file f;
	char path[4352];
	int64_t n = 0;
	uint64_t at;
	int r = posix_open(s, id, false, &f, e);

	*bytes = 0;
	if (r)
		return r;
	for (at = 0; n >= 0 && at < f.size_bytes; at += len) {
		len = f.size_bytes - at < CACHED_SPAN
			      ? (size_t)(f.size_bytes - at)
			      : CACHED_SPAN;
		n = resident_pages(f.fd, at, len, page);
		*bytes += n > 0 ? (uint64_t)n * page : 0;
	}
	if (*bytes > f.size_bytes)
		*bytes = f.size_bytes;
	posix_close(s, &f);
	if (n < 0)
		return err_set(e, ERR_IO, (int)n,
			"cannot tell what the page cache holds of %s: %s; "
			"--allow-cached loads it all the same",
			store_label(s, id, path, sizeof(path)),
			strerror((int)-n));
	return 0;
}

static int posix_remove(struct store *s, uint64_t id, struct err *e)
{
	char path[4352];
	int r = posix_path(s, id, false, path, sizeof(path), e);

	if (r || !unlink(path) || errno == ENOENT)
		return r;
	return err_set(e, ERR_IO, -errno, "cannot remove %s: %s", path,
		strerror(errno));
}

static int posix_commit(struct store *s, struct store_file *f, struct err *e)
{
	char from[4352], to[4352];
	int r;

	r = posix_path(s, f->id, true, from, sizeof(from), e);
	if (!r)
		r = posix_path(s, f->id, false, to, sizeof(to), e);
	if (r)
		return r;
	if (rename(from, to))
		return err_set(e, ERR_IO, -errno, "cannot rename %s to %s: "
			"%s", from, to, strerror(errno));
	f->temporary = false;
	return 0;
}

static void posix_close(struct store *s, struct store_file *f)
{
	char path[4352];

	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	if (f->temporary &&
		!posix_path(s, f->id, true, path, sizeof(path), NULL))
		unlink(path);
	f->temporary = false;
}

static int posix_stat(struct store *s, uint64_t id, uint64_t *size_bytes)
{
	char path[4352];
	struct stat st;
	int r;

	r = posix_path(s, id, false, path, sizeof(path), NULL);
	if (r)
		return r;
	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	*size_bytes = (uint64_t)st.st_size;
	return 0;
}

static int posix_free_space(struct store *s, uint64_t *bytes, struct err *e)
{
	struct statvfs v;
	char dir[sizeof(s->root)];
	char *slash;

	/* the root may not exist yet: its nearest parent tells */
	snprintf(dir, sizeof(dir), "%s", s->root);
	while (statvfs(dir, &v)) {
		slash = strrchr(dir, '/');
		if (errno != ENOENT)
			return err_set(e, ERR_IO, -errno,
				"cannot tell the free space of %s: %s", dir,
				strerror(errno));
		if (!slash || slash == dir)
			snprintf(dir, sizeof(dir), slash ? "/" : ".");
		else
			*slash = 0;
	}
	/* ramfs and some FUSE file systems count no blocks: no limit known */
	*bytes = v.f_blocks ? (uint64_t)v.f_bavail * v.f_frsize : UINT64_MAX;
	return 0;
}

static void posix_forget(struct store *s, uint64_t id)
{
	struct store_file f;

	if (posix_open(s, id, false, &f, NULL))
		return;
	posix_fadvise(f.fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_close(s, &f);
}

static const struct store_ops posix_ops = {
	.is_virtual = false,
	.open = posix_open,
	.create = posix_create,
	.commit = posix_commit,
	.close = posix_close,
	.stat = posix_stat,
	.free_space = posix_free_space,
	.forget = posix_forget,
	.overwrite = posix_overwrite,
	.make_folder = posix_make_folder,
	.sync_folder = posix_sync_folder,
	.cached = posix_cached,
	.remove = posix_remove,
};

void store_posix_init(
	struct store *s, const char *root, const struct store_namer *n)
{
	s->ops = &posix_ops;
	s->namer = *n;
	s->align = 0;
	snprintf(s->root, sizeof(s->root), "%s", root);
}

const char *store_label(
	struct store *s, uint64_t id, char *buf, size_t buf_bytes)
{
	if (!s->namer.path || s->namer.path(s->namer.ctx, id, buf, buf_bytes))
		snprintf(buf, buf_bytes, "file %llu", (unsigned long long)id);
	return buf;
}
