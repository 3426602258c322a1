#ifndef DATAGEN_VDB_BIN_H
#define DATAGEN_VDB_BIN_H
/*
 * Lists of 32-bit numbers beside an index, as DiskANN's files are: u32 rows,
 * u32 1, then the rows. Of <prefix> they are
 *	<prefix>_sample_ids.bin	nodes of the sample (_sample_data.bin: its
 *		vectors, an .fbin file)
 *	<prefix>_cached_nodes.bin	nodes to keep in memory, the most
 *		visited first
 *	<prefix>_disk.index_sums.bin	our own: CRC-32 of each read of the
 *		index behind its header
 */
#include "core/err.h"
#include "datagen/vdb_layout.h"

#include <stdint.h>

#define VDB_SAMPLE_DATA "_sample_data.bin"
#define VDB_SAMPLE_IDS "_sample_ids.bin"
#define VDB_CACHED_NODES "_cached_nodes.bin"
#define VDB_SUMS "_disk.index_sums.bin"

struct vdb_bin {
	uint32_t count;
	uint32_t *items; /* owned */
};

int vdb_bin_save(const char *prefix, const char *suffix,
	const struct vdb_bin *b, struct err *e);
/* -ENOENT where there is no such file; -EBADMSG: it is no such list. */
int vdb_bin_load(const char *prefix, const char *suffix, struct vdb_bin *b,
	struct err *e);
void vdb_bin_free(struct vdb_bin *b);

/* Reads that a whole index takes, each of which has a sum. */
static inline uint64_t vdb_sum_count(const struct vdb_layout *l)
{
	return (l->file_bytes - VDB_SECTOR_BYTES) / l->read_bytes;
}

/* Which read the byte at offset, behind the header, belongs to. */
static inline uint64_t vdb_sum_number(
	const struct vdb_layout *l, uint64_t offset_bytes)
{
	return (offset_bytes - VDB_SECTOR_BYTES) / l->read_bytes;
}

/* Of one read's bytes, which are good nowhere else in the file. */
uint32_t vdb_sum(const struct vdb_layout *l, uint64_t offset_bytes,
	const void *bytes);

#endif
