#ifndef RESULTS_INVOCATION_H
#define RESULTS_INVOCATION_H
/*
 * One invocation of a training command as its result folder tells it: what was
 * asked for, of which machine, when. The files that the benchmark's wrapper
 * and Hydra write beside DLIO's own are views of it.
 */
#include "core/ckpt_record.h"
#include "core/datasize.h"
#include "core/err.h"
#include "core/record.h"
#include "core/vdb_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

/*
 * Whether data and results share a file system: what linking a file from one
 * folder into the other told. A modelled drive has no file system to share.
 */
struct fs_separation {
	bool known; /* false: no file is written */
	bool same;  /* one file system */
	/* "link_exdev", "st_dev" where links fail, "modelled": not probed */
	const char *method;
	char data[4096], results[4096]; /* as given */
	char data_real[4096], results_real[4096];
	int64_t wall_ns; /* CLOCK_REALTIME */
	char host[REC_NAME_MAX];
};

struct invocation {
	/* "checkpointing", "vector_database"; NULL: "training" */
	const char *family;
	const char *command; /* "run", "datagen" or "datasize" */
	const char *tool_version;
	const char *command_line; /* ours, as typed */
	const char *verification; /* "CLOSED", "OPEN", "INVALID"; NULL: none */
	const char *config_dir;	  /* of --config-dir, may be NULL */
	const struct train_config *config; /* as resolved ... */
	const struct train_config *base;   /* ... and as the profile has it */
	const char *const *params; /* "KEY=VALUE", NULL-ended, may be NULL */
	const struct cJSON *args;  /* all options, by name */
	uint64_t processes;
	char stamp[16]; /* YYYYMMDD_HHMMSS */
	char leaf[4096];
	struct rec_time time;
	int64_t start_ns, end_ns; /* of time */
	uint32_t host_count;
	const struct rec_host *hosts;
	const struct datasize *size; /* of datasize, else NULL */
	/* of other families: what results_parameters() and _overrides() say */
	const struct cJSON *parameters, *overrides;
	struct fs_separation separation;
	/* texts of the two logs; NULL: no such file */
	const char *out_text, *err_text;
};

/*
 * The workload as DLIO names it: model, framework, workflow, dataset, reader,
 * train, checkpoint, metric. as_strings: values that differ from the profile's
 * or were given by --param are strings ("14000", "True"), as the wrapper
 * leaves them; else they have their types, as Hydra does.
 */
int results_parameters(const struct invocation *v, bool as_strings,
	struct cJSON **out, struct err *e);

/* Those values alone, by dotted key: {"dataset.num_files_train": "14000"}. */
int results_overrides(
	const struct invocation *v, struct cJSON **out, struct err *e);

/* training_<stamp>_metadata.json, fs_separation.json if known. */
int results_write_metadata(
	const struct invocation *v, const char *dir, struct err *e);

/*
 * The hosts alone, where the wrapper's collector leaves them: for training
 * collector-staging/cluster_info.json, else kv_cache_cluster_info.json.
 */
int results_write_cluster_info(
	const struct invocation *v, const char *dir, struct err *e);

/* dlio_config/{config,hydra,overrides}.yaml */
int results_write_dlio_config(
	const struct invocation *v, const char *dir, struct err *e);

/* dlio.log of a run; run NULL: of datagen. */
int results_write_dlio_log(const struct invocation *v,
	const struct rec_run *run, const char *dir, struct err *e);

/*
 * The whole folder v->leaf, which appears with all its files or not at all;
 * only a trace.h5 that HDF5 cannot write (file locks) may be missing from it,
 * and the error says so.
 */
int results_write_run_leaf(const struct invocation *v, const struct record *rec,
	struct rec_run *run, struct err *e);
int results_write_plain_leaf(const struct invocation *v, struct err *e);
int results_write_ckpt_leaf(const struct invocation *v,
	const struct ckpt_record *rec, struct err *e);
int results_write_vdb_leaf(const struct invocation *v,
	const struct vdb_record *rec, struct err *e);
/* Of datagen, with its summary, or of datasize (shape NULL). */
int results_write_vdb_phase(const struct invocation *v,
	const struct vdb_shape *shape, const char *index_type, struct err *e);

static inline const char *results_family(const struct invocation *v)
{
	return v->family ? v->family : "training";
}

/* dir/name into path (PATH_MAX bytes). */
int results_path(char *path, const char *dir, const char *name, struct err *e);

#endif
