/*
 * What all engines share: the choice among them, the token bucket that slows
 * reads on purpose, idle sleeping and the counting of completions.
 */
#include "storage/engine.h"

#include "core/units.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Reads that were late may catch up by this much. */
#define LIMIT_BURST_NS (5 * NS_PER_MS)

static int parse_constant(const char *drive, struct engine_spec *s, struct err *e)
{
	char rate[64];
	const char *comma = strchr(drive, ',');
	size_t n = comma ? (size_t)(comma - drive) : strlen(drive);
	int r;

	if (n >= sizeof(rate))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--drive constant:%s: rate is too long", drive);
	memcpy(rate, drive, n);
	rate[n] = 0;
	s->kind = ENGINE_CONSTANT;
	s->latency_ns = 0;
	r = units_parse_rate(rate, "--drive constant", &s->bytes_per_s, e);
	if (!r && comma)
		r = units_parse_time(
			comma + 1, "--drive constant", &s->latency_ns, e);
	if (!r && !s->bytes_per_s)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--drive constant: the rate must be above 0");
	return r;
}

int engine_spec_parse(const char *config_dir, const char *drive,
	struct engine_spec *s, struct err *e)
{
	struct err why;

	if (!strcmp(drive, "null")) {
		s->kind = ENGINE_NULL;
		return 0;
	}
	if (!strncmp(drive, "constant:", 9))
		return parse_constant(drive + 9, s, e);
	s->kind = ENGINE_MODEL;
	if (!drive_profile_load(config_dir, drive, &s->drive, &why))
		return 0;
	if (why.code != -ENOENT || strchr(drive, '/'))
		return err_set(e, ERR_USAGE, why.code, "--drive %s: %s", drive,
			why.text);
	return err_set(e, ERR_USAGE, -EINVAL,
		"--drive %s: no such drive; there are constant:RATE[,LATENCY] "
		"as in constant:14.5GB/s,80us; null; FILE.json of `stoker "
		"drive probe`; and profiles, also as \"24x NAME\": %s", drive,
		why.text);
}

bool engine_dir_is_tmpfs(const char *dir)
{
	struct statfs f;

	return dir && !statfs(dir, &f) && f.f_type == TMPFS_MAGIC;
}

static int open_auto(const struct engine_spec *s, struct engine **out,
	char *why, size_t why_bytes, struct err *e)
{
	struct err u;
	int r;

	if (engine_dir_is_tmpfs(s->dir))
		return engine_pread_open(s, out, e);
	r = engine_uring_open(s, out, &u);
	if (!r)
		return 0;
	r = engine_pread_open(s, out, e);
	if (!r)
		snprintf(why, why_bytes,
			"%s; fell back to a pool of pread threads", u.text);
	return r;
}

int engine_open(const struct engine_spec *s, struct clock *c,
	struct engine **out, char *why, size_t why_bytes, struct err *e)
{
	int r = -EINVAL;

	why[0] = 0;
	switch (s->kind) {
	case ENGINE_AUTO:
		r = open_auto(s, out, why, why_bytes, e);
		break;
	case ENGINE_URING:
		r = engine_uring_open(s, out, e);
		break;
	case ENGINE_PREAD:
		r = engine_pread_open(s, out, e);
		break;
	case ENGINE_CONSTANT:
		r = engine_constant_open(s, out, e);
		break;
	case ENGINE_NULL:
		r = engine_null_open(s, out, e);
		break;
	case ENGINE_MODEL:
		r = engine_model_open(s, out, e);
		break;
	}
	if (r)
		return r;
	(*out)->clock = c;
	(*out)->wake.fifo_fd = -1;
	(*out)->limit.tail = &(*out)->limit.head;
	return 0;
}

void engine_close(struct engine *g)
{
	/* requests that never return outlive us: see loop_drain() */
	if (g && !g->in_flight)
		g->ops->close(g);
}

void engine_set_limit(struct engine *g, uint64_t bytes_per_s,
	_Atomic int64_t *next_ns)
{
	g->limit.bytes_per_s = bytes_per_s;
	g->limit.next_ns = next_ns ? next_ns : &g->limit.own_next_ns;
}

