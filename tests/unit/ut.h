#ifndef TESTS_UNIT_UT_H
#define TESTS_UNIT_UT_H
/*
 * Unit tests register themselves: a file defines cases and one UT_SUITE, and
 * the runner finds it. No list to keep.
 *
 *	static void test_zero(void) { CU_ASSERT_EQUAL(f(0), 0); }
 *	UT_SUITE(units, UT_CASE(test_zero))
 */
#include <CUnit/CUnit.h>
#include <stddef.h>

struct ut_case {
	const char *name;
	void (*fn)(void);
};

struct ut_suite {
	const char *name;
	const struct ut_case *cases;
	size_t count;
	struct ut_suite *next;
};

void ut_register(struct ut_suite *s);

/* CUnit cannot skip: this prints "SKIP name: reason" and counts it. */
void ut_skip(const char *name, const char *reason);

#define UT_CASE(fn) {#fn, fn}
#define UT_SUITE(sname, ...)                                                   \
	static const struct ut_case ut_cases_##sname[] = {__VA_ARGS__};        \
	static struct ut_suite ut_suite_##sname = {                            \
		#sname, ut_cases_##sname,                                      \
		sizeof(ut_cases_##sname) / sizeof(ut_cases_##sname[0]), NULL}; \
	__attribute__((constructor)) static void ut_init_##sname(void)         \
	{                                                                      \
		ut_register(&ut_suite_##sname);                                \
	}

#endif
