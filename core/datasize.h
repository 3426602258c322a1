#ifndef CORE_DATASIZE_H
#define CORE_DATASIZE_H
/*
 * How many files a training data set needs (Rules 3.1.2), in whole numbers:
 *
 *	file_bytes = samples_per_file * record_bytes
 *	by_bytes = ceil(memory_factor * host memory / file_bytes)
 *	by_steps = ceil(min_steps * accelerators * batch_size
 *			/ samples_per_file)
 *	required = max(by_bytes, by_steps)
 *
 * The factor is 5 and the steps 500 in v3.0. The benchmark of v2.0 rounded
 * down, which could be a file short (mlcommons/storage#608).
 */
#include "core/edition.h"
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What of a workload decides the size. */
struct datasize_shape {
	const char *model; /* for errors */
	uint64_t batch_size, samples_per_file, record_bytes;
};

struct datasize_input {
	struct datasize_shape shape;
	uint64_t accelerators;
	/* Host memory: hosts times the same, or, when given, one entry each
	 * (their sum counts; mlcommons/storage#669). */
	uint64_t hosts;
	uint64_t memory_bytes_per_host;
	const uint64_t *host_memory_bytes;
	size_t host_memory_count;
	/* Sum of MemTotal as measured, 0 = none; the larger sum counts, since
	 * the run will be checked against either (mlcommons/storage#785). */
	uint64_t measured_memory_bytes;
};

struct datasize {
	uint64_t memory_bytes;		       /* the sum that counted */
	uint64_t by_bytes, by_steps, required; /* files */
	uint64_t file_bytes;		       /* nominal, of one file */
	uint64_t disk_bytes;		       /* required * file_bytes */
	uint64_t steps_per_epoch;	       /* of each accelerator */
	bool bound_by_memory; /* else by the minimum of steps */
	double crossover_gib; /* total memory above which memory binds */
	/* 0 = none: advised above files_per_subfolder files. Never a power of
	 * ten, which DLIO 3.0.2 writes and reads under different names. */
	uint64_t suggested_subfolders;
};

/* -EINVAL for no accelerators, -EOVERFLOW when a figure exceeds 64 bits. */
int datasize_compute(const struct datasize_input *in, const struct edition *ed,
	struct datasize *out, struct err *e);

#endif
