/* Which limit binds, with its evidence; the rules are in why.h. */
#include "plan/why.h"

#include "core/units.h"
#include "plan/why_limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BINDS 0.9	     /* of what a part can do */
#define VERIFY_BINDS 0.7     /* of a rank's thread, with --verify */
#define NO_LOSS_PCT 99.5     /* AU above which nothing is named */
#define SPREAD_PCT 10.0      /* between ranks' storage terms */
#define ONE_RANK_PCT 75.0    /* of the steps in which it is last */
#define FROM_MEMORY_PCT 50.0 /* of the bytes */
#define DATASET_FACTOR 1.1   /* true over nominal bytes */
#define BUSY_BYTES 1.5e6     /* in flight: 14.5 GB/s x 100 us */
#define RATE_GB_MAX 1e6	     /* no drive: what a wrong record may say */
#define QUEUED 2.0	     /* median over fastest latency */

static void say(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Add to a text. */
static void say(char *buf, size_t size, const char *fmt, ...)
{
	size_t n = strlen(buf);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf + n, size - n, fmt, ap);
	va_end(ap);
}

#define SAY(w, ...) say((w)->evidence, sizeof((w)->evidence), __VA_ARGS__)
#define DOUBT(w, ...) say((w)->doubt, sizeof((w)->doubt), __VA_ARGS__)

/* GB/s of "PCIe Gen5 x4", after 128b/130b (Gen6: FLIT) coding; 0: not one. */
static double link_gb_per_s(const char *interface)
{
	static const double lane[] = {0, 0, 0, 0.985, 1.969, 3.938, 7.563};
	unsigned gen, lanes;

	if (sscanf(interface, "PCIe Gen%u x%u", &gen, &lanes) != 2 ||
		gen >= sizeof(lane) / sizeof(lane[0]) || lanes > 16)
		return 0;
	return lane[gen] * lanes;
}

static void from_profile(
	const struct drive_profile *p, bool odirect, struct why_drive *d)
{
	d->known = true;
	d->gb_per_s = p->sequential_read_gb_per_s * p->count;
	d->link_gb_per_s = link_gb_per_s(p->interface) * p->count;
	d->lacks_buffered = !odirect && p->buffered_read_gb_per_s <= 0;
	if (!odirect && p->buffered_read_gb_per_s > 0 &&
		p->buffered_read_gb_per_s < d->gb_per_s) {
		d->gb_per_s = p->buffered_read_gb_per_s;
		d->is_buffered = true;
	}
	d->engine.kind = ENGINE_MODEL;
	d->engine.drive = *p;
	snprintf(d->name, sizeof(d->name), "profile %s, %.2f GB/s%s", p->name,
		d->gb_per_s, d->is_buffered ? " buffered" : "");
}

/* A drive made from what was measured: at least that is there. */
static void from_record(
	const struct record *rec, const struct why *w, struct why_drive *d)
{
	double transfer_ns;

	d->gb_per_s = w->busy_gb_per_s < RATE_GB_MAX ? w->busy_gb_per_s
						     : RATE_GB_MAX;
	d->lacks_buffered = !rec->config.odirect;
	d->engine.kind = ENGINE_CONSTANT;
	transfer_ns = d->gb_per_s > 0 ? w->request_mean_bytes / d->gb_per_s : 0;
	if ((double)w->latency_min_ns > transfer_ns)
		d->engine.latency_ns =
			w->latency_min_ns - (int64_t)transfer_ns;
	d->engine.bytes_per_s = (uint64_t)(d->gb_per_s * 1e9) + 1;
	snprintf(d->name, sizeof(d->name),
		"a drive of the run's own %.2f GB/s while busy",
		d->gb_per_s);
}

/* --drive as it was given; false: it was none, or is not known here. */
static bool from_run(
	const struct record *rec, bool odirect, struct why_drive *d)
{
	const char *drive = rec->config.drive;
	struct engine_spec spec = {.kind = ENGINE_AUTO};
	struct err e;

	if (!drive[0] || engine_spec_parse(NULL, drive, &spec, &e))
		return false;
	if (spec.kind == ENGINE_MODEL) {
		from_profile(&spec.drive, odirect, d);
		return true;
	}
	d->known = true;
	d->engine = spec;
	d->gb_per_s = (double)spec.bytes_per_s / 1e9;
	snprintf(d->name, sizeof(d->name), "--drive %.100s", drive);
	return true;
}

void why_drive_of(const struct record *rec,
	const struct drive_profile *profile, bool odirect, const struct why *w,
	struct why_drive *d)
{
	memset(d, 0, sizeof(*d));
	if (profile)
		from_profile(profile, odirect, d);
	else if (!from_run(rec, odirect, d))
		from_record(rec, w, d);
}

