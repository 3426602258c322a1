/* Data sets on real files: right bytes, whole files, nothing half done. */
#include "datagen/generate.h"
#include "datagen/npz.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 5
#define SEED 42

/* A folder with a data set, and what is known of it. */
struct yard {
	char dir[UT_PATH_MAX];
	struct dataset_layout layout;
	struct dataset_dims dims[FILES];
	uint32_t crc32[FILES];
	bool present[FILES];
	enum content_kind kind;
	uint64_t workers;
	struct store store;
	struct generate_progress done;
};

static int yard_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	const struct yard *y = ctx;

	return dataset_file_path(&y->layout, y->dir, i, buf, buf_bytes);
}

static uint64_t yard_size(void *ctx, uint64_t i)
{
	const struct yard *y = ctx;

	return dataset_file_bytes(&y->layout, y->dims[i]);
}

static void yard_init(struct yard *y, const char *base, uint64_t files)
{
	struct store_namer n = {y, yard_path, yard_size};
	char path[UT_PATH_MAX];
	struct err e;

	memset(y, 0, sizeof(*y));
	/* sides vary, some files cross a 2 MiB piece of content */
	y->layout = (struct dataset_layout){.files = files,
		.samples_per_file = 2, .record_bytes = 900000,
		.record_stdev_bytes = 600000, .ranks = 1, .format = "npz"};
	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&y->layout, y->dims, &e), 0);
	ut_dir_make(y->dir, base);
	CU_ASSERT_EQUAL_FATAL(mkdir(ut_join(path, y->dir, "train"), 0700), 0);
	store_posix_init(&y->store, y->dir, &n);
	y->workers = 1;
}

static const char *file_of(
	struct yard *y, uint64_t i, char path[UT_PATH_MAX])
{
	CU_ASSERT_EQUAL_FATAL(yard_path(y, i, path, UT_PATH_MAX), 0);
	return path;
}

static int generate(struct yard *y, enum engine_kind kind, bool direct,
	uint64_t worker, struct err *e)
{
	struct generate_config c = {.layout = &y->layout, .dims = y->dims,
		.kind = y->kind, .seed = SEED, .worker = worker,
		.workers = y->workers, .direct = direct, .crc32 = y->crc32,
		.present = y->present};
	struct engine_spec s = {.kind = kind, .depth = 24, .dir = y->dir};
	struct generator *g = NULL;
	struct engine *engine;
	struct buffers b;
	struct clock clock;
	struct loop loop;
	struct err drained;
	char why[512];
	int r;

	clock_start(&clock, false);
	CU_ASSERT_EQUAL_FATAL(
		engine_open(&s, &clock, &engine, why, sizeof(why), e), 0);
	CU_ASSERT_EQUAL_FATAL(buffers_init(&b, engine, GENERATE_BUFFERS,
				      GENERATE_CHUNK_BYTES, true, e), 0);
	loop_init(&loop, engine);
	CU_ASSERT_EQUAL_FATAL(
		generate_open(&c, &y->store, &loop, &b, &g, e), 0);
	r = loop_run(&loop, e);
	CU_ASSERT_EQUAL(loop_drain(&loop, &drained), 0);
	generate_get_progress(g, &y->done);
	generate_close(g);
	loop_fini(&loop);
	buffers_fini(&b);
	engine_close(engine);
	return r;
}

