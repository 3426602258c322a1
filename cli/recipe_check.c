/* Whether this program has what a recipe asks for; see recipe.h. */
#include "cli/commands.h"
#include "cli/recipe.h"

#include "core/nearest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 128

static const struct option_row *long_option(
	const struct command *c, const char *word, struct err *e)
{
	const char *names[OPTIONS_MAX + 1], *near;
	const struct option_row *row;
	char name[64], of[COMMAND_NAME_MAX];
	size_t n = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		word + 2);
	for (row = c->rows; row->name; row++) {
		if (row->kind == OPTION_HEADING)
			continue;
		if (!strcmp(row->name, name))
			return row;
		if (n < OPTIONS_MAX)
			names[n++] = row->name;
	}
	names[n] = NULL;
	near = nearest_name(name, names);
	err_set(e, ERR_USAGE, -EINVAL, "%s has no option --%s%s%s%s",
		command_name(c, of), name, near ? " (did you mean --" : "",
		near ? near : "", near ? "?)" : "");
	return NULL;
}

static const struct option_row *short_option(
	const struct command *c, const char *word, struct err *e)
{
	const struct option_row *row;
	char of[COMMAND_NAME_MAX];

	for (row = c->rows; row->name; row++)
		if (row->kind != OPTION_HEADING && row->letter == word[1])
			return row;
	err_set(e, ERR_USAGE, -EINVAL, "%s has no option %s",
		command_name(c, of), word);
	return NULL;
}

/* Words that are not options are the command's own to judge. */
static int check_options(const struct command *c, const char *const *words,
	size_t count, struct err *e)
{
	const struct option_row *row;
	bool is_long, has_value;
	size_t i;

	for (i = 0; i < count && strcmp(words[i], "--"); i++) {
		if (words[i][0] != '-' || !words[i][1])
			continue;
		is_long = words[i][1] == '-';
		row = is_long ? long_option(c, words[i], e)
			      : short_option(c, words[i], e);
		if (!row)
			return e->code;
		has_value = is_long ? strchr(words[i], '=') != NULL
				    : words[i][2] != 0;
		if (row->kind == OPTION_FLAG || has_value)
			continue;
		if (++i == count)
			return err_set(e, ERR_USAGE, -EINVAL,
				"--%s needs a value", row->name);
	}
	return 0;
}

static int check_step(const struct recipe_step *s, struct err *e)
{
	char *argv[2] = {(char *)(uintptr_t)s->words[0],
		(char *)(uintptr_t)(s->word_count > 1 ? s->words[1] : "")};
	const struct command *c;
	const char *json[] = {"--json"};
	int words;

	c = command_find(s->word_count > 1 ? 2 : 1, argv, &words);
	if (!c || !c->help)
		return err_set(e, ERR_USAGE, -EINVAL,
			"this stoker has no command \"%s%s%s\"; `stoker "
			"--help` lists what it has",
			argv[0], argv[1][0] && argv[1][0] != '-' ? " " : "",
			argv[1][0] != '-' ? argv[1] : "");
	if (!strcmp(c->noun, "recipe"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"a recipe cannot be a step of a recipe");
	if (check_options(
		    c, s->words + words, s->word_count - (size_t)words, e) ||
		check_options(c, s->resume, s->resume_count, e))
		return e->code;
	if (s->figure_count && check_options(c, json, 1, e))
		return err_wrap(e, "figures are read from --json");
	return 0;
}

int recipe_check_commands(const struct recipe *r, struct err *e)
{
	size_t i;

	for (i = 0; i < r->step_count; i++)
		if (check_step(&r->steps[i], e))
			return err_wrap(e, "recipe %s: step \"%s\"", r->name,
				r->steps[i].name);
	return 0;
}
