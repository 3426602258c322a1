/* Option tables of `stoker vectordb ...`; see vectordb.h. */
#include "cli/vectordb.h"

#include <string.h>

#define O struct vectordb_options
#include "cli/rows.h"

#define SHAPE_ROWS                                                             \
	HEADING("Index"),                                                      \
		TEXT("profile", profile, "NAME",                               \
			"mlps-10m, mlps-1m (the published runs), "             \
			"mlps-10m-nocache, one-segment, sift-like, or a "      \
			"vectordb/NAME.json of --config-dir",                  \
			.standard = "mlps-10m",                                \
			.words = "mlps-10m mlps-1m mlps-10m-nocache "          \
				 "one-segment sift-like"),                     \
		COUNT("num-vectors", vectors, "N", 1, 1ULL << 48,              \
			"vectors in the collection",                           \
			.standard = "the profile's"),                          \
		COUNT("dimension", dimension, "N", 1, 1 << 18,                 \
			"float32 numbers of a vector",                         \
			.standard = "the profile's"),                          \
		COUNT("max-degree", degree, "R", 1, 512,                       \
			"neighbours of a node",                                \
			.standard = "the profile's"),                          \
		COUNT("segments", segments, "S", 1, VDB_SEGMENTS_MAX,          \
			"index files, each searched by every query",           \
			.standard = "the profile's; of another number of "     \
				    "vectors: as Milvus, 2 GiB each"),         \
		TEXT("index-type", index_type, "TYPE",                         \
			"DISKANN, which is searched on the drive; HNSW and "   \
			"AISAQ are refused with what to do instead",           \
			.standard = "DISKANN", .words = "DISKANN"),            \
		PROFILES_DIR_ROW,                                              \
		COUNT("seed", seed, "N", 0, SEED_MAX, "seed of content and queries", \
			.standard = "42")

#define BUILD_ROWS                                                             \
	HEADING("A real index"),                                               \
		TEXT("level", level, "LEVEL",                                  \
			"replay (any size, nothing to find), built (a Vamana " \
			"graph with answers) or copies (one such segment, "    \
			"from which all others are made: answers at any size)",\
			.standard = "replay", .words = "replay built copies"), \
		TEXT("distribution", distribution, "NAME",                     \
			"uniform (as the benchmark's) or clustered",           \
			.standard = "uniform", .words = "uniform clustered"),  \
		COUNT("norm-spread", norm_spread, "PCT", 0, 99,                \
			"lengths of generated vectors are even between "       \
			"1 - PCT % and 1 + PCT %",                             \
			.standard = "0: all 1, as the benchmark's"),           \
		TEXT("vectors", vectors_file, "FILE",                          \
			"an .fbin file instead of generated ones; .u8bin and " \
			".i8bin become floats"),                               \
		TEXT("metric", metric, "NAME",                                 \
			"l2, cosine or ip (inner product): of graph, truth "   \
			"and search; of vectors of length 1 all rank alike",   \
			.standard = "l2", .words = "l2 cosine ip"),            \
		TEXT("build", builder, "NAME",                                 \
			"microsoft (one pass over the vectors) or knowhere, "  \
			"as Milvus (two)",                                     \
			.standard = "microsoft",                               \
			.words = "microsoft knowhere"),                        \
		TEXT("query-vectors", queries_file, "FILE",                    \
			"an .fbin file of queries, with --vectors"),           \
		COUNT("search-list-size", build_list, "L", 1, 100000,          \
			"search list of the build", .standard = "100"),        \
		COUNT("pq-chunks", chunks, "N", 1, 512,                        \
			"bytes of a vector that searches keep in memory",      \
			.standard = "half the dimensions, up to 512"),         \
		COUNT("num-query-vectors", distinct, "N", 1, 1 << 24,          \
			"queries with known answers", .standard = "1000"),     \
		COUNT("truth-k", truth_k, "K", 1, 16384,                       \
			"exact neighbours of each", .standard = "100")

#define DRIVE_ROW                                                              \
	TEXT("drive", drive, "MODEL",                                          \
		"a modelled drive instead: sizes are checked, nothing is "     \
		"written", .words = "d7-ps1010 null constant:14.5GB/s,80us")

#define WHERE_ROWS                                                             \
	ENGINE_ROW, HOSTS_ROW(.letter = 's'), PER_NODE_ROW("ranks"),           \
		IN_PROCESS_ROW("all")

const struct option_row vectordb_datasize_rows[] = {
	SHAPE_ROWS,
	HEADING("Room"),
	TEXT("data-dir", data_dir, "DIR", "tell whether it has room there",
		.words = COMPLETE_DIR),
	DRIVE_ROW,
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DIVISION_ROW,
	END,
};

