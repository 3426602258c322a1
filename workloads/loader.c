/* The data loader of an accelerator; see loader.h. */
#include "workloads/loader.h"

#include "core/units.h"
#include "datagen/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Together a loader's readers keep at most this much in flight. */
#define BUFFERS_BYTES_MAX (48 * MIB_BYTES)
#define DEPTH_DIRECT 16
#define DEPTH_BUFFERED 1

/* One request of a reader, with the buffer that is its own for ever. */
struct io {
	struct engine_op op;
	struct reader *reader;
	uint32_t want_bytes; /* not counting O_DIRECT's padding */
	int64_t submit_ns;
	struct io *next;
};

/* Reads the samples of its batches, one whole file after another. */
struct reader {
	struct loader *l;
	uint32_t *queue; /* batches handed out, [prefetch_factor] */
	uint32_t queue_head, queued;
	uint32_t sample; /* of the batch at the head */
	struct store_file file;
	bool open;
	/* the last file read whole in this epoch; see loader.h */
	uint32_t kept_file;
	bool keeps;
	uint64_t next_offset, end_offset;
	uint64_t left_bytes; /* of the sample, not yet read */
	uint32_t in_flight;
	bool starved; /* in the line for a buffer */
	struct reader *next_starved;
};

struct loader {
	struct loader_env env;
	const struct train_config *c;
	const struct dataset_format *format; /* NULL: files are bytes */
	uint32_t window, depth;
	const uint32_t *order;
	struct reader *readers;
	struct io *ios, *free_ios;
	struct reader *starved, **starved_tail;
	bool *ready;	       /* [window] */
	uint64_t *batch_bytes; /* [window] */
	uint32_t in_flight;
	int64_t busy_since_ns;
	struct loader_totals totals;
	struct hist hists[REC_HISTS];
	bool stopped, failed;
	struct err error;
};

uint32_t loader_buffers(const struct train_config *c)
{
	uint64_t want = c->read_threads * c->queue_depth;
	uint64_t most = BUFFERS_BYTES_MAX / c->transfer_bytes;

	if (most < c->read_threads)
		most = c->read_threads;
	return (uint32_t)(want < most ? want : most);
}

uint64_t loader_prefetch_factor(const struct train_config *c)
{
	uint64_t w = c->read_threads;

	return c->prefetch_size ? (c->prefetch_size + w - 1) / w : 2;
}

uint64_t loader_queue_depth(bool odirect)
{
	return odirect ? DEPTH_DIRECT : DEPTH_BUFFERED;
}

uint32_t loader_window(const struct train_config *c)
{
	return (uint32_t)(c->read_threads * c->prefetch_factor);
}

static int64_t now_ns(const struct loader *l)
{
	return clock_now(l->env.engine->clock);
}

static void fail(struct loader *l, const struct err *e)
{
	if (!l->failed)
		l->error = *e;
	l->failed = l->stopped = true;
	l->env.changed(l->env.ctx);
}

static void reader_pump(struct reader *r);

static void wait_for_buffer(struct reader *r)
{
	if (r->starved)
		return;
	r->starved = true;
	r->next_starved = NULL;
	*r->l->starved_tail = r;
	r->l->starved_tail = &r->next_starved;
}

/* What was put back goes to the readers in the order they asked. */
static void serve_starved(struct loader *l)
{
	struct reader *r;

	while (l->free_ios && (r = l->starved)) {
		l->starved = r->next_starved;
		if (!l->starved)
			l->starved_tail = &l->starved;
		r->starved = false;
		reader_pump(r);
	}
}

/* Number of the next sample in this epoch; there is one. */
static uint64_t next_sample(const struct reader *r)
{
	return (uint64_t)r->queue[r->queue_head] * r->l->c->batch_size +
	       r->sample;
}

static uint32_t next_file(const struct reader *r)
{
	const struct loader *l = r->l;

	return l->order[next_sample(r) / l->c->samples_per_file];
}

/* What of its file the next sample needs, in whole blocks for O_DIRECT. */
static void set_range(struct reader *r)
{
	const struct loader *l = r->l;
	uint64_t spf = l->c->samples_per_file, align = r->file.align;

	r->next_offset = 0;
	r->end_offset = r->file.size_bytes;
	if (!l->format || !l->format->sample_range)
		return;
	l->format->sample_range(r->file.size_bytes, spf, next_sample(r) % spf,
		&r->next_offset, &r->end_offset);
	if (!l->c->odirect)
		return;
	r->next_offset = r->next_offset / align * align;
	r->end_offset = (r->end_offset + align - 1) / align * align;
	if (r->end_offset > r->file.size_bytes)
		r->end_offset = r->file.size_bytes;
}

