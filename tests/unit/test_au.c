#include "accel_sim/au.h"

#include "accel_sim/au_exact.h"
#include "core/units.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A run of equal shape whose epochs the tests fill in. */
static struct rec_run make_run(uint32_t ranks, uint32_t epochs, uint32_t steps)
{
	struct rec_run run = {.status = REC_FINISHED, .rank_count = ranks};
	uint32_t r;

	run.ranks = calloc(ranks, sizeof(*run.ranks));
	CU_ASSERT_PTR_NOT_NULL_FATAL(run.ranks);
	for (r = 0; r < ranks; r++)
		CU_ASSERT_EQUAL_FATAL(
			rec_rank_init(&run.ranks[r], epochs, steps), 0);
	return run;
}

/* P = L + C, and a block as long as all steps and barriers plus rest_ns. */
static void close_epoch(struct rec_epoch *ep, int64_t rest_ns)
{
	uint32_t i;

	ep->block_ns = 1000;
	ep->block_end_ns = ep->block_ns + rest_ns;
	for (i = 0; i < ep->steps; i++) {
		ep->proc_ns[i] = ep->load_ns[i] + ep->compute_ns[i];
		ep->block_end_ns += ep->proc_ns[i] + ep->barrier_ns[i];
	}
}

static const struct train_config unet3d = {
	.batch_size = 7,
	.record_bytes = 146600628,
	.computation_ns = 162000000,
	.read_threads = 4,
	.prefetch_factor = 1,
	.au_floor_ppm = 900000,
	.files = 35,
	.samples_per_file = 1,
	.accelerators = 1,
};

/* Steps of C ns compute, the first with load0, the others with load. */
static void even_epoch(
	struct rec_epoch *ep, int64_t compute, int64_t load0, int64_t load)
{
	uint32_t i;

	for (i = 0; i < ep->steps; i++) {
		ep->compute_ns[i] = compute;
		ep->load_ns[i] = i ? load : load0;
	}
	close_epoch(ep, 0);
}

static void test_C01_edge_of_90(void)
{
	struct rec_run run = make_run(1, 1, 10);
	char buf[REC_AU_TEXT_MAX];
	struct err e = {0};

	/* 9 steps of 0.162 s in 9 * 0.180 s: exactly 90 % */
	even_epoch(run.ranks[0].epochs, 162000000, 1000000000, 18000000);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_TRUE(run.metrics.meets_exact);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_mean_pct, 90, 1e-9);
	CU_ASSERT_STRING_EQUAL(rec_format_au(buf, run.metrics.au_mean_pct,
				       900000, run.metrics.meets_exact),
		"90.000");
	/* 0.1801 s: 100 * 0.162 / 0.1801 = 89.950 */
	even_epoch(run.ranks[0].epochs, 162000000, 1000000000, 18100000);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_FALSE(run.metrics.meets_exact);
	CU_ASSERT_FALSE(run.metrics.meets_double);
	CU_ASSERT_STRING_EQUAL(rec_format_au(buf, run.metrics.au_mean_pct,
				       900000, run.metrics.meets_exact),
		"89.950");
	/* One nanosecond too much in 1.62 s. */
	even_epoch(run.ranks[0].epochs, 162000000, 1000000000, 18000000);
	run.ranks[0].epochs[0].block_end_ns++;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_FALSE(run.metrics.meets_exact);
	CU_ASSERT_STRING_EQUAL(rec_format_au(buf, run.metrics.au_mean_pct,
				       900000, run.metrics.meets_exact),
		"89.9999999");
	rec_run_fini(&run);
}

static void test_C02_first_step_and_rate(void)
{
	struct rec_run run = make_run(1, 1, 10);
	struct err e = {0};

	/* First step 1.0 s, nine of 0.180 s: 9 * 7 / 1.62 = 38.889 */
	even_epoch(run.ranks[0].epochs, 162000000, 838000000, 18000000);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(
		run.metrics.throughput_mean_per_s, 63 / 1.62, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(
		run.metrics.throughput_mean_per_s, 38.889, 0.0005);
	/* Case C10: that is 5437.0 MiB/s. */
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.io_mean_mib_per_s, 5437.0, 0.05);
	rec_run_fini(&run);

	run = make_run(1, 1, 1);
	even_epoch(run.ranks[0].epochs, 162000000, 838000000, 0);
	CU_ASSERT_EQUAL(acc_metrics(&run, &unet3d, &e), -EINVAL);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(e.text, "no steps left after excluding the first"));
	rec_run_fini(&run);
}

