#ifndef CLI_RULES_ASK_H
#define CLI_RULES_ASK_H
/* What the rules say of a run before it starts, for every workload. */
#include "cli/resolve.h"
#include "core/err.h"
#include "results/rules.h"

#include <stddef.h>

/*
 * ERR_USAGE naming each rule that fails as an error, with its figure and
 * remedy; 0 if none does.
 */
int rules_refuse(const struct rule_finding *found, size_t count,
	const char *edition, enum rec_division division, struct err *e);

/*
 * Ask the rules of the facts' family; edition and division are filled in.
 * What fails is added to *reasons ("4.6.1 checkpointClosedMpiProcesses: 7
 * processes, 8 needed"), but for advice. An accelerator that the division does
 * not admit turns *division into what-if, which refuses nothing.
 */
int rules_ask(struct rule_facts *f, const char *config_dir,
	enum rec_division *division, struct not_closed *reasons, struct err *e);

/* `what` and results lie on one file system: told before anything is run. */
void rules_warn_filesystem(const char *what);

#endif
