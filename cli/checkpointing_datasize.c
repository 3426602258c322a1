/* `stoker checkpointing datasize`: bytes per rank, stage and file. */
#include "cli/checkpointing.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "core/json.h"
#include "core/units.h"
#include "storage/host.h"
#include "storage/store.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct answer {
	struct ckpt_shape s;
	struct ckpt_totals t;
	uint64_t writes, disk_bytes, files;
	bool has_room_known;
	uint64_t free_bytes;
	uint64_t hosts, memory_bytes; /* of one host */
	bool measured;
};

static int no_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	(void)ctx, (void)i, (void)buf, (void)buf_bytes;
	return -ENOENT;
}

static int compute(const struct checkpointing_options *o, struct answer *a,
	struct err *e)
{
	struct store_namer namer = {.path = no_path};
	struct store store;
	int r;

	r = checkpointing_shape(o, &a->s, e);
	if (r)
		return r;
	ckpt_totals(&a->s, &a->t);
	a->writes = o->writes == UINT64_MAX ? a->s.model.writes : o->writes;
	if (__builtin_mul_overflow(a->t.bytes, a->writes, &a->disk_bytes))
		return err_set(e, ERR_USAGE, -EOVERFLOW,
			"%" PRIu64 " checkpoints of %" PRIu64 " bytes are more "
			"than 64 bits can count", a->writes, a->t.bytes);
	a->files = a->t.sum.files * a->writes;
	a->hosts = o->hosts ? o->hosts : 1;
	a->measured = !o->memory;
	a->memory_bytes = host_memory_bytes();
	if (o->memory)
		r = units_parse_bytes(o->memory, GIB_BYTES,
			"--client-host-memory-in-gb", &a->memory_bytes, e);
	if (r || !o->folder)
		return r;
	store_posix_init(&store, o->folder, &namer);
	a->has_room_known = true;
	return store_free_space(&store, &a->free_bytes, e);
}

/* Rule 4.3.1, with all checkpoints that are written: C34. */
static bool flush_needed(const struct answer *a)
{
	char figure[RULE_FIGURE_MAX];
	const struct rule *rule;

	return checkpointing_cache_rule(a->disk_bytes, a->hosts,
		       a->memory_bytes, &rule, figure) == RULE_FAIL;
}

/*
 * Ranks with equal files: of a stage those with model state (dp = 0, or all
 * with ZeRO-3) and those without.
 */
struct class {
	uint64_t stage, first_rank, ranks;
	bool model;
	struct ckpt_bytes each;
};

/* The class number i; false behind the last. */
static bool class_at(const struct ckpt_shape *s, uint64_t i, struct class *c)
{
	const struct ckpt_model *m = &s->model;
	uint64_t tp = m->tensor * m->pipeline, r, n = 0, dp;

	c->stage = i % m->pipeline;
	c->model = i < m->pipeline;
	if (i >= 2 * m->pipeline || (!c->model && m->zero_stage == 3))
		return false;
	for (r = 0; r < s->ranks; r++) {
		dp = r / tp;
		if (ckpt_place(s, r).pp != c->stage ||
			(m->zero_stage < 3 && (dp == 0) != c->model))
			continue;
		if (!n++)
			c->first_rank = r;
	}
	c->ranks = n;
	if (n)
		ckpt_rank_bytes(s, c->first_rank, &c->each);
	return true;
}

/* Are these two stages alike, so that one line stands for both? */
static bool alike(const struct class *a, const struct class *b)
{
	return a->model == b->model && a->ranks == b->ranks &&
	       a->each.files == b->each.files &&
	       a->each.model == b->each.model &&
	       a->each.optimizer == b->each.optimizer;
}

/* Files of equal kind and size stand in one line. */
static void print_files(const struct ckpt_shape *s, const struct class *c)
{
	uint32_t i, k, n = ckpt_rank_files(s, c->first_rank);
	char name[CKPT_FILE_NAME_MAX];
	struct ckpt_file f, g;

	for (i = 0; i < n; i = k) {
		ckpt_rank_file(s, c->first_rank, i, &f);
		for (k = i + 1; k < n; k++) {
			ckpt_rank_file(s, c->first_rank, k, &g);
			if (g.bytes != f.bytes || g.optimizer != f.optimizer)
				break;
		}
		printf("      %u x %14" PRIu64 " bytes  %s%s\n", k - i, f.bytes,
			ckpt_file_name(s, c->first_rank, &f, name),
			k - i > 1 ? " ..." : "");
	}
}

