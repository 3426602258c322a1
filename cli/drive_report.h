#ifndef CLI_DRIVE_REPORT_H
#define CLI_DRIVE_REPORT_H
/* Views of a probe: a sentence and a table, and the profile as JSON. */
#include "core/record.h"
#include "plan/probe.h"
#include "results/drive.h"
#include "storage/drive.h"

#include <stdio.h>

struct cJSON;

/* name, model, interface, media and capacity_gb; name and out may be NULL. */
void drive_report_name(struct drive_profile *p, const char *name,
	const char *out, const char *dir, const struct rec_drive *d);

/* With "sources" and "passport"; NULL when out of memory. */
struct cJSON *drive_report_json(const struct drive_profile *profile,
	const struct probe *p, const struct rec_drive *d,
	const struct probe_assumed *assumed);

void drive_report_print(FILE *f, const struct probe *p,
	const struct rec_drive *d, const struct drive_profile *profile);
void drive_report_table(FILE *f, const struct probe *p);

#endif
