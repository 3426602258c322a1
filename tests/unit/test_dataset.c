/* Names and sizes of data sets against the reference's. */
#include "datagen/dataset.h"
#include "tests/unit/ut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct dataset_layout unet3d(uint64_t files, uint64_t ranks)
{
	return (struct dataset_layout){
		files, 0, 1, 146600628, 68341808, ranks, "npz"};
}

static uint64_t payload(const struct dataset_layout *l,
	const struct dataset_dims *dims, uint64_t i)
{
	return dataset_payload_bytes(l, dims[i]);
}

/* mlcommons/storage#305: sizes must be the promised ones, stdev included. */
static void test_C11_sizes_one_process(void)
{
	static const struct {
		uint64_t files, sum;
	} sets[] = {{3500, 508803692174}, {7000, 1027661975818}};
	struct dataset_dims *dims = calloc(7000, sizeof(*dims));
	uint64_t i, sum, bytes, min = UINT64_MAX, max = 0;
	struct err e;
	size_t k;

	CU_ASSERT_PTR_NOT_NULL_FATAL(dims);
	for (k = 0; k < 2; k++) {
		struct dataset_layout l = unet3d(sets[k].files, 1);

		CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
		CU_ASSERT_EQUAL(dims[0].d1, 15865);
		CU_ASSERT_EQUAL(dims[0].d2, 14125);
		CU_ASSERT_EQUAL(payload(&l, dims, 0), 224093125);
		CU_ASSERT_EQUAL(payload(&l, dims, 1), 93582835);
		CU_ASSERT_EQUAL(payload(&l, dims, 2), 139625640);
		CU_ASSERT_EQUAL(
			dataset_file_bytes(&l, dims[0]), 224093125 + 458);
		for (i = 0, sum = 0; i < l.files; i++) {
			bytes = payload(&l, dims, i);
			sum += bytes;
			min = bytes < min ? bytes : min;
			max = bytes > max ? bytes : max;
		}
		CU_ASSERT_EQUAL(sum, sets[k].sum);
	}
	CU_ASSERT_EQUAL(min, 21226985);
	CU_ASSERT_EQUAL(max, 381703050);
	free(dims);
}

static void test_C11_sizes_depend_on_processes(void)
{
	struct dataset_layout l = unet3d(100, 2), one = unet3d(100, 1);
	struct dataset_dims dims[100], dims1[100];
	struct err e;
	int i, same = 0;

	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&one, dims1, &e), 0);
	CU_ASSERT_EQUAL(payload(&l, dims, 0), 224093125);
	CU_ASSERT_EQUAL(dims[1].d1, 10739);
	CU_ASSERT_EQUAL(dims[1].d2, 4618);
	CU_ASSERT_EQUAL(payload(&l, dims, 1), 49592702);
	/* Process 0 keeps its positions, so even files are the same. */
	for (i = 0; i < 100; i++)
		same += !memcmp(&dims[i], &dims1[i], sizeof(dims[i]));
	CU_ASSERT_EQUAL(same, 50);
}

/* More processes than files: file i comes from process i. */
static void test_many_processes(void)
{
	struct dataset_layout l = unet3d(3, 64);
	struct dataset_dims dims[3];
	struct err e;

	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
	CU_ASSERT_EQUAL(payload(&l, dims, 1), 49592702);
}

static void test_fixed_size(void)
{
	struct dataset_layout l = {5, 0, 1, 322957, 0, 4, "jpeg"};
	struct dataset_dims dims[5];
	struct err e;
	int i;

	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
	for (i = 0; i < 5; i++) {
		CU_ASSERT_EQUAL(dims[i].d1, 568);
		CU_ASSERT_EQUAL(dataset_file_bytes(&l, dims[i]), 322624);
	}
	/* A side is never below one byte. */
	l.record_bytes = 1;
	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
	CU_ASSERT_EQUAL(dataset_file_bytes(&l, dims[4]), 1);
	l.record_stdev_bytes = 100;
	CU_ASSERT_EQUAL_FATAL(dataset_dims_all(&l, dims, &e), 0);
	for (i = 0; i < 5; i++)
		CU_ASSERT(dims[i].d1 >= 1 && dims[i].d2 >= 1);
}

