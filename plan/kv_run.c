/* KV cache runs; see kv_run.h. */
#include "plan/kv_run.h"

#include "core/file.h"
#include "core/units.h"
#include "plan/notes.h"
#include "plan/opened.h"
#include "plan/shared.h"
#include "storage/host.h"
#include "workloads/kv_cache.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FREE_SHARE 0.95
#define PRECONDITION_TOKENS 2048
#define RESULTS_BYTES_PER_TRIAL (4 * MIB_BYTES)

struct job {
	const struct kv_run *c;
	struct kv_record *rec;
	struct opened o;
	struct store store;
	struct kvcache_env env;
	struct ckpt_content *content;
	const struct kv_config *config; /* of the current option */
	uint32_t trial;
};

/* What another trial, or another program, has left in the ranks' folders. */
static int clean_folders(struct job *j, const struct kv_config *c,
	bool remove_them, struct err *e)
{
	struct group *g = j->c->group;
	char dir[4096], path[4400];
	struct dirent *de;
	size_t len;
	uint32_t i;
	int r = 0;
	DIR *d;

	for (i = 0; !r && i < g->count; i++) {
		r = kvcache_rank_dir(c, g->first + i, dir, sizeof(dir));
		if (r)
			return err_set(e, ERR_USAGE, r,
				"--cache-dir: path too long");
		if (!remove_them)
			r = file_mkdirs(dir, e);
		d = r ? NULL : opendir(dir);
		while (d && (de = readdir(d))) {
			len = strlen(de->d_name);
			if ((len < 4 || strcmp(de->d_name + len - 4, ".npy")) &&
				(len < 9 || strcmp(de->d_name + len - 9,
						    ".npy.part")))
				continue;
			snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
			if (unlink(path) && errno != ENOENT)
				r = err_set(e, ERR_IO, -errno,
					"cannot remove %s: %s", path,
					strerror(errno));
		}
		if (d)
			closedir(d);
		/* empty folders go too; one with other files stays */
		if (remove_them)
			rmdir(dir);
	}
	return r;
}

/* Of a rank; and is it enough for what is being written at any time? */
static int storage_limit(struct job *j, struct kv_config *c, struct err *e)
{
	uint64_t free_bytes = UINT64_MAX, need, largest = 0, k;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];
	const struct kv_workload *w = j->c->workload;
	uint64_t capacity = drive_capacity_bytes(&j->c->engine.drive);

	if (!j->c->drive && store_free_space(&j->store, &free_bytes, e))
		return e->code;
	if (j->c->drive && capacity)
		free_bytes = capacity;
	if (free_bytes != UINT64_MAX)
		free_bytes /= j->c->group->ranks_on_host
				      ? j->c->group->ranks_on_host
				      : 1;
	for (k = 0; k < w->kind_count; k++)
		if (w->kinds[k].context[1] > largest)
			largest = w->kinds[k].context[1];
	largest *= c->model.token_bytes;
	if (!c->storage_limit_set)
		c->limits[KV_STORAGE] =
			free_bytes == UINT64_MAX
				? UINT64_MAX / 4
				: (uint64_t)((double)free_bytes * FREE_SHARE);
	/* entries in use are never deleted: those must fit */
	need = largest * (c->opt.allocations ? c->opt.allocations
					     : c->opt.users);
	if (c->limits[KV_STORAGE] > free_bytes)
		return err_set(e, ERR_USAGE, -ENOSPC,
			"--storage-capacity-gb: %s a rank, but %s has %s free "
			"for each",
			units_format_bytes(a, c->limits[KV_STORAGE]),
			j->c->drive ? j->c->drive : c->cache_dir,
			units_format_bytes(b, free_bytes));
	if (need > c->limits[KV_STORAGE])
		record_note(&j->rec->base, "little-room",
			"the storage tier of a rank holds %s, the %u entries "
			"that may be written at a time can take %s: entries "
			"are deleted while they are still wanted, and %s",
			units_format_bytes(a, c->limits[KV_STORAGE]),
			c->opt.allocations, units_format_bytes(b, need),
			c->io == KV_IO_DIRECT ? "writes wait for room"
					      : "it may run over");
	return 0;
}

