/*
 * Searches replayed: figures of the published runs on modelled drives, exact
 * times on a simple one, both schedules, open loop, real files.
 */
#include "plan/vdb_run.h"

#include "core/units.h"
#include "datagen/vdb_graph.h"
#include "plan/vdb_profile.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"
#include "workloads/vdb_chain.h"
#include "workloads/vectordb.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct bed {
	struct vdb_run c;
	struct vdb_record rec;
	struct err e;
};

static void bed_init(struct bed *b, const char *profile)
{
	memset(b, 0, sizeof(*b));
	vdb_record_init(&b->rec);
	CU_ASSERT_EQUAL_FATAL(
		vdb_profile_load(NULL, profile, &b->rec.config, &b->e), 0);
	b->rec.config.clients = b->rec.config.outstanding =
		b->rec.config.batch = 1;
	b->rec.config.distinct = 1000;
	b->rec.config.limit = 10;
	b->rec.config.queries = 100;
	b->rec.config.shape.seed = b->rec.config.seed = 42;
	b->c.virtual_time = true;
	b->c.drive = "constant";
	b->c.engine.kind = ENGINE_CONSTANT;
	b->c.engine.bytes_per_s = 1000000000000; /* 8 ns a read */
	b->c.engine.latency_ns = 100 * NS_PER_US;
}

static int bed_run(struct bed *b)
{
	int r;

	CU_ASSERT_EQUAL_FATAL(group_local_open(b->rec.config.clients,
				      &b->c.group, &b->e), 0);
	r = vdb_run(&b->c, &b->rec, &b->e);
	group_close(b->c.group);
	return r;
}

/*
 * 29 segments x 236 nodes x (1 - 0.7956) = 1398.9 reads of 8 KiB a query, in
 * 19 rounds of which the first 5 hit; 4 x 230 x (1 - 0.792) = 191.4.
 */
static void test_published_reads(void)
{
	struct vdb_layout l;
	struct bed b;
	uint64_t i;

	bed_init(&b, "mlps-10m");
	CU_ASSERT_EQUAL_FATAL(vdb_layout_init(&l,
		vdb_segment_nodes(&b.rec.config.shape, 0), 1536, 4, 64, &b.e),
		0);
	CU_ASSERT_EQUAL(vdb_replay_rounds(&b.rec.config), 19);
	CU_ASSERT_EQUAL(vdb_replay_lead(&b.rec.config), 5);
	/* 1 - (1 - h) T / (T - 5) = 0.723, E being no multiple of T */
	CU_ASSERT_DOUBLE_EQUAL(
		vdb_replay_hit_share(&b.rec.config), 0.723, 0.001);
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.read_bytes, 8192);
	CU_ASSERT_EQUAL(b.rec.counts.queries, 100);
	CU_ASSERT_EQUAL(b.rec.counts.expansions, 100 * 29 * 236);
	CU_ASSERT_EQUAL(b.rec.counts.rounds, 100 * 29 * 19);
	CU_ASSERT_EQUAL(b.rec.counts.reads + b.rec.counts.cache_hits,
		b.rec.counts.expansions);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.reads_per_query, 1399, 14);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.bytes_per_query, 11.457e6, 0.115e6);
	/* no read begins at a multiple of its own size: the header is before */
	for (i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(vdb_layout_offset(&l, i * 3448) % 8192, 4096);
	vdb_record_fini(&b.rec);
	bed_init(&b, "mlps-1m");
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.reads_per_query, 191.4, 1.9);
	vdb_record_fini(&b.rec);
	/* without the cache all is read: 6844, 4.9 times as much */
	bed_init(&b, "mlps-10m-nocache");
	b.rec.config.queries = 20;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.counts.reads, 20 * 6844);
	CU_ASSERT_EQUAL(b.rec.counts.reading_rounds, 20 * 29 * 19);
	vdb_record_fini(&b.rec);
}

/*
 * Without a cache each of 19 rounds waits 100 us, and for its own 8 KiB at
 * 8.192 ns each: the drive sends 12 or 13 a round, 236 in all. Then 5.4 ms.
 */
