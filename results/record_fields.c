/* Fields of the record to and from JSON; see record_fields.h. */
#include "results/record_fields.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define U64_END 18446744073709551616.0 /* 2^64 */
#define I64_END 9223372036854775808.0  /* 2^63 */
#define U32_END 4294967296.0

static bool add_field(struct cJSON *o, const struct field *f, const void *base)
{
	const char *p = (const char *)base + f->offset;

	switch (f->kind) {
	case K_U64:
		return json_add_u64(o, f->key, *(const uint64_t *)p);
	case K_I64:
		return json_add_i64(o, f->key, *(const int64_t *)p);
	case K_U32:
		return json_add_u64(o, f->key, *(const uint32_t *)p);
	case K_DOUBLE:
		return json_add_double(o, f->key, *(const double *)p);
	case K_BOOL:
		return json_add_bool(o, f->key, *(const bool *)p);
	case K_TEXT:
		return json_add_string(o, f->key, p);
	}
	return false;
}

bool record_add_fields(
	struct cJSON *o, const struct fields *t, const void *base)
{
	bool ok = o != NULL;
	size_t i;

	for (i = 0; ok && i < t->n; i++)
		ok = add_field(o, &t->f[i], base);
	return ok;
}

int record_bad(struct err *e, const char *name, const char *key)
{
	return err_set(e, ERR_IO, -EBADMSG,
		"%s: \"%s\" is missing or not what a record holds", name, key);
}

static bool whole(double d, double begin, double end)
{
	return d >= begin && d < end && d == floor(d);
}

/*
 * One member of a struct. Numbers beyond 2^53 come rounded, as the parser has
 * doubles only.
 */
bool record_get_field(const struct cJSON *o, const struct field *f, void *base)
{
	const struct cJSON *c = cJSON_GetObjectItemCaseSensitive(o, f->key);
	char *p = (char *)base + f->offset;
	double d = cJSON_IsNumber(c) ? c->valuedouble : NAN;

	switch (f->kind) {
	case K_U64:
		if (!whole(d, 0, U64_END))
			return false;
		*(uint64_t *)p = (uint64_t)d;
		return true;
	case K_I64:
		if (!whole(d, -I64_END, I64_END))
			return false;
		*(int64_t *)p = (int64_t)d;
		return true;
	case K_U32:
		if (!whole(d, 0, U32_END))
			return false;
		*(uint32_t *)p = (uint32_t)d;
		return true;
	case K_DOUBLE:
		*(double *)p = isfinite(d) ? d : 0; /* null: not a number */
		return cJSON_IsNumber(c) ? isfinite(d) : cJSON_IsNull(c);
	case K_BOOL:
		*(bool *)p = cJSON_IsTrue(c);
		return cJSON_IsBool(c);
	case K_TEXT:
		if (!cJSON_IsString(c) || strlen(c->valuestring) >= f->bytes)
			return false;
		memcpy(p, c->valuestring, strlen(c->valuestring) + 1);
		return true;
	}
	return false;
}

int record_get_fields(const struct cJSON *o, uint32_t version,
	const struct fields *t, void *base, const char *name, struct err *e)
{
	const struct field *f;

	for (f = t->f; f < t->f + t->n; f++) {
		if (f->since > version && !json_has(o, f->key))
			continue;
		if (!record_get_field(o, f, base))
			return record_bad(e, name, f->key);
	}
	return 0;
}

/* Of an object `key` of o. */
int record_get_object(const struct cJSON *o, const char *key, uint32_t version,
	const struct fields *t, void *base, const char *name, struct err *e)
{
	const struct cJSON *sub = cJSON_GetObjectItemCaseSensitive(o, key);

	if (!cJSON_IsObject(sub))
		return record_bad(e, name, key);
	return record_get_fields(sub, version, t, base, name, e);
}
