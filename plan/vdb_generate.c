/* Writing index files; see vdb_run.h. */
#include "plan/vdb_run.h"

#include "core/file.h"
#include "datagen/vdb_graph.h"
#include "datagen/vdb_manifest.h"
#include "plan/shared.h"
#include "plan/vdb_build.h"
#include "plan/vdb_files.h"
#include "plan/vdb_prepare.h"
#include "plan/vdb_writer.h"
#include "storage/store.h"
#include "workloads/vectordb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	const struct vdb_generate *p;
	struct vdb_written *out;
	struct vdb_writer w;
	struct vdb_prepare prepare; /* rank 0 */
	uint64_t truth_vectors;
};

int vdb_index_bytes(const struct vdb_shape *s, uint64_t *bytes, struct err *e)
{
	struct vdb_layout l;
	uint32_t i;
	int r = 0;

	*bytes = 0;
	for (i = 0; !r && i < s->segments; i++) {
		r = vdb_layout_init(&l, vdb_segment_nodes(s, i),
			vdb_stored_dim(s), sizeof(float), s->degree, e);
		*bytes += l.file_bytes;
	}
	return r;
}

int vdb_folder_shape(const char *folder, struct vdb_shape *s, struct err *e)
{
	struct vdb_manifest m;
	char why[sizeof(e->text)];
	int r = vdb_files_check_folder(folder, e);

	if (r)
		return r;
	r = vdb_manifest_load(folder, &m, e);
	snprintf(why, sizeof(why), "%s", r ? e->text : "");
	if (r)
		return err_set(e, ERR_USAGE, r,
			"%.300s holds no index of ours (%.300s); write one with "
			"`stoker vectordb datagen --data-dir %.*s`", folder,
			why, vdb_files_parent(folder), folder);
	if (!m.complete)
		return err_set(e, ERR_USAGE, -EBADMSG,
			"the index in %s is not complete: run `stoker vectordb "
			"datagen` with the same options again, without "
			"--overwrite", folder);
	*s = m.shape;
	return 0;
}

static int path_in(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	return vectordb_path(ctx, i, buf, buf_bytes);
}

static bool is_mine(const struct group *g, uint32_t segment)
{
	return segment % g->size >= g->first &&
	       segment % g->size < g->first + g->count;
}

static void fill_graph(const void *ctx, uint64_t offset_bytes, void *buf,
	uint64_t len_bytes)
{
	vdb_graph_fill(ctx, offset_bytes, buf, len_bytes);
}

/* Whole files have their names: interrupted, go on behind them. */
static bool is_there(const struct job *j, uint32_t i)
{
	return !j->p->overwrite &&
	       vdb_files_whole(j->p->shape, j->p->folder, i);
}

static void wrote(struct job *j, uint32_t i, uint64_t bytes)
{
	j->out->bytes += bytes;
	j->out->segments++;
	j->out->vectors += vdb_segment_nodes(j->p->shape, i);
	if (j->p->progress)
		j->p->progress(j->p->ctx, j->out->vectors);
}

static int write_replay(struct job *j, struct err *e)
{
	const struct vdb_shape *s = j->p->shape;
	uint32_t *table = vdb_graph_table(s, e), i;
	struct vdb_graph graph;
	int r = table ? 0 : e->code;

	for (i = 0; !r && i < s->segments; i++) {
		if (!is_mine(j->p->group, i))
			continue;
		r = vdb_graph_init(&graph, s, i, table, e);
		if (r || is_there(j, i))
			continue;
		r = vdb_writer_write(
			&j->w, i, &graph.layout, fill_graph, &graph, NULL,
			e);
		if (!r)
			wrote(j, i, graph.layout.file_bytes);
	}
	free(table);
	return r;
}

