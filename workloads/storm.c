/* Equal requests to one file; see storm.h. */
#include "workloads/storm.h"

#include "core/rng.h"
#include "core/units.h"
#include "storage/loop.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define SKIP_PIECES 2	/* of the start */
#define STAMP_BYTES 4096 /* no two blocks of this size are written alike */
#define TICK_NS (200 * NS_PER_MS)

struct slot {
	struct engine_op op;
	struct run *run;
	struct slot *next; /* free */
	int64_t start_ns;
	uint64_t at, end; /* with streams: the part that is left */
};

struct run {
	struct loop_task task;
	struct loop loop;
	struct storm *s;
	struct slot *slots, *free;
	struct engine_op sync;
	struct rng_xo rng;
	uint64_t position;   /* sequential: next offset */
	uint64_t asked;	     /* bytes handed in */
	uint64_t unsynced;   /* of these since the last fsync */
	uint64_t bytes;	     /* done by this member */
	uint32_t in_flight;
	bool stopping, syncing, counting, last_synced;
	int64_t begin_ns, piece_ns, tick_ns;
	uint64_t piece_bytes; /* of the whole team, when the piece began */
	uint32_t pieces;
	struct batch_means means;
	int64_t failed; /* result of a request, or 0 */
	uint64_t failed_at;
	uint64_t written; /* stamps */
	int64_t cpu_ns, wait_ns, counted_ns;
};

/* CPU time of this thread, and how long it was ready without a CPU. */
static void thread_times(int64_t *cpu_ns, int64_t *wait_ns)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "re");
	struct rusage u;

	*wait_ns = 0;
	if (f && fscanf(f, "%*d %" SCNd64, wait_ns) != 1)
		*wait_ns = 0;
	if (f)
		fclose(f);
	getrusage(RUSAGE_THREAD, &u);
	*cpu_ns = ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S +
		  ((int64_t)u.ru_utime.tv_usec + u.ru_stime.tv_usec) *
			  NS_PER_US;
}

static void begin_counting(struct run *r, int64_t now)
{
	r->counting = true;
	r->counted_ns = now;
	hist_fini(&r->s->latency_ns); /* of the start */
	memset(&r->s->latency_ns, 0, sizeof(r->s->latency_ns));
	thread_times(&r->cpu_ns, &r->wait_ns);
	if (r->s->team)
		atomic_store(&r->s->team->counting, true);
}

static void end_counting(struct run *r, int64_t now)
{
	int64_t cpu, wait, ns = now - r->counted_ns;

	if (!r->counting || ns <= 0)
		return;
	thread_times(&cpu, &wait);
	r->s->cpu_share = (double)(cpu - r->cpu_ns) / (double)ns;
	r->s->wait_share = (double)(wait - r->wait_ns) / (double)ns;
}

static uint64_t team_bytes(const struct run *r)
{
	const struct storm_team *t = r->s->team;
	uint64_t sum = 0;
	uint32_t i;

	if (!t)
		return r->bytes;
	for (i = 0; i < t->members; i++)
		sum += atomic_load_explicit(
			&t->done[i].bytes, memory_order_relaxed);
	return sum;
}

static void request_done(struct engine_op *op)
{
	struct slot *k = op->owner;
	struct run *r = k->run;
	int64_t now = engine_seen_ns(r->loop.engine);

	r->in_flight--;
	k->next = r->free;
	r->free = k;
	loop_ready(&r->loop, &r->task);
	if (op->result != op->len_bytes) {
		if (!r->failed) {
			r->failed = op->result < 0 ? op->result : -EIO;
			r->failed_at = op->offset_bytes;
		}
		return;
	}
	r->bytes += op->len_bytes;
	if (r->s->team)
		atomic_store_explicit(&r->s->team->done[r->s->member].bytes,
			r->bytes, memory_order_relaxed);
	if (!r->stopping)
		hist_record(&r->s->latency_ns, (uint64_t)(now - k->start_ns));
}

static void sync_done(struct engine_op *op)
{
	struct run *r = op->owner;

	r->in_flight--;
	r->syncing = false;
	r->unsynced = 0;
	if (op->result < 0)
		r->failed = op->result;
	loop_ready(&r->loop, &r->task);
}

