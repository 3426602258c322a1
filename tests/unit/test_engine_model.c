/*
 * The drive model against measurements of real drives that were published
 * with their reviews, and against its own mechanisms by arithmetic.
 */
#include "storage/drive_model.h"
#include "storage/engine.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void near_pct(double got, double want, double pct)
{
	if (fabs(got / want - 1) > pct / 100)
		printf("\n    got %g, want %g within %g %%\n", got, want, pct);
	CU_ASSERT(fabs(got / want - 1) <= pct / 100);
}

static struct load closed(const char *drive, bool write, uint32_t bytes,
	uint32_t depth, double seconds)
{
	struct load l = {.drive = drive, .write = write, .bytes = bytes,
		.depth = depth, .seconds = seconds};

	load_run(&l);
	return l;
}

/*
 * PE511, 4K random reads: 53.2 us alone; 64 threads > 1,000 k at < 60 us; 256:
 * 2,918 k at 87.3 us; 2048 in flight: 3,458 k.
 */
static void test_pe511_depth(void)
{
	struct load l = closed("pe511", false, 4096, 1, 0.02);

	near_pct(l.mean_us, 53.2, 5);
	near_pct(l.kiops, 1e3 / 53.2, 5);
	l = closed("pe511", false, 4096, 64, 0.05);
	CU_ASSERT(l.kiops > 1000);
	near_pct(l.mean_us, 60, 10);
	l = closed("pe511", false, 4096, 256, 0.1);
	near_pct(l.kiops, 2918, 10);
	near_pct(l.mean_us, 87.3, 10);
	l = closed("pe511", false, 4096, 2048, 0.1);
	near_pct(l.kiops, 3458, 10);
	near_pct(l.mean_us, 2048 / 3.458, 10); /* Little's law */
}

/* Rate curve, 4K read: 50 % of 3.29 M/s 69.4 us, 100 % 154.6 us. */
static void test_pe511_rate(void)
{
	struct load l = {.drive = "pe511", .bytes = 4096, .seconds = 0.2,
		.rate_per_s = 1.645e6};

	load_run(&l);
	near_pct(l.mean_us, 69.4, 10);
	l.rate_per_s = 3.29e6;
	load_run(&l);
	near_pct(l.kiops, 3290, 10);
	near_pct(l.mean_us, 154.6, 10);
}

/* Random reads of 8 KiB: 13,639 MiB/s; 32 to 128 KiB about 13,800 MiB/s. */
static void test_pe511_sizes(void)
{
	struct load l;
	uint32_t kib;

	for (kib = 8; kib <= 128; kib *= 2) {
		l = closed("pe511", false, kib * 1024, 256, 0.05);
		near_pct(l.gb_per_s * 1e9 / 1048576, kib == 8 ? 13639 : 13800,
			5);
	}
}

/*
 * 4K writes: 8.4 us alone, 1,009 k at most; rate curve 95 % below 60 us, 100 %
 * several hundred (516.6). A lone 128-KiB write 34.9 us. In sequence 10.1 GB/s.
 */
static void test_pe511_writes(void)
{
	struct load l = closed("pe511", true, 4096, 1, 0.02);

	near_pct(l.mean_us, 8.4, 5);
	l = closed("pe511", true, 131072, 1, 0.02);
	near_pct(l.mean_us, 34.9, 5);
	l = closed("pe511", true, 4096, 512, 0.3);
	near_pct(l.kiops, 1009, 5);
	CU_ASSERT(l.mean_us > 300 && l.mean_us < 900);
	l = (struct load){.drive = "pe511", .write = true, .bytes = 4096,
		.seconds = 0.3, .rate_per_s = 0.95 * 1.009e6};
	load_run(&l);
	CU_ASSERT(l.mean_us < 60);
	l = (struct load){.drive = "pe511", .write = true, .bytes = 1048576,
		.depth = 32, .seconds = 0.5, .sequential = true};
	load_run(&l);
	near_pct(l.gb_per_s, 10.1, 5);
}

