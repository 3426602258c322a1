/* Product quantization; see vdb_pq.h. */
#include "datagen/vdb_pq.h"

#include "core/file.h"
#include "core/rng.h"
#include "datagen/vdb_layout.h"
#include "datagen/vdb_math.h"
#include "storage/loop.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PIVOTS_AT 4096
#define FILE_MAX (64ULL << 30)
#define CHUNK_DIMS_MAX 1024u

uint32_t vdb_pq_chunks(uint64_t budget_bytes, uint64_t vectors, uint32_t dim)
{
	uint64_t c = budget_bytes / vectors;
	uint32_t most = dim < VDB_CHUNKS_MAX ? dim : VDB_CHUNKS_MAX;

	return c < 1 ? 1 : c > most ? most : (uint32_t)c;
}

void vdb_pq_free(struct vdb_pq *q)
{
	free(q->mean);
	free(q->transposed);
	free(q->codes);
	memset(q, 0, sizeof(*q));
}

int vdb_pq_check(uint32_t dim, uint32_t chunks, struct err *e)
{
	if (chunks && chunks <= VDB_CHUNKS_MAX && chunks <= dim &&
		(dim - 1) / chunks < CHUNK_DIMS_MAX)
		return 0;
	return err_set(e, ERR_USAGE, -ERANGE,
		"%u dimensions in %u chunks: it takes 1 to 512 chunks of up to "
		"%u dimensions", dim, chunks, CHUNK_DIMS_MAX);
}

/* The first (dim mod chunks) chunks have one dimension more. */
static int pq_make(struct vdb_pq *q, uint64_t count, uint32_t dim,
	uint32_t chunks, struct err *e)
{
	uint32_t i;

	memset(q, 0, sizeof(*q));
	if (vdb_pq_check(dim, chunks, e))
		return -ERANGE;
	q->dim = dim;
	q->chunks = chunks;
	q->count = count;
	for (i = 0; i < chunks; i++)
		q->starts[i + 1] =
			q->starts[i] + dim / chunks + (i < dim % chunks);
	q->mean = calloc(dim, sizeof(float));
	q->transposed = calloc((size_t)dim * VDB_CENTROIDS, sizeof(float));
	q->codes = malloc(count * chunks);
	if (q->mean && q->transposed && q->codes)
		return 0;
	vdb_pq_free(q);
	return err_nomem(e, "the quantizer");
}

#define BLOCK 256u /* rows whose distances are added in single precision */

/* Rows that centroids are found with, of one chunk at a time. */
struct training {
	const struct vdb_vectors *v;
	const float *mean;
	uint32_t count, stride; /* stride: count, padded to whole blocks */
	float *rows;	/* [count][dims of the chunk], less the mean */
	float *columns; /* [dims][stride]: the same */
	float *nearest; /* [stride]: squared distance to a centroid */
	double *blocks; /* [stride / BLOCK]: sums of these */
	double *sums;	/* [dims][VDB_CENTROIDS] */
	struct rng_xo rng;
};

/* The sample, in order of ids. */
static uint64_t row_of(const struct training *t, uint32_t i)
{
	return t->v->count * i / t->count;
}

static void take_mean(const struct training *t, float *mean)
{
	uint32_t i, d, dim = t->v->dim;
	double *sums = t->sums;
	const float *x;

	memset(sums, 0, dim * sizeof(*sums));
	for (i = 0; i < t->count; i++) {
		x = vdb_vector(t->v, row_of(t, i));
		for (d = 0; d < dim; d++)
			sums[d] += x[d];
	}
	for (d = 0; d < dim; d++)
		mean[d] = (float)(sums[d] / t->count);
}

static void take_chunk(struct training *t, uint32_t start, uint32_t dims)
{
	const float *x;
	uint32_t i, d;
	float y;

	for (i = 0; i < t->count; i++) {
		x = vdb_vector(t->v, row_of(t, i)) + start;
		for (d = 0; d < dims; d++) {
			y = x[d] - t->mean[start + d];
			t->rows[(size_t)i * dims + d] = y;
			t->columns[(size_t)d * t->stride + i] = y;
		}
	}
}

