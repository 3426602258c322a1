/* The files of an index's folder; see vdb_files.h. */
#include "plan/vdb_files.h"

#include "datagen/vdb_bin.h"
#include "datagen/vdb_cache.h"
#include "datagen/vdb_layout.h"
#include "datagen/vdb_metric.h"
#include "datagen/vdb_pq.h"
#include "plan/vdb_build.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SEGMENT "segment_"
#define BLOCK 4096u /* what a file system gives at least */
#define BESIDE_MAX 8

struct beside {
	const char *suffix;
	uint64_t bytes;
};

#define OWN "/vectordb"

int vdb_files_parent(const char *folder)
{
	size_t n = strlen(folder), own = strlen(OWN);

	return (int)(n > own && !strcmp(folder + n - own, OWN) ? n - own : n);
}

int vdb_files_check_folder(const char *folder, struct err *e)
{
	struct stat st;
	int r = stat(folder, &st) ? -errno : 0;

	if (r != -ENOTDIR && (r || S_ISDIR(st.st_mode)))
		return 0;
	return err_set(e, ERR_USAGE, -ENOTDIR,
		"--data-dir %.*s: %s is a file, not a folder; name a folder, "
		"which need not exist yet", vdb_files_parent(folder), folder,
		r ? "it, or what it is in," : folder);
}