/* Close a piece if it is over; decide whether enough was seen. */
static void judge(struct run *r, int64_t now)
{
	struct storm *s = r->s;
	int64_t ns = now - r->piece_ns;
	uint64_t bytes;

	if (now - r->begin_ns >= s->most_ns)
		r->stopping = true;
	/* with fsync a piece lasts from one to the next */
	if (ns < s->batch_ns || (s->sync_bytes && r->unsynced))
		return;
	bytes = team_bytes(r);
	/* a few rounds of what is in flight, or chance speaks */
	if (bytes - r->piece_bytes < 2ULL * s->depth * s->bytes)
		return;
	if (r->pieces >= SKIP_PIECES)
		batch_means_add(&r->means, (double)(bytes - r->piece_bytes),
			(double)ns / 1e9);
	if (++r->pieces == SKIP_PIECES)
		begin_counting(r, now);
	r->piece_ns = now;
	r->piece_bytes = bytes;
	if (now - r->begin_ns >= s->least_ns &&
		batch_means_ci_pct(&r->means) <= s->ci_pct)
		r->stopping = true;
	if (s->tick && now - r->tick_ns >= TICK_NS) {
		r->tick_ns = now;
		s->tick(s->tick_ctx, batch_means_rate(&r->means));
	}
}

/* Members that do not decide. */
static void follow(struct run *r, int64_t now)
{
	struct storm_team *t = r->s->team;

	if (!r->counting &&
		atomic_load_explicit(&t->counting, memory_order_relaxed))
		begin_counting(r, now);
	if (atomic_load_explicit(&t->stop, memory_order_relaxed))
		r->stopping = true;
}

static uint64_t random_place(struct run *r)
{
	uint64_t places = r->s->file_bytes / r->s->bytes;

	return (uint64_t)((unsigned __int128)rng_xo_next(&r->rng) * places >>
			  64) *
	       r->s->bytes;
}

/* Where the slot's next request goes; false if its part is through. */
static bool place(struct run *r, struct slot *k, uint64_t *offset)
{
	const struct storm *s = r->s;

	if (s->random) {
		*offset = random_place(r);
		return true;
	}
	if (s->streams) {
		*offset = k->at;
		k->at += s->bytes;
		return k->at <= k->end;
	}
	if (r->position + s->bytes > s->file_bytes)
		r->position = 0;
	*offset = r->position;
	r->position += s->bytes;
	return true;
}

/* Each block differs from all others that were written. */
static void stamp(struct run *r, void *buf, uint64_t offset)
{
	uint64_t word;
	uint32_t i;

	for (i = 0; buf && i < r->s->bytes; i += STAMP_BYTES) {
		word = rng_mix64(offset + i, r->s->seed + r->written++);
		memcpy((char *)buf + i, &word, sizeof(word));
	}
}

static int submit(struct run *r, struct slot *k, uint64_t offset, int64_t now,
	struct err *e)
{
	struct storm *s = r->s;
	int ret;

	k->op.opcode = s->opcode;
	k->op.fd = s->fd;
	k->op.buf = s->buffers->mem
			    ? s->buffers->mem + (size_t)(k - r->slots) * s->bytes
			    : NULL;
	k->op.buf_index = s->buffers->registered ? 0 : -1;
	k->op.len_bytes = s->bytes;
	k->op.offset_bytes = offset;
	k->op.done = request_done;
	k->op.owner = k;
	k->start_ns = now;
	if (s->opcode == ENGINE_WRITE)
		stamp(r, k->op.buf, offset);
	r->asked += s->bytes;
	r->unsynced += s->opcode == ENGINE_WRITE ? s->bytes : 0;
	r->in_flight++;
	ret = engine_submit(s->engine, &k->op);
	if (!ret)
		return 0;
	r->in_flight--;
	return err_set(e, ERR_IO, ret, "cannot hand in a request: %s",
		strerror(-ret));
}

static int submit_sync(struct run *r, struct err *e)
{
	int ret;

	r->sync.opcode = ENGINE_FSYNC;
	r->sync.fd = r->s->fd;
	r->sync.buf_index = -1;
	r->sync.done = sync_done;
	r->sync.owner = r;
	r->syncing = true;
	r->in_flight++;
	ret = engine_submit(r->s->engine, &r->sync);
	if (!ret)
		return 0;
	r->in_flight--;
	return err_set(e, ERR_IO, ret, "cannot hand in an fsync: %s",
		strerror(-ret));
}