static void set_centroid(float *c, uint32_t k, const float *x, uint32_t dims)
{
	uint32_t d;

	for (d = 0; d < dims; d++)
		c[(size_t)d * VDB_CENTROIDS + k] = x[d];
}

/* The row at which the sum of distances passes a random share of it. */
static uint32_t draw_row(struct training *t, double sum)
{
	double at = (double)(rng_xo_next(&t->rng) >> 11) /
		    9007199254740992.0 * sum;
	uint32_t block = 0, i;

	while ((block + 1) * BLOCK < t->count && at >= t->blocks[block])
		at -= t->blocks[block++];
	for (i = block * BLOCK; i + 1 < t->count; i++) {
		at -= (double)t->nearest[i];
		if (at < 0)
			break;
	}
	return i;
}

/* k-means++: the next centre is a row, likelier the farther it is. */
static void seed_centroids(struct training *t, float *c, uint32_t dims)
{
	uint32_t k, i, pick = (uint32_t)(rng_xo_next(&t->rng) % t->count);
	const float *centre;
	double sum;

	for (i = 0; i < t->stride; i++)
		t->nearest[i] = i < t->count ? FLT_MAX : 0;
	for (k = 0; k < VDB_CENTROIDS; k++) {
		centre = t->rows + (size_t)pick * dims;
		set_centroid(c, k, centre, dims);
		for (sum = 0, i = 0; i < t->stride; i += BLOCK) {
			t->blocks[i / BLOCK] = (double)vdb_approach(
				t->columns + i, t->stride, dims, centre,
				t->nearest + i, BLOCK);
			sum += t->blocks[i / BLOCK];
		}
		pick = draw_row(t, sum);
	}
}

/* One round of Lloyd's; the sum of distances before it. */
static double improve(struct training *t, float *c, uint32_t dims)
{
	float distance[VDB_CENTROIDS];
	uint32_t counts[VDB_CENTROIDS] = {0}, i, d, k;
	double residual = 0, *sums = t->sums;
	const float *x;

	memset(sums, 0, sizeof(*sums) * dims * VDB_CENTROIDS);
	for (i = 0; i < t->count; i++) {
		x = t->rows + (size_t)i * dims;
		vdb_centroid_distances(x, dims, c, distance);
		k = vdb_smallest(distance);
		residual += (double)distance[k];
		counts[k]++;
		for (d = 0; d < dims; d++)
			sums[d * VDB_CENTROIDS + k] += x[d];
	}
	for (k = 0; k < VDB_CENTROIDS; k++)
		for (d = 0; counts[k] && d < dims; d++)
			c[d * VDB_CENTROIDS + k] =
				(float)(sums[d * VDB_CENTROIDS + k] /
					counts[k]);
	return residual;
}

static void find_centroids(struct training *t, struct vdb_pq *q)
{
	uint32_t i, round, start, dims;
	double before, now;
	float *c;

	for (i = 0; i < q->chunks && !loop_interrupted; i++) {
		start = q->starts[i];
		dims = q->starts[i + 1] - start;
		c = q->transposed + (size_t)start * VDB_CENTROIDS;
		take_chunk(t, start, dims);
		seed_centroids(t, c, dims);
		before = improve(t, c, dims);
		for (round = 1; round < VDB_PQ_ROUNDS; round++) {
			now = improve(t, c, dims);
			if (before - now < 1e-5 * before)
				break;
			before = now;
		}
	}
}

static void encode(struct vdb_pq *q, const struct vdb_vectors *v)
{
	float distance[VDB_CENTROIDS], x[CHUNK_DIMS_MAX];
	uint32_t d, c, dims, start;
	const float *from;
	uint64_t i;

	for (i = 0; i < v->count && !loop_interrupted; i++)
		for (c = 0; c < q->chunks; c++) {
			start = q->starts[c];
			dims = q->starts[c + 1] - start;
			from = vdb_vector(v, i) + start;
			for (d = 0; d < dims; d++)
				x[d] = from[d] - q->mean[start + d];
			vdb_centroid_distances(x, dims,
				q->transposed + (size_t)start * VDB_CENTROIDS,
				distance);
			q->codes[i * q->chunks + c] =
				(uint8_t)vdb_smallest(distance);
		}
}

