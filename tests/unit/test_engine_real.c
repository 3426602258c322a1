/* uring and pread on real files, on a disk and in memory. */
#include "core/units.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUFFERS 8
#define BUF_BYTES 65536u
#define LONG_NS (20 * NS_PER_S) /* far beyond what anything here takes */

/* The pool works differently on tmpfs, where the owner reads itself. */
static const struct {
	enum engine_kind kind;
	const char *base;
} places[] = {
	{ENGINE_URING, "/tmp"},
	{ENGINE_URING, "/dev/shm"},
	{ENGINE_PREAD, "/tmp"},
	{ENGINE_PREAD, "/dev/shm"},
};
#define PLACES (sizeof(places) / sizeof(places[0]))

struct rig {
	struct clock clock;
	struct engine *engine;
	struct buffers buffers;
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	int fd;
};

/* False (and a note) where this kernel or container has no io_uring. */
static bool rig_engine(struct rig *r, enum engine_kind kind, const char *base,
	bool no_futex, const char *test)
{
	struct engine_spec s = {.kind = kind, .depth = 16,
		.no_futex = no_futex, .dir = base};
	char why[512];
	struct err e;

	memset(r, 0, sizeof(*r));
	r->fd = -1;
	clock_start(&r->clock, false);
	if (!engine_open(&s, &r->clock, &r->engine, why, sizeof(why), &e))
		return true;
	CU_ASSERT_EQUAL(kind, ENGINE_URING);
	CU_ASSERT_EQUAL(e.kind, ERR_ENV);
	ut_skip(test, e.text);
	return false;
}

static bool rig_open(struct rig *r, enum engine_kind kind, const char *base,
	bool with_buffers, const char *test)
{
	struct err e;

	if (!rig_engine(r, kind, base, false, test))
		return false;
	ut_dir_make(r->dir, base);
	ut_join(r->path, r->dir, "file");
	if (with_buffers)
		CU_ASSERT_EQUAL_FATAL(buffers_init(&r->buffers, r->engine,
			BUFFERS, BUF_BYTES, true, &e), 0);
	return true;
}

static void rig_close(struct rig *r)
{
	if (r->fd >= 0)
		close(r->fd);
	engine_close(r->engine);
	buffers_fini(&r->buffers);
	if (r->dir[0])
		ut_dir_remove(r->dir);
}

static unsigned done_count;

static void count(struct engine_op *op)
{
	(void)op;
	done_count++;
}

static void settle(struct rig *r)
{
	struct err e;

	while (r->engine->in_flight)
		CU_ASSERT_EQUAL_FATAL(
			engine_wait(r->engine, CLOCK_NEVER, &e), 0);
}

static void send(struct rig *r, struct engine_op *op, enum engine_opcode code,
	uint32_t buffer, uint32_t len, uint64_t offset)
{
	op->opcode = code;
	op->fd = r->fd;
	op->buf = buffers_at(&r->buffers, buffer);
	op->buf_index = r->buffers.registered ? 0 : -1;
	op->len_bytes = len;
	op->offset_bytes = offset;
	op->done = count;
	CU_ASSERT_EQUAL_FATAL(engine_submit(r->engine, op), 0);
}

static uint8_t pattern(uint64_t offset)
{
	return (uint8_t)(offset * 31 + (offset >> 8) * 7 + (offset >> 16));
}

static void fill(struct rig *r, uint32_t i)
{
	uint8_t *p = buffers_at(&r->buffers, i);
	uint32_t k;

	for (k = 0; k < BUF_BYTES; k++)
		p[k] = pattern((uint64_t)i * BUF_BYTES + k);
}

static bool filled(struct rig *r, uint32_t i, uint32_t len)
{
	const uint8_t *p = buffers_at(&r->buffers, i);
	uint32_t k;

	for (k = 0; k < len; k++)
		if (p[k] != pattern((uint64_t)i * BUF_BYTES + k))
			return false;
	return true;
}

