/* Option tables of `stoker training ...`; see training.h. */
#include "cli/training.h"

#include <string.h>

#define AT(field) offsetof(struct training_options, field)
#define HEADING(title) {OPTION_HEADING, title, 0, 0, NULL, NULL, 0, 0}
#define TEXT(name, field, arg, help)                                           \
	{OPTION_TEXT, name, 0, AT(field), arg, help, 0, 0}
#define FLAG(name, field, help)                                                \
	{OPTION_FLAG, name, 0, AT(field), NULL, help, 0, 0}
#define COUNT(name, field, arg, min, max, help)                                \
	{OPTION_COUNT, name, 0, AT(field), arg, help, min, max}
#define END {OPTION_HEADING, NULL, 0, 0, NULL, NULL, 0, 0}

#define WORKLOAD_ROWS                                                          \
	HEADING("Workload"),                                                   \
		{OPTION_TEXT, "model", 'm', AT(model), "NAME",                 \
			"workload, see training profiles [unet3d]", 0, 0},     \
		{OPTION_TEXT, "accelerator-type", 'g', AT(accelerator),        \
			"NAME", "accelerator profile [b200]", 0, 0},           \
		TEXT("accelerator", accelerator, "NAME",                       \
			"the same"),                                           \
		TEXT("computation-time", computation_time, "TIME",             \
			"compute per batch instead of the profile's; bare "    \
			"= seconds"),                                          \
		TEXT("scale", scale, "1/N",                                    \
			"divide record length and compute time alike: same "   \
			"GB/s, small files (not CLOSED) [1]"),                 \
		{OPTION_LIST, "param", 'p', AT(params), "KEY=VALUE",           \
			"a DLIO key such as dataset.num_files_train=7000 "     \
			"(repeatable)", 0, 0},                                 \
		{OPTION_LIST, "params", 0, AT(params), "KEY=VALUE",            \
			"the same", 0, 0},                                     \
		TEXT("config-dir", config_dir, "DIR",                          \
			"profiles that override or add to the built-in ones"), \
		TEXT("edition", edition, "NAME", "rules to apply [v3.0]")

#define MEMORY_ROWS                                                            \
	TEXT("client-host-memory-in-gb", memory, "SIZE",                       \
		"memory of each client host; bare = GiB [this host's]"),       \
		COUNT("num-client-hosts", hosts, "N", 1, 100000,               \
			"client hosts [1]")

#define RESULTS_ROWS                                                           \
	{OPTION_TEXT, "results-dir", 'r', AT(results_dir), "DIR",              \
		"write result files below DIR [none]", 0, 0},                  \
		TEXT("systemname", system_name, "NAME",                        \
			"name in paths [host name]"),                          \
		TEXT("orgname", organization, "NAME", "name in paths [local]")

#define DIVISION_ROW                                                           \
	TEXT("division", division, "NAME",                                     \
		"folder of the results: closed, open or whatif [whatif]")

#define OUTPUT_ROWS                                                            \
	HEADING("Output"),                                                     \
		FLAG("json", json, "one JSON document on stdout, nothing else")

const struct option_row training_datasize_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Size"),
	COUNT("max-accelerators", max_accelerators, "N", 1, 1000000,
		"accelerators the data set must serve [1]"),
	COUNT("num-accelerators", max_accelerators, "N", 1, 1000000,
		"the same"),
	MEMORY_ROWS,
	TEXT("data-dir", data_dir, "DIR",
		"tell whether the data set has room there"),
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DIVISION_ROW,
	END,
};

