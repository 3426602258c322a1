/*
 * The npz reader; see npz.h. From the end record at the tail to the central
 * directory, which names the members, then to each local header and the npy
 * header behind it. Every offset is checked against the file before it is
 * used, and each fact that is stored twice is compared.
 */
#include "datagen/npz.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_SIG 0x06054b50U
#define END_BYTES 22U
#define COMMENT_MAX 65535U
#define LOCATOR_SIG 0x07064b50U
#define LOCATOR_BYTES 20U
#define END64_SIG 0x06064b50U
#define END64_BYTES 56U
#define CENTRAL_SIG 0x02014b50U
#define CENTRAL_BYTES 46U
#define LOCAL_SIG 0x04034b50U
#define LOCAL_BYTES 30U
#define EXTRA_MAX 4096U
#define DIR_BYTES_MAX (1U << 20)
#define NPY_TEXT_MAX 4096U

#define FLAG_ENCRYPTED 0x2041U /* any of three kinds */
#define FLAG_STREAMED 0x0008U  /* sizes follow the data */

/* The central directory. */
struct dir {
	uint64_t offset, bytes, entries;
};

/* What a local header and a directory entry have in common. */
struct entry {
	uint16_t flags, method;
	uint32_t crc32;
	uint64_t stored_bytes, real_bytes;
	uint16_t name_bytes, extra_bytes;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

__attribute__((format(printf, 5, 6))) static int bad(const struct npz_source *s,
	uint64_t offset, int code, struct err *e, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_IO, code, "npz %s, offset %" PRIu64 ": %s%s",
		s->name, offset, text,
		code == -EBADMSG ? "; the file is damaged, generate it again"
				 : "");
}

static int get(const struct npz_source *s, uint64_t offset, void *buf,
	size_t len, struct err *e)
{
	int rc;

	if (offset > s->size_bytes || len > s->size_bytes - offset)
		return bad(s, offset, -EBADMSG, e,
			"truncated: %zu bytes needed here, the file ends at "
			"%" PRIu64,
			len, s->size_bytes);
	if (!len)
		return 0;
	rc = s->read_at(s->ctx, offset, buf, len, e);
	if (rc)
		err_wrap(e, "npz %s", s->name);
	return rc;
}

/*
 * Look for the end record in the last `tail` bytes; its comment must end with
 * the file. 1 if found.
 */
static int find_end_in(const struct npz_source *s, size_t tail, uint64_t *at,
	uint8_t end[END_BYTES], struct err *e)
{
	uint64_t start = s->size_bytes - tail;
	uint8_t *buf = malloc(tail);
	size_t i;
	int rc;

	if (!buf)
		return err_nomem(e, "the end of an npz file");
	rc = get(s, start, buf, tail, e);
	for (i = tail - END_BYTES + 1; !rc && i-- > 0;) {
		if (get32(buf + i) != END_SIG ||
			get16(buf + i + 20) != tail - END_BYTES - i)
			continue;
		memcpy(end, buf + i, END_BYTES);
		*at = start + i;
		rc = 1;
	}
	free(buf);
	return rc;
}

static int find_end(const struct npz_source *s, uint64_t *at,
	uint8_t end[END_BYTES], struct err *e)
{
	size_t tail = END_BYTES + COMMENT_MAX;
	int rc;

	if (s->size_bytes < END_BYTES)
		return bad(s, 0, -EBADMSG, e,
			"%" PRIu64 " bytes are too few for an npz",
			s->size_bytes);
	rc = find_end_in(s, END_BYTES, at, end, e); /* almost always */
	if (!rc) {
		if (s->size_bytes < tail)
			tail = (size_t)s->size_bytes;
		rc = find_end_in(s, tail, at, end, e);
	}
	if (!rc)
		return bad(s, s->size_bytes - tail, -EBADMSG, e,
			"no zip end record in the last %zu bytes", tail);
	return rc < 0 ? rc : 0;
}

