#ifndef STORAGE_ENGINE_H
#define STORAGE_ENGINE_H
/*
 * An engine moves bytes: requests go in, completions come out, and a thread
 * that has nothing to do waits in it until a completion, a wake-up or a
 * deadline. Kinds: uring (Linux io_uring), pread (a pool of threads, where
 * io_uring is refused or the file system is not asynchronous), constant (a
 * modelled drive of fixed bandwidth and latency), model (a drive as its
 * profile says), null (completes at once). The last three know no files and
 * can run on the virtual clock, which they move. One thread owns an engine.
 */
#include "core/err.h"
#include "storage/clock.h"
#include "storage/drive.h"
#include "storage/host_model.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_opcode { ENGINE_READ, ENGINE_WRITE, ENGINE_FSYNC };

/*
 * A request; the caller's memory until done() was called for it. result is
 * the number of bytes moved (may be short) or -errno.
 */
struct engine_op {
	enum engine_opcode opcode;
	int fd; /* real engines only */
	void *buf;
	int buf_index; /* arena the buffer lies in: 0, or -1 for none */
	uint32_t len_bytes;
	uint64_t offset_bytes;
	int64_t result;
	void (*done)(struct engine_op *op);
	void *owner;
	/* the engine's own */
	struct engine_op *next;
	int64_t due_ns;
};

/*
 * A word that others change to wake this engine's owner: wait() returns once
 * *word differs from seen. Where io_uring lacks futex requests (before Linux
 * 6.7) the waker also writes a byte to fifo_fd; see engine_needs_fifo().
 */
struct engine_wake {
	_Atomic uint32_t *word; /* may lie in memory shared by processes */
	uint32_t seen;
	int fifo_fd; /* read end, or -1 */
};

struct engine;

struct engine_ops {
	const char *name;
	int (*queue)(struct engine *g, struct engine_op *op);
	int (*wait)(struct engine *g, int64_t deadline_ns, struct err *e);
	/* make [mem, mem + size) arena 0; 0 or -errno (then unregistered) */
	int (*register_arena)(struct engine *g, void *mem, size_t size_bytes);
	void (*close)(struct engine *g);
};

struct engine_limit {
	uint64_t bytes_per_s; /* 0 = none */
	_Atomic int64_t *next_ns; /* when the next byte may go; shared */
	_Atomic int64_t own_next_ns;
	struct engine_op *head, **tail; /* held back, in order */
};

struct engine {
	const struct engine_ops *ops;
	struct clock *clock;
	struct engine_wake wake;
	struct engine_limit limit;
	uint32_t in_flight; /* queued or held back, not yet done */
	uint64_t bytes_read, bytes_written;
	int64_t seen_ns; /* see engine_seen_ns(); -1 = not read yet */
	bool needs_fifo;
	uint32_t awaited; /* see engine_await() */
};

/* How an engine is asked for. */
struct engine_spec {
	enum engine_kind {
		ENGINE_AUTO, /* uring; pread where it is refused or on tmpfs */
		ENGINE_URING,
		ENGINE_PREAD,
		ENGINE_CONSTANT,
		ENGINE_NULL,
		ENGINE_MODEL
	} kind;
	uint32_t depth; /* most requests in flight */
	uint64_t bytes_per_s; /* constant */
	int64_t latency_ns;   /* constant */
	/* model */
	struct drive_profile drive;
	struct host_model host; /* step_ns is the workload's business */
	bool buffered;		/* reads pass through the page cache */
	/*
	 * A request longer than split_bytes stands for requests of that size,
	 * split_depth of them in flight; 0 = it is one command.
	 */
	uint32_t split_bytes, split_depth;
	uint32_t without; /* enum drive_mechanism bits switched off */
	uint64_t seed;
	bool no_futex;	      /* pretend that io_uring has no futex request */
	const char *dir;      /* real engines: where the files are, for auto */
};

