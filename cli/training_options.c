/* Option tables of `stoker training ...`; see training.h. */
#include "cli/training.h"

#include "cli/cli.h"
#include "cli/params.h"
#include "cli/training_rows.h"

#include <string.h>

#define FOLDER_DIVISION_ROW                                                    \
	TEXT("division", division, "NAME",                                     \
		"folder of the results: closed, open or whatif",               \
		.standard = "whatif", .words = "closed open whatif")

const struct option_row training_datasize_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Size"),
	COUNT("max-accelerators", max_accelerators, "N", 1, 1000000,
		"accelerators the data set must serve", .standard = "1"),
	COUNT("num-accelerators", max_accelerators, "N", 1, 1000000,
		"the same as --max-accelerators"),
	MEMORY_ROWS,
	TEXT("data-dir", data_dir, "DIR",
		"tell whether the data set has room there",
		.words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"the same of a modelled drive, as in training run"),
	OUTPUT_ROWS,
	RESULTS_ROWS,
	FOLDER_DIVISION_ROW,
	END,
};

const struct option_row training_datagen_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Data"),
	TEXT("data-dir", data_dir, "DIR",
		"folder to write MODEL/train/... into", .letter = 'd',
		.words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"a modelled drive, as in training run: writes nothing, "
		"records which files the set would have"),
	COUNT("num-processes", processes, "P", 1, 65536,
		"MPI processes that write; file sizes depend on P, as the "
		"reference's do", .standard = "1"),
	HOSTS_ROW(),
	PER_NODE_ROW("processes"),
	TEXT("content", content, "KIND",
		"unique (no two blocks alike) or reference (every file the "
		"same stream)", .standard = "unique",
		.words = "unique reference"),
	COUNT("seed", seed, "N", 0, SEED_MAX, "seed of unique content",
		.standard = "1"),
	TEXT("compress-ratio", compress_ratio, "R",
		"content that compresses by R: 1/R of each 4 KiB is random, "
		"the rest zero (not CLOSED)", .standard = "1"),
	TEXT("dedup-ratio", dedup_ratio, "R",
		"all but 1/R of the 4 KiB blocks are copies of 256 blocks "
		"(not CLOSED)", .standard = "1"),
	FLAG("overwrite", overwrite, "replace another data set"),
	FLAG("buffered", buffered, "write through the page cache"),
	ENGINE_ROW,
	OUTPUT_ROWS,
	RESULTS_ROWS,
	FOLDER_DIVISION_ROW,
	FLAG("dry-run", dry_run, "show what would be written and its cost"),
	QUIET_ROW,
	END,
};

const struct option_row training_run_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Run"),
	TEXT("data-dir", data_dir, "DIR",
		"folder with MODEL/train/... on the drive under test",
		.letter = 'd', .words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"a modelled drive instead: NAME or FILE.json of a profile "
		"(`stoker drive list`), \"24x NAME\", "
		"constant:14.5GB/s,80us or null",
		.not_closed = true, .words = "null constant:14.5GB/s,80us"),
	MODEL_ROWS,
	COUNT("num-accelerators", accelerators, "N", 1, 1000000,
		"accelerators, one MPI rank each", .letter = 'n',
		.standard = "1"),
	COUNT("accelerators", accelerators, "N", 1, 1000000,
		"the same as --num-accelerators"),
	COUNT("runs", runs, "N", 1, 1000, "counted runs; the rule wants 5",
		.standard = "1"),
	COUNT("warmup", warmups, "N", 0, 100, "runs before them",
		.standard = "0"),
	FLAG("each-run", each_run,
		"modelled drive: simulate each run for itself instead of one "
		"for all, as --results-dir with several runs does"),
	DIVISION_ROW,
	TEXT("verdict", verdict, "WHICH",
		"figure the exit code follows: reference or steady",
		.standard = "reference", .words = "reference steady"),
	MEMORY_ROWS,
	HEADING("How data is read"),
	FLAG("odirect", odirect, "as --param reader.odirect=true"),
	FLAG("buffered", buffered, "as --param reader.odirect=false, the default"),
	FLAG("allow-fallback", allow_fallback,
		"read buffered where O_DIRECT is refused"),
	COUNT("queue-depth", queue_depth, "N", 1, 1024,
		"requests in flight per reader",
		.standard = "direct 16, buffered 1"),
	ENGINE_ROW,
	TEXT("limit-read", limit_read, "RATE",
		"slow reads down on purpose, as in 800MB/s",
		.bare = "bytes/s", .not_closed = true),
	FLAG("verify", verify, "compare every byte with what was generated"),
	FLAG("no-drop-caches", no_drop_caches,
		"do not drop the page cache before each epoch",
		.not_closed = true),
	HEADING("Where it runs"),
	HOSTS_ROW(),
	PER_NODE_ROW("ranks"),
	IN_PROCESS_ROW("all accelerators"),
	CLOCK_ROW,
	COUNT("datagen-processes", processes, "P", 1, 65536,
		"modelled drive: processes the data set was made with",
		.standard = "1"),
	FLAG("no-futex", no_futex,
		"wake ranks through FIFOs, as kernels before 6.7 need"),
	OUTPUT_ROWS,
	FLAG("why", why,
		"explain the lowest run: its limit, and what would change it"),
	RESULTS_ROWS,
	FLAG("resume", resume,
		"go on with the interrupted campaign in --results-dir, where "
		"the rules allow it"),
	DRY_RUN_ROW,
	QUIET_ROW,
	END,
};

const struct option_row training_profiles_rows[] = {
	HEADING("Profiles"),
	PROFILES_DIR_ROW,
	OUTPUT_ROWS,
	END,
};

int training_help_params(const struct training_options *o)
{
	struct edition ed;
	struct err e;

	if (edition_load(o->config_dir, o->edition, &ed, &e))
		return cli_fail(&e);
	params_print(&ed);
	return 0;
}

void training_options_default(struct training_options *o)
{
	memset(o, 0, sizeof(*o));
	o->model = "unet3d";
	o->accelerator = "b200";
	o->edition = EDITION_DEFAULT;
	o->division = "whatif";
	o->scale = "1";
	o->engine = "auto";
	o->verdict = "reference";
	o->content = "unique";
	o->compress_ratio = o->dedup_ratio = "1";
	o->seed = 1;
	o->max_accelerators = 1;
	o->runs = 1;
	o->organization = "local";
}
