/* `stoker vectordb datasize` and `datagen`: what an index takes, and writing
 * it. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/resolve.h"
#include "cli/vectordb.h"

#include "accel_sim/group.h"
#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "datagen/vdb_cache.h"
#include "datagen/vdb_layout.h"
#include "plan/hosts.h"
#include "plan/vdb_run.h"
#include "storage/clock.h"
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
	uint64_t index_bytes, raw_bytes, cache_nodes, cache_bytes;
	uint64_t estimate_bytes;
	uint64_t room_bytes;
	bool room_known;
	const char *where; /* the room is: a folder, or a modelled drive */
};

/* How much there is to write to; a drive without an end has room. */
static int find_room(
	const struct vectordb_options *o, struct size *z, struct err *e)
{
	struct vectordb_setup s;
	struct statvfs f;
	int r;

	memset(&s, 0, sizeof(s));
	if (o->drive && o->data_dir)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive and --data-dir exclude each other");
	z->where = o->drive ? o->drive : o->data_dir;
	if (o->drive) {
		r = vectordb_parse_engine(o, &s, e);
		z->room_known = !r && s.engine.kind == ENGINE_MODEL;
		if (z->room_known)
			z->room_bytes = drive_capacity_bytes(&s.engine.drive);
		return r;
	}
	if (!o->data_dir)
		return 0;
	if (statvfs(o->data_dir, &f))
		return err_set(e, ERR_USAGE, -errno, "--data-dir %s: %s",
			o->data_dir, strerror(errno));
	z->room_known = true;
	z->room_bytes = (uint64_t)f.f_bavail * f.f_frsize;
	return 0;
}

static int size_up(
	const struct vectordb_options *o, struct size *z, struct err *e)
{
	struct vdb_shape *s = &z->config.shape;
	uint32_t i;
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
	for (i = 0; i < s->segments; i++)
		z->cache_nodes += vdb_cache_count(
			vdb_segment_nodes(s, i), s->dim, s->degree);
	z->cache_bytes = z->cache_nodes *
			 (4ULL * s->dim + 4ULL * (s->degree + 1));
	return find_room(o, z, e);
}

/* Reads of a query follow from the profile, not from the number of vectors:
 * fewer have the same. */
static void print_room(const struct size *z)
{
	const struct vdb_shape *s = &z->config.shape;
	double each = (double)z->index_bytes / (double)s->vectors;
	uint64_t fit = (uint64_t)(0.9 * (double)z->room_bytes / each);
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	printf("room       %s free in %s: ",
		units_format_bytes(a, z->room_bytes), z->where);
	if (z->room_bytes >= z->index_bytes)
		printf("enough, %s would be left\n", units_format_bytes(b,
			z->room_bytes - z->index_bytes));
	else
		printf("NOT ENOUGH, %" PRIu64 " bytes (%s) too few\n",
			z->index_bytes - z->room_bytes,
			units_format_bytes(b, z->index_bytes - z->room_bytes));
	if (fit >= s->vectors)
		return;
	if (fit >= s->segments)
		printf("           with a tenth left free, %" PRIu64 " vectors "
			"in %u segments fit; as many reads a query, from a "
			"smaller file:\n           --num-vectors %" PRIu64
			" --segments %u\n", fit, s->segments, fit,
			s->segments);
}

static void print_size(const struct size *z)
{
	const struct vdb_shape *s = &z->config.shape;
	const struct vdb_layout *l = &z->layout;
	uint64_t most = vdb_segment_nodes(s, s->segments - 1);
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	printf("%" PRIu64 " bytes (%s) of index for %" PRIu64 " vector%s of "
		"%u dimension%s\n", z->index_bytes,
		units_format_bytes(a, z->index_bytes), s->vectors,
		plural(s->vectors), s->dim, plural(s->dim));
	printf("segments   %u, of %" PRIu64 " vector%s%s\n", s->segments, most,
		plural(most), s->vectors % s->segments ? " or one less" : "");
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
	printf("node cache %s would hold %.1f %% of the nodes (a replay makes "
		"them again instead)\n", units_format_bytes(a, z->cache_bytes),
		100 * (double)z->cache_nodes / (double)s->vectors);
	if (z->room_known)
		print_room(z);
}

