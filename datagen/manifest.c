/*
 * The manifest of a data folder; see manifest.h. The seed is a string in the
 * file because a JSON number does not hold 64 bits; all other numbers stay
 * below 2^53.
 */
#include "datagen/manifest.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_KEY "stoker_manifest"
#define VERSION 1
#define COMPRESS_KEY "compress_ratio"
#define DEDUP_KEY "dedup_ratio"
#define EXACT_MAX (1ULL << 53)	   /* whole numbers a double holds */
#define TEXT_BYTES_MAX (1LL << 30) /* 2^32 files would not be read back */
#define PATH_BYTES 4096

/* The place being read or written, for errors. */
struct doc {
	const char *path;
	struct err *e;
};

static int bad(const struct doc *d, const char *key, const char *want)
{
	return err_set(d->e, ERR_IO, -EBADMSG,
		"%s: '%s' is not %s; the file is damaged or of another "
		"version: generate the data set again",
		d->path, key, want);
}

static int io_error(const struct doc *d, const char *what)
{
	int code = -errno;

	return err_set(d->e, ERR_IO, code, "cannot %s %s: %s", what, d->path,
		strerror(-code));
}

/* ---- reading ---- */

/*
 * The object's keys must be exactly these: a misspelt or doubled one would
 * silently fall out of the comparison of data sets.
 */
static int check_keys(const struct doc *d, const cJSON *obj,
	const char *const *keys, const char *what)
{
	unsigned seen = 0, i;
	const cJSON *c;

	if (!cJSON_IsObject(obj))
		return bad(d, what, "an object");
	for (c = obj->child; c; c = c->next) {
		for (i = 0; keys[i] && strcmp(c->string, keys[i]) != 0; i++)
			;
		if (!keys[i])
			return bad(d, c->string, "a known key");
		if (seen & 1U << i)
			return bad(d, c->string, "there only once");
		seen |= 1U << i;
	}
	return 0;
}

static bool is_u64(const cJSON *c, uint64_t max, uint64_t *v)
{
	/* Written so that NaN fails. */
	if (!cJSON_IsNumber(c) || !(c->valuedouble >= 0) ||
		!(c->valuedouble <= (double)max))
		return false;
	*v = (uint64_t)c->valuedouble;
	return (double)*v == c->valuedouble;
}

static int get_u64(
	const struct doc *d, const cJSON *obj, const char *key, uint64_t *v)
{
	const cJSON *c = cJSON_GetObjectItemCaseSensitive(obj, key);

	return is_u64(c, EXACT_MAX, v) ? 0 : bad(d, key, "a whole number");
}

static int get_text(const struct doc *d, const cJSON *obj, const char *key,
	char *buf, size_t cap)
{
	const cJSON *c = cJSON_GetObjectItemCaseSensitive(obj, key);

	if (!cJSON_IsString(c) || strlen(c->valuestring) >= cap)
		return bad(d, key, "a text, or is too long");
	strcpy(buf, c->valuestring);
	return 0;
}

static int get_seed(const struct doc *d, const cJSON *obj, uint64_t *seed)
{
	char text[24], again[24];
	int rc;

	rc = get_text(d, obj, "seed", text, sizeof(text));
	if (rc)
		return rc;
	*seed = strtoull(text, NULL, 10);
	snprintf(again, sizeof(again), "%" PRIu64, *seed);
	return strcmp(text, again) ? bad(d, "seed", "a decimal 64-bit number")
				   : 0;
}

