/* Option tables of `stoker checkpointing ...`; see checkpointing.h. */
#include "cli/checkpointing.h"

#include "core/units.h"

#include <errno.h>
#include <string.h>

#define O struct checkpointing_options
#include "cli/rows.h"

#define MODEL_ROWS                                                             \
	HEADING("Workload"),                                                   \
		TEXT("model", model, "NAME",                                   \
			"llama3-8b, llama3-70b, llama3-405b, llama3-1t, or a " \
			"models/NAME.json of --config-dir",                    \
			.letter = 'm', .standard = "llama3-8b",                \
			.words = "llama3-8b llama3-70b llama3-405b llama3-1t"),\
		COUNT("num-processes", processes, "N", 1, 1048576,             \
			"ranks that save and load", .letter = 'n',             \
			.standard = "those of CLOSED: 8, 64, 512, 1024"),      \
		TEXT("checkpoint-mode", mode, "MODE",                          \
			"default (the model on the ranks there are), subset "  \
			"(shards of the full scale, not all ranks) or auto: "  \
			"subset below the CLOSED ranks",                       \
			.standard = "auto", .words = "auto default subset"),   \
		COUNT("num-checkpoints-write", writes, "N", 0, 100000,         \
			"checkpoints saved", .standard = "10"),                \
		COUNT("num-checkpoints-read", reads, "N", 0, 100000,           \
			"checkpoints loaded", .standard = "10"),               \
		TEXT("scale", scale, "1/N",                                    \
			"divide the length of every file, for tests and "      \
			"small machines",                                      \
			.standard = "1", .not_closed = true),                  \
		TEXT("config-dir", config_dir, "DIR",                          \
			"models that override or add to the built-in ones",    \
			.words = COMPLETE_DIR)

const struct option_row checkpointing_datasize_rows[] = {
	MODEL_ROWS,
	HEADING("Room"),
	TEXT("checkpoint-folder", folder, "DIR",
		"tell whether the checkpoints have room there",
		.words = COMPLETE_DIR),
	MEMORY_ROWS,
	OUTPUT_ROWS,
	END,
};

const struct option_row checkpointing_run_rows[] = {
	MODEL_ROWS,
	HEADING("Run"),
	TEXT("checkpoint-folder", folder, "DIR",
		"folder on the drive under test; MODEL/global_epoch1_stepK go "
		"below it", .words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"a modelled drive instead: constant:14.5GB/s,80us or null",
		.not_closed = true, .words = "null constant:14.5GB/s,80us"),
	TEXT("client-host-memory-in-gb", memory, "SIZE",
		"modelled drive: memory of its client host", .bare = "GiB",
		.standard = "this host's"),
	TEXT("accelerator-type", accelerator, "NAME",
		"what the ranks stand for, for the rule on their memory "
		"(4.3.4)", .standard = "not declared",
		.words = COMPLETE_ACCELERATOR),
	TEXT("gap", gap, "TIME", "pause before each save and load",
		.bare = "seconds", .standard = "5s", .not_closed = true),
	COUNT("keep", keep, "K", 1, 100000,
		"remove all but the last K checkpoints while saving",
		.standard = "all", .not_closed = true),
	FLAG("rotate-ranks", rotate,
		"each rank loads what another has saved (of another host, if "
		"there is one), as after a failure"),
	FLAG("verify", verify, "compare every loaded byte with what was saved"),
	COUNT("seed", seed, "N", 0, SEED_MAX, "seed of the content",
		.standard = "1"),
	DIVISION_ROW,
	HEADING("How bytes move"),
	IO_ROW,
	FLAG("o-direct", o_direct, "the same as --io direct"),
	TEXT("write-size", write_size, "SIZE", "one write",
		.bare = "bytes", .standard = "reference 32 MiB, direct 1 MiB"),
	TEXT("read-size", read_size, "SIZE", "one read",
		.bare = "bytes", .standard = "reference 128 MiB, direct 1 MiB"),
	COUNT("write-depth", write_depth, "N", 1, 1024,
		"direct: writes in flight per rank", .standard = "16"),
	COUNT("read-depth", read_depth, "N", 1, 1024,
		"direct: reads in flight per rank", .standard = "16"),
	TEXT("limit-content", limit_content, "RATE",
		"make each rank's content no faster, to see what the report "
		"says of it", .bare = "bytes/s", .not_closed = true),
	FLAG("drop-caches", drop_caches,
		"drop the page cache between saving and loading"),
	FLAG("allow-cached", allow_cached,
		"direct: load also what cannot be made cold; marked invalid"),
	ENGINE_BY_IO_ROW,
	HEADING("Where it runs"),
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

void checkpointing_options_default(struct checkpointing_options *o)
{
	memset(o, 0, sizeof(*o));
	o->model = "llama3-8b";
	o->mode = "auto";
	o->scale = "1";
	o->writes = o->reads = UINT64_MAX;
	o->io = "reference";
	o->engine = "auto";
	o->division = "whatif";
	o->organization = "local";
	o->seed = 1;
}

int checkpointing_shape(const struct checkpointing_options *o,
	struct ckpt_shape *s, struct err *e)
{
	static const char *const modes[] = {
		[CKPT_AUTO] = "auto",
		[CKPT_DEFAULT] = "default",
		[CKPT_SUBSET] = "subset",
	};
	struct ckpt_model m;
	uint64_t ranks = o->processes;
	uint32_t num, den, mode;
	int r;

	r = units_parse_scale(o->scale, "--scale", &num, &den, e);
	if (!r)
		r = ckpt_model_load(o->config_dir, o->model, &m, e);
	if (r)
		return r;
	for (mode = 0; mode < 3 && strcmp(o->mode, modes[mode]); mode++)
		;
	if (mode == 3)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--checkpoint-mode %s: known are auto, default and "
			"subset", o->mode);
	if (!ranks)
		ranks = m.closed_ranks ? m.closed_ranks
				       : m.tensor * m.pipeline;
	return ckpt_shape_init(
		s, &m, ranks, (enum ckpt_mode)mode, num, den, e);
}

bool checkpointing_shape_closed(const struct ckpt_shape *s)
{
	return s->ranks == s->model.closed_ranks && !s->subset &&
	       s->scale_num == s->scale_den;
}

double checkpointing_gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}
