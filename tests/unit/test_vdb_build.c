/*
 * Building an index: the kernels of all vector units, pruning by hand, the
 * graph that comes out the same on all of them, metrics by hand.
 */
#include "datagen/vdb_index.h"
#include "datagen/vdb_math.h"
#include "datagen/vdb_metric.h"
#include "datagen/vdb_truth.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct vdb_vectors uniform(uint64_t n, uint32_t dim)
{
	struct vdb_vectors v;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		vdb_vectors_generate(&v, VDB_UNIFORM, 42, 0, n, dim, &e), 0);
	return v;
}

/* Rows of two numbers, padded. */
static struct vdb_vectors pairs(const float (*x)[2], uint64_t n)
{
	struct vdb_vectors v = uniform(n, 2);
	uint64_t i;

	for (i = 0; i < n; i++)
		memcpy(v.data + i * v.stride, x[i], sizeof(x[i]));
	return v;
}

/* Every vector unit computes the same numbers, to the last bit. */
static void test_kernels(void)
{
	struct vdb_vectors v = uniform(100, 150);
	const struct vdb_kernels *k, *plain = NULL;
	float a[VDB_CENTROIDS], b[VDB_CENTROIDS], near[2][112];
	uint32_t ids[19], i;

	for (i = 0; vdb_kernels[i]; i++)
		plain = vdb_kernels[i];
	CU_ASSERT_STRING_EQUAL(plain->name, "plain");
	for (i = 0; i < 19; i++)
		ids[i] = i * 37 % 100;
	for (i = 0; vdb_kernels[i]; i++) {
		k = vdb_kernels[i];
		CU_ASSERT_EQUAL(k->l2(v.data, vdb_vector(&v, 1), v.stride),
			plain->l2(v.data, vdb_vector(&v, 1), v.stride));
		CU_ASSERT_EQUAL(k->dot(v.data, vdb_vector(&v, 1), v.stride),
			plain->dot(v.data, vdb_vector(&v, 1), v.stride));
		/* four rows at a time, and the three that are left */
		k->l2_rows(v.data, v.data, v.stride, ids, 19, a);
		for (uint32_t r = 0; r < 19; r++)
			CU_ASSERT_EQUAL(a[r], plain->l2(v.data,
				vdb_vector(&v, ids[r]), v.stride));
		k->l2_near(v.data, v.data, v.stride, ids, 19, b);
		CU_ASSERT_EQUAL(memcmp(a, b, 19 * sizeof(*a)), 0);
		k->centroids(v.data, 3, v.data, a);
		plain->centroids(v.data, 3, v.data, b);
		CU_ASSERT_EQUAL(memcmp(a, b, sizeof(a)), 0);
		CU_ASSERT_EQUAL(k->smallest(a), plain->smallest(a));
		/* the first of equals, wherever they are */
		for (uint32_t r = 0; r < VDB_CENTROIDS; r++)
			a[r] = 7;
		CU_ASSERT_EQUAL(k->smallest(a), 0);
		a[250] = a[33] = a[48] = 1;
		CU_ASSERT_EQUAL(k->smallest(a), 33);
		a[255] = 0;
		CU_ASSERT_EQUAL(k->smallest(a), 255);
		for (uint32_t r = 0; r < 112; r++)
			near[0][r] = near[1][r] = r % 3 ? 1.0f : 1e-4f;
		CU_ASSERT_EQUAL(k->approach(v.data, 200, 3, v.data + 7,
					near[0], 112),
			plain->approach(v.data, 200, 3, v.data + 7, near[1],
				112));
		CU_ASSERT_EQUAL(memcmp(near[0], near[1], sizeof(near[0])), 0);
	}
	/* columns 0, 1, 2 ... and 10, 10 ...: the row (3, 10) is 2^2 + 1 off */
	for (i = 0; i < 16; i++) {
		a[i] = (float)i;
		a[16 + i] = 10;
		b[i] = 9;
	}
	CU_ASSERT_EQUAL(vdb_approach(a, 16, 2, (float[]){5, 11}, b, 16),
		/* 9 where (i - 5)^2 + 1 is more: i < 3 and i > 7 */
		9 * 11 + 5 + 2 + 1 + 2 + 5);
	CU_ASSERT_EQUAL(b[3], 5);
	CU_ASSERT_EQUAL(b[8], 9);
	vdb_vectors_free(&v);
}

