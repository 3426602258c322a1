/* Campaigns of training runs; see campaign.h. */
#include "plan/campaign.h"

#include "accel_sim/au.h"
#include "core/units.h"
#include "datagen/dataset.h"
#include "plan/data_source.h"
#include "plan/hosts.h"
#include "plan/notes.h"
#include "plan/opened.h"
#include "plan/shared.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* Longer than the files of any workload so far; others get two requests. */
#define EVENT_BYTES (1U << 31)

/* What one process holds for the length of a campaign. */
struct job {
	const struct campaign *c;
	struct record *rec;
	struct opened o;
	struct data_source source;
	struct shard *shard;
	struct rec_run *run; /* rank 0's process: where records go */
};

static void not_dropped(void *ctx, const struct err *why)
{
	struct job *j = ctx;

	record_note(j->rec, "cache-drop",
		"%s; %s", why->text,
		j->rec->config.odirect
			? "harmless here, reads are O_DIRECT"
			: "each file's own cache was dropped instead "
			  "(POSIX_FADV_DONTNEED), look at the cached share");
}

static int open_engine(struct job *j, struct err *e)
{
	struct train_config *t = &j->rec->config;
	struct engine_spec spec = j->c->engine;
	struct group *g = j->c->group;
	uint32_t each = training_buffers(t);
	int r;

	opened_clock(&j->o, j->c->virtual_time, j->c->not_before_ns, j->rec);
	r = opened_check(g, &spec, each, t->transfer_bytes,
		g->count * t->read_threads, e);
	if (r)
		return r;
	spec.depth = each * g->count;
	spec.dir = t->data_folder;
	spec.buffered = !t->odirect;
	spec.split_bytes = (uint32_t)t->transfer_bytes;
	spec.split_depth = (uint32_t)(each / t->read_threads);
	r = opened_engine(&j->o, &spec, true, j->rec, e);
	if (r)
		return r;
	if (t->limit_read_bytes_per_s) {
		engine_set_limit(j->o.engine, t->limit_read_bytes_per_s,
			group_limit_word(g));
		record_note(j->rec, "limit-read",
			"reads are slowed to %.1f MB/s on purpose "
			"(--limit-read): not the drive's own speed",
			(double)t->limit_read_bytes_per_s / 1e6);
	}
	notes_model(j->rec, t->drive, &spec);
	return opened_buffers(&j->o, &spec, spec.depth, t->transfer_bytes,
		j->rec, e);
}

static int take_rank(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct rec_run *run = ((struct job *)arg)->run;

	return rec_rank_unpack(&run->ranks[process], buf, size_bytes, e);
}

/* Bring the ranks' measurements into run->ranks of rank 0's process. */
static int gather_ranks(struct job *j, struct rec_rank *mine, struct err *e)
{
	struct group *g = j->c->group;
	size_t size = 0;
	void *buf = NULL;
	int r;

	if (g->count == g->size) {
		memcpy(j->run->ranks, mine, g->size * sizeof(*mine));
		memset(mine, 0, g->size * sizeof(*mine));
		return 0;
	}
	r = rec_rank_pack(&mine[0], &buf, &size);
	if (r)
		err_nomem(e, "a rank's record");
	r = group_agree(g, r, e);
	if (!r)
		r = group_gather(g, buf, size, take_rank, j, e);
	free(buf);
	return group_agree(g, r, e);
}

static void stamp(struct rec_run *run, const struct record *rec, int64_t ns)
{
	time_t s = (time_t)((rec->time.wall_anchor_ns + ns) / NS_PER_S);
	struct tm tm;

	localtime_r(&s, &tm);
	strftime(run->stamp, sizeof(run->stamp), "%Y%m%d_%H%M%S", &tm);
}

/* The configuration as the workload gets it. */
static struct train_config asked_config(
	const struct campaign *c, const struct train_config *t)
{
	struct train_config asked = *t;

	if (c->event_per_file) {
		asked.transfer_bytes = EVENT_BYTES;
		asked.queue_depth = 1;
	}
	return asked;
}