static int print_doc(struct cJSON *doc, bool ok, int code)
{
	if (ok)
		return cli_print_report(doc, NULL, code);
	cJSON_Delete(doc);
	return cli_print_report(NULL, NULL, code);
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

/* The folder of a command that runs in this process alone. */
static int write_phase(const struct vectordb_options *o,
	struct vectordb_phase *p, struct err *e)
{
	struct group *g = NULL;
	struct clock clock;
	struct record rec;
	char leaf[4096];
	int r;

	record_init(&rec);
	clock_start(&clock, false);
	r = group_local_open(1, &g, e);
	if (!r)
		r = hosts_gather(g, true, &rec, e);
	p->hosts = &rec;
	p->wall_ns = clock.wall_anchor_ns;
	p->took_ns = clock_now(&clock);
	if (!r)
		r = vectordb_write_phase(o, p, leaf, e);
	if (!r && !o->quiet)
		fprintf(stderr, "results: %s\n", leaf);
	record_fini(&rec);
	if (g)
		group_close(g);
	return r;
}

int cmd_vectordb_datasize(int argc, const char **argv)
{
	struct vectordb_phase p = {.command = "datasize",
		.rows = vectordb_datasize_rows};
	enum rec_division division;
	struct vectordb_options o;
	struct cJSON *doc;
	struct size z;
	struct err e;
	bool ok;
	int code;

	vectordb_options_default(&o);
	if (!command_options(vectordb_datasize_rows, &o, argc, argv, &code))
		return code;
	p.shape = &z.config.shape;
	if (resolve_division(o.division, &division, &e))
		return cli_fail_report(o.json, &e);
	if (size_up(&o, &z, &e))
		return cli_fail_report(o.json, &e);
	p.index_bytes = z.index_bytes;
	if (o.results_dir && write_phase(&o, &p, &e))
		return cli_fail_report(o.json, &e);
	code = z.room_known && z.room_bytes < z.index_bytes ? ERR_VERDICT : 0;
	if (!o.json) {
		print_size(&z);
		return code;
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
	return print_doc(doc, ok, code);
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
	FILE *f, const struct command_gen *x, const struct vdb_written *w)
{
	double s = (double)(w->end_ns - w->start_ns) / 1e9;
	const struct vdb_shape *shape = &x->size.config.shape;
	char a[UNITS_TEXT_MAX];

	if (x->o->drive) {
		fprintf(f, "%" PRIu64 " vector%s in %u segment%s, %s, %s room "
			"on %s (modelled: nothing was written)\n",
			shape->vectors, plural(shape->vectors), shape->segments,
			plural(shape->segments),
			units_format_bytes(a, x->size.index_bytes),
			shape->vectors == 1 ? "has" : "have", x->o->drive);
		return;
	}
	if (w->was_complete) {
		fprintf(f, "%s is complete already: nothing to do\n",
			x->folder);
		return;
	}
	fprintf(f, "%" PRIu64 " vector%s in %u segment%s %s %s\n",
		shape->vectors, plural(shape->vectors), shape->segments,
		plural(shape->segments),
		w->segments == shape->segments ? "written to" : "are in",
		x->folder);
	if (w->segments)
		fprintf(f, "%s in %" PRIu64 " segment%s%s in %.3f s (%.1f "
			"MB/s); ", units_format_bytes(a, w->bytes), w->segments,
			plural(w->segments),
			w->segments < shape->segments ? ", the rest," : "", s,
			s > 0 ? (double)w->bytes / 1e6 / s : 0);
	else
		fprintf(f, "all segments were there already; ");
	if (shape->built && w->segments)
		fprintf(f, "%.0f vectors a second; ",
			s > 0 ? (double)w->vectors / s : 0);
	if (shape->built)
		fprintf(f, "%u quer%s with %u answer%s each%s\n",
			shape->queries, shape->queries == 1 ? "y" : "ies",
			shape->truth_k, plural(shape->truth_k), shape->copies
			? "; all segments made from one" : "");
	else
		fprintf(f, "a replayed index: reads as of a real one, no "
			"answers\n");
}

static int print_result(const struct command_gen *x, const struct vdb_written *w)
{
	struct cJSON *doc;
	bool ok;

	if (!x->o->json) {
		print_written(stdout, x, w);
		return 0;
	}
	doc = cJSON_CreateObject();
	ok = add_shape(doc, &x->size.config.shape, x->size.index_bytes) &&
	     json_add_string(doc, "status", "finished") &&
	     (x->o->drive ? json_add_string(doc, "drive", x->o->drive)
			  : json_add_string(doc, "folder", x->folder)) &&
	     json_add_bool(doc, "was_complete", w->was_complete) &&
	     json_add_u64(doc, "written_bytes", w->bytes) &&
	     json_add_double(doc, "seconds",
		     (double)(w->end_ns - w->start_ns) / 1e9);
	return print_doc(doc, ok, 0);
}

/* Rank 0: the folder of results, if one was asked for, with what was said. */
static int write_results(const struct command_gen *x, struct record *hosts,
	const struct clock *clock, const struct vdb_written *w, struct err *e)
{
	struct vectordb_phase p = {.command = "datagen",
		.rows = vectordb_datagen_rows,
		.shape = &x->size.config.shape,
		.index_bytes = x->size.index_bytes,
		.hosts = hosts,
		.wall_ns = clock->wall_anchor_ns,
		.took_ns = clock_now(clock)};
	char leaf[4096], *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int r;

	if (!f)
		return err_nomem(e, "the log");
	print_written(f, x, w);
	fclose(f);
	p.text = text;
	r = vectordb_write_phase(x->o, &p, leaf, e);
	if (!r && !x->o->quiet)
		fprintf(stderr, "results: %s\n", leaf);
	free(text);
	return r;
}

static int generate(void *ctx, struct group *g)
{
	struct command_gen *x = ctx;
	struct vdb_generate p = {
		.group = g,
		.engine = &x->s.engine,
		.shape = &x->size.config.shape,
		.folder = x->folder,
		.overwrite = x->o->overwrite,
		.vectors = x->o->vectors_file,
		.queries = x->o->queries_file,
		.progress = g->first ? NULL : show,
		.ctx = x,
	};
	struct vdb_written w = {.bytes = 0};
	struct clock clock;
	struct record hosts;
	struct err e;
	int r, code;

	launch_catch_signals();
	record_init(&hosts);
	clock_start(&clock, false);
	r = x->o->drive ? 0 : vdb_generate(&p, &w, &e);
	cli_line_end();
	if (!r && x->o->results_dir)
		r = group_agree(g, hosts_gather(g, true, &hosts, &e), &e);
	if (!r && x->o->results_dir && !g->first)
		r = write_results(x, &hosts, &clock, &w, &e);
	if (r && g->first)
		launch_failed(&e);
	if (r)
		code = g->first ? (int)e.kind : cli_fail_report(x->o->json, &e);
	else
		code = g->first ? 0 : print_result(x, &w);
	record_fini(&hosts);
	return code;
}

static int dry_run(void *ctx)
{
	const struct command_gen *x = ctx;

	printf("dry run: nothing is written to %s\n",
		x->o->drive ? x->o->drive : x->folder);
	print_size(&x->size);
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
	enum rec_division division;
	int r;

	o.data_dir = NULL; /* it need not exist yet */
	r = resolve_division(o.division, &division, e);
	if (!r)
		r = size_up(&o, &x->size, e);
	if (!r && !o.drive)
		r = vectordb_folder(x->o, x->folder, e);
	if (!r)
		r = vectordb_parse_engine(x->o, &x->s, e);
	if (r)
		return r;
	x->s.engine.dir = x->o->data_dir;
	if (o.drive && o.overwrite)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive and --overwrite exclude each other: nothing "
			"is written to a modelled drive");
	if (o.drive && x->size.room_known &&
		x->size.room_bytes < x->size.index_bytes)
		return err_set(e, ERR_USAGE, -ENOSPC,
			"the index takes %" PRIu64 " bytes, %s has %" PRIu64
			"; fewer vectors, or more drives (--drive '2x %s')",
			x->size.index_bytes, o.drive, x->size.room_bytes,
			o.drive);
	return 0;
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
	if (!command_options(vectordb_datagen_rows, &o, argc, argv, &code))
		return code;
	if (!o.drive == !o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"vectordb datagen needs either --data-dir DIR (a real "
			"drive) or --drive MODEL (a modelled one)");
		return cli_fail_report(o.json, &e);
	}
	if (resolve(&x, &e))
		return cli_fail_report(o.json, &e);
	l.only_dry = o.dry_run;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	return launched_start(&l, o.in_process || o.drive ? 1 : o.clients,
		o.in_process, o.hosts_list, o.per_node);
}
