#ifndef PLAN_DATA_SOURCE_H
#define PLAN_DATA_SOURCE_H
/*
 * The data set a run reads: a store over real files, or over the sizes that
 * such files would have, and the check of their content.
 */
#include "core/err.h"
#include "core/record.h"
#include "datagen/dataset.h"
#include "datagen/manifest.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

struct data_source {
	struct store store;
	struct dataset_layout layout;
	const struct dataset_format *format;
	struct dataset_dims *dims; /* [layout.files]; NULL if not needed */
	struct manifest manifest;
	bool has_manifest;
	bool verify; /* compare content too */
	char folder[4096];
	uint64_t verified; /* files whose content was compared to the end */
};

void data_source_layout(const struct train_config *c, struct dataset_layout *l);

/*
 * Open the data of c (virtual where c->drive is set). Real data: checks that
 * file 0, N - 1 and every k-th is there, that a manifest (if any) describes a
 * complete set of this kind, and that O_DIRECT works if asked for. With
 * allow_fallback c->odirect is turned off instead, with a note in rec.
 */
int data_source_open(struct data_source *d, struct train_config *c,
	bool allow_fallback, struct record *rec, struct err *e);
void data_source_close(struct data_source *d);

/*
 * training_env.check: ctx is the data_source. Looks at the start of every
 * sample; with verification compares all bytes with what was generated.
 */
int data_source_check(void *ctx, uint64_t file, uint64_t offset_bytes,
	const void *buf, size_t len_bytes, struct err *e);

/* Sum of all files' bytes as the layout makes them. 0 on failure. */
int data_source_total_bytes(
	const struct dataset_layout *l, uint64_t *bytes, struct err *e);

#endif
