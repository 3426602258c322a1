/*
 * Reading and building JSON; see json.h. The printer is in json_print.c.
 */
#include "core/json.h"

#include "core/file.h"
#include "core/nearest.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_BYTES (256UL << 20)

int json_parse(const char *text, size_t len, const char *name,
	struct cJSON **out, struct err *e)
{
	const char *end = text, *p;
	unsigned line = 1;

	*out = cJSON_ParseWithLengthOpts(text, len, &end, 0);
	if (!end)
		end = text;
	if (*out) {
		while (end < text + len && isspace((unsigned char)*end))
			end++;
		if (end == text + len)
			return 0;
		cJSON_Delete(*out);
		*out = NULL;
	}
	for (p = text; p < end && p < text + len; p++)
		line += *p == '\n';
	return err_set(e, ERR_USAGE, -EINVAL, "%s: not valid JSON at line %u",
		name, line);
}

int json_read_file(const char *path, struct cJSON **out, struct err *e)
{
	size_t len;
	char *text;
	int ret;

	*out = NULL;
	ret = file_read_all(path, FILE_MAX_BYTES, &text, &len, e);
	if (ret)
		return ret;
	ret = json_parse(text, len, path, out, e);
	free(text);
	return ret;
}

static int wrong(struct err *e, int code, const char *file, const char *key,
	const char *expected, const struct cJSON *is)
{
	char *text = cJSON_PrintUnformatted(is);

	err_set(e, ERR_USAGE, code, "%s: key '%s' must be %s, is %.80s", file,
		key, expected, text ? text : "something else");
	free(text);
	return code;
}

static int find(const struct cJSON *obj, const char *file, const char *key,
	const struct cJSON **item, struct err *e)
{
	*item = cJSON_GetObjectItemCaseSensitive(obj, key);
	if (*item)
		return 0;
	return err_set(
		e, ERR_USAGE, -ENOENT, "%s: key '%s' is missing", file, key);
}

bool json_has(const struct cJSON *obj, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(obj, key) != NULL;
}

int json_get_u64(const struct cJSON *obj, const char *file, const char *key,
	uint64_t min, uint64_t max, uint64_t *value, struct err *e)
{
	const struct cJSON *item;
	char expected[96];
	double d;
	int ret;

	ret = find(obj, file, key, &item, e);
	if (ret)
		return ret;
	d = item->valuedouble;
	if (!cJSON_IsNumber(item) || !isfinite(d) || d != floor(d))
		return wrong(e, -EINVAL, file, key, "a whole number", item);
	if (max > JSON_U64_MAX)
		max = JSON_U64_MAX;
	if (d < 0 || d > (double)JSON_U64_MAX || (uint64_t)d < min ||
		(uint64_t)d > max) {
		snprintf(expected, sizeof(expected),
			"a whole number from %" PRIu64 " to %" PRIu64, min,
			max);
		return wrong(e, -ERANGE, file, key, expected, item);
	}
	*value = (uint64_t)d;
	return 0;
}

int json_get_double(const struct cJSON *obj, const char *file, const char *key,
	double min, double max, double *value, struct err *e)
{
	const struct cJSON *item;
	char expected[96];
	double d;
	int ret;

	ret = find(obj, file, key, &item, e);
	if (ret)
		return ret;
	d = item->valuedouble;
	if (!cJSON_IsNumber(item) || !isfinite(d))
		return wrong(e, -EINVAL, file, key, "a number", item);
	if (d < min || d > max) {
		snprintf(expected, sizeof(expected), "a number from %g to %g",
			min, max);
		return wrong(e, -ERANGE, file, key, expected, item);
	}
	*value = d;
	return 0;
}

int json_get_string(const struct cJSON *obj, const char *file, const char *key,
	char *buf, size_t size, struct err *e)
{
	const struct cJSON *item;
	char expected[64];
	int ret;

	ret = find(obj, file, key, &item, e);
	if (ret)
		return ret;
	if (!cJSON_IsString(item))
		return wrong(e, -EINVAL, file, key, "a text", item);
	if (strlen(item->valuestring) >= size) {
		snprintf(expected, sizeof(expected),
			"a text of less than %zu bytes", size);
		return wrong(e, -ERANGE, file, key, expected, item);
	}
	strcpy(buf, item->valuestring);
	return 0;
}

int json_get_bool(const struct cJSON *obj, const char *file, const char *key,
	bool *value, struct err *e)
{
	const struct cJSON *item;
	int ret;

	ret = find(obj, file, key, &item, e);
	if (ret)
		return ret;
	if (!cJSON_IsBool(item))
		return wrong(e, -EINVAL, file, key, "true or false", item);
	*value = cJSON_IsTrue(item);
	return 0;
}

static int get_container(const struct cJSON *obj, const char *file,
	const char *key, cJSON_bool (*is)(const struct cJSON *item),
	const char *expected, const struct cJSON **out, struct err *e)
{
	int ret = find(obj, file, key, out, e);

	if (!ret && !is(*out))
		ret = wrong(e, -EINVAL, file, key, expected, *out);
	return ret;
}

