#ifndef DATAGEN_VDB_LAYOUT_H
#define DATAGEN_VDB_LAYOUT_H
/*
 * Where things are in a DiskANN index file, "<prefix>_disk.index": a header
 * sector, then node records: vector | u32 degree | ids | zeroes. Records that
 * fit into a 4096-byte sector share one and never cross it; longer ones start
 * at a sector each. All integers are little-endian.
 *
 * Three headers exist:
 *	A  Microsoft C++: u32 9 (12 with reorder data), u32 1, then u64 words
 *	B  Microsoft Rust: u32 96, u32 1, then the same words, a block size
 *	   and a version
 *	C  Knowhere/Milvus and old DiskANN: u64 words from byte 0; no dims
 * A is what we write.
 */
#include "core/err.h"

#include <inttypes.h>
#include <stdint.h>

#define VDB_SECTOR_BYTES 4096u
/* The file of a segment, whose number is a uint64_t. */
#define VDB_SEGMENT_FILE "segment_%04" PRIu64 "_disk.index"
#define VDB_DEGREE_MAX 512u

enum vdb_dialect { VDB_DIALECT_A, VDB_DIALECT_B, VDB_DIALECT_C };

struct vdb_layout {
	enum vdb_dialect dialect;
	uint64_t nodes;
	uint64_t dims;
	uint64_t vector_bytes;
	uint64_t assoc_bytes; /* B: at the tail of a record */
	uint64_t medoid;
	uint32_t degree; /* ids a record has room for */
	uint64_t node_bytes;
	uint32_t per_sector;	   /* 0: long nodes */
	uint32_t sectors_per_node; /* 1 where several share one */
	uint32_t read_bytes;	   /* one aligned read */
	uint64_t file_bytes;
	uint64_t reorder_sector; /* of reorder data; 0: none */
};

/* -ERANGE for a shape that no reader takes. medoid is 0 afterwards. */
int vdb_layout_init(struct vdb_layout *l, uint64_t nodes, uint64_t dims,
	uint32_t element_bytes, uint32_t degree, struct err *e);

/* Byte in the file at which the read of a node begins, ... */
static inline uint64_t vdb_layout_offset(
	const struct vdb_layout *l, uint64_t node)
{
	uint64_t sector = l->per_sector ? node / l->per_sector
					: node * l->sectors_per_node;

	return (1 + sector) * VDB_SECTOR_BYTES;
}

/* ... and in that read at which its record begins. */
static inline uint32_t vdb_layout_within(
	const struct vdb_layout *l, uint64_t node)
{
	if (!l->per_sector)
		return 0;
	return (uint32_t)(node % l->per_sector * l->node_bytes);
}

/* The header sector, dialect A without reorder data. */
void vdb_layout_encode(
	const struct vdb_layout *l, uint8_t sector[VDB_SECTOR_BYTES]);

/*
 * Bytes [offset, offset + len) of the file, whole reads (and the header with
 * offset 0): record() makes the records, into zeroes.
 */
void vdb_layout_fill(const struct vdb_layout *l, uint64_t offset_bytes,
	void *buf, uint64_t len_bytes,
	void (*record)(const void *ctx, uint64_t node, uint8_t *out),
	const void *ctx);

/*
 * What the header of a file of file_bytes says. dims: of dialect C, which has
 * none; ERR_USAGE when it is 0 there, or when another dialect says something
 * else. name is the file, for errors: ERR_IO, -EBADMSG names the field.
 */
int vdb_layout_decode(struct vdb_layout *l,
	const uint8_t sector[VDB_SECTOR_BYTES], uint64_t file_bytes,
	uint32_t element_bytes, uint64_t dims, const char *name,
	struct err *e);

/*
 * The file <prefix><suffix> of an index; path has PATH_MAX bytes. ERR_USAGE,
 * -ENAMETOOLONG where that is too few.
 */
int vdb_path(char *path, const char *prefix, const char *suffix, struct err *e);

#endif
