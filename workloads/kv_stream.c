/* Moving the files of cache entries; see kv_stream.h. */
#include "workloads/kv_stream.h"

#include "datagen/npy.h"
#include "storage/dio_align.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT_HEADER_BYTES 4096

struct kv_piece {
	struct engine_op op;
	struct kv_stream *s;
	struct kv_piece *next;
	uint32_t want_bytes; /* of the file, without padding */
};

static void io_done(struct engine_op *op);

uint32_t kv_header_bytes(const struct kv_config *c)
{
	return c->io == KV_IO_DIRECT ? DIRECT_HEADER_BYTES : NPY_HEADER_BYTES;
}

static bool direct(const struct kv_stream *s)
{
	return s->pool->config->io == KV_IO_DIRECT;
}

static int64_t now_ns(const struct kv_stream *s)
{
	return clock_now(s->pool->loop->clock);
}

int kv_pool_open(struct kv_pool *p, const struct buffers *buffers,
	uint32_t first, uint32_t count, struct err *e)
{
	uint32_t i;

	p->free_ios = NULL;
	p->waiting = NULL;
	p->waiting_tail = &p->waiting;
	p->stopped = p->granting = false;
	p->active = 0;
	p->ios = calloc(count, sizeof(*p->ios));
	if (!p->ios)
		return err_nomem(e, "the I/O requests");
	for (i = count; i-- > 0;) {
		p->ios[i].op.buf = buffers_at(buffers, first + i);
		p->ios[i].op.buf_index = buffers->registered ? 0 : -1;
		p->ios[i].op.owner = &p->ios[i];
		p->ios[i].op.done = io_done;
		p->ios[i].next = p->free_ios;
		p->free_ios = &p->ios[i];
	}
	return 0;
}

void kv_pool_close(struct kv_pool *p)
{
	free(p->ios);
	p->ios = NULL;
}

static void changed(struct kv_stream *s)
{
	if (!s->pool->stopped)
		loop_ready(s->pool->loop, s->task);
}

static void fail(struct kv_stream *s, const struct err *e)
{
	if (!s->failed)
		s->error = *e;
	s->failed = true;
	changed(s);
}

#define SMALLER "--storage-capacity-gb keeps the cache smaller"

/* A write that stops short says nothing of why: is the drive full? */
static bool drive_is_full(const struct kv_stream *s, uint64_t rest_bytes)
{
	uint64_t free_bytes;
	struct err e;

	return !store_free_space(s->pool->store, &free_bytes, &e) &&
	       free_bytes < rest_bytes;
}

static void io_failed(struct kv_stream *s, const struct engine_op *op)
{
	bool write = op->opcode != ENGINE_READ;
	char path[4352];
	struct err e;

	store_label(s->pool->store, s->id, path, sizeof(path));
	if (write && op->result >= 0 &&
		drive_is_full(s, op->len_bytes - (uint64_t)op->result))
		err_set(&e, ERR_IO, -ENOSPC, "writing %s at offset %" PRIu64
			": %" PRId64 " of %u bytes written: no space left (by "
			"something else? " SMALLER ")", path, op->offset_bytes,
			op->result, op->len_bytes);
	else if (op->result < 0)
		err_set(&e, ERR_IO, (int)op->result, "%s %s at offset %" PRIu64
			": %s%s", write ? "writing" : "reading", path,
			op->offset_bytes, strerror((int)-op->result),
			op->result == -ENOSPC ? " (" SMALLER ")" : "");
	else
		err_set(&e, ERR_IO, -EIO, "%s %s at offset %" PRIu64 ": %" PRId64
			" of %u bytes moved; was the file cut, or another "
			"user's quota reached?", write ? "writing" : "reading",
			path, op->offset_bytes, op->result, op->len_bytes);
	fail(s, &e);
}

static bool submit(struct kv_stream *s, struct engine_op *op)
{
	int r = engine_submit(s->pool->engine, op);
	struct err e;

	if (!r)
		return true;
	err_set(&e, ERR_IO, r, "%s engine: request refused: %s",
		engine_name(s->pool->engine), strerror(-r));
	fail(s, &e);
	return false;
}

