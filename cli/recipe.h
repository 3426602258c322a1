#ifndef CLI_RECIPE_H
#define CLI_RECIPE_H
/* `stoker recipe`: the commands of a campaign, from a file; plan/recipe.h. */
#include "cli/options.h"
#include "cli/recipe_log.h"
#include "plan/recipe.h"

#include <stdio.h>

extern const struct option_row recipe_list_rows[], recipe_show_rows[],
	recipe_run_rows[];
int cmd_recipe_list(int argc, const char **argv);
int cmd_recipe_show(int argc, const char **argv);
int cmd_recipe_run(int argc, const char **argv);

/*
 * Does this program have the command of every step, and the command its
 * options? -EINVAL (ERR_USAGE) with the step and the name that is unknown.
 */
int recipe_check_commands(const struct recipe *r, struct err *e);

enum recipe_state {
	STEP_PENDING,
	STEP_LEFT_OUT, /* its "when" is not set */
	STEP_BEFORE,   /* accepted by an earlier start of the recipe */
	STEP_ACCEPTED,
	STEP_FAILED,
	STEP_INTERRUPTED,
};

struct recipe_result {
	enum recipe_state state;
	int exit_code;
	double seconds;
	char why[1024];
};

struct recipe_job {
	const struct recipe *recipe;
	struct recipe_log *log;	 /* open */
	const char *results_dir; /* absolute */
	bool from_asked;	 /* --from: step `from` begins anew */
	size_t from;
	struct recipe_result results[RECIPE_STEPS_MAX];
};

/*
 * Run what is not accepted yet, in order, until a step is not. Progress and
 * what the steps write go to stderr. The exit code of the whole.
 */
int recipe_run_steps(struct recipe_job *j);

/* "stoker training run ...", quoted for a shell, to f. */
void recipe_print_command(FILE *f, const struct recipe_command *c);

#endif
