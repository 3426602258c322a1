#ifndef CLI_DRIVE_H
#define CLI_DRIVE_H
/* `stoker drive ...`: what drives can do, and which one a folder lies on. */
#include "cli/options.h"

#include <stdbool.h>
#include <stdint.h>

struct drive_options {
	const char *data_dir, *file, *drive, *engine;
	const char *size, *seconds;
	const char *out, *name, *config_dir;
	bool write, no_write, show_serial;
	bool json, dry_run, quiet;
};

extern const struct option_row drive_probe_rows[], drive_list_rows[];
extern const struct option_row drive_show_rows[], drive_passport_rows[];

int cmd_drive_probe(int argc, const char **argv);
int cmd_drive_list(int argc, const char **argv);
int cmd_drive_show(int argc, const char **argv);
int cmd_drive_passport(int argc, const char **argv);

#endif
