#ifndef CLI_CHECKPOINTING_H
#define CLI_CHECKPOINTING_H
/* The options of `stoker checkpointing ...` and what they resolve to. */
#include "cli/options.h"
#include "cli/resolve.h"
#include "results/rules.h"
#include "core/ckpt_record.h"
#include "core/ckpt_shape.h"
#include "core/err.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;

struct checkpointing_options {
	/* what */
	const char *model, *config_dir, *mode, *scale;
	uint64_t processes; /* 0: as CLOSED asks for */
	uint64_t writes, reads; /* UINT64_MAX: the model's */
	/* where */
	const char *folder, *memory;
	uint64_t hosts;
	const char *drive, *clock, *engine, *hosts_list;
	uint64_t per_node;
	const char *accelerator;
	const char *results_dir, *system_name, *organization, *division;
	/* how */
	const char *io, *gap, *write_size, *read_size, *limit_content;
	uint64_t write_depth, read_depth; /* 0: the mode's */
	uint64_t keep, seed;
	bool o_direct, rotate, verify, drop_caches, allow_cached, in_process;
	/* output */
	bool json, dry_run, quiet;
};

extern const struct option_row checkpointing_datasize_rows[];
extern const struct option_row checkpointing_run_rows[];

void checkpointing_options_default(struct checkpointing_options *o);

/* The model, its ranks and its scale. */
int checkpointing_shape(const struct checkpointing_options *o,
	struct ckpt_shape *s, struct err *e);

/* Is this the full size on the number of ranks that CLOSED asks for? */
bool checkpointing_shape_closed(const struct ckpt_shape *s);

/* Size printed where it counts: "104.7045 GiB". */
double checkpointing_gib(uint64_t bytes);

/* Everything that a run needs to know before it starts. */
struct checkpointing_setup {
	struct ckpt_config config;
	struct engine_spec engine;
	bool virtual_time;
	uint64_t client_memory_bytes; /* as was said of a modelled one, or 0 */
	enum rec_division division;
	char accelerator[REC_NAME_MAX]; /* "" = not declared */
	double accelerator_gib;		/* NAN: not declared */
	struct not_closed not_closed;
	bool same_filesystem; /* checkpoints and results */
};

/* ERR_USAGE where options contradict each other or the division. */
int checkpointing_resolve(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e);

/*
 * What the rules say of it before it starts: fills s->not_closed, refuses
 * (ERR_USAGE) what the division does not take.
 */
int checkpointing_check_rules(const struct checkpointing_options *o,
	struct checkpointing_setup *s, struct err *e);
/* Rules 4.3.1 over so many bytes; figure has RULE_FIGURE_MAX bytes. */
enum rule_outcome checkpointing_cache_rule(uint64_t bytes, uint64_t hosts,
	uint64_t memory_bytes, const struct rule **rule, char *figure);

/* The report for people, and as one JSON document. */
void checkpointing_print_text(FILE *f, const struct ckpt_record *rec);
struct cJSON *checkpointing_json(const struct ckpt_record *rec);

/*
 * Write the result folder of a finished run (rank 0), if one was asked for;
 * its name goes to leaf. rows: what was shown on the way.
 */
int checkpointing_write_leaf(const struct checkpointing_options *o,
	const struct checkpointing_setup *s, const struct ckpt_record *rec,
	const char *rows, char leaf[4096], struct err *e);

int cmd_checkpointing_run(int argc, const char **argv);
int cmd_checkpointing_datasize(int argc, const char **argv);

#endif
