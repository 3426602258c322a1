#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H
/*
 * The result folder of a training command (--results-dir): where it lies, what
 * was typed, which rows were shown; results/invocation.h does the writing.
 */
#include "cli/options.h"
#include "cli/training.h"
#include "core/err.h"
#include "core/record.h"
#include "results/invocation.h"

#include <stdbool.h>
#include <stdio.h>

struct outputs {
	const struct training_options *o;
	const struct training_setup *s;
	const char *command;	  /* "run" ... */
	struct train_config base; /* the profile without any option */
	struct cJSON *args;
	char command_line[4096];
	char *rows; /* what goes to the log of stderr */
	size_t rows_bytes;
	FILE *rows_file;
	int64_t row_ns; /* when the last row was kept */
};

/*
 * Where the folders of a command ("run") lie:
 * <results>/<division>/<org>/results/<system>/training/<model>/<command>.
 * 0 or -ENAMETOOLONG.
 */
int outputs_folder(const struct train_config *c, const char *command, char *buf,
	size_t size);

/* Does nothing at all without --results-dir. */
int outputs_init(struct outputs *x, const char *command,
	const struct option_row *rows, const struct training_options *o,
	const struct training_setup *s, struct err *e);
void outputs_fini(struct outputs *x);

/* Forget the rows of the run before. */
void outputs_begin(struct outputs *x);
/* A row for the log; without `keep` at most one every 10 s. */
void outputs_row(struct outputs *x, bool keep, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Write the folder of a run, named by the second in which it began: sets
 * run->stamp and run->leaf.
 */
int outputs_write_run(struct outputs *x, const struct record *rec,
	struct rec_run *run, struct err *e);

/*
 * The folder of datagen (text: what was printed) or datasize (size). The
 * hosts and times of *v are the caller's. v->leaf is set.
 */
int outputs_write_plain(struct outputs *x, struct invocation *v,
	const char *text, struct err *e);

/*
 * For other workloads: folder/<stamp>, with the next second that is free in
 * stamp; and whether a file of `data` can be linked into leaf's parent (nothing
 * for "").
 */
int outputs_free_leaf(
	const char *folder, char stamp[16], char buf[4096], struct err *e);
int outputs_probe(const char *data, const char *results, const char *leaf,
	struct fs_separation *out, struct err *e);

/*
 * On a modelled drive there is no folder: what stands in its place in the
 * files ("model:d7-ps1010"), and that it shares no file system with the
 * results, which is known and not probed.
 */
void outputs_model_name(const char *drive, char buf[4096]);
void outputs_model_probe(const char *drive, const char *results,
	struct fs_separation *out);

/* Our command line as it was typed. */
void outputs_command_line(char *buf, size_t size);

/*
 * All options of a command by name, with '_' for '-', as their types are;
 * where several are the same, under the first one's name. NULL: no memory.
 */
struct cJSON *options_json(const struct option_row *rows, const void *from);

#endif
