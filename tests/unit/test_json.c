#include "core/json.h"

#include "core/file.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cJSON *parse(const char *text)
{
	struct cJSON *o;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), "t", &o, &e), 0);
	return o;
}

/* Right-hand sides are what Python's repr() prints. */
static void test_repr(void)
{
	static const struct {
		double v;
		const char *text;
	} t[] = {
		{42.0, "42.0"},
		{0.0, "0.0"},
		{-0.0, "-0.0"},
		{97.1, "97.1"},
		{0.1456571316482668, "0.1456571316482668"},
		{1e-7, "1e-07"},
		{0.0001, "0.0001"},
		{0.00001, "1e-05"},
		{1.5e-5, "1.5e-05"},
		{1e15, "1000000000000000.0"},
		{1e16, "1e+16"},
		{1.25e300, "1.25e+300"},
		{9007199254740993.0, "9007199254740992.0"},
		{31.249046325683594, "31.249046325683594"},
		{89.99999999999999, "89.99999999999999"},
		{0.1 + 0.2, "0.30000000000000004"},
		{-2.5, "-2.5"},
		{5e-324, "5e-324"},
		{DBL_MAX, "1.7976931348623157e+308"},
		{123456.0, "123456.0"},
		{17.394878339097854, "17.394878339097854"},
	};
	char buf[JSON_REPR_MAX];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		CU_ASSERT_STRING_EQUAL(json_repr(buf, t[i].v), t[i].text);
}

static void test_repr_round_trips(void)
{
	uint64_t x = 88172645463325252ULL;
	char buf[JSON_REPR_MAX];
	double d;
	int i;

	for (i = 0; i < 20000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&d, &x, sizeof(d));
		if (!isfinite(d))
			continue;
		if (strtod(json_repr(buf, d), NULL) != d)
			CU_FAIL("repr does not read back");
	}
}

static void test_print_like_python(void)
{
	struct cJSON *o = cJSON_CreateObject(), *a;
	char *text;

	json_add_u64(o, "n", 2);
	json_add_double(o, "whole", 42.0);
	json_add_double(o, "au", 97.1);
	json_add_u64(o, "max", UINT64_MAX);
	json_add_i64(o, "neg", -5);
	json_add_double(o, "nan", NAN);
	json_add_bool(o, "yes", true);
	json_add_array(o, "empty");
	json_add_object(o, "none");
	a = json_add_array(o, "list");
	json_add_double(a, NULL, 1);
	json_add_string(a, NULL, "q\"\\\n\x01\xc3\xa9\xf0\x9f\x98\x80\xff/");
	text = json_print(o, 4);
	CU_ASSERT_STRING_EQUAL(text,
		"{\n    \"n\": 2,\n    \"whole\": 42.0,\n    \"au\": 97.1,\n"
		"    \"max\": 18446744073709551615,\n    \"neg\": -5,\n"
		"    \"nan\": null,\n    \"yes\": true,\n    \"empty\": [],\n"
		"    \"none\": {},\n    \"list\": [\n        1.0,\n"
		"        \"q\\\"\\\\\\n\\u0001\\u00e9\\ud83d\\ude00\\ufffd/\"\n"
		"    ]\n}");
	free(text);
	cJSON_DeleteItemFromObject(o, "list");
	text = json_print(o, -1);
	CU_ASSERT_STRING_EQUAL(text,
		"{\"n\": 2, \"whole\": 42.0, \"au\": 97.1, "
		"\"max\": 18446744073709551615, \"neg\": -5, \"nan\": null, "
		"\"yes\": true, \"empty\": [], \"none\": {}}");
	free(text);
	cJSON_Delete(o);
}

