#ifndef CLI_CLI_H
#define CLI_CLI_H
/* What the commands share: errors to the user, exit codes, the live line. */
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

#define STOKER_VERSION "0.1.0"
#define EXIT_INTERRUPTED 130

/* Print "stoker: text" to stderr and return the exit code of the error. */
int cli_fail(const struct err *e);

/* The same, and with json the document {"status", "error", "exit_code"}. */
int cli_fail_report(bool json, const struct err *e);

struct cJSON;
/* Print o (freed here; NULL: no memory) to stdout; 0 or an exit code. */
int cli_print_json(struct cJSON *o);
/* The same of a document that is whole only if ok: else there was no memory. */
int cli_print_whole(struct cJSON *o, bool ok);

/*
 * Print a report as the one document on stdout, with its exit code; of a run
 * that failed also the error. doc is taken over and may be NULL (out of
 * memory). Returns the exit code.
 */
int cli_print_report(struct cJSON *doc, const struct err *failed, int code);

/* Of a noun that n stands before. */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* A line on stderr that replaces itself on a terminal. Elsewhere it is
 * printed when `keep` is set or every 10 s. */
void cli_line(bool keep, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* End a live line before other text goes to the terminal. */
void cli_line_end(void);

#endif