static int fail(const struct run *r, struct err *e)
{
	const struct storm *s = r->s;

	return err_set(e, ERR_IO, (int)r->failed,
		"%s of %" PRIu32 " bytes at offset %" PRIu64
		" of the probe's file failed: %s",
		s->opcode == ENGINE_WRITE ? "a write" : "a read", s->bytes,
		r->failed_at, strerror((int)-r->failed));
}

static bool all_asked(const struct run *r)
{
	return r->s->most_bytes && r->asked >= r->s->most_bytes;
}

static int refill(struct run *r, int64_t now, struct err *e)
{
	struct storm *s = r->s;
	struct slot *k;
	uint64_t offset;
	int ret = 0;

	while (!ret && !r->stopping && (k = r->free) && !all_asked(r) &&
		!(s->sync_bytes && r->unsynced >= s->sync_bytes)) {
		r->free = k->next;
		if (place(r, k, &offset))
			ret = submit(r, k, offset, now, e);
	}
	return ret;
}

static int storm_step(struct loop_task *t, struct err *e)
{
	struct run *r = (struct run *)t;
	struct storm *s = r->s;
	int64_t now = engine_seen_ns(s->engine);
	int ret;

	if (r->failed)
		r->stopping = true;
	else if (s->member)
		follow(r, now);
	else if (!r->stopping)
		judge(r, now);
	if (r->stopping && s->team)
		atomic_store(&s->team->stop, true);
	ret = r->syncing ? 0 : refill(r, now, e);
	if (ret || r->in_flight)
		return ret;
	if (r->failed)
		return fail(r, e);
	/* nothing is in flight: a pause for fsync, or the end */
	if (r->unsynced && ((s->sync_bytes && !r->stopping && !all_asked(r)) ||
				   (s->sync_last && !r->last_synced))) {
		r->last_synced = r->stopping || all_asked(r);
		return submit_sync(r, e);
	}
	end_counting(r, now);
	s->ns = now - r->begin_ns;
	return 1;
}

static void conclude(struct run *r)
{
	struct storm *s = r->s;
	double ci = batch_means_ci_pct(&r->means);

	s->bytes_moved = r->bytes;
	s->ci_reached_pct = -1;
	if (s->member)
		return;
	/* few batches: all that was done, over all the time */
	if (r->means.count >= 2 && !s->sync_last)
		s->rate_bytes_per_s = batch_means_rate(&r->means);
	else if (s->ns > 0)
		s->rate_bytes_per_s =
			(double)team_bytes(r) / ((double)s->ns / 1e9);
	s->ci_reached_pct = ci < 1e6 ? ci : -1;
}

int storm_run(struct storm *s, struct err *e)
{
	struct run *r = calloc(1, sizeof(*r));
	uint64_t part = s->file_bytes / s->depth / s->bytes * s->bytes;
	uint32_t i;
	int ret;

	if (r)
		r->slots = calloc(s->depth, sizeof(*r->slots));
	if (!r || !r->slots) {
		free(r);
		return err_nomem(e, "the probe's requests");
	}
	r->s = s;
	r->task.step = storm_step;
	for (i = s->depth; i-- > 0;) {
		r->slots[i].run = r;
		r->slots[i].at = i * part;
		r->slots[i].end = (i + 1) * part;
		r->slots[i].next = r->free;
		r->free = &r->slots[i];
	}
	rng_xo_seed(&r->rng, rng_mix64(s->seed, s->member));
	loop_init(&r->loop, s->engine);
	r->begin_ns = r->piece_ns = r->tick_ns = clock_now(s->engine->clock);
	ret = loop_add(&r->loop, &r->task, e);
	if (!ret)
		ret = loop_run(&r->loop, e);
	if (ret && s->team)
		atomic_store(&s->team->stop, true);
	if (ret && loop_drain(&r->loop, NULL))
		return ret; /* forced: the requests still point into it */
	conclude(r);
	loop_fini(&r->loop);
	free(r->slots);
	free(r);
	return ret;
}

void storm_fill(const struct buffers *b, uint64_t seed)
{
	struct rng_xo rng;
	uint64_t word;
	size_t i;

	rng_xo_seed(&rng, seed);
	for (i = 0; b->mem && i < b->arena_bytes; i += sizeof(word)) {
		word = rng_xo_next(&rng);
		memcpy(b->mem + i, &word, sizeof(word));
	}
}
