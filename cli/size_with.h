#ifndef CLI_SIZE_WITH_H
#define CLI_SIZE_WITH_H
/* `stoker size --with checkpoint:MODEL/PERIOD`: what else the drive does. */
#include "core/ckpt_shape.h"
#include "core/err.h"
#include "core/record.h"
#include "plan/interference.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;
struct size_options;

/* The answer of one row; all zero where nothing was asked. */
struct size_with {
	char model[CKPT_MODEL_NAME_MAX];
	double period_s;
	uint64_t ranks, accelerators;
	struct interference_found found;
};

/* Is the text well formed, and the model known? */
int size_with_check(const struct size_options *o, struct err *e);

/* Run `accelerators` of config on the drive while it saves a checkpoint. */
int size_with_run(const struct size_options *o,
	const struct train_config *config, const struct engine_spec *engine,
	uint64_t accelerators, struct size_with *w, struct err *e);

void size_with_print(FILE *f, const struct size_with *w, const char *drive,
	const char *accelerator);
/* Adds "with" to o; nothing where nothing was asked. */
bool size_with_json(struct cJSON *o, const struct size_with *w);

#endif