/* Maxima and latencies alone of three other reviews. */
static void test_other_drives(void)
{
	static const struct {
		const char *drive;
		double read_kiops, read_us, write_kiops, write_us, read_gb;
		double write_gb;
		uint32_t write_bytes;
	} d[] = {
		{"pe321", 1773, 66, 691, 7, 7.47, 7.0, 4096},
		{"pe501", 3351, 90, 72, 17, 14.2, 4.04, 16384},
		{"dc3000me", 2747, 57, 320, 9, 14.1, 5.86, 4096},
	};
	struct load l;
	size_t i;

	for (i = 0; i < sizeof(d) / sizeof(d[0]); i++) {
		l = closed(d[i].drive, false, 4096, 1, 0.02);
		near_pct(l.mean_us, d[i].read_us, 5);
		l = closed(d[i].drive, false, 4096, 2048, 0.1);
		near_pct(l.kiops, d[i].read_kiops, 5);
		l = closed(d[i].drive, false, 131072, 256, 0.1);
		near_pct(l.gb_per_s, d[i].read_gb, 5);
		l = closed(d[i].drive, true, 4096, 1, 0.01);
		near_pct(l.mean_us, d[i].write_us, 5);
		l = (struct load){.drive = d[i].drive, .write = true,
			.aligned = true, .bytes = d[i].write_bytes,
			.depth = 256, .seconds = 1};
		load_run(&l);
		near_pct(l.kiops, d[i].write_kiops, 5);
		l = (struct load){.drive = d[i].drive, .write = true,
			.bytes = 1048576, .depth = 32, .seconds = 1,
			.sequential = true};
		load_run(&l);
		near_pct(l.gb_per_s, d[i].write_gb, 5);
	}
}

/* 24 drives do 24 times as much; one command is no faster. */
static void test_stripe(void)
{
	struct load one = closed("d5-p5336", false, 4096, 1, 0.02);
	struct load l = closed("24x d5-p5336", false, 4096, 1, 0.02);

	near_pct(l.mean_us, one.mean_us, 1);
	l = closed("24x d5-p5336", false, 1048576, 1024, 1);
	near_pct(l.gb_per_s, 24 * 7.0, 3);
}

/* Each mechanism changes what it is about, and is gone when switched off. */
static void test_mechanisms(void)
{
	struct load l = {.drive = "pe501", .write = true, .bytes = 4096,
		.depth = 256, .seconds = 1};
	double with;
	uint32_t bits;
	struct err e;

	/* a 4K write costs a read and a write of 16 KiB; else a write */
	load_run(&l);
	with = l.kiops;
	l.without = DRIVE_RMW;
	load_run(&l);
	CU_ASSERT(with < l.kiops);
	/* a buffer that never fills: the command server is the limit */
	l.without = DRIVE_BUFFER;
	load_run(&l);
	CU_ASSERT(l.kiops > 1000);
	/* units without number: no waiting, 256 in 53.2 us */
	l = (struct load){.drive = "pe511", .bytes = 4096, .depth = 128,
		.seconds = 0.05, .without = DRIVE_UNITS | DRIVE_LINK};
	load_run(&l);
	near_pct(l.mean_us, 53.2, 1);
	/* 30 % writes: reads wait for the drain unless they do not meet */
	l = (struct load){.drive = "pe511", .bytes = 4096, .depth = 64,
		.seconds = 0.2, .write_pct = 30};
	load_run(&l);
	with = l.read_us;
	near_pct(l.kiops, 1001, 10); /* as measured, reads 83.6 us */
	near_pct(l.read_us, 83.6, 15);
	l.without = DRIVE_INTERFERENCE;
	load_run(&l);
	CU_ASSERT(l.read_us < with - 10);
	/*
	 * Without command server and units all reads go through the link side
	 * by side, and wait the latency side by side: 66 us less 0.564 of the
	 * server and 0.548 of the link.
	 */
	l = (struct load){.drive = "pe321", .bytes = 4096, .depth = 2048,
		.seconds = 0.05, .without = DRIVE_COMMAND | DRIVE_UNITS};
	load_run(&l);
	near_pct(l.kiops, 2048 / (2048 * 4.096 / 7.47 + 64.888) * 1e3, 2);

	CU_ASSERT_EQUAL(drive_mechanisms_parse("rmw,link", &bits, &e), 0);
	CU_ASSERT_EQUAL(bits, DRIVE_RMW | DRIVE_LINK);
	CU_ASSERT_EQUAL(drive_mechanisms_parse("magic", &bits, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "interference"));
}

