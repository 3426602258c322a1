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
	COUNT("max-accelerators", max_accelerators, "N", 1, 1000000,
		"look for no more than that", .standard = "2048"),
	OPT_TEXT("sweep", S, sweep, "KEY=V,...",
		"one answer for each value of a key of --param, as in "
		"reader.read_threads=1,2,4,8"),
	OPT_FLAG("confirm", S, confirm,
		"run N through the whole campaign: five runs, all epochs"),
	HEADING("How data is read"),
	FLAG("odirect", odirect, "as --param reader.odirect=true"),
	FLAG("buffered", buffered,
		"as --param reader.odirect=false, the default"),
	COUNT("queue-depth", queue_depth, "N", 1, 1024,
		"requests in flight per reader",
		.standard = "direct 16, buffered 1"),
	OUTPUT_ROWS,
	OPT_FLAG("csv", S, csv, "comma-separated values on stdout"),
	FLAG("quiet", quiet, "no progress line"),
	END,
};

void size_options_default(struct size_options *o)
{
	memset(o, 0, sizeof(*o));
	training_options_default(&o->run);
	o->run.max_accelerators = 0;
}
