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

#define BLOCK 4096 /* vectors of a multiplication */
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

/* From qx, |q|^2 and |x|^2: |q - x|^2 = |q|^2 + |x|^2 - 2 qx. */
static float distance_of(enum vdb_metric m, float qx, float q2, float x2)
{
	float d;

	if (m == VDB_IP)
		return -qx;
	if (m == VDB_COSINE)
		return q2 * x2 > 0 ? 1 - qx / sqrtf(q2 * x2) : 2;
	d = q2 + x2 - 2 * qx;
	return d < 0 ? 0 : d;
}

/* Raw vectors, whatever the metric; the products a block at a time. */
int vdb_truth_add(struct vdb_truth *t, const struct vdb_vectors *queries,
	const struct vdb_vectors *base, struct err *e)
{
	float *products = malloc((size_t)t->queries * BLOCK * sizeof(float));
	float *norms = malloc(t->queries * sizeof(float)), x2, d;
	int stride = (int)base->stride;
	uint64_t first, i, n;
	uint32_t q;

	if (!products || !norms) {
		free(products);
		free(norms);
		return err_nomem(e, "the ground truth");
	}
	for (q = 0; q < t->queries; q++)
		norms[q] = norm(vdb_vector(queries, q), queries->stride);
	for (first = 0; first < base->count && !loop_interrupted; first += n) {
		n = base->count - first < BLOCK ? base->count - first : BLOCK;
		cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n,
			(int)t->queries, stride, 1, vdb_vector(base, first),
			stride, queries->data, stride, 0, products,
			(int)t->queries);
		for (i = 0; i < n; i++) {
			x2 = norm(vdb_vector(base, first + i), base->stride);
			for (q = 0; q < t->queries; q++) {
				d = distance_of(t->metric,
					products[i * t->queries + q], norms[q],
					x2);
				insert(t, q, (uint32_t)(base->first + first + i),
					d);
			}
		}
	}
	t->covered += base->count;
	free(products);
	free(norms);
	return loop_interrupted ? err_set(e, ERR_IO, -EINTR, "interrupted") : 0;
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
