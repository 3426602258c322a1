/* `stoker recipe list`, `show` and `run`; see recipe.h. */
#include "cli/recipe.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "core/config.h"
#include "core/file.h"
#include "core/json.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECIPE_BYTES_MAX (1UL << 20)

struct recipe_options {
	const char *set[OPTION_LIST_MAX];
	const char *from, *config_dir;
	bool dry_run, json;
};

#define O struct recipe_options
#include "cli/rows.h"

#define CONFIG_ROW                                                             \
	TEXT("config-dir", config_dir, "DIR",                                  \
		"recipes/NAME.json there override or add to the built-in "     \
		"ones",                                                        \
		.words = COMPLETE_DIR)
const struct option_row recipe_list_rows[] = {
	HEADING("Recipe"),
	CONFIG_ROW,
	JSON_ROW,
	END,
};

const struct option_row recipe_show_rows[] = {
	HEADING("Recipe"),
	CONFIG_ROW,
	JSON_ROW,
	END,
};

const struct option_row recipe_run_rows[] = {
	HEADING("Recipe"),
	LIST("set", set, "NAME=VALUE",
		"a variable of the recipe; recipe show lists them "
		"(repeatable)"),
	TEXT("from", from, "STEP",
		"run this step and all behind it anew, although they are "
		"accepted",
		.standard = "the first that is not accepted"),
	CONFIG_ROW,
	HEADING("Output"),
	FLAG("dry-run", dry_run,
		"check all, show the commands, run nothing"),
	JSON_ROW,
	END,
};

/* One that was named, with the text it was read from. */
struct source {
	struct recipe recipe;
	char *text;
	size_t len;
	char origin[CONFIG_ORIGIN_MAX];
};

static int load(const char *name, const char *config_dir, struct source *s,
	struct err *e)
{
	size_t n = strlen(name);
	char config[256];
	int r;

	memset(s, 0, sizeof(*s));
	if (strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".json"))) {
		snprintf(s->origin, sizeof(s->origin), "%s", name);
		r = file_read_regular(
			name, RECIPE_BYTES_MAX, &s->text, &s->len, e);
		if (r)
			e->kind = ERR_USAGE;
	} else {
		snprintf(config, sizeof(config), "recipes/%s.json", name);
		r = config_text(
			config_dir, config, &s->text, &s->len, s->origin, e);
	}
	if (!r)
		r = recipe_parse(s->text, s->len, s->origin, &s->recipe, e);
	return r;
}

static void unload(struct source *s)
{
	recipe_fini(&s->recipe);
	free(s->text);
}

struct listing {
	const char *config_dir;
	struct cJSON *list; /* NULL: print */
	struct err *e;
};

static int list_one(void *arg, const char *base)
{
	struct listing *l = arg;
	struct cJSON *o;
	struct source s;
	int r = load(base, l->config_dir, &s, l->e);

	if (!r && l->list) {
		o = json_add_object(l->list, NULL);
		json_add_string(o, "name", base);
		json_add_string(o, "description", s.recipe.description);
		json_add_u64(o, "steps", s.recipe.step_count);
		json_add_string(o, "origin", s.origin);
	} else if (!r) {
		printf("%-22s %zu steps  %s\n", base, s.recipe.step_count,
			s.recipe.description);
	}
	unload(&s);
	return r;
}

int cmd_recipe_list(int argc, const char **argv)
{
	struct recipe_options o = {.json = false};
	struct listing l = {.list = NULL};
	struct err e;
	int code;

	if (!command_options(recipe_list_rows, &o, argc, argv, &code))
		return code;
	l.config_dir = o.config_dir;
	l.list = o.json ? cJSON_CreateArray() : NULL;
	l.e = &e;
	if (config_each(o.config_dir, "recipes", list_one, &l, &e)) {
		cJSON_Delete(l.list);
		return cli_fail_report(o.json, &e);
	}
	return o.json ? cli_print_json(l.list) : 0;
}

