/*
 * Reads files one after another through stoker's own engine, buffers and
 * store, with a fixed number of requests in flight, and does nothing else:
 * what the I/O path costs without a workload on top.
 *
 *	read_engine ENGINE DEPTH REQUEST_BYTES LOOPS MAX_BYTES DIR FILE...
 *
 * MAX_BYTES ends it early (0 = all). Prints "bytes seconds engine pages".
 */
#include "core/units.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_file {
	struct store_file f;
	uint32_t in_flight;
	bool read; /* to its end: nothing more will be asked for */
};

struct io {
	struct engine_op op;
	struct open_file *file;
	uint32_t want_bytes;
	struct io *next;
};

struct reading {
	struct store store;
	struct engine *engine;
	char **names;
	uint64_t files, opened, todo; /* todo: files x loops */
	uint64_t max_bytes, asked_bytes, got_bytes;
	uint32_t request_bytes;
	struct open_file *open; /* the one requests are made for */
	uint64_t offset;
	struct io *ios, *free_ios;
	int error;
};

static int name_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	const struct reading *r = ctx;
	int n = snprintf(buf, buf_bytes, "%s/%s", r->store.root,
		r->names[i % r->files]);

	return n > 0 && (size_t)n < buf_bytes ? 0 : -ENAMETOOLONG;
}

static void leave(struct reading *r, struct open_file *file)
{
	if (!file->read || file->in_flight)
		return;
	store_close(&r->store, &file->f);
	free(file);
}

static void io_done(struct engine_op *op)
{
	struct io *io = (struct io *)op;
	struct reading *r = op->owner;

	if (op->result < (int64_t)io->want_bytes)
		r->error = op->result < 0 ? (int)op->result : -ENODATA;
	else
		r->got_bytes += io->want_bytes;
	io->next = r->free_ios;
	r->free_ios = io;
	io->file->in_flight--;
	leave(r, io->file);
}

/* Hand in one request; 0, or 1 when all has been asked for. */
static int submit_next(struct reading *r, struct err *e)
{
	struct io *io = r->free_ios;
	struct open_file *file = r->open;
	uint64_t left;
	int err;

	if (r->max_bytes && r->asked_bytes >= r->max_bytes)
		return 1;
	if (!file) {
		if (r->opened == r->todo)
			return 1;
		file = calloc(1, sizeof(*file));
		if (!file)
			return err_nomem(e, "a file");
		err = store_open(&r->store, r->opened++, true, &file->f, e);
		if (err)
			return err;
		r->open = file;
		r->offset = 0;
	}
	left = file->f.size_bytes - r->offset;
	io->want_bytes =
		(uint32_t)(left < r->request_bytes ? left : r->request_bytes);
	io->file = file;
	io->op.fd = file->f.fd;
	io->op.offset_bytes = r->offset;
	io->op.len_bytes = (io->want_bytes + 4095u) / 4096u * 4096u;
	r->free_ios = io->next;
	r->offset += io->want_bytes;
	r->asked_bytes += io->want_bytes;
	file->in_flight++;
	if (r->offset == file->f.size_bytes) {
		file->read = true;
		r->open = NULL;
	}
	return engine_submit(r->engine, &io->op);
}

static int read_all(struct reading *r, struct err *e)
{
	bool more = true;
	int err = 0;

	while (!err && !r->error && (more || r->engine->in_flight)) {
		while (!err && more && r->free_ios) {
			err = submit_next(r, e);
			if (err == 1) {
				more = false;
				err = 0;
			}
		}
		if (!err && r->engine->in_flight)
			err = engine_wait(r->engine, CLOCK_NEVER, e);
	}
	if (!err && r->error)
		err = err_set(e, ERR_IO, r->error, "a read failed: %s",
			strerror(-r->error));
	return err;
}

static int prepare(struct reading *r, struct buffers *b, struct clock *c,
	struct engine_spec *s, struct err *e)
{
	char why[512];
	uint32_t i;
	int err;

	clock_start(c, false);
	err = engine_open(s, c, &r->engine, why, sizeof(why), e);
	if (!err)
		err = buffers_init(
			b, r->engine, s->depth, r->request_bytes, true, e);
	if (err)
		return err;
	r->ios = calloc(s->depth, sizeof(*r->ios));
	if (!r->ios)
		return err_nomem(e, "the requests");
	for (i = s->depth; i-- > 0;) {
		struct io *io = &r->ios[i];

		io->op.opcode = ENGINE_READ;
		io->op.buf = buffers_at(b, i);
		io->op.buf_index = b->registered ? 0 : -1;
		io->op.done = io_done;
		io->op.owner = r;
		io->next = r->free_ios;
		r->free_ios = io;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct engine_spec s = {.kind = ENGINE_AUTO};
	struct reading r = {.files = 0};
	struct store_namer namer = {.ctx = &r, .path = name_path};
	struct buffers b;
	struct clock c;
	struct err e;
	int64_t from_ns;

	if (argc < 8) {
		fprintf(stderr, "usage: read_engine ENGINE DEPTH "
				"REQUEST_BYTES LOOPS MAX_BYTES DIR FILE...\n");
		return 2;
	}
	if (!strcmp(argv[1], "uring"))
		s.kind = ENGINE_URING;
	else if (!strcmp(argv[1], "pread"))
		s.kind = ENGINE_PREAD;
	s.depth = (uint32_t)strtoul(argv[2], NULL, 10);
	s.dir = argv[6];
	r.request_bytes = (uint32_t)strtoul(argv[3], NULL, 10);
	r.max_bytes = strtoull(argv[5], NULL, 10);
	r.names = argv + 7;
	r.files = (uint64_t)argc - 7;
	r.todo = r.files * strtoull(argv[4], NULL, 10);
	store_posix_init(&r.store, argv[6], &namer);
	if (prepare(&r, &b, &c, &s, &e))
		goto failed;
	from_ns = clock_now(&c);
	if (read_all(&r, &e))
		goto failed;
	printf("%llu %.6f %s %s%s\n", (unsigned long long)r.got_bytes,
		(double)(clock_now(&c) - from_ns) / (double)NS_PER_S,
		engine_name(r.engine), b.huge ? "huge" : "4KiB",
		b.registered ? ",registered" : "");
	engine_close(r.engine);
	buffers_fini(&b);
	free(r.ios);
	return 0;
failed:
	fprintf(stderr, "read_engine: %s\n", e.text);
	return 4;
}
