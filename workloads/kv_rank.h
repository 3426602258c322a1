#ifndef WORKLOADS_KV_RANK_H
#define WORKLOADS_KV_RANK_H
/* Inside the KV cache workload: a rank, its users and its workers. */
#include "core/kv_record.h"
#include "datagen/kv_users.h"
#include "storage/loop.h"
#include "workloads/kv_cache.h"
#include "workloads/kv_rag.h"
#include "workloads/kv_requests.h"
#include "workloads/kv_stream.h"
#include "workloads/kvcache.h"

#include <stdbool.h>
#include <stdint.h>

struct kv_rank;

/* A list of workers that wait for the same thing. */
struct kv_worker;
struct kv_waiters {
	struct kv_worker *head, **tail;
};

/* Reading an entry where it lies. */
struct kv_read {
	enum { KV_READ_LOCK, KV_READ_BYTES, KV_READ_COPY } at;
	uint32_t id;
	enum kv_tier tier;
	int64_t device_ns, due_ns, begun_ns;
};

/* Making room in a tier: of each level the one above waits for it. */
struct kv_level {
	enum { KV_LEVEL_ASK, KV_LEVEL_LOCK, KV_LEVEL_BELOW, KV_LEVEL_OUT,
		KV_LEVEL_IN } at;
	struct kv_room room;
	uint32_t victim;
	enum kv_tier to;
	int64_t begun_ns, due_ns;
};

struct kv_worker {
	struct loop_task task;
	struct kv_rank *rank;
	enum {
		KV_W_IDLE,
		KV_W_TURNS,
		KV_W_TURN_READ,
		KV_W_ALLOCATE,
		KV_W_CHUNKS,
		KV_W_CHUNK_READ,
		KV_W_DECODE,
		KV_W_DECODE_READ,
		KV_W_AGAIN, /* its entry was gone: written once more */
		KV_W_GENERATE,
	} state;
	struct kv_request request;
	uint32_t context; /* tokens, without the prefix */
	uint32_t entry;	  /* of the request */
	uint32_t turn, turns, reads_left;
	/* entries of the chunks that are retrieved, and which is next */
	uint32_t chunks[KV_RAG_CHUNKS_READ_MAX], chunk_count, chunk;
	int64_t io_ns, prefill_ns, decode_ns;
	int64_t due_ns;
	/* waiting */
	bool waits, granted; /* in a list; what it waited for is its own */
	struct kv_worker *next;
	/* phases */
	enum kv_phase phase;
	int64_t phase_since_ns;
	/* parts */
	struct kv_read read;
	enum { KV_A_SLOT, KV_A_TIER, KV_A_ROOM, KV_A_WRITE } alloc;
	enum kv_tier tier; /* of the allocation */
	int64_t slot_since_ns, begun_ns;
	bool has_slot;
	struct kv_level levels[KV_TIERS];
	int level; /* current; -1 = none */
	struct kv_stream stream;
};

struct kv_user_task {
	struct loop_task task;
	struct kv_rank *rank;
	struct kv_user user;
	struct kv_ask ask;
	uint32_t index, conversation;
	int64_t due_ns;
	bool waits; /* closed loop: for its answer */
};

/* Recorded requests, where they come instead of users. */
struct kv_trace_task {
	struct loop_task task;
	struct kv_rank *rank;
	struct rng_xo rng; /* of the classes */
	uint32_t next;
};

struct kv_rank {
	struct loop_task task; /* the group's member: begin, end, drain */
	struct kvcache_job *job;
	uint32_t index, rank;
	enum { KV_R_MEET, KV_R_RUN, KV_R_DRAIN, KV_R_END, KV_R_FINISHED } state;
	const struct kv_config *c;
	const struct kv_workload *w;
	struct loop *loop;
	struct kv_pool pool;
	struct kv_cache cache;
	struct kv_conversations conversations;
	struct kv_queue queue;
	struct kv_user_task *users; /* NULL: a trace */
	struct kv_trace_task trace;
	struct kv_rag_rank rag;
	/* with retrieval there is one more, which serves no requests */
	struct kv_worker *workers;
	uint32_t worker_count;
	uint32_t slots_free;
	struct kv_waiters idle, slots, rooms;
	int64_t start_ns, end_ns, join_ns, progress_ns;
	uint32_t joined; /* workers that have been waited for */
	bool stop;
	struct kv_rank_result *k;
};

struct kvcache_job {
	struct kvcache_env *env;
	struct loop loop;
	struct kv_rank *ranks;
};

static inline uint32_t kv_all_workers(const struct kv_rank *r)
{
	return r->worker_count + (r->rag.count > 0);
}

/* Put a request into the queue; its owner and turn are set. */
int kv_offer(struct kv_rank *r, struct kv_request *q, struct err *e);

static inline int64_t kv_now(const struct kv_rank *r)
{
	return clock_now(r->loop->clock);
}

static inline uint64_t kv_file_id(const struct kv_rank *r, uint32_t entry)
{
	return (uint64_t)r->index << 32 | entry;
}

void kv_waiters_init(struct kv_waiters *l);
void kv_wait_in(struct kv_waiters *l, struct kv_worker *w);
/* The first of a list is ready again, with what it waited for; or NULL. */
struct kv_worker *kv_wake_first(struct kv_waiters *l);

int kv_worker_step(struct loop_task *t, struct err *e);
void kv_worker_phase(struct kv_worker *w, enum kv_phase p);

/* Read an entry: 1 = read, 2 = it is gone, 0 = not yet, or an error. */
void kv_read_begin(struct kv_worker *w, uint32_t id);
int kv_read_step(struct kv_worker *w, struct err *e);

/* Write the worker's entry: 1 = it can be read, 0 = not yet, or an error. */
void kv_allocate_begin(struct kv_worker *w);
int kv_allocate_step(struct kv_worker *w, struct err *e);

/* Lock an entry: false = the worker waits for it. And give it away. */
bool kv_lock(struct kv_worker *w, uint32_t id);
void kv_unlock(struct kv_rank *r, uint32_t id);

static inline int64_t kv_copy_ns(const struct kv_rank *r, uint64_t bytes)
{
	uint64_t rate = r->c->copy_bytes_per_s;

	return rate ? (int64_t)((double)bytes * 1e9 / (double)rate) : 0;
}

/* Is due_ns over? Else the worker sleeps until then. */
static inline bool kv_due(struct kv_worker *w, int64_t due_ns)
{
	if (kv_now(w->rank) >= due_ns)
		return true;
	loop_sleep(w->rank->loop, &w->task, due_ns);
	return false;
}

static inline uint64_t kv_content_key(const struct kv_rank *r, uint32_t id)
{
	const struct kv_entry *x = &r->cache.entries[id];

	return rng_mix64(r->rank, (uint64_t)x->owner << 16 | x->turn);
}

#endif