static void sample_done(struct reader *r)
{
	struct loader *l = r->l;
	uint32_t batch = r->queue[r->queue_head];

	l->totals.samples_read++;
	if (++r->sample < l->c->batch_size)
		return;
	r->sample = 0;
	r->queue_head = (r->queue_head + 1) % (uint32_t)l->c->prefetch_factor;
	r->queued--;
	l->ready[batch % l->window] = true;
	l->env.changed(l->env.ctx);
}

static void file_done(struct reader *r)
{
	const struct loader *l = r->l;

	r->keeps = !l->c->odirect && !(l->format && l->format->sample_range);
	r->kept_file = (uint32_t)r->file.id;
	store_close(l->env.store, &r->file);
	r->open = false;
	sample_done(r);
}

static void read_failed(struct io *io)
{
	const struct engine_op *op = &io->op;
	const struct store_file *file = &io->reader->file;
	struct loader *l = io->reader->l;
	char path[4352];
	struct err e;

	store_label(l->env.store, file->id, path, sizeof(path));
	if (op->result < 0)
		err_set(&e, ERR_IO, (int)op->result,
			"reading %s at offset %" PRIu64 " (%u bytes): %s", path,
			op->offset_bytes, op->len_bytes,
			strerror((int)-op->result));
	else
		err_set(&e, ERR_IO, -ENODATA,
			"short read of %s: %" PRId64 " of %u bytes at offset "
			"%" PRIu64 " although the file had %" PRIu64
			" bytes when opened; was it changed during the run?",
			path, op->result, io->want_bytes, op->offset_bytes,
			file->size_bytes);
	fail(l, &e);
}

static void count(struct loader *l, enum rec_hist which, int64_t value)
{
	struct err e;

	if (!hist_record(&l->hists[which], value > 0 ? (uint64_t)value : 0))
		return;
	err_nomem(&e, "a histogram");
	fail(l, &e);
}

static void io_done(struct engine_op *op)
{
	struct io *io = op->owner;
	struct reader *r = io->reader;
	struct loader *l = r->l;
	int64_t seen_ns = engine_seen_ns(l->env.engine);
	struct err e;

	r->in_flight--;
	if (!--l->in_flight)
		l->totals.busy_ns += seen_ns - l->busy_since_ns;
	if (!l->stopped)
		count(l, REC_LATENCY_NS, seen_ns - io->submit_ns);
	if (!l->stopped && op->result < (int64_t)io->want_bytes)
		read_failed(io);
	else if (!l->stopped && l->env.check &&
		 l->env.check(l->env.check_ctx, r->file.id, op->offset_bytes,
			 op->buf, io->want_bytes, &e))
		fail(l, &e);
	io->next = l->free_ios;
	l->free_ios = io;
	if (l->stopped)
		return;
	l->totals.bytes_read += io->want_bytes;
	r->left_bytes -= io->want_bytes;
	if (!r->left_bytes)
		file_done(r);
	if (l->starved)
		wait_for_buffer(r);
	else
		reader_pump(r);
	serve_starved(l);
}

static int reader_open(struct reader *r)
{
	struct loader *l = r->l;
	uint32_t batch = r->queue[r->queue_head], file = next_file(r);
	char path[4352];
	struct err e;
	int err;

	err = store_open(l->env.store, file, l->c->odirect, &r->file, &e);
	if (!err && !r->file.size_bytes) {
		store_close(l->env.store, &r->file);
		store_label(l->env.store, file, path, sizeof(path));
		err = err_set(&e, ERR_IO, -ENODATA,
			"%s is empty; generate the data set again", path);
	}
	if (err) {
		fail(l, &e);
		return err;
	}
	r->open = true;
	set_range(r);
	r->left_bytes = r->end_offset - r->next_offset;
	l->totals.files_opened++;
	l->batch_bytes[batch % l->window] += r->left_bytes;
	return 0;
}

static int reader_submit(struct reader *r, struct io *io)
{
	struct loader *l = r->l;
	uint64_t left = r->end_offset - r->next_offset, len;
	uint64_t align = r->file.align;
	struct err e;
	int err;

	io->want_bytes = (uint32_t)(left < l->c->transfer_bytes
					    ? left
					    : l->c->transfer_bytes);
	len = io->want_bytes;
	if (l->c->odirect)
		len = (len + align - 1) / align * align;
	io->reader = r;
	io->op.fd = r->file.fd;
	io->op.len_bytes = (uint32_t)len;
	io->op.offset_bytes = r->next_offset;
	r->next_offset += io->want_bytes;
	r->in_flight++;
	io->submit_ns = now_ns(l);
	if (!l->in_flight++)
		l->busy_since_ns = io->submit_ns;
	count(l, REC_REQUEST_BYTES, (int64_t)len);
	count(l, REC_IN_FLIGHT, l->in_flight);
	err = engine_submit(l->env.engine, &io->op);
	if (err) {
		err_set(&e, ERR_IO, err, "%s engine: request refused: %s",
			engine_name(l->env.engine), strerror(-err));
		r->in_flight--;
		l->in_flight--;
		fail(l, &e);
	}
	return err;
}

