/* The audit log of a recipe; see recipe_log.h. */
#include "cli/recipe_log.h"

#include "core/file.h"
#include "core/json.h"

#include <cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define LOG_BYTES_MAX (256UL << 20)

static const char *text_of(const struct cJSON *o, const char *key)
{
	const struct cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static struct recipe_log_step *step_of(struct recipe_log *l,
	const struct recipe *r, const struct cJSON *event, size_t *at)
{
	if (recipe_find_step(r, text_of(event, "step"), at, NULL))
		return NULL; /* of a recipe that has changed since */
	return &l->steps[*at];
}

static void forget_from(struct recipe_log *l, size_t from)
{
	for (; from < RECIPE_STEPS_MAX; from++) {
		l->steps[from].started = l->steps[from].accepted = false;
		l->steps[from].start_ns = 0;
	}
}

static void take_begin(
	struct recipe_log *l, const struct recipe *r, const struct cJSON *event)
{
	size_t from;

	l->begun = true;
	snprintf(l->was_recipe, sizeof(l->was_recipe), "%s",
		text_of(event, "recipe_sha256"));
	snprintf(l->was_program, sizeof(l->was_program), "%s",
		text_of(event, "program_sha256"));
	cJSON_Delete(l->was_variables);
	l->was_variables = cJSON_Duplicate(
		cJSON_GetObjectItemCaseSensitive(event, "variables"), true);
	if (!json_has(event, "from"))
		return;
	if (recipe_find_step(r, text_of(event, "from"), &from, NULL))
		from = 0;
	forget_from(l, from);
}

static void take_event(
	struct recipe_log *l, const struct recipe *r, const struct cJSON *event)
{
	const struct cJSON *start =
		cJSON_GetObjectItemCaseSensitive(event, "start_ns");
	const char *what = text_of(event, "event");
	struct recipe_log_step *s;
	size_t at;

	if (!strcmp(what, "begin"))
		take_begin(l, r, event);
	s = step_of(l, r, event, &at);
	if (s && !strcmp(what, "start")) {
		s->attempts++;
		if (!s->started && cJSON_IsNumber(start))
			s->start_ns = (int64_t)start->valuedouble;
		s->started = true;
		/* what comes behind it was made from what it made before */
		forget_from(l, at + 1);
	} else if (s && !strcmp(what, "end")) {
		s->accepted = cJSON_IsTrue(
			cJSON_GetObjectItemCaseSensitive(event, "accepted"));
		snprintf(s->why, sizeof(s->why), "%s", text_of(event, "why"));
	}
}

static int read_events(
	struct recipe_log *l, const struct recipe *r, struct err *e)
{
	char *text, *line, *rest;
	struct cJSON *event;
	int ret;

	ret = file_read_all(l->path, LOG_BYTES_MAX, &text, NULL, e);
	if (ret)
		return ret == -ENOENT ? 0 : ret;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		if (!*line)
			continue;
		event = cJSON_Parse(line);
		if (cJSON_IsObject(event))
			take_event(l, r, event);
		else
			l->unreadable++;
		cJSON_Delete(event);
	}
	free(text);
	return 0;
}

static int place(struct recipe_log *l, const struct recipe *r,
	const char *results_dir, const char *text, size_t len, struct err *e)
{
	memset(l, 0, sizeof(*l));
	l->fd = -1;
	sha256_hex(text, len, l->recipe_sha256);
	if (snprintf(l->dir, sizeof(l->dir), "%s/recipe-%s", results_dir,
		    r->name) > PATH_MAX - 128)
		return err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"results_dir=%s: path too long", results_dir);
	snprintf(l->path, sizeof(l->path), "%.*s/audit.jsonl", PATH_MAX - 64,
		l->dir);
	return sha256_file("/proc/self/exe", l->program_sha256, e);
}

int recipe_log_read(struct recipe_log *l, const struct recipe *r,
	const char *results_dir, const char *text, size_t len, struct err *e)
{
	int ret = place(l, r, results_dir, text, len, e);

	return ret ? ret : read_events(l, r, e);
}

static int sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return -1;
	r = fsync(fd);
	close(fd);
	return r;
}

