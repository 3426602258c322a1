/*
 * The KV cache workload in virtual time: what it asks of a drive follows from
 * its seed alone (tokens per GiB), on any drive; C43: what is moved between
 * tiers is counted.
 */
#include "workloads/kvcache.h"

#include "core/units.h"
#include "storage/store.h"
#include "tests/unit/ut.h"
#include "workloads/kv_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
	struct kv_config c;
	struct kv_workload w;
	struct engine_spec drive;
	struct kv_trial trial;
	struct kv_aggregate a;
	struct kv_rank_result *k; /* of rank 0 */
};

/* An option of the benchmark on a drive, as the benchmark runs it. */
static void init(struct run *r, uint32_t option, const char *drive)
{
	struct kv_config *c = &r->c;
	const struct kv_host *h = &r->w.host;
	struct err e;

	memset(r, 0, sizeof(*r));
	CU_ASSERT_EQUAL_FATAL(
		kv_workload_load(NULL, KV_WORKLOAD_DEFAULT, &r->w, &e), 0);
	c->option = option;
	c->opt = r->w.options[option - 1];
	CU_ASSERT_EQUAL_FATAL(
		kv_model_load(NULL, c->opt.model, &c->model, &e), 0);
	c->seed = 42;
	c->duration_ns = (int64_t)(c->opt.duration_s * 1e9);
	c->limits[KV_CPU] = (uint64_t)(c->opt.cpu_gib * (double)GIB_BYTES);
	c->limits[KV_STORAGE] = UINT64_MAX / 4;
	c->multi_turn = c->prefix = true;
	c->request_bytes = 8 << 20;
	c->depth = 4;
	c->buffers = 1024;
	c->ranks = 1;
	CU_ASSERT_EQUAL_FATAL(
		engine_spec_parse(NULL, drive, &r->drive, &e), 0);
	c->copy_bytes_per_s = (uint64_t)(h->copy_gb_per_s * 1e9);
	c->buffered_write_bytes_per_s =
		(uint64_t)(h->buffered_write_gb_per_s * 1e9);
	c->buffered_contention = h->buffered_contention;
	r->drive.drive.sequential_read_gb_per_s *= h->buffered_read_share;
}

static int go(struct run *r, struct err *e)
{
	struct buffers buffers;
	struct kvcache_env env = {.config = &r->c, .workload = &r->w,
		.buffers = &buffers};
	struct store_namer namer = {.ctx = &env, .size_bytes = kvcache_size};
	struct store store;
	struct clock clock;
	struct engine *g;
	char why[256];
	int ret;

	env.store = &store;
	store_catalog_init(&store, &namer);
	clock_start(&clock, true);
	r->drive.depth = r->c.buffers * r->c.ranks;
	CU_ASSERT_EQUAL_FATAL(
		engine_open(&r->drive, &clock, &g, why, sizeof(why), e), 0);
	CU_ASSERT_EQUAL_FATAL(buffers_init(&buffers, g, r->drive.depth,
				      r->c.request_bytes, false, e), 0);
	CU_ASSERT_EQUAL_FATAL(
		group_local_open(r->c.ranks, &env.group, e), 0);
	env.engine = g;
	r->trial.rank_count = r->c.ranks;
	r->k = r->trial.ranks = calloc(r->c.ranks, sizeof(*r->k));
	ret = kvcache_run(&env, false, r->k, e);
	kv_trial_aggregate(&r->trial, &r->a);
	group_close(env.group);
	buffers_fini(&buffers);
	engine_close(g);
	return ret;
}

static void end(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->trial.rank_count; i++)
		kv_rank_result_fini(&r->trial.ranks[i]);
	free(r->trial.ranks);
}

/* 60.0, 25.3 per GiB read; 335 per GiB written: all +- 4 %. */
static void test_tokens_per_gib(void)
{
	static const char *const drives[] = {
		"constant:14GB/s,100us", "constant:7GB/s,100us", "d7-ps1010",
		"d5-p5336", "dc3000me"};
	struct run r;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(drives) / sizeof(drives[0]); i++) {
		init(&r, 1, drives[i]);
		CU_ASSERT_EQUAL(go(&r, &e), 0);
		CU_ASSERT_DOUBLE_EQUAL(r.a.tokens_per_gib_read, 60.0, 2.4);
		end(&r);
		init(&r, 2, drives[i]);
		CU_ASSERT_EQUAL(go(&r, &e), 0);
		CU_ASSERT_DOUBLE_EQUAL(
			r.a.tokens_per_gib_written, 335.0, 13.4);
		end(&r);
		init(&r, 3, drives[i]);
		CU_ASSERT_EQUAL(go(&r, &e), 0);
		CU_ASSERT_DOUBLE_EQUAL(r.a.tokens_per_gib_read, 25.3, 1.012);
		end(&r);
	}
}

