/*
 * The sequence of a probe; see probe.h. Reads come first, latencies before
 * load, and writes last, so that what a drive does after them (draining its
 * buffer, moving blocks) does not slow the reads that are measured.
 */
#include "plan/probe.h"

#include "core/units.h"
#include "plan/probe_file.h"
#include "plan/probe_jobs.h"
#include "storage/host.h"
#include "workloads/storm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LARGE_BYTES ((uint32_t)MIB_BYTES)
#define SMALL_BYTES 4096u
#define SEED 0x73746f6b6572ULL
#define FILL_DEPTH 16
#define SYNCS_A_PASS 8	/* fsyncs while the file is overwritten once */
#define PASSES_A_POINT 2 /* a write point writes the file at most so often */
#define PIECES_A_POINT 50
#define LEAST_PART 5	/* of the time, before an interval may end a point */
#define BUSY_SHARE 0.9	/* of a thread's time: no more is to be had */
#define LOAD_GAIN 1.05	/* more in flight must bring so much */
#define DEPTH_MAX 256	/* of the rows */
#define ALL_MAX 4096	/* and beyond them */
#define BUFFERS 64 /* of 1 MiB, or 16,384 of 4 KiB */

/* One row: what is asked, one after another. */
struct row {
	const char *what;
	bool write, random, buffered, synced;
	uint32_t bytes, depth;
};

#define SMALL_READ(depth)                                                      \
	{                                                                      \
		"4 KiB random reads", false, true, false, false, SMALL_BYTES,  \
			depth                                                  \
	}
#define LARGE_READ(depth)                                                      \
	{                                                                      \
		"1 MiB reads", false, true, false, false, LARGE_BYTES, depth   \
	}
#define BUFFERED_READ(depth)                                                   \
	{                                                                      \
		"1 MiB buffered reads", false, false, true, false,             \
			LARGE_BYTES, depth                                     \
	}
#define LARGE_WRITE(depth, synced)                                             \
	{                                                                      \
		"1 MiB writes", true, false, false, synced, LARGE_BYTES, depth \
	}
#define SMALL_WRITE(depth)                                                     \
	{                                                                      \
		"4 KiB random writes", true, true, false, false, SMALL_BYTES,  \
			depth                                                  \
	}

static const struct row rows[] = {SMALL_READ(1), LARGE_READ(1), LARGE_READ(2),
	LARGE_READ(4), LARGE_READ(8), LARGE_READ(16), LARGE_READ(32),
	LARGE_READ(64), SMALL_READ(4), SMALL_READ(16), SMALL_READ(64),
	SMALL_READ(DEPTH_MAX), BUFFERED_READ(1), BUFFERED_READ(4),
	SMALL_WRITE(1), LARGE_WRITE(1, false), LARGE_WRITE(4, false),
	LARGE_WRITE(16, false), LARGE_WRITE(16, true), SMALL_WRITE(16),
	SMALL_WRITE(64)};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

struct job {
	struct probe *p;
	struct clock clock;
	struct engine *engine;
	struct buffers buffers;
	struct probe_file file;
	struct probe_progress progress;
	bool real;
};

static void note(struct probe *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct probe *p, const char *fmt, ...)
{
	const size_t room = sizeof(p->notes) / sizeof(p->notes[0]);
	va_list ap;

	if (p->note_count == room)
		return;
	va_start(ap, fmt);
	vsnprintf(p->notes[p->note_count++], sizeof(p->notes[0]), fmt, ap);
	va_end(ap);
}

static bool wanted(const struct probe *p, const struct row *w)
{
	/* a modelled drive has no page cache before it */
	return w->write ? p->writes : !w->buffered || p->drive;
}

static uint32_t points(const struct probe *p)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < ROWS; i++)
		n += wanted(p, &rows[i]);
	return n;
}

uint64_t probe_writes_bytes(const struct probe *p)
{
	uint64_t n = p->file ? 0 : 1; /* the file itself */
	size_t i;

	for (i = 0; i < ROWS; i++)
		n += rows[i].write && p->writes ? PASSES_A_POINT : 0;
	return n * p->size_bytes;
}