static void worked_example(struct rec_epoch *ep, int64_t first_barrier_us)
{
	static const int64_t c_us[] = {162200, 162100, 162300, 162200, 162200};
	static const int64_t l_us[] = {2500000, 1000, 20000, 1000, 1000};
	static const int64_t b_us[] = {0, 2000, 1000, 3000, 1000};
	uint32_t i;

	for (i = 0; i < 5; i++) {
		ep->compute_ns[i] = c_us[i] * NS_PER_US;
		ep->load_ns[i] = l_us[i] * NS_PER_US;
		ep->barrier_ns[i] = b_us[i] * NS_PER_US;
	}
	ep->barrier_ns[0] = first_barrier_us * NS_PER_US;
	close_epoch(ep, 50500 * NS_PER_US); /* loop 0.5 ms, tail 50 ms */
}

static void test_worked_example(void)
{
	struct rec_run run = make_run(1, 1, 5);
	struct rec_metrics *m = &run.metrics;
	struct err e = {0};

	worked_example(run.ranks[0].epochs, 800000);
	CU_ASSERT_EQUAL(run.ranks[0].epochs[0].block_end_ns -
				run.ranks[0].epochs[0].block_ns,
		4191500000);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(m->au_mean_pct, 42.42, 0.005);
	CU_ASSERT_DOUBLE_EQUAL(m->throughput_mean_per_s, 18.31, 0.005);
	CU_ASSERT_FALSE(m->meets_exact);
	/* 4 * 0.162 / 1.5293; shares of 4.1915 s */
	CU_ASSERT_DOUBLE_EQUAL(m->nominal_au_pct, 64.8 / 1.5293, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(m->compute_pct, 81.1 / 4.1915, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(m->storage_pct, 252.3 / 4.1915, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(m->barrier_pct, 80.7 / 4.1915, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(m->software_pct, 5.05 / 4.1915, 1e-9);
	/* barriers 7 ms of 0.6488 + 0.023 + 0.007 s */
	CU_ASSERT_DOUBLE_EQUAL(m->barrier_step_pct, 0.7 / 0.6788, 1e-9);
	/* 4 of 5 batches may be read ahead */
	CU_ASSERT_DOUBLE_EQUAL(m->head_start_pct, 80, 1e-9);
	CU_ASSERT_FALSE(m->steady_evaluated);

	worked_example(run.ranks[0].epochs, 0);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(m->au_mean_pct, 88.96, 0.005);
	rec_run_fini(&run);
}

/* Barriers are a column of their own where compute is short. */
static void test_C03_barrier_share(void)
{
	struct rec_run run = make_run(1, 1, 101);
	struct rec_epoch *ep = run.ranks[0].epochs;
	struct err e = {0};
	uint32_t i;

	for (i = 0; i < 101; i++) {
		ep->compute_ns[i] = 400000;
		ep->barrier_ns[i] = 100000;
	}
	close_epoch(ep, 0);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.barrier_step_pct, 20, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.storage_pct, 0, 1e-9);
	rec_run_fini(&run);
}

/* Waiting for a rank whose storage is late is not the barrier's cost. */
static void test_C03_skew_is_no_barrier_cost(void)
{
	struct rec_run run = make_run(2, 1, 11);
	struct rec_epoch *quick = run.ranks[0].epochs;
	struct rec_epoch *late = run.ranks[1].epochs;
	struct err e = {0};
	uint32_t i;

	for (i = 0; i < 11; i++) {
		quick->compute_ns[i] = late->compute_ns[i] = 900;
		late->load_ns[i] = 99;
		quick->barrier_ns[i] = 100;
		late->barrier_ns[i] = 1;
	}
	close_epoch(quick, 0);
	close_epoch(late, 0);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	/* 1 of every 1000 */
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.barrier_step_pct, 0.1, 1e-9);
	rec_run_fini(&run);
}

/* au 97.1 ... 97.26: mean 97.238, population deviation 0.1456571316482668 */
static void test_mean_and_deviation(void)
{
	static const int64_t au_e4[] = {971000, 973400, 970500, 974400, 972600};
	struct rec_run run = make_run(1, 5, 2);
	struct err e = {0};
	uint32_t i;

	for (i = 0; i < 5; i++)
		even_epoch(&run.ranks[0].epochs[i], au_e4[i], 0,
			1000000 - au_e4[i]);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &unet3d, &e), 0);
	CU_ASSERT_EQUAL_FATAL(run.metrics.epochs, 5);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_pct[1], 97.34, 1e-10);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_mean_pct, 97.238, 1e-10);
	CU_ASSERT_DOUBLE_EQUAL(
		run.metrics.au_stdev_pct, 0.1456571316482668, 1e-10);
	CU_ASSERT_TRUE(run.metrics.meets_exact && run.metrics.meets_double);
	rec_run_fini(&run);
}

