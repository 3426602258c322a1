/*
 * Reads YAML into a cJSON tree, as Python's yaml.safe_load would see it (YAML
 * 1.1: "yes" is true, 012 is ten, 2026-11-30 is no string), with limits on
 * size, depth, number of nodes and what aliases may unfold to; see yaml.h.
 */
#include "results/yaml.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#define DEPTH_MAX 64
#define NODES_MAX 100000
#define ANCHORS_MAX 256

struct anchor {
	char *name;
	struct cJSON *value; /* a copy of its own */
	size_t nodes;
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the one to be looked at */
	bool has_event;
	const char *name;
	size_t nodes;
	struct anchor anchors[ANCHORS_MAX];
	size_t anchor_count;
	struct err *e;
};

static int bad(struct reader *r, const char *what)
{
	return err_set(r->e, ERR_USAGE, -EINVAL, "%s: %s at line %zu", r->name,
		what, r->event.start_mark.line + 1);
}

static int next(struct reader *r)
{
	if (r->has_event)
		yaml_event_delete(&r->event);
	r->has_event = yaml_parser_parse(&r->parser, &r->event) != 0;
	if (r->has_event)
		return 0;
	return err_set(r->e, ERR_USAGE, -EINVAL,
		"%s: not valid YAML at line %zu: %s", r->name,
		r->parser.problem_mark.line + 1,
		r->parser.problem ? r->parser.problem : "out of memory");
}

static bool is_one_of(const char *s, const char *const words[])
{
	size_t i;

	for (i = 0; words[i]; i++)
		if (!strcmp(s, words[i]))
			return true;
	return false;
}

/* 2026-11-30, and with a time behind it: Python makes it a date. */
static bool is_date(const char *s)
{
	size_t i;

	for (i = 0; i < 4; i++)
		if (!isdigit((unsigned char)s[i]))
			return false;
	return s[4] == '-' && isdigit((unsigned char)s[5]) &&
	       strchr(s + 5, '-') && isdigit((unsigned char)s[strlen(s) - 1]);
}

/* Copies a number without '_' into out; false when it is none. */
static bool number(const char *s, double *value)
{
	char text[64], *end;
	size_t n = 0, i = 0;
	int base = 10;
	bool minus = *s == '-', point = false;

	if (*s == '-' || *s == '+')
		i++;
	if (!isdigit((unsigned char)s[i]) && s[i] != '.')
		return false;
	for (; s[i]; i++) {
		if (s[i] == '_')
			continue;
		if (n == sizeof(text) - 1)
			return false;
		text[n++] = s[i];
		point = point || s[i] == '.';
	}
	text[n] = '\0';
	if (point) { /* a float needs its point, an exponent its sign */
		char *exp = strpbrk(text, "eE");

		if (strpbrk(text, "xX") || !strpbrk(text, "0123456789") ||
			(exp && exp[1] != '+' && exp[1] != '-'))
			return false;
		*value = strtod(text, &end);
	} else {
		if (text[0] == '0' && (text[1] == 'x' || text[1] == 'b'))
			base = text[1] == 'x' ? 16 : 2;
		else if (text[0] == '0' && n > 1)
			base = 8;
		i = base == 16 || base == 2 ? 2 : 0;
		if (!isxdigit((unsigned char)text[i]))
			return false;
		*value = base == 10 ? strtod(text, &end)
				    : (double)strtoull(text + i, &end, base);
		if (base == 10 && strpbrk(text, "eEnNiIxXpP"))
			return false;
	}
	if (minus)
		*value = -*value;
	return *end == '\0' && isfinite(*value);
}

static struct cJSON *scalar(const yaml_event_t *ev)
{
	static const char *const yes[] = {"yes", "Yes", "YES", "true", "True",
		"TRUE", "on", "On", "ON", NULL};
	static const char *const no[] = {"no", "No", "NO", "false", "False",
		"FALSE", "off", "Off", "OFF", NULL};
	static const char *const null[] = {
		"", "~", "null", "Null", "NULL", NULL};
	const char *s = (const char *)ev->data.scalar.value;
	double d;

	/* a zero byte inside would cut the text: keep it visible */
	if (strlen(s) != ev->data.scalar.length)
		return cJSON_CreateString("(text with a zero byte)");
	if (ev->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return cJSON_CreateString(s);
	if (is_one_of(s, null))
		return cJSON_CreateNull();
	if (is_one_of(s, yes))
		return cJSON_CreateBool(1);
	if (is_one_of(s, no))
		return cJSON_CreateBool(0);
	if (number(s, &d))
		return cJSON_CreateNumber(d);
	/* neither a text nor a number */
	if (strlen(s) >= 8 && is_date(s))
		return cJSON_CreateRaw(s);
	return cJSON_CreateString(s);
}

static size_t count(const struct cJSON *item)
{
	size_t n = 1;

	for (item = item->child; item; item = item->next)
		n += count(item);
	return n;
}

static int remember(
	struct reader *r, const yaml_char_t *name, const struct cJSON *value)
{
	struct anchor *a;

	if (r->anchor_count == ANCHORS_MAX)
		return bad(r, "more than 256 anchors");
	a = &r->anchors[r->anchor_count];
	a->name = strdup((const char *)name);
	a->value = cJSON_Duplicate(value, 1);
	if (!a->name || !a->value) {
		free(a->name);
		cJSON_Delete(a->value);
		return err_nomem(r->e, r->name);
	}
	a->nodes = count(value);
	r->anchor_count++;
	return 0;
}

static int alias(struct reader *r, struct cJSON **out)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	size_t i;