int64_t probe_longest_ns(const struct probe *p, bool writes)
{
	uint32_t more;
	int64_t n = 0;
	size_t i;

	/* see more_load(): doublings of what is in flight, and of threads */
	for (more = ALL_MAX / DEPTH_MAX; !writes && more > 1; more /= 2)
		n++;
	for (more = p->drive ? host_cpu_count() : 1; !writes && more > 1;
		more /= 2)
		n++;
	for (i = 0; i < ROWS; i++)
		n += wanted(p, &rows[i]) && rows[i].write == writes;
	return p->point_ns * n;
}

static void tick(void *ctx, double rate_bytes_per_s)
{
	struct job *j = ctx;

	j->progress.gb_per_s = rate_bytes_per_s / 1e9;
	if (j->p->progress)
		j->p->progress(j->p->ctx, &j->progress);
}

/* What all storms of this probe have in common. */
static struct storm plain(struct job *j)
{
	return (struct storm){
		.engine = j->engine,
		.buffers = &j->buffers,
		.fd = j->file.fd,
		.file_bytes = j->p->size_bytes,
		.seed = SEED + j->p->point_count,
		.batch_ns = j->p->point_ns / PIECES_A_POINT,
		.least_ns = j->p->point_ns / LEAST_PART,
		.most_ns = j->p->point_ns,
		.ci_pct = PROBE_CI_PCT,
		.tick = tick,
		.tick_ctx = j,
	};
}

static double us(const struct hist *h, uint32_t ppm)
{
	return (double)hist_percentile(h, ppm) / 1e3;
}

static void take_point(struct job *j, const struct row *w,
	const struct storm *s, uint32_t jobs, double cached_pct)
{
	struct probe *p = j->p;
	struct probe_point *t = &p->points[p->point_count++];
	const struct hist *h = &s->latency_ns;

	memset(t, 0, sizeof(*t));
	t->d = (struct drive_point){
		.write = w->write,
		.random = w->random,
		.bytes = w->bytes,
		.depth = s->depth,
		.jobs = jobs,
		.gb_per_s = s->rate_bytes_per_s / 1e9,
		.mean_us = hist_mean(h) / 1e3,
		.p50_us = us(h, 500000),
		.p95_us = us(h, 950000),
		.p99_us = us(h, 990000),
		.ci_pct = s->ci_reached_pct > 0 ? s->ci_reached_pct : 0,
	};
	t->p999_us = us(h, 999000);
	t->buffered = w->buffered;
	t->synced = w->synced;
	t->ci_known = s->ci_reached_pct >= 0;
	t->settled = t->ci_known && s->ci_reached_pct <= PROBE_CI_PCT;
	t->cached_pct = cached_pct;
	t->cpu_pct = 100 * s->cpu_share;
	t->wait_pct = 100 * s->wait_share;
	t->tool_limit = j->real && s->depth * jobs > 1 &&
			s->cpu_share + s->wait_share >= BUSY_SHARE;
	if (w->synced) {
		p->sustained_gb_per_s = t->d.gb_per_s;
		p->sustained_bytes = s->bytes_moved;
	}
	if (w->write)
		p->bytes_written += s->bytes_moved;
	else
		p->bytes_read += s->bytes_moved;
}

/* Nothing of the file may be in the page cache before buffered reads. */
static void make_cold(struct job *j)
{
	uint64_t bytes = 0;

	posix_fadvise(j->file.buffered, 0, 0, POSIX_FADV_DONTNEED);
	/* memory has nothing else */
	if (j->p->drive->device_count &&
		!extents_cached(j->file.buffered, &bytes) && bytes > j->p->size_bytes / 100)
		note(j->p,
			"%.0f %% of the probe's file stayed in the page cache: "
			"buffered reads are not those of a cold cache",
			100 * (double)bytes / (double)j->p->size_bytes);
}

/* Part of the bytes that no device moved; < 0 where nobody counts them. */
static double cached_pct(const struct job *j, const struct storm *s,
	uint64_t before, int error)
{
	uint64_t after;

	if (!j->real || error || !j->p->drive->device_count ||
		host_device_read_bytes(&after) || !s->bytes_moved)
		return -1;
	after -= before;
	return after >= s->bytes_moved ? 0
				       : 100 * (1 - (double)after /
							 (double)s->bytes_moved);
}

