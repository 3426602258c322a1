/* Metrics other than Euclidean distance; see vdb_metric.h. */
#include "datagen/vdb_metric.h"

#include "datagen/vdb_bin.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_direction(const char *what, uint64_t i, struct err *e)
{
	return err_set(e, ERR_IO, -EBADMSG,
		"%s %" PRIu64 " is all zeroes and has no direction: nothing is "
		"near it by this metric; take it out", what, i);
}

/* The raw vectors stay beside their copies of length 1. */
static int base_of_length_1(struct vdb_vectors *v, struct err *e)
{
	uint64_t bytes = v->count * v->stride * sizeof(float), i;

	v->raw = v->data;
	v->data = vdb_huge_alloc(bytes);
	v->norms = malloc(v->count * sizeof(float));
	if (!v->data || !v->norms)
		return err_nomem(e, "the vectors at length 1");
	memcpy(v->data, v->raw, bytes);
	for (i = 0; i < v->count; i++) {
		v->norms[i] = vdb_normalise(v->data + i * v->stride, v->dim);
		if (!(v->norms[i] > 0))
			return no_direction("vector", v->first + i, e);
	}
	return 0;
}

/* Rows of dim + 1; `more` tells what the new one is, from |x|^2. */
static int add_dimension(struct vdb_vectors *v, double divide_by, bool queries,
	struct err *e)
{
	uint32_t dim = v->dim + 1, stride = vdb_stride(dim), d;
	float *data = vdb_huge_alloc(v->count * stride * sizeof(float)), *to;
	const float *from;
	double square, x;
	uint64_t i;

	if (!data)
		return err_nomem(e, "the vectors with one more dimension");
	for (i = 0; i < v->count; i++) {
		from = vdb_vector(v, i);
		to = data + i * stride;
		memset(to, 0, stride * sizeof(float));
		for (square = 0, d = 0; d < v->dim; d++) {
			x = (double)from[d] / divide_by;
			to[d] = (float)x;
			square += x * x;
		}
		if (!queries)
			to[v->dim] = (float)sqrt(square < 1 ? 1 - square : 0);
	}
	free(v->data);
	v->data = data;
	v->dim = dim;
	v->stride = stride;
	return 0;
}

/* Sums of squares in double precision: the greatest must not be below any. */
static double greatest_norm(const struct vdb_vectors *v)
{
	double most = 0, square;
	const float *x;
	uint64_t i;
	uint32_t d;

	for (i = 0; i < v->count; i++) {
		x = vdb_vector(v, i);
		for (square = 0, d = 0; d < v->dim; d++)
			square += (double)x[d] * (double)x[d];
		most = square > most ? square : most;
	}
	return sqrt(most);
}

int vdb_metric_base(struct vdb_vectors *v, enum vdb_metric m, struct err *e)
{
	double norm;

	if (m == VDB_COSINE)
		return base_of_length_1(v, e);
	if (m != VDB_IP)
		return 0;
	norm = greatest_norm(v);
	v->norms = malloc(sizeof(float));
	if (!v->norms)
		return err_nomem(e, "the vectors");
	v->norms[0] = (float)norm;
	return norm > 0 ? add_dimension(v, norm, false, e)
			: err_set(e, ERR_IO, -EBADMSG,
				  "all vectors from %" PRIu64 " on are zeroes: "
				  "no inner product ranks them", v->first);
}

int vdb_metric_queries(struct vdb_vectors *q, enum vdb_metric m, struct err *e)
{
	uint64_t i;

	if (m == VDB_L2)
		return 0;
	for (i = 0; i < q->count; i++)
		if (!(vdb_normalise(q->data + i * q->stride, q->dim) > 0))
			return no_direction("query", q->first + i, e);
	return m == VDB_IP ? add_dimension(q, 1, true, e) : 0;
}

int vdb_norms_save(const struct vdb_vectors *v, enum vdb_metric m,
	const char *prefix, struct err *e)
{
	uint64_t n = m == VDB_COSINE ? v->count : 1;
	struct vdb_bin b = {.count = (uint32_t)n};
	int r;

	if (m == VDB_L2)
		return 0;
	b.items = malloc(4 * n);
	if (!b.items)
		return err_nomem(e, "the lengths of vectors");
	memcpy(b.items, v->norms, 4 * n);
	r = vdb_bin_save(prefix, VDB_NORMS, &b, e);
	vdb_bin_free(&b);
	return r;
}

int vdb_norms_load(float **norms, const char *prefix, enum vdb_metric m,
	uint64_t nodes, struct err *e)
{
	uint64_t n = m == VDB_COSINE ? nodes : 1, i;
	struct vdb_bin b;
	int r;

	*norms = NULL;
	if (m == VDB_L2)
		return 0;
	r = vdb_bin_load(prefix, VDB_NORMS, &b, e);
	if (r)
		return r;
	if (b.count != n)
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s" VDB_NORMS ": is not %" PRIu64 " x 1 lengths of "
			"vectors", prefix, n);
	*norms = r ? NULL : malloc(4 * n);
	if (!r && !*norms)
		r = err_nomem(e, "the lengths of vectors");
	if (!r)
		memcpy(*norms, b.items, 4 * n);
	vdb_bin_free(&b);
	for (i = 0; !r && i < n; i++)
		if (!isfinite((*norms)[i]) || !((*norms)[i] > 0))
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s" VDB_NORMS ": length %" PRIu64 " is not above "
				"0", prefix, i);
	if (r) {
		free(*norms);
		*norms = NULL;
	}
	return r;
}
