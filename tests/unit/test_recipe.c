#include "plan/recipe.h"
#include "cli/recipe.h"

#include "core/config.h"
#include "core/sha256.h"
#include "tests/unit/ut.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLES                                                              \
	"\"variables\": {\"results_dir\": {\"help\": \"r\", \"kind\": "        \
	"\"new_folder\"}, \"n\": {\"help\": \"h\", \"kind\": \"count\", "      \
	"\"min\": 2, \"max\": 8, \"default\": \"4\"}, \"extra\": {\"help\": "  \
	"\"x\", \"optional\": true}}"
#define HEAD "{\"recipe\": 1, \"name\": \"t\", \"description\": \"d\", "
#define USES_ALL                                                               \
	"{\"name\": \"last\", \"when\": \"extra\", \"command\": "              \
	"[\"version\", \"${n}${extra}\"]}"
#define RECIPE(steps) HEAD VARIABLES ", \"steps\": [" steps ", " USES_ALL "]}"

static struct recipe r;
static struct err e;

static int parse(const char *text)
{
	memset(&e, 0, sizeof(e));
	return recipe_parse(text, strlen(text), "t.json", &r, &e);
}

static void refused(const char *text, const char *why)
{
	CU_ASSERT_NOT_EQUAL(parse(text), 0);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	if (!strstr(e.text, why))
		printf("\n  said \"%s\", not \"%s\"", e.text, why);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, why));
	recipe_fini(&r);
}

static void test_parse(void)
{
	CU_ASSERT_EQUAL_FATAL(
		parse(RECIPE("{\"name\": \"a\", \"command\": [\"training\", "
			     "\"run\", \"-n\", \"${n}\"], \"resume\": "
			     "[\"--resume\"], \"accept\": {\"exit\": [0, 1], "
			     "\"figures\": [{\"path\": \"x.y\", \"equals\": "
			     "\"PASS\"}]}}")),
		0);
	CU_ASSERT_EQUAL(r.step_count, 2);
	CU_ASSERT_EQUAL(r.variable_count, 3);
	CU_ASSERT_EQUAL(r.steps[0].word_count, 4);
	CU_ASSERT_EQUAL(r.steps[0].resume_count, 1);
	CU_ASSERT_EQUAL(r.steps[0].exit_count, 2);
	CU_ASSERT_EQUAL(r.steps[0].figure_count, 1);
	/* not given: exit code 0 */
	CU_ASSERT_EQUAL(r.steps[1].exit_count, 1);
	CU_ASSERT_EQUAL(r.steps[1].exits[0], 0);
	CU_ASSERT_STRING_EQUAL(r.variables[1].value, "4");
	CU_ASSERT_PTR_NULL(r.variables[2].value);
	recipe_fini(&r);
}

#define CHOICE                                                                 \
	"{\"name\": \"a\", \"command\": [\"training\", \"run\", {\"when\": "     \
	"\"extra\", \"words\": [\"--drive\", \"${extra}\"], \"else\": "        \
	"[\"--data-dir\", \"${%s}\"]}, \"-n\", \"${n}\"]}"
#define CHOICES(of, name)                                                      \
	HEAD "\"variables\": {\"results_dir\": {\"help\": \"r\", \"kind\": "   \
	     "\"new_folder\"}, \"n\": {\"help\": \"h\", \"default\": "         \
	     "\"4\"}, \"extra\": {\"help\": \"x\", \"optional\": true}, "      \
	     "\"dir\": {\"help\": \"d\", \"optional\": true}}, " of            \
	     "\"steps\": [" name "]}"

static void words_are(const char *const *wanted)
{
	struct recipe_command c;
	size_t i;

	CU_ASSERT_EQUAL_FATAL(
		recipe_command(&r, &r.steps[0], false, &c, &e), 0);
	for (i = 0; wanted[i] && i < c.count; i++)
		CU_ASSERT_STRING_EQUAL(c.words[i], wanted[i]);
	CU_ASSERT_PTR_NULL(wanted[i]);
	CU_ASSERT_EQUAL(c.count, i);
	recipe_command_fini(&c);
}

