#ifndef PLAN_VDB_ANSWERS_H
#define PLAN_VDB_ANSWERS_H
/*
 * A real index as a run needs it: its segments, the queries and what they
 * should find; and how much of that was found.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_truth.h"
#include "datagen/vdb_vectors.h"
#include "workloads/vdb_guide.h"

struct vdb_answers {
	const struct vdb_config *config;
	struct vdb_index *indexes; /* [segments] */
	uint32_t opened;
	struct vdb_vectors queries;
	struct vdb_truth truth;
	struct vdb_truth *segments; /* their own; NULL or segments_known < S */
	uint32_t segments_known;
	/* [1 + segments][distinct] recall of a query, -1: not yet asked; the
	 * first row is of all segments together */
	double *found;
	uint64_t cached_nodes;
	uint32_t without_cache; /* segments whose list of nodes is missing */
	uint64_t index_bytes;
	uint32_t read_bytes; /* the longest of any segment */
};

/*
 * ERR_ENV before it would take more memory than there is; ERR_USAGE where the
 * truth does not go as far as the run.
 */
int vdb_answers_open(struct vdb_answers *a, const struct vdb_config *c,
	struct err *e);
void vdb_answers_close(struct vdb_answers *a);

/* vectordb_env.answered; ctx is the struct vdb_answers. */
void vdb_answers_take(void *ctx, uint64_t query, const struct vdb_answer *best,
	uint32_t count);

/* vectordb_env.segment_answered */
void vdb_answers_take_segment(void *ctx, uint32_t segment, uint64_t query,
	const struct vdb_answer *best, uint32_t count);

/* Collective: the recall of all, in rank 0's process. */
int vdb_answers_gather(struct vdb_answers *a, struct group *g,
	struct vdb_recall *out, struct err *e);

#endif
