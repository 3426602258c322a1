/* The data set writer; see generate.h. */
#include "datagen/generate.h"

#include "storage/dio_align.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DIRECT_ALIGN 4096ULL
/* One gets its chunks, the others end and are synced: a sync takes long and
 * several together little longer (1.15 times the rate of 3 here). */
#define FILES_AT_ONCE 16

/* A chunk's request and its buffer. */
struct chunk {
	struct engine_op op;
	struct slot *slot;
	struct chunk *next;
};

/* A file in work. */
struct slot {
	struct generator *g;
	bool busy;
	uint64_t index;
	struct store_file file;
	struct format_shape shape;
	uint64_t payload_at, payload_end; /* file offsets */
	struct content_stream content;
	uint32_t crc32;
	uint64_t next_offset; /* of the chunk to make */
	uint32_t in_flight;
	/* the first chunk is written last: its head holds the CRC */
	struct chunk *first;
	uint8_t *tail; /* what lies behind the payload */
	/* what lies behind the last whole block, written without O_DIRECT */
	uint8_t rest[DIRECT_ALIGN];
	uint32_t rest_bytes;
	struct engine_op sync;
};

struct generator {
	struct loop_task task;
	struct generate_config c;
	const struct dataset_format *format;
	struct store *store;
	struct loop *loop;
	struct slot slots[FILES_AT_ONCE];
	struct chunk chunks[GENERATE_BUFFERS], *free_chunks;
	uint64_t next_file;
	struct generate_progress progress;
	bool failed;
	struct err error;
};

bool generate_is_present(struct store *s, const struct dataset_layout *l,
	struct dataset_dims d, uint64_t i, const struct content_key *key,
	uint32_t *crc32)
{
	const struct dataset_format *fmt = dataset_format(l);
	struct format_shape shape = dataset_shape(l, d);
	struct content_key k = *key;
	uint64_t size, at, end;
	struct store_file f;
	uint8_t head[4096];
	ssize_t n;

	*crc32 = 0;
	if (store_stat(s, i, &size) || size != format_file_bytes(fmt, &shape))
		return false;
	if (store_open(s, i, false, &f, NULL))
		return false;
	n = pread(f.fd, head, sizeof(head), 0);
	store_close(s, &f);
	if (n < (ssize_t)(size < sizeof(head) ? size : sizeof(head)))
		return false;
	if (fmt->check_head &&
		fmt->check_head(head, (size_t)n, &shape, crc32, NULL))
		return false;
	at = fmt->head_bytes;
	end = at + format_payload_bytes(&shape);
	if (end > (uint64_t)n)
		end = (uint64_t)n;
	k.file = i;
	k.head_bytes = fmt->head_bytes;
	return end <= at || content_check(&k, 0, head + at, end - at, NULL);
}

static void fail(struct generator *g, const struct err *e)
{
	if (!g->failed) {
		g->failed = true;
		g->error = *e;
	}
	loop_ready(g->loop, &g->task);
}

static void io_failed(
	struct slot *s, const struct engine_op *op, const char *doing)
{
	char path[4352];
	struct err e;

	store_label(s->g->store, s->index, path, sizeof(path));
	if (op->result < 0)
		err_set(&e, ERR_IO, (int)op->result, "%s %s.part: %s", doing,
			path, strerror((int)-op->result));
	else
		err_set(&e, ERR_IO, -ENOSPC,
			"%s %s.part: only %" PRId64 " of %u bytes at offset "
			"%" PRIu64 " were written; is the file system full?",
			doing, path, op->result, op->len_bytes,
			op->offset_bytes);
	fail(s->g, &e);
}

static void sync_done(struct engine_op *op)
{
	struct slot *s = op->owner;
	struct generator *g = s->g;
	struct err e;

	if (op->result < 0) {
		io_failed(s, op, "syncing");
		return;
	}
	if (store_commit(g->store, &s->file, &e)) {
		fail(g, &e);
		return;
	}
	store_close(g->store, &s->file);
	g->c.crc32[s->index] = s->crc32;
	g->progress.files_done++;
	s->busy = false;
	loop_ready(g->loop, &g->task);
}