static struct vdb_vamana graph_of(const struct vdb_vectors *v, uint32_t degree,
	uint32_t list, enum vdb_builder builder)
{
	struct vdb_vamana_plan plan = {
		.builder = builder, .degree = degree, .list = list};
	struct vdb_vamana g;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(vdb_vamana_build(&g, v, &plan, &e), 0);
	return g;
}

/*
 * a (1, 0), b (2, 0), c (0, 3) and, last, p (0, 0); the mean is (.75, .75), so
 * a is the medoid. The pool of p is a (1), b (4), c (9). a is chosen; b is
 * 4 / |a - b|^2 = 4 times occluded, c only 9 / 10. Of two links these are a and
 * c; of three, b fills the list. Then a, which has b and c and room for no more
 * than floor(1.3 x 2) = 2, takes p for c: b (1) and p (1) come first, b by its
 * id, and p is only 1 / 4 occluded by b.
 */
static void test_prune(void)
{
	static const float x[4][2] = {{1, 0}, {2, 0}, {0, 3}, {0, 0}};
	struct vdb_vectors v = pairs(x, 4);
	struct vdb_vamana g = graph_of(&v, 2, 10, VDB_BUILD_MICROSOFT);

	CU_ASSERT_EQUAL(g.medoid, 0);
	CU_ASSERT_EQUAL(g.sizes[3], 2);
	CU_ASSERT_EQUAL(vdb_vamana_list(&g, 3)[0], 0);
	CU_ASSERT_EQUAL(vdb_vamana_list(&g, 3)[1], 2);
	CU_ASSERT_EQUAL(g.sizes[0], 2);
	CU_ASSERT_EQUAL(vdb_vamana_list(&g, 0)[0], 1);
	CU_ASSERT_EQUAL(vdb_vamana_list(&g, 0)[1], 3);
	vdb_vamana_free(&g);
	g = graph_of(&v, 3, 10, VDB_BUILD_MICROSOFT);
	CU_ASSERT_EQUAL(g.sizes[3], 3);
	CU_ASSERT_EQUAL(vdb_vamana_list(&g, 3)[2], 1);
	vdb_vamana_free(&g);
	vdb_vectors_free(&v);
}

/* Same vectors, same graph, whatever this CPU can do. */
static void test_same_graph(void)
{
	const struct vdb_kernels *all[4];
	struct vdb_vectors v = uniform(800, 40);
	struct vdb_vamana g, h;
	uint64_t differ = 0, n;
	size_t i;
	int b;

	memcpy(all, vdb_kernels, sizeof(all));
	for (b = VDB_BUILD_MICROSOFT; b <= VDB_BUILD_KNOWHERE; b++) {
		g = graph_of(&v, 16, 40, (enum vdb_builder)b);
		for (i = 1; all[i]; i++) {
			vdb_kernels[0] = all[i];
			h = graph_of(&v, 16, 40, (enum vdb_builder)b);
			vdb_kernels[0] = all[0];
			for (n = 0; n < 800; n++)
				differ += g.sizes[n] != h.sizes[n] ||
					  memcmp(vdb_vamana_list(&g, n),
						  vdb_vamana_list(&h, n),
						  4 * g.sizes[n]);
			CU_ASSERT_EQUAL(differ, 0);
			vdb_vamana_free(&h);
		}
		vdb_vamana_free(&g);
	}
	vdb_vectors_free(&v);
}

