/* Checkpointing runs; see ckpt_run.h. */
#include "plan/ckpt_run.h"

#include "core/file.h"
#include "core/units.h"
#include "plan/hosts.h"
#include "plan/notes.h"
#include "plan/opened.h"
#include "plan/shared.h"
#include "storage/host.h"
#include "workloads/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESULTS_BYTES_PER_OP 256

struct job {
	const struct ckpt_run *c;
	struct ckpt_record *rec;
	struct opened o;
	struct store store;
	struct ckpt_content *content;
};

uint64_t ckpt_run_room_bytes(const struct ckpt_config *c)
{
	struct ckpt_totals t;
	uint64_t kept = c->writes, bytes;

	if (c->keep && c->keep < kept)
		kept = c->keep;
	ckpt_totals(&c->shape, &t);
	return __builtin_mul_overflow(t.bytes, kept, &bytes) ? UINT64_MAX
							     : bytes;
}

/* Of the files there are under the same names: they will make room. */
static uint64_t old_bytes(struct job *j)
{
	const struct ckpt_config *c = &j->rec->config;
	uint64_t sum = 0, size, r;
	uint32_t step, i;

	/* with direct I/O the old file stays until the new one is complete */
	if (c->io == CKPT_IO_DIRECT)
		return 0;
	for (step = 1; step <= c->writes; step++)
		for (r = 0; r < c->shape.ranks; r++)
			for (i = 0; i < ckpt_rank_files(&c->shape, r); i++)
				if (!store_stat(&j->store,
					    checkpoint_file_id(&c->shape, step,
						    r, i), &size))
					sum += size;
	return sum;
}

/* No campaign starts that cannot end. */
static int check_room(struct job *j, struct err *e)
{
	const struct ckpt_config *c = &j->rec->config;
	const struct drive_profile *p = &j->c->engine.drive;
	uint64_t need = ckpt_run_room_bytes(c), have;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	if (!c->writes)
		return 0;
	if (j->c->drive) {
		have = drive_capacity_bytes(p);
		if (j->c->engine.kind != ENGINE_MODEL || !have || need <= have)
			return 0;
		return err_set(e, ERR_USAGE, -ENOSPC,
			"the checkpoints that are kept of %s take %s, --drive "
			"%s holds %s: take \"%.0fx %s\", or --keep fewer",
			c->shape.model.name, units_format_bytes(a, need),
			j->c->drive, units_format_bytes(b, have),
			ceil((double)need / (p->capacity_gb * 1e9)), p->name);
	}
	if (store_free_space(&j->store, &have, e))
		return e->code;
	if (need <= have || need <= have + old_bytes(j))
		return 0;
	return err_set(e, ERR_IO, -ENOSPC,
		"no room for the checkpoints: %s needs %s (%u of %s), %s is "
		"free; nothing was written; make room, or --keep fewer, or "
		"--num-checkpoints-write", c->folder, units_format_bytes(a, need),
		c->keep && c->keep < c->writes ? c->keep : c->writes,
		c->shape.model.name, units_format_bytes(b, have));
}

/* Loads alone: are all checkpoints there, before anybody waits? */
static int check_files(struct job *j, struct err *e)
{
	const struct ckpt_config *c = &j->rec->config;
	uint32_t k, step, i;
	uint64_t r, size, id;
	struct ckpt_file f;
	char path[4352];
	int ret;

	if (c->writes || j->c->drive)
		return 0;
	for (k = 0; k < c->reads; k++)
		for (r = 0; r < c->shape.ranks; r++)
			for (i = 0; i < ckpt_rank_files(&c->shape, r); i++) {
				step = ckpt_config_step(c, k);
				id = checkpoint_file_id(&c->shape, step, r, i);
				ckpt_rank_file(&c->shape, r, i, &f);
				ret = store_stat(&j->store, id, &size);
				if (!ret && size == f.bytes)
					continue;
				store_label(&j->store, id, path, sizeof(path));
				if (ret)
					return err_set(e, ERR_USAGE, ret,
						"checkpoint %u is not whole: "
						"no %s (%s); save with the same "
						"model, ranks and scale, or "
						"read fewer", step, path,
						strerror(-ret));
				return err_set(e, ERR_USAGE, -EBADMSG,
					"checkpoint %u is not whole: %s has %"
					PRIu64 " bytes, not %" PRIu64, step,
					path, size, f.bytes);
			}
	return 0;
}

