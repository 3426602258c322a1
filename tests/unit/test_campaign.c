/* Campaigns: several runs, their notes and the verdict, on both clocks. */
#include "accel_sim/profile.h"
#include "plan/campaign.h"
#include "plan/dataset_job.h"
#include "storage/loop.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MS INT64_C(1000000)

struct trial {
	struct record rec;
	struct campaign c;
	unsigned begun, ended;
	int answer; /* of run_ended */
};

static void run_begins(void *ctx, const struct rec_run *run)
{
	struct trial *t = ctx;

	CU_ASSERT_EQUAL(run->index, t->begun);
	CU_ASSERT_EQUAL(strlen(run->stamp), 15);
	t->begun++;
}

static int run_ended(
	void *ctx, struct record *rec, struct rec_run *run, struct err *e)
{
	struct trial *t = ctx;

	CU_ASSERT_PTR_EQUAL(rec, &t->rec);
	CU_ASSERT_EQUAL(run->status, REC_FINISHED);
	t->ended++;
	return t->answer ? err_set(e, ERR_IO, t->answer, "results full") : 0;
}

static void trial_init(struct trial *t, uint32_t accelerators)
{
	struct train_config *c = &t->rec.config;
	struct err e;

	memset(t, 0, sizeof(*t));
	record_init(&t->rec);
	t->rec.campaign.runs_rule = 5;
	strcpy(c->format, "npz");
	c->accelerators = accelerators;
	c->samples_per_file = 1;
	c->epochs = 1;
	c->read_threads = 4;
	c->prefetch_size = 2;
	c->prefetch_factor = 1;
	c->queue_depth = 1;
	c->transfer_bytes = 1 << 20;
	c->au_floor_ppm = 900000;
	t->c.ctx = t;
	t->c.run_begins = run_begins;
	t->c.run_ended = run_ended;
	CU_ASSERT_EQUAL_FATAL(
		group_local_open(accelerators, &t->c.group, &e), 0);
}

static void trial_fini(struct trial *t)
{
	group_close(t->c.group);
	record_fini(&t->rec);
}

/* unet3d with files of equal size on a modelled drive, 60 steps. */
static void unet3d(struct trial *t, const char *accelerator, uint32_t n,
	uint64_t bytes_per_s)
{
	struct train_config *c = &t->rec.config;
	struct workload_profile p;
	struct err e;

	trial_init(t, n);
	CU_ASSERT_EQUAL_FATAL(
		profile_load(NULL, "unet3d", accelerator, &p, &e), 0);
	c->batch_size = p.batch_size;
	c->computation_ns = p.computation_ns;
	c->record_bytes = p.record_bytes;
	c->files = 60 * p.batch_size * n;
	snprintf(c->drive, sizeof(c->drive), "constant:%lluB/s",
		(unsigned long long)bytes_per_s);
	t->c.engine.kind = ENGINE_CONSTANT;
	t->c.engine.bytes_per_s = bytes_per_s;
	t->c.virtual_time = true;
	t->c.runs = 5;
}

static double steady_au(const char *accelerator, uint32_t n, uint64_t rate,
	bool *passes)
{
	struct trial t;
	struct err e;
	double au;

	unet3d(&t, accelerator, n, rate);
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 1);
	CU_ASSERT_TRUE(t.rec.runs[0].metrics.steady_evaluated);
	au = t.rec.runs[0].metrics.steady_au_pct;
	CU_ASSERT_DOUBLE_EQUAL(t.rec.campaign.steady_mean_pct, au, 1e-9);
	*passes = t.rec.campaign.steady == VERDICT_PASS;
	CU_ASSERT_EQUAL(*passes, au >= 90);
	trial_fini(&t);
	return au;
}

/*
 * A file of unet3d without deviation has sides of floor(sqrt(146600628)) =
 * 12107: 12107^2 + 458 = 146579907 bytes. An accelerator asks for a batch of
 * seven in a compute time; n of them get the drive's rate.
 */
static double arithmetic(double compute_s, uint32_t n, double bytes_per_s)
{
	double au = 100 * bytes_per_s * compute_s / (n * 7 * 146579907.0);

	return au < 100 ? au : 100;
}

/*
 * mlcommons/storage#195: how many can this drive feed, and what happens
 * beyond. At 14 GB/s two B200 (6.33 GB/s each) but not three (73.7 %), four
 * H100 but not five (88.1 %); at 7 GB/s one and two; at 3.5 no B200.
 */