/* The file's header into buf, padded with blanks to its whole length. */
static void header(const struct kv_stream *s, uint8_t *buf)
{
	const struct kv_config *c = s->pool->config;
	uint32_t len = kv_header_bytes(c), dims;
	uint64_t shape[KV_MODEL_DIMS_MAX];

	dims = kv_model_shape(&c->model, s->tokens, shape);
	npy_build_header(buf, "<f2", shape, dims);
	if (len == NPY_HEADER_BYTES)
		return;
	buf[NPY_HEADER_BYTES - 1] = ' ';
	memset(buf + NPY_HEADER_BYTES, ' ', len - NPY_HEADER_BYTES);
	buf[len - 1] = '\n';
	buf[8] = (uint8_t)((len - 10) & 0xff);
	buf[9] = (uint8_t)((len - 10) >> 8);
}

/* Bytes of the piece at next_offset. */
static uint32_t piece_bytes(const struct kv_stream *s)
{
	const struct kv_config *c = s->pool->config;
	uint64_t left = s->size_bytes - s->next_offset;

	/* content is made in whole blocks of the payload */
	if (s->pool->content && s->phase == KV_STREAM_WRITE && !s->next_offset)
		return kv_header_bytes(c);
	return left < c->request_bytes ? (uint32_t)left : c->request_bytes;
}

/* How long the host copies so much into the page cache, where modelled. */
static int64_t copy_ns(const struct kv_stream *s, uint32_t bytes)
{
	uint64_t rate = s->pool->config->buffered_write_bytes_per_s;

	double slower = 1 + s->pool->config->buffered_contention *
				   (s->pool->active - 1);

	return rate ? (int64_t)((double)bytes * 1e9 / (double)rate * slower)
		    : 0;
}

static bool wants(const struct kv_stream *s)
{
	return !s->failed && s->next_offset < s->size_bytes &&
	       (s->phase == KV_STREAM_READ || s->phase == KV_STREAM_WRITE) &&
	       s->in_flight < s->pool->config->depth &&
	       (s->phase == KV_STREAM_READ || s->copied_ns <= now_ns(s));
}

static void fill(struct kv_stream *s, struct kv_piece *io)
{
	uint32_t head = kv_header_bytes(s->pool->config);

	if (!s->pool->content)
		return;
	if (!io->op.offset_bytes)
		header(s, io->op.buf);
	else
		ckpt_content_fill(s->pool->content, s->content_key,
			io->op.offset_bytes - head, io->op.buf, io->want_bytes);
}

/* Send the next piece of s, for which there is a buffer. */
static void send_piece(struct kv_stream *s)
{
	struct kv_pool *p = s->pool;
	struct kv_piece *io = p->free_ios;
	uint32_t len = piece_bytes(s);
	int64_t now = now_ns(s);

	p->free_ios = io->next;
	io->s = s;
	io->want_bytes = len;
	io->op.fd = s->file.fd;
	io->op.offset_bytes = s->next_offset;
	io->op.len_bytes = len;
	s->next_offset += len;
	if (s->phase == KV_STREAM_READ) {
		io->op.opcode = ENGINE_READ;
		if (direct(s))
			io->op.len_bytes = (len + s->file.align - 1) /
					   s->file.align * s->file.align;
	} else {
		io->op.opcode = ENGINE_WRITE;
		fill(s, io);
		if (s->next_offset < s->size_bytes)
			s->copied_ns = (s->copied_ns > now ? s->copied_ns
							   : now) +
				       copy_ns(s, piece_bytes(s));
		else
			s->wrote_ns = now;
		if (direct(s) && s->file.fd >= 0 && len % s->file.align) {
			s->rest_bytes = len % s->file.align;
			io->op.len_bytes -= s->rest_bytes;
			s->rest_offset =
				io->op.offset_bytes + io->op.len_bytes;
			memcpy(s->rest,
				(uint8_t *)io->op.buf + io->op.len_bytes,
				s->rest_bytes);
			io->want_bytes -= s->rest_bytes;
		}
	}
	s->in_flight++;
	if (io->op.len_bytes ? submit(s, &io->op) : false)
		return;
	s->in_flight--;
	io->next = p->free_ios;
	p->free_ios = io;
}

