/* Moves checkpoint files; see ckpt_stream.h. */
#include "workloads/ckpt_stream.h"

#include "core/units.h"
#include "storage/dio_align.h"
#include "workloads/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The reference's readers, each with a part of the file and a descriptor. */
#define READERS 4

/* A request and its buffer. */
struct io {
	struct engine_op op;
	struct ckpt_stream *s;
	uint32_t reader;
	uint32_t want_bytes; /* without O_DIRECT's padding */
	struct io *next;
};

struct reader {
	struct store_file file;
	bool open;
	uint64_t next_offset, end_offset;
	uint32_t in_flight;
};

struct ckpt_stream {
	struct ckpt_stream_env env;
	const struct ckpt_config *c;
	bool direct;
	struct io *ios, *free_ios;
	uint32_t io_count;
	struct io *filled, **filled_tail; /* waits for its turn */
	enum { IDLE, WRITE, READ, SYNC, DONE } phase;
	uint64_t id, bytes;
	struct store_file file; /* that is written */
	uint64_t next_offset;
	uint32_t in_flight;
	struct reader readers[READERS];
	uint32_t reader_count;
	/* behind the last whole block, written without O_DIRECT */
	uint8_t rest[DIO_ALIGN_DEFAULT];
	uint32_t rest_bytes;
	struct engine_op sync;
	int64_t sync_from_ns;
	struct ckpt_stream_totals totals;
	bool stopped, failed;
	struct err error;
};

static int64_t now_ns(const struct ckpt_stream *s)
{
	return clock_now(s->env.engine->clock);
}

static void fail(struct ckpt_stream *s, const struct err *e)
{
	if (!s->failed)
		s->error = *e;
	s->failed = s->stopped = true;
	s->env.changed(s->env.ctx);
}

static void io_failed(
	struct ckpt_stream *s, const struct engine_op *op, const char *doing)
{
	char path[4352];
	struct err e;

	store_label(s->env.store, s->id, path, sizeof(path));
	if (op->result < 0)
		err_set(&e, ERR_IO, (int)op->result,
			"%s %s at offset %" PRIu64 " (%u bytes): %s", doing,
			path, op->offset_bytes, op->len_bytes,
			strerror((int)-op->result));
	else
		err_set(&e, ERR_IO,
			op->opcode == ENGINE_READ ? -ENODATA : -ENOSPC,
			"%s %s: only %" PRId64 " of %u bytes at offset %" PRIu64
			" were moved; %s", doing, path, op->result,
			op->len_bytes, op->offset_bytes,
			op->opcode == ENGINE_READ
				? "was it changed during the run?"
				: "is the file system full?");
	fail(s, &e);
}

static int submit(struct ckpt_stream *s, struct engine_op *op)
{
	int r = engine_submit(s->env.engine, op);
	struct err e;

	if (!r)
		return 0;
	err_set(&e, ERR_IO, r, "%s engine: request refused: %s",
		engine_name(s->env.engine), strerror(-r));
	fail(s, &e);
	return r;
}

static void give_back(struct ckpt_stream *s, struct io *io)
{
	io->next = s->free_ios;
	s->free_ios = io;
}

static struct io *take_free(struct ckpt_stream *s)
{
	struct io *io = s->free_ios;

	if (io)
		s->free_ios = io->next;
	return io;
}

static void send_filled(struct ckpt_stream *s)
{
	struct io *io;

	while (!s->stopped && s->in_flight < s->c->write_depth &&
		(io = s->filled)) {
		s->filled = io->next;
		if (!s->filled)
			s->filled_tail = &s->filled;
		s->in_flight++;
		if (submit(s, &io->op)) {
			s->in_flight--;
			give_back(s, io);
		}
	}
}

static void sync_done(struct engine_op *op)
{
	struct ckpt_stream *s = op->owner;
	struct err e;

	s->totals.sync_ns += engine_seen_ns(s->env.engine) - s->sync_from_ns;
	if (op->result < 0) {
		io_failed(s, op, "syncing");
		return;
	}
	if (s->direct && store_commit(s->env.store, &s->file, &e)) {
		fail(s, &e);
		return;
	}
	store_close(s->env.store, &s->file);
	s->phase = DONE;
	s->env.changed(s->env.ctx);
}

