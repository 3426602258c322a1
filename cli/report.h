#ifndef CLI_REPORT_H
#define CLI_REPORT_H
/* `stoker report`; see results/report.h. */
#include "cli/options.h"

extern const struct option_row report_rows[];
int cmd_report(int argc, const char **argv);

#endif
