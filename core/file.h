#ifndef CORE_FILE_H
#define CORE_FILE_H
/*
 * Small whole-file operations for configuration and results (never for the
 * measured data). All but file_is_folder() return 0 or -errno with a text that
 * names the path.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>

/* Create path and every missing parent, mode 0777 less the umask. */
int file_mkdirs(const char *path, struct err *e);

/*
 * Write len bytes to a temporary name beside path, then rename: readers see
 * the old file or the whole new one. Safe against a crash of the process, not
 * against a power cut: nothing is synced.
 */
int file_write_atomic(
	const char *path, const void *data, size_t len, struct err *e);

/*
 * The whole file, with a zero byte behind it that *len does not count; also
 * for /proc files, whose size reads as 0. The caller frees *out. -EFBIG when
 * it holds more than max_bytes. len may be NULL.
 */
int file_read_all(const char *path, size_t max_bytes, char **out, size_t *len,
	struct err *e);

/*
 * The same for a file that nobody vouches for: only a regular one is read
 * (-EINVAL), so that a pipe or a device holds nobody up; -EFBIG by its size,
 * before anything is read.
 */
int file_read_regular(const char *path, size_t max_bytes, char **out,
	size_t *len, struct err *e);

/* Copy a regular file; `to` must not exist, its folders must. */
int file_copy(const char *from, const char *to, struct err *e);

/*
 * Remove path and all below it. Symbolic links are removed, never followed.
 * A path that does not exist is no error; "" and anything that is the root
 * folder are refused.
 */
int file_remove_tree(const char *path, struct err *e);

/* Links are followed; what cannot be looked at is none. */
bool file_is_folder(const char *path);

#endif
