/*
 * Index files: the sizes of Microsoft's own test files, the placement of
 * records, the three headers made by hand, and headers that are refused.
 */
#include "datagen/vdb_layout.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

static struct vdb_layout layout_of(
	uint64_t nodes, uint64_t dims, uint32_t element, uint32_t degree)
{
	struct vdb_layout l;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(
		vdb_layout_init(&l, nodes, dims, element, degree, &e), 0);
	return l;
}

/*
 * Test files of microsoft/DiskANN: 256 x 128 floats, degree 4: a node of
 * 512 + 20 bytes, 7 in a sector, 1 + 37 sectors. 1000 x 1024, degree 4:
 * 4096 + 20 bytes, two sectors each, 1 + 2000 sectors.
 */
static void test_published_sizes(void)
{
	struct vdb_layout l = layout_of(256, 128, 4, 4);

	CU_ASSERT_EQUAL(l.node_bytes, 532);
	CU_ASSERT_EQUAL(l.per_sector, 7);
	CU_ASSERT_EQUAL(l.file_bytes, 155648);
	l = layout_of(1000, 1024, 4, 4);
	CU_ASSERT_EQUAL(l.node_bytes, 4116);
	CU_ASSERT_EQUAL(l.per_sector, 0);
	CU_ASSERT_EQUAL(l.sectors_per_node, 2);
	CU_ASSERT_EQUAL(l.file_bytes, 8196096);
	l = layout_of(10000000, 1536, 4, 64);
	CU_ASSERT_EQUAL(l.node_bytes, 6404);
	CU_ASSERT_EQUAL(l.read_bytes, 8192);
	CU_ASSERT_EQUAL(l.file_bytes, 81920004096);
}

/* Bytes of node and nodes in a sector, or sectors of a node. */
static void test_table(void)
{
	static const struct {
		uint64_t dims;
		uint32_t element, degree, node, per_sector, sectors;
	} t[] = {
		{1536, 4, 16, 6212, 0, 2}, {960, 4, 64, 4100, 0, 2},
		{960, 4, 63, 4096, 1, 1}, {768, 4, 64, 3332, 1, 1},
		{512, 4, 32, 2180, 1, 1}, {128, 4, 64, 772, 5, 1},
		{96, 4, 64, 644, 6, 1}, {128, 1, 64, 388, 10, 1},
	};
	struct vdb_layout l;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		l = layout_of(1000, t[i].dims, t[i].element, t[i].degree);
		CU_ASSERT_EQUAL(l.node_bytes, t[i].node);
		CU_ASSERT_EQUAL(l.per_sector, t[i].per_sector);
		CU_ASSERT_EQUAL(l.sectors_per_node, t[i].sectors);
	}
}

/* Node i is in sector 1 + i / nps at byte (i mod nps) x length. */
static void test_placement(void)
{
	struct vdb_layout l = layout_of(1000, 128, 4, 64); /* 5 a sector */

	CU_ASSERT_EQUAL(vdb_layout_offset(&l, 0), 4096);
	CU_ASSERT_EQUAL(vdb_layout_offset(&l, 4), 4096);
	CU_ASSERT_EQUAL(vdb_layout_offset(&l, 5), 8192);
	CU_ASSERT_EQUAL(vdb_layout_within(&l, 7), 2 * 772);
	l = layout_of(1000, 1536, 4, 64);
	CU_ASSERT_EQUAL(vdb_layout_offset(&l, 3), 4096 + 3 * 8192);
	CU_ASSERT_EQUAL(vdb_layout_offset(&l, 3) % 8192, 4096);
	CU_ASSERT_EQUAL(vdb_layout_within(&l, 3), 0);
}

static void put(uint8_t *s, size_t at, uint64_t value, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		s[at + i] = (uint8_t)(value >> (8 * i));
}

/* 256 x 128 floats, degree 4, start node 17, in each dialect. */
static void header(uint8_t *s, char dialect)
{
	size_t at = dialect == 'C' ? 16 : 24;

	memset(s, 0, 4096);
	put(s, 8, 256, 8);
	if (dialect == 'A' || dialect == 'B') {
		put(s, 0, dialect == 'A' ? 9 : 96, 4);
		put(s, 4, 1, 4);
		put(s, 16, 128, 8);
		put(s, 72, 155648, 8);
	} else {
		put(s, 0, 155648, 8);
	}
	put(s, at, 17, 8);
	put(s, at + 8, 532, 8);
	put(s, at + 16, 7, 8);
	if (dialect == 'B') {
		put(s, 88, 4096, 8);
		put(s, 96, 1, 4);
	}
}

