/* The steps of a recipe as children of this program; see recipe.h. */
#include "cli/child.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/recipe.h"

#include "core/file.h"
#include "core/json.h"
#include "results/history.h"
#include "storage/clock.h"
#include "storage/loop.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOCUMENT_BYTES_MAX (256UL << 20)
#define NAMES_MAX 128

/* What a step writes: kept in two files, and shown on stderr. */
struct sink {
	FILE *files[2]; /* of its stdout and stderr */
	bool show_out;
	bool failed;
};

void recipe_print_command(FILE *f, const struct recipe_command *c)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_=./:,+@%";
	const char *p;
	size_t i;

	fprintf(f, "stoker");
	for (i = 0; i < c->count; i++) {
		p = c->words[i];
		if (*p && strspn(p, plain) == strlen(p)) {
			fprintf(f, " %s", p);
			continue;
		}
		fprintf(f, " '");
		for (; *p; p++)
			fprintf(f, *p == '\'' ? "'\\''" : "%c", *p);
		fprintf(f, "'");
	}
	fprintf(f, "\n");
}

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void take(void *arg, int fd, const char *data, size_t len)
{
	struct sink *s = arg;

	if (fwrite(data, 1, len, s->files[fd - 1]) != len)
		s->failed = true;
	if (fd == 2 || s->show_out)
		fwrite(data, 1, len, stderr);
}

static int sink_open(struct sink *s, char paths[2][PATH_MAX], struct err *e)
{
	int i;

	for (i = 0; i < 2; i++) {
		s->files[i] = fopen(paths[i], "we");
		if (s->files[i])
			continue;
		err_set(e, ERR_IO, -errno, "cannot write %s: %s", paths[i],
			strerror(errno));
		if (i)
			fclose(s->files[0]);
		return e->code;
	}
	return 0;
}

static int sink_close(struct sink *s, char paths[2][PATH_MAX], struct err *e)
{
	int i;

	for (i = 0; i < 2; i++) {
		if (fflush(s->files[i]) || fsync(fileno(s->files[i])))
			s->failed = true;
		if (fclose(s->files[i]))
			s->failed = true;
	}
	return s->failed ? err_set(e, ERR_IO, -EIO,
				   "cannot write all of %s or %s", paths[0],
				   paths[1])
			 : 0;
}

/* Has a run below results_dir finished that began since then? */
static bool runs_since(const char *results_dir, int64_t since_ns)
{
	struct history h;
	struct err e;
	bool found = false;
	size_t i;

	if (!history_scan(results_dir, &h, &e))
		for (i = 0; i < h.count; i++)
			found = found ||
				(h.runs[i].rec.run_count &&
					h.runs[i].rec.runs[0].start_ns >=
						since_ns);
	history_fini(&h);
	return found;
}

/* Is this step to go on with what it has begun, and not to begin anew? */
static bool goes_on(const struct recipe_job *j, size_t at)
{
	const struct recipe_log_step *l = &j->log->steps[at];
	const struct recipe_step *s = &j->recipe->steps[at];

	if (!l->started || !s->resume_count || (j->from_asked && at == j->from))
		return false;
	if (runs_since(j->results_dir, l->start_ns))
		return true;
	fprintf(stderr,
		"stoker: step %s was begun before and left no finished run: "
		"it begins anew\n",
		s->name);
	return false;
}

static struct cJSON *step_event(const char *what, const struct recipe_job *j,
	size_t at, const struct recipe_command *c, int64_t start_ns)
{
	struct cJSON *o = recipe_log_event(what), *list;
	size_t i;

	json_add_string(o, "step", j->recipe->steps[at].name);
	json_add_u64(o, "number", at + 1);
	list = json_add_array(o, "argv");
	json_add_string(list, NULL, "stoker");
	for (i = 0; i < c->count; i++)
		json_add_string(list, NULL, c->words[i]);
	json_add_i64(o, "start_ns", start_ns);
	json_add_string(o, "recipe_sha256", j->log->recipe_sha256);
	json_add_string(o, "program_sha256", j->log->program_sha256);
	return o;
}

