/* Every format: lengths, heads and tails, and what is told from a head. */
#include "datagen/format.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"npz", "jpeg", "hdf5"};

static void test_table(void)
{
	const struct dataset_format *f;
	size_t i;

	for (i = 0; i < 3; i++) {
		f = format_find(names[i]);
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_STRING_EQUAL(f->name, names[i]);
		CU_ASSERT_PTR_NOT_NULL(strstr(format_names(), names[i]));
		CU_ASSERT(f->head_bytes <= FORMAT_HEAD_MAX);
		CU_ASSERT_EQUAL(!f->build_head, !f->head_bytes);
		CU_ASSERT_EQUAL(!f->build_tail, !f->tail_bytes);
	}
	CU_ASSERT_PTR_NULL(format_find("hdf"));
	CU_ASSERT_PTR_NULL(format_find(""));
}

static void test_sizes(void)
{
	struct format_shape s = {568, 568, 1};

	CU_ASSERT_EQUAL(format_file_bytes(format_find("jpeg"), &s), 322624);
	CU_ASSERT_EQUAL(format_file_bytes(format_find("npz"), &s), 323082);
	CU_ASSERT_EQUAL(
		format_file_bytes(format_find("hdf5"), &s), 322624 + 4104);
	s.spf = 5;
	CU_ASSERT_EQUAL(format_file_bytes(format_find("npz"), &s),
		5 * 322624 + 450 + 40);
	CU_ASSERT_EQUAL(format_file_bytes(format_find("hdf5"), &s),
		5 * 322624 + 4096 + 40);
}

static void test_too_large(void)
{
	struct format_shape s = {UINT32_MAX, UINT32_MAX, 1};
	struct err e;
	size_t i;

	for (i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(
			format_find(names[i])->check_fits(&s, &e), -EFBIG);
		CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	}
	/* the zip of an npz ends at 4 GiB, the others do not */
	s = (struct format_shape){70000, 70000, 1};
	CU_ASSERT_EQUAL(format_find("npz")->check_fits(&s, &e), -EFBIG);
	CU_ASSERT_EQUAL(format_find("jpeg")->check_fits(&s, &e), 0);
	CU_ASSERT_EQUAL(format_find("hdf5")->check_fits(&s, &e), 0);
}

static const struct format_shape shapes[] = {{1, 1, 1}, {3, 5, 1},
	{568, 568, 1}, {12107, 12107, 1}, {17044, 11299, 3}, {1, 1, 1000000}};

/* A head tells its own shape from any other, and a changed byte from none. */
static void check_heads(const struct dataset_format *f)
{
	uint8_t head[FORMAT_HEAD_MAX], again[FORMAT_HEAD_MAX], *tail;
	const size_t count = sizeof(shapes) / sizeof(shapes[0]);
	uint32_t crc;
	struct err e;
	size_t i, k;

	for (i = 0; i < count; i++) {
		memset(head, 0xaa, sizeof(head));
		CU_ASSERT_EQUAL_FATAL(
			f->build_head(head, &shapes[i], 0x12345678, &e), 0);
		f->build_head(again, &shapes[i], 0x12345678, &e);
		CU_ASSERT_EQUAL(memcmp(head, again, f->head_bytes), 0);
		CU_ASSERT_EQUAL(f->check_start(head, 64, "f", &e), 0);
		for (k = 0; k < count; k++)
			CU_ASSERT_EQUAL(f->check_head(head, f->head_bytes,
						&shapes[k], &crc, &e),
				k == i ? 0 : -EBADMSG);
		f->check_head(head, f->head_bytes, &shapes[i], &crc, &e);
		CU_ASSERT_EQUAL(crc, f->has_crc ? 0x12345678 : 0);
		CU_ASSERT_EQUAL(f->check_head(head, f->head_bytes - 1,
					&shapes[i], &crc, &e),
			-EBADMSG);
		head[2] ^= 1;
		CU_ASSERT_EQUAL(f->check_head(head, f->head_bytes, &shapes[i],
					&crc, &e),
			-EBADMSG);
		CU_ASSERT_EQUAL(e.kind, ERR_IO);
		CU_ASSERT_EQUAL(f->check_start(head, 64, "f", &e), -EBADMSG);
		tail = calloc(1, format_tail_bytes(f, shapes[i].spf));
		CU_ASSERT_PTR_NOT_NULL_FATAL(tail);
		CU_ASSERT_EQUAL(f->build_tail(tail, &shapes[i], 1, &e), 0);
		free(tail);
	}
}

static void test_heads(void)
{
	check_heads(format_find("npz"));
	check_heads(format_find("hdf5"));
}

static void test_hdf5_sample_range(void)
{
	const struct dataset_format *f = format_find("hdf5");
	struct format_shape s = {30, 40, 7};
	uint64_t from, to, k, bytes = format_file_bytes(f, &s);

	for (k = 0; k < 7; k++) {
		f->sample_range(bytes, 7, k, &from, &to);
		CU_ASSERT_EQUAL(from, 4096 + 1200 * k);
		CU_ASSERT_EQUAL(to, from + 1200);
	}
	/* the only one: with all that lies around it */
	f->sample_range(bytes, 1, 0, &from, &to);
	CU_ASSERT_EQUAL(from, 0);
	CU_ASSERT_EQUAL(to, bytes);
	/* never nothing, whatever the file is */
	for (bytes = 1; bytes < 5000; bytes += 7) {
		f->sample_range(bytes, 9, 8, &from, &to);
		CU_ASSERT(from < to && to <= bytes);
	}
}

UT_SUITE(format, UT_CASE(test_table), UT_CASE(test_sizes),
	UT_CASE(test_too_large), UT_CASE(test_heads),
	UT_CASE(test_hdf5_sample_range))
