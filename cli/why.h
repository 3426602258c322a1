#ifndef CLI_WHY_H
#define CLI_WHY_H
/* `stoker why`, and the same at the end of `stoker training run`. */
#include "cli/options.h"
#include "core/record.h"

#include <stdbool.h>

struct cJSON;

extern const struct option_row why_rows[];
int cmd_why(int argc, const char **argv);

/*
 * Behind a run's report: with `all` the whole explanation, else one line if
 * the verdict (steady: by the steady figure) is FAIL. A run that cannot be
 * explained says so on stderr; it never changes the exit code.
 */
void why_report(const struct record *rec, bool all, bool steady);
/* The same into a document. */
void why_report_json(
	struct cJSON *doc, const struct record *rec, bool all, bool steady);

#endif
