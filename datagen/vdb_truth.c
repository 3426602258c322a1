/* Ground truth; see vdb_truth.h. */
#include "datagen/vdb_truth.h"

#include "core/file.h"
#include "storage/loop.h"

#include <cblas.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1ULL << 32)

int vdb_truth_init(struct vdb_truth *t, uint32_t queries, uint32_t k,
	struct err *e)
{
	size_t n = (size_t)queries * k, i;

	memset(t, 0, sizeof(*t));
	t->queries = queries;
	t->k = k;
	t->ids = malloc(n * sizeof(*t->ids));
	t->distances = malloc(n * sizeof(*t->distances));
	if (!t->ids || !t->distances) {
		vdb_truth_free(t);
		return err_nomem(e, "the ground truth");
	}
	for (i = 0; i < n; i++) {
		t->ids[i] = UINT32_MAX;
		t->distances[i] = FLT_MAX;
	}
	return 0;
}

void vdb_truth_free(struct vdb_truth *t)
{
	free(t->ids);
	free(t->distances);
	memset(t, 0, sizeof(*t));
}

static void insert(struct vdb_truth *t, uint32_t q, uint32_t id, float d)
{
	uint32_t *ids = t->ids + (size_t)q * t->k, i = t->k;
	float *ds = t->distances + (size_t)q * t->k;

	while (i && (d < ds[i - 1] || (d == ds[i - 1] && id < ids[i - 1]))) {
		i--;
		if (i + 1 < t->k) {
			ids[i + 1] = ids[i];
			ds[i + 1] = ds[i];
		}
	}
	if (i < t->k) {
		ids[i] = id;
		ds[i] = d;
	}
}

static float norm(const float *x, uint32_t n)
{
	return cblas_sdot((int)n, x, 1, x, 1);
}

/* (|q| + |x|)^2 of two such is a float still. */
#define SQUARE_MAX (FLT_MAX / 4)

/* What queries and vectors are less, so that products cancel little. */
struct centred {
	float *middle;	 /* [stride]: their mean for L2, else zeroes */
	float *queries;	 /* [queries][stride] */
	float *norms;	 /* [queries], of these */
	float *block;	 /* [VDB_TRUTH_BLOCK][stride] */
	float *products; /* [VDB_TRUTH_BLOCK][queries] */
};

static void centred_free(struct centred *c)
{
	free(c->middle);
	free(c->queries);
	free(c->norms);
	free(c->block);
	free(c->products);
}

static void less(float *out, const float *x, const float *middle, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		out[i] = x[i] - middle[i];
}

static int find_middle(
	float *middle, const struct vdb_vectors *v, struct err *e)
{
	double *sums = calloc(v->dim, sizeof(*sums));
	const float *x;
	uint64_t i;
	uint32_t d;

	if (!sums)
		return err_nomem(e, "the ground truth");
	for (i = 0; i < v->count; i++)
		for (x = vdb_vector(v, i), d = 0; d < v->dim; d++)
			sums[d] += (double)x[d];
	for (d = 0; v->count && d < v->dim; d++)
		middle[d] = (float)(sums[d] / (double)v->count);
	free(sums);
	return 0;
}

static int centred_init(struct centred *c, const struct vdb_truth *t,
	const struct vdb_vectors *queries, const struct vdb_vectors *base,
	struct err *e)
{
	uint32_t n = base->stride, q;
	float *x;

	c->middle = calloc(n, sizeof(float));
	c->queries = malloc((size_t)t->queries * n * sizeof(float));
	c->norms = malloc(t->queries * sizeof(float));
	c->block = malloc((size_t)VDB_TRUTH_BLOCK * n * sizeof(float));
	c->products = malloc((size_t)t->queries * VDB_TRUTH_BLOCK * sizeof(float));
	if (!c->middle || !c->queries || !c->norms || !c->block || !c->products)
		return err_nomem(e, "the ground truth");
	if (t->metric == VDB_L2 && find_middle(c->middle, base, e))
		return -ENOMEM;
	for (q = 0; q < t->queries; q++) {
		x = c->queries + (size_t)q * n;
		less(x, vdb_vector(queries, q), c->middle, n);
		c->norms[q] = norm(x, n);
		if (!(c->norms[q] <= SQUARE_MAX))
			return err_set(e, ERR_USAGE, -ERANGE,
				"query %u: the square of a distance is more "
				"than a 32-bit float holds", q);
	}
	return 0;
}

/*
 * The distance less what it may be off by: a product of n terms in 32-bit
 * floats is off by n/2 epsilon |q||x| at the most.
 */
static float at_least(
	enum vdb_metric m, uint32_t n, float qx, float q2, float x2)
{
	float unit = (float)(n + 8) * FLT_EPSILON, both = sqrtf(q2) * sqrtf(x2);

	if (m == VDB_IP)
		return -qx - unit * both;
	if (m == VDB_COSINE)
		return both > 0 ? 1 - qx / both - 2 * unit : 2;
	return q2 + x2 - 2 * qx - unit * (q2 + x2);
}

