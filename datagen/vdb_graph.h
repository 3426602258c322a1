#ifndef DATAGEN_VDB_GRAPH_H
#define DATAGEN_VDB_GRAPH_H
/*
 * An index segment that nobody has to build: node records of the true length
 * whose neighbours are random. Everything is a function of seed and node, so
 * that the file need not exist (modelled drives), and each byte of one that
 * does can be checked.
 *
 * Links are skewed as visits of real searches are: P(rank < x n) = x^(1/g),
 * exact at powers of 1/2 and even in between, where the most visited
 * VDB_CACHE_PCT per cent take hub_ppm millionths. Ranks are spread over the
 * file by a fixed permutation. Vectors are slices of one table of random
 * floats, with 23 bits of the node's own in every 512 bytes: nothing repeats
 * and nothing can be deduplicated.
 *
 * digest() mixes what a search must have read to go on; nobody can tell it
 * from the node's number without making the record, nor from zeroes.
 */
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_layout.h"

#include <stdbool.h>
#include <stdint.h>

#define VDB_TABLE_FLOATS 65536u
#define VDB_LEVELS 24

struct vdb_graph {
	struct vdb_layout layout;
	uint64_t seed; /* of this segment */
	uint64_t hubs; /* ranks below are the most visited nodes */
	uint64_t mul, add, inverse; /* node = rank * mul + add mod nodes */
	uint32_t levels;
	uint32_t below[VDB_LEVELS]; /* P(rank < n / 2^(k+1)), of 2^32 */
	const uint32_t *table; /* VDB_TABLE_FLOATS floats, shared */
};

/* The table of a data set's seed; the caller frees it. */
uint32_t *vdb_graph_table(const struct vdb_shape *s, struct err *e);

/* Segment i of the data set; table outlives it. */
int vdb_graph_init(struct vdb_graph *g, const struct vdb_shape *s, uint32_t i,
	const uint32_t *table, struct err *e);

/* Neighbour j < degree of a node. */
uint32_t vdb_graph_link(const struct vdb_graph *g, uint64_t node, uint32_t j);
bool vdb_graph_is_hub(const struct vdb_graph *g, uint64_t node);
/* A node of either kind, drawn evenly by x. */
uint64_t vdb_graph_pick(const struct vdb_graph *g, uint64_t x, bool hub);

/*
 * Bytes [offset, offset + len) of the file, whole sectors that begin and end
 * at a read's border (or with the header alone at offset 0).
 */
void vdb_graph_fill(const struct vdb_graph *g, uint64_t offset_bytes,
	void *buf, uint64_t len_bytes);

/*
 * What reading a node's record changes a search's state by; record NULL: as
 * the function says.
 */
uint64_t vdb_graph_digest(const struct vdb_graph *g, uint64_t node,
	const uint8_t *record, uint64_t state);
/* Neighbour j as the record says it. */
uint32_t vdb_graph_record_link(
	const struct vdb_graph *g, const uint8_t *record, uint32_t j);
/* Does the record claim as many neighbours as there are, all in range? */
bool vdb_graph_record_sane(const struct vdb_graph *g, const uint8_t *record);

#endif
