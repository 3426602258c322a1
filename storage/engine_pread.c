/*
 * Plain pread and pwrite in a pool of threads, for kernels and containers that
 * refuse io_uring and for file systems that are not asynchronous under it. The
 * owner waits on two words at once: the pool's count of completions and the
 * wake word of the group.
 *
 * On tmpfs a request is a memory copy, over sooner than a thread is woken:
 * there the owner performs requests itself while it waits, and a thread only
 * takes what is left when the owner's deadline has come. A second copier would
 * be faster and cost more CPU per byte.
 */
#include "storage/engine.h"

#include "core/units.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS_MAX 64
/* Where the kernel cannot wait on two words (before 5.16): look this often. */
#define BLIND_SLICE_NS (200 * NS_PER_US)

struct op_list {
	struct engine_op *head, **tail;
};

struct pread_engine {
	struct engine g;
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct op_list todo, finished;
	uint32_t todo_count;
	bool owner_helps;
	uint32_t waiting; /* idle threads */
	uint32_t threads, threads_max;
	bool stop;
	_Atomic uint32_t completions; /* the word the owner waits on */
	_Atomic bool sleeping;
	pthread_t thread[THREADS_MAX];
};

static void list_put(struct op_list *l, struct engine_op *op)
{
	op->next = NULL;
	*l->tail = op;
	l->tail = &op->next;
}

static struct engine_op *list_take(struct op_list *l)
{
	struct engine_op *op = l->head;

	if (op) {
		l->head = op->next;
		if (!l->head)
			l->tail = &l->head;
	}
	return op;
}

/* A transfer that a signal cut short goes on; end of file ends it. */
static int64_t perform(const struct engine_op *op)
{
	uint32_t done = 0;
	ssize_t r = 0;

	if (op->opcode == ENGINE_FSYNC)
		return fsync(op->fd) ? -errno : 0;
	while (done < op->len_bytes) {
		char *at = (char *)op->buf + done;
		size_t left = op->len_bytes - done;
		off_t offset = (off_t)(op->offset_bytes + done);

		r = op->opcode == ENGINE_READ
			    ? pread(op->fd, at, left, offset)
			    : pwrite(op->fd, at, left, offset);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		done += (uint32_t)r;
		/* an O_DIRECT tail: what is left may not be aligned */
		if (r % 512)
			break;
	}
	return r < 0 ? -errno : (int64_t)done;
}

/* With the lock held. */
static struct engine_op *take_todo(struct pread_engine *p)
{
	struct engine_op *op = list_take(&p->todo);

	if (op)
		p->todo_count--;
	return op;
}

