#ifndef STORAGE_MEMORY_H
#define STORAGE_MEMORY_H
/*
 * How much memory this host, or the container we run in, can still give. Page
 * cache counts as free on both sides: it is given back when needed.
 */
#include <stdint.h>

struct memory_room {
	uint64_t bytes;	 /* 0: unknown */
	char limit[512]; /* what sets it, for messages */
};

void memory_available(struct memory_room *r);

/* The same with every path below `root`, for tests. */
void memory_available_at(const char *root, struct memory_room *r);

#endif
