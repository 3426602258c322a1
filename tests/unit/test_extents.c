/* Written, never written, missing and cached parts of a file. */
#include "storage/extents.h"

#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUARTER (256 * 1024)

/* A quarter written, a quarter reserved only, half a hole. */
static void parts_of_a_file(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	char *data = malloc(QUARTER);
	struct extents x;
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	memset(data, 7, QUARTER);
	ut_dir_make(dir, "/tmp");
	fd = open(ut_join(path, dir, "file"), O_RDWR | O_CREAT, 0600);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(write(fd, data, QUARTER), QUARTER);
	CU_ASSERT_EQUAL(ftruncate(fd, 4 * QUARTER), 0);
	CU_ASSERT_EQUAL(fsync(fd), 0);
	CU_ASSERT_EQUAL_FATAL(extents_look(fd, &x), 0);
	CU_ASSERT_EQUAL(x.size_bytes, 4 * QUARTER);
	CU_ASSERT_EQUAL(x.written_bytes, QUARTER);
	CU_ASSERT_EQUAL(x.unwritten_bytes, 0);
	CU_ASSERT_EQUAL(x.hole_bytes, 3 * QUARTER);
	CU_ASSERT_EQUAL(x.pending_bytes, 0);
	if (!x.known || fallocate(fd, 0, QUARTER, QUARTER)) {
		ut_skip("extents/parts_of_a_file",
			"/tmp has no FIEMAP or no fallocate()");
	} else {
		CU_ASSERT_EQUAL(fsync(fd), 0);
		CU_ASSERT_EQUAL_FATAL(extents_look(fd, &x), 0);
		CU_ASSERT_EQUAL(x.written_bytes, QUARTER);
		CU_ASSERT_EQUAL(x.unwritten_bytes, QUARTER);
		CU_ASSERT_EQUAL(x.hole_bytes, 2 * QUARTER);
		CU_ASSERT_EQUAL(x.encoded_bytes, 0);
	}
	close(fd);
	free(data);
	ut_dir_remove(dir);
}

static void cached_bytes(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	char *data = malloc(QUARTER);
	uint64_t bytes = 0;
	int fd;

	CU_ASSERT_PTR_NOT_NULL_FATAL(data);
	memset(data, 7, QUARTER);
	/* nothing is ever reclaimed from memory */
	ut_dir_make(dir, "/dev/shm");
	fd = open(ut_join(path, dir, "file"), O_RDWR | O_CREAT, 0600);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(extents_cached(fd, &bytes), 0);
	CU_ASSERT_EQUAL(bytes, 0);
	CU_ASSERT_EQUAL(pwrite(fd, data, QUARTER, QUARTER), QUARTER);
	CU_ASSERT_EQUAL(extents_cached(fd, &bytes), 0);
	CU_ASSERT_EQUAL(bytes, QUARTER);
	close(fd);
	free(data);
	ut_dir_remove(dir);
}

UT_SUITE(extents, UT_CASE(parts_of_a_file), UT_CASE(cached_bytes))
