#ifndef CORE_CORE_HASH_H
#define CORE_CORE_HASH_H
/*
 * "core-config-v1": the first 16 hex digits of SHA-256 over those parameters
 * of a workload that make results comparable, as compact JSON with sorted,
 * dotted keys. Texts that are truths or numbers count as such ("True", "4"),
 * and whole floats as integers, since the benchmark's wrapper leaves texts
 * where a value was given on its command line.
 */
#include "core/err.h"

struct cJSON;

#define CORE_HASH_MAX 17 /* with the zero byte */

enum core_list { CORE_TRAINING, CORE_CHECKPOINTING };

/* "training@1", "checkpointing@1" */
const char *core_list_name(enum core_list list);

/*
 * parameters: nested, as in a metadata file; `file` names it in errors. keys
 * (may be NULL) gets the dotted keys that counted, as a JSON list that the
 * caller frees.
 */
int core_hash(const struct cJSON *parameters, enum core_list list,
	const char *file, char out[CORE_HASH_MAX], struct cJSON **keys,
	struct err *e);

#endif
