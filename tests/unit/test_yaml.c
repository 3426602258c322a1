/* YAML as Python's yaml.safe_load reads it, and what no reader should follow */
#include "results/yaml.h"

#include "core/file.h"
#include "core/json.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The tree as one line of JSON; "error" where there is none. */
static char *read_as_json(const char *text)
{
	struct cJSON *tree;
	struct err e;
	char *out;

	if (results_yaml_parse(text, strlen(text), "t.yaml", &tree, &e)) {
		CU_ASSERT_PTR_NULL(tree);
		CU_ASSERT_EQUAL(strncmp(e.text, "t.yaml: ", 8), 0);
		return strdup("error");
	}
	out = json_print(tree, -1);
	cJSON_Delete(tree);
	return out;
}

static void expect(const char *yaml, const char *json)
{
	char *is = read_as_json(yaml);

	CU_ASSERT_STRING_EQUAL(is, json);
	free(is);
}

/* Each was given to yaml.safe_load of PyYAML 6.0 and json.dumps. */
static void test_values(void)
{
	expect("a: 1\nb: [x, 'y', \"z\"]\nc: {d: 1.5}\n",
		"{\"a\": 1, \"b\": [\"x\", \"y\", \"z\"], \"c\": {\"d\": "
		"1.5}}");
	expect("[yes, No, ON, off, true, False, y, 'yes']",
		"[true, false, true, false, true, false, \"y\", \"yes\"]");
	expect("[~, null, , '']", "error");
	expect("[~, null, '']", "[null, null, \"\"]");
	expect("[012, 0x1F, 0b11, 1_000, +5, -5, 08]",
		"[10, 31, 3, 1000, 5, -5, \"08\"]");
	expect("[1e3, 1.0e3, 1.0e+3, .5, -1.5, 1.5.1, 0x]",
		"[\"1e3\", \"1.0e3\", 1000, 0.5, -1.5, \"1.5.1\", \"0x\"]");
	expect("a: 1\na: 2\n", "{\"a\": 2}");
	expect("x: &n {a: 1, b: 2}\ny: *n\nz: {<<: *n, b: 3}\n",
		"{\"x\": {\"a\": 1, \"b\": 2}, \"y\": {\"a\": 1, \"b\": 2}, "
		"\"z\": {\"a\": 1, \"b\": 3}}");
	expect("", "null");
	expect("a: 1\n---\nb: 2\n", "error");
	expect("a: [1, 2\n", "error");
	expect("a: *none\n", "error");
	expect("? [a, b]\n: c\n", "error");
}

/* A date is no text and no number: a schema that wants either refuses it. */
static void test_dates(void)
{
	struct cJSON *tree;
	struct err e;
	const char text[] = "[2026-11-30, '2026-11-30', 2026-11-30x]";

	CU_ASSERT_EQUAL_FATAL(
		results_yaml_parse(text, sizeof(text) - 1, "t", &tree, &e), 0);
	CU_ASSERT_TRUE(cJSON_IsRaw(cJSON_GetArrayItem(tree, 0)));
	CU_ASSERT_TRUE(cJSON_IsString(cJSON_GetArrayItem(tree, 1)));
	CU_ASSERT_TRUE(cJSON_IsString(cJSON_GetArrayItem(tree, 2)));
	cJSON_Delete(tree);
}

static void test_limits(void)
{
	char text[4096];
	size_t n = 0, i;

	/* ten aliases of ten aliases of ...: a billion leaves */
	n += (size_t)sprintf(text, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
	for (i = 1; i < 9; i++)
		n += (size_t)sprintf(text + n,
			"a%zu: &a%zu [*a%zu,*a%zu,*a%zu,*a%zu,*a%zu,*a%zu,"
			"*a%zu,*a%zu,*a%zu,*a%zu]\n",
			i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1,
			i - 1, i - 1, i - 1);
	expect(text, "error");
	expect("a: &a [*a]\n", "error"); /* itself */
	memset(text, '[', 1000);
	memset(text + 1000, ']', 1000);
	text[2000] = '\0';
	expect(text, "error");
	memset(text, '[', 60);
	memset(text + 60, ']', 60);
	text[120] = '\0';
	CU_ASSERT_EQUAL(strlen(text), 120);
	expect("a: \"\\0b\"\n", "{\"a\": \"(text with a zero byte)\"}");
}

static void test_only_regular_files(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX], *text;
	struct err e;
	size_t len;

	ut_dir_make(dir, "/tmp");
	ut_file_write(ut_join(path, dir, "f"), "12345", 5);
	CU_ASSERT_EQUAL(file_read_regular(path, 5, &text, &len, &e), 0);
	CU_ASSERT_EQUAL(len, 5);
	free(text);
	CU_ASSERT_EQUAL(file_read_regular(path, 4, &text, &len, &e), -EFBIG);
	CU_ASSERT_EQUAL(mkfifo(ut_join(path, dir, "pipe"), 0600), 0);
	CU_ASSERT_EQUAL(file_read_regular(path, 5, &text, &len, &e), -EINVAL);
	CU_ASSERT_EQUAL(file_read_regular(dir, 5, &text, &len, &e), -EINVAL);
	CU_ASSERT_EQUAL(
		file_read_regular("/dev/zero", 5, &text, &len, &e), -EINVAL);
	CU_ASSERT_EQUAL(file_read_regular(
				ut_join(path, dir, "none"), 5, &text, &len, &e),
		-ENOENT);
	ut_dir_remove(dir);
}

UT_SUITE(yaml, UT_CASE(test_values), UT_CASE(test_dates), UT_CASE(test_limits),
	UT_CASE(test_only_regular_files))