/* Do all that this reader can do now. */
static void reader_pump(struct reader *r)
{
	struct loader *l = r->l;
	struct io *io;

	while (!l->stopped && !r->open && r->queued && r->keeps &&
		r->kept_file == next_file(r))
		sample_done(r);
	if (l->stopped || (!r->open && !r->queued))
		return;
	if (!r->open && reader_open(r))
		return;
	while (r->next_offset < r->end_offset && r->in_flight < l->depth) {
		io = l->free_ios;
		if (!io) {
			wait_for_buffer(r);
			return;
		}
		l->free_ios = io->next;
		if (reader_submit(r, io))
			return;
	}
}

void loader_set_order(struct loader *l, const uint32_t *order)
{
	uint64_t i;

	l->order = order;
	for (i = 0; i < l->c->read_threads; i++)
		l->readers[i].keeps = false;
}

void loader_hand_out(struct loader *l, uint32_t batch)
{
	struct reader *r = &l->readers[batch % l->c->read_threads];
	uint32_t factor = (uint32_t)l->c->prefetch_factor;

	l->ready[batch % l->window] = false;
	l->batch_bytes[batch % l->window] = 0;
	r->queue[(r->queue_head + r->queued) % factor] = batch;
	if (r->queued++ == 0)
		reader_pump(r);
}

bool loader_has(const struct loader *l, uint32_t batch)
{
	return l->ready[batch % l->window];
}

uint64_t loader_batch_bytes(const struct loader *l, uint32_t batch)
{
	return l->batch_bytes[batch % l->window];
}

void loader_get_totals(const struct loader *l, struct loader_totals *t)
{
	*t = l->totals;
	if (l->in_flight)
		t->busy_ns += now_ns(l) - l->busy_since_ns;
}

void loader_take_hists(struct loader *l, struct hist hists[REC_HISTS])
{
	memcpy(hists, l->hists, sizeof(l->hists));
	memset(l->hists, 0, sizeof(l->hists));
}

const struct err *loader_error(const struct loader *l)
{
	return l->failed ? &l->error : NULL;
}

void loader_stop(struct loader *l)
{
	l->stopped = true;
}

static int init_readers(struct loader *l, struct err *e)
{
	uint32_t i, n = (uint32_t)l->c->read_threads;

	l->readers = calloc(n, sizeof(*l->readers));
	for (i = 0; l->readers && i < n; i++) {
		l->readers[i].l = l;
		l->readers[i].queue = calloc(
			l->c->prefetch_factor, sizeof(*l->readers[i].queue));
		if (!l->readers[i].queue)
			return err_nomem(e, "a reader");
	}
	return l->readers ? 0 : err_nomem(e, "readers");
}

static int init_ios(struct loader *l, struct err *e)
{
	uint32_t i = loader_buffers(l->c);
	struct io *io;

	l->ios = calloc(i, sizeof(*l->ios));
	if (!l->ios)
		return err_nomem(e, "requests");
	while (i-- > 0) {
		io = &l->ios[i];
		io->op.opcode = ENGINE_READ;
		io->op.buf = buffers_at(
			l->env.buffers, l->env.first_buffer + i);
		io->op.buf_index = l->env.buffers->registered ? 0 : -1;
		io->op.done = io_done;
		io->op.owner = io;
		io->next = l->free_ios;
		l->free_ios = io;
	}
	return 0;
}

int loader_open(
	const struct loader_env *env, struct loader **out, struct err *e)
{
	struct loader *l = calloc(1, sizeof(*l));
	int r = 0;

	if (!l)
		return err_nomem(e, "a data loader");
	l->env = *env;
	l->c = env->config;
	l->format = format_find(l->c->format);
	l->window = loader_window(l->c);
	l->depth = (uint32_t)l->c->queue_depth;
	l->starved_tail = &l->starved;
	l->ready = calloc(l->window, sizeof(*l->ready));
	l->batch_bytes = calloc(l->window, sizeof(*l->batch_bytes));
	if (!l->ready || !l->batch_bytes)
		r = err_nomem(e, "a data loader");
	if (!r)
		r = init_readers(l, e);
	if (!r)
		r = init_ios(l, e);
	if (r) {
		loader_close(l);
		return r;
	}
	*out = l;
	return 0;
}

void loader_close(struct loader *l)
{
	uint64_t i;

	if (!l)
		return;
	for (i = 0; l->readers && i < l->c->read_threads; i++) {
		if (l->readers[i].open)
			store_close(l->env.store, &l->readers[i].file);
		free(l->readers[i].queue);
	}
	for (i = 0; i < REC_HISTS; i++)
		hist_fini(&l->hists[i]);
	free(l->readers);
	free(l->ios);
	free(l->ready);
	free(l->batch_bytes);
	free(l);
}
