#ifndef CORE_KV_RECORD_H
#define CORE_KV_RECORD_H
/*
 * What a KV cache run leaves: counts and samples of each rank of each trial.
 * Hosts, notes and time are those of the struct record inside; everything
 * printed or written is a view of this.
 *
 * Every count exists twice: as the reference takes it, after the requests in
 * flight at the end have been served too ("counted"), and as it was when the
 * time was over ("frozen").
 */
#include "core/kv_model.h"
#include "core/kv_workload.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kv_io { KV_IO_REFERENCE, KV_IO_DIRECT };

#define KV_RECORD_TIERS 3 /* gpu, cpu, storage: enum kv_tier */

/* One option as resolved, the same for all trials. */
struct kv_config {
	uint32_t option; /* 1 ...; 0: none of the benchmark's */
	struct kv_option opt;
	struct kv_model model;
	enum kv_io io;
	uint64_t seed; /* of rank 0 */
	int64_t duration_ns;
	uint64_t limits[KV_RECORD_TIERS]; /* bytes */
	bool storage_limit_set; /* else 95 % of what is free at the start */
	int64_t token_ns;	/* of generation */
	bool multi_turn, prefix, closed_loop, reference_bugs, verify;
	uint32_t rag_documents; /* of each rank; 0: no retrieval */
	/*
	 * What the reference's host costs: a copy in memory (RAM tiers, the
	 * second copy of each read), and a modelled write into the page cache.
	 * 0 = nothing.
	 */
	uint64_t copy_bytes_per_s, buffered_write_bytes_per_s;
	double buffered_contention; /* see struct kv_host */
	uint32_t request_bytes, depth; /* of one file */
	uint32_t buffers;	       /* of request_bytes, per rank */
	uint32_t ranks;
	uint64_t stop_written_bytes; /* of a rank: its time is over then */
	char cache_dir[4096]; /* "" when modelled */
};

struct kv_counts {
	uint64_t requests, tokens, prefill_only;
	uint64_t by_class[KV_CLASSES];
	uint64_t prefill_writes, decode_reads;
	uint64_t hits, misses;
	uint64_t system_prompt_hits, user_hits, multi_turn_hits;
	uint64_t multi_turn_misses;
	uint64_t prefix_hits, prefix_misses, prefix_bytes_saved;
	/* of whole entries, when their transfer begins; moves included */
	uint64_t tier_read_bytes[KV_RECORD_TIERS];
	uint64_t tier_written_bytes[KV_RECORD_TIERS];
	uint64_t offloads[KV_RECORD_TIERS];
	uint64_t read_bytes, write_bytes; /* all tiers, without moves */
	uint64_t moved_bytes, moves;	  /* from tier to tier */
	/* retrieval: documents taken in whole, and what was done with them */
	uint64_t rag_documents, rag_chunks_written, rag_retrievals;
	uint64_t rag_chunk_reads, rag_chunk_misses, rag_questions;
	uint64_t storage_tokens;
	uint64_t deleted;
	/* of files, when the bytes have arrived */
	uint64_t file_read_bytes, file_written_bytes;
	uint64_t verified_bytes;
	int64_t request_io_ns; /* sum over requests */
};

/* Samples, one a request or a transfer, in nanoseconds. */
enum kv_series_id {
	KV_END_TO_END,
	KV_END_TO_END_CLASS, /* ... and the next two: by class */
	KV_REQUEST_IO = KV_END_TO_END_CLASS + KV_CLASSES,
	KV_PREFILL,
	KV_DECODE, /* all reads of one request */
	KV_GENERATION, /* of its tokens */
	KV_READ,   /* of a file: device + host */
	KV_READ_DEVICE,
	KV_READ_HOST,
	KV_WRITE,
	KV_WRITE_DEVICE,
	KV_WRITE_HOST,
	KV_CPU_READ,
	KV_CPU_WRITE,
	KV_MOVE, /* of an entry to the tier below */
	KV_SERIES
};

struct kv_series {
	int64_t *v; /* in the order they came */
	uint32_t n, room;
	int64_t *sorted; /* made when it is asked for a percentile */
};

