#ifndef DATAGEN_VDB_MANIFEST_H
#define DATAGEN_VDB_MANIFEST_H
/*
 * What the index files of a folder are, beside them as stoker-vectordb.json:
 * enough to search them and to know every byte.
 */
#include "core/err.h"
#include "core/sha256.h"
#include "core/vdb_record.h"

#include <stdbool.h>

#define VDB_MANIFEST_NAME "stoker-vectordb.json"

/* level "replay", or "built" or "copies" with the fields of a real index */
struct vdb_manifest {
	struct vdb_shape shape;
	bool complete; /* all segments are written */
	/* of its input, SHA-256; "generated"; "": it does not tell */
	char vectors_sha256[SHA256_HEX_MAX], queries_sha256[SHA256_HEX_MAX];
};

/* -ENOENT if there is none; -EBADMSG (ERR_IO) names the bad field. */
int vdb_manifest_load(
	const char *folder, struct vdb_manifest *m, struct err *e);
int vdb_manifest_save(
	const char *folder, const struct vdb_manifest *m, struct err *e);

/* The first difference, "num_vectors 1000, not 2000"; false: none. */
bool vdb_shape_differs(const struct vdb_shape *have,
	const struct vdb_shape *want, char *why, size_t why_bytes);

/* And where both tell it, that of their input files. */
bool vdb_manifest_differs(const struct vdb_manifest *have,
	const struct vdb_manifest *want, char *why, size_t why_bytes);

/* Note which files a real index is made from; NULL: generated. ERR_IO. */
int vdb_manifest_input(struct vdb_manifest *m, const char *vectors,
	const char *queries, struct err *e);

#endif