static void test_exact_time(void)
{
	struct bed b;
	const struct vdb_row *w;
	int64_t want = 19 * 100 * NS_PER_US + 5400 * NS_PER_US, took;
	size_t i;

	bed_init(&b, "one-segment");
	b.rec.config.software_ns = 5400 * NS_PER_US;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	for (i = 0; i < 100; i++) {
		w = &b.rec.clients[0].rows[i];
		took = w->end_ns - w->start_ns;
		CU_ASSERT(took >= want && took <= want + 236 * 9);
		CU_ASSERT_EQUAL(w->intended_ns, w->start_ns);
		CU_ASSERT_EQUAL(w->query, i);
		if (i)
			CU_ASSERT_EQUAL(w->start_ns, w[-1].end_ns);
	}
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.queries_per_s, 1e9 / (double)want,
		0.1);
	vdb_record_fini(&b.rec);
}

/* 16 in flight from the start: 236 / 16 = 14.75 waits instead of 19. */
static void test_pipelined(void)
{
	struct bed b;

	bed_init(&b, "one-segment");
	b.rec.config.schedule = VDB_PIPELINED;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.counts.reads, 100 * 236);
	CU_ASSERT(b.rec.metrics.latency.mean >= 1.475);
	CU_ASSERT(b.rec.metrics.latency.mean < 1.8);
	vdb_record_fini(&b.rec);
}

/* W x W x look / read, between one and half the beam. */
static void test_together(void)
{
	/* 256 x 3.5 us / 120 us = 7.47; 256 x 8 / 120 = 17.1 */
	CU_ASSERT_EQUAL(vdb_chain_together(16, 3500, 120000), 7);
	CU_ASSERT_EQUAL(vdb_chain_together(16, 8000, 120000), 8);
	/* 1024 x 1 us / 100 us = 10.24; 64 x 0.3 / 100 = 0.2 */
	CU_ASSERT_EQUAL(vdb_chain_together(32, 1000, 100000), 10);
	CU_ASSERT_EQUAL(vdb_chain_together(8, 300, 100000), 1);
	/* virtual time; nothing has landed yet; one read at a time */
	CU_ASSERT_EQUAL(vdb_chain_together(16, 0, 100000), 1);
	CU_ASSERT_EQUAL(vdb_chain_together(16, 0, 0), 1);
	CU_ASSERT_EQUAL(vdb_chain_together(1, 8000, 100000), 1);
	/* 65,536 x 1 s does not overflow */
	CU_ASSERT_EQUAL(vdb_chain_together(256, NS_PER_S, 1), 128);
}

/* The same run twice is the same to the nanosecond; another seed is not. */
static void test_repeatable(void)
{
	struct bed a, b;

	bed_init(&a, "mlps-1m");
	bed_init(&b, "mlps-1m");
	CU_ASSERT_EQUAL_FATAL(bed_run(&a), 0);
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(a.rec.counts.reads, b.rec.counts.reads);
	CU_ASSERT_EQUAL(a.rec.clients[0].rows[99].end_ns,
		b.rec.clients[0].rows[99].end_ns);
	vdb_record_fini(&b.rec);
	bed_init(&b, "mlps-1m");
	b.rec.config.seed = 43;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_NOT_EQUAL(a.rec.counts.reads, b.rec.counts.reads);
	vdb_record_fini(&a.rec);
	vdb_record_fini(&b.rec);
}

/* Queries come in turn and cost the same again; fresh ones never do. */
static void test_distinct(void)
{
	struct bed b;
	const struct vdb_row *w;

	bed_init(&b, "mlps-1m");
	b.rec.config.distinct = 10;
	b.rec.config.clients = 2;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	w = b.rec.clients[0].rows;
	CU_ASSERT_EQUAL(b.rec.clients[0].row_count, 50);
	CU_ASSERT_EQUAL(w[0].query, 0);
	CU_ASSERT_EQUAL(w[13].query, 3);
	/* the second client begins half way */
	CU_ASSERT_EQUAL(b.rec.clients[1].rows[0].query, 5);
	/* 100 queries are each of ten, ten times */
	CU_ASSERT_EQUAL(b.rec.counts.reads % 10, 0);
	vdb_record_fini(&b.rec);
	bed_init(&b, "mlps-1m");
	b.rec.config.distinct = 0;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.clients[0].rows[99].query, 99);
	vdb_record_fini(&b.rec);
}

/*
 * Four clients of 25 queries, started 0.25 s apart: each one's first begins
 * then, and the steady time is from the last one's start to the first one's
 * end. 4 x 230 x (1 - 0.792) reads in rounds of 100 us, and 5.4 ms: 7.3 ms a
 * query, 0.18 s for all of one.
 */
