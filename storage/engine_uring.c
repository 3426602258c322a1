/*
 * Linux io_uring: one ring for one thread. Requests gather in the submission
 * queue and go to the kernel together when the owner waits. Reads and writes
 * of a registered arena use its pinned pages. The wake-up of a barrier comes
 * through the ring too: a futex request where the kernel has it (6.7), else a
 * read of a FIFO.
 */
#include "storage/engine.h"

#include "core/units.h"

#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* liburing 2.3 knows neither the request nor its flags. */
#define OP_FUTEX_WAIT 51
#define FUTEX2_SIZE_U32_FLAG 0x02

#define TAG_WAKE 1 /* user_data of the wake request; ops are pointers */
#define REAP_MAX 64

struct uring_engine {
	struct engine g;
	struct io_uring ring;
	bool arena; /* registered buffer 0 exists */
	bool has_futex;
	bool wake_armed;
	char fifo_byte[64];
};

static struct io_uring_sqe *uring_sqe(struct uring_engine *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (!sqe) {
		io_uring_submit(&u->ring);
		sqe = io_uring_get_sqe(&u->ring);
	}
	return sqe;
}

static int uring_queue(struct engine *g, struct engine_op *op)
{
	struct uring_engine *u = (struct uring_engine *)g;
	struct io_uring_sqe *sqe = uring_sqe(u);
	bool fixed = u->arena && op->buf_index >= 0;

	if (!sqe)
		return -EAGAIN;
	switch (op->opcode) {
	case ENGINE_READ:
		if (fixed)
			io_uring_prep_read_fixed(sqe, op->fd, op->buf,
				op->len_bytes, op->offset_bytes, op->buf_index);
		else
			io_uring_prep_read(sqe, op->fd, op->buf, op->len_bytes,
				op->offset_bytes);
		break;
	case ENGINE_WRITE:
		if (fixed)
			io_uring_prep_write_fixed(sqe, op->fd, op->buf,
				op->len_bytes, op->offset_bytes, op->buf_index);
		else
			io_uring_prep_write(sqe, op->fd, op->buf,
				op->len_bytes, op->offset_bytes);
		break;
	case ENGINE_FSYNC:
		io_uring_prep_fsync(sqe, op->fd, 0);
		break;
	}
	io_uring_sqe_set_data(sqe, op);
	return 0;
}

/* Keep one request in the ring that ends when the wake word changes. */
static void uring_arm_wake(struct uring_engine *u)
{
	struct engine_wake *w = &u->g.wake;
	struct io_uring_sqe *sqe;

	if (!w->word || u->wake_armed || (!u->has_futex && w->fifo_fd < 0))
		return;
	sqe = uring_sqe(u);
	if (!sqe)
		return;
	if (u->has_futex) {
		io_uring_prep_rw(OP_FUTEX_WAIT, sqe, FUTEX2_SIZE_U32_FLAG,
			(void *)w->word, 0, w->seen);
		sqe->rw_flags = 0;
		sqe->addr3 = UINT32_MAX; /* wake mask: any */
	} else {
		io_uring_prep_read(sqe, w->fifo_fd, u->fifo_byte,
			sizeof(u->fifo_byte), (uint64_t)-1);
	}
	io_uring_sqe_set_data64(sqe, TAG_WAKE);
	u->wake_armed = true;
}

/* Call done() for what has completed; returns how many entries there were. */
static unsigned uring_reap(struct uring_engine *u)
{
	struct io_uring_cqe *cqes[REAP_MAX];
	struct engine_op *op[REAP_MAX];
	int32_t res[REAP_MAX];
	unsigned n, i;

	n = io_uring_peek_batch_cqe(&u->ring, cqes, REAP_MAX);
	for (i = 0; i < n; i++) {
		op[i] = (struct engine_op *)io_uring_cqe_get_data(cqes[i]);
		res[i] = cqes[i]->res;
	}
	io_uring_cq_advance(&u->ring, n);
	for (i = 0; i < n; i++) {
		if (op[i] == (void *)TAG_WAKE)
			u->wake_armed = false;
		else
			engine_complete(&u->g, op[i], res[i]);
	}
	return n;
}

