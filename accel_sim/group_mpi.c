/*
 * One MPI rank per accelerator. Ranks of a host share a page with a count of
 * arrivals; the last arriver opens the barrier by changing a word that every
 * engine of the host waits on. With several hosts the leader of each meets
 * the others in a non-blocking reduction, which also carries failures.
 *
 * Fall-back for io_uring without futex requests: the opener writes a byte into
 * the FIFO of each rank that said it needs that.
 */
#include "accel_sim/group_mpi.h"

#include "core/units.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <linux/futex.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define CLOCK_CHECK_NS (100 * NS_PER_MS)
#define GENERATION_FAILED UINT32_MAX

static void futex_wake_all(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wake_host(struct mpi_group *m)
{
	uint32_t i;

	atomic_fetch_add(&m->page->word, 1);
	futex_wake_all(&m->page->word);
	if (m->g.hosts > 1) {
		atomic_fetch_add(&m->page->leader_word, 1);
		futex_wake_all(&m->page->leader_word);
	}
	if (!m->fifo)
		return;
	for (i = 0; i < m->g.ranks_on_host; i++)
		if (m->fifo[i] >= 0 && i != m->local_rank &&
			write(m->fifo[i], "", 1) < 0)
			continue; /* full: it has a byte to wake by anyway */
}

static void open_barrier(struct mpi_group *m)
{
	atomic_fetch_add(&m->page->generation, 1);
	wake_host(m);
}

static void mpi_barrier_start(struct group *g, uint32_t member)
{
	struct mpi_group *m = (struct mpi_group *)g;
	struct host_page *p = m->page;

	(void)member;
	m->waits_for = atomic_load(&p->generation);
	m->waiting = true;
	if (atomic_fetch_add(&p->arrived, 1) + 1 < g->ranks_on_host)
		return;
	atomic_store(&p->arrived, 0);
	atomic_fetch_add(&p->rounds, 1);
	if (g->hosts == 1) {
		open_barrier(m);
		return;
	}
	atomic_fetch_add(&p->leader_word, 1);
	futex_wake_all(&p->leader_word);
	if (m->fifo && m->fifo[0] >= 0 && write(m->fifo[0], "", 1) < 0)
		return; /* as above */
}

static int failure(struct mpi_group *m, struct err *e)
{
	while (atomic_load(&m->page->failing) == 1)
		sched_yield();
	*e = m->page->error;
	return -ECANCELED;
}

static int mpi_barrier_test(struct group *g, uint32_t member, struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;

	(void)member;
	if (atomic_load(&m->page->failing))
		return m->g.hosts > 1 ? 0 : failure(m, e);
	if (atomic_load(&m->page->generation) == m->waits_for)
		return 0;
	m->waiting = false;
	return 1;
}

static void mpi_fail(struct group *g, const struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;
	uint32_t none = 0;

	if (!atomic_compare_exchange_strong(&m->page->failing, &none, 1))
		return;
	m->page->error = *e;
	atomic_store(&m->page->failing, 2);
	wake_host(m);
}

/* Leader of one of several hosts: push the reduction on; 1 = it ended. */
static int reduce_step(struct mpi_group *m)
{
	bool failed = atomic_load(&m->page->failing) != 0;
	int done = 0;

	if (!m->reducing) {
		if (m->rounds_started == atomic_load(&m->page->rounds) &&
			!failed)
			return 0;
		m->rounds_started++;
		m->sent = failed;
		MPI_Iallreduce(&m->sent, &m->received, 1, MPI_INT, MPI_MAX,
			m->leaders, &m->request);
		m->reducing = true;
		m->poll_gap_ns = POLL_FIRST_NS;
	}
	MPI_Test(&m->request, &done, MPI_STATUS_IGNORE);
	if (!done) {
		m->poll_at_ns = clock_now(m->g.loop->clock) + m->poll_gap_ns;
		if (m->poll_gap_ns < POLL_LAST_NS)
			m->poll_gap_ns *= 2;
		return 0;
	}
	m->reducing = false;
	return 1;
}

static int64_t mpi_look_again(void *arg)
{
	struct mpi_group *m = arg;
	const struct clock *c = m->g.loop->clock;
	int64_t look = m->watch.looked_ns + WATCH_LOOK_NS - c->zero_ns;

	return m->reducing && m->poll_at_ns < look ? m->poll_at_ns : look;
}

/* Leader of one of several hosts: the round ended with a failure. */
static void spread_failure(struct mpi_group *m)
{
	struct err other;

	err_set(&other, ERR_IO, -ECANCELED, "a rank on another host failed");
	mpi_fail(&m->g, &other);
	while (atomic_load(&m->page->failing) == 1)
		sched_yield();
	atomic_store(&m->page->generation, GENERATION_FAILED);
	wake_host(m);
}

static int mpi_after_wait(void *arg, struct err *e)
{
	struct mpi_group *m = arg;
	struct engine_wake *w = &m->g.loop->engine->wake;
	uint32_t now = atomic_load(w->word);

	if (mpi_watch(m, e))
		return e->code;
	if (now != w->seen) {
		w->seen = now;
		loop_ready(m->g.loop, m->g.tasks[0]);
	}
	if (m->g.hosts == 1) {
		if (atomic_load(&m->page->failing))
			return failure(m, e);
		return 0;
	}
	if (!m->g.host_leader) {
		/* the leader tells the other hosts before anyone leaves */
		if (atomic_load(&m->page->failing) == 2 &&
			atomic_load(&m->page->generation) == GENERATION_FAILED)
			return failure(m, e);
		return 0;
	}
	if (!reduce_step(m))
		return 0;
	if (!m->received) {
		open_barrier(m);
		return 0;
	}
	spread_failure(m);
	return failure(m, e);
}

/* MPI_Wtime and CLOCK_MONOTONIC at one moment: the narrowest of a few tries,
 * since a busy host may take the processor away between the two. */
static void read_clocks(double *wtime_s, int64_t *monotonic_ns)
{
	int64_t before, after, best = INT64_MAX;
	double w;
	int i;

	for (i = 0; i < 20; i++) {
		before = clock_monotonic_ns();
		w = MPI_Wtime();
		after = clock_monotonic_ns();
		if (after - before >= best)
			continue;
		best = after - before;
		*wtime_s = w;
		*monotonic_ns = before + best / 2;
	}
}

/* Some Open MPI builds had an MPI_Wtime that ran at the wrong rate. */
static int check_clock(struct mpi_group *m, struct err *e)
{
	struct timespec ts = {.tv_nsec = CLOCK_CHECK_NS};
	double wtime_s, spent_s;
	int64_t now_ns;

	nanosleep(&ts, NULL);
	read_clocks(&wtime_s, &now_ns);
	wtime_s -= m->wtime_start_s;
	spent_s = (double)(now_ns - m->monotonic_start_ns) / 1e9;
	if (wtime_s > 0.99 * spent_s && wtime_s < 1.01 * spent_s)
		return 0;
	return err_set(e, ERR_ENV, -ETIME,
		"clocks disagree: MPI_Wtime counted %.6f s while "
		"CLOCK_MONOTONIC counted %.6f s; no time on this host can be "
		"trusted (update Open MPI, check the clock source)",
		wtime_s, spent_s);
}

static int fifo_path(const struct mpi_group *m, uint32_t i, char *buf, size_t n)
{
	return snprintf(buf, n, "%s/%u", m->page->fifo_dir, i);
}

static int open_own_fifo(struct mpi_group *m, struct err *e)
{
	char path[160];

	fifo_path(m, m->local_rank, path, sizeof(path));
	/* read and write: opening does not wait for the other side */
	if (mkfifo(path, 0600) ||
		(m->own_fifo = open(path, O_RDWR | O_CLOEXEC)) < 0)
		return err_set(e, ERR_ENV, -errno, "cannot make FIFO %s: %s",
			path, strerror(errno));
	return 0;
}

/*
 * Ranks that need a FIFO make it, everyone opens the others', and the names
 * go away again. Collective on the host.
 */
static int setup_fifos(struct mpi_group *m, bool need, struct err *e)
{
	uint32_t i, n = m->g.ranks_on_host;
	struct err lost;
	char path[160];
	int r = 0;

	if (need)
		atomic_fetch_add(&m->page->fifos, 1);
	if (mpi_meet(m, m->local, e))
		return e->code;
	if (!atomic_load(&m->page->fifos))
		return 0;
	if (m->local_rank == 0) {
		snprintf(m->page->fifo_dir, sizeof(m->page->fifo_dir),
			"/tmp/stoker-XXXXXX");
		if (!mkdtemp(m->page->fifo_dir))
			m->page->fifo_dir[0] = 0;
	}
	if (!mpi_meet(m, m->local, e) && need)
		r = open_own_fifo(m, e);
	mpi_meet(m, m->local, &lost);
	m->fifo = calloc(n, sizeof(*m->fifo));
	for (i = 0; m->fifo && i < n; i++) {
		fifo_path(m, i, path, sizeof(path));
		m->fifo[i] = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	}
	mpi_meet(m, m->local, &lost);
	/* whoever is left removes all: a dead rank cannot */
	for (i = 0; i < n; i++) {
		fifo_path(m, i, path, sizeof(path));
		unlink(path);
	}
	mpi_meet(m, m->local, &lost);
	rmdir(m->page->fifo_dir);
	if (m->broken) {
		*e = m->death;
		return e->code;
	}
	return m->fifo ? r : err_nomem(e, "wake-up FIFOs");
}

static int mpi_attach(struct group *g, struct err *e)
{
	struct mpi_group *m = (struct mpi_group *)g;
	struct engine *engine = g->loop->engine;
	int r = 0;

	if (m->own_fifo < 0 && !m->fifo)
		r = setup_fifos(m, engine->needs_fifo, e);
	/* nobody may be inside the last loop's barriers any more */
	if (mpi_meet(m, MPI_COMM_WORLD, e))
		return e->code;
	if (g->host_leader) {
		atomic_store(&m->page->failing, 0);
		atomic_store(&m->page->arrived, 0);
		atomic_store(&m->page->rounds, 0);
		atomic_store(&m->page->generation, 0);
	}
	m->rounds_started = 0;
	if (mpi_meet(m, MPI_COMM_WORLD, e))
		return e->code;
	engine_set_wake(engine,
		g->hosts > 1 && g->host_leader ? &m->page->leader_word
					       : &m->page->word,
		m->own_fifo);
	g->loop->after_wait = mpi_after_wait;
	g->loop->look_again = mpi_look_again;
	g->loop->arg = m;
	return r;
}

static void mpi_detach(struct group *g)
{
	struct mpi_group *m = (struct mpi_group *)g;
	struct err e;

	group_set_phase(g, WATCH_BETWEEN, 0, 0);
	/* a leader that failed itself still owes the other hosts a round */
	while (g->hosts > 1 && g->host_leader && !mpi_watch(m, &e) &&
		atomic_load(&m->page->failing) &&
		atomic_load(&m->page->generation) != GENERATION_FAILED) {
		if (reduce_step(m) && m->received)
			spread_failure(m);
		sched_yield();
	}
	g->loop->after_wait = NULL;
	g->loop->look_again = NULL;
}

static _Atomic int64_t *mpi_limit_word(struct group *g)
{
	return &((struct mpi_group *)g)->page->limit_next_ns;
}

static void mpi_set_phase(struct group *g, enum watch_phase phase,
	uint32_t epoch, uint32_t step)
{
	watch_set_phase(&((struct mpi_group *)g)->watch, phase, epoch, step);
}

static void mpi_close(struct group *g)
{
	struct mpi_group *m = (struct mpi_group *)g;
	bool broken = m->broken || atomic_load(&m->page->broken);
	uint32_t i;

	watch_fini(&m->watch);
	for (i = 0; m->fifo && i < g->ranks_on_host; i++)
		if (m->fifo[i] >= 0)
			close(m->fifo[i]);
	if (m->own_fifo >= 0)
		close(m->own_fifo);
	free(m->fifo);
	/*
	 * MPI would wait for the dead, and for an mpirun that does not listen
	 * while it ends the job; it may still use m.
	 */
	if (broken || loop_interrupted >= LOOP_HURRY)
		return;
	MPI_Win_free(&m->window);
	if (m->leaders != MPI_COMM_NULL)
		MPI_Comm_free(&m->leaders);
	MPI_Comm_free(&m->local);
	MPI_Finalize();
	free(m);
}

static const struct group_ops mpi_ops = {
	.name = "mpi",
	.attach = mpi_attach,
	.detach = mpi_detach,
	.barrier_start = mpi_barrier_start,
	.barrier_test = mpi_barrier_test,
	.fail = mpi_fail,
	.agree = mpi_agree,
	.gather = mpi_gather,
	.share = mpi_share,
	.limit_word = mpi_limit_word,
	.set_phase = mpi_set_phase,
	.close = mpi_close,
};

/*
 * Ranks that share memory are a host. $STOKER_RANKS_PER_HOST cuts a host into
 * several, which lets one machine exercise what happens between hosts.
 */
static void split_hosts(struct mpi_group *m, int rank)
{
	const char *cut = getenv("STOKER_RANKS_PER_HOST");
	MPI_Comm node;
	int n, r, lead;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
		MPI_INFO_NULL, &node);
	n = cut ? atoi(cut) : 0;
	MPI_Comm_rank(node, &r);
	MPI_Comm_split(node, n > 0 ? r / n : 0, r, &m->local);
	MPI_Comm_free(&node);
	MPI_Comm_rank(m->local, &r);
	MPI_Comm_size(m->local, &n);
	m->local_rank = (uint32_t)r;
	m->g.ranks_on_host = (uint32_t)n;
	m->g.host_leader = r == 0;
	lead = r == 0 ? 0 : MPI_UNDEFINED;
	MPI_Comm_split(MPI_COMM_WORLD, lead, rank, &m->leaders);
	if (m->leaders != MPI_COMM_NULL) {
		MPI_Comm_size(m->leaders, &n);
		MPI_Comm_rank(m->leaders, &r);
		m->g.hosts = (uint32_t)n;
		m->g.host = (uint32_t)r;
	}
	MPI_Bcast(&m->g.hosts, 1, MPI_UINT32_T, 0, m->local);
	MPI_Bcast(&m->g.host, 1, MPI_UINT32_T, 0, m->local);
}

