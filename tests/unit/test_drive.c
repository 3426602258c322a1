/* storage/drive.c, storage/host_model.c: profiles read, checked, written. */
#include "core/json.h"
#include "storage/drive.h"
#include "storage/host_model.h"
#include "tests/unit/ut.h"

#include <CUnit/CUnit.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FULL \
	"\"name\": \"x\", \"capacity_gb\": 1000, " \
	"\"sequential_read_gb_per_s\": 7, \"sequential_write_gb_per_s\": 3, " \
	"\"random_read_kiops\": 1000, \"random_write_kiops\": 40, " \
	"\"read_latency_us\": 90, \"write_latency_us\": 20"

static int parse(const char *text, struct drive_profile *p, struct err *e)
{
	struct cJSON *o;
	int r = json_parse(text, strlen(text), "t.json", &o, e);

	if (!r)
		r = drive_profile_parse(o, "t.json", p, e);
	if (r != -EBADMSG)
		cJSON_Delete(o);
	return r;
}

static void drive_reads_what_it_writes(void)
{
	struct drive_profile p, q;
	struct cJSON *o;
	char *text;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		parse("{" FULL ", \"indirection_bytes\": 16384, \"measured\": ["
		      "{\"op\": \"read\", \"pattern\": \"random\", "
		      "\"bytes\": 4096, \"depth\": 32, \"jobs\": 2, "
		      "\"gb_per_s\": 1.5, \"mean_us\": 80.5}]}",
			&p, &e), 0);
	CU_ASSERT_EQUAL(p.indirection_bytes, 16384);
	CU_ASSERT_EQUAL(p.random_write_bytes, 4096);
	CU_ASSERT_EQUAL(p.count, 1);
	CU_ASSERT_EQUAL_FATAL(p.point_count, 1);
	CU_ASSERT(p.points[0].random && !p.points[0].write);
	CU_ASSERT_EQUAL(p.points[0].jobs, 2);
	CU_ASSERT_DOUBLE_EQUAL(p.points[0].mean_us, 80.5, 0);
	o = drive_profile_json(&p);
	CU_ASSERT_PTR_NOT_NULL_FATAL(o);
	text = json_print(o, 4);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_EQUAL(parse(text, &q, &e), 0);
	CU_ASSERT_EQUAL(memcmp(&p, &q, sizeof(p)), 0);
	free(text);
	cJSON_Delete(o);
}

static void drive_names_file_and_key(void)
{
	struct drive_profile p;
	struct err e;

	CU_ASSERT_EQUAL(parse("{\"name\": \"x\"}", &p, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "t.json"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "capacity_gb"));
	CU_ASSERT_EQUAL(
		parse("{" FULL ", \"write_buffer_mb\": -1}", &p, &e), -ERANGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "write_buffer_mb"));
	CU_ASSERT(parse("{" FULL ", \"raed\": 1}", &p, &e) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "raed"));
	CU_ASSERT(parse("{" FULL ", \"measured\": [{\"op\": \"trim\", "
			"\"pattern\": \"random\", \"bytes\": 4096, "
			"\"depth\": 1, \"gb_per_s\": 1}]}", &p, &e) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "trim"));
}

/* "24x NAME" is a stripe: capacity times 24, figures still of one drive. */
static void drive_stripes(void)
{
	static const char *const good[] = {
		"24x d5-p5336", "24xd5-p5336", "24X  d5-p5336"};
	struct drive_profile p;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(
			drive_profile_load(NULL, good[i], &p, &e), 0);
		CU_ASSERT_EQUAL(p.count, 24);
		CU_ASSERT_DOUBLE_EQUAL(p.sequential_read_gb_per_s, 7.0, 0);
		/* 24 x 61.44 TB */
		CU_ASSERT_EQUAL(drive_capacity_bytes(&p), 1474560000000000ULL);
	}
	CU_ASSERT_EQUAL(drive_profile_load(NULL, "0x d5-p5336", &p, &e),
		-ERANGE);
	CU_ASSERT(drive_profile_load(NULL, "d5-p9999", &p, &e) < 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "d5-p5336"));
}

static void host_model_ceilings(void)
{
	struct host_model h = {.buffered_read_gb_per_s = 6};
	struct err e;

	CU_ASSERT_DOUBLE_EQUAL(host_model_ceiling(&h, true), 6e9, 0);
	CU_ASSERT_DOUBLE_EQUAL(host_model_ceiling(&h, false), 0, 0);
	/* 4 cores, a core moves 2 GiB/s */
	h.cores = 4;
	h.cpu_s_per_gib = 0.5;
	CU_ASSERT_DOUBLE_EQUAL(
		host_model_ceiling(&h, false), 8 * 1073741824.0, 1);
	CU_ASSERT_DOUBLE_EQUAL(host_model_ceiling(&h, true), 6e9, 0);
	CU_ASSERT_EQUAL(host_model_load(NULL, "none", &h, &e), 0);
	CU_ASSERT_EQUAL(h.step_ns, 0);
	CU_ASSERT_EQUAL(host_model_load(NULL, "v3.0", &h, &e), 0);
	CU_ASSERT(h.step_ns > 0);
}

UT_SUITE(drive, UT_CASE(drive_reads_what_it_writes),
	UT_CASE(drive_names_file_and_key), UT_CASE(drive_stripes),
	UT_CASE(host_model_ceilings))
