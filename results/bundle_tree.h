#ifndef RESULTS_BUNDLE_TREE_H
#define RESULTS_BUNDLE_TREE_H
/*
 * What the parts of the bundle check share: findings, folders, leaves and the
 * state of the organization that is being looked at. See bundle.h.
 */
#include "core/edition.h"
#include "results/bundle.h"

#include <limits.h>

struct cJSON;

#define STAMP_LEN 15 /* "YYYYMMDD_HHMMSS" */

struct names {
	char **v;
	size_t n;
};

/* A code image, in the pool of the tree or of an organization. */
struct bundle_image {
	char name[NAME_MAX + 1]; /* "code-0123abcd" */
	bool used;
};

struct bundle_pool {
	char path[PATH_MAX]; /* below the tree */
	bool marked; /* by its sentinel; else its images are not looked at */
	struct bundle_image *images;
	size_t count;
};

/* A folder of one invocation, with what rules read. */
struct bundle_leaf {
	char path[PATH_MAX]; /* below the tree */
	char stamp[NAME_MAX + 1];
	bool stamped;	 /* the name has the form of a stamp */
	int64_t stamp_s; /* from the name; INT64_MIN when it is no time */
	struct names files, dirs;
	struct cJSON *summary, *metadata, *separation; /* NULL: not there */
	struct cJSON *stats; /* 0_per_epoch_stats.json, with --strict */
	char collected[40];  /* latest collection_timestamp in the metadata */
};

struct bundle_group {
	struct bundle_leaf *v;
	size_t n;
};

struct bundle {
	const struct bundle_options *options;
	struct bundle_report *report;
	struct edition edition;
	struct cJSON *config;	   /* the edition's file, owned */
	const struct cJSON *rules; /* its "bundle" */
	char root[PATH_MAX];
	struct bundle_pool pool; /* code-images */
	/* of the organization */
	const char *division, *org; /* "closed", "acme" */
	struct bundle_pool org_pool;
	struct names leaves;	     /* below DIVISION/ORG */
	struct names stamp_editions; /* "EDITION\tLEAF" of its stamps */
	bool unchecked_edition, no_pool_told;
	/* of the system */
	const struct cJSON *system; /* system_under_test, or NULL */
	bool no_memory;
};

/* --- findings ------------------------------------------------------------ */