int group_mpi_open(struct group **out, struct err *e)
{
	struct mpi_group *m = calloc(1, sizeof(*m));
	MPI_Aint size;
	size_t bytes;
	int rank, n, unit, r;

	if (!m)
		return err_nomem(e, "the MPI group");
	m->own_fifo = -1;
	m->leaders = MPI_COMM_NULL;
	if (MPI_Init(NULL, NULL) != MPI_SUCCESS) {
		free(m);
		return err_set(e, ERR_ENV, -EIO, "MPI_Init failed");
	}
	read_clocks(&m->wtime_start_s, &m->monotonic_start_ns);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	m->g.ops = &mpi_ops;
	m->g.size = (uint32_t)n;
	m->g.first = (uint32_t)rank;
	m->g.count = 1;
	split_hosts(m, rank);
	bytes = sizeof(*m->page) +
		m->g.ranks_on_host * sizeof(m->page->slots[0]);
	MPI_Win_allocate_shared(m->g.host_leader ? (MPI_Aint)bytes : 0, 1,
		MPI_INFO_NULL, m->local, &m->page, &m->window);
	MPI_Win_shared_query(m->window, 0, &size, &unit, &m->page);
	if (m->g.host_leader)
		memset(m->page, 0, bytes);
	MPI_Barrier(m->local);
	/* losing a rank is for us to tell, not for MPI to abort on */
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	r = watch_init(&m->watch, m->page->slots, m->g.ranks_on_host,
		m->local_rank, m->g.first, e);
	MPI_Barrier(m->local);
	if (!r)
		r = check_clock(m, e);
	r = mpi_agree(&m->g, r, e);
	if (r) {
		if (rank)
			e->text[0] = 0; /* rank 0 says it once */
		mpi_close(&m->g);
		return r;
	}
	*out = &m->g;
	return 0;
}

/* "Open MPI v4.1.4, package: ..." */
void group_mpi_version(char *buf, size_t size)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING];
	const char *at;
	int n;

	if (size)
		buf[0] = '\0';
	/* MPI-3.1 allows this before MPI_Init */
	if (MPI_Get_library_version(text, &n) != MPI_SUCCESS)
		return;
	at = strstr(text, " v");
	at = at ? at + 2 : text;
	snprintf(buf, size, "%.*s", (int)strcspn(at, ", "), at);
}
