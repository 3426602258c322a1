#ifndef RESULTS_BUNDLE_H
#define RESULTS_BUNDLE_H
/*
 * Checks a submission's tree of files against every rule that a tree can
 * answer (rules.h): of one organization or merged from many, ours or anybody's.
 * Never stops at a finding and trusts no file: what cannot be read is a
 * finding, and what would need it is NOT EVALUATED. Memory is that of one
 * workload of one system, and of the findings.
 */
#include "core/err.h"
#include "results/rules.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bundle_severity { SEVERITY_V30, SEVERITY_HEAD };

struct bundle_options {
	const char *config_dir; /* as in config_load() */
	enum bundle_severity severity;
	bool strict; /* the rules that reviewers go by, too */
	bool all;    /* keep what passes as well */
};

struct bundle_finding {
	const struct rule *rule;
	enum rule_outcome outcome;
	enum rule_level level; /* what a FAIL of it weighs here */
	char *path;	       /* below the tree, "." for itself */
	char *found, *required;
};

struct bundle_count {
	const struct rule *rule;
	uint64_t pass, fail, not_evaluated;
};

struct bundle_report {
	struct bundle_finding *findings;
	size_t count;
	uint64_t left_out; /* of a rule only the first 1000 are kept */
	struct bundle_count rules[RULES_ALL_MAX]; /* of judged rules */
	size_t rule_count;
	uint64_t errors, warnings; /* FAILs by level, kept or not */
	uint64_t organizations, systems, leaves;
};

/*
 * *r need not be initialized; free with bundle_report_fini() in any case. An
 * error is returned only when nothing can be judged: no such folder
 * (-ENOENT), bad edition data, out of memory.
 */
int bundle_check(const char *tree, const struct bundle_options *o,
	struct bundle_report *r, struct err *e);
void bundle_report_fini(struct bundle_report *r);

/* md5-tree-v2 of the files below dir, as 32 hex digits and a zero byte. */
#define BUNDLE_HASH_MAX 33
int bundle_tree_hash(const char *config_dir, const char *dir,
	char hash[BUNDLE_HASH_MAX], struct err *e);

#endif
