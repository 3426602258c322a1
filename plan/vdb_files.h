#ifndef PLAN_VDB_FILES_H
#define PLAN_VDB_FILES_H
/*
 * The files of an index's folder: their lengths, which of them are there, and
 * all that carry such a name, whoever wrote them.
 */
#include "core/err.h"
#include "core/vdb_record.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The folder that --data-dir names is so much of an index's own. */
int vdb_files_parent(const char *folder);
/* ERR_USAGE, -ENOTDIR when it, or what it is in, is something else. */
int vdb_files_check_folder(const char *folder, struct err *e);

/* What the names of a segment's files begin with; room for the longest. */
int vdb_files_prefix(const char *folder, uint32_t segment,
	char prefix[PATH_MAX], struct err *e);

/* Queries and their answers; no segment's. */
#define VDB_FILES_SHARED UINT64_MAX

/*
 * Room that a segment takes at most, in whole 4096-byte blocks: its index and,
 * when it is real, all that lies beside it. ERR_USAGE where no index is so.
 */
int vdb_files_segment_bytes(const struct vdb_shape *s, uint32_t segment,
	uint64_t *bytes, struct err *e);
/* Of the queries and their answers. */
uint64_t vdb_files_shared_bytes(const struct vdb_shape *s);

/*
 * Is a segment there, its index and all that lies beside it, each as long as
 * this shape has it?
 */
bool vdb_files_whole(
	const struct vdb_shape *s, const char *folder, uint32_t segment);
/* Are the queries and their answers there? */
bool vdb_files_shared_there(const char *folder);

/*
 * Each file of a folder that is named as one of an index, whole or not, with
 * its segment's number or VDB_FILES_SHARED. fn() may remove it; what is not 0
 * ends the walk and is returned. No folder: no files.
 */
int vdb_files_each(const char *folder,
	int (*fn)(void *ctx, const char *path, uint64_t segment,
		const struct stat *st, struct err *e),
	void *ctx, struct err *e);

#endif
