/* `stoker vectordb datasize` and `datagen`: what an index takes, and writing
 * it. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/vectordb.h"

#include "accel_sim/group.h"
#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "datagen/vdb_layout.h"
#include "plan/vdb_run.h"
#include "storage/store.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

struct size {
	struct vdb_config config;
	struct vdb_layout layout; /* of the first segment */
	uint64_t index_bytes, raw_bytes, cache_bytes, estimate_bytes;
	uint64_t room_bytes;
	bool room_known;
};

static int size_up(
	const struct vectordb_options *o, struct size *z, struct err *e)
{
	struct vdb_shape *s = &z->config.shape;
	struct statvfs f;
	int r;

	memset(z, 0, sizeof(*z));
	r = vectordb_shape(o, &z->config, e);
	if (!r)
		r = vdb_layout_init(&z->layout, vdb_segment_nodes(s, 0),
			vdb_stored_dim(s), sizeof(float), s->degree, e);
	if (!r)
		r = vdb_index_bytes(s, &z->index_bytes, e);
	if (r)
		return r;
	z->raw_bytes = s->vectors * s->dim * sizeof(float);
	/* the benchmark's own, of one shard */
	z->estimate_bytes = z->raw_bytes / 10 * 13;
	/* vector and list of the cached nodes, as Milvus sizes its cache */
	z->cache_bytes = s->vectors * VDB_CACHE_PCT / 100 *
			 (4ULL * s->dim + 4ULL * (s->degree + 1));
	if (!o->data_dir)
		return 0;
	if (statvfs(o->data_dir, &f))
		return err_set(e, ERR_USAGE, -errno, "--data-dir %s: %s",
			o->data_dir, strerror(errno));
	z->room_known = true;
	z->room_bytes = (uint64_t)f.f_bavail * f.f_frsize;
	return 0;
}

static void print_size(const struct size *z, const struct vectordb_options *o)
{
	const struct vdb_shape *s = &z->config.shape;
	const struct vdb_layout *l = &z->layout;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	printf("%" PRIu64 " bytes (%s) of index for %" PRIu64 " vectors of %u "
		"dimensions\n", z->index_bytes,
		units_format_bytes(a, z->index_bytes), s->vectors, s->dim);
	printf("segments   %u, of %" PRIu64 " vectors or one less\n",
		s->segments, vdb_segment_nodes(s, s->segments - 1));
	printf("node       %" PRIu64 " bytes (vector %" PRIu64 ", degree %u); ",
		l->node_bytes, l->vector_bytes, l->degree);
	if (l->per_sector)
		printf("%u in a sector", l->per_sector);
	else
		printf("%u sectors each", l->sectors_per_node);
	printf("; one read is %u bytes, %.0f %% of it useful\n", l->read_bytes,
		100 * (double)l->node_bytes / l->read_bytes);
	printf("vectors    %s raw; the benchmark's estimate is %s (x 1.3)\n",
		units_format_bytes(a, z->raw_bytes),
		units_format_bytes(b, z->estimate_bytes));
	printf("node cache %s would hold %u %% of the nodes (a replay makes "
		"them again instead)\n", units_format_bytes(a, z->cache_bytes),
		VDB_CACHE_PCT);
	if (z->room_known)
		printf("room       %s free in %s: %s\n",
			units_format_bytes(a, z->room_bytes), o->data_dir,
			z->room_bytes >= z->index_bytes ? "enough"
							: "NOT ENOUGH");
}

static int print_doc(struct cJSON *doc, bool ok)
{
	if (ok)
		return cli_print_report(doc, NULL, 0);
	cJSON_Delete(doc);
	return cli_print_report(NULL, NULL, 0);
}

static bool add_shape(struct cJSON *o, const struct vdb_shape *s,
	uint64_t index_bytes)
{
	return o && json_add_u64(o, "num_vectors", s->vectors) &&
	       json_add_u64(o, "dimension", s->dim) &&
	       json_add_u64(o, "max_degree", s->degree) &&
	       json_add_u64(o, "segments", s->segments) &&
	       json_add_u64(o, "index_bytes", index_bytes);
}

int cmd_vectordb_datasize(int argc, const char **argv)
{
	struct vectordb_options o;
	struct cJSON *doc;
	struct size z;
	struct err e;
	bool ok;
	int code;

	vectordb_options_default(&o);
	if (!command_options(vectordb_datasize_rows, &o, &o.json, argc, argv, &code))
		return code;
	if (size_up(&o, &z, &e))
		return cli_fail_report(o.json, &e);
	if (!o.json) {
		print_size(&z, &o);
		return z.room_known && z.room_bytes < z.index_bytes
			       ? ERR_VERDICT
			       : 0;
	}
	doc = cJSON_CreateObject();
	ok = add_shape(doc, &z.config.shape, z.index_bytes) &&
	     json_add_u64(doc, "node_bytes", z.layout.node_bytes) &&
	     json_add_u64(doc, "nodes_per_sector", z.layout.per_sector) &&
	     json_add_u64(doc, "bytes_per_read", z.layout.read_bytes) &&
	     json_add_u64(doc, "raw_bytes", z.raw_bytes) &&
	     json_add_u64(doc, "estimate_bytes", z.estimate_bytes) &&
	     json_add_u64(doc, "node_cache_bytes", z.cache_bytes) &&
	     (!z.room_known || json_add_u64(doc, "free_bytes", z.room_bytes));
	return print_doc(doc, ok);
}

