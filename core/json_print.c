/*
 * Prints a cJSON tree the way Python's json.dump does (cJSON's own printer
 * indents with tabs and cuts doubles at 15 or 17 digits). The text grows in
 * one buffer; a failed allocation is remembered and reported once at the end.
 */
#include "core/json.h"

#include "core/file.h"
#include "core/utf8.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
	char *p;
	size_t len, cap;
	bool failed;
};

static void put(struct text *t, const char *s, size_t n)
{
	size_t cap = t->cap ? t->cap : 4096;
	char *p;

	if (t->failed)
		return;
	while (cap - t->len < n + 1)
		cap *= 2;
	if (cap != t->cap) {
		p = realloc(t->p, cap);
		if (!p) {
			t->failed = true;
			return;
		}
		t->p = p;
		t->cap = cap;
	}
	memcpy(t->p + t->len, s, n);
	t->len += n;
	t->p[t->len] = '\0';
}

static void puts_text(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

static void put_line(struct text *t, int indent, int depth)
{
	static const char spaces[] = "                                ";
	int n, left = indent * depth;

	put(t, "\n", 1);
	for (; left > 0; left -= n) {
		n = left < 32 ? left : 32;
		put(t, spaces, (size_t)n);
	}
}

static void put_string(struct text *t, const char *str)
{
	const unsigned char *s = (const unsigned char *)(str ? str : "");
	static const char plain[] = "\"\\\b\f\n\r\t", esc[] = "\"\\bfnrt";
	const char *found;
	char buf[16];
	uint32_t c;
	size_t n;

	put(t, "\"", 1);
	for (; *s; s += n) {
		c = utf8_next(s, &n);
		found = c < 0x80 ? strchr(plain, (int)c) : NULL;
		if (found) {
			buf[0] = '\\';
			buf[1] = esc[found - plain];
			put(t, buf, 2);
		} else if (c >= ' ' && c <= '~') {
			buf[0] = (char)c;
			put(t, buf, 1);
		} else if (c < 0x10000) {
			snprintf(buf, sizeof(buf), "\\u%04x", c);
			puts_text(t, buf);
		} else {
			c -= 0x10000;
			snprintf(buf, sizeof(buf), "\\u%04x\\u%04x",
				0xd800 + (c >> 10), 0xdc00 + (c & 0x3ff));
			puts_text(t, buf);
		}
	}
	put(t, "\"", 1);
}

/*
 * Fifteen digits that read back are the shortest, once their zeros are
 * dropped: decimals of up to DBL_DIG digits survive the trip through a
 * double. Otherwise 16, then 17. Subnormal numbers have fewer digits to begin
 * with. Python uses an exponent below 1e-4 and from 1e16 on.
 */
const char *json_repr(char buf[JSON_REPR_MAX], double value)
{
	char e[JSON_REPR_MAX], digits[20];
	int n = 0, precision, exp10, i, len = 0;
	const char *s;

	if (!isfinite(value)) {
		snprintf(buf, JSON_REPR_MAX, "%s",
			isnan(value) ? "nan"
			: value > 0  ? "inf"
				     : "-inf");
		return buf;
	}
	precision = fabs(value) < DBL_MIN ? 0 : DBL_DIG - 1;
	for (; precision < 17; precision++) {
		snprintf(e, sizeof(e), "%.*e", precision, value);
		if (strtod(e, NULL) == value)
			break;
	}
	for (s = e; *s && *s != 'e'; s++)
		if (*s >= '0' && *s <= '9')
			digits[n++] = *s;
	exp10 = atoi(s + 1);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	if (signbit(value))
		buf[len++] = '-';
	if (exp10 < -4 || exp10 >= 16) {
		buf[len++] = digits[0];
		if (n > 1)
			buf[len++] = '.';
		for (i = 1; i < n; i++)
			buf[len++] = digits[i];
		snprintf(buf + len, (size_t)(JSON_REPR_MAX - len), "e%+03d",
			exp10);
		return buf;
	}
	for (i = exp10 < 0 ? exp10 : 0; i < n || i <= exp10 + 1; i++) {
		if (i == exp10 + 1)
			buf[len++] = '.';
		buf[len++] = i >= 0 && i < n ? digits[i] : '0';
	}
	buf[len] = '\0';
	return buf;
}

static void put_number(struct text *t, double d)
{
	char buf[JSON_REPR_MAX];

	if (!isfinite(d)) {
		puts_text(t, "null");
		return;
	}
	if (d == floor(d) && fabs(d) <= (double)JSON_U64_MAX)
		snprintf(buf, sizeof(buf), "%.0f", d == 0 ? 0.0 : d);
	else
		json_repr(buf, d);
	puts_text(t, buf);
}

static void put_item(
	struct text *t, const struct cJSON *item, int indent, int depth);

static void put_children(
	struct text *t, const struct cJSON *item, int indent, int depth)
{
	bool object = cJSON_IsObject(item);
	const struct cJSON *c;

	puts_text(t, object ? "{" : "[");
	for (c = item->child; c; c = c->next) {
		if (indent >= 0)
			put_line(t, indent, depth + 1);
		if (object) {
			put_string(t, c->string);
			put(t, ": ", 2);
		}
		put_item(t, c, indent, depth + 1);
		if (c->next)
			puts_text(t, indent >= 0 ? "," : ", ");
	}
	if (item->child && indent >= 0)
		put_line(t, indent, depth);
	puts_text(t, object ? "}" : "]");
}

static void put_item(
	struct text *t, const struct cJSON *item, int indent, int depth)
{
	if (cJSON_IsObject(item) || cJSON_IsArray(item))
		put_children(t, item, indent, depth);
	else if (cJSON_IsString(item))
		put_string(t, item->valuestring);
	else if (cJSON_IsRaw(item))
		puts_text(t, item->valuestring);
	else if (cJSON_IsNumber(item))
		put_number(t, item->valuedouble);
	else if (cJSON_IsBool(item))
		puts_text(t, cJSON_IsTrue(item) ? "true" : "false");
	else
		puts_text(t, "null");
}

char *json_print(const struct cJSON *item, int indent)
{
	struct text t = {0};

	put_item(&t, item, indent, 0);
	if (t.failed) {
		free(t.p);
		return NULL;
	}
	return t.p;
}

int json_write_file(
	const char *path, const struct cJSON *item, int indent, struct err *e)
{
	char *text = json_print(item, indent);
	int ret;

	if (!text)
		return err_nomem(e, path);
	ret = file_write_atomic(path, text, strlen(text), e);
	free(text);
	return ret;
}
