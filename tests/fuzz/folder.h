#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H
/* A folder in memory for readers that take a path; gone with the process. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fuzz_folder[64];

static void fuzz_folder_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", fuzz_folder);
	if (system(command))
		fprintf(stderr, "%s stays\n", fuzz_folder);
}

static void fuzz_folder_make(void)
{
	if (fuzz_folder[0])
		return;
	strcpy(fuzz_folder, "/dev/shm/stoker-fuzz-XXXXXX");
	if (!mkdtemp(fuzz_folder))
		abort();
	atexit(fuzz_folder_remove);
}

/* Replace folder/name; a missing folder of one level is made. */
static inline void fuzz_file(const char *name, const void *data, size_t size)
{
	char path[256];
	int fd, n;

	fuzz_folder_make();
	n = snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 && n > 0) {
		*strrchr(path, '/') = 0;
		mkdir(path, 0700);
		path[strlen(path)] = '/';
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	}
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

#endif
