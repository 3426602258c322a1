/* `stoker vectordb run`: options, runs of one point or a sweep, report. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/launch.h"
#include "cli/launched.h"
#include "cli/rules_ask.h"
#include "cli/run_leaf.h"
#include "cli/vectordb.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "core/units.h"
#include "plan/vdb_run.h"
#include "results/vdb_json.h"
#include "storage/host.h"
#include "workloads/vectordb.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct command_run {
	struct vectordb_options *o;
	struct vectordb_setup *s;
	struct vdb_record *recs; /* [points x runs] */
	uint32_t done;
};

static void resolve_record(const struct command_run *x, uint32_t point,
	struct vdb_record *rec)
{
	const struct vectordb_options *o = x->o;
	struct train_config *base;

	vdb_record_init(rec);
	vectordb_point_config(x->s, point, &rec->config);
	rec->config.run = x->done;
	rec->recall.target = x->s->recall_target;
	base = &rec->base.config;
	run_sign(&rec->base, o->drive, o->results_dir, o->organization,
		o->system_name);
	snprintf(base->model, sizeof(base->model), VDB_ENGINE "_%.40s",
		o->index_type);
	base->division = x->s->division;
	not_closed_note(&x->s->not_closed, &rec->base);
}

static void drop_caches(struct group *g, struct vdb_record *rec)
{
	struct err e;

	if (g->host_leader && host_drop_caches(&e))
		record_note(&rec->base, "cache-drop",
			"%s; reads are O_DIRECT and do not come from it",
			e.text);
}

static void show(const struct command_run *x, const struct vdb_record *rec)
{
	if (!x->o->quiet)
		cli_line(true, "%u x %u, L %u: %.1f QPS, P95 %.2f ms",
			rec->config.clients, rec->config.outstanding,
			rec->config.search_list, rec->metrics.queries_per_s,
			rec->metrics.latency.p95);
}

/* Rank 0, of a run that has ended well. */
static int write_leaf(
	struct command_run *x, struct vdb_record *rec, struct err *e)
{
	char leaf[4096] = "";

	if (!x->o->results_dir)
		return 0;
	if (vectordb_write_leaf(x->o, rec, leaf, e))
		return err_wrap(e, "the run itself finished, but its files "
				   "could not be written");
	if (!x->o->quiet)
		fprintf(stderr, "results: %s\n", leaf);
	return 0;
}

static int run_all(struct command_run *x, struct group *g, struct err *e)
{
	uint32_t total = x->s->point_count * (uint32_t)x->o->runs;
	struct vdb_run c = {
		.group = g,
		.engine = x->s->engine,
		.virtual_time = x->s->virtual_time,
		.drive = x->o->drive,
		.capacity_bytes = x->s->engine.kind == ENGINE_MODEL
					  ? drive_capacity_bytes(
						    &x->s->engine.drive)
					  : 0,
	};
	char below[VECTORDB_BELOW_MAX];
	struct vdb_record *rec;
	int r = 0;

	for (; !r && x->done < total; x->done += !r) {
		rec = &x->recs[x->done];
		resolve_record(x, x->done / (uint32_t)x->o->runs, rec);
		if (x->s->virtual_time)
			c.not_before_ns = run_last_end_ns(&rec->base.config,
				x->o->division,
				vectordb_below(x->o, "run", below),
				"vector_database");
		launched_watch(g, &rec->base);
		if (x->o->drop_caches && !x->o->drive)
			drop_caches(g, rec);
		r = vdb_run(&c, rec, e);
		cli_line_end();
		if (!r && !g->first) {
			if (total > 1)
				show(x, rec);
			r = write_leaf(x, rec, e);
		}
		r = group_agree(g, r, e);
	}
	return r;
}

