/*
 * The training machine's times, in virtual time over a drive of constant
 * speed: every expected figure is worked out by hand in the comments.
 */
#include "accel_sim/au.h"
#include "core/record.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A file is one request; on the link alone it takes 1 ms, behind the other
 * reader's 2 ms.
 */
static void check_requests(const struct rec_rank *k)
{
	const struct hist *h = k->hists;

	CU_ASSERT_EQUAL(h[REC_LATENCY_NS].count, 20);
	CU_ASSERT_EQUAL(h[REC_LATENCY_NS].min, MS);
	CU_ASSERT_EQUAL(h[REC_LATENCY_NS].max, 2 * MS);
	CU_ASSERT_EQUAL(h[REC_REQUEST_BYTES].count, 20);
	CU_ASSERT_EQUAL(h[REC_REQUEST_BYTES].min, 1000000);
	CU_ASSERT_EQUAL(h[REC_REQUEST_BYTES].max, 1000000);
	CU_ASSERT_EQUAL(h[REC_IN_FLIGHT].count, 20);
	CU_ASSERT_EQUAL(h[REC_IN_FLIGHT].min, 1);
	CU_ASSERT_EQUAL(h[REC_IN_FLIGHT].max, 2);
}

static void metrics(struct sim *s)
{
	struct err e;

	CU_ASSERT_EQUAL_FATAL(acc_metrics(&s->run, &s->c, &e), 0);
}

/*
 * 1 GB/s, files of 1 MB: 1 ms a file. Both readers start at 0 and share the
 * link in turn: files end at 1 (reader 0), 2 (1), 3 (0), 4 (1); batch 0 is
 * there at 3 ms. A step takes 10 ms and needs 2 ms of the link: nothing is
 * ever waited for again.
 */
static void test_ample_drive(void)
{
	struct rec_epoch *ep;
	struct sim s;
	uint32_t k;

	sim_init(&s);
	sim_run_ok(&s);
	ep = sim_epoch(&s, 0, 0);
	CU_ASSERT_EQUAL(ep->steps, 10);
	CU_ASSERT_EQUAL(ep->block_ns, 0);
	CU_ASSERT_EQUAL(ep->load_ns[0], 3 * MS);
	for (k = 0; k < 10; k++) {
		if (k)
			CU_ASSERT_EQUAL(ep->load_ns[k], 0);
		CU_ASSERT_EQUAL(ep->compute_ns[k], 10 * MS);
		CU_ASSERT_EQUAL(ep->proc_ns[k],
			ep->load_ns[k] + ep->compute_ns[k]);
		CU_ASSERT_EQUAL(ep->barrier_ns[k], 0);
	}
	CU_ASSERT_EQUAL(ep->block_end_ns, 103 * MS);
	CU_ASSERT_EQUAL(ep->samples_read, 20);
	CU_ASSERT_EQUAL(ep->bytes_asked, 20000000);
	CU_ASSERT_EQUAL(ep->bytes_device, 20000000);
	CU_ASSERT_EQUAL(s.run.ranks[0].files_opened, 20);
	check_requests(&s.run.ranks[0]);
	metrics(&s);
	CU_ASSERT_EQUAL(s.run.metrics.au_mean_pct, 100);
	CU_ASSERT_TRUE(s.run.metrics.steady_evaluated);
	CU_ASSERT_DOUBLE_EQUAL(s.run.metrics.steady_au_pct, 100, 1e-9);
	/* 2 samples every 10 ms */
	CU_ASSERT_DOUBLE_EQUAL(
		s.run.metrics.throughput_mean_per_s, 200, 1e-9);
	sim_close(&s);
}

/*
 * 100 MB/s: 10 ms a file, 20 ms a batch, 10 ms compute. Batches 0 and 1 are
 * read in turn (file ends 10, 20, 30, 40) and are there at 30 and 40. Batch 2
 * is handed out at 30, 3 at 40: their files end at 50, 60, 70, 80, and so on:
 * batch k is there at 30 + 20 k (even k) or 20 + 20 k (odd k). An even batch
 * is waited for 20 ms (30 the first), an odd one is there when compute ends.
 */