	for (i = r->anchor_count; i-- > 0;) {
		if (strcmp(r->anchors[i].name, name))
			continue;
		r->nodes += r->anchors[i].nodes;
		if (r->nodes > NODES_MAX)
			return bad(r, "aliases unfold to too much");
		*out = cJSON_Duplicate(r->anchors[i].value, 1);
		return *out ? 0 : err_nomem(r->e, r->name);
	}
	return bad(r, "an alias without its anchor");
}

static int value(struct reader *r, int depth, struct cJSON **out);

/* What a mapping's "<<" brings, where the mapping has nothing of its own. */
static void merge(struct cJSON *map, const struct cJSON *from)
{
	const struct cJSON *c;

	for (c = cJSON_IsObject(from) ? from->child : NULL; c; c = c->next)
		if (!json_has(map, c->string))
			json_add(map, c->string, cJSON_Duplicate(c, 1));
}

static int pair(struct reader *r, int depth, struct cJSON *map)
{
	struct cJSON *item = NULL;
	char *key = NULL;
	int ret;

	if (r->event.type != YAML_SCALAR_EVENT)
		return bad(r, "a key that is no plain text");
	key = strdup((const char *)r->event.data.scalar.value);
	if (!key)
		return err_nomem(r->e, r->name);
	ret = next(r);
	if (!ret)
		ret = value(r, depth + 1, &item);
	if (!ret && !strcmp(key, "<<") && cJSON_IsObject(item)) {
		merge(map, item);
		cJSON_Delete(item);
	} else if (!ret) { /* of two the last counts */
		cJSON_DeleteItemFromObjectCaseSensitive(map, key);
		if (!json_add(map, key, item))
			ret = err_nomem(r->e, r->name);
	}
	free(key);
	return ret;
}

static int collection(struct reader *r, int depth, struct cJSON **out)
{
	bool map = r->event.type == YAML_MAPPING_START_EVENT;
	struct cJSON *box = map ? cJSON_CreateObject() : cJSON_CreateArray();
	struct cJSON *item;
	int ret;

	if (!box)
		return err_nomem(r->e, r->name);
	ret = next(r);
	while (!ret && r->event.type != (map ? YAML_MAPPING_END_EVENT
					     : YAML_SEQUENCE_END_EVENT)) {
		if (map) {
			ret = pair(r, depth, box);
		} else {
			ret = value(r, depth + 1, &item);
			if (!ret && !json_add(box, NULL, item))
				ret = err_nomem(r->e, r->name);
		}
		if (!ret)
			ret = next(r);
	}
	if (ret) {
		cJSON_Delete(box);
		return ret;
	}
	*out = box;
	return 0;
}

/* The value that the event begins; afterwards the event is its last one. */
static int value(struct reader *r, int depth, struct cJSON **out)
{
	yaml_event_type_t type = r->event.type;
	yaml_char_t *anchor = NULL;
	int ret;

	*out = NULL;
	if (depth > DEPTH_MAX)
		return bad(r, "nested more than 64 deep");
	if (++r->nodes > NODES_MAX)
		return bad(r, "more than 100000 values");
	if (type == YAML_ALIAS_EVENT)
		return alias(r, out);
	if (type == YAML_SCALAR_EVENT) {
		*out = scalar(&r->event);
		ret = *out ? 0 : err_nomem(r->e, r->name);
		return !ret && r->event.data.scalar.anchor
			       ? remember(r, r->event.data.scalar.anchor, *out)
			       : ret;
	}
	if (type != YAML_MAPPING_START_EVENT &&
		type != YAML_SEQUENCE_START_EVENT)
		return bad(r, "nothing where a value should be");
	if (type == YAML_MAPPING_START_EVENT) {
		anchor = r->event.data.mapping_start.anchor;
		r->event.data.mapping_start.anchor = NULL;
	} else {
		anchor = r->event.data.sequence_start.anchor;
		r->event.data.sequence_start.anchor = NULL;
	}
	ret = collection(r, depth, out);
	if (!ret && anchor)
		ret = remember(r, anchor, *out);
	free(anchor);
	return ret;
}

static int document(struct reader *r, struct cJSON **out)
{
	int ret = next(r); /* the stream's start */

	if (!ret)
		ret = next(r);
	if (!ret && r->event.type == YAML_STREAM_END_EVENT) {
		*out = cJSON_CreateNull();
		return *out ? 0 : err_nomem(r->e, r->name);
	}
	if (!ret)
		ret = next(r);
	if (!ret)
		ret = value(r, 0, out);
	if (!ret)
		ret = next(r); /* the document's end */
	if (!ret)
		ret = next(r);
	if (!ret && r->event.type != YAML_STREAM_END_EVENT)
		ret = bad(r, "a second document");
	return ret;
}

int results_yaml_parse(const char *text, size_t len, const char *name,
	struct cJSON **out, struct err *e)
{
	struct reader *r = calloc(1, sizeof(*r));
	size_t i;
	int ret;

	*out = NULL;
	if (!r || !yaml_parser_initialize(&r->parser)) {
		free(r);
		return err_nomem(e, name);
	}
	r->name = name;
	r->e = e;
	yaml_parser_set_input_string(
		&r->parser, (const unsigned char *)text, len);
	ret = document(r, out);
	if (ret) {
		cJSON_Delete(*out);
		*out = NULL;
	}
	if (r->has_event)
		yaml_event_delete(&r->event);
	for (i = 0; i < r->anchor_count; i++) {
		free(r->anchors[i].name);
		cJSON_Delete(r->anchors[i].value);
	}
	yaml_parser_delete(&r->parser);
	free(r);
	return ret;
}
