#ifndef CORE_NEAREST_H
#define CORE_NEAREST_H
/* What was probably meant: for errors about a name that does not exist. */

/*
 * The name in names[] (NULL-ended) that is nearest to `name` by edits
 * (Levenshtein), or NULL when none is near enough to be a likely typo.
 */
const char *nearest_name(const char *name, const char *const *names);

#endif