/* The CRC-32 of zip, bit by bit. */
static uint32_t crc_of(const uint8_t *p, size_t n)
{
	uint32_t crc = UINT32_MAX;
	int k;

	while (n--) {
		crc ^= *p++;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static int read_memory(void *ctx, uint64_t offset, void *buf, size_t len,
	struct err *e)
{
	(void)e;
	memcpy(buf, (const uint8_t *)ctx + offset, len);
	return 0;
}

static uint8_t *slurp(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t *p;

	CU_ASSERT_FATAL(fd >= 0);
	*len = ut_file_size(path);
	p = malloc(*len);
	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL_FATAL(read(fd, p, *len), (ssize_t)*len);
	close(fd);
	return p;
}

static void check_file(struct yard *y, uint64_t i)
{
	struct content_key key = {.kind = y->kind, .seed = SEED, .file = i};
	struct npz_member m[4];
	struct npz_source s = {.read_at = read_memory, .name = "file"};
	const struct npz_member *x;
	char path[UT_PATH_MAX];
	uint32_t crc = 0;
	struct err e;
	size_t len, count;
	uint8_t *p = slurp(file_of(y, i, path), &len);

	CU_ASSERT_EQUAL(len, yard_size(y, i));
	s.ctx = p;
	s.size_bytes = len;
	CU_ASSERT_EQUAL_FATAL(npz_parse(&s, m, 4, &count, &e), 0);
	CU_ASSERT_EQUAL(count, 2);
	x = npz_find(m, count, "x");
	CU_ASSERT_PTR_NOT_NULL_FATAL(x);
	CU_ASSERT_PTR_NOT_NULL(npz_find(m, count, "y"));
	CU_ASSERT_EQUAL(x->payload_offset, 163);
	CU_ASSERT_EQUAL(x->payload_bytes,
		(uint64_t)y->dims[i].d1 * y->dims[i].d2 * 2);
	CU_ASSERT_EQUAL(x->shape[0], y->dims[i].d1);
	CU_ASSERT_EQUAL(x->shape[1], y->dims[i].d2);
	CU_ASSERT_EQUAL(x->shape[2], 2);
	CU_ASSERT_TRUE(content_check(
		&key, 0, p + x->payload_offset, x->payload_bytes, NULL));
	CU_ASSERT_EQUAL(crc_of(p + x->npy_offset, x->npy_bytes), x->crc32);
	CU_ASSERT_EQUAL(y->crc32[i], x->crc32);
	CU_ASSERT_TRUE(generate_is_present(
		&y->store, &y->layout, y->dims[i], i, &key, &crc));
	CU_ASSERT_EQUAL(crc, x->crc32);
	free(p);
}

static void test_files(void)
{
	static const enum engine_kind kinds[] = {ENGINE_AUTO, ENGINE_PREAD};
	uint64_t i, bytes = 0;
	struct yard y;
	struct err e;
	int mode;

	for (mode = 0; mode < 4; mode++, bytes = 0) {
		yard_init(&y, "/tmp", FILES);
		CU_ASSERT_EQUAL(
			generate(&y, kinds[mode & 1], mode & 2, 0, &e), 0);
		for (i = 0; i < FILES; i++) {
			check_file(&y, i);
			bytes += yard_size(&y, i);
		}
		CU_ASSERT_EQUAL(y.done.files_done, FILES);
		CU_ASSERT_EQUAL(y.done.bytes_done, bytes);
		CU_ASSERT_EQUAL(ut_files_ending(y.dir, ""), FILES);
		ut_dir_remove(y.dir);
	}
}

static ino_t inode(struct yard *y, uint64_t i)
{
	char path[UT_PATH_MAX];
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(stat(file_of(y, i, path), &st), 0);
	return st.st_ino;
}

static void look(struct yard *y)
{
	struct content_key key = {.kind = y->kind, .seed = SEED};
	uint64_t i;

	for (i = 0; i < FILES; i++)
		y->present[i] = generate_is_present(&y->store, &y->layout,
			y->dims[i], i, &key, &y->crc32[i]);
}

/*
 * Cut off, without a head (it is written last, so that is how a file in work
 * looks), and gone: these are made again, the other two are not touched.
 */
static void test_resume(void)
{
	char path[UT_PATH_MAX];
	ino_t first, last;
	struct yard y;
	struct err e;
	uint64_t i;

	yard_init(&y, "/dev/shm", FILES);
	CU_ASSERT_EQUAL_FATAL(generate(&y, ENGINE_PREAD, false, 0, &e), 0);
	look(&y);
	for (i = 0; i < FILES; i++)
		CU_ASSERT_TRUE(y.present[i]);
	first = inode(&y, 0);
	last = inode(&y, 4);
	CU_ASSERT_EQUAL(truncate(file_of(&y, 1, path),
				(off_t)yard_size(&y, 1) - 1), 0);
	ut_file_flip(file_of(&y, 2, path), 0);
	CU_ASSERT_EQUAL(unlink(file_of(&y, 3, path)), 0);
	look(&y);
	CU_ASSERT_TRUE(y.present[0] && y.present[4]);
	CU_ASSERT_FALSE(y.present[1] || y.present[2] || y.present[3]);
	CU_ASSERT_EQUAL_FATAL(generate(&y, ENGINE_PREAD, false, 0, &e), 0);
	CU_ASSERT_EQUAL(y.done.files_done, 3);
	CU_ASSERT_EQUAL(inode(&y, 0), first);
	CU_ASSERT_EQUAL(inode(&y, 4), last);
	for (i = 0; i < FILES; i++)
		check_file(&y, i);
	/* all there: nothing to do */
	look(&y);
	CU_ASSERT_EQUAL_FATAL(generate(&y, ENGINE_PREAD, false, 0, &e), 0);
	CU_ASSERT_EQUAL(y.done.files_done, 0);
	ut_dir_remove(y.dir);
}

/* A 4 MiB tmpfs for some 9 MB: what is there is whole, the rest is gone. */
static void test_no_space(void)
{
	char path[UT_PATH_MAX];
	struct yard y;
	struct err e = {0};
	size_t whole = 0;
	uint64_t i, size;

	yard_init(&y, "/tmp", FILES);
	if (mount("none", y.dir, "tmpfs", 0, "size=4m")) {
		ut_skip("generate/test_no_space", "no right to mount a tmpfs");
		ut_dir_remove(y.dir);
		return;
	}
	CU_ASSERT_EQUAL(mkdir(ut_join(path, y.dir, "train"), 0700), 0);
	CU_ASSERT_EQUAL(
		generate(&y, ENGINE_AUTO, false, 0, &e), -ENOSPC);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "no space for "));
	look(&y);
	for (i = 0; i < FILES; i++) {
		CU_ASSERT_EQUAL(
			store_stat(&y.store, i, &size) == 0, y.present[i]);
		whole += y.present[i];
		if (y.present[i])
			check_file(&y, i);
	}
	CU_ASSERT(whole < FILES);
	CU_ASSERT_EQUAL(ut_files_ending(y.dir, ".part"), 0);
	CU_ASSERT_EQUAL(ut_files_ending(y.dir, ""), whole);
	CU_ASSERT_EQUAL(umount(y.dir), 0);
	ut_dir_remove(y.dir);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* FNV-1a of each whole 512-byte block of all files, sorted: equal pairs. */
static size_t equal_blocks(struct yard *y, size_t *count)
{
	uint64_t *hash = calloc(1 << 16, sizeof(*hash)), h;
	char path[UT_PATH_MAX];
	size_t n = 0, len, at, k, pairs = 0;
	uint8_t *p;
	uint64_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(hash);
	for (i = 0; i < FILES; i++) {
		p = slurp(file_of(y, i, path), &len);
		for (at = 0; at + 512 <= len; at += 512) {
			h = UINT64_C(0xcbf29ce484222325);
			for (k = 0; k < 512; k++)
				h = (h ^ p[at + k]) * UINT64_C(0x100000001b3);
			CU_ASSERT_FATAL(n < 1 << 16);
			hash[n++] = h;
		}
		free(p);
	}
	qsort(hash, n, sizeof(*hash), compare);
	for (k = 1; k < n; k++)
		pairs += hash[k] == hash[k - 1];
	free(hash);
	*count = n;
	return pairs;
}

/*
 * mlcommons/storage#278: all ranks wrote the same bytes, which some arrays
 * store once, 512 bytes at a time. Two ranks here: no block twice. With the
 * reference's content there are many, so the count can see them.
 */
static void test_C44_no_equal_blocks(void)
{
	size_t blocks = 0;
	struct yard y;
	struct err e;
	uint64_t i;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		yard_init(&y, "/dev/shm", FILES);
		y.kind = kind ? CONTENT_REFERENCE : CONTENT_UNIQUE;
		y.workers = 2;
		for (i = 0; i < 2; i++) {
			CU_ASSERT_EQUAL_FATAL(
				generate(&y, ENGINE_PREAD, false, i, &e), 0);
			/* files 0, 2, 4 and 1, 3 */
			CU_ASSERT_EQUAL(y.done.files_done, 3 - i);
		}
		for (i = 0; i < FILES; i++)
			check_file(&y, i);
		if (kind)
			CU_ASSERT(equal_blocks(&y, &blocks) > 1000)
		else
			CU_ASSERT_EQUAL(equal_blocks(&y, &blocks), 0);
		CU_ASSERT(blocks > 10000);
		ut_dir_remove(y.dir);
	}
}

