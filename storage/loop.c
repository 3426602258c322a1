/* The event loop; see loop.h. */
#include "storage/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

volatile sig_atomic_t loop_interrupted;

void loop_init(struct loop *l, struct engine *g)
{
	memset(l, 0, sizeof(*l));
	l->engine = g;
	l->clock = g->clock;
	l->tail = &l->head;
}

void loop_fini(struct loop *l)
{
	free(l->timers);
	l->timers = NULL;
}

void loop_ready(struct loop *l, struct loop_task *t)
{
	if (t->ready || t->finished)
		return;
	t->ready = true;
	t->next = NULL;
	*l->tail = t;
	l->tail = &t->next;
}

static void heap_set(struct loop *l, size_t i, struct loop_task *t)
{
	l->timers[i] = t;
	t->timer = i;
}

static void heap_up(struct loop *l, size_t i, struct loop_task *t)
{
	while (i > 1 && l->timers[i / 2]->deadline_ns > t->deadline_ns) {
		heap_set(l, i, l->timers[i / 2]);
		i /= 2;
	}
	heap_set(l, i, t);
}

static void heap_down(struct loop *l, size_t i, struct loop_task *t)
{
	size_t c;

	while ((c = 2 * i) <= l->timer_count) {
		if (c < l->timer_count && l->timers[c + 1]->deadline_ns <
						  l->timers[c]->deadline_ns)
			c++;
		if (l->timers[c]->deadline_ns >= t->deadline_ns)
			break;
		heap_set(l, i, l->timers[c]);
		i = c;
	}
	heap_set(l, i, t);
}

static void heap_remove(struct loop *l, struct loop_task *t)
{
	size_t i = t->timer;
	struct loop_task *last = l->timers[l->timer_count--];

	t->timer = 0;
	if (last == t)
		return;
	last->timer = i;
	if (i > 1 && l->timers[i / 2]->deadline_ns > last->deadline_ns)
		heap_up(l, i, last);
	else
		heap_down(l, i, last);
}

int loop_add(struct loop *l, struct loop_task *t, struct err *e)
{
	struct loop_task **more;

	/* room for every task's timer is made here, so sleeping cannot fail */
	if (l->tasks + 2 > l->timer_room) {
		l->timer_room = (l->tasks + 2) * 2;
		more = realloc(l->timers, l->timer_room * sizeof(*more));
		if (!more)
			return err_nomem(e, "the event loop");
		l->timers = more;
	}
	l->tasks++;
	l->live += !t->background;
	t->timer = 0;
	t->ready = t->finished = false;
	loop_ready(l, t);
	return 0;
}

void loop_sleep(struct loop *l, struct loop_task *t, int64_t deadline_ns)
{
	if (t->timer)
		heap_remove(l, t);
	t->deadline_ns = deadline_ns;
	heap_up(l, ++l->timer_count, t);
}

static int step_ready(struct loop *l, struct err *e)
{
	struct loop_task *t;
	int r;

	while ((t = l->head)) {
		l->head = t->next;
		if (!l->head)
			l->tail = &l->head;
		t->ready = false;
		if (t->finished)
			continue; /* made ready by its own last step */
		r = t->step(t, e);
		if (r < 0)
			return r;
		if (r > 0) {
			t->finished = true;
			if (t->timer)
				heap_remove(l, t);
			l->live -= !t->background;
		}
	}
	return 0;
}

static void fire_timers(struct loop *l)
{
	int64_t now = clock_now(l->clock);
	struct loop_task *t;

	while (l->timer_count && l->timers[1]->deadline_ns <= now) {
		t = l->timers[1];
		heap_remove(l, t);
		loop_ready(l, t);
	}
}

int loop_run(struct loop *l, struct err *e)
{
	int64_t until, again;
	int r;

	for (;;) {
		r = step_ready(l, e);
		if (r || !l->live)
			return r;
		if (loop_interrupted)
			return err_set(e, ERR_IO, -EINTR, "interrupted");
		until = l->timer_count ? l->timers[1]->deadline_ns
				       : CLOCK_NEVER;
		again = l->look_again ? l->look_again(l->arg) : CLOCK_NEVER;
		r = engine_wait(
			l->engine, again < until ? again : until, e);
		if (!r && l->after_wait)
			r = l->after_wait(l->arg, e);
		if (r)
			return r;
		if (l->timer_count)
			fire_timers(l);
	}
}

int loop_drain(struct loop *l, struct err *e)
{
	int r = 0;

	engine_cancel_held(l->engine);
	while (!r && l->engine->in_flight) {
		if (loop_interrupted >= LOOP_FORCED)
			return err_set(e, ERR_IO, -EINTR,
				"interrupted, with %u requests that did not "
				"return", l->engine->in_flight);
		r = engine_wait(l->engine, CLOCK_NEVER, e);
	}
	return r;
}
