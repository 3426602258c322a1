#include "core/config.h"

#include "core/file.h"
#include "core/json.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char dir[64];

static void put(const char *name, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CU_ASSERT_EQUAL(file_write_atomic(path, text, strlen(text), NULL), 0);
}

static void begin(void)
{
	char sub[160];

	unsetenv("STOKER_CONFIG_DIR");
	snprintf(dir, sizeof(dir), "/tmp/stoker-ut-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/accelerators", dir);
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(sub, NULL), 0);
}

static void end(void)
{
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

static int collect(void *arg, const char *base)
{
	strcat(arg, base);
	strcat(arg, " ");
	return 0;
}

static void test_embedded(void)
{
	struct cJSON *o;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(
		config_load(NULL, "accelerators/b200.json", &o, &e), 0);
	CU_ASSERT_TRUE(json_has(o, "workloads"));
	cJSON_Delete(o);
}

static void test_unknown_lists_names(void)
{
	struct cJSON *o;
	struct err e = {0};

	CU_ASSERT_EQUAL(
		config_load(NULL, "accelerators/tpu.json", &o, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text,
		"no configuration 'accelerators/tpu.json'; known: "
		"a100, b200, h100, mi355");
	CU_ASSERT_PTR_NULL(o);
}

static void test_user_folder_wins(void)
{
	char names[256] = "";
	struct cJSON *o;
	struct err e = {0};

	begin();
	put("accelerators/b200.json", "{\"mine\": true}");
	put("accelerators/x1.json", "{}");
	put("accelerators/notes.txt", "no");
	CU_ASSERT_EQUAL_FATAL(
		config_load(dir, "accelerators/b200.json", &o, &e), 0);
	CU_ASSERT_TRUE(json_has(o, "mine"));
	cJSON_Delete(o);
	CU_ASSERT_EQUAL_FATAL(
		config_load(dir, "accelerators/h100.json", &o, &e), 0);
	cJSON_Delete(o);
	CU_ASSERT_EQUAL(
		config_each(dir, "accelerators", collect, names, &e), 0);
	CU_ASSERT_STRING_EQUAL(names, "a100 b200 h100 mi355 x1 ");
	setenv("STOKER_CONFIG_DIR", dir, 1);
	CU_ASSERT_EQUAL_FATAL(
		config_load(NULL, "accelerators/x1.json", &o, &e), 0);
	cJSON_Delete(o);
	end();
	/* The folder is gone: said, not passed over. */
	CU_ASSERT_EQUAL(
		config_load(NULL, "accelerators/b200.json", &o, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, dir));
	unsetenv("STOKER_CONFIG_DIR");
}

static void test_bad_json_names_file_and_line(void)
{
	struct cJSON *o;
	struct err e = {0};

	begin();
	put("accelerators/x1.json", "{\n\"a\": 1,\n\"b\" 2}");
	CU_ASSERT_EQUAL(
		config_load(dir, "accelerators/x1.json", &o, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "x1.json: not valid JSON"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "line 3"));
	end();
}

static void test_names_stay_in_folder(void)
{
	static const char *const bad[] = {"accelerators/../x.json",
		"../accelerators/b200.json", "/etc/passwd", "b200.json",
		"accelerators/a/b.json", "accelerators/", "", "/"};
	struct cJSON *o;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_EQUAL(config_load(NULL, bad[i], &o, &e), -ENOENT);
}

UT_SUITE(config, UT_CASE(test_embedded), UT_CASE(test_unknown_lists_names),
	UT_CASE(test_user_folder_wins),
	UT_CASE(test_bad_json_names_file_and_line),
	UT_CASE(test_names_stay_in_folder))
