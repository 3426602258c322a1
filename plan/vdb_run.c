/* Runs of a vector database; see vdb_run.h. */
#include "plan/vdb_run.h"

#include "core/units.h"
#include "datagen/vdb_graph.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_truth.h"
#include "plan/notes.h"
#include "plan/opened.h"
#include "plan/shared.h"
#include "plan/vdb_answers.h"
#include "storage/buffers.h"
#include "storage/diskstats.h"
#include "storage/host.h"
#include "storage/memory.h"
#include "workloads/vectordb.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A modelled drive's bookkeeping of one read. */
#define MODEL_READ_BYTES 160

struct job {
	const struct vdb_run *c;
	struct vdb_record *rec;
	struct opened o;
	struct store store;
	uint32_t *table;
	struct vdb_graph *graphs;
	struct vdb_replay replay;
	/* of a real index */
	struct vdb_answers answers;
	struct vdb_search search;
	struct diskstats before;
	bool disk_known;
};

static int path_of(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	struct job *j = ctx;

	return vectordb_path(j->rec->config.folder, i, buf, buf_bytes);
}

static uint64_t size_of(void *ctx, uint64_t i)
{
	struct job *j = ctx;

	return j->graphs ? j->graphs[i].layout.file_bytes
			 : j->answers.indexes[i].layout.file_bytes;
}

static int open_indexes(struct job *j, struct err *e)
{
	int r = vdb_answers_open(&j->answers, &j->rec->config, e);

	if (r)
		return r;
	j->rec->index_bytes = j->answers.index_bytes;
	j->rec->read_bytes = j->answers.read_bytes;
	j->rec->cached_nodes = j->answers.cached_nodes;
	vdb_search_init(&j->search, &j->rec->config, j->answers.indexes,
		&j->answers.queries);
	return 0;
}

static int open_graphs(struct job *j, struct err *e)
{
	const struct vdb_shape *s = &j->rec->config.shape;
	uint32_t i;
	int r = 0;

	j->table = vdb_graph_table(s, e);
	if (!j->table)
		return e->code;
	j->graphs = calloc(s->segments, sizeof(*j->graphs));
	if (!j->graphs)
		return err_nomem(e, "the segments");
	j->rec->index_bytes = 0;
	for (i = 0; !r && i < s->segments; i++) {
		r = vdb_graph_init(&j->graphs[i], s, i, j->table, e);
		j->rec->index_bytes += j->graphs[i].layout.file_bytes;
	}
	j->rec->read_bytes = j->graphs[0].layout.read_bytes;
	vdb_replay_init(&j->replay, &j->rec->config, j->graphs);
	return r;
}

/* Would all clients of this host have room? Told before anything is opened. */
static int check_memory(struct job *j, uint64_t each, struct err *e)
{
	const struct vdb_config *c = &j->rec->config;
	struct group *g = j->c->group;
	bool real = engine_spec_is_real(&j->c->engine);
	uint64_t bytes = real ? j->rec->read_bytes : MODEL_READ_BYTES;
	struct memory_room room;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	memory_available(&room);
	if (each < UINT32_MAX / g->count &&
		!buffers_guard(g->ranks_on_host, each, bytes, &room, e))
		return 0;
	return err_set(e, ERR_ENV, -ENOMEM,
		"%u clients here x %u outstanding x %u queries x %u segments x "
		"%u reads of %s: %s is available; fewer clients, or lower "
		"--outstanding", g->ranks_on_host, c->outstanding, c->batch,
		c->shape.segments, c->beam_width,
		units_format_bytes(a, bytes),
		units_format_bytes(b, room.bytes));
}

static int open_engine(struct job *j, struct err *e)
{
	struct engine_spec spec = j->c->engine;
	uint64_t each = vectordb_buffers(&j->rec->config);
	int r;

	r = check_memory(j, each, e);
	if (!r && engine_spec_is_real(&spec))
		r = host_check_open_files(j->rec->config.shape.segments, e);
	if (r)
		return r;
	spec.depth = (uint32_t)each * j->c->group->count;
	spec.dir = j->rec->config.folder;
	r = opened_engine(&j->o, &spec, false, &j->rec->base, e);
	if (r)
		return r;
	if (j->c->drive)
		notes_model(&j->rec->base, j->c->drive, &spec);
	else if (!j->c->group->first)
		notes_drive(&j->rec->base, j->rec->config.folder);
	return opened_buffers(&j->o, &spec, spec.depth, j->rec->read_bytes,
		&j->rec->base, e);
}

