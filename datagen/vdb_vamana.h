#ifndef DATAGEN_VDB_VAMANA_H
#define DATAGEN_VDB_VAMANA_H
/*
 * The graph of a segment, built in memory as one of two programs does:
 *
 *	Microsoft's C++ DiskANN: from nothing, one pass over the ids in order.
 *	Each vector is searched for from the medoid with a list of L; what was
 *	expanded is pruned to R neighbours (alpha 1.2 on squared distances, the
 *	list filled up), and the vector is added to their lists, which are
 *	pruned when they exceed 1.3 R.
 *	Knowhere, which Milvus runs: the same twice, first with a list of 0.8 L
 *	and alpha 1, then with L and 1.2, where what a vector already links to
 *	is a candidate, too. (Knowhere inserts in batches, for its threads; here
 *	it is one vector after the other.)
 *
 * Same vectors, same graph, on every CPU (see vdb_math.h).
 */
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_vectors.h"

#include <stdint.h>

struct vdb_vamana {
	uint64_t count;
	uint32_t degree; /* R: no list is longer in the end */
	uint32_t room;	 /* ids a list has room for */
	uint32_t medoid;
	uint32_t *sizes; /* [count] */
	uint32_t *ids;	 /* [count][room] */
	uint64_t distances; /* computed so far */
};

struct vdb_vamana_plan {
	enum vdb_builder builder;
	uint32_t degree, list; /* R, L */
	/*
	 * Every 1000 vectors: how many are done, of all passes together as a
	 * share of the vectors; another result than 0 ends the build. Or NULL.
	 */
	int (*progress)(void *ctx, uint64_t n);
	void *ctx;
};

static inline const uint32_t *vdb_vamana_list(
	const struct vdb_vamana *g, uint64_t node)
{
	return g->ids + node * g->room;
}

/* Memory that building takes, with the vectors themselves. */
uint64_t vdb_vamana_bytes(uint64_t count, uint32_t dim, uint32_t degree);

int vdb_vamana_build(struct vdb_vamana *g, const struct vdb_vectors *v,
	const struct vdb_vamana_plan *p, struct err *e);
void vdb_vamana_free(struct vdb_vamana *g);
/* The longest list there is: what a record has room for. */
uint32_t vdb_vamana_longest(const struct vdb_vamana *g);

#endif