static void *pread_thread(void *arg)
{
	struct pread_engine *p = arg;
	struct engine_op *op;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (!p->stop && !p->todo.head) {
			p->waiting++;
			pthread_cond_wait(&p->work, &p->lock);
			p->waiting--;
		}
		if (p->stop)
			break;
		op = take_todo(p);
		pthread_mutex_unlock(&p->lock);
		op->result = perform(op);
		pthread_mutex_lock(&p->lock);
		list_put(&p->finished, op);
		atomic_fetch_add(&p->completions, 1);
		if (atomic_exchange(&p->sleeping, false))
			syscall(SYS_futex, &p->completions, FUTEX_WAKE, 1,
				NULL, NULL, 0);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/*
 * Have a thread look at the list, which is locked and not empty. Fewer threads
 * than wished still do the work; where there can be none, the owner does.
 */
static void call_thread(struct pread_engine *p)
{
	/* an idle thread that was woken still counts until it runs */
	if (p->waiting < p->todo_count && p->threads < p->threads_max &&
		!pthread_create(&p->thread[p->threads], NULL, pread_thread, p))
		p->threads++;
	else
		pthread_cond_signal(&p->work);
	if (!p->threads)
		p->owner_helps = true;
}

static int pread_queue(struct engine *g, struct engine_op *op)
{
	struct pread_engine *p = (struct pread_engine *)g;

	pthread_mutex_lock(&p->lock);
	list_put(&p->todo, op);
	p->todo_count++;
	/* the owner's own, unless it has no time: see pread_wait() */
	if (!p->owner_helps)
		call_thread(p);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

/* The owner performs one request; false if there is none to start. */
static bool help(struct pread_engine *p)
{
	struct engine_op *op;

	if (!p->owner_helps)
		return false;
	pthread_mutex_lock(&p->lock);
	op = take_todo(p);
	pthread_mutex_unlock(&p->lock);
	if (op)
		engine_complete(&p->g, op, perform(op));
	return op;
}

/* The owner has no time: what it left for itself is a thread's. */
static void leave_to_threads(struct pread_engine *p)
{
	pthread_mutex_lock(&p->lock);
	if (p->todo.head)
		call_thread(p);
	pthread_mutex_unlock(&p->lock);
}

static unsigned pread_reap(struct pread_engine *p)
{
	struct engine_op *op, *next;
	unsigned n = 0;

	pthread_mutex_lock(&p->lock);
	op = p->finished.head;
	p->finished.head = NULL;
	p->finished.tail = &p->finished.head;
	pthread_mutex_unlock(&p->lock);
	for (; op; op = next, n++) {
		next = op->next;
		engine_complete(&p->g, op, op->result);
	}
	return n;
}

static void sleep_on_both(struct pread_engine *p, uint32_t seen, int64_t left)
{
	const struct engine_wake *w = &p->g.wake;
	struct futex_waitv v[2];
	struct timespec ts;
	int64_t until = clock_monotonic_ns() + left;

	memset(v, 0, sizeof(v));
	v[0].uaddr = (uintptr_t)&p->completions;
	v[0].val = seen;
	v[0].flags = FUTEX_32;
	v[1].uaddr = (uintptr_t)w->word;
	v[1].val = w->seen;
	v[1].flags = FUTEX_32;
	ts.tv_sec = until / NS_PER_S;
	ts.tv_nsec = until % NS_PER_S;
	if (syscall(SYS_futex_waitv, v, w->word ? 2 : 1, 0, &ts,
		    CLOCK_MONOTONIC) >= 0 || errno != ENOSYS)
		return;
	if (w->word && left > BLIND_SLICE_NS)
		left = BLIND_SLICE_NS;
	ts.tv_sec = left / NS_PER_S;
	ts.tv_nsec = left % NS_PER_S;
	syscall(SYS_futex, &p->completions, FUTEX_WAIT, seen, &ts, NULL, 0);
}

static int pread_wait(struct engine *g, int64_t deadline_ns, struct err *e)
{
	struct pread_engine *p = (struct pread_engine *)g;
	uint32_t seen = atomic_load(&p->completions);
	int64_t left;

	(void)e;
	if (pread_reap(p))
		return 0;
	left = deadline_ns == CLOCK_NEVER ? NS_PER_S
					  : deadline_ns - clock_now(g->clock);
	if (left <= 0 || engine_woken(g)) {
		if (p->owner_helps)
			leave_to_threads(p);
		return 0;
	}
	if (help(p))
		return 0;
	atomic_store(&p->sleeping, true);
	/* a completion between the load and here makes the wait return */
	sleep_on_both(p, seen, left);
	atomic_store(&p->sleeping, false);
	pread_reap(p);
	return 0;
}

static void pread_close(struct engine *g)
{
	struct pread_engine *p = (struct pread_engine *)g;
	uint32_t i;

	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->threads; i++)
		pthread_join(p->thread[i], NULL);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static const struct engine_ops pread_ops = {
	.name = "pread",
	.queue = pread_queue,
	.wait = pread_wait,
	.close = pread_close,
};

int engine_pread_open(
	const struct engine_spec *s, struct engine **out, struct err *e)
{
	struct pread_engine *p = calloc(1, sizeof(*p));

	if (!p)
		return err_nomem(e, "the pread engine");
	p->g.ops = &pread_ops;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	p->todo.tail = &p->todo.head;
	p->finished.tail = &p->finished.head;
	p->threads_max = s->depth < THREADS_MAX ? s->depth : THREADS_MAX;
	if (!p->threads_max)
		p->threads_max = 1;
	p->owner_helps = engine_dir_is_tmpfs(s->dir);
	if (p->owner_helps)
		p->threads_max = 1;
	*out = &p->g;
	return 0;
}