static int check_capacity(struct job *j, struct err *e)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	if (!j->c->capacity_bytes ||
		j->rec->index_bytes <= j->c->capacity_bytes)
		return 0;
	return err_set(e, ERR_USAGE, -ENOSPC,
		"the index takes %s, %s holds %s",
		units_format_bytes(a, j->rec->index_bytes), j->c->drive,
		units_format_bytes(b, j->c->capacity_bytes));
}

static int open_job(struct job *j, struct err *e)
{
	struct vdb_config *c = &j->rec->config;
	struct record *base = &j->rec->base;
	struct group *g = j->c->group;
	struct store_namer namer = {.ctx = j, .path = path_of,
		.size_bytes = size_of};
	int r;

	opened_clock(&j->o, j->c->virtual_time, j->c->not_before_ns, base);
	r = c->shape.built ? open_indexes(j, e) : open_graphs(j, e);
	if (!r)
		r = check_capacity(j, e);
	if (j->c->drive)
		store_catalog_init(&j->store, &namer);
	else
		store_posix_init(&j->store, c->folder, &namer);
	if (!r && !g->first && base->config.results_dir[0])
		r = shared_probe_results(base->config.results_dir, 1 << 20, e);
	r = group_agree(g, r, e);
	if (!r && !j->c->drive)
		r = shared_check(g, c->folder, base->config.results_dir, base,
			e);
	if (!r)
		r = group_agree(g, open_engine(j, e), e);
	return r ? r : opened_hosts(g, base, e);
}

static int take_client(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct vdb_record *rec = arg;

	return process < rec->client_count
		       ? vdb_client_unpack(
				 &rec->clients[process], buf, size_bytes, e)
		       : err_set(e, ERR_BUG, -EBADMSG, "too many clients");
}

/* Every process started its own clock: bring the stamps to rank 0's. */
static int share_clock(struct job *j, struct vdb_client *mine, struct err *e)
{
	int64_t shift_ns;
	int r = opened_shift(&j->o, j->c->group, &shift_ns, e);
	size_t i;

	for (i = 0; !r && shift_ns && i < mine->row_count; i++) {
		mine->rows[i].intended_ns += shift_ns;
		mine->rows[i].start_ns += shift_ns;
		mine->rows[i].end_ns += shift_ns;
	}
	return r;
}

static int gather(struct job *j, struct vdb_client *mine, struct err *e)
{
	struct group *g = j->c->group;
	void *buf = NULL;
	size_t size = 0;
	int r;

	if (g->count == g->size) {
		memcpy(j->rec->clients, mine, g->size * sizeof(*mine));
		memset(mine, 0, g->size * sizeof(*mine));
		return 0;
	}
	r = share_clock(j, mine, e);
	if (!r && vdb_client_pack(mine, &buf, &size))
		r = err_nomem(e, "the record of a client");
	r = group_agree(g, r, e);
	if (!r)
		r = group_gather(g, buf, size, take_client, j->rec, e);
	free(buf);
	return group_agree(g, r, e);
}

static void disk_before(struct job *j)
{
	if (j->c->drive || j->c->group->first)
		return;
	notes_drive(&j->rec->base, j->rec->config.folder);
	j->disk_known = !diskstats_read(j->rec->config.folder, &j->before);
}

static void disk_after(struct job *j)
{
	struct vdb_device *d = &j->rec->device;
	struct diskstats now;

	if (!j->disk_known || diskstats_read(j->rec->config.folder, &now))
		return;
	j->rec->device_known = true;
	snprintf(d->name, sizeof(d->name), "%.63s", now.name);
	d->read_bytes = now.read_bytes - j->before.read_bytes;
	d->written_bytes = now.written_bytes - j->before.written_bytes;
}

static int search(struct job *j, struct err *e)
{
	struct vdb_record *rec = j->rec;
	struct group *g = j->c->group;
	struct vectordb_env env = {
		.config = &rec->config,
		.engine = j->o.engine,
		.store = &j->store,
		.group = g,
		.buffers = &j->o.buffers,
		.guides = &j->replay.guides,
		.graphs = j->graphs,
	};
	struct vdb_client *mine = calloc(g->count, sizeof(*mine));
	uint32_t i;
	int r;

	if (rec->config.shape.built) {
		env.guides = &j->search.guides;
		env.answered = vdb_answers_take;
		env.segment_answered = vdb_answers_take_segment;
		env.indexes = j->answers.indexes;
		env.ctx = &j->answers;
	}
	r = group_agree(g, mine ? 0 : err_nomem(e, "the run's record"), e);
	disk_before(j);
	if (!r)
		r = vectordb_run(&env, mine, e);
	disk_after(j);
	if (!r)
		r = gather(j, mine, e);
	if (!r && rec->config.shape.built)
		r = vdb_answers_gather(&j->answers, g, &rec->recall, e);
	for (i = 0; mine && i < g->count; i++)
		vdb_client_fini(&mine[i]);
	free(mine);
	return r;
}

