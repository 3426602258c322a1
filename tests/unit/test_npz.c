/* npz files: ours, numpy's of all ages, and damaged ones. */
#include "datagen/npz.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBERS_MAX 4
#define FIXTURE_MAX 4096

/* A file in memory; heap memory of just its size lets ASan see overruns. */
struct image {
	uint8_t *data;
	size_t size;
};

static int image_read(
	void *ctx, uint64_t offset, void *buf, size_t len, struct err *e)
{
	const struct image *im = ctx;

	CU_ASSERT_FATAL(offset <= im->size && len <= im->size - offset);
	(void)e;
	memcpy(buf, im->data + offset, len);
	return 0;
}

static int parse(
	struct image *im, struct npz_member *m, size_t *n, struct err *e)
{
	const struct npz_source s = {image_read, im, im->size, "f.npz"};

	memset(e, 0, sizeof(*e));
	return npz_parse(&s, m, MEMBERS_MAX, n, e);
}

static struct image load(const char *name)
{
	struct image im = {malloc(FIXTURE_MAX), 0};
	char path[256];
	FILE *f;

	CU_ASSERT_PTR_NOT_NULL_FATAL(im.data);
	snprintf(path, sizeof(path), "tests/fixtures/%s", name);
	f = fopen(path, "rb");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	im.size = fread(im.data, 1, FIXTURE_MAX, f);
	fclose(f);
	im.data = realloc(im.data, im.size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(im.data);
	return im;
}

static void put32(uint8_t *p, uint32_t v)
{
	int i;

	for (i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

/* One of our files, its content counting up. */
static struct image build(uint32_t d1, uint32_t d2, uint64_t spf)
{
	size_t payload = (size_t)d1 * d2 * spf, i;
	struct image im = {NULL, npz_file_bytes(d1, d2, spf)};
	uint32_t crc;

	im.data = malloc(im.size);
	CU_ASSERT_PTR_NOT_NULL_FATAL(im.data);
	for (i = 0; i < payload; i++)
		im.data[NPZ_HEAD_BYTES + i] = (uint8_t)i;
	crc = npz_crc_begin(d1, d2, spf);
	crc = npz_crc_update(crc, im.data + NPZ_HEAD_BYTES, payload / 2);
	crc = npz_crc_update(crc, im.data + NPZ_HEAD_BYTES + payload / 2,
		payload - payload / 2);
	npz_build_head(im.data, d1, d2, spf, crc);
	i = npz_build_tail(im.data + NPZ_HEAD_BYTES + payload,
		im.size - NPZ_HEAD_BYTES - payload, d1, d2, spf, crc);
	CU_ASSERT_EQUAL(i, npz_tail_bytes(spf));
	return im;
}

static void expect_x(const struct image *im, const struct npz_member *m,
	uint64_t d1, uint64_t d2, uint64_t spf)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_STRING_EQUAL(m->name, "x.npy");
	CU_ASSERT_STRING_EQUAL(m->descr, "|u1");
	CU_ASSERT_EQUAL(m->method, 0);
	CU_ASSERT_FALSE(m->fortran_order);
	CU_ASSERT_EQUAL(m->ndim, 3);
	CU_ASSERT_EQUAL(m->shape[0], d1);
	CU_ASSERT_EQUAL(m->shape[1], d2);
	CU_ASSERT_EQUAL(m->shape[2], spf);
	CU_ASSERT_EQUAL(m->payload_bytes, d1 * d2 * spf);
	CU_ASSERT_EQUAL(m->payload_offset + m->payload_bytes,
		m->npy_offset + m->npy_bytes);
	CU_ASSERT_EQUAL(m->crc32,
		npz_crc_update(0, im->data + m->npy_offset, m->npy_bytes));
}

static void expect_y(
	const struct image *im, const struct npz_member *m, uint64_t spf)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(m);
	CU_ASSERT_STRING_EQUAL(m->descr, "<i8");
	CU_ASSERT_EQUAL(m->ndim, 1);
	CU_ASSERT_EQUAL(m->shape[0], spf);
	CU_ASSERT_EQUAL(m->payload_bytes, 8 * spf);
	CU_ASSERT_EQUAL(m->crc32,
		npz_crc_update(0, im->data + m->npy_offset, m->npy_bytes));
}

static void test_C11_overhead(void)
{
	CU_ASSERT_EQUAL(npz_file_bytes(15865, 14125, 1) - 15865 * 14125, 458);
	CU_ASSERT_EQUAL(npz_file_bytes(1, 1, 10), 10 + 450 + 80);
	CU_ASSERT_EQUAL(npz_check_fits(65535, 65535, 1, NULL), 0);
}

static void test_our_layout(void)
{
	static const uint64_t spf[] = {1, 5};
	struct npz_member m[MEMBERS_MAX];
	struct err e;
	size_t n, i;

	for (i = 0; i < 2; i++) {
		struct image im = build(13, 17, spf[i]);

		CU_ASSERT_EQUAL_FATAL(parse(&im, m, &n, &e), 0);
		CU_ASSERT_EQUAL(n, 2);
		expect_x(&im, npz_find(m, n, "x"), 13, 17, spf[i]);
		expect_y(&im, npz_find(m, n, "y"), spf[i]);
		CU_ASSERT_EQUAL(m[0].payload_offset, 163);
		CU_ASSERT_PTR_NULL(npz_find(m, n, "x.npy"));
		CU_ASSERT_PTR_NULL(npz_find(m, n, ""));
		free(im.data);
	}
}

static void test_tail_needs_room(void)
{
	uint8_t tail[295];

	CU_ASSERT_EQUAL(npz_tail_bytes(1), sizeof(tail));
	CU_ASSERT_EQUAL(npz_build_tail(tail, sizeof(tail) - 1, 3, 3, 1, 0), 0);
}

static void test_too_large_for_u32(void)
{
	struct err e;

	CU_ASSERT_EQUAL(npz_check_fits(65536, 65536, 1, &e), -EFBIG);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "65536 x 65536 x 1"));
	/* The payload fits, the headers no longer do. */
	CU_ASSERT(npz_check_fits(UINT32_MAX - 100, 1, 1, &e) < 0);
	CU_ASSERT(npz_check_fits(UINT32_MAX - 458, 1, 1, &e) < 0);
	CU_ASSERT_EQUAL(npz_check_fits(UINT32_MAX - 459, 1, 1, &e), 0);
	CU_ASSERT(npz_check_fits(UINT32_MAX, UINT32_MAX, 2, &e) < 0);
	CU_ASSERT(npz_check_fits(1, 1, UINT64_MAX / 2, &e) < 0);
}

