#ifndef PLAN_RECIPE_H
#define PLAN_RECIPE_H
/*
 * A recipe: the commands of a whole campaign as one JSON file, with variables
 * and what makes each step acceptable. Here it is parsed, checked and turned
 * into command lines; nothing is read or started. Version 1:
 *
 *	{"recipe": 1, "name": "smoke", "description": "...",
 *	 "variables": {"results_dir": {"help": "...", "kind": "new_folder"},
 *		"accelerators": {"help": "...", "kind": "count", "min": 1,
 *			"max": 512, "default": "1"}},
 *	 "steps": [{"name": "run",
 *		"command": ["training", "run", "-n", "${accelerators}"],
 *		"resume": ["--resume"],
 *		"when": "accelerators",
 *		"accept": {"exit": [0, 1], "figures": [
 *			{"path": "campaign.reference", "equals": "PASS"},
 *			{"path": "runs[0].metrics.au_mean_pct",
 *			 "at_least": 90}]}}]}
 *
 * "${name}" in a word of a command is the variable's value, "$$" a dollar. A
 * variable with a default may be left alone, one with "optional": true may be
 * unset: then the steps that name it in "when" are left out. "accept" is exit
 * code 0 if not given; figures are read from the document that the command
 * prints with --json, which is put behind its words; they may be compared with
 * "${name}" too, which is a number for a variable of kind count. "resume" are
 * words to add when a step that was interrupted goes on. results_dir must be a
 * variable: the log of a recipe lies there.
 *
 * Among the words of a command may stand {"when": "name", "words": [...],
 * "else": [...]}: the first ones where that variable is set, else the others.
 * "one_of": ["data_dir", "drive"] beside "steps" names variables of which just
 * one must be set; each is optional.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

#define RECIPE_NAME_MAX 48
#define RECIPE_TEXT_MAX 240
#define RECIPE_VARIABLES_MAX 32
#define RECIPE_STEPS_MAX 64
#define RECIPE_WORDS_MAX 96
#define RECIPE_RESUME_MAX 8
#define RECIPE_EXITS_MAX 8
#define RECIPE_FIGURES_MAX 8

enum recipe_kind {
	RECIPE_TEXT,
	RECIPE_COUNT,	   /* a whole number from min to max */
	RECIPE_FOLDER,	   /* must be there */
	RECIPE_NEW_FOLDER, /* is made where it is not */
	RECIPE_FILE,	   /* must be there */
};

struct recipe_variable {
	char name[RECIPE_NAME_MAX], help[RECIPE_TEXT_MAX];
	enum recipe_kind kind;
	bool optional;
	uint64_t min, max;
	char *value; /* malloc'd; NULL: not set */
};

enum recipe_compare { RECIPE_EQUALS, RECIPE_AT_LEAST, RECIPE_AT_MOST };

struct recipe_figure {
	const char *path; /* borrowed from doc, as all below */
	enum recipe_compare compare;
	const struct cJSON *wanted;
};

struct recipe_step {
	char name[RECIPE_NAME_MAX];
	const char *words[RECIPE_WORDS_MAX];
	/* the word is there where this variable is set; NULL: always */
	const char *word_when[RECIPE_WORDS_MAX];
	bool word_else[RECIPE_WORDS_MAX]; /* ... is not set */
	size_t word_count;
	const char *resume[RECIPE_RESUME_MAX];
	size_t resume_count;
	const char *when; /* a variable; NULL: always */
	int exits[RECIPE_EXITS_MAX];
	size_t exit_count;
	struct recipe_figure figures[RECIPE_FIGURES_MAX];
	size_t figure_count;
};

struct recipe {
	struct cJSON *doc;
	char name[RECIPE_NAME_MAX], description[RECIPE_TEXT_MAX];
	struct recipe_variable variables[RECIPE_VARIABLES_MAX];
	size_t variable_count;
	const struct cJSON *one_of; /* names; NULL: none */
	struct recipe_step steps[RECIPE_STEPS_MAX];
	size_t step_count;
};

/*
 * Parse and check; `file` names the text in errors, all of which are
 * ERR_USAGE. Free *r with recipe_fini() in any case.
 */
int recipe_parse(const char *text, size_t len, const char *file,
	struct recipe *r, struct err *e);
void recipe_fini(struct recipe *r);

/* "name=value"; -ENOENT with the nearest name for one that is unknown. */
int recipe_set(struct recipe *r, const char *pair, struct err *e);
/* Give a variable another value (an absolute path); -ENOMEM. */
int recipe_replace(struct recipe_variable *v, const char *value, struct err *e);
/*
 * -EINVAL naming the variables that have to be set and are not, or those of
 * "one_of" of which not just one is set.
 */
int recipe_complete(const struct recipe *r, struct err *e);

const struct recipe_variable *recipe_variable(
	const struct recipe *r, const char *name);
const char *recipe_kind_name(enum recipe_kind kind);
/* The step of this name; -ENOENT with the nearest one. */
int recipe_find_step(
	const struct recipe *r, const char *name, size_t *at, struct err *e);
/* False when its "when" is not set. */
bool recipe_wanted(const struct recipe *r, const struct recipe_step *s);

struct recipe_command {
	char *words[RECIPE_WORDS_MAX + RECIPE_RESUME_MAX + 1];
	size_t count; /* without the program's name */
};

/*
 * The words of a step with the values of the variables (an unset one stands
 * as it is); `resumed` adds its resume words. Free with recipe_command_fini()
 * in any case.
 */
int recipe_command(const struct recipe *r, const struct recipe_step *s,
	bool resumed, struct recipe_command *c, struct err *e);
void recipe_command_fini(struct recipe_command *c);

/* What path ("runs[0].metrics.read_bytes") points at in doc, or NULL. */
const struct cJSON *recipe_at(const struct cJSON *doc, const char *path);

/* "campaign.reference == "PASS"", for people; returns buf. */
const char *recipe_figure_text(const struct recipe *r,
	const struct recipe_figure *f, char *buf, size_t size);

/*
 * May the campaign go on? doc is what the step printed, NULL if it printed no
 * document. why gets the figures that were found ("NOT campaign.reference
 * == "PASS", found "FAIL""), also of a step that is accepted.
 */
bool recipe_accepts(const struct recipe *r, const struct recipe_step *s,
	int exit_code, const struct cJSON *doc, char *why, size_t size);

#endif
