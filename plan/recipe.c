/* Parsing and checking of recipes; see recipe.h. */
#include "plan/recipe.h"

#include "core/json.h"
#include "core/nearest.h"
#include "core/units.h"
#include "plan/recipe_words.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHERE_MAX 160
#define EXIT_CODE_MAX 255

static const char *const kind_names[] = {
	"text", "count", "folder", "new_folder", "file", NULL};

const char *recipe_kind_name(enum recipe_kind kind)
{
	return kind_names[kind];
}

static int bad_name(const char *where, const char *name, struct err *e)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
	size_t n = strlen(name);

	if (n && n < RECIPE_NAME_MAX && strspn(name, ok) == n && *name != '-')
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s: the name \"%s\" must be 1 to %d of a-z, 0-9, _ and -",
		where, name, RECIPE_NAME_MAX - 1);
}

/* A list of texts in obj; a missing one is empty. */
static int get_words(const struct cJSON *obj, const char *where,
	const char *key, const char **words, size_t room, size_t *count,
	struct err *e)
{
	const struct cJSON *list, *item;

	*count = 0;
	if (!json_has(obj, key))
		return 0;
	if (json_get_array(obj, where, key, &list, e))
		return e->code;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsString(item))
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: \"%s\" must be a list of texts; put "
				"numbers in quotes",
				where, key);
		if (*count == room)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: \"%s\" has more than %zu words", where,
				key, room);
		words[(*count)++] = item->valuestring;
	}
	return 0;
}

/* {"when": NAME, "words": [...], "else": [...]} */
static int get_choice(const struct recipe *r, struct recipe_step *s,
	const struct cJSON *obj, const char *where, struct err *e)
{
	static const char *const known[] = {"when", "words", "else", NULL};
	const struct cJSON *when =
		cJSON_GetObjectItemCaseSensitive(obj, "when");
	size_t i, n, first = s->word_count;
	int k;

	if (json_only_keys(obj, where, known, e))
		return e->code;
	if (!cJSON_IsString(when))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: a choice of words needs \"when\": the name of a "
			"variable", where);
	if (!recipe_variable(r, when->valuestring)) {
		recipe_unknown_variable(r, when->valuestring, e);
		return err_wrap(e, "%s: \"when\"", where);
	}
	for (k = 1; k < 3; k++) {
		if (get_words(obj, where, known[k], s->words + s->word_count,
			    RECIPE_WORDS_MAX - s->word_count, &n, e))
			return e->code;
		for (i = s->word_count; i < s->word_count + n; i++) {
			s->word_when[i] = when->valuestring;
			s->word_else[i] = k == 2;
		}
		s->word_count += n;
	}
	if (first < 2)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: the command itself cannot be a choice; make two "
			"steps with \"when\"", where);
	return 0;
}

/* Words, and choices of words. */
static int get_command(const struct recipe *r, struct recipe_step *s,
	const struct cJSON *obj, const char *where, struct err *e)
{
	const struct cJSON *list, *item;
	int ret = 0;

	if (!json_has(obj, "command"))
		return 0;
	if (json_get_array(obj, where, "command", &list, e))
		return e->code;
	cJSON_ArrayForEach(item, list)
	{
		if (cJSON_IsObject(item))
			ret = get_choice(r, s, item, where, e);
		else if (!cJSON_IsString(item))
			ret = err_set(e, ERR_USAGE, -EINVAL,
				"%s: \"command\" must be a list of texts and "
				"choices of them; put numbers in quotes",
				where);
		else if (s->word_count == RECIPE_WORDS_MAX)
			ret = err_set(e, ERR_USAGE, -E2BIG,
				"%s: \"command\" has more than %d words",
				where, RECIPE_WORDS_MAX);
		else
			s->words[s->word_count++] = item->valuestring;
		if (ret)
			return ret;
	}
	return 0;
}

static int check_value(
	const struct recipe_variable *v, const char *value, struct err *e)
{
	char what[RECIPE_NAME_MAX + 16];
	uint64_t n;

	snprintf(what, sizeof(what), "--set %s", v->name);
	if (v->kind == RECIPE_COUNT)
		return units_parse_u64(value, what, v->min, v->max, &n, e);
	if (!*value)
		return err_set(e, ERR_USAGE, -EINVAL, "%s: is empty", what);
	return 0;
}