const struct option_row training_datagen_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Data"),
	{OPTION_TEXT, "data-dir", 'd', AT(data_dir), "DIR",
		"folder to write MODEL/train/... into", 0, 0},
	COUNT("num-processes", processes, "P", 1, 65536,
		"MPI processes that write; file sizes depend on P, as the "
		"reference's do [1]"),
	TEXT("hosts", hosts_list, "H,H...", "hosts for mpirun [this one]"),
	COUNT("npernode", per_node, "N", 1, 65536, "processes per host"),
	TEXT("content", content, "KIND",
		"unique (no two blocks alike) or reference (every file the "
		"same stream) [unique]"),
	COUNT("seed", seed, "N", 0, 0, "seed of unique content [1]"),
	TEXT("compress-ratio", compress_ratio, "R",
		"content that compresses by R: 1/R of each 4 KiB is random, "
		"the rest zero (not CLOSED) [1]"),
	TEXT("dedup-ratio", dedup_ratio, "R",
		"all but 1/R of the 4 KiB blocks are copies of 256 blocks "
		"(not CLOSED) [1]"),
	FLAG("overwrite", overwrite, "replace another data set"),
	FLAG("buffered", buffered, "write through the page cache"),
	TEXT("engine", engine, "KIND", "uring, pread or auto [auto]"),
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DIVISION_ROW,
	FLAG("dry-run", dry_run, "show what would be written and its cost"),
	FLAG("quiet", quiet, "no progress line"),
	END,
};

const struct option_row training_run_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Run"),
	{OPTION_TEXT, "data-dir", 'd', AT(data_dir), "DIR",
		"folder with MODEL/train/... on the drive under test", 0, 0},
	TEXT("drive", drive, "MODEL",
		"a modelled drive instead: constant:14.5GB/s,80us or null"),
	{OPTION_COUNT, "num-accelerators", 'n', AT(accelerators), "N",
		"accelerators, one MPI rank each [1]", 1, 1000000},
	COUNT("accelerators", accelerators, "N", 1, 1000000, "the same"),
	COUNT("runs", runs, "N", 1, 1000,
		"counted runs; the rule wants 5 [1]"),
	COUNT("warmup", warmups, "N", 0, 100, "runs before them [0]"),
	TEXT("division", division, "NAME",
		"closed (refuses what the rules refuse), open or whatif "
		"[whatif]"),
	TEXT("verdict", verdict, "WHICH",
		"figure the exit code follows: reference or steady "
		"[reference]"),
	MEMORY_ROWS,
	HEADING("How data is read"),
	FLAG("odirect", odirect, "as --param reader.odirect=true"),
	FLAG("buffered", buffered, "as --param reader.odirect=false [default]"),
	FLAG("allow-fallback", allow_fallback,
		"read buffered where O_DIRECT is refused"),
	COUNT("queue-depth", queue_depth, "N", 1, 1024,
		"requests in flight per reader [direct 16, buffered 1]"),
	TEXT("engine", engine, "KIND", "uring, pread or auto [auto]"),
	TEXT("limit-read", limit_read, "RATE",
		"slow reads down on purpose, as in 800MB/s"),
	FLAG("verify", verify, "compare every byte with what was generated"),
	FLAG("no-drop-caches", no_drop_caches,
		"do not drop the page cache before each epoch"),
	HEADING("Where it runs"),
	TEXT("hosts", hosts_list, "H,H...", "hosts for mpirun [this one]"),
	COUNT("npernode", per_node, "N", 1, 65536, "ranks per host"),
	FLAG("in-process", in_process,
		"all accelerators in one process, without MPI"),
	TEXT("clock", clock, "KIND",
		"real or virtual [real; virtual on a modelled drive]"),
	COUNT("datagen-processes", processes, "P", 1, 65536,
		"modelled drive: processes the data set was made with [1]"),
	FLAG("no-futex", no_futex,
		"wake ranks through FIFOs, as kernels before 6.7 need"),
	OUTPUT_ROWS,
	RESULTS_ROWS,
	FLAG("dry-run", dry_run, "show the plan and its cost, run nothing"),
	FLAG("quiet", quiet, "no progress line"),
	END,
};

const struct option_row training_profiles_rows[] = {
	HEADING("Profiles"),
	TEXT("config-dir", config_dir, "DIR",
		"profiles that override or add to the built-in ones"),
	OUTPUT_ROWS,
	END,
};

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