static int uring_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	struct uring_engine *u = (struct uring_engine *)g;
	struct __kernel_timespec ts;
	struct io_uring_cqe *cqe;
	unsigned awaited = g->awaited;
	int64_t left;
	int r;

	g->awaited = 0;
	uring_arm_wake(u);
	if (uring_reap(u)) {
		/* what was queued meanwhile must not wait for the next call */
		io_uring_submit(&u->ring);
		return 0;
	}
	left = deadline_ns == CLOCK_NEVER ? NS_PER_S
					  : deadline_ns - clock_now(g->clock);
	if (left < 0 || engine_woken(g))
		left = 0;
	if (awaited > 1 && left > ENGINE_AWAIT_NS)
		left = ENGINE_AWAIT_NS;
	ts.tv_sec = left / NS_PER_S;
	ts.tv_nsec = left % NS_PER_S;
	if (left > 0)
		r = io_uring_submit_and_wait_timeout(
			&u->ring, &cqe, awaited ? awaited : 1, &ts,
			NULL);
	else
		r = io_uring_submit_and_get_events(&u->ring);
	if (r < 0 && r != -ETIME && r != -EINTR && r != -EAGAIN && r != -EBUSY)
		return err_set(e, ERR_IO, r,
			"io_uring: waiting for %u requests failed: %s",
			g->in_flight, strerror(-r));
	uring_reap(u);
	return 0;
}

static int uring_register_arena(struct engine *g, void *mem, size_t size_bytes)
{
	struct uring_engine *u = (struct uring_engine *)g;
	struct iovec iov = {.iov_base = mem, .iov_len = size_bytes};
	int r = io_uring_register_buffers(&u->ring, &iov, 1);

	u->arena = r == 0;
	return r;
}

static void uring_close(struct engine *g)
{
	struct uring_engine *u = (struct uring_engine *)g;

	io_uring_queue_exit(&u->ring);
	free(u);
}

static const struct engine_ops uring_ops = {
	.name = "uring",
	.queue = uring_queue,
	.wait = uring_wait,
	.register_arena = uring_register_arena,
	.close = uring_close,
};

static bool ring_has_futex(struct io_uring *ring)
{
	struct io_uring_probe *p = io_uring_get_probe_ring(ring);
	bool yes = p && io_uring_opcode_supported(p, OP_FUTEX_WAIT);

	if (p)
		io_uring_free_probe(p);
	return yes;
}

static int refused(int r, struct err *e)
{
	if (r == -EPERM || r == -EACCES)
		return err_set(e, ERR_ENV, r,
			"io_uring not permitted (%s: container seccomp or "
			"kernel.io_uring_disabled)",
			r == -EPERM ? "EPERM" : "EACCES");
	if (r == -ENOSYS)
		return err_set(e, ERR_ENV, r,
			"io_uring not permitted (ENOSYS: kernel without "
			"io_uring, or seccomp)");
	if (r == -ENOMEM)
		return err_set(e, ERR_ENV, r,
			"io_uring has no memory for its rings (ENOMEM: ulimit "
			"-l, which all processes of a user share, or the "
			"machine's own); raise it, or pass --engine pread");
	return err_set(e, ERR_ENV, r, "io_uring_setup failed: %s",
		strerror(-r));
}

int engine_uring_open(
	const struct engine_spec *s, struct engine **out, struct err *e)
{
	struct uring_engine *u = calloc(1, sizeof(*u));
	unsigned flags[] = {
		IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, 0};
	unsigned entries = 64;
	size_t i;
	int r = -EINVAL;

	if (!u)
		return err_nomem(e, "the io_uring engine");
	while (entries < s->depth + 2 && entries < 4096)
		entries *= 2;
	/* the newer flags are an optimisation: kernels before 6.1 lack them */
	for (i = 0; i < 2 && r == -EINVAL; i++)
		r = io_uring_queue_init(entries, &u->ring, flags[i]);
	if (r) {
		free(u);
		return refused(r, e);
	}
	u->g.ops = &uring_ops;
	u->has_futex = !s->no_futex && ring_has_futex(&u->ring);
	u->g.needs_fifo = !u->has_futex;
	*out = &u->g;
	return 0;
}

void engine_uring_version(char *buf, size_t size)
{
#ifdef IO_URING_VERSION_MAJOR
	snprintf(buf, size, "%d.%d", io_uring_major_version(),
		io_uring_minor_version());
#else
	if (size)
		buf[0] = '\0';
#endif
}