static int open_engine(struct job *j, const struct kv_config *c, struct err *e)
{
	struct engine_spec spec = j->c->engine;
	struct group *g = j->c->group;
	int r;

	r = opened_check(g, &spec, c->buffers, c->request_bytes,
		(uint64_t)g->count * c->opt.users + 16, e);
	if (r)
		return r;
	/* each worker may have its fsync out beside the buffers */
	spec.depth = (c->buffers + c->opt.users) * g->count;
	spec.dir = c->cache_dir;
	if (!g->first && !engine_spec_is_real(&spec))
		notes_model(&j->rec->base, j->c->drive, &spec);
	if (spec.kind == ENGINE_MODEL && c->io == KV_IO_REFERENCE)
		spec.drive.sequential_read_gb_per_s *=
			j->c->workload->host.buffered_read_share;
	r = opened_engine(&j->o, &spec, false, &j->rec->base, e);
	if (r)
		return r;
	return opened_buffers(&j->o, &spec, c->buffers * g->count,
		c->request_bytes, &j->rec->base, e);
}

struct taking {
	struct kv_trial *trial;
	uint32_t taken;
};

static int take_ranks(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct taking *t = arg;
	const char *at = buf;
	size_t used = 0;
	int r = 0;

	(void)process;
	while (!r && size_bytes) {
		if (t->taken == t->trial->rank_count)
			return err_set(e, ERR_BUG, -EBADMSG,
				"more records than ranks");
		r = kv_rank_unpack(&t->trial->ranks[t->taken++], at, size_bytes,
			&used, e);
		at += used;
		size_bytes -= used;
	}
	return r;
}

/* All ranks of a process as one message to rank 0. */
static int gather(struct job *j, const struct kv_rank_result *mine,
	struct kv_trial *t, struct err *e)
{
	struct group *g = j->c->group;
	struct taking taking = {.trial = t};
	char *all = NULL, *more;
	size_t size = 0, one;
	void *buf;
	uint32_t i;
	int r = 0;

	for (i = 0; !r && i < g->count; i++) {
		if (kv_rank_pack(&mine[i], &buf, &one)) {
			r = err_nomem(e, "the record of a rank");
			break;
		}
		more = realloc(all, size + one);
		if (!more) {
			r = err_nomem(e, "the record of a rank");
		} else {
			all = more;
			memcpy(all + size, buf, one);
			size += one;
		}
		free(buf);
	}
	r = group_agree(g, r, e);
	if (!r)
		r = group_agree(g,
			group_gather(g, all, size, take_ranks, &taking, e), e);
	free(all);
	return r;
}

static void progress(void *ctx, const struct kvcache_progress *p)
{
	struct job *j = ctx;

	j->c->progress(j->c->ctx, j->config, j->trial, p);
}

/* Sleep, but leave when asked to. */
static int pause_for(struct job *j, int64_t ns, struct err *e)
{
	int64_t end = clock_monotonic_ns() + ns, left;
	struct timespec ts;

	if (j->o.clock.is_virtual)
		return 0; /* nothing would happen in it */
	while ((left = end - clock_monotonic_ns()) > 0) {
		if (loop_interrupted)
			return err_set(e, ERR_IO, -EINTR, "interrupted");
		group_set_phase(j->c->group, WATCH_BETWEEN, 0, 0);
		if (left > NS_PER_S / 10)
			left = NS_PER_S / 10;
		ts.tv_sec = 0;
		ts.tv_nsec = left;
		nanosleep(&ts, NULL);
	}
	return 0;
}

static uint64_t device_bytes(struct job *j, int (*get)(uint64_t *bytes))
{
	uint64_t bytes = 0;

	if (!j->c->drive)
		get(&bytes);
	return bytes / j->c->group->count;
}

/* One run of all ranks into `mine`. */
static int run_once(struct job *j, struct kv_config *c,
	const struct kv_workload *w, bool keep, struct kv_rank_result *mine,
	struct err *e)
{
	struct group *g = j->c->group;
	uint64_t read = device_bytes(j, host_device_read_bytes);
	uint64_t written = device_bytes(j, host_device_written_bytes);
	uint32_t i;
	int r;

