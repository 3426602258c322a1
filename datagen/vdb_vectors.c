/* Vectors in memory and in files; see vdb_vectors.h. */
#include "datagen/vdb_vectors.h"

#include "core/file.h"
#include "core/rng.h"
#include "datagen/vdb_math.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CENTRES 256
#define DIRECTIONS 12
#define SPREAD 0.25 /* of a draw along a direction; centres are 1 apart */
#define QUERY_SEED 0x71756572795f5f5fULL

void vdb_vectors_free(struct vdb_vectors *v)
{
	free(v->data);
	memset(v, 0, sizeof(*v));
}

static int make(struct vdb_vectors *v, uint64_t first, uint64_t count,
	uint32_t dim, struct err *e)
{
	memset(v, 0, sizeof(*v));
	v->first = first;
	v->count = count;
	v->dim = dim;
	v->stride = vdb_stride(dim);
	v->data = count && count < SIZE_MAX / 4 / v->stride
			  ? calloc(count * v->stride, sizeof(float))
			  : NULL;
	return v->data ? 0 : err_nomem(e, "the vectors");
}

static double uniform(struct rng_xo *r)
{
	return (double)(rng_xo_next(r) >> 11) / 9007199254740992.0;
}

static double normal(struct rng_xo *r)
{
	double u = 1 - uniform(r);

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * uniform(r));
}

static void normalise(float *x, uint32_t dim)
{
	float sum = 0;
	uint32_t d;

	for (d = 0; d < dim; d++)
		sum += x[d] * x[d];
	sum = sqrtf(sum);
	for (d = 0; sum > 0 && d < dim; d++)
		x[d] /= sum;
}

/* Centres, then directions of length 1: [CENTRES + DIRECTIONS][dim] */
static float *clusters(uint64_t seed, uint32_t dim)
{
	size_t n = CENTRES + DIRECTIONS, i, d;
	float *c = malloc(n * dim * sizeof(*c));
	struct rng_xo r;

	rng_xo_seed(&r, rng_mix64(seed, n));
	for (i = 0; c && i < n; i++) {
		for (d = 0; d < dim; d++)
			c[i * dim + d] = (float)normal(&r);
		normalise(c + i * dim, dim);
	}
	return c;
}

static void draw(float *x, uint32_t dim, const float *c, uint64_t seed)
{
	struct rng_xo r;
	const float *from;
	float z;
	uint32_t d, k;

	rng_xo_seed(&r, seed);
	if (!c) {
		for (d = 0; d < dim; d++)
			x[d] = (float)uniform(&r);
		normalise(x, dim);
		return;
	}
	memcpy(x, c + rng_xo_next(&r) % CENTRES * dim, dim * sizeof(*x));
	for (k = 0; k < DIRECTIONS; k++) {
		z = (float)(SPREAD * normal(&r));
		from = c + (size_t)(CENTRES + k) * dim;
		for (d = 0; d < dim; d++)
			x[d] += z * from[d];
	}
	normalise(x, dim);
}

int vdb_vectors_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint64_t first, uint64_t count, uint32_t dim,
	struct err *e)
{
	float *c = NULL;
	uint64_t i;
	int r = make(v, first, count, dim, e);

	if (!r && kind == VDB_CLUSTERED) {
		c = clusters(seed, dim);
		if (!c)
			r = err_nomem(e, "the clusters");
	}
	for (i = 0; !r && i < count; i++)
		draw(v->data + i * v->stride, dim, c,
			rng_mix64(seed, first + i));
	free(c);
	if (r)
		vdb_vectors_free(v);
	return r;
}

int vdb_queries_generate(struct vdb_vectors *v, enum vdb_distribution kind,
	uint64_t seed, uint32_t count, uint32_t dim, struct err *e)
{
	struct rng_mt mt;
	uint64_t i;
	uint32_t d;
	float *x, *c;
	int r = make(v, 0, count, dim, e);

	if (r)
		return r;
	if (kind == VDB_UNIFORM) {
		rng_mt_seed(&mt, (uint32_t)seed);
		for (i = 0; i < count; i++) {
			x = v->data + i * v->stride;
			for (d = 0; d < dim; d++)
				x[d] = (float)rng_mt_double(&mt);
			normalise(x, dim);
		}
		return 0;
	}
	c = clusters(seed, dim);
	for (i = 0; c && i < count; i++)
		draw(v->data + i * v->stride, dim, c,
			rng_mix64(seed ^ QUERY_SEED, i));
	free(c);
	if (c)
		return 0;
	vdb_vectors_free(v);
	return err_nomem(e, "the clusters");
}

int vdb_fbin_shape(
	const char *path, uint64_t *rows, uint32_t *dim, struct err *e)
{
	FILE *f = fopen(path, "re");
	uint32_t head[2];
	struct stat st;
	bool ok;

	if (!f)
		return err_set(e, ERR_USAGE, -errno, "%s: %s", path,
			strerror(errno));
	ok = fread(head, sizeof(head), 1, f) == 1 && !fstat(fileno(f), &st);
	fclose(f);
	if (ok) {
		*rows = le32toh(head[0]);
		*dim = le32toh(head[1]);
		ok = *rows && *dim && *dim <= 1u << 18 &&
		     (uint64_t)st.st_size == 8 + 4 * *rows * *dim;
	}
	return ok ? 0
		  : err_set(e, ERR_IO, -EBADMSG,
			    "%s is no .fbin file: two 32-bit numbers, rows and "
			    "columns, then as many floats and nothing else",
			    path);
}

int vdb_fbin_read(struct vdb_vectors *v, const char *path, uint64_t first,
	uint64_t count, struct err *e)
{
	uint64_t rows, i;
	uint32_t dim, d;
	FILE *f;
	float *x;
	int r = vdb_fbin_shape(path, &rows, &dim, e);

	if (!r && (first > rows || count > rows - first))
		r = err_set(e, ERR_USAGE, -ERANGE,
			"%s has %" PRIu64 " vectors, not %" PRIu64, path, rows,
			first + count);
	if (!r)
		r = make(v, first, count, dim, e);
	if (r)
		return r;
	f = fopen(path, "re");
	if (!f || fseeko(f, (off_t)(8 + 4 * first * dim), SEEK_SET))
		r = -EIO;
	for (i = 0; !r && i < count; i++) {
		x = v->data + i * v->stride;
		if (fread(x, 4, dim, f) != dim)
			r = -EIO;
		for (d = 0; !r && d < dim; d++)
			if (!isfinite(x[d]))
				r = -EBADMSG;
	}
	if (f)
		fclose(f);
	if (r)
		vdb_vectors_free(v);
	return r ? err_set(e, ERR_IO, r, r == -EBADMSG
			   ? "%s: row %" PRIu64 " is not all numbers"
			   : "%s: cannot read row %" PRIu64, path, first + i - 1)
		 : 0;
}

int vdb_fbin_write(
	const struct vdb_vectors *v, const char *path, struct err *e)
{
	size_t row = v->dim * sizeof(float), size = 8 + v->count * row;
	uint32_t head[2] = {htole32((uint32_t)v->count), htole32(v->dim)};
	uint8_t *text = malloc(size);
	uint64_t i;
	int r;

	if (!text)
		return err_nomem(e, path);
	memcpy(text, head, 8);
	for (i = 0; i < v->count; i++)
		memcpy(text + 8 + i * row, vdb_vector(v, i), row);
	r = file_write_atomic(path, text, size, e);
	free(text);
	return r;
}
