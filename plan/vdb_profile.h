#ifndef PLAN_VDB_PROFILE_H
#define PLAN_VDB_PROFILE_H
/*
 * Vector-database workloads that were seen somewhere, as data:
 * configs/vectordb/NAME.json, or below a --config-dir.
 *
 *	{"name": "mlps-10m", "num_vectors": 10000000, "dimension": 1536,
 *	 "max_degree": 64, "segments": 29, "search_list": 200,
 *	 "expansions": 236, "beam_width": 16, "cache_share": 0.7956,
 *	 "hub_share": 0.7956, "software_ms": 5.4, "client_ms": 0.07}
 *
 * expansions and cache_share are those at search_list; hub_share is that of
 * the links which lead to the most visited 8 % of the nodes. client_ms passes
 * between the end of a query and the client's next one: the published runs had
 * 141.63 QPS at a mean of 6.99 ms, and 142.42 at 6.95 ms, of one client.
 */
#include "core/err.h"
#include "core/vdb_record.h"

int vdb_profile_load(const char *config_dir, const char *name,
	struct vdb_config *c, struct err *e);

/*
 * Another search list than the profile's: E and h as they change with L.
 * Measured on 333 k random unit vectors of 1536 dimensions (W 16, 8 % of the
 * nodes cached): L 16 32 64 100 200 400 800 1600, E 42.4 66.8 103.5 140.9
 * 236.3 430 825 1620, h .964 .932 .893 .865 .819 .758 .678 .582; E keeps its
 * distance from that curve, 1 - h its proportion.
 */
void vdb_profile_search_list(struct vdb_config *c, uint32_t search_list);

/*
 * Segments as Milvus makes them of one shard: at most 2 GiB of vectors each
 * (dataCoord.segment.diskSegmentMaxSize).
 */
uint64_t vdb_segments(uint64_t vectors, uint32_t dim);

#endif
