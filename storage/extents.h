#ifndef STORAGE_EXTENTS_H
#define STORAGE_EXTENTS_H
/*
 * What stands behind the bytes of a file: written blocks, or none at all.
 * Reads of holes and of space that was only reserved never reach a drive, and
 * compressed blocks are smaller than what is read; neither may pass for the
 * speed of a drive.
 */
#include <stdbool.h>
#include <stdint.h>

struct extents {
	bool known; /* the file system tells (FIEMAP), else holes only */
	uint64_t size_bytes;
	uint64_t written_bytes;
	uint64_t unwritten_bytes; /* reserved, never written: read as zeros */
	uint64_t hole_bytes;
	uint64_t encoded_bytes;   /* of the written: compressed or the like */
	uint64_t pending_bytes;	  /* of the written: not on the drive yet */
	uint32_t count;
};

/* After an fsync nothing is pending. 0 or -errno. */
int extents_look(int fd, struct extents *x);

/* Bytes of the file that lie in the page cache; 0 or -errno. */
int extents_cached(int fd, uint64_t *bytes);

#endif
