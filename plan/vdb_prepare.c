/* What comes before index files are written; see vdb_prepare.h. */
#include "plan/vdb_prepare.h"

#include "core/units.h"
#include "plan/vdb_build.h"
#include "plan/vdb_files.h"
#include "storage/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not part of the index that comes. */
static bool goes(const struct vdb_prepare *x, uint64_t segment)
{
	if (x->clear || segment == VDB_FILES_SHARED)
		return x->clear;
	return segment >= x->p->shape->segments || !x->whole[segment];
}

static int count_index(void *ctx, const char *path, uint64_t segment,
	const struct stat *st, struct err *e)
{
	const char *dot = strrchr(path, '.');

	(void)st;
	(void)e;
	*(uint64_t *)ctx += segment != VDB_FILES_SHARED && dot &&
			    !strcmp(dot, ".index");
	return 0;
}

static bool is_file(const char *path, const struct stat *st)
{
	struct stat own;

	return path && !stat(path, &own) && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino;
}

struct freed {
	const struct vdb_prepare *x;
	uint64_t bytes;
};

/* Its room is free then; but nobody's input goes. */
static int add_freed(void *ctx, const char *path, uint64_t segment,
	const struct stat *st, struct err *e)
{
	struct freed *f = ctx;
	const struct vdb_generate *p = f->x->p;

	if (!goes(f->x, segment))
		return 0;
	f->bytes += (uint64_t)st->st_blocks * 512;
	if (!is_file(p->vectors, st) && !is_file(p->queries, st))
		return 0;
	return err_set(e, ERR_USAGE, -EEXIST,
		"%s is part of the index that is to be replaced: copy it out "
		"of the folder and give the copy", path);
}

static int remove_one(void *ctx, const char *path, uint64_t segment,
	const struct stat *st, struct err *e)
{
	(void)st;
	if (!goes(ctx, segment) || !unlink(path) || errno == ENOENT)
		return 0;
	return err_set(e, ERR_IO, -errno, "cannot remove %s: %s", path,
		strerror(errno));
}

static int check_room(const struct vdb_prepare *x, struct err *e)
{
	const struct vdb_shape *s = x->p->shape;
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX], c[UNITS_TEXT_MAX];
	uint64_t need = vdb_files_shared_bytes(s), bytes, have = 0;
	struct freed freed = {.x = x};
	struct store_namer none = {.ctx = NULL};
	struct store store;
	uint32_t i;
	int r = 0;

	for (i = 0; !r && i < s->segments; i++) {
		if (!x->clear && x->whole[i])
			continue;
		r = vdb_files_segment_bytes(s, i, &bytes, e);
		need += bytes;
	}
	store_posix_init(&store, x->p->folder, &none);
	if (!r)
		r = store_free_space(&store, &have, e);
	if (!r)
		r = vdb_files_each(x->p->folder, add_freed, &freed, e);
	if (r || need <= have || need - have <= freed.bytes)
		return r;
	return err_set(e, ERR_IO, -ENOSPC,
		"no room for the index: %s needs %s, %s is free%s%s%s; nothing "
		"was written", x->p->folder, units_format_bytes(a, need),
		units_format_bytes(b, have), freed.bytes ? " and " : "",
		freed.bytes ? units_format_bytes(c, freed.bytes) : "",
		freed.bytes ? " in files that would go" : "");
}

/* What lies in the folder: all, some, or nothing of the index; or another. */
static int compare(struct vdb_prepare *x, struct err *e)
{
	const struct vdb_generate *p = x->p;
	struct vdb_manifest have;
	uint64_t index_files = 0;
	uint32_t i, whole = 0;
	char why[128];
	int r = vdb_files_each(p->folder, count_index, &index_files, e), got;

	if (r)
		return r;
	got = vdb_manifest_load(p->folder, &have, e);
	x->clear = p->overwrite;
	if (p->overwrite)
		return 0;
	if (got == -ENOENT)
		return index_files ? err_set(e, ERR_USAGE, -EEXIST,
			"%s holds index files without " VDB_MANIFEST_NAME
			": --overwrite replaces them", p->folder) : 0;
	if (got)
		return err_wrap(e, "--overwrite replaces what is there");
	if (vdb_manifest_differs(&have, &x->want, why, sizeof(why))) {
		/* one that was only begun is no loss */
		x->clear = !have.complete && !index_files;
		return x->clear ? 0 : err_set(e, ERR_USAGE, -EEXIST,
			"%s holds another index (%s): --overwrite replaces it",
			p->folder, why);
	}
	for (i = 0; i < p->shape->segments; i++)
		whole += x->whole[i] = vdb_files_whole(p->shape, p->folder, i);
	x->complete = have.complete && whole == p->shape->segments &&
		      (!p->shape->built || vdb_files_shared_there(p->folder));
	return 0;
}

int vdb_prepare_look(
	struct vdb_prepare *x, const struct vdb_generate *p, struct err *e)
{
	int r = vdb_files_check_folder(p->folder, e);

	memset(x, 0, sizeof(*x));
	if (r)
		return r;
	x->p = p;
	x->want.shape = *p->shape;
	x->whole = calloc(p->shape->segments, sizeof(*x->whole));
	r = x->whole ? 0 : err_nomem(e, "the list of segments");
	if (!r && p->shape->built)
		r = vdb_manifest_input(&x->want, p->vectors, p->queries, e);
	if (!r)
		r = compare(x, e);
	if (!r && !x->complete && p->shape->built)
		r = vdb_build_check(p->shape, p->vectors, p->queries, e);
	if (!r && !x->complete)
		r = check_room(x, e);
	return r;
}

int vdb_prepare_begin(struct vdb_prepare *x, struct err *e)
{
	int r = vdb_files_each(x->p->folder, remove_one, x, e);

	return r ? r : vdb_manifest_save(x->p->folder, &x->want, e);
}

void vdb_prepare_free(struct vdb_prepare *x)
{
	free(x->whole);
	x->whole = NULL;
}