static uint64_t in_blocks(uint64_t bytes)
{
	return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

/* u32 queries and k, ids, distances */
static uint64_t truth_bytes(const struct vdb_shape *s)
{
	return 8 + 8 * (uint64_t)s->queries * s->truth_k;
}

/* What lies beside a real index of this layout; the last has no suffix. The
 * lengths are those that the headers of datagen/vdb_pq.h, vdb_bin.h and
 * vdb_metric.h tell. */
static void list_beside(const struct vdb_shape *s, const struct vdb_layout *l,
	struct beside out[BESIDE_MAX])
{
	uint64_t n = l->nodes, dim = vdb_stored_dim(s);
	uint64_t sample = vdb_cache_sample_count(n);
	struct beside *b = out;

	*b++ = (struct beside){VDB_PIVOTS,
		BLOCK + 8 + 4 * dim * VDB_CENTROIDS + 8 + 4 * dim + 8 +
			4 * (s->chunks + 1ULL)};
	*b++ = (struct beside){VDB_CODES, 8 + n * s->chunks};
	if (s->metric != VDB_L2)
		*b++ = (struct beside){VDB_NORMS,
			8 + 4 * (s->metric == VDB_COSINE ? n : 1)};
	*b++ = (struct beside){VDB_SAMPLE_DATA, 8 + 4 * sample * dim};
	*b++ = (struct beside){VDB_SAMPLE_IDS, 8 + 4 * sample};
	*b++ = (struct beside){VDB_CACHED_NODES,
		8 + 4 * vdb_cache_count(n, (uint32_t)dim, s->degree)};
	*b++ = (struct beside){VDB_SUMS, 8 + 4 * vdb_sum_count(l)};
	*b = (struct beside){NULL, 0};
}

int vdb_files_segment_bytes(const struct vdb_shape *s, uint32_t segment,
	uint64_t *bytes, struct err *e)
{
	struct beside all[BESIDE_MAX], *b;
	struct vdb_layout l;
	int r = vdb_layout_init(&l, vdb_segment_nodes(s, segment),
		vdb_stored_dim(s), sizeof(float), s->degree, e);

	if (r)
		return r;
	*bytes = in_blocks(l.file_bytes);
	if (!s->built)
		return 0;
	list_beside(s, &l, all);
	for (b = all; b->suffix; b++)
		*bytes += in_blocks(b->bytes);
	*bytes += in_blocks(truth_bytes(s));
	return 0;
}

uint64_t vdb_files_shared_bytes(const struct vdb_shape *s)
{
	if (!s->built)
		return 0;
	return in_blocks(8 + 4 * (uint64_t)s->queries * s->dim) +
	       in_blocks(truth_bytes(s));
}

int vdb_files_prefix(const char *folder, uint32_t segment,
	char prefix[PATH_MAX], struct err *e)
{
	int n = snprintf(
		prefix, PATH_MAX, "%s/" SEGMENT "%04u", folder, segment);

	/* and the longest suffix */
	return n < 0 || n + 40 >= PATH_MAX
		       ? err_set(e, ERR_USAGE, -ENAMETOOLONG,
				 "--data-dir: path too long")
		       : 0;
}

/* Length of a regular file; 0: there is none. */
static uint64_t length_of(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size
						       : 0;
}

/* Does the header of a real index fit the file and the shape? */
static bool read_layout(const struct vdb_shape *s, const char *path,
	uint64_t nodes, struct vdb_layout *l)
{
	uint8_t sector[VDB_SECTOR_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && pread(fd, sector, sizeof(sector), 0) ==
				     (ssize_t)sizeof(sector);

	if (fd >= 0)
		close(fd);
	return ok &&
	       !vdb_layout_decode(l, sector, length_of(path), sizeof(float),
		       vdb_stored_dim(s), path, NULL) &&
	       l->nodes == nodes && l->degree <= s->degree;
}

bool vdb_files_whole(
	const struct vdb_shape *s, const char *folder, uint32_t segment)
{
	uint64_t nodes = vdb_segment_nodes(s, segment);
	struct beside all[BESIDE_MAX], *b;
	struct vdb_layout l;
	char prefix[PATH_MAX], path[PATH_MAX];

	if (vdb_files_prefix(folder, segment, prefix, NULL) ||
		vdb_path(path, prefix, "_disk.index", NULL))
		return false;
	if (!s->built)
		return !vdb_layout_init(&l, nodes, vdb_stored_dim(s),
			       sizeof(float), s->degree, NULL) &&
		       length_of(path) == l.file_bytes;
	if (!read_layout(s, path, nodes, &l))
		return false;
	list_beside(s, &l, all);
	for (b = all; b->suffix; b++)
		if (vdb_path(path, prefix, b->suffix, NULL) ||
			length_of(path) != b->bytes)
			return false;
	return !vdb_path(path, prefix, VDB_SEGMENT_TRUTH, NULL) &&
	       length_of(path);
}

bool vdb_files_shared_there(const char *folder)
{
	char path[PATH_MAX];

	return !vdb_path(path, folder, "/" VDB_QUERIES_NAME, NULL) &&
	       length_of(path) &&
	       !vdb_path(path, folder, "/" VDB_TRUTH_NAME, NULL) &&
	       length_of(path);
}

/* "segment_0012_disk.index.part": 12. */
static bool is_ours(const char *name, uint64_t *segment)
{
	const char *at = name + strlen(SEGMENT);
	char *end;

	*segment = VDB_FILES_SHARED;
	if (!strncmp(name, VDB_QUERIES_NAME, strlen(VDB_QUERIES_NAME)) ||
		!strncmp(name, VDB_TRUTH_NAME, strlen(VDB_TRUTH_NAME)))
		return true;
	if (strncmp(name, SEGMENT, strlen(SEGMENT)) ||
		!isdigit((unsigned char)*at))
		return false;
	*segment = strtoull(at, &end, 10);
	return end - at >= 4 && *end == '_';
}

int vdb_files_each(const char *folder,
	int (*fn)(void *ctx, const char *path, uint64_t segment,
		const struct stat *st, struct err *e),
	void *ctx, struct err *e)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	char path[PATH_MAX];
	uint64_t segment;
	struct stat st;
	int r = 0, n;

	if (!d && errno == ENOENT)
		return 0;
	if (!d)
		return err_set(e, ERR_IO, -errno, "cannot list %s: %s", folder,
			strerror(errno));
	while (!r && (entry = readdir(d))) {
		if (!is_ours(entry->d_name, &segment))
			continue;
		n = snprintf(path, sizeof(path), "%s/%s", folder,
			entry->d_name);
		if (n > 0 && n < PATH_MAX && !lstat(path, &st) &&
			!S_ISDIR(st.st_mode))
			r = fn(ctx, path, segment, &st, e);
	}
	closedir(d);
	return r;
}