/* Write, sync, cut 100 bytes off, read: the last read is short by 100. */
static void round_trip(struct rig *r, int flags)
{
	struct engine_op ops[BUFFERS], sync = {0};
	uint32_t i;

	memset(ops, 0, sizeof(ops));
	r->fd = open(r->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | flags,
		0600);
	CU_ASSERT_FATAL(r->fd >= 0);
	for (i = 0; i < BUFFERS; i++) {
		fill(r, i);
		send(r, &ops[i], ENGINE_WRITE, i, BUF_BYTES,
			(uint64_t)i * BUF_BYTES);
	}
	settle(r);
	for (i = 0; i < BUFFERS; i++)
		CU_ASSERT_EQUAL(ops[i].result, BUF_BYTES);
	send(r, &sync, ENGINE_FSYNC, 0, 0, 0);
	settle(r);
	CU_ASSERT_EQUAL(sync.result, 0);
	CU_ASSERT_EQUAL(ftruncate(r->fd, BUFFERS * BUF_BYTES - 100), 0);
	memset(r->buffers.mem, 0, BUFFERS * BUF_BYTES);
	for (i = 0; i < BUFFERS; i++)
		send(r, &ops[i], ENGINE_READ, i, BUF_BYTES,
			(uint64_t)i * BUF_BYTES);
	CU_ASSERT_EQUAL(r->engine->in_flight, BUFFERS);
	settle(r);
	for (i = 0; i < BUFFERS - 1; i++) {
		CU_ASSERT_EQUAL(ops[i].result, BUF_BYTES);
		CU_ASSERT_TRUE(filled(r, i, BUF_BYTES));
	}
	CU_ASSERT_EQUAL(ops[i].result, BUF_BYTES - 100);
	CU_ASSERT_TRUE(filled(r, i, BUF_BYTES - 100));
	/* behind the end there is nothing */
	send(r, &ops[0], ENGINE_READ, 0, 4096, BUFFERS * BUF_BYTES);
	settle(r);
	CU_ASSERT_EQUAL(ops[0].result, 0);
	close(r->fd);
	r->fd = -1;
}

static void test_round_trip(void)
{
	struct rig r;
	size_t k, mode;

	for (k = 0; k < PLACES; k++)
		for (mode = 0; mode < 4; mode++) {
			if (!rig_open(&r, places[k].kind, places[k].base, true,
				    "engine_real/test_round_trip"))
				break;
			if (mode & 1) /* as if it were refused */
				r.buffers.registered = false;
			done_count = 0;
			round_trip(&r, mode & 2 ? O_DIRECT : 0);
			CU_ASSERT_EQUAL(done_count, 2 * BUFFERS + 2);
			CU_ASSERT_EQUAL(r.engine->bytes_written,
				BUFFERS * BUF_BYTES);
			CU_ASSERT_EQUAL(r.engine->bytes_read,
				BUFFERS * BUF_BYTES - 100);
			rig_close(&r);
		}
}

static void test_uring_registers(void)
{
	struct rig r;

	if (!rig_open(&r, ENGINE_URING, "/tmp", true,
		    "engine_real/test_uring_registers"))
		return;
	/* root's memory lock limit may still be small in a container */
	CU_ASSERT(r.buffers.registered || r.buffers.register_error < 0);
	rig_close(&r);
}

static void test_bad_descriptor(void)
{
	struct engine_op op[3];
	struct rig r;
	size_t k;

	for (k = 0; k < PLACES; k++) {
		if (!rig_open(&r, places[k].kind, places[k].base, true,
			    "engine_real/test_bad_descriptor"))
			continue;
		memset(op, 0, sizeof(op));
		send(&r, &op[0], ENGINE_READ, 0, 4096, 0);
		send(&r, &op[1], ENGINE_WRITE, 1, 4096, 0);
		send(&r, &op[2], ENGINE_FSYNC, 0, 0, 0);
		settle(&r);
		CU_ASSERT_EQUAL(op[0].result, -EBADF);
		CU_ASSERT_EQUAL(op[1].result, -EBADF);
		CU_ASSERT_EQUAL(op[2].result, -EBADF);
		CU_ASSERT_EQUAL(r.engine->bytes_read, 0);
		CU_ASSERT_EQUAL(r.engine->bytes_written, 0);
		rig_close(&r);
	}
}

#define MANY 1000

/* Far more at once than the ring has entries or the pool threads. */
static void test_many_at_once(void)
{
	static struct engine_op ops[MANY];
	static uint32_t got[MANY], want[MANY];
	struct rig r;
	size_t k;
	uint32_t i;

	for (i = 0; i < MANY; i++)
		want[i] = i * 2654435761u;
	for (k = 0; k < PLACES; k++) {
		if (!rig_open(&r, places[k].kind, places[k].base, false,
			    "engine_real/test_many_at_once"))
			continue;
		ut_file_write(r.path, want, sizeof(want));
		r.fd = open(r.path, O_RDONLY | O_CLOEXEC);
		CU_ASSERT_FATAL(r.fd >= 0);
		memset(ops, 0, sizeof(ops));
		memset(got, 0, sizeof(got));
		done_count = 0;
		for (i = 0; i < MANY; i++) {
			ops[i].fd = r.fd;
			ops[i].buf = &got[i];
			ops[i].buf_index = -1;
			ops[i].len_bytes = 4;
			ops[i].offset_bytes = 4 * i;
			ops[i].done = count;
			CU_ASSERT_EQUAL_FATAL(
				engine_submit(r.engine, &ops[i]), 0);
		}
		settle(&r);
		CU_ASSERT_EQUAL(done_count, MANY);
		CU_ASSERT_EQUAL(memcmp(got, want, sizeof(want)), 0);
		for (i = 0; i < MANY && ops[i].result == 4; i++)
			;
		CU_ASSERT_EQUAL(i, MANY);
		rig_close(&r);
	}
}

