#ifndef CLI_ROWS_H
#define CLI_ROWS_H
/*
 * Short names for option rows (see options.h), and the rows that are the same
 * in the tables of several commands. Included by a file of tables, which
 * defines O as the struct that they store into, with fields of these names.
 */
#include "cli/options.h"

#define HEADING(title) OPT_HEADING(title)
#define TEXT(name, field, arg, ...) OPT_TEXT(name, O, field, arg, __VA_ARGS__)
#define FLAG(name, field, ...) OPT_FLAG(name, O, field, __VA_ARGS__)
#define LIST(name, field, arg, ...) OPT_LIST(name, O, field, arg, __VA_ARGS__)
#define COUNT(name, field, arg, min, max, ...)                                 \
	OPT_COUNT(name, O, field, arg, min, max, __VA_ARGS__)
#define END OPT_END

/* a JSON number keeps it */
#define SEED_MAX ((1ULL << 53) - 1)
#define JSON_ROW                                                               \
	FLAG("json", json, "one JSON document on stdout, nothing else")
#define OUTPUT_ROWS HEADING("Output"), JSON_ROW

#define RESULTS_ROWS                                                           \
	TEXT("results-dir", results_dir, "DIR",                                \
		"write result files below DIR", .letter = 'r',                 \
		.standard = "none", .words = COMPLETE_DIR),                    \
		TEXT("systemname", system_name, "NAME", "name in paths",       \
			.standard = "host name"),                              \
		TEXT("orgname", organization, "NAME", "name in paths",         \
			.standard = "local")

#define QUIET_ROW FLAG("quiet", quiet, "no progress line")
#define DRY_RUN_ROW                                                            \
	FLAG("dry-run", dry_run, "show the plan and its cost, run nothing")

/* of a run; of a result folder alone it refuses nothing */
#define DIVISION_ROW                                                           \
	TEXT("division", division, "NAME",                                     \
		"closed (refuses what the rules refuse), open or whatif",      \
		.standard = "whatif", .words = "closed open whatif")

#define PROFILES_DIR_ROW                                                       \
	TEXT("config-dir", config_dir, "DIR",                                  \
		"profiles that override or add to the built-in ones",          \
		.words = COMPLETE_DIR)

#define MEMORY_ROWS                                                            \
	TEXT("client-host-memory-in-gb", memory, "SIZE",                       \
		"memory of each client host", .bare = "GiB",                   \
		.standard = "this host's"),                                    \
		COUNT("num-client-hosts", hosts, "N", 1, 100000,               \
			"client hosts", .standard = "1")

#define IO_ROW                                                                 \
	TEXT("io", io, "MODE",                                                 \
		"reference (buffered, as the benchmark does it) or direct "    \
		"(O_DIRECT, many requests in flight)",                         \
		.standard = "reference", .words = "reference direct")

#define ENGINE_ROW                                                             \
	TEXT("engine", engine, "KIND", "uring, pread or auto",                 \
		.standard = "auto", .words = "uring pread auto")
/* where --io reference has an engine of its own */
#define ENGINE_BY_IO_ROW                                                       \
	TEXT("engine", engine, "KIND", "uring, pread or auto",                 \
		.standard = "auto; pread for --io reference",                  \
		.words = "uring pread auto")

/* with more fields where wanted: a letter */
#define HOSTS_ROW(...)                                                         \
	TEXT("hosts", hosts_list, "H,H...", "hosts for mpirun",                \
		.standard = "this one", __VA_ARGS__)
/* of what there are so many: "ranks" */
#define PER_NODE_ROW(what)                                                     \
	COUNT("npernode", per_node, "N", 1, 65536, what " per host",           \
		.standard = "as mpirun thinks")
#define IN_PROCESS_ROW(what)                                                   \
	FLAG("in-process", in_process, what " in one process, without MPI")

#define CLOCK_ROW                                                              \
	TEXT("clock", clock, "KIND", "real or virtual",                        \
		.standard = "real; virtual on a modelled drive",               \
		.words = "real virtual")

#endif
