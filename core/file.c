/* Whole-file operations; see file.h. */
#include "core/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE_DEPTH_MAX 64 /* one open folder per level */

static int io_error(struct err *e, const char *verb, const char *path)
{
	int code = errno ? -errno : -EIO;

	return err_set(e, ERR_IO, code, "cannot %s %s: %s", verb, path,
		strerror(-code));
}

/* A copy of path without slashes at its end; -EINVAL for "". */
static int copy_path(char out[PATH_MAX], const char *path, struct err *e)
{
	size_t len = path ? strlen(path) : 0;

	if (!len)
		return err_set(e, ERR_USAGE, -EINVAL, "a path is empty");
	while (len > 1 && path[len - 1] == '/')
		len--;
	if (len >= PATH_MAX)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"path is too long (%zu bytes): %.100s...", len, path);
	memcpy(out, path, len);
	out[len] = '\0';
	return 0;
}

static int make_dir(const char *path, struct err *e)
{
	struct stat st;
	int why;

	if (!mkdir(path, 0777))
		return 0;
	why = errno;
	/* EROFS and EACCES come before EEXIST on some file systems. */
	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return 0;
		why = ENOTDIR;
	} else if (why == EEXIST) {
		/* a link that leads nowhere, or in a circle */
		why = errno;
	}
	errno = why; /* not what stat() had to say */
	return io_error(e, "create folder", path);
}

int file_mkdirs(const char *path, struct err *e)
{
	char buf[PATH_MAX];
	char *s;
	int ret;

	ret = copy_path(buf, path, e);
	if (ret)
		return ret;
	for (s = buf + 1; *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		ret = make_dir(buf, e);
		if (ret)
			return ret;
		*s = '/';
	}
	return make_dir(buf, e);
}

static int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_write_atomic(
	const char *path, const void *data, size_t len, struct err *e)
{
	char tmp[PATH_MAX];
	int fd, n, ret;

	n = snprintf(tmp, sizeof(tmp), "%s.%ld.tmp", path, (long)getpid());
	if (n < 0 || (size_t)n >= sizeof(tmp))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"path is too long: %.100s...", path);
	fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		0666);
	if (fd < 0)
		return io_error(e, "create", tmp);
	ret = write_all(fd, data, len);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(tmp, path))
		ret = -errno;
	if (ret) {
		unlink(tmp);
		errno = -ret;
		return io_error(e, "write", path);
	}
	return 0;
}

/* Reads fd to its end into *buf; grows by doubling up to max + 1. */
static int read_fd(int fd, size_t max, char **buf, size_t *len)
{
	size_t cap = 0, used = 0;
	char *p = NULL, *q;
	ssize_t n;

	for (;;) {
		if (used == cap) {
			cap = cap ? 2 * cap : 4096;
			q = realloc(p, cap + 1);
			if (!q) {
				free(p);
				return -ENOMEM;
			}
			p = q;
		}
		n = read(fd, p + used, cap - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		used += (size_t)n;
		if (used > max)
			break;
	}
	if (n < 0 || used > max) {
		n = n < 0 ? -errno : -EFBIG;
		free(p);
		return (int)n;
	}
	p[used] = '\0';
	*buf = p;
	*len = used;
	return 0;
}

/* Reads the open fd and closes it. */
static int read_and_close(int fd, const char *path, size_t max_bytes,
	char **out, size_t *len, struct err *e)
{
	size_t n = 0;
	int ret = read_fd(fd, max_bytes, out, &n);

	close(fd);
	if (ret == -EFBIG)
		return err_set(e, ERR_IO, ret,
			"%s holds more than the %zu bytes expected", path,
			max_bytes);
	if (ret) {
		errno = -ret;
		return io_error(e, "read", path);
	}
	if (len)
		*len = n;
	return 0;
}

int file_read_all(const char *path, size_t max_bytes, char **out, size_t *len,
	struct err *e)
{
	int fd;

	*out = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(e, "open", path);
	return read_and_close(fd, path, max_bytes, out, len, e);
}

int file_read_regular(const char *path, size_t max_bytes, char **out,
	size_t *len, struct err *e)
{
	struct stat st;
	int fd;

	*out = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return io_error(e, "open", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(
			e, ERR_IO, -EINVAL, "%s is no regular file", path);
	}
	if ((uint64_t)st.st_size > max_bytes) {
		close(fd);
		return err_set(e, ERR_IO, -EFBIG,
			"%s has %lld bytes, more than the %zu expected", path,
			(long long)st.st_size, max_bytes);
	}
	return read_and_close(fd, path, max_bytes, out, len, e);
}

bool file_is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int file_copy(const char *from, const char *to, struct err *e)
{
	char buf[1 << 16];
	int in, out, ret = 0;
	ssize_t n = 0;

	in = open(from, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in < 0)
		return io_error(e, "open", from);
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (out < 0) {
		ret = io_error(e, "create", to);
		close(in);
		return ret;
	}
	while (!ret && (n = read(in, buf, sizeof(buf))) > 0)
		ret = write_all(out, buf, (size_t)n);
	if (n < 0)
		ret = -errno;
	if (close(out) && !ret)
		ret = -errno;
	close(in);
	if (ret) {
		errno = -ret;
		return err_set(e, ERR_IO, ret, "cannot copy %s to %s: %s", from,
			to, strerror(errno));
	}
	return 0;
}

static int remove_at(
	int at, const char *name, int depth, const char *top, struct err *e);

/* Empty the open folder fd; closes it. */
static int empty_dir(int fd, int depth, const char *top, struct err *e)
{
	struct dirent *de;
	int ret = 0;
	DIR *d;

	d = fdopendir(fd);
	if (!d) {
		ret = io_error(e, "list a folder of", top);
		close(fd);
		return ret;
	}
	while (!ret && (errno = 0, de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		ret = remove_at(dirfd(d), de->d_name, depth + 1, top, e);
	}
	if (!ret && errno)
		ret = io_error(e, "list a folder of", top);
	closedir(d);
	return ret;
}

static int remove_at(
	int at, const char *name, int depth, const char *top, struct err *e)
{
	int fd, ret;

	if (depth > TREE_DEPTH_MAX)
		return err_set(e, ERR_IO, -ELOOP,
			"cannot remove %s: more than %d levels deep", top,
			TREE_DEPTH_MAX);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		if (errno != ENOTDIR && errno != ELOOP)
			return io_error(e, "remove a folder of", top);
		if (unlinkat(at, name, 0) && errno != ENOENT)
			return io_error(e, "remove a file of", top);
		return 0;
	}
	ret = empty_dir(fd, depth, top, e);
	if (!ret && unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT)
		ret = io_error(e, "remove folder", top);
	return ret;
}

int file_remove_tree(const char *path, struct err *e)
{
	struct stat st, root;
	char buf[PATH_MAX];
	int ret;

	ret = copy_path(buf, path, e);
	if (ret)
		return err_wrap(e, "cannot remove a folder");
	if (lstat(buf, &st))
		return errno == ENOENT ? 0 : io_error(e, "remove", buf);
	if (!stat("/", &root) && st.st_dev == root.st_dev &&
		st.st_ino == root.st_ino)
		return err_set(e, ERR_USAGE, -EINVAL,
			"refusing to remove the root folder (%s)", path);
	return remove_at(AT_FDCWD, buf, 0, buf, e);
}