static void check_starved(uint32_t steps)
{
	struct rec_epoch *ep;
	struct sim s;
	uint32_t k;

	sim_init(&s);
	s.c.files = 2 * steps;
	s.drive.bytes_per_s = 100000000;
	sim_run_ok(&s);
	ep = sim_epoch(&s, 0, 0);
	for (k = 0; k < steps; k++) {
		CU_ASSERT_EQUAL(ep->load_ns[k],
			k == 0 ? 30 * MS : k % 2 ? 0 : 20 * MS);
		CU_ASSERT_EQUAL(sim_taken_ns(ep, k),
			(k % 2 ? 20 + 20 * (int64_t)k : 30 + 20 * (int64_t)k) *
				MS);
	}
	/* the last of an even number: taken at 20 n ms, then 10 ms */
	CU_ASSERT_EQUAL(ep->block_end_ns, (20 * (int64_t)steps + 10) * MS);
	metrics(&s);
	/* total = 20 n + 10 - (30 + 10) */
	CU_ASSERT_DOUBLE_EQUAL(s.run.metrics.au_mean_pct,
		100.0 * 10 * (steps - 1) / (20.0 * steps - 30), 1e-9);
	/* the drive pays for ct / (batch / bandwidth) = 10 / 20 */
	CU_ASSERT_DOUBLE_EQUAL(s.run.metrics.steady_au_pct, 50, 1e-9);
	CU_ASSERT_FALSE(s.run.metrics.meets_exact);
	CU_ASSERT_FALSE(s.run.metrics.steady_meets);
	sim_close(&s);
}

static void test_starving_drive(void)
{
	check_starved(10);
	check_starved(1000); /* AU 50.03 %: 50 in the limit */
}

/*
 * The untimed first step can fill the read-ahead. W = 1, one file a batch of
 * 50 ms, prefetch factor 4, compute 10 ms, 8 steps. Files end at 50, 100, ...
 * 400 whatever is computed: L = 50, then 40 each. AU by the reference and
 * steady alike 10 / 50 = 20 %.
 */
static void test_one_reader(void)
{
	struct rec_epoch *ep;
	struct sim s;
	uint32_t k;

	sim_shape(&s, 8, 1, 1);
	s.c.prefetch_factor = 4;
	s.drive.bytes_per_s = 20000000;
	sim_run_ok(&s);
	ep = sim_epoch(&s, 0, 0);
	for (k = 0; k < 8; k++)
		CU_ASSERT_EQUAL(ep->load_ns[k], (k ? 40 : 50) * MS);
	metrics(&s);
	CU_ASSERT_DOUBLE_EQUAL(s.run.metrics.au_mean_pct, 20, 1e-9);
	/* 8 steps are not more than twice the window of 4 */
	CU_ASSERT_FALSE(s.run.metrics.steady_evaluated);
	sim_close(&s);
}

static void latency_sim(struct sim *s, uint64_t depth)
{
	sim_shape(s, 6, 1, 1);
	s->c.transfer_bytes = 262144;
	s->c.computation_ns = 3 * MS;
	s->c.queue_depth = depth;
	s->file_bytes = 4 * 262144;
	s->drive.latency_ns = 1 * MS;
	sim_run_ok(s);
}

/*
 * Latency: W = 1, B = 1, requests of 256 KiB one at a time, a file of four:
 * each costs 262144 ns on the link and 1 ms latency. A batch takes 4 x
 * 1.262144 = 5.048576 ms, compute 3 ms. Read-ahead of one: L = 5.048576, then
 * 2.048576.
 */
static void test_latency(void)
{
	struct rec_epoch *ep;
	struct sim s;
	uint32_t k;

	latency_sim(&s, 1);
	ep = sim_epoch(&s, 0, 0);
	for (k = 0; k < 6; k++)
		CU_ASSERT_EQUAL(ep->load_ns[k], k ? 2048576 : 5048576);
	sim_close(&s);

	/* all four at once: 4 x 0.262144 + 1 = 2.048576 ms, below compute */
	latency_sim(&s, 4);
	ep = sim_epoch(&s, 0, 0);
	for (k = 0; k < 6; k++)
		CU_ASSERT_EQUAL(ep->load_ns[k], k ? 0 : 2048576);
	CU_ASSERT_EQUAL(s.most_in_flight, 4);
	sim_close(&s);
}