static int measure(struct job *j, const struct row *w, uint32_t jobs,
	uint32_t depth, struct err *e)
{
	struct storm s = plain(j);
	uint64_t before = 0;
	int r, error;

	s.opcode = w->write ? ENGINE_WRITE : ENGINE_READ;
	s.random = w->random;
	s.bytes = w->bytes;
	s.depth = depth;
	if (w->buffered) {
		make_cold(j);
		s.fd = j->file.buffered;
		s.streams = true;
		s.most_bytes = s.file_bytes; /* then all is in the cache */
	}
	if (w->write)
		s.most_bytes = PASSES_A_POINT * s.file_bytes;
	if (w->synced)
		s.sync_bytes = s.file_bytes / SYNCS_A_PASS;
	error = host_device_read_bytes(&before);
	r = probe_jobs_run(&s, jobs, &j->p->engine, e);
	if (!r)
		take_point(j, w, &s, jobs,
			w->write ? -1 : cached_pct(j, &s, before, error));
	if (w->buffered)
		posix_fadvise(j->file.buffered, 0, 0, POSIX_FADV_DONTNEED);
	hist_fini(&s.latency_ns);
	return r;
}

/*
 * Beyond the last row: more threads while one core was the limit, more in
 * flight while the rate still grows. Fast drives want thousands.
 */
static int more_load(struct job *j, const struct row *w, struct err *e)
{
	const struct probe *p = j->p;
	const uint32_t cpus = j->real ? host_cpu_count() : 1;
	const struct probe_point *last = &p->points[p->point_count - 1];
	double best = last[-1].d.gb_per_s;
	uint32_t jobs = 1, all = w->depth;
	int r = 0;

	while (!r && p->point_count < PROBE_POINTS_MAX - ROWS) {
		if (last->tool_limit && 2 * jobs <= cpus &&
			2 * jobs <= STORM_JOBS_MAX)
			jobs *= 2;
		else if (last->d.gb_per_s >= LOAD_GAIN * best && all < ALL_MAX)
			all *= 2;
		else
			break;
		if (last->d.gb_per_s > best)
			best = last->d.gb_per_s;
		r = measure(j, w, jobs, all / jobs, e);
		last = &p->points[p->point_count - 1];
	}
	return r;
}

static int fill(struct job *j, struct err *e)
{
	struct storm s = plain(j);
	int r;

	s.opcode = ENGINE_WRITE;
	s.bytes = LARGE_BYTES;
	s.depth = FILL_DEPTH;
	s.most_bytes = s.file_bytes;
	s.sync_last = true;
	s.least_ns = s.most_ns = INT64_MAX;
	j->progress.what = "writing the file that is read";
	r = storm_run(&s, e);
	hist_fini(&s.latency_ns);
	if (r)
		return r;
	j->p->fill_gb_per_s = s.rate_bytes_per_s / 1e9;
	j->p->bytes_written += s.bytes_moved;
	return 0;
}

static int not_there(const struct probe *p, const char *what, uint64_t bytes,
	struct err *e)
{
	return err_set(e, ERR_IO, -ENODATA,
		"%s: %.0f %% of %s (%.3f of %.3f GB) %s, so reads of it are "
		"not the drive's; nothing was measured",
		p->file ? p->file : p->dir,
		100 * (double)bytes / (double)p->extents.size_bytes,
		p->file ? "the file" : "the probe's file", (double)bytes / 1e9,
		(double)p->extents.size_bytes / 1e9, what);
}

/* Is what is read really on the drive, and as large as it looks? */
static int check_extents(struct job *j, struct err *e)
{
	struct probe *p = j->p;
	struct extents *x = &p->extents;
	int r = extents_look(j->file.fd, x);
	uint64_t some = x->size_bytes / 100;

	if (r)
		return err_set(e, ERR_IO, r,
			"cannot tell which blocks of the probe's file are "
			"written: %s", strerror(-r));
	if (x->unwritten_bytes > some)
		return not_there(p, "is reserved but was never written",
			x->unwritten_bytes, e);
	if (x->hole_bytes > some)
		return not_there(p, "is holes, never written", x->hole_bytes,
			e);
	if (p->file && x->encoded_bytes > some)
		return not_there(p, "is stored compressed or encoded",
			x->encoded_bytes, e);
	if (x->encoded_bytes)
		note(p, "%.0f %% of the file is stored compressed or encoded: "
			"its content does not compress, but that work is part "
			"of every figure",
			100 * (double)x->encoded_bytes /
				(double)x->size_bytes);
	if (!x->known && p->drive->device_count)
		note(p, "%s does not tell never-written and compressed blocks "
			"from others (no FIEMAP)", p->drive->filesystem);
	return 0;
}

