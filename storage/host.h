#ifndef STORAGE_HOST_H
#define STORAGE_HOST_H
/*
 * What the host says of itself and of us: page cache, bytes the device moved,
 * CPU time, memory.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Drop the clean page cache of this host (echo 3 > drop_caches). Never asks
 * anybody for a password. ERR_ENV with -EACCES or -EPERM when not permitted.
 */
int host_drop_caches(struct err *e);
bool host_may_drop_caches(void);

/* read_bytes of /proc/self/io: what this process made the device read. */
int host_device_read_bytes(uint64_t *bytes);
/* write_bytes: what it made dirty or wrote directly. */
int host_device_written_bytes(uint64_t *bytes);

int64_t host_cpu_ns(void);	  /* user + system of this process */
uint64_t host_peak_rss_bytes(void);
uint64_t host_memory_bytes(void); /* MemTotal */
uint32_t host_cpu_count(void);
void host_name(char *buf, size_t buf_bytes);

/* Raise the soft limit of open files to the hard one. */
void host_raise_open_files(void);
/* May this process open `more` files beside those it has? ERR_ENV if not. */
int host_check_open_files(uint64_t more, struct err *e);

/* /proc/meminfo, and the last CPU's part of /proc/cpuinfo; malloc'd or NULL. */
char *host_meminfo_text(void);
char *host_cpuinfo_text(void);

/*
 * The real path (PATH_MAX bytes at `at`) of `path`, or of its nearest parent
 * that exists: where a folder that is still to be made will lie. 0 or -errno.
 */
int host_nearest(const char *path, char *at);

/*
 * Are two paths on the same file system? Of one that does not exist the
 * nearest parent that does. -errno when one cannot be told.
 */
int host_same_filesystem(const char *a, const char *b, bool *same);

/*
 * The same by trying it: a file made in `from` is linked into `to`, and both
 * are removed. EXDEV means another file system (*same false). Where no file
 * can be made or linked (read-only, FAT), *by_link is false and the devices'
 * numbers decide. -errno when a folder is not there.
 */
int host_link_crosses(
	const char *from, const char *to, bool *same, bool *by_link);

#endif