/* What the workers do with their time until it is over. */
enum kv_phase {
	KV_PHASE_IDLE,	/* no request */
	KV_PHASE_SLOT,	/* wait for one of the allocations */
	KV_PHASE_ROOM,	/* move entries down, or wait for those who do */
	KV_PHASE_LOCK,	/* wait for an entry that another has */
	KV_PHASE_WRITE, /* of a file, but for the host's part */
	KV_PHASE_READ,
	KV_PHASE_HOST, /* copies in memory */
	KV_PHASE_GENERATE,
	KV_PHASES
};
const char *kv_phase_name(enum kv_phase p);

struct kv_rank_result {
	uint32_t rank, host;
	uint64_t seed;
	struct kv_counts counted, frozen;
	int64_t start_ns;
	int64_t elapsed_ns; /* until the time was over: the divisor */
	int64_t drain_ns;   /* from then until all was counted */
	int64_t phase_ns[KV_PHASES]; /* of all workers together */
	int64_t slot_ns; /* held, sum over the allocations */
	uint32_t workers;
	uint64_t offered; /* requests made */
	uint32_t queue_peak, abandoned; /* requests not served to their end */
	uint32_t entries[KV_RECORD_TIERS];
	uint64_t used_bytes[KV_RECORD_TIERS];
	uint64_t device_read_bytes, device_written_bytes; /* 0: not known */
	int64_t cpu_ns;
	uint64_t peak_rss_bytes;
	struct kv_series series[KV_SERIES];
};

struct kv_trial {
	int64_t start_ns;
	char stamp[16]; /* YYYYMMDD_HHMMSS */
	uint32_t rank_count;
	struct kv_rank_result *ranks;
};

/* Over the ranks of a trial, or the trials of an option. */
struct kv_aggregate {
	double read_gib_s, write_gib_s; /* sums over ranks */
	double wall_tokens_s;	/* tokens over wall-clock seconds */
	double io_tokens_s;	/* tokens over thread-seconds of I/O */
	double p95_request_io_ms; /* largest */
	double p95_device_read_ms, p95_device_write_ms, p95_read_ms,
		p95_write_ms, p95_end_to_end_ms;
	/* frozen when the time was over */
	double strict_read_gib_s, strict_write_gib_s, strict_tokens_s;
	double drain_s;
	double tokens_per_gib_read, tokens_per_gib_written; /* of files */
	uint64_t drain_read_bytes;
	double phase_share[KV_PHASES];
	uint32_t cpu_tier_ranks; /* ranks that ended without a file */
};

struct kv_option_result {
	struct kv_config config;
	uint32_t trial_count; /* done */
	struct kv_trial *trials;
	struct kv_aggregate mean; /* the largest P95 */
};

struct kv_record {
	struct record base;
	uint32_t trials; /* asked for */
	int64_t delay_ns, inter_option_delay_ns;
	uint32_t option_count;
	struct kv_option_result options[KV_OPTIONS_MAX];
	int64_t start_ns, end_ns;
	bool finished;
};

void kv_record_init(struct kv_record *r);
void kv_record_fini(struct kv_record *r);

int kv_series_add(struct kv_series *s, int64_t value);
void kv_rank_result_fini(struct kv_rank_result *k);

/*
 * The value below which `share` of the samples lie, between two of them in
 * proportion, as numpy.percentile() has it; 0 without samples. Once asked, a
 * series must not grow.
 */
double kv_series_percentile(struct kv_series *s, double share);
double kv_series_mean(const struct kv_series *s);

/* A rank as flat bytes for another process of this program, and back. */
int kv_rank_pack(
	const struct kv_rank_result *k, void **buf, size_t *size_bytes);
int kv_rank_unpack(struct kv_rank_result *k, const void *buf,
	size_t size_bytes, size_t *used_bytes, struct err *e);

/* The figures of one trial, and of all of an option. */
void kv_trial_aggregate(const struct kv_trial *t, struct kv_aggregate *a);
void kv_option_aggregate(struct kv_option_result *o);

/*
 * What bounded a trial: one sentence that begins with "read", "write",
 * "slots", "demotion", "host" or "users".
 */
#define KV_BOUND_MAX 320
const char *kv_bound(const struct kv_config *c, const struct kv_aggregate *a,
	const struct kv_trial *t, char buf[KV_BOUND_MAX]);

#endif