static void test_stagger(void)
{
	const struct vdb_client *c;
	struct bed b;
	uint32_t i;

	bed_init(&b, "mlps-1m");
	b.rec.config.clients = 4;
	b.rec.config.stagger_ns = NS_PER_S;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	c = b.rec.clients;
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(c[i].rows[0].start_ns - c[0].rows[0].start_ns,
			i * 250 * NS_PER_MS);
	/* the first has ended before the second begins */
	CU_ASSERT_EQUAL(b.rec.metrics.steady_s, 0);
	CU_ASSERT(b.rec.metrics.total_s > 0.75);
	vdb_record_fini(&b.rec);
	bed_init(&b, "mlps-1m");
	b.rec.config.clients = 4;
	b.rec.config.queries = 0;
	b.rec.config.runtime_ns = 2 * NS_PER_S;
	b.rec.config.stagger_ns = NS_PER_S;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.total_s, 2.75, 0.02);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.steady_s, 1.25, 0.02);
	/* 2 s of each in 2.75 s: the reference's figure is 2 / 2.75 of it */
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.queries_per_s /
			b.rec.metrics.steady_queries_per_s, 2 / 2.75, 0.02);
	vdb_record_fini(&b.rec);
}

/* Batches of 4 end with the slowest; 10 queries are 4 + 4 + 2. */
static void test_batches(void)
{
	const struct vdb_row *w;
	int64_t a_ns, b_ns;
	struct bed b;

	bed_init(&b, "mlps-1m");
	b.rec.config.batch = 4;
	b.rec.config.queries = 10;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.metrics.batches, 3);
	CU_ASSERT_EQUAL(b.rec.counts.queries, 10);
	CU_ASSERT_EQUAL(b.rec.clients[0].rows[2].size, 2);
	/* a query's latency is its batch's over its size */
	w = b.rec.clients[0].rows;
	a_ns = w[0].end_ns - w[0].start_ns;
	b_ns = w[1].end_ns - w[1].start_ns;
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.latency.min * 4e6,
		(double)(a_ns < b_ns ? a_ns : b_ns), 1e-3);
	vdb_record_fini(&b.rec);
	/* the software's time is a batch's, however many queries it has */
	bed_init(&b, "mlps-1m");
	b.rec.config.batch = 10;
	b.rec.config.queries = 100;
	b.rec.config.software_ns = NS_PER_S;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.metrics.batches, 10);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.total_s, 10, 0.2);
	vdb_record_fini(&b.rec);
}

/*
 * Open loop: 100 QPS for 20 s are 2,000 Poisson arrivals (standard deviation
 * 45), served as they come by clients that need 1.9 ms each; 10,000 QPS is
 * more than one outstanding query serves, and is told.
 */
static void test_open_loop(void)
{
	struct bed b;

	bed_init(&b, "one-segment");
	b.rec.config.queries = 0;
	b.rec.config.runtime_ns = 20 * NS_PER_S;
	b.rec.config.rate_per_s = 100;
	b.rec.config.outstanding = 16;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_DOUBLE_EQUAL((double)b.rec.counts.queries, 2000, 180);
	CU_ASSERT_EQUAL(b.rec.unserved, 0);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.metrics.latency.p95, 1.9, 0.1);
	vdb_record_fini(&b.rec);
	bed_init(&b, "one-segment");
	b.rec.config.queries = 0;
	b.rec.config.runtime_ns = NS_PER_S;
	b.rec.config.rate_per_s = 10000;
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	/* 1 / 1.9 ms = 526 are served; latency grows to nearly a second */
	CU_ASSERT_DOUBLE_EQUAL((double)b.rec.counts.queries, 526, 5);
	CU_ASSERT(b.rec.unserved > 9000);
	CU_ASSERT(b.rec.metrics.latency.p99 > 900);
	vdb_record_fini(&b.rec);
}

/* L 200 -> 400: E 236 + (430 - 236.3), 1 - h by (1 - .758) / (1 - .819). */
static void test_search_list(void)
{
	struct bed b;

	bed_init(&b, "mlps-10m");
	vdb_profile_search_list(&b.rec.config, 400);
	CU_ASSERT_EQUAL(b.rec.config.expansions, 430);
	CU_ASSERT_DOUBLE_EQUAL(b.rec.config.cache_share,
		1 - 0.2044 * 0.242 / 0.181, 1e-9);
	/* 2 GiB / 6144 = 349,525 vectors a segment */
	CU_ASSERT_EQUAL(vdb_segments(10000000, 1536), 29);
	CU_ASSERT_EQUAL(vdb_segments(1000000, 1536), 3);
	vdb_record_fini(&b.rec);
}

