/*
 * How the processes of an MPI group meet outside loops, and what they do when
 * one of them dies; see group_mpi.h. mpirun ends a job within a second or so
 * of a death: a SIGTERM to all, then SIGKILL. What is to be said and written
 * must be so in that time, hence everything here gives up early when hurried.
 */
#include "accel_sim/group_mpi.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TAG_RECORD 1
#define TAG_DEATH 2
/* After a SIGTERM the others get this long to come to a meeting. */
#define HURRY_NS (400 * NS_PER_MS)

static void pause_ns(int64_t ns)
{
	struct timespec ts = {.tv_nsec = ns};

	nanosleep(&ts, NULL);
}

/* Send the bad news; who cannot be reached any more does not matter. */
static void announce(struct mpi_group *m, uint32_t to)
{
	MPI_Request q;
	int done, i;

	if (to == m->g.first ||
		MPI_Isend(&m->death, sizeof(m->death), MPI_BYTE, (int)to,
			TAG_DEATH, MPI_COMM_WORLD, &q) != MPI_SUCCESS)
		return;
	for (i = 0; i < 10; i++)
		if (MPI_Test(&q, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
			done)
			return;
	MPI_Request_free(&q);
}

/*
 * From here on the group is broken for this process, for its host through the
 * page, and for other hosts through rank 0.
 */
static int break_up(struct mpi_group *m, const struct err *why, struct err *e)
{
	struct host_page *p = m->page;
	uint32_t none = 0, i;
	bool first = atomic_compare_exchange_strong(&p->broken, &none, 1);

	if (first) {
		p->death = *why;
		atomic_store(&p->broken, 2);
	}
	while (atomic_load(&p->broken) == 1)
		sched_yield();
	m->death = p->death;
	m->broken = true;
	if (m->g.hosts > 1 && !m->g.first)
		for (i = m->g.ranks_on_host; i < m->g.size; i++)
			announce(m, i);
	else if (m->g.hosts > 1 && first)
		announce(m, 0);
	if (e)
		*e = m->death;
	return m->death.code;
}

/* Has another host sent bad news? */
static bool hear(struct mpi_group *m, struct err *why)
{
	MPI_Status st;
	int there = 0;

	if (m->g.hosts == 1 ||
		MPI_Iprobe(MPI_ANY_SOURCE, TAG_DEATH, MPI_COMM_WORLD, &there,
			&st) != MPI_SUCCESS ||
		!there)
		return false;
	return MPI_Recv(why, sizeof(*why), MPI_BYTE, st.MPI_SOURCE, TAG_DEATH,
		       MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

/* The job ends now: who died, or has everyone had time enough? */
static int hurry(struct mpi_group *m, int64_t now_ns, struct err *why)
{
	if (!m->hurry_ns)
		m->hurry_ns = now_ns;
	if (watch_find_dead(&m->watch, why) || hear(m, why))
		return -ESRCH;
	if (now_ns - m->hurry_ns < HURRY_NS)
		return 0;
	if (m->asked)
		return err_set(why, ERR_IO, -EINTR,
			"interrupted (other ranks did not leave in time)");
	return err_set(why, ERR_ENV, -ESRCH,
		"mpirun ended the job and other ranks do not answer: one has "
		"died, mpirun's own message names it");
}

int mpi_watch(struct mpi_group *m, struct err *e)
{
	int64_t now = clock_monotonic_ns();
	bool look = now - m->watch.looked_ns >= WATCH_LOOK_NS;
	struct err why;

	m->asked |= loop_interrupted == LOOP_LEAVE;
	if (!m->broken && !atomic_load(&m->page->broken)) {
		m->watch.say = m->g.say;
		m->watch.ctx = m->g.say_ctx;
		if (!watch_look(&m->watch, now, &why) &&
			!(loop_interrupted >= LOOP_HURRY &&
				hurry(m, now, &why)) &&
			!(look && hear(m, &why)))
			return 0;
	}
	return break_up(m, &why, e);
}

int mpi_await(struct mpi_group *m, MPI_Request *request, struct err *e)
{
	int64_t gap = POLL_FIRST_NS;
	struct err why;
	int done, r;

	for (;;) {
		if (MPI_Test(request, &done, MPI_STATUS_IGNORE) !=
			MPI_SUCCESS) {
			err_set(&why, ERR_ENV, -EPIPE,
				"MPI lost the connection to another rank");
			return break_up(m, &why, e);
		}
		if (done)
			return 0;
		r = mpi_watch(m, e);
		if (r)
			return r;
		pause_ns(gap);
		if (gap < POLL_LAST_NS)
			gap *= 2;
	}
}

int mpi_meet(struct mpi_group *m, MPI_Comm comm, struct err *e)
{
	MPI_Request q;

	if (m->broken)
		return break_up(m, &m->death, e);
	MPI_Ibarrier(comm, &q);
	return mpi_await(m, &q, e);
}

int mpi_agree(struct group *g, int status, struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;
	int mine = INT_MAX, first, r;
	struct err all, why;
	MPI_Request q;

	if (m->broken)
		return break_up(m, &m->death, e);
	/* a failure may be but the echo of a death */
	if (status && watch_find_dead(&m->watch, &why))
		return break_up(m, &why, e);
	/* a rank that only followed another's failure has less to say */
	if (status)
		mine = status == -ECANCELED ? (int)(g->size + g->first)
					    : (int)g->first;
	MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &q);
	r = mpi_await(m, &q, e);
	if (r || first == INT_MAX)
		return r;
	first %= (int)g->size;
	if (first == (int)g->first)
		all = *e;
	MPI_Ibcast(&all, sizeof(all), MPI_BYTE, first, MPI_COMM_WORLD, &q);
	r = mpi_await(m, &q, e);
	if (r)
		return r;
	*e = all;
	return e->code ? e->code : -EIO;
}

/* Wait for process i's message: its size in *n. */
static int await_message(struct mpi_group *m, uint32_t i, int *n, struct err *e)
{
	int64_t gap = POLL_FIRST_NS;
	MPI_Status st;
	int there, r;

	for (;;) {
		MPI_Iprobe((int)i, TAG_RECORD, MPI_COMM_WORLD, &there, &st);
		if (there)
			break;
		r = mpi_watch(m, e);
		if (r)
			return r;
		pause_ns(gap);
		if (gap < POLL_LAST_NS)
			gap *= 2;
	}
	MPI_Get_count(&st, MPI_BYTE, n);
	return 0;
}

static int receive(
	struct mpi_group *m, uint32_t i, void **buf, int *n, struct err *e)
{
	MPI_Request q;
	int r = await_message(m, i, n, e);

	*buf = NULL;
	if (r)
		return r;
	*buf = malloc((size_t)*n + 1);
	if (!*buf)
		return err_nomem(e, "the ranks' records");
	MPI_Irecv(*buf, *n, MPI_BYTE, (int)i, TAG_RECORD, MPI_COMM_WORLD, &q);
	return mpi_await(m, &q, e);
}

int mpi_gather(struct group *g, const void *buf, size_t size_bytes,
	int (*take)(void *arg, uint32_t process, const void *buf,
		size_t size_bytes, struct err *e),
	void *arg, struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;
	int n, r, first_error;
	MPI_Request q;
	void *other;
	uint32_t i;

	if (size_bytes > INT_MAX)
		return err_set(e, ERR_BUG, -EOVERFLOW,
			"a rank's record of %zu bytes is too long", size_bytes);
	if (m->broken)
		return break_up(m, &m->death, e);
	if (g->first) {
		MPI_Isend(buf, (int)size_bytes, MPI_BYTE, 0, TAG_RECORD,
			MPI_COMM_WORLD, &q);
		return mpi_await(m, &q, e);
	}
	first_error = take(arg, 0, buf, size_bytes, e);
	for (i = 1; i < g->size; i++) {
		r = receive(m, i, &other, &n, e);
		if (!r && !first_error)
			first_error = take(arg, i, other, (size_t)n, e);
		/* a broken group: MPI may still write there */
		if (!r)
			free(other);
		else
			return r;
	}
	return first_error;
}

int mpi_share(struct group *g, void *buf, size_t size_bytes, struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;
	MPI_Request q;

	if (m->broken)
		return break_up(m, &m->death, e);
	MPI_Ibcast(buf, (int)size_bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &q);
	return mpi_await(m, &q, e);
}