/* What bends the figures, said with them. */
static void note_figures(struct job *j)
{
	struct vdb_record *rec = j->rec;
	const struct vdb_config *c = &rec->config;
	double set = rec->metrics.bytes_per_query * c->distinct;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	uint64_t memory = 0;
	uint32_t i;

	for (i = 0; i < rec->base.host_count; i++)
		memory += rec->base.hosts[i].memory_bytes;
	if (!c->shape.built)
		record_note(&rec->base, "replay",
			"a replayed index: the reads are those of such "
			"searches, but nothing is found; recall is not "
			"applicable");
	else if (rec->recall.coverage < 1)
		record_note(&rec->base, "truth",
			"the ground truth knows %" PRIu64 " of %" PRIu64
			" vectors: recall does not count, the run FAILS",
			c->shape.truth_vectors, c->shape.vectors);
	if (j->answers.without_cache)
		record_note(&rec->base, "node-cache",
			"%u of %u segments tell no most visited nodes "
			"(segment_*" VDB_CACHED_NODES "): searches keep none of "
			"theirs in memory", j->answers.without_cache,
			c->shape.segments);
	if (c->shape.copies)
		record_note(&rec->base, "copies",
			"%u segments made from one by exchanging dimensions: "
			"searches, answers and reads are real, but the "
			"segments are alike", c->shape.segments);
	if (c->schedule == VDB_PIPELINED)
		record_note(&rec->base, "pipelined",
			"pipelined: not the benchmark's schedule, which awaits "
			"all reads of a round");
	if (c->distinct && rec->counts.queries > c->distinct && !j->c->drive &&
		set < (double)memory)
		record_note(&rec->base, "repeated-queries",
			"the same %u queries again and again read at most %s, "
			"less than the hosts' %s of memory: a cache in front "
			"of the drive would answer them (%s)", c->distinct,
			units_format_bytes(a, (uint64_t)set),
			units_format_bytes(b, memory),
			c->shape.built ? "more --num-query-vectors in datagen "
					 "take longer to come again"
				       : "--num-query-vectors 0 never repeats "
					 "one");
	if (rec->unserved)
		record_note(&rec->base, "overloaded",
			"%" PRIu64 " queries were due before the end and never "
			"began: --rate is more than was served, and latencies "
			"grow for as long as it goes on", rec->unserved);
	if (rec->device_known &&
		(double)rec->device.read_bytes >
			1.01 * (double)rec->counts.read_bytes + 1e6)
		record_note(&rec->base, "other-traffic",
			"%s read %" PRIu64 " bytes meanwhile, %" PRIu64
			" of them for these queries: others use the drive",
			rec->device.name, rec->device.read_bytes,
			rec->counts.read_bytes);
}

static void close_job(struct job *j)
{
	if (!opened_close(&j->o))
		return;
	vdb_answers_close(&j->answers);
	free(j->graphs);
	free(j->table);
}

int vdb_run(const struct vdb_run *c, struct vdb_record *rec, struct err *e)
{
	struct job j = {.c = c, .rec = rec};
	struct group *g = c->group;
	int r = 0;

	opened_names(&rec->base, g, c->virtual_time);
	rec->client_count = rec->config.clients;
	if (!g->first) {
		rec->clients = calloc(rec->client_count, sizeof(*rec->clients));
		if (!rec->clients)
			r = err_nomem(e, "the run's record");
	} else {
		rec->client_count = 0;
	}
	r = group_agree(g, r, e);
	if (!r)
		r = open_job(&j, e);
	rec->start_ns = clock_now(&j.o.clock);
	if (!r)
		r = search(&j, e);
	rec->end_ns = clock_now(&j.o.clock);
	r = opened_end(&j.o, g, r, &rec->base, e);
	if (!r && !g->first) {
		rec->finished = true;
		if (vdb_record_metrics(rec))
			r = err_nomem(e, "the figures");
		else
			note_figures(&j);
	}
	close_job(&j);
	return r;
}
