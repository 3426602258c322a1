#include "core/units.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

static uint64_t bytes(const char *text)
{
	struct err e = {0};
	uint64_t v = 0;

	CU_ASSERT_EQUAL(units_parse_bytes(text, GIB_BYTES, "--x", &v, &e), 0);
	return v;
}

static int bytes_fail(const char *text)
{
	struct err e = {0};
	uint64_t v = 77;
	int ret = units_parse_bytes(text, 1, "--memory", &v, &e);

	CU_ASSERT_EQUAL(v, 77);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "--memory"));
	return ret;
}

static void test_C10_gib_and_gb(void)
{
	char buf[UNITS_TEXT_MAX];

	CU_ASSERT_EQUAL(bytes("256GiB"), 274877906944ULL);
	CU_ASSERT_EQUAL(bytes("256GB"), 256000000000ULL);
	CU_ASSERT_EQUAL(bytes("256"), 274877906944ULL); /* bare: as given */
	CU_ASSERT_STRING_EQUAL(
		units_format_bytes(buf, bytes("256")), "256 GiB");
}

static void test_bytes(void)
{
	CU_ASSERT_EQUAL(bytes("1.5 GB"), 1500000000ULL);
	CU_ASSERT_EQUAL(bytes(" 1MiB "), 1048576);
	CU_ASSERT_EQUAL(bytes("256k"), 262144); /* bare k is binary */
	CU_ASSERT_EQUAL(bytes("256K"), 262144);
	CU_ASSERT_EQUAL(bytes("2t"), 2ULL << 40);
	CU_ASSERT_EQUAL(bytes("7 kB"), 7000);
	CU_ASSERT_EQUAL(bytes("4096B"), 4096);
	CU_ASSERT_EQUAL(bytes("0"), 0);
	/* 376.18 * 2^30 = 403920199352.32 */
	CU_ASSERT_EQUAL(bytes("376.18"), 403920199352ULL);
	CU_ASSERT_EQUAL(bytes("0.0000000005GB"), 1); /* 0.5 byte: up */
	CU_ASSERT_EQUAL(bytes("0.0000000004GB"), 0);
	CU_ASSERT_EQUAL(bytes("18446744073709551615B"), UINT64_MAX);
}

static void test_bytes_refused(void)
{
	CU_ASSERT_EQUAL(bytes_fail(""), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("-1"), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("GiB"), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("."), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("1e9"), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("5 Gb"), -EINVAL); /* bits? */
	CU_ASSERT_EQUAL(bytes_fail("5 GiB/s"), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("1,5GB"), -EINVAL);
	CU_ASSERT_EQUAL(bytes_fail("18446744073709551616"), -ERANGE);
	CU_ASSERT_EQUAL(bytes_fail("16777216 TiB"), -ERANGE);
}

static void test_rate(void)
{
	struct err e = {0};
	uint64_t v;

	CU_ASSERT_EQUAL(units_parse_rate("800MB/s", "r", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 800000000);
	CU_ASSERT_EQUAL(units_parse_rate("800MBps", "r", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 800000000);
	CU_ASSERT_EQUAL(units_parse_rate("5.9 GiB/s", "r", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 6335076762ULL); /* 5.9 * 2^30 = 6335076761.6 */
	CU_ASSERT_EQUAL(units_parse_rate("1000", "r", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 1000);
	CU_ASSERT_EQUAL(units_parse_rate("800MB", "r", &v, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_rate("8/s", "r", &v, &e), -EINVAL);
}

static void test_time(void)
{
	struct err e = {0};
	int64_t v;

	CU_ASSERT_EQUAL(units_parse_time("80us", "t", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 80000);
	CU_ASSERT_EQUAL(units_parse_time("0.162", "t", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 162000000);
	CU_ASSERT_EQUAL(units_parse_time("0.0005625", "t", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 562500);
	CU_ASSERT_EQUAL(units_parse_time("162 ms", "t", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 162000000);
	CU_ASSERT_EQUAL(units_parse_time("2min", "t", &v, &e), 0);
	CU_ASSERT_EQUAL(v, 120 * NS_PER_S);
	CU_ASSERT_EQUAL(units_parse_time("5 m", "t", &v, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_time("9999999999s", "t", &v, &e), -ERANGE);
}

static void test_scale(void)
{
	struct err e = {0};
	uint32_t n, d;

	CU_ASSERT_EQUAL(units_parse_scale("1/32", "s", &n, &d, &e), 0);
	CU_ASSERT(n == 1 && d == 32);
	CU_ASSERT_EQUAL(units_parse_scale("1", "s", &n, &d, &e), 0);
	CU_ASSERT(n == 1 && d == 1);
	CU_ASSERT_EQUAL(units_parse_scale("0/3", "s", &n, &d, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_scale("1/0", "s", &n, &d, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_scale("3/2", "s", &n, &d, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_scale("0.5", "s", &n, &d, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_scale("1/2x", "s", &n, &d, &e), -EINVAL);
}

static void test_u64(void)
{
	struct err e = {0};
	uint64_t v = 0;

	CU_ASSERT_EQUAL(units_parse_u64("42", "--n", 1, 64, &v, &e), 0);
	CU_ASSERT_EQUAL(v, 42);
	CU_ASSERT_EQUAL(units_parse_u64("0", "--n", 1, 64, &v, &e), -ERANGE);
	CU_ASSERT_STRING_EQUAL(e.text, "--n 0 is out of range: 1 to 64");
	CU_ASSERT_EQUAL(units_parse_u64("65", "--n", 1, 64, &v, &e), -ERANGE);
	CU_ASSERT_EQUAL(units_parse_u64("4x", "--n", 1, 64, &v, &e), -EINVAL);
	CU_ASSERT_STRING_EQUAL(e.text, "--n '4x' is not a whole number");
	CU_ASSERT_EQUAL(units_parse_u64("4.0", "--n", 1, 64, &v, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_u64("-4", "--n", 1, 64, &v, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_u64("", "--n", 1, 64, &v, &e), -EINVAL);
	CU_ASSERT_EQUAL(units_parse_u64("18446744073709551616", "--n", 1,
				UINT64_MAX, &v, &e),
		-ERANGE);
	CU_ASSERT_EQUAL(v, 42);
}

static void test_format(void)
{
	char b[UNITS_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 0), "0 B");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 1023), "1023 B");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 4096), "4 KiB");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 2050000000), "1.91 GiB");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 146600628), "140 MiB");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, 1048575), "1.00 MiB");
	CU_ASSERT_STRING_EQUAL(units_format_bytes(b, UINT64_MAX), "16384 PiB");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 0), "0 ns");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 80000), "80 us");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 162000000), "162 ms");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 12345678901), "12.3 s");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 83 * NS_PER_S), "1m23s");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 59999999999), "1m00s");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 7260 * NS_PER_S), "2h01m");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, -80000), "-80 us");
	CU_ASSERT_STRING_EQUAL(units_format_time(b, 999999), "1.00 ms");
}

UT_SUITE(units, UT_CASE(test_C10_gib_and_gb), UT_CASE(test_bytes),
	UT_CASE(test_bytes_refused), UT_CASE(test_rate), UT_CASE(test_time),
	UT_CASE(test_scale), UT_CASE(test_u64), UT_CASE(test_format))
