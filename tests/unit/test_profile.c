#include "accel_sim/profile.h"

#include "core/file.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct workload_profile load(const char *model, const char *accelerator)
{
	struct workload_profile p;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(
		profile_load(NULL, model, accelerator, &p, &e), 0);
	return p;
}

static void test_unet3d_b200(void)
{
	struct workload_profile p = load("unet3d", "b200");

	CU_ASSERT_TRUE(p.runnable);
	CU_ASSERT_STRING_EQUAL(p.format, "npz");
	CU_ASSERT_STRING_EQUAL(p.framework, "pytorch");
	CU_ASSERT_STRING_EQUAL(p.file_shuffle, "seed");
	CU_ASSERT_EQUAL(p.batch_size, 7);
	CU_ASSERT_EQUAL(p.computation_ns, 162000000);
	CU_ASSERT_EQUAL(p.read_threads, 4);
	CU_ASSERT_EQUAL(p.prefetch_size, 2);
	CU_ASSERT_EQUAL(p.record_bytes, 146600628);
	CU_ASSERT_EQUAL(p.record_stdev_bytes, 68341808.0);
	CU_ASSERT_EQUAL(p.resize_bytes, 2097152);
	CU_ASSERT_EQUAL(p.samples_per_file, 1);
	CU_ASSERT_EQUAL(p.default_files, 7200);
	CU_ASSERT_EQUAL(p.epochs, 5);
	CU_ASSERT_EQUAL(p.au_floor_ppm, 900000);
	CU_ASSERT_EQUAL(p.accelerator_memory_gb, 180.0);
	CU_ASSERT_EQUAL(p.transfer_bytes, 0);
}

/* Every row of the benchmark's table: what differs between rows. */
static void test_all_rows(void)
{
	static const struct {
		const char *model, *accelerator, *format;
		uint64_t batch;
		int64_t ct_ns;
		uint64_t threads, record, spf, files, epochs;
		double stdev;
		uint32_t au_ppm;
	} rows[] = {
		{"unet3d", "h100", "npz", 7, 323000000, 4, 146600628, 1, 168, 5,
			68341808, 900000},
		{"unet3d", "a100", "npz", 7, 636000000, 4, 146600628, 1, 168, 5,
			68341808, 900000},
		{"retinanet", "b200", "jpeg", 24, 47550000, 8, 322957, 1,
			1170301, 8, 0, 850000},
		{"retinanet", "mi355", "jpeg", 32, 63400000, 8, 322957, 1,
			1170301, 8, 0, 850000},
		{"retinanet", "h100", "jpeg", 16, 180000000, 8, 153600, 1,
			1743042, 5, 51200, 850000},
		{"retinanet", "a100", "jpeg", 16, 210000000, 8, 153600, 1,
			1743042, 5, 51200, 850000},
		{"dlrm", "b200", "parquet", 16384, 375000, 4, 761, 4718592,
			1024, 1, 0, 700000},
		{"dlrm", "mi355", "parquet", 16384, 562500, 4, 761, 4718592,
			1024, 1, 0, 700000},
		{"dlrm", "h100", "npz", 8192, 5000000, 8, 512, 1, 65536, 1, 0,
			700000},
		{"dlrm", "a100", "npz", 8192, 7000000, 8, 512, 1, 65536, 1, 0,
			700000},
		{"flux", "b200", "parquet", 48, 1350000000, 8, 2164832, 288,
			4296, 1, 0, 900000},
		{"flux", "mi355", "parquet", 72, 2025000000, 8, 2164832, 288,
			4296, 1, 0, 900000},
		{"flux", "h100", "jpeg", 8, 850000000, 8, 307200, 1, 1099776, 5,
			102400, 800000},
		{"flux", "a100", "jpeg", 8, 1100000000, 8, 307200, 1, 1099776,
			5, 102400, 800000},
		/* 114660.07 bytes, to the nearest byte */
		{"resnet50", "h100", "tfrecord", 400, 224000000, 8, 114660,
			1251, 1024, 5, 0, 900000},
		{"resnet50", "a100", "tfrecord", 400, 435000000, 8, 114660,
			1251, 1024, 5, 0, 900000},
		{"cosmoflow", "h100", "tfrecord", 1, 3500000, 4, 2828486, 1,
			524288, 5, 71311, 700000},
		{"cosmoflow", "a100", "tfrecord", 1, 5510000, 4, 2828486, 1,
			524288, 5, 71311, 700000},
	};
	struct workload_profile p;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		p = load(rows[i].model, rows[i].accelerator);
		CU_ASSERT_STRING_EQUAL(p.format, rows[i].format);
		CU_ASSERT_EQUAL(p.batch_size, rows[i].batch);
		CU_ASSERT_EQUAL(p.computation_ns, rows[i].ct_ns);
		CU_ASSERT_EQUAL(p.read_threads, rows[i].threads);
		CU_ASSERT_EQUAL(p.record_bytes, rows[i].record);
		CU_ASSERT_EQUAL(p.samples_per_file, rows[i].spf);
		CU_ASSERT_EQUAL(p.default_files, rows[i].files);
		CU_ASSERT_EQUAL(p.epochs, rows[i].epochs);
		CU_ASSERT_EQUAL(p.record_stdev_bytes, rows[i].stdev);
		CU_ASSERT_EQUAL(p.au_floor_ppm, rows[i].au_ppm);
		/* whole files through the PyTorch loader: npz and jpeg */
		CU_ASSERT_EQUAL(p.runnable,
			!strcmp(p.format, "npz") || !strcmp(p.format, "jpeg"));
		CU_ASSERT_EQUAL(p.runnable, !p.why[0]);
	}
}

