#ifndef CORE_EDITION_H
#define CORE_EDITION_H
/*
 * The rules of one edition of the benchmark as data (configs/editions/), so
 * that sizing, the run and the bundle check cannot disagree. AU floors belong
 * to the workload and stand in its profile.
 */
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EDITION_DEFAULT "v3.0"
#define EDITION_LIST_MAX 32

struct edition_list {
	char v[EDITION_LIST_MAX][REC_NAME_MAX];
	uint32_t n;
};

/* Model v.v[i] on accelerator accelerator.v[i] is admitted. */
struct edition_pairs {
	struct edition_list model, accelerator;
};

struct edition {
	char name[16];
	uint64_t min_steps;	/* per epoch; Rules 3.1.2 */
	uint64_t memory_factor; /* data set over host memory; Rules 3.1.2 */
	uint32_t runs, warmups; /* Rules 2.1.17: measured, before them */
	uint32_t exclude_start_steps, exclude_end_steps;
	uint64_t warn_below_accelerators;
	uint64_t files_per_subfolder; /* above it, folders are advised */
	uint64_t prefetch_sizes[8];
	uint32_t prefetch_size_count;
	struct edition_list odirect_models; /* --param reader.odirect */
	struct edition_pairs closed, open;
	struct edition_list closed_params; /* --param keys; OPEN has both */
	struct edition_list open_params;
	struct edition_list tool_params; /* set by the tool, not judged */
	/* of checkpointing, in both divisions (Rules 4.3.4, table 3) */
	struct edition_pairs ckpt;
};

/* `name` such as EDITION_DEFAULT; config_dir as in config_load(). */
int edition_load(const char *config_dir, const char *name, struct edition *ed,
	struct err *e);

/*
 * Is model on accelerator admitted to the division? What-if takes everything.
 * If not, `why` gets one sentence, such as "H100 is not admitted to CLOSED in
 * v3.0 (admitted: b200, mi355); continuing as what-if".
 */
bool edition_admits(const struct edition *ed, enum rec_division division,
	const char *model, const char *accelerator, char *why, size_t size);

/* May a run of that division set `key` ("reader.odirect")? */
bool edition_param_allowed(
	const struct edition *ed, enum rec_division division, const char *key);

bool edition_list_has(const struct edition_list *l, const char *name);

#endif
