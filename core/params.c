/* The table of parameters; see params.h. */
#include "core/params.h"

#include "core/record.h"

#define CONFIG(field) offsetof(struct train_config, field)

const struct param_row params_training[] = {
	{"dataset.data_folder", PARAM_TEXT, CONFIG(data_folder), 0, 0, false,
		NULL},
	{"dataset.format", PARAM_FORMAT, CONFIG(format), 0, 0, false,
		"what files are made of"},
	{"dataset.num_files_train", PARAM_COUNT, CONFIG(files), 1, UINT32_MAX,
		false, "files of the data set"},
	{"dataset.num_subfolders_train", PARAM_COUNT, CONFIG(subfolders), 0,
		1000000, true, "folders they are spread over; 0 = none"},
	{"dataset.num_samples_per_file", PARAM_COUNT, CONFIG(samples_per_file),
		1, UINT32_MAX, false, "samples in a file"},
	{"dataset.record_length_bytes", PARAM_BYTES, CONFIG(record_bytes), 0, 0,
		false, "mean length of a sample"},
	{"dataset.record_length_bytes_stdev", PARAM_STDEV,
		CONFIG(record_stdev_bytes), 0, 0, false,
		"standard deviation of that length"},
	{"dataset.record_length_bytes_resize", PARAM_BYTES,
		CONFIG(resize_bytes), 0, 0, false, NULL},
	{"reader.batch_size", PARAM_COUNT, CONFIG(batch_size), 1, 1000000,
		false, "samples of a step and accelerator"},
	{"reader.read_threads", PARAM_COUNT, CONFIG(read_threads), 1, 256,
		false, "readers of an accelerator"},
	{"reader.prefetch_size", PARAM_COUNT, CONFIG(prefetch_size), 0, 1024,
		true, "batches read ahead"},
	{"reader.transfer_size", PARAM_BYTES, CONFIG(transfer_bytes), 0, 0,
		true, "length of one request; a multiple of 4096 up to 64MiB"},
	{"reader.odirect", PARAM_BOOL, CONFIG(odirect), 0, 0, true,
		"read past the page cache"},
	{"train.epochs", PARAM_COUNT, CONFIG(epochs), 1, 10000, false,
		"passes over the data set in a run"},
	{"train.computation_time", PARAM_TIME, CONFIG(computation_ns), 0, 0,
		false, "emulated compute of a step"},
	{"train.total_training_steps", PARAM_COUNT, CONFIG(steps_most), 0,
		UINT32_MAX, true,
		"an epoch ends after so many steps; 0 = unset"},
	{NULL, PARAM_COUNT, 0, 0, 0, false, NULL},
};
