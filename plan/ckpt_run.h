#ifndef PLAN_CKPT_RUN_H
#define PLAN_CKPT_RUN_H
/*
 * A checkpointing run over a group, on a drive or a modelled one, into one
 * record: is there room, are the files to be loaded there, then the saves and
 * loads, and the figures. Collective; the record is complete in rank 0's
 * process.
 */
#include "accel_sim/group.h"
#include "core/ckpt_record.h"
#include "core/err.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>

struct ckpt_run {
	struct group *group;
	struct engine_spec engine;
	bool virtual_time;
	const char *drive; /* as it was asked for; NULL: a real one */
	uint64_t client_memory_bytes; /* of a modelled client; 0: this host's */
	/* virtual time with results: it does not begin before; 0 = now */
	int64_t not_before_ns;
	/* of rank 0, after each of its saves and loads */
	void (*progress)(void *ctx, const struct ckpt_op *op);
	void *ctx;
};

/* Bytes that must be free before the first save. */
uint64_t ckpt_run_room_bytes(const struct ckpt_config *c);

/* rec->config is resolved; all else is added. */
int ckpt_run(const struct ckpt_run *c, struct ckpt_record *rec, struct err *e);

#endif
