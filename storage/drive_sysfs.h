#ifndef STORAGE_DRIVE_SYSFS_H
#define STORAGE_DRIVE_SYSFS_H
/* What sysfs says of one block device; for drive_id.c. */
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First line of dir/name without blanks around; false if there is none. */
bool sysfs_text(const char *dir, const char *name, char *buf, size_t size);
/* The number in it; 0 if there is none. */
uint64_t sysfs_number(const char *dir, const char *name);

/* v of the device whose folder is dir (a real path below root/sys). */
void sysfs_device(const char *root, const char *dir, struct rec_device *v);

#endif