/* All writes have ended: the rest that is no whole block, then the fsync. */
static void finish_file(struct ckpt_stream *s)
{
	struct engine_op op = {.opcode = ENGINE_WRITE,
		.len_bytes = s->rest_bytes,
		.offset_bytes = s->bytes - s->rest_bytes};

	if (s->rest_bytes) {
		op.result = dio_write_rest(s->file.fd, s->rest, s->rest_bytes,
			op.offset_bytes);
		if (op.result < (int64_t)s->rest_bytes) {
			io_failed(s, &op, "writing");
			return;
		}
		s->totals.bytes += s->rest_bytes;
	}
	s->phase = SYNC;
	s->sync.opcode = ENGINE_FSYNC;
	s->sync.fd = s->file.fd;
	s->sync.offset_bytes = 0;
	s->sync.len_bytes = 0;
	s->sync.done = sync_done;
	s->sync.owner = s;
	s->sync_from_ns = now_ns(s);
	submit(s, &s->sync);
}

static void write_done(struct io *io)
{
	struct ckpt_stream *s = io->s;
	const struct engine_op *op = &io->op;

	s->in_flight--;
	give_back(s, io);
	if (s->stopped)
		return;
	if (op->result < (int64_t)op->len_bytes) {
		io_failed(s, op, "writing");
		return;
	}
	s->totals.bytes += op->len_bytes;
	if (!s->direct && op->fd >= 0)
		posix_fadvise(op->fd, (off_t)op->offset_bytes,
			(off_t)op->len_bytes, POSIX_FADV_DONTNEED);
	send_filled(s);
	if (!s->stopped && !s->in_flight && !s->filled &&
		s->next_offset == s->bytes)
		finish_file(s);
	s->env.changed(s->env.ctx);
}

/* Compare what was read; what is made for that counts as made content. */
static bool check(struct ckpt_stream *s, const struct io *io)
{
	int64_t from_ns;
	char path[4352];
	uint64_t bad;
	struct err e;
	bool same;

	if (!s->c->verify || !s->env.content)
		return true;
	from_ns = now_ns(s);
	same = ckpt_content_check(s->env.content, s->id, io->op.offset_bytes,
		io->op.buf, io->want_bytes, &bad);
	s->totals.fill_ns += now_ns(s) - from_ns;
	s->totals.verified_bytes += io->want_bytes;
	if (same)
		return true;
	err_set(&e, ERR_IO, -EBADMSG,
		"%s differs from what was saved at offset %" PRIu64
		" (content of --seed %" PRIu64 ")",
		store_label(s->env.store, s->id, path, sizeof(path)), bad,
		s->c->seed);
	fail(s, &e);
	return false;
}

static void read_done(struct io *io)
{
	struct ckpt_stream *s = io->s;
	const struct engine_op *op = &io->op;

	s->in_flight--;
	s->readers[io->reader].in_flight--;
	give_back(s, io);
	if (s->stopped)
		return;
	if (op->result < (int64_t)io->want_bytes) {
		io_failed(s, op, "reading");
		return;
	}
	if (!check(s, io))
		return;
	s->totals.bytes += io->want_bytes;
	if (!s->direct && op->fd >= 0)
		posix_fadvise(op->fd, (off_t)op->offset_bytes,
			(off_t)io->want_bytes, POSIX_FADV_DONTNEED);
	s->env.changed(s->env.ctx);
}

static void io_done(struct engine_op *op)
{
	struct io *io = op->owner;

	if (op->opcode == ENGINE_WRITE)
		write_done(io);
	else
		read_done(io);
}

