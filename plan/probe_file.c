/* The probe's own file; see probe_file.h. */
#include "plan/probe_file.h"

#include "core/file.h"
#include "core/units.h"
#include "storage/dio_align.h"
#include "storage/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_room(
	const char *dir, uint64_t need_bytes, uint64_t left, struct err *e)
{
	char need[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];

	return err_set(e, ERR_IO, -ENOSPC,
		"%s has %s free, the probe's file and a margin need %s; free "
		"some, or pass a smaller --size", dir,
		units_format_bytes(have, left),
		units_format_bytes(need, need_bytes));
}

static int check_room(const char *dir, uint64_t size_bytes, struct err *e)
{
	struct store_namer none = {.path = NULL};
	uint64_t room = size_bytes + size_bytes / 16, left;
	struct store s;
	int r;

	store_posix_init(&s, dir, &none);
	r = store_free_space(&s, &left, e);
	return r || left >= room ? r : no_room(dir, room, left, e);
}

static int cannot_make(const char *dir, int code, struct err *e)
{
	struct stat st;

	if (!stat(dir, &st) && !S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, -ENOTDIR,
			"--data-dir %s is not a folder", dir);
	return err_set(e, code == -ENOENT ? ERR_USAGE : ERR_ENV, code,
		"cannot make the probe's folder in --data-dir %s: %s", dir,
		strerror(-code));
}

/* Twice: directly, and through the page cache. */
static int open_both(struct probe_file *f, const char *path, int flags,
	struct err *e)
{
	int r;

	f->fd = open(path, flags | O_CLOEXEC | O_DIRECT, 0600);
	r = f->fd < 0 ? -errno : 0;
	if (r == -EINVAL)
		return err_set(e, ERR_ENV, r,
			"direct I/O is refused for %s (EINVAL), and without it "
			"a probe would measure the page cache; choose a file "
			"system that has it", path);
	if (!r) {
		f->buffered = open(path, (flags & O_ACCMODE) | O_CLOEXEC);
		r = f->buffered < 0 ? -errno : 0;
	}
	if (r)
		return err_set(e, ERR_IO, r, "cannot open %s: %s", path,
			strerror(-r));
	if (dio_align(f->fd) > DIO_ALIGN_DEFAULT)
		return err_set(e, ERR_ENV, -EINVAL,
			"%s: direct I/O wants multiples of %u bytes there, 4 "
			"KiB requests cannot be measured", path,
			dio_align(f->fd));
	return 0;
}

int probe_file_open(struct probe_file *f, const char *path,
	uint64_t *size_bytes, struct err *e)
{
	struct stat st;
	int r;

	f->folder[0] = 0;
	r = open_both(f, path, O_RDONLY, e);
	if (!r && fstat(f->fd, &st))
		r = err_set(e, ERR_IO, -errno, "cannot stat %s: %s", path,
			strerror(errno));
	if (!r && !S_ISREG(st.st_mode))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--file %s is not a regular file", path);
	if (!r)
		*size_bytes = (uint64_t)st.st_size / MIB_BYTES * MIB_BYTES;
	if (r)
		probe_file_close(f);
	return r;
}

int probe_file_make(struct probe_file *f, const char *dir, uint64_t size_bytes,
	struct err *e)
{
	char path[4096 + 8];
	int r;

	f->fd = f->buffered = -1;
	f->folder[0] = 0;
	r = check_room(dir, size_bytes, e);
	if (r)
		return r;
	r = snprintf(f->folder, sizeof(f->folder), "%s/.stoker-probe-XXXXXX",
		dir);
	if (r < 0 || (size_t)r >= sizeof(f->folder)) {
		f->folder[0] = 0;
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--data-dir %.100s...: the path is too long", dir);
	}
	if (!mkdtemp(f->folder)) {
		f->folder[0] = 0;
		return cannot_make(dir, -errno, e);
	}
	snprintf(path, sizeof(path), "%s/data", f->folder);
	r = open_both(f, path, O_RDWR | O_CREAT | O_EXCL, e);
	/* the names go now: nothing is left behind even by a SIGKILL */
	unlink(path);
	/* quotas and reserves show now, not in the middle */
	if (!r && fallocate(f->fd, 0, 0, (off_t)size_bytes) &&
		(errno == ENOSPC || errno == EDQUOT))
		r = no_room(dir, size_bytes, 0, e);
	if (!rmdir(f->folder))
		f->folder[0] = 0;
	if (r)
		probe_file_close(f);
	return r;
}

void probe_file_close(struct probe_file *f)
{
	if (f->buffered >= 0)
		close(f->buffered);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = f->buffered = -1;
	/* NFS keeps a name while the file is open */
	if (f->folder[0])
		file_remove_tree(f->folder, NULL);
	f->folder[0] = 0;
}