static void test_C50_sweep(void)
{
	static const struct {
		const char *accelerator;
		double compute_s;
		uint64_t rate;
		uint32_t n;
		bool passes;
		double au; /* as the case says it */
	} rows[] = {
		{"b200", 0.162, 14000000000, 2, true, 100},
		{"b200", 0.162, 14000000000, 3, false, 73.7},
		{"h100", 0.323, 14000000000, 4, true, 100},
		{"h100", 0.323, 14000000000, 5, false, 88.1},
		{"b200", 0.162, 7000000000, 1, true, 100},
		{"b200", 0.162, 7000000000, 2, false, 55.3},
		{"h100", 0.323, 7000000000, 2, true, 100},
		{"h100", 0.323, 7000000000, 3, false, 73.5},
		{"b200", 0.162, 3500000000, 1, false, 55.3},
	};
	bool passes;
	double au;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		au = steady_au(rows[i].accelerator, rows[i].n, rows[i].rate,
			&passes);
		CU_ASSERT_EQUAL(passes, rows[i].passes);
		CU_ASSERT_DOUBLE_EQUAL(au, rows[i].au, 0.1);
		CU_ASSERT_DOUBLE_EQUAL(au,
			arithmetic(rows[i].compute_s, rows[i].n,
				(double)rows[i].rate),
			0.05);
	}
}

/*
 * On a modelled drive one run stands for all, and none of them is a warm-up:
 * asked for 5 and one before them, the verdict is there and needs no excuse.
 */
static void test_virtual_stands_for_all(void)
{
	struct trial t;
	struct err e;

	unet3d(&t, "b200", 2, 14000000000);
	t.c.warmups = 1;
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 1);
	CU_ASSERT_FALSE(t.rec.runs[0].warmup);
	CU_ASSERT_EQUAL(t.rec.runs[0].status, REC_FINISHED);
	CU_ASSERT_TRUE(t.rec.campaign.stands_for_all);
	CU_ASSERT_EQUAL(t.rec.campaign.reference, VERDICT_PASS);
	CU_ASSERT_EQUAL(t.rec.campaign.steady, VERDICT_PASS);
	CU_ASSERT_STRING_EQUAL(t.rec.campaign.reason, "");
	CU_ASSERT(t.rec.campaign.au_mean_pct >= 90);
	CU_ASSERT_EQUAL(t.begun, 1);
	CU_ASSERT_EQUAL(t.ended, 1);
	CU_ASSERT_STRING_EQUAL(t.rec.config.engine, "constant");
	CU_ASSERT_STRING_EQUAL(t.rec.config.group, "local");
	CU_ASSERT_STRING_EQUAL(t.rec.config.clock, "virtual");
	CU_ASSERT_TRUE(t.rec.time.is_virtual);
	CU_ASSERT_EQUAL_FATAL(t.rec.host_count, 1);
	CU_ASSERT_EQUAL(t.rec.hosts[0].ranks, 2);
	trial_fini(&t);
}

/*
 * Asked for, every run is simulated for itself: each begins where the one
 * before it ended, and the client has the memory that was said.
 */
static void test_virtual_each_run(void)
{
	struct trial t;
	struct err e;
	uint32_t i;

	unet3d(&t, "b200", 2, 14000000000);
	t.c.warmups = 1;
	t.c.each_run = true;
	t.c.client_memory_bytes = 32ULL << 30;
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 6);
	CU_ASSERT_EQUAL(t.begun, 6);
	CU_ASSERT_EQUAL(t.ended, 6);
	CU_ASSERT_FALSE(t.rec.campaign.stands_for_all);
	CU_ASSERT_EQUAL(t.rec.campaign.warmups, 1);
	CU_ASSERT_EQUAL(t.rec.campaign.reference, VERDICT_PASS);
	for (i = 0; i < 6; i++) {
		CU_ASSERT_EQUAL(t.rec.runs[i].warmup, i == 0);
		CU_ASSERT_EQUAL(t.rec.runs[i].status, REC_FINISHED);
		CU_ASSERT(t.rec.runs[i].end_ns > t.rec.runs[i].start_ns);
		if (i)
			CU_ASSERT_EQUAL(t.rec.runs[i].start_ns,
				t.rec.runs[i - 1].end_ns);
	}
	CU_ASSERT_EQUAL(t.rec.hosts[0].memory_bytes, 32ULL << 30);
	trial_fini(&t);
}

