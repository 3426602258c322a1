#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H
/*
 * Options of a command as one table: it drives parsing (by popt), --help, the
 * man page, the completion of the shell and the checks of ranges.
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

/* What the shell can complete a value with, beside a list of words. */
#define COMPLETE_DIR "@dir"
#define COMPLETE_MODEL "@model"
#define COMPLETE_ACCELERATOR "@accelerator"
#define COMPLETE_EDITION "@edition"
#define COMPLETE_PARAM "@param"

struct option_row {
	enum option_kind kind;
	const char *name;
	char letter;	 /* 0 = none */
	size_t offset;	 /* of the value in the command's struct */
	const char *arg; /* "N", "DIR"; NULL for flags */
	const char *help;
	uint64_t min, max;    /* OPTION_COUNT; max 0 = no limit */
	const char *standard; /* the default, for people; NULL = none */
	const char *bare;     /* unit of a bare number; NULL = none taken */
	bool not_closed;      /* a run with it is not CLOSED */
	const char *words;    /* "uring pread auto" or COMPLETE_...; or NULL */
};

/*
 * Rows, with more fields behind the help where wanted:
 *	OPT_TEXT("drive", struct options, drive, "MODEL", "a modelled drive",
 *		.not_closed = true)
 */
#define OPT_HEADING(title)                                                     \
	{                                                                      \
		.kind = OPTION_HEADING, .name = (title)                        \
	}
#define OPT_END                                                                \
	{                                                                      \
		.kind = OPTION_HEADING                                         \
	}
#define OPT_ROW(row_kind, row_name, type, field, row_arg, ...)                 \
	{                                                                      \
		.kind = (row_kind), .name = (row_name),                        \
		.offset = offsetof(type, field), .arg = (row_arg),             \
		.help = __VA_ARGS__                                            \
	}
#define OPT_TEXT(name, type, field, arg, ...)                                  \
	OPT_ROW(OPTION_TEXT, name, type, field, arg, __VA_ARGS__)
#define OPT_FLAG(name, type, field, ...)                                       \
	OPT_ROW(OPTION_FLAG, name, type, field, NULL, __VA_ARGS__)
#define OPT_LIST(name, type, field, arg, ...)                                  \
	OPT_ROW(OPTION_LIST, name, type, field, arg, __VA_ARGS__)
#define OPT_COUNT(name, type, field, arg, least, most, ...)                    \
	OPT_ROW(OPTION_COUNT, name, type, field, arg, __VA_ARGS__,             \
		.min = (least), .max = (most))

/* What a command takes beside options: folders, names. */
#define OPTION_WORDS_MAX 64
struct option_words {
	size_t most; /* taken, up to OPTION_WORDS_MAX */
	size_t count;
	const char *word[OPTION_WORDS_MAX];
};

/*
 * Parse argv (without the command's words) into the struct at `into`, which
 * holds the defaults. -EINVAL names the option, the nearest one that exists
 * for an unknown name. *help is set when --help was asked for. Texts are
 * malloc'd once and live as long as the program. w->most is set, the rest is
 * filled; words and options may stand in any order; behind "--" all are words.
 */
int options_parse(const struct option_row *rows, void *into, int argc,
	const char **argv, struct option_words *w, bool *help, struct err *e);
/* The only word of such a command; NULL: none. */
static inline const char *option_word(const struct option_words *w)
{
	return w->count ? w->word[0] : NULL;
}

void options_print_help(const struct option_row *rows);

#define OPTIONS_HELP_MAX 512
/* Help with unit, default and what CLOSED thinks of it; returns buf. */
const char *options_help_text(
	const struct option_row *row, char *buf, size_t size);

#endif
