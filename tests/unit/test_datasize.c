#include "core/datasize.h"

#include "accel_sim/profile.h"
#include "core/units.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static struct edition ed;

static struct datasize size_of(const char *model, const char *accelerator,
	uint64_t accelerators, uint64_t hosts, uint64_t memory_bytes)
{
	struct workload_profile p;
	struct datasize_input in = {
		.accelerators = accelerators,
		.hosts = hosts,
		.memory_bytes_per_host = memory_bytes};
	struct datasize d;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(edition_load(NULL, EDITION_DEFAULT, &ed, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		profile_load(NULL, model, accelerator, &p, &e), 0);
	in.shape = profile_shape(&p);
	CU_ASSERT_EQUAL_FATAL(datasize_compute(&in, &ed, &d, &e), 0);
	return d;
}

static uint64_t gib(double v)
{
	return (uint64_t)llround(v * (double)GIB_BYTES);
}

/* The worked examples: accelerator, R, host GiB, by bytes, by steps, n. */
static void test_unet3d_table(void)
{
	static const struct {
		const char *accelerator;
		uint64_t r;
		double host_gib;
		uint64_t by_bytes, by_steps, required;
		double nominal_gib;
		uint64_t steps;
	} t[] = {
		{"b200", 1, 32, 1172, 3500, 3500, 477.86, 500},
		{"b200", 1, 377, 13807, 3500, 13807, 1885.10, 1972},
		{"b200", 2, 32, 1172, 7000, 7000, 955.73, 500},
		{"b200", 2, 377, 13807, 7000, 13807, 1885.10, 986},
		{"h100", 1, 32, 1172, 3500, 3500, 477.86, 500},
		{"h100", 1, 377, 13807, 3500, 13807, 1885.10, 1972},
		{"b200", 4, 377, 13807, 14000, 14000, 1911.45, 500},
		{"b200", 8, 377, 13807, 28000, 28000, 3822.91, 500},
	};
	struct datasize d;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		d = size_of("unet3d", t[i].accelerator, t[i].r, 1,
			gib(t[i].host_gib));
		CU_ASSERT_EQUAL(d.by_bytes, t[i].by_bytes);
		CU_ASSERT_EQUAL(d.by_steps, t[i].by_steps);
		CU_ASSERT_EQUAL(d.required, t[i].required);
		CU_ASSERT_EQUAL(
			d.bound_by_memory, t[i].by_bytes > t[i].by_steps);
		CU_ASSERT_EQUAL(d.steps_per_epoch, t[i].steps);
		CU_ASSERT_DOUBLE_EQUAL((double)d.disk_bytes / (double)GIB_BYTES,
			t[i].nominal_gib, 0.005);
	}
}

static void test_C07_memory_rule_takes_over(void)
{
	static const struct {
		double host_gib;
		uint64_t required;
		bool memory;
	} t[] = {
		{15, 3500, false},
		{95, 3500, false},
		{96, 3516, true},
		{100, 3663, true},
		{376.5, 13788, true},
	};
	struct datasize d;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		d = size_of("unet3d", "b200", 1, 1, gib(t[i].host_gib));
		CU_ASSERT_EQUAL(d.required, t[i].required);
		CU_ASSERT_EQUAL(d.bound_by_memory, t[i].memory);
		/* 3500 * 146600628 / 5 / 2^30 */
		CU_ASSERT_DOUBLE_EQUAL(d.crossover_gib, 95.57, 0.005);
	}
	/* 84375.53: v2.0 cut it to 84375, below five times the memory. */
	d = size_of("unet3d", "b200", 3, 3, gib(768));
	CU_ASSERT_EQUAL(d.required, 84376);
}

static void test_retinanet(void)
{
	CU_ASSERT_EQUAL(
		size_of("retinanet", "b200", 1, 1, gib(32)).required, 531956);
	CU_ASSERT_EQUAL(
		size_of("retinanet", "b200", 1, 1, gib(377)).required, 6267099);
}

