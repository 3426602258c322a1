#ifndef RESULTS_YAML_H
#define RESULTS_YAML_H
/*
 * A tree as a YAML file, in the block style that Python's yaml.dump has. The
 * tree is a cJSON one, so that what goes into a JSON file and into a YAML file
 * is built once. Strings that YAML 1.1 would read as something else are
 * quoted, and what is no UTF-8 is mended as in JSON.
 */
#include "core/err.h"

struct cJSON;

/* comment: one line for the top of the file, without "# "; may be NULL. */
int results_write_yaml(const char *path, const char *comment,
	const struct cJSON *tree, struct err *e);

/* "0.2.5", of the libyaml that runs. */
const char *results_yaml_version(void);

#endif