static void ask(struct kv_stream *s)
{
	struct kv_pool *p = s->pool;

	if (s->queued || !wants(s))
		return;
	s->queued = true;
	s->next = NULL;
	*p->waiting_tail = s;
	p->waiting_tail = &s->next;
}

/* One piece each in turn, while there are buffers. */
static void grant(struct kv_pool *p)
{
	struct kv_stream *s;

	while (!p->stopped && p->free_ios && (s = p->waiting)) {
		p->waiting = s->next;
		if (!p->waiting)
			p->waiting_tail = &p->waiting;
		s->queued = false;
		if (!wants(s))
			continue;
		send_piece(s);
		ask(s);
		/* the rest of a file alone sends nothing that would end */
		if (!s->in_flight)
			changed(s);
	}
}

static void check(struct kv_stream *s, const struct kv_piece *io)
{
	uint32_t head = kv_header_bytes(s->pool->config), skip = 0;
	uint64_t at = io->op.offset_bytes, bad;
	uint8_t want[DIRECT_HEADER_BYTES];
	char path[4352];
	struct err e;
	bool same = true;

	if (!s->pool->config->verify || !s->pool->content)
		return;
	if (!at) {
		header(s, want);
		same = !memcmp(want, io->op.buf, head);
		bad = 0;
		skip = head;
	}
	if (same && io->want_bytes > skip)
		same = ckpt_content_check(s->pool->content, s->content_key,
			at + skip - head, (uint8_t *)io->op.buf + skip,
			io->want_bytes - skip, &bad);
	*s->verified_bytes += io->want_bytes;
	if (same)
		return;
	err_set(&e, ERR_IO, -EBADMSG,
		"%s differs from what was written, at byte %" PRIu64
		" of its %s", store_label(s->pool->store, s->id, path,
			sizeof(path)), bad, at ? "payload" : "header or payload");
	fail(s, &e);
}

static void io_done(struct engine_op *op)
{
	struct kv_piece *io = op->owner;
	struct kv_stream *s = io->s;
	struct kv_pool *p = s->pool;

	s->in_flight--;
	if (op->result < (int64_t)io->want_bytes) {
		if (!p->stopped)
			io_failed(s, op);
	} else if (op->opcode == ENGINE_READ) {
		*s->read_bytes += io->want_bytes;
		if (!p->stopped)
			check(s, io);
	} else {
		*s->written_bytes += io->want_bytes;
	}
	io->next = p->free_ios;
	p->free_ios = io;
	ask(s);
	grant(p);
	if (s->failed || !s->in_flight)
		changed(s);
}

static void sync_done(struct engine_op *op)
{
	struct kv_stream *s = op->owner;
	struct err e;

	if (op->result < 0)
		io_failed(s, op);
	else if (direct(s) && !s->pool->stopped &&
		 store_commit(s->pool->store, &s->file, &e))
		fail(s, &e);
	s->in_flight--;
	s->phase = KV_STREAM_DONE;
	changed(s);
}

/* The end that is no whole block, then fsync. */
static int sync_file(struct kv_stream *s, struct err *e)
{
	struct engine_op op = {.opcode = ENGINE_WRITE,
		.len_bytes = s->rest_bytes,
		.offset_bytes = s->rest_offset};

	if (s->rest_bytes) {
		op.result = dio_write_rest(s->file.fd, s->rest, s->rest_bytes,
			s->rest_offset);
		if (op.result < (int64_t)s->rest_bytes) {
			io_failed(s, &op);
			*e = s->error;
			return e->code;
		}
		*s->written_bytes += s->rest_bytes;
	}
	/* the time until here is the host's, where the page cache takes it */
	if (!s->pool->config->buffered_write_bytes_per_s)
		s->wrote_ns = now_ns(s);
	s->phase = KV_STREAM_SYNC;
	memset(&s->sync, 0, sizeof(s->sync));
	s->sync.opcode = ENGINE_FSYNC;
	s->sync.fd = s->file.fd;
	s->sync.buf_index = -1;
	s->sync.done = sync_done;
	s->sync.owner = s;
	s->in_flight++;
	if (!submit(s, &s->sync)) {
		s->in_flight--;
		*e = s->error;
		return e->code;
	}
	return 0;
}

