/*
 * Finds configuration by name: first in the user's folder, then among the
 * files built into the binary; see config.h.
 */
#include "core/config.h"

#include "core/file.h"
#include "core/json.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES_MAX (16UL << 20)

struct names {
	char **v;
	size_t n;
};

/* Names become paths, so they must not climb out of the folder. */
static bool plain_name(const char *s, size_t len)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return len && *s != '.' && strspn(s, ok) >= len;
}

/* The folder in force ("" or unset: none); it must exist. */
static int user_dir(const char **dir, struct err *e)
{
	struct stat st;

	if (!*dir || !**dir)
		*dir = getenv("STOKER_CONFIG_DIR");
	if (!*dir || !**dir) {
		*dir = NULL;
		return 0;
	}
	if (stat(*dir, &st))
		return err_set(e, ERR_USAGE, -errno,
			"configuration folder %s: %s", *dir, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, -ENOTDIR,
			"configuration folder %s is not a folder", *dir);
	return 0;
}

static int names_add(struct names *l, const char *name, size_t len)
{
	char **v;

	v = realloc(l->v, (l->n + 1) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	l->v = v;
	v[l->n] = strndup(name, len);
	if (!v[l->n])
		return -ENOMEM;
	l->n++;
	return 0;
}

static void names_fini(struct names *l)
{
	while (l->n)
		free(l->v[--l->n]);
	free(l->v);
}

static int names_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Length of a file name without ".json"; 0 when it is another kind. */
static size_t base_length(const char *name)
{
	size_t len = strlen(name);

	if (len <= 5 || strcmp(name + len - 5, ".json") ||
		!plain_name(name, len))
		return 0;
	return len - 5;
}

static int names_of_dir(struct names *l, const char *dir, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *de;
	size_t len;
	int ret = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/%s", dir, folder);
	d = opendir(path);
	if (!d)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (!ret && (de = readdir(d))) {
		len = base_length(de->d_name);
		if (len)
			ret = names_add(l, de->d_name, len);
	}
	closedir(d);
	return ret;
}

/* Sorted; one that is embedded and in dir stands there twice. */
static int names_collect(struct names *l, const char *dir, const char *folder)
{
	const struct config_file *f;
	size_t len = strlen(folder);
	const char *base;
	int ret = 0;

	for (f = config_embedded; !ret && f->name; f++) {
		if (strncmp(f->name, folder, len) || f->name[len] != '/')
			continue;
		base = f->name + len + 1;
		ret = names_add(l, base, base_length(base));
	}
	if (!ret && dir)
		ret = names_of_dir(l, dir, folder);
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), names_compare);
	return ret;
}

int config_each(const char *dir, const char *folder,
	int (*fn)(void *arg, const char *base), void *arg, struct err *e)
{
	struct names l = {0};
	size_t i;
	int ret;

	ret = user_dir(&dir, e);
	if (ret)
		return ret;
	ret = names_collect(&l, dir, folder);
	if (ret)
		err_set(e, ERR_ENV, ret, "cannot list configurations of %s: %s",
			folder, strerror(-ret));
	for (i = 0; !ret && i < l.n; i++)
		if (!i || strcmp(l.v[i - 1], l.v[i]))
			ret = fn(arg, l.v[i]);
	names_fini(&l);
	return ret;
}

struct listing {
	char text[512];
	size_t len;
};

static int list_one(void *arg, const char *base)
{
	struct listing *l = arg;

	if (l->len < sizeof(l->text) - 1)
		l->len += (size_t)snprintf(l->text + l->len,
			sizeof(l->text) - l->len, "%s%s", l->len ? ", " : "",
			base);
	return 0;
}

static int unknown(const char *dir, const char *name, struct err *e)
{
	struct listing l = {.len = 0};
	const char *slash = strchr(name, '/');
	char folder[64] = "";

	if (slash && (size_t)(slash - name) < sizeof(folder)) {
		memcpy(folder, name, (size_t)(slash - name));
		config_each(dir, folder, list_one, &l, NULL);
	}
	return err_set(e, ERR_USAGE, -ENOENT,
		"no configuration '%s'; known: %s", name,
		l.len ? l.text : "none");
}

/* One of the two is set: path (not "") or file. */
struct found {
	char path[PATH_MAX];
	const struct config_file *file;
};

static int find(
	const char *dir, const char *name, struct found *x, struct err *e)
{
	const char *slash = strchr(name, '/');
	int ret;

	x->path[0] = 0;
	ret = user_dir(&dir, e);
	if (ret)
		return ret;
	if (!slash || !plain_name(name, (size_t)(slash - name)) ||
		!plain_name(slash + 1, strlen(slash + 1)))
		return unknown(dir, name, e);
	if (dir) {
		ret = snprintf(x->path, PATH_MAX, "%s/%s", dir, name);
		if (ret < 0 || ret >= PATH_MAX)
			return err_set(e, ERR_USAGE, -ENAMETOOLONG,
				"configuration folder name is too long");
		if (!access(x->path, F_OK))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			return err_set(e, ERR_USAGE, -errno,
				"configuration %s: %s", x->path,
				strerror(errno));
		x->path[0] = 0;
	}
	for (x->file = config_embedded; x->file->name; x->file++)
		if (!strcmp(x->file->name, name))
			return 0;
	return unknown(dir, name, e);
}

int config_load(
	const char *dir, const char *name, struct cJSON **out, struct err *e)
{
	struct found x;
	int ret = find(dir, name, &x, e);

	*out = NULL;
	if (ret)
		return ret;
	if (x.path[0])
		return json_read_file(x.path, out, e);
	return json_parse(
		x.file->text, x.file->size, x.file->name, out, e);
}

int config_text(const char *dir, const char *name, char **text, size_t *len,
	char origin[CONFIG_ORIGIN_MAX], struct err *e)
{
	struct found x;
	int ret = find(dir, name, &x, e);

	*text = NULL;
	if (ret)
		return ret;
	if (origin)
		snprintf(origin, CONFIG_ORIGIN_MAX, "%s",
			x.path[0] ? x.path : x.file->name);
	if (x.path[0])
		return file_read_regular(
			x.path, TEXT_BYTES_MAX, text, len, e);
	*text = malloc(x.file->size + 1);
	if (!*text)
		return err_nomem(e, "a configuration");
	memcpy(*text, x.file->text, x.file->size);
	(*text)[x.file->size] = 0;
	*len = x.file->size;
	return 0;
}
