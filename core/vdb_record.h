#ifndef CORE_VDB_RECORD_H
#define CORE_VDB_RECORD_H
/*
 * What a vector-database run leaves: every batch of queries of every client
 * and what was read for them. Hosts, notes and time are those of the struct
 * record inside; everything printed or written is a view of this.
 */
#include "core/hist.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum vdb_distribution { VDB_UNIFORM, VDB_CLUSTERED, VDB_FROM_FILE };

/* Whose way of building a graph; see datagen/vdb_vamana.h. */
enum vdb_builder { VDB_BUILD_MICROSOFT, VDB_BUILD_KNOWHERE };

/* By what neighbours are near; see datagen/vdb_metric.h. */
enum vdb_metric { VDB_L2, VDB_COSINE, VDB_IP };

/* "L2", "COSINE", "IP", as Milvus calls them */
const char *vdb_metric_name(enum vdb_metric m);
/* "microsoft", "knowhere" */
const char *vdb_builder_name(enum vdb_builder b);
/* "uniform", "clustered", "file" */
const char *vdb_distribution_name(enum vdb_distribution d);

/* The data set: `vectors` float32 vectors in `segments` index files. */
struct vdb_shape {
	uint64_t vectors;
	uint32_t dim;
	uint32_t degree; /* max_degree, R */
	uint32_t segments;
	/*
	 * Replay: millionths of the links that lead to the most visited
	 * VDB_CACHE_PCT per cent of the nodes.
	 */
	uint32_t hub_ppm;
	uint64_t seed;
	/* a real index, with answers; all 0 for a replay */
	bool built;
	bool copies; /* all segments are made from the first */
	enum vdb_distribution distribution;
	enum vdb_builder builder;
	enum vdb_metric metric;
	uint32_t norm_spread_pct; /* lengths are 1 +- this */
	uint32_t list;	 /* L of the build */
	uint32_t chunks; /* of product quantization */
	uint32_t queries, truth_k; /* with known answers */
	uint64_t truth_vectors;	   /* looked at for them */
};

/* "replay", "built", "copies": of which kind the index is */
const char *vdb_level_name(const struct vdb_shape *s);

/* Share of the nodes that a search keeps in memory, where it does. */
#define VDB_CACHE_PCT 8
#define VDB_SEGMENTS_MAX 65536u

/* Nodes of segment s: all but one more or less. */
static inline uint64_t vdb_segment_nodes(const struct vdb_shape *s, uint32_t i)
{
	return (uint64_t)((unsigned __int128)s->vectors * (i + 1) /
			  s->segments) -
	       (uint64_t)((unsigned __int128)s->vectors * i / s->segments);
}

/* Dimensions that the index file has: inner products need one more. */
static inline uint32_t vdb_stored_dim(const struct vdb_shape *s)
{
	return s->dim + (s->metric == VDB_IP);
}

enum vdb_schedule {
	VDB_REFERENCE, /* a round's reads are all awaited */
	VDB_PIPELINED, /* go on as soon as any read lands */
};

/* Which nodes of a real index searches keep in memory. */
enum vdb_node_cache {
	VDB_CACHE_NONE,
	VDB_CACHE_BREADTH, /* Microsoft's: around the start node */
	VDB_CACHE_VISITS,  /* Milvus's: the most visited of a sample's searches */
};

/* "none", "breadth-first", "visits" */
const char *vdb_node_cache_name(enum vdb_node_cache c);

/* The run as resolved. */
struct vdb_config {
	/* of this command, from 0: queries that never come twice differ */
	uint32_t run;
	char profile[REC_NAME_MAX];
	struct vdb_shape shape;
	enum vdb_schedule schedule;
	uint32_t beam_width;  /* W: nodes expanded in a round, at most */
	uint32_t search_list; /* L */
	uint32_t expansions;  /* E, of one search in one segment */
	double cache_share;   /* h: expansions that need no read */
	int64_t software_ns;  /* of each batch, after its last search */
	int64_t client_ns;    /* closed loop: between two queries, no part */
	uint32_t clients, outstanding, batch;
	int64_t runtime_ns; /* 0: until all queries are done */
	uint64_t queries;   /* of all clients; 0: until the time is up */
	double rate_per_s;  /* open loop: queries/s of all clients; 0: closed */
	uint32_t distinct;  /* query vectors, used in turn; 0: never the same */
	uint32_t limit;	    /* k, neighbours asked for */
	/* a real index: of each segment, in memory; 0: as the rule has it */
	enum vdb_node_cache node_cache;
	uint32_t cache_nodes;
	int64_t stagger_ns; /* from the first client's start to one more's */
	uint64_t seed;	    /* of queries and arrivals */
	bool verify;
	char folder[4096]; /* of the index files; "" when modelled */
};