/* With nothing in flight a wait lasts until its deadline, not much longer. */
static void test_deadline(void)
{
	struct err e;
	struct rig r;
	int64_t until, from;
	unsigned waits;
	size_t k;

	for (k = 0; k < PLACES; k++) {
		if (!rig_engine(&r, places[k].kind, places[k].base, false,
			    "engine_real/test_deadline"))
			continue;
		from = clock_now(&r.clock);
		until = from + 30 * NS_PER_MS;
		for (waits = 0; clock_now(&r.clock) < until; waits++)
			CU_ASSERT_EQUAL_FATAL(
				engine_wait(r.engine, until, &e), 0);
		CU_ASSERT(waits < 100); /* it slept */
		CU_ASSERT(clock_now(&r.clock) < LONG_NS);
		/* one that has passed: at once */
		from = clock_now(&r.clock);
		CU_ASSERT_EQUAL(engine_wait(r.engine, 0, &e), 0);
		CU_ASSERT(clock_now(&r.clock) - from < LONG_NS);
		rig_close(&r);
	}
}

struct waker {
	_Atomic uint32_t word;
	int fifo_fd;
};

static void *wake(void *arg)
{
	struct waker *w = arg;

	usleep(20000);
	atomic_fetch_add(&w->word, 1);
	if (w->fifo_fd >= 0) {
		CU_ASSERT_EQUAL(write(w->fifo_fd, "", 1), 1);
	} else {
		syscall(SYS_futex, &w->word, FUTEX_WAKE, INT_MAX, NULL, NULL,
			0);
	}
	return NULL;
}

/*
 * The wake must come through: waits have a deadline of 20 s, and uring looks
 * up by itself once a second, so few waits mean that it was woken.
 */
static void woken_by_thread(struct rig *r, struct waker *w, int fifo_read)
{
	int64_t from = clock_now(&r->clock), until = from + LONG_NS;
	unsigned waits = 0;
	pthread_t thread;
	struct err e;
	int round;

	engine_set_wake(r->engine, &w->word, fifo_read);
	for (round = 0; round < 3; round++) {
		CU_ASSERT_FALSE(engine_woken(r->engine));
		CU_ASSERT_EQUAL_FATAL(
			pthread_create(&thread, NULL, wake, w), 0);
		while (!engine_woken(r->engine) &&
			clock_now(&r->clock) < until) {
			CU_ASSERT_EQUAL_FATAL(
				engine_wait(r->engine, until, &e), 0);
			waits++;
		}
		pthread_join(thread, NULL);
		CU_ASSERT_TRUE(engine_woken(r->engine));
		r->engine->wake.seen = atomic_load(&w->word);
	}
	CU_ASSERT(clock_now(&r->clock) - from >= 60 * NS_PER_MS);
	CU_ASSERT(clock_now(&r->clock) - from < 10 * NS_PER_S);
	CU_ASSERT(waits < 20); /* no polling */
}

static void test_woken_by_futex(void)
{
	struct waker w = {.fifo_fd = -1};
	struct rig r;
	size_t k;

	for (k = 0; k < PLACES; k++) {
		if (!rig_engine(&r, places[k].kind, places[k].base, false,
			    "engine_real/test_woken_by_futex"))
			continue;
		if (r.engine->needs_fifo)
			ut_skip("engine_real/test_woken_by_futex",
				"io_uring has no futex request here");
		else
			woken_by_thread(&r, &w, -1);
		rig_close(&r);
	}
}

