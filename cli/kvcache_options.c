/* Option tables of `stoker kvcache ...`; see kvcache.h. */
#include "cli/kvcache.h"

#include <string.h>

#define O struct kvcache_options
#include "cli/rows.h"

#define MODELS                                                                 \
	"tiny-1b mistral-7b llama2-7b llama3.1-8b llama3.1-70b-instruct "      \
	"deepseek-v3 qwen3-32b gpt-oss-120b gpt-oss-20b"

#define WORKLOAD_ROWS                                                          \
	HEADING("Workload"),                                                   \
		TEXT("option", option, "LIST",                                 \
			"the benchmark's options to run, such as 1 or 1,3",    \
			.standard = "1,2,3"),                                  \
		TEXT("model", model, "NAME",                                   \
			"whose keys and values; also a kvmodels/NAME.json of " \
			"--config-dir",                                        \
			.letter = 'm', .standard = "the option's",             \
			.not_closed = true, .words = MODELS),                  \
		COUNT("num-users", users, "N", 1, 65535, "users of each rank", \
			.standard = "the option's", .not_closed = true),       \
		TEXT("gpu-mem-gb", gpu_gib, "SIZE",                            \
			"tier in the memory of accelerators, of each rank",    \
			.bare = "GiB", .standard = "0", .not_closed = true),   \
		TEXT("cpu-mem-gb", cpu_gib, "SIZE",                            \
			"tier in memory, of each rank", .bare = "GiB",         \
			.standard = "the option's", .not_closed = true),       \
		COUNT("max-concurrent-allocs", allocations, "N", 0, 1000,      \
			"entries written at a time; 0 = no limit",             \
			.standard = "the option's", .not_closed = true),       \
		TEXT("duration", duration, "TIME", "of a run",                 \
			.letter = 'd', .bare = "seconds",                      \
			.standard = "the option's", .not_closed = true),       \
		TEXT("generation-mode", generation, "MODE",                    \
			"time a token takes: none, fast (2 ms) or realistic "  \
			"(30 ms)",                                             \
			.standard = "none", .not_closed = true,                \
			.words = "none fast realistic"),                       \
		FLAG("disable-multi-turn", no_multi_turn,                      \
			"each request is a conversation of its own",           \
			.not_closed = true),                                   \
		FLAG("disable-prefix-caching", no_prefix,                      \
			"no request tries a common prefix",                    \
			.not_closed = true),                                   \
		COUNT("seed", seed, "N", 0, SEED_MAX,                          \
			"of the users; rank r has N + r", .standard = "42",    \
			.not_closed = true),                                   \
		TEXT("workload", workload, "NAME",                             \
			"edition, or a kvcache/NAME.json of --config-dir "     \
			"(other users, other options)",                        \
			.standard = "v3.0", .not_closed = true),               \
		TEXT("config-dir", config_dir, "DIR",                          \
			"models, workloads and drives that override or add "   \
			"to the built-in ones", .words = COMPLETE_DIR)

#define DRIVE_ROW                                                              \
	TEXT("drive", drive, "MODEL",                                          \
		"a modelled drive instead: d7-ps1010, 2xd5-p5336, "            \
		"constant:14.5GB/s,80us or null",                              \
		.not_closed = true, .words = "null constant:14.5GB/s,80us")

const struct option_row kvcache_datasize_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Room"),
	TEXT("cache-dir", cache_dir, "DIR", "tell whether there is room there",
		.words = COMPLETE_DIR),
	COUNT("num-processes", processes, "N", 1, 1048576, "ranks",
		.letter = 'n', .standard = "1"),
	OUTPUT_ROWS,
	END,
};

