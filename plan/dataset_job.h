#ifndef PLAN_DATASET_JOB_H
#define PLAN_DATASET_JOB_H
/*
 * Generating a training data set: what is there already, what is missing, is
 * there room for it, then the writing by all processes of a group, and the
 * manifest. What is complete is never written again; what was interrupted
 * continues.
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "datagen/content.h"
#include "datagen/dataset.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct dataset_progress {
	uint64_t files_done, files_total; /* of the whole set, estimated */
	uint64_t bytes_done, bytes_total; /* to be written now */
	int64_t elapsed_ns;
};

struct dataset_job {
	struct group *group;
	struct engine_spec engine;
	struct dataset_layout layout;
	enum content_kind kind;
	uint64_t seed;
	struct content_ratios ratios; /* CONTENT_UNIQUE only */
	const char *folder; /* data folder, ends in the model's name */
	const char *model, *scale;
	bool direct;
	bool overwrite; /* replace a data set of other parameters */
	void (*progress)(void *ctx, const struct dataset_progress *p);
	void (*plan)(void *ctx, const struct dataset_progress *p);
	/* asked for and not delivered; may be NULL */
	void (*note)(void *ctx, const char *id, const char *text);
	void *ctx;
};

struct dataset_result {
	uint64_t files, bytes; /* of the whole set */
	uint64_t files_written, bytes_written;
	int64_t elapsed_ns;
	char engine[16];
};

/* What would be written, and the room for it; rank 0's view, no writing. */
int dataset_job_plan(const struct dataset_job *j, struct dataset_result *res,
	uint64_t *free_bytes, struct err *e);

/* Collective. ERR_USAGE when the folder holds another set. */
int dataset_job_run(const struct dataset_job *j, struct dataset_result *res,
	struct err *e);

#endif