/* The zip64 end record, found through its locator before the plain one. */
static int read_end64(const struct npz_source *s, uint64_t end_at,
	struct dir *d, uint64_t *limit, struct err *e)
{
	uint8_t loc[LOCATOR_BYTES], end[END64_BYTES];
	uint64_t at;
	int rc;

	if (end_at < LOCATOR_BYTES)
		return bad(s, end_at, -EBADMSG, e, "no room for zip64 records");
	rc = get(s, end_at - LOCATOR_BYTES, loc, sizeof(loc), e);
	if (rc)
		return rc;
	at = get64(loc + 8);
	if (get32(loc) != LOCATOR_SIG || get32(loc + 4) || get32(loc + 16) > 1)
		return bad(s, end_at - LOCATOR_BYTES, -EBADMSG, e,
			"no zip64 locator, yet the end record needs one");
	rc = get(s, at, end, sizeof(end), e);
	if (rc)
		return rc;
	if (get32(end) != END64_SIG || get64(end + 4) < END64_BYTES - 12 ||
		get32(end + 16) || get32(end + 20))
		return bad(s, at, -EBADMSG, e, "bad zip64 end record");
	d->entries = get64(end + 32);
	d->bytes = get64(end + 40);
	d->offset = get64(end + 48);
	*limit = at;
	return 0;
}

static int find_dir(const struct npz_source *s, struct dir *d, struct err *e)
{
	uint8_t end[END_BYTES];
	uint64_t at, limit;
	int rc;

	rc = find_end(s, &at, end, e);
	if (rc)
		return rc;
	d->entries = get16(end + 10);
	d->bytes = get32(end + 12);
	d->offset = get32(end + 16);
	limit = at;
	if (d->entries == UINT16_MAX || d->bytes == UINT32_MAX ||
		d->offset == UINT32_MAX) {
		rc = read_end64(s, at, d, &limit, e);
		if (rc)
			return rc;
	} else if (get16(end + 4) || get16(end + 6) ||
		   get16(end + 8) != get16(end + 10)) {
		return bad(s, at, -ENOTSUP, e,
			"the archive has several parts, which is not "
			"supported");
	}
	if (d->offset > limit || d->bytes > limit - d->offset)
		return bad(s, at, -EBADMSG, e,
			"the central directory (%" PRIu64 " bytes at %" PRIu64
			") goes beyond its end at %" PRIu64,
			d->bytes, d->offset, limit);
	if (d->bytes > DIR_BYTES_MAX)
		return bad(s, d->offset, -ENOTSUP, e,
			"a central directory of %" PRIu64
			" bytes is not supported, at most %u",
			d->bytes, DIR_BYTES_MAX);
	return 0;
}

/* The fields at the same distances in both headers, from the flags on. */
static void read_common(struct entry *n, const uint8_t *p)
{
	n->flags = get16(p);
	n->method = get16(p + 2);
	n->crc32 = get32(p + 8);
	n->stored_bytes = get32(p + 12);
	n->real_bytes = get32(p + 16);
	n->name_bytes = get16(p + 20);
	n->extra_bytes = get16(p + 22);
}

/*
 * Replace fields of all ones by those of the zip64 extra field, which holds
 * just these, in this order. Earlier parsers skipped or misread it (see
 * mlcommons/storage#286). False if it is needed and missing or too short.
 */
static bool apply_zip64(
	struct entry *n, uint64_t *offset, const uint8_t *x, size_t len)
{
	uint64_t *fields[3] = {&n->real_bytes, &n->stored_bytes, offset};
	size_t i, id, size, at;