	j->env.config = c;
	j->env.workload = w;
	/* what preconditions a drive is not what was recorded */
	j->env.trace = w == j->c->workload ? j->c->trace : NULL;
	j->env.engine = j->o.engine;
	j->env.store = &j->store;
	j->env.group = g;
	j->env.buffers = &j->o.buffers;
	j->env.content = j->content;
	j->env.progress = g->first || !j->c->progress ? NULL : progress;
	j->env.progress_ctx = j;
	r = kvcache_run(&j->env, keep, mine, e);
	read = device_bytes(j, host_device_read_bytes) - read;
	written = device_bytes(j, host_device_written_bytes) - written;
	for (i = 0; i < g->count; i++) {
		mine[i].device_read_bytes = read;
		mine[i].device_written_bytes = written;
	}
	return group_agree(g, r, e);
}

/* Write entries of 2,048 tokens until twice the capacity has gone. */
static int precondition(struct job *j, const struct kv_config *of,
	struct err *e)
{
	struct kv_config *c = malloc(sizeof(*c));
	struct kv_workload *w = malloc(sizeof(*w));
	uint32_t n = j->c->group->count, i;
	struct kv_rank_result *mine = calloc(n, sizeof(*mine));
	int r = 0;

	if (!c || !w || !mine)
		r = err_nomem(e, "preconditioning");
	r = group_agree(j->c->group, r, e);
	if (!r) {
		*c = *of;
		*w = *j->c->workload;
		w->fixed_context = PRECONDITION_TOKENS;
		w->prefill_only_tokens = 1;
		c->multi_turn = c->prefix = false;
		c->rag_documents = 0;
		c->token_ns = 0;
		c->limits[KV_GPU] = c->limits[KV_CPU] = 0;
		c->stop_written_bytes = 2 * c->limits[KV_STORAGE];
		c->duration_ns = 7 * 86400 * NS_PER_S;
		r = run_once(j, c, w, false, mine, e);
	}
	for (i = 0; mine && i < n; i++)
		kv_rank_result_fini(&mine[i]);
	free(mine);
	free(w);
	free(c);
	return r;
}

static void stamp(const struct job *j, struct kv_trial *t)
{
	time_t s = (time_t)((j->o.clock.wall_anchor_ns + t->start_ns) / NS_PER_S);
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(t->stamp, sizeof(t->stamp), "%Y%m%d_%H%M%S", &tm);
}

static int run_trial(struct job *j, struct kv_option_result *o, bool last,
	struct err *e)
{
	struct group *g = j->c->group;
	struct kv_trial *t = &o->trials[o->trial_count];
	struct kv_rank_result *mine = calloc(g->count, sizeof(*mine));
	uint32_t i;
	int r = mine ? 0 : err_nomem(e, "the record of ranks");

	j->trial = o->trial_count;
	j->config = &o->config;
	if (!r && !j->c->drive)
		r = clean_folders(j, &o->config, false, e);
	r = group_agree(g, r, e);
	if (!r)
		r = group_agree(g, pause_for(j, j->rec->delay_ns, e), e);
	if (!r && !o->trial_count)
		r = group_agree(g, storage_limit(j, &o->config, e), e);
	if (!r && j->c->precondition && !o->trial_count)
		r = precondition(j, &o->config, e);
	t->start_ns = clock_now(&j->o.clock);
	stamp(j, t);
	if (!r)
		r = run_once(j, &o->config, j->c->workload,
			j->c->keep_files && last, mine, e);
	if (!r)
		r = gather(j, mine, t, e);
	for (i = 0; mine && i < g->count; i++)
		kv_rank_result_fini(&mine[i]);
	free(mine);
	if (r)
		return r;
	o->trial_count++;
	if (!g->first) {
		kv_option_aggregate(o);
		if (j->c->trial_done)
			r = j->c->trial_done(
				j->c->ctx, o, o->trial_count - 1, e);
	}
	r = group_agree(g, r, e);
	return r ? r : group_agree(g, pause_for(j, j->rec->delay_ns, e), e);
}

