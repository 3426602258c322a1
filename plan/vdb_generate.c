/* Writing index files; see vdb_run.h. */
#include "plan/vdb_run.h"

#include "core/file.h"
#include "core/units.h"
#include "datagen/vdb_graph.h"
#include "datagen/vdb_manifest.h"
#include "plan/shared.h"
#include "storage/buffers.h"
#include "storage/store.h"
#include "workloads/vectordb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16
#define CHUNK_BYTES MIB_BYTES

struct chunk {
	struct engine_op op;
	struct writer *w;
	bool busy;
};

struct writer {
	struct engine *engine;
	struct buffers buffers;
	struct store store;
	struct chunk chunks[DEPTH];
	const struct vdb_graph *graph;
	uint32_t in_flight, chunk_bytes;
	int64_t bad; /* the first result that was not what was asked for */
};

int vdb_index_bytes(const struct vdb_shape *s, uint64_t *bytes, struct err *e)
{
	struct vdb_layout l;
	uint32_t i;
	int r = 0;

	*bytes = 0;
	for (i = 0; !r && i < s->segments; i++) {
		r = vdb_layout_init(&l, vdb_segment_nodes(s, i), s->dim,
			sizeof(float), s->degree, e);
		*bytes += l.file_bytes;
	}
	return r;
}

int vdb_folder_shape(const char *folder, struct vdb_shape *s, struct err *e)
{
	struct vdb_manifest m;
	int r = vdb_manifest_load(folder, &m, e);

	if (r)
		return err_set(e, ERR_USAGE, r,
			"%.300s holds no index of ours (%.300s); write one with "
			"`stoker vectordb datagen --data-dir %.300s`", folder,
			e->text, folder);
	if (!m.complete)
		return err_set(e, ERR_USAGE, -EBADMSG,
			"the index in %s is not complete: run `stoker vectordb "
			"datagen` with the same options again", folder);
	*s = m.shape;
	return 0;
}

static void chunk_done(struct engine_op *op)
{
	struct chunk *c = op->owner;

	c->busy = false;
	c->w->in_flight--;
	if (op->opcode == ENGINE_WRITE && op->result != op->len_bytes &&
		!c->w->bad)
		c->w->bad = op->result < 0 ? op->result : -ENOSPC;
	if (op->opcode == ENGINE_FSYNC && op->result < 0 && !c->w->bad)
		c->w->bad = op->result;
}

static int hand_in(struct writer *w, struct chunk *c, struct err *e)
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
static uint64_t chunk_end(const struct writer *w, uint64_t offset)
{
	uint64_t end = offset ? offset + w->chunk_bytes : VDB_SECTOR_BYTES;
	uint64_t size = w->graph->layout.file_bytes;

	return end < size ? end : size;
}

static int write_all(struct writer *w, const struct store_file *f,
	struct err *e)
{
	uint64_t at = 0, size = w->graph->layout.file_bytes, end;
	struct chunk *c;
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
			vdb_graph_fill(w->graph, at, c->op.buf, end - at);
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

static int sync_file(struct writer *w, const struct store_file *f,
	struct err *e)
{
	struct chunk *c = &w->chunks[0];
	int r;

