/* Variables in words, figures in documents; see recipe.h. */
#include "plan/recipe_words.h"

#include "core/json.h"
#include "core/nearest.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct recipe_variable *recipe_variable(
	const struct recipe *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->variable_count; i++)
		if (!strcmp(r->variables[i].name, name))
			return &r->variables[i];
	return NULL;
}

int recipe_unknown_variable(
	const struct recipe *r, const char *name, struct err *e)
{
	const char *names[RECIPE_VARIABLES_MAX + 1], *near;
	char all[512] = "";
	size_t i, n = 0;

	for (i = 0; i < r->variable_count; i++) {
		names[i] = r->variables[i].name;
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
			i ? ", " : "", names[i]);
		if (n >= sizeof(all))
			n = sizeof(all) - 1;
	}
	names[i] = NULL;
	near = nearest_name(name, names);
	return err_set(e, ERR_USAGE, -ENOENT,
		"no variable \"%s\"%s%s%s; there are: %s", name,
		near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "", all);
}

/*
 * The next piece of a word: a text (*name empty) or a variable. 1, 0 at the
 * end, or -EINVAL for a '$' that is neither "${name}" nor "$$".
 */
static int next_piece(const char **at, char name[RECIPE_NAME_MAX],
	const char **text, size_t *len)
{
	const char *p = *at, *end;

	name[0] = 0;
	if (!*p)
		return 0;
	*text = p;
	*len = strcspn(p, "$");
	if (*p == '$' && p[1] == '$') {
		*len = 1;
		*at = p + 2;
		return 1;
	}
	*at = p + *len;
	if (*p != '$')
		return 1;
	end = p[1] == '{' ? strchr(p, '}') : NULL;
	if (!end || end - p - 2 < 1 || end - p - 2 >= RECIPE_NAME_MAX)
		return -EINVAL;
	memcpy(name, p + 2, (size_t)(end - p - 2));
	name[end - p - 2] = 0;
	*at = end + 1;
	return 1;
}

static size_t word_total(const struct recipe_step *s)
{
	return s->word_count + s->resume_count + s->figure_count;
}

/* The words, those of "resume", and what figures are compared with. */
static const char *word_at(const struct recipe_step *s, size_t i)
{
	if (i < s->word_count)
		return s->words[i];
	i -= s->word_count;
	if (i < s->resume_count)
		return s->resume[i];
	i -= s->resume_count;
	return cJSON_IsString(s->figures[i].wanted)
		       ? s->figures[i].wanted->valuestring
		       : "";
}

const struct recipe_variable *recipe_figure_variable(
	const struct recipe *r, const struct cJSON *wanted)
{
	const char *at, *text;
	char name[RECIPE_NAME_MAX];
	size_t len;

	if (!cJSON_IsString(wanted))
		return NULL;
	at = wanted->valuestring;
	if (next_piece(&at, name, &text, &len) != 1 || !name[0] || *at)
		return NULL;
	return recipe_variable(r, name);
}

bool recipe_uses(const struct recipe_step *s, const char *name)
{
	char found[RECIPE_NAME_MAX];
	const char *at, *text;
	size_t i, len;

	if (s->when && !strcmp(s->when, name))
		return true;
	for (i = 0; i < s->word_count; i++)
		if (s->word_when[i] && !strcmp(s->word_when[i], name))
			return true;
	for (i = 0; i < word_total(s); i++) {
		at = word_at(s, i);
		while (next_piece(&at, found, &text, &len) > 0)
			if (found[0] && !strcmp(found, name))
				return true;
	}
	return false;
}

/* Is word i only there where the variable is set? Those of one_of: enough
 * that another one is not. */
static bool safe(const struct recipe *r, const struct recipe_step *s, size_t i,
	const char *name)
{
	const struct cJSON *one;
	bool named = false, other = false;

	if (s->when && !strcmp(s->when, name))
		return true;
	if (i >= s->word_count || !s->word_when[i])
		return false;
	if (!s->word_else[i])
		return !strcmp(s->word_when[i], name);
	cJSON_ArrayForEach(one, r->one_of)
	{
		named |= !strcmp(one->valuestring, name);
		other |= !strcmp(one->valuestring, s->word_when[i]);
	}
	return named && other && strcmp(s->word_when[i], name) &&
	       cJSON_GetArraySize(r->one_of) == 2;
}