static void add_figures(struct cJSON *o, const struct recipe *r,
	const struct recipe_step *s, const struct cJSON *doc)
{
	struct cJSON *list = json_add_array(o, "figures"), *one;
	const struct cJSON *found;
	char text[256];
	size_t i;

	for (i = 0; i < s->figure_count; i++) {
		found = doc ? recipe_at(doc, s->figures[i].path) : NULL;
		one = json_add_object(list, NULL);
		json_add_string(one, "wanted",
			recipe_figure_text(
				r, &s->figures[i], text, sizeof(text)));
		json_add(one, "found",
			found ? cJSON_Duplicate(found, true)
			      : cJSON_CreateNull());
	}
}

static int log_end(const struct recipe_job *j, size_t at,
	const struct recipe_command *c, int64_t start_ns,
	char paths[2][PATH_MAX], const struct cJSON *doc, struct err *e)
{
	static const char *const keys[] = {"stdout", "stderr"};
	const struct recipe_result *res = &j->results[at];
	struct cJSON *o = step_event("end", j, at, c, start_ns), *file;
	char sha[SHA256_HEX_MAX];
	int i;

	json_add_i64(o, "end_ns", wall_ns());
	json_add(o, "exit_code",
		res->exit_code < 0 ? cJSON_CreateNull()
				   : json_i64(res->exit_code));
	add_figures(o, j->recipe, &j->recipe->steps[at], doc);
	json_add_bool(o, "accepted", res->state == STEP_ACCEPTED);
	json_add_string(o, "why", res->why);
	for (i = 0; i < 2; i++) {
		if (sha256_file(paths[i], sha, e)) {
			cJSON_Delete(o);
			return e->code;
		}
		file = json_add_object(o, keys[i]);
		json_add_string(file, "file", strrchr(paths[i], '/') + 1);
		json_add_string(file, "sha256", sha);
	}
	return recipe_log_add(j->log, o, e);
}

static struct cJSON *read_document(const char *path)
{
	struct cJSON *doc = NULL;
	char *text;
	size_t len;

	if (file_read_all(path, DOCUMENT_BYTES_MAX, &text, &len, NULL))
		return NULL;
	if (json_parse(text, len, path, &doc, NULL))
		doc = NULL;
	free(text);
	return doc;
}

/* Run the words, keep what they write; *res->why for a child that died. */
static int run_child(const struct recipe_step *s,
	const struct recipe_command *c, char paths[2][PATH_MAX],
	struct recipe_result *res, struct err *e)
{
	struct sink sink = {.show_out = !s->figure_count};
	struct child_args args = {.count = 0};
	struct err died;
	size_t i;
	int r;

	for (i = 0; i < c->count; i++)
		child_word(&args, c->words[i]);
	r = sink_open(&sink, paths, e);
	if (r)
		return r;
	res->exit_code = -1;
	r = child_stream(&args, take, &sink, &res->exit_code, &died);
	child_args_fini(&args);
	if (r) {
		snprintf(res->why, sizeof(res->why), "%s", died.text);
		res->state = r == -EINTR ? STEP_INTERRUPTED : STEP_FAILED;
	}
	return sink_close(&sink, paths, e);
}

static void judge(const struct recipe *r, const struct recipe_step *s,
	const struct cJSON *doc, struct recipe_result *res)
{
	if (res->state != STEP_PENDING)
		return;
	res->state = recipe_accepts(r, s, res->exit_code, doc, res->why,
			     sizeof(res->why))
			     ? STEP_ACCEPTED
			     : STEP_FAILED;
	if (res->exit_code == EXIT_INTERRUPTED && res->state == STEP_FAILED)
		res->state = STEP_INTERRUPTED;
}

static int run_step(
	struct recipe_job *j, size_t at, bool resumed, struct err *e)
{
	const struct recipe_step *s = &j->recipe->steps[at];
	struct recipe_result *res = &j->results[at];
	int64_t start_ns = wall_ns(), began_ns = clock_monotonic_ns();
	struct cJSON *doc = NULL;
	struct recipe_command c;
	char paths[2][PATH_MAX];
	int i, r;

