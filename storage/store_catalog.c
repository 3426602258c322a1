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

static int catalog_create(struct store *s, uint64_t id, uint64_t size_bytes,
	bool direct, struct store_file *f, struct err *e)
{
	(void)s, (void)id, (void)size_bytes, (void)direct, (void)f;
	return err_set(e, ERR_USAGE, -EOPNOTSUPP,
		"a modelled drive holds no content: generate data into a "
		"--data-dir");
}

static int catalog_commit(struct store *s, struct store_file *f, struct err *e)
{
	(void)s, (void)f;
	return err_set(e, ERR_BUG, -EOPNOTSUPP, "commit on a catalog");
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
};

void store_catalog_init(struct store *s, const struct store_namer *n)
{
	memset(s, 0, sizeof(*s));
	s->ops = &catalog_ops;
	s->namer = *n;
}
