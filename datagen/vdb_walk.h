#ifndef DATAGEN_VDB_WALK_H
#define DATAGEN_VDB_WALK_H
/*
 * A greedy search by codes: what was seen, and the nearest of it. Searching an
 * index and counting visits for the node cache share it.
 */
#include "core/err.h"
#include "datagen/vdb_list.h"
#include "datagen/vdb_pq.h"

#include <stdint.h>

struct vdb_walk {
	const struct vdb_pq *q;
	float *table; /* [chunks][256] of this query */
	struct vdb_list list;
	uint32_t *seen, stamp; /* [q->count]: the stamp of the last search */
	uint32_t *fresh; /* [most] */
};

/*
 * For searches among the q->count nodes of q (kept by the caller) that keep
 * `list` candidates and look at up to `most` nodes together.
 */
int vdb_walk_open(struct vdb_walk *w, const struct vdb_pq *q, uint32_t list,
	uint32_t most, struct err *e);
void vdb_walk_close(struct vdb_walk *w);

/* Start a search of what is near x [q->dim] at a node. */
void vdb_walk_begin(struct vdb_walk *w, const float *x, uint32_t node);

/* Those of n nodes, in this order, that were not seen yet are candidates. */
void vdb_walk_consider(struct vdb_walk *w, const uint32_t *nodes, uint32_t n);

#endif
