#ifndef RESULTS_RULES_H
#define RESULTS_RULES_H
/*
 * The rules of a submission, each once, in one table: what it is called, what
 * it looks at, when it passes, how much it weighs in each division. They are
 * evaluated over plain facts, before a run (what is planned), after it (what
 * was measured), and by the check of a bundle (what was written), so that the
 * tools cannot disagree. Identifiers and names are those of the benchmark's
 * own checker, edition 3.0; the ones that begin with "S" are stoker's, for
 * what only an emulator can do.
 *
 * Every rule answers PASS, FAIL or NOT EVALUATED with the figure it found and
 * the one it wanted. A fact that is not known makes no rule fail.
 */
#include "core/edition.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rule_outcome { RULE_NOT_EVALUATED, RULE_PASS, RULE_FAIL };
enum rule_level { RULE_INFO, RULE_WARNING, RULE_ERROR, RULE_OFF };
enum rule_fact { FACT_UNKNOWN, FACT_NO, FACT_YES };

/* When a rule can be answered; PHASE_TREE: only over files that are there. */
enum rule_phase { PHASE_BEFORE, PHASE_AFTER, PHASE_TREE };

/*
 * What a rule weighs when a tree of files is checked. The edition knows two
 * severities: while its round was open (v30), and since (head). RULE_OFF: not
 * judged. A strict rule is none of the benchmark's checker: it is what people
 * found who read the results.
 */
struct rule_tree {
	bool judged, strict;
	enum rule_level v30, head;
};

/* Whose run it is. A rule may be about several. */
enum rule_family {
	FAMILY_TRAINING,
	FAMILY_CHECKPOINTING,
	FAMILY_VDB,
	FAMILY_KV
};

/* Figures of a checkpointing run; NAN: not known. */
struct rule_ckpt_facts {
	const char *model;     /* as given */
	bool known;	       /* one of the benchmark's four */
	double closed_ranks;   /* what CLOSED asks for */
	double multiple;       /* tensor x pipeline parallelism */
	double ranks, hosts;
	bool subset;
	double writes, reads, count; /* checkpoints; what CLOSED has of each */
	double written_gib; /* that loads have to come from */
	double memory_gib;  /* of all hosts */
	double memory_factor, min_per_host;
	const char *accelerator; /* "": not declared */
	double accelerator_gib;
	double checkpoint_gib;
	/* stoker's own options */
	bool removes_old, limited, rotates;
	double pause_s, benchmark_pause_s;
};

/* Of a run of vectors. */
struct rule_vdb_facts {
	const char *database, *closed_database;
	const char *index;	   /* as its folder is called */
	const char *index_type;	   /* as the summary has it */
	const char *closed_indexes; /* "DISKANN, HNSW, AISAQ" */
	bool index_listed;
	enum rule_fact answers; /* are the queries' answers known? */
	double runs, runs_needed;
};

/* One option of a KV cache run, as it ran or as the rules have it. */
struct rule_kv_option {
	char model[REC_NAME_MAX];
	double users, duration_s, gpu_gib, cpu_gib, allocations, token_s;
};

#define RULE_KV_OPTIONS 3
struct rule_kv_facts {
	bool present[RULE_KV_OPTIONS]; /* without a failure */
	bool known[RULE_KV_OPTIONS];   /* whether is[] holds anything */
	struct rule_kv_option is[RULE_KV_OPTIONS], want[RULE_KV_OPTIONS];
	double seed, trials, pause_s;
	double want_seed, want_trials, want_pause_s;
	const char *config;  /* a workload of one's own; NULL: none */
	const char *changed; /* other options that are set; NULL: none */
};

/* Everything the rules look at; what is not known stays zero. */
struct rule_facts {
	enum rule_family family;
	const struct rule_ckpt_facts *ckpt; /* of its family */
	const struct rule_vdb_facts *vdb;
	const struct rule_kv_facts *kv;
	const struct edition *edition;
	const struct train_config *config;
	enum rec_division division; /* asked for; config's may be what-if */
	/* Sizing of the data set (core/datasize.h) */
	uint64_t required_files;
	bool bound_by_memory;
	uint64_t datagen_files; /* in the manifest */
	enum rule_fact same_filesystem; /* of data and results */
	uint32_t hosts;
	const uint32_t *ranks_on_host; /* [hosts], or NULL */
	const char *const *params;     /* --param keys, NULL-ended, or NULL */
	bool computation_time_changed;
	bool caches_not_dropped;
	uint32_t runs_planned, warmups_planned;
	const struct record *record; /* NULL before a run */
};

#define RULE_FIGURE_MAX 320

struct rule {
	const char *id, *name;
	const char *reads;  /* what it looks at */
	const char *passes; /* when it passes */
	const char *remedy; /* what to do when it does not */
	enum rule_level closed, open;
	enum rule_phase phase;
	/* over facts; NULL for PHASE_TREE (results/bundle_*.c find them) */
	enum rule_outcome (*check)(
		const struct rule_facts *f, char figure[RULE_FIGURE_MAX]);
	struct rule_tree tree;
	unsigned families; /* that check() is for: bits 1 << family */
};

struct rule_finding {
	const struct rule *rule;
	enum rule_outcome outcome;
	enum rule_level level; /* in the division of the facts */
	char figure[RULE_FIGURE_MAX];
};

extern const struct rule rules_training[];
extern const size_t rules_training_count;
extern const struct rule rules_structure[]; /* tree, stamps, description */
extern const size_t rules_structure_count;
extern const struct rule rules_workloads[]; /* of a tree */
extern const size_t rules_workloads_count;

/* All rules there are, one after another; NULL behind the last. */
const struct rule *rules_at(size_t i);
#define RULES_ALL_MAX 192

const char *rule_outcome_name(enum rule_outcome o); /* "PASS" ... */
const char *rule_level_name(enum rule_level l);	    /* "error" ... */

/* By identifier or name; NULL if there is none. */
const struct rule *rule_find(const char *id);

/*
 * Evaluate the family's rules of a phase into findings[]; returns how many.
 * What-if weighs as CLOSED would: its caller lists and does not refuse.
 */
size_t rules_evaluate(const struct rule_facts *f, enum rule_phase phase,
	struct rule_finding *findings, size_t max);

#define RULES_MAX 64

#endif
