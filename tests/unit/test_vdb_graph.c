/* Index content from nothing: bytes agree with the function, skew, nothing
 * repeats. */
#include "datagen/vdb_graph.h"

#include "tests/unit/ut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *table;

static struct vdb_graph graph_of(
	uint64_t vectors, uint32_t dim, uint32_t segments, uint32_t hub_ppm)
{
	struct vdb_shape s = {.vectors = vectors, .dim = dim, .degree = 64,
		.segments = segments, .hub_ppm = hub_ppm, .seed = 7};
	struct vdb_graph g;
	struct err e;

	free(table);
	table = vdb_graph_table(&s, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(table);
	CU_ASSERT_EQUAL_FATAL(vdb_graph_init(&g, &s, 0, table, &e), 0);
	return g;
}

/* A file in pieces is the file as a whole; records are the function's. */
static void check_file(uint32_t dim)
{
	struct vdb_graph g = graph_of(1000, dim, 1, 800000);
	const struct vdb_layout *l = &g.layout;
	uint8_t *all = malloc(l->file_bytes), *part = malloc(l->read_bytes);
	struct vdb_layout back;
	const uint8_t *r;
	uint64_t node;
	uint32_t j;
	struct err e;

	vdb_graph_fill(&g, 0, all, l->file_bytes);
	CU_ASSERT_EQUAL(vdb_layout_decode(&back, all, l->file_bytes, 4, dim,
				"file", &e), 0);
	CU_ASSERT_EQUAL(back.medoid, l->medoid);
	for (node = 0; node < 1000; node += 13) {
		r = all + vdb_layout_offset(l, node);
		vdb_graph_fill(&g, vdb_layout_offset(l, node), part,
			l->read_bytes);
		CU_ASSERT_EQUAL(memcmp(r, part, l->read_bytes), 0);
		r += vdb_layout_within(l, node);
		CU_ASSERT_TRUE(vdb_graph_record_sane(&g, r));
		for (j = 0; j < 64; j++)
			CU_ASSERT_EQUAL(vdb_graph_record_link(&g, r, j),
				vdb_graph_link(&g, node, j));
		CU_ASSERT_EQUAL(vdb_graph_digest(&g, node, r, 99),
			vdb_graph_digest(&g, node, NULL, 99));
	}
	/* zeroes are no record, nor another node's digest */
	memset(part, 0, l->read_bytes);
	CU_ASSERT_FALSE(vdb_graph_record_sane(&g, part));
	CU_ASSERT_NOT_EQUAL(vdb_graph_digest(&g, 1, NULL, 99),
		vdb_graph_digest(&g, 2, NULL, 99));
	free(all);
	free(part);
}

static void test_bytes(void)
{
	check_file(128);  /* five a sector */
	check_file(1536); /* two sectors each */
}

/* A permutation: all ids are reached, hubs are 8 % of them. */
static void test_hubs(void)
{
	struct vdb_graph g = graph_of(5000, 16, 1, 795600);
	uint64_t i, hubs = 0;

	for (i = 0; i < 5000; i++)
		hubs += vdb_graph_is_hub(&g, i);
	CU_ASSERT_EQUAL(hubs, 400);
	for (i = 0; i < 200; i++) {
		CU_ASSERT_TRUE(vdb_graph_is_hub(
			&g, vdb_graph_pick(&g, i << 56, true)));
		CU_ASSERT_FALSE(vdb_graph_is_hub(
			&g, vdb_graph_pick(&g, i << 56, false)));
	}
}

/*
 * P(rank < x n) = x^(1/g) with g = ln 0.08 / ln 0.7956. Halves are exact:
 * P(rank < n / 2) = 2^(-1/g) = 0.7956^(ln 2 / ln 12.5) = 0.9391. Within a half
 * it is even, which the 8 % lie within: 0.7956 comes out between P(1/16) =
 * 0.7777 and P(1/8) = 0.8281 at (0.08 - 0.0625) / 0.0625 of the way, 0.7918.
 */
static void test_skew(void)
{
	struct vdb_graph g = graph_of(345000, 16, 1, 795600);
	uint64_t n = 0, hubs = 0, node;
	double share;
	uint32_t j;

	for (node = 0; node < 4000; node++)
		for (j = 0; j < 64; j++, n++)
			hubs += vdb_graph_is_hub(
				&g, vdb_graph_link(&g, node, j));
	share = (double)hubs / (double)n;
	/* 4 standard deviations of 256,000 draws: 0.0032 */
	CU_ASSERT_DOUBLE_EQUAL(share, 0.7918, 0.0032);
	CU_ASSERT_DOUBLE_EQUAL(
		g.below[0] / 4294967296.0, pow(0.7956, log(2) / log(12.5)),
		1e-4);
}

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 512);
}

/* No two blocks of 512 bytes of vectors are alike, nor are segments. */
static void test_unique(void)
{
	struct vdb_graph g = graph_of(2000, 1536, 2, 795600), h;
	struct vdb_shape s = {.vectors = 2000, .dim = 1536, .degree = 64,
		.segments = 2, .hub_ppm = 795600, .seed = 7};
	uint8_t *blocks = malloc(1000 * 6144), record[8192];
	struct err e;
	size_t i, same = 0;

	for (i = 0; i < 1000; i++) {
		vdb_graph_fill(&g, 4096 + i * 8192, record, 8192);
		memcpy(blocks + i * 6144, record, 6144);
	}
	qsort(blocks, 12000, 512, by_bytes);
	for (i = 1; i < 12000; i++)
		same += !memcmp(blocks + (i - 1) * 512, blocks + i * 512, 512);
	CU_ASSERT_EQUAL(same, 0);
	CU_ASSERT_EQUAL_FATAL(vdb_graph_init(&h, &s, 1, table, &e), 0);
	CU_ASSERT_NOT_EQUAL(vdb_graph_link(&g, 5, 5), vdb_graph_link(&h, 5, 5));
	free(blocks);
	free(table);
	table = NULL;
}

UT_SUITE(vdb_graph, UT_CASE(test_bytes), UT_CASE(test_hubs),
	UT_CASE(test_skew), UT_CASE(test_unique))
