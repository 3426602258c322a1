#include "core/edition.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <string.h>

static struct edition ed;

static void load(void)
{
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(edition_load(NULL, EDITION_DEFAULT, &ed, &e), 0);
}

static void test_constants(void)
{
	load();
	CU_ASSERT_STRING_EQUAL(ed.name, "v3.0");
	CU_ASSERT_EQUAL(ed.min_steps, 500);
	CU_ASSERT_EQUAL(ed.memory_factor, 5);
	CU_ASSERT_EQUAL(ed.runs, 5);
	CU_ASSERT_EQUAL(ed.warmups, 1);
	CU_ASSERT_EQUAL(ed.exclude_start_steps, 1);
	CU_ASSERT_EQUAL(ed.exclude_end_steps, 0);
	CU_ASSERT_EQUAL(ed.warn_below_accelerators, 4);
	CU_ASSERT_EQUAL(ed.files_per_subfolder, 10000);
	CU_ASSERT_EQUAL(ed.prefetch_size_count, 3);
	CU_ASSERT_EQUAL(ed.prefetch_sizes[2], 2);
	CU_ASSERT_TRUE(edition_list_has(&ed.odirect_models, "unet3d"));
	CU_ASSERT_FALSE(edition_list_has(&ed.odirect_models, "retinanet"));
}

static void test_C42_h100_is_not_admitted(void)
{
	char why[256];

	load();
	CU_ASSERT_FALSE(edition_admits(
		&ed, DIV_CLOSED, "unet3d", "h100", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why,
		"H100 is not admitted to CLOSED in v3.0 (admitted: b200, "
		"mi355); continuing as what-if");
	CU_ASSERT_FALSE(edition_admits(
		&ed, DIV_OPEN, "unet3d", "a100", why, sizeof(why)));
	CU_ASSERT_PTR_NOT_NULL(strstr(why, "A100 is not admitted to OPEN"));
	CU_ASSERT_TRUE(edition_admits(
		&ed, DIV_WHATIF, "dlrm", "h100", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "");
}

static void test_admitted_pairs(void)
{
	char why[256];

	load();
	CU_ASSERT_TRUE(edition_admits(
		&ed, DIV_CLOSED, "unet3d", "b200", why, sizeof(why)));
	CU_ASSERT_TRUE(edition_admits(
		&ed, DIV_CLOSED, "retinanet", "b200", why, sizeof(why)));
	CU_ASSERT_TRUE(edition_admits(
		&ed, DIV_OPEN, "retinanet", "mi355", why, sizeof(why)));
	/* In the edition's list of accelerators, but without a profile. */
	CU_ASSERT_FALSE(edition_admits(
		&ed, DIV_CLOSED, "unet3d", "mi355", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why,
		"unet3d on MI355 is not admitted to CLOSED in v3.0 "
		"(admitted: b200); continuing as what-if");
	CU_ASSERT_FALSE(edition_admits(
		&ed, DIV_CLOSED, "flux", "b200", why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why,
		"flux is not admitted to CLOSED in v3.0 (admitted: unet3d, "
		"retinanet); continuing as what-if");
}

static void test_params(void)
{
	load();
	CU_ASSERT_TRUE(
		edition_param_allowed(&ed, DIV_CLOSED, "reader.read_threads"));
	CU_ASSERT_TRUE(edition_param_allowed(
		&ed, DIV_CLOSED, "dataset.num_files_train"));
	CU_ASSERT_TRUE(edition_param_allowed(
		&ed, DIV_CLOSED, "storage.storage_options.prefetch_window"));
	CU_ASSERT_FALSE(
		edition_param_allowed(&ed, DIV_CLOSED, "reader.batch_size"));
	CU_ASSERT_FALSE(
		edition_param_allowed(&ed, DIV_CLOSED, "dataset.format"));
	CU_ASSERT_TRUE(edition_param_allowed(&ed, DIV_OPEN, "dataset.format"));
	CU_ASSERT_TRUE(edition_param_allowed(&ed, DIV_OPEN, "reader.odirect"));
	CU_ASSERT_FALSE(edition_param_allowed(&ed, DIV_OPEN, "train.epochs"));
	CU_ASSERT_TRUE(edition_param_allowed(&ed, DIV_WHATIF, "train.epochs"));
	CU_ASSERT_TRUE(
		edition_list_has(&ed.tool_params, "dataset.skip_listing"));
}

static void test_unknown(void)
{
	struct err e = {0};

	CU_ASSERT_EQUAL(edition_load(NULL, "v9", &ed, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "v3.0"));
}

UT_SUITE(edition, UT_CASE(test_constants),
	UT_CASE(test_C42_h100_is_not_admitted), UT_CASE(test_admitted_pairs),
	UT_CASE(test_params), UT_CASE(test_unknown))