struct command_gen {
	struct vectordb_options *o;
	struct vectordb_setup s;
	struct size size;
	char folder[4096];
};

static void show(void *ctx, uint64_t vectors)
{
	const struct command_gen *x = ctx;

	if (!x->o->quiet)
		cli_line(false, "%" PRIu64 " of %" PRIu64 " vectors%s",
			vectors, x->size.config.shape.vectors,
			x->o->clients > 1 ? ", by the first process" : "");
}

static void print_written(
	const struct command_gen *x, const struct vdb_written *w)
{
	double s = (double)(w->end_ns - w->start_ns) / 1e9;
	const struct vdb_shape *shape = &x->size.config.shape;
	char a[UNITS_TEXT_MAX];

	if (w->was_complete) {
		printf("%s is complete already: nothing to do\n", x->folder);
		return;
	}
	printf("%" PRIu64 " vectors in %u segments written to %s\n",
		shape->vectors, shape->segments, x->folder);
	printf("%s in %" PRIu64 " segments in %.3f s (%.2f GB/s); ",
		units_format_bytes(a, w->bytes), w->segments, s,
		s > 0 ? (double)w->bytes / 1e9 / s : 0);
	if (shape->built)
		printf("%.0f vectors a second; %u queries with %u answers "
			"each\n", s > 0 ? (double)shape->vectors / s : 0,
			shape->queries, shape->truth_k);
	else
		printf("a replayed index: reads as of a real one, no "
			"answers\n");
}

static int generate(void *ctx, struct group *g)
{
	struct command_gen *x = ctx;
	struct vdb_generate p = {
		.engine = &x->s.engine,
		.shape = &x->size.config.shape,
		.folder = x->folder,
		.overwrite = x->o->overwrite,
		.vectors = x->o->vectors_file,
		.queries = x->o->queries_file,
		.ctx = x,
	};
	struct vdb_written w;
	struct cJSON *doc;
	struct err e;
	bool ok;
	int r;

	launch_catch_signals();
	p.group = g;
	if (!g->first)
		p.progress = show;
	r = vdb_generate(&p, &w, &e);
	cli_line_end();
	if (r && g->first)
		launch_failed(&e);
	if (r)
		return g->first ? (int)e.kind
				: cli_fail_report(x->o->json, &e);
	if (g->first)
		return 0;
	if (!x->o->json) {
		print_written(x, &w);
		return 0;
	}
	doc = cJSON_CreateObject();
	ok = add_shape(doc, &x->size.config.shape, x->size.index_bytes) &&
	     json_add_string(doc, "status", "finished") &&
	     json_add_string(doc, "folder", x->folder) &&
	     json_add_bool(doc, "was_complete", w.was_complete) &&
	     json_add_u64(doc, "written_bytes", w.bytes) &&
	     json_add_double(doc, "seconds",
		     (double)(w.end_ns - w.start_ns) / 1e9);
	return print_doc(doc, ok);
}

static int dry_run(void *ctx)
{
	const struct command_gen *x = ctx;

	printf("dry run: nothing is written to %s\n", x->folder);
	print_size(&x->size, x->o);
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct command_gen *x = ctx;

	return launched_check(g, x->o->clients, "processes", e);
}

static int resolve(struct command_gen *x, struct err *e)
{
	struct vectordb_options o = *x->o;
	int r;

	o.data_dir = NULL; /* it need not exist yet */
	r = size_up(&o, &x->size, e);
	if (!r)
		r = vectordb_folder(x->o, x->folder, e);
	if (!r)
		r = vectordb_parse_engine(x->o, &x->s, e);
	x->s.engine.dir = x->o->data_dir;
	return r;
}

int cmd_vectordb_datagen(int argc, const char **argv)
{
	struct vectordb_options o;
	struct command_gen x = {.o = &o};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = generate, .ctx = &x};
	struct err e;
	int code;

	vectordb_options_default(&o);
	if (!command_options(vectordb_datagen_rows, &o, &o.json, argc, argv, &code))
		return code;
	if (!o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"vectordb datagen needs --data-dir DIR");
		return cli_fail_report(o.json, &e);
	}
	if (resolve(&x, &e))
		return cli_fail_report(o.json, &e);
	l.only_dry = o.dry_run;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	return launched_start(&l, o.in_process ? 1 : o.clients, o.in_process,
		o.hosts_list, o.per_node);
}
