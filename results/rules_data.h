#ifndef RESULTS_RULES_DATA_H
#define RESULTS_RULES_DATA_H
/* What the rules want, as data: out of the edition's file. */
#include "core/err.h"
#include "core/kv_workload.h"
#include "results/rules.h"

#include <stdbool.h>

struct rule_vdb_words {
	char database[64];
	char indexes[256]; /* "DISKANN, HNSW, AISAQ" */
	bool listed;	   /* is the index among them? */
	double runs;
};

int rules_vdb_words(const char *config_dir, const char *index,
	struct rule_vdb_words *w, struct err *e);

/* The wanted half of the facts, from the edition's workload. */
void rules_kv_wanted(const struct kv_workload *w, struct rule_kv_facts *k);

#endif
