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

#define CONFIG(field) offsetof(struct train_config, field)
#define KEYS_MAX 64

const struct param_row params_training[] = {
	{"dataset.num_files_train", PARAM_COUNT, CONFIG(files), 1, UINT32_MAX,
		"files of the data set"},
	{"dataset.num_subfolders_train", PARAM_COUNT, CONFIG(subfolders), 0,
		1000000, "folders they are spread over; 0 = none"},
	{"dataset.num_samples_per_file", PARAM_COUNT, CONFIG(samples_per_file),
		1, UINT32_MAX, "samples in a file"},
	{"dataset.format", PARAM_FORMAT, CONFIG(format), 0, 0,
		"what files are made of"},
	{"dataset.record_length_bytes", PARAM_BYTES, CONFIG(record_bytes), 0, 0,
		"mean length of a sample"},
	{"dataset.record_length_bytes_stdev", PARAM_STDEV,
		CONFIG(record_stdev_bytes), 0, 0,
		"standard deviation of that length"},
	{"reader.batch_size", PARAM_COUNT, CONFIG(batch_size), 1, 1000000,
		"samples of a step and accelerator"},
	{"reader.read_threads", PARAM_COUNT, CONFIG(read_threads), 1, 256,
		"readers of an accelerator"},
	{"reader.prefetch_size", PARAM_COUNT, CONFIG(prefetch_size), 0, 1024,
		"batches read ahead"},
	{"reader.odirect", PARAM_BOOL, CONFIG(odirect), 0, 0,
		"read past the page cache"},
	{"reader.transfer_size", PARAM_BYTES, CONFIG(transfer_bytes), 0, 0,
		"length of one request; a multiple of 4096 up to 64MiB"},
	{"train.epochs", PARAM_COUNT, CONFIG(epochs), 1, 10000,
		"passes over the data set in a run"},
	{"train.computation_time", PARAM_TIME, CONFIG(computation_ns), 0, 0,
		"emulated compute of a step"},
	{"train.total_training_steps", PARAM_COUNT, CONFIG(steps_most), 0,
		UINT32_MAX, "an epoch ends after so many steps; 0 = unset"},
	{NULL, PARAM_COUNT, 0, 0, 0, NULL},
};

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
	size_t i;

	for (i = 0; params_training[i].key; i++) {
		if (!strcmp(key, params_training[i].key))
			return set_row(&params_training[i], value, c, e);
		if (i + 1 < KEYS_MAX)
			names[i] = params_training[i].key;
	}
	names[i < KEYS_MAX ? i : KEYS_MAX - 1] = NULL;
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
	}
	return buf;
}

void params_print(const struct edition *ed)
{
	const struct param_row *row;
	char range[PARAM_RANGE_MAX];

	printf("%-34s %-20s %-7s %s\n", "--param KEY", "VALUE", "CLOSED",
		"what it is");
	for (row = params_training; row->key; row++)
		printf("%-34s %-20s %-7s %s\n", row->key,
			param_range(row, range),
			edition_param_allowed(ed, DIV_CLOSED, row->key)
				? "allowed"
				: "no",
			row->help);
}
