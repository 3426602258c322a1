#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H
/*
 * The data files of configs/, built into the binary and overridable: a file of
 * the same name below a --config-dir (or $STOKER_CONFIG_DIR) wins.
 */
#include "core/err.h"

#include <stddef.h>

struct cJSON;

struct config_file {
	const char *name; /* "accelerators/b200.json" */
	const char *text; /* ends with a zero byte that size does not count */
	size_t size;
};

#define CONFIG_ORIGIN_MAX 4096

extern const struct config_file config_embedded[]; /* ends with name NULL */

/*
 * Parse configuration `name`: the file dir/name if dir is given and has it,
 * else the embedded one. The caller frees *out with cJSON_Delete. -ENOENT with
 * a text that lists the names of that folder when there is none.
 */
int config_load(
	const char *dir, const char *name, struct cJSON **out, struct err *e);

/*
 * The same as bytes, for what must be known byte by byte (a hash): malloc'd
 * *text, with a zero byte behind its *len bytes. origin (may be NULL) gets the
 * path, or the name if it is embedded.
 */
int config_text(const char *dir, const char *name, char **text, size_t *len,
	char origin[CONFIG_ORIGIN_MAX], struct err *e);

/*
 * Call fn for the base name (no folder, no ".json") of every configuration in
 * `folder`, embedded ones and those of dir, each once, sorted by name.
 */
int config_each(const char *dir, const char *folder,
	int (*fn)(void *arg, const char *base), void *arg, struct err *e);

#endif
