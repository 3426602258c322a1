#ifndef RESULTS_BUNDLE_CREATE_H
#define RESULTS_BUNDLE_CREATE_H
/*
 * Makes a submission's tree from finished runs, in the benchmark's layout. It
 * copies result folders as they were written and adds what says where they
 * come from; it never fills a gap. Everything that names a tool says that the
 * results are emulated: organization and system begin with "emulated-", stamps
 * name stoker and no revision of DLIO, and NOTES.md says it in words.
 */
#include "core/err.h"
#include "results/bundle_tree.h"

#include <stdbool.h>

struct bundle_create {
	const char *config_dir;
	const char *results_dir;  /* --results-dir of the runs */
	const char *source;	  /* "DIVISION/ORG/results/SYSTEM", or NULL */
	const char *organization; /* without "emulated-" */
	const char *system_name;
	const char *division;	 /* "closed" or "open" */
	const char *system_file; /* description, filled in */
	const char *system_pdf;	 /* NULL: made from the description */
	const char *code_dir;	 /* sources of the tool */
	const char *tool_version;
	const char *out; /* must not exist */
	bool allow_missing;
};

/*
 * -ENODATA when phases are missing and allow_missing is not set: *missing
 * then says what, and with which command it is made; nothing is written. It
 * is filled when they are allowed, too. names_fini() it in any case.
 */
int bundle_create(
	const struct bundle_create *o, struct names *missing, struct err *e);

/* --- between the parts --------------------------------------------------- */

struct bundle_source {
	char path[PATH_MAX];  /* of the leaf, to read */
	char place[PATH_MAX]; /* below results/SYSTEM */
	const char *family;
	char model[64];
	const char *command; /* "datasize", "datagen", "run" */
};

struct bundle_sources {
	char root[PATH_MAX]; /* .../results/SYSTEM */
	struct bundle_source *v;
	size_t n;
};

/* Which leaves go into the tree, and what is missing. */
int bundle_gather(const struct bundle_create *o, struct bundle_sources *s,
	struct names *missing, struct err *e);

/*
 * Something is missing: "WHAT with: stoker COMMAND OPTIONS" and the rest of
 * the command line go to h->missing. known: a leaf that tells of the drive and
 * the data, or NULL.
 */
struct bundle_hint {
	struct names *missing;
	const char *results_dir, *root, *family, *known;
};
void bundle_hint(const struct bundle_hint *h, const char *what,
	const char *command, const char *options);

/* The metadata file of a leaf of stoker's; NULL when there is none. */
struct cJSON *bundle_metadata_read(const char *leaf, const char *family);

/*
 * Copy the files of code_dir that count into pool/code-XXXXXXXX with its
 * .code-hash.json; pointer gets "md5-tree-v2:...".
 */
int bundle_image_capture(const struct bundle_create *o, const char *pool,
	char pointer[64], struct err *e);

/* FILE.pdf with these lines of text. */
int bundle_pdf_write(
	const char *path, const char *title, const char *text, struct err *e);

#endif