int recipe_replace(struct recipe_variable *v, const char *value, struct err *e)
{
	char *copy = strdup(value);

	if (!copy)
		return err_nomem(e, "variables of a recipe");
	free(v->value);
	v->value = copy;
	return 0;
}

static int parse_kind(struct recipe_variable *v, const struct cJSON *obj,
	const char *where, struct err *e)
{
	char text[32] = "text";
	const char *near;
	size_t i;

	if (json_opt_string(obj, where, "kind", text, sizeof(text), e))
		return e->code;
	for (i = 0; kind_names[i]; i++) {
		if (strcmp(kind_names[i], text))
			continue;
		v->kind = (enum recipe_kind)i;
		return 0;
	}
	near = nearest_name(text, kind_names);
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s: kind \"%s\" is none of text, count, folder, new_folder, "
		"file%s%s%s",
		where, text, near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "");
}

static int parse_variable(struct recipe_variable *v, const struct cJSON *obj,
	const char *file, struct err *e)
{
	static const char *const known[] = {
		"help", "kind", "optional", "min", "max", "default", NULL};
	char where[WHERE_MAX], text[RECIPE_TEXT_MAX];
	int r;

	snprintf(
		where, sizeof(where), "%s: variable \"%s\"", file, obj->string);
	if (bad_name(where, obj->string, e))
		return e->code;
	snprintf(v->name, sizeof(v->name), "%s", obj->string);
	v->max = JSON_U64_MAX;
	r = json_only_keys(obj, where, known, e);
	if (!r)
		r = json_get_string(
			obj, where, "help", v->help, sizeof(v->help), e);
	if (!r)
		r = parse_kind(v, obj, where, e);
	if (!r)
		r = json_opt_bool(obj, where, "optional", &v->optional, e);
	if (!r)
		r = json_opt_u64(
			obj, where, "min", 0, JSON_U64_MAX, &v->min, e);
	if (!r)
		r = json_opt_u64(
			obj, where, "max", v->min, JSON_U64_MAX, &v->max, e);
	if (r || !json_has(obj, "default"))
		return r;
	r = json_get_string(obj, where, "default", text, sizeof(text), e);
	if (!r && v->optional)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: has a default and is optional; it is one or the "
			"other",
			where);
	if (!r && check_value(v, text, e))
		return err_wrap(e, "%s: default", where);
	return r ? r : recipe_replace(v, text, e);
}

static int parse_variables(struct recipe *r, const char *file, struct err *e)
{
	const struct cJSON *all, *one;

	if (json_get_object(r->doc, file, "variables", &all, e))
		return e->code;
	cJSON_ArrayForEach(one, all)
	{
		if (r->variable_count == RECIPE_VARIABLES_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d variables", file,
				RECIPE_VARIABLES_MAX);
		if (!cJSON_IsObject(one))
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: variable \"%s\" must be an object", file,
				one->string);
		if (recipe_variable(r, one->string))
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: variable \"%s\" is there twice", file,
				one->string);
		if (parse_variable(
			    &r->variables[r->variable_count++], one, file, e))
			return e->code;
	}
	if (!recipe_variable(r, "results_dir"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: needs a variable \"results_dir\" (kind "
			"new_folder), where the log of the recipe goes",
			file);
	return 0;
}

static int parse_figure(const struct recipe *r, struct recipe_figure *f,
	const struct cJSON *obj, const char *where, struct err *e)
{
	static const char *const known[] = {
		"path", "equals", "at_least", "at_most", NULL};
	const struct cJSON *path =
		cJSON_GetObjectItemCaseSensitive(obj, "path");
	const struct recipe_variable *v;
	int i, found = 0;

	if (json_only_keys(obj, where, known, e))
		return e->code;
	if (!cJSON_IsString(path) || !recipe_path_fits(path->valuestring))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: a figure needs a \"path\" such as "
			"\"campaign.reference\" or \"runs[0].status\"%s%s",
			where, cJSON_IsString(path) ? ", not " : "",
			cJSON_IsString(path) ? path->valuestring : "");
	f->path = path->valuestring;
	for (i = RECIPE_EQUALS; i <= RECIPE_AT_MOST; i++) {
		if (!json_has(obj, known[i + 1]))
			continue;
		f->compare = (enum recipe_compare)i;
		f->wanted = cJSON_GetObjectItemCaseSensitive(obj, known[i + 1]);
		found++;
	}
	if (found != 1)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: figure \"%s\" needs one of equals, at_least and "
			"at_most, and has %d",
			where, f->path, found);
	v = recipe_figure_variable(r, f->wanted);
	if (f->compare != RECIPE_EQUALS && !cJSON_IsNumber(f->wanted) &&
		!(v && v->kind == RECIPE_COUNT))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: figure \"%s\" is compared with a number, without "
			"quotes, or with \"${NAME}\" of a variable of kind "
			"count",
			where, f->path);
	if (cJSON_IsObject(f->wanted) || cJSON_IsArray(f->wanted))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: figure \"%s\" equals a text, number, true, false "
			"or null only",
			where, f->path);
	return 0;
}

