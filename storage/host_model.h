#ifndef STORAGE_HOST_MODEL_H
#define STORAGE_HOST_MODEL_H
/*
 * What the host and its software cost on top of a modelled drive, from
 * configs/hosts/NAME.json. All zero: a host that costs nothing.
 *
 *	{"name": "v3.0", "step_us": 3100, "file_open_us": 0,
 *	 "buffered_read_gb_per_s": 0, "cores": 0, "cpu_s_per_gib": 0,
 *	 "note": "...", "sources": {"step_us": "calibrated: ..."}}
 */
#include "core/err.h"

#include <stddef.h>
#include <stdint.h>

struct host_model {
	char name[64];
	/* from a complete batch to the start of its compute, every step */
	int64_t step_ns;
	int64_t file_open_ns; /* added to the first request of a file */
	/* all buffered readers of a host together; 0 = no ceiling */
	double buffered_read_gb_per_s;
	/* cores that move data, and what a GiB costs them; 0 = no ceiling */
	double cores, cpu_s_per_gib;
};

/* NAME, FILE.json or "none". */
int host_model_load(const char *config_dir, const char *text,
	struct host_model *h, struct err *e);

/*
 * Bytes per second that this host takes at most, buffered or with O_DIRECT;
 * 0 = no ceiling.
 */
double host_model_ceiling(const struct host_model *h, int buffered);

#endif
