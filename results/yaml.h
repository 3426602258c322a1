#ifndef RESULTS_YAML_H
#define RESULTS_YAML_H
/*
 * A tree as a YAML file, in the block style that Python's yaml.dump has. The
 * tree is a cJSON one, so that what goes into a JSON file and into a YAML file
 * is built once. Strings that YAML 1.1 would read as something else are
 * quoted, and what is no UTF-8 is mended as in JSON.
 */
#include "core/err.h"

#include <stddef.h>

struct cJSON;

/* comment: one line for the top of the file, without "# "; may be NULL. */
int results_write_yaml(const char *path, const char *comment,
	const struct cJSON *tree, struct err *e);

/* The same as malloc'd text; NULL when out of memory. */
char *results_yaml_text(const char *comment, const struct cJSON *tree);

/*
 * Read YAML as Python's yaml.safe_load does: one document; of two like keys
 * the last counts; a date is neither text nor number (a cJSON "raw" item).
 * -EINVAL (ERR_USAGE) with the line for what is not valid, nested more than
 * 64 deep, or unfolds to more than 100000 values. The caller frees *out with
 * cJSON_Delete().
 */
int results_yaml_parse(const char *text, size_t len, const char *name,
	struct cJSON **out, struct err *e);

/* "0.2.5", of the libyaml that runs. */
const char *results_yaml_version(void);

#endif
