/*
 * Real indexes: the graph, the quantizer and its files, ground truth, and
 * recall of searches against it.
 */
#include "plan/vdb_run.h"

#include "core/units.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_list.h"
#include "datagen/vdb_manifest.h"
#include "datagen/vdb_math.h"
#include "datagen/vdb_truth.h"
#include "plan/vdb_profile.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct vdb_vectors vectors_of(
	enum vdb_distribution kind, uint64_t n, uint32_t dim)
{
	struct vdb_vectors v;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		vdb_vectors_generate(&v, kind, 42, 0, n, dim, &e), 0);
	return v;
}

/* Distances by the plain sum, also of dimensions that are no multiple of 16. */
static void test_math(void)
{
	struct vdb_vectors v = vectors_of(VDB_UNIFORM, 2, 37);
	float transposed[3 * VDB_CENTROIDS], out[VDB_CENTROIDS];
	float table[5 * VDB_CENTROIDS], x[3] = {1, 2, 3};
	static const uint8_t codes[5] = {1, 2, 3, 4, 255};
	double sum = 0, d;
	uint32_t i;

	for (i = 0; i < 37; i++) {
		d = (double)vdb_vector(&v, 0)[i] - (double)vdb_vector(&v, 1)[i];
		sum += d * d;
	}
	CU_ASSERT_DOUBLE_EQUAL(
		vdb_l2(vdb_vector(&v, 0), vdb_vector(&v, 1), v.stride), sum,
		1e-5);
	/* centroid k is (k, 0, 1): (1 - k)^2 + 4 + 4 */
	for (i = 0; i < VDB_CENTROIDS; i++) {
		transposed[i] = (float)i;
		transposed[VDB_CENTROIDS + i] = 0;
		transposed[2 * VDB_CENTROIDS + i] = 1;
	}
	vdb_centroid_distances(x, 3, transposed, out);
	CU_ASSERT_EQUAL(out[0], 9);
	CU_ASSERT_EQUAL(out[5], 24);
	CU_ASSERT_EQUAL(vdb_smallest(out), 1);
	/* entry k of chunk c is 1000 c + k */
	for (i = 0; i < 5 * VDB_CENTROIDS; i++)
		table[i] = (float)(i / VDB_CENTROIDS * 1000 + i % VDB_CENTROIDS);
	CU_ASSERT_EQUAL(vdb_lookup(table, codes, 5), 10000 + 1 + 2 + 3 + 4 + 255);
	vdb_vectors_free(&v);
}

