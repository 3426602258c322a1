#ifndef CORE_PARAMS_H
#define CORE_PARAMS_H
/*
 * The parameters of a training workload by DLIO's dotted names, as one table:
 * --param, its listing, the man page and the completion come from it, and so
 * do the parameters that result files tell. A row is all that a new one needs.
 * Which of them CLOSED allows is the edition's to say.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum param_kind {
	PARAM_TEXT,   /* char[] */
	PARAM_FORMAT, /* char[REC_NAME_MAX], a format of datagen/ */
	PARAM_COUNT,  /* uint64_t */
	PARAM_BYTES,  /* uint64_t */
	PARAM_STDEV,  /* double, in bytes */
	PARAM_TIME,   /* int64_t ns */
	PARAM_BOOL,   /* bool */
};

struct param_row {
	const char *key; /* GROUP.NAME */
	enum param_kind kind;
	size_t offset;	   /* into struct train_config */
	uint64_t min, max; /* PARAM_COUNT, in its unit; max 0 = no limit */
	bool only_changed; /* result files have it only if it was changed */
	const char *help;  /* NULL: not to be set by --param */
};

/* In the order in which a profile of the benchmark has them; ends with key
 * NULL. */
extern const struct param_row params_training[];

#endif
