#ifndef RESULTS_DRIVE_H
#define RESULTS_DRIVE_H
/* Views of the drive's passport (struct rec_drive): a line, a table, JSON. */
#include "core/record.h"

#include <stddef.h>
#include <stdio.h>

struct cJSON;

/* Longer ones are cut. */
#define RESULTS_DRIVE_LINE_MAX 512

/* "ext4 on nvme0n1p1: MODEL, firmware F, PCIe Gen5 x4"; buf is returned. */
const char *results_drive_line(
	char *buf, size_t size, const struct rec_drive *d);

/* Everything, a fact a line. */
void results_drive_print(FILE *f, const struct rec_drive *d);

/* NULL when out of memory. */
struct cJSON *results_drive_json(const struct rec_drive *d);

/*
 * From object `key` of root, of a record of that version. Without that key, as
 * in older records, d->known stays false. 0, or -EBADMSG with `name` for the
 * file.
 */
int results_drive_read(const struct cJSON *root, const char *key,
	uint32_t version, struct rec_drive *d, const char *name,
	struct err *e);

#endif
