/* Real index segments; see vdb_index.h. */
#include "datagen/vdb_index.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int vdb_built_init(struct vdb_built *b, const struct vdb_vectors *v,
	const struct vdb_vamana *g, struct err *e)
{
	int r = vdb_layout_init(&b->layout, v->count, v->dim, sizeof(float),
		vdb_vamana_longest(g), e);

	b->vectors = v;
	b->graph = g;
	b->layout.medoid = g->medoid;
	return r;
}

void vdb_built_record(const void *ctx, uint64_t node, uint8_t *out)
{
	const struct vdb_built *b = ctx;
	uint32_t size = b->graph->sizes[node];

	memcpy(out, vdb_vector_stored(b->vectors, node), b->layout.vector_bytes);
	out += b->layout.vector_bytes;
	memcpy(out, &size, 4);
	memcpy(out + 4, vdb_vamana_list(b->graph, node), 4 * size);
}

int vdb_record_ids(const struct vdb_layout *l, const uint8_t *record,
	uint32_t ids[VDB_DEGREE_MAX])
{
	uint32_t n, i;

	memcpy(&n, record + l->vector_bytes, 4);
	n = le32toh(n);
	if (n > l->degree)
		return -EBADMSG;
	memcpy(ids, record + l->vector_bytes + 4, 4 * n);
	for (i = 0; i < n; i++) {
		ids[i] = le32toh(ids[i]);
		if (ids[i] >= l->nodes)
			return -EBADMSG;
	}
	return (int)n;
}

/* The record of node k into slot n; its neighbours' number and ids. */
static int cache_node(struct vdb_index *x, int fd, uint32_t n, uint32_t k,
	uint32_t ids[VDB_DEGREE_MAX], const char *path, struct err *e)
{
	const struct vdb_layout *l = &x->layout;
	uint64_t at = vdb_layout_offset(l, k);
	uint8_t *block = malloc(l->read_bytes);
	uint8_t *record = x->records + n * l->node_bytes;
	int got = -EIO;

	if (!block)
		return err_nomem(e, "the node cache");
	if (pread(fd, block, l->read_bytes, (off_t)at) ==
		(ssize_t)l->read_bytes) {
		memcpy(record, block + vdb_layout_within(l, k), l->node_bytes);
		got = x->sums.count && vdb_sum(l, at, block) !=
					       x->sums.items[vdb_sum_number(l, at)]
			      ? -EBADMSG
			      : vdb_record_ids(l, record, ids);
	}
	free(block);
	if (got < 0)
		return err_set(e, ERR_IO, got,
			"%s: node %u, at offset %" PRIu64 " (sector %" PRIu64
			"), %s", path, k, at, at / VDB_SECTOR_BYTES,
			got == -EIO ? "cannot be read"
				    : "is not what was written");
	x->slot_of[k] = n + 1;
	return got;
}

/* Breadth first from the start node, until the cache is full. */
static int fill_breadth(struct vdb_index *x, int fd, uint32_t room,
	const char *path, struct err *e)
{
	uint32_t *queue = malloc((room + 1) * sizeof(*queue));
	uint32_t ids[VDB_DEGREE_MAX], n = 0;
	int got = 0, i;

	if (!queue)
		return err_nomem(e, "the node cache");
	queue[n++] = (uint32_t)x->layout.medoid;
	x->slot_of[x->layout.medoid] = 1;
	for (; x->cached < n; x->cached++) {
		got = cache_node(
			x, fd, x->cached, queue[x->cached], ids, path, e);
		if (got < 0)
			break;
		for (i = 0; i < got && n < room; i++)
			if (!x->slot_of[ids[i]]) {
				queue[n++] = ids[i];
				x->slot_of[ids[i]] = n;
			}
	}
	free(queue);
	return got < 0 ? got : 0;
}

/* The nodes of a list, none of them twice. */
static int fill_listed(struct vdb_index *x, int fd, const struct vdb_bin *list,
	uint32_t room, const char *path, struct err *e)
{
	uint32_t ids[VDB_DEGREE_MAX], k;
	int got;

	for (; x->cached < room; x->cached++) {
		k = list->items[x->cached];
		if (k >= x->layout.nodes || x->slot_of[k])
			return err_set(e, ERR_IO, -EBADMSG,
				"%s: its " VDB_CACHED_NODES " names node %u, "
				"which is none, or twice", path, k);
		got = cache_node(x, fd, x->cached, k, ids, path, e);
		if (got < 0)
			return got;
	}
	return 0;
}

