#ifndef CLI_BUNDLE_H
#define CLI_BUNDLE_H
/* The commands about submission trees (results/bundle.h). */
#include "cli/options.h"

extern const struct option_row bundle_check_rows[];
int cmd_bundle_check(int argc, const char **argv);

#endif
