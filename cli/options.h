#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
/*
 * Options of a command as one table: it drives parsing (by popt), --help and
 * the checks of ranges.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_kind {
	OPTION_HEADING, /* help: the title of a group */
	OPTION_TEXT,	/* const char * */
	OPTION_COUNT,	/* uint64_t, with min and max */
	OPTION_FLAG,	/* bool */
	OPTION_LIST,	/* const char *[OPTION_LIST_MAX], NULL-ended */
};

#define OPTION_LIST_MAX 64

struct option_row {
	enum option_kind kind;
	const char *name;
	char letter; /* 0 = none */
	size_t offset; /* of the value in the command's struct */
	const char *arg; /* "N", "DIR"; NULL for flags */
	const char *help; /* with unit and default */
	uint64_t min, max; /* OPTION_COUNT; max 0 = no limit */
};

/*
 * Parse argv (without the command's words) into the struct at `into`, which
 * holds the defaults. -EINVAL names the option, the nearest one that exists
 * for an unknown name. *help is set when --help was asked for. Texts are
 * malloc'd once and live as long as the program.
 */
int options_parse(const struct option_row *rows, void *into, int argc,
	const char **argv, bool *help, struct err *e);

void options_print_help(const struct option_row *rows);

/* The name in names[] (NULL-ended) that is nearest to `name`, or NULL. */
const char *options_nearest(const char *name, const char *const *names);

#endif
