#ifndef STORAGE_DRIVE_H
#define STORAGE_DRIVE_H
/*
 * What a drive can do: a profile, from its specification sheet, from a review
 * or from `stoker drive probe`; configs/drives/NAME.json or a file. Rates are
 * decimal as vendors print them (GB = 10^9 bytes, kIOPS = 1000/s).
 *
 *	{"name": "d7-ps1010", "model": "Solidigm D7-PS1010 7.68 TB",
 *	 "media": "TLC", "interface": "PCIe Gen5 x4", "capacity_gb": 7680,
 *	 "sequential_read_gb_per_s": 14.5, "sequential_write_gb_per_s": 9.3,
 *	 "random_read_kiops": 3100, "random_write_kiops": 400,
 *	 "read_latency_us": 57, "write_latency_us": 8,
 *	 "sources": {"capacity_gb": "specification sheet"},
 *	 "measured": [{"op": "read", "pattern": "random", "bytes": 4096,
 *		"depth": 1, "jobs": 1, "gb_per_s": 0.077, "mean_us": 53.2}]}
 *
 * Random rates and latencies are those of 4 KiB reads; random writes are of
 * random_write_bytes (default 4096) each.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

#define DRIVE_NAME_MAX 64
#define DRIVE_TEXT_MAX 128
#define DRIVE_POINTS_MAX 96
#define DRIVE_COUNT_MAX 10000

/* One measurement of a steady state. */
struct drive_point {
	bool write, random;
	uint32_t bytes; /* of a request */
	uint32_t depth; /* requests in flight of each job */
	uint32_t jobs;
	double gb_per_s;
	double mean_us, p50_us, p95_us, p99_us; /* 0 = not known */
	double ci_pct; /* half width of the 95 % interval, 0 = not known */
};

struct drive_profile {
	char name[DRIVE_NAME_MAX];
	char model[DRIVE_TEXT_MAX];
	char media[16];	    /* "TLC", "QLC", "" */
	char interface[32]; /* "PCIe Gen5 x4" */
	uint32_t count;	    /* drives in a stripe; all figures are of one */
	double capacity_gb;
	double sequential_read_gb_per_s, sequential_write_gb_per_s;
	double random_read_kiops, random_write_kiops;
	uint32_t random_write_bytes;
	double read_latency_us, write_latency_us; /* 4 KiB, one in flight */
	uint32_t indirection_bytes; /* smaller writes are read-modify-write */
	/* one command's bytes move at this rate; 0 = that of the link */
	double command_read_gb_per_s, command_write_gb_per_s;
	/* what buffered (page cache) readers get at most; 0 = not known */
	double buffered_read_gb_per_s;
	double write_buffer_mb;
	uint32_t point_count;
	struct drive_point points[DRIVE_POINTS_MAX];
	bool measured; /* by `stoker drive probe` */
	bool generic;  /* stands for a class of drives */
	char note[256];
};

/*
 * Profile of `text`: NAME, FILE.json (a path with a slash or that suffix) or
 * "24x NAME" (also "24xNAME"): a stripe over so many. config_dir as in
 * config_load(). -ENOENT with the known names; values out of range name file
 * and key.
 */
int drive_profile_load(const char *config_dir, const char *text,
	struct drive_profile *p, struct err *e);

/* From an object; `file` names it in errors. */
int drive_profile_parse(const struct cJSON *obj, const char *file,
	struct drive_profile *p, struct err *e);
/* Everything but count; the caller frees it. NULL when out of memory. */
struct cJSON *drive_profile_json(const struct drive_profile *p);

/* Capacity of the whole stripe. */
static inline uint64_t drive_capacity_bytes(const struct drive_profile *p)
{
	return (uint64_t)(p->capacity_gb * 1e9) * p->count;
}

#endif