static void test_check_head(void)
{
	struct image im = build(13, 17, 1);
	uint32_t crc = 0;
	struct err e;

	CU_ASSERT_EQUAL(npz_check_head(im.data, NPZ_HEAD_BYTES, im.size, 13, 17,
				1, &crc, &e),
		0);
	CU_ASSERT_EQUAL(crc, npz_crc_update(0, im.data + 35, 128 + 13 * 17));
	CU_ASSERT(npz_check_head(im.data, im.size, im.size - 1, 13, 17, 1, &crc,
			  &e) < 0);
	CU_ASSERT(
		npz_check_head(im.data, 162, im.size, 13, 17, 1, &crc, &e) < 0);
	/* The same size with other sides. */
	CU_ASSERT(npz_check_head(
			  im.data, im.size, im.size, 17, 13, 1, &crc, &e) < 0);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	/* A file whose head was never written. */
	memset(im.data, 0, NPZ_HEAD_BYTES);
	CU_ASSERT(npz_check_head(
			  im.data, im.size, im.size, 13, 17, 1, &crc, &e) < 0);
	free(im.data);
}

/*
 * mlcommons/storage#286: numpy always adds zip64 fields; from Python 3.12 on
 * only they hold the sizes. The walk must not lose the second member.
 */
static void test_C16_numpy_zip64(void)
{
	static const char *const names[] = {"numpy.npz", "numpy_py312.npz",
		"numpy_stream.npz", "zip64_dir.npz"};
	struct npz_member m[MEMBERS_MAX];
	struct err e;
	size_t n, i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct image im = load(names[i]);

		CU_ASSERT_EQUAL_FATAL(parse(&im, m, &n, &e), 0);
		CU_ASSERT_EQUAL(n, 2);
		expect_x(&im, npz_find(m, n, "x"), 13, 17, 1);
		expect_y(&im, npz_find(m, n, "y"), 1);
		CU_ASSERT_EQUAL(m[0].npy_offset, 55);
		CU_ASSERT_EQUAL(m[0].payload_offset, 183);
		free(im.data);
	}
}

