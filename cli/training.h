#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H
/* The options of `stoker training ...` and what they resolve to. */
#include "accel_sim/profile.h"
#include "cli/options.h"
#include "cli/resolve.h"
#include "core/edition.h"
#include "core/err.h"
#include "core/record.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct training_options {
	/* what */
	const char *model, *accelerator, *config_dir, *edition, *division;
	const char *computation_time, *scale;
	const char *params[OPTION_LIST_MAX];
	/* where */
	const char *data_dir, *results_dir, *system_name, *organization;
	const char *drive, *clock, *engine, *limit_read;
	const char *host_model, *without;
	/* how many */
	uint64_t accelerators, max_accelerators, processes, hosts;
	uint64_t measured_memory_bytes; /* sum over the hosts of the job */
	const char *memory, *hosts_list;
	uint64_t per_node;
	uint64_t runs, warmups;
	/* how */
	bool odirect, buffered, allow_fallback, verify, no_drop_caches;
	uint64_t queue_depth;
	const char *verdict, *content, *compress_ratio, *dedup_ratio;
	uint64_t seed;
	bool overwrite, in_process, no_futex, resume, each_run;
	/* output */
	bool json, dry_run, quiet, help_params, why;
};

extern const struct option_row training_datasize_rows[];
extern const struct option_row training_datagen_rows[];
extern const struct option_row training_run_rows[];
extern const struct option_row training_profiles_rows[];
extern const struct option_row history_rows[];
extern const struct option_row rules_list_rows[], rules_explain_rows[];

void training_options_default(struct training_options *o);

/* --help-params: the keys of --param under the rules of o's edition. */
int training_help_params(const struct training_options *o);

/* Everything that a command needs to know before it starts. */
struct training_setup {
	struct workload_profile profile; /* scaled */
	struct edition edition;
	struct rec_scale scale;
	struct train_config config;
	struct engine_spec engine;
	bool virtual_time;
	bool steady_verdict; /* the exit code follows the steady figure */
	uint64_t memory_bytes_per_host; /* 0 = measure */
	char params[OPTION_LIST_MAX][128]; /* --param keys */
	uint32_t param_count;
	uint64_t datagen_files;	  /* in the manifest; 0 = not known */
	struct not_closed not_closed;
	bool same_filesystem; /* data and results */
};

/*
 * Profile, --computation-time, --scale, --param and the rest into a setup.
 * for_run: checks what only a run needs (steps, division, admitted pairs).
 */
int training_resolve(const struct training_options *o, bool for_run,
	struct training_setup *s, struct err *e);

/* A part of it: folders, drive, system and organization; training_names.c. */
int training_names(const struct training_options *o, struct train_config *c,
	struct err *e);

/*
 * What the rules say of a run before it starts: fills s->not_closed, refuses
 * (ERR_USAGE) where a rule of the division that was asked for fails as an
 * error, and turns a division that does not admit the accelerator into
 * what-if.
 */
int training_check_rules(const struct training_options *o,
	struct training_setup *s, struct err *e);

/* Add notes for the rules that can only be answered after the runs. */
struct record;
void training_note_rules(const struct training_setup *s, struct record *rec);

int cmd_training_datasize(int argc, const char **argv);
int cmd_training_datagen(int argc, const char **argv);
int cmd_training_run(int argc, const char **argv);
int cmd_training_profiles(int argc, const char **argv);
int cmd_history(int argc, const char **argv);
int cmd_rules_list(int argc, const char **argv);
int cmd_rules_explain(int argc, const char **argv);

#endif
