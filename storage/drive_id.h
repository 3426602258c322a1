#ifndef STORAGE_DRIVE_ID_H
#define STORAGE_DRIVE_ID_H
/*
 * The drive's passport: which file system a folder lies on, which devices
 * that lies on, and what sysfs tells of them without root: model, firmware,
 * block sizes, the PCIe link now and at most, queue settings, temperature.
 * Nothing is opened but files of /proc and /sys.
 */
#include "core/record.h"

#include <stdbool.h>

/*
 * Passport of the file system that holds path, or its nearest parent that
 * exists. What cannot be told stays empty; d->note says why there is no
 * device, or what else a reader should know. 0, or -errno when path itself
 * cannot be looked at (d->known is false then).
 */
int drive_identify(const char *path, bool show_serial, struct rec_drive *d);

/*
 * The same with /proc and /sys below `root`, for a folder that is mounted
 * at mount point `path` or below it and has device number major:minor.
 */
int drive_identify_at(const char *root, const char *path, unsigned major,
	unsigned minor, bool show_serial, struct rec_drive *d);

/* All but the last four characters become stars; all of a short one. */
void drive_mask_serial(char *serial);

#endif
