#ifndef PLAN_VDB_PREPARE_H
#define PLAN_VDB_PREPARE_H
/*
 * Before index files are written, by rank 0: look first, at the input, at what
 * is in the folder and at the room, and change nothing; then begin, which
 * removes what is not part of the index and says in the manifest what comes.
 */
#include "core/err.h"
#include "datagen/vdb_manifest.h"
#include "plan/vdb_run.h"

#include <stdbool.h>

struct vdb_prepare {
	const struct vdb_generate *p;
	/* what look() finds */
	struct vdb_manifest want; /* not complete */
	bool complete;		  /* all is there: nothing to do */
	bool clear;		  /* no file that is there stays */
	bool *whole;		  /* [segments]: it stays */
};

int vdb_prepare_look(
	struct vdb_prepare *x, const struct vdb_generate *p, struct err *e);
int vdb_prepare_begin(struct vdb_prepare *x, struct err *e);
void vdb_prepare_free(struct vdb_prepare *x);

#endif
