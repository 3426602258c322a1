#ifndef CLI_SIZE_H
#define CLI_SIZE_H
/* `stoker size`: its options, its answers and how they are shown. */
#include "cli/size_with.h"
#include "cli/training.h"
#include "plan/size.h"
#include "plan/size_model.h"

#include <stdbool.h>
#include <stdint.h>

struct size_options {
	struct training_options run; /* first: see training_rows.h */
	const char *data_dirs[OPTION_LIST_MAX];
	const char *sweep, *with;
	bool csv, confirm, quick;
};

extern const struct option_row size_rows[];
void size_options_default(struct size_options *o);

/* The answer for one drive and accelerator. */
struct size_row {
	char drive[192]; /* as given: a model, or a folder */
	char accelerator[64];
	char swept[160]; /* "reader.read_threads=4"; "" = nothing swept */
	uint32_t floor_ppm;
	bool real, odirect;
	double demand_bytes_per_s; /* of one accelerator at AU 100 % */
	struct size_answer a;
	struct size_with with;
	char note[1024]; /* what else is to be told of it; or "" */
};

struct size_table {
	const struct size_options *o;
	char model[64];
	struct size_row *rows;
	size_t count;
};

/*
 * training_resolve(), with O_DIRECT where the rules let this model have it and
 * nothing else is asked for: the question is about the drive, not about the
 * page cache. *chosen: it was not asked for.
 */
int size_resolve(const struct training_options *run, bool for_run,
	struct training_setup *s, bool *chosen, struct err *e);
/* Is a key set by --param? */
bool size_sets_param(const struct training_setup *s, const char *key);

/* Text, CSV or JSON, as asked for. 0, or an exit code. */
int size_print(const struct size_table *t);

/* The search on folders; t has a row for each. 0, or e filled. */
int size_real(const struct size_options *o, struct size_table *t,
	struct err *e);

int cmd_size(int argc, const char **argv);

#endif