int recipe_log_open(struct recipe_log *l, const struct recipe *r,
	const char *results_dir, const char *text, size_t len, struct err *e)
{
	char steps[PATH_MAX], last;
	off_t size;
	int ret = place(l, r, results_dir, text, len, e);

	if (ret)
		return ret;
	snprintf(steps, sizeof(steps), "%.*s/steps", PATH_MAX - 64, l->dir);
	ret = file_mkdirs(steps, e);
	if (ret)
		return ret;
	l->fd = open(l->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (l->fd < 0 || sync_folder(l->dir))
		return err_set(e, ERR_IO, -errno, "cannot write %s: %s",
			l->path, strerror(errno));
	/* file systems without locks (ENOLCK) go without */
	if (flock(l->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return err_set(e, ERR_USAGE, -EBUSY,
			"another `recipe run` works with %s; wait for it, or "
			"give another results_dir",
			l->path);
	size = lseek(l->fd, 0, SEEK_END);
	/* a line that a crash has cut off must not swallow the next one */
	if (size > 0 && pread(l->fd, &last, 1, size - 1) == 1 && last != '\n' &&
		write(l->fd, "\n", 1) != 1)
		return err_set(e, ERR_IO, -errno, "cannot write %s: %s",
			l->path, strerror(errno));
	return read_events(l, r, e);
}

void recipe_log_close(struct recipe_log *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	cJSON_Delete(l->was_variables);
	l->was_variables = NULL;
}

static int changed_hash(const char *what, const char *was, const char *is,
	const struct recipe_log *l, const struct recipe *r, struct err *e)
{
	return err_set(e, ERR_USAGE, -EINVAL,
		"cannot go on: %s has changed since the campaign in %s began "
		"(SHA-256 %.12s..., now %.12s...), and its steps would not "
		"belong together; nothing was started. Use %s as it was, give "
		"another results_dir, or begin again with --from %s",
		what, l->dir, was, is, what, r->steps[0].name);
}

static int same_variables(
	const struct recipe_log *l, const struct recipe *r, struct err *e)
{
	const struct recipe_variable *v;
	const char *was, *is;
	size_t i;

	for (i = 0; i < r->variable_count; i++) {
		v = &r->variables[i];
		was = text_of(l->was_variables, v->name);
		is = v->value ? v->value : "";
		if (strcmp(was, is))
			return err_set(e, ERR_USAGE, -EINVAL,
				"cannot go on: %s is \"%s\", and was \"%s\" "
				"when the campaign in %s began; nothing was "
				"started. Set it as it was, give another "
				"results_dir, or begin again with --from %s",
				v->name, is, was, l->dir, r->steps[0].name);
	}
	return 0;
}

int recipe_log_allows(const struct recipe_log *l, const struct recipe *r,
	bool from_asked, size_t from, struct err *e)
{
	size_t i;

	if (from_asked && !from)
		return 0;
	if (l->begun && strcmp(l->was_recipe, l->recipe_sha256))
		return changed_hash(
			"the recipe", l->was_recipe, l->recipe_sha256, l, r, e);
	if (l->begun && strcmp(l->was_program, l->program_sha256))
		return changed_hash("the program", l->was_program,
			l->program_sha256, l, r, e);
	if (l->begun && same_variables(l, r, e))
		return e->code;
	for (i = 0; from_asked && i < from; i++)
		if (recipe_wanted(r, &r->steps[i]) && !l->steps[i].accepted)
			return err_set(e, ERR_USAGE, -EINVAL,
				"--from %s: step \"%s\" before it is not "
				"accepted in %s; leave --from out to go on "
				"there",
				r->steps[from].name, r->steps[i].name, l->path);
	return 0;
}

int recipe_log_add(struct recipe_log *l, struct cJSON *event, struct err *e)
{
	char *text = event ? json_print(event, -1) : NULL;
	size_t len = text ? strlen(text) : 0;
	ssize_t n;

	cJSON_Delete(event);
	if (!text)
		return err_nomem(e, "a line of the audit log");
	text[len] = '\n'; /* in one write, so that lines do not mix */
	n = write(l->fd, text, len + 1);
	free(text);
	if (n == (ssize_t)len + 1 && !fsync(l->fd))
		return 0;
	return err_set(e, ERR_IO,
		n < 0 || n == (ssize_t)len + 1 ? -errno : -EIO,
		"cannot write %s: %s", l->path,
		n < 0 || n == (ssize_t)len + 1 ? strerror(errno)
					       : "no room for a whole line");
}

struct cJSON *recipe_log_event(const char *event)
{
	struct cJSON *o = cJSON_CreateObject();
	time_t now = time(NULL);
	char text[32];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_add_string(o, "event", event);
	json_add_string(o, "time", text);
	return o;
}