static int parse_exits(struct recipe_step *s, const struct cJSON *accept,
	const char *where, struct err *e)
{
	const struct cJSON *list, *one;

	if (json_get_array(accept, where, "exit", &list, e))
		return e->code;
	s->exit_count = 0;
	cJSON_ArrayForEach(one, list)
	{
		if (!cJSON_IsNumber(one) || one->valuedouble < 0 ||
			one->valuedouble > EXIT_CODE_MAX ||
			one->valuedouble != one->valueint)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: exit codes are whole numbers from 0 to "
				"%d",
				where, EXIT_CODE_MAX);
		if (s->exit_count == RECIPE_EXITS_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d exit codes", where,
				RECIPE_EXITS_MAX);
		s->exits[s->exit_count++] = one->valueint;
	}
	if (!s->exit_count)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: no exit code is accepted; leave \"exit\" out for "
			"[0]",
			where);
	return 0;
}

static int parse_accept(const struct recipe *r, struct recipe_step *s,
	const struct cJSON *obj, const char *where, struct err *e)
{
	static const char *const known[] = {"exit", "figures", NULL};
	const struct cJSON *accept, *list, *one;

	s->exits[0] = 0;
	s->exit_count = 1;
	if (!json_has(obj, "accept"))
		return 0;
	if (json_get_object(obj, where, "accept", &accept, e) ||
		json_only_keys(accept, where, known, e))
		return e->code;
	if (json_has(accept, "exit") && parse_exits(s, accept, where, e))
		return e->code;
	if (!json_has(accept, "figures"))
		return 0;
	if (json_get_array(accept, where, "figures", &list, e))
		return e->code;
	cJSON_ArrayForEach(one, list)
	{
		if (s->figure_count == RECIPE_FIGURES_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d figures", where,
				RECIPE_FIGURES_MAX);
		if (parse_figure(
			    r, &s->figures[s->figure_count++], one, where, e))
			return e->code;
	}
	return 0;
}

static int parse_when(const struct recipe *r, struct recipe_step *s,
	const struct cJSON *obj, const char *where, struct err *e)
{
	const struct cJSON *when =
		cJSON_GetObjectItemCaseSensitive(obj, "when");

	if (!when)
		return 0;
	if (!cJSON_IsString(when))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: \"when\" must be the name of a variable", where);
	s->when = when->valuestring;
	if (recipe_variable(r, s->when))
		return 0;
	recipe_unknown_variable(r, s->when, e);
	return err_wrap(e, "%s: \"when\"", where);
}

static int parse_step(struct recipe *r, const struct cJSON *obj,
	const char *file, struct err *e)
{
	static const char *const known[] = {
		"name", "command", "resume", "when", "accept", NULL};
	struct recipe_step *s = &r->steps[r->step_count];
	char where[WHERE_MAX];
	size_t i;

	snprintf(where, sizeof(where), "%s: step %zu", file, r->step_count + 1);
	if (json_get_string(obj, where, "name", s->name, sizeof(s->name), e) ||
		bad_name(where, s->name, e))
		return e->code;
	snprintf(where, sizeof(where), "%s: step \"%s\"", file, s->name);
	for (i = 0; i < r->step_count; i++)
		if (!strcmp(r->steps[i].name, s->name))
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s is there twice", where);
	r->step_count++;
	if (json_only_keys(obj, where, known, e) ||
		get_command(r, s, obj, where, e) ||
		get_words(obj, where, "resume", s->resume, RECIPE_RESUME_MAX,
			&s->resume_count, e) ||
		parse_accept(r, s, obj, where, e) ||
		parse_when(r, s, obj, where, e))
		return e->code;
	if (!s->word_count)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: needs a \"command\", such as [\"training\", "
			"\"run\"]",
			where);
	if (recipe_check_words(r, s, e))
		return err_wrap(e, "%s", where);
	return 0;
}