static int run_in_group(void *ctx, struct group *g)
{
	struct command_run *x = ctx;
	uint32_t total = x->s->point_count * (uint32_t)x->o->runs, i;
	struct vectordb_curve curve = {.goal_ns = x->s->goal_ns};
	struct err e = {.kind = ERR_NONE};
	int r, code = 0;

	x->recs = calloc(total, sizeof(*x->recs));
	r = group_agree(g, x->recs ? 0 : err_nomem(&e, "the runs"), &e);
	launch_catch_signals();
	if (!g->first && x->s->same_filesystem)
		rules_warn_filesystem("index");
	if (!r)
		r = run_all(x, g, &e);
	curve.recs = x->recs;
	curve.count = x->done ? x->done : 1;
	if (!g->first) {
		code = r ? cli_fail(&e) : 0;
		/* a goal is a verdict */
		if (!r && x->s->goal_ns && vectordb_knee(&curve) < 0)
			code = ERR_VERDICT;
		for (i = 0; !r && i < x->done; i++)
			if (!vdb_recall_ok(&x->recs[i].recall))
				code = ERR_VERDICT;
		if (x->o->json && x->recs)
			code = cli_print_report(vectordb_json(&curve),
				r ? &e : NULL, code);
		else if (!r || x->done)
			vectordb_print_text(stdout, &curve);
	} else if (r) {
		code = launched_failed(&e);
	}
	for (i = 0; x->recs && i < total && i <= x->done; i++)
		vdb_record_fini(&x->recs[i]);
	free(x->recs);
	return code;
}

static int dry_run(void *ctx)
{
	const struct command_run *x = ctx;
	const struct vdb_config *c = &x->s->config;
	char a[UNITS_TEXT_MAX];
	struct vdb_layout l;
	uint64_t index, most = 0, buffers;
	struct vdb_config point;
	struct err e;
	uint32_t i;

	if (vdb_index_bytes(&c->shape, &index, &e) ||
		vdb_layout_init(&l, vdb_segment_nodes(&c->shape, 0),
			c->shape.dim, sizeof(float), c->shape.degree, &e))
		return cli_fail(&e);
	for (i = 0; i < x->s->point_count; i++) {
		vectordb_point_config(x->s, i, &point);
		buffers = vectordb_buffers(&point);
		if (buffers > most)
			most = buffers;
	}
	printf("dry run: nothing is read or written\n");
	printf("index     %u segments, %s, on %s\n", c->shape.segments,
		units_format_bytes(a, index),
		x->o->drive ? x->o->drive : c->folder);
	if (c->shape.built)
		printf("search    L %u, W %u, node cache %s\n",
			c->search_list, c->beam_width,
			vdb_node_cache_name(c->node_cache));
	else
		printf("search    E %u, W %u, %.1f %% of the visits cached: about %.0f "
		"reads of %s a query\n", c->expansions, c->beam_width,
		100 * c->cache_share, c->shape.segments * c->expansions *
					      (1 - c->cache_share),
		units_format_bytes(a, l.read_bytes));
	printf("runs      %u of %u client%s", x->s->point_count *
		(uint32_t)x->o->runs, c->clients, c->clients == 1 ? "" : "s");
	if (c->queries)
		printf(", %" PRIu64 " queries each\n", c->queries);
	else
		printf(", %s each\n", units_format_time(a, c->runtime_ns));
	printf("memory    %" PRIu64 " buffers a client, %s in all\n", most,
		units_format_bytes(a, x->o->drive ? 0
						  : most * l.read_bytes *
							    c->clients));
	not_closed_print(&x->s->not_closed);
	return 0;
}

static int prepare(void *ctx, struct group *g, struct err *e)
{
	struct command_run *x = ctx;
	int r;

	r = launched_check(g, x->o->clients, "clients", e);
	if (!r)
		r = vectordb_resolve(x->o, x->s, e);
	if (!r)
		r = launched_check_clock(x->s->virtual_time, e);
	return r;
}

int cmd_vectordb_run(int argc, const char **argv)
{
	struct vectordb_options o;
	struct vectordb_setup s;
	struct command_run x = {.o = &o, .s = &s};
	struct launched l = {.prepare = prepare, .dry_run = dry_run,
		.run = run_in_group, .ctx = &x};
	struct err e;
	int code;

	vectordb_options_default(&o);
	if (!command_options(vectordb_run_rows, &o, argc, argv, &code))
		return code;
	if (!o.drive == !o.data_dir) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"vectordb run needs either --data-dir DIR (a real "
			"drive) or --drive MODEL (a modelled one)");
		return cli_fail_report(o.json, &e);
	}
	l.only_dry = o.dry_run;
	l.json = o.json;
	if (group_launched())
		return launched_run(&l);
	if (vectordb_resolve(&o, &s, &e))
		return cli_fail_report(o.json, &e);
	return launched_start(&l, o.clients, s.virtual_time || o.in_process,
		o.hosts_list, o.per_node);
}