const struct option_row vectordb_datagen_rows[] = {
	SHAPE_ROWS,
	BUILD_ROWS,
	HEADING("Where"),
	TEXT("data-dir", data_dir, "DIR",
		"folder on the drive under test; vectordb/ goes below it",
		.words = COMPLETE_DIR),
	DRIVE_ROW,
	COUNT("num-processes", clients, "N", 1, 65536,
		"ranks, each of which writes segments", .letter = 'n',
		.standard = "1"),
	FLAG("overwrite", overwrite, "replace what is there"),
	WHERE_ROWS,
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DIVISION_ROW,
	FLAG("dry-run", dry_run, "show what would be written"),
	QUIET_ROW,
	END,
};

const struct option_row vectordb_run_rows[] = {
	SHAPE_ROWS,
	HEADING("Where"),
	TEXT("data-dir", data_dir, "DIR", "folder that datagen has filled",
		.words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"a modelled drive instead, in virtual time; needs no data",
		.words = "d7-ps1010 null constant:14.5GB/s,80us"),
	CLOCK_ROW,
	WHERE_ROWS,
	HEADING("Load"),
	COUNT("num-query-processes", clients, "N", 1, 65536,
		"clients, one rank each", .letter = 'n', .standard = "1"),
	COUNT("outstanding", outstanding, "Q", 1, 65536,
		"batches that each client keeps going",
		.standard = "1; with --rate 64"),
	COUNT("batch-size", batch, "N", 1, 65536,
		"queries a client hands in together", .standard = "1"),
	TEXT("runtime", runtime, "TIME", "how long", .bare = "seconds",
		.standard = "60s"),
	COUNT("queries", queries, "N", 1, 0,
		"so many queries in all instead of --runtime"),
	TEXT("start-stagger", stagger, "TIME",
		"client i of P starts i/P of this after the first; 0s: all at "
		"once", .bare = "seconds", .standard = "1s, as the benchmark; with --rate 0s"),
	TEXT("rate", rate, "QPS",
		"open loop: so many queries a second arrive, whatever is "
		"served; latency counts from when each was due",
		.standard = "closed loop"),
	COUNT("num-query-vectors", distinct, "N", 0, 1 << 30,
		"different queries, used in turn; 0: none comes twice",
		.standard = "1000"),
	COUNT("search-limit", limit, "K", 1, 16384, "neighbours asked for",
		.standard = "10"),
	TEXT("recall-target", recall_target, "R",
		"of a real index: a lower mean recall fails the run",
		.standard = "above 0"),
	TEXT("sweep", sweep, "Q,Q...",
		"a run for each number of outstanding batches: the curve and "
		"its knee"),
	TEXT("sweep-search-ef", sweep_list, "L,L...",
		"a run for each search list, too"),
	TEXT("latency-goal", goal, "TIME",
		"name the most queries a second within this P95",
		.bare = "seconds"),
	COUNT("runs", runs, "N", 1, 1000, "runs of each point",
		.standard = "1"),
	HEADING("Search"),
	COUNT("search-ef", search_list, "L", 1, 1000000,
		"search list: candidates kept; DISKANN's search_list",
		.standard = "the profile's"),
	COUNT("beam-width", beam_width, "W", 1, 256,
		"nodes expanded in a round", .standard = "the profile's"),
	TEXT("cache-share", cache_share, "H",
		"share of the visits that the node cache answers, 0 to 0.999",
		.standard = "the profile's"),
	TEXT("node-cache", node_cache, "RULE",
		"of a real index, nodes of each segment kept in memory: visits "
		"(Milvus's, the most visited of a sample's searches), "
		"breadth-first (Microsoft's, around the start) or none",
		.standard = "visits", .words = "visits breadth-first none"),
	COUNT("cache-nodes", cache_nodes, "N", 1, UINT32_MAX,
		"so many of them: of 1536 dimensions and degree 64 at most "
		"8 % by visits, and 10 % breadth-first",
		.standard = "as Milvus has room for, 8 %"),
	TEXT("software-time", software_time, "TIME",
		"of each batch, whose queries it passes together, beside the "
		"drive's: 0 is a storage-bound report, 5.4ms as published of "
		"batches of one",
		.bare = "seconds", .standard = "the profile's"),
	TEXT("schedule", schedule, "NAME",
		"reference (await all reads of a round) or pipelined",
		.standard = "reference", .words = "reference pipelined"),
	FLAG("verify", verify, "compare every byte read with what was written"),
	FLAG("drop-caches", drop_caches,
		"drop the page cache before each run"),
	OUTPUT_ROWS,
	RESULTS_ROWS,
	DIVISION_ROW,
	DRY_RUN_ROW,
	QUIET_ROW,
	END,
};

void vectordb_options_default(struct vectordb_options *o)
{
	memset(o, 0, sizeof(*o));
	o->profile = "mlps-10m";
	o->level = "replay";
	o->distribution = "uniform";
	o->metric = "l2";
	o->builder = "microsoft";
	o->build_list = 100;
	o->truth_k = 100;
	o->index_type = "DISKANN";
	o->engine = "auto";
	o->schedule = "reference";
	o->organization = "local";
	o->division = "whatif";
	o->seed = 42;
	o->clients = o->batch = o->runs = 1;
	o->distinct = 1000;
	o->limit = 10;
}