/* The bytes of a piece, no faster than they may be made. */
static void fill_piece(struct ckpt_stream *s, struct io *io, uint32_t len)
{
	uint64_t most = s->c->limit_fill_bytes_per_s;
	int64_t from_ns = now_ns(s), left_ns;
	struct timespec ts;

	ckpt_content_fill(
		s->env.content, s->id, s->next_offset, io->op.buf, len);
	if (most) {
		left_ns = from_ns + (int64_t)((double)len * 1e9 / (double)most) -
			  now_ns(s);
		ts.tv_sec = left_ns > 0 ? left_ns / NS_PER_S : 0;
		ts.tv_nsec = left_ns > 0 ? left_ns % NS_PER_S : 0;
		nanosleep(&ts, NULL);
	}
	s->totals.fill_ns += now_ns(s) - from_ns;
}

/* Make the next piece of the file and send it; there is a free buffer. */
static void write_piece(struct ckpt_stream *s)
{
	struct io *io = take_free(s);
	uint64_t left = s->bytes - s->next_offset;
	uint32_t len = (uint32_t)(left < s->c->write_bytes ? left
							   : s->c->write_bytes);

	if (s->env.content)
		fill_piece(s, io, len);
	io->op.opcode = ENGINE_WRITE;
	io->op.fd = s->file.fd;
	io->op.offset_bytes = s->next_offset;
	io->op.len_bytes = len;
	s->next_offset += len;
	if (s->direct && s->file.fd >= 0 && len % s->file.align) {
		s->rest_bytes = len % s->file.align;
		io->op.len_bytes -= s->rest_bytes;
		memcpy(s->rest, (uint8_t *)io->op.buf + io->op.len_bytes,
			s->rest_bytes);
	}
	if (!io->op.len_bytes) {
		give_back(s, io);
		if (!s->in_flight && !s->filled)
			finish_file(s);
		return;
	}
	io->next = NULL;
	*s->filled_tail = io;
	s->filled_tail = &io->next;
	send_filled(s);
}

/* Ask for the next range of reader k; false if it has none or may not. */
static bool read_piece(struct ckpt_stream *s, uint32_t k)
{
	struct reader *r = &s->readers[k];
	uint64_t left = r->end_offset - r->next_offset, len;
	struct io *io = left ? take_free(s) : NULL;

	if (!io)
		return false;
	io->want_bytes = (uint32_t)(left < s->c->read_bytes
					    ? left
					    : s->c->read_bytes);
	len = io->want_bytes;
	if (s->direct)
		len = (len + r->file.align - 1) / r->file.align *
		      r->file.align;
	io->reader = k;
	io->op.opcode = ENGINE_READ;
	io->op.fd = r->file.fd;
	io->op.offset_bytes = r->next_offset;
	io->op.len_bytes = (uint32_t)len;
	r->next_offset += io->want_bytes;
	r->in_flight++;
	s->in_flight++;
	if (submit(s, &io->op)) {
		r->in_flight--;
		s->in_flight--;
		give_back(s, io);
		return false;
	}
	return true;
}

/* Each reader has one request out, the only one of direct mode many. */
static void read_more(struct ckpt_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->reader_count; i++)
		while (!s->stopped &&
			s->readers[i].in_flight < s->c->read_depth &&
			read_piece(s, i))
			;
}

static void close_readers(struct ckpt_stream *s)
{
	uint32_t i;

	for (i = 0; i < s->reader_count; i++)
		if (s->readers[i].open)
			store_close(s->env.store, &s->readers[i].file);
	s->reader_count = 0;
}

int ckpt_stream_step(struct ckpt_stream *s, struct err *e)
{
	uint32_t i;
	bool all = true;

	if (s->failed) {
		*e = s->error;
		return e->code;
	}
	if (s->phase == WRITE && s->next_offset < s->bytes && s->free_ios) {
		write_piece(s);
		if (!s->failed && s->phase == WRITE &&
			s->next_offset < s->bytes && s->free_ios)
			return -EAGAIN;
	} else if (s->phase == READ) {
		read_more(s);
		for (i = 0; i < s->reader_count; i++)
			all &= s->readers[i].next_offset ==
			       s->readers[i].end_offset;
		if (!s->failed && all && !s->in_flight) {
			close_readers(s);
			s->phase = DONE;
		}
	}
	if (s->failed) {
		*e = s->error;
		return e->code;
	}
	return s->phase == DONE;
}