/* Words that depend on a variable, of which just one of two is set. */
static void test_choice(void)
{
	static const char *const set[] = {"training", "run", "--drive", "x",
		"-n", "4", NULL};
	static const char *const other[] = {"training", "run", "--data-dir",
		"d", "-n", "4", NULL};
	char step[512], text[2048];

	snprintf(step, sizeof(step), CHOICE, "dir");
	snprintf(text, sizeof(text), CHOICES("%s", "%s"),
		"\"one_of\": [\"extra\", \"dir\"], ", step);
	CU_ASSERT_EQUAL_FATAL(parse(text), 0);
	CU_ASSERT_EQUAL(recipe_set(&r, "results_dir=r", &e), 0);
	CU_ASSERT_NOT_EQUAL(recipe_complete(&r, &e), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "just one of --set extra=..."));
	CU_ASSERT_EQUAL(recipe_set(&r, "dir=d", &e), 0);
	CU_ASSERT_EQUAL(recipe_complete(&r, &e), 0);
	words_are(other);
	CU_ASSERT_EQUAL(recipe_set(&r, "extra=x", &e), 0);
	CU_ASSERT_NOT_EQUAL(recipe_complete(&r, &e), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "2 are set"));
	words_are(set);
	recipe_fini(&r);
	/* without one_of nothing says that dir is set where extra is not */
	snprintf(text, sizeof(text), CHOICES("%s", "%s"), "", step);
	refused(text, "which may be unset");
	snprintf(text, sizeof(text), CHOICES("%s", "%s"),
		"\"one_of\": [\"n\"], ", step);
	refused(text, "\"one_of\" is a list of names");
	refused(RECIPE("{\"name\": \"a\", \"command\": [{\"when\": "
		       "\"extra\", \"words\": [\"version\"]}]}"),
		"cannot be a choice");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"version\", "
		       "\"x\", {\"when\": \"extr\", \"words\": []}]}"),
		"did you mean extra?");
}

#define STEP(more) "{\"name\": \"a\", \"command\": [\"version\"]" more "}"

static void test_refused(void)
{
	refused("[]", "a recipe is a JSON object");
	refused("{\"recipe\": 2}", "recipe");
	refused(HEAD "\"variables\": {}, \"steps\": []}", "results_dir");
	refused(HEAD VARIABLES ", \"steps\": []}", "no steps");
	refused(RECIPE(STEP(", \"comand\": 1")), "comand");
	refused(RECIPE(STEP("") ", " STEP("")), "step \"a\" is there twice");
	refused(RECIPE("{\"name\": \"A b\", \"command\": [\"version\"]}"),
		"the name \"A b\"");
	refused(RECIPE("{\"name\": \"a\", \"command\": []}"),
		"needs a \"command\"");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"size\", 4]}"),
		"put numbers in quotes");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"${extr}\"]}"),
		"no variable \"extr\" (did you mean extra?)");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"$n\"]}"),
		"a dollar is ${NAME}");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"${n\"]}"),
		"a dollar is ${NAME}");
	refused(RECIPE("{\"name\": \"a\", \"command\": [\"${extra}\"]}"),
		"uses \"extra\", which may be unset");
	refused(RECIPE(STEP(", \"when\": \"extr\"")), "did you mean extra?");
	refused(RECIPE(STEP(", \"accept\": {\"exit\": []}")),
		"no exit code is accepted");
	refused(RECIPE(STEP(", \"accept\": {\"exit\": [256]}")), "from 0 to");
	refused(RECIPE(STEP(", \"accept\": {\"exit\": [0.5]}")), "whole");
	/* a variable that no step uses */
	refused(HEAD VARIABLES ", \"steps\": [" STEP("") "]}",
		"no step uses the variable \"n\"");
	refused(HEAD "\"variables\": {\"results_dir\": {\"help\": \"r\", "
		     "\"kind\": \"foldr\"}}, \"steps\": [" STEP("") "]}",
		"did you mean folder?");
	refused(HEAD "\"variables\": {\"results_dir\": {\"help\": \"r\", "
		     "\"kind\": \"count\", \"max\": 5, \"default\": \"6\"}}, "
		     "\"steps\": [" STEP("") "]}",
		"default");
}

#define FIGURE(text) RECIPE(STEP(", \"accept\": {\"figures\": [{" text "}]}"))

static void test_refused_figures(void)
{
	refused(FIGURE("\"path\": \"\", \"equals\": 1"), "needs a \"path\"");
	refused(FIGURE("\"path\": \"a..b\", \"equals\": 1"), "a..b");
	refused(FIGURE("\"path\": \"a[x]\", \"equals\": 1"), "a[x]");
	refused(FIGURE("\"path\": \"a[1\", \"equals\": 1"), "a[1");
	refused(FIGURE("\"path\": \"a.\", \"equals\": 1"), "a.");
	refused(FIGURE("\"path\": \"a\""), "and has 0");
	refused(FIGURE("\"path\": \"a\", \"at_least\": 1, \"at_most\": 2"),
		"and has 2");
	refused(FIGURE("\"path\": \"a\", \"at_least\": \"90\""),
		"compared with a number");
	refused(FIGURE("\"path\": \"a\", \"at_least\": \"${results_dir}\""),
		"compared with a number");
	refused(FIGURE("\"path\": \"a\", \"equals\": \"${m}\""),
		"no variable \"m\"");
	refused(FIGURE("\"path\": \"a\", \"equals\": []"), "equals a text");
}