static void expect_path(
	const struct dataset_layout *l, uint64_t i, const char *want)
{
	char buf[128];

	CU_ASSERT_EQUAL_FATAL(
		dataset_file_path(l, "/d", i, buf, sizeof(buf)), 0);
	CU_ASSERT_STRING_EQUAL(buf, want);
}

static void test_names(void)
{
	struct dataset_layout l = unet3d(7000, 1);

	expect_path(&l, 0, "/d/train/img_0000_of_7000.npz");
	expect_path(&l, 6999, "/d/train/img_6999_of_7000.npz");
	l.files = 168;
	expect_path(&l, 0, "/d/train/img_000_of_168.npz");
	/* Digits of N itself, not of the last index. */
	l.files = 10;
	expect_path(&l, 9, "/d/train/img_09_of_10.npz");
	l.files = 1;
	expect_path(&l, 0, "/d/train/img_0_of_1.npz");
	/* One sub-folder is none. */
	l.subfolders = 1;
	expect_path(&l, 0, "/d/train/img_0_of_1.npz");
	strcpy(l.format, "jpeg");
	l.files = 168;
	l.subfolders = 10;
	expect_path(&l, 0, "/d/train/00/img_000_of_168.jpeg");
	expect_path(&l, 23, "/d/train/03/img_023_of_168.jpeg");
	l.subfolders = 9;
	expect_path(&l, 17, "/d/train/8/img_017_of_168.jpeg");
}

static void test_folders(void)
{
	struct dataset_layout l = unet3d(20, 1);
	char buf[32];

	CU_ASSERT_EQUAL(dataset_subfolder_path(&l, "/d", 0, buf, 32), 0);
	CU_ASSERT_STRING_EQUAL(buf, "/d/train");
	CU_ASSERT(dataset_subfolder_path(&l, "/d", 1, buf, 32) < 0);
	CU_ASSERT_EQUAL(dataset_file_path(&l, "", 3, buf, 32), 0);
	CU_ASSERT_STRING_EQUAL(buf, "train/img_03_of_20.npz");
	l.subfolders = 12;
	CU_ASSERT_EQUAL(dataset_subfolder_path(&l, "/d", 3, buf, 32), 0);
	CU_ASSERT_STRING_EQUAL(buf, "/d/train/03");
	CU_ASSERT(dataset_subfolder_path(&l, "/d", 12, buf, 32) < 0);
	CU_ASSERT(dataset_subfolder_path(&l, "/d", 3, buf, 11) < 0);
	CU_ASSERT(dataset_file_path(&l, "/d", 20, buf, 32) < 0);
	CU_ASSERT(dataset_file_path(&l, "/d", 3, buf, 28) < 0);
	CU_ASSERT_EQUAL(dataset_file_path(&l, "/d", 3, buf, 29), 0);
}

static void expect_refused(struct dataset_layout l, const char *word)
{
	struct dataset_dims dims[100];
	struct err e;

	CU_ASSERT(dataset_dims_all(&l, dims, &e) < 0);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, word));
}

static void test_bad_layouts(void)
{
	struct dataset_layout l;

	l = unet3d(0, 1), expect_refused(l, "number of files is 0");
	l = unet3d(9, 0), expect_refused(l, "processes is 0");
	l = unet3d(9, 1), l.samples_per_file = 0, expect_refused(l, "samples");
	l = unet3d(9, 1), l.record_bytes = 0, expect_refused(l, "length");
	l = unet3d(9, 1), l.record_stdev_bytes = -1, expect_refused(l, "-1");
	l = unet3d(9, 1), l.record_stdev_bytes = NAN;
	expect_refused(l, "nan");
	l = unet3d(9, 1), strcpy(l.format, "tfrecord");
	expect_refused(l, "'tfrecord' is not supported");
	/* An npz of 4 GiB needs zip64, which the layout does not have. */
	l = unet3d(9, 1), l.record_stdev_bytes = 0;
	l.samples_per_file = 30, expect_refused(l, "4 GiB");
	l.samples_per_file = 29;
	CU_ASSERT_EQUAL(dataset_check(&l, NULL), 0);
}

UT_SUITE(dataset, UT_CASE(test_C11_sizes_one_process),
	UT_CASE(test_C11_sizes_depend_on_processes),
	UT_CASE(test_many_processes), UT_CASE(test_fixed_size),
	UT_CASE(test_names), UT_CASE(test_folders), UT_CASE(test_bad_layouts))