/* The widest chunk is the first. */
static int training_init(struct training *t, const struct vdb_pq *q,
	const struct vdb_vectors *v, uint64_t seed)
{
	size_t dims = q->starts[1];

	memset(t, 0, sizeof(*t));
	t->v = v;
	t->mean = q->mean;
	t->count = v->count < VDB_PQ_TRAIN_ROWS ? (uint32_t)v->count
						: VDB_PQ_TRAIN_ROWS;
	t->stride = (t->count + BLOCK - 1) / BLOCK * BLOCK;
	rng_xo_seed(&t->rng, seed);
	t->rows = malloc(t->count * dims * sizeof(float));
	t->columns = calloc(t->stride * dims, sizeof(float));
	t->nearest = malloc(t->stride * sizeof(float));
	t->blocks = malloc(t->stride / BLOCK * sizeof(*t->blocks));
	t->sums = malloc(v->dim * sizeof(*t->sums) * VDB_CENTROIDS);
	return t->rows && t->columns && t->nearest && t->blocks && t->sums
		       ? 0
		       : -ENOMEM;
}

static void training_fini(struct training *t)
{
	free(t->rows);
	free(t->columns);
	free(t->nearest);
	free(t->blocks);
	free(t->sums);
}

int vdb_pq_train(struct vdb_pq *q, const struct vdb_vectors *v,
	uint32_t chunks, bool centre, uint64_t seed, struct err *e)
{
	struct training t;
	int r = pq_make(q, v->count, v->dim, chunks, e);

	if (r)
		return r;
	r = training_init(&t, q, v, seed);
	if (!r) {
		if (centre)
			take_mean(&t, q->mean);
		find_centroids(&t, q);
		encode(q, v);
		if (loop_interrupted)
			r = err_set(e, ERR_IO, -EINTR, "interrupted");
	} else {
		err_nomem(e, "the quantizer");
	}
	if (r)
		vdb_pq_free(q);
	training_fini(&t);
	return r;
}

void vdb_pq_table(const struct vdb_pq *q, const float *x, float *table)
{
	float rest[CHUNK_DIMS_MAX];
	uint32_t c, d, dims, start;

	for (c = 0; c < q->chunks; c++, table += VDB_CENTROIDS) {
		start = q->starts[c];
		dims = q->starts[c + 1] - start;
		for (d = 0; d < dims; d++)
			rest[d] = x[start + d] - q->mean[start + d];
		vdb_centroid_distances(rest, dims,
			q->transposed + (size_t)start * VDB_CENTROIDS, table);
	}
}

static uint8_t *put_head(uint8_t *at, uint32_t rows, uint32_t cols)
{
	memcpy(at, &rows, 4);
	memcpy(at + 4, &cols, 4);
	return at + 8;
}

static int save_pivots(const struct vdb_pq *q, const char *path, struct err *e)
{
	size_t pivots = 8 + 4 * (size_t)q->dim * VDB_CENTROIDS;
	uint64_t offsets[4] = {PIVOTS_AT, PIVOTS_AT + pivots, 0, 0};
	uint8_t *text, *at;
	uint32_t k, d;
	float x;
	int r;

	offsets[2] = offsets[1] + 8 + 4 * q->dim;
	offsets[3] = offsets[2] + 8 + 4 * (q->chunks + 1);
	text = calloc(1, offsets[3]);
	if (!text)
		return err_nomem(e, path);
	memcpy(put_head(text, 4, 1), offsets, sizeof(offsets));
	at = put_head(text + PIVOTS_AT, VDB_CENTROIDS, q->dim);
	for (k = 0; k < VDB_CENTROIDS; k++)
		for (d = 0; d < q->dim; d++, at += 4) {
			x = q->transposed[(size_t)d * VDB_CENTROIDS + k];
			memcpy(at, &x, 4);
		}
	at = put_head(text + offsets[1], q->dim, 1);
	memcpy(at, q->mean, 4 * q->dim);
	at = put_head(text + offsets[2], q->chunks + 1, 1);
	memcpy(at, q->starts, 4 * (q->chunks + 1));
	r = file_write_atomic(path, text, offsets[3], e);
	free(text);
	return r;
}

