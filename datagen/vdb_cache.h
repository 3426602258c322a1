#ifndef DATAGEN_VDB_CACHE_H
#define DATAGEN_VDB_CACHE_H
/*
 * Which nodes a search keeps in memory, by the rule that Milvus has: so many
 * as fit into 10 % of the vectors' bytes with 1.2 of what vector and
 * neighbours take, and those that searches with L 15 and W 6 visit most, from a
 * sample of 10 % of the vectors, at most 100,000.
 */
#include "core/err.h"
#include "datagen/vdb_bin.h"
#include "datagen/vdb_pq.h"
#include "datagen/vdb_vamana.h"

#include <stdint.h>

#define VDB_SAMPLE_MAX 100000u
/* Knowhere's: L and W of these searches. */
#define VDB_SAMPLE_LIST 15u
#define VDB_SAMPLE_BEAM 6u

/* 0.1 n 4d / (1.2 (4 (R + 1) + 4 d)): 8.0 % of the nodes for R 64, d 1536. */
uint64_t vdb_cache_count(uint64_t nodes, uint32_t dim, uint32_t degree);

/* Rows of the sample: a tenth of the nodes, from 1 to VDB_SAMPLE_MAX. */
uint64_t vdb_cache_sample_count(uint64_t nodes);

/* Those rows, in order, drawn by seed. */
int vdb_cache_sample(struct vdb_bin *ids, uint64_t nodes, uint64_t seed,
	struct err *e);

/*
 * Search for each vector of the sample as the index will be searched, by
 * codes; nodes gets vdb_cache_count() ids, the most visited first, ties by id.
 */
int vdb_cache_choose(struct vdb_bin *nodes, const struct vdb_vectors *v,
	const struct vdb_vamana *g, const struct vdb_pq *q,
	const struct vdb_bin *sample, uint32_t degree, struct err *e);

#endif
