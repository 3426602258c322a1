#ifndef CLI_PARAMS_H
#define CLI_PARAMS_H
/*
 * The keys of --param, DLIO's dotted names, as one table: it drives parsing,
 * the listing, the man page and the completion. Which of them CLOSED allows is
 * the edition's to say.
 */
#include "core/edition.h"
#include "core/err.h"
#include "core/record.h"

#include <stddef.h>
#include <stdint.h>

enum param_kind {
	PARAM_COUNT, /* uint64_t */
	PARAM_BYTES, /* uint64_t */
	PARAM_STDEV, /* double, in bytes */
	PARAM_TIME,  /* int64_t ns */
	PARAM_BOOL,  /* bool */
	PARAM_FORMAT, /* char[REC_NAME_MAX], a format of datagen/ */
};

struct param_row {
	const char *key;
	enum param_kind kind;
	size_t offset;	   /* into struct train_config */
	uint64_t min, max; /* PARAM_COUNT, in its unit; max 0 = no limit */
	const char *help;
};

extern const struct param_row params_training[]; /* ends with key NULL */

/*
 * Set `key` of c. -EINVAL (ERR_USAGE) with the nearest key there is, or saying
 * that the rules know the key but nothing here is steered by it.
 */
int param_set(const char *key, const char *value, const struct edition *ed,
	struct train_config *c, struct err *e);

/* "1 to 256", "true or false", "a size, such as 1MiB; bare = bytes". */
#define PARAM_RANGE_MAX 96
const char *param_range(const struct param_row *row, char buf[PARAM_RANGE_MAX]);

/* The table for people. */
void params_print(const struct edition *ed);

#endif