static void say_requests(struct why *w)
{
	char p50[UNITS_TEXT_MAX];

	if (w->busy_pct >= 0)
		SAY(w, "; reads were outstanding %.0f %% of the time",
			w->busy_pct);
	if (w->latency_p50_ns)
		SAY(w, "; %.1f of %.0f requests in flight, latency p50 %s",
			w->in_flight_mean, w->in_flight_most,
			units_format_time(p50, w->latency_p50_ns));
}

static void say_storage(struct why *w)
{
	SAY(w, "waiting for storage %.1f %% of the time%s; %.2f GB/s delivered",
		w->mean.storage_pct,
		w->skew_pct >= 1 ? " (and for other ranks that wait)" : "",
		w->busy_gb_per_s);
	SAY(w, " while %.2f were asked for (%.2f for AU %g %%)",
		w->asked_gb_per_s, w->needed_gb_per_s, w->floor_pct);
	say_requests(w);
}

static bool note_is(const struct record *rec, const char *id)
{
	uint32_t i;

	for (i = 0; i < rec->note_count; i++)
		if (!strcmp(rec->notes[i].id, id))
			return true;
	return false;
}

/* All cores, or the one thread that is a rank. */
static bool cpu_binds(const struct train_config *c, const struct why *w)
{
	/* accelerators of one process share its thread */
	double threads = !strcmp(c->group, "local") ? 1 : w->rank_count;

	if (w->cores <= 0)
		return false;
	if (w->cores_busy >= BINDS * w->cores)
		return true;
	if (c->verify)
		return w->cores_busy >= VERIFY_BINDS * threads;
	/* other engines and buffered reads have threads of their own */
	return c->odirect && !strcmp(c->engine, "uring") &&
	       w->cores_busy >= BINDS * threads;
}

/* Limits that need no knowledge of the drive; false: none of them. */
static bool plain_limit(const struct record *rec, const struct rec_run *run,
	struct why *w)
{
	const struct train_config *c = &rec->config;
	double limit = (double)c->limit_read_bytes_per_s / 1e9 *
		       (double)(c->hosts ? c->hosts : 1);

	w->sure = true;
	if (limit > 0 && w->busy_gb_per_s >= BINDS * limit) {
		w->limit = WHY_LIMIT_READ;
		SAY(w, "; --limit-read sets %.2f GB/s", limit);
	} else if (cpu_binds(c, w)) {
		w->limit = c->verify ? WHY_GENERATOR : WHY_CPU;
		SAY(w, "; %.2f of %.0f cores busy, by %u rank%s", w->cores_busy,
			w->cores, w->rank_count, w->rank_count == 1 ? "" : "s");
	} else if (!c->drive[0] &&
		   run->metrics.cached_pct >= FROM_MEMORY_PCT) {
		w->limit = WHY_MEMORY;
		SAY(w, "; %.0f %% of the bytes came from memory",
			run->metrics.cached_pct);
	} else if (w->bytes_per_nominal >= DATASET_FACTOR &&
		   w->storage_term_pct >= 0 &&
		   w->storage_term_pct < w->floor_pct &&
		   w->storage_term_pct * w->bytes_per_nominal >=
			   w->floor_pct) {
		w->limit = WHY_DATASET;
		SAY(w, "; a sample takes %.2f times its nominal bytes, of "
		       "which this storage would deliver enough",
			w->bytes_per_nominal);
	} else {
		w->sure = false;
	}
	return w->sure;
}

/* The profile or the modelled drive says what is possible. */
static void known_limit(
	const struct record *rec, const struct why_drive *d, struct why *w)
{
	w->sure = true;
	SAY(w, "; %s", d->name);
	if (w->busy_gb_per_s >= BINDS * d->gb_per_s) {
		w->limit = d->is_buffered ? WHY_BUFFERED : WHY_DRIVE;
		if (!d->is_buffered && d->link_gb_per_s > 0 &&
			d->gb_per_s >= BINDS * d->link_gb_per_s) {
			w->limit = WHY_LINK;
			SAY(w, ", its PCIe link %.2f", d->link_gb_per_s);
		}
	} else if (note_is(rec, "huge-pages")) {
		w->limit = WHY_MEMORY;
		w->sure = false;
		DOUBT(w, "without huge pages large reads are cut small; run "
			 "again with transparent_hugepage/enabled=madvise");
	} else if (d->lacks_buffered) {
		w->limit = WHY_BUFFERED;
		w->sure = false;
		DOUBT(w, "the drive can do more, the profile does not say what "
			 "the page cache lets through; run with --odirect");
	} else {
		w->limit = WHY_READERS;
	}
}

