#ifndef CORE_CKPT_RECORD_H
#define CORE_CKPT_RECORD_H
/*
 * What a checkpointing run leaves: each save and load of each rank. Hosts,
 * notes and time are those of the struct record inside; everything printed or
 * written is a view of this.
 */
#include "core/ckpt_shape.h"
#include "core/record.h"

#include <stdbool.h>
#include <stdint.h>

enum ckpt_io { CKPT_IO_REFERENCE, CKPT_IO_DIRECT };

/* The run as resolved. */
struct ckpt_config {
	struct ckpt_shape shape;
	enum ckpt_io io;
	uint32_t writes, reads; /* checkpoints */
	uint32_t keep;		/* of those written; 0 = all */
	int64_t gap_ns;		/* before each save and load */
	uint32_t rotate; /* rank r loads what rank r + rotate has saved */
	bool verify;
	uint64_t seed;
	uint32_t write_bytes, read_bytes; /* of one request */
	uint32_t write_depth, read_depth; /* requests in flight */
	uint64_t limit_fill_bytes_per_s; /* content, of each rank; 0 = none */
	bool drop_caches; /* before the loads */
	bool allow_cached; /* load what cannot be made cold, marked invalid */
	char folder[4096]; /* CHECKPOINT-FOLDER/MODEL; "" when modelled */
};

/* One save or load by one rank. */
struct ckpt_op {
	uint32_t step; /* checkpoint, from 1 */
	uint32_t host; /* that did it: index into base.hosts */
	bool load;
	/* behind the barrier; own end; on rank 0's clock, by the wall clocks */
	int64_t start_ns, end_ns;
	uint64_t bytes;		  /* moved by this rank */
	uint64_t device_bytes;	  /* what the kernel says it moved for us */
	uint64_t cached_bytes; /* load: in the page cache just before */
	bool cache_unknown;    /* load: the file system cannot tell that */
	uint64_t verified_bytes;
	int64_t fill_ns; /* making content (or checking it) */
	int64_t sync_ns; /* waiting for fsync */
	int64_t cpu_ns;
};

/* Figures of one phase, saves or loads. */
struct ckpt_phase {
	uint32_t count; /* 0: there was none */
	/* the reference's: S over rank 0's own time, mean of ten rates */
	double rate_mean_gib_s, rate_stdev_gib_s;
	double duration_mean_s, duration_stdev_s;
	/* strict: until the slowest rank has ended; bytes that were moved */
	double slowest_mean_s, slowest_max_s;
	double total_gib_s;  /* all bytes over all time */
	double lowest_gib_s; /* of one checkpoint */
	uint64_t bytes;
	uint64_t device_bytes;
	double cached_pct; /* loads: of their bytes, in the page cache before */
	double fill_gib_s; /* content made by one rank while it does nothing else */
	double fill_pct;   /* of the ranks' time */
	double sync_pct;
	double cpu_s_per_gib;
	bool cache_unknown;
	bool valid; /* loads: not known to have been in memory */
};

struct ckpt_record {
	struct record base;
	struct ckpt_config config;
	uint32_t op_count; /* of each rank */
	struct ckpt_op *ops; /* [ranks][op_count] */
	struct ckpt_phase save, load;
	int64_t start_ns, end_ns;
	uint64_t bytes; /* S: of one checkpoint, by the formula */
	bool finished;
};

void ckpt_record_init(struct ckpt_record *r);
void ckpt_record_fini(struct ckpt_record *r);

static inline const struct ckpt_op *ckpt_record_op(
	const struct ckpt_record *r, uint64_t rank, uint32_t i)
{
	return &r->ops[rank * r->op_count + i];
}

/* More of a load's bytes than this in the page cache: it is not valid. */
#define CKPT_CACHED_MOST_PCT 1.0

/* Fill save and load from ops. */
void ckpt_record_metrics(struct ckpt_record *r);

/* Number of ops that a rank does. */
static inline uint32_t ckpt_config_ops(const struct ckpt_config *c)
{
	return c->writes + c->reads;
}

/* The checkpoint that op i is about: the oldest that is kept is read first. */
uint32_t ckpt_config_step(const struct ckpt_config *c, uint32_t i);

#endif