	for (; len >= 4; x += 4 + size, len -= 4 + size) {
		id = get16(x);
		size = get16(x + 2);
		if (size > len - 4)
			break;
		if (id != 1)
			continue;
		for (i = 0, at = 0; i < 3; i++) {
			if (!fields[i] || *fields[i] != UINT32_MAX)
				continue;
			if (size - at < 8)
				return false;
			*fields[i] = get64(x + 4 + at);
			at += 8;
		}
		return true;
	}
	for (i = 0; i < 3; i++)
		if (fields[i] && *fields[i] == UINT32_MAX)
			return false;
	return true;
}

static int check_method(const struct npz_source *s, uint64_t at,
	const char *name, const struct entry *n, struct err *e)
{
	if (n->flags & FLAG_ENCRYPTED)
		return bad(s, at, -ENOTSUP, e,
			"member %s is encrypted, which is not supported", name);
	if (n->method)
		return bad(s, at, -ENOTSUP, e,
			"member %s: method %u%s unsupported, only stored "
			"members are; write it with numpy.savez, not "
			"savez_compressed",
			name, n->method, n->method == 8 ? " (deflate)" : "");
	return 0;
}

/*
 * One directory entry out of `left` bytes; *used is its length. `at` is where
 * it lies in the file.
 */
static int read_central(const struct npz_source *s, uint64_t at,
	const uint8_t *p, size_t left, struct entry *n, struct npz_member *m,
	size_t *used, struct err *e)
{
	size_t i;

	if (left < CENTRAL_BYTES || get32(p) != CENTRAL_SIG)
		return bad(s, at, -EBADMSG, e,
			"no central directory entry where one belongs");
	read_common(n, p + 8);
	m->header_offset = get32(p + 42);
	*used = (size_t)CENTRAL_BYTES + n->name_bytes + n->extra_bytes +
		get16(p + 32);
	if (!n->name_bytes || n->name_bytes >= NPZ_NAME_MAX)
		return bad(s, at, -ENOTSUP, e,
			"a member name of %u bytes is not supported, at most "
			"%d",
			n->name_bytes, NPZ_NAME_MAX - 1);
	if (*used > left)
		return bad(s, at, -EBADMSG, e,
			"a directory entry goes beyond the directory");
	for (i = 0; i < n->name_bytes; i++)
		if (p[CENTRAL_BYTES + i] < ' ' || p[CENTRAL_BYTES + i] == 0x7f)
			return bad(s, at, -EBADMSG, e,
				"a member name has control characters");
	memcpy(m->name, p + CENTRAL_BYTES, n->name_bytes);
	m->name[n->name_bytes] = '\0';
	if (!apply_zip64(n, &m->header_offset,
		    p + CENTRAL_BYTES + n->name_bytes, n->extra_bytes))
		return bad(s, at, -EBADMSG, e,
			"member %s: zip64 sizes are missing", m->name);
	if (n->stored_bytes != n->real_bytes && !n->method)
		return bad(s, at, -EBADMSG, e,
			"member %s is stored, but %" PRIu64
			" bytes as %" PRIu64,
			m->name, n->real_bytes, n->stored_bytes);
	return check_method(s, at, m->name, n, e);
}

/*
 * The local header must say what the directory says; it decides where the
 * data starts, because its extra field has a length of its own.
 */