static int check_word(const struct recipe *r, const struct recipe_step *s,
	size_t i, struct err *e)
{
	const struct recipe_variable *v;
	const char *word = word_at(s, i), *at = word, *text;
	char name[RECIPE_NAME_MAX];
	size_t len;
	int n;

	while ((n = next_piece(&at, name, &text, &len)) > 0) {
		v = name[0] ? recipe_variable(r, name) : NULL;
		if (name[0] && !v)
			return recipe_unknown_variable(r, name, e);
		if (v && v->optional && !safe(r, s, i, name))
			return err_set(e, ERR_USAGE, -EINVAL,
				"uses \"%s\", which may be unset; put \"when\""
				": \"%s\" beside its command, or give the "
				"variable a default",
				name, name);
	}
	if (n < 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"\"%s\": a dollar is ${NAME}, or $$ for itself", word);
	return 0;
}

int recipe_check_words(
	const struct recipe *r, const struct recipe_step *s, struct err *e)
{
	size_t i;

	for (i = 0; i < word_total(s); i++)
		if (check_word(r, s, i, e))
			return e->code;
	return 0;
}

static int check_one_of(const struct recipe *r, struct err *e)
{
	const struct recipe_variable *v;
	const struct cJSON *one;
	char names[700] = "";
	size_t n = 0, set = 0;

	cJSON_ArrayForEach(one, r->one_of)
	{
		v = recipe_variable(r, one->valuestring);
		set += v->value != NULL;
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n,
				"%s--set %s=... (%s)", n ? ", " : "", v->name,
				v->help);
	}
	if (!r->one_of || set == 1)
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"recipe %s needs just one of %s; %zu are set", r->name, names,
		set);
}

int recipe_complete(const struct recipe *r, struct err *e)
{
	const struct recipe_variable *v;
	char missing[700] = "";
	size_t i, n = 0;

	for (i = 0; i < r->variable_count; i++) {
		v = &r->variables[i];
		if (v->value || v->optional || n >= sizeof(missing))
			continue;
		n += (size_t)snprintf(missing + n, sizeof(missing) - n,
			"%s--set %s=... (%s)", n ? ", " : "", v->name, v->help);
	}
	return n ? err_set(e, ERR_USAGE, -EINVAL, "recipe %s needs %s", r->name,
			   missing)
		 : check_one_of(r, e);
}

int recipe_find_step(
	const struct recipe *r, const char *name, size_t *at, struct err *e)
{
	const char *names[RECIPE_STEPS_MAX + 1], *near;
	char all[512] = "";
	size_t n = 0;

	for (*at = 0; *at < r->step_count; ++*at) {
		if (!strcmp(r->steps[*at].name, name))
			return 0;
		names[*at] = r->steps[*at].name;
		if (n < sizeof(all))
			n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
				n ? ", " : "", names[*at]);
	}
	names[*at] = NULL;
	near = nearest_name(name, names);
	return err_set(e, ERR_USAGE, -ENOENT,
		"recipe %s has no step \"%s\"%s%s%s; there are: %s", r->name,
		name, near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "", all);
}

bool recipe_wanted(const struct recipe *r, const struct recipe_step *s)
{
	return !s->when || recipe_variable(r, s->when)->value;
}

static char *substitute(const struct recipe *r, const char *word)
{
	const struct recipe_variable *v;
	const char *at = word, *text;
	char name[RECIPE_NAME_MAX], *out = NULL;
	size_t len, size;
	FILE *f = open_memstream(&out, &size);

	if (!f)
		return NULL;
	while (next_piece(&at, name, &text, &len) > 0) {
		v = name[0] ? recipe_variable(r, name) : NULL;
		if (v && v->value)
			fputs(v->value, f);
		else if (name[0])
			fprintf(f, "${%s}", name);
		else
			fwrite(text, 1, len, f);
	}
	if (fclose(f)) {
		free(out);
		return NULL;
	}
	return out;
}

static bool word_wanted(
	const struct recipe *r, const struct recipe_step *s, size_t i)
{
	return i >= s->word_count || !s->word_when[i] ||
	       !recipe_variable(r, s->word_when[i])->value == s->word_else[i];
}

static int add_word(struct recipe_command *c, char *word, struct err *e)
{
	if (!word)
		return err_nomem(e, "the words of a command");
	c->words[c->count++] = word;
	return 0;
}

int recipe_command(const struct recipe *r, const struct recipe_step *s,
	bool resumed, struct recipe_command *c, struct err *e)
{
	size_t i, n = s->word_count + (resumed ? s->resume_count : 0);
	int ret = 0;

	memset(c, 0, sizeof(*c));
	for (i = 0; !ret && i < n; i++)
		if (word_wanted(r, s, i))
			ret = add_word(c, substitute(r, word_at(s, i)), e);
	if (!ret && s->figure_count)
		ret = add_word(c, strdup("--json"), e);
	return ret;
}

