/* The digest of comparable parameters; see core_hash.h. */
#include "core/core_hash.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A key, or with ".*" behind it all below. */
static const char *const training_keys[] = {"framework", "metric.au", "model.*",
	"workflow.*", "dataset.format", "dataset.num_samples_per_file",
	"dataset.record_length", "dataset.record_length_bytes",
	"dataset.record_length_stdev", "dataset.record_length_resize",
	"dataset.record_length_bytes_stdev",
	"dataset.record_length_bytes_resize", "reader.data_loader",
	"reader.batch_size", "reader.file_shuffle", "reader.sample_shuffle",
	"reader.shuffle_size", "train.epochs", "train.computation_time",
	"train.computation_time_stdev", "train.total_training_steps",
	"checkpoint.*", NULL};
static const char *const checkpointing_keys[] = {
	"framework", "model.*", "workflow.*", "checkpoint.*", NULL};

struct pair {
	char key[128];
	char value[128]; /* as compact JSON */
};

struct pairs {
	struct pair v[128];
	size_t n;
};

const char *core_list_name(enum core_list list)
{
	return list == CORE_TRAINING ? "training@1" : "checkpointing@1";
}

/* Where checkpoints go, and how many, may differ. */
static bool hashed(enum core_list list, const char *key)
{
	const char *const *k =
		list == CORE_TRAINING ? training_keys : checkpointing_keys;
	size_t n;

	if (!strcmp(key, "checkpoint.checkpoint_folder") ||
		(list == CORE_CHECKPOINTING &&
			!strncmp(key, "checkpoint.num_checkpoints_", 27)))
		return false;
	for (; *k; k++) {
		n = strlen(*k);
		if ((*k)[n - 1] == '*' ? !strncmp(key, *k, n - 1)
				       : !strcmp(key, *k))
			return true;
	}
	return false;
}

/* A text that is a truth or a number becomes one; else a copy. */
static struct cJSON *canonical(const struct cJSON *item)
{
	const char *s = cJSON_IsString(item) ? item->valuestring : NULL;
	char *end;
	double d;

	if (s && (!strcasecmp(s, "true") || !strcasecmp(s, "false")))
		return cJSON_CreateBool(!strcasecmp(s, "true"));
	d = s && *s ? strtod(s, &end) : 0;
	/* neither "inf" nor "0x1f" is a number there */
	if (s && *s && !*end && isfinite(d) && !strpbrk(s, "xXnN"))
		return cJSON_CreateNumber(d);
	/* the printer writes a whole double without ".0" */
	return cJSON_Duplicate(item, 1);
}

static int add(struct pairs *p, const char *key, const struct cJSON *item,
	const char *file, struct err *e)
{
	struct cJSON *c = canonical(item);
	char *text = c ? json_print(c, -1) : NULL;
	struct pair *at = &p->v[p->n];
	int n;

	cJSON_Delete(c);
	if (!text)
		return err_nomem(e, "a workload's parameters");
	if (p->n == sizeof(p->v) / sizeof(p->v[0])) {
		free(text);
		return err_set(e, ERR_USAGE, -E2BIG,
			"%s: more than %zu parameters", file, p->n);
	}
	snprintf(at->key, sizeof(at->key), "%s", key);
	n = snprintf(at->value, sizeof(at->value), "%s", text);
	free(text);
	if (n >= (int)sizeof(at->value))
		return err_set(e, ERR_USAGE, -ERANGE,
			"%s: the value of %s is too long", file, key);
	p->n++;
	return 0;
}

/* Nested objects into dotted keys. */
static int flatten(const struct cJSON *o, const char *prefix,
	enum core_list list, const char *file, struct pairs *p, struct err *e)
{
	const struct cJSON *item;
	char key[128];
	int r = 0;

	cJSON_ArrayForEach(item, o)
	{
		snprintf(key, sizeof(key), "%s%s%s", prefix, *prefix ? "." : "",
			item->string ? item->string : "");
		if (cJSON_IsObject(item))
			r = flatten(item, key, list, file, p, e);
		else if (hashed(list, key))
			r = add(p, key, item, file, e);
		if (r)
			return r;
	}
	return 0;
}

static int by_key(const void *a, const void *b)
{
	return strcmp(
		((const struct pair *)a)->key, ((const struct pair *)b)->key);
}

static void digest_of(const struct pairs *p, char out[CORE_HASH_MAX])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx ctx;
	char text[sizeof(struct pair) + 8];
	size_t i;

	sha256_init(&ctx);
	if (!p->n)
		sha256_update(&ctx, 1, (const uint8_t *)"{");
	for (i = 0; i < p->n; i++) {
		snprintf(text, sizeof(text), "%c\"%s\":%s", i ? ',' : '{',
			p->v[i].key, p->v[i].value);
		sha256_update(&ctx, strlen(text), (const uint8_t *)text);
	}
	sha256_update(&ctx, 1, (const uint8_t *)"}");
	sha256_digest(&ctx, sizeof(digest), digest);
	for (i = 0; i < 8; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

int core_hash(const struct cJSON *parameters, enum core_list list,
	const char *file, char out[CORE_HASH_MAX], struct cJSON **keys,
	struct err *e)
{
	struct pairs *p = calloc(1, sizeof(*p));
	size_t i;
	int r;

	if (!p)
		return err_nomem(e, "a workload's parameters");
	r = flatten(parameters, "", list, file, p, e);
	if (!r && p->n)
		qsort(p->v, p->n, sizeof(p->v[0]), by_key);
	if (!r)
		digest_of(p, out);
	if (!r && keys) {
		*keys = cJSON_CreateArray();
		for (i = 0; *keys && i < p->n; i++)
			if (!json_add_string(*keys, NULL, p->v[i].key))
				r = err_nomem(e, "a workload's parameters");
		if (!*keys)
			r = err_nomem(e, "a workload's parameters");
	}
	free(p);
	return r;
}
