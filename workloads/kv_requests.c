/* Queue and conversations; see kv_requests.h. */
#include "workloads/kv_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

_Static_assert(sizeof(struct kv_request) == 24, "one of 145,000 in a queue");

static int fifo_put(struct kv_fifo *f, const struct kv_request *r)
{
	uint32_t room = f->room ? f->room * 2 : 256, i;
	struct kv_request *v;

	if (f->n == f->room) {
		v = malloc(room * sizeof(*v));
		if (!v)
			return -ENOMEM;
		for (i = 0; i < f->n; i++)
			v[i] = f->v[(f->first + i) % f->room];
		free(f->v);
		f->v = v;
		f->room = room;
		f->first = 0;
	}
	f->v[(f->first + f->n++) % f->room] = *r;
	return 0;
}

int kv_queue_put(struct kv_queue *q, const struct kv_request *r)
{
	int ret = fifo_put(&q->classes[r->class], r);

	if (!ret && ++q->n > q->peak)
		q->peak = q->n;
	return ret;
}

bool kv_queue_take(struct kv_queue *q, struct kv_request *r)
{
	struct kv_fifo *f;
	int i;

	for (i = 0; i < KV_CLASSES; i++) {
		f = &q->classes[i];
		if (!f->n)
			continue;
		*r = f->v[f->first];
		f->first = (f->first + 1) % f->room;
		f->n--;
		q->n--;
		return true;
	}
	return false;
}

void kv_queue_fini(struct kv_queue *q)
{
	int i;

	for (i = 0; i < KV_CLASSES; i++)
		free(q->classes[i].v);
	memset(q, 0, sizeof(*q));
}

void kv_conversations_init(
	struct kv_conversations *c, uint32_t most, uint32_t turns_most)
{
	memset(c, 0, sizeof(*c));
	c->most = most;
	c->turns_most = turns_most;
	c->oldest = c->newest = NONE;
}

void kv_conversations_fini(struct kv_conversations *c)
{
	uint32_t i;

	for (i = 0; i < c->count; i++)
		free(c->v[i].entries);
	free(c->v);
}

static void forget(struct kv_conversations *c, uint32_t id)
{
	struct kv_conversation *x = &c->v[id];

	if (x->older == NONE)
		c->oldest = x->newer;
	else
		c->v[x->older].newer = x->newer;
	if (x->newer == NONE)
		c->newest = x->older;
	else
		c->v[x->newer].older = x->older;
	x->remembered = false;
	c->remembered--;
}

static void remember(struct kv_conversations *c, uint32_t id)
{
	struct kv_conversation *x = &c->v[id];

	x->older = c->newest;
	x->newer = NONE;
	if (c->newest == NONE)
		c->oldest = id;
	else
		c->v[c->newest].newer = id;
	c->newest = id;
	x->remembered = true;
	c->remembered++;
}

uint32_t kv_conversation_start(
	struct kv_conversations *c, uint32_t user, int64_t now_ns)
{
	struct kv_conversation *v;

	if (c->count == c->room) {
		c->room = c->room ? c->room * 2 : 1024;
		v = realloc(c->v, c->room * sizeof(*v));
		if (!v)
			return NONE;
		c->v = v;
	}
	if (c->remembered == c->most)
		forget(c, c->oldest);
	memset(&c->v[c->count], 0, sizeof(*c->v));
	c->v[c->count].user = user;
	c->v[c->count].start_ns = now_ns;
	remember(c, c->count);
	return c->count++;
}

uint8_t kv_conversation_turn(struct kv_conversations *c, uint32_t id)
{
	if (c->v[id].remembered) {
		forget(c, id);
		remember(c, id);
	}
	return ++c->v[id].turns;
}

uint32_t kv_conversation_entry(
	const struct kv_conversations *c, uint32_t id, uint32_t turn)
{
	return c->v[id].entries ? c->v[id].entries[turn] : NONE;
}

int kv_conversation_set(struct kv_conversations *c, uint32_t id, uint32_t turn,
	uint32_t entry)
{
	struct kv_conversation *x = &c->v[id];
	size_t bytes = (c->turns_most + 1) * sizeof(*x->entries);

	if (!x->entries) {
		x->entries = malloc(bytes);
		if (!x->entries)
			return -ENOMEM;
		memset(x->entries, 0xff, bytes);
	}
	x->entries[turn] = entry;
	return 0;
}
