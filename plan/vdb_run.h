#ifndef PLAN_VDB_RUN_H
#define PLAN_VDB_RUN_H
/*
 * Index files of a vector database: writing them, and a run of queries over a
 * group, on a drive or a modelled one, into one record. Collective; the record
 * is complete in rank 0's process.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/vdb_record.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct vdb_run {
	struct group *group;
	struct engine_spec engine;
	bool virtual_time;
	const char *drive; /* its name, for errors; NULL: a real one */
	uint64_t capacity_bytes; /* of a modelled drive; 0: no limit */
	/* virtual time with results: it does not begin before; 0 = now */
	int64_t not_before_ns;
};

/* All index files of a shape. ERR_USAGE where no index is like that. */
int vdb_index_bytes(
	const struct vdb_shape *s, uint64_t *bytes, struct err *e);

/* rec->config is resolved; all else is added. */
int vdb_run(const struct vdb_run *c, struct vdb_record *rec, struct err *e);

struct vdb_written {
	uint64_t bytes, segments, vectors; /* written now, by all */
	int64_t start_ns, end_ns;
	bool was_complete; /* nothing was left to do */
};

struct vdb_generate {
	struct group *group;
	const struct engine_spec *engine;
	const struct vdb_shape *shape; /* built: or a replayed index */
	const char *folder;
	bool overwrite; /* else a folder that holds another index is refused */
	const char *vectors, *queries; /* .fbin files, or NULL: generated */
	/* vectors that this process has done; may be NULL */
	void (*progress)(void *ctx, uint64_t vectors);
	void *ctx;
};

/* Write the segments, each whole or not at all; go on where one stopped. */
int vdb_generate(const struct vdb_generate *p, struct vdb_written *out,
	struct err *e);

/*
 * Any process: the shape that folder's manifest tells; ERR_USAGE with what to
 * do when there is none or it is not complete.
 */
int vdb_folder_shape(
	const char *folder, struct vdb_shape *s, struct err *e);

#endif