/* Judge rule `id` about `path`. required NULL: as the rule says. */
void bundle_say(struct bundle *b, const char *id, bool pass, const char *path,
	const char *required, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* The same with a weight of its own. */
void bundle_say_level(struct bundle *b, const char *id, enum rule_level level,
	bool pass, const char *path, const char *required, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
/* It cannot be answered, and why. */
void bundle_unknown(struct bundle *b, const char *id, const char *path,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Ask the rule itself, over facts as before and after a run. */
void bundle_ask(struct bundle *b, const char *id, const char *path,
	const struct rule_facts *f);
bool bundle_is_head(const struct bundle *b);

/* --- files --------------------------------------------------------------- */

bool names_add(struct names *n, const char *name);
bool names_have(const struct names *n, const char *name);
void names_sort(struct names *n);
void names_fini(struct names *n);

/* parent/name, cut where it is too long. Returns buf. */
const char *bundle_join(
	char buf[PATH_MAX], const char *parent, const char *name);
/*
 * Names in a folder below the tree, sorted by bytes; either may be NULL. A
 * folder that cannot be listed is a finding (B-01), and false.
 */
bool bundle_list(struct bundle *b, const char *path, struct names *dirs,
	struct names *files);
bool bundle_has(const struct bundle *b, const char *path, bool dir);
bool bundle_is_link(const struct bundle *b, const char *path);
/* Is it a file of at most max bytes? */
bool bundle_small(const struct bundle *b, const char *path, size_t max);
/*
 * A small file below the tree; NULL when it is not there, or when it is no
 * regular file, too large or not readable, which is a finding of rule `id`
 * (NULL: B-01). The caller frees.
 */
char *bundle_text(struct bundle *b, const char *path, const char *id,
	size_t max, size_t *len);
/* Parsed; NULL as above, or when it does not parse (the same finding). */
struct cJSON *bundle_json(struct bundle *b, const char *path, const char *id);
struct cJSON *bundle_yaml(struct bundle *b, const char *path, const char *id);

/* Eight digits, '_', six digits, whatever day that is. */
bool bundle_is_stamp(const char *name);
/* "20261101_100000" in seconds of a naive clock; INT64_MIN: none. */
int64_t bundle_stamp_s(const char *name);
/* "2026-11-01T10:00:00.123456" (a Z is dropped), in ns; INT64_MIN: none. */
int64_t bundle_iso_ns(const char *text);

/* One leaf; bundle_group_load does it for all of a folder. */
void bundle_leaf_load(struct bundle *b, const char *folder, const char *name,
	struct bundle_leaf *l);
void bundle_leaf_fini(struct bundle_leaf *l);
/* Every leaf of a folder, with summary, metadata, separation. */
void bundle_group_load(
	struct bundle *b, const char *path, struct bundle_group *g);
void bundle_group_fini(struct bundle_group *g);

/* --- values in JSON trees ------------------------------------------------ */

/* "parameters.dataset.num_files_train"; NULL when it is not there. */
const struct cJSON *bundle_at(const struct cJSON *tree, const char *dotted);
/* A number, or a text that is one; NAN: neither. */
double bundle_number(const struct cJSON *tree, const char *dotted);
/* A text; "" when it is none. */
const char *bundle_string(const struct cJSON *tree, const char *dotted);
/* true, or the text "True". */
bool bundle_true(const struct cJSON *tree, const char *dotted);
/* Sum of a list of numbers; NAN when it is none. */
double bundle_sum(const struct cJSON *tree, const char *dotted);
/* Is `text` in the list at rules.dotted of the edition? */
bool bundle_listed(
	const struct bundle *b, const char *dotted, const char *text);
/* All of a list, "a, b, c". */
const char *bundle_words(
	const struct bundle *b, const char *dotted, char buf[256]);

/* --- the parts ----------------------------------------------------------- */

void bundle_check_system(struct bundle *b, const char *path, const char *name,
	const struct cJSON *yaml);
/* 2.1.9, for one leaf with a summary. */
void bundle_check_hosts(struct bundle *b, const struct bundle_leaf *l);
void bundle_check_training(
	struct bundle *b, const char *path, const char *model);
void bundle_check_checkpointing(
	struct bundle *b, const char *path, const char *model);
void bundle_check_vdb(struct bundle *b, const char *path, const char *index);
void bundle_check_kv(struct bundle *b, const char *path);

/*
 * Do these parameters differ from the shipped ones of models/MODEL.json, but
 * for the dotted keys that may? text tells the first.
 */
bool bundle_shipped_differs(const struct bundle *b, const char *model,
	const struct cJSON *is, const char *const *may_differ, char text[256]);
/* The manifest that a run declares; true when nothing is wrong with it. */
bool bundle_check_datagen_manifest(struct bundle *b,
	const struct bundle_leaf *run, const struct bundle_group *gens);
/* LEAF-01 */
void bundle_check_one_metadata(
	struct bundle *b, const struct bundle_leaf *l);
/* 2.1.x: names that must be in a leaf, by the patterns of rules.files. */
void bundle_check_files(struct bundle *b, const struct bundle_leaf *l,
	const char *patterns, const char *files_id, const char *config_id);
/* x.4.1 and x.4.2; data is args' data folder or "". */
void bundle_check_paths(struct bundle *b, const struct bundle_leaf *l,
	const char *data, const char *paths_id, const char *filesystem_id,
	const char *log);
/* override keys within the lists at rules.params */
void bundle_check_params(struct bundle *b, const struct bundle_leaf *l,
	const char *id, const char *first, const char *second);
/* Pointer, provenance and the rest that every leaf has. */
void bundle_check_leaf(struct bundle *b, const struct bundle_leaf *l,
	const char *family, const char *model, bool run);
/* Leaves in places where no family looks: their pointers and stamps. */
void bundle_check_strays(struct bundle *b);
void bundle_check_manifest(struct bundle *b);
/* rules_edition of a manifest as a text; "unknown" when there is none. */
const char *bundle_manifest_edition(const struct cJSON *m, char buf[64]);
bool bundle_is_manifest(const struct cJSON *m);
/* RPT-01: the rollup of the organization against all tables below it. */
void bundle_check_tables(struct bundle *b);

bool bundle_pool_open(
	struct bundle *b, struct bundle_pool *p, const char *path);
void bundle_pool_check(struct bundle *b, const struct bundle_pool *p);
void bundle_pool_fini(struct bundle_pool *p);

/* --strict, each over the leaves of one result */
void bundle_strict_training(
	struct bundle *b, const struct bundle_group *run, double floor_pct);
void bundle_strict_checkpointing(
	struct bundle *b, const struct bundle_group *g);
void bundle_strict_vdb(struct bundle *b, const struct bundle_group *run);
void bundle_strict_files(
	struct bundle *b, const struct bundle_leaf *l, const char *patterns);

#endif
