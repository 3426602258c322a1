/* Files that appear whole or not at all; the catalog. */
#include "core/units.h"
#include "storage/store.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct shelf {
	struct store store;
	char dir[UT_PATH_MAX];
};

static int shelf_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	const struct shelf *s = ctx;
	int n = snprintf(buf, buf_bytes, "%s/f%llu", s->dir,
		(unsigned long long)i);

	return i > 900 || n < 0 || (size_t)n >= buf_bytes ? -ENAMETOOLONG : 0;
}

/* Of real files the size of number 9 is known. */
static uint64_t known_size(void *ctx, uint64_t i)
{
	(void)ctx;
	return i == 9 ? 9 : 0;
}

static uint64_t shelf_size(void *ctx, uint64_t i)
{
	(void)ctx;
	return 1000 + i;
}

static void shelf_open(struct shelf *s)
{
	struct store_namer n = {s, shelf_path, known_size};

	ut_dir_make(s->dir, "/tmp");
	store_posix_init(&s->store, s->dir, &n);
}

static const char *in_shelf(char path[UT_PATH_MAX], const struct shelf *s,
	const char *name)
{
	return ut_join(path, s->dir, name);
}

/* Named only after commit. */
static void test_create_commit(void)
{
	char path[UT_PATH_MAX], part[UT_PATH_MAX];
	struct store_file f;
	struct shelf s;
	struct err e;
	void *buf;
	int direct;

	CU_ASSERT_EQUAL_FATAL(posix_memalign(&buf, 4096, 8192), 0);
	memset(buf, 'x', 8192);
	shelf_open(&s);
	in_shelf(path, &s, "f3");
	in_shelf(part, &s, "f3.part");
	for (direct = 0; direct < 2; direct++) {
		CU_ASSERT_EQUAL_FATAL(store_create(&s.store, 3, 5000,
			direct, &f, &e), 0);
		CU_ASSERT_TRUE(f.temporary);
		CU_ASSERT_TRUE(ut_file_exists(part));
		CU_ASSERT_EQUAL(ut_file_exists(path), direct == 1);
		/* the space is reserved */
		CU_ASSERT_EQUAL(ut_file_size(part), 5000);
		CU_ASSERT_EQUAL(pwrite(f.fd, buf, 4096, 0), 4096);
		CU_ASSERT_EQUAL(ut_file_size(part), 5000);
		CU_ASSERT_EQUAL(store_commit(&s.store, &f, &e), 0);
		CU_ASSERT_FALSE(ut_file_exists(part));
		CU_ASSERT_FALSE(f.temporary);
		store_close(&s.store, &f);
		CU_ASSERT_EQUAL(f.fd, -1);
		store_close(&s.store, &f); /* twice does nothing */
		CU_ASSERT_EQUAL(ut_file_size(path), 5000);
	}
	CU_ASSERT_EQUAL(ut_files_ending(s.dir, ""), 1);
	ut_dir_remove(s.dir);
	free(buf);
}

/* Not committed: gone, and an older file of that name is untouched. */
static void test_close_before_commit(void)
{
	char path[UT_PATH_MAX];
	struct store_file f;
	struct shelf s;
	struct err e;

	shelf_open(&s);
	ut_file_write(in_shelf(path, &s, "f3"), "old", 3);
	CU_ASSERT_EQUAL_FATAL(store_create(&s.store, 3, 100, false, &f, &e),
		0);
	CU_ASSERT_EQUAL(write(f.fd, "new", 3), 3);
	store_close(&s.store, &f);
	CU_ASSERT_EQUAL(ut_files_ending(s.dir, ".part"), 0);
	CU_ASSERT_EQUAL(ut_file_size(path), 3);
	/* what a crash left behind is written over */
	ut_file_write(in_shelf(path, &s, "f4.part"), "leftover", 8);
	CU_ASSERT_EQUAL_FATAL(store_create(&s.store, 4, 2, false, &f, &e), 0);
	CU_ASSERT_EQUAL(ut_file_size(path), 2);
	store_close(&s.store, &f);
	CU_ASSERT_FALSE(ut_file_exists(path));
	ut_dir_remove(s.dir);
}

