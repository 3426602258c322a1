#ifndef ACCEL_SIM_PROFILE_H
#define ACCEL_SIM_PROFILE_H
/*
 * What a model on an accelerator asks of storage. A profile is a workload file
 * (configs/workloads/MODEL.json: what all accelerators share) overlaid with
 * the model's entry in an accelerator file (configs/accelerators/NAME.json):
 *
 *	{"name": "x1", "memory_gb": 96, "workloads": {
 *		"unet3d": {"batch_size": 7, "computation_time": 0.2}}}
 *
 * Such a file below --config-dir/accelerators adds an accelerator. The keys
 * are the benchmark's own names; computation_time is in seconds per batch.
 */
#include "core/datasize.h"
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

struct workload_profile {
	char model[64];
	char accelerator[64];
	char format[64];
	char framework[64];
	char model_type[64];   /* "cnn" or "" */
	char file_shuffle[16]; /* "seed" or "" */
	char sample_shuffle[16];
	bool runnable;
	char why[192];	     /* when not runnable: the reason */
	uint64_t model_size; /* the key model_size; 0 = unset */
	uint64_t batch_size; /* samples */
	uint64_t read_threads;
	uint64_t prefetch_size; /* batches */
	uint64_t record_bytes;	/* record_length_bytes, to the nearest byte */
	double record_stdev_bytes;
	uint64_t resize_bytes; /* record_length_bytes_resize */
	uint64_t samples_per_file;
	uint64_t default_files; /* num_files_train */
	uint64_t epochs;
	uint64_t transfer_bytes;      /* reader.transfer_size; 0 = unset */
	int64_t computation_ns;	      /* one batch */
	uint32_t au_floor_ppm;	      /* 900000 for au 0.90 */
	double accelerator_memory_gb; /* decimal GB as in the rule's table */
};

/*
 * The merged profile; config_dir as in config_load(). -ENOENT with the known
 * names for an unknown model or accelerator, or with the accelerators that
 * the model has when it lacks this one. Values out of range are -EINVAL or
 * -ERANGE and name file and key.
 */
int profile_load(const char *config_dir, const char *model,
	const char *accelerator, struct workload_profile *p, struct err *e);

/*
 * A smaller twin with the same demand in bytes per second: record length, its
 * deviation, resize and compute time times num/den, each rounded to the
 * nearest byte or nanosecond (at least 1). num, den > 0.
 */
void profile_scale(struct workload_profile *p, uint32_t num, uint32_t den);

/*
 * MiB/s one accelerator reads at AU 100 %: batch / compute time * nominal
 * record length / 2^20.
 */
double profile_demand_mib_per_s(const struct workload_profile *p);

/* What of it decides the size of the data set. */
static inline struct datasize_shape profile_shape(
	const struct workload_profile *p)
{
	return (struct datasize_shape){p->model, p->batch_size,
		p->samples_per_file, p->record_bytes};
}

#endif
