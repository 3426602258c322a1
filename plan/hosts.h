#ifndef PLAN_HOSTS_H
#define PLAN_HOSTS_H
/*
 * The hosts of a group, described once each, whatever the placement of ranks
 * (by node, by slot): an entry per host, never one per rank
 * (mlcommons/storage#669).
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stdint.h>

/* Collective: fill rec->hosts in rank 0's process (zeroed elsewhere). */
int hosts_gather(struct group *g, bool with_meminfo, struct record *rec,
	struct err *e);

/*
 * A modelled client: rec->hosts have this much memory each, as was said, and
 * not what this machine has; with a note.
 */
void hosts_state_memory(struct record *rec, uint64_t bytes);

/* Collective: every process gets the sum of MemTotal over all hosts. */
int hosts_memory_bytes(struct group *g, uint64_t *sum, struct err *e);

#endif