static int one_run(struct job *j, struct err *e)
{
	const struct train_config *t = &j->rec->config;
	const struct train_config asked = asked_config(j->c, t);
	struct group *g = j->c->group;
	struct training_env env = {
		.config = &asked,
		.engine = j->o.engine,
		.store = &j->source.store,
		.group = g,
		.shard = j->shard,
		.buffers = &j->o.buffers,
		.drop_caches = j->c->drop_caches,
		.check = t->drive[0] ? NULL : data_source_check,
		.check_ctx = &j->source,
		.progress = g->first ? NULL : j->c->progress,
		.progress_ctx = j->c->ctx,
		.not_dropped = not_dropped,
		.note_ctx = j,
	};
	struct rec_rank *mine = calloc(g->count, sizeof(*mine));
	uint32_t i, ep;
	int r = 0;

	if (!mine)
		r = err_nomem(e, "the run's record");
	r = group_agree(g, r, e);
	if (!r)
		r = training_run(&env, mine, e);
	/* a byte that differs would have ended the run */
	for (i = 0; !r && t->verify && i < g->count; i++)
		for (ep = 0; ep < mine[i].epoch_count; ep++)
			mine[i].samples_verified +=
				mine[i].epochs[ep].samples_read;
	if (!r)
		r = gather_ranks(j, mine, e);
	for (i = 0; mine && i < g->count; i++)
		rec_rank_fini(&mine[i]);
	free(mine);
	return r;
}

/* Asleep too long, an accelerator asks for less than the real one would. */
#define LATE_FACTOR 1.02

static void note_late(struct job *j, const struct rec_run *run)
{
	const struct rec_metrics *m = &run->metrics;

	if (m->nominal_au_pct <= 0 ||
		m->au_mean_pct <= LATE_FACTOR * m->nominal_au_pct)
		return;
	record_note(j->rec, "late-compute",
		"run %s: compute took %.1f %% longer than asked (this host is "
		"busy, or its timers are coarse), which flatters the reference "
		"AU: %.2f %% with nominal compute",
		run->stamp, 100 * (m->au_mean_pct / m->nominal_au_pct - 1),
		m->nominal_au_pct);
}

/* A run of one step has no AU; everything else about it is known. */
static int metrics(struct job *j, struct rec_run *run, struct err *e)
{
	const struct train_config *t = &j->rec->config;
	int r;

	if (training_steps(t) > 1) {
		r = acc_metrics(run, t, e);
		if (!r && run->metrics.meets_double != run->metrics.meets_exact)
			record_note(j->rec, "edge",
				"run %s sits on the edge: exact arithmetic "
				"says %s, the reference's doubles say \"%s\" "
				"(written to summary.json)",
				run->stamp,
				run->metrics.meets_exact ? "PASS" : "FAIL",
				run->metrics.meets_double ? "success"
							  : "fail");
		if (!r)
			note_late(j, run);
		return r;
	}
	run->metrics.unused_samples =
		t->files * t->samples_per_file - t->batch_size * t->accelerators;
	record_note(j->rec, "one-step",
		"AU NOT EVALUATED: no steps left after excluding the first "
		"(each accelerator has 1 step an epoch; AU needs at least 2: "
		"%" PRIu64 " files)",
		2 * t->batch_size * t->accelerators / t->samples_per_file);
	return 0;
}

/* Once, by one process of a host. */
static void note_wall_step(struct job *j)
{
	if (j->c->group->host_leader)
		notes_wall_step(j->rec, &j->o.clock);
}

static int next_run(struct job *j, uint32_t i, struct err *e)
{
	struct group *g = j->c->group;
	struct record *rec = j->rec;
	struct rec_run *run = record_add_run(rec);
	int r = 0;

	if (run)
		run->ranks = calloc(g->size, sizeof(*run->ranks));
	if (!run || !run->ranks)
		r = err_nomem(e, "a run's record");
	r = group_agree(g, r, e);
	if (r && run)
		run->status = REC_FAILED;
	if (r)
		return r;
	j->run = run;
	run->rank_count = g->size;
	run->index = i;
	run->warmup = i < rec->campaign.warmups;
	run->start_ns = clock_now(&j->o.clock);
	stamp(run, rec, run->start_ns);
	if (!g->first && j->c->run_begins)
		j->c->run_begins(j->c->ctx, run);
	r = one_run(j, e);
	run->end_ns = clock_now(&j->o.clock);
	run->status = !r	    ? REC_FINISHED
		      : r == -EINTR ? REC_INTERRUPTED
				    : REC_FAILED;
	note_wall_step(j);
	if (!r)
		r = notes_gather(g, j->rec, e);
	if (!r && !g->first)
		r = metrics(j, run, e);
	if (!r && !g->first && j->c->run_ended)
		r = j->c->run_ended(j->c->ctx, rec, run, e);
	return group_agree(g, r, e);
}