static int get_layout(
	const struct doc *d, const cJSON *root, struct dataset_layout *l)
{
	static const char *const keys[] = {"format", "files", "subfolders",
		"samples_per_file", "record_bytes", "record_stdev_bytes",
		"datagen_ranks", NULL};
	const cJSON *o = cJSON_GetObjectItemCaseSensitive(root, "layout"), *c;
	int rc;

	rc = check_keys(d, o, keys, "layout");
	if (!rc)
		rc = get_text(d, o, "format", l->format, sizeof(l->format));
	if (!rc)
		rc = get_u64(d, o, "files", &l->files);
	if (!rc)
		rc = get_u64(d, o, "subfolders", &l->subfolders);
	if (!rc)
		rc = get_u64(d, o, "samples_per_file", &l->samples_per_file);
	if (!rc)
		rc = get_u64(d, o, "record_bytes", &l->record_bytes);
	if (!rc)
		rc = get_u64(d, o, "datagen_ranks", &l->ranks);
	if (rc)
		return rc;
	c = cJSON_GetObjectItemCaseSensitive(o, "record_stdev_bytes");
	if (!cJSON_IsNumber(c))
		return bad(d, "record_stdev_bytes", "a number");
	l->record_stdev_bytes = c->valuedouble;
	if (dataset_check(l, d->e)) {
		err_wrap(d->e, "%s", d->path);
		if (d->e) {
			d->e->kind = ERR_IO;
			d->e->code = -EBADMSG;
		}
		return -EBADMSG;
	}
	return 0;
}

/* The array under key, which must have one number a file; NULL if absent. */
static int get_array(const struct doc *d, const cJSON *root, const char *key,
	uint64_t files, const cJSON **array)
{
	const cJSON *a = cJSON_GetObjectItemCaseSensitive(root, key), *c;
	uint64_t n = 0;

	*array = a;
	if (!a)
		return 0;
	if (!cJSON_IsArray(a))
		return bad(d, key, "an array");
	for (c = a->child; c; c = c->next)
		n++;
	return n == files ? 0 : bad(d, key, "as long as there are files");
}

static int get_file_bytes(
	const struct doc *d, const cJSON *root, struct manifest *m)
{
	const char *key = "file_bytes";
	const cJSON *a, *c;
	uint64_t sum = 0, i = 0;
	int rc;

	rc = get_array(d, root, key, m->layout.files, &a);
	if (rc)
		return rc;
	if (!a)
		return m->complete ? bad(d, key, "there") : 0;
	m->file_bytes = calloc(m->layout.files, sizeof(*m->file_bytes));
	if (!m->file_bytes)
		return err_nomem(d->e, d->path);
	for (c = a->child; c; c = c->next, i++) {
		if (!is_u64(c, EXACT_MAX, &m->file_bytes[i]))
			return bad(d, key, "an array of whole numbers");
		if (__builtin_add_overflow(sum, m->file_bytes[i], &sum))
			return bad(d, key, "a sum of 64 bits");
	}
	return sum == m->total_bytes
		       ? 0
		       : bad(d, "total_bytes", "the sum of file_bytes");
}

static int get_file_crc32(
	const struct doc *d, const cJSON *root, struct manifest *m)
{
	const char *key = "file_crc32";
	const cJSON *a, *c;
	uint64_t v, i = 0;
	int rc;

	rc = get_array(d, root, key, m->layout.files, &a);
	if (rc || !a)
		return rc;
	m->file_crc32 = calloc(m->layout.files, sizeof(*m->file_crc32));
	if (!m->file_crc32)
		return err_nomem(d->e, d->path);
	for (c = a->child; c; c = c->next) {
		if (!is_u64(c, UINT32_MAX, &v))
			return bad(d, key, "an array of 32-bit numbers");
		m->file_crc32[i++] = (uint32_t)v;
	}
	return 0;
}

static int get_kind(
	const struct doc *d, const cJSON *root, enum content_kind *kind)
{
	char text[16];
	int rc;

	rc = get_text(d, root, "content", text, sizeof(text));
	if (rc)
		return rc;
	*kind = CONTENT_UNIQUE;
	if (!strcmp(text, content_kind_name(CONTENT_UNIQUE)))
		return 0;
	*kind = CONTENT_REFERENCE;
	if (!strcmp(text, content_kind_name(CONTENT_REFERENCE)))
		return 0;
	return bad(d, "content", "unique or reference");
}

/* Sets of older versions have no ratios: 1, which is 0 here. */
static int get_ratio(const struct doc *d, const cJSON *root, const char *key,
	enum content_kind kind, uint32_t *milli)
{
	const cJSON *c = cJSON_GetObjectItemCaseSensitive(root, key);
	double v = cJSON_IsNumber(c) ? c->valuedouble * CONTENT_RATIO_ONE : 0;

