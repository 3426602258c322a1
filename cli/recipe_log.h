#ifndef CLI_RECIPE_LOG_H
#define CLI_RECIPE_LOG_H
/*
 * The audit log of a recipe, RESULTS/recipe-NAME/audit.jsonl: one JSON object a
 * line, appended and synced, never changed. It is also the state from which a
 * recipe goes on, so the two cannot disagree. Events: "begin" (hashes of recipe
 * and program, variables, first step), "start" and "end" of a step (words,
 * times, exit code, figures, hash of what it printed), "finish".
 */
#include "core/err.h"
#include "core/sha256.h"
#include "plan/recipe.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct cJSON;

struct recipe_log_step {
	uint32_t attempts;	/* starts there ever were, for names of files */
	bool started, accepted; /* of the campaign that is going on */
	int64_t start_ns;	/* CLOCK_REALTIME of its first start since */
	char why[512];		/* what was found when it was accepted */
};

struct recipe_log {
	char dir[PATH_MAX], path[PATH_MAX];
	char recipe_sha256[SHA256_HEX_MAX], program_sha256[SHA256_HEX_MAX];
	int fd; /* -1: not open */
	/* as read: */
	bool begun;
	char was_recipe[SHA256_HEX_MAX], was_program[SHA256_HEX_MAX];
	struct cJSON *was_variables;
	size_t unreadable; /* lines cut off by a crash */
	struct recipe_log_step steps[RECIPE_STEPS_MAX];
};

/*
 * Where the log of r below results_dir is, and what it says; no log is no
 * error. text is the recipe as it was read, for its hash.
 */
int recipe_log_read(struct recipe_log *l, const struct recipe *r,
	const char *results_dir, const char *text, size_t len, struct err *e);
/* Make and open it, and read it, so that nobody else writes meanwhile. */
int recipe_log_open(struct recipe_log *l, const struct recipe *r,
	const char *results_dir, const char *text, size_t len, struct err *e);
void recipe_log_close(struct recipe_log *l);

/*
 * May r go on from step `from` (0: from the beginning, if from_asked) with what
 * the log holds? -EINVAL (ERR_USAGE) says what stands against it.
 */
int recipe_log_allows(const struct recipe_log *l, const struct recipe *r,
	bool from_asked, size_t from, struct err *e);

/* Append an event (freed here; NULL: no memory) and sync it. */
int recipe_log_add(struct recipe_log *l, struct cJSON *event, struct err *e);
/* {"event": event, "time": now in UTC}, to add more to. */
struct cJSON *recipe_log_event(const char *event);

#endif