static void test_u64_exact(void)
{
	struct cJSON *o = parse("{\"a\": 9007199254740992, \"b\": 1e16,"
				"\"c\": 2.5, \"d\": \"x\", \"e\": -1}");
	struct err e = {0};
	uint64_t v = 0;

	CU_ASSERT_EQUAL(json_get_u64(o, "f", "a", 0, UINT64_MAX, &v, &e), 0);
	CU_ASSERT_EQUAL(v, 9007199254740992ULL);
	CU_ASSERT_EQUAL(
		json_get_u64(o, "f", "b", 0, UINT64_MAX, &v, &e), -ERANGE);
	CU_ASSERT_EQUAL(json_get_u64(o, "f", "c", 0, 9, &v, &e), -EINVAL);
	CU_ASSERT_STRING_EQUAL(
		e.text, "f: key 'c' must be a whole number, is 2.5");
	CU_ASSERT_EQUAL(json_get_u64(o, "f", "d", 0, 9, &v, &e), -EINVAL);
	CU_ASSERT_STRING_EQUAL(
		e.text, "f: key 'd' must be a whole number, is \"x\"");
	CU_ASSERT_EQUAL(json_get_u64(o, "f", "e", 0, 9, &v, &e), -ERANGE);
	CU_ASSERT_STRING_EQUAL(
		e.text, "f: key 'e' must be a whole number from 0 to 9, is -1");
	CU_ASSERT_EQUAL(json_get_u64(o, "f", "z", 0, 9, &v, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text, "f: key 'z' is missing");
	CU_ASSERT_EQUAL(json_opt_u64(o, "f", "z", 0, 9, &v, &e), 0);
	CU_ASSERT_EQUAL(v, 9007199254740992ULL);
	cJSON_Delete(o);
}

static void test_typed_getters(void)
{
	struct cJSON *o = parse("{\"d\": 0.162, \"s\": \"npz\", \"b\": true,"
				"\"l\": [1], \"o\": {}}");
	const struct cJSON *c;
	struct err e = {0};
	char buf[4] = "";
	double d = 0;
	bool b = false;

	CU_ASSERT_EQUAL(json_get_double(o, "f", "d", 0, 1, &d, &e), 0);
	CU_ASSERT_EQUAL(d, 0.162);
	CU_ASSERT_EQUAL(json_get_double(o, "f", "d", 1, 2, &d, &e), -ERANGE);
	CU_ASSERT_EQUAL(json_get_string(o, "f", "s", buf, 4, &e), 0);
	CU_ASSERT_STRING_EQUAL(buf, "npz");
	CU_ASSERT_EQUAL(json_get_string(o, "f", "s", buf, 3, &e), -ERANGE);
	CU_ASSERT_EQUAL(json_get_string(o, "f", "d", buf, 4, &e), -EINVAL);
	CU_ASSERT_EQUAL(json_get_bool(o, "f", "b", &b, &e), 0);
	CU_ASSERT_TRUE(b);
	CU_ASSERT_EQUAL(json_get_bool(o, "f", "s", &b, &e), -EINVAL);
	CU_ASSERT_EQUAL(json_get_array(o, "f", "l", &c, &e), 0);
	CU_ASSERT_EQUAL(json_get_array(o, "f", "o", &c, &e), -EINVAL);
	CU_ASSERT_EQUAL(json_get_object(o, "f", "o", &c, &e), 0);
	CU_ASSERT_EQUAL(json_get_object(o, "f", "l", &c, &e), -EINVAL);
	CU_ASSERT_EQUAL(json_get_double(o, "f", "D", 0, 1, &d, &e), -ENOENT);
	cJSON_Delete(o);
}

static void test_only_keys(void)
{
	static const char *const known[] = {"a", "b", NULL};
	struct cJSON *o = parse("{\"a\": 1, \"bb\": 2}");
	struct err e = {0};

	CU_ASSERT_EQUAL(json_only_keys(o, "f", known, &e), -EINVAL);
	CU_ASSERT_STRING_EQUAL(e.text, "f: unknown key 'bb'; known: a, b");
	cJSON_Delete(o);
	o = parse("{\"a\": 1, \"a\": 2}");
	CU_ASSERT_EQUAL(json_only_keys(o, "f", known, &e), -EINVAL);
	cJSON_Delete(o);
	o = parse("{\"b\": 1}");
	CU_ASSERT_EQUAL(json_only_keys(o, "f", known, &e), 0);
	cJSON_Delete(o);
}

static void test_parse_errors(void)
{
	static const char *const bad[] = {
		"", "{", "[1,]", "{}x", "\"", "{\"a\":}", "nul", "\xff"};
	struct cJSON *o;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL(json_parse(bad[i], strlen(bad[i]), "t", &o, &e),
			-EINVAL);
		CU_ASSERT_PTR_NULL(o);
	}
	CU_ASSERT_EQUAL(json_parse("{} \n", 4, "t", &o, &e), 0);
	cJSON_Delete(o);
}

static void test_file_round_trip(void)
{
	char dir[] = "/tmp/stoker-ut-XXXXXX", path[64];
	struct cJSON *o = parse("{\"a\": [1, 2.5]}"), *back;
	struct err e = {0};
	size_t len;
	char *text;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.json", dir);
	CU_ASSERT_EQUAL_FATAL(json_write_file(path, o, 4, &e), 0);
	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 100, &text, &len, &e), 0);
	CU_ASSERT_STRING_EQUAL(
		text, "{\n    \"a\": [\n        1,\n        2.5\n    ]\n}");
	free(text);
	CU_ASSERT_EQUAL_FATAL(json_read_file(path, &back, &e), 0);
	CU_ASSERT_TRUE(cJSON_Compare(o, back, true));
	cJSON_Delete(back);
	cJSON_Delete(o);
	CU_ASSERT_EQUAL(json_read_file("/no/such", &back, &e), -ENOENT);
	file_remove_tree(dir, NULL);
}

UT_SUITE(json, UT_CASE(test_repr), UT_CASE(test_repr_round_trips),
	UT_CASE(test_print_like_python), UT_CASE(test_u64_exact),
	UT_CASE(test_typed_getters), UT_CASE(test_only_keys),
	UT_CASE(test_parse_errors), UT_CASE(test_file_round_trip))
