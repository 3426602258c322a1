/* Headers of npy arrays; see npy.h. */
#include "datagen/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What is left to read; the text has no zero byte at its end. */
struct cursor {
	const char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\n'))
		c->p++;
}

/* Take one character after blanks, if it is next. */
static bool take(struct cursor *c, char ch)
{
	skip_blanks(c);
	if (c->p == c->end || *c->p != ch)
		return false;
	c->p++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	skip_blanks(c);
	if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
		return false;
	c->p += n;
	return true;
}

/* A quoted string of printable ASCII without escapes, into out[cap]. */
static bool take_string(struct cursor *c, char *out, size_t cap)
{
	size_t n = 0;
	char quote;

	skip_blanks(c);
	if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
		return false;
	quote = *c->p++;
	for (; c->p < c->end && *c->p != quote; c->p++) {
		if (*c->p < ' ' || *c->p > '~' || *c->p == '\\' || n + 1 >= cap)
			return false;
		out[n++] = *c->p;
	}
	out[n] = '\0';
	return take(c, quote);
}

static bool take_u64(struct cursor *c, uint64_t *v)
{
	const char *start;

	skip_blanks(c);
	start = c->p;
	for (*v = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
		if (__builtin_mul_overflow(*v, 10U, v) ||
			__builtin_add_overflow(*v, (uint64_t)(*c->p - '0'), v))
			return false;
	return c->p > start;
}

/* A tuple: (), (1,), (1, 2), (1, 2,) but not (1). */
static const char *take_shape(struct cursor *c, struct npy_info *out)
{
	bool comma = true;

	if (!take(c, '('))
		return "the shape is not a tuple";
	out->ndim = 0;
	while (!take(c, ')')) {
		if (!comma)
			return "the shape is not a tuple of numbers";
		if (out->ndim == NPY_DIMS_MAX)
			return "the shape has more than 8 dimensions";
		if (!take_u64(c, &out->shape[out->ndim]))
			return "the shape is not a tuple of 64-bit numbers";
		out->ndim++;
		comma = take(c, ',');
	}
	if (out->ndim == 1 && !comma)
		return "the shape is not a tuple";
	return NULL;
}

/* "<f4": byte order, kind, bytes of an item. */
static bool parse_descr(struct npy_info *out)
{
	static const char known[][4] = {"b1", "i1", "i2", "i4", "i8", "u1",
		"u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32"};
	const char *d = out->descr;
	size_t i;

	if (!*d || !strchr("<>|=", *d))
		return false;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(d + 1, known[i]) != 0)
			continue;
		out->item_bytes = (uint32_t)(known[i][1] - '0');
		if (known[i][2])
			out->item_bytes = out->item_bytes * 10 +
					  (uint32_t)(known[i][2] - '0');
		return *d != '|' || out->item_bytes == 1;
	}
	return false;
}

static const char *take_pair(
	struct cursor *c, struct npy_info *out, unsigned *seen)
{
	const char *bad = NULL;
	unsigned bit = 0;
	char key[16];

	if (!take_string(c, key, sizeof(key)) || !take(c, ':'))
		return "the header is not a dictionary of named values";
	if (!strcmp(key, "descr")) {
		bit = 1;
		if (!take_string(c, out->descr, sizeof(out->descr)) ||
			!parse_descr(out))
			bad = "descr is not a plain number type";
	} else if (!strcmp(key, "fortran_order")) {
		bit = 2;
		out->fortran_order = take_word(c, "True");
		if (!out->fortran_order && !take_word(c, "False"))
			bad = "fortran_order is neither True nor False";
	} else if (!strcmp(key, "shape")) {
		bit = 4;
		bad = take_shape(c, out);
	} else {
		bad = "the header has an unknown key";
	}
	if (!bad && (*seen & bit))
		bad = "the header has a key twice";
	*seen |= bit;
	return bad;
}

/*
 * Any dimension of zero makes an array empty, but the others must not
 * overflow either: readers multiply in any order.
 */
static bool count_bytes(struct npy_info *out)
{
	uint64_t total = out->item_bytes;
	bool empty = false;
	uint32_t i;

	for (i = 0; i < out->ndim; i++) {
		empty |= !out->shape[i];
		if (out->shape[i] &&
			__builtin_mul_overflow(total, out->shape[i], &total))
			return false;
	}
	out->data_bytes = empty ? 0 : total;
	return true;
}

const char *npy_parse_dict(const char *text, size_t len, struct npy_info *out)
{
	struct cursor c = {text, text + len};
	unsigned seen = 0;
	const char *bad;

	memset(out, 0, sizeof(*out));
	if (!take(&c, '{'))
		return "the header is not a dictionary";
	while (!take(&c, '}')) {
		bad = take_pair(&c, out, &seen);
		if (bad)
			return bad;
		if (take(&c, ','))
			continue;
		if (!take(&c, '}'))
			return "the header dictionary does not end";
		break;
	}
	skip_blanks(&c);
	if (c.p != c.end)
		return "the header has text behind its dictionary";
	if (seen != 7)
		return "the header lacks descr, fortran_order or shape";
	if (!count_bytes(out))
		return "the shape has more than 2^64 bytes";
	return NULL;
}

void npy_build_header(uint8_t out[NPY_HEADER_BYTES], const char *descr,
	const uint64_t *shape, uint32_t ndim)
{
	static const uint8_t magic[10] = {
		0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, NPY_HEADER_BYTES - 10, 0};
	char text[NPY_HEADER_BYTES];
	size_t cap = sizeof(text), n;
	uint32_t i;

	n = (size_t)snprintf(text, cap,
		"{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
	for (i = 0; i < ndim; i++)
		n += (size_t)snprintf(text + n, cap - n, "%s%" PRIu64,
			i ? ", " : "", shape[i]);
	n += (size_t)snprintf(
		text + n, cap - n, "%s), }", ndim == 1 ? "," : "");
	memcpy(out, magic, sizeof(magic));
	memset(out + sizeof(magic), ' ', NPY_HEADER_BYTES - sizeof(magic));
	memcpy(out + sizeof(magic), text, n);
	out[NPY_HEADER_BYTES - 1] = '\n';
}
