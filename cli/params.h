#ifndef CLI_PARAMS_H
#define CLI_PARAMS_H
/*
 * The keys of --param: parsing and listing the rows of core/params.h that a
 * user may set.
 */
#include "core/edition.h"
#include "core/err.h"
#include "core/params.h"
#include "core/record.h"

/* The next row from `row` on that --param may set; NULL: no more. */
const struct param_row *param_next(const struct param_row *row);

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