static void write_rest(struct slot *s)
{
	uint64_t at = s->file.size_bytes - s->rest_bytes;
	struct engine_op op = {.len_bytes = s->rest_bytes, .offset_bytes = at};

	if (!s->rest_bytes)
		return;
	op.result = dio_write_rest(s->file.fd, s->rest, s->rest_bytes, at);
	if (op.result < (int64_t)s->rest_bytes)
		io_failed(s, &op, "writing");
	else
		s->g->progress.bytes_done += s->rest_bytes;
}

/* All direct writes have ended. */
static void finish_file(struct slot *s)
{
	struct generator *g = s->g;
	struct err e;

	write_rest(s);
	if (g->failed)
		return;
	s->sync.opcode = ENGINE_FSYNC;
	s->sync.fd = s->file.fd;
	s->sync.done = sync_done;
	s->sync.owner = s;
	if (engine_submit(g->loop->engine, &s->sync)) {
		err_set(&e, ERR_IO, -EAGAIN, "the engine refuses an fsync");
		fail(g, &e);
	}
}

static void give_back(struct generator *g, struct chunk *c)
{
	c->next = g->free_chunks;
	g->free_chunks = c;
}

static void chunk_done(struct engine_op *op)
{
	struct chunk *c = op->owner;
	struct slot *s = c->slot;
	struct generator *g = s->g;

	s->in_flight--;
	give_back(g, c);
	if (op->result < (int64_t)op->len_bytes) {
		io_failed(s, op, "writing");
		return;
	}
	g->progress.bytes_done += op->len_bytes;
	if (!g->failed && !s->in_flight && !s->first &&
		s->next_offset >= s->file.size_bytes)
		finish_file(s);
	loop_ready(g->loop, &g->task);
}

static void submit(struct slot *s, struct chunk *c)
{
	struct generator *g = s->g;
	struct err e;

	s->in_flight++;
	if (engine_submit(g->loop->engine, &c->op)) {
		s->in_flight--;
		err_set(&e, ERR_IO, -EAGAIN, "the engine refuses a write");
		fail(g, &e);
	}
}

/* Fill the chunk's part of head (left open), payload and tail. */
static void fill(struct slot *s, uint8_t *buf, uint64_t from, uint64_t to)
{
	const struct dataset_format *f = s->g->format;
	uint64_t a = from, b;
	struct err e;

	if (a < s->payload_at) {
		b = to < s->payload_at ? to : s->payload_at;
		memset(buf, 0, b - a);
		a = b;
	}
	if (a < s->payload_end && a < to) {
		b = to < s->payload_end ? to : s->payload_end;
		content_stream_read(&s->content, buf + (a - from), b - a);
		if (f->has_crc)
			s->crc32 = f->crc_update(
				s->crc32, buf + (a - from), b - a);
		a = b;
	}
	if (a < to) {
		if (a == s->payload_end &&
			f->build_tail(s->tail, &s->shape, s->crc32, &e))
			fail(s->g, &e);
		memcpy(buf + (a - from), s->tail + (a - s->payload_end),
			to - a);
	}
}

/* Keep what O_DIRECT cannot write of the last chunk, which gets shorter. */
static void keep_rest(struct slot *s, struct chunk *c)
{
	s->rest_bytes = c->op.len_bytes % DIRECT_ALIGN;
	c->op.len_bytes -= s->rest_bytes;
	memcpy(s->rest, (uint8_t *)c->op.buf + c->op.len_bytes, s->rest_bytes);
}

/* Make and send one chunk of s; the free list is not empty. */
static void make_chunk(struct slot *s)
{
	struct generator *g = s->g;
	struct chunk *c = g->free_chunks;
	uint64_t from = s->next_offset, to = from + GENERATE_CHUNK_BYTES;
	uint8_t *buf = c->op.buf;
	struct err e;

	g->free_chunks = c->next;
	if (to > s->file.size_bytes)
		to = s->file.size_bytes;
	fill(s, buf, from, to);
	c->slot = s;
	c->op.fd = s->file.fd;
	c->op.offset_bytes = from;
	c->op.len_bytes = (uint32_t)(to - from);
	s->next_offset = to;
	if (s->file.direct && to == s->file.size_bytes)
		keep_rest(s, c);
	if (from == 0)
		s->first = c;
	else if (c->op.len_bytes)
		submit(s, c);
	else
		give_back(g, c);
	if (to < s->file.size_bytes)
		return;
	c = s->first;
	s->first = NULL;
	if (s->payload_at &&
		g->format->build_head(c->op.buf, &s->shape, s->crc32, &e)) {
		give_back(g, c);
		fail(g, &e);
		return;
	}
	submit(s, c);
}