	if (!c)
		return 0; /* *milli is 0 */
	if (!(v > CONTENT_RATIO_ONE && v <= CONTENT_RATIO_MAX))
		return bad(d, key, "above 1 and up to 100");
	*milli = (uint32_t)(v + 0.5);
	return kind == CONTENT_UNIQUE ? 0 : bad(d, key, "for unique content");
}

static int get_manifest(
	const struct doc *d, const cJSON *root, struct manifest *m)
{
	static const char *const keys[] = {VERSION_KEY, "model", "scale",
		"complete", "content", "seed", COMPRESS_KEY, DEDUP_KEY,
		"layout", "total_bytes", "file_bytes", "file_crc32", NULL};
	struct content_ratios *r = &m->ratios;
	uint64_t version;
	const cJSON *c;
	int rc;

	c = cJSON_GetObjectItemCaseSensitive(root, VERSION_KEY);
	if (!is_u64(c, EXACT_MAX, &version) || version != VERSION)
		return bad(d, VERSION_KEY, "version 1");
	rc = check_keys(d, root, keys, VERSION_KEY);
	if (!rc)
		rc = get_text(d, root, "model", m->model, sizeof(m->model));
	if (!rc)
		rc = get_text(d, root, "scale", m->scale, sizeof(m->scale));
	if (!rc)
		rc = get_kind(d, root, &m->kind);
	if (!rc)
		rc = get_seed(d, root, &m->seed);
	if (!rc)
		rc = get_ratio(
			d, root, COMPRESS_KEY, m->kind, &r->compress_milli);
	if (!rc)
		rc = get_ratio(d, root, DEDUP_KEY, m->kind, &r->dedup_milli);
	if (!rc)
		rc = get_layout(d, root, &m->layout);
	if (!rc)
		rc = get_u64(d, root, "total_bytes", &m->total_bytes);
	if (rc)
		return rc;
	c = cJSON_GetObjectItemCaseSensitive(root, "complete");
	if (!cJSON_IsBool(c))
		return bad(d, "complete", "true or false");
	m->complete = cJSON_IsTrue(c);
	rc = get_file_bytes(d, root, m);
	return rc ? rc : get_file_crc32(d, root, m);
}

/* The whole file with a zero byte behind it; the caller frees *text. */
static int read_text(const struct doc *d, char **text)
{
	size_t size, done = 0;
	struct stat st;
	ssize_t n = 1;
	int fd, rc = 0;

	*text = NULL;
	fd = open(d->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return io_error(d, "open");
	if (fstat(fd, &st)) {
		rc = io_error(d, "stat");
	} else if (!S_ISREG(st.st_mode) || st.st_size > TEXT_BYTES_MAX) {
		rc = bad(d, MANIFEST_NAME, "a file of at most 1 GiB");
	} else {
		size = (size_t)st.st_size;
		*text = malloc(size + 1);
		if (!*text)
			rc = err_nomem(d->e, d->path);
		while (!rc && n > 0 && done < size) {
			n = read(fd, *text + done, size - done);
			if (n > 0)
				done += (size_t)n;
			else if (n < 0)
				rc = io_error(d, "read");
		}
		if (!rc)
			(*text)[done] = '\0';
	}
	close(fd);
	return rc;
}

static int make_path(
	const char *folder, const char *suffix, char *path, struct err *e)
{
	int n = snprintf(
		path, PATH_BYTES, "%s/" MANIFEST_NAME "%s", folder, suffix);

	if (n < 0 || n >= PATH_BYTES)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"the folder name is too long: %.100s...", folder);
	return 0;
}

int manifest_load(const char *folder, struct manifest *m, struct err *e)
{
	char path[PATH_BYTES], *text;
	struct doc d = {path, e};
	cJSON *root;
	int rc;

	memset(m, 0, sizeof(*m));
	rc = make_path(folder, "", path, e);
	if (rc)
		return rc;
	rc = read_text(&d, &text);
	if (!rc) {
		/* Nothing but blanks may follow the object. */
		root = cJSON_ParseWithOpts(text, NULL, 1);
		rc = root ? get_manifest(&d, root, m)
			  : bad(&d, MANIFEST_NAME, "JSON");
		cJSON_Delete(root);
	}
	free(text);
	if (rc)
		manifest_free(m);
	return rc;
}

