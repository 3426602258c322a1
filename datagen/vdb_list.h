#ifndef DATAGEN_VDB_LIST_H
#define DATAGEN_VDB_LIST_H
/*
 * The candidate list of a greedy search: the nearest `room` ids, by distance,
 * ties by id, and which of them were expanded. Building and searching share
 * it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct vdb_candidate {
	float distance;
	uint32_t id;
	bool expanded;
};

struct vdb_list {
	struct vdb_candidate *items; /* [room + 1] */
	uint32_t count, room;
	uint32_t cursor; /* all before it are expanded */
};

static inline bool vdb_nearer(
	const struct vdb_candidate *c, float distance, uint32_t id)
{
	return c->distance < distance ||
	       (c->distance == distance && c->id < id);
}

/* The caller has seen to it that id is not in the list. */
static inline void vdb_list_add(struct vdb_list *l, float distance, uint32_t id)
{
	uint32_t low = 0, high = l->count, mid;

	if (l->count == l->room &&
		vdb_nearer(&l->items[l->count - 1], distance, id))
		return;
	while (low < high) {
		mid = (low + high) / 2;
		if (vdb_nearer(&l->items[mid], distance, id))
			low = mid + 1;
		else
			high = mid;
	}
	memmove(l->items + low + 1, l->items + low,
		(l->count - low) * sizeof(*l->items));
	l->items[low].distance = distance;
	l->items[low].id = id;
	l->items[low].expanded = false;
	if (l->count < l->room)
		l->count++;
	if (low < l->cursor)
		l->cursor = low;
}

/* The nearest that was not expanded, now marked as such; NULL: none. */
static inline struct vdb_candidate *vdb_list_next(struct vdb_list *l)
{
	while (l->cursor < l->count && l->items[l->cursor].expanded)
		l->cursor++;
	if (l->cursor == l->count)
		return NULL;
	l->items[l->cursor].expanded = true;
	return &l->items[l->cursor];
}

#endif