static int fill_cache(struct vdb_index *x, int fd, const char *prefix,
	const struct vdb_index_want *want, const char *path, struct err *e)
{
	struct vdb_bin list = {.count = 0};
	uint32_t room = want->nodes;
	int r = 0;

	if (want->cache == VDB_CACHE_VISITS) {
		r = vdb_bin_load(prefix, VDB_CACHED_NODES, &list, e);
		if (!room || room > list.count)
			room = list.count;
	}
	if (room > x->layout.nodes)
		room = (uint32_t)x->layout.nodes;
	if (r == -ENOENT)
		r = 0; /* the caller tells that nothing is cached */
	if (!r && room) {
		x->records = malloc(room * x->layout.node_bytes);
		x->slot_of = calloc(x->layout.nodes, sizeof(*x->slot_of));
		if (!x->records || !x->slot_of)
			r = err_nomem(e, "the node cache");
		else
			r = want->cache == VDB_CACHE_VISITS
				    ? fill_listed(x, fd, &list, room, path, e)
				    : fill_breadth(x, fd, room, path, e);
	}
	vdb_bin_free(&list);
	return r;
}

static int load_sums(struct vdb_index *x, const char *prefix, struct err *e)
{
	int r = vdb_bin_load(prefix, VDB_SUMS, &x->sums, e);

	if (r == -ENOENT)
		return err_set(e, ERR_USAGE, r,
			"%s" VDB_SUMS " is not there, which --verify compares "
			"with: `stoker vectordb datagen` writes it with an "
			"index", prefix);
	if (!r && x->sums.count != vdb_sum_count(&x->layout))
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s" VDB_SUMS " has %u sums, the index takes %" PRIu64
			" reads", prefix, x->sums.count,
			vdb_sum_count(&x->layout));
	return r;
}

static int open_file(struct vdb_index *x, const char *prefix,
	const char *path, uint32_t dims, const struct vdb_index_want *want,
	struct err *e)
{
	uint8_t sector[VDB_SECTOR_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;
	struct stat st;

	if (fd < 0)
		return err_set(e, ERR_IO, -errno, "%s: %s", path,
			strerror(errno));
	if (fstat(fd, &st) ||
		pread(fd, sector, sizeof(sector), 0) != sizeof(sector))
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s is shorter than a header", path);
	else
		r = vdb_layout_decode(&x->layout, sector,
			(uint64_t)st.st_size, sizeof(float), dims, path, e);
	if (!r && want->sums)
		r = load_sums(x, prefix, e);
	if (!r && want->cache != VDB_CACHE_NONE)
		r = fill_cache(x, fd, prefix, want, path, e);
	/* the search reads past the page cache; leave nothing behind */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return r;
}

int vdb_index_open(struct vdb_index *x, const char *prefix, uint64_t first,
	uint32_t dims, const struct vdb_index_want *want, struct err *e)
{
	char path[PATH_MAX];
	int r = vdb_path(path, prefix, "_disk.index", e);

	memset(x, 0, sizeof(*x));
	x->first = first;
	if (r)
		return r;
	r = open_file(x, prefix, path, dims, want, e);
	if (!r)
		r = vdb_pq_load(&x->pq, prefix, x->layout.nodes,
			(uint32_t)x->layout.dims, e);
	if (r)
		vdb_index_close(x);
	return r;
}

int vdb_index_set_metric(struct vdb_index *x, const char *prefix,
	enum vdb_metric m, struct err *e)
{
	x->metric = m;
	return vdb_norms_load(&x->norms, prefix, m, x->layout.nodes, e);
}

void vdb_index_close(struct vdb_index *x)
{
	free(x->norms);
	vdb_pq_free(&x->pq);
	vdb_bin_free(&x->sums);
	free(x->records);
	free(x->slot_of);
	memset(x, 0, sizeof(*x));
}
