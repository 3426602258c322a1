/*
 * Parameters of a checkpointing leaf against those that the benchmark ships
 * for its model (configs/models/). See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/config.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct comparison {
	const char *const *free; /* dotted keys that may differ, NULL-ended */
	char text[256];		 /* the first that does; "" */
};

static bool is_free(const struct comparison *c, const char *key)
{
	size_t i;

	for (i = 0; c->free[i]; i++)
		if (!strcmp(c->free[i], key))
			return true;
	return false;
}

/* A number, also where the wrapper made a text of it; NAN. */
static double number_of(const struct cJSON *v)
{
	return bundle_number(v, "");
}

/* 1, 0 or -1 for none of both, also as a text. */
static int truth_of(const struct cJSON *v)
{
	const char *s = cJSON_IsString(v) ? v->valuestring : "";

	if (cJSON_IsTrue(v) || !strcasecmp(s, "true"))
		return 1;
	return cJSON_IsFalse(v) || !strcasecmp(s, "false") ? 0 : -1;
}

static bool same(const struct cJSON *a, const struct cJSON *b)
{
	double x = number_of(a), y = number_of(b);
	int t = truth_of(a), u = truth_of(b);

	if (t >= 0 || u >= 0)
		return t == u;
	if (!isnan(x) || !isnan(y))
		return x == y;
	return cJSON_Compare(a, b, 1);
}

static void say(struct comparison *c, const char *key, const struct cJSON *is,
	const struct cJSON *want)
{
	char *a = is ? cJSON_PrintUnformatted(is) : NULL;
	char *b = want ? cJSON_PrintUnformatted(want) : NULL;

	snprintf(c->text, sizeof(c->text), "%.80s is %.60s, shipped as %.60s",
		key, a ? a : "not there", b ? b : "not there");
	cJSON_free(a);
	cJSON_free(b);
}

/* Every key of the one that the other has not as well, or as another value. */
static void compare(struct comparison *c, const struct cJSON *is,
	const struct cJSON *want, const char *prefix, int depth)
{
	const struct cJSON *v, *other;
	char key[192];

	for (v = want ? want->child : NULL; v && !c->text[0]; v = v->next) {
		snprintf(key, sizeof(key), "%s%s%.60s", prefix,
			*prefix ? "." : "", v->string ? v->string : "");
		other = cJSON_GetObjectItemCaseSensitive(is, v->string);
		if (cJSON_IsObject(v) && cJSON_IsObject(other) && depth < 8)
			compare(c, other, v, key, depth + 1);
		else if (!is_free(c, key) && (!other || !same(other, v)))
			say(c, key, other, v);
	}
	for (v = is ? is->child : NULL; v && !c->text[0]; v = v->next) {
		snprintf(key, sizeof(key), "%s%s%.60s", prefix,
			*prefix ? "." : "", v->string ? v->string : "");
		if (v->string && !is_free(c, key) &&
			!cJSON_GetObjectItemCaseSensitive(want, v->string))
			say(c, key, v, NULL);
	}
}

bool bundle_shipped_differs(const struct bundle *b, const char *model,
	const struct cJSON *is, const char *const *may_differ, char text[256])
{
	struct comparison c = {.free = may_differ};
	struct cJSON *m;
	char file[128];
	struct err e;

	snprintf(file, sizeof(file), "models/%.60s.json", model);
	if (config_load(b->options->config_dir, file, &m, &e)) {
		snprintf(text, 256, "%.255s", e.text);
		return true;
	}
	compare(&c, is, bundle_at(m, "parameters"), "", 0);
	cJSON_Delete(m);
	memcpy(text, c.text, 256);
	return text[0] != '\0';
}
