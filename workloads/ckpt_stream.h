#ifndef WORKLOADS_CKPT_STREAM_H
#define WORKLOADS_CKPT_STREAM_H
/*
 * One rank's way to move one checkpoint file after another; see checkpoint.h
 * for how the two modes do it. Its buffers are its own for ever and lie in a
 * list of free ones, from which they come only when their request has ended.
 */
#include "core/ckpt_record.h"
#include "core/err.h"
#include "datagen/ckpt_content.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

struct ckpt_stream_env {
	const struct ckpt_config *config;
	struct engine *engine;
	struct store *store;
	const struct buffers *buffers;
	uint32_t first_buffer; /* of checkpoint_buffers() */
	const struct ckpt_content *content; /* NULL: no bytes move */
	/* called when a request has ended: the owner steps the stream */
	void (*changed)(void *ctx);
	void *ctx;
};

struct ckpt_stream;

/* Totals since the stream was opened. */
struct ckpt_stream_totals {
	uint64_t bytes, verified_bytes;
	int64_t fill_ns, sync_ns;
};

int ckpt_stream_open(const struct ckpt_stream_env *env,
	struct ckpt_stream **out, struct err *e);
/* Nothing may be in flight. An unfinished file of direct mode is removed. */
void ckpt_stream_close(struct ckpt_stream *s);

/* Begin file `id` of `bytes` bytes; the one before must be done. */
int ckpt_stream_begin(struct ckpt_stream *s, uint64_t id, uint64_t bytes,
	bool load, struct err *e);

/*
 * Do one piece of work: 1 = the file is done, 0 = wait for changed(),
 * -EAGAIN = there is more to do, come again, else an error.
 */
int ckpt_stream_step(struct ckpt_stream *s, struct err *e);

void ckpt_stream_get_totals(
	const struct ckpt_stream *s, struct ckpt_stream_totals *t);

/* Ask for nothing more; what is in flight ends. */
void ckpt_stream_stop(struct ckpt_stream *s);

#endif