static int open_engine(struct job *j, struct err *e)
{
	const struct ckpt_config *c = &j->rec->config;
	struct engine_spec spec = j->c->engine;
	struct group *g = j->c->group;
	uint32_t each = checkpoint_buffers(c);
	uint32_t bytes = checkpoint_buffer_bytes(c);
	int r;

	r = opened_check(g, &spec, each, bytes, g->count * 8, e);
	if (r)
		return r;
	spec.depth = each * g->count;
	spec.dir = c->folder;
	spec.buffered = c->io == CKPT_IO_REFERENCE;
	r = opened_engine(&j->o, &spec, false, &j->rec->base, e);
	if (r)
		return r;
	r = opened_buffers(&j->o, &spec, spec.depth, bytes, &j->rec->base, e);
	if (j->c->drive)
		notes_model(&j->rec->base, j->c->drive, &spec);
	else if (!g->first)
		notes_drive(&j->rec->base, c->folder);
	return r;
}

static int open_content(struct job *j, struct err *e)
{
	if (j->c->drive)
		return 0;
	j->content = malloc(sizeof(*j->content));
	if (!j->content)
		return err_nomem(e, "the content of checkpoints");
	ckpt_content_init(j->content, j->rec->config.seed);
	return 0;
}

static int open_job(struct job *j, struct err *e)
{
	struct ckpt_config *c = &j->rec->config;
	struct record *base = &j->rec->base;
	struct group *g = j->c->group;
	struct store_namer namer = {.ctx = c, .path = checkpoint_path};
	int r = 0;

	opened_clock(&j->o, j->c->virtual_time, j->c->not_before_ns, base);
	if (j->c->drive) {
		namer.size_bytes = checkpoint_size;
		namer.path = NULL;
		store_catalog_init(&j->store, &namer);
	} else {
		store_posix_init(&j->store, c->folder, &namer);
	}
	if (!g->first && base->config.results_dir[0])
		r = shared_probe_results(base->config.results_dir,
			c->shape.ranks * (16384 + ckpt_config_ops(c) *
						   RESULTS_BYTES_PER_OP), e);
	if (!r && !g->first)
		r = check_room(j, e);
	if (!r && !g->first)
		r = check_files(j, e);
	if (!r && !g->first && !j->c->drive)
		r = file_mkdirs(c->folder, e);
	r = group_agree(g, r, e);
	if (!r && !j->c->drive)
		r = shared_check(g, c->folder, base->config.results_dir, base,
			e);
	if (r)
		return r;
	r = open_engine(j, e);
	if (!r)
		r = open_content(j, e);
	r = group_agree(g, r, e);
	r = r ? r : opened_hosts(g, base, e);
	if (!r && j->c->client_memory_bytes)
		hosts_state_memory(base, j->c->client_memory_bytes);
	return r;
}

static int take_ops(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct ckpt_record *rec = arg;
	size_t each = rec->op_count * sizeof(*rec->ops);

	/* one process has all ranks, or each has one */
	if (size_bytes != each &&
		size_bytes != each * rec->config.shape.ranks)
		return err_set(e, ERR_BUG, -EBADMSG, "bad record of a rank");
	if (size_bytes)
		memcpy(rec->ops + (size_t)process * rec->op_count, buf,
			size_bytes);
	return 0;
}

static void drop_caches(void *ctx)
{
	struct job *j = ctx;
	struct err e;

	if (host_drop_caches(&e))
		record_note(&j->rec->base, "cache-drop",
			"%s; each file's own cache was dropped instead "
			"(POSIX_FADV_DONTNEED)", e.text);
}

/* Every process started its own clock: bring the stamps to rank 0's. */
static int share_clock(
	struct job *j, struct ckpt_op *ops, size_t n, struct err *e)
{
	int64_t shift_ns;
	int r = opened_shift(&j->o, j->c->group, &shift_ns, e);
	size_t i;

	for (i = 0; !r && i < n; i++) {
		ops[i].start_ns += shift_ns;
		ops[i].end_ns += shift_ns;
	}
	return r;
}