/*
 * Published means of three trials, one rank: read GiB/s and tokens/s of
 * options 1 and 3, tokens/s of option 2; within 8 %.
 */
static void test_published(void)
{
	static const struct {
		const char *drive;
		uint32_t option;
		double read_gib_s, tokens_s;
	} t[] = {
		{"d7-ps1010", 1, 14.53, 871}, {"d7-ps1010", 2, 0, 1194},
		{"d7-ps1010", 3, 14.29, 360}, {"d5-p5336", 1, 7.98, 480},
		{"d5-p5336", 2, 0, 787}, {"d5-p5336", 3, 7.41, 183},
	};
	char bound[KV_BOUND_MAX];
	struct run r;
	struct err e;
	double mu, drain;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		init(&r, t[i].option, t[i].drive);
		CU_ASSERT_EQUAL(go(&r, &e), 0);
		CU_ASSERT_DOUBLE_EQUAL(r.a.wall_tokens_s, t[i].tokens_s,
			0.08 * t[i].tokens_s);
		if (t[i].read_gib_s > 0)
			CU_ASSERT_DOUBLE_EQUAL(r.a.read_gib_s, t[i].read_gib_s,
				0.08 * t[i].read_gib_s);
		/* reported = true (1 + users / (300 mu)) when all are served */
		mu = (double)r.k->frozen.requests / 300;
		drain = 1 + r.c.opt.users / (300 * mu);
		if (t[i].option != 2)
			CU_ASSERT_DOUBLE_EQUAL(
				r.a.read_gib_s / r.a.strict_read_gib_s, drain,
				0.10 * drain);
		kv_bound(&r.c, &r.a, &r.trial, bound);
		CU_ASSERT_NSTRING_EQUAL(bound,
			t[i].option == 2 ? "demotion" : "slots",
			t[i].option == 2 ? 8 : 5);
		end(&r);
	}
}

/*
 * C43: a GPU tier of one entry; every further one moves an older one to
 * storage, whose bytes are counted, are those that the drive saw, and have
 * latencies.
 */
static void test_moves_are_counted(void)
{
	struct run r;
	struct err e;
	const struct kv_counts *n;

	init(&r, 1, "constant:1GB/s,100us");
	r.w.kinds[0].context[0] = r.w.kinds[0].context[1] = 4;
	r.w.kinds[0].generation[0] = r.w.kinds[0].generation[1] = 1;
	r.w.kind_count = 1;
	r.w.prefix_share = 0;
	r.c.model.token_bytes = MIB_BYTES;
	r.c.opt.users = 4;
	/* entries of 1 to 4 MiB: 4 of 5 MiB are what it is kept at */
	r.c.limits[KV_GPU] = 5 * MIB_BYTES;
	r.c.duration_ns = 30 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&r, &e), 0);
	n = &r.k->counted;
	CU_ASSERT(n->moves > 50);
	CU_ASSERT_EQUAL(n->tier_written_bytes[KV_GPU] +
				n->tier_written_bytes[KV_STORAGE] -
				n->moved_bytes, n->write_bytes);
	CU_ASSERT_EQUAL(n->offloads[KV_STORAGE] + n->offloads[KV_GPU] -
				n->moves, n->prefill_writes);
	/* each file has a header of 128 bytes beside its entry */
	CU_ASSERT_EQUAL(n->file_written_bytes,
		n->tier_written_bytes[KV_STORAGE] +
			128 * n->offloads[KV_STORAGE]);
	CU_ASSERT_EQUAL(r.k->series[KV_MOVE].n, n->moves);
	CU_ASSERT_EQUAL(r.k->entries[KV_STORAGE], n->offloads[KV_STORAGE]);
	/* what is left in the GPU tier is all that was not moved */
	CU_ASSERT(r.k->used_bytes[KV_GPU] <= r.c.limits[KV_GPU]);
	end(&r);
}

/* Ranks have users of their own; their figures are summed. */
static void test_ranks(void)
{
	struct run one, two;
	struct err e;

	init(&one, 1, "constant:14GB/s,100us");
	init(&two, 1, "constant:14GB/s,100us");
	one.c.duration_ns = two.c.duration_ns = 60 * NS_PER_S;
	two.c.ranks = 2;
	CU_ASSERT_EQUAL(go(&one, &e), 0);
	CU_ASSERT_EQUAL(go(&two, &e), 0);
	CU_ASSERT_EQUAL(two.k[0].seed, 42);
	CU_ASSERT_EQUAL(two.k[1].seed, 43);
	CU_ASSERT_NOT_EQUAL(two.k[0].offered, two.k[1].offered);
	/* the same users ask the same, however slow the drive is */
	CU_ASSERT_EQUAL(one.k[0].offered, two.k[0].offered);
	CU_ASSERT_DOUBLE_EQUAL(two.a.read_gib_s,
		(double)(two.k[0].counted.tier_read_bytes[KV_STORAGE] +
			two.k[1].counted.tier_read_bytes[KV_STORAGE]) /
			60 / (double)GIB_BYTES, 1e-6);
	end(&one);
	end(&two);
}