void recipe_command_fini(struct recipe_command *c)
{
	while (c->count)
		free(c->words[--c->count]);
}

/* One step of a path: a key or an index. 1, 0 at the end, -EINVAL. */
static int next_key(const char **at, char key[128], int *index)
{
	const char *p = *at;
	size_t n;
	char *end;

	if (!*p)
		return 0;
	if (*p == '[') {
		*index = (int)strtoul(p + 1, &end, 10);
		if (end == p + 1 || p[1] < '0' || p[1] > '9' || *end != ']')
			return -EINVAL;
		p = end + 1;
	} else {
		*index = -1;
		n = strcspn(p, ".[");
		if (!n || n > 127)
			return -EINVAL;
		memcpy(key, p, n);
		key[n] = 0;
		p += n;
	}
	if (*p == '.' && (!p[1] || p[1] == '.' || p[1] == '['))
		return -EINVAL;
	*at = p + (*p == '.');
	return 1;
}

bool recipe_path_fits(const char *path)
{
	char key[128];
	int index, n;

	if (!*path)
		return false;
	while ((n = next_key(&path, key, &index)) > 0)
		;
	return !n;
}

const struct cJSON *recipe_at(const struct cJSON *doc, const char *path)
{
	char key[128];
	int index;

	while (doc && next_key(&path, key, &index) > 0) {
		if (index >= 0)
			doc = cJSON_IsArray(doc)
				      ? cJSON_GetArrayItem(doc, index)
				      : NULL;
		else
			doc = cJSON_GetObjectItemCaseSensitive(doc, key);
	}
	return doc;
}

static const char *compare_name(enum recipe_compare c)
{
	return c == RECIPE_EQUALS ? "==" : c == RECIPE_AT_LEAST ? ">=" : "<=";
}

/* What a figure is compared with; the caller frees it. */
static struct cJSON *resolve(
	const struct recipe *r, const struct recipe_figure *f)
{
	const struct recipe_variable *v = recipe_figure_variable(r, f->wanted);
	struct cJSON *item;
	char *text;

	if (!cJSON_IsString(f->wanted) || (v && !v->value))
		return cJSON_Duplicate(f->wanted, true);
	if (v && v->kind == RECIPE_COUNT)
		return cJSON_CreateNumber(strtod(v->value, NULL));
	text = substitute(r, f->wanted->valuestring);
	item = text ? cJSON_CreateString(text) : NULL;
	free(text);
	return item;
}

const char *recipe_figure_text(const struct recipe *r,
	const struct recipe_figure *f, char *buf, size_t size)
{
	struct cJSON *item = resolve(r, f);
	char *wanted = item ? json_print(item, -1) : NULL;

	snprintf(buf, size, "%s %s %s", f->path, compare_name(f->compare),
		wanted ? wanted : "?");
	free(wanted);
	cJSON_Delete(item);
	return buf;
}

static bool figure_holds(const struct recipe *r, const struct recipe_figure *f,
	const struct cJSON *found)
{
	struct cJSON *wanted = found ? resolve(r, f) : NULL;
	bool holds = false;

	if (wanted && f->compare == RECIPE_EQUALS)
		holds = cJSON_Compare(found, wanted, true);
	else if (cJSON_IsNumber(found) && cJSON_IsNumber(wanted))
		holds = f->compare == RECIPE_AT_LEAST
				? found->valuedouble >= wanted->valuedouble
				: found->valuedouble <= wanted->valuedouble;
	cJSON_Delete(wanted);
	return holds;
}

bool recipe_accepts(const struct recipe *r, const struct recipe_step *s,
	int exit_code, const struct cJSON *doc, char *why, size_t size)
{
	const struct cJSON *found;
	bool accepted = false, holds;
	char wanted[256], *text;
	size_t i, n;

	for (i = 0; i < s->exit_count; i++)
		accepted = accepted || s->exits[i] == exit_code;
	n = (size_t)snprintf(why, size, "exit code %d%s", exit_code,
		accepted ? "" : ", which is not accepted");
	if (s->figure_count && !doc) {
		snprintf(why + n, size - n, "; it printed no JSON document");
		return false;
	}
	for (i = 0; i < s->figure_count; i++) {
		found = recipe_at(doc, s->figures[i].path);
		holds = figure_holds(r, &s->figures[i], found);
		accepted = accepted && holds;
		text = found ? json_print(found, -1) : NULL;
		if (n < size)
			n += (size_t)snprintf(why + n, size - n,
				"; %s%s, found %.200s", holds ? "" : "NOT ",
				recipe_figure_text(r, &s->figures[i], wanted,
					sizeof(wanted)),
				text ? text : "nothing");
		free(text);
	}
	return accepted;
}
