/*
 * Runs every registered unit suite and, unless told otherwise, every script of
 * tests/e2e as a CUnit test of its own, so that CUnit's summary, which comes
 * last, speaks of all of them.
 *
 *	run_tests [--unit | --e2e] [NAME ...]	NAME: part of suite/test
 */
#include "tests/unit/ut.h"

#include <CUnit/Basic.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static struct ut_suite *suites;
static unsigned skips, retries;
static char **patterns;
static int pattern_count;

void ut_register(struct ut_suite *s)
{
	struct ut_suite **p = &suites;

	while (*p && strcmp((*p)->name, s->name) < 0)
		p = &(*p)->next;
	s->next = *p;
	*p = s;
}

void ut_skip(const char *name, const char *reason)
{
	skips++;
	printf("SKIP %s: %s\n", name, reason);
}

static bool wanted(const char *suite, const char *test)
{
	char full[512];
	int i;

	if (!pattern_count)
		return true;
	snprintf(full, sizeof(full), "%s/%s", suite, test);
	for (i = 0; i < pattern_count; i++)
		if (strstr(full, patterns[i]))
			return true;
	return false;
}

static const char *base(const char *path)
{
	const char *s = strrchr(path, '/');

	return s ? s + 1 : path;
}

static int run_once(const char *path)
{
	struct timespec a, b;
	char cmd[1024];
	int st;

	snprintf(cmd, sizeof(cmd), "tests/e2e/run '%s'", path);
	fflush(NULL);
	clock_gettime(CLOCK_MONOTONIC, &a);
	st = system(cmd);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("[%.1f s] ", (double)(b.tv_sec - a.tv_sec) +
				    (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 255;
}

/*
 * A script's own exit code decides: 0 pass, 77 skip, all else fail. These
 * scripts signal processes and read real disks on busy machines: one that
 * fails gets a second chance, which is told and counted.
 */
static void run_script(void)
{
	const char *path = CU_get_current_test()->pName;
	int code = run_once(path);

	if (code != 0 && code != 77) {
		printf("FAILED ONCE, again: ");
		retries++;
		code = run_once(path);
	}
	if (code == 77) {
		skips++;
		return;
	}
	CU_ASSERT_EQUAL(code, 0);
}

/* Said as each suite ends, since CUnit's summary must come last. */
static int say_skips(void)
{
	if (skips)
		printf("\n  skipped so far: %u", skips);
	if (retries)
		printf("\n  run a second time: %u", retries);
	return 0;
}

static int add_unit(void)
{
	struct ut_suite *s;
	CU_pSuite cs;
	size_t i;

	for (s = suites; s; s = s->next) {
		cs = NULL;
		for (i = 0; i < s->count; i++) {
			if (!wanted(s->name, s->cases[i].name))
				continue;
			if (!cs)
				cs = CU_add_suite(s->name, NULL,
					say_skips);
			if (!cs || !CU_add_test(cs, s->cases[i].name,
					   s->cases[i].fn))
				return -ENOMEM;
		}
	}
	return 0;
}

static int add_e2e(void)
{
	CU_pSuite cs = NULL;
	glob_t g;
	size_t i;

	if (glob("tests/e2e/*.sh", 0, NULL, &g))
		return 0;
	for (i = 0; i < g.gl_pathc; i++) {
		if (!wanted("e2e", base(g.gl_pathv[i])))
			continue;
		if (!cs)
			cs = CU_add_suite("e2e", NULL, say_skips);
		if (!cs || !CU_add_test(cs, g.gl_pathv[i], run_script))
			return -ENOMEM;
	}
	globfree(&g);
	return 0;
}

int main(int argc, char **argv)
{
	bool unit = true, e2e = true;
	unsigned failed, ran;
	int i = 1;

	if (i < argc && !strcmp(argv[i], "--unit"))
		e2e = false, i++;
	else if (i < argc && !strcmp(argv[i], "--e2e"))
		unit = false, i++;
	patterns = argv + i;
	pattern_count = argc - i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 1;
	if ((unit && add_unit()) || (e2e && add_e2e())) {
		fprintf(stderr, "run_tests: %s\n", CU_get_error_msg());
		return 1;
	}
	CU_basic_set_mode(CU_BRM_VERBOSE);
	atexit(CU_cleanup_registry);
	CU_basic_run_tests();
	ran = CU_get_number_of_tests_run();
	failed = CU_get_number_of_failures() + CU_get_number_of_suites_failed();
	if (!ran)
		fprintf(stderr, "run_tests: no test ran\n");
	return failed || !ran;
}