static void test_open(void)
{
	char path[UT_PATH_MAX];
	struct store_file f;
	uint64_t size = 0;
	struct shelf s;
	struct err e;

	shelf_open(&s);
	ut_file_write(in_shelf(path, &s, "f7"), "seven", 5);
	CU_ASSERT_EQUAL_FATAL(store_open(&s.store, 7, false, &f, &e), 0);
	CU_ASSERT_EQUAL(f.size_bytes, 5);
	CU_ASSERT_EQUAL(f.id, 7);
	CU_ASSERT_FALSE(f.direct);
	CU_ASSERT_FALSE(f.temporary);
	CU_ASSERT_EQUAL(fcntl(f.fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	CU_ASSERT_EQUAL(fcntl(f.fd, F_GETFL) & O_DIRECT, 0);
	store_close(&s.store, &f);
	CU_ASSERT_TRUE(ut_file_exists(path)); /* closing removes nothing */
	CU_ASSERT_EQUAL_FATAL(store_open(&s.store, 7, true, &f, &e), 0);
	CU_ASSERT_EQUAL(fcntl(f.fd, F_GETFL) & O_DIRECT, O_DIRECT);
	store_close(&s.store, &f);
	CU_ASSERT_EQUAL(store_stat(&s.store, 7, &size), 0);
	CU_ASSERT_EQUAL(size, 5);
	store_forget(&s.store, 7);
	store_forget(&s.store, 8); /* not there: nothing happens */
	CU_ASSERT_EQUAL(ut_file_size(path), 5);
	ut_dir_remove(s.dir);
}

/* A file that was cut since it was looked at would flatter the drive. */
static void test_size_is_known(void)
{
	char path[UT_PATH_MAX];
	struct store_file f;
	struct shelf s;
	struct err e;

	shelf_open(&s);
	ut_file_write(in_shelf(path, &s, "f9"), "nine char", 9);
	CU_ASSERT_EQUAL_FATAL(store_open(&s.store, 9, false, &f, &e), 0);
	store_close(&s.store, &f);
	ut_file_write(in_shelf(path, &s, "f9"), "nine", 4);
	CU_ASSERT_EQUAL(store_open(&s.store, 9, false, &f, &e), -EBADMSG);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_EQUAL(f.fd, -1);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(e.text, "f9 has 4 bytes and should have 9"));
	/* a folder is called one, not a refusal of O_DIRECT */
	CU_ASSERT_EQUAL(unlink(path), 0);
	CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
	CU_ASSERT(store_open(&s.store, 9, true, &f, &e) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "not a regular file"));
	ut_dir_remove(s.dir);
}

static void test_errors(void)
{
	char path[UT_PATH_MAX], label[64];
	struct store_file f;
	uint64_t size;
	struct shelf s;
	struct err e;

	shelf_open(&s);
	CU_ASSERT_EQUAL(store_open(&s.store, 1, false, &f, &e), -ENOENT);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/f1: "));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "dataset.num_files_train"));
	CU_ASSERT_EQUAL(store_stat(&s.store, 1, &size), -ENOENT);
	/* a folder is no file */
	CU_ASSERT_EQUAL(mkdir(in_shelf(path, &s, "f2"), 0700), 0);
	CU_ASSERT(store_open(&s.store, 2, false, &f, &e) < 0);
	CU_ASSERT_EQUAL(f.fd, -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "not a regular file"));
	/* the folder it belongs into is missing */
	CU_ASSERT_EQUAL(rmdir(path), 0);
	CU_ASSERT_EQUAL(rmdir(s.dir), 0);
	CU_ASSERT_EQUAL(store_create(&s.store, 1, 10, false, &f, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "cannot create"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "f1.part"));
	/* a name that is too long */
	CU_ASSERT_EQUAL(
		store_open(&s.store, 901, false, &f, &e), -ENAMETOOLONG);
	CU_ASSERT_EQUAL(store_stat(&s.store, 901, &size), -ENAMETOOLONG);
	CU_ASSERT_STRING_EQUAL(
		store_label(&s.store, 901, label, sizeof(label)), "file 901");
}