	for (i = 0; i < 2; i++)
		snprintf(paths[i], sizeof(paths[i]),
			"%.*s/steps/%02zu-%s.%u.%s", PATH_MAX - NAMES_MAX,
			j->log->dir, at + 1, s->name,
			j->log->steps[at].attempts + 1, i ? "err" : "out");
	r = recipe_command(j->recipe, s, resumed, &c, e);
	if (!r) {
		fprintf(stderr, "== %zu/%zu %s: ", at + 1,
			j->recipe->step_count, s->name);
		recipe_print_command(stderr, &c);
		r = recipe_log_add(
			j->log, step_event("start", j, at, &c, start_ns), e);
	}
	if (!r)
		r = run_child(s, &c, paths, res, e);
	if (!r) {
		res->seconds = (double)(clock_monotonic_ns() - began_ns) / 1e9;
		if (s->figure_count)
			doc = read_document(paths[0]);
		judge(j->recipe, s, doc, res);
		fprintf(stderr, "   %s %s after %.1f s: %s\n", s->name,
			res->state == STEP_ACCEPTED	 ? "accepted"
			: res->state == STEP_INTERRUPTED ? "interrupted"
							 : "NOT ACCEPTED",
			res->seconds, res->why);
		r = log_end(j, at, &c, start_ns, paths, doc, e);
	}
	cJSON_Delete(doc);
	recipe_command_fini(&c);
	return r;
}

/* What can be done when a step was not accepted. */
static void advise(const struct recipe_job *j, size_t at, bool resumed)
{
	const struct recipe_result *res = &j->results[at];
	const char *name = j->recipe->steps[at].name;

	if (res->state == STEP_INTERRUPTED)
		fprintf(stderr,
			"stoker: interrupted in step %s; the same command "
			"goes on there\n",
			name);
	else if (resumed && res->exit_code == ERR_USAGE)
		fprintf(stderr,
			"stoker: step %s could not go on with what it had "
			"begun, for the reason above; --from %s begins the "
			"step anew\n",
			name, name);
	else
		fprintf(stderr,
			"stoker: step %s: %s; what it wrote is in %s/steps; "
			"the same command tries it again%s\n",
			name, res->why, j->log->dir,
			j->recipe->steps[at].resume_count
				? " (--from this step begins it anew)"
				: "");
}

static int code_of(const struct recipe_result *res)
{
	if (res->state == STEP_INTERRUPTED)
		return EXIT_INTERRUPTED;
	return res->exit_code > ERR_VERDICT && res->exit_code <= ERR_BUG
		       ? res->exit_code
	       : res->exit_code < 0 ? ERR_ENV
				    : ERR_VERDICT;
}

static struct cJSON *begin_event(const struct recipe_job *j)
{
	struct cJSON *o = recipe_log_event("begin"), *values;
	const struct recipe_variable *v;
	size_t i;

	json_add_string(o, "recipe", j->recipe->name);
	json_add_string(o, "recipe_sha256", j->log->recipe_sha256);
	json_add_string(o, "program", "stoker " STOKER_VERSION);
	json_add_string(o, "program_sha256", j->log->program_sha256);
	if (j->from_asked)
		json_add_string(o, "from", j->recipe->steps[j->from].name);
	values = json_add_object(o, "variables");
	for (i = 0; i < j->recipe->variable_count; i++) {
		v = &j->recipe->variables[i];
		if (v->value)
			json_add_string(values, v->name, v->value);
	}
	return o;
}

static int finish(struct recipe_job *j, const char *status, int code)
{
	struct cJSON *o = recipe_log_event("finish");
	struct err e;

	json_add_string(o, "status", status);
	json_add_i64(o, "exit_code", code);
	return recipe_log_add(j->log, o, &e) ? cli_fail(&e) : code;
}

int recipe_run_steps(struct recipe_job *j)
{
	const struct recipe *r = j->recipe;
	struct recipe_result *res;
	struct err e;
	bool resumed;
	size_t i;

	if (recipe_log_add(j->log, begin_event(j), &e))
		return cli_fail(&e);
	launch_catch_signals();
	for (i = 0; i < r->step_count; i++) {
		res = &j->results[i];
		if (!recipe_wanted(r, &r->steps[i])) {
			res->state = STEP_LEFT_OUT;
			continue;
		}
		if (j->log->steps[i].accepted &&
			!(j->from_asked && i >= j->from)) {
			res->state = STEP_BEFORE;
			continue;
		}
		if (loop_interrupted) {
			res->state = STEP_INTERRUPTED;
			advise(j, i, false);
			return finish(j, "interrupted", EXIT_INTERRUPTED);
		}
		resumed = goes_on(j, i);
		if (run_step(j, i, resumed, &e))
			return cli_fail(&e);
		if (res->state == STEP_ACCEPTED)
			continue;
		advise(j, i, resumed);
		return finish(j,
			res->state == STEP_INTERRUPTED ? "interrupted"
						       : "failed",
			code_of(res));
	}
	return finish(j, "accepted", 0);
}