/* One step: no AU, but a run and a note with the files it takes. */
static void test_one_step(void)
{
	struct trial t;
	struct err e;

	unet3d(&t, "b200", 2, 14000000000);
	t.rec.config.files = 27; /* 13 each: one batch of 7 */
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	CU_ASSERT_EQUAL(t.rec.runs[0].status, REC_FINISHED);
	CU_ASSERT_EQUAL(t.rec.campaign.reference, VERDICT_NONE);
	CU_ASSERT_EQUAL_FATAL(t.rec.note_count, 1);
	CU_ASSERT_STRING_EQUAL(t.rec.notes[0].id, "one-step");
	CU_ASSERT_PTR_NOT_NULL(
		strstr(t.rec.notes[0].text, "AU NOT EVALUATED"));
	CU_ASSERT_PTR_NOT_NULL(strstr(t.rec.notes[0].text, "28 files"));
	trial_fini(&t);
}

/* Too few files for the ranks: an error, no run in the record. */
static void test_too_few_files(void)
{
	struct trial t;
	struct err e = {0};

	unet3d(&t, "b200", 8, 14000000000);
	t.rec.config.files = 7;
	CU_ASSERT(campaign_run(&t.c, &t.rec, &e) < 0);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_EQUAL(t.rec.run_count, 0);
	CU_ASSERT_EQUAL(t.begun, 0);
	trial_fini(&t);
}

#define FILES 24

/* A small set on a disk. */
static void real_set(struct trial *t, char dir[UT_PATH_MAX])
{
	struct train_config *c = &t->rec.config;
	struct dataset_result res;
	struct dataset_job job;
	struct group *g;
	struct err e;

	trial_init(t, 2);
	ut_dir_make(dir, "/tmp");
	c->files = FILES;
	c->batch_size = 2;
	c->computation_ns = 2 * MS;
	c->record_bytes = 150000;
	c->record_stdev_bytes = 70000;
	c->read_threads = 2;
	c->epochs = 2;
	c->transfer_bytes = 65536;
	strcpy(c->data_dir, dir);
	snprintf(c->data_folder, sizeof(c->data_folder), "%s/unet3d", dir);
	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &g, &e), 0);
	job = (struct dataset_job){.group = g,
		.engine = {.kind = ENGINE_AUTO}, .seed = 5, .direct = false,
		.folder = c->data_folder, .model = "unet3d", .scale = "1"};
	job.layout = (struct dataset_layout){.files = FILES,
		.samples_per_file = 1, .record_bytes = 150000,
		.record_stdev_bytes = 70000, .ranks = 1, .format = "npz"};
	CU_ASSERT_EQUAL_FATAL(dataset_job_run(&job, &res, &e), 0);
	group_close(g);
	t->c.engine.kind = ENGINE_AUTO;
	t->c.runs = 2;
	t->c.warmups = 1;
}

/* Warm-up and two runs, each sample compared with what was generated. */
static void test_real_campaign(void)
{
	char dir[UT_PATH_MAX];
	struct trial t;
	struct err e;
	uint32_t i;

	real_set(&t, dir);
	t.rec.config.verify = true;
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 3);
	CU_ASSERT_EQUAL(t.begun, 3);
	CU_ASSERT_EQUAL(t.ended, 3);
	for (i = 0; i < 3; i++) {
		const struct rec_run *run = &t.rec.runs[i];

		CU_ASSERT_EQUAL(run->warmup, i == 0);
		CU_ASSERT_EQUAL(run->status, REC_FINISHED);
		CU_ASSERT_EQUAL(run->rank_count, 2);
		CU_ASSERT_EQUAL(run->ranks[1].epoch_count, 2);
		CU_ASSERT_EQUAL(run->ranks[1].epochs[1].steps, 6);
		CU_ASSERT_EQUAL(run->ranks[1].files_opened, FILES / 2 * 2);
		/* both ranks and epochs: 48 samples, half to each rank */
		CU_ASSERT_EQUAL(run->ranks[0].samples_verified, FILES);
		CU_ASSERT_EQUAL(run->ranks[1].samples_verified, FILES);
		CU_ASSERT(run->end_ns > run->start_ns);
		CU_ASSERT_EQUAL(run->metrics.epochs, 2);
		/* 5 counted steps of 2 ms or more */
		CU_ASSERT(run->metrics.au_mean_pct > 0);
		CU_ASSERT(run->metrics.au_mean_pct <= 100);
	}
	CU_ASSERT_EQUAL(t.rec.campaign.warmups, 1);
	CU_ASSERT_FALSE(t.rec.campaign.stands_for_all);
	/* two runs are no five, and that is what is said */
	CU_ASSERT_EQUAL(t.rec.campaign.reference, VERDICT_NONE);
	CU_ASSERT_PTR_NOT_NULL(strstr(t.rec.campaign.reason,
		"the rule needs 5 measured runs, this campaign has 2"));
	CU_ASSERT_FALSE(t.rec.time.is_virtual);
	CU_ASSERT_EQUAL_FATAL(t.rec.host_count, 1);
	CU_ASSERT(t.rec.hosts[0].memory_bytes > 0);
	CU_ASSERT_PTR_NOT_NULL(t.rec.hosts[0].meminfo);
	trial_fini(&t);
	ut_dir_remove(dir);
}

