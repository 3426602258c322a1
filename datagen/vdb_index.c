/* Real index segments; see vdb_index.h. */
#include "datagen/vdb_index.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
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

/* Breadth first from the start node, until the cache is full. */
static int fill_cache(struct vdb_index *x, int fd, uint32_t cache,
	const char *path, struct err *e)
{
	uint32_t *queue = malloc((cache + 1) * sizeof(*queue)), k;
	uint32_t ids[VDB_DEGREE_MAX], head = 0, n = 0;
	uint64_t size = x->layout.node_bytes;
	uint8_t *record;
	int got, i;

	x->records = malloc(cache * size);
	x->slot_of = calloc(x->layout.nodes, sizeof(*x->slot_of));
	if (!queue || !x->records || !x->slot_of) {
		free(queue);
		return err_nomem(e, "the node cache");
	}
	queue[n++] = (uint32_t)x->layout.medoid;
	x->slot_of[x->layout.medoid] = 1;
	for (; head < n; head++) {
		k = queue[head];
		record = x->records + head * size;
		got = pread(fd, record, size,
			(off_t)(vdb_layout_offset(&x->layout, k) +
				vdb_layout_within(&x->layout, k))) ==
				      (ssize_t)size
			      ? vdb_record_ids(&x->layout, record, ids)
			      : -EIO;
		if (got < 0) {
			free(queue);
			return err_set(e, ERR_IO, got,
				"%s: node %u cannot be read or is none", path,
				k);
		}
		for (i = 0; i < got && n < cache; i++)
			if (!x->slot_of[ids[i]]) {
				queue[n++] = ids[i];
				x->slot_of[ids[i]] = n;
			}
	}
	x->cached = n;
	free(queue);
	return 0;
}

static int open_file(struct vdb_index *x, const char *path, uint32_t dims,
	uint32_t cache, struct err *e)
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
	if (!r && cache)
		r = fill_cache(x, fd,
			cache < x->layout.nodes ? cache
						: (uint32_t)x->layout.nodes,
			path, e);
	/* the search reads past the page cache; leave nothing behind */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
	return r;
}

int vdb_index_open(struct vdb_index *x, const char *prefix, uint64_t first,
	uint32_t dims, uint32_t cache, struct err *e)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s_disk.index", prefix), r;

	memset(x, 0, sizeof(*x));
	x->first = first;
	if (n < 0 || n >= (int)sizeof(path))
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the index's name is too long");
	r = open_file(x, path, dims, cache, e);
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
	free(x->records);
	free(x->slot_of);
	memset(x, 0, sizeof(*x));
}
