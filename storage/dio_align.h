#ifndef STORAGE_DIO_ALIGN_H
#define STORAGE_DIO_ALIGN_H
/*
 * Alignment of direct I/O. 4096 suits nearly every drive; where the kernel
 * says that a file wants more (16 KiB sectors, large-block file systems),
 * buffer, offset and length of every request follow. Never less is used: it
 * would only make more requests legal that nobody sends.
 */
#include <stddef.h>
#include <stdint.h>

#define DIO_ALIGN_DEFAULT 4096U

/* Bytes that buffer, offset and length of direct I/O on fd are multiples of. */
uint32_t dio_align(int fd);

/* The same from what the kernel says (0 = nothing). */
uint32_t dio_align_choose(uint32_t mem_align, uint32_t offset_align);

/*
 * Write the end of a file that is no whole block, through the page cache:
 * O_DIRECT is turned off on fd for good. Padding it and cutting the file
 * afterwards makes the file system read and write the last block while we
 * wait (2 ms a file on ext4); this way it is the fsync's work. Returns bytes
 * written or -errno.
 */
int64_t dio_write_rest(
	int fd, const void *buf, size_t len, uint64_t offset_bytes);

#endif