/* Stopped in the midst: no file in work stays, and going on completes. */
static void test_interrupted(void)
{
	struct yard y;
	struct err e;
	uint64_t i;

	yard_init(&y, "/tmp", FILES);
	loop_interrupted = 1;
	CU_ASSERT_EQUAL(generate(&y, ENGINE_AUTO, false, 0, &e), -EINTR);
	loop_interrupted = 0;
	CU_ASSERT_EQUAL(ut_files_ending(y.dir, ".part"), 0);
	look(&y);
	CU_ASSERT_EQUAL(generate(&y, ENGINE_AUTO, false, 0, &e), 0);
	for (i = 0; i < FILES; i++)
		check_file(&y, i);
	ut_dir_remove(y.dir);
}

/* The folder disappeared: said with the file's name. */
static void test_no_folder(void)
{
	struct yard y;
	struct err e = {0};

	yard_init(&y, "/tmp", FILES);
	ut_dir_remove(y.dir);
	CU_ASSERT_EQUAL(generate(&y, ENGINE_PREAD, false, 0, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "train/img_0_of_5.npz.part"));
}

UT_SUITE(generate, UT_CASE(test_files), UT_CASE(test_resume),
	UT_CASE(test_no_space), UT_CASE(test_C44_no_equal_blocks),
	UT_CASE(test_interrupted), UT_CASE(test_no_folder))