static int write_built(struct job *j, struct err *e)
{
	const struct vdb_shape *s = j->p->shape;
	struct vdb_build b = {.shape = s, .folder = j->p->folder,
		.vectors = j->p->vectors, .progress = j->p->progress,
		.ctx = j->p->ctx};
	uint64_t bytes;
	uint32_t i;
	int r = vdb_build_open(&b, j->p->queries, e);

	for (i = 0; !r && i < s->segments; i++) {
		if (!is_mine(j->p->group, i))
			continue;
		b.skip = is_there(j, i);
		b.done = j->out->vectors;
		r = vdb_build_segment(&b, i, &j->w, &bytes, e);
		if (!r && !b.skip)
			wrote(j, i, bytes);
	}
	r = group_agree(j->p->group, r, e);
	if (!r)
		r = vdb_build_truth(&b, j->p->group, &j->truth_vectors, e);
	vdb_build_close(&b);
	return r;
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
	to->vectors += process ? from->vectors : 0;
	return 0;
}

/* What an interruption leaves, and how to go on. */
static void tell_rest(struct job *j, struct err *e)
{
	uint32_t segments = j->p->shape->segments, i, whole = 0;

	for (i = 0; i < segments; i++)
		whole += vdb_files_whole(j->p->shape, j->p->folder, i);
	err_wrap(e, "%u of %u segment%s %s whole and stay%s, the same command "
		"%scontinues behind them", whole, segments,
		segments == 1 ? "" : "s", segments == 1 ? "is" : "are",
		segments == 1 ? "s" : "",
		j->p->overwrite ? "without --overwrite " : "");
}

static int write_mine(struct job *j, struct clock *clock, struct err *e)
{
	const struct vdb_shape *s = j->p->shape;
	struct vdb_layout l;
	int r;

	r = vdb_layout_init(&l, vdb_segment_nodes(s, 0), vdb_stored_dim(s),
		sizeof(float), s->degree, e);
	if (!r)
		r = vdb_writer_open(
			&j->w, j->p->engine, clock, l.read_bytes, e);
	r = group_agree(j->p->group, r, e);
	if (!r && !j->p->group->first)
		r = vdb_prepare_begin(&j->prepare, e);
	r = group_agree(j->p->group, r, e);
	if (!r)
		r = s->built ? write_built(j, e) : write_replay(j, e);
	if (r == -EINTR)
		tell_rest(j, e);
	return group_agree(j->p->group, r, e);
}

int vdb_generate(const struct vdb_generate *p, struct vdb_written *out,
	struct err *e)
{
	struct store_namer namer = {.ctx = (void *)p->folder,
		.path = path_in};
	struct job *j = calloc(1, sizeof(*j));
	struct group *g = p->group;
	struct clock clock;
	uint64_t need;
	int r = 0;

	memset(out, 0, sizeof(*out));
	if (!j)
		return err_nomem(e, "the writer");
	j->p = p;
	j->out = out;
	clock_start(&clock, false);
	store_posix_init(&j->w.store, p->folder, &namer);
	if (p->shape->built)
		r = vdb_build_memory(p->shape, g->ranks_on_host, &need, e);
	if (!r && !g->first)
		r = vdb_prepare_look(&j->prepare, p, e);
	out->was_complete = j->prepare.complete;
	r = group_agree(g, r, e);
	if (!r)
		r = group_share(g, &out->was_complete,
			sizeof(out->was_complete), e);
	if (!r && !out->was_complete && !g->first)
		r = file_mkdirs(p->folder, e);
	r = group_agree(g, r, e);
	if (!r && !out->was_complete)
		r = shared_check_data(g, p->folder, e);
	if (!r && !out->was_complete) {
		out->start_ns = clock_now(&clock);
		r = write_mine(j, &clock, e);
		if (!r)
			r = group_agree(g, group_gather(g, out, sizeof(*out),
				add_written, out, e), e);
		if (!r && !g->first)
			r = store_sync_folder(&j->w.store, 0, e);
		out->end_ns = clock_now(&clock);
		j->prepare.want.shape.truth_vectors = j->truth_vectors;
		j->prepare.want.complete = true;
		if (!r && !g->first)
			r = vdb_manifest_save(p->folder, &j->prepare.want, e);
		r = group_agree(g, r, e);
	}
	vdb_prepare_free(&j->prepare);
	vdb_writer_close(&j->w);
	free(j);
	return r;
}
