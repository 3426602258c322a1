#ifndef DATAGEN_VDB_INDEX_H
#define DATAGEN_VDB_INDEX_H
/*
 * A real segment: built in memory and written, or opened to be searched. Then
 * its codes and the nodes around the start are in memory, all else is read
 * from <prefix>_disk.index, of any of the three dialects.
 */
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_bin.h"
#include "datagen/vdb_layout.h"
#include "datagen/vdb_metric.h"
#include "datagen/vdb_pq.h"
#include "datagen/vdb_vamana.h"

#include <stdbool.h>
#include <stdint.h>

/* What is written; record() for vdb_layout_fill(), ctx is a struct vdb_built */
struct vdb_built {
	struct vdb_layout layout;
	const struct vdb_vectors *vectors;
	const struct vdb_vamana *graph;
};

int vdb_built_init(struct vdb_built *b, const struct vdb_vectors *v,
	const struct vdb_vamana *g, struct err *e);
void vdb_built_record(const void *ctx, uint64_t node, uint8_t *out);

struct vdb_index {
	struct vdb_layout layout;
	struct vdb_pq pq;
	uint64_t first; /* id of node 0 in the whole data set */
	enum vdb_metric metric;
	float *norms; /* see vdb_metric.h; L2: NULL */
	struct vdb_bin sums; /* of its reads; none unless asked for */
	/* nodes in memory */
	uint32_t cached;
	uint8_t *records;  /* [cached][node_bytes] */
	uint32_t *slot_of; /* [nodes]: 1 + index into records, or 0; or NULL */
};

/* What of an index to have in memory, beside its codes. */
struct vdb_index_want {
	enum vdb_node_cache cache;
	uint32_t nodes; /* at most; 0: by visits, all that were chosen */
	bool sums;	/* to verify reads with */
};

/*
 * Open prefix_disk.index and its quantizer. dims is checked (0: what the file
 * says; dialect C has none). A list of visited nodes that is not there leaves
 * cached 0; sums that are not there are ERR_USAGE.
 */
int vdb_index_open(struct vdb_index *x, const char *prefix, uint64_t first,
	uint32_t dims, const struct vdb_index_want *want, struct err *e);
void vdb_index_close(struct vdb_index *x);
/* Of an open one: by what it ranks, L2 until then. */
int vdb_index_set_metric(struct vdb_index *x, const char *prefix,
	enum vdb_metric m, struct err *e);

/* Of a query (see vdb_metric_queries()) and the vector in a node's record. */
static inline float vdb_index_distance(const struct vdb_index *x,
	uint32_t node, const float *vector, const float *query)
{
	return vdb_metric_distance(x->metric, x->norms, node, vector, query,
		vdb_stride((uint32_t)x->layout.dims));
}

static inline const uint8_t *vdb_index_cached(
	const struct vdb_index *x, uint32_t node)
{
	if (!x->slot_of || !x->slot_of[node])
		return NULL;
	return x->records +
	       (uint64_t)(x->slot_of[node] - 1) * x->layout.node_bytes;
}

/* Neighbours of a record: their number, or -EBADMSG, and ids, all in range. */
int vdb_record_ids(const struct vdb_layout *l, const uint8_t *record,
	uint32_t ids[VDB_DEGREE_MAX]);

#endif
