#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H
/*
 * The commands there are, as one table: it drives main(), the overview, each
 * command's --help, the man page and the completion of the shell.
 */
#include "cli/options.h"

#include <stdbool.h>
#include <stddef.h>

struct command {
	const char *noun, *verb; /* verb NULL: the noun stands alone */
	int (*run)(int argc, const char **argv); /* behind the words */
	const char *synopsis;			 /* what follows the words */
	const char *help; /* one line; NULL: hidden, for the build */
	const struct option_row *rows;
};

extern const struct command commands[];
extern const size_t command_count;

/* The command argv[0] (and argv[1]) name, and how many words that took. */
const struct command *command_find(int argc, char **argv, int *words);

/* "training run", for people; buf is returned. */
#define COMMAND_NAME_MAX 64
const char *command_name(const struct command *c, char buf[COMMAND_NAME_MAX]);

/* Usage and options of the command that has this table; returns 0. */
int command_help(const struct option_row *rows);

/*
 * options_parse() for a command, with its --help and its errors, with --json
 * also as a document. False: the command has nothing more to do, *code is its
 * exit code.
 */
bool command_options(const struct option_row *rows, void *into, int argc,
	const char **argv, int *code);
/* The same for one that takes words: w as of options_parse(). */
bool command_options_words(const struct option_row *rows, void *into,
	int argc, const char **argv, struct option_words *w, int *code);

/*
 * Answer "--help", "help", "help NOUN [VERB]" and "NOUN --help" (the options of
 * a whole command are its own --help's business); *code is the exit code.
 * False: nobody asked.
 */
bool commands_asked_for_help(int argc, char **argv, int *code);
/* Tell what is wrong with a command that does not exist; an exit code. */
int commands_unknown(int argc, char **argv);

extern const struct option_row version_rows[];
int cmd_version(int argc, const char **argv);

/* The man page in roff, and completion for bash. 0, or an exit code. */
int cmd_internal_man(int argc, const char **argv);
int cmd_internal_completion(int argc, const char **argv);

#endif
