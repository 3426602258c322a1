#ifndef PLAN_VDB_BUILD_H
#define PLAN_VDB_BUILD_H
/*
 * Real segments: vectors, graph, quantizer, files, and the exact answers of
 * the queries. Each process builds its own segments, without locks.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_made.h"
#include "datagen/vdb_truth.h"
#include "datagen/vdb_vectors.h"
#include "plan/vdb_writer.h"

#include <stdbool.h>

#define VDB_QUERIES_NAME "queries.fbin"
#define VDB_TRUTH_NAME "ground_truth.bin"
#define VDB_SEGMENT_TRUTH "_ground_truth.bin" /* of one, behind its prefix */

struct vdb_build {
	const struct vdb_shape *shape;
	const char *folder;
	const char *vectors; /* .fbin file, or NULL: generated */
	void (*progress)(void *ctx, uint64_t vectors);
	void *ctx;
	uint64_t done; /* vectors before this segment, for progress */
	bool skip;     /* the segment is there: only its answers are missing */
	/* its own */
	struct vdb_vectors queries;
	struct vdb_truth truth;
	struct vdb_made first; /* what copies are made from */
};

/* Memory of the largest segment's build; ERR_ENV when the host lacks it. */
int vdb_build_memory(const struct vdb_shape *s, uint64_t processes,
	uint64_t *bytes, struct err *e);

/* Can that be built, from these files? Changes nothing; a process alone. */
int vdb_build_check(const struct vdb_shape *s, const char *vectors,
	const char *queries, struct err *e);

/* queries: an .fbin file, or NULL: generated. */
int vdb_build_open(struct vdb_build *b, const char *queries, struct err *e);
int vdb_build_segment(struct vdb_build *b, uint32_t segment,
	struct vdb_writer *w, uint64_t *bytes, struct err *e);
/* Collective: rank 0 writes queries and their answers; what they cover. */
int vdb_build_truth(struct vdb_build *b, struct group *g, uint64_t *covered,
	struct err *e);
void vdb_build_close(struct vdb_build *b);

#endif
