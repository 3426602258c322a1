#ifndef WORKLOADS_KV_STREAM_H
#define WORKLOADS_KV_STREAM_H
/*
 * Moving the files of cache entries. Every worker has a stream, which moves
 * one file at a time; the streams of a process share one pool of buffers, so
 * that nothing ever holds a whole entry: pieces are handed out in turn, and
 * what was read is dropped (or compared) when it has come.
 *
 * A file is a numpy array: a header, then the entry's bytes. In reference mode
 * the header has 128 bytes, the file is written through the page cache under
 * its own name and synced, and its cached pages are dropped before each read.
 * In direct mode the header has 4096 bytes, so that the payload is aligned;
 * the file appears whole, with O_DIRECT and several requests in flight.
 */
#include "core/err.h"
#include "core/kv_record.h"
#include "datagen/ckpt_content.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/loop.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_piece;
struct kv_stream;

struct kv_pool {
	const struct kv_config *config;
	struct engine *engine;
	struct loop *loop;
	struct store *store;
	const struct ckpt_content *content; /* NULL: a catalog */
	/* the rest is its own */
	struct kv_piece *ios, *free_ios;
	struct kv_stream *waiting, **waiting_tail;
	bool stopped, granting;
	uint32_t active; /* streams that move a file */
};

/* Takes buffers first ... first + count - 1, of config->request_bytes. */
int kv_pool_open(struct kv_pool *p, const struct buffers *buffers,
	uint32_t first, uint32_t count, struct err *e);
void kv_pool_close(struct kv_pool *p);

struct kv_stream {
	struct kv_pool *pool;
	struct loop_task *task; /* made ready when something happened */
	/* bytes that have come are added here */
	uint64_t *read_bytes, *written_bytes, *verified_bytes;
	/* of the file that was moved last */
	int64_t device_ns, host_ns;
	/* its own */
	enum { KV_STREAM_IDLE, KV_STREAM_READ, KV_STREAM_WRITE,
		KV_STREAM_SYNC, KV_STREAM_DONE } phase;
	struct store_file file;
	struct engine_op sync;
	const struct kv_model *model;
	uint64_t id, content_key, tokens, size_bytes, next_offset;
	uint32_t in_flight, rest_bytes;
	uint64_t rest_offset;
	uint8_t rest[4096];
	int64_t start_ns, copied_ns, wrote_ns;
	bool queued; /* for a buffer */
	struct kv_stream *next;
	bool failed;
	struct err error;
};

uint32_t kv_header_bytes(const struct kv_config *c);

/* Begin to move file id of an entry; step() until it is not 0. */
int kv_stream_write(struct kv_stream *s, uint64_t id, uint64_t content_key,
	uint64_t tokens, struct err *e);
int kv_stream_read(struct kv_stream *s, uint64_t id, uint64_t content_key,
	uint64_t tokens, struct err *e);

/* 1 = moved, 0 = not yet, or an error. */
int kv_stream_step(struct kv_stream *s, struct err *e);

/* Close what is open, once nothing of it is in flight. */
void kv_stream_close(struct kv_stream *s);

#endif
