/* Heartbeats among the ranks of a host; see watch.h. */
#include "accel_sim/watch.h"

#include "core/units.h"
#include "storage/clock.h"
#include "storage/host.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD_S_DEFAULT 30
/* A rank that is silent for this long does not speak for its host. */
#define FRESH_NS (3 * NS_PER_S)
#define PLACE_MAX 512

#define STEP_BITS 32
#define EPOCH_BITS 24
#define EPOCH_MASK ((1ULL << EPOCH_BITS) - 1)

static uint64_t own_pid_ns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : (uint64_t)st.st_ino;
}

static int64_t period_ns(void)
{
	const char *text = getenv("STOKER_WATCHDOG_S");
	int s = text ? atoi(text) : PERIOD_S_DEFAULT;

	return s > 0 ? s * NS_PER_S : 0;
}

int watch_init(struct watch *w, struct watch_slot *slots, uint32_t count,
	uint32_t self, uint32_t rank, struct err *e)
{
	struct watch_slot *mine = &slots[self];

	w->seen = calloc(count, sizeof(*w->seen));
	if (!w->seen)
		return err_nomem(e, "the watchdog");
	w->slots = slots;
	w->count = count;
	w->self = self;
	w->period_ns = period_ns();
	host_name(w->host, sizeof(w->host));
	mine->pid = getpid();
	mine->pid_ns = own_pid_ns();
	mine->rank = rank;
	w->looked_ns = clock_monotonic_ns();
	atomic_store(&mine->beat_ns, w->looked_ns);
	return 0;
}

void watch_fini(struct watch *w)
{
	if (w->slots)
		atomic_store(&w->slots[w->self].beat_ns, 0);
	free(w->seen);
	w->slots = NULL;
	w->seen = NULL;
}

void watch_set_phase(
	struct watch *w, enum watch_phase phase, uint32_t epoch, uint32_t step)
{
	uint64_t at = (uint64_t)phase << (EPOCH_BITS + STEP_BITS) |
		      (epoch & EPOCH_MASK) << STEP_BITS | step;

	atomic_store_explicit(&w->slots[w->self].at, at, memory_order_relaxed);
}

static enum watch_phase phase_of(uint64_t at)
{
	return (enum watch_phase)(at >> (EPOCH_BITS + STEP_BITS));
}

static void step_text(char *buf, size_t size, uint64_t at)
{
	snprintf(buf, size, "step %u of epoch %u", (uint32_t)at + 1,
		(uint32_t)(at >> STEP_BITS & EPOCH_MASK) + 1);
}

/* "load, step 12 of epoch 1" */
static void phase_text(char *buf, size_t size, uint64_t at)
{
	static const char *const names[] = {
		[WATCH_START] = "start-up",
		[WATCH_CACHE_DROP] = "cache drop",
		[WATCH_LOAD] = "load",
		[WATCH_COMPUTE] = "compute",
		[WATCH_BARRIER] = "barrier",
		[WATCH_WRITE] = "writing the data set",
		[WATCH_BETWEEN] = "between runs",
	};
	enum watch_phase p = phase_of(at);
	char step[64];

	step_text(step, sizeof(step), at);
	if (p == WATCH_CACHE_DROP)
		snprintf(buf, size, "%s before epoch %u", names[p],
			(uint32_t)(at >> STEP_BITS & EPOCH_MASK) + 1);
	else if (p == WATCH_LOAD || p == WATCH_COMPUTE || p == WATCH_BARRIER)
		snprintf(buf, size, "%s, %s", names[p], step);
	else
		snprintf(buf, size, "%s", names[p]);
}

static void place_text(
	const struct watch *w, const struct watch_slot *s, char *buf)
{
	snprintf(buf, PLACE_MAX, "rank %u (host %s, pid %d)", s->rank, w->host,
		s->pid);
}

static bool is_dead(const struct watch *w, const struct watch_slot *s)
{
	const struct watch_slot *mine = &w->slots[w->self];

	if (s == mine || !atomic_load(&s->beat_ns) || s->pid_ns != mine->pid_ns)
		return false;
	/* who has left in the meantime had said so before */
	return kill(s->pid, 0) && errno == ESRCH && atomic_load(&s->beat_ns);
}