struct finish {
	struct engine_op op;
	int64_t ns;
	struct clock *clock;
};

static void finished(struct engine_op *op)
{
	struct finish *f = op->owner;

	f->ns = clock_now(f->clock);
}

static struct engine *open_model(struct engine_spec *s, struct clock *c)
{
	struct engine *g;
	char why[64];
	struct err e;

	clock_start(c, true);
	CU_ASSERT_EQUAL_FATAL(engine_open(s, c, &g, why, sizeof(why), &e), 0);
	return g;
}

static void read_at(struct engine *g, struct finish *f, uint32_t bytes)
{
	f->clock = g->clock;
	f->op = (struct engine_op){.opcode = ENGINE_READ, .len_bytes = bytes,
		.offset_bytes = 4096, .done = finished, .owner = f};
	CU_ASSERT_EQUAL_FATAL(engine_submit(g, &f->op), 0);
}

static void drain_all(struct engine *g)
{
	struct err e;

	while (g->in_flight)
		CU_ASSERT_EQUAL_FATAL(engine_wait(g, CLOCK_NEVER, &e), 0);
}

/*
 * The link is shared evenly. 1 GB/s, latency 100 us beside the bytes: reads of
 * 1 and 3 MB side by side get 0.5 GB/s each until the first is through after
 * 2 ms; the second has 2 MB left, alone: 4 ms in all.
 */
static void test_link_shares(void)
{
	struct engine_spec s = {.kind = ENGINE_MODEL,
		.drive = {.count = 1, .capacity_gb = 1,
			.sequential_read_gb_per_s = 1,
			.sequential_write_gb_per_s = 1,
			.random_read_kiops = 200, .random_write_kiops = 10,
			.random_write_bytes = 4096, .indirection_bytes = 4096,
			.read_latency_us = 109.096, .write_latency_us = 20,
			.write_buffer_mb = 64},
		.without = DRIVE_UNITS | DRIVE_COMMAND};
	struct finish a, b;
	struct clock c;
	struct engine *g = open_model(&s, &c);

	/* 109.096 us hold 5 us of command server (off) and 4.096 of link */
	read_at(g, &a, 1000000);
	read_at(g, &b, 3000000);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)a.ns, 2100e3, 10);
	CU_ASSERT_DOUBLE_EQUAL((double)b.ns, 4100e3, 10);
	engine_close(g);

	/* split: 4 x 1 MB, two at a time, are two rounds of 100 us + 2 ms */
	s.split_bytes = 1000000;
	s.split_depth = 2;
	g = open_model(&s, &c);
	read_at(g, &a, 4000000);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)a.ns, 4100e3, 10);
	engine_close(g);
	/* one at a time: four rounds of 100 us + 1 ms */
	s.split_depth = 1;
	g = open_model(&s, &c);
	read_at(g, &a, 4000000);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)a.ns, 4400e3, 10);
	engine_close(g);

	/* buffered: the ceiling of the host, 0.5 GB/s: 2 ms for 1 MB */
	s.split_bytes = 0;
	s.buffered = true;
	s.host.buffered_read_gb_per_s = 0.5;
	g = open_model(&s, &c);
	read_at(g, &a, 1000000);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)a.ns, 2100e3, 10);
	engine_close(g);
}

/*
 * Measured rates of large reads: 2 GB/s with one in flight, 3 with two, 3 with
 * four. Latency is contained: 1 MiB alone takes 1048576 / 2e9 s.
 */
static void test_measured_curve(void)
{
	struct engine_spec s = {.kind = ENGINE_MODEL,
		.drive = {.count = 1, .capacity_gb = 1,
			.sequential_read_gb_per_s = 3,
			.sequential_write_gb_per_s = 1,
			.random_read_kiops = 200, .random_write_kiops = 10,
			.random_write_bytes = 4096, .indirection_bytes = 4096,
			.read_latency_us = 100, .write_latency_us = 20,
			.write_buffer_mb = 64, .point_count = 3,
			.points = {
				{.bytes = 1048576, .depth = 4, .jobs = 1,
					.gb_per_s = 3},
				{.bytes = 1048576, .depth = 1, .jobs = 1,
					.gb_per_s = 2},
				{.bytes = 1048576, .depth = 2, .jobs = 1,
					.gb_per_s = 3},
			}}};
	struct finish f[4];
	struct clock c;
	struct engine *g = open_model(&s, &c);
	size_t i;

	read_at(g, &f[0], 1048576);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)f[0].ns, 1048576 / 2.0, 2);
	engine_close(g);
	g = open_model(&s, &c);
	for (i = 0; i < 4; i++)
		read_at(g, &f[i], 1048576);
	drain_all(g);
	CU_ASSERT_DOUBLE_EQUAL((double)f[3].ns, 4 * 1048576 / 3.0, 4);
	engine_close(g);
}