/*
 * Parse "constant:14.5GB/s,80us", "null" or what drive_profile_load() takes
 * into kind and the fields of that kind. ERR_USAGE names what exists.
 */
int engine_spec_parse(const char *config_dir, const char *drive,
	struct engine_spec *s, struct err *e);

static inline bool engine_spec_is_real(const struct engine_spec *s)
{
	return s->kind == ENGINE_AUTO || s->kind == ENGINE_URING ||
	       s->kind == ENGINE_PREAD;
}

/*
 * Open an engine on clock c (real clock only for uring and pread). When AUTO
 * had to leave io_uring, why[] says so (else it is empty). engine_close() of
 * an engine with requests in flight leaves it as it is, for the end of the
 * process to deal with.
 */
int engine_open(const struct engine_spec *s, struct clock *c,
	struct engine **out, char *why, size_t why_bytes, struct err *e);
void engine_close(struct engine *g);

/*
 * Slow reads down to bytes_per_s with a token bucket. Processes of one host
 * share a drive by handing in the same next_ns word, which holds a
 * CLOCK_MONOTONIC time, zero at first; NULL = this engine alone.
 */
void engine_set_limit(struct engine *g, uint64_t bytes_per_s,
	_Atomic int64_t *next_ns);

void engine_set_wake(struct engine *g, _Atomic uint32_t *word, int fifo_fd);

/* Hand in a request; it starts at the next engine_wait() at the latest. */
int engine_submit(struct engine *g, struct engine_op *op);

/* End what the limit still holds back, with -ECANCELED. */
void engine_cancel_held(struct engine *g);

/*
 * Start what was handed in, then call done() for everything that completed.
 * Returns at once if anything completed or deadline_ns (of the engine's
 * clock; CLOCK_NEVER = none) has passed, else when something does, when the
 * wake word changes, or after a signal. A virtual clock is moved to the next
 * completion or to the deadline, whichever is first.
 */
int engine_wait(struct engine *g, int64_t deadline_ns, struct err *e);

/*
 * The next engine_wait() alone: fewer than n completions are not worth waking
 * for, if that costs ENGINE_AWAIT_NS at the most. A hint, which saves
 * processor time; n is what is in flight at the most.
 */
#define ENGINE_AWAIT_NS (5 * NS_PER_MS)
static inline void engine_await(struct engine *g, uint32_t n)
{
	g->awaited = n;
}

/*
 * In done(): when this batch of completions was seen; the clock is read once
 * a batch.
 */
static inline int64_t engine_seen_ns(struct engine *g)
{
	if (g->seen_ns < 0)
		g->seen_ns = clock_now(g->clock);
	return g->seen_ns;
}

static inline const char *engine_name(const struct engine *g)
{
	return g->ops->name;
}

/* For the implementations. */
/* Reads of tmpfs are copies: asking for them only adds a hand-over. */
bool engine_dir_is_tmpfs(const char *dir);
int engine_uring_open(
	const struct engine_spec *s, struct engine **out, struct err *e);
/* "2.6", of the liburing that runs, where it tells (2.4 and later), or "". */
void engine_uring_version(char *buf, size_t size);
int engine_pread_open(
	const struct engine_spec *s, struct engine **out, struct err *e);
int engine_constant_open(
	const struct engine_spec *s, struct engine **out, struct err *e);
int engine_model_open(
	const struct engine_spec *s, struct engine **out, struct err *e);
int engine_null_open(
	const struct engine_spec *s, struct engine **out, struct err *e);

/* Finish op: count it and call done(). */
void engine_complete(struct engine *g, struct engine_op *op, int64_t result);
/* Sleep, or move the virtual clock, to until_ns; a changed wake word ends a
 * real sleep early. -EDEADLK: virtual, and nothing would ever happen. */
int engine_idle(struct engine *g, int64_t until_ns, struct err *e);
static inline bool engine_woken(const struct engine *g)
{
	return g->wake.word && atomic_load_explicit(g->wake.word,
				       memory_order_acquire) != g->wake.seen;
}

#endif
