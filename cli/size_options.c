/* Option table of `stoker size`; see size.h. */
#include "cli/size.h"

#include "cli/training_rows.h"

#include <string.h>

#define S struct size_options

const struct option_row size_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Drives"),
	TEXT("drive", drive, "MODEL,...",
		"modelled drives, in virtual time: profiles (`stoker drive "
		"list`), \"24x NAME\", constant:14.5GB/s,80us",
		.words = "null constant:14.5GB/s,80us"),
	MODEL_ROWS,
	OPT_LIST("data-dir", S, data_dirs, "DIR",
		"a real drive instead: a folder on it, with MODEL/train/... or "
		"where such a data set may be made (repeatable: one answer "
		"each)", .letter = 'd', .words = COMPLETE_DIR),
	COUNT("max-accelerators", max_accelerators, "N", 1, 1000000,
		"look for no more than that", .standard = "2048; what a real data set allows"),
	OPT_TEXT("sweep", S, sweep, "KEY=V,...",
		"one answer for each value of a key of --param, as in "
		"reader.read_threads=1,2,4,8"),
	OPT_TEXT("with", S, with, "checkpoint:MODEL/PERIOD",
		"modelled drives: what N feels while a checkpoint is saved, as "
		"in checkpoint:llama3-8b/10min"),
	OPT_FLAG("confirm", S, confirm,
		"modelled drives: run N through the whole campaign too"),
	OPT_FLAG("quick", S, quick,
		"real drives: do not confirm N with five whole runs"),
	MEMORY_ROWS,
	HEADING("How data is read"),
	FLAG("odirect", odirect, "as --param reader.odirect=true, the default "
		"where the rules allow it (unet3d)"),
	FLAG("buffered", buffered, "as --param reader.odirect=false"),
	COUNT("queue-depth", queue_depth, "N", 1, 1024,
		"requests in flight per reader",
		.standard = "direct 16, buffered 1"),
	FLAG("allow-fallback", allow_fallback,
		"read buffered where O_DIRECT is refused"),
	ENGINE_ROW,
	TEXT("limit-read", limit_read, "RATE",
		"slow reads down on purpose, as in 800MB/s",
		.bare = "bytes/s", .not_closed = true),
	FLAG("no-drop-caches", no_drop_caches,
		"do not drop the page cache before each epoch",
		.not_closed = true),
	HEADING("Where it runs"),
	HOSTS_ROW(),
	PER_NODE_ROW("ranks"),
	IN_PROCESS_ROW("all accelerators"),
	OUTPUT_ROWS,
	OPT_FLAG("csv", S, csv, "comma-separated values on stdout"),
	FLAG("dry-run", dry_run, "real drives: show the cost, run nothing"),
	QUIET_ROW,
	END,
};

void size_options_default(struct size_options *o)
{
	memset(o, 0, sizeof(*o));
	training_options_default(&o->run);
	o->run.max_accelerators = 0;
}