static void print_accept(const struct recipe *r, const struct recipe_step *s)
{
	char text[256];
	size_t i;

	printf("     accepted with exit code");
	for (i = 0; i < s->exit_count; i++)
		printf("%s %d", i ? " or" : "", s->exits[i]);
	for (i = 0; i < s->figure_count; i++)
		printf(" and %s", recipe_figure_text(r, &s->figures[i], text,
					  sizeof(text)));
	printf("\n");
}

/* The words that a step has once its variable is set. */
static int print_choice(
	struct recipe *r, const struct recipe_step *s, struct err *e)
{
	struct recipe_variable *v = NULL;
	struct recipe_command c;
	char value[RECIPE_NAME_MAX + 4];
	size_t i, k;

	for (i = 0; i < s->word_count && !v; i++)
		for (k = 0; s->word_when[i] && k < r->variable_count; k++)
			if (!strcmp(r->variables[k].name, s->word_when[i]))
				v = &r->variables[k];
	if (!v || v->value)
		return 0;
	snprintf(value, sizeof(value), "${%s}", v->name);
	v->value = value;
	i = (size_t)recipe_command(r, s, false, &c, e);
	v->value = NULL;
	if (!i) {
		printf("     with %s set: ", v->name);
		recipe_print_command(stdout, &c);
	}
	recipe_command_fini(&c);
	return i ? e->code : 0;
}

/* The steps; with l also what is accepted already. */
static int print_steps(
	struct recipe *r, const struct recipe_log *l, struct err *e)
{
	const struct recipe_step *s;
	struct recipe_command c;
	size_t i;

	for (i = 0; i < r->step_count; i++) {
		s = &r->steps[i];
		if (recipe_command(r, s, false, &c, e)) {
			recipe_command_fini(&c);
			return e->code;
		}
		printf("%3zu  %s%s%s%s%s\n     ", i + 1, s->name,
			s->when ? ", when set: " : "", s->when ? s->when : "",
			l && !recipe_wanted(r, s) ? " (left out)" : "",
			l && l->steps[i].accepted ? " (accepted already)" : "");
		recipe_print_command(stdout, &c);
		recipe_command_fini(&c);
		if (!l && print_choice(r, s, e))
			return e->code;
		print_accept(r, s);
	}
	return 0;
}

static int print_recipe(struct source *s, struct err *e)
{
	struct recipe *r = &s->recipe;
	const struct recipe_variable *v;
	size_t i;

	printf("%s: %s (%s)\nvariables:\n", r->name, r->description, s->origin);
	for (i = 0; i < r->variable_count; i++) {
		v = &r->variables[i];
		printf("  %-16s %s, %s%s%s\n", v->name,
			recipe_kind_name(v->kind), v->help,
			v->value      ? "; default "
			: v->optional ? "; may be left out"
				      : "; must be set",
			v->value ? v->value : "");
	}
	printf("steps:\n");
	return print_steps(r, NULL, e);
}

int cmd_recipe_show(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	struct recipe_options o = {.json = false};
	const char *name;
	struct source s;
	struct err e;
	int code;

	if (!command_options_words(
		    recipe_show_rows, &o, argc, argv, &words, &code))
		return code;
	name = option_word(&words);
	if (!name) {
		err_set(&e, ERR_USAGE, -EINVAL,
			"recipe show needs a name or FILE.json; stoker recipe "
			"list shows the names");
		return cli_fail_report(o.json, &e);
	}
	if (load(name, o.config_dir, &s, &e) ||
		recipe_check_commands(&s.recipe, &e))
		code = cli_fail_report(o.json, &e);
	else if (o.json)
		code = cli_print_json(cJSON_Duplicate(s.recipe.doc, true));
	else
		code = print_recipe(&s, &e) ? cli_fail_report(o.json, &e) : 0;
	unload(&s);
	return code;
}