/* Without a profile the requests must tell. */
static void unknown_limit(const struct record *rec, struct why *w)
{
	double bytes = w->in_flight_mean * w->request_mean_bytes;

	if (bytes > 0 && bytes < BUSY_BYTES) {
		w->limit = WHY_READERS;
		DOUBT(w, "only %.2f MB in flight keep few drives busy; more "
			 "readers or --profile would tell", bytes / 1e6);
	} else if (note_is(rec, "huge-pages")) {
		w->limit = WHY_MEMORY;
		DOUBT(w, "without huge pages large reads are cut small; run "
			 "again with transparent_hugepage/enabled=madvise");
	} else if (!rec->config.odirect) {
		w->limit = WHY_BUFFERED;
		DOUBT(w, "it may be the drive itself: --odirect or --profile "
			 "tells");
	} else {
		w->limit = WHY_DRIVE;
		w->sure = (double)w->latency_p50_ns >=
			  QUEUED * (double)w->latency_min_ns;
		if (!w->sure)
			DOUBT(w, "requests hardly queued: it may be their "
				 "latency; more readers or --profile tells");
	}
}

static void storage_limit(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, struct why *w)
{
	struct why_drive d;

	say_storage(w);
	if (plain_limit(rec, run, w))
		return;
	why_drive_of(rec, profile, rec->config.odirect, w, &d);
	if (d.known)
		known_limit(rec, &d, w);
	else
		unknown_limit(rec, w);
	if (w->storage_term_pct >= NO_LOSS_PCT) {
		w->limit = WHY_READERS;
		w->doubt[0] = 0;
		SAY(w, "; that is enough on average, but batches come late "
		       "one by one: read further ahead");
	}
}

static void rank_limit(struct why *w)
{
	const struct why_rank *k;

	w->limit = WHY_BARRIER;
	w->sure = true;
	SAY(w, "barrier %.1f %% of the time: %.1f %% waiting for the last rank "
	       "of a step, %.1f %% meeting",
		w->mean.barrier_pct, w->skew_pct, w->meet_pct);
	if (!w->has_ranks || w->skew_pct < w->meet_pct)
		return;
	k = &w->ranks[w->slowest];
	SAY(w, "; rank %u was last in %.0f %% of the steps (its own time: "
	       "compute %.1f %%, storage %.1f %%, software %.1f %%)",
		k->rank, k->last_pct, k->share.compute_pct,
		k->share.storage_pct, k->share.software_pct);
}

static void software_limit(const struct record *rec, struct why *w)
{
	char cost[UNITS_TEXT_MAX];

	w->sure = true;
	w->limit = rec->config.verify ? WHY_GENERATOR : WHY_SOFTWARE;
	SAY(w, "software %.1f %% of the time", w->mean.software_pct);
	if (w->has_ranks)
		SAY(w, ", %s a step beside compute",
			units_format_time(cost, w->step_cost_ns));
	if (w->cores <= 0)
		return;
	SAY(w, "; %.2f of %.0f cores busy", w->cores_busy, w->cores);
	if (w->cores_busy >= BINDS * w->cores && !rec->config.verify)
		w->limit = WHY_CPU;
}

static bool is_storage(const struct why *w)
{
	double storage = w->mean.storage_pct;

	if (w->storage_term_pct >= 0 && w->storage_term_pct < NO_LOSS_PCT &&
		w->storage_term_pct <= w->software_term_pct)
		return true;
	return storage > 0 && storage >= w->mean.software_pct &&
	       storage >= w->meet_pct;
}

/* Some ranks alone are slow, or none waits for storage as such. */
static bool is_one_rank(const struct why *w, double spread_pct)
{
	if (w->skew_pct <= 0 || w->skew_pct < w->mean.storage_pct ||
		w->skew_pct < w->mean.software_pct + w->meet_pct)
		return false;
	if (w->storage_term_pct >= 0)
		return spread_pct >= SPREAD_PCT ||
		       w->storage_term_pct >= NO_LOSS_PCT;
	return w->has_ranks && w->ranks[w->slowest].last_pct >= ONE_RANK_PCT;
}

void why_find_limit(const struct record *rec, const struct rec_run *run,
	const struct drive_profile *profile, double spread_pct, struct why *w)
{
	double au = w->steady_evaluated ? w->steady_au_pct : w->au_pct;

	if (au >= NO_LOSS_PCT && w->au_pct >= NO_LOSS_PCT) {
		w->limit = WHY_COMPUTE;
		w->sure = true;
		SAY(w, "compute %.1f %% of the time: nothing holds the "
		       "accelerators up; %.2f GB/s asked for",
			w->mean.compute_pct, w->asked_gb_per_s);
		say_requests(w);
	} else if (is_one_rank(w, spread_pct)) {
		rank_limit(w);
	} else if (is_storage(w)) {
		storage_limit(rec, run, profile, w);
	} else if (w->meet_pct > w->mean.software_pct) {
		rank_limit(w);
	} else {
		software_limit(rec, w);
	}
}