/* ---- writing ---- */

static int check(const struct manifest *m, struct err *e)
{
	uint64_t sum = 0, i;
	int rc;

	rc = dataset_check(&m->layout, e);
	if (!rc && m->kind != CONTENT_UNIQUE && content_ratios_set(&m->ratios))
		rc = err_set(e, ERR_BUG, -EINVAL, "manifest: stray ratios");
	if (rc)
		return rc;
	for (i = 0; m->file_bytes && i < m->layout.files; i++)
		sum += m->file_bytes[i];
	if (m->total_bytes > EXACT_MAX ||
		(m->file_bytes ? sum != m->total_bytes : m->complete))
		return err_set(e, ERR_BUG, -EINVAL,
			"manifest of %" PRIu64 " bytes: the file sizes are "
			"missing or add up to %" PRIu64,
			m->total_bytes, sum);
	return 0;
}

static bool add_layout(cJSON *root, const struct dataset_layout *l)
{
	cJSON *o = cJSON_AddObjectToObject(root, "layout");

	return o && cJSON_AddStringToObject(o, "format", l->format) &&
	       cJSON_AddNumberToObject(o, "files", (double)l->files) &&
	       cJSON_AddNumberToObject(
		       o, "subfolders", (double)l->subfolders) &&
	       cJSON_AddNumberToObject(
		       o, "samples_per_file", (double)l->samples_per_file) &&
	       cJSON_AddNumberToObject(
		       o, "record_bytes", (double)l->record_bytes) &&
	       cJSON_AddNumberToObject(
		       o, "record_stdev_bytes", l->record_stdev_bytes) &&
	       cJSON_AddNumberToObject(o, "datagen_ranks", (double)l->ranks);
}

static bool add_number(cJSON *array, double v)
{
	cJSON *c = cJSON_CreateNumber(v);

	return c && cJSON_AddItemToArray(array, c);
}

static bool add_files(cJSON *root, const struct manifest *m)
{
	uint64_t n = m->layout.files, i;
	cJSON *a;

	if (m->file_bytes) {
		a = cJSON_AddArrayToObject(root, "file_bytes");
		for (i = 0; a && i < n; i++)
			if (!add_number(a, (double)m->file_bytes[i]))
				return false;
		if (!a)
			return false;
	}
	if (m->file_crc32 && dataset_format(&m->layout)->has_crc) {
		a = cJSON_AddArrayToObject(root, "file_crc32");
		for (i = 0; a && i < n; i++)
			if (!add_number(a, m->file_crc32[i]))
				return false;
		if (!a)
			return false;
	}
	return true;
}

/* No key for a ratio of 1: older versions read such a set. */
static bool add_ratio(cJSON *root, const char *key, uint32_t milli)
{
	return !content_ratio_set(milli) ||
	       cJSON_AddNumberToObject(
		       root, key, (double)milli / CONTENT_RATIO_ONE);
}

