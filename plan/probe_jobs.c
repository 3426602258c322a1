/* Several threads; see probe_jobs.h. */
#include "plan/probe_jobs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_NS 1000000

struct job {
	struct storm s;
	const struct engine_spec *spec;
	struct clock *clock;
	_Atomic uint32_t *ready;
	pthread_t thread;
	int result;
	struct err e;
};

static void *job_thread(void *arg)
{
	struct job *j = arg;
	struct engine_spec spec = *j->spec;
	struct buffers buffers = {0};
	struct engine *g = NULL;
	char why[512];

	spec.depth = j->s.depth;
	j->result = engine_open(&spec, j->clock, &g, why, sizeof(why), &j->e);
	if (!j->result)
		j->result = buffers_init(&buffers, g, j->s.depth, j->s.bytes,
			true, &j->e);
	j->s.engine = g;
	j->s.buffers = &buffers;
	if (j->result)
		atomic_store(&j->s.team->stop, true);
	atomic_fetch_add(j->ready, 1);
	if (!j->result)
		j->result = storm_run(&j->s, &j->e);
	if (g && g->in_flight)
		return NULL; /* forced: what never returned keeps its memory */
	buffers_fini(&buffers);
	engine_close(g);
	return NULL;
}

/* Signals are the first thread's. */
static int start_thread(struct job *j)
{
	sigset_t all, before;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&j->thread, NULL, job_thread, j);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -r;
}

static int join(struct storm *s, struct job *j, int r, struct err *e)
{
	pthread_join(j->thread, NULL);
	if (!r && j->result) {
		*e = j->e;
		r = j->result;
	}
	if (!r && hist_merge(&s->latency_ns, &j->s.latency_ns))
		r = err_nomem(e, "latencies");
	s->bytes_moved += j->s.bytes_moved;
	hist_fini(&j->s.latency_ns);
	return r;
}

/* Members go ahead when they can; nothing counts before the first one. */
static int run_team(struct storm *s, struct job *jobs, uint32_t n,
	const struct engine_spec *spec, struct err *e)
{
	struct timespec pause = {.tv_nsec = POLL_NS};
	_Atomic uint32_t ready = 0;
	uint32_t started;
	int r = 0;

	for (started = 0; !r && started < n - 1; started += !r) {
		jobs[started].s = *s;
		jobs[started].s.member = started + 1;
		jobs[started].spec = spec;
		jobs[started].clock = s->engine->clock;
		jobs[started].ready = &ready;
		r = start_thread(&jobs[started]);
		if (r)
			err_set(e, ERR_ENV, r, "cannot start %u threads: %s",
				n - 1, strerror(-r));
	}
	while (!r && atomic_load(&ready) < started)
		nanosleep(&pause, NULL);
	if (!r)
		r = storm_run(s, e);
	atomic_store(&s->team->stop, true);
	while (started)
		r = join(s, &jobs[--started], r, e);
	return r;
}

int probe_jobs_run(struct storm *s, uint32_t jobs,
	const struct engine_spec *spec, struct err *e)
{
	struct storm_team *team;
	struct job *list;
	size_t size = sizeof(*team);
	int r;

	if (jobs <= 1)
		return storm_run(s, e);
	/* counters lie in cache lines of their own */
	team = aligned_alloc(_Alignof(struct storm_team), size);
	list = calloc(jobs, sizeof(*list));
	if (!team || !list) {
		free(team);
		free(list);
		return err_nomem(e, "the probe's threads");
	}
	memset(team, 0, size);
	team->members = jobs;
	s->team = team;
	s->member = 0;
	r = run_team(s, list, jobs, spec, e);
	s->team = NULL;
	free(list);
	free(team);
	return r;
}
