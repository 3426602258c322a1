#ifndef PLAN_PROBE_FILE_H
#define PLAN_PROBE_FILE_H
/* The file a probe works on: made without a name that could be left behind, or
 * one that is there and only read. */
#include "core/err.h"

#include <stdint.h>

struct probe_file {
	int fd;	      /* O_DIRECT, read and write; -1 on a modelled drive */
	int buffered; /* the same file through the page cache */
	char folder[4096];
};

/*
 * Make it below dir, empty. -ENOSPC when dir has no room for size_bytes and a
 * little more; ERR_ENV when O_DIRECT is refused.
 */
int probe_file_make(struct probe_file *f, const char *dir, uint64_t size_bytes,
	struct err *e);
/* Open a file that is there, for reading; its size in whole MiB. */
int probe_file_open(struct probe_file *f, const char *path,
	uint64_t *size_bytes, struct err *e);
void probe_file_close(struct probe_file *f);

#endif
