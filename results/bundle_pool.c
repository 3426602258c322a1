/*
 * Pools of code images, and md5-tree-v2, the digest of a tree of sources: MD5
 * (by nettle) over path and content of every file that counts, in the order
 * of the bytes of whole paths, with nothing between. See bundle.h.
 */
#include "results/bundle_create.h"
#include "results/bundle_tree.h"

#include "core/config.h"
#include "core/file.h"
#include "core/json.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/md5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SENTINEL ".mlps-image-pool"
#define DEPTH_MAX 64
#define FILES_MAX 200000
#define BYTES_MAX (1LL << 30) /* sources are smaller */

static bool listed(const struct cJSON *rules, const char *key, const char *name)
{
	const struct cJSON *c;

	cJSON_ArrayForEach(c, bundle_at(rules, key))
	{
		if (cJSON_IsString(c) && !strcmp(c->valuestring, name))
			return true;
	}
	return false;
}

static bool ends_listed(
	const struct cJSON *rules, const char *key, const char *name)
{
	const struct cJSON *c;
	size_t n = strlen(name), k;

	cJSON_ArrayForEach(c, bundle_at(rules, key))
	{
		k = cJSON_IsString(c) ? strlen(c->valuestring) : SIZE_MAX;
		if (k <= n && !strcmp(name + n - k, c->valuestring))
			return true;
	}
	return false;
}

static bool is_skipped(const struct cJSON *rules, const char *name, bool dir)
{
	return listed(rules, dir ? "image_skip_dirs" : "image_skip_files",
		       name) ||
	       ends_listed(rules,
		       dir ? "image_skip_dir_suffixes"
			   : "image_skip_file_suffixes",
		       name);
}

static int cannot(struct err *e, const char *what, const char *path)
{
	int code = errno ? -errno : -EIO;

	return err_set(e, ERR_IO, code, "cannot %s %s: %s", what, path,
		strerror(-code));
}

static int walk(const struct cJSON *rules, int fd, const char *below, int depth,
	struct names *files, struct err *e);

static int walk_entry(const struct cJSON *rules, int at, const char *name,
	const char *below, int depth, struct names *files, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	bundle_join(path, below, name);
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW))
		return cannot(e, "look at", path);
	if (S_ISREG(st.st_mode) && !is_skipped(rules, name, false)) {
		if (files->n == FILES_MAX)
			return err_set(e, ERR_IO, -EFBIG, "more than %d files",
				FILES_MAX);
		return names_add(files, path) ? 0 : err_nomem(e, path);
	}
	if (!S_ISDIR(st.st_mode) || is_skipped(rules, name, true))
		return 0;
	if (depth == DEPTH_MAX || strlen(path) > PATH_MAX - NAME_MAX - 2)
		return err_set(e, ERR_IO, -ELOOP,
			"%.200s: more than %d levels deep", path, DEPTH_MAX);
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return cannot(e, "open", path);
	return walk(rules, fd, path, depth + 1, files, e);
}

/* Closes fd. */
static int walk(const struct cJSON *rules, int fd, const char *below, int depth,
	struct names *files, struct err *e)
{
	DIR *d = fdopendir(fd);
	struct dirent *de;
	int ret = 0;

	if (!d) {
		ret = cannot(e, "list", below);
		close(fd);
		return ret;
	}
	while (!ret && (de = readdir(d)))
		if (strcmp(de->d_name, ".") && strcmp(de->d_name, ".."))
			ret = walk_entry(rules, dirfd(d), de->d_name, below,
				depth, files, e);
	closedir(d);
	return ret;
}

static int hash_file(int at, const char *path, struct md5_ctx *md5,
	long long *left, struct err *e)
{
	static uint8_t buf[1 << 16];
	int fd = openat(
		at, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return cannot(e, "open", path);
	md5_update(md5, strlen(path), (const uint8_t *)path);
	if (!fstat(fd, &st) && st.st_size > *left)
		*left = -1;
	while (*left >= 0 && (n = read(fd, buf, sizeof(buf))) > 0) {
		md5_update(md5, (size_t)n, buf);
		*left -= n;
	}
	if (n < 0)
		n = cannot(e, "read", path);
	close(fd);
	if (*left < 0)
		return err_set(e, ERR_IO, -EFBIG,
			"%.200s: more than 1 GiB in all", path);
	return (int)n;
}

static int tree_hash(const struct cJSON *rules, const char *dir,
	char hash[BUNDLE_HASH_MAX], struct err *e)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	uint8_t digest[MD5_DIGEST_SIZE];
	struct names files = {0};
	long long left = BYTES_MAX;
	struct md5_ctx md5;
	size_t i;

	if (fd < 0)
		return cannot(e, "open", dir);
	ret = walk(rules, dup(fd), ".", 0, &files, e);
	names_sort(&files);
	md5_init(&md5);
	for (i = 0; !ret && i < files.n; i++)
		ret = hash_file(fd, files.v[i], &md5, &left, e);
	md5_digest(&md5, sizeof(digest), digest);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	names_fini(&files);
	close(fd);
	return ret;
}