/* The benchmark's queries: numpy's draws of seed 42, and their norm. */
static void test_queries(void)
{
	struct vdb_vectors v;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		vdb_queries_generate(&v, VDB_UNIFORM, 42, 1, 1536, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(v.data[0], 0.0165194236, 1e-8);
	CU_ASSERT_DOUBLE_EQUAL(v.data[1], 0.0419320948, 1e-8);
	CU_ASSERT_DOUBLE_EQUAL(v.data[2], 0.0322852395, 1e-8);
	vdb_vectors_free(&v);
}

static void test_list(void)
{
	struct vdb_candidate items[4];
	struct vdb_list l = {.items = items, .room = 3};

	vdb_list_add(&l, 5, 50);
	vdb_list_add(&l, 3, 30);
	CU_ASSERT_EQUAL(vdb_list_next(&l)->id, 30);
	CU_ASSERT_EQUAL(vdb_list_next(&l)->id, 50);
	CU_ASSERT_PTR_NULL(vdb_list_next(&l));
	/* a nearer one moves the cursor back; ties by id; the last falls off */
	vdb_list_add(&l, 3, 20);
	vdb_list_add(&l, 1, 10);
	CU_ASSERT_EQUAL(l.count, 3);
	CU_ASSERT_EQUAL(items[0].id, 10);
	CU_ASSERT_EQUAL(items[1].id, 20);
	CU_ASSERT_EQUAL(items[2].id, 30);
	CU_ASSERT_EQUAL(vdb_list_next(&l)->id, 10);
	vdb_list_add(&l, 9, 90);
	CU_ASSERT_EQUAL(l.count, 3);
	CU_ASSERT_EQUAL(vdb_list_next(&l)->id, 20);
	CU_ASSERT_PTR_NULL(vdb_list_next(&l));
}

/* No list is longer than R, none names itself or anything twice. */
static void test_graph(void)
{
	struct vdb_vectors v = vectors_of(VDB_UNIFORM, 600, 20);
	struct vdb_vamana_plan plan = {.degree = 16, .list = 40};
	struct vdb_vamana g;
	const uint32_t *ids;
	uint64_t bad = 0, i;
	uint32_t k, m;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		vdb_vamana_build(&g, &v, &plan, &e), 0);
	for (i = 0; i < 600; i++) {
		ids = vdb_vamana_list(&g, i);
		bad += g.sizes[i] > 16 || !g.sizes[i];
		for (k = 0; k < g.sizes[i]; k++) {
			bad += ids[k] >= 600 || ids[k] == i;
			for (m = 0; m < k; m++)
				bad += ids[m] == ids[k];
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT(vdb_vamana_longest(&g) <= 16);
	vdb_vamana_free(&g);
	vdb_vectors_free(&v);
}

/*
 * Sizes of Microsoft's own files: codes of 256 x 128 vectors in 128 chunks are
 * 8 + 32768 bytes, their pivots 136,220; 32 chunks: 4 x 96 bytes less.
 */
static void test_quantizer(void)
{
	struct vdb_vectors v = vectors_of(VDB_UNIFORM, 256, 128);
	char dir[UT_PATH_MAX], prefix[UT_PATH_MAX], path[UT_PATH_MAX];
	float table[128 * VDB_CENTROIDS];
	struct vdb_pq q, back;
	struct err e;

	ut_dir_make(dir, "/tmp");
	ut_join(prefix, dir, "p");
	CU_ASSERT_EQUAL_FATAL(vdb_pq_train(&q, &v, 128, true, 1, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_pq_save(&q, prefix, &e), 0);
	CU_ASSERT_EQUAL(
		ut_file_size(ut_join(path, dir, "p_pq_compressed.bin")), 32776);
	CU_ASSERT_EQUAL(
		ut_file_size(ut_join(path, dir, "p_pq_pivots.bin")), 136220);
	CU_ASSERT_EQUAL_FATAL(vdb_pq_load(&back, prefix, 256, 128, &e), 0);
	CU_ASSERT_EQUAL(memcmp(back.codes, q.codes, 256 * 128), 0);
	CU_ASSERT_EQUAL(memcmp(back.transposed, q.transposed,
				128 * VDB_CENTROIDS * 4), 0);
	/* 256 rows and as many centroids: nothing is lost */
	vdb_pq_table(&back, vdb_vector(&v, 7), table);
	CU_ASSERT_DOUBLE_EQUAL(
		vdb_lookup(table, back.codes + 7 * 128, 128), 0, 1e-6);
	vdb_pq_free(&back);
	/* damaged ones are refused by name */
	CU_ASSERT_EQUAL(vdb_pq_load(&back, prefix, 255, 128, &e), -EBADMSG);
	ut_file_flip(path, 16);
	CU_ASSERT_EQUAL(vdb_pq_load(&back, prefix, 256, 128, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "p_pq_pivots.bin"));
	vdb_pq_free(&q);
	vdb_vectors_free(&v);
	ut_dir_remove(dir);
	/* 768 bytes a vector are capped at 512 */
	CU_ASSERT_EQUAL(vdb_pq_chunks(768 * 1000, 1000, 1536), 512);
	CU_ASSERT_EQUAL(vdb_pq_chunks(5, 1000, 1536), 1);
}

/* Against a plain scan, in two parts and merged; the file; a cut one. */
static void test_truth(void)
{
	struct vdb_vectors v = vectors_of(VDB_CLUSTERED, 500, 24), q, a, b;
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct vdb_truth t, u;
	uint32_t i, best, k;
	uint64_t n;
	float d, least;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		vdb_queries_generate(&q, VDB_CLUSTERED, 42, 20, 24, &e), 0);
	a = b = v;
	a.count = 123;
	b.count = 377;
	b.first = 123;
	b.data += 123 * v.stride;
	CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&t, 20, 5, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&u, 20, 5, &e), 0);
	CU_ASSERT_EQUAL(vdb_truth_add(&t, &q, &a, &e), 0);
	CU_ASSERT_EQUAL(vdb_truth_add(&u, &q, &b, &e), 0);
	vdb_truth_merge(&t, &u);
	CU_ASSERT_EQUAL(t.covered, 500);
	for (i = 0; i < 20; i++) {
		least = INFINITY;
		best = 0;
		for (n = 0; n < 500; n++) {
			d = vdb_l2(vdb_vector(&q, i), vdb_vector(&v, n),
				v.stride);
			if (d < least) {
				least = d;
				best = (uint32_t)n;
			}
		}
		CU_ASSERT_EQUAL(t.ids[i * 5], best);
		CU_ASSERT_DOUBLE_EQUAL(t.distances[i * 5], least, 1e-5);
		for (k = 1; k < 5; k++)
			CU_ASSERT(t.distances[i * 5 + k] >=
				  t.distances[i * 5 + k - 1]);
	}
	ut_dir_make(dir, "/tmp");
	ut_join(path, dir, "truth");
	CU_ASSERT_EQUAL_FATAL(vdb_truth_save(&t, path, &e), 0);
	CU_ASSERT_EQUAL(ut_file_size(path), 8 + 8 * 20 * 5);
	vdb_truth_free(&u);
	CU_ASSERT_EQUAL_FATAL(vdb_truth_load(&u, path, &e), 0);
	CU_ASSERT_EQUAL(memcmp(u.ids, t.ids, 400), 0);
	ut_file_write(path, "\5\0\0\0\2\0\0\0xxx", 11);
	vdb_truth_free(&u);
	CU_ASSERT_EQUAL(vdb_truth_load(&u, path, &e), -EBADMSG);
	vdb_truth_free(&t);
	vdb_vectors_free(&v);
	vdb_vectors_free(&q);
	ut_dir_remove(dir);
}

