/* What a container's memory limit leaves: version 1 and 2 of cgroups. */
#include "storage/memory.h"

#include "core/file.h"
#include "core/units.h"
#include "tests/unit/ut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char root[64];

static void put(const char *path, const char *text)
{
	char full[512];
	struct err e;
	char *slash;

	snprintf(full, sizeof(full), "%s%s", root, path);
	slash = strrchr(full, '/');
	*slash = 0;
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(full, &e), 0);
	*slash = '/';
	CU_ASSERT_EQUAL_FATAL(
		file_write_atomic(full, text, strlen(text), &e), 0);
}

static void begin(const char *cgroup)
{
	snprintf(root, sizeof(root), "/var/tmp/stoker-ut-memory-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root));
	put("/proc/meminfo", "MemTotal: 9000000 kB\nMemFree: 1 kB\n"
			     "MemAvailable:    8000000 kB\n");
	put("/proc/self/cgroup", cgroup);
}

static void end(void)
{
	struct err e;

	CU_ASSERT_EQUAL(file_remove_tree(root, &e), 0);
}

static void test_no_limit(void)
{
	struct memory_room r;

	begin("4:memory:/\n0::/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"9223372036854771712\n");
	put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
	put("/sys/fs/cgroup/memory.max", "max\n");
	memory_available_at(root, &r);
	CU_ASSERT_EQUAL(r.bytes, 8000000ULL * 1024);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.limit, "MemAvailable"));
	end();
}

/* 256 MiB, of which 200 are used, of which 150 are cache: 206 are left. */
static void test_version_1(void)
{
	struct memory_room r;

	begin("5:cpu:/x\n4:hugetlb,memory:/a/b\n0::/\n");
	put("/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "268435456\n");
	put("/sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "209715200\n");
	put("/sys/fs/cgroup/memory/a/b/memory.stat",
		"cache 5\ninactive_file 7\ntotal_inactive_file 104857600\n"
		"total_active_file 52428800\n");
	memory_available_at(root, &r);
	CU_ASSERT_EQUAL(r.bytes, 206 * MIB_BYTES);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.limit,
		"limit of 256 MiB, "
		"/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes"));
	end();
}

/* The parent's limit is the tighter one, and it is used up. */
static void test_version_2_parent(void)
{
	struct memory_room r;

	begin("0::/pod/box\n");
	put("/sys/fs/cgroup/pod/box/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/pod/box/memory.current", "0\n");
	put("/sys/fs/cgroup/pod/memory.max", "536870912\n");
	put("/sys/fs/cgroup/pod/memory.current", "536870912\n");
	memory_available_at(root, &r);
	CU_ASSERT_EQUAL(r.bytes, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(r.limit, "/pod/memory.max"));
	end();
}

/* Inside a container the path may not exist: its root is what is mounted. */
static void test_path_of_the_outside(void)
{
	struct memory_room r;

	begin("0::/docker/0123\n");
	put("/sys/fs/cgroup/memory.max", "1073741824\n");
	put("/sys/fs/cgroup/memory.current", "1000\n");
	memory_available_at(root, &r);
	CU_ASSERT_EQUAL(r.bytes, 1073741824ULL - 1000);
	end();
}

UT_SUITE(memory, UT_CASE(test_no_limit), UT_CASE(test_version_1),
	UT_CASE(test_version_2_parent), UT_CASE(test_path_of_the_outside))
