/*
 * Names that users choose and that paths are made of: folders, the system, the
 * organization. What would not be one folder's name is refused, and so is what
 * is too long, before it is cut to something else.
 */
#include "cli/training.h"

#include "storage/host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* value may be NULL: nothing was said, buf stays. */
static int put(char *buf, size_t size, const char *option, const char *value,
	struct err *e)
{
	if (!value)
		return 0;
	if (strlen(value) >= size)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"%s has %zu bytes, %zu are allowed: %.60s...", option,
			strlen(value), size - 1, value);
	memcpy(buf, value, strlen(value) + 1);
	return 0;
}

static bool fits_in_name(char c)
{
	return c != '/' && (unsigned char)c >= ' ' && c != 0x7f;
}

/* One folder's name; hidden ones are halves of results to `history`. */
static bool is_name(const char *s)
{
	if (!*s || *s == '.')
		return false;
	while (*s && fits_in_name(*s))
		s++;
	return !*s;
}

static int put_name(char *buf, size_t size, const char *option,
	const char *value, struct err *e)
{
	if (value && !is_name(value))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s '%.60s': must be the name of one folder: not "
			"empty, without a slash, not beginning with a dot",
			option, value);
	return put(buf, size, option, value, e);
}

/* A host's name need not be a folder's. */
static void system_of_host(char *buf, size_t size)
{
	size_t i;

	host_name(buf, size);
	for (i = 0; buf[i]; i++)
		if (!fits_in_name(buf[i]) || (!i && buf[i] == '.'))
			buf[i] = '-';
	if (!i)
		snprintf(buf, size, "localhost");
}

/* data_folder = data_dir/model, unless data_dir already ends in it. */
static int put_data_dir(const char *dir, struct train_config *c, struct err *e)
{
	size_t n, m = strlen(c->model);
	int r = put(c->data_dir, sizeof(c->data_dir) - REC_NAME_MAX,
		"--data-dir", dir, e);

	if (r || !dir)
		return r;
	n = strlen(c->data_dir);
	while (n > 1 && c->data_dir[n - 1] == '/')
		c->data_dir[--n] = 0;
	memcpy(c->data_folder, c->data_dir, n + 1);
	if (n > m && c->data_dir[n - m - 1] == '/' &&
		!strcmp(c->data_dir + n - m, c->model))
		return 0;
	c->data_folder[n] = '/';
	memcpy(c->data_folder + n + 1, c->model, m + 1);
	return 0;
}

int training_names(
	const struct training_options *o, struct train_config *c, struct err *e)
{
	int r = put(c->results_dir, sizeof(c->results_dir), "--results-dir",
		o->results_dir, e);

	if (!r)
		r = put(c->drive, sizeof(c->drive), "--drive", o->drive, e);
	if (!r)
		r = put_name(c->organization, sizeof(c->organization),
			"--orgname", o->organization, e);
	if (!o->system_name)
		system_of_host(c->system_name, sizeof(c->system_name));
	if (!r)
		r = put_name(c->system_name, sizeof(c->system_name),
			"--systemname", o->system_name, e);
	return r ? r : put_data_dir(o->data_dir, c, e);
}
