#ifndef STORAGE_DISKSTATS_H
#define STORAGE_DISKSTATS_H
/* What the kernel counts of a block device (/proc/diskstats), of all users. */
#include "core/err.h"

#include <stdint.h>

struct diskstats {
	char name[64]; /* "nvme0n1": the whole disk that a folder lies on */
	uint64_t read_bytes, written_bytes;
};

/*
 * The disk below path. -ENODEV where no block device can be named (network,
 * memory, overlay and other stacked file systems).
 */
int diskstats_read(const char *path, struct diskstats *d);

#endif