static void test_C08_memory_of_every_host(void)
{
	uint64_t memory[15] = {0};
	struct workload_profile p;
	struct datasize_input in = {
		.accelerators = 30,
		.hosts = 15,
		.host_memory_bytes = memory,
		.host_memory_count = 15};
	struct datasize d;
	struct err e = {0};
	int i;

	for (i = 0; i < 7; i++)
		memory[i] = gib(376.18);
	memory[7] = gib(187.90);
	CU_ASSERT_EQUAL_FATAL(edition_load(NULL, EDITION_DEFAULT, &ed, &e), 0);
	CU_ASSERT_EQUAL_FATAL(profile_load(NULL, "unet3d", "b200", &p, &e), 0);
	in.shape = profile_shape(&p);
	CU_ASSERT_EQUAL_FATAL(datasize_compute(&in, &ed, &d, &e), 0);
	CU_ASSERT_DOUBLE_EQUAL(
		(double)d.memory_bytes / (double)GIB_BYTES, 2821.16, 0.005);
	CU_ASSERT_EQUAL(d.by_bytes, 103315);
	CU_ASSERT_EQUAL(d.by_steps, 105000);
	CU_ASSERT_EQUAL(d.required, 105000);
}

static void test_measured_memory_counts_when_larger(void)
{
	struct workload_profile p;
	struct datasize_input in = {
		.accelerators = 1,
		.hosts = 1,
		.memory_bytes_per_host = gib(376.5),
		.measured_memory_bytes = gib(377)};
	struct datasize d;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(edition_load(NULL, EDITION_DEFAULT, &ed, &e), 0);
	CU_ASSERT_EQUAL_FATAL(profile_load(NULL, "unet3d", "b200", &p, &e), 0);
	in.shape = profile_shape(&p);
	CU_ASSERT_EQUAL(datasize_compute(&in, &ed, &d, &e), 0);
	CU_ASSERT_EQUAL(d.required, 13807);
	in.measured_memory_bytes = gib(300);
	CU_ASSERT_EQUAL(datasize_compute(&in, &ed, &d, &e), 0);
	CU_ASSERT_EQUAL(d.required, 13788);
	in.accelerators = 0;
	CU_ASSERT_EQUAL(datasize_compute(&in, &ed, &d, &e), -EINVAL);
	in.accelerators = UINT64_MAX / 2;
	CU_ASSERT_EQUAL(datasize_compute(&in, &ed, &d, &e), -EOVERFLOW);
}

/* Against float arithmetic, as the benchmark does it, over many sizes. */
static void test_equals_float_ceil(void)
{
	uint64_t mib, want;
	struct datasize d;

	for (mib = 1; mib < 4000000; mib = mib * 5 / 4 + 1) {
		want = (uint64_t)ceil(5.0 * (double)(mib << 20) / 146600628.0);
		d = size_of("unet3d", "b200", 1, 1, mib << 20);
		CU_ASSERT_EQUAL(d.by_bytes, want);
	}
}

static void test_subfolders(void)
{
	/* 14000 // 10000 = 1 would break the reference: 2 */
	CU_ASSERT_EQUAL(
		size_of("unet3d", "b200", 1, 1, 0).suggested_subfolders, 0);
	CU_ASSERT_EQUAL(
		size_of("unet3d", "b200", 4, 1, 0).suggested_subfolders, 2);
	CU_ASSERT_EQUAL(
		size_of("unet3d", "b200", 8, 1, 0).suggested_subfolders, 2);
	CU_ASSERT_EQUAL(
		size_of("unet3d", "b200", 30, 1, 0).suggested_subfolders, 11);
}

UT_SUITE(datasize, UT_CASE(test_unet3d_table),
	UT_CASE(test_C07_memory_rule_takes_over), UT_CASE(test_retinanet),
	UT_CASE(test_C08_memory_of_every_host),
	UT_CASE(test_measured_memory_counts_when_larger),
	UT_CASE(test_equals_float_ceil), UT_CASE(test_subfolders))
