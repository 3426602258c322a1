#ifndef RESULTS_RULES_CHECKS_H
#define RESULTS_RULES_CHECKS_H
/* What the tables of rules share: checks of facts, and how they answer. */
#include "results/rules.h"

enum rule_outcome rule_say(char figure[RULE_FIGURE_MAX], bool pass,
	const char *fmt, ...) __attribute__((format(printf, 3, 4)));
enum rule_outcome rule_unknown(char figure[RULE_FIGURE_MAX], const char *what);

#define RULE_CHECK(name)                                                       \
	enum rule_outcome rule_##name(                                         \
		const struct rule_facts *f, char figure[RULE_FIGURE_MAX])

/* any family (rules_training.c) */
RULE_CHECK(paths);
RULE_CHECK(filesystem);
RULE_CHECK(admitted);
/* checkpointing (rules_families.c) */
RULE_CHECK(ckpt_ratio);
RULE_CHECK(ckpt_model);
RULE_CHECK(ckpt_memory);
RULE_CHECK(ckpt_subset);
RULE_CHECK(ckpt_ranks);
RULE_CHECK(ckpt_per_host);
RULE_CHECK(ckpt_scaling);
RULE_CHECK(ckpt_counts);
RULE_CHECK(ckpt_kept);
RULE_CHECK(ckpt_pause);
RULE_CHECK(ckpt_rotation);
/* vectors */
RULE_CHECK(vdb_runs);
RULE_CHECK(vdb_recall);
RULE_CHECK(vdb_database);
RULE_CHECK(vdb_index);
/* KV cache */
RULE_CHECK(kv_options);
RULE_CHECK(kv_sequence);
RULE_CHECK(kv_changed);

#endif
