/* A catalog: files that have sizes and nothing else; see store.h. */
#include "storage/store.h"

#include "storage/dio_align.h"

#include <errno.h>
#include <string.h>

static int catalog_open(struct store *s, uint64_t id, bool direct,
	struct store_file *f, struct err *e)
{
	(void)e;
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->fd = -1;
	f->direct = direct;
	f->align = DIO_ALIGN_DEFAULT;
	f->size_bytes = s->namer.size_bytes(s->namer.ctx, id);
	return 0;
}

/* Whoever needs the bytes finds out by opening: there is no descriptor. */
static int catalog_create(struct store *s, uint64_t id, uint64_t size_bytes,
	bool direct, struct store_file *f, struct err *e)
{
	(void)s, (void)e;
	memset(f, 0, sizeof(*f));
	f->id = id;
	f->fd = -1;
	f->direct = direct;
	f->align = DIO_ALIGN_DEFAULT;
	f->size_bytes = size_bytes;
	return 0;
}

static int catalog_overwrite(struct store *s, uint64_t id, uint64_t size_bytes,
	struct store_file *f, struct err *e)
{
	return catalog_create(s, id, size_bytes, false, f, e);
}

static int catalog_commit(struct store *s, struct store_file *f, struct err *e)
{
	(void)s, (void)f, (void)e;
	return 0;
}

static int catalog_folder(struct store *s, uint64_t id, struct err *e)
{
	(void)s, (void)id, (void)e;
	return 0;
}

static int catalog_cached(
	struct store *s, uint64_t id, uint64_t *bytes, struct err *e)
{
	(void)s, (void)id, (void)e;
	*bytes = 0;
	return 0;
}

static void catalog_close(struct store *s, struct store_file *f)
{
	(void)s, (void)f;
}

static int catalog_stat(struct store *s, uint64_t id, uint64_t *size_bytes)
{
	*size_bytes = s->namer.size_bytes(s->namer.ctx, id);
	return 0;
}

static int catalog_free_space(struct store *s, uint64_t *bytes, struct err *e)
{
	(void)s, (void)e;
	*bytes = UINT64_MAX;
	return 0;
}

static void catalog_forget(struct store *s, uint64_t id)
{
	(void)s, (void)id;
}

static const struct store_ops catalog_ops = {
	.is_virtual = true,
	.open = catalog_open,
	.create = catalog_create,
	.commit = catalog_commit,
	.close = catalog_close,
	.stat = catalog_stat,
	.free_space = catalog_free_space,
	.forget = catalog_forget,
	.overwrite = catalog_overwrite,
	.make_folder = catalog_folder,
	.sync_folder = catalog_folder,
	.cached = catalog_cached,
	.remove = catalog_folder,
};

void store_catalog_init(struct store *s, const struct store_namer *n)
{
	memset(s, 0, sizeof(*s));
	s->ops = &catalog_ops;
	s->namer = *n;
}