/*
 * A published run: 714.0901501451481 samples/s are 99836.4109610 MiB/s. Here
 * 10^9 times as much: one batch of 7140901501451481 samples in 10^4 s.
 */
static void test_published_bandwidth(void)
{
	struct rec_run run = make_run(1, 1, 2);
	struct train_config c = unet3d;
	struct err e = {0};

	c.batch_size = 7140901501451481ULL;
	even_epoch(run.ranks[0].epochs, 5000 * NS_PER_S, 0, 5000 * NS_PER_S);
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.throughput_mean_per_s / 1e9,
		714.0901501451481, 1e-12);
	CU_ASSERT_DOUBLE_EQUAL(
		run.metrics.io_mean_mib_per_s / 1e9, 99836.4109610, 5e-8);
	rec_run_fini(&run);
}

static void test_ranks_and_epochs(void)
{
	struct rec_run run = make_run(2, 2, 3);
	struct train_config c = unet3d;
	struct err e = {0};

	c.accelerators = 2;
	even_epoch(&run.ranks[0].epochs[0], 90, 5, 10); /* 90 % */
	even_epoch(&run.ranks[1].epochs[0], 80, 5, 20); /* 80 % */
	even_epoch(&run.ranks[0].epochs[1], 100, 5, 0); /* 100 % */
	even_epoch(&run.ranks[1].epochs[1], 90, 5, 10); /* 90 %: mean 90 */
	run.ranks[0].epochs[0].bytes_asked = 3 * GIB_BYTES;
	run.ranks[1].epochs[1].bytes_asked = GIB_BYTES;
	run.ranks[1].epochs[1].bytes_device = GIB_BYTES;
	run.ranks[1].epochs[0].cpu_ns = 2 * NS_PER_S;
	run.ranks[1].peak_rss_bytes = 77;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_pct[0], 85, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_pct[1], 95, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_mean_pct, 90, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_stdev_pct, 5, 1e-9);
	CU_ASSERT_TRUE(run.metrics.meets_exact);
	/* throughput: each rank 2 / 200 ns * 7, their sum */
	CU_ASSERT_DOUBLE_EQUAL(
		run.metrics.throughput_per_s[0], 2 * 7 * 2 / 200e-9, 1);
	CU_ASSERT_EQUAL(run.metrics.bytes_asked, 4 * GIB_BYTES);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.cached_pct, 75, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.cpu_s_per_gib, 0.5, 1e-9);
	CU_ASSERT_EQUAL(run.metrics.peak_rss_bytes, 77);
	CU_ASSERT_EQUAL(run.metrics.unused_samples, 0); /* 35 < 42 */
	run.ranks[1].epochs[1].steps = 1;
	CU_ASSERT_EQUAL(acc_metrics(&run, &c, &e), -EINVAL);
	rec_run_fini(&run);
}

/*
 * Two thirds of the batches were read in the untimed first step: the
 * reference says 100 %, the bytes of the window pay for a third of it.
 */
