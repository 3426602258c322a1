/* Reads an edition's rules and answers questions about them; see edition.h. */
#include "core/edition.h"

#include "core/config.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

bool edition_list_has(const struct edition_list *l, const char *name)
{
	uint32_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->v[i], name))
			return true;
	return false;
}

static int list_add(struct edition_list *l, const struct cJSON *item,
	const char *file, const char *key, struct err *e)
{
	if (!cJSON_IsString(item) ||
		strlen(item->valuestring) >= sizeof(l->v[0]) ||
		l->n == EDITION_LIST_MAX)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: key '%s' must be a list of at most %d names of "
			"less than %zu bytes",
			file, key, EDITION_LIST_MAX, sizeof(l->v[0]));
	strcpy(l->v[l->n++], item->valuestring);
	return 0;
}

static int get_list(const struct cJSON *obj, const char *file, const char *key,
	struct edition_list *l, struct err *e)
{
	const struct cJSON *array, *item;
	int ret;

	ret = json_get_array(obj, file, key, &array, e);
	if (ret)
		return ret;
	cJSON_ArrayForEach(item, array)
	{
		ret = list_add(l, item, file, key, e);
		if (ret)
			return ret;
	}
	return 0;
}

/* {"model": ["accelerator", ...], ...} */
static int get_pairs(const struct cJSON *obj, const char *file, const char *key,
	struct edition_pairs *p, struct err *e)
{
	const struct cJSON *models, *array, *item;
	struct cJSON name = {.type = cJSON_String};
	int ret;

	ret = json_get_object(obj, file, key, &models, e);
	if (ret)
		return ret;
	cJSON_ArrayForEach(array, models)
	{
		ret = json_get_array(models, file, array->string, &item, e);
		if (ret)
			return ret;
		name.valuestring = array->string;
		cJSON_ArrayForEach(item, array)
		{
			ret = list_add(&p->model, &name, file, key, e);
			if (!ret)
				ret = list_add(
					&p->accelerator, item, file, key, e);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int get_u32(const struct cJSON *obj, const char *file, const char *key,
	uint64_t max, uint32_t *value, struct err *e)
{
	uint64_t v = 0;
	int ret;

	ret = json_get_u64(obj, file, key, 0, max, &v, e);
	*value = (uint32_t)v;
	return ret;
}

static int get_prefetch_sizes(const struct cJSON *obj, const char *file,
	struct edition *ed, struct err *e)
{
	static const char key[] = "prefetch_sizes";
	const size_t max = sizeof(ed->prefetch_sizes) / sizeof(uint64_t);
	const struct cJSON *array, *item;
	int ret;

	ret = json_get_array(obj, file, key, &array, e);
	if (ret)
		return ret;
	cJSON_ArrayForEach(item, array)
	{
		if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
			item->valuedouble > 1e6 ||
			ed->prefetch_size_count == max)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: key '%s' must be a list of at most %zu "
				"whole numbers",
				file, key, max);
		ed->prefetch_sizes[ed->prefetch_size_count++] =
			(uint64_t)item->valuedouble;
	}
	return 0;
}

static int get_numbers(const struct cJSON *t, const char *file,
	struct edition *ed, struct err *e)
{
	int ret;

	ret = json_get_u64(t, file, "min_steps_per_epoch", 1, 1000000000,
		&ed->min_steps, e);
	if (!ret)
		ret = json_get_u64(t, file, "memory_factor", 0, 1000,
			&ed->memory_factor, e);
	if (!ret)
		ret = get_u32(t, file, "runs", 1000, &ed->runs, e);
	if (!ret)
		ret = get_u32(t, file, "warmups", 1000, &ed->warmups, e);
	if (!ret)
		ret = get_u32(t, file, "exclude_start_steps", 1000,
			&ed->exclude_start_steps, e);
	if (!ret)
		ret = get_u32(t, file, "exclude_end_steps", 1000,
			&ed->exclude_end_steps, e);
	if (!ret)
		ret = json_get_u64(t, file, "warn_below_accelerators", 0,
			1000000, &ed->warn_below_accelerators, e);
	if (!ret)
		ret = json_get_u64(t, file, "files_per_subfolder", 1,
			1000000000, &ed->files_per_subfolder, e);
	return ret ? ret : get_prefetch_sizes(t, file, ed, e);
}

static int get_lists(const struct cJSON *t, const char *file,
	struct edition *ed, struct err *e)
{
	int ret;

