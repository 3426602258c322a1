#ifndef DATAGEN_VDB_MADE_H
#define DATAGEN_VDB_MADE_H
/*
 * A segment that was built, whole and in memory, and copies of it that are
 * other segments: their vectors are those of the first with chunks of
 * dimensions exchanged, their nodes have other numbers. Distances among the
 * vectors stay, so graph, codes and what is visited most are as good for the
 * copy as for the first; distances to a query do not, so each copy is a search
 * of its own, with neighbours of its own. Of uniform vectors, whose dimensions
 * are all alike, a copy is as likely a draw as the first.
 */
#include "core/err.h"
#include "datagen/vdb_bin.h"
#include "datagen/vdb_pq.h"
#include "datagen/vdb_vamana.h"
#include "datagen/vdb_vectors.h"

#include <stdint.h>

/* Fewer chunks cannot be exchanged in enough ways. */
#define VDB_COPY_CHUNKS_MIN 8u

struct vdb_made {
	struct vdb_vectors vectors;
	struct vdb_vamana graph;
	struct vdb_pq pq;
	struct vdb_bin sample, cached; /* nodes; see vdb_cache.h */
};

/* Copy number 1 and on, whose first vector has the id `first`. */
int vdb_made_copy(struct vdb_made *out, const struct vdb_made *from,
	uint32_t number, uint64_t first, uint64_t seed, struct err *e);
void vdb_made_free(struct vdb_made *m);

#endif
