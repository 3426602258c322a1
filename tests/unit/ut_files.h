#ifndef TESTS_UNIT_UT_FILES_H
#define TESTS_UNIT_UT_FILES_H
/* Temporary folders and small files for the tests that need real ones. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UT_PATH_MAX 512

/* A new folder below base ("/tmp" on a disk, "/dev/shm" in memory). */
void ut_dir_make(char dir[UT_PATH_MAX], const char *base);
void ut_dir_remove(const char *dir);

/* dir/name into path. Returns path. */
const char *ut_join(
	char path[UT_PATH_MAX], const char *dir, const char *name);

void ut_file_write(const char *path, const void *data, size_t len);
/* Change one byte. */
void ut_file_flip(const char *path, uint64_t offset);
bool ut_file_exists(const char *path);
uint64_t ut_file_size(const char *path);

/* Number of files below dir whose names end in `suffix`. */
size_t ut_files_ending(const char *dir, const char *suffix);

#endif