	memset(&c->op, 0, sizeof(c->op));
	c->op.opcode = ENGINE_FSYNC;
	c->op.fd = f->fd;
	r = hand_in(w, c, e);
	while (!r && w->in_flight)
		r = engine_wait(w->engine, CLOCK_NEVER, e);
	return r;
}

static int write_segment(struct writer *w, uint32_t i, struct err *e)
{
	struct store_file f;
	char path[4352];
	struct err e2;
	int r;

	r = store_create(
		&w->store, i, w->graph->layout.file_bytes, true, &f, e);
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

static int path_in(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	return vectordb_path(ctx, i, buf, buf_bytes);
}

/* Rank 0: is there room, and is what is there ours to replace? */
static int prepare(const struct vdb_shape *s, const char *folder,
	bool overwrite, struct store *store, bool *complete, struct err *e)
{
	struct vdb_manifest m, want = {.shape = *s};
	char why[128], a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	uint64_t need, have, size, old = 0;
	uint32_t i;
	int r = vdb_manifest_load(folder, &m, e);

	if (r == -ENOENT && !overwrite && !store_stat(store, 0, &size))
		return err_set(e, ERR_USAGE, -EEXIST,
			"%s holds index files without " VDB_MANIFEST_NAME
			": --overwrite replaces them", folder);
	if (r && r != -ENOENT && !overwrite)
		return err_wrap(e, "--overwrite replaces what is there");
	if (!r && vdb_shape_differs(&m.shape, s, why, sizeof(why))) {
		if (!overwrite)
			return err_set(e, ERR_USAGE, -EEXIST,
				"%s holds another index (%s): --overwrite "
				"replaces it", folder, why);
		for (i = s->segments; i < m.shape.segments; i++)
			store_remove(store, i, NULL);
		r = -ENOENT;
	}
	if (!r && m.complete && !overwrite) {
		*complete = true;
		return 0;
	}
	r = vdb_index_bytes(s, &need, e);
	if (!r)
		r = file_mkdirs(folder, e);
	if (!r)
		r = store_free_space(store, &have, e);
	if (r)
		return r;
	for (i = 0; i < s->segments; i++)
		if (!store_stat(store, i, &size))
			old += size;
	if (need > have + old)
		return err_set(e, ERR_IO, -ENOSPC,
			"no room for the index: %s needs %s, %s is free; "
			"nothing was written", folder,
			units_format_bytes(a, need),
			units_format_bytes(b, have));
	return vdb_manifest_save(folder, &want, e);
}

static int write_mine(struct group *g, struct writer *w,
	const struct vdb_shape *s, bool overwrite,
	void (*progress)(void *ctx, uint64_t bytes), void *ctx,
	struct vdb_written *out, struct err *e)
{
	uint32_t *table = vdb_graph_table(s, e), i;
	struct vdb_graph graph;
	uint64_t size;
	int r = table ? 0 : e->code;

	w->graph = &graph;
	for (i = 0; !r && i < s->segments; i++) {
		if (i % g->size < g->first || i % g->size >= g->first + g->count)
			continue;
		r = vdb_graph_init(&graph, s, i, table, e);
		if (r)
			break;
		/* whole files have their names: interrupted, go on behind */
		if (!overwrite && !store_stat(&w->store, i, &size) &&
			size == graph.layout.file_bytes)
			continue;
		w->chunk_bytes = (uint32_t)(CHUNK_BYTES /
					    graph.layout.read_bytes *
					    graph.layout.read_bytes);
		if (!w->chunk_bytes)
			w->chunk_bytes = graph.layout.read_bytes;
		r = write_segment(w, i, e);
		if (!r) {
			out->bytes += graph.layout.file_bytes;
			out->segments++;
		}
		if (!r && progress)
			progress(ctx, out->bytes);
	}
	free(table);
	return r;
}

static int open_writer(struct writer *w, const struct engine_spec *spec,
	struct clock *clock, const struct vdb_shape *s, struct err *e)
{
	struct engine_spec x = *spec;
	struct vdb_layout l;
	uint64_t bytes = CHUNK_BYTES;
	char why[512];
	int r;

	r = vdb_layout_init(&l, vdb_segment_nodes(s, 0), s->dim, sizeof(float),
		s->degree, e);
	if (r)
		return r;
	if (l.read_bytes > bytes)
		bytes = l.read_bytes;
	x.depth = DEPTH;
	r = engine_open(&x, clock, &w->engine, why, sizeof(why), e);
	return r ? r
		 : buffers_init(&w->buffers, w->engine, DEPTH, bytes, true, e);
}

static int add_written(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	const struct vdb_written *from = buf;
	struct vdb_written *to = arg;

	if (size_bytes != sizeof(*from))
		return err_set(e, ERR_BUG, -EBADMSG, "bad record of a rank");
	to->bytes += process ? from->bytes : 0;
	to->segments += process ? from->segments : 0;
	return 0;
}

int vdb_generate(struct group *g, const struct engine_spec *engine,
	const struct vdb_shape *s, const char *folder, bool overwrite,
	void (*progress)(void *ctx, uint64_t bytes), void *ctx,
	struct vdb_written *out, struct err *e)
{
	struct store_namer namer = {.ctx = (void *)folder, .path = path_in};
	struct vdb_manifest m = {.shape = *s, .complete = true};
	struct writer w = {0};
	struct clock clock;
	int r = 0;

	memset(out, 0, sizeof(*out));
	clock_start(&clock, false);
	store_posix_init(&w.store, folder, &namer);
	if (!g->first)
		r = prepare(s, folder, overwrite, &w.store, &out->was_complete,
			e);
	r = group_agree(g, r, e);
	if (!r)
		r = group_share(g, &out->was_complete,
			sizeof(out->was_complete), e);
	if (r || out->was_complete)
		return r;
	out->start_ns = clock_now(&clock);
	r = open_writer(&w, engine, &clock, s, e);
	if (!r)
		r = write_mine(g, &w, s, overwrite, progress, ctx, out, e);
	r = group_agree(g, r, e);
	if (!r)
		r = group_agree(g, group_gather(g, out, sizeof(*out),
			add_written, out, e), e);
	if (!r && !g->first)
		r = store_sync_folder(&w.store, 0, e);
	out->end_ns = clock_now(&clock);
	if (!r && !g->first)
		r = vdb_manifest_save(folder, &m, e);
	buffers_fini(&w.buffers);
	if (w.engine)
		engine_close(w.engine);
	return group_agree(g, r, e);
}
