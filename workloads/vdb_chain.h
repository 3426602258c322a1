#ifndef WORKLOADS_VDB_CHAIN_H
#define WORKLOADS_VDB_CHAIN_H
/*
 * One search in one segment: the reads of a beam search. With the reference
 * schedule all reads of a round are handed in together and awaited together;
 * pipelined, those that land are looked at at once and the next ones follow,
 * up to W in flight. See vdb_chain_together().
 */
#include "datagen/vdb_bin.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"
#include "workloads/vdb_guide.h"

#include <stdbool.h>

struct vdb_chain;

struct vdb_chain_env {
	const struct vdb_config *config;
	struct engine *engine;
	const struct store_file *file; /* of the segment */
	/* to verify with; NULL: do not */
	const struct vdb_graph *graph;
	const struct vdb_bin *sums;
	const struct buffers *buffers;
	uint32_t first_buffer; /* beam_width of them */
	/* something landed, so that vdb_chain_step() may get further */
	void (*ready)(void *ctx, struct vdb_chain *c);
	void *ctx;
	struct vdb_counts *counts;
	struct hist *latency_ns;
};

/* guide is taken over, also after an error. */
int vdb_chain_open(const struct vdb_chain_env *env, struct vdb_guide *guide,
	struct vdb_chain **out, struct err *e);
/* Nothing may be in flight. */
void vdb_chain_close(struct vdb_chain *c);

void vdb_chain_begin(struct vdb_chain *c, uint64_t query);
/* 1: the search is over, 0: it waits for ready(), or an error. */
int vdb_chain_step(struct vdb_chain *c, struct err *e);
struct vdb_guide *vdb_chain_guide(struct vdb_chain *c);
/*
 * How many reads the pipelined schedule awaits together, with W = width in
 * flight of which one takes read_ns to land and look_ns to look at: as many as
 * land while a whole beam is looked at, W x W x look / read (Little's law), as
 * they would wait for the processor in any case, and handed in one by one the
 * next ones cost it more; at most half the beam, so that the drive has the
 * other half meanwhile. 1 where looking takes no time, as on a virtual clock.
 */
uint32_t vdb_chain_together(uint32_t width, int64_t look_ns, int64_t read_ns);
/* For the owner: its own list of chains that are ready. */
struct vdb_chain **vdb_chain_link(struct vdb_chain *c);

#endif