/* The same run twice gives the same, to the last bit. */
static void test_repeatable(void)
{
	struct run a, b;
	struct err e;

	init(&a, 2, "d7-ps1010");
	init(&b, 2, "d7-ps1010");
	a.c.duration_ns = b.c.duration_ns = 30 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&a, &e), 0);
	CU_ASSERT_EQUAL(go(&b, &e), 0);
	CU_ASSERT_EQUAL(memcmp(&a.k->counted, &b.k->counted,
				sizeof(a.k->counted)), 0);
	CU_ASSERT_EQUAL(a.k->drain_ns, b.k->drain_ns);
	end(&a);
	end(&b);
}

/* A closed loop: nobody asks before the last answer has come. */
static void test_closed_loop(void)
{
	struct run r;
	struct err e;

	init(&r, 1, "d7-ps1010");
	r.c.closed_loop = true;
	r.c.opt.users = 20;
	r.c.duration_ns = 60 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&r, &e), 0);
	CU_ASSERT(r.k->queue_peak <= 20);
	CU_ASSERT(r.k->offered <= r.k->counted.requests + 20);
	CU_ASSERT(r.k->counted.requests > 60);
	end(&r);
}

/*
 * Retrieval: a tenth of the requests reads five chunks each (a document has
 * at least 4,000 / 512, that is eight); a tenth of what users ask is followed
 * by a question whose entry is a miss and one write.
 */
static void test_retrieval(void)
{
	const struct kv_counts *n;
	double asked, share;
	struct run r;
	struct err e;

	init(&r, 1, "constant:100GB/s,10us");
	CU_ASSERT_EQUAL_FATAL(
		kv_model_load(NULL, "tiny-1b", &r.c.model, &e), 0);
	r.c.rag_documents = 3;
	r.c.opt.users = 10;
	r.c.opt.allocations = 0;
	r.c.copy_bytes_per_s = r.c.buffered_write_bytes_per_s = 0;
	r.c.duration_ns = 600 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&r, &e), 0);
	n = &r.k->counted;
	CU_ASSERT_EQUAL(r.k->abandoned, 0);
	CU_ASSERT_EQUAL(n->rag_documents, 3);
	/* 4,000 to 12,000 tokens are 8 to 24 chunks of 512 */
	CU_ASSERT(n->rag_chunks_written >= 24 && n->rag_chunks_written <= 72);
	CU_ASSERT_EQUAL(n->rag_chunk_reads, 5 * n->rag_retrievals);
	CU_ASSERT_EQUAL(n->rag_chunk_misses, 0);
	/* an entry for each request and each chunk, and nothing twice */
	CU_ASSERT_EQUAL(
		n->prefill_writes, n->requests + n->rag_chunks_written);
	CU_ASSERT_EQUAL(n->misses, n->prefix_hits + n->multi_turn_misses +
					   n->rag_questions);
	CU_ASSERT_EQUAL(r.k->series[KV_PREFILL].n,
		n->requests - n->rag_questions);
	/* four standard errors of n draws: 4 sqrt(0.1 x 0.9 / n) */
	asked = (double)(n->requests - n->rag_questions);
	share = (double)n->rag_questions / asked;
	CU_ASSERT(asked > 5000);
	CU_ASSERT_DOUBLE_EQUAL(share, 0.1, 4 * 0.3 / sqrt(asked));
	share = (double)n->rag_retrievals / (double)n->requests;
	CU_ASSERT_DOUBLE_EQUAL(share, 0.1, 4 * 0.3 / sqrt(asked));
	end(&r);
}

/* Users ask the same as without; the worker that writes chunks is no 201st. */
static void test_retrieval_apart(void)
{
	struct run with, without;
	struct err e;
	double all = 0;
	int i;

	init(&with, 1, "d7-ps1010");
	init(&without, 1, "d7-ps1010");
	with.c.rag_documents = 10;
	with.c.duration_ns = without.c.duration_ns = 30 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&with, &e), 0);
	CU_ASSERT_EQUAL(go(&without, &e), 0);
	/* at 16 allocations no document is whole after 30 s: no questions */
	CU_ASSERT_EQUAL(with.k->offered, without.k->offered);
	CU_ASSERT_EQUAL(without.k->counted.rag_chunks_written, 0);
	CU_ASSERT(with.k->counted.rag_chunks_written > 0);
	CU_ASSERT_EQUAL(with.k->workers, 200);
	for (i = 0; i < KV_PHASES; i++)
		all += (double)with.k->phase_ns[i];
	CU_ASSERT_DOUBLE_EQUAL(all, 200 * 30e9, 1e6);
	end(&with);
	end(&without);
}