	ret = get_list(t, file, "odirect_models", &ed->odirect_models, e);
	if (!ret)
		ret = get_pairs(t, file, "closed", &ed->closed, e);
	if (!ret)
		ret = get_pairs(t, file, "open", &ed->open, e);
	if (!ret)
		ret = get_list(t, file, "closed_params", &ed->closed_params, e);
	if (!ret)
		ret = get_list(t, file, "open_params", &ed->open_params, e);
	if (!ret)
		ret = get_list(t, file, "tool_params", &ed->tool_params, e);
	return ret;
}

int edition_load(const char *config_dir, const char *name, struct edition *ed,
	struct err *e)
{
	const struct cJSON *t;
	struct cJSON *root;
	char file[128];
	int ret;

	memset(ed, 0, sizeof(*ed));
	snprintf(file, sizeof(file), "editions/%s.json", name);
	ret = config_load(config_dir, file, &root, e);
	if (ret)
		return ret;
	ret = json_get_string(
		root, file, "name", ed->name, sizeof(ed->name), e);
	if (!ret)
		ret = json_get_object(root, file, "training", &t, e);
	if (!ret)
		ret = get_numbers(t, file, ed, e);
	if (!ret)
		ret = get_lists(t, file, ed, e);
	/* a user's own edition may say nothing of it */
	if (!ret && json_has(root, "checkpointing")) {
		ret = json_get_object(root, file, "checkpointing", &t, e);
		if (!ret)
			ret = get_pairs(t, file, "admitted", &ed->ckpt, e);
	}
	cJSON_Delete(root);
	return ret;
}

/*
 * The accelerators of `model` (NULL: of all models) or, with models true, the
 * models, each once: "b200, mi355".
 */
static void admitted_text(const struct edition_pairs *p, const char *model,
	bool models, char *text, size_t size)
{
	const struct edition_list *l = models ? &p->model : &p->accelerator;
	struct edition_list seen = {.n = 0};
	size_t len = 0;
	uint32_t i;

	text[0] = '\0';
	for (i = 0; i < l->n && len < size - 1; i++) {
		if ((model && strcmp(model, p->model.v[i])) ||
			edition_list_has(&seen, l->v[i]))
			continue;
		strcpy(seen.v[seen.n++], l->v[i]);
		len += (size_t)snprintf(text + len, size - len, "%s%s",
			len ? ", " : "", l->v[i]);
	}
}

static void upper(char *s)
{
	for (; *s; s++)
		*s = (char)toupper((unsigned char)*s);
}

bool edition_admits(const struct edition *ed, enum rec_division division,
	const char *model, const char *accelerator, char *why, size_t size)
{
	const struct edition_pairs *p;
	const char *div = division == DIV_CLOSED ? "CLOSED" : "OPEN";
	char list[256], name[REC_NAME_MAX];
	uint32_t i;

	if (size)
		why[0] = '\0';
	if (division == DIV_WHATIF)
		return true;
	p = division == DIV_CLOSED ? &ed->closed : &ed->open;
	if (edition_list_has(&ed->ckpt.model, model))
		p = &ed->ckpt;
	for (i = 0; i < p->model.n; i++)
		if (!strcmp(p->model.v[i], model) &&
			!strcmp(p->accelerator.v[i], accelerator))
			return true;
	snprintf(name, sizeof(name), "%s", accelerator);
	upper(name);
	if (!edition_list_has(&p->model, model)) {
		admitted_text(p, NULL, true, list, sizeof(list));
		snprintf(why, size,
			"%s is not admitted to %s in %s (admitted: %s); "
			"continuing as what-if",
			model, div, ed->name, list);
	} else if (!edition_list_has(&p->accelerator, accelerator)) {
		admitted_text(p, NULL, false, list, sizeof(list));
		snprintf(why, size,
			"%s is not admitted to %s in %s (admitted: %s); "
			"continuing as what-if",
			name, div, ed->name, list);
	} else {
		admitted_text(p, model, false, list, sizeof(list));
		snprintf(why, size,
			"%s on %s is not admitted to %s in %s (admitted: %s); "
			"continuing as what-if",
			model, name, div, ed->name, list);
	}
	return false;
}

bool edition_param_allowed(
	const struct edition *ed, enum rec_division division, const char *key)
{
	if (division == DIV_WHATIF || edition_list_has(&ed->closed_params, key))
		return true;
	return division == DIV_OPEN && edition_list_has(&ed->open_params, key);
}
