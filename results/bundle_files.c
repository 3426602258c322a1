/* Folders, files and values of a tree that nobody vouches for. See bundle.h. */
#include "results/bundle_tree.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/yaml.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define JSON_BYTES_MAX (8U << 20)
#define YAML_BYTES_MAX (1U << 20)
#define ENTRIES_MAX 100000 /* of one folder */

bool names_add(struct names *n, const char *name)
{
	char **v;

	if (!(n->n & (n->n - 1))) {
		v = realloc(n->v, (n->n ? 2 * n->n : 1) * sizeof(*v));
		if (!v)
			return false;
		n->v = v;
	}
	n->v[n->n] = strdup(name);
	if (!n->v[n->n])
		return false;
	n->n++;
	return true;
}

bool names_have(const struct names *n, const char *name)
{
	size_t i;

	for (i = 0; i < n->n; i++)
		if (!strcmp(n->v[i], name))
			return true;
	return false;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void names_sort(struct names *n)
{
	if (n->n)
		qsort(n->v, n->n, sizeof(*n->v), by_bytes);
}

void names_fini(struct names *n)
{
	size_t i;

	for (i = 0; i < n->n; i++)
		free(n->v[i]);
	free(n->v);
	memset(n, 0, sizeof(*n));
}

const char *bundle_join(
	char buf[PATH_MAX], const char *parent, const char *name)
{
	size_t k = strcmp(parent, ".") ? strnlen(parent, PATH_MAX - 2) : 0;
	size_t n = strnlen(name, PATH_MAX - 2 - k);

	/* a name that is cut here is not found, which is told */
	memcpy(buf, parent, k);
	if (k)
		buf[k++] = '/';
	memcpy(buf + k, name, n);
	buf[k + n] = '\0';
	return buf;
}

static const char *full(
	const struct bundle *b, const char *path, char buf[PATH_MAX])
{
	return bundle_join(buf, b->root, path);
}

static bool list_entry(struct bundle *b, const char *path, const char *name,
	struct names *dirs, struct names *files)
{
	char below[PATH_MAX], buf[PATH_MAX];
	struct stat st;

	full(b, bundle_join(below, path, name), buf);
	if (stat(buf, &st)) {
		bundle_say(b, "B-01", false, below, NULL, "%s",
			errno == ELOOP	  ? "a loop of symbolic links"
			: errno == ENOENT ? "a symbolic link to nothing"
					  : strerror(errno));
		return true;
	}
	if (S_ISDIR(st.st_mode))
		return !dirs || names_add(dirs, name);
	return !files || names_add(files, name);
}

bool bundle_list(struct bundle *b, const char *path, struct names *dirs,
	struct names *files)
{
	char buf[PATH_MAX];
	DIR *d = opendir(full(b, path, buf));
	struct dirent *de;
	size_t n = 0;

	if (!d) {
		bundle_say(b, "B-01", false, path, NULL,
			"the folder cannot be listed: %s", strerror(errno));
		return false;
	}
	while ((de = readdir(d))) {
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		if (++n > ENTRIES_MAX) {
			bundle_say(b, "B-01", false, path, NULL,
				"the folder has more than %d entries; the "
				"others are not looked at",
				ENTRIES_MAX);
			break;
		}
		if (!list_entry(b, path, de->d_name, dirs, files))
			b->no_memory = true;
	}
	closedir(d);
	if (dirs)
		names_sort(dirs);
	if (files)
		names_sort(files);
	return true;
}

bool bundle_has(const struct bundle *b, const char *path, bool dir)
{
	char buf[PATH_MAX];
	struct stat st;

	return !stat(full(b, path, buf), &st) && !S_ISDIR(st.st_mode) == !dir;
}

bool bundle_is_link(const struct bundle *b, const char *path)
{
	char buf[PATH_MAX];
	struct stat st;

	return !lstat(full(b, path, buf), &st) && S_ISLNK(st.st_mode);
}

bool bundle_small(const struct bundle *b, const char *path, size_t max)
{
	char buf[PATH_MAX];
	struct stat st;

	return !stat(full(b, path, buf), &st) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size <= max;
}

char *bundle_text(struct bundle *b, const char *path, const char *id,
	size_t max, size_t *len)
{
	char buf[PATH_MAX], *text = NULL;
	struct err e;
	int ret = file_read_regular(full(b, path, buf), max, &text, len, &e);

	if (!ret)
		return text;
	if (ret != -ENOENT && ret != -ENOTDIR)
		bundle_say(
			b, id ? id : "B-01", false, path, NULL, "%s", e.text);
	return NULL;
}

static struct cJSON *parsed(struct bundle *b, const char *path, const char *id,
	size_t max, bool yaml)
{
	struct cJSON *out = NULL;
	struct err e;
	size_t len;
	char *text = bundle_text(b, path, id, max, &len);
	int ret;

	if (!text)
		return NULL;
	ret = yaml ? results_yaml_parse(text, len, path, &out, &e)
		   : json_parse(text, len, path, &out, &e);
	if (ret)
		bundle_say(
			b, id ? id : "B-01", false, path, NULL, "%s", e.text);
	else if (!id)
		bundle_say(b, "B-01", true, path, NULL, "%zu bytes", len);
	free(text);
	return out;
}

struct cJSON *bundle_json(struct bundle *b, const char *path, const char *id)
{
	return parsed(b, path, id, JSON_BYTES_MAX, false);
}

struct cJSON *bundle_yaml(struct bundle *b, const char *path, const char *id)
{
	return parsed(b, path, id, YAML_BYTES_MAX, true);
}

static int64_t naive_s(int y, int mo, int d, int h, int mi, int s)
{
	struct tm tm = {.tm_year = y - 1900,
		.tm_mon = mo - 1,
		.tm_mday = d,
		.tm_hour = h,
		.tm_min = mi,
		.tm_sec = s};
	struct tm want = tm;
	time_t t = timegm(&tm);

	/* 31 February is no day; twice any time in ns fits into 63 bits */
	if (y < 1970 || y > 2100 || tm.tm_mon != want.tm_mon ||
		tm.tm_mday != want.tm_mday || tm.tm_hour != want.tm_hour ||
		tm.tm_min != want.tm_min)
		return INT64_MIN;
	return (int64_t)t;
}

/* Does s begin as the picture does, a digit for each '0'? */
static bool looks_like(const char *s, const char *picture)
{
	for (; *picture; s++, picture++)
		if (*picture == '0' ? *s < '0' || *s > '9' : *s != *picture)
			return false;
	return true;
}

bool bundle_is_stamp(const char *name)
{
	return strlen(name) == STAMP_LEN && looks_like(name, "00000000_000000");
}

int64_t bundle_stamp_s(const char *name)
{
	int y, mo, d, h, mi, s;

	if (!bundle_is_stamp(name) ||
		sscanf(name, "%4d%2d%2d_%2d%2d%2d", &y, &mo, &d, &h, &mi, &s) !=
			6)
		return INT64_MIN;
	return naive_s(y, mo, d, h, mi, s);
}

int64_t bundle_iso_ns(const char *text)
{
	int y, mo, d, h, mi, s;
	int64_t t, part = 0, unit = NS_PER_S / 10;
	const char *p;

	if (!looks_like(text, "0000-00-00") || strlen(text) < 19 ||
		(text[10] != 'T' && text[10] != ' ') ||
		!looks_like(text + 11, "00:00:00") ||
		sscanf(text, "%4d-%2d-%2d%*c%2d:%2d:%2d", &y, &mo, &d, &h, &mi,
			&s) != 6)
		return INT64_MIN;
	t = naive_s(y, mo, d, h, mi, s);
	if (t == INT64_MIN)
		return t;
	for (p = text + 19; *p == '.' || (*p >= '0' && *p <= '9'); p++) {
		if (*p == '.')
			continue;
		part += (*p - '0') * unit;
		unit /= 10;
	}
	return t * NS_PER_S + part;
}

const struct cJSON *bundle_at(const struct cJSON *tree, const char *dotted)
{
	char key[128];
	size_t n;

	while (tree && *dotted) {
		n = strcspn(dotted, ".");
		snprintf(key, sizeof(key), "%.*s", (int)n, dotted);
		tree = cJSON_GetObjectItemCaseSensitive(tree, key);
		dotted += n + (dotted[n] == '.');
	}
	return tree;
}

double bundle_number(const struct cJSON *tree, const char *dotted)
{
	const struct cJSON *item = bundle_at(tree, dotted);
	char *end;
	double d;

	if (cJSON_IsNumber(item))
		return isfinite(item->valuedouble) ? item->valuedouble : NAN;
	if (!cJSON_IsString(item) || !item->valuestring[0])
		return NAN;
	d = strtod(item->valuestring, &end);
	return *end || !isfinite(d) ? NAN : d;
}

const char *bundle_string(const struct cJSON *tree, const char *dotted)
{
	const struct cJSON *item = bundle_at(tree, dotted);

	return cJSON_IsString(item) ? item->valuestring : "";
}

bool bundle_true(const struct cJSON *tree, const char *dotted)
{
	const char *s = bundle_string(tree, dotted);

	return cJSON_IsTrue(bundle_at(tree, dotted)) || !strcmp(s, "True") ||
	       !strcmp(s, "true");
}

double bundle_sum(const struct cJSON *tree, const char *dotted)
{
	const struct cJSON *list = bundle_at(tree, dotted), *item;
	double sum = 0;

	if (!cJSON_IsArray(list) || !list->child)
		return NAN;
	cJSON_ArrayForEach(item, list)
	{
		if (!cJSON_IsNumber(item))
			return NAN;
		sum += item->valuedouble;
	}
	return isfinite(sum) ? sum : NAN;
}

bool bundle_listed(const struct bundle *b, const char *dotted, const char *text)
{
	const struct cJSON *item;

	cJSON_ArrayForEach(item, bundle_at(b->rules, dotted))
	{
		if (cJSON_IsString(item) && !strcmp(item->valuestring, text))
			return true;
	}
	return false;
}

const char *bundle_words(
	const struct bundle *b, const char *dotted, char buf[256])
{
	const struct cJSON *item;
	size_t n = 0;

	buf[0] = '\0';
	cJSON_ArrayForEach(item, bundle_at(b->rules, dotted))
	{
		if (cJSON_IsString(item) && n < 255)
			n += (size_t)snprintf(buf + n, 256 - n, "%s%s",
				n ? ", " : "", item->valuestring);
	}
	if (n >= 256)
		strcpy(buf + 252, "...");
	return buf;
}