/* A sparse giant: no space is found when it is made, and nothing stays. */
static void test_no_space(void)
{
	struct store_file f;
	struct statvfs v;
	struct shelf s;
	struct err e;
	int r;

	shelf_open(&s);
	CU_ASSERT_EQUAL_FATAL(statvfs(s.dir, &v), 0);
	r = store_create(&s.store, 1,
		(uint64_t)v.f_blocks * v.f_frsize + 4 * MIB_BYTES, false, &f,
		&e);
	CU_ASSERT(r == -ENOSPC || r == -EFBIG);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	if (r == -ENOSPC) {
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "no space for"));
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "inodes free"));
	}
	CU_ASSERT_EQUAL(ut_files_ending(s.dir, ""), 0);
	ut_dir_remove(s.dir);
}

/* The folder need not exist yet: its nearest parent tells. */
static void test_free_space(void)
{
	static const char *const roots[] = {
		"/tmp", "/tmp/", "/tmp/not/yet/there", "/tmp/not-yet/"};
	struct store_namer n = {NULL, NULL, NULL};
	struct statvfs before, after;
	struct store s;
	uint64_t bytes, min, max, slack = 256 * MIB_BYTES;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		store_posix_init(&s, roots[i], &n);
		CU_ASSERT_EQUAL_FATAL(statvfs("/tmp", &before), 0);
		CU_ASSERT_EQUAL(store_free_space(&s, &bytes, &e), 0);
		CU_ASSERT_EQUAL_FATAL(statvfs("/tmp", &after), 0);
		/* others write meanwhile */
		min = (uint64_t)before.f_bavail * before.f_frsize;
		max = (uint64_t)after.f_bavail * after.f_frsize;
		CU_ASSERT(bytes + slack >= (min < max ? min : max));
		CU_ASSERT(bytes <= (min > max ? min : max) + slack);
	}
	/* relative, and at the root */
	store_posix_init(&s, "not-yet-there/unet3d", &n);
	CU_ASSERT_EQUAL(store_free_space(&s, &bytes, &e), 0);
	store_posix_init(&s, "/no-such-folder-here", &n);
	CU_ASSERT_EQUAL(store_free_space(&s, &bytes, &e), 0);
	store_posix_init(&s, "/proc/version/below", &n);
	CU_ASSERT_EQUAL(store_free_space(&s, &bytes, &e), -ENOTDIR);
}

static void test_catalog(void)
{
	struct store_namer n = {NULL, NULL, shelf_size};
	struct store_file f;
	char label[64];
	struct store s;
	uint64_t size;
	struct err e;

	store_catalog_init(&s, &n);
	CU_ASSERT_TRUE(s.ops->is_virtual);
	CU_ASSERT_EQUAL(store_open(&s, 12, true, &f, &e), 0);
	CU_ASSERT_EQUAL(f.size_bytes, 1012);
	CU_ASSERT_EQUAL(f.id, 12);
	CU_ASSERT_EQUAL(f.fd, -1);
	store_close(&s, &f);
	CU_ASSERT_EQUAL(store_stat(&s, 7, &size), 0);
	CU_ASSERT_EQUAL(size, 1007);
	CU_ASSERT_EQUAL(store_free_space(&s, &size, &e), 0);
	CU_ASSERT_EQUAL(size, UINT64_MAX);
	/* what is written has a size and no content */
	CU_ASSERT_EQUAL(store_make_folder(&s, 1, &e), 0);
	CU_ASSERT_EQUAL(store_create(&s, 1, 10, false, &f, &e), 0);
	CU_ASSERT_EQUAL(f.size_bytes, 10);
	CU_ASSERT_EQUAL(f.fd, -1);
	CU_ASSERT_EQUAL(store_commit(&s, &f, &e), 0);
	CU_ASSERT_EQUAL(store_cached(&s, 1, &size, &e), 0);
	CU_ASSERT_EQUAL(size, 0);
	store_forget(&s, 3);
	CU_ASSERT_STRING_EQUAL(
		store_label(&s, 12, label, sizeof(label)), "file 12");
}

UT_SUITE(store, UT_CASE(test_create_commit),
	UT_CASE(test_close_before_commit), UT_CASE(test_open),
	UT_CASE(test_size_is_known),
	UT_CASE(test_errors), UT_CASE(test_no_space), UT_CASE(test_free_space),
	UT_CASE(test_catalog))
