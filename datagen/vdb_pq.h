#ifndef DATAGEN_VDB_PQ_H
#define DATAGEN_VDB_PQ_H
/*
 * Product quantization: the dimensions in chunks, of each chunk 256 centroids,
 * of each vector a byte a chunk. A search keeps the codes in memory and looks
 * distances up in a table. Files as Microsoft's:
 *	<prefix>_pq_pivots.bin	at 0 u64 4 x 1 {4096, o1, o2, end}; at 4096
 *		float 256 x dim; at o1 float dim x 1, the mean; at o2 u32
 *		(chunks + 1) x 1, where each chunk begins
 *	<prefix>_pq_compressed.bin	u8 vectors x chunks
 * (each part led by u32 rows, u32 columns).
 */
#include "core/err.h"
#include "datagen/vdb_vectors.h"

#include <stdbool.h>
#include <stdint.h>

#define VDB_CHUNKS_MAX 512u
#define VDB_PIVOTS "_pq_pivots.bin"
#define VDB_CODES "_pq_compressed.bin"
/* Rows that centroids are found with, and rounds of Lloyd's method. */
#define VDB_PQ_TRAIN_ROWS 20000u
#define VDB_PQ_ROUNDS 12

struct vdb_pq {
	uint32_t dim, chunks;
	uint32_t starts[VDB_CHUNKS_MAX + 1]; /* of the chunks; the last is dim */
	float *mean;	   /* [dim] */
	float *transposed; /* [dim][256]: row d has dimension d of centroids */
	uint64_t count;
	uint8_t *codes; /* [count][chunks] */
};

/* Chunks that a budget leads to, as DiskANN: 1 to 512, at most dim. */
uint32_t vdb_pq_chunks(uint64_t budget_bytes, uint64_t vectors, uint32_t dim);

/* -ERANGE where no quantizer is like that. */
int vdb_pq_check(uint32_t dim, uint32_t chunks, struct err *e);

/*
 * Find centroids and encode all vectors; centre: of what they are less their
 * mean, as DiskANN does for Euclidean distance alone.
 */
int vdb_pq_train(struct vdb_pq *q, const struct vdb_vectors *v,
	uint32_t chunks, bool centre, uint64_t seed, struct err *e);
void vdb_pq_free(struct vdb_pq *q);

/* table[chunks][256]: partial distances of x to all centroids. */
void vdb_pq_table(const struct vdb_pq *q, const float *x, float *table);

/* prefix: "DIR/segment_0000" */
int vdb_pq_save(const struct vdb_pq *q, const char *prefix, struct err *e);
/* -EBADMSG names what does not fit; count and dim must agree. */
int vdb_pq_load(struct vdb_pq *q, const char *prefix, uint64_t count,
	uint32_t dim, struct err *e);

#endif
