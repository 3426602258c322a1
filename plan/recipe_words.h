#ifndef PLAN_RECIPE_WORDS_H
#define PLAN_RECIPE_WORDS_H
/* What the parser of recipes asks of variables in words, and of paths. */
#include "plan/recipe.h"

/* May this be a path to a figure? */
bool recipe_path_fits(const char *path);
/* Does the step name the variable in a word or in "when"? */
bool recipe_uses(const struct recipe_step *s, const char *name);
/* Every ${name} is a variable, and one that may be unset is in "when". */
int recipe_check_words(
	const struct recipe *r, const struct recipe_step *s, struct err *e);
/* The variable that a figure is compared with, for "${name}" alone. */
const struct recipe_variable *recipe_figure_variable(
	const struct recipe *r, const struct cJSON *wanted);
/* -ENOENT with all names, and the nearest. */
int recipe_unknown_variable(
	const struct recipe *r, const char *name, struct err *e);

#endif
