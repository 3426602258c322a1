#ifndef CLI_PLAN_CHECKPOINT_H
#define CLI_PLAN_CHECKPOINT_H
/* `stoker plan checkpoint`: its options, its inputs, its answer. */
#include "cli/options.h"
#include "plan/ckpt_plan.h"

#include <stdint.h>

#define PLAN_TARGETS_MAX 16

struct plan_options {
	const char *model, *mode, *config_dir, *size;
	uint64_t processes;
	const char *save_rate, *load_rate, *save_time, *load_time;
	const char *result, *drive;
	const char *mtbf, *accelerator_mtbf;
	uint64_t accelerators;
	const char *restart, *copy, *detect, *target;
	bool asynchronous, json, csv, curve;
};

/* What the options come to. */
struct plan_inputs {
	struct ckpt_job job;
	char source[256];    /* where the times come from */
	char of[160];	     /* "llama3-405b, 512 ranks" */
	double load_s;	     /* 0 = not known, and not in the restart */
	double drive_bytes_per_s; /* writes, of one drive; 0 = none named */
	char drive_name[64];
	uint32_t target_count;
	double targets[PLAN_TARGETS_MAX]; /* shares */
};

/* ERR_USAGE names what is missing, twice there, or makes no sense. */
int plan_inputs(
	const struct plan_options *o, struct plan_inputs *in, struct err *e);

extern const struct option_row plan_checkpoint_rows[];
int cmd_plan_checkpoint(int argc, const char **argv);

#endif
