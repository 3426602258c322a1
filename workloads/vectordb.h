#ifndef WORKLOADS_VECTORDB_H
#define WORKLOADS_VECTORDB_H
/*
 * The vector-database workload: clients that send queries to an index on disk.
 * A query searches all segments at once and ends with the slowest one, plus
 * the software's time. A client keeps `outstanding` batches going, all in one
 * event loop: closed loop, the next one starts when one has ended; open loop,
 * when it is due (Poisson arrivals), and its latency counts from then. Which
 * nodes a search visits is its guide's business (vdb_guide.h).
 */
#include "accel_sim/group.h"
#include "core/err.h"
#include "core/vdb_record.h"
#include "storage/buffers.h"
#include "storage/engine.h"
#include "storage/store.h"
#include "workloads/vdb_guide.h"
#include "workloads/workload.h"

struct vectordb_env {
	const struct vdb_config *config;
	struct engine *engine;
	struct store *store; /* file i is segment i */
	struct group *group; /* the clients */
	struct buffers *buffers; /* group->count x vectordb_buffers() */
	const struct vdb_guides *guides;
	/* to verify with, one of both; NULL: do not */
	const struct vdb_graph *graphs;
	const struct vdb_index *indexes;
	/*
	 * The best answers of all segments, nearest first, for each query that
	 * ends; NULL where there are none.
	 */
	void (*answered)(void *ctx, uint64_t query,
		const struct vdb_answer *best, uint32_t count);
	/* what one segment has found of it, before; may be NULL */
	void (*segment_answered)(void *ctx, uint32_t segment, uint64_t query,
		const struct vdb_answer *best, uint32_t count);
	void *ctx;
};

/* Buffers of one client, of a read each; UINT64_MAX is too many. */
uint64_t vectordb_buffers(const struct vdb_config *c);

/* store_namer.path and .size_bytes are the owner's; this is the name of segment
 * i below a folder: 0 or -ENAMETOOLONG. */
int vectordb_path(
	const char *folder, uint64_t i, char *buf, size_t buf_bytes);

/*
 * Run all queries; clients gets an entry for each client of this process
 * (zeroed before). Collective. When any rank fails, all return the first one's
 * error; what is in flight has ended.
 */
int vectordb_run(const struct vectordb_env *env, struct vdb_client *clients,
	struct err *e);

#endif
