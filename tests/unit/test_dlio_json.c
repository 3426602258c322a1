#include "results/dlio_json.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/record_json.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char dir[32];

static char *slurp(const char *sub, const char *name)
{
	char path[256], *text = NULL;
	struct err e = {0};

	snprintf(path, sizeof(path), "%s/%s%s", dir, sub, name);
	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 1 << 20, &text, NULL, &e), 0);
	return text;
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static void set_utc(void)
{
	setenv("TZ", "UTC", 1);
	tzset();
}

/* Two ranks on one host, 1784541600 s is 2026-07-20T10:00:00 UTC. */
static void make_record(struct record *rec)
{
	static const double au[] = {97.1, 97.34, 97.05, 97.44, 97.26};
	static const double rate[] = {83.81, 84.02, 83.77, 84.1, 83.95};
	struct rec_run *run;
	struct rec_epoch *ep;
	uint32_t r;

	record_init(rec);
	rec->time.wall_anchor_ns = 1784541600 * NS_PER_S;
	rec->config = (struct train_config){.model = "unet3d",
		.accelerators = 2,
		.files = 7000,
		.samples_per_file = 1,
		.record_bytes = 146600628};
	rec->host_count = 1;
	rec->hosts = calloc(1, sizeof(*rec->hosts));
	strcpy(rec->hosts[0].name, "node-a");
	rec->hosts[0].ranks = 2;
	rec->hosts[0].cpu_count = 64;
	rec->hosts[0].memory_bytes = 32767000ULL * 1024;
	rec->hosts[0].cpuinfo = strdup("processor\t: 1\nvendor_id\t: X\n"
				       "cpu family\t: 25\n");
	rec->hosts[0].meminfo = strdup("MemTotal:       32767000 kB\n"
				       "MemFree:        30000000 kB\n");
	run = record_add_run(rec);
	run->status = REC_FINISHED;
	run->start_ns = 3114201000;
	run->end_ns = 581 * NS_PER_S + 902113999;
	run->rank_count = 2;
	run->ranks = calloc(2, sizeof(*run->ranks));
	for (r = 0; r < 2; r++) {
		CU_ASSERT_EQUAL_FATAL(rec_rank_init(&run->ranks[r], 1, 3), 0);
		run->ranks[r].rank = r;
		ep = run->ranks[r].epochs;
		ep->start_ns = 30 * NS_PER_S + 500100000;
		ep->block_ns = ep->start_ns + 800000;
		ep->block_end_ns = 116 * NS_PER_S + 300200000;
		ep->train_end_ns = ep->start_ns + 85810 * NS_PER_MS;
		ep->end_ns = 123 * NS_PER_S + 700000;
		ep->load_ns[0] = 4810000000;
		ep->load_ns[1] = 700000;
		ep->load_ns[2] = 900000;
		ep->proc_ns[0] = 4972200000;
		ep->compute_ns[0] = 162 * NS_PER_MS + 200000;
		ep->compute_ns[1] = 1 * NS_PER_S;
		ep->au_pct = 97.11;
		ep->throughput_per_s = 41.9;
	}
	run->metrics.epochs = 5;
	run->metrics.au_pct = malloc(sizeof(au));
	memcpy(run->metrics.au_pct, au, sizeof(au));
	run->metrics.throughput_per_s = malloc(sizeof(rate));
	memcpy(run->metrics.throughput_per_s, rate, sizeof(rate));
	run->metrics.au_mean_pct = 97.238;
	run->metrics.au_stdev_pct = 0.1456571316482668;
	run->metrics.throughput_mean_per_s = 83.93;
	run->metrics.throughput_stdev_per_s = 0.12441864811996488;
	run->metrics.io_mean_mib_per_s = 11734.190662422177;
	run->metrics.io_stdev_mib_per_s = 17.394878339097854;
	run->metrics.meets_double = true;
}

