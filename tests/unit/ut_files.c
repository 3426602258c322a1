/* Temporary folders and files; see ut_files.h. */
#include "tests/unit/ut_files.h"

#include "core/file.h"
#include "tests/unit/ut.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ut_dir_make(char dir[UT_PATH_MAX], const char *base)
{
	snprintf(dir, UT_PATH_MAX, "%s/stoker-unit-XXXXXX", base);
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
}

void ut_dir_remove(const char *dir)
{
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

const char *ut_join(
	char path[UT_PATH_MAX], const char *dir, const char *name)
{
	int n = snprintf(path, UT_PATH_MAX, "%s/%s", dir, name);

	CU_ASSERT_FATAL(n > 0 && n < UT_PATH_MAX);
	return path;
}

void ut_file_write(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(write(fd, data, len), (ssize_t)len);
	close(fd);
}

void ut_file_flip(const char *path, uint64_t offset)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t byte = 0;

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL_FATAL(pread(fd, &byte, 1, (off_t)offset), 1);
	byte ^= 1;
	CU_ASSERT_EQUAL_FATAL(pwrite(fd, &byte, 1, (off_t)offset), 1);
	close(fd);
}

bool ut_file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

uint64_t ut_file_size(const char *path)
{
	struct stat st;

	CU_ASSERT_EQUAL_FATAL(stat(path, &st), 0);
	return (uint64_t)st.st_size;
}

static const char *wanted_suffix;
static size_t found;

static int look(const char *path, const struct stat *st, int type,
	struct FTW *f)
{
	size_t n = strlen(path), m = strlen(wanted_suffix);

	(void)st, (void)f;
	if (type == FTW_F && n >= m && !strcmp(path + n - m, wanted_suffix))
		found++;
	return 0;
}

size_t ut_files_ending(const char *dir, const char *suffix)
{
	wanted_suffix = suffix;
	found = 0;
	CU_ASSERT_EQUAL(nftw(dir, look, 16, FTW_PHYS), 0);
	return found;
}
