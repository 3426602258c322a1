/* Writing index files; see vdb_writer.h. */
#include "plan/vdb_writer.h"

#include "core/units.h"
#include "storage/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH VDB_WRITER_DEPTH
#define CHUNK_BYTES MIB_BYTES

static void chunk_done(struct engine_op *op)
{
	struct vdb_chunk *c = op->owner;

	c->busy = false;
	c->w->in_flight--;
	if (op->opcode == ENGINE_WRITE && op->result != op->len_bytes &&
		!c->w->bad)
		c->w->bad = op->result < 0 ? op->result : -ENOSPC;
	if (op->opcode == ENGINE_FSYNC && op->result < 0 && !c->w->bad)
		c->w->bad = op->result;
}

static int hand_in(struct vdb_writer *w, struct vdb_chunk *c, struct err *e)
{
	int r;

	c->w = w;
	c->busy = true;
	c->op.done = chunk_done;
	c->op.owner = c;
	w->in_flight++;
	r = engine_submit(w->engine, &c->op);
	if (!r)
		return 0;
	w->in_flight--;
	c->busy = false;
	return err_set(e, ERR_IO, r, "cannot hand in a write: %s",
		strerror(-r));
}

/* The header and the first chunk go alone: all others are of one length. */
static uint64_t chunk_end(const struct vdb_writer *w, uint64_t offset)
{
	uint64_t end = offset ? offset + w->chunk_bytes : VDB_SECTOR_BYTES;
	uint64_t size = w->layout->file_bytes;

	return end < size ? end : size;
}

/* What the file will be checked with. */
static void add_sums(
	struct vdb_writer *w, uint64_t at, const uint8_t *buf, uint64_t end)
{
	const struct vdb_layout *l = w->layout;

	for (; w->sums && at && at < end;
		at += l->read_bytes, buf += l->read_bytes)
		w->sums->items[vdb_sum_number(l, at)] = vdb_sum(l, at, buf);
}

static int write_all(struct vdb_writer *w, const struct store_file *f,
	struct err *e)
{
	uint64_t at = 0, size = w->layout->file_bytes, end;
	struct vdb_chunk *c;
	uint32_t i;
	int r = 0;

	while (!r && !w->bad && (at < size || w->in_flight)) {
		for (i = 0; !r && i < DEPTH && at < size; i++) {
			c = &w->chunks[i];
			if (c->busy)
				continue;
			end = chunk_end(w, at);
			memset(&c->op, 0, sizeof(c->op));
			c->op.opcode = ENGINE_WRITE;
			c->op.fd = f->fd;
			c->op.buf = buffers_at(&w->buffers, i);
			c->op.buf_index = w->buffers.registered ? 0 : -1;
			c->op.offset_bytes = at;
			c->op.len_bytes = (uint32_t)(end - at);
			w->fill(w->ctx, at, c->op.buf, end - at);
			add_sums(w, at, c->op.buf, end);
			r = hand_in(w, c, e);
			at = end;
			if (!r && i % 4 == 3) /* let the drive begin */
				r = engine_wait(w->engine, 0, e);
		}
		if (!r && loop_interrupted)
			r = err_set(e, ERR_IO, -EINTR, "interrupted");
		if (!r)
			r = engine_wait(w->engine, CLOCK_NEVER, e);
	}
	return r;
}

static int sync_file(struct vdb_writer *w, const struct store_file *f,
	struct err *e)
{
	struct vdb_chunk *c = &w->chunks[0];
	int r;

	memset(&c->op, 0, sizeof(c->op));
	c->op.opcode = ENGINE_FSYNC;
	c->op.fd = f->fd;
	r = hand_in(w, c, e);
	while (!r && w->in_flight)
		r = engine_wait(w->engine, CLOCK_NEVER, e);
	return r;
}

int vdb_writer_write(struct vdb_writer *w, uint32_t i,
	const struct vdb_layout *layout,
	void (*fill)(const void *ctx, uint64_t offset_bytes, void *buf,
		uint64_t len_bytes),
	const void *ctx, struct vdb_bin *sums, struct err *e)
{
	struct store_file f;
	char path[4352];
	struct err e2;
	int r;

	w->layout = layout;
	w->fill = fill;
	w->ctx = ctx;
	w->sums = sums;
	if (sums) {
		sums->count = (uint32_t)vdb_sum_count(layout);
		sums->items = malloc(sums->count * sizeof(*sums->items));
		if (!sums->items)
			return err_nomem(e, "the sums of a segment");
	}
	w->chunk_bytes = (uint32_t)(CHUNK_BYTES / layout->read_bytes *
				    layout->read_bytes);
	if (!w->chunk_bytes)
		w->chunk_bytes = layout->read_bytes;
	r = store_create(&w->store, i, layout->file_bytes, true, &f, e);
	if (r)
		return r;
	w->bad = 0;
	r = write_all(w, &f, e);
	while (w->in_flight && !engine_wait(w->engine, CLOCK_NEVER, &e2))
		;
	if (!r && !w->bad)
		r = sync_file(w, &f, e);
	if (!r && w->bad)
		r = err_set(e, ERR_IO, (int)w->bad, "writing %s failed: %s",
			store_label(&w->store, i, path, sizeof(path)),
			strerror((int)-w->bad));
	if (!r)
		r = store_commit(&w->store, &f, e);
	store_close(&w->store, &f);
	return r;
}

int vdb_writer_open(struct vdb_writer *w, const struct engine_spec *spec,
	struct clock *clock, uint32_t most_bytes, struct err *e)
{
	struct engine_spec x = *spec;
	char why[512];
	int r;

	x.depth = DEPTH;
	r = engine_open(&x, clock, &w->engine, why, sizeof(why), e);
	return r ? r
		 : buffers_init(&w->buffers, w->engine, DEPTH,
			   most_bytes > CHUNK_BYTES ? most_bytes : CHUNK_BYTES,
			   true, e);
}

void vdb_writer_close(struct vdb_writer *w)
{
	if (w->in_flight)
		return; /* what never returned keeps its memory */
	buffers_fini(&w->buffers);
	if (w->engine)
		engine_close(w->engine);
}