static void expect_bad(struct image *im, int code, const char *word)
{
	struct npz_member m[MEMBERS_MAX];
	struct err e;
	size_t n = 9;

	CU_ASSERT_EQUAL(parse(im, m, &n, &e), code);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "npz f.npz, offset "));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, word));
	if (!strstr(e.text, word))
		printf("wanted '%s' in: %s\n", word, e.text);
}

static void test_C16_compressed_refused(void)
{
	struct image im = load("numpy_deflate.npz");

	expect_bad(&im, -ENOTSUP, "x.npy: method 8 (deflate) unsupported");
	free(im.data);
}

static void test_C16_zip64_field_damaged(void)
{
	struct image im = load("numpy_py312.npz");

	im.data[42] = 8; /* the second size is no longer in the field */
	expect_bad(&im, -EBADMSG, "x.npy: local header and directory differ");
	im.data[42] = 16;
	im.data[40] = 2; /* not a zip64 field */
	expect_bad(&im, -EBADMSG, "x.npy: local header and directory differ");
	im.data[40] = 1;
	im.data[42] = 255; /* beyond the extra fields */
	expect_bad(&im, -EBADMSG, "x.npy: local header and directory differ");
	free(im.data);
}

/* Damage one place of a good file of 13 x 17, then repair it. */
struct damage {
	size_t at;
	uint32_t v;
	int code;
	const char *word;
};

static void expect_damage(struct image *im, const struct damage *d)
{
	uint8_t keep[4];

	memcpy(keep, im->data + d->at, 4);
	put32(im->data + d->at, d->v);
	expect_bad(im, d->code, d->word);
	memcpy(im->data + d->at, keep, 4);
}

static void test_C18_zip_damage(void)
{
	struct image im = build(13, 17, 1);
	const size_t end = im.size - 22, dir = end - 102, y = 163 + 221;
	const struct damage all[] = {
		{end, 0, -EBADMSG, "no zip end record"},
		{end + 4, 1, -ENOTSUP, "several parts"},
		{end + 8, 0x00050005, -ENOTSUP, "5 members"},
		{end + 8, 0x00010001, -EBADMSG, "51 bytes behind"},
		{end + 8, 0x00030003, -EBADMSG, "no central directory entry"},
		{end + 12, 103, -EBADMSG, "goes beyond its end"},
		{end + 12, UINT32_MAX, -EBADMSG, "no zip64 locator"},
		{end + 16, UINT32_MAX - 1, -EBADMSG, "goes beyond its end"},
		{dir, 0, -EBADMSG, "no central directory entry"},
		{dir + 8, 1, -ENOTSUP, "encrypted"},
		{dir + 8, 8 << 16, -ENOTSUP, "method 8 (deflate) unsupported"},
		{dir + 8, 12 << 16, -ENOTSUP, "method 12 unsupported"},
		{6, 1, -ENOTSUP, "encrypted"},
		{dir + 16, 5, -EBADMSG, "differ in size or CRC"},
		{dir + 20, 7, -EBADMSG, "stored, but 349 bytes as 7"},
		{dir + 24, UINT32_MAX, -EBADMSG, "zip64 sizes are missing"},
		{dir + 28, 5 | 200 << 16, -EBADMSG, "beyond the directory"},
		{dir + 28, 0, -ENOTSUP, "name of 0 bytes"},
		{dir + 28, 64, -ENOTSUP, "name of 64 bytes"},
		{dir + 46, 'x' | '\n' << 8, -EBADMSG, "control characters"},
		{dir + 42, 1, -EBADMSG, "no local header of member x.npy"},
		{dir + 42, (uint32_t)y, -EBADMSG, "no local header"},
		{dir + 42, UINT32_MAX - 1, -EBADMSG, "truncated"},
		{26, 5 | 5000 << 16, -ENOTSUP, "extra field of 5000 bytes"},
		{26, 5 | 4000 << 16, -EBADMSG, "truncated"},
		{26, 5 | 400 << 16, -EBADMSG, "goes beyond the data"},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_damage(&im, &all[i]);
	free(im.data);
}

static void test_C18_overlap(void)
{
	struct image im = build(13, 17, 1);
	const size_t dir = im.size - 22 - 102;

	/* Both entries name the same member. */
	memcpy(im.data + dir + 51, im.data + dir, 51);
	expect_bad(&im, -EBADMSG, "two members x.npy");
	free(im.data);

	/* A whole member y inside the payload of x. */
	im = build(13, 17, 1);
	memcpy(im.data + 163 + 10, im.data + 163 + 221, 35 + 128 + 8);
	put32(im.data + dir + 51 + 42, 163 + 10);
	expect_bad(&im, -EBADMSG, "members x.npy and y.npy overlap");
	free(im.data);
}

/* The text of x's npy header is at 45; its length is at 43. */
static void expect_dict(const char *dict, int code, const char *word)
{
	struct image im = build(13, 17, 1);
	size_t n = strlen(dict);

	CU_ASSERT_FATAL(n <= 117);
	memset(im.data + 45, ' ', 117);
	memcpy(im.data + 45, dict, n);
	if (code) {
		expect_bad(&im, code, word);
	} else {
		struct npz_member m[MEMBERS_MAX];
		struct err e;

		CU_ASSERT_EQUAL(parse(&im, m, &n, &e), 0);
	}
	free(im.data);
}

#define DICT(descr, order, shape)                                              \
	"{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape "," \
									   " " \
									   "}"