/* A result that cannot be written ends the campaign; the run stays. */
static void test_run_ended_fails(void)
{
	char dir[UT_PATH_MAX];
	struct trial t;
	struct err e = {0};

	real_set(&t, dir);
	t.answer = -ENOSPC;
	CU_ASSERT_EQUAL(campaign_run(&t.c, &t.rec, &e), -ENOSPC);
	CU_ASSERT_STRING_EQUAL(e.text, "results full");
	CU_ASSERT_EQUAL(t.rec.run_count, 1);
	CU_ASSERT_EQUAL(t.ended, 1);
	trial_fini(&t);
	ut_dir_remove(dir);
}

static void interrupt(void *ctx, const struct training_progress *p)
{
	(void)ctx;
	if (p->epoch == 2)
		loop_interrupted = 1;
}

static void test_interrupted(void)
{
	char dir[UT_PATH_MAX];
	struct trial t;
	struct err e = {0};

	real_set(&t, dir);
	t.c.warmups = 0;
	t.c.progress = interrupt;
	t.rec.config.computation_ns = 250 * MS; /* so that steps are shown */
	t.rec.config.files = FILES;
	t.rec.config.batch_size = 6;
	CU_ASSERT_EQUAL(campaign_run(&t.c, &t.rec, &e), -EINTR);
	loop_interrupted = 0;
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 1);
	CU_ASSERT_EQUAL(t.rec.runs[0].status, REC_INTERRUPTED);
	CU_ASSERT_EQUAL(t.ended, 0);
	trial_fini(&t);
	ut_dir_remove(dir);
}

/* A byte that rotted on the disk fails the run that reads it. */
static void test_verify_fails(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct trial t;
	struct err e = {0};

	real_set(&t, dir);
	t.rec.config.verify = true;
	ut_file_flip(ut_join(path, dir, "unet3d/train/img_07_of_24.npz"),
		5000);
	CU_ASSERT_EQUAL(campaign_run(&t.c, &t.rec, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "img_07_of_24.npz"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "byte 5000"));
	CU_ASSERT_EQUAL_FATAL(t.rec.run_count, 1);
	CU_ASSERT_EQUAL(t.rec.runs[0].status, REC_FAILED);
	trial_fini(&t);
	ut_dir_remove(dir);
}

/*
 * Slowed to 20 MB/s and said so. 24 files of 150 kB, twice, are 7 MB: at
 * least 0.3 s, read rates below the limit and AU far below 90 %.
 */
static void test_limit_is_noted(void)
{
	char dir[UT_PATH_MAX];
	struct trial t;
	struct err e;
	uint64_t bytes = 0;
	uint32_t i, r;

	real_set(&t, dir);
	t.c.runs = 1;
	t.c.warmups = 0;
	t.rec.config.limit_read_bytes_per_s = 20000000;
	CU_ASSERT_EQUAL_FATAL(campaign_run(&t.c, &t.rec, &e), 0);
	for (r = 0; r < 2; r++)
		for (i = 0; i < 2; i++)
			bytes += t.rec.runs[0].ranks[r].epochs[i].bytes_asked;
	/* each epoch may catch up 5 ms */
	CU_ASSERT(t.rec.runs[0].end_ns - t.rec.runs[0].start_ns >=
		  (int64_t)bytes * 50 - 10 * MS);
	CU_ASSERT(t.rec.runs[0].metrics.au_mean_pct < 90);
	for (i = 0; i < t.rec.note_count &&
		strcmp(t.rec.notes[i].id, "limit-read"); i++)
		;
	CU_ASSERT_FATAL(i < t.rec.note_count);
	CU_ASSERT_PTR_NOT_NULL(strstr(t.rec.notes[i].text, "20.0 MB/s"));
	trial_fini(&t);
	ut_dir_remove(dir);
}

UT_SUITE(campaign, UT_CASE(test_C50_sweep),
	UT_CASE(test_virtual_stands_for_all),
	UT_CASE(test_virtual_each_run), UT_CASE(test_one_step),
	UT_CASE(test_too_few_files), UT_CASE(test_real_campaign),
	UT_CASE(test_run_ended_fails), UT_CASE(test_interrupted),
	UT_CASE(test_verify_fails), UT_CASE(test_limit_is_noted))