static void print_classes(const struct ckpt_shape *s)
{
	struct class c, next;
	uint64_t i = 0, to;
	bool more = class_at(s, 0, &c);

	printf("  ranks, by pipeline stage (T %" PRIu64 ", P %" PRIu64 ", D %"
	       PRIu64 ", ZeRO-%" PRIu64 "):\n",
		s->model.tensor, s->model.pipeline, s->data,
		s->model.zero_stage);
	while (more) {
		to = c.stage;
		while ((more = class_at(s, ++i, &next)) && alike(&c, &next))
			to = next.stage;
		if (c.ranks) {
			printf("    stage %" PRIu64, c.stage);
			if (to != c.stage)
				printf("-%" PRIu64, to);
			printf(": %" PRIu64 " rank%s%s%s, each %.6f GiB (model "
			       "%" PRIu64 " + optimizer %" PRIu64 " bytes)\n",
				c.ranks, c.ranks == 1 ? "" : "s",
				to != c.stage ? " a stage" : "",
				c.model ? "" : " without model state",
				checkpointing_gib(
					c.each.model + c.each.optimizer),
				c.each.model, c.each.optimizer);
			print_files(s, &c);
		}
		c = next;
	}
}

static void print_room(
	const struct checkpointing_options *o, const struct answer *a)
{
	char size[UNITS_TEXT_MAX];

	printf("  disk space for %" PRIu64 " checkpoint%s: %" PRIu64
	       " bytes = %.4f GiB, %" PRIu64 " files\n",
		a->writes, a->writes == 1 ? "" : "s", a->disk_bytes,
		checkpointing_gib(a->disk_bytes), a->files);
	if (a->has_room_known)
		printf("  room: %s has %s free, %s\n", o->folder,
			units_format_bytes(size, a->free_bytes),
			a->free_bytes >= a->disk_bytes ? "enough"
						       : "NOT ENOUGH");
	printf("  caches: %.2f GiB written, 3 x memory is %.2f GiB (%" PRIu64
	       " host%s x %s%s): %s (%s %s)\n",
		checkpointing_gib(a->disk_bytes),
		3 * (double)a->hosts * checkpointing_gib(a->memory_bytes),
		a->hosts, a->hosts == 1 ? "" : "s",
		units_format_bytes(size, a->memory_bytes),
		a->measured ? ", measured here" : "",
		flush_needed(a) ? "clear them between saving and loading"
				: "no need to clear them",
		rule_find("4.3.1")->id, rule_find("4.3.1")->name);
}

static void print_text(
	const struct checkpointing_options *o, const struct answer *a)
{
	const struct ckpt_shape *s = &a->s;
	const struct ckpt_model *m = &s->model;

	printf("%s: %.6f GiB a checkpoint (%" PRIu64 " bytes in %" PRIu64
	       " files), %" PRIu64 " ranks, %s\n",
		m->name, checkpointing_gib(a->t.bytes), a->t.bytes,
		a->t.sum.files, s->ranks,
		checkpointing_shape_closed(s) ? "as CLOSED asks for"
					      : "not CLOSED");
	if (m->published_size[0])
		printf("  published as %s: %s\n", m->published_size,
			m->published_remark);
	if (s->subset)
		printf("  subset: %" PRIu64 " of %" PRIu64 " ranks, with the "
		       "shards of the full scale\n", s->ranks, m->closed_ranks);
	if (s->scale_num != s->scale_den)
		printf("  not CLOSED: --scale %u/%u\n", s->scale_num,
			s->scale_den);
	printf("  %" PRIu64 " parameters; model state %" PRIu64
	       " bytes (%.6f GiB), optimizer %" PRIu64 " bytes (%.6f GiB)\n",
		s->parameters, a->t.sum.model,
		checkpointing_gib(a->t.sum.model), a->t.sum.optimizer,
		checkpointing_gib(a->t.sum.optimizer));
	printf("  heaviest rank %.3f of the mean, lightest %.3f\n",
		(double)a->t.heaviest_bytes * (double)s->ranks /
			(double)a->t.bytes,
		(double)a->t.lightest_bytes * (double)s->ranks /
			(double)a->t.bytes);
	print_classes(s);
	print_room(o, a);
	printf("  core-config hash %s\n", m->core_hash);
}