const struct option_row kvcache_run_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Run"),
	TEXT("cache-dir", cache_dir, "DIR",
		"folder on the drive under test; rank_R goes below it, and "
		"goes away at the end", .words = COMPLETE_DIR),
	DRIVE_ROW,
	TEXT("storage-capacity-gb", capacity, "SIZE",
		"storage tier of each rank", .bare = "GiB",
		.standard = "95 % of what is free, shared by the ranks of a "
			    "host", .not_closed = true),
	COUNT("trials", trials, "N", 1, 1000, "runs of each option",
		.standard = "3; 1 in virtual time", .not_closed = true),
	TEXT("delay", delay, "TIME", "pause before and after each run",
		.bare = "seconds", .standard = "90s", .not_closed = true),
	TEXT("inter-option-delay", inter_option_delay, "TIME",
		"pause between options", .bare = "seconds", .standard = "90s",
		.not_closed = true),
	FLAG("precondition", precondition,
		"write twice the storage tier before each option"),
	TEXT("burst-trace-path", trace, "FILE.csv",
		"recorded requests instead of users: Timestamp, Request "
		"tokens, Response tokens", .not_closed = true),
	TEXT("trace-speedup", trace_speedup, "X",
		"of the recorded time; 0 = all requests at once",
		.standard = "1", .not_closed = true),
	FLAG("enable-rag", rag,
		"requests also read chunks of documents, which are taken in "
		"meanwhile", .not_closed = true),
	COUNT("rag-num-docs", rag_documents, "N", 1, KV_RAG_DOCUMENTS_MAX,
		"documents of each rank, with --enable-rag", .standard = "10",
		.not_closed = true),
	FLAG("closed-loop", closed_loop,
		"a user waits for the answer before the next request",
		.not_closed = true),
	FLAG("reference-bugs", reference_bugs,
		"with the reference's known mistakes of accounting"),
	FLAG("verify", verify, "compare every byte read with what was written"),
	FLAG("keep-cache", keep_cache, "leave the files of the last run"),
	DIVISION_ROW,
	HEADING("How bytes move"),
	IO_ROW,
	TEXT("request-size", request_size, "SIZE", "one request",
		.bare = "bytes", .standard = "reference 4 MiB, direct 1 MiB"),
	COUNT("request-depth", depth, "N", 1, 1024,
		"direct: requests in flight per file", .standard = "16"),
	TEXT("host-copy-rate", copy_rate, "RATE",
		"copies in memory that the reference's host makes; 0 = they "
		"take no time", .standard = "the workload's, 8.3 GB/s"),
	ENGINE_BY_IO_ROW,
	HEADING("Where it runs"),
	COUNT("num-processes", processes, "N", 1, 1048576, "ranks",
		.letter = 'n', .standard = "1"),
	HOSTS_ROW(.letter = 's'),
	PER_NODE_ROW("ranks"),
	IN_PROCESS_ROW("all ranks"),
	CLOCK_ROW,
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DRY_RUN_ROW,
	QUIET_ROW,
	END,
};

const struct option_row kvcache_size_rows[] = {
	WORKLOAD_ROWS,
	HEADING("Question"),
	DRIVE_ROW,
	TEXT("slo", slo, "P=TIME",
		"what a request may take, from question to answer: p95=2s, "
		"p50=500ms, p99=10s", .standard = "p95=10s"),
	TEXT("io", io, "MODE", "reference or direct",
		.standard = "reference", .words = "reference direct"),
	TEXT("storage-capacity-gb", capacity, "SIZE", "storage tier",
		.bare = "GiB", .standard = "95 % of the drive"),
	OUTPUT_ROWS,
	END,
};

void kvcache_options_default(struct kvcache_options *o)
{
	memset(o, 0, sizeof(*o));
	o->workload = KV_WORKLOAD_DEFAULT;
	o->allocations = o->seed = UINT64_MAX;
	o->generation = "none";
	o->io = "reference";
	o->engine = "auto";
	o->division = "whatif";
	o->organization = "local";
	o->slo = "p95=10s";
	o->processes = 1;
	o->trace_speedup = "1";
}
