/* The option tables, their parsing, and nearest names. */
#include "cli/commands.h"
#include "cli/params.h"
#include "core/nearest.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

struct values {
	const char *text;
	const char *list[OPTION_LIST_MAX];
	uint64_t count;
	bool flag;
};

static const struct option_row rows[] = {
	OPT_HEADING("Group"),
	OPT_TEXT("text", struct values, text, "T", "a text", .letter = 't',
		.standard = "none", .bare = "s", .not_closed = true),
	OPT_COUNT("count", struct values, count, "N", 2, 9, "a count"),
	OPT_LIST("list", struct values, list, "L", "a list"),
	OPT_FLAG("flag", struct values, flag, "a flag"),
	OPT_END,
};

static int parse(struct values *v, bool *help, struct err *e, const char *a,
	const char *b, const char *c)
{
	const char *argv[] = {a, b, c, NULL};
	struct option_words none = {.most = 0};
	int argc = !a ? 0 : !b ? 1 : !c ? 2 : 3;

	memset(v, 0, sizeof(*v));
	memset(e, 0, sizeof(*e));
	return options_parse(rows, v, argc, argv, &none, help, e);
}

static void test_parse(void)
{
	struct values v;
	struct err e;
	bool help;

	CU_ASSERT_EQUAL(parse(&v, &help, &e, "-t", "x", "--flag"), 0);
	CU_ASSERT_STRING_EQUAL(v.text, "x");
	CU_ASSERT_TRUE(v.flag);
	CU_ASSERT_FALSE(help);
	CU_ASSERT_EQUAL(
		parse(&v, &help, &e, "--list=a", "--list=b", "--count=9"), 0);
	CU_ASSERT_STRING_EQUAL(v.list[0], "a");
	CU_ASSERT_STRING_EQUAL(v.list[1], "b");
	CU_ASSERT_PTR_NULL(v.list[2]);
	CU_ASSERT_EQUAL(v.count, 9);
	CU_ASSERT_EQUAL(parse(&v, &help, &e, "--help", NULL, NULL), 0);
	CU_ASSERT_TRUE(help);
	CU_ASSERT_EQUAL(parse(&v, &help, &e, NULL, NULL, NULL), 0);
}

static void test_parse_refuses(void)
{
	struct values v;
	struct err e;
	bool help;

	CU_ASSERT_NOT_EQUAL(parse(&v, &help, &e, "--count", "1", NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "--count"));
	CU_ASSERT_NOT_EQUAL(parse(&v, &help, &e, "--count", "10", NULL), 0);
	CU_ASSERT_NOT_EQUAL(parse(&v, &help, &e, "--count", NULL, NULL), 0);
	CU_ASSERT_NOT_EQUAL(parse(&v, &help, &e, "--fleg", NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "did you mean --flag?"));
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_NOT_EQUAL(parse(&v, &help, &e, "word", NULL, NULL), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "\"word\""));
}

/* Words before, between and behind options; "--" ends the options. */
static void test_words(void)
{
	static const char *const orders[][6] = {
		{"a", "b", "--flag", "-t", "x", NULL},
		{"--flag", "-t", "x", "a", "b", NULL},
		{"--flag", "a", "-t", "x", "b", NULL},
		{"-tx", "a", "--flag", "--", "b", NULL},
	};
	const char *dashes[] = {"a", "--", "--flag", NULL};
	struct option_words w = {.most = 2};
	struct values v;
	struct err e;
	size_t i;
	int argc;
	bool help;

	for (i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const char *argv[6];

		memcpy(argv, orders[i], sizeof(argv));
		memset(&v, 0, sizeof(v));
		for (argc = 0; argc < 5 && argv[argc];)
			argc++;
		CU_ASSERT_EQUAL_FATAL(
			options_parse(
				rows, &v, argc, argv, &w, &help, &e),
			0);
		CU_ASSERT_EQUAL_FATAL(w.count, 2);
		CU_ASSERT_STRING_EQUAL(w.word[0], "a");
		CU_ASSERT_STRING_EQUAL(w.word[1], "b");
		CU_ASSERT_STRING_EQUAL(v.text, "x");
		CU_ASSERT_TRUE(v.flag);
	}
	memset(&v, 0, sizeof(v));
	CU_ASSERT_EQUAL_FATAL(
		options_parse(rows, &v, 3, dashes, &w, &help, &e), 0);
	CU_ASSERT_EQUAL_FATAL(w.count, 2);
	CU_ASSERT_STRING_EQUAL(w.word[1], "--flag");
	CU_ASSERT_FALSE(v.flag);
	w.most = 1;
	CU_ASSERT_NOT_EQUAL(
		options_parse(rows, &v, 3, dashes, &w, &help, &e), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "\"--flag\""));
}