static void near(const char *model, const char *accelerator, double mib)
{
	struct workload_profile p = load(model, accelerator);

	CU_ASSERT_DOUBLE_EQUAL(
		profile_demand_mib_per_s(&p), mib, mib > 9999 ? 0.5 : 0.05);
}

static void test_demand(void)
{
	struct workload_profile p = load("unet3d", "b200");

	near("unet3d", "a100", 1538.8);
	near("unet3d", "h100", 3029.9);
	near("unet3d", "b200", 6041.1);
	near("retinanet", "b200", 155.5);
	near("retinanet", "mi355", 155.5);
	near("flux", "b200", 73.4);
	near("flux", "mi355", 73.4);
	near("dlrm", "b200", 31708);
	near("dlrm", "mi355", 21139);
	near("cosmoflow", "h100", 770.7);
	near("cosmoflow", "a100", 489.6);
	near("resnet50", "h100", 195.3);
	near("resnet50", "a100", 100.6);
	/* At the floor: 5437.0 MiB/s (case C10), 5701.1 MB/s. */
	CU_ASSERT_DOUBLE_EQUAL(
		profile_demand_mib_per_s(&p) * 0.9, 5437.0, 0.05);
	CU_ASSERT_DOUBLE_EQUAL(
		profile_demand_mib_per_s(&p) * 0.9 * 1.048576, 5701.1, 0.05);
}

static void test_scale(void)
{
	struct workload_profile p = load("unet3d", "b200");
	double full = profile_demand_mib_per_s(&p);

	profile_scale(&p, 1, 32);
	CU_ASSERT_EQUAL(p.record_bytes, 4581270); /* 4581269.625 */
	CU_ASSERT_EQUAL(p.record_stdev_bytes, 2135681.5);
	CU_ASSERT_EQUAL(p.resize_bytes, 65536);
	CU_ASSERT_EQUAL(p.computation_ns, 5062500);
	CU_ASSERT_EQUAL(p.batch_size, 7);
	CU_ASSERT_DOUBLE_EQUAL(profile_demand_mib_per_s(&p), full, full * 1e-6);
	profile_scale(&p, 1, 1);
	CU_ASSERT_EQUAL(p.record_bytes, 4581270);
	profile_scale(&p, 1, 4000000000U);
	CU_ASSERT_EQUAL(p.record_bytes, 1);
	CU_ASSERT_EQUAL(p.computation_ns, 1);
}

static void test_unknown_names(void)
{
	struct workload_profile p;
	struct err e = {0};

	CU_ASSERT_EQUAL(profile_load(NULL, "unet3d", "tpu", &p, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text,
		"unknown accelerator 'tpu'; known: a100, b200, h100, mi355");
	CU_ASSERT_EQUAL(profile_load(NULL, "bert", "b200", &p, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text,
		"unknown model 'bert'; known: cosmoflow, dlrm, flux, "
		"resnet50, retinanet, unet3d");
	CU_ASSERT_EQUAL(profile_load(NULL, "unet3d", "mi355", &p, &e), -ENOENT);
	CU_ASSERT_STRING_EQUAL(e.text,
		"unet3d has no profile for accelerator mi355; it has one "
		"for: a100, b200, h100");
}

/* A user's own accelerator, good and bad. */
static void test_user_accelerator(void)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"{\"name\": \"x1\", \"workloads\": {\"unet3d\": "
		 "{\"batch_size\": \"x\"}}}",
			"accelerators/x1.json: unet3d: key 'batch_size' must "
			"be a whole number, is \"x\""},
		{"{\"name\": \"x1\", \"workloads\": {\"unet3d\": "
		 "{\"batch_size\": 7}}}",
			"lacks 'computation_time'"},
		{"{\"name\": \"x1\", \"workloads\": {\"unet3d\": "
		 "{\"batchsize\": 7}}}",
			"unknown key 'batchsize'"},
		{"{\"name\": \"x2\", \"workloads\": {}}", "key 'name'"},
		{"[]", "{...}"},
	};
	char dir[] = "/tmp/stoker-ut-XXXXXX", path[96];
	static const char good[] =
		"{\"name\": \"x1\", \"memory_gb\": 96, \"workloads\": {"
		"\"unet3d\": {\"batch_size\": 4, \"computation_time\": 0.2,"
		"\"read_threads\": 16, \"transfer_size\": 1048576}}}";
	struct workload_profile p;
	struct err e = {0};
	size_t i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/accelerators", dir);
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(path, &e), 0);
	snprintf(path, sizeof(path), "%s/accelerators/x1.json", dir);
	file_write_atomic(path, good, strlen(good), &e);
	CU_ASSERT_EQUAL(profile_load(dir, "unet3d", "x1", &p, &e), 0);
	CU_ASSERT_EQUAL(p.batch_size, 4);
	CU_ASSERT_EQUAL(p.computation_ns, 200000000);
	CU_ASSERT_EQUAL(p.read_threads, 16);
	CU_ASSERT_EQUAL(p.transfer_bytes, 1048576);
	CU_ASSERT_EQUAL(p.default_files, 168);
	CU_ASSERT_EQUAL(p.accelerator_memory_gb, 96.0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		file_write_atomic(path, bad[i].text, strlen(bad[i].text), &e);
		CU_ASSERT_EQUAL(
			profile_load(dir, "unet3d", "x1", &p, &e), -EINVAL);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, bad[i].error));
	}
	file_remove_tree(dir, NULL);
}

UT_SUITE(profile, UT_CASE(test_unet3d_b200), UT_CASE(test_all_rows),
	UT_CASE(test_demand), UT_CASE(test_scale), UT_CASE(test_unknown_names),
	UT_CASE(test_user_accelerator))