static int stop_at_once(void *ctx, uint64_t n)
{
	*(uint64_t *)ctx = n;
	return 1;
}

/* Two passes are 2000 insertions of 1000 vectors; the first report is half. */
static void test_interrupted(void)
{
	struct vdb_vectors v = uniform(1000, 8);
	uint64_t seen = 0;
	struct vdb_vamana_plan plan = {.builder = VDB_BUILD_KNOWHERE,
		.degree = 8, .list = 10, .progress = stop_at_once,
		.ctx = &seen};
	struct vdb_vamana g;
	struct err e;

	CU_ASSERT_EQUAL(vdb_vamana_build(&g, &v, &plan, &e), -EINTR);
	CU_ASSERT_EQUAL(seen, 500);
	CU_ASSERT_PTR_NULL(g.ids);
	vdb_vectors_free(&v);
}

/* (3, 4) has length 5: (0.6, 0.8); the query (2, 0) is (1, 0) then. */
static void test_cosine(void)
{
	static const float x[2][2] = {{3, 4}, {0, 2}}, y[1][2] = {{2, 0}};
	struct vdb_vectors v = pairs(x, 2), q = pairs(y, 1);
	char dir[UT_PATH_MAX], prefix[UT_PATH_MAX], path[UT_PATH_MAX];
	float *norms;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(vdb_metric_base(&v, VDB_COSINE, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_metric_queries(&q, VDB_COSINE, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(v.data[0], 0.6, 1e-7);
	CU_ASSERT_DOUBLE_EQUAL(v.data[1], 0.8, 1e-7);
	CU_ASSERT_EQUAL(vdb_vector_stored(&v, 0)[1], 4);
	CU_ASSERT_EQUAL(v.norms[0], 5);
	CU_ASSERT_EQUAL(v.norms[1], 2);
	CU_ASSERT_EQUAL(q.data[0], 1);
	ut_dir_make(dir, "/tmp");
	ut_join(prefix, dir, "p");
	CU_ASSERT_EQUAL_FATAL(vdb_norms_save(&v, VDB_COSINE, prefix, &e), 0);
	ut_join(path, dir, "p_disk.index_max_base_norm.bin");
	CU_ASSERT_EQUAL(ut_file_size(path), 8 + 4 * 2);
	CU_ASSERT_EQUAL_FATAL(
		vdb_norms_load(&norms, prefix, VDB_COSINE, 2, &e), 0);
	/* 1 - 3 / 5 and 1 - 0 */
	CU_ASSERT_DOUBLE_EQUAL(vdb_metric_distance(VDB_COSINE, norms, 0,
		vdb_vector_stored(&v, 0), q.data, v.stride), 0.4, 1e-6);
	CU_ASSERT_DOUBLE_EQUAL(vdb_metric_distance(VDB_COSINE, norms, 1,
		vdb_vector_stored(&v, 1), q.data, v.stride), 1, 1e-6);
	free(norms);
	CU_ASSERT_EQUAL(
		vdb_norms_load(&norms, prefix, VDB_COSINE, 3, &e), -EBADMSG);
	CU_ASSERT_PTR_NULL(norms);
	ut_file_write(path, "\2\0\0\0\1\0\0\0\0\0\200\77\0\0\0\0", 16);
	CU_ASSERT_EQUAL(
		vdb_norms_load(&norms, prefix, VDB_COSINE, 2, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "length 1 is not above 0"));
	vdb_vectors_free(&v);
	vdb_vectors_free(&q);
	v = uniform(2, 2);
	memset(v.data + v.stride, 0, 8);
	CU_ASSERT_EQUAL(vdb_metric_base(&v, VDB_COSINE, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "vector 1 is all zeroes"));
	vdb_vectors_free(&v);
	ut_dir_remove(dir);
}

/*
 * M = 5: (3, 4) is (0.6, 0.8, 0), (0, 1) is (0, 0.2, sqrt(1 - 0.04)), of length
 * 1 both. The query (2, 0) has inner products 6 and 0; over its length, 3 and 0.
 */
static void test_inner_product(void)
{
	static const float x[2][2] = {{3, 4}, {0, 1}}, y[1][2] = {{2, 0}};
	struct vdb_vectors v = pairs(x, 2), q = pairs(y, 1);
	struct err e;

	CU_ASSERT_EQUAL_FATAL(vdb_metric_base(&v, VDB_IP, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_metric_queries(&q, VDB_IP, &e), 0);
	CU_ASSERT_EQUAL(v.dim, 3);
	CU_ASSERT_EQUAL(q.dim, 3);
	CU_ASSERT_EQUAL(v.norms[0], 5);
	CU_ASSERT_DOUBLE_EQUAL(v.data[0], 0.6, 1e-7);
	CU_ASSERT_DOUBLE_EQUAL(v.data[2], 0, 1e-3);
	CU_ASSERT_DOUBLE_EQUAL(v.data[v.stride + 1], 0.2, 1e-7);
	CU_ASSERT_DOUBLE_EQUAL(v.data[v.stride + 2], sqrt(0.96), 1e-6);
	CU_ASSERT_EQUAL(q.data[2], 0);
	CU_ASSERT_DOUBLE_EQUAL(vdb_metric_distance(VDB_IP, v.norms, 0,
		vdb_vector_stored(&v, 0), q.data, v.stride), -3, 1e-5);
	CU_ASSERT_DOUBLE_EQUAL(vdb_metric_distance(VDB_IP, v.norms, 1,
		vdb_vector_stored(&v, 1), q.data, v.stride), 0, 1e-6);
	/* squares of Euclidean distances: 2 - 2 qx / M */
	CU_ASSERT_DOUBLE_EQUAL(vdb_l2(v.data, q.data, v.stride),
		2 - 2 * 3 / 5.0, 1e-6);
	vdb_vectors_free(&v);
	vdb_vectors_free(&q);
}

/*
 * (1, 0), (0, 2), (3, 3) and the query (1, 0). L2: 0, 1 + 4, 4 + 9; cosine:
 * 1 - 1, 1 - 0, 1 - 3 / sqrt(18); inner product: 1, 0, 3.
 */
static void test_truth_by_metric(void)
{
	static const float x[3][2] = {{1, 0}, {0, 2}, {3, 3}};
	static const float y[1][2] = {{1, 0}};
	static const uint32_t order[3][3] = {{0, 1, 2}, {0, 2, 1}, {2, 0, 1}};
	static const double d[3][3] = {
		{0, 5, 13}, {0, 0.29289322, 1}, {-3, -1, 0}};
	struct vdb_vectors v = pairs(x, 3), q = pairs(y, 1);
	struct vdb_truth t;
	struct err e;
	int m, i;

	for (m = VDB_L2; m <= VDB_IP; m++) {
		CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&t, 1, 3, &e), 0);
		t.metric = (enum vdb_metric)m;
		CU_ASSERT_EQUAL_FATAL(vdb_truth_add(&t, &q, &v, &e), 0);
		for (i = 0; i < 3; i++) {
			CU_ASSERT_EQUAL(t.ids[i], order[m][i]);
			CU_ASSERT_DOUBLE_EQUAL(t.distances[i], d[m][i], 1e-6);
		}
		vdb_truth_free(&t);
	}
	vdb_vectors_free(&v);
	vdb_vectors_free(&q);
}

/* Bytes become floats, by the sign that the name says they have. */
static void test_byte_files(void)
{
	static const char text[] = "\2\0\0\0\3\0\0\0\1\377\200\0\5\177";
	static const float signs[6] = {1, -1, -128, 0, 5, 127};
	static const float none[6] = {1, 255, 128, 0, 5, 127};
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct vdb_vectors v;
	struct err e;

	ut_dir_make(dir, "/tmp");
	ut_file_write(ut_join(path, dir, "x.i8bin"), text, 14);
	CU_ASSERT_EQUAL_FATAL(vdb_fbin_read(&v, path, 0, 2, &e), 0);
	CU_ASSERT_EQUAL(v.dim, 3);
	CU_ASSERT_EQUAL(memcmp(v.data, signs, 12), 0);
	CU_ASSERT_EQUAL(memcmp(vdb_vector(&v, 1), signs + 3, 12), 0);
	CU_ASSERT_EQUAL(v.data[3], 0);
	vdb_vectors_free(&v);
	ut_file_write(ut_join(path, dir, "x.u8bin"), text, 14);
	CU_ASSERT_EQUAL_FATAL(vdb_fbin_read(&v, path, 1, 1, &e), 0);
	CU_ASSERT_EQUAL(memcmp(v.data, none + 3, 12), 0);
	vdb_vectors_free(&v);
	CU_ASSERT_EQUAL_FATAL(vdb_fbin_read(&v, path, 0, 1, &e), 0);
	CU_ASSERT_EQUAL(memcmp(v.data, none, 12), 0);
	vdb_vectors_free(&v);
	ut_file_write(ut_join(path, dir, "x.bin"), text, 14);
	CU_ASSERT_EQUAL(vdb_fbin_read(&v, path, 0, 2, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "name it .u8bin or .i8bin"));
	ut_file_write(ut_join(path, dir, "y.u8bin"), text, 13);
	CU_ASSERT_EQUAL(vdb_fbin_read(&v, path, 0, 2, &e), -EBADMSG);
	ut_dir_remove(dir);
}

/*
 * 2147418113 x 2147549185 = 2^62 + 1 answers are 2^64 + 4 bytes, and a file of
 * 12 bytes is no such thing.
 */
static void test_truth_overflow(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	uint32_t text[3] = {2147418113u, 2147549185u, 0};
	struct vdb_truth t;
	struct err e;

	CU_ASSERT_EQUAL((uint64_t)text[0] * text[1], (1ULL << 62) + 1);
	ut_dir_make(dir, "/tmp");
	ut_file_write(ut_join(path, dir, "t"), (const char *)text, 12);
	CU_ASSERT_EQUAL(vdb_truth_load(&t, path, &e), -EBADMSG);
	ut_dir_remove(dir);
}

/* Lengths 1 +- 50 %: even, of the vector's own, the direction as it was. */
static void test_spread(void)
{
	struct vdb_vectors v = uniform(4000, 3), w = uniform(4000, 3);
	double low = 9, high = 0, sum = 0, n;
	uint64_t i;

	vdb_vectors_spread(&v, 42, 50);
	for (i = 0; i < 4000; i++) {
		n = sqrt((double)vdb_dot(vdb_vector(&v, i), vdb_vector(&v, i),
			v.stride));
		low = n < low ? n : low;
		high = n > high ? n : high;
		sum += n;
	}
	CU_ASSERT(low >= 0.4999 && low < 0.51);
	CU_ASSERT(high <= 1.5001 && high > 1.49);
	/* 4 standard errors of a mean of 4000: 4 x 0.289 / 63 */
	CU_ASSERT_DOUBLE_EQUAL(sum / 4000, 1, 0.0184);
	CU_ASSERT_DOUBLE_EQUAL(v.data[0] / v.data[1], w.data[0] / w.data[1],
		1e-5);
	vdb_vectors_free(&v);
	vdb_vectors_free(&w);
}

UT_SUITE(vdb_build, UT_CASE(test_kernels), UT_CASE(test_prune),
	UT_CASE(test_same_graph), UT_CASE(test_interrupted),
	UT_CASE(test_cosine), UT_CASE(test_inner_product),
	UT_CASE(test_truth_by_metric), UT_CASE(test_truth_overflow), UT_CASE(test_byte_files),
	UT_CASE(test_spread))