static void test_list_is_bounded(void)
{
	const char *argv[OPTION_LIST_MAX + 1];
	struct option_words none = {.most = 0};
	struct values v = {.count = 0};
	struct err e;
	bool help;
	int i;

	for (i = 0; i <= OPTION_LIST_MAX; i++)
		argv[i] = "--list=x";
	CU_ASSERT_EQUAL(
		options_parse(rows, &v, OPTION_LIST_MAX - 1, argv, &none, &help,
			&e), 0);
	memset(&v, 0, sizeof(v));
	CU_ASSERT_EQUAL(
		options_parse(rows, &v, OPTION_LIST_MAX, argv, &none, &help,
			&e), -E2BIG);
}

static void test_help_text(void)
{
	char buf[OPTIONS_HELP_MAX];

	CU_ASSERT_STRING_EQUAL(options_help_text(&rows[1], buf, sizeof(buf)),
		"a text; a bare number is in s (not CLOSED) [none]");
	CU_ASSERT_STRING_EQUAL(
		options_help_text(&rows[4], buf, sizeof(buf)), "a flag");
}

/* No option without help, argument or a free name in any command. */
static void test_every_row_is_complete(void)
{
	const struct option_row *a, *b;
	size_t i;

	for (i = 0; i < command_count; i++) {
		CU_ASSERT_PTR_NOT_NULL(commands[i].run);
		CU_ASSERT_PTR_NOT_NULL(commands[i].synopsis);
		if (!commands[i].help)
			continue; /* for the build alone */
		CU_ASSERT_PTR_NOT_NULL_FATAL(commands[i].rows);
		for (a = commands[i].rows; a->name; a++) {
			if (a->kind == OPTION_HEADING)
				continue;
			CU_ASSERT_TRUE(a->help && strlen(a->help) > 3);
			CU_ASSERT_EQUAL(a->kind == OPTION_FLAG, a->arg == NULL);
			for (b = commands[i].rows; b != a; b++) {
				CU_ASSERT_STRING_NOT_EQUAL(a->name, b->name);
				CU_ASSERT_TRUE(
					!a->letter || a->letter != b->letter);
			}
		}
	}
}

static void test_every_param_is_complete(void)
{
	const struct param_row *p;
	char range[PARAM_RANGE_MAX];

	for (p = param_next(params_training); p; p = param_next(p + 1)) {
		CU_ASSERT_TRUE(p->help && strlen(p->help) > 3);
		CU_ASSERT_TRUE(strlen(param_range(p, range)) > 3);
		CU_ASSERT_TRUE(p->offset < sizeof(struct train_config));
	}
}

static void test_command_find(void)
{
	char run[] = "run", training[] = "training", typo[] = "rum";
	char *good[] = {training, run}, *bad[] = {training, typo};
	char name[COMMAND_NAME_MAX];
	const struct command *c;
	int words;

	c = command_find(2, good, &words);
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	CU_ASSERT_EQUAL(words, 2);
	CU_ASSERT_STRING_EQUAL(command_name(c, name), "training run");
	CU_ASSERT_PTR_NULL(command_find(1, good, &words));
	CU_ASSERT_PTR_NULL(command_find(2, bad, &words));
	CU_ASSERT_PTR_NULL(command_find(0, good, &words));
}

static void test_nearest(void)
{
	static const char *const names[] = {"batch_size", "epochs", "au", NULL};
	char longer[200];

	CU_ASSERT_STRING_EQUAL(nearest_name("batchsize", names), "batch_size");
	CU_ASSERT_STRING_EQUAL(nearest_name("epoch", names), "epochs");
	CU_ASSERT_STRING_EQUAL(nearest_name("epochs", names), "epochs");
	CU_ASSERT_PTR_NULL(nearest_name("xy", names));
	CU_ASSERT_PTR_NULL(nearest_name("something else", names));
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	CU_ASSERT_PTR_NULL(nearest_name(longer, names));
}

UT_SUITE(options, UT_CASE(test_parse), UT_CASE(test_parse_refuses),
	UT_CASE(test_words),
	UT_CASE(test_list_is_bounded), UT_CASE(test_help_text),
	UT_CASE(test_every_row_is_complete),
	UT_CASE(test_every_param_is_complete), UT_CASE(test_command_find),
	UT_CASE(test_nearest))