static int decode(const uint8_t *s, uint64_t size, uint64_t dims,
	struct vdb_layout *l, struct err *e)
{
	return vdb_layout_decode(l, s, size, 4, dims, "x.index", e);
}

static void test_dialects(void)
{
	static const enum vdb_dialect want[] = {
		VDB_DIALECT_A, VDB_DIALECT_B, VDB_DIALECT_C};
	uint8_t s[4096];
	struct vdb_layout l;
	struct err e;
	int i;

	for (i = 0; i < 3; i++) {
		header(s, "ABC"[i]);
		CU_ASSERT_EQUAL_FATAL(decode(s, 155648, 128, &l, &e), 0);
		CU_ASSERT_EQUAL(l.dialect, want[i]);
		CU_ASSERT_EQUAL(l.nodes, 256);
		CU_ASSERT_EQUAL(l.dims, 128);
		CU_ASSERT_EQUAL(l.degree, 4);
		CU_ASSERT_EQUAL(l.medoid, 17);
		CU_ASSERT_EQUAL(l.per_sector, 7);
		CU_ASSERT_EQUAL(l.file_bytes, 155648);
	}
	/* C has no dimension of its own */
	CU_ASSERT_EQUAL(decode(s, 155648, 0, &l, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "--dimension"));
	header(s, 'A');
	CU_ASSERT_EQUAL(decode(s, 155648, 0, &l, &e), 0);
	CU_ASSERT_EQUAL(decode(s, 155648, 64, &l, &e), -EINVAL);
}

/* Long nodes: 0 nodes a sector in A, all ones in C. */
static void test_long_nodes(void)
{
	struct vdb_layout l = layout_of(1000, 1024, 4, 4), back;
	uint8_t s[4096];
	struct err e;

	l.medoid = 999;
	vdb_layout_encode(&l, s);
	CU_ASSERT_EQUAL_FATAL(decode(s, 8196096, 0, &back, &e), 0);
	CU_ASSERT_EQUAL(memcmp(&l, &back, sizeof(l)), 0);
	memset(s, 0, sizeof(s));
	put(s, 0, 8196096, 8);
	put(s, 8, 1000, 8);
	put(s, 24, 4116, 8);
	put(s, 32, UINT64_MAX, 8);
	CU_ASSERT_EQUAL(decode(s, 8196096, 1024, &back, &e), 0);
	CU_ASSERT_EQUAL(back.sectors_per_node, 2);
	put(s, 32, 0, 8);
	CU_ASSERT_EQUAL(decode(s, 8196096, 1024, &back, &e), -EBADMSG);
}

/* Every field that says something impossible is named. */
static void test_refused(void)
{
	static const struct {
		size_t at, bytes;
		uint64_t value;
		const char *text;
	} t[] = {
		{0, 4, 10, "first word"}, {4, 4, 2, "first word"},
		{8, 8, 0, "number of nodes"}, {8, 8, 1ULL << 32, "nodes"},
		{8, 8, 300, "size"}, {16, 8, 0, "dimension"},
		{24, 8, 256, "start node"}, {32, 8, 500, "node length"},
		{32, 8, 533, "node length"}, {32, 8, 4096, "node length"},
		{40, 8, 6, "nodes per sector"}, {64, 8, 1, "reorder"},
		{72, 8, 155647, "size in its header"},
	};
	uint8_t s[4096];
	struct vdb_layout l;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		header(s, 'A');
		put(s, t[i].at, t[i].value, t[i].bytes);
		CU_ASSERT_EQUAL(decode(s, 155648, 0, &l, &e), -EBADMSG);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, t[i].text));
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "x.index"));
	}
	header(s, 'A');
	CU_ASSERT_EQUAL(decode(s, 155648 - 4096, 0, &l, &e), -EBADMSG);
	header(s, 'B');
	put(s, 88, 512, 8);
	CU_ASSERT_EQUAL(decode(s, 155648, 0, &l, &e), -EBADMSG);
	CU_ASSERT_EQUAL(vdb_layout_init(&l, 1, 128, 4, 513, &e), -ERANGE);
	CU_ASSERT_EQUAL(vdb_layout_init(&l, 0, 128, 4, 64, &e), -ERANGE);
}

UT_SUITE(vdb_layout, UT_CASE(test_published_sizes), UT_CASE(test_table),
	UT_CASE(test_placement), UT_CASE(test_dialects),
	UT_CASE(test_long_nodes), UT_CASE(test_refused))
