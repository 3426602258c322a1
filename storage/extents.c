/* FIEMAP, SEEK_DATA and mincore(); see extents.h. */
#include "storage/extents.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT_ONCE 256u
#define WINDOW_BYTES (256UL << 20) /* looked at in one mincore() */

static void take(struct extents *x, const struct fiemap_extent *f)
{
	uint64_t len = f->fe_length;

	/* the last block may reach beyond the end of the file */
	if (f->fe_logical >= x->size_bytes)
		return;
	if (len > x->size_bytes - f->fe_logical)
		len = x->size_bytes - f->fe_logical;
	x->count++;
	if (f->fe_flags & FIEMAP_EXTENT_UNWRITTEN) {
		x->unwritten_bytes += len;
		return;
	}
	x->written_bytes += len;
	if (f->fe_flags & FIEMAP_EXTENT_ENCODED)
		x->encoded_bytes += len;
	if (f->fe_flags & FIEMAP_EXTENT_DELALLOC)
		x->pending_bytes += len;
}

static int fiemap(int fd, struct extents *x)
{
	struct fiemap *m = calloc(
		1, sizeof(*m) + AT_ONCE * sizeof(struct fiemap_extent));
	const struct fiemap_extent *last = NULL;
	uint64_t from = 0;
	uint32_t i;

	if (!m)
		return -ENOMEM;
	while (from < x->size_bytes && !(last && last->fe_flags &
						      FIEMAP_EXTENT_LAST)) {
		memset(m, 0, sizeof(*m));
		m->fm_start = from;
		m->fm_length = x->size_bytes - from;
		m->fm_extent_count = AT_ONCE;
		if (ioctl(fd, FS_IOC_FIEMAP, m)) {
			free(m);
			return -errno;
		}
		if (!m->fm_mapped_extents)
			break;
		for (i = 0; i < m->fm_mapped_extents; i++)
			take(x, &m->fm_extents[i]);
		last = &m->fm_extents[m->fm_mapped_extents - 1];
		from = last->fe_logical + last->fe_length;
	}
	free(m);
	return 0;
}

/* Without FIEMAP only data and holes can be told apart. */
static void seek_data(int fd, struct extents *x)
{
	off_t data = 0, hole;

	while ((data = lseek(fd, data, SEEK_DATA)) >= 0) {
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data)
			break;
		x->written_bytes += (uint64_t)(hole - data);
		x->count++;
		data = hole;
	}
}

int extents_look(int fd, struct extents *x)
{
	struct stat st;
	int r;

	memset(x, 0, sizeof(*x));
	if (fstat(fd, &st))
		return -errno;
	x->size_bytes = (uint64_t)st.st_size;
	r = fiemap(fd, x);
	x->known = !r;
	if (r == -ENOMEM)
		return r;
	if (r)
		seek_data(fd, x);
	x->hole_bytes = x->size_bytes - x->written_bytes - x->unwritten_bytes;
	return 0;
}

int extents_cached(int fd, uint64_t *bytes)
{
	long page = sysconf(_SC_PAGESIZE);
	unsigned char *seen;
	struct stat st;
	uint64_t from;
	size_t len, i;
	void *p;
	int r = 0;

	*bytes = 0;
	if (fstat(fd, &st))
		return -errno;
	seen = malloc(WINDOW_BYTES / (size_t)page);
	if (!seen)
		return -ENOMEM;
	for (from = 0; !r && from < (uint64_t)st.st_size; from += len) {
		len = WINDOW_BYTES;
		if (len > (uint64_t)st.st_size - from)
			len = (size_t)((uint64_t)st.st_size - from);
		p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)from);
		if (p == MAP_FAILED || mincore(p, len, seen)) {
			r = -errno;
		} else {
			for (i = 0; i * (size_t)page < len; i++)
				*bytes += seen[i] & 1 ? (uint64_t)page : 0;
		}
		if (p != MAP_FAILED)
			munmap(p, len);
	}
	free(seen);
	return r;
}
