#ifndef CORE_KV_WORKLOAD_H
#define CORE_KV_WORKLOAD_H
/*
 * The KV cache workload of one edition of the benchmark as data
 * (configs/kvcache/): kinds of users, what a request is, the options that
 * CLOSED runs. A file of one's own with other users goes below a --config-dir.
 */
#include "core/err.h"
#include "core/kv_model.h"

#include <stdint.h>

#define KV_WORKLOAD_DEFAULT "v3.0"
#define KV_KINDS_MAX 8
#define KV_OPTIONS_MAX 8
#define KV_PREFIXES 3
#define KV_TOKENS_MAX 65535 /* of a request's context or answer */

/* Highest priority first. */
enum kv_class { KV_INTERACTIVE, KV_RESPONSIVE, KV_BATCH, KV_CLASSES };
const char *kv_class_name(enum kv_class c); /* "interactive" ... */

/* A kind of users: ranges, both ends included. */
struct kv_kind {
	char name[32];
	uint32_t context[2], generation[2]; /* tokens, caps of a user */
	double think_s[2];
};

struct kv_option {
	char label[64];
	char model[KV_MODEL_NAME_MAX];
	uint32_t users; /* per rank */
	double gpu_gib, cpu_gib;
	uint32_t allocations; /* at a time; 0 = no limit */
	double duration_s;
};

/*
 * What the benchmark's host adds to a modelled drive in reference mode: one
 * copy in memory; one write into the page cache, which takes 1 + contention
 * times as long for each other thread that moves a file at the same time; the
 * part of the drive's sequential rate that reads through the page cache get.
 */
struct kv_host {
	double copy_gb_per_s, buffered_write_gb_per_s;
	double buffered_contention, buffered_read_share;
	char source[256];
};

/*
 * Retrieval, which CLOSED leaves off: documents are cut into chunks, whose
 * entries are written once; a part of the requests reads some of one document.
 */
#define KV_RAG_CHUNKS_READ_MAX 16
#define KV_RAG_DOCUMENTS_MAX 100000
struct kv_rag {
	uint32_t documents; /* by default; 0: the file says nothing of it */
	uint32_t document_tokens[2];
	/* of models at least so wide or so deep */
	uint32_t large_document_tokens[2], large_hidden, large_layers;
	uint32_t chunk_tokens;
	uint64_t chunk_bytes_most;
	double share; /* of requests that retrieve, and that ask once more */
	uint32_t chunks_read;
	uint32_t generation[2]; /* of what is asked about a document */
};

struct kv_workload {
	char name[32];
	struct kv_rag rag;
	struct kv_host host;
	uint32_t kind_count;
	struct kv_kind kinds[KV_KINDS_MAX];
	double interactive_share, responsive_share; /* the rest is batch */
	double think_factor[2];
	uint32_t prefill_only_tokens; /* contexts from here on do not decode */
	uint32_t decode_tokens;	      /* per read of the entry */
	double prefix_share;
	uint32_t prefix_tokens[KV_PREFIXES];
	double end_conversation_share;
	uint32_t turns_most, conversations_most, workers_most;
	uint32_t fixed_context; /* tokens of every request; 0: drawn */
	uint64_t seed;
	uint32_t trials;
	double delay_s; /* before and after each run */
	double inter_option_delay_s;
	uint32_t option_count;
	struct kv_option options[KV_OPTIONS_MAX];
};

/* Edition or file name; ERR_USAGE names file, key and range. */
int kv_workload_load(const char *config_dir, const char *name,
	struct kv_workload *w, struct err *e);

#endif
