#ifndef WORKLOADS_VDB_GUIDE_H
#define WORKLOADS_VDB_GUIDE_H
/*
 * What decides which nodes a search visits: the chain that reads them (see
 * vdb_chain.h) knows nothing of it. One guide serves one search at a time, of
 * any query in its segment.
 */
#include "core/err.h"
#include "core/vdb_record.h"
#include "datagen/vdb_graph.h"
#include "datagen/vdb_index.h"
#include "datagen/vdb_vectors.h"

#include <stdint.h>

struct vdb_answer {
	uint32_t id; /* in the whole data set */
	float distance;
};

struct vdb_guide;

struct vdb_guide_ops {
	/* Start a search; counts go to c until the next one. */
	void (*begin)(struct vdb_guide *g, uint64_t query,
		struct vdb_counts *c);
	/*
	 * Go on as far as memory allows: up to max nodes that must be read
	 * now. 0: wait for what is being read; if nothing is, the search is
	 * over.
	 */
	uint32_t (*next)(struct vdb_guide *g, uint32_t max, uint32_t *nodes);
	/*
	 * The record of a node that next() named is there; NULL on a drive
	 * that has no bytes. -EBADMSG when it is none.
	 */
	int (*landed)(struct vdb_guide *g, uint32_t node,
		const uint8_t *record, struct err *e);
	/* The best answers, nearest first, up to k; NULL: there are none. */
	uint32_t (*answers)(
		struct vdb_guide *g, uint32_t k, struct vdb_answer *out);
	void (*close)(struct vdb_guide *g);
};

struct vdb_guide {
	const struct vdb_guide_ops *ops;
	const struct vdb_layout *layout;
};

/* Where a workload gets the guides of a segment from. */
struct vdb_guides {
	int (*open)(const struct vdb_guides *from, uint32_t segment,
		struct vdb_guide **out, struct err *e);
	const struct vdb_config *config;
};

/*
 * Replay: walks a random graph as searches in a real one were measured to.
 * A search expands E nodes in T = ceil(E / W) + 4 rounds; the first rounds hit
 * the node cache, later ones with the probability that makes h in all
 * (rounds of a real search find their nodes in the cache at its start: of 19
 * rounds 14 read). The next nodes are links of the last ones, chosen by the
 * digest of all that was read so far. What is cached is not kept in memory but
 * made again.
 */
struct vdb_replay {
	struct vdb_guides guides;
	const struct vdb_graph *graphs; /* one a segment */
};

void vdb_replay_init(struct vdb_replay *r, const struct vdb_config *c,
	const struct vdb_graph *graphs);

/* Real searches in real indexes, by squared Euclidean distance. */
struct vdb_search {
	struct vdb_guides guides;
	const struct vdb_index *indexes; /* one a segment */
	const struct vdb_vectors *queries;
};

void vdb_search_init(struct vdb_search *v, const struct vdb_config *c,
	const struct vdb_index *indexes, const struct vdb_vectors *queries);

/* Rounds of a search, how many of the first ones always hit, and the chance of
 * a hit in the others. */
uint32_t vdb_replay_rounds(const struct vdb_config *c);
uint32_t vdb_replay_lead(const struct vdb_config *c);
double vdb_replay_hit_share(const struct vdb_config *c);

#endif