/* The text of the file, freed with cJSON_free(); NULL without memory. */
static char *print(const struct manifest *m)
{
	const char *kind = content_kind_name(m->kind);
	cJSON *root = cJSON_CreateObject();
	char seed[24], *text = NULL;

	snprintf(seed, sizeof(seed), "%" PRIu64, m->seed);
	if (cJSON_AddNumberToObject(root, VERSION_KEY, VERSION) &&
		cJSON_AddStringToObject(root, "model", m->model) &&
		cJSON_AddStringToObject(root, "scale", m->scale) &&
		cJSON_AddBoolToObject(root, "complete", m->complete) &&
		cJSON_AddStringToObject(root, "content", kind) &&
		cJSON_AddStringToObject(root, "seed", seed) &&
		add_ratio(root, COMPRESS_KEY, m->ratios.compress_milli) &&
		add_ratio(root, DEDUP_KEY, m->ratios.dedup_milli) &&
		add_layout(root, &m->layout) &&
		cJSON_AddNumberToObject(
			root, "total_bytes", (double)m->total_bytes) &&
		add_files(root, m))
		text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

static int write_text(const struct doc *d, const char *text)
{
	size_t size = strlen(text), done = 0;
	ssize_t n = 0;
	int fd, rc = 0;

	fd = open(d->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return io_error(d, "create");
	for (; !rc && done < size; done += (size_t)n) {
		n = write(fd, text + done, size - done);
		if (n < 0) {
			rc = io_error(d, "write");
			n = 0;
		}
	}
	if (!rc && fsync(fd))
		rc = io_error(d, "fsync");
	if (close(fd) && !rc)
		rc = io_error(d, "close");
	return rc;
}

static int sync_folder(const char *folder, struct err *e)
{
	const struct doc d = {folder, e};
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return io_error(&d, "open");
	if (fsync(fd))
		rc = io_error(&d, "fsync");
	close(fd);
	return rc;
}

int manifest_save(const char *folder, const struct manifest *m, struct err *e)
{
	char path[PATH_BYTES], tmp[PATH_BYTES], *text;
	const struct doc d = {tmp, e};
	int rc;

	rc = check(m, e);
	if (!rc)
		rc = make_path(folder, "", path, e);
	if (!rc)
		rc = make_path(folder, ".tmp", tmp, e);
	if (rc)
		return rc;
	text = print(m);
	if (!text)
		return err_nomem(e, path);
	rc = write_text(&d, text);
	cJSON_free(text);
	if (!rc && rename(tmp, path))
		rc = io_error(&d, "rename");
	if (rc)
		unlink(tmp);
	return rc ? rc : sync_folder(folder, e);
}

void manifest_free(struct manifest *m)
{
	free(m->file_bytes);
	free(m->file_crc32);
	memset(m, 0, sizeof(*m));
}

/* ---- comparing ---- */

bool manifest_same_set(const struct manifest *a, const struct manifest *b,
	char *why, size_t why_bytes)
{
	const struct dataset_layout *la = &a->layout, *lb = &b->layout;
	bool varied = la->record_stdev_bytes > 0;
	bool seeded = a->kind == CONTENT_UNIQUE;
	const struct {
		const char *what;
		uint64_t a, b;
	} numbers[] = {
		{"number of files", la->files, lb->files},
		{"number of sub-folders",
			la->subfolders > 1 ? la->subfolders : 0,
			lb->subfolders > 1 ? lb->subfolders : 0},
		{"samples per file", la->samples_per_file,
			lb->samples_per_file},
		{"record length in bytes", la->record_bytes, lb->record_bytes},
		{"number of generating processes", varied ? la->ranks : 0,
			varied ? lb->ranks : 0},
		{"compress ratio in thousandths",
			content_ratio_milli(a->ratios.compress_milli),
			content_ratio_milli(b->ratios.compress_milli)},
		{"dedup ratio in thousandths",
			content_ratio_milli(a->ratios.dedup_milli),
			content_ratio_milli(b->ratios.dedup_milli)},
		{"content seed", seeded ? a->seed : 0, seeded ? b->seed : 0},
	};
	size_t i;

	if (strcmp(la->format, lb->format) != 0) {
		snprintf(why, why_bytes, "format: %s, not %s", la->format,
			lb->format);
		return false;
	}
	if (la->record_stdev_bytes != lb->record_stdev_bytes) {
		snprintf(why, why_bytes,
			"standard deviation of the record length: %.17g, not "
			"%.17g bytes",
			la->record_stdev_bytes, lb->record_stdev_bytes);
		return false;
	}
	if (a->kind != b->kind) {
		snprintf(why, why_bytes, "content: %s, not %s",
			content_kind_name(a->kind), content_kind_name(b->kind));
		return false;
	}
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (numbers[i].a == numbers[i].b)
			continue;
		snprintf(why, why_bytes, "%s: %" PRIu64 ", not %" PRIu64,
			numbers[i].what, numbers[i].a, numbers[i].b);
		return false;
	}
	return true;
}