static void test_set(void)
{
	CU_ASSERT_EQUAL_FATAL(parse(RECIPE(STEP(""))), 0);
	CU_ASSERT_EQUAL(recipe_complete(&r, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "--set results_dir=... (r)"));
	CU_ASSERT_EQUAL(recipe_set(&r, "result_dir=x", &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "did you mean results_dir?"));
	CU_ASSERT_EQUAL(recipe_set(&r, "results_dir", &e), -EINVAL);
	CU_ASSERT_EQUAL(recipe_set(&r, "=x", &e), -EINVAL);
	CU_ASSERT_EQUAL(recipe_set(&r, "results_dir=", &e), -EINVAL);
	CU_ASSERT_EQUAL(recipe_set(&r, "results_dir=a=b", &e), 0);
	CU_ASSERT_STRING_EQUAL(r.variables[0].value, "a=b");
	CU_ASSERT_EQUAL(recipe_complete(&r, &e), 0);
	/* min 2, max 8 */
	CU_ASSERT_NOT_EQUAL(recipe_set(&r, "n=1", &e), 0);
	CU_ASSERT_NOT_EQUAL(recipe_set(&r, "n=9", &e), 0);
	CU_ASSERT_NOT_EQUAL(recipe_set(&r, "n=2x", &e), 0);
	CU_ASSERT_EQUAL(recipe_set(&r, "n=2", &e), 0);
	CU_ASSERT_EQUAL(recipe_set(&r, "n=8", &e), 0);
	recipe_fini(&r);
}

static void test_substitution(void)
{
	struct recipe_command c;

	CU_ASSERT_EQUAL_FATAL(
		parse(RECIPE("{\"name\": \"a\", \"command\": [\"x\", "
			     "\"k=${n},${n}$$${results_dir}.\", \"$${n}\"], "
			     "\"resume\": [\"r${n}\"], \"accept\": "
			     "{\"figures\": [{\"path\": \"a\", \"at_most\": "
			     "\"${n}\"}]}}")),
		0);
	CU_ASSERT_EQUAL(recipe_set(&r, "results_dir=a b", &e), 0);
	CU_ASSERT_EQUAL(recipe_command(&r, &r.steps[0], false, &c, &e), 0);
	CU_ASSERT_EQUAL_FATAL(c.count, 4);
	CU_ASSERT_STRING_EQUAL(c.words[1], "k=4,4$a b.");
	CU_ASSERT_STRING_EQUAL(c.words[2], "${n}");
	/* its figures are read from there */
	CU_ASSERT_STRING_EQUAL(c.words[3], "--json");
	recipe_command_fini(&c);
	CU_ASSERT_EQUAL(recipe_command(&r, &r.steps[0], true, &c, &e), 0);
	CU_ASSERT_EQUAL_FATAL(c.count, 5);
	CU_ASSERT_STRING_EQUAL(c.words[3], "r4");
	recipe_command_fini(&c);
	CU_ASSERT_TRUE(recipe_wanted(&r, &r.steps[0]));
	CU_ASSERT_FALSE(recipe_wanted(&r, &r.steps[1]));
	CU_ASSERT_EQUAL(recipe_set(&r, "extra=!", &e), 0);
	CU_ASSERT_TRUE(recipe_wanted(&r, &r.steps[1]));
	CU_ASSERT_EQUAL(recipe_command(&r, &r.steps[1], false, &c, &e), 0);
	CU_ASSERT_STRING_EQUAL(c.words[1], "4!");
	recipe_command_fini(&c);
	recipe_fini(&r);
}

static bool accepts(int exit_code, const char *doc, char *why)
{
	struct cJSON *d = doc ? cJSON_Parse(doc) : NULL;
	bool accepted =
		recipe_accepts(&r, &r.steps[0], exit_code, d, why, 1024);

	cJSON_Delete(d);
	return accepted;
}