static int run_option(struct job *j, struct kv_option_result *o, struct err *e)
{
	struct group *g = j->c->group;
	uint32_t i;
	int r = 0;

	o->trials = calloc(j->rec->trials, sizeof(*o->trials));
	if (!o->trials)
		r = err_nomem(e, "the trials");
	for (i = 0; !r && !g->first && i < j->rec->trials; i++) {
		o->trials[i].rank_count = g->size;
		o->trials[i].ranks =
			calloc(g->size, sizeof(*o->trials[i].ranks));
		if (!o->trials[i].ranks)
			r = err_nomem(e, "the trials");
	}
	if (!r)
		r = open_engine(j, &o->config, e);
	r = group_agree(g, r, e);
	for (i = 0; !r && i < j->rec->trials; i++)
		r = run_trial(j, o, i + 1 == j->rec->trials, e);
	opened_close(&j->o);
	return r;
}

static void note_host(struct job *j)
{
	const struct kv_config *c = &j->rec->options[0].config;
	const struct kv_host *h = &j->c->workload->host;

	if (j->c->engine.kind == ENGINE_MODEL && c->io == KV_IO_REFERENCE)
		record_note(&j->rec->base, "kv-host-model",
			"the host of a modelled run copies at %g GB/s, writes "
			"into the page cache at %g GB/s (%g times slower for "
			"each other transfer) and gets %.1f %% of the drive's "
			"sequential read rate: %s", h->copy_gb_per_s,
			h->buffered_write_gb_per_s, h->buffered_contention,
			100 * h->buffered_read_share, h->source);
	if (!j->c->drive && (c->limits[KV_CPU] || c->limits[KV_GPU]))
		record_note(&j->rec->base, "memory-tiers",
			"tiers in memory hold no bytes here: a copy takes the "
			"time of %.1f GB/s", (double)c->copy_bytes_per_s / 1e9);
	if (!j->c->drive && c->io == KV_IO_REFERENCE && c->copy_bytes_per_s)
		record_note(&j->rec->base, "second-copy",
			"the reference's second copy of each read is time "
			"(%.1f GB/s), not work",
			(double)c->copy_bytes_per_s / 1e9);
}

static int open_job(struct job *j, struct err *e)
{
	struct kv_record *rec = j->rec;
	struct kv_config *c = &rec->options[0].config;
	struct record *base = &rec->base;
	struct group *g = j->c->group;
	struct store_namer namer = {.ctx = &j->env, .size_bytes = kvcache_size};
	int r = 0;

	opened_clock(&j->o, j->c->virtual_time, 0, base);
	if (j->c->drive) {
		store_catalog_init(&j->store, &namer);
	} else {
		namer.path = kvcache_path;
		store_posix_init(&j->store, c->cache_dir, &namer);
		j->content = malloc(sizeof(*j->content));
		if (!j->content)
			r = err_nomem(e, "the content of entries");
		else
			ckpt_content_init(j->content, c->seed);
	}
	if (!r && !g->first && base->config.results_dir[0])
		r = shared_probe_results(base->config.results_dir,
			(uint64_t)rec->option_count * rec->trials * c->ranks *
				RESULTS_BYTES_PER_TRIAL, e);
	if (!r && !g->first && !j->c->drive)
		r = file_mkdirs(c->cache_dir, e);
	r = group_agree(g, r, e);
	/* the cache is each host's own business, the results are not */
	if (!r)
		r = shared_check(g, "", base->config.results_dir, base, e);
	note_host(j);
	if (!r && !g->first && !j->c->drive)
		notes_drive(&rec->base, c->cache_dir);
	return r ? r : opened_hosts(g, base, e);
}

int kv_run(const struct kv_run *c, struct kv_record *rec, struct err *e)
{
	struct job j = {.c = c, .rec = rec};
	uint32_t i;
	int r;

	opened_names(&rec->base, c->group, c->virtual_time);
	r = open_job(&j, e);
	rec->start_ns = clock_now(&j.o.clock);
	for (i = 0; !r && i < rec->option_count; i++) {
		if (i)
			r = group_agree(c->group,
				pause_for(&j, rec->inter_option_delay_ns, e),
				e);
		if (!r)
			r = run_option(&j, &rec->options[i], e);
	}
	rec->end_ns = clock_now(&j.o.clock);
	if (!c->drive && !c->keep_files && rec->option_count)
		clean_folders(&j, &rec->options[0].config, true, NULL);
	r = opened_end(&j.o, c->group, r, &rec->base, e);
	rec->finished = !r;
	free(j.content);
	return r;
}