static int open_engine(struct job *j, struct err *e)
{
	struct probe *p = j->p;
	struct engine_spec spec = p->engine;
	char why[512];
	int r;

	spec.dir = p->dir;
	spec.depth = ALL_MAX;
	clock_start(&j->clock, !j->real);
	r = engine_open(&spec, &j->clock, &j->engine, why, sizeof(why), e);
	if (r)
		return r;
	snprintf(p->engine_name, sizeof(p->engine_name), "%s",
		engine_name(j->engine));
	if (why[0])
		note(p, "%.300s", why);
	r = buffers_init(
		&j->buffers, j->engine, BUFFERS, LARGE_BYTES, j->real, e);
	if (r)
		return r;
	storm_fill(&j->buffers, SEED);
	if (j->real && !j->buffers.huge)
		note(p, "buffers got 4-KiB pages instead of huge pages: large "
			"reads are cut into small device requests");
	if (j->real && j->buffers.register_error)
		note(p, "buffers are not registered with io_uring (%s): more "
			"CPU a request", strerror(-j->buffers.register_error));
	return 0;
}

static void tell_limits(struct probe *p)
{
	double busiest = 0, kept = 0;
	uint32_t i, n = 0, loose = 0;

	for (i = 0; i < p->point_count; i++) {
		const struct probe_point *t = &p->points[i];

		n += t->tool_limit;
		loose += !t->settled;
		if (t->wait_pct > kept)
			kept = t->wait_pct;
		if (t->cpu_pct > busiest)
			busiest = t->cpu_pct;
	}
	if (n)
		note(p, "%u point%s marked \"CPU\": this program had no more "
			"of a core to use, so the drive may be faster", n,
			n == 1 ? " is" : "s are");
	if (p->drive && kept >= 25)
		note(p, "this host is busy: the probe was kept from a core for "
			"up to %.0f %% of a point's time", kept);
	if (loose)
		note(p, "%u point%s did not settle within +-%.0f %% in %.3g s",
			loose, loose == 1 ? "" : "s", PROBE_CI_PCT,
			(double)p->point_ns / 1e9);
}

static int run(struct job *j, struct err *e)
{
	struct probe *p = j->p;
	const struct row *w;
	int r = 0;

	j->progress.points = points(p);
	if (j->real && !p->file)
		r = fill(j, e);
	if (!r && j->real)
		r = check_extents(j, e);
	for (w = rows; !r && w < rows + ROWS; w++) {
		if (!wanted(p, w))
			continue;
		j->progress.point++;
		j->progress.what = w->what;
		tick(j, 0);
		r = measure(j, w, 1, w->depth, e);
		if (!r && !w->write && w->depth == DEPTH_MAX)
			r = more_load(j, w, e);
	}
	return r;
}

int probe_run(struct probe *p, struct err *e)
{
	struct job j = {.p = p, .real = p->drive != NULL,
		.file = {.fd = -1, .buffered = -1}};
	int r = 0;

	p->point_count = p->note_count = 0;
	p->bytes_read = p->bytes_written = 0;
	if (j.real && p->file)
		r = probe_file_open(&j.file, p->file, &p->size_bytes, e);
	else if (j.real)
		r = probe_file_make(&j.file, p->dir, p->size_bytes, e);
	if (!r && p->size_bytes < PROBE_SIZE_MIN)
		r = err_set(e, ERR_USAGE, -ERANGE,
			"%s has %.1f MiB, a probe needs %llu at least",
			p->file ? p->file : "the probe's file",
			(double)p->size_bytes / (double)MIB_BYTES,
			PROBE_SIZE_MIN / MIB_BYTES);
	if (!r)
		r = open_engine(&j, e);
	if (!r)
		r = run(&j, e);
	if (j.engine)
		p->took_ns = clock_now(&j.clock);
	if (!r)
		tell_limits(p);
	if (!j.engine || !j.engine->in_flight) {
		buffers_fini(&j.buffers);
		engine_close(j.engine);
	}
	probe_file_close(&j.file);
	return r;
}