/*
 * Far too small for its 20 workers, whose entries are of 2.7 GiB at most, and
 * strict: writes wait for each other, but go on to the end: in ten times the
 * time about ten times as many requests are served.
 */
static void test_strict_capacity(void)
{
	uint64_t requests[2];
	struct run r;
	struct err e;
	int i;

	for (i = 0; i < 2; i++) {
		init(&r, 2, "d7-ps1010");
		r.c.io = KV_IO_DIRECT;
		r.c.opt.users = 20;
		r.c.limits[KV_STORAGE] = 4 * GIB_BYTES;
		r.c.duration_ns = (i ? 600 : 60) * NS_PER_S;
		CU_ASSERT_EQUAL(go(&r, &e), 0);
		CU_ASSERT(r.k->counted.deleted > 20);
		CU_ASSERT(r.k->used_bytes[KV_STORAGE] <= 4 * GIB_BYTES);
		requests[i] = r.k->counted.requests;
		end(&r);
	}
	CU_ASSERT(requests[0] > 60);
	CU_ASSERT(requests[1] > 7 * requests[0]);
	CU_ASSERT(requests[1] < 13 * requests[0]);
}

/* A storage tier that is too small deletes its oldest and never grows. */
static void test_capacity(void)
{
	struct run r;
	struct err e;

	init(&r, 1, "d7-ps1010");
	/* ten workers lock ten entries of 2.7 GiB at most */
	r.c.opt.users = 10;
	r.c.limits[KV_STORAGE] = 40 * GIB_BYTES;
	r.c.duration_ns = 60 * NS_PER_S;
	CU_ASSERT_EQUAL(go(&r, &e), 0);
	CU_ASSERT(r.k->counted.deleted > 0);
	CU_ASSERT(r.k->used_bytes[KV_STORAGE] <= 40 * GIB_BYTES);
	end(&r);
}

/* numpy.percentile([4, 1, 3, 2], [0, 50, 95, 100]) = 1, 2.5, 3.85, 4 */
static void test_percentile(void)
{
	static const int64_t v[] = {4, 1, 3, 2};
	struct kv_series s = {.n = 0};
	size_t i;

	CU_ASSERT_EQUAL(kv_series_percentile(&s, 0.5), 0);
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(kv_series_add(&s, v[i]), 0);
	CU_ASSERT_EQUAL(kv_series_percentile(&s, 0), 1);
	CU_ASSERT_EQUAL(kv_series_percentile(&s, 0.5), 2.5);
	CU_ASSERT_DOUBLE_EQUAL(kv_series_percentile(&s, 0.95), 3.85, 1e-12);
	CU_ASSERT_EQUAL(kv_series_percentile(&s, 1), 4);
	CU_ASSERT_EQUAL(kv_series_mean(&s), 2.5);
	CU_ASSERT_EQUAL(s.v[0], 4); /* the order stays */
	free(s.v);
	free(s.sorted);
}

static void test_pack(void)
{
	struct kv_rank_result k = {.rank = 3, .seed = 45}, back;
	void *buf = NULL;
	size_t size = 0, used;
	struct err e;

	kv_series_add(&k.series[KV_READ], 7);
	kv_series_add(&k.series[KV_MOVE], 9);
	CU_ASSERT_EQUAL_FATAL(kv_rank_pack(&k, &buf, &size), 0);
	CU_ASSERT_EQUAL(kv_rank_unpack(&back, buf, size, &used, &e), 0);
	CU_ASSERT_EQUAL(used, size);
	CU_ASSERT_EQUAL(back.rank, 3);
	CU_ASSERT_EQUAL(back.series[KV_MOVE].v[0], 9);
	kv_rank_result_fini(&back);
	CU_ASSERT_NOT_EQUAL(kv_rank_unpack(&back, buf, size - 8, &used, &e), 0);
	CU_ASSERT_NOT_EQUAL(kv_rank_unpack(&back, buf, 10, &used, &e), 0);
	kv_rank_result_fini(&k);
	free(buf);
}

UT_SUITE(kvcache, UT_CASE(test_tokens_per_gib), UT_CASE(test_published),
	UT_CASE(test_moves_are_counted), UT_CASE(test_ranks),
	UT_CASE(test_repeatable), UT_CASE(test_closed_loop),
	UT_CASE(test_retrieval), UT_CASE(test_retrieval_apart),
	UT_CASE(test_strict_capacity),
	UT_CASE(test_capacity), UT_CASE(test_percentile), UT_CASE(test_pack))