static void finish(struct kv_stream *s)
{
	int64_t now = now_ns(s);
	bool read = s->phase == KV_STREAM_READ;

	s->pool->active--;

	s->device_ns = now - s->start_ns;
	s->host_ns = 0;
	if (!read && !direct(s)) {
		s->device_ns = now - s->wrote_ns;
		s->host_ns = s->wrote_ns - s->start_ns;
	}
	store_close(s->pool->store, &s->file);
	s->file.fd = -1;
	s->phase = KV_STREAM_IDLE;
}

int kv_stream_step(struct kv_stream *s, struct err *e)
{
	int r;

	if (s->failed) {
		*e = s->error;
		return e->code;
	}
	ask(s);
	grant(s->pool);
	if (s->failed) {
		*e = s->error;
		return e->code;
	}
	if (s->phase == KV_STREAM_WRITE && s->next_offset < s->size_bytes &&
		!s->queued && s->in_flight < s->pool->config->depth) {
		loop_sleep(s->pool->loop, s->task, s->copied_ns);
		return 0;
	}
	if (s->in_flight || (s->phase != KV_STREAM_DONE &&
				    s->next_offset < s->size_bytes))
		return 0;
	if (s->phase == KV_STREAM_WRITE) {
		r = sync_file(s, e);
		if (r)
			return r;
		return 0;
	}
	finish(s);
	return 1;
}

static void begin(struct kv_stream *s, uint64_t id, uint64_t content_key,
	uint64_t tokens)
{
	const struct kv_config *c = s->pool->config;

	s->pool->active++;
	s->id = id;
	s->content_key = content_key;
	s->tokens = tokens;
	s->size_bytes = kv_header_bytes(c) + tokens * c->model.token_bytes;
	s->next_offset = 0;
	s->rest_bytes = 0;
	s->file.fd = -1;
	s->start_ns = s->wrote_ns = now_ns(s);
}

/* The store's texts speak of data sets. */
static int cannot_open(struct kv_stream *s, struct err *e)
{
	char path[4352];

	store_label(s->pool->store, s->id, path, sizeof(path));
	if (e->code == -ENOENT)
		return err_set(e, ERR_IO, -ENOENT,
			"%s is not there: was it, or its folder, removed "
			"during the run?", path);
	if (e->code == -ENOSPC)
		return err_wrap(e, SMALLER);
	if (e->code == -EBADMSG)
		return err_set(e, ERR_IO, -EBADMSG,
			"%s has not the %" PRIu64 " bytes that were written: "
			"was it cut during the run?", path, s->size_bytes);
	if (e->kind == ERR_ENV && e->code == -EINVAL)
		return err_set(e, ERR_ENV, -EINVAL,
			"direct I/O refused on %s; --io reference goes through "
			"the page cache", path);
	return e->code;
}

int kv_stream_write(struct kv_stream *s, uint64_t id, uint64_t content_key,
	uint64_t tokens, struct err *e)
{
	int r;

	begin(s, id, content_key, tokens);
	r = direct(s) ? store_create(s->pool->store, id, s->size_bytes, true,
				&s->file, e)
		      : store_overwrite(s->pool->store, id, s->size_bytes,
				&s->file, e);
	if (r)
		return cannot_open(s, e);
	s->phase = KV_STREAM_WRITE;
	s->copied_ns = s->start_ns + copy_ns(s, piece_bytes(s));
	return 0;
}

int kv_stream_read(struct kv_stream *s, uint64_t id, uint64_t content_key,
	uint64_t tokens, struct err *e)
{
	int r;

	begin(s, id, content_key, tokens);
	store_forget(s->pool->store, id);
	s->start_ns = now_ns(s);
	r = store_open(s->pool->store, id, direct(s), &s->file, e);
	if (r)
		return cannot_open(s, e);
	s->phase = KV_STREAM_READ;
	return 0;
}

void kv_stream_close(struct kv_stream *s)
{
	if (s->phase == KV_STREAM_IDLE)
		return;
	store_close(s->pool->store, &s->file);
	s->phase = KV_STREAM_IDLE;
}
