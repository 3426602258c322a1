/* A greedy search by codes; see vdb_walk.h. */
#include "datagen/vdb_walk.h"

#include "datagen/vdb_math.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE_BYTES 64

int vdb_walk_open(struct vdb_walk *w, const struct vdb_pq *q, uint32_t list,
	uint32_t most, struct err *e)
{
	memset(w, 0, sizeof(*w));
	w->q = q;
	w->list.room = list;
	w->table = malloc(
		(size_t)q->chunks * VDB_CENTROIDS * sizeof(*w->table));
	w->list.items = malloc(((size_t)list + 1) * sizeof(*w->list.items));
	w->seen = calloc(q->count, sizeof(*w->seen));
	w->fresh = malloc(most * sizeof(*w->fresh));
	if (w->table && w->list.items && w->seen && w->fresh)
		return 0;
	vdb_walk_close(w);
	return err_nomem(e, "a search");
}

void vdb_walk_close(struct vdb_walk *w)
{
	free(w->table);
	free(w->list.items);
	free(w->seen);
	free(w->fresh);
	memset(w, 0, sizeof(*w));
}

void vdb_walk_begin(struct vdb_walk *w, const float *x, uint32_t node)
{
	vdb_pq_table(w->q, x, w->table);
	w->list.count = w->list.cursor = 0;
	if (!++w->stamp) {
		memset(w->seen, 0, w->q->count * sizeof(*w->seen));
		w->stamp = 1;
	}
	vdb_walk_consider(w, &node, 1);
}

/* All of them are on their way from memory before the first is needed. */
void vdb_walk_consider(struct vdb_walk *w, const uint32_t *nodes, uint32_t n)
{
	uint32_t chunks = w->q->chunks, fresh = 0, i, at;
	const uint8_t *code;

	for (i = 0; i < n; i++)
		__builtin_prefetch(&w->seen[nodes[i]], 1);
	for (i = 0; i < n; i++) {
		if (w->seen[nodes[i]] == w->stamp)
			continue;
		w->seen[nodes[i]] = w->stamp;
		w->fresh[fresh++] = nodes[i];
		code = w->q->codes + (uint64_t)nodes[i] * chunks;
		for (at = 0; at < chunks; at += CACHE_LINE_BYTES)
			__builtin_prefetch(code + at);
		__builtin_prefetch(code + chunks - 1);
	}
	for (i = 0; i < fresh; i++)
		vdb_list_add(&w->list,
			vdb_lookup(w->table,
				w->q->codes + (uint64_t)w->fresh[i] * chunks,
				chunks), w->fresh[i]);
}