/*
 * Writes alone are drained by all units as one; a read in between parts them
 * and may cost the writes what it takes, no more and no less. 128 MiB of which
 * the buffer holds 64 MB: the last is in it once 70.2 MB are drained, at 10.1
 * GB/s after 6.95 ms.
 */
static void test_parting(void)
{
	struct drive_profile p;
	struct drive_model m;
	struct drive_write w;
	struct err e;
	int64_t alone, ready, after, page_ns;
	uint64_t i;

	CU_ASSERT_EQUAL_FATAL(drive_profile_load(NULL, "pe511", &p, &e), 0);
	CU_ASSERT_EQUAL_FATAL(drive_model_init(&m, &p, DRIVE_ALL, 1, &e), 0);
	for (i = 0; i < 128; i++)
		drive_model_write(&m, 0, (i + 1) << 20, 1 << 20, &w);
	alone = drive_model_written(&m, 0, &w);
	page_ns = (int64_t)m.drain_page_ns;
	near_pct((double)alone, (128 * 1048576 - 64e6) / 10.1, 3);
	CU_ASSERT_TRUE(m.joint);
	ready = drive_model_read(&m, 1000000, 4096);
	CU_ASSERT_FALSE(m.joint);
	/* at most the page that is draining and one in its turn */
	CU_ASSERT(ready >= 1000000 + 50000);
	CU_ASSERT(ready <= 1000000 + 60000 + 2 * page_ns);
	after = drive_model_written(&m, 1000000, &w);
	CU_ASSERT(after >= alone - 2 * page_ns && after <= alone + 2 * page_ns);
	/* long after, writes are alone again, with nothing left over */
	drive_model_write(&m, 1000000000, 1 << 30, 1 << 20, &w);
	CU_ASSERT_TRUE(m.joint);
	CU_ASSERT_EQUAL(
		drive_model_written(&m, 1000000000, &w), 1000000000);
	drive_model_fini(&m);
}

/* A read of 4 MiB takes all units alike; one page less takes them singly. */
static void test_long_reads(void)
{
	struct drive_profile p;
	struct drive_model m;
	struct err e;
	int64_t all, single;

	CU_ASSERT_EQUAL_FATAL(drive_profile_load(NULL, "pe511", &p, &e), 0);
	CU_ASSERT_EQUAL_FATAL(drive_model_init(&m, &p, DRIVE_ALL, 1, &e), 0);
	all = drive_model_read(&m, 0, DRIVE_BULK_BYTES);
	single = drive_model_read(
		&m, 1000000000, DRIVE_BULK_BYTES - DRIVE_PAGE_BYTES);
	single -= 1000000000;
	CU_ASSERT(all >= single && all <= single + m.read_ns);
	drive_model_fini(&m);
}

/* The same seed gives the same times, another one others. */
static void test_repeatable(void)
{
	struct load a = closed("pe511", false, 4096, 100, 0.01);
	struct load b = closed("pe511", false, 4096, 100, 0.01);

	CU_ASSERT_EQUAL(a.mean_us, b.mean_us);
	CU_ASSERT_EQUAL(a.kiops, b.kiops);
}

UT_SUITE(engine_model, UT_CASE(test_pe511_depth), UT_CASE(test_pe511_rate),
	UT_CASE(test_pe511_sizes), UT_CASE(test_pe511_writes),
	UT_CASE(test_other_drives), UT_CASE(test_stripe),
	UT_CASE(test_mechanisms), UT_CASE(test_link_shares),
	UT_CASE(test_measured_curve), UT_CASE(test_parting),
	UT_CASE(test_long_reads), UT_CASE(test_repeatable))