static void test_acceptance(void)
{
	char why[1024];

	CU_ASSERT_EQUAL_FATAL(
		parse(FIGURE("\"path\": \"runs[1].au\", \"at_least\": 90}, "
			     "{\"path\": \"v\", \"equals\": \"PASS\"}, "
			     "{\"path\": \"n\", \"at_most\": \"${n}\"")),
		0);
	CU_ASSERT_TRUE(accepts(0,
		"{\"runs\": [{}, {\"au\": 90}], \"v\": \"PASS\", \"n\": 4}",
		why));
	CU_ASSERT_FALSE(accepts(1,
		"{\"runs\": [{}, {\"au\": 90}], \"v\": \"PASS\", \"n\": 4}",
		why));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(why, "exit code 1, which is not accepted"));
	CU_ASSERT_FALSE(accepts(0,
		"{\"runs\": [{}, {\"au\": 89.5}], \"v\": \"PASS\", \"n\": 4}",
		why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "NOT runs[1].au >= 90, found 89.5"));
	CU_ASSERT_FALSE(accepts(0,
		"{\"runs\": [{}, {\"au\": 91}], \"v\": \"FAIL\", \"n\": 5}",
		why));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(why, "NOT v == \"PASS\", found \"FAIL\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "NOT n <= 4, found 5"));
	/* another type, or not there, is no figure */
	CU_ASSERT_FALSE(accepts(0,
		"{\"runs\": [{\"au\": 99}], \"v\": \"PASS\", \"n\": \"4\"}",
		why));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(why, "NOT runs[1].au >= 90, found nothing"));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "NOT n <= 4, found \"4\""));
	CU_ASSERT_FALSE(accepts(0, NULL, why));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "it printed no JSON document"));
	recipe_fini(&r);
}

static void unknown_command(const char *step, const char *why)
{
	CU_ASSERT_EQUAL_FATAL(parse(step), 0);
	CU_ASSERT_EQUAL(recipe_check_commands(&r, &e), -EINVAL);
	if (!strstr(e.text, why))
		printf("\n  said \"%s\", not \"%s\"", e.text, why);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, why));
	recipe_fini(&r);
}

#define COMMAND(words) RECIPE("{\"name\": \"a\", \"command\": [" words "]}")

static void test_commands(void)
{
	unknown_command(COMMAND("\"brew\", \"DIR\""),
		"step \"a\": this stoker has no command \"brew DIR\"");
	unknown_command(COMMAND("\"training\", \"rum\""), "\"training rum\"");
	unknown_command(COMMAND("\"internal\", \"man\""), "no command");
	unknown_command(COMMAND("\"recipe\", \"list\""), "cannot be a step");
	unknown_command(COMMAND("\"training\", \"run\", \"--run\", \"5\""),
		"training run has no option --run (did you mean --runs?)");
	unknown_command(COMMAND("\"training\", \"run\", \"-Z\""), "-Z");
	unknown_command(COMMAND("\"training\", \"run\", \"--runs\""),
		"--runs needs a value");
	unknown_command(RECIPE("{\"name\": \"a\", \"command\": [\"training\", "
			       "\"run\"], \"resume\": [\"--resum\"]}"),
		"did you mean --resume?");
}

/* What is shipped parses and asks for what there is. */
static int check_shipped(void *arg, const char *base)
{
	char name[128], origin[CONFIG_ORIGIN_MAX], *text;
	size_t len;

	snprintf(name, sizeof(name), "recipes/%s.json", base);
	CU_ASSERT_EQUAL_FATAL(
		config_text(NULL, name, &text, &len, origin, &e), 0);
	CU_ASSERT_STRING_EQUAL(origin, name);
	CU_ASSERT_EQUAL(recipe_parse(text, len, name, &r, &e), 0);
	CU_ASSERT_STRING_EQUAL(r.name, base);
	CU_ASSERT_EQUAL(recipe_check_commands(&r, &e), 0);
	recipe_fini(&r);
	free(text);
	++*(int *)arg;
	return 0;
}

static void test_shipped(void)
{
	int count = 0;

	unsetenv("STOKER_CONFIG_DIR");
	CU_ASSERT_EQUAL(
		config_each(NULL, "recipes", check_shipped, &count, &e), 0);
	CU_ASSERT_TRUE(count >= 2);
}

/* FIPS 180-4: the example "abc", and the empty message. */
static void test_sha256(void)
{
	char hex[SHA256_HEX_MAX];

	sha256_hex("abc", 3, hex);
	CU_ASSERT_STRING_EQUAL(hex, "ba7816bf8f01cfea414140de5dae2223"
				    "b00361a396177a9cb410ff61f20015ad");
	CU_ASSERT_EQUAL(sha256_file("/dev/null", hex, &e), 0);
	CU_ASSERT_STRING_EQUAL(hex, "e3b0c44298fc1c149afbf4c8996fb924"
				    "27ae41e4649b934ca495991b7852b855");
	CU_ASSERT_EQUAL(sha256_file("/nowhere", hex, &e), -ENOENT);
}

UT_SUITE(recipe, UT_CASE(test_parse), UT_CASE(test_choice),
	UT_CASE(test_refused), UT_CASE(test_refused_figures), UT_CASE(test_set),
	UT_CASE(test_substitution), UT_CASE(test_acceptance),
	UT_CASE(test_commands), UT_CASE(test_shipped), UT_CASE(test_sha256))