static int parse_steps(struct recipe *r, const char *file, struct err *e)
{
	const struct cJSON *list, *one;

	if (json_get_array(r->doc, file, "steps", &list, e))
		return e->code;
	cJSON_ArrayForEach(one, list)
	{
		if (r->step_count == RECIPE_STEPS_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d steps", file,
				RECIPE_STEPS_MAX);
		if (parse_step(r, one, file, e))
			return e->code;
	}
	return r->step_count
		       ? 0
		       : err_set(e, ERR_USAGE, -EINVAL, "%s: no steps", file);
}

static int parse_one_of(struct recipe *r, const char *file, struct err *e)
{
	const struct recipe_variable *v;
	const struct cJSON *one;

	if (!json_has(r->doc, "one_of"))
		return 0;
	if (json_get_array(r->doc, file, "one_of", &r->one_of, e))
		return e->code;
	cJSON_ArrayForEach(one, r->one_of)
	{
		v = cJSON_IsString(one) ? recipe_variable(r, one->valuestring)
					: NULL;
		if (!v || !v->optional)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: \"one_of\" is a list of names of "
				"variables with \"optional\": true%s%s",
				file, cJSON_IsString(one) ? ", not " : "",
				cJSON_IsString(one) ? one->valuestring : "");
	}
	return 0;
}

/* A variable that nothing uses is a typo somewhere. */
static int check_used(const struct recipe *r, const char *file, struct err *e)
{
	const char *name;
	size_t i, k;

	for (i = 0; i < r->variable_count; i++) {
		name = r->variables[i].name;
		if (!strcmp(name, "results_dir"))
			continue;
		for (k = 0; k < r->step_count; k++)
			if (recipe_uses(&r->steps[k], name))
				break;
		if (k == r->step_count)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: no step uses the variable \"%s\"", file,
				name);
	}
	return 0;
}

int recipe_parse(const char *text, size_t len, const char *file,
	struct recipe *r, struct err *e)
{
	static const char *const known[] = {
		"recipe", "name", "description", "variables", "one_of",
		"steps", NULL};
	uint64_t version;

	memset(r, 0, sizeof(*r));
	if (json_parse(text, len, file, &r->doc, e))
		return e->code;
	if (!cJSON_IsObject(r->doc))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: a recipe is a JSON object", file);
	if (json_get_u64(r->doc, file, "recipe", 1, 1, &version, e) ||
		json_only_keys(r->doc, file, known, e) ||
		json_get_string(
			r->doc, file, "name", r->name, sizeof(r->name), e) ||
		bad_name(file, r->name, e) ||
		json_get_string(r->doc, file, "description", r->description,
			sizeof(r->description), e) ||
		parse_variables(r, file, e) || parse_one_of(r, file, e) ||
		parse_steps(r, file, e))
		return e->code;
	return check_used(r, file, e);
}

void recipe_fini(struct recipe *r)
{
	size_t i;

	for (i = 0; i < r->variable_count; i++)
		free(r->variables[i].value);
	cJSON_Delete(r->doc);
	memset(r, 0, sizeof(*r));
}

int recipe_set(struct recipe *r, const char *pair, struct err *e)
{
	const char *eq = strchr(pair, '=');
	char name[RECIPE_NAME_MAX];
	size_t i;

	if (!eq || eq == pair)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--set %s: must be NAME=VALUE", pair);
	snprintf(name, sizeof(name), "%.*s", (int)(eq - pair), pair);
	for (i = 0; i < r->variable_count; i++) {
		if (strcmp(r->variables[i].name, name))
			continue;
		if (check_value(&r->variables[i], eq + 1, e))
			return e->code;
		return recipe_replace(&r->variables[i], eq + 1, e);
	}
	recipe_unknown_variable(r, name, e);
	return err_wrap(e, "--set %s", pair);
}
