#ifndef CLI_KVCACHE_H
#define CLI_KVCACHE_H
/* The options of `stoker kvcache ...` and what they resolve to. */
#include "cli/options.h"
#include "cli/resolve.h"
#include "core/err.h"
#include "core/kv_record.h"
#include "core/kv_workload.h"
#include "datagen/kv_trace.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;

struct kvcache_options {
	/* what */
	const char *option, *workload, *config_dir, *model;
	uint64_t users; /* 0: the option's */
	const char *gpu_gib, *cpu_gib, *duration, *generation;
	uint64_t allocations; /* UINT64_MAX: the option's */
	uint64_t seed;	      /* UINT64_MAX: the workload's */
	uint64_t trials;      /* 0: the workload's; one in virtual time */
	const char *delay, *inter_option_delay, *capacity;
	const char *trace, *trace_speedup;
	bool rag;
	uint64_t rag_documents; /* 0: the workload's */
	bool no_multi_turn, no_prefix, closed_loop, reference_bugs;
	/* where */
	const char *cache_dir, *drive, *clock, *engine, *hosts_list;
	uint64_t processes, per_node;
	bool in_process, keep_cache, precondition;
	const char *results_dir, *system_name, *organization, *division;
	/* how */
	const char *io, *request_size, *copy_rate;
	uint64_t depth;
	bool verify;
	/* size */
	const char *slo;
	/* output */
	bool json, dry_run, quiet;
};

extern const struct option_row kvcache_datasize_rows[];
extern const struct option_row kvcache_run_rows[];
extern const struct option_row kvcache_size_rows[];

void kvcache_options_default(struct kvcache_options *o);

/* Everything that a run needs to know before it starts. */
struct kvcache_setup {
	struct kv_workload workload;
	struct kv_trace trace; /* count 0: none */
	uint32_t option_count;
	struct kv_config options[KV_OPTIONS_MAX];
	uint32_t trials;
	int64_t delay_ns, inter_option_delay_ns;
	struct engine_spec engine;
	bool virtual_time;
	enum rec_division division;
	struct not_closed not_closed;
	bool same_filesystem; /* cache and results */
};

/* ERR_USAGE where options contradict each other or the division. */
int kvcache_resolve(const struct kvcache_options *o, struct kvcache_setup *s,
	struct err *e);

/* What the rules say of it before it starts; as checkpointing's. */
int kvcache_check_rules(const struct kvcache_options *o,
	struct kvcache_setup *s, struct err *e);

/* The report for people, and as one JSON document. */
void kvcache_print_text(FILE *f, struct kv_record *rec);
struct cJSON *kvcache_json(struct kv_record *rec);

/* Write the result folder (rank 0), if one was asked for; its name to leaf. */
int kvcache_write_leaf(const struct kvcache_options *o,
	const struct kvcache_setup *s, struct kv_record *rec, const char *rows,
	char leaf[4096], struct err *e);

int cmd_kvcache_run(int argc, const char **argv);
int cmd_kvcache_datasize(int argc, const char **argv);
int cmd_kvcache_size(int argc, const char **argv);

#endif
