/* What the host says. */
#include "storage/host.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_BYTES (4u << 20)

static void test_facts(void)
{
	char name[64] = "", *text;

	host_name(name, sizeof(name));
	CU_ASSERT(name[0] != 0);
	host_name(name, 3); /* cut, but a string */
	CU_ASSERT(strlen(name) <= 2);
	CU_ASSERT(host_cpu_count() >= 1);
	CU_ASSERT(host_memory_bytes() > 64 << 20);
	CU_ASSERT(host_peak_rss_bytes() > 1 << 20);
	CU_ASSERT(host_peak_rss_bytes() < host_memory_bytes());
	text = host_meminfo_text();
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "MemTotal:"));
	free(text);
	/* one CPU's part, the last one's */
	text = host_cpuinfo_text();
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(strncmp(text, "processor", 9), 0);
	CU_ASSERT_PTR_NULL(strstr(text, "\nprocessor"));
	free(text);
}

/* Asking for it takes some itself: it must come to move. */
static void test_cpu_time_runs(void)
{
	int64_t from = host_cpu_ns(), to;
	unsigned long asked = 0;

	do
		to = host_cpu_ns();
	while (to < from + 2000000 && ++asked < 1UL << 30);
	CU_ASSERT(to >= from + 2000000);
}

static uint64_t read_all(const char *path, int flags, void *buf)
{
	uint64_t before, after;
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(host_device_read_bytes(&before), 0);
	CU_ASSERT_EQUAL(pread(fd, buf, FILE_BYTES, 0), FILE_BYTES);
	CU_ASSERT_EQUAL_FATAL(host_device_read_bytes(&after), 0);
	close(fd);
	return after - before;
}

/*
 * mlcommons/storage#464: what came from the cache must not pass for the
 * drive's. Cached: the device moves nothing. O_DIRECT: exactly what was asked.
 */
static void test_C12_device_bytes(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	uint64_t bytes;
	void *buf;
	int fd, tries;

	if (host_device_read_bytes(&bytes)) {
		ut_skip("host/test_C12_device_bytes", "no /proc/self/io");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(posix_memalign(&buf, 4096, FILE_BYTES), 0);
	memset(buf, 0x5a, FILE_BYTES);
	ut_dir_make(dir, "/tmp");
	ut_file_write(ut_join(path, dir, "file"), buf, FILE_BYTES);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (fd < 0) {
		ut_skip("host/test_C12_device_bytes", "no O_DIRECT on /tmp");
	} else {
		CU_ASSERT_EQUAL(fsync(fd), 0);
		close(fd);
		/* again if somebody dropped the cache in between */
		for (tries = 0; tries < 10 && read_all(path, 0, buf); tries++)
			;
		CU_ASSERT(tries < 10);
		bytes = read_all(path, O_DIRECT, buf);
		CU_ASSERT(bytes == FILE_BYTES || bytes == 0);
		if (!bytes)
			ut_skip("host/test_C12_device_bytes",
				"/tmp is not on a block device");
	}
	ut_dir_remove(dir);
	free(buf);
}

static void test_same_filesystem(void)
{
	bool same = false;

	CU_ASSERT_EQUAL(host_same_filesystem("/tmp", "/tmp/.", &same), 0);
	CU_ASSERT_TRUE(same);
	CU_ASSERT_EQUAL(host_same_filesystem("/tmp", "/proc", &same), 0);
	CU_ASSERT_FALSE(same);
	/* mlcommons/storage#772: the results folder is often yet to be made */
	CU_ASSERT_EQUAL(host_same_filesystem("/", "/no/such/folder", &same), 0);
	CU_ASSERT_TRUE(same);
	CU_ASSERT_EQUAL(host_same_filesystem("/", "/proc/self/stat/x", &same),
		-ENOTDIR);
}

UT_SUITE(host, UT_CASE(test_facts), UT_CASE(test_cpu_time_runs),
	UT_CASE(test_C12_device_bytes), UT_CASE(test_same_filesystem))
