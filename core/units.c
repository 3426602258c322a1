/*
 * Sizes, rates and times from text; see units.h. A decimal number is kept as
 * a whole part and a fraction in units of 10^-18, so that a size is exact
 * before it is rounded and no locale or binary fraction plays a part.
 */
#include "core/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FRACTION_DIGITS 18
#define FRACTION_ONE 1000000000000000000ULL

struct decimal {
	uint64_t whole;
	uint64_t fraction; /* in 10^-18 */
};

struct unit {
	const char *name;
	uint64_t factor;
	bool any_case;
};

static const struct unit byte_units[] = {
	{"B", 1, false},
	{"k", KIB_BYTES, true},
	{"m", MIB_BYTES, true},
	{"g", GIB_BYTES, true},
	{"t", 1024 * GIB_BYTES, true},
	{"KiB", KIB_BYTES, true},
	{"MiB", MIB_BYTES, true},
	{"GiB", GIB_BYTES, true},
	{"TiB", 1024 * GIB_BYTES, true},
	{"kB", 1000ULL, false},
	{"KB", 1000ULL, false},
	{"MB", 1000000ULL, false},
	{"GB", 1000000000ULL, false},
	{"TB", 1000000000000ULL, false},
	{NULL, 0, false},
};

static const struct unit time_units[] = {
	{"ns", 1, false},
	{"us", NS_PER_US, false},
	{"\xc2\xb5s", NS_PER_US, false}, /* micro sign */
	{"ms", NS_PER_MS, false},
	{"s", NS_PER_S, false},
	{"min", 60 * NS_PER_S, false},
	{"h", 3600 * NS_PER_S, false},
	{NULL, 0, false},
};

static const char *skip_space(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Returns 0, -EINVAL (no number or too many digits) or -ERANGE. */
static int parse_decimal(const char **text, struct decimal *d)
{
	const char *s = skip_space(*text);
	uint64_t digit, weight = FRACTION_ONE;
	bool any = false;

	d->whole = 0;
	d->fraction = 0;
	for (; isdigit((unsigned char)*s); s++, any = true) {
		digit = (uint64_t)(*s - '0');
		if (__builtin_mul_overflow(d->whole, 10, &d->whole) ||
			__builtin_add_overflow(d->whole, digit, &d->whole))
			return -ERANGE;
	}
	if (*s == '.') {
		for (s++; isdigit((unsigned char)*s); s++, any = true) {
			digit = (uint64_t)(*s - '0');
			weight /= 10;
			if (digit && !weight)
				return -EINVAL;
			d->fraction += digit * weight;
		}
	}
	if (!any)
		return -EINVAL;
	*text = s;
	return 0;
}

/* d * factor, rounded half up. */
static int scale_decimal(
	const struct decimal *d, uint64_t factor, uint64_t *value)
{
	unsigned __int128 v;

	v = (unsigned __int128)d->fraction * factor + FRACTION_ONE / 2;
	v = (unsigned __int128)d->whole * factor + v / FRACTION_ONE;
	if (v > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)v;
	return 0;
}

/* The factor of the unit text[0..len), or 0 when there is no such unit. */
static uint64_t find_unit(const struct unit *u, const char *text, size_t len)
{
	for (; u->name; u++) {
		if (strlen(u->name) != len)
			continue;
		if (!strncmp(u->name, text, len) ||
			(u->any_case && !strncasecmp(u->name, text, len)))
			return u->factor;
	}
	return 0;
}

static size_t trimmed_length(const char *s)
{
	size_t len = strlen(s);

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return len;
}

static int bad(struct err *e, int code, const char *what, const char *text,
	const char *expected)
{
	if (code == -ERANGE)
		return err_set(
			e, ERR_USAGE, code, "%s '%s' is too large", what, text);
	return err_set(
		e, ERR_USAGE, code, "%s '%s' is not %s", what, text, expected);
}

static const char size_expected[] =
	"a size such as 4096, 256KiB, 1.5GB or 32GiB (KiB MiB GiB TiB are "
	"binary, kB MB GB TB decimal)";
static const char rate_expected[] =
	"a rate such as 800MB/s or 5.9GiB/s (bare: bytes per second)";
static const char time_expected[] =
	"a time such as 80us, 162ms, 0.162, 5s or 2min (bare: seconds)";

int units_parse_bytes(const char *text, uint64_t bare_unit_bytes,
	const char *what, uint64_t *bytes, struct err *e)
{
	const char *s = text;
	struct decimal d;
	uint64_t factor;
	size_t len;
	int ret;

	ret = parse_decimal(&s, &d);
	if (ret)
		return bad(e, ret, what, text, size_expected);
	s = skip_space(s);
	len = trimmed_length(s);
	factor = len ? find_unit(byte_units, s, len) : bare_unit_bytes;
	if (!factor)
		return bad(e, -EINVAL, what, text, size_expected);
	ret = scale_decimal(&d, factor, bytes);
	return ret ? bad(e, ret, what, text, size_expected) : 0;
}

int units_parse_rate(const char *text, const char *what, uint64_t *bytes_per_s,
	struct err *e)
{
	const char *s = text;
	uint64_t factor = 1;
	struct decimal d;
	size_t len;
	int ret;

	ret = parse_decimal(&s, &d);
	if (ret)
		return bad(e, ret, what, text, rate_expected);
	s = skip_space(s);
	len = trimmed_length(s);
	if (len) {
		if (len > 2 && (!strncmp(s + len - 2, "/s", 2) ||
				       !strncmp(s + len - 2, "ps", 2)))
			factor = find_unit(byte_units, s, len - 2);
		else
			factor = 0;
	}
	if (!factor)
		return bad(e, -EINVAL, what, text, rate_expected);
	ret = scale_decimal(&d, factor, bytes_per_s);
	return ret ? bad(e, ret, what, text, rate_expected) : 0;
}

int units_parse_time(
	const char *text, const char *what, int64_t *ns, struct err *e)
{
	const char *s = text;
	struct decimal d;
	uint64_t factor, value;
	size_t len;
	int ret;

	ret = parse_decimal(&s, &d);
	if (ret)
		return bad(e, ret, what, text, time_expected);
	s = skip_space(s);
	len = trimmed_length(s);
	factor = len ? find_unit(time_units, s, len) : (uint64_t)NS_PER_S;
	if (!factor)
		return bad(e, -EINVAL, what, text, time_expected);
	ret = scale_decimal(&d, factor, &value);
	if (!ret && value > INT64_MAX)
		ret = -ERANGE;
	if (ret)
		return bad(e, ret, what, text, time_expected);
	*ns = (int64_t)value;
	return 0;
}

/* Digits only; moves *text behind them. */
static int parse_whole(const char **text, uint64_t *value)
{
	struct decimal d;
	const char *s = *text;

	while (isdigit((unsigned char)*s))
		s++;
	if (s == *text || *s == '.')
		return -EINVAL;
	if (parse_decimal(text, &d))
		return -ERANGE;
	*value = d.whole;
	return 0;
}

int units_parse_scale(const char *text, const char *what, uint32_t *num,
	uint32_t *den, struct err *e)
{
	const char *s = text;
	uint64_t n, d = 1;
	int ret;

	ret = parse_whole(&s, &n);
	if (!ret && *s == '/') {
		s++;
		ret = parse_whole(&s, &d);
	}
	if (ret || *s || !n || !d || n > d || d > UINT32_MAX)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s '%s' is not a fraction from above 0 to 1, "
			"such as 1 or 1/32",
			what, text);
	*num = (uint32_t)n;
	*den = (uint32_t)d;
	return 0;
}

