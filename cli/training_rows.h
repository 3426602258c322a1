#ifndef CLI_TRAINING_ROWS_H
#define CLI_TRAINING_ROWS_H
/*
 * Option rows that several commands of training have. They store into struct
 * training_options, or into a struct that begins with one.
 */
#include "cli/training.h"

#define O struct training_options
#include "cli/rows.h"

#define WORKLOAD_ROWS                                                          \
	HEADING("Workload"),                                                   \
		TEXT("model", model, "NAME",                                   \
			"workload, see training profiles", .letter = 'm',      \
			.standard = "unet3d", .words = COMPLETE_MODEL),        \
		TEXT("accelerator-type", accelerator, "NAME",                  \
			"accelerator profile", .letter = 'g',                  \
			.standard = "b200", .words = COMPLETE_ACCELERATOR),    \
		TEXT("accelerator", accelerator, "NAME",                       \
			"the same as --accelerator-type",                      \
			.words = COMPLETE_ACCELERATOR),                        \
		TEXT("computation-time", computation_time, "TIME",             \
			"compute per batch instead of the profile's",          \
			.bare = "seconds", .not_closed = true),                \
		TEXT("scale", scale, "1/N",                                    \
			"divide record length and compute time alike: same "   \
			"GB/s, small files",                                   \
			.standard = "1", .not_closed = true),                  \
		LIST("param", params, "KEY=VALUE",                             \
			"a DLIO key such as dataset.num_files_train=7000 "     \
			"(repeatable)",                                        \
			.letter = 'p', .words = COMPLETE_PARAM),               \
		LIST("params", params, "KEY=VALUE", "the same as --param",     \
			.words = COMPLETE_PARAM),                              \
		FLAG("help-params", help_params,                               \
			"list the keys of --param, what they take and which "  \
			"CLOSED allows"),                                      \
		PROFILES_DIR_ROW,                                              \
		TEXT("edition", edition, "NAME", "rules to apply",             \
			.standard = EDITION_DEFAULT, .words = COMPLETE_EDITION)

#define MODEL_ROWS                                                             \
	TEXT("host-model", host_model, "NAME",                                 \
		"what the host costs beside a profile's drive: v3.0, v1.0, "   \
		"FILE.json or none",                                           \
		.standard = "v3.0", .words = "v3.0 v1.0 none"),                \
		TEXT("without", without, "MECHANISM,...",                      \
			"leave out parts of the drive model: command, units, " \
			"buffer, interference, rmw, link",                     \
			.standard = "all are in")

#endif