static void test_steady_takes_the_head_start_out(void)
{
	struct rec_run run = make_run(1, 1, 10);
	struct rec_epoch *ep = run.ranks[0].epochs;
	struct train_config c = unet3d;
	struct err e = {0};

	c.computation_ns = 100;
	even_epoch(ep, 100, 1000, 0);
	ep->steady = (struct rec_steady){.first = 4,
		.end = 7,
		.begin_ns = 0,
		.end_ns = 300,
		.busy_ns = 300,
		.bytes_read = 100,
		.bytes_taken = 300};
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.au_mean_pct, 100, 1e-9);
	CU_ASSERT_TRUE(run.metrics.steady_evaluated);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.steady_au_pct, 100.0 / 3, 1e-9);
	CU_ASSERT_FALSE(run.metrics.steady_meets);

	/* The window refills the read-ahead: waits do not count twice. */
	even_epoch(ep, 100, 1000, 50);
	ep->steady.busy_ns = 480;
	ep->steady.end_ns = 480; /* 300 compute, 150 waits, 30 barriers */
	ep->steady.bytes_read = 600;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	/* storage: 300 * 2 / 480 > 1; software: 300 / 330 */
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.steady_au_pct, 300 / 3.3, 1e-9);
	CU_ASSERT_TRUE(run.metrics.steady_meets);

	/* In balance, it is compute over the window: 300 / 480. */
	ep->steady.bytes_read = 300;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.steady_au_pct, 62.5, 1e-9);

	/* Storage that was idle half of the time could have given twice. */
	ep->steady.busy_ns = 240;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.steady_au_pct, 300 / 3.3, 1e-9);
	ep->steady.busy_ns = 480;

	/* Computing later than asked does not pay: 3 * 80 of 480. */
	c.computation_ns = 80;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(run.metrics.steady_au_pct, 50, 1e-9);

	ep->steady.end = ep->steady.first;
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_FALSE(run.metrics.steady_evaluated);
	ep->steady.end = 11; /* beyond the steps */
	CU_ASSERT_EQUAL_FATAL(acc_metrics(&run, &c, &e), 0);
	CU_ASSERT_FALSE(run.metrics.steady_evaluated);
	rec_run_fini(&run);
}

static void test_exact_mean(void)
{
	struct acc_fraction v[3] = {{1, 3}, {1, 3}, {1, 3}};

	CU_ASSERT_TRUE(acc_mean_meets(v, 3, 333333));
	CU_ASSERT_FALSE(acc_mean_meets(v, 3, 333334));
	/* 9/10, 8/10 + 1/1000, 999/1000: exactly 0.9 */
	v[0] = (struct acc_fraction){9, 10};
	v[1] = (struct acc_fraction){801, 1000};
	v[2] = (struct acc_fraction){999, 1000};
	CU_ASSERT_TRUE(acc_mean_meets(v, 3, 900000));
	v[2] = (struct acc_fraction){999000000000000 - 1, 1000000000000000};
	CU_ASSERT_FALSE(acc_mean_meets(v, 3, 900000));
	/* no time passed: counts as 0 */
	v[2] = (struct acc_fraction){5, 0};
	CU_ASSERT_FALSE(acc_mean_meets(v, 3, 600000));
	CU_ASSERT_TRUE(acc_mean_meets(v, 3, 500000));
	/* a ratio the fixed point does not hold */
	v[2] = (struct acc_fraction){INT64_MAX, 1};
	CU_ASSERT_TRUE(acc_mean_meets(v, 3, 1000000));
}

/* Both ways agree, near the floor above all. */
static void test_exact_ways_agree(void)
{
	uint64_t x = 88172645463325252ULL;
	struct acc_fraction v[40];
	int trial, i, yes = 0;
	bool fast, slow;

	for (trial = 0; trial < 2000; trial++) {
		for (i = 0; i < 40; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			v[i].den_ns = (int64_t)(x % 100000000000) + 10;
			v[i].num_ns = v[i].den_ns / 10 * 9 +
				      (int64_t)(x >> 32) % 3 - 1 +
				      v[i].den_ns % 10 * 9 / 10;
		}
		fast = acc_mean_meets(v, 40, 900000);
		slow = acc_mean_meets_gmp(v, 40, 900000);
		yes += slow;
		if (fast != slow)
			CU_FAIL("fixed point and rationals disagree");
	}
	CU_ASSERT(yes > 20 && yes < 1980);
}

/* A campaign of a warm-up and runs whose AU is `au` per cent. */
static void make_campaign(
	struct record *rec, const int *au, uint32_t n, int warmup_au)
{
	struct err e = {0};
	struct rec_run *run;
	uint32_t i;
	int pct;

	record_init(rec);
	rec->config = unet3d;
	rec->campaign.runs_wanted = n;
	rec->campaign.warmups = 1;
	for (i = 0; i <= n; i++) {
		run = record_add_run(rec);
		CU_ASSERT_PTR_NOT_NULL_FATAL(run);
		*run = make_run(1, 1, 11);
		run->index = i;
		run->warmup = i == 0;
		pct = i ? au[i - 1] : warmup_au;
		rec->config.computation_ns = pct;
		even_epoch(run->ranks[0].epochs, pct, 0, 100 - pct);
		run->ranks[0].epochs[0].steady = (struct rec_steady){.first = 1,
			.end = 11,
			.begin_ns = 0,
			.end_ns = 1000,
			.busy_ns = 1000,
			.bytes_read = 100,
			.bytes_taken = 100};
		CU_ASSERT_EQUAL_FATAL(acc_metrics(run, &rec->config, &e), 0);
	}
	acc_campaign_verdict(rec);
}

