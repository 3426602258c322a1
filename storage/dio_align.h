#ifndef STORAGE_DIO_ALIGN_H
#define STORAGE_DIO_ALIGN_H
/*
 * Alignment of direct I/O. 4096 suits nearly every drive; where the kernel
 * says that a file wants more (16 KiB sectors, large-block file systems),
 * buffer, offset and length of every request follow. Never less is used: it
 * would only make more requests legal that nobody sends.
 */
#include <stdint.h>

#define DIO_ALIGN_DEFAULT 4096U

/* Bytes that buffer, offset and length of direct I/O on fd are multiples of. */
uint32_t dio_align(int fd);

/* The same from what the kernel says (0 = nothing). */
uint32_t dio_align_choose(uint32_t mem_align, uint32_t offset_align);

#endif
