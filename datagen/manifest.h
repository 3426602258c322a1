#ifndef DATAGEN_MANIFEST_H
#define DATAGEN_MANIFEST_H
/*
 * What a data folder holds, written beside it as stoker-manifest.json: enough
 * to continue an interrupted generation, to refuse a run on the wrong data,
 * and to verify every byte. A data set of other origin has none.
 */
#include "core/err.h"
#include "datagen/content.h"
#include "datagen/dataset.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MANIFEST_NAME "stoker-manifest.json"

struct manifest {
	struct dataset_layout layout;
	enum content_kind kind;
	uint64_t seed;	/* of the content */
	struct content_ratios ratios; /* 0 where the file has no such key */
	bool complete;	/* every file is written */
	char model[64]; /* "unet3d" */
	char scale[32]; /* "1/32", for people; layout has it applied */
	uint64_t total_bytes;
	/*
	 * By file index, [layout.files], owned by the manifest; NULL if not
	 * known. A complete manifest has the sizes, and they add up to
	 * total_bytes.
	 */
	uint64_t *file_bytes;
	/*
	 * npz: of member x, as in its zip header. Not kept for formats
	 * without a CRC.
	 */
	uint32_t *file_crc32;
};

/*
 * Read folder/stoker-manifest.json into *m, which need not be initialized;
 * freed with manifest_free(). Every field is checked. 0; -ENOENT if there is
 * none; -EBADMSG (ERR_IO) saying which field is wrong; an I/O error. On
 * failure *m is empty.
 */
int manifest_load(const char *folder, struct manifest *m, struct err *e);

/*
 * Replace the file at once: temporary name, fsync, rename, fsync of the
 * folder. 0, -EINVAL for a manifest that manifest_load() would
 * refuse, or an I/O error; then the old file is still there.
 */
int manifest_save(const char *folder, const struct manifest *m, struct err *e);

/* Free the arrays and clear *m. */
void manifest_free(struct manifest *m);

/*
 * Do both describe the same bytes on disk? Compared are layout, kind, ratios
 * and seed as far as they decide a byte: the seed not for CONTENT_REFERENCE,
 * the generating processes not when all files have one size. If not, `why`
 * names the first difference, a's value before b's.
 */
bool manifest_same_set(const struct manifest *a, const struct manifest *b,
	char *why, size_t why_bytes);

#endif