/* As on kernels before 6.7: a byte in a FIFO ends the wait. */
static void test_woken_by_fifo(void)
{
	struct waker w = {.fifo_fd = -1};
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct rig r;
	int fd;

	if (!rig_engine(&r, ENGINE_URING, "/tmp", true,
		    "engine_real/test_woken_by_fifo"))
		return;
	CU_ASSERT_TRUE(r.engine->needs_fifo);
	ut_dir_make(dir, "/tmp");
	CU_ASSERT_EQUAL_FATAL(mkfifo(ut_join(path, dir, "fifo"), 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	w.fifo_fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0 && w.fifo_fd >= 0);
	woken_by_thread(&r, &w, fd);
	rig_close(&r);
	close(fd);
	close(w.fifo_fd);
	ut_dir_remove(dir);
}

/* A word that changed before the wait began must not be slept through. */
static void test_woken_before(void)
{
	static _Atomic uint32_t word;
	int64_t from;
	struct err e;
	struct rig r;
	size_t k;

	for (k = 0; k < PLACES; k++) {
		if (!rig_engine(&r, places[k].kind, places[k].base, false,
			    "engine_real/test_woken_before"))
			continue;
		engine_set_wake(r.engine, &word, -1);
		atomic_fetch_add(&word, 1);
		from = clock_now(&r.clock);
		CU_ASSERT_EQUAL(engine_wait(r.engine, from + LONG_NS, &e), 0);
		CU_ASSERT(clock_now(&r.clock) - from < LONG_NS / 2);
		rig_close(&r);
	}
}

/*
 * Two reads are awaited together and one never comes: a wait ends nevertheless,
 * and the hint with it.
 */
static void test_awaited_in_vain(void)
{
	struct engine_op op[2] = {0};
	int64_t from, until;
	int ends[2][2], i;
	char byte[2];
	struct err e;
	struct rig r;

	if (!rig_engine(&r, ENGINE_URING, "/tmp", false,
		    "engine_real/test_awaited_in_vain"))
		return;
	for (i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL_FATAL(pipe(ends[i]), 0);
		op[i].fd = ends[i][0];
		op[i].buf = &byte[i];
		op[i].buf_index = -1;
		op[i].len_bytes = 1;
		op[i].done = count;
		CU_ASSERT_EQUAL(engine_submit(r.engine, &op[i]), 0);
	}
	CU_ASSERT_EQUAL(write(ends[0][1], "a", 1), 1);
	done_count = 0;
	from = clock_now(&r.clock);
	until = from + LONG_NS;
	engine_await(r.engine, 2);
	while (!done_count && clock_now(&r.clock) < until)
		CU_ASSERT_EQUAL_FATAL(engine_wait(r.engine, until, &e), 0);
	CU_ASSERT_EQUAL(done_count, 1);
	CU_ASSERT_EQUAL(op[0].result, 1);
	CU_ASSERT_EQUAL(r.engine->awaited, 0);
	CU_ASSERT_EQUAL(write(ends[1][1], "b", 1), 1);
	settle(&r);
	CU_ASSERT_EQUAL(op[1].result, 1);
	CU_ASSERT(clock_now(&r.clock) - from < LONG_NS / 2);
	for (i = 0; i < 2; i++) {
		close(ends[i][0]);
		close(ends[i][1]);
	}
	rig_close(&r);
}

/* Reads of tmpfs are copies: AUTO takes the pool there, without a note. */
static void test_auto_on_tmpfs(void)
{
	struct engine_spec s = {
		.kind = ENGINE_AUTO, .depth = 4, .dir = "/dev/shm"};
	struct clock clock;
	struct engine *g;
	char why[512];
	struct err e;

	clock_start(&clock, false);
	CU_ASSERT_EQUAL_FATAL(
		engine_open(&s, &clock, &g, why, sizeof(why), &e), 0);
	CU_ASSERT_STRING_EQUAL(engine_name(g), "pread");
	CU_ASSERT_STRING_EQUAL(why, "");
	engine_close(g);
	s.dir = "/tmp";
	CU_ASSERT_EQUAL_FATAL(
		engine_open(&s, &clock, &g, why, sizeof(why), &e), 0);
	/* C32: leaving io_uring is said */
	CU_ASSERT(!strcmp(engine_name(g), "uring") ||
		  strstr(why, "fell back to a pool of pread threads"));
	engine_close(g);
}

UT_SUITE(engine_real, UT_CASE(test_round_trip), UT_CASE(test_uring_registers),
	UT_CASE(test_bad_descriptor), UT_CASE(test_many_at_once),
	UT_CASE(test_deadline), UT_CASE(test_woken_by_futex),
	UT_CASE(test_woken_by_fifo), UT_CASE(test_woken_before),
	UT_CASE(test_awaited_in_vain),
	UT_CASE(test_auto_on_tmpfs))