/* The store's texts speak of data sets. */
static int cannot_open(struct ckpt_stream *s, struct err *e)
{
	char path[4352];

	store_label(s->env.store, s->id, path, sizeof(path));
	if (e->code == -ENOENT)
		return err_set(e, ERR_IO, -ENOENT,
			"there is no %s: this checkpoint was not saved, or by "
			"another number of ranks", path);
	if (e->kind == ERR_ENV && e->code == -EINVAL)
		return err_set(e, ERR_ENV, -EINVAL,
			"direct I/O refused on %s; --io reference goes through "
			"the page cache", path);
	return e->code;
}

static int open_readers(struct ckpt_stream *s, struct err *e)
{
	uint32_t n = s->direct ? 1 : READERS, i;
	uint64_t part = (s->bytes + n - 1) / n;
	struct reader *r;
	char path[4352];

	for (i = 0; i < n; i++) {
		r = &s->readers[i];
		r->open = false;
		r->in_flight = 0;
		s->reader_count = i + 1;
		if (store_open(s->env.store, s->id, s->direct, &r->file, e))
			return cannot_open(s, e);
		r->open = true;
		if (r->file.size_bytes != s->bytes)
			return err_set(e, ERR_IO, -EBADMSG,
				"%s has %" PRIu64 " bytes and should have %"
				PRIu64 ": not saved to its end, or with "
				"another model, scale or number of ranks",
				store_label(s->env.store, s->id, path,
					sizeof(path)),
				r->file.size_bytes, s->bytes);
		if (!s->direct && r->file.fd >= 0)
			posix_fadvise(r->file.fd, 0, 0, POSIX_FADV_RANDOM);
		r->next_offset = part * i < s->bytes ? part * i : s->bytes;
		r->end_offset = part * (i + 1) < s->bytes ? part * (i + 1)
							  : s->bytes;
	}
	return 0;
}

int ckpt_stream_begin(struct ckpt_stream *s, uint64_t id, uint64_t bytes,
	bool load, struct err *e)
{
	int r;

	s->id = id;
	s->bytes = bytes;
	s->next_offset = 0;
	s->rest_bytes = 0;
	s->phase = load ? READ : WRITE;
	if (load) {
		r = open_readers(s, e);
		if (r)
			close_readers(s);
		return r;
	}
	r = store_make_folder(s->env.store, id, e);
	if (!r)
		r = s->direct ? store_create(s->env.store, id, bytes, true,
					&s->file, e)
			      : store_overwrite(s->env.store, id, bytes,
					&s->file, e);
	return r ? cannot_open(s, e) : 0;
}

void ckpt_stream_get_totals(
	const struct ckpt_stream *s, struct ckpt_stream_totals *t)
{
	*t = s->totals;
}

void ckpt_stream_stop(struct ckpt_stream *s)
{
	if (s)
		s->stopped = true;
}

int ckpt_stream_open(const struct ckpt_stream_env *env,
	struct ckpt_stream **out, struct err *e)
{
	struct ckpt_stream *s = calloc(1, sizeof(*s));
	uint32_t i;

	if (!s)
		return err_nomem(e, "a checkpoint stream");
	s->env = *env;
	s->c = env->config;
	s->direct = s->c->io == CKPT_IO_DIRECT;
	s->filled_tail = &s->filled;
	s->file.fd = -1;
	s->io_count = checkpoint_buffers(s->c);
	s->ios = calloc(s->io_count, sizeof(*s->ios));
	if (!s->ios) {
		free(s);
		return err_nomem(e, "a checkpoint stream");
	}
	for (i = s->io_count; i-- > 0;) {
		struct io *io = &s->ios[i];

		io->s = s;
		io->op.buf = buffers_at(env->buffers, env->first_buffer + i);
		io->op.buf_index = env->buffers->registered ? 0 : -1;
		io->op.done = io_done;
		io->op.owner = io;
		give_back(s, io);
	}
	*out = s;
	return 0;
}

void ckpt_stream_close(struct ckpt_stream *s)
{
	if (!s)
		return;
	close_readers(s);
	store_close(s->env.store, &s->file);
	free(s->ios);
	free(s);
}
