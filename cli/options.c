/* Option tables over popt; see options.h. */
#include "cli/options.h"

#include "core/nearest.h"
#include "core/units.h"

#include <errno.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 96
#define HELP_COLUMN 32
#define LINE_COLUMNS 80

static int unknown_option(
	const struct option_row *rows, const char *given, struct err *e)
{
	const char *names[ROWS_MAX + 1], *near;
	char name[128];
	size_t n = 0;

	for (; rows->name; rows++)
		if (rows->kind != OPTION_HEADING && n < ROWS_MAX)
			names[n++] = rows->name;
	names[n] = NULL;
	snprintf(name, sizeof(name), "%s", given + strspn(given, "-"));
	name[strcspn(name, "=")] = 0;
	near = nearest_name(name, names);
	return err_set(e, ERR_USAGE, -EINVAL,
		"unknown option %s%s%s%s; --help lists them", given,
		near ? " (did you mean --" : "", near ? near : "",
		near ? "?)" : "");
}

/* Texts live as long as the program: this keeps hold of them. */
struct kept {
	struct kept *next;
	char text[];
};

static const char *keep(const char *text, struct err *e)
{
	static struct kept *all;
	size_t n = strlen(text) + 1;
	struct kept *k = malloc(sizeof(*k) + n);

	if (!k) {
		err_nomem(e, "options");
		return NULL;
	}
	memcpy(k->text, text, n);
	k->next = all;
	all = k;
	return k->text;
}

static int store_value(const struct option_row *row, void *into,
	const char *text, struct err *e)
{
	void *at = (char *)into + row->offset;
	const char **list = at;
	char what[80];
	size_t i;

	switch (row->kind) {
	case OPTION_HEADING:
		break;
	case OPTION_FLAG:
		*(bool *)at = true;
		break;
	case OPTION_TEXT:
		*list = keep(text, e);
		return *list ? 0 : -ENOMEM;
	case OPTION_COUNT:
		snprintf(what, sizeof(what), "--%s", row->name);
		return units_parse_u64(text, what, row->min,
			row->max ? row->max : UINT64_MAX, at, e);
	case OPTION_LIST:
		for (i = 0; list[i]; i++)
			;
		if (i + 1 >= OPTION_LIST_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"--%s is given too often", row->name);
		list[i] = keep(text, e);
		return list[i] ? 0 : -ENOMEM;
	}
	return 0;
}

static void fill_popt(const struct option_row *rows, struct poptOption *p)
{
	int i;

	for (i = 0; rows[i].name && i < ROWS_MAX; i++) {
		if (rows[i].kind == OPTION_HEADING)
			continue;
		p->longName = rows[i].name;
		p->shortName = rows[i].letter;
		p->argInfo = rows[i].kind == OPTION_FLAG ? POPT_ARG_NONE
							 : POPT_ARG_STRING;
		p->val = i + 1;
		p++;
	}
	p->longName = "help";
	p->shortName = 'h';
	p->val = ROWS_MAX + 1;
}

/* What popt found to be no option. */
static int take_words(poptContext ctx, struct option_words *w, struct err *e)
{
	const char *word;

	w->count = 0;
	while ((word = poptGetArg(ctx))) {
		if (w->count == w->most || w->count == OPTION_WORDS_MAX)
			return w->most < 2
				       ? err_set(e, ERR_USAGE, -EINVAL,
						 "unexpected argument \"%s\"; "
						 "options begin with --",
						 word)
				       : err_set(e, ERR_USAGE, -E2BIG,
						 "\"%s\": more than %zu "
						 "arguments that are no "
						 "options",
						 word, w->count);
		word = keep(word, e);
		if (!word)
			return -ENOMEM;
		w->word[w->count++] = word;
	}
	return 0;
}

int options_parse(const struct option_row *rows, void *into, int argc,
	const char **argv, struct option_words *w, bool *help, struct err *e)
{
	struct poptOption table[ROWS_MAX + 2];
	const char **args;
	poptContext ctx;
	char *text;
	int v, r = 0;

	*help = false;
	memset(table, 0, sizeof(table));
	fill_popt(rows, table);
	/* popt passes over argv[0] */
	args = calloc((size_t)argc + 2, sizeof(*args));
	if (!args)
		return err_nomem(e, "options");
	args[0] = "stoker";
	if (argc)
		memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	ctx = poptGetContext("stoker", argc + 1, args, table, 0);
	while (!r && (v = poptGetNextOpt(ctx)) > 0) {
		if (v == ROWS_MAX + 1) {
			*help = true;
			continue;
		}
		text = poptGetOptArg(ctx);
		r = store_value(&rows[v - 1], into, text, e);
		free(text);
	}
	if (!r && v == POPT_ERROR_BADOPT)
		r = unknown_option(
			rows, poptBadOption(ctx, POPT_BADOPTION_NOALIAS), e);
	else if (!r && v < -1)
		r = err_set(e, ERR_USAGE, -EINVAL, "%s: %s",
			poptBadOption(ctx, POPT_BADOPTION_NOALIAS),
			poptStrerror(v));
	else if (!r)
		r = take_words(ctx, w, e);
	poptFreeContext(ctx);
	free(args);
	return r;
}

const char *options_help_text(
	const struct option_row *row, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s%s%s%s", row->help ? row->help : "",
		row->bare ? "; a bare number is in " : "",
		row->bare ? row->bare : "",
		row->not_closed ? " (not CLOSED)" : "",
		row->standard ? " [" : "", row->standard ? row->standard : "",
		row->standard ? "]" : "");
	return buf;
}

/* Text in the columns from HELP_COLUMN on, broken at blanks. */
static void print_wrapped(const char *text)
{
	size_t width = LINE_COLUMNS - HELP_COLUMN, n;

	while (strlen(text) > width) {
		for (n = width; n && text[n] != ' '; n--)
			;
		if (!n)
			break; /* a word as long as that */
		printf("%.*s\n%*s", (int)n, text, HELP_COLUMN, "");
		text += n + 1;
	}
	printf("%s\n", text);
}

void options_print_help(const struct option_row *rows)
{
	char left[80], text[OPTIONS_HELP_MAX];
	int used;

	for (; rows->name; rows++) {
		if (rows->kind == OPTION_HEADING) {
			printf("\n%s:\n", rows->name);
			continue;
		}
		snprintf(left, sizeof(left), "--%s%s%s", rows->name,
			rows->arg ? " " : "", rows->arg ? rows->arg : "");
		if (rows->letter)
			used = printf("  -%c, %s", rows->letter, left);
		else
			used = printf("      %s", left);
		if (used + 1 > HELP_COLUMN)
			printf("\n%*s", HELP_COLUMN, "");
		else
			printf("%*s", HELP_COLUMN - used, "");
		print_wrapped(options_help_text(rows, text, sizeof(text)));
	}
	printf("\n");
}