static bool add_files(struct cJSON *o, const struct ckpt_shape *s, uint64_t rank)
{
	struct cJSON *list = json_add_array(o, "files"), *item;
	uint32_t i, n = ckpt_rank_files(s, rank);
	char name[CKPT_FILE_NAME_MAX];
	struct ckpt_file f;
	bool ok = list != NULL;

	for (i = 0; ok && i < n; i++) {
		ckpt_rank_file(s, rank, i, &f);
		item = json_add_object(list, NULL);
		ok = item &&
		     json_add_string(item, "name",
			     ckpt_file_name(s, rank, &f, name)) &&
		     json_add_u64(item, "bytes", f.bytes);
	}
	return ok;
}

static bool add_ranks(struct cJSON *o, const struct ckpt_shape *s)
{
	struct cJSON *list = json_add_array(o, "ranks"), *item;
	struct ckpt_place p;
	struct ckpt_bytes b;
	bool ok = list != NULL;
	uint64_t r;

	for (r = 0; ok && r < s->ranks; r++) {
		p = ckpt_place(s, r);
		ckpt_rank_bytes(s, r, &b);
		item = json_add_object(list, NULL);
		ok = item && json_add_u64(item, "rank", r) &&
		     json_add_u64(item, "tensor", p.tp) &&
		     json_add_u64(item, "stage", p.pp) &&
		     json_add_u64(item, "data", p.dp) &&
		     json_add_u64(item, "model_bytes", b.model) &&
		     json_add_u64(item, "optimizer_bytes", b.optimizer) &&
		     json_add_u64(item, "bytes", b.model + b.optimizer) &&
		     add_files(item, s, r);
	}
	return ok;
}

static bool fill_json(struct cJSON *o, const struct answer *a)
{
	const struct ckpt_shape *s = &a->s;
	const struct ckpt_model *m = &s->model;

	return json_add_string(o, "model", m->name) &&
	       json_add_u64(o, "num_processes", s->ranks) &&
	       json_add_bool(o, "closed", checkpointing_shape_closed(s)) &&
	       json_add_bool(o, "subset", s->subset) &&
	       json_add_bool(o, "scaled", s->scale_num != s->scale_den) &&
	       json_add_u64(o, "tensor_parallel", m->tensor) &&
	       json_add_u64(o, "pipeline_parallel", m->pipeline) &&
	       json_add_u64(o, "data_parallel", s->data) &&
	       json_add_u64(o, "zero_stage", m->zero_stage) &&
	       json_add_u64(o, "parameters", s->parameters) &&
	       json_add_u64(o, "model_bytes", a->t.sum.model) &&
	       json_add_u64(o, "optimizer_bytes", a->t.sum.optimizer) &&
	       json_add_u64(o, "checkpoint_bytes", a->t.bytes) &&
	       json_add_double(o, "checkpoint_size_GB",
		       checkpointing_gib(a->t.bytes)) &&
	       json_add_u64(o, "files", a->t.sum.files) &&
	       json_add_string(o, "published_size", m->published_size) &&
	       json_add_string(o, "published_remark", m->published_remark) &&
	       json_add_u64(o, "heaviest_rank_bytes", a->t.heaviest_bytes) &&
	       json_add_u64(o, "lightest_rank_bytes", a->t.lightest_bytes) &&
	       json_add_u64(o, "num_checkpoints_write", a->writes) &&
	       json_add_u64(o, "total_disk_bytes", a->disk_bytes) &&
	       json_add_u64(o, "total_files", a->files) &&
	       json_add_u64(o, "hosts", a->hosts) &&
	       json_add_u64(o, "host_memory_bytes", a->memory_bytes) &&
	       json_add_bool(o, "flush_required", flush_needed(a)) &&
	       (!a->has_room_known ||
		       json_add_u64(o, "free_bytes", a->free_bytes)) &&
	       json_add_string(o, "core_config_hash", m->core_hash) &&
	       add_ranks(o, s);
}

static int print_json(const struct answer *a)
{
	struct cJSON *o = cJSON_CreateObject();

	return cli_print_whole(o, o && fill_json(o, a));
}

int cmd_checkpointing_datasize(int argc, const char **argv)
{
	struct checkpointing_options o;
	struct answer a = {.writes = 0};
	struct err e;
	int code;

	checkpointing_options_default(&o);
	if (!command_options(checkpointing_datasize_rows, &o,
		    argc, argv, &code))
		return code;
	if (compute(&o, &a, &e))
		return cli_fail_report(o.json, &e);
	if (o.json)
		return print_json(&a);
	print_text(&o, &a);
	return 0;
}
