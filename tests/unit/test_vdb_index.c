/*
 * Real indexes: the graph, the quantizer and its files, ground truth, and
 * recall of searches against it.
 */
#include "plan/vdb_run.h"

#include "core/units.h"
#include "datagen/vdb_cache.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_list.h"
#include "datagen/vdb_made.h"
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
	struct vdb_candidate items[4] = {{0}};
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

/* In double. */
static uint32_t nearest_to(const struct vdb_vectors *v, const float *q)
{
	double least = INFINITY, d, a;
	uint32_t best = 0, i, k;

	for (i = 0; i < v->count; i++) {
		for (d = 0, k = 0; k < v->dim; k++) {
			a = (double)q[k] - (double)vdb_vector(v, i)[k];
			d += a * a;
		}
		if (d < least) {
			least = d;
			best = i;
		}
	}
	return best;
}

/*
 * Far from the origin |q|^2 + |x|^2 - 2 qx cancels: 32 dimensions at 1,000 are
 * squares of 32 million, which floats know to 2, and distances of about 5.
 */
static void test_truth_far_away(void)
{
	struct vdb_vectors v = vectors_of(VDB_UNIFORM, 2000, 32), q;
	struct vdb_truth t;
	struct err e;
	uint64_t i;

	CU_ASSERT_EQUAL_FATAL(
		vdb_queries_generate(&q, VDB_UNIFORM, 42, 50, 32, &e), 0);
	for (i = 0; i < 2000 * 32; i++)
		v.data[i / 32 * v.stride + i % 32] += 1000;
	for (i = 0; i < 50 * 32; i++)
		q.data[i / 32 * q.stride + i % 32] += 1000;
	CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&t, 50, 3, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_truth_add(&t, &q, &v, &e), 0);
	for (i = 0; i < 50; i++)
		CU_ASSERT_EQUAL(
			t.ids[i * 3], nearest_to(&v, vdb_vector(&q, i)));
	vdb_truth_free(&t);
	/* squares whose sum no float holds; squares that none holds */
	v.data[7 * v.stride] = 1.5e19F;
	CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&t, 50, 3, &e), 0);
	CU_ASSERT_EQUAL(vdb_truth_add(&t, &q, &v, &e), -ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "vector 7"));
	vdb_truth_free(&t);
	v.data[7 * v.stride] = 1e20F;
	CU_ASSERT_EQUAL_FATAL(vdb_truth_init(&t, 50, 3, &e), 0);
	CU_ASSERT_EQUAL(vdb_truth_add(&t, &q, &v, &e), -ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "vector 7"));
	vdb_truth_free(&t);
	vdb_vectors_free(&q);
	vdb_vectors_free(&v);
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
	enum vdb_node_cache rule;
	bool verify;
	struct err e;
};

/* 3,000 vectors of 32 dimensions in two segments, 50 queries. */
static const struct vdb_shape small = {.vectors = 3000, .dim = 32,
	.degree = 24, .segments = 2, .seed = 42, .built = true, .list = 50,
	.chunks = 16, .queries = 50, .truth_k = 10};

static void bed_write(struct bed *b, const struct vdb_shape *shape)
{
	struct vdb_shape s = *shape;
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
	CU_ASSERT_EQUAL(w.segments, s.segments);
}