/* A batch of queries that one client handed in together. */
struct vdb_row {
	int64_t intended_ns; /* open loop: when it was due; else start_ns */
	int64_t start_ns, end_ns;
	uint32_t size;
	uint32_t query; /* the first one's number among the distinct ones */
};

/* What searching cost, counted by the client. */
struct vdb_counts {
	uint64_t queries, searches; /* a search: one query in one segment */
	uint64_t expansions, cache_hits;
	uint64_t reads, read_bytes;
	uint64_t rounds, reading_rounds;
	uint64_t verified_bytes;
};

struct vdb_client {
	uint32_t host; /* index into base.hosts */
	struct vdb_counts counts;
	uint64_t unserved; /* open loop: due before the end, never begun */
	int64_t cpu_ns;
	uint64_t device_bytes; /* /proc/self/io read_bytes, a process's share */
	struct hist read_latency_ns;
	size_t row_count, row_room;
	struct vdb_row *rows;
};

/* Add a row; 0 or -ENOMEM. */
int vdb_client_add_row(struct vdb_client *c, const struct vdb_row *row);
void vdb_client_fini(struct vdb_client *c);

/* One client as flat malloc'd bytes, and back with every length checked. */
int vdb_client_pack(
	const struct vdb_client *c, void **buf, size_t *size_bytes);
int vdb_client_unpack(struct vdb_client *c, const void *buf, size_t size_bytes,
	struct err *e);

/* Of a set of durations, in ms; percentiles interpolate as numpy's do. */
struct vdb_spread {
	double min, max, mean, median, p95, p99, p999, p9999;
};

struct vdb_metrics {
	double total_s, queries_per_s;
	/* while all clients were at work; 0: there was no such time */
	double steady_s, steady_queries_per_s;
	uint64_t batches;
	/* batch time over its size, once for each query; open loop: since it
	 * was due */
	struct vdb_spread latency, batch;
	double late_p99_ms; /* open loop: began after it was due */
	double reads_per_query, bytes_per_query, rounds_per_query;
	double reading_rounds_per_query, expansions_per_search;
	double cache_pct;	/* of the expansions */
	double read_bytes_per_s; /* asked for */
	struct rec_quantiles read_latency;
	double cpu_us_per_read;
};

/* Counters of a block device of one host, before and after. */
struct vdb_device {
	char name[REC_NAME_MAX];
	uint64_t read_bytes, written_bytes;
};

/* Of the answers, against the exact ones: each query's first counts. */
struct vdb_recall {
	bool known;
	uint32_t k;
	uint32_t queries;  /* evaluated */
	double *per_query; /* [config.distinct], -1: not evaluated; owned */
	double min, max, mean, median, p5, p95, p99;
	double coverage; /* of the truth: 1 when it knows all vectors */
	double target;	 /* asked for; 0: more than chance */
	double chance;	 /* what answers drawn blindly find: k of all vectors */
	/* of each segment against its own neighbours; 0 segments: not known */
	uint32_t segments;
	double segment_min, segment_mean, segment_max;
};

/*
 * What blind answers do not reach: three times their mean and five of its
 * standard deviations, sqrt(chance / (queries x k)); at the most a half, for
 * where there are few vectors chance is great. 0 where it is not known.
 */
double vdb_recall_chance_most(const struct vdb_recall *r);

/* Is it real, complete, above chance and not below the target? */
static inline bool vdb_recall_ok(const struct vdb_recall *r)
{
	return !r->known || (r->queries && r->coverage == 1 &&
				    r->mean > vdb_recall_chance_most(r) &&
				    r->mean >= r->target);
}

/* Fill the figures from per_query, which has n entries. */
int vdb_recall_figures(struct vdb_recall *r, uint32_t n);

struct vdb_record {
	struct record base;
	struct vdb_config config;
	uint32_t read_bytes; /* of one read */
	uint64_t index_bytes;
	uint64_t cached_nodes; /* of all segments, in memory */
	uint32_t client_count;
	struct vdb_client *clients;
	struct vdb_counts counts; /* of all */
	uint64_t unserved;
	struct vdb_metrics metrics;
	struct vdb_recall recall;
	bool device_known;
	struct vdb_device device; /* of rank 0's host */
	uint64_t device_bytes;	  /* by /proc/self/io, of all */
	int64_t start_ns, end_ns;
	bool finished;
};

void vdb_record_init(struct vdb_record *r);
void vdb_record_fini(struct vdb_record *r);

/* Fill counts, device_bytes and metrics from the clients. 0 or -ENOMEM. */
int vdb_record_metrics(struct vdb_record *r);

/* numpy.percentile(values, pct) of sorted values; 0 for none. */
double vdb_percentile(const double *sorted, size_t n, double pct);

#endif
