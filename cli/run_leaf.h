#ifndef CLI_RUN_LEAF_H
#define CLI_RUN_LEAF_H
/*
 * What a run of checkpointing, kvcache or vectordb has around it: whose it is,
 * the rows it showed, and its result folder. (Training has cli/outputs.h, whose
 * folders are named before the campaign begins.)
 */
#include "core/err.h"
#include "core/record.h"
#include "results/invocation.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;

/*
 * Version, command line, and the names that go into the folder's path. drive,
 * results_dir and system_name may be NULL: a real drive, no folder, this host.
 */
void run_sign(struct record *rec, const char *drive, const char *results_dir,
	const char *organization, const char *system_name);

/* The rows that were shown, for the log of stderr; all zero: none are kept. */
struct run_rows {
	FILE *file;
	char *text; /* complete after run_rows_end() */
	size_t bytes;
};

void run_rows_open(struct run_rows *x);
void run_rows_add(struct run_rows *x, const char *row);
/* The record's notes behind the rows. ERR_ENV: no memory. */
int run_rows_end(
	struct run_rows *x, const struct record *rec, struct err *e);
void run_rows_close(struct run_rows *x);

struct run_leaf {
	struct invocation v;
	FILE *report; /* for the text of stdout's log */
	/* owned; the caller makes them */
	struct cJSON *args, *parameters, *overrides;
	char *text;
	size_t text_bytes;
};

/*
 * Of a run between start_ns and end_ns of the record's time; the caller fills
 * what is left of v (family, verification, config_dir, processes, err_text)
 * and prints the report. rec must outlive it. NULL: no memory.
 */
struct run_leaf *run_leaf_new(
	const struct record *rec, int64_t start_ns, int64_t end_ns);

/*
 * Name v.leaf and v.stamp: the first free second from the run's start on in
 * <results>/<division>/<org>/results/<system>/<below>. Ends the report.
 */
int run_leaf_place(struct run_leaf *l, const char *division, const char *below,
	struct err *e);
void run_leaf_free(struct run_leaf *l); /* NULL is fine */

/* That folder, where runs lie by their stamps. 0 or -ENAMETOOLONG. */
int run_folder(const struct train_config *c, const char *division,
	const char *below, char *buf, size_t size);
/*
 * CLOCK_REALTIME at which the last run in it had ended ("checkpointing": its
 * family); 0 without results or runs.
 */
int64_t run_last_end_ns(const struct train_config *c, const char *division,
	const char *below, const char *family);
/* Do data and results share a file system? A modelled drive has none. */
int run_leaf_probe(struct run_leaf *l, const char *data, struct err *e);

/* "hosts", those that took part, in place of what was asked for. */
bool run_args_hosts(struct cJSON *args, const struct record *rec);

#endif