static void bed_make(struct bed *b, enum vdb_distribution kind)
{
	struct vdb_shape s = small;

	s.distribution = kind;
	bed_write(b, &s);
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
	c->node_cache = b->rule ? b->rule
			: cache ? VDB_CACHE_BREADTH
				: VDB_CACHE_NONE;
	c->verify = b->verify;
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

/*
 * Milvus's room: 10 % of the vectors' bytes by 1.2 times a node's. R 64, d
 * 1536: 0.1 x 6144 / (1.2 x 6404) = 7.995 %; R 16, d 128: 0.1 x 512 / (1.2 x
 * 580) = 7.356 %. The sample: 10 %, at most 100,000.
 */
static void test_cache_rule(void)
{
	struct vdb_bin ids;
	struct err e;
	uint32_t i;

	CU_ASSERT_EQUAL(vdb_cache_count(1000000, 1536, 64), 79950);
	CU_ASSERT_EQUAL(vdb_cache_count(1000000, 128, 16), 73563);
	CU_ASSERT_EQUAL(vdb_cache_count(3, 128, 16), 1);
	CU_ASSERT_EQUAL_FATAL(vdb_cache_sample(&ids, 5000, 1, &e), 0);
	CU_ASSERT_EQUAL(ids.count, 500);
	for (i = 1; i < 500; i++)
		CU_ASSERT(ids.items[i] > ids.items[i - 1]);
	CU_ASSERT(ids.items[499] < 5000);
	vdb_bin_free(&ids);
	CU_ASSERT_EQUAL_FATAL(vdb_cache_sample(&ids, 2000000, 1, &e), 0);
	CU_ASSERT_EQUAL(ids.count, VDB_SAMPLE_MAX);
	vdb_bin_free(&ids);
}

/* The hit share of L 50 with a cache of as many nodes by either rule. */
static double hit_share(struct bed *b, enum vdb_node_cache rule, uint32_t n)
{
	b->rule = rule;
	CU_ASSERT_EQUAL_FATAL(bed_search(b, 50, VDB_REFERENCE, n), 0);
	CU_ASSERT_EQUAL(b->rec.cached_nodes, 2 * n);
	return b->rec.metrics.cache_pct / 100;
}

/*
 * What a sample visits is worth more than what lies around the start, and
 * more than its share of the nodes: hubs are near every query.
 */
static void test_cache(void)
{
	uint32_t n = (uint32_t)vdb_cache_count(1500, 32, 24);
	double visits, breadth;
	char path[UT_PATH_MAX];
	struct vdb_bin list;
	struct bed b;

	bed_make(&b, VDB_UNIFORM);
	/* 0.1 x 128 / (1.2 x (100 + 128)) = 4.678 % of 1,500 */
	CU_ASSERT_EQUAL(n, 70);
	CU_ASSERT_EQUAL(ut_file_size(ut_join(path, b.dir,
				"segment_0000_sample_ids.bin")), 8 + 4 * 150);
	CU_ASSERT_EQUAL(ut_file_size(ut_join(path, b.dir,
				"segment_0000_sample_data.bin")),
		8 + 150 * 32 * 4);
	visits = hit_share(&b, VDB_CACHE_VISITS, n);
	breadth = hit_share(&b, VDB_CACHE_BREADTH, n);
	CU_ASSERT(visits > breadth && visits > 0.10);
	/* all of the list is the rule's; a list that names a node twice */
	b.rule = VDB_CACHE_VISITS;
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 50, VDB_REFERENCE, 0), 0);
	CU_ASSERT_EQUAL(b.rec.cached_nodes, 2 * n);
	ut_join(path, b.dir, "segment_0001");
	CU_ASSERT_EQUAL_FATAL(
		vdb_bin_load(path, VDB_CACHED_NODES, &list, &b.e), 0);
	list.items[7] = list.items[3];
	CU_ASSERT_EQUAL(vdb_bin_save(path, VDB_CACHED_NODES, &list, &b.e), 0);
	vdb_bin_free(&list);
	CU_ASSERT_EQUAL(bed_search(&b, 50, VDB_REFERENCE, 0), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "_cached_nodes.bin"));
	bed_free(&b);
}

/* Every read has a sum; a byte in the last sector of one is found and named. */
static void test_verify(void)
{
	char path[UT_PATH_MAX];
	struct bed b;
	uint64_t i;

	bed_make(&b, VDB_UNIFORM);
	b.verify = true;
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 50, VDB_REFERENCE, 0), 0);
	CU_ASSERT_EQUAL(b.rec.counts.verified_bytes, b.rec.counts.read_bytes);
	CU_ASSERT(b.rec.counts.reads > 0);
	/* 1500 x (128 + 4 + 96) bytes, 17 in a sector: their tails are zero */
	ut_join(path, b.dir, "segment_0001_disk.index");
	for (i = 1; i <= 1500 / 17; i++)
		ut_file_flip(path, i * 4096 + 4095);
	CU_ASSERT_EQUAL(bed_search(&b, 50, VDB_REFERENCE, 0), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "segment_0001_disk.index"));
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "sector"));
	/* and by the cache that is loaded before */
	b.rule = VDB_CACHE_VISITS;
	CU_ASSERT_EQUAL(bed_search(&b, 50, VDB_REFERENCE, 0), -EBADMSG);
	/* nobody sees it without */
	b.verify = false;
	CU_ASSERT_EQUAL(bed_search(&b, 50, VDB_REFERENCE, 0), 0);
	b.verify = true;
	remove(ut_join(path, b.dir, "segment_0000_disk.index_sums.bin"));
	CU_ASSERT_EQUAL(bed_search(&b, 50, VDB_REFERENCE, 0), -ENOENT);
	CU_ASSERT_EQUAL(b.e.kind, ERR_USAGE);
	bed_free(&b);
}

/*
 * A copy keeps the distances among its vectors and their codes' tables' sums,
 * and has others to a query.
 */