int units_parse_u64(const char *text, const char *what, uint64_t min,
	uint64_t max, uint64_t *value, struct err *e)
{
	const char *s = text;
	uint64_t v;
	int ret;

	ret = parse_whole(&s, &v);
	if (ret == -EINVAL || (!ret && *s))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s '%s' is not a whole number", what, text);
	if (ret || v < min || v > max)
		return err_set(e, ERR_USAGE, -ERANGE,
			"%s %s is out of range: %" PRIu64 " to %" PRIu64, what,
			text, min, max);
	*value = v;
	return 0;
}

/*
 * value / unit in three figures, without decimals when it is a whole number.
 * Returns false when rounding would show `limit` units or more.
 */
static bool format_three(char buf[UNITS_TEXT_MAX], uint64_t value,
	uint64_t unit, unsigned limit, const char *name)
{
	double v = (double)value / (double)unit;
	int digits;

	if (value % unit == 0)
		digits = 0;
	else if (v < 9.995)
		digits = 2;
	else if (v < 99.95)
		digits = 1;
	else
		digits = 0;
	if (v >= limit - (digits ? 0.0 : 0.5))
		return false;
	snprintf(buf, UNITS_TEXT_MAX, "%.*f %s", digits, v, name);
	return true;
}

const char *units_format_bytes(char buf[UNITS_TEXT_MAX], uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	uint64_t unit = 1;
	size_t i;

	for (i = 0; i < 5; i++, unit *= 1024)
		if (format_three(buf, bytes, unit, 1024, names[i]))
			return buf;
	format_three(buf, bytes, unit, 1024 * 1024, "PiB");
	return buf;
}

const char *units_format_time(char buf[UNITS_TEXT_MAX], int64_t ns)
{
	uint64_t t = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	char text[UNITS_TEXT_MAX];
	uint64_t s;

	if (!format_three(text, t, 1, 1000, "ns") &&
		!format_three(text, t, NS_PER_US, 1000, "us") &&
		!format_three(text, t, NS_PER_MS, 1000, "ms") &&
		!(t < 59950000000ULL &&
			format_three(text, t, NS_PER_S, 60, "s"))) {
		s = (t + NS_PER_S / 2) / NS_PER_S;
		if (s < 3600)
			snprintf(text, sizeof(text),
				"%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
		else
			snprintf(text, sizeof(text),
				"%" PRIu64 "h%02" PRIu64 "m", s / 3600,
				s % 3600 / 60);
	}
	snprintf(buf, UNITS_TEXT_MAX, "%s%.30s", ns < 0 ? "-" : "", text);
	return buf;
}