int watch_find_dead(struct watch *w, struct err *e)
{
	char place[PLACE_MAX], phase[128];
	uint32_t i;

	for (i = 0; i < w->count; i++) {
		struct watch_slot *s = &w->slots[i];

		if (!is_dead(w, s))
			continue;
		place_text(w, s, place);
		phase_text(phase, sizeof(phase), atomic_load(&s->at));
		return err_set(e, ERR_ENV, -ESRCH,
			"%s died, last phase: %s; was it killed? (dmesg tells "
			"of the kernel's out-of-memory killer)",
			place, phase);
	}
	return 0;
}

static int64_t age_ns(const struct watch_slot *s, int64_t now_ns)
{
	int64_t beat = atomic_load(&s->beat_ns);

	return beat ? now_ns - beat : -1;
}

bool watch_speaks(const struct watch *w, int64_t now_ns)
{
	int64_t fresh = w->period_ns && w->period_ns < FRESH_NS ? w->period_ns
								: FRESH_NS;
	uint32_t i;

	for (i = 0; i < w->self; i++) {
		int64_t age = age_ns(&w->slots[i], now_ns);

		if (age >= 0 && age < fresh && !is_dead(w, &w->slots[i]))
			return false;
	}
	return true;
}

/* Tell of slot i when it is silent, when it is back, when it gets no data. */
static void tell(struct watch *w, uint32_t i, int64_t now_ns)
{
	struct watch_slot *s = &w->slots[i];
	struct watch_seen *seen = &w->seen[i];
	int64_t age = age_ns(s, now_ns), still = now_ns - seen->since_ns;
	char place[PLACE_MAX], where[128], text[PLACE_MAX + 512];

	place_text(w, s, place);
	if (age >= w->period_ns) {
		phase_text(where, sizeof(where), seen->at);
		snprintf(text, sizeof(text),
			"%s silent for %" PRId64 " s, last phase: %s; it is "
			"left alone (stopped, or stuck in the kernel?)",
			place, (int64_t)(age / NS_PER_S), where);
		seen->silent = true;
		seen->tell_ns = now_ns + age;
	} else if (seen->silent) {
		seen->silent = false;
		seen->since_ns = now_ns;
		snprintf(text, sizeof(text),
			"%s goes on after its silence: the times of this run "
			"include it",
			place);
		seen->tell_ns = now_ns;
	} else {
		step_text(where, sizeof(where), seen->at);
		snprintf(text, sizeof(text),
			"%s has waited %" PRId64 " s for the data of %s: its "
			"reads are slow or do not return",
			place, (int64_t)(still / NS_PER_S), where);
		seen->tell_ns = now_ns + still;
	}
	w->say(w->ctx, text);
}

static void look_at(struct watch *w, uint32_t i, bool speaks, int64_t now_ns)
{
	struct watch_slot *s = &w->slots[i];
	struct watch_seen *seen = &w->seen[i];
	uint64_t at = atomic_load_explicit(&s->at, memory_order_relaxed);
	int64_t age = age_ns(s, now_ns);
	bool starved;

	if (age < 0)
		return;
	if (at != seen->at || !seen->since_ns) {
		seen->at = at;
		seen->since_ns = now_ns;
		if (!seen->silent)
			seen->tell_ns = 0;
	}
	if (!speaks || !w->say || !w->period_ns)
		return;
	starved = phase_of(at) == WATCH_LOAD &&
		  now_ns - seen->since_ns >= w->period_ns;
	if (seen->silent ? age < w->period_ns || now_ns >= seen->tell_ns
			 : (age >= w->period_ns || starved) &&
				   now_ns >= seen->tell_ns)
		tell(w, i, now_ns);
}

int watch_look(struct watch *w, int64_t now_ns, struct err *e)
{
	int64_t gap = now_ns - w->looked_ns;
	bool speaks;
	uint32_t i;

	atomic_store_explicit(
		&w->slots[w->self].beat_ns, now_ns, memory_order_relaxed);
	if (gap < WATCH_LOOK_NS)
		return 0;
	w->looked_ns = now_ns;
	/* this rank was stopped itself: perhaps the others were, too */
	if (gap > 3 * WATCH_LOOK_NS)
		return 0;
	if (watch_find_dead(w, e))
		return -ESRCH;
	speaks = watch_speaks(w, now_ns);
	for (i = 0; i < w->count; i++)
		look_at(w, i, speaks, now_ns);
	return 0;
}