static void test_copy(void)
{
	const struct vdb_vamana_plan plan = {.degree = 12, .list = 30};
	struct vdb_made m, c;
	struct vdb_vectors q;
	const uint32_t *ids;
	float ta[8 * VDB_CENTROIDS], tb[8 * VDB_CENTROIDS];
	uint32_t i, k, a, bad = 0, same = 0;
	struct err e;

	memset(&m, 0, sizeof(m));
	m.vectors = vectors_of(VDB_UNIFORM, 400, 20);
	CU_ASSERT_EQUAL_FATAL(
		vdb_vamana_build(&m.graph, &m.vectors, &plan, &e), 0);
	/* 20 dimensions in 8 chunks: four of 3, four of 2 */
	CU_ASSERT_EQUAL_FATAL(vdb_pq_train(&m.pq, &m.vectors, 8, true, 1, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_cache_sample(&m.sample, 400, 1, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_cache_choose(&m.cached, &m.vectors, &m.graph,
		&m.pq, &m.sample, 12, &e), 0);
	CU_ASSERT_EQUAL_FATAL(vdb_made_copy(&c, &m, 3, 1200, 42, &e), 0);
	CU_ASSERT_EQUAL(c.vectors.first, 1200);
	/* sample[i] of the copy is sample[i] of the first */
	for (i = 0; i < 40; i++) {
		a = m.sample.items[i];
		k = c.sample.items[i];
		vdb_pq_table(&m.pq, vdb_vector(&m.vectors, a), ta);
		vdb_pq_table(&c.pq, vdb_vector(&c.vectors, k), tb);
		CU_ASSERT_DOUBLE_EQUAL(
			vdb_lookup(ta, m.pq.codes + a * 8, 8),
			vdb_lookup(tb, c.pq.codes + k * 8, 8), 1e-5);
		CU_ASSERT_DOUBLE_EQUAL(
			vdb_l2(vdb_vector(&m.vectors, a),
				vdb_vector(&m.vectors, m.sample.items[0]), 32),
			vdb_l2(vdb_vector(&c.vectors, k),
				vdb_vector(&c.vectors, c.sample.items[0]), 32),
			1e-5);
		CU_ASSERT_EQUAL(m.graph.sizes[a], c.graph.sizes[k]);
		ids = vdb_vamana_list(&c.graph, k);
		for (a = 0; a < c.graph.sizes[k]; a++)
			bad += ids[a] >= 400 || ids[a] == k;
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL_FATAL(
		vdb_queries_generate(&q, VDB_UNIFORM, 42, 1, 20, &e), 0);
	for (i = 0; i < 40; i++)
		same += fabsf(vdb_l2(vdb_vector(&q, 0), vdb_vector(&m.vectors,
						m.sample.items[i]), 32) -
			      vdb_l2(vdb_vector(&q, 0), vdb_vector(&c.vectors,
						c.sample.items[i]), 32)) < 1e-6F;
	CU_ASSERT(same < 5);
	vdb_vectors_free(&q);
	vdb_made_free(&c);
	vdb_made_free(&m);
}

/*
 * 10 of 3,000: 0.00333 by chance; of 100 queries 3 x 0.00333 + 5 x
 * sqrt(0.00333 / 1000) = 0.0191. 10 of 12 are 0.83: a half at the most.
 */
static void test_chance(void)
{
	struct vdb_recall r = {.known = true, .k = 10, .queries = 100,
		.coverage = 1, .mean = 0.0060, .chance = 10.0 / 3000};

	CU_ASSERT_DOUBLE_EQUAL(vdb_recall_chance_most(&r), 0.01913, 1e-5);
	CU_ASSERT_FALSE(vdb_recall_ok(&r));
	r.mean = 0.0192;
	CU_ASSERT_TRUE(vdb_recall_ok(&r));
	r.target = 0.1;
	CU_ASSERT_FALSE(vdb_recall_ok(&r));
	r.target = 0;
	r.chance = 10.0 / 12;
	r.mean = 1;
	CU_ASSERT_DOUBLE_EQUAL(vdb_recall_chance_most(&r), 0.5, 0);
	CU_ASSERT_TRUE(vdb_recall_ok(&r));
}

/* Four segments out of one: what all find, and each of its own. */
static void test_copies(void)
{
	struct vdb_shape s = small;
	struct bed b;

	s.vectors = 4000;
	s.segments = 4;
	s.copies = true;
	bed_write(&b, &s);
	b.verify = true;
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 900, VDB_REFERENCE, 0), 0);
	CU_ASSERT_EQUAL(b.rec.index_bytes, 4 * 4096 * (1 + (1000 + 16) / 17));
	CU_ASSERT_EQUAL(b.rec.recall.segments, 4);
	CU_ASSERT(b.rec.recall.mean >= 0.98);
	CU_ASSERT(b.rec.recall.segment_min >= 0.97);
	CU_ASSERT_EQUAL_FATAL(bed_search(&b, 10, VDB_REFERENCE, 0), 0);
	CU_ASSERT(b.rec.recall.segment_min < b.rec.recall.segment_max);
	CU_ASSERT(b.rec.recall.segment_max < 0.97);
	/* of 10 near ones each segment holds a few: its best are found first */
	CU_ASSERT(b.rec.recall.mean > b.rec.recall.segment_mean);
	bed_free(&b);
}

UT_SUITE(vdb_index, UT_CASE(test_math), UT_CASE(test_queries),
	UT_CASE(test_list), UT_CASE(test_graph), UT_CASE(test_quantizer),
	UT_CASE(test_truth), UT_CASE(test_truth_far_away),
	UT_CASE(test_recall), UT_CASE(test_clustered),
	UT_CASE(test_nothing_found), UT_CASE(test_cache_rule),
	UT_CASE(test_cache), UT_CASE(test_verify), UT_CASE(test_copy),
	UT_CASE(test_copies), UT_CASE(test_chance))