static void begin(struct record *rec)
{
	set_utc();
	strcpy(dir, "/tmp/stoker-ut-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	make_record(rec);
}

static void end(struct record *rec)
{
	record_fini(rec);
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

static const char summary[] =
	"{\n"
	"    \"start\": \"2026-07-20T10:00:03.114201\",\n"
	"    \"num_accelerators\": 2,\n"
	"    \"num_hosts\": 1,\n"
	"    \"hostname\": \"node-a\",\n"
	"    \"metric\": {\n"
	"        \"train_au_percentage\": [\n"
	"            97.1,\n"
	"            97.34,\n"
	"            97.05,\n"
	"            97.44,\n"
	"            97.26\n"
	"        ],\n"
	"        \"train_au_mean_percentage\": 97.238,\n"
	"        \"train_au_meet_expectation\": \"success\",\n"
	"        \"train_au_stdev_percentage\": 0.1456571316482668,\n"
	"        \"train_throughput_samples_per_second\": [\n"
	"            83.81,\n"
	"            84.02,\n"
	"            83.77,\n"
	"            84.1,\n"
	"            83.95\n"
	"        ],\n"
	"        \"train_throughput_mean_samples_per_second\": 83.93,\n"
	"        \"train_throughput_stdev_samples_per_second\": "
	"0.12441864811996488,\n"
	"        \"train_io_mean_MB_per_second\": 11734.190662422177,\n"
	"        \"train_io_stdev_MB_per_second\": 17.394878339097854\n"
	"    },\n"
	"    \"num_files_train\": 7000,\n"
	"    \"num_files_eval\": 0,\n"
	"    \"num_samples_per_file\": 1,\n"
	"    \"host_cpu_count\": [\n"
	"        64\n"
	"    ],\n"
	"    \"host_processor_name\": \"\",\n"
	"    \"potential_caching\": [\n"
	"        0\n"
	"    ],\n"
	"    \"host_cpuinfo\": {\n"
	"        \"vendor_id\": \"X\",\n"
	"        \"cpu family\": \"25\"\n"
	"    },\n"
	"    \"host_meminfo\": {\n"
	"        \"MemTotal\": \"32767000 kB\",\n"
	"        \"MemFree\": \"30000000 kB\"\n"
	"    },\n"
	"    \"host_memory_GB\": [\n"
	"        31.249046325683594\n"
	"    ],\n"
	"    \"data_size_per_host_GB\": 955.7273201644421,\n"
	"    \"epochs\": 5,\n"
	"    \"end\": \"2026-07-20T10:09:41.902113\"\n"
	"}";

static void test_summary(void)
{
	struct record rec;
	struct err e = {0};
	char *text;

	begin(&rec);
	CU_ASSERT_EQUAL_FATAL(results_write_dlio(&rec, rec.runs, dir, &e), 0);
	text = slurp("", "summary.json");
	CU_ASSERT_STRING_EQUAL(text, summary);
	free(text);
	end(&rec);
}

static void test_output(void)
{
	struct record rec;
	struct err e = {0};
	char *text;

	begin(&rec);
	CU_ASSERT_EQUAL_FATAL(results_write_dlio(&rec, rec.runs, dir, &e), 0);
	text = slurp("", "1_output.json");
	CU_ASSERT_TRUE(starts_with(text,
		"{\n    \"host_memory_GB\": 31.249046325683594,\n"
		"    \"host_cpu_count\": 64,\n"
		"    \"host_processor_name\": \"\",\n"
		"    \"potential_caching\": 0,\n"
		"    \"host_cpuinfo\": {\n        \"vendor_id\": \"X\",\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"    \"1\": {\n        \"load\": {\n"
		"            \"block1\": [\n                4.81,\n"
		"                0.0007,\n                0.0009\n"
		"            ]\n        },\n        \"proc\": {"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"        \"throughput\": {\n            \"block1\": 41.9\n"
		"        },\n        \"au\": {\n"
		"            \"block1\": 97.11\n        },\n"
		"        \"compute\": {\n            \"block1\": [\n"
		"                0.1622,\n                1.0,\n"
		"                0.0\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"        \"host_meminfo\": {},\n"
		"        \"end\": \"2026-07-20T10:02:03.000700\"\n    },\n"
		"    \"hostname\": \"node-a\"\n}"));
	free(text);
	end(&rec);
}

static void test_epoch_stats(void)
{
	struct record rec;
	struct err e = {0};
	char *text;

	begin(&rec);
	CU_ASSERT_EQUAL_FATAL(results_write_dlio(&rec, rec.runs, dir, &e), 0);
	text = slurp("", "0_per_epoch_stats.json");
	CU_ASSERT_STRING_EQUAL(text,
		"{\n    \"1\": {\n"
		"        \"start\": \"2026-07-20T10:00:30.500100\",\n"
		"        \"block1\": {\n"
		"            \"start\": \"2026-07-20T10:00:30.500900\",\n"
		"            \"end\": \"2026-07-20T10:01:56.300200\",\n"
		"            \"duration\": \"85.80\"\n        },\n"
		"        \"end\": \"2026-07-20T10:02:03.000700\",\n"
		"        \"duration\": \"85.81\"\n    }\n}");
	free(text);
	end(&rec);
}

static void test_proc_text(void)
{
	struct cJSON *o = results_proc_object("processor\t: 0\nmodel\t: A\n"
					      "flags\t\t:\n\nno colon\n"
					      "odd: a:b\nprocessor\t: 1\n"
					      "model\t: B\nlast : z");
	char *text = json_print(o, -1);

	CU_ASSERT_STRING_EQUAL(
		text, "{\"model\": \"B\", \"flags\": \"\", \"last\": \"z\"}");
	free(text);
	cJSON_Delete(o);
	o = results_proc_object(NULL);
	CU_ASSERT_EQUAL(cJSON_GetArraySize(o), 0);
	cJSON_Delete(o);
}

static void test_stamp(void)
{
	struct rec_time t = {.wall_anchor_ns = 0};
	char buf[RESULTS_STAMP_MAX];

	set_utc();
	CU_ASSERT_STRING_EQUAL(
		results_stamp(buf, &t, 0), "1970-01-01T00:00:00.000000");
	CU_ASSERT_STRING_EQUAL(
		results_stamp(buf, &t, -1000), "1969-12-31T23:59:59.999999");
}

static void test_record_document(void)
{
	struct record rec;
	struct cJSON *o, *run;
	char *text;

	begin(&rec);
	record_note(&rec, "cache-drop", "not permitted");
	rec.config.seed = UINT64_MAX;
	o = results_record_json(&rec, true);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	text = json_print(o, 4);
	CU_ASSERT_TRUE(
		starts_with(text, "{\n    \"schema\": \"stoker-record\",\n"
				  "    \"schema_version\": 2,\n"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"seed\": 18446744073709551615"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"status\": \"finished\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"id\": \"cache-drop\""));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\"reference\": \"NOT EVALUATED\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"steady_au_pct\": null"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"load_ns\": ["));
	free(text);
	run = cJSON_GetArrayItem(cJSON_GetObjectItem(o, "runs"), 0);
	CU_ASSERT_EQUAL(
		cJSON_GetArraySize(cJSON_GetObjectItem(run, "ranks")), 2);
	cJSON_Delete(o);
	rec.runs[0].status = REC_INTERRUPTED;
	o = results_record_json(&rec, false);
	text = json_print(o, -1);
	CU_ASSERT_PTR_NULL(strstr(text, "load_ns"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"step_times\": false"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "\"status\": \"interrupted\""));
	free(text);
	cJSON_Delete(o);
	end(&rec);
}

UT_SUITE(dlio_json, UT_CASE(test_summary), UT_CASE(test_output),
	UT_CASE(test_epoch_stats), UT_CASE(test_proc_text), UT_CASE(test_stamp),
	UT_CASE(test_record_document))
