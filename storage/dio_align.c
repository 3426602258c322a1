/*
 * What direct I/O on a file must be aligned to, as the kernel tells (statx
 * with STATX_DIOALIGN, Linux 6.1). Read raw: older C libraries lack the field,
 * and the kernel's header cannot stand beside theirs, so this file is its own.
 */
#include "storage/dio_align.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x2000U
#endif
/* struct statx: stx_dio_mem_align, then stx_dio_offset_align */
#define MEM_ALIGN_AT 0x98

uint32_t dio_align(int fd)
{
	uint32_t align[2] = {0, 0}, most = DIO_ALIGN_DEFAULT;
	struct statx x;

	memset(&x, 0, sizeof(x));
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &x) ||
		!(x.stx_mask & STATX_DIOALIGN))
		return most;
	memcpy(align, (const char *)&x + MEM_ALIGN_AT, sizeof(align));
	return dio_align_choose(align[0], align[1]);
}

uint32_t dio_align_choose(uint32_t mem_align, uint32_t offset_align)
{
	uint32_t most = DIO_ALIGN_DEFAULT;

	/* powers of two; anything else is not to be believed */
	if (offset_align > most && !(offset_align & (offset_align - 1)))
		most = offset_align;
	if (mem_align > most && !(mem_align & (mem_align - 1)))
		most = mem_align;
	return most;
}

int64_t dio_write_rest(
	int fd, const void *buf, size_t len, uint64_t offset_bytes)
{
	int flags = fcntl(fd, F_GETFL);
	ssize_t n;

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0)
		return -errno;
	n = pwrite(fd, buf, len, (off_t)offset_bytes);
	return n < 0 ? -errno : n;
}