int json_get_object(const struct cJSON *obj, const char *file, const char *key,
	const struct cJSON **out, struct err *e)
{
	return get_container(
		obj, file, key, cJSON_IsObject, "an object {...}", out, e);
}

int json_get_array(const struct cJSON *obj, const char *file, const char *key,
	const struct cJSON **out, struct err *e)
{
	return get_container(
		obj, file, key, cJSON_IsArray, "a list [...]", out, e);
}

int json_opt_u64(const struct cJSON *obj, const char *file, const char *key,
	uint64_t min, uint64_t max, uint64_t *value, struct err *e)
{
	if (!json_has(obj, key))
		return 0;
	return json_get_u64(obj, file, key, min, max, value, e);
}

int json_opt_double(const struct cJSON *obj, const char *file, const char *key,
	double min, double max, double *value, struct err *e)
{
	if (!json_has(obj, key))
		return 0;
	return json_get_double(obj, file, key, min, max, value, e);
}

int json_opt_string(const struct cJSON *obj, const char *file, const char *key,
	char *buf, size_t size, struct err *e)
{
	if (!json_has(obj, key))
		return 0;
	return json_get_string(obj, file, key, buf, size, e);
}

int json_opt_bool(const struct cJSON *obj, const char *file, const char *key,
	bool *value, struct err *e)
{
	if (!json_has(obj, key))
		return 0;
	return json_get_bool(obj, file, key, value, e);
}

int json_only_keys(const struct cJSON *obj, const char *file,
	const char *const known[], struct err *e)
{
	const struct cJSON *item, *first;
	const char *near;
	char list[512] = "";
	size_t len = 0, i;

	if (!cJSON_IsObject(obj))
		return wrong(e, -EINVAL, file, "(top)", "an object {...}", obj);
	cJSON_ArrayForEach(item, obj)
	{
		first = cJSON_GetObjectItemCaseSensitive(obj, item->string);
		if (first != item)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: key '%s' stands there twice", file,
				item->string);
		for (i = 0; known[i] && strcmp(known[i], item->string);)
			i++;
		if (known[i])
			continue;
		for (i = 0; known[i] && len < sizeof(list) - 1; i++)
			len += (size_t)snprintf(list + len, sizeof(list) - len,
				"%s%s", i ? ", " : "", known[i]);
		near = nearest_name(item->string, known);
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: unknown key '%s'%s%s%s; known: %s", file,
			item->string, near ? " (did you mean '" : "",
			near ? near : "", near ? "'?)" : "", list);
	}
	return 0;
}

struct cJSON *json_double(double value)
{
	char buf[JSON_REPR_MAX];

	if (!isfinite(value))
		return cJSON_CreateNull();
	/* The printer writes a plain whole number without ".0". */
	if (value == floor(value))
		return cJSON_CreateRaw(json_repr(buf, value));
	return cJSON_CreateNumber(value);
}

struct cJSON *json_u64(uint64_t value)
{
	char buf[24];

	if (value <= JSON_U64_MAX)
		return cJSON_CreateNumber((double)value);
	snprintf(buf, sizeof(buf), "%" PRIu64, value);
	return cJSON_CreateRaw(buf);
}

struct cJSON *json_i64(int64_t value)
{
	char buf[24];

	if (value >= 0)
		return json_u64((uint64_t)value);
	if (value >= -(int64_t)JSON_U64_MAX)
		return cJSON_CreateNumber((double)value);
	snprintf(buf, sizeof(buf), "%" PRId64, value);
	return cJSON_CreateRaw(buf);
}

bool json_add(struct cJSON *to, const char *key, struct cJSON *item)
{
	bool ok;

	if (!item)
		return false;
	ok = key ? cJSON_AddItemToObject(to, key, item)
		 : cJSON_AddItemToArray(to, item);
	if (!ok)
		cJSON_Delete(item);
	return ok;
}

bool json_add_double(struct cJSON *to, const char *key, double value)
{
	return json_add(to, key, json_double(value));
}

bool json_add_u64(struct cJSON *to, const char *key, uint64_t value)
{
	return json_add(to, key, json_u64(value));
}

bool json_add_i64(struct cJSON *to, const char *key, int64_t value)
{
	return json_add(to, key, json_i64(value));
}

bool json_add_bool(struct cJSON *to, const char *key, bool value)
{
	return json_add(to, key, cJSON_CreateBool(value));
}

bool json_add_string(struct cJSON *to, const char *key, const char *value)
{
	return json_add(to, key, cJSON_CreateString(value));
}

struct cJSON *json_add_object(struct cJSON *to, const char *key)
{
	struct cJSON *item = cJSON_CreateObject();

	return json_add(to, key, item) ? item : NULL;
}

struct cJSON *json_add_array(struct cJSON *to, const char *key)
{
	struct cJSON *item = cJSON_CreateArray();

	return json_add(to, key, item) ? item : NULL;
}
