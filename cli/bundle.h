#ifndef CLI_BUNDLE_H
#define CLI_BUNDLE_H
/* The commands about submission trees (results/bundle.h). */
#include "cli/options.h"

extern const struct option_row bundle_check_rows[];
int cmd_bundle_check(int argc, const char **argv);

extern const struct option_row bundle_create_rows[];
int cmd_bundle_create(int argc, const char **argv);

/* `stoker system describe`: this host, for SYSTEM.yaml. */
extern const struct option_row system_describe_rows[];
int cmd_system_describe(int argc, const char **argv);

#endif
