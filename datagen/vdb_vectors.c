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
#include <sys/mman.h>
#include <sys/stat.h>

#define HUGE_PAGE (2ULL << 20)
#define LINE 64u /* of the cache: rows begin at one */
#define CENTRES 256
#define DIRECTIONS 12
#define SPREAD 0.25 /* of a draw along a direction; centres are 1 apart */
#define LENGTH_SEED 0x6c656e6774685f5fULL
#define QUERY_SEED 0x71756572795f5f5fULL

void vdb_vectors_free(struct vdb_vectors *v)
{
	free(v->data);
	free(v->raw);
	free(v->norms);
	memset(v, 0, sizeof(*v));
}

void *vdb_huge_alloc(uint64_t bytes)
{
	uint64_t whole = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	void *p;

	if (whole < bytes || whole > SIZE_MAX)
		return NULL;
	if (bytes < HUGE_PAGE)
		return aligned_alloc(LINE, (bytes + LINE - 1) / LINE * LINE);
	p = aligned_alloc(HUGE_PAGE, whole);
	if (p)
		madvise(p, whole, MADV_HUGEPAGE);
	return p;
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
			  ? vdb_huge_alloc(count * v->stride * sizeof(float))
			  : NULL;
	if (v->data)
		memset(v->data, 0, count * v->stride * sizeof(float));
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
		vdb_normalise(c + i * dim, dim);
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
		vdb_normalise(x, dim);
		return;
	}
	memcpy(x, c + rng_xo_next(&r) % CENTRES * dim, dim * sizeof(*x));
	for (k = 0; k < DIRECTIONS; k++) {
		z = (float)(SPREAD * normal(&r));
		from = c + (size_t)(CENTRES + k) * dim;
		for (d = 0; d < dim; d++)
			x[d] += z * from[d];
	}
	vdb_normalise(x, dim);
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

void vdb_vectors_spread(struct vdb_vectors *v, uint64_t seed, uint32_t pct)
{
	struct rng_xo r;
	uint64_t i;
	uint32_t d;
	float by, *x;

	for (i = 0; pct && i < v->count; i++) {
		rng_xo_seed(&r, rng_mix64(seed ^ LENGTH_SEED, v->first + i));
		by = (float)(1 + pct / 100.0 * (2 * uniform(&r) - 1));
		x = v->data + i * v->stride;
		for (d = 0; d < v->dim; d++)
			x[d] *= by;
	}
}

int vdb_vectors_pick(struct vdb_vectors *out, const struct vdb_vectors *v,
	const uint32_t *rows, uint32_t count, struct err *e)
{
	uint32_t i;
	int r = make(out, 0, count, v->dim, e);

	for (i = 0; !r && i < count; i++)
		memcpy(out->data + (uint64_t)i * out->stride,
			vdb_vector_stored(v, rows[i]), v->stride * sizeof(float));
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
			vdb_normalise(x, dim);
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

enum element { ELEMENT_FLOAT, ELEMENT_I8, ELEMENT_U8 };

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end);
}

/* By its name: bytes do not tell whether they have a sign. */
static enum element element_of(const char *path)
{
	if (ends_with(path, ".u8bin"))
		return ELEMENT_U8;
	return ends_with(path, ".i8bin") ? ELEMENT_I8 : ELEMENT_FLOAT;
}

static uint32_t element_bytes(enum element t)
{
	return t == ELEMENT_FLOAT ? 4 : 1;
}

int vdb_fbin_shape(
	const char *path, uint64_t *rows, uint32_t *dim, struct err *e)
{
	uint32_t head[2], size = element_bytes(element_of(path));
	FILE *f = fopen(path, "re");
	uint64_t items = 0;
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
		items = *rows * *dim;
		ok = items && *dim <= 1u << 18;
	}
	if (ok && size == 4 && (uint64_t)st.st_size == 8 + items)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s has one byte a number: name it .u8bin or .i8bin, "
			"to say whether they have a sign", path);
	return ok && (uint64_t)st.st_size == 8 + size * items
		       ? 0
		       : err_set(e, ERR_IO, -EBADMSG,
				 "%s is no .fbin file (nor .u8bin, .i8bin): "
				 "two 32-bit numbers, rows and columns, then "
				 "as many floats (bytes) and nothing else",
				 path);
}

/* One row; -EBADMSG when it is not all numbers, -ERANGE when it is too long. */
static int read_row(FILE *f, enum element t, float *x, uint32_t dim)
{
	int8_t *bytes = (int8_t *)x;
	double square = 0;
	uint32_t d;

	if (fread(x, element_bytes(t), dim, f) != dim)
		return -EIO;
	if (t == ELEMENT_FLOAT) {
		for (d = 0; d < dim; d++) {
			if (!isfinite(x[d]))
				return -EBADMSG;
			square += (double)x[d] * (double)x[d];
		}
		return square > VDB_SQUARE_MAX ? -ERANGE : 0;
	}
	/* from the end: a float takes the place of four bytes */
	for (d = dim; d-- > 0;)
		x[d] = t == ELEMENT_I8 ? (float)bytes[d]
				       : (float)(uint8_t)bytes[d];
	return 0;
}

int vdb_fbin_read(struct vdb_vectors *v, const char *path, uint64_t first,
	uint64_t count, struct err *e)
{
	enum element t = element_of(path);
	uint64_t rows, i;
	uint32_t dim;
	FILE *f;
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
	if (!f || fseeko(f, (off_t)(8 + element_bytes(t) * first * dim),
			  SEEK_SET))
		r = -EIO;
	for (i = 0; !r && i < count; i++)
		r = read_row(f, t, v->data + i * v->stride, dim);
	if (f)
		fclose(f);
	if (r)
		vdb_vectors_free(v);
	if (r == -ERANGE)
		return err_set(e, ERR_USAGE, r,
			"%s: row %" PRIu64 " is longer than %.1e: distances "
			"would be more than 32-bit floats hold; divide all "
			"vectors and queries by the same number", path,
			first + i - 1, sqrt(VDB_SQUARE_MAX));
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