static int read_local(const struct npz_source *s, const struct dir *d,
	const struct entry *central, struct npz_member *m, struct err *e)
{
	uint8_t buf[LOCAL_BYTES + NPZ_NAME_MAX], extra[EXTRA_MAX];
	uint64_t at = m->header_offset;
	size_t name_bytes = strlen(m->name);
	struct entry n;
	int rc;

	rc = get(s, at, buf, LOCAL_BYTES + name_bytes, e);
	if (rc)
		return rc;
	read_common(&n, buf + 6);
	if (get32(buf) != LOCAL_SIG || n.name_bytes != name_bytes ||
		memcmp(buf + LOCAL_BYTES, m->name, name_bytes) != 0)
		return bad(s, at, -EBADMSG, e,
			"no local header of member %s here", m->name);
	rc = check_method(s, at, m->name, &n, e);
	if (rc)
		return rc;
	if (n.extra_bytes > sizeof(extra))
		return bad(s, at, -ENOTSUP, e,
			"member %s: an extra field of %u bytes is not "
			"supported, at most %u",
			m->name, n.extra_bytes, EXTRA_MAX);
	rc = get(s, at + LOCAL_BYTES + name_bytes, extra, n.extra_bytes, e);
	if (rc)
		return rc;
	if (!(n.flags & FLAG_STREAMED) &&
		(!apply_zip64(&n, NULL, extra, n.extra_bytes) ||
			n.crc32 != central->crc32 ||
			n.stored_bytes != central->stored_bytes ||
			n.real_bytes != central->real_bytes))
		return bad(s, at, -EBADMSG, e,
			"member %s: local header and directory differ in size "
			"or CRC",
			m->name);
	m->method = n.method;
	m->crc32 = central->crc32;
	m->npy_offset = at + LOCAL_BYTES + name_bytes + n.extra_bytes;
	m->npy_bytes = central->real_bytes;
	if (m->npy_offset > d->offset ||
		m->npy_bytes > d->offset - m->npy_offset)
		return bad(s, at, -EBADMSG, e,
			"member %s (%" PRIu64 " bytes at %" PRIu64
			") goes beyond the data, which ends at %" PRIu64,
			m->name, m->npy_bytes, m->npy_offset, d->offset);
	return 0;
}

/* The npy header, whose shape must account for all bytes of the member. */
static int read_npy(
	const struct npz_source *s, struct npz_member *m, struct err *e)
{
	uint8_t buf[12 + NPY_TEXT_MAX];
	uint64_t at = m->npy_offset, text_bytes;
	struct npy_info info;
	const char *what;
	size_t fixed;
	int rc;

	if (m->npy_bytes < 12)
		return bad(s, at, -EBADMSG, e,
			"member %s: %" PRIu64 " bytes are too few for an array",
			m->name, m->npy_bytes);
	rc = get(s, at, buf, 12, e);
	if (rc)
		return rc;
	if (memcmp(buf, "\x93NUMPY", 6) != 0)
		return bad(s, at, -EBADMSG, e, "member %s is not an npy array",
			m->name);
	if (buf[6] < 1 || buf[6] > 3 || buf[7])
		return bad(s, at, -ENOTSUP, e,
			"member %s: npy version %u.%u is not supported",
			m->name, buf[6], buf[7]);
	fixed = buf[6] == 1 ? 10 : 12;
	text_bytes = buf[6] == 1 ? get16(buf + 8) : get32(buf + 8);
	if (text_bytes > m->npy_bytes - fixed)
		return bad(s, at, -EBADMSG, e,
			"bad npy header of member %s: its header of %" PRIu64
			" bytes goes beyond its %" PRIu64 " bytes",
			m->name, text_bytes, m->npy_bytes);
	if (text_bytes > NPY_TEXT_MAX)
		return bad(s, at, -ENOTSUP, e,
			"bad npy header of member %s: a header of %" PRIu64
			" bytes is not supported, at most %u",
			m->name, text_bytes, NPY_TEXT_MAX);
	rc = get(s, at + fixed, buf, (size_t)text_bytes, e);
	if (rc)
		return rc;
	what = npy_parse_dict((const char *)buf, (size_t)text_bytes, &info);
	if (what)
		return bad(s, at, -EBADMSG, e, "bad npy header of member %s: "
			"%s", m->name, what);
	m->payload_offset = at + fixed + text_bytes;
	m->payload_bytes = m->npy_bytes - fixed - text_bytes;
	if (info.data_bytes != m->payload_bytes)
		return bad(s, at, -EBADMSG, e,
			"bad npy header of member %s: its shape needs %" PRIu64
			" bytes, it has %" PRIu64,
			m->name, info.data_bytes, m->payload_bytes);
	memcpy(m->descr, info.descr, sizeof(m->descr));
	m->fortran_order = info.fortran_order;
	m->ndim = info.ndim;
	memcpy(m->shape, info.shape, sizeof(m->shape));
	return 0;
}

