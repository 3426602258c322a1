#ifndef CLI_CHILD_H
#define CLI_CHILD_H
/*
 * This program as a child of itself: a question that takes several runs asks
 * each as `stoker training run ... --json` and reads the document. Ctrl-C is
 * passed on, and the child leaves in its own order.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>

#define CHILD_ARGS_MAX 256

struct child_args {
	const char *at[CHILD_ARGS_MAX]; /* without the program's name */
	size_t count;
	char *own[CHILD_ARGS_MAX]; /* texts made by child_arg() */
	size_t own_count;
	bool overflow;
};

void child_word(struct child_args *a, const char *word); /* borrowed */
/* "--name" and a value made from fmt. */
void child_arg(struct child_args *a, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void child_args_fini(struct child_args *a);

struct child_result {
	int exit_code;
	char *out; /* stdout, malloc'd, ends with a zero byte */
	size_t out_bytes;
	char *messages; /* stderr */
};

/*
 * Run and wait. 0 whatever the exit code; -EINTR when we were interrupted,
 * other errors when it could not be run or was killed.
 */
int child_run(
	const struct child_args *a, struct child_result *res, struct err *e);
/*
 * The same for a child whose words are wanted while it works: sink gets what it
 * writes to its descriptor 1 or 2. The exit code is set when it ended by
 * itself, also with -EINTR.
 */
typedef void child_sink(void *arg, int fd, const char *data, size_t len);
int child_stream(const struct child_args *a, child_sink *sink, void *arg,
	int *exit_code, struct err *e);
void child_result_fini(struct child_result *res);

#endif
