#ifndef STORAGE_STORE_H
#define STORAGE_STORE_H
/*
 * A store knows files: it opens them, tells their sizes, makes new ones that
 * appear whole or not at all, and drops what the page cache holds of them.
 * Files are numbered; the owner says what number i is called (a real store)
 * and how long it is (a catalog). The catalog has sizes and no content.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the files are; ctx is the owner's. */
struct store_namer {
	void *ctx;
	/* full path of file i; 0 or -ENAMETOOLONG */
	int (*path)(void *ctx, uint64_t i, char *buf, size_t buf_bytes);
	/* 0: not known; may be NULL for real files */
	uint64_t (*size_bytes)(void *ctx, uint64_t i);
};

struct store_file {
	uint64_t id;
	uint64_t size_bytes;
	int fd; /* -1 in a catalog */
	bool direct;
	uint32_t align; /* direct: of buffers, offsets and lengths */
	bool temporary; /* created and not yet committed */
};

struct store {
	const struct store_ops *ops;
	struct store_namer namer;
	char root[4096];
	uint32_t align; /* of the first file opened directly; 0: not known */
};

struct store_ops {
	bool is_virtual;
	int (*open)(struct store *s, uint64_t id, bool direct,
		struct store_file *f, struct err *e);
	int (*create)(struct store *s, uint64_t id, uint64_t size_bytes,
		bool direct, struct store_file *f, struct err *e);
	int (*commit)(struct store *s, struct store_file *f, struct err *e);
	void (*close)(struct store *s, struct store_file *f);
	/* size, or -ENOENT; -EISDIR, -EINVAL: not a regular file */
	int (*stat)(struct store *s, uint64_t id, uint64_t *size_bytes);
	int (*free_space)(struct store *s, uint64_t *bytes, struct err *e);
	void (*forget)(struct store *s, uint64_t id);
	int (*overwrite)(struct store *s, uint64_t id, uint64_t size_bytes,
		struct store_file *f, struct err *e);
	int (*make_folder)(struct store *s, uint64_t id, struct err *e);
	int (*sync_folder)(struct store *s, uint64_t id, struct err *e);
	int (*cached)(struct store *s, uint64_t id, uint64_t *bytes,
		struct err *e);
	int (*remove)(struct store *s, uint64_t id, struct err *e);
};

/* root: folder the files lie below (copied; need not exist yet). */
void store_posix_init(
	struct store *s, const char *root, const struct store_namer *n);
void store_catalog_init(struct store *s, const struct store_namer *n);

/*
 * Open file id for reading; a file of another size than the namer says is an
 * error. direct asks for O_DIRECT; where the file system
 * refuses it the error is ERR_ENV with code -EINVAL. Files of a store share
 * one file system, so the first one tells the alignment of all.
 */
static inline int store_open(struct store *s, uint64_t id, bool direct,
	struct store_file *f, struct err *e)
{
	return s->ops->open(s, id, direct, f, e);
}

/*
 * Make file id, size_bytes long, under a temporary name beside its own, with
 * its space reserved. With direct, writes are O_DIRECT. commit gives the file
 * its name (an fsync belongs before it); close before commit removes it.
 */
static inline int store_create(struct store *s, uint64_t id,
	uint64_t size_bytes, bool direct, struct store_file *f, struct err *e)
{
	return s->ops->create(s, id, size_bytes, direct, f, e);
}

/*
 * Make file id under its own name at once, cut to nothing if it is there,
 * buffered and with no space reserved: as programs write that do not care.
 */
static inline int store_overwrite(struct store *s, uint64_t id,
	uint64_t size_bytes, struct store_file *f, struct err *e)
{
	return s->ops->overwrite(s, id, size_bytes, f, e);
}

static inline int store_commit(
	struct store *s, struct store_file *f, struct err *e)
{
	return s->ops->commit(s, f, e);
}

static inline void store_close(struct store *s, struct store_file *f)
{
	s->ops->close(s, f);
}

static inline int store_stat(
	struct store *s, uint64_t id, uint64_t *size_bytes)
{
	return s->ops->stat(s, id, size_bytes);
}

/* Bytes that a user without privileges may still write below the root. */
static inline int store_free_space(
	struct store *s, uint64_t *bytes, struct err *e)
{
	return s->ops->free_space(s, bytes, e);
}

/* Ask the kernel to drop what the page cache holds of file id. */
static inline void store_forget(struct store *s, uint64_t id)
{
	s->ops->forget(s, id);
}

/* Make the folder that file id lies in, with its parents. */
static inline int store_make_folder(
	struct store *s, uint64_t id, struct err *e)
{
	return s->ops->make_folder(s, id, e);
}

/* fsync that folder, so that names in it outlive a power cut. */
static inline int store_sync_folder(
	struct store *s, uint64_t id, struct err *e)
{
	return s->ops->sync_folder(s, id, e);
}

/*
 * Bytes of file id that are in the page cache now (mincore). -ENODEV where the
 * file system has no mmap and nobody can tell.
 */
static inline int store_cached(
	struct store *s, uint64_t id, uint64_t *bytes, struct err *e)
{
	return s->ops->cached(s, id, bytes, e);
}

/* Remove file id; it is no error when it is not there. */
static inline int store_remove(struct store *s, uint64_t id, struct err *e)
{
	return s->ops->remove(s, id, e);
}

/* Path of file id for messages; "file 12" where it has none. */
const char *store_label(
	struct store *s, uint64_t id, char *buf, size_t buf_bytes);

#endif