int bundle_tree_hash(const char *config_dir, const char *dir,
	char hash[BUNDLE_HASH_MAX], struct err *e)
{
	struct cJSON *config;
	int ret = config_load(
		config_dir, "editions/" EDITION_DEFAULT ".json", &config, e);

	if (ret)
		return ret;
	ret = tree_hash(bundle_at(config, "bundle"), dir, hash, e);
	cJSON_Delete(config);
	return ret;
}

/* --- capturing one -------------------------------------------------------- */

static int copy_files(const struct cJSON *rules, const char *from,
	const char *to, struct err *e)
{
	int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;
	char a[PATH_MAX], b[PATH_MAX], *slash;
	struct names files = {0};
	size_t i;

	if (fd < 0)
		return cannot(e, "open", from);
	r = walk(rules, fd, ".", 0, &files, e);
	for (i = 0; !r && i < files.n; i++) {
		bundle_join(a, from, files.v[i]);
		bundle_join(b, to, files.v[i]);
		slash = strrchr(b, '/');
		*slash = '\0';
		r = file_mkdirs(b, e);
		*slash = '/';
		if (!r)
			r = file_copy(a, b, e);
	}
	if (!r && !files.n)
		r = err_set(e, ERR_USAGE, -ENOENT,
			"%s holds no sources of stoker", from);
	names_fini(&files);
	return r;
}

