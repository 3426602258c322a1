/*
 * Training while a checkpoint is saved. On a constant drive one link takes
 * all bytes, so what the two get is arithmetic.
 */
#include "plan/interference.h"
#include "storage/drive_model.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_up(struct interference *i, struct train_config *c,
	const char *drive, uint64_t accelerators)
{
	struct ckpt_model m;
	struct err e;

	memset(i, 0, sizeof(*i));
	memset(c, 0, sizeof(*c));
	snprintf(c->model, sizeof(c->model), "unet3d");
	snprintf(c->format, sizeof(c->format), "npz");
	snprintf(c->drive, sizeof(c->drive), "%s", drive);
	c->scale = (struct rec_scale){1, 1};
	c->accelerators = accelerators;
	c->samples_per_file = 1;
	c->batch_size = 7;
	c->record_bytes = 146600628; /* all files alike */
	c->computation_ns = 162000000;
	c->read_threads = 4;
	c->prefetch_size = 2;
	c->prefetch_factor = 1;
	c->transfer_bytes = 1048576;
	c->odirect = true;
	c->queue_depth = 16;
	c->au_floor_ppm = 900000;
	c->file_shuffle = true;
	c->datagen_ranks = 1;
	c->hosts = 1;
	i->config = c;
	i->period_s = 600;
	CU_ASSERT_EQUAL_FATAL(
		engine_spec_parse(NULL, drive, &i->engine, &e), 0);
	CU_ASSERT_EQUAL_FATAL(ckpt_model_load(NULL, "llama3-8b", &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(ckpt_shape_init(&i->checkpoint.shape, &m, 8,
				      CKPT_AUTO, 1, 1, &e), 0);
	i->checkpoint.io = CKPT_IO_DIRECT;
	i->checkpoint.write_bytes = i->checkpoint.read_bytes = 1048576;
	i->checkpoint.write_depth = i->checkpoint.read_depth = 16;
}

/*
 * 14 GB/s, first come first served, in pieces of 1 MiB: 8 x 17 writes are in
 * flight and at most 2 x 4 x 16 reads, fewer where a reader changes files. So
 * the save gets half or somewhat more, and what it leaves of the 14 GB/s is
 * what training gets of the 12.67 that two b200 take at AU 100 %.
 */
static void test_half_each(void)
{
	struct interference i;
	struct interference_found f;
	struct train_config c;
	double read, write;
	struct err e;

	set_up(&i, &c, "constant:14GB/s", 2);
	if (interference_run(&i, &f, &e))
		CU_FAIL_FATAL(e.text);
	CU_ASSERT_DOUBLE_EQUAL(f.save_alone_s, 112.425623552 / 14, 0.05);
	CU_ASSERT(f.au_pct > 99);
	write = 112.425623552 / f.save_s;
	read = f.slowest_au_pct / 100 * 2 * 7 * 0.146600628 / 0.162;
	CU_ASSERT(write >= 7 && write < 9);
	CU_ASSERT_DOUBLE_EQUAL(write + read, 14, 14 * 0.03);
	/* read-ahead bridges the first steps; then it has to be made up */
	CU_ASSERT(f.dip_s > f.save_s && f.dip_s < f.save_s + 8);
	CU_ASSERT(f.dip_au_pct > f.slowest_au_pct && f.dip_au_pct < 70);
	CU_ASSERT_DOUBLE_EQUAL(f.au_period_pct,
		(f.dip_au_pct * f.dip_s + f.au_pct * (600 - f.dip_s)) / 600,
		1e-9);
}

/* 100 GB/s is enough for both. */
static void test_no_dip(void)
{
	struct interference i;
	struct interference_found f;
	struct train_config c;
	struct err e;

	set_up(&i, &c, "constant:100GB/s", 1);
	CU_ASSERT_EQUAL_FATAL(interference_run(&i, &f, &e), 0);
	CU_ASSERT_EQUAL(f.dip_s, 0);
	CU_ASSERT(f.au_pct > 99);
	CU_ASSERT_EQUAL(f.au_period_pct, f.au_pct);
	/* a save that does not end before the next one */
	i.period_s = 1;
	CU_ASSERT_EQUAL(interference_run(&i, &f, &e), -ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "period"));
}

/* Reads and writes have a direction of the link each, and share the units. */
static void test_drive_model(void)
{
	struct interference i;
	struct interference_found f, apart;
	struct train_config c;
	struct err e;

	set_up(&i, &c, "d7-ps1010", 2);
	CU_ASSERT_EQUAL_FATAL(interference_run(&i, &f, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(f.save_alone_s, 112.425623552 / 9.3, 0.5);
	CU_ASSERT(f.save_s > 1.02 * f.save_alone_s);
	i.engine.without = DRIVE_INTERFERENCE;
	CU_ASSERT_EQUAL_FATAL(interference_run(&i, &apart, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(apart.save_s, apart.save_alone_s, 0.2);
}

UT_SUITE(interference, UT_CASE(test_half_each), UT_CASE(test_no_dip),
	UT_CASE(test_drive_model))