static bool of_rank_0[8];

static uint64_t slow_first_rank(uint64_t id)
{
	return of_rank_0[id] ? 30000000 : 1000000;
}

/*
 * Two accelerators, W = B = 1, 1 GB/s; the files of rank 1 take 1 ms, those of
 * rank 0 30 ms. Whoever comes last to a barrier leaves it first, so rank 1
 * asks first. Link: rank 1 [0, 1], rank 0 [1, 31], rank 1 [31, 32], rank 0
 * [32, 62], rank 1 [62, 63], ... Rank 0 computes from 31 to 41, from 62 to 72,
 * 93 to 103, 124 to 134, and rank 1 always waits for it: 41 - 11 = 30 ms, then
 * 72 - 51 = 103 - 82 = 134 - 113 = 21 ms.
 */
static void test_barrier(void)
{
	struct rec_epoch *fast, *slow;
	const uint32_t *files;
	struct shard *shard;
	struct sim s;
	struct err e;
	uint32_t k;

	shard = shard_new(8, 2, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(shard);
	CU_ASSERT_EQUAL(shard_epoch(shard, 1, &e), 0);
	memset(of_rank_0, 0, sizeof(of_rank_0));
	files = shard_rank(shard, 0);
	for (k = 0; k < 4; k++)
		of_rank_0[files[k]] = true;
	shard_free(shard);

	sim_shape(&s, 8, 1, 1);
	s.c.accelerators = 2;
	s.c.transfer_bytes = 64 << 20;
	s.size_of = slow_first_rank;
	sim_run_ok(&s);
	fast = sim_epoch(&s, 1, 0);
	slow = sim_epoch(&s, 0, 0);
	for (k = 0; k < 4; k++) {
		CU_ASSERT_EQUAL(fast->load_ns[k], k ? 0 : 1 * MS);
		CU_ASSERT_EQUAL(fast->barrier_ns[k], (k ? 21 : 30) * MS);
		CU_ASSERT_EQUAL(slow->load_ns[k], (k ? 21 : 31) * MS);
		CU_ASSERT_EQUAL(slow->barrier_ns[k], 0);
		CU_ASSERT_EQUAL(sim_met_ns(fast, k), sim_met_ns(slow, k));
	}
	CU_ASSERT_EQUAL(fast->block_end_ns, 134 * MS);
	CU_ASSERT_EQUAL(slow->block_end_ns, 134 * MS);
	metrics(&s);
	/* only its own first load and compute are left out of each total */
	CU_ASSERT_DOUBLE_EQUAL(fast->au_pct, 100.0 * 30 / (134 - 11), 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(slow->au_pct, 100.0 * 30 / (134 - 41), 1e-9);
	CU_ASSERT_EQUAL(s.run.ranks[1].rank, 1);
	sim_close(&s);
}

static void run_C21(uint64_t files, uint64_t ranks, uint64_t batch,
	uint32_t steps, uint64_t unused)
{
	struct sim s;
	uint32_t r;

	sim_shape(&s, files, batch, 2);
	s.c.accelerators = ranks;
	CU_ASSERT_EQUAL(training_steps(&s.c), steps);
	sim_run_ok(&s);
	for (r = 0; r < ranks; r++) {
		CU_ASSERT_EQUAL(sim_epoch(&s, r, 0)->steps, steps);
		CU_ASSERT_EQUAL(
			sim_epoch(&s, r, 0)->samples_read, steps * batch);
	}
	CU_ASSERT_EQUAL(files - s.opens, unused);
	if (steps > 1) {
		metrics(&s);
		CU_ASSERT_EQUAL(s.run.metrics.unused_samples, unused);
	}
	sim_close(&s);
}

/* DLIO#198: 101 files, 8 ranks, batch 7: floor(101 / 8) = 12 files a rank,
 * floor(12 / 7) = 1 step, 101 - 8 x 7 = 45 unused. 13, 4, 1: 3 steps, 1. */
static void test_C21_files_not_divisible(void)
{
	run_C21(101, 8, 7, 1, 45);
	run_C21(13, 4, 1, 3, 1);
}

/* Fewer files than one batch for each: told, not waited for. */
static void test_C21_no_step(void)
{
	struct err e = {0};
	struct sim s;

	sim_shape(&s, 55, 7, 2);
	s.c.accelerators = 8;
	CU_ASSERT_EQUAL(training_steps(&s.c), 0);
	CU_ASSERT_EQUAL(sim_run(&s, &e), -EINVAL);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_EQUAL(s.opens, 0);
	sim_close(&s);
}

/*
 * Several samples in a file. Buffered: the first of a reader's samples reads
 * it, the others cost nothing. O_DIRECT: each reads it. As the reference does.
 */
static void test_samples_per_file(void)
{
	const struct {
		uint64_t files, spf, batch, readers, steps, opens, direct_opens;
	} t[] = {
		/* both readers have a batch in every file */
		{5, 4, 2, 2, 10, 10, 20},
		/* reader 0 has all of files 0 and 2, reader 1 of 1 and 3 */
		{4, 4, 4, 2, 4, 4, 16},
		/* one sample of the last file is left over */
		{3, 3, 2, 1, 4, 3, 8},
		/* batches of two files and a half */
		{5, 2, 5, 2, 2, 6, 10},
		{7, 1, 3, 2, 2, 6, 6},
	};
	struct rec_epoch *ep;
	struct sim s;
	size_t i;
	int k;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		for (k = 0; k < 2; k++) {
			sim_shape(&s, t[i].files, t[i].batch, t[i].readers);
			s.c.samples_per_file = t[i].spf;
			s.c.epochs = 2;
			s.c.odirect = k;
			CU_ASSERT_EQUAL(training_steps(&s.c), t[i].steps);
			sim_run_ok(&s);
			/* nothing is kept from one epoch to the next */
			CU_ASSERT_EQUAL(s.opens,
				2 * (k ? t[i].direct_opens : t[i].opens));
			ep = sim_epoch(&s, 0, 1);
			CU_ASSERT_EQUAL(
				ep->samples_read, t[i].steps * t[i].batch);
			CU_ASSERT_EQUAL(
				ep->bytes_asked, s.opens / 2 * s.file_bytes);
			sim_close(&s);
		}
	}
}

/* All samples are in one file: its first batch waits, the others do not. */
static void test_samples_of_one_file(void)
{
	struct rec_epoch *ep;
	struct sim s;
	uint32_t k;

	sim_shape(&s, 1, 2, 1);
	s.c.samples_per_file = 20;
	sim_run_ok(&s);
	ep = sim_epoch(&s, 0, 0);
	CU_ASSERT_EQUAL(s.opens, 1);
	CU_ASSERT_EQUAL(ep->steps, 10);
	/* 1 MB at 1 GB/s */
	CU_ASSERT_EQUAL(ep->load_ns[0], MS);
	for (k = 1; k < 10; k++)
		CU_ASSERT_EQUAL(ep->load_ns[k], 0);
	sim_close(&s);
}

static uint64_t uneven(uint64_t id)
{
	return 500000 + id * 7919 % 1000003;
}

static void busy_sim(struct sim *s)
{
	sim_shape(s, 100, 2, 3);
	s->c.accelerators = 3;
	s->c.epochs = 3;
	s->c.prefetch_factor = 2;
	s->c.queue_depth = 2;
	s->c.transfer_bytes = 65536;
	s->size_of = uneven;
	s->drive.bytes_per_s = 300000007;
	s->drive.latency_ns = 71234;
}

/* Uneven files, three epochs, three ranks: the same to the nanosecond. */
static void test_two_runs_identical(void)
{
	struct rec_epoch *x, *y;
	struct sim a, b;
	uint32_t r, i;
	size_t bytes;

	busy_sim(&a);
	sim_run_ok(&a);
	busy_sim(&b);
	sim_run_ok(&b);
	CU_ASSERT_EQUAL(clock_now(&a.clock), clock_now(&b.clock));
	CU_ASSERT_EQUAL_FATAL(a.event_count, b.event_count);
	for (i = 0; i < a.event_count; i++) {
		CU_ASSERT_EQUAL(a.events[i].ns, b.events[i].ns);
		CU_ASSERT_EQUAL(a.events[i].id, b.events[i].id);
	}
	for (r = 0; r < 3; r++)
		for (i = 0; i < 3; i++) {
			x = sim_epoch(&a, r, i);
			y = sim_epoch(&b, r, i);
			bytes = x->steps * sizeof(*x->load_ns);
			CU_ASSERT_EQUAL(x->steps, 33 / 2);
			CU_ASSERT_EQUAL(
				memcmp(x->load_ns, y->load_ns, bytes), 0);
			CU_ASSERT_EQUAL(memcmp(x->barrier_ns, y->barrier_ns,
						bytes), 0);
			CU_ASSERT_EQUAL(x->block_end_ns, y->block_end_ns);
		}
	sim_close(&a);
	sim_close(&b);
}

/* All times of a record fit together, whatever happened. */
static void test_sums(void)
{
	uint64_t bytes = 0, events = 0;
	struct rec_epoch *ep;
	struct sim s;
	uint32_t r, i, k;

	busy_sim(&s);
	sim_run_ok(&s);
	for (r = 0; r < 3; r++)
		for (i = 0; i < 3; i++) {
			ep = sim_epoch(&s, r, i);
			for (k = 0; k < ep->steps; k++)
				CU_ASSERT_EQUAL(sim_met_ns(ep, k),
					sim_met_ns(sim_epoch(&s, 0, i), k));
			CU_ASSERT_EQUAL(sim_met_ns(ep, ep->steps - 1),
				ep->block_end_ns);
			CU_ASSERT(ep->train_end_ns >= ep->block_end_ns);
			if (i)
				CU_ASSERT(ep->block_ns >=
					  sim_epoch(&s, r, i - 1)->end_ns);
			CU_ASSERT_EQUAL(ep->samples_read, 32);
			bytes += ep->bytes_asked;
		}
	CU_ASSERT_EQUAL(bytes, s.engine->bytes_read);
	CU_ASSERT_EQUAL(bytes, s.request_bytes);
	for (i = 0; i < s.event_count; i++)
		if (s.events[i].open)
			events += uneven(s.events[i].id);
	CU_ASSERT_EQUAL(bytes, events);
	sim_close(&s);
}

/* Four files of file_bytes, read past the page cache. */
static void run_direct(struct sim *s, uint64_t file_bytes, uint32_t align)
{
	sim_init(s);
	s->c.files = 4;
	s->c.odirect = true;
	s->c.transfer_bytes = 65536;
	s->file_bytes = file_bytes;
	s->align = align;
	sim_run_ok(s);
}

/* O_DIRECT asks for whole 4 KiB, but counts only what the file has. */
static void test_direct_padding(void)
{
	struct sim s;

	run_direct(&s, 65536 + 1, 0);
	CU_ASSERT_EQUAL(s.requests, 8);
	CU_ASSERT_EQUAL(s.request_bytes, 4 * (65536 + 4096));
	CU_ASSERT_EQUAL(sim_epoch(&s, 0, 0)->bytes_asked, 4 * (65536 + 1));
	sim_close(&s);
}

/*
 * LMCache/LMCache#4364: where the file wants more than 4096, buffer, offset
 * and length of every request follow.
 */
static void test_C19_direct_alignment(void)
{
	struct sim s;

	run_direct(&s, 2 * 65536 + 1, 16384);
	CU_ASSERT_EQUAL(s.requests, 12);
	CU_ASSERT_EQUAL(s.request_bytes, 4 * (2 * 65536 + 16384));
	CU_ASSERT_EQUAL(s.misaligned, 0);
	sim_close(&s);
}

UT_SUITE(training, UT_CASE(test_ample_drive), UT_CASE(test_starving_drive),
	UT_CASE(test_one_reader), UT_CASE(test_latency), UT_CASE(test_barrier),
	UT_CASE(test_C21_files_not_divisible), UT_CASE(test_C21_no_step),
	UT_CASE(test_samples_per_file), UT_CASE(test_samples_of_one_file),
	UT_CASE(test_two_runs_identical), UT_CASE(test_sums),
	UT_CASE(test_direct_padding), UT_CASE(test_C19_direct_alignment))
