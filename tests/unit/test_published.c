/*
 * Published MLPerf Storage results of single drives, run again on their
 * models. Rows: storage_results_v3.0 (O_DIRECT, 4 readers, 14000 files) and
 * _v1.0 (buffered, 24 readers), unet3d; AU and MiB/s are the means of the
 * published runs. One set of host constants for each round.
 */
#include "accel_sim/au.h"
#include "accel_sim/profile.h"
#include "plan/whatif.h"
#include "tests/unit/ut.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
	const char *drive, *host, *accelerator;
	uint64_t accelerators, files, readers;
	bool odirect;
	double au_pct, mib_per_s; /* published; 0 = it must fail or pass only */
	bool passes;
};

static const struct row rows[] = {
	{"d7-ps1010", "v3.0", "b200", 2, 14000, 4, true, 98.4, 11890, true},
	{"d7-ps1010", "v3.0", "b200", 3, 14000, 4, true, 0, 0, false},
	{"d5-p5336", "v3.0", "b200", 1, 14000, 4, true, 97.7, 5900, true},
	{"d5-p5336", "v3.0", "b200", 2, 14000, 4, true, 0, 0, false},
	{"micron-9400", "v1.0", "h100", 2, 17500, 24, false, 96.2, 0, true},
	{"micron-9400", "v1.0", "h100", 3, 17500, 24, false, 0, 0, false},
	{"micron-9400", "v1.0", "a100", 4, 17500, 24, false, 96.0, 0, true},
	{"micron-9400", "v1.0", "a100", 5, 17500, 24, false, 0, 0, false},
	{"micron-6500", "v1.0", "h100", 1, 37500, 24, false, 96.4, 0, true},
	{"micron-6500", "v1.0", "h100", 2, 37500, 24, false, 0, 0, false},
	{"micron-6500", "v1.0", "a100", 3, 37500, 24, false, 98.0, 0, true},
	{"micron-6500", "v1.0", "a100", 4, 37500, 24, false, 0, 0, false},
};

static void configure(struct train_config *c, const struct row *row)
{
	struct workload_profile p;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		profile_load(NULL, "unet3d", row->accelerator, &p, &e), 0);
	memset(c, 0, sizeof(*c));
	snprintf(c->model, sizeof(c->model), "unet3d");
	snprintf(c->format, sizeof(c->format), "npz");
	snprintf(c->drive, sizeof(c->drive), "%s", row->drive);
	c->scale = (struct rec_scale){1, 1};
	c->accelerators = row->accelerators;
	c->files = row->files;
	c->samples_per_file = 1;
	c->batch_size = p.batch_size;
	c->epochs = 1;
	c->record_bytes = p.record_bytes;
	c->record_stdev_bytes = p.record_stdev_bytes;
	c->computation_ns = p.computation_ns;
	c->read_threads = row->readers;
	c->prefetch_size = 2;
	c->prefetch_factor = row->readers > 2 ? 1 : 2;
	c->transfer_bytes = 1048576;
	c->odirect = row->odirect;
	c->queue_depth = row->odirect ? 16 : 1;
	c->au_floor_ppm = p.au_floor_ppm;
	c->file_shuffle = true;
	c->datagen_ranks = 1;
	c->hosts = 1;
}

static void run_row(const struct row *row, bool event_per_file,
	struct rec_metrics *m)
{
	struct train_config c;
	struct whatif w = {.config = &c, .event_per_file = event_per_file};
	struct err e;

	configure(&c, row);
	CU_ASSERT_EQUAL_FATAL(
		engine_spec_parse(NULL, row->drive, &w.engine, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		host_model_load(NULL, row->host, &w.engine.host, &e), 0);
	c.host_step_ns = w.engine.host.step_ns;
	if (whatif_run(&w, m, &e))
		CU_FAIL_FATAL(e.text);
}

/* One epoch of each, a whole file at a time. */
static void test_rows(void)
{
	struct rec_metrics m;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		run_row(row, true, &m);
		if (m.meets_exact != row->passes ||
			m.steady_meets != row->passes ||
			(row->au_pct > 0 &&
				fabs(m.au_mean_pct - row->au_pct) > 1) ||
			(row->mib_per_s > 0 &&
				fabs(m.io_mean_mib_per_s / row->mib_per_s - 1) >
					0.01))
			printf("\n    %s x %d on %s: AU %.2f %%, steady %.2f "
			       "%%, %.0f MiB/s; published %.1f, %.0f\n",
				row->accelerator, (int)row->accelerators,
				row->drive, m.au_mean_pct, m.steady_au_pct,
				m.io_mean_mib_per_s, row->au_pct,
				row->mib_per_s);
		CU_ASSERT_EQUAL(m.meets_exact, row->passes);
		CU_ASSERT_EQUAL(m.steady_meets, row->passes);
		if (row->au_pct > 0)
			CU_ASSERT_DOUBLE_EQUAL(m.au_mean_pct, row->au_pct, 1);
		if (row->mib_per_s > 0)
			CU_ASSERT_DOUBLE_EQUAL(
				m.io_mean_mib_per_s / row->mib_per_s, 1, 0.01);
		whatif_fini(&m);
	}
}

/* Whole files in one request tell the same as requests of 1 MiB. */
static void test_event_per_file(void)
{
	struct rec_metrics whole, real;
	size_t i;

	for (i = 0; i < 6; i += 5) { /* 2 x b200 direct, 3 x h100 buffered */
		run_row(&rows[i], true, &whole);
		run_row(&rows[i], false, &real);
		CU_ASSERT_DOUBLE_EQUAL(
			whole.steady_au_pct, real.steady_au_pct, 0.5);
		CU_ASSERT_DOUBLE_EQUAL(
			whole.au_mean_pct, real.au_mean_pct, 0.5);
		whatif_fini(&whole);
		whatif_fini(&real);
	}
}

UT_SUITE(published, UT_CASE(test_rows), UT_CASE(test_event_per_file))
