#include "core/core_hash.h"

#include "core/json.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <string.h>

static void expect(const char *text, enum core_list list, const char *want)
{
	struct cJSON *p, *keys;
	char hash[CORE_HASH_MAX];
	struct err e;

	CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), "t", &p, &e), 0);
	CU_ASSERT_EQUAL_FATAL(core_hash(p, list, "t", hash, &keys, &e), 0);
	CU_ASSERT_STRING_EQUAL(hash, want);
	cJSON_Delete(keys);
	cJSON_Delete(p);
}

/*
 * Parameters as published results of unet3d on B200 have them (values that
 * were given on the command line are texts), and the class of edition 3.0.
 */
static void test_published_class(void)
{
	expect("{\"model\": {\"name\": \"unet3d\", \"type\": \"cnn\", "
	       "\"model_size\": 499153191}, \"framework\": \"pytorch\", "
	       "\"workflow\": {\"generate_data\": false, \"train\": true, "
	       "\"checkpoint\": false}, \"dataset\": {\"data_folder\": \"/d\", "
	       "\"format\": \"npz\", \"num_files_train\": \"14000\", "
	       "\"num_samples_per_file\": 1, "
	       "\"record_length_bytes\": 146600628, "
	       "\"record_length_bytes_stdev\": 68341808, "
	       "\"record_length_bytes_resize\": 2097152, "
	       "\"skip_listing\": \"True\"}, \"reader\": {\"data_loader\": "
	       "\"pytorch\", \"batch_size\": 7, \"read_threads\": \"4\", "
	       "\"multiprocessing_context\": \"fork\", "
	       "\"file_shuffle\": \"seed\", \"sample_shuffle\": \"seed\", "
	       "\"odirect\": \"True\"}, \"train\": {\"epochs\": \"5\", "
	       "\"computation_time\": 0.162}, \"checkpoint\": "
	       "{\"checkpoint_folder\": \"checkpoints/unet3d\", "
	       "\"checkpoint_after_epoch\": 5.0, "
	       "\"epochs_between_checkpoints\": 2}, \"metric\": {\"au\": 0.9}}",
		CORE_TRAINING, "0d3ad0dec188becd");
}

/* printf '{}' | sha256sum; printf '{"framework":true}' | sha256sum */
static void test_small(void)
{
	expect("{\"dataset\": {\"data_folder\": \"x\"}}", CORE_TRAINING,
		"44136fa355b3678a");
	expect("{\"framework\": \"TRUE\"}", CORE_CHECKPOINTING,
		"7f9009501b6ebbb1");
}

UT_SUITE(core_hash, UT_CASE(test_published_class), UT_CASE(test_small))
