#include "core/file.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[32], path[4096];

static const char *at(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void begin(void)
{
	strcpy(dir, "/tmp/stoker-ut-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
}

static void end(void)
{
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
	CU_ASSERT_EQUAL(access(dir, F_OK), -1);
}

static void test_mkdirs(void)
{
	struct err e = {0};
	struct stat st;

	begin();
	CU_ASSERT_EQUAL(file_mkdirs(at("a/b//c/"), &e), 0);
	CU_ASSERT_EQUAL(file_mkdirs(at("a/b/c"), &e), 0);
	CU_ASSERT_EQUAL(stat(at("a/b/c"), &st), 0);
	CU_ASSERT_EQUAL(file_write_atomic(at("f"), "x", 1, &e), 0);
	CU_ASSERT_EQUAL(file_mkdirs(at("f/g"), &e), -ENOTDIR);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/f"));
	CU_ASSERT_EQUAL(file_mkdirs("", &e), -EINVAL);
	CU_ASSERT_EQUAL(file_mkdirs("/", &e), 0);
	end();
}

static void test_write_and_read(void)
{
	struct err e = {0};
	char *text;
	size_t len;

	begin();
	CU_ASSERT_EQUAL(file_write_atomic(at("f"), "one", 3, &e), 0);
	CU_ASSERT_EQUAL(file_write_atomic(at("f"), "a\0b", 3, &e), 0);
	CU_ASSERT_EQUAL_FATAL(file_read_all(at("f"), 3, &text, &len, &e), 0);
	CU_ASSERT_EQUAL(len, 3);
	CU_ASSERT_EQUAL(memcmp(text, "a\0b", 4), 0);
	free(text);
	CU_ASSERT_EQUAL(file_read_all(at("f"), 2, &text, &len, &e), -EFBIG);
	CU_ASSERT_PTR_NULL(text);
	CU_ASSERT_EQUAL(file_read_all(at("g"), 2, &text, &len, &e), -ENOENT);
	CU_ASSERT_EQUAL(file_write_atomic(at("no/f"), "x", 1, &e), -ENOENT);
	CU_ASSERT_EQUAL(file_write_atomic(at("e"), "", 0, &e), 0);
	CU_ASSERT_EQUAL_FATAL(file_read_all(at("e"), 0, &text, &len, &e), 0);
	CU_ASSERT_EQUAL(len, 0);
	free(text);
	/* /proc files say size 0 */
	CU_ASSERT_EQUAL_FATAL(
		file_read_all("/proc/self/status", 1 << 20, &text, NULL, &e),
		0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "VmRSS"));
	free(text);
	end();
}

static void test_remove_tree_keeps_link_targets(void)
{
	struct err e = {0};
	char target[64];

	begin();
	CU_ASSERT_EQUAL(file_mkdirs(at("keep/sub"), &e), 0);
	CU_ASSERT_EQUAL(file_write_atomic(at("keep/f"), "x", 1, &e), 0);
	CU_ASSERT_EQUAL(file_mkdirs(at("gone/a/b"), &e), 0);
	CU_ASSERT_EQUAL(file_write_atomic(at("gone/a/f"), "x", 1, &e), 0);
	snprintf(target, sizeof(target), "%s/keep", dir);
	CU_ASSERT_EQUAL(symlink(target, at("gone/link")), 0);
	CU_ASSERT_EQUAL(file_remove_tree(at("gone"), &e), 0);
	CU_ASSERT_EQUAL(access(at("gone"), F_OK), -1);
	CU_ASSERT_EQUAL(access(at("keep/f"), F_OK), 0);
	/* A link as the path itself, even with a slash behind it. */
	CU_ASSERT_EQUAL(symlink(target, at("link")), 0);
	CU_ASSERT_EQUAL(file_remove_tree(at("link/"), &e), 0);
	CU_ASSERT_EQUAL(access(at("keep/f"), F_OK), 0);
	CU_ASSERT_EQUAL(access(at("link"), F_OK), -1);
	CU_ASSERT_EQUAL(file_remove_tree(at("never"), &e), 0);
	end();
}

static void test_remove_tree_refuses_root(void)
{
	static const char *const roots[] = {"/", "//", "/.", "/tmp/.."};
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		CU_ASSERT_EQUAL(file_remove_tree(roots[i], &e), -EINVAL);
	CU_ASSERT_EQUAL(file_remove_tree("", &e), -EINVAL);
	CU_ASSERT_EQUAL(file_remove_tree(NULL, &e), -EINVAL);
}

UT_SUITE(file, UT_CASE(test_mkdirs), UT_CASE(test_write_and_read),
	UT_CASE(test_remove_tree_keeps_link_targets),
	UT_CASE(test_remove_tree_refuses_root))