static void test_C36_each_run_must_pass(void)
{
	static const int bad[] = {95, 95, 95, 95, 85};
	static const int good[] = {95, 91, 90, 92, 93};
	struct record rec;

	make_campaign(&rec, bad, 5, 50);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_FAIL);
	CU_ASSERT_EQUAL(rec.campaign.steady, VERDICT_FAIL);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.au_mean_pct, 93, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.margin_pct, -5, 1e-9);
	CU_ASSERT_STRING_EQUAL(
		rec.campaign.reason, "run 5: AU 85.000 % is below 90 %");
	/* The warm-up does not count but a bundle asks for it. */
	CU_ASSERT_EQUAL_FATAL(rec.note_count, 1);
	CU_ASSERT_STRING_EQUAL(rec.notes[0].id, "warmup");
	CU_ASSERT_PTR_NOT_NULL(strstr(rec.notes[0].text, "50.000 %"));
	acc_campaign_verdict(&rec); /* again: nothing doubles */
	CU_ASSERT_EQUAL(rec.note_count, 1);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.au_mean_pct, 93, 1e-9);
	record_fini(&rec);

	make_campaign(&rec, good, 5, 95);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_PASS);
	CU_ASSERT_EQUAL(rec.campaign.steady, VERDICT_PASS);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.au_mean_pct, 92.2, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.steady_mean_pct, 92.2, 1e-9);
	CU_ASSERT_DOUBLE_EQUAL(rec.campaign.margin_pct, 0, 1e-9);
	CU_ASSERT_STRING_EQUAL(rec.campaign.reason, "");
	CU_ASSERT_EQUAL(rec.note_count, 0);
	record_fini(&rec);
}

static void test_C36_too_few_runs(void)
{
	static const int au[] = {95, 95, 95, 95, 95};
	struct record rec;

	make_campaign(&rec, au, 2, 95);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_NONE);
	CU_ASSERT_STRING_EQUAL(rec.campaign.reason,
		"the rule needs 5 measured runs, this campaign has 2");
	rec.campaign.stands_for_all = true;
	acc_campaign_verdict(&rec);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_PASS);
	record_fini(&rec);

	make_campaign(&rec, au, 5, 95);
	rec.runs[3].status = REC_INTERRUPTED;
	acc_campaign_verdict(&rec);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_NONE);
	CU_ASSERT_STRING_EQUAL(rec.campaign.reason,
		"4 of 5 runs finished; run 3: interrupted");
	record_fini(&rec);
}

/* Good reference figures, but a head start made them. */
static void test_campaign_steady_fails_alone(void)
{
	static const int au[] = {95, 95, 95, 95, 95};
	struct record rec;
	struct err e = {0};

	make_campaign(&rec, au, 5, 95);
	rec.runs[2].ranks[0].epochs[0].steady.bytes_read = 50;
	acc_metrics(&rec.runs[2], &rec.config, &e);
	acc_campaign_verdict(&rec);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_PASS);
	CU_ASSERT_EQUAL(rec.campaign.steady, VERDICT_FAIL);
	CU_ASSERT_STRING_EQUAL(
		rec.campaign.reason, "run 2: steady AU 47.500 % is below 90 %");
	rec.runs[2].ranks[0].epochs[0].steady.end = 0;
	acc_metrics(&rec.runs[2], &rec.config, &e);
	acc_campaign_verdict(&rec);
	CU_ASSERT_EQUAL(rec.campaign.steady, VERDICT_NONE);
	CU_ASSERT_EQUAL(rec.campaign.reference, VERDICT_PASS);
	record_fini(&rec);
}

UT_SUITE(au, UT_CASE(test_C01_edge_of_90),
	UT_CASE(test_C02_first_step_and_rate), UT_CASE(test_worked_example),
	UT_CASE(test_C03_barrier_share),
	UT_CASE(test_C03_skew_is_no_barrier_cost), UT_CASE(test_mean_and_deviation),
	UT_CASE(test_published_bandwidth), UT_CASE(test_ranks_and_epochs),
	UT_CASE(test_steady_takes_the_head_start_out), UT_CASE(test_exact_mean),
	UT_CASE(test_exact_ways_agree), UT_CASE(test_C36_each_run_must_pass),
	UT_CASE(test_C36_too_few_runs),
	UT_CASE(test_campaign_steady_fails_alone))