static float exact(enum vdb_metric m, const float *q, const float *x,
	uint32_t n)
{
	double qx = 0, q2 = 0, x2 = 0, d2 = 0, a, b;
	uint32_t i;

	for (i = 0; i < n; i++) {
		a = (double)q[i];
		b = (double)x[i];
		d2 += (a - b) * (a - b);
		qx += a * b;
		q2 += a * a;
		x2 += b * b;
	}
	if (m == VDB_L2)
		return (float)d2;
	if (m == VDB_IP)
		return (float)-qx;
	return q2 > 0 && x2 > 0 ? (float)(1 - qx / sqrt(q2 * x2)) : 2;
}

static int add_block(struct vdb_truth *t, struct centred *c,
	const struct vdb_vectors *queries, const struct vdb_vectors *base,
	uint64_t first, uint64_t n, struct err *e)
{
	uint32_t stride = base->stride, q;
	const float *x;
	uint64_t i;
	float x2;

	for (i = 0; i < n; i++)
		less(c->block + i * stride, vdb_vector(base, first + i),
			c->middle, stride);
	cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n,
		(int)t->queries, (int)stride, 1, c->block, (int)stride,
		c->queries, (int)stride, 0, c->products, (int)t->queries);
	for (i = 0; i < n; i++) {
		x = vdb_vector(base, first + i);
		x2 = norm(c->block + i * stride, stride);
		if (!(x2 <= SQUARE_MAX))
			return err_set(e, ERR_USAGE, -ERANGE,
				"vector %llu: the square of a distance is more "
				"than a 32-bit float holds",
				(unsigned long long)(base->first + first + i));
		for (q = 0; q < t->queries; q++)
			if (at_least(t->metric, stride,
				    c->products[i * t->queries + q],
				    c->norms[q], x2) <=
				t->distances[(size_t)(q + 1) * t->k - 1])
				insert(t, q, (uint32_t)(base->first + first + i),
					exact(t->metric, vdb_vector(queries, q),
						x, stride));
	}
	return 0;
}

/*
 * Raw vectors, whatever the metric. Products a block at a time say which
 * vectors may be among the nearest; how near those are is computed exactly.
 */
int vdb_truth_add(struct vdb_truth *t, const struct vdb_vectors *queries,
	const struct vdb_vectors *base, struct err *e)
{
	struct centred c = {.middle = NULL};
	uint64_t first, n;
	int r = centred_init(&c, t, queries, base, e);

	for (first = 0; !r && first < base->count && !loop_interrupted;
		first += n) {
		n = base->count - first < VDB_TRUTH_BLOCK ? base->count - first : VDB_TRUTH_BLOCK;
		r = add_block(t, &c, queries, base, first, n, e);
	}
	t->covered += base->count;
	centred_free(&c);
	if (!r && loop_interrupted)
		r = err_set(e, ERR_IO, -EINTR, "interrupted");
	return r;
}

void vdb_truth_merge(struct vdb_truth *t, const struct vdb_truth *from)
{
	uint32_t q, i;

	for (q = 0; q < t->queries; q++)
		for (i = 0; i < t->k; i++)
			insert(t, q, from->ids[(size_t)q * t->k + i],
				from->distances[(size_t)q * t->k + i]);
	t->covered += from->covered;
}

int vdb_truth_save(const struct vdb_truth *t, const char *path, struct err *e)
{
	size_t n = 4 * (size_t)t->queries * t->k;
	uint32_t head[2] = {t->queries, t->k};
	uint8_t *text = malloc(8 + 2 * n);
	int r;

	if (!text)
		return err_nomem(e, path);
	memcpy(text, head, 8);
	memcpy(text + 8, t->ids, n);
	memcpy(text + 8 + n, t->distances, n);
	r = file_write_atomic(path, text, 8 + 2 * n, e);
	free(text);
	return r;
}

int vdb_truth_load(struct vdb_truth *t, const char *path, struct err *e)
{
	uint32_t head[2] = {0, 0};
	char *text;
	size_t len, n;
	int r = file_read_all(path, FILE_MAX, &text, &len, e);

	memset(t, 0, sizeof(*t));
	if (r)
		return r;
	if (len >= 8)
		memcpy(head, text, 8);
	n = (size_t)head[0] * head[1];
	/* as a number of its own, since it may be too great for bytes */
	n = n <= len / 4 ? 4 * n : 0;
	if (!n || (len != 8 + n && len != 8 + 2 * n))
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s is no ground truth: two 32-bit numbers, queries "
			"and k, then as many ids, and distances", path);
	if (!r)
		r = vdb_truth_init(t, head[0], head[1], e);
	if (!r)
		memcpy(t->ids, text + 8, n);
	if (!r && len == 8 + 2 * n)
		memcpy(t->distances, text + 8 + n, n);
	free(text);
	return r;
}