void engine_set_wake(struct engine *g, _Atomic uint32_t *word, int fifo_fd)
{
	g->wake.word = word;
	g->wake.seen = atomic_load(word);
	g->wake.fifo_fd = fifo_fd;
}

void engine_complete(struct engine *g, struct engine_op *op, int64_t result)
{
	op->result = result;
	g->in_flight--;
	if (result > 0 && op->opcode == ENGINE_READ)
		g->bytes_read += (uint64_t)result;
	else if (result > 0 && op->opcode == ENGINE_WRITE)
		g->bytes_written += (uint64_t)result;
	op->done(op);
}

/*
 * Reserve the time in which the op's bytes pass: each op starts where the one
 * before it ends, by whichever process that was handed in.
 */
static int64_t limit_reserve(struct engine_limit *l, uint32_t len_bytes)
{
	int64_t now = clock_monotonic_ns(), next, start, end;
	int64_t cost_ns = (int64_t)((unsigned __int128)len_bytes *
				    (uint64_t)NS_PER_S / l->bytes_per_s);

	next = atomic_load(l->next_ns);
	do {
		start = next < now - LIMIT_BURST_NS ? now - LIMIT_BURST_NS
						    : next;
		end = start + cost_ns;
	} while (!atomic_compare_exchange_weak(l->next_ns, &next, end));
	/* An op is let go when its last byte may have passed. */
	return end;
}

int engine_submit(struct engine *g, struct engine_op *op)
{
	struct engine_limit *l = &g->limit;
	int r;

	g->in_flight++;
	if (!l->bytes_per_s || op->opcode != ENGINE_READ) {
		r = g->ops->queue(g, op);
		if (r)
			g->in_flight--;
		return r;
	}
	op->due_ns = limit_reserve(l, op->len_bytes) - g->clock->zero_ns;
	op->next = NULL;
	*l->tail = op;
	l->tail = &op->next;
	return 0;
}

/* Let go what is due; returns when the next one will be. */
static int64_t limit_release(struct engine *g)
{
	struct engine_limit *l = &g->limit;
	struct engine_op *op;
	int64_t now;

	if (!l->head)
		return CLOCK_NEVER;
	now = clock_now(g->clock);
	while ((op = l->head) && op->due_ns <= now) {
		l->head = op->next;
		if (!l->head)
			l->tail = &l->head;
		if (g->ops->queue(g, op))
			engine_complete(g, op, -EAGAIN);
	}
	return l->head ? l->head->due_ns : CLOCK_NEVER;
}

void engine_cancel_held(struct engine *g)
{
	struct engine_op *op = g->limit.head, *next;

	g->seen_ns = -1;
	g->limit.head = NULL;
	g->limit.tail = &g->limit.head;
	for (; op; op = next) {
		next = op->next;
		engine_complete(g, op, -ECANCELED);
	}
}

int engine_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	int64_t release_ns;

	g->seen_ns = -1;
	release_ns = limit_release(g);
	if (release_ns < deadline_ns)
		deadline_ns = release_ns;
	return g->ops->wait(g, deadline_ns, e);
}

int engine_idle(struct engine *g, int64_t until_ns, struct err *e)
{
	int64_t now = clock_now(g->clock), left;
	struct timespec ts;
	uint32_t dummy = 0;

	if (until_ns <= now)
		return 0;
	if (g->clock->is_virtual) {
		if (until_ns == CLOCK_NEVER)
			return err_set(e, ERR_BUG, -EDEADLK,
				"virtual time: everything waits for nothing");
		g->clock->virtual_ns = until_ns;
		return 0;
	}
	left = until_ns == CLOCK_NEVER ? NS_PER_S : until_ns - now;
	ts.tv_sec = left / NS_PER_S;
	ts.tv_nsec = left % NS_PER_S;
	/* A futex that nobody changes is a sleep that signals interrupt. */
	syscall(SYS_futex,
		g->wake.word ? (void *)g->wake.word : (void *)&dummy,
		FUTEX_WAIT, g->wake.word ? g->wake.seen : dummy, &ts, NULL, 0);
	return 0;
}