struct bed {
	struct vdb_run c;
	struct vdb_record rec;
	struct engine_spec spec;
	char dir[UT_PATH_MAX];
	struct err e;
};

/* 3,000 vectors of 32 dimensions in two segments, 50 queries. */
static void bed_make(struct bed *b, enum vdb_distribution kind)
{
	struct vdb_shape s = {.vectors = 3000, .dim = 32, .degree = 24,
		.segments = 2, .seed = 42, .built = true, .distribution = kind,
		.list = 50, .chunks = 16, .queries = 50, .truth_k = 10};
	struct vdb_generate p = {.shape = &s};
	struct vdb_written w;

	memset(b, 0, sizeof(*b));
	ut_dir_make(b->dir, "/tmp");
	b->spec.kind = ENGINE_PREAD;
	b->spec.dir = p.folder = b->dir;
	p.engine = &b->spec;
	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &p.group, &b->e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_generate(&p, &w, &b->e), 0);
	group_close(p.group);
	CU_ASSERT_EQUAL(w.segments, 2);
}

static int bed_search(struct bed *b, uint32_t list, enum vdb_schedule schedule,
	uint32_t cache)
{
	struct vdb_config *c;
	int r;

	vdb_record_fini(&b->rec);
	vdb_record_init(&b->rec);
	c = &b->rec.config;
	snprintf(c->folder, sizeof(c->folder), "%s", b->dir);
	CU_ASSERT_EQUAL_FATAL(vdb_folder_shape(b->dir, &c->shape, &b->e), 0);
	c->clients = c->outstanding = c->batch = 1;
	c->distinct = c->shape.queries;
	c->queries = c->distinct;
	c->limit = 10;
	c->search_list = list;
	c->beam_width = 4;
	c->schedule = schedule;
	c->cache_nodes = cache;
	b->c.engine = b->spec;
	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &b->c.group, &b->e), 0);
	r = vdb_run(&b->c, &b->rec, &b->e);
	group_close(b->c.group);
	return r;
}

static void bed_free(struct bed *b)
{
	vdb_record_fini(&b->rec);
	ut_dir_remove(b->dir);
}