/* Against the members before it: no shared name, no shared byte. */
static int check_apart(const struct npz_source *s, const struct npz_member *all,
	size_t before, const struct npz_member *m, struct err *e)
{
	size_t i;

	for (i = 0; i < before; i++) {
		const struct npz_member *o = &all[i];

		if (!strcmp(o->name, m->name))
			return bad(s, m->header_offset, -EBADMSG, e,
				"there are two members %s", m->name);
		if (m->header_offset < o->npy_offset + o->npy_bytes &&
			o->header_offset < m->npy_offset + m->npy_bytes)
			return bad(s, m->header_offset, -EBADMSG, e,
				"members %s and %s overlap", o->name, m->name);
	}
	return 0;
}

static int read_members(const struct npz_source *s, const struct dir *d,
	const uint8_t *buf, struct npz_member *members, size_t *count,
	struct err *e)
{
	size_t left = (size_t)d->bytes, used = 0, i;
	struct entry n;
	int rc;

	for (i = 0; i < d->entries; i++) {
		struct npz_member *m = &members[i];

		memset(m, 0, sizeof(*m));
		rc = read_central(s, d->offset + d->bytes - left, buf, left, &n,
			m, &used, e);
		if (!rc)
			rc = read_local(s, d, &n, m, e);
		if (!rc)
			rc = read_npy(s, m, e);
		if (!rc)
			rc = check_apart(s, members, i, m, e);
		if (rc)
			return rc;
		buf += used;
		left -= used;
	}
	if (left)
		return bad(s, d->offset + d->bytes - left, -EBADMSG, e,
			"the directory has %zu bytes behind its entries", left);
	*count = i;
	return 0;
}

int npz_parse(const struct npz_source *s, struct npz_member *members,
	size_t max, size_t *count, struct err *e)
{
	struct dir d;
	uint8_t *buf;
	int rc;

	*count = 0;
	rc = find_dir(s, &d, e);
	if (rc)
		return rc;
	if (d.entries > max)
		return bad(s, d.offset, -ENOTSUP, e,
			"%" PRIu64 " members are not supported, at most %zu",
			d.entries, max);
	buf = malloc(d.bytes ? (size_t)d.bytes : 1);
	if (!buf)
		return err_nomem(e, "the directory of an npz file");
	rc = get(s, d.offset, buf, (size_t)d.bytes, e);
	if (!rc)
		rc = read_members(s, &d, buf, members, count, e);
	free(buf);
	return rc;
}

int npz_check_start(
	const void *first, size_t len, const char *name, struct err *e)
{
	const uint8_t *p = first;
	size_t npy;

	if (len < 30 || memcmp(p, "PK\3\4", 4))
		return err_set(e, ERR_IO, -EBADMSG,
			"%s: not an npz archive (does not start with PK34); "
			"generate the data set again", name);
	if (get16(p + 8))
		return err_set(e, ERR_IO, -ENOTSUP,
			"%s: zip method %u unsupported (only stored arrays "
			"are); write it with numpy.savez, not "
			"savez_compressed", name, get16(p + 8));
	npy = 30 + (size_t)get16(p + 26) + get16(p + 28);
	if (npy + 6 <= len && memcmp(p + npy, "\x93NUMPY", 6))
		return err_set(e, ERR_IO, -EBADMSG,
			"%s: no npy array at offset %zu; generate the data set "
			"again", name, npy);
	return 0;
}

const struct npz_member *npz_find(
	const struct npz_member *members, size_t count, const char *array)
{
	size_t len = strlen(array), i;

	for (i = 0; i < count; i++)
		if (!strncmp(members[i].name, array, len) &&
			!strcmp(members[i].name + len, ".npy"))
			return &members[i];
	return NULL;
}
