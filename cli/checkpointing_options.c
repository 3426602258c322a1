/* Option tables of `stoker checkpointing ...`; see checkpointing.h. */
#include "cli/checkpointing.h"

#include "core/units.h"

#include <errno.h>
#include <string.h>

#define O struct checkpointing_options
#define HEADING(title) OPT_HEADING(title)
#define TEXT(name, field, arg, ...) OPT_TEXT(name, O, field, arg, __VA_ARGS__)
#define FLAG(name, field, ...) OPT_FLAG(name, O, field, __VA_ARGS__)
#define COUNT(name, field, arg, min, max, ...)                                 \
	OPT_COUNT(name, O, field, arg, min, max, __VA_ARGS__)
#define END OPT_END

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

#define MEMORY_ROWS                                                            \
	TEXT("client-host-memory-in-gb", memory, "SIZE",                       \
		"memory of each client host", .bare = "GiB",                   \
		.standard = "this host's"),                                    \
		COUNT("num-client-hosts", hosts, "N", 1, 100000,               \
			"client hosts", .standard = "1")

#define OUTPUT_ROWS                                                            \
	HEADING("Output"),                                                     \
		FLAG("json", json, "one JSON document on stdout, nothing else")

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

void checkpointing_options_default(struct checkpointing_options *o)
{
	memset(o, 0, sizeof(*o));
	o->model = "llama3-8b";
	o->mode = "auto";
	o->scale = "1";
	o->writes = o->reads = UINT64_MAX;
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