int vdb_pq_save(const struct vdb_pq *q, const char *prefix, struct err *e)
{
	size_t codes = q->count * q->chunks;
	char path[PATH_MAX];
	uint8_t *text;
	int r = vdb_path(path, prefix, VDB_PIVOTS, e);

	if (!r)
		r = save_pivots(q, path, e);
	if (!r)
		r = vdb_path(path, prefix, VDB_CODES, e);
	if (r)
		return r;
	text = malloc(8 + codes);
	if (!text)
		return err_nomem(e, path);
	memcpy(put_head(text, (uint32_t)q->count, q->chunks), q->codes, codes);
	r = file_write_atomic(path, text, 8 + codes, e);
	free(text);
	return r;
}

static int bad(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_IO, -EBADMSG, "%s: %s", path, what);
}

static bool head_is(const char *at, uint32_t rows, uint32_t cols)
{
	uint32_t head[2];

	memcpy(head, at, 8);
	return head[0] == rows && head[1] == cols;
}

/* starts[] must be chunks + 1 rising numbers from 0 to dim. */
static bool starts_sane(const struct vdb_pq *q)
{
	uint32_t i;

	for (i = 0; i < q->chunks; i++)
		if (q->starts[i + 1] <= q->starts[i] ||
			q->starts[i + 1] - q->starts[i] > CHUNK_DIMS_MAX)
			return false;
	return !q->starts[0] && q->starts[q->chunks] == q->dim;
}

static int parse_pivots(struct vdb_pq *q, const char *text, size_t len,
	const char *path, struct err *e)
{
	size_t pivots = 8 + 4 * (size_t)q->dim * VDB_CENTROIDS;
	uint64_t o[4];
	uint32_t k, d;
	const char *at;

	if (len < PIVOTS_AT || !head_is(text, 4, 1))
		return bad(path, "does not begin with four offsets (older "
				 "files, of five, are not read yet)", e);
	memcpy(o, text + 8, sizeof(o));
	if (o[0] != PIVOTS_AT || o[1] != PIVOTS_AT + pivots ||
		o[2] != o[1] + 8 + 4 * q->dim ||
		o[3] != o[2] + 8 + 4 * (q->chunks + 1) || o[3] != len)
		return bad(path, "its offsets do not fit its size, the "
				 "dimension and the chunks", e);
	if (!head_is(text + o[0], VDB_CENTROIDS, q->dim) ||
		!head_is(text + o[1], q->dim, 1) ||
		!head_is(text + o[2], q->chunks + 1, 1))
		return bad(path, "its parts are not 256 x dim, dim and chunks "
				 "+ 1", e);
	at = text + o[0] + 8;
	for (k = 0; k < VDB_CENTROIDS; k++)
		for (d = 0; d < q->dim; d++, at += 4)
			memcpy(&q->transposed[(size_t)d * VDB_CENTROIDS + k],
				at, 4);
	memcpy(q->mean, text + o[1] + 8, 4 * q->dim);
	memcpy(q->starts, text + o[2] + 8, 4 * (q->chunks + 1));
	return starts_sane(q) ? 0 : bad(path, "its chunks do not divide the "
					      "dimensions", e);
}

int vdb_pq_load(struct vdb_pq *q, const char *prefix, uint64_t count,
	uint32_t dim, struct err *e)
{
	char path[PATH_MAX], *text;
	uint32_t head[2] = {0, 0};
	size_t len;
	int r = vdb_path(path, prefix, VDB_CODES, e);

	memset(q, 0, sizeof(*q));
	if (!r)
		r = file_read_all(path, FILE_MAX, &text, &len, e);
	if (r)
		return r;
	if (len >= 8)
		memcpy(head, text, 8);
	if (head[0] != count || !head[1] || head[1] > VDB_CHUNKS_MAX ||
		head[1] > dim || len != 8 + count * head[1])
		r = bad(path, "is not a row of up to 512 codes for each node",
			e);
	if (!r)
		r = pq_make(q, count, dim, head[1], e);
	if (!r)
		memcpy(q->codes, text + 8, len - 8);
	free(text);
	if (!r)
		r = vdb_path(path, prefix, VDB_PIVOTS, e);
	if (!r)
		r = file_read_all(path, FILE_MAX, &text, &len, e);
	if (!r) {
		r = parse_pivots(q, text, len, path, e);
		free(text);
	}
	if (r)
		vdb_pq_free(q);
	return r;
}