/* Recall rises with L and is complete at L = n; E is a little more than L. */
static void test_recall(void)
{
	static const uint32_t lists[] = {10, 40, 120, 1500};
	double before = 0;
	struct bed b;
	size_t i;

	bed_make(&b, VDB_UNIFORM);
	for (i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL_FATAL(
			bed_search(&b, lists[i], VDB_REFERENCE, 0), 0);
		CU_ASSERT_TRUE(b.rec.recall.known);
		CU_ASSERT_EQUAL(b.rec.recall.queries, 50);
		CU_ASSERT(b.rec.recall.mean >= before);
		CU_ASSERT_EQUAL(b.rec.counts.reads, b.rec.counts.expansions);
		/* all of the list, and up to 18 that led there */
		if (lists[i] == 120)
			CU_ASSERT_DOUBLE_EQUAL(
				b.rec.metrics.expansions_per_search, 129, 9);
		before = b.rec.recall.mean;
	}
	CU_ASSERT(before >= 0.98);
	CU_ASSERT_TRUE(vdb_recall_ok(&b.rec.recall));
	b.rec.recall.target = 1.1;
	CU_ASSERT_FALSE(vdb_recall_ok(&b.rec.recall));
	/* the other schedule finds as much; a cache saves reads, not nodes */
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 120, VDB_REFERENCE, 0), 0);
	before = b.rec.recall.mean;
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 120, VDB_PIPELINED, 0), 0);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.recall.mean, before, 0.02);
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 120, VDB_REFERENCE, 300), 0);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.recall.mean, before, 0.02);
	CU_ASSERT(b.rec.counts.cache_hits > 0);
	CU_ASSERT_EQUAL(b.rec.counts.reads + b.rec.counts.cache_hits,
		b.rec.counts.expansions);
	bed_free(&b);
}

static void test_clustered(void)
{
	struct bed b;

	bed_make(&b, VDB_CLUSTERED);
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 100, VDB_REFERENCE, 0), 0);
	CU_ASSERT(b.rec.recall.mean >= 0.97);
	bed_free(&b);
}

/* mlcommons/storage#805: ids that are shuffled find nothing, and FAIL. */
static void test_nothing_found(void)
{
	char path[UT_PATH_MAX];
	struct vdb_manifest m;
	struct vdb_truth t;
	struct bed b;
	uint32_t i;

	bed_make(&b, VDB_UNIFORM);
	ut_join(path, b.dir, "ground_truth.bin");
	CU_ASSERT_EQUAL_FATAL(vdb_truth_load(&t, path, &b.e), 0);
	for (i = 0; i < 500; i++)
		t.ids[i] += 100000;
	CU_ASSERT_EQUAL(vdb_truth_save(&t, path, &b.e), 0);
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 100, VDB_REFERENCE, 0), 0);
	CU_ASSERT_EQUAL(b.rec.recall.mean, 0);
	CU_ASSERT_FALSE(vdb_recall_ok(&b.rec.recall));
	/* a truth that knows one vector less is none */
	for (i = 0; i < 500; i++)
		t.ids[i] -= 100000;
	CU_ASSERT_EQUAL(vdb_truth_save(&t, path, &b.e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_manifest_load(b.dir, &m, &b.e), 0);
	CU_ASSERT_EQUAL(m.shape.truth_vectors, 3000);
	m.shape.truth_vectors--;
	CU_ASSERT_EQUAL_FATAL(vdb_manifest_save(b.dir, &m, &b.e), 0);
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 100, VDB_REFERENCE, 0), 0);
	CU_ASSERT(b.rec.recall.mean > 0.9);
	CU_ASSERT_FALSE(vdb_recall_ok(&b.rec.recall));
	vdb_truth_free(&t);
	bed_free(&b);
}

UT_SUITE(vdb_index, UT_CASE(test_math), UT_CASE(test_queries),
	UT_CASE(test_list), UT_CASE(test_graph), UT_CASE(test_quantizer),
	UT_CASE(test_truth), UT_CASE(test_recall), UT_CASE(test_clustered),
	UT_CASE(test_nothing_found))