#define U1 "'|u1'"
#define NO "False"

/* rogersce/cnpy PR #107: lengths and shapes beyond the buffer. */
static void test_C18_npy_header(void)
{
	static const struct damage all[] = {
		{35, 0, -EBADMSG, "not an npy array"},
		{41, 118 << 16 | 4, -ENOTSUP, "npy version 4.0"},
		{41, 118 << 16 | 0x101, -ENOTSUP, "npy version 1.1"},
		{41, 340 << 16 | 1, -EBADMSG,
			"header of 340 bytes goes beyond"},
		{41, 65535U << 16 | 1, -EBADMSG, "header of 65535 bytes"},
		{41, 0 << 16 | 1, -EBADMSG, "not a dictionary"},
		{41, 20 << 16 | 1, -EBADMSG, "not a dictionary of named"},
	};
	struct image im = build(13, 17, 1);
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_damage(&im, &all[i]);
	/* Version 2 with its 32-bit length: 2^31, and one that fits. */
	put16(im.data + 41, 2);
	put32(im.data + 43, 1U << 31);
	expect_bad(&im, -EBADMSG, "header of 2147483648 bytes goes beyond");
	free(im.data);
	im = build(100, 100, 1);
	put16(im.data + 41, 2);
	put32(im.data + 43, 5000);
	expect_bad(&im, -ENOTSUP, "header of 5000 bytes is not supported");
	free(im.data);
}

