#ifndef CLI_CHECKPOINTING_H
#define CLI_CHECKPOINTING_H
/* The options of `stoker checkpointing ...` and what they resolve to. */
#include "cli/options.h"
#include "core/ckpt_shape.h"
#include "core/err.h"

#include <stdbool.h>
#include <stdint.h>

struct checkpointing_options {
	/* what */
	const char *model, *config_dir, *mode, *scale;
	uint64_t processes; /* 0: as CLOSED asks for */
	uint64_t writes, reads; /* UINT64_MAX: the model's */
	/* where */
	const char *folder, *memory;
	uint64_t hosts;
	/* output */
	bool json;
};

extern const struct option_row checkpointing_datasize_rows[];

void checkpointing_options_default(struct checkpointing_options *o);

/* The model, its ranks and its scale. */
int checkpointing_shape(const struct checkpointing_options *o,
	struct ckpt_shape *s, struct err *e);

/* Is this the full size on the number of ranks that CLOSED asks for? */
bool checkpointing_shape_closed(const struct ckpt_shape *s);

/* Size printed where it counts: "104.7045 GiB". */
double checkpointing_gib(uint64_t bytes);

int cmd_checkpointing_datasize(int argc, const char **argv);

#endif