static int check_path(
	const struct recipe_variable *v, const char *path, struct err *e)
{
	struct stat st;
	bool folder = v->kind != RECIPE_FILE;

	if (stat(path, &st)) {
		if (errno == ENOENT && v->kind == RECIPE_NEW_FOLDER)
			return 0;
		return err_set(e, ERR_USAGE, -errno, "--set %s=%s: %s%s",
			v->name, v->value, strerror(errno),
			folder ? "; make the folder first" : "");
	}
	if (folder == S_ISDIR(st.st_mode))
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL, "--set %s=%s: is %s folder",
		v->name, v->value, folder ? "no" : "a");
}

/* Paths become absolute, so that the log says which were meant. */
static int resolve_paths(struct recipe *r, struct err *e)
{
	char cwd[PATH_MAX], path[2 * PATH_MAX];
	struct recipe_variable *v;
	size_t i;

	if (!getcwd(cwd, sizeof(cwd)))
		return err_set(e, ERR_ENV, -errno, "current folder: %s",
			strerror(errno));
	for (i = 0; i < r->variable_count; i++) {
		v = &r->variables[i];
		if (!v->value || v->kind == RECIPE_TEXT ||
			v->kind == RECIPE_COUNT)
			continue;
		if (v->value[0] == '/')
			snprintf(path, sizeof(path), "%s", v->value);
		else
			snprintf(path, sizeof(path), "%s/%s", cwd, v->value);
		if (check_path(v, path, e) || recipe_replace(v, path, e))
			return e->code;
	}
	return 0;
}

static int prepare(struct source *s, const char *name,
	const struct recipe_options *o, size_t *from, struct err *e)
{
	size_t i;
	int r;

	memset(s, 0, sizeof(*s));
	if (!name)
		return err_set(e, ERR_USAGE, -EINVAL,
			"recipe run needs a name or FILE.json; stoker recipe "
			"list shows the names");
	r = load(name, o->config_dir, s, e);
	if (!r)
		r = recipe_check_commands(&s->recipe, e);
	for (i = 0; !r && o->set[i]; i++)
		r = recipe_set(&s->recipe, o->set[i], e);
	if (!r)
		r = recipe_complete(&s->recipe, e);
	if (!r)
		r = resolve_paths(&s->recipe, e);
	if (!r && o->from)
		r = recipe_find_step(&s->recipe, o->from, from, e);
	return r;
}

static const char *state_name(enum recipe_state s)
{
	static const char *const names[] = {"not run", "left out",
		"accepted before", "accepted", "FAILED", "interrupted"};

	return names[s];
}

static size_t count_state(const struct recipe_job *j, enum recipe_state s)
{
	size_t i, n = 0;

	for (i = 0; i < j->recipe->step_count; i++)
		n += j->results[i].state == s;
	return n;
}

static void print_result(const struct recipe_job *j, int code)
{
	size_t left_out = count_state(j, STEP_LEFT_OUT), i;
	const struct recipe_result *res;

	printf("%s: recipe %s, %zu of %zu steps",
		!code			   ? "ACCEPTED"
		: code == EXIT_INTERRUPTED ? "INTERRUPTED"
					   : "NOT ACCEPTED",
		j->recipe->name,
		count_state(j, STEP_ACCEPTED) + count_state(j, STEP_BEFORE),
		j->recipe->step_count - left_out);
	if (left_out)
		printf(", %zu left out", left_out);
	printf("\n");
	for (i = 0; i < j->recipe->step_count; i++) {
		res = &j->results[i];
		printf("%3zu  %-20s %-15s", i + 1, j->recipe->steps[i].name,
			state_name(res->state));
		if (res->why[0])
			printf(" %8.1f s  %s", res->seconds, res->why);
		else if (res->state == STEP_BEFORE)
			printf("  %*s  %s", 8, "", j->log->steps[i].why);
		printf("\n");
	}
	printf("log: %s\n", j->log->path);
}

