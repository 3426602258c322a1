#ifndef STORAGE_BUFFERS_H
#define STORAGE_BUFFERS_H
/*
 * One arena of equal I/O buffers, touched once at the start and reused for
 * ever. It is made of 2-MiB-aligned huge pages when they can be had: with
 * 4-KiB pages a large O_DIRECT request is cut into many device requests. A
 * virtual engine moves no bytes, so its buffers have no memory.
 */
#include "core/err.h"
#include "storage/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;

struct buffers {
	uint8_t *mem; /* NULL: without memory */
	size_t size_bytes; /* of one buffer */
	uint32_t count;
	size_t arena_bytes;
	bool huge;	 /* backed by huge pages */
	bool registered; /* with the engine */
	int register_error; /* -errno when it was refused */
};

/*
 * Make `count` buffers of size_bytes each (a multiple of 4096) and register
 * them with the engine if it can. Without huge pages or registration the
 * buffers still work; huge, registered and register_error tell.
 */
int buffers_init(struct buffers *b, struct engine *g, uint32_t count,
	size_t size_bytes, bool with_memory, struct err *e);
void buffers_fini(struct buffers *b);

static inline void *buffers_at(const struct buffers *b, uint32_t i)
{
	return b->mem ? b->mem + (size_t)i * b->size_bytes : NULL;
}

/*
 * Would local_ranks x buffers x size fit into the room of one host? ERR_ENV
 * with the whole sum when it takes more than nine tenths of it.
 */
int buffers_guard(uint64_t ranks_on_host, uint64_t buffers_per_rank,
	uint64_t buffer_bytes, const struct memory_room *room, struct err *e);

#endif