static int move(struct job *j, struct err *e)
{
	struct ckpt_record *rec = j->rec;
	struct group *g = j->c->group;
	struct checkpoint_env env = {
		.config = &rec->config,
		.engine = j->o.engine,
		.store = &j->store,
		.group = g,
		.buffers = &j->o.buffers,
		.content = j->content,
		.progress = g->first ? NULL : j->c->progress,
		.progress_ctx = j->c->ctx,
		.drop_caches = drop_caches,
		.drop_ctx = j,
	};
	size_t n = (size_t)g->count * rec->op_count;
	struct ckpt_op *mine = calloc(n + 1, sizeof(*mine));
	int r = mine ? 0 : err_nomem(e, "the run's record");

	r = group_agree(g, r, e);
	if (!r)
		r = checkpoint_run(&env, mine, e);
	if (!r)
		r = share_clock(j, mine, n, e);
	if (!r)
		r = group_agree(g,
			group_gather(g, mine, n * sizeof(*mine), take_ops, rec,
				e), e);
	free(mine);
	return r;
}

/* The drive's rate is only what it is if content was made faster. */
static void note_generator(struct ckpt_record *rec)
{
	const struct ckpt_phase *p = &rec->save;

	if (!p->count || p->fill_gib_s <= 0)
		return;
	if (p->fill_pct > 50)
		record_note(&rec->base, "generator-bound",
			"generator-bound: making content took %.0f %% of the "
			"ranks' time (%.1f MB/s a rank): the save rate is the "
			"generator's, not the drive's; use more cores or fewer "
			"ranks a host",
			p->fill_pct, p->fill_gib_s * (double)GIB_BYTES / 1e6);
}

static void note_caches(struct ckpt_record *rec)
{
	const struct ckpt_config *c = &rec->config;
	uint64_t memory = 0, written = (uint64_t)c->writes * rec->bytes;
	uint32_t i;

	if (rec->load.count && !rec->load.valid)
		record_note(&rec->base, "load-cached",
			"%.1f %% of what was loaded was in the page cache just "
			"before: load invalid as a figure of the drive "
			"(--drop-caches, or --io direct)",
			rec->load.cached_pct);
	if (rec->load.cache_unknown)
		record_note(&rec->base, "cache-unknown",
			"the file system of %s cannot tell what of a file is "
			"in memory: whether the loads were cold is NOT "
			"EVALUATED", c->folder);
	for (i = 0; i < rec->base.host_count; i++)
		memory += rec->base.hosts[i].memory_bytes;
	/* direct loads are proven cold, one by one */
	if (c->writes && c->io == CKPT_IO_REFERENCE &&
		!rec->base.time.is_virtual && written < 3 * memory)
		record_note(&rec->base, "3x-memory",
			"%.2f GiB written are less than 3 x client memory "
			"(%.2f GiB): caches must be cleared between saving and "
			"loading (Rules 4.3.1)",
			(double)written / (double)GIB_BYTES,
			3 * (double)memory / (double)GIB_BYTES);
}

static void close_job(struct job *j)
{
	if (opened_close(&j->o))
		free(j->content);
}

int ckpt_run(const struct ckpt_run *c, struct ckpt_record *rec, struct err *e)
{
	struct job j = {.c = c, .rec = rec};
	struct ckpt_totals t;
	int r = 0;

	opened_names(&rec->base, c->group, c->virtual_time);
	ckpt_totals(&rec->config.shape, &t);
	rec->bytes = t.bytes;
	rec->op_count = ckpt_config_ops(&rec->config);
	if (!c->group->first) {
		rec->ops = calloc(rec->config.shape.ranks * rec->op_count,
			sizeof(*rec->ops));
		if (!rec->ops)
			r = err_nomem(e, "the run's record");
	}
	r = group_agree(c->group, r, e);
	if (!r)
		r = open_job(&j, e);
	rec->start_ns = clock_now(&j.o.clock);
	if (!r)
		r = move(&j, e);
	rec->end_ns = clock_now(&j.o.clock);
	r = opened_end(&j.o, c->group, r, &rec->base, e);
	if (!r && !c->group->first) {
		rec->finished = true;
		ckpt_record_metrics(rec);
		note_generator(rec);
		note_caches(rec);
	}
	close_job(&j);
	return r;
}