static int write_hash(const char *dir, const char *hash, struct err *e)
{
	struct cJSON *j = cJSON_CreateObject();
	char path[PATH_MAX], *text = NULL, *line = NULL, at[32];
	time_t t = time(NULL);
	struct tm tm;
	int r;

	gmtime_r(&t, &tm);
	strftime(at, sizeof(at), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (j && json_add_string(j, "hash", hash) &&
		json_add_string(j, "algorithm", "md5-tree-v2") &&
		json_add_string(j, "captured_at", at) &&
		json_add_string(j, "mlpstorage_version", "0.0.0-emulated") &&
		json_add(j, "git_sha", cJSON_CreateNull()))
		text = json_print(j, 2);
	cJSON_Delete(j);
	if (!text || asprintf(&line, "%s\n", text) < 0) {
		free(text);
		return err_nomem(e, "the code image");
	}
	bundle_join(path, dir, ".code-hash.json");
	r = file_write_atomic(path, line, strlen(line), e);
	free(text);
	free(line);
	return r;
}

int bundle_image_capture(const struct bundle_create *o, const char *pool,
	char pointer[64], struct err *e)
{
	char partial[PATH_MAX], path[PATH_MAX], hash[BUNDLE_HASH_MAX], name[32];
	struct cJSON *config;
	int r = config_load(
		o->config_dir, "editions/" EDITION_DEFAULT ".json", &config, e);

	if (r)
		return r;
	bundle_join(partial, pool, "partial");
	r = copy_files(bundle_at(config, "bundle"), o->code_dir, partial, e);
	if (!r)
		r = tree_hash(bundle_at(config, "bundle"), partial, hash, e);
	cJSON_Delete(config);
	if (!r)
		r = write_hash(partial, hash, e);
	if (r)
		return r;
	snprintf(name, sizeof(name), "code-%.8s", hash);
	snprintf(pointer, 64, "md5-tree-v2:%s", hash);
	if (rename(partial, bundle_join(path, pool, name)))
		return cannot(e, "rename", partial);
	return 0;
}

/* --- pools --------------------------------------------------------------- */

/* Also one of a wrong name, which is a finding then. */
static bool is_image(const char *name)
{
	return !strncmp(name, "code-", 5);
}

/* A folder with a sentinel, or one that holds images without it. */
bool bundle_pool_open(struct bundle *b, struct bundle_pool *p, const char *path)
{
	char sentinel[PATH_MAX];
	struct names dirs = {0};
	bool marked;
	size_t i;

	memset(p, 0, sizeof(*p));
	snprintf(p->path, sizeof(p->path), "%s", path);
	if (!bundle_has(b, path, true) || !bundle_list(b, path, &dirs, NULL))
		return false;
	marked = bundle_has(b, bundle_join(sentinel, path, SENTINEL), false);
	p->images = calloc(dirs.n ? dirs.n : 1, sizeof(*p->images));
	b->no_memory = b->no_memory || !p->images;
	for (i = 0; p->images && i < dirs.n; i++)
		if (is_image(dirs.v[i]))
			strcpy(p->images[p->count++].name, dirs.v[i]);
	names_fini(&dirs);
	p->marked = marked;
	if (p->count && !marked)
		bundle_say(b, "CHECK-04", false, path, SENTINEL,
			"%zu images without %s", p->count, SENTINEL);
	else if (marked && !p->count)
		bundle_say_level(b, "CHECK-04", RULE_WARNING, false, path,
			"images", "%s without images", SENTINEL);
	else if (marked)
		bundle_say(b, "CHECK-04", true, path, NULL, "%zu images",
			p->count);
	return marked;
}

void bundle_pool_fini(struct bundle_pool *p)
{
	free(p->images);
	memset(p, 0, sizeof(*p));
}

static bool is_hex(const char *s, size_t n)
{
	return strlen(s) == n && strspn(s, "0123456789abcdef") == n;
}

/* "2026-11-30T12:00:00Z" */
static bool is_utc(const char *s)
{
	return strlen(s) == 20 && s[10] == 'T' && s[19] == 'Z' &&
	       bundle_iso_ns(s) != INT64_MIN;
}

/* What is wrong with .code-hash.json; "" when nothing is. */
static void hash_file_faults(
	const struct cJSON *o, char *why, size_t size)
{
	const struct cJSON *git = bundle_at(o, "git_sha");
	const char *hash = bundle_string(o, "hash");

	why[0] = '\0';
	if (!is_hex(hash, 32))
		snprintf(
			why, size, "hash \"%.60s\" is not 32 hex digits", hash);
	else if (strcmp(bundle_string(o, "algorithm"), "md5-tree-v2"))
		snprintf(why, size, "algorithm \"%.60s\"",
			bundle_string(o, "algorithm"));
	else if (!is_utc(bundle_string(o, "captured_at")))
		snprintf(why, size, "captured_at \"%.60s\"",
			bundle_string(o, "captured_at"));
	else if (!json_has(o, "mlpstorage_version"))
		snprintf(why, size, "mlpstorage_version is missing");
	else if (!git || (!cJSON_IsNull(git) &&
				 !is_hex(bundle_string(o, "git_sha"), 40)))
		snprintf(
			why, size, "git_sha is neither 40 hex digits nor null");
}

/* false: what its .code-hash.json says cannot be relied on. */
static bool check_image(struct bundle *b, const char *path, const char *name)
{
	char file[PATH_MAX], full[PATH_MAX], why[256], hash[BUNDLE_HASH_MAX];
	struct cJSON *o;
	struct err e;

	bundle_join(file, path, ".code-hash.json");
	if (!bundle_has(b, file, false)) {
		bundle_say(b, "CHECK-02", false, path, NULL,
			"there is no .code-hash.json");
		return false;
	}
	o = bundle_json(b, file, "CHECK-02");
	if (!o)
		return false;
	hash_file_faults(o, why, sizeof(why));
	if (why[0]) {
		bundle_say(b, "CHECK-02", false, path, NULL,
			".code-hash.json: %s", why);
		cJSON_Delete(o);
		return false;
	}
	if (strncmp(name + 5, bundle_string(o, "hash"), 8) || name[13])
		bundle_say(b, "CHECK-02", false, path, NULL,
			"the folder is %.60s, the hash begins %.8s", name,
			bundle_string(o, "hash"));
	if (tree_hash(
			 b->rules, bundle_join(full, b->root, path), hash, &e))
		bundle_say(b, "CHECK-02", false, path, NULL, "%s", e.text);
	else
		bundle_say(b, "CHECK-02",
			!strcmp(hash, bundle_string(o, "hash")), path,
			bundle_string(o, "hash"), "the files have %s", hash);
	cJSON_Delete(o);
	return true;
}

void bundle_pool_check(struct bundle *b, const struct bundle_pool *p)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; p->marked && i < p->count; i++) {
		bundle_join(path, p->path, p->images[i].name);
		if (!check_image(b, path, p->images[i].name))
			continue;
		bundle_say(b, "CHECK-03", p->images[i].used, path, NULL,
			p->images[i].used ? "%s is pointed at"
					  : "no leaf points at %s",
			p->images[i].name);
	}
}