/* Begin the next file that is not there yet; false if there is none. */
static bool start_file(struct generator *g, struct slot *s, struct err *e)
{
	const struct dataset_layout *l = g->c.layout;
	struct content_key key = {.kind = g->c.kind,
		.seed = g->c.seed,
		.ratios = g->c.ratios,
		.head_bytes = g->format->head_bytes};
	uint64_t bytes;

	while (g->next_file < l->files && g->c.present[g->next_file])
		g->next_file += g->c.workers;
	if (g->next_file >= l->files)
		return false;
	s->index = g->next_file;
	g->next_file += g->c.workers;
	s->shape = dataset_shape(l, g->c.dims[s->index]);
	bytes = format_file_bytes(g->format, &s->shape);
	if (store_create(g->store, s->index, bytes,
		    g->c.direct && bytes >= DIRECT_ALIGN, &s->file, e)) {
		fail(g, e);
		return false;
	}
	s->busy = true;
	s->payload_at = g->format->head_bytes;
	s->payload_end = s->payload_at + format_payload_bytes(&s->shape);
	key.file = s->index;
	content_stream_init(&s->content, &key);
	s->crc32 = g->format->has_crc ? g->format->crc_begin(&s->shape) : 0;
	s->next_offset = 0;
	s->rest_bytes = 0;
	return true;
}

/* One chunk a call: between two the loop looks after the engine. */
static int generate_step(struct loop_task *task, struct err *e)
{
	struct generator *g = (struct generator *)task;
	struct slot *s, *current = NULL, *idle = NULL;
	bool busy = false;
	size_t i;

	for (i = 0; i < FILES_AT_ONCE; i++) {
		s = &g->slots[i];
		busy |= s->busy;
		if (!s->busy)
			idle = s;
		else if (s->next_offset < s->file.size_bytes)
			current = s;
	}
	if (!g->failed && !current && idle && start_file(g, idle, e)) {
		current = idle;
		busy = true;
	}
	if (g->failed) {
		*e = g->error;
		return e->code;
	}
	if (current && g->free_chunks) {
		make_chunk(current);
		loop_sleep(g->loop, &g->task, clock_now(g->loop->clock));
	}
	return !busy;
}

int generate_open(const struct generate_config *c, struct store *s,
	struct loop *l, struct buffers *b, struct generator **out,
	struct err *e)
{
	struct generator *g = calloc(1, sizeof(*g));
	size_t i, tail;

	if (!g)
		return err_nomem(e, "the generator");
	g->c = *c;
	g->format = dataset_format(c->layout);
	tail = format_tail_bytes(g->format, c->layout->samples_per_file);
	g->store = s;
	g->loop = l;
	g->task.step = generate_step;
	g->next_file = c->worker;
	for (i = 0; i < FILES_AT_ONCE; i++)
		g->slots[i].file.fd = -1; /* so that close knows */
	for (i = 0; i < FILES_AT_ONCE; i++) {
		g->slots[i].g = g;
		g->slots[i].tail = malloc(tail ? tail : 1);
		if (!g->slots[i].tail) {
			generate_close(g);
			return err_nomem(e, "the generator");
		}
	}
	for (i = 0; i < GENERATE_BUFFERS; i++) {
		struct chunk *k = &g->chunks[i];

		k->op.opcode = ENGINE_WRITE;
		k->op.buf = buffers_at(b, (uint32_t)i);
		k->op.buf_index = b->registered ? 0 : -1;
		k->op.done = chunk_done;
		k->op.owner = k;
		give_back(g, k);
	}
	*out = g;
	return loop_add(l, &g->task, e);
}

struct loop_task *generate_task(struct generator *g)
{
	return &g->task;
}

void generate_get_progress(
	const struct generator *g, struct generate_progress *p)
{
	*p = g->progress;
}

void generate_close(struct generator *g)
{
	size_t i;

	if (!g)
		return;
	for (i = 0; i < FILES_AT_ONCE; i++) {
		store_close(g->store, &g->slots[i].file);
		free(g->slots[i].tail);
	}
	free(g);
}