static int print_json(const struct recipe_job *j, int code)
{
	struct cJSON *root = cJSON_CreateObject(), *list, *o;
	const struct recipe_result *res;
	size_t i;

	json_add_string(root, "status",
		!code			   ? "finished"
		: code == EXIT_INTERRUPTED ? "interrupted"
					   : "failed");
	json_add_string(root, "recipe", j->recipe->name);
	json_add_string(root, "recipe_sha256", j->log->recipe_sha256);
	json_add_string(root, "program_sha256", j->log->program_sha256);
	json_add_string(root, "log", j->log->path);
	list = json_add_array(root, "steps");
	for (i = 0; i < j->recipe->step_count; i++) {
		res = &j->results[i];
		o = json_add_object(list, NULL);
		json_add_string(o, "name", j->recipe->steps[i].name);
		json_add_string(o, "state", state_name(res->state));
		if (!res->why[0])
			continue;
		json_add(o, "exit_code",
			res->exit_code < 0 ? cJSON_CreateNull()
					   : json_i64(res->exit_code));
		json_add_double(o, "seconds", res->seconds);
		json_add_string(o, "why", res->why);
	}
	json_add_i64(root, "exit_code", code);
	return cli_print_json(root) ? ERR_ENV : code;
}

static void tell_unreadable(const struct recipe_log *l)
{
	if (l->unreadable)
		fprintf(stderr,
			"stoker: %zu line(s) of %s cannot be read (cut off by "
			"a crash?) and are passed over\n",
			l->unreadable, l->path);
}

static int dry_run(struct source *s, const char *results_dir,
	const struct recipe_options *o, size_t from, struct err *e)
{
	struct recipe *r = &s->recipe;
	struct recipe_job j = {.recipe = r};
	struct recipe_log log;
	size_t i;
	int ret, code = 0;

	ret = recipe_log_read(&log, r, results_dir, s->text, s->len, e);
	if (!ret)
		ret = recipe_log_allows(&log, r, o->from != NULL, from, e);
	for (i = 0; i < r->step_count; i++) {
		if (o->from && i >= from)
			log.steps[i].accepted = false;
		j.results[i].state = !recipe_wanted(r, &r->steps[i])
					     ? STEP_LEFT_OUT
				     : log.steps[i].accepted ? STEP_BEFORE
							     : STEP_PENDING;
	}
	j.log = &log;
	if (!ret && o->json)
		code = print_json(&j, 0);
	if (!ret && !o->json) {
		printf("recipe %s would run %zu of %zu steps, log in %s\n",
			r->name, count_state(&j, STEP_PENDING), r->step_count,
			log.dir);
		ret = print_steps(r, &log, e);
	}
	recipe_log_close(&log);
	return ret ? ret : code;
}

static int run(struct source *s, const char *results_dir,
	const struct recipe_options *o, size_t from, struct err *e)
{
	struct recipe_job j = {.recipe = &s->recipe,
		.results_dir = results_dir,
		.from_asked = o->from != NULL,
		.from = from};
	struct recipe_log log;
	int code;

	if (recipe_log_open(
		    &log, &s->recipe, results_dir, s->text, s->len, e) ||
		recipe_log_allows(&log, &s->recipe, j.from_asked, from, e)) {
		recipe_log_close(&log);
		return e->code;
	}
	tell_unreadable(&log);
	j.log = &log;
	code = recipe_run_steps(&j);
	if (o->json)
		code = print_json(&j, code);
	else
		print_result(&j, code);
	recipe_log_close(&log);
	return code;
}

int cmd_recipe_run(int argc, const char **argv)
{
	struct option_words words = {.most = 1};
	const char *results_dir;
	struct recipe_options o = {.json = false};
	struct source s;
	size_t from = 0;
	struct err e;
	int code;

	if (!command_options_words(
		    recipe_run_rows, &o, argc, argv, &words, &code))
		return code;
	if (prepare(&s, option_word(&words), &o, &from, &e)) {
		unload(&s);
		return cli_fail_report(o.json, &e);
	}
	results_dir = recipe_variable(&s.recipe, "results_dir")->value;
	code = (o.dry_run ? dry_run : run)(&s, results_dir, &o, from, &e);
	unload(&s);
	return code < 0 ? cli_fail_report(o.json, &e) : code;
}
