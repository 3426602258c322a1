#ifndef DATAGEN_VDB_METRIC_H
#define DATAGEN_VDB_METRIC_H
/*
 * Cosine and inner product, turned into squared Euclidean distance, by which
 * graph and quantizer are built:
 *	cosine	graph and codes of the vectors at length 1; the disk file keeps
 *		them as they are, and their lengths are in
 *		<prefix>_disk.index_max_base_norm.bin, float n x 1 (Knowhere)
 *	inner product	M is the greatest length: each vector is divided by it
 *		and gets one more dimension, sqrt(1 - |x|^2 / M^2), so that all
 *		have length 1; the disk file has these, M is in the same file,
 *		float 1 x 1 (Microsoft). A query gets a 0 there:
 *		|q - x|^2 = 2 - 2 qx / M.
 */
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_math.h"
#include "datagen/vdb_vectors.h"

#define VDB_NORMS "_disk.index_max_base_norm.bin"

/*
 * Of the vectors of a segment: data for the graph, raw and norms. -EBADMSG for
 * one of length 0, which has no direction.
 */
int vdb_metric_base(struct vdb_vectors *v, enum vdb_metric m, struct err *e);
/* Of queries: length 1 and, for inner products, one more dimension. */
int vdb_metric_queries(struct vdb_vectors *q, enum vdb_metric m, struct err *e);

/* What a segment's norms file says: *norms, the caller's to free; L2: NULL. */
int vdb_norms_load(float **norms, const char *prefix, enum vdb_metric m,
	uint64_t nodes, struct err *e);
int vdb_norms_save(const struct vdb_vectors *v, enum vdb_metric m,
	const char *prefix, struct err *e);

/*
 * Of a query (made ready as above) and a node's vector as the disk file has it,
 * n padded floats: smaller is nearer, in all segments alike. L2: the square;
 * cosine: 1 - cos; inner product: - qx / |q|.
 */
static inline float vdb_metric_distance(enum vdb_metric m, const float *norms,
	uint32_t node, const float *vector, const float *query, uint32_t n)
{
	switch (m) {
	case VDB_COSINE:
		return 1 - vdb_dot(vector, query, n) / norms[node];
	case VDB_IP:
		return -norms[0] * vdb_dot(vector, query, n);
	default:
		return vdb_l2(vector, query, n);
	}
}

#endif