/* About what the result files take: a step is four numbers of a rank. */
static uint64_t results_bytes(
	const struct campaign *c, const struct train_config *t)
{
	uint64_t epoch = 200ULL * training_steps(t) + 16384;

	return (c->runs + c->warmups) * t->accelerators * t->epochs * epoch;
}

static int open_job(struct job *j, struct err *e)
{
	struct train_config *t = &j->rec->config;
	struct group *g = j->c->group;
	int r = 0;

	/* deadlines of a millisecond want timers better than 50 us */
	prctl(PR_SET_TIMERSLACK, 1000UL);
	if (!g->first)
		r = shared_probe_results(
			t->results_dir, results_bytes(j->c, t), e);
	r = group_agree(g, r, e);
	if (!r)
		r = shared_check(
			g, t->data_folder, t->results_dir, j->rec, e);
	if (r)
		return r;
	if (!g->first && !t->drive[0])
		notes_drive(j->rec, j->rec->config.data_folder);
	r = data_source_open(&j->source, t, j->c->allow_fallback, j->rec, e);
	if (!r)
		r = open_engine(j, e);
	if (!r) {
		j->shard = shard_new(t->files, t->accelerators, e);
		r = j->shard ? 0 : e->code;
	}
	r = group_agree(g, r, e);
	r = r ? r : opened_hosts(g, j->rec, e);
	if (!r && j->c->virtual_time && j->c->client_memory_bytes)
		hosts_state_memory(j->rec, j->c->client_memory_bytes);
	return r;
}

static void close_job(struct job *j)
{
	shard_free(j->shard);
	if (opened_close(&j->o))
		data_source_close(&j->source);
}

/* Runs of an earlier process, as if they had been ours. */
static int take_earlier(struct job *j, struct err *e)
{
	struct record *from = j->c->earlier, *to = j->rec;
	int64_t anchor_ns = to->time.wall_anchor_ns;
	struct rec_run *run;
	uint32_t i;

	if (!from)
		return 0;
	if (strcmp(from->config.engine, to->config.engine))
		return err_set(e, ERR_ENV, -EINVAL,
			"cannot continue the campaign: its runs used engine %s, "
			"which is %s now", from->config.engine,
			to->config.engine);
	for (i = 0; i < from->run_count; i++) {
		run = record_add_run(to);
		if (!run)
			return err_nomem(e, "earlier runs");
		*run = from->runs[i];
		memset(&from->runs[i], 0, sizeof(from->runs[i]));
		run->start_ns -= anchor_ns;
		run->end_ns -= anchor_ns;
	}
	return 0;
}

int campaign_run(const struct campaign *c, struct record *rec, struct err *e)
{
	struct job j = {.c = c, .rec = rec};
	uint32_t runs = c->runs + c->warmups, i;
	int r;

	opened_names(rec, c->group, c->virtual_time);
	rec->campaign.runs_wanted = c->runs;
	rec->campaign.warmups = c->warmups;
	r = open_job(&j, e);
	if (!r && c->virtual_time && c->each_run) {
		record_note(rec, "each-run",
			"each of the %u runs is simulated for itself, one "
			"after the other in virtual time; nothing in the model "
			"is drawn anew between runs, so they differ less than "
			"those of a drive do", runs);
	} else if (!r && c->virtual_time) {
		/* nothing differs between runs on a deterministic drive */
		rec->campaign.stands_for_all = true;
		rec->campaign.warmups = 0;
		runs = 1;
	}
	if (!r)
		r = group_agree(c->group, take_earlier(&j, e), e);
	for (i = c->first; !r && i < runs; i++)
		r = next_run(&j, i, e);
	if (!c->group->first)
		acc_campaign_verdict(rec);
	close_job(&j);
	return r;
}
