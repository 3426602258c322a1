#ifndef PLAN_VDB_WRITER_H
#define PLAN_VDB_WRITER_H
/*
 * Writes index files: O_DIRECT, several requests in flight, each file whole
 * under its name or not there.
 */
#include "core/err.h"
#include "datagen/vdb_bin.h"
#include "datagen/vdb_layout.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

#define VDB_WRITER_DEPTH 16

struct vdb_writer;

struct vdb_chunk {
	struct engine_op op;
	struct vdb_writer *w;
	bool busy;
};

struct vdb_writer {
	struct engine *engine;
	struct buffers buffers;
	struct store store; /* file i is segment i; the owner's */
	/* its own */
	struct vdb_chunk chunks[VDB_WRITER_DEPTH];
	const struct vdb_layout *layout;
	void (*fill)(const void *ctx, uint64_t offset_bytes, void *buf,
		uint64_t len_bytes);
	const void *ctx;
	struct vdb_bin *sums;
	uint32_t in_flight, chunk_bytes;
	int64_t bad; /* the first result that was not what was asked for */
};

/* most_bytes: of the longest read of any segment. */
int vdb_writer_open(struct vdb_writer *w, const struct engine_spec *spec,
	struct clock *clock, uint32_t most_bytes, struct err *e);
void vdb_writer_close(struct vdb_writer *w);

/*
 * Segment i, with what fill() makes of its bytes. sums gets that of each read,
 * made here, the caller's to free; NULL: nobody needs them.
 */
int vdb_writer_write(struct vdb_writer *w, uint32_t i,
	const struct vdb_layout *layout,
	void (*fill)(const void *ctx, uint64_t offset_bytes, void *buf,
		uint64_t len_bytes),
	const void *ctx, struct vdb_bin *sums, struct err *e);

#endif