static void test_C18_npy_dict(void)
{
	static const struct {
		const char *dict, *word;
	} all[] = {
		{"", "not a dictionary"},
		{"__import__('os').abort()", "not a dictionary"},
		{DICT(U1, NO, "(13, 17, 1)") "; x()", "text behind"},
		{"{'descr': '|u1', 'shape': (221,)}", "lacks"},
		{"{'descr': '|u1', 'descr': '|u1'}", "twice"},
		{"{'descr': '|u1', 'evil': 1}", "unknown key"},
		{"{'descr': '|u1'", "does not end"},
		{"{descr: '|u1'}", "not a dictionary of named"},
		{"{'descr\\x27: '|u1'}", "not a dictionary of named"},
		{DICT("[('a', '<i4')]", NO, "(1,)"), "plain number"},
		{DICT("'__import__(\"os\")'", NO, "(13, 17, 1)"),
			"offset 35: bad npy header of member x.npy"},
		{DICT(U1, NO, "(1099511627776, 1099511627776)"), "2^64"},
		{DICT("'|O'", NO, "(221,)"), "plain number"},
		{DICT("'u1'", NO, "(221,)"), "plain number"},
		{DICT("'<u3'", NO, "(221,)"), "plain number"},
		{DICT("'|u8'", NO, "(221,)"), "plain number"},
		{DICT("'<u8888888888888888888'", NO, "(1,)"), "plain number"},
		{DICT(U1, "1", "(221,)"), "fortran_order"},
		{DICT(U1, "Falsey", "(221,)"), "does not end"},
		{DICT(U1, NO, "221"), "not a tuple"},
		{DICT(U1, NO, "(221)"), "not a tuple"},
		{DICT(U1, NO, "(13 17)"), "tuple of numbers"},
		{DICT(U1, NO, "(-1,)"), "64-bit numbers"},
		{DICT(U1, NO, "(,)"), "64-bit numbers"},
		{DICT(U1, NO, "(18446744073709551616,)"), "64-bit"},
		{DICT(U1, NO, "(4294967296, 4294967296)"), "2^64"},
		{DICT(U1, NO, "(0, 4294967296, 4294967296)"), "2^64"},
		{DICT("'<u8'", NO, "(2305843009213693953,)"), "2^64"},
		{DICT(U1, NO, "(1,1,1,1,1,1,1,1,221)"), "8 dimensions"},
		{DICT(U1, NO, "(222,)"), "needs 222 bytes, it has 221"},
		{DICT(U1, NO, "(99999999999,)"), "needs 99999999999"},
		{DICT(U1, NO, "(0,)"), "needs 0 bytes"},
		{DICT(U1, NO, "()"), "needs 1 bytes"},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_dict(all[i].dict, -EBADMSG, all[i].word);
	/* Unusual, but right. */
	expect_dict(DICT(U1, "True", "(13, 17)"), 0, NULL);
	expect_dict(DICT("'=b1'", NO, "(221,)"), 0, NULL);
	expect_dict("{\"shape\":(17,13,),'fortran_order':False,"
		    "'descr':'>i1'}",
		0, NULL);
}

/* Whatever the bytes: an answer, no read outside the file, no overrun. */
static void no_crash(struct image *im)
{
	struct npz_member m[MEMBERS_MAX];
	struct err e;
	size_t n, i;

	if (parse(im, m, &n, &e)) {
		CU_ASSERT_EQUAL(n, 0);
		return;
	}
	for (i = 0; i < n; i++)
		CU_ASSERT(m[i].payload_offset + m[i].payload_bytes <= im->size);
}

static void test_C18_any_truncation(void)
{
	static const char *const names[] = {
		"numpy.npz", "numpy_stream.npz", "zip64_dir.npz"};
	struct npz_member m[MEMBERS_MAX];
	struct err e;
	size_t n, i, len;

	for (i = 0; i < 3; i++) {
		struct image whole = load(names[i]), cut;

		for (len = 0; len < whole.size; len++) {
			cut.size = len;
			cut.data = malloc(len ? len : 1);
			CU_ASSERT_PTR_NOT_NULL_FATAL(cut.data);
			memcpy(cut.data, whole.data, len);
			CU_ASSERT(parse(&cut, m, &n, &e) < 0);
			free(cut.data);
		}
		free(whole.data);
	}
}

static void test_C18_any_byte(void)
{
	static const char *const names[] = {"numpy.npz", "numpy_py312.npz",
		"numpy_deflate.npz", "zip64_dir.npz"};
	size_t i, at;
	int v;

	for (i = 0; i < 4; i++) {
		struct image im = load(names[i]);

		for (at = 0; at < im.size; at++) {
			uint8_t keep = im.data[at];

			for (v = 0; v < 256; v += v < 4 || v > 250 ? 1 : 13) {
				im.data[at] = (uint8_t)v;
				no_crash(&im);
			}
			im.data[at] = keep;
		}
		free(im.data);
	}
}

static int failing_read(
	void *ctx, uint64_t offset, void *buf, size_t len, struct err *e)
{
	(void)ctx, (void)offset, (void)buf, (void)len;
	return err_set(e, ERR_IO, -EIO, "medium error");
}

static void test_read_error(void)
{
	const struct npz_source s = {failing_read, NULL, 1000, "f.npz"};
	struct npz_member m[1];
	struct err e;
	size_t n;

	CU_ASSERT_EQUAL(npz_parse(&s, m, 1, &n, &e), -EIO);
	CU_ASSERT_STRING_EQUAL(e.text, "npz f.npz: medium error");
}

UT_SUITE(npz, UT_CASE(test_C11_overhead), UT_CASE(test_our_layout),
	UT_CASE(test_tail_needs_room), UT_CASE(test_too_large_for_u32),
	UT_CASE(test_check_head), UT_CASE(test_C16_numpy_zip64),
	UT_CASE(test_C16_compressed_refused),
	UT_CASE(test_C16_zip64_field_damaged), UT_CASE(test_C18_zip_damage),
	UT_CASE(test_C18_overlap), UT_CASE(test_C18_npy_header),
	UT_CASE(test_C18_npy_dict), UT_CASE(test_C18_any_truncation),
	UT_CASE(test_C18_any_byte), UT_CASE(test_read_error))