/* numpy.percentile([1, 2, 4, 8], [0, 50, 95, 100]) */
static void test_percentile(void)
{
	static const double v[] = {1, 2, 4, 8};

	CU_ASSERT_DOUBLE_EQUAL(vdb_percentile(v, 4, 0), 1, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(vdb_percentile(v, 4, 50), 3, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(vdb_percentile(v, 4, 95), 7.4, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(vdb_percentile(v, 4, 100), 8, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(vdb_percentile(v, 0, 50), 0, 1e-12);
}

static void generate(const struct vdb_shape *s, const char *dir, bool overwrite,
	int want)
{
	struct engine_spec spec = {.kind = ENGINE_PREAD, .dir = dir};
	struct vdb_generate p = {.engine = &spec, .shape = s, .folder = dir,
		.overwrite = overwrite};
	struct vdb_written w;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &p.group, &e), 0);
	CU_ASSERT_EQUAL(vdb_generate(&p, &w, &e), want);
	group_close(p.group);
}

/*
 * A real file is walked as the modelled one is: the same nodes, as every byte
 * agrees. A byte that does not is found; another index is refused.
 */
static void test_real_files(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct vdb_shape shape;
	struct bed v, b;

	ut_dir_make(dir, "/tmp");
	bed_init(&v, "mlps-10m");
	v.rec.config.shape.vectors = 2000;
	v.rec.config.shape.segments = 3;
	v.rec.config.software_ns = v.rec.config.client_ns = 0;
	v.rec.config.queries = 10;
	bed_init(&b, "mlps-10m");
	b.rec.config = v.rec.config;
	generate(&v.rec.config.shape, dir, false, 0);
	CU_ASSERT_EQUAL_FATAL(vdb_folder_shape(dir, &shape, &b.e), 0);
	CU_ASSERT_EQUAL(shape.vectors, 2000);
	CU_ASSERT_EQUAL(ut_files_ending(dir, "_disk.index"), 3);
	/* 666 or 667 nodes of two sectors, and a header */
	CU_ASSERT_EQUAL(ut_file_size(ut_join(path, dir,
				"segment_0000_disk.index")),
		4096 * (1 + 2 * 666));
	CU_ASSERT_EQUAL_FATAL(bed_run(&v), 0);
	b.c.virtual_time = false;
	b.c.drive = NULL;
	b.c.engine.kind = ENGINE_PREAD;
	b.rec.config.verify = true;
	snprintf(b.rec.config.folder, sizeof(b.rec.config.folder), "%s", dir);
	CU_ASSERT_EQUAL_FATAL(bed_run(&b), 0);
	CU_ASSERT_EQUAL(b.rec.counts.reads, v.rec.counts.reads);
	CU_ASSERT_EQUAL(b.rec.counts.verified_bytes, b.rec.counts.read_bytes);
	vdb_record_fini(&v.rec);
	/* all of a segment's first words of records, flipped */
	b.rec.config.queries = 1;
	for (uint64_t i = 0; i < 666; i++)
		ut_file_flip(path, 4096 + i * 8192 + 100);
	vdb_record_fini(&b.rec);
	bed_init(&v, "mlps-10m");
	v.rec.config.shape = shape;
	v.c = b.c;
	v.rec.config.verify = true;
	snprintf(v.rec.config.folder, sizeof(v.rec.config.folder), "%s", dir);
	CU_ASSERT_EQUAL(bed_run(&v), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(v.e.text, "segment_0000_disk.index"));
	vdb_record_fini(&v.rec);
	shape.vectors = 3000;
	generate(&shape, dir, false, -EEXIST);
	generate(&shape, dir, true, 0);
	ut_dir_remove(dir);
}

/* What no host holds is told before anything is opened. */
static void test_memory(void)
{
	struct bed b;

	bed_init(&b, "mlps-10m");
	b.rec.config.outstanding = 60000;
	b.rec.config.batch = 60;
	CU_ASSERT_EQUAL(bed_run(&b), -ENOMEM);
	CU_ASSERT_PTR_NOT_NULL(strstr(b.e.text, "--outstanding"));
	vdb_record_fini(&b.rec);
}

UT_SUITE(vectordb, UT_CASE(test_published_reads), UT_CASE(test_exact_time),
	UT_CASE(test_pipelined), UT_CASE(test_together),
	UT_CASE(test_repeatable),
	UT_CASE(test_distinct), UT_CASE(test_stagger), UT_CASE(test_batches), UT_CASE(test_open_loop),
	UT_CASE(test_search_list), UT_CASE(test_percentile),
	UT_CASE(test_real_files), UT_CASE(test_memory))
