/* The keys of --param; see params.h. */
#include "cli/params.h"

#include "core/nearest.h"
#include "core/units.h"
#include "datagen/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define KEYS_MAX 64

const struct param_row *param_next(const struct param_row *row)
{
	while (row->key && !row->help)
		row++;
	return row->key ? row : NULL;
}

static int parse_bool(
	const char *text, const char *what, bool *out, struct err *e)
{
	static const char *const yes[] = {"true", "1", "yes", "on"};
	static const char *const no[] = {"false", "0", "no", "off"};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		*out = !strcasecmp(text, yes[i]);
		if (*out || !strcasecmp(text, no[i]))
			return 0;
	}
	return err_set(e, ERR_USAGE, -EINVAL, "%s=%s: must be true or false",
		what, text);
}

static int set_format(const char *value, const char *key, char *format,
	struct err *e)
{
	if (!format_find(value))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s=%s: must be one of %s", key, value,
			format_names());
	snprintf(format, REC_NAME_MAX, "%s", value);
	return 0;
}

static int set_row(const struct param_row *row, const char *value,
	struct train_config *c, struct err *e)
{
	char *at = (char *)c + row->offset;
	uint64_t u = 0;
	int64_t ns = 0;
	double d;
	bool b = false;
	int r = 0;

	switch (row->kind) {
	case PARAM_COUNT:
		r = units_parse_u64(value, row->key, row->min,
			row->max ? row->max : UINT64_MAX, &u, e);
		if (!r)
			memcpy(at, &u, sizeof(u));
		break;
	case PARAM_BYTES:
		r = units_parse_bytes(value, 1, row->key, &u, e);
		if (!r)
			memcpy(at, &u, sizeof(u));
		break;
	case PARAM_STDEV:
		r = units_parse_bytes(value, 1, row->key, &u, e);
		d = (double)u;
		if (!r)
			memcpy(at, &d, sizeof(d));
		break;
	case PARAM_TIME:
		r = units_parse_time(value, row->key, &ns, e);
		if (!r)
			memcpy(at, &ns, sizeof(ns));
		break;
	case PARAM_BOOL:
		r = parse_bool(value, row->key, &b, e);
		if (!r)
			memcpy(at, &b, sizeof(b));
		break;
	case PARAM_FORMAT:
		r = set_format(value, row->key, at, e);
		break;
	case PARAM_TEXT:
		return err_set(e, ERR_BUG, -EINVAL, "%s is not to be set",
			row->key);
	}
	return r;
}

static bool rules_know(const struct edition *ed, const char *key)
{
	return edition_list_has(&ed->closed_params, key) ||
	       edition_list_has(&ed->open_params, key) ||
	       edition_list_has(&ed->tool_params, key);
}

int param_set(const char *key, const char *value, const struct edition *ed,
	struct train_config *c, struct err *e)
{
	const char *names[KEYS_MAX], *near;
	const struct param_row *row = param_next(params_training);
	size_t n = 0;

	for (; row; row = param_next(row + 1)) {
		if (!strcmp(key, row->key))
			return set_row(row, value, c, e);
		if (n + 1 < KEYS_MAX)
			names[n++] = row->key;
	}
	names[n] = NULL;
	if (rules_know(ed, key))
		return err_set(e, ERR_USAGE, -ENOTSUP,
			"--param %s: the rules of %s know this key, but it "
			"steers nothing here; --help-params lists those that "
			"do",
			key, ed->name);
	near = nearest_name(key, names);
	return err_set(e, ERR_USAGE, -EINVAL,
		"--param %s: no such key%s%s%s; --help-params lists them", key,
		near ? " (did you mean " : "", near ? near : "",
		near ? "?)" : "");
}

const char *param_range(const struct param_row *row, char buf[PARAM_RANGE_MAX])
{
	switch (row->kind) {
	case PARAM_COUNT:
		if (row->min == row->max)
			snprintf(buf, PARAM_RANGE_MAX, "only %" PRIu64,
				row->min);
		else
			snprintf(buf, PARAM_RANGE_MAX,
				"%" PRIu64 " to %" PRIu64, row->min, row->max);
		break;
	case PARAM_BYTES:
	case PARAM_STDEV:
		snprintf(buf, PARAM_RANGE_MAX, "size; bare = bytes");
		break;
	case PARAM_TIME:
		snprintf(buf, PARAM_RANGE_MAX, "time; bare = seconds");
		break;
	case PARAM_BOOL:
		snprintf(buf, PARAM_RANGE_MAX, "true or false");
		break;
	case PARAM_FORMAT:
		snprintf(buf, PARAM_RANGE_MAX, "%s", format_names());
		break;
	case PARAM_TEXT:
		snprintf(buf, PARAM_RANGE_MAX, "text");
		break;
	}
	return buf;
}

void params_print(const struct edition *ed)
{
	const struct param_row *row;
	char range[PARAM_RANGE_MAX];

	printf("%-34s %-20s %-7s %s\n", "--param KEY", "VALUE", "CLOSED",
		"what it is");
	for (row = param_next(params_training); row; row = param_next(row + 1))
		printf("%-34s %-20s %-7s %s\n", row->key,
			param_range(row, range),
			edition_param_allowed(ed, DIV_CLOSED, row->key)
				? "allowed"
				: "no",
			row->help);
}
