/* Records read back, compared, and grouped into campaigns. */
#include "results/history.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/record_fields.h"
#include "results/record_json.h"
#include "results/record_read.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCHOR_NS (1784541600 * NS_PER_S)

static void make_config(struct train_config *c)
{
	*c = (struct train_config){
		.model = "unet3d",
		.accelerator = "b200",
		.format = "npz",
		.framework = "pytorch",
		.division = DIV_OPEN,
		.scale = {1, 32},
		.accelerators = 2,
		.files = 70,
		.samples_per_file = 1,
		.record_bytes = 146600628,
		.record_stdev_bytes = 68341808.25,
		.computation_ns = 162000000,
		.seed = UINT64_C(1) << 60,
		.au_floor_ppm = 900000,
		.odirect = true,
		.data_dir = "/mnt/\"x\"",
		.engine = "uring",
	};
}

/* A finished run of `seconds`, number `index`, that began at start_s. */
static void make_record(
	struct record *rec, uint32_t index, int64_t start_s, int64_t seconds)
{
	struct rec_run *run;

	record_init(rec);
	strcpy(rec->tool_version, "0.1.0");
	strcpy(rec->command_line, "stoker training run");
	make_config(&rec->config);
	rec->time.wall_anchor_ns = ANCHOR_NS;
	rec->campaign.runs_wanted = 5;
	rec->campaign.warmups = 1;
	rec->campaign.runs_rule = 5;
	CU_ASSERT_EQUAL(record_note(rec, "not-closed", "small"), 0);
	run = record_add_run(rec);
	run->index = index;
	run->warmup = !index;
	run->status = REC_FINISHED;
	strcpy(run->stamp, "20260720_100003");
	run->start_ns = start_s * NS_PER_S;
	run->end_ns = (start_s + seconds) * NS_PER_S;
	run->metrics.epochs = 2;
	run->metrics.au_pct = calloc(2, sizeof(double));
	run->metrics.throughput_per_s = calloc(2, sizeof(double));
	run->metrics.au_pct[0] = 97;
	run->metrics.au_pct[1] = 98.5;
	run->metrics.au_mean_pct = 97.75;
	run->metrics.meets_exact = true;
	run->metrics.steady_evaluated = true;
	run->metrics.steady_au_pct = 91.25;
	run->metrics.steady_meets = true;
}

static char *print(const struct record *rec)
{
	struct cJSON *o = results_record_json(rec, true);
	char *text = json_print(o, 4);

	cJSON_Delete(o);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	return text;
}

static void test_there_and_back(void)
{
	struct record rec, back;
	struct rec_run *a, *b;
	char what[256], *text;
	struct err e;

	make_record(&rec, 3, 10, 60);
	text = print(&rec);
	CU_ASSERT_EQUAL_FATAL(
		results_record_parse(text, strlen(text), "r.json", &back, &e),
		0);
	CU_ASSERT_TRUE(results_same_config(
		&rec.config, &back.config, what, sizeof(what)));
	CU_ASSERT_EQUAL(back.config.division, DIV_OPEN);
	CU_ASSERT_EQUAL(back.config.scale.den, 32);
	CU_ASSERT_STRING_EQUAL(back.config.data_dir, "/mnt/\"x\"");
	CU_ASSERT_STRING_EQUAL(back.config.engine, "uring");
	CU_ASSERT_EQUAL(back.campaign.runs_wanted, 5);
	CU_ASSERT_EQUAL(back.note_count, 1);
	CU_ASSERT_EQUAL_FATAL(back.run_count, 1);
	a = &rec.runs[0];
	b = &back.runs[0];
	CU_ASSERT_EQUAL(b->index, 3);
	CU_ASSERT_FALSE(b->warmup);
	CU_ASSERT_EQUAL(b->status, REC_FINISHED);
	CU_ASSERT_EQUAL(b->end_ns, a->end_ns);
	CU_ASSERT_EQUAL(b->metrics.epochs, 2);
	CU_ASSERT_EQUAL(b->metrics.au_pct[1], 98.5);
	CU_ASSERT_EQUAL(b->metrics.au_mean_pct, 97.75);
	CU_ASSERT_TRUE(b->metrics.meets_exact);
	CU_ASSERT_EQUAL(b->metrics.steady_au_pct, 91.25);
	free(text);
	record_fini(&rec);
	record_fini(&back);
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define NOW TEXT(RECORD_SCHEMA_VERSION)

/* Whatever is changed in the text must be refused, not believed. */
static void spoil(const char *from, const char *to, const char *said)
{
	char *text, *at, *bad;
	struct record rec, back;
	struct err e;

	make_record(&rec, 0, 10, 60);
	text = print(&rec);
	at = strstr(text, from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	bad = malloc(strlen(text) + strlen(to) + 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bad);
	sprintf(bad, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	CU_ASSERT_EQUAL(
		results_record_parse(bad, strlen(bad), "r.json", &back, &e),
		-EBADMSG);
	CU_ASSERT_EQUAL(e.kind, ERR_IO);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, said));
	CU_ASSERT_EQUAL(back.run_count, 0);
	free(text);
	free(bad);
	record_fini(&rec);
}

static void test_parse_refuses(void)
{
	spoil("\"schema_version\": " NOW "", "\"schema_version\": 0",
		"schema_version");
	spoil("\"schema_version\": " NOW ",", "", "schema_version");
	spoil("\"schema_version\": " NOW "", "\"schema_version\": 999",
		"r.json: a record of version 999, made by stoker 0.1.0; this "
		"stoker reads records up to version " NOW ": use that one");
	spoil("\"files\": 70", "\"files\": 70, \"colour\": 3",
		"r.json: this stoker does not know \"colour\"");
	spoil("stoker-record", "other-record", "schema");
	spoil("\"files\": 70", "\"files\": -1", "files");
	spoil("\"files\": 70", "\"files\": 7.5", "files");
	spoil("\"files\": 70", "\"files\": 1e30", "files");
	spoil("\"files\": 70", "\"fils\": 70", "files");
	spoil("\"open\"", "\"wide\"", "division");
	spoil("\"den\": 32", "\"den\": 0", "scale");
	spoil("20260720_100003", "20260720-100003", "stamp");
	spoil("20260720_100003", "../../../../etc", "stamp");
	spoil("\"finished\",\n            \"stamp\"",
		"\"done\",\n            \"stamp\"", "status");
	spoil("\"start_ns\": 10000000000", "\"start_ns\": 99000000000",
		"end_ns");
	spoil("\"end_ns\": 70000000000", "\"end_ns\": 9e18", "end_ns");
	spoil("\"epochs\": 2", "\"epochs\": 4294967295", "au_pct");
	spoil("97.0", "null", "au_pct");
	spoil("\"steady_au_pct\": 91.25", "\"steady_au_pct\": null",
		"steady_au_pct");
	spoil("\"notes\": [", "\"notes\": [3, ", "notes");
	spoil("{", "[{", "not JSON");
}

struct stand_in {
	uint64_t old;
	double newer;
	char newest[8];
};

static int read_stand_in(const char *text, uint32_t version, struct stand_in *s,
	struct err *e)
{
	static const struct field f[] = {
		FIELD(struct stand_in, old, K_U64),
		FIELD_SINCE(2, struct stand_in, "newer", newer, K_DOUBLE),
		FIELD_SINCE(3, struct stand_in, "newest", newest, K_TEXT)};
	static const struct fields t = {f, 3};
	struct cJSON *o = NULL;
	int r;

	*s = (struct stand_in){.newer = 2.5};
	CU_ASSERT_EQUAL_FATAL(json_parse(text, strlen(text), "t", &o, e), 0);
	r = record_get_fields(o, version, &t, s, "t", e);
	cJSON_Delete(o);
	return r;
}

/* A field newer than the record may be missing; its default stays then. */
static void test_older_fields(void)
{
	struct stand_in s;
	struct err e;

	CU_ASSERT_EQUAL(read_stand_in("{\"old\": 7}", 1, &s, &e), 0);
	CU_ASSERT_EQUAL(s.old, 7);
	CU_ASSERT_EQUAL(s.newer, 2.5);
	CU_ASSERT_STRING_EQUAL(s.newest, "");
	CU_ASSERT_EQUAL(
		read_stand_in("{\"old\": 7, \"newer\": 1}", 2, &s, &e), 0);
	CU_ASSERT_EQUAL(s.newer, 1);
	/* there, though early: still checked */
	CU_ASSERT_EQUAL(read_stand_in("{\"old\": 7, \"newer\": \"x\"}", 1, &s,
				&e),
		-EBADMSG);
	/* a record of that version has it */
	CU_ASSERT_EQUAL(read_stand_in("{\"old\": 7}", 2, &s, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "\"newer\""));
	CU_ASSERT_EQUAL(
		read_stand_in("{\"old\": 7, \"newer\": 1}", 3, &s, &e),
		-EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "\"newest\""));
	CU_ASSERT_EQUAL(read_stand_in("{\"newer\": 1}", 1, &s, &e), -EBADMSG);
}

/*
 * A record of version 1, kept as it was written. If this fails after a field
 * was added to a table: see record_fields.h.
 */
static void test_version_1(void)
{
	static const char *const path = "tests/fixtures/record_v1.json";
	struct record rec;
	char *text;
	struct err e;
	size_t len;

	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 65536, &text, &len, &e), 0);
	if (results_record_parse(text, len, path, &rec, &e))
		CU_FAIL_FATAL(e.text);
	CU_ASSERT_STRING_EQUAL(rec.tool_version, "0.1.0");
	CU_ASSERT_EQUAL(rec.config.files, 14);
	CU_ASSERT_EQUAL(rec.config.computation_ns, 162 * NS_PER_MS);
	CU_ASSERT_EQUAL(rec.config.scale.den, 1);
	CU_ASSERT_STRING_EQUAL(rec.config.drive, "null");
	CU_ASSERT_EQUAL(rec.campaign.runs_rule, 5);
	/* what the file says, more than 32 bits */
	CU_ASSERT_EQUAL(
		rec.runs[0].metrics.bytes_asked, UINT64_C(4558470600));
	CU_ASSERT_EQUAL(rec.runs[0].metrics.epochs, 2);
	record_fini(&rec);
	free(text);
}

static void differs(struct train_config *b, const char *said)
{
	struct train_config a;
	char what[256];

	make_config(&a);
	CU_ASSERT_FALSE(results_same_config(&a, b, what, sizeof(what)));
	CU_ASSERT_STRING_EQUAL(what, said);
	make_config(b);
}

static void test_same_config(void)
{
	struct train_config a, b;
	char what[256];

	make_config(&a);
	make_config(&b);
	strcpy(b.results_dir, "elsewhere");
	strcpy(b.engine, "pread");
	CU_ASSERT_TRUE(results_same_config(&a, &b, what, sizeof(what)));
	CU_ASSERT_STRING_EQUAL(what, "");
	b.files = 71;
	differs(&b, "files: 70, not 71");
	b.odirect = false;
	differs(&b, "odirect: true, not false");
	b.record_stdev_bytes = 0;
	differs(&b, "record_stdev_bytes: 68341808.25, not 0.0");
	strcpy(b.drive, "null");
	differs(&b, "drive: (none), not null");
	b.computation_ns = -1;
	differs(&b, "computation_ns: 162000000, not -1");
	b.au_floor_ppm = 1;
	differs(&b, "au_floor_ppm: 900000, not 1");
	b.scale.den = 1;
	differs(&b, "division and scale: open 1/32, not open 1/1");
}

static void test_gap(void)
{
	int64_t gap_s, limit_ns;

	/* 3399 s pass, 3400 do not, where the shortest run takes 1700 s */
	CU_ASSERT_TRUE(history_gap_fits(
		0, 3399 * NS_PER_S, 1700 * NS_PER_S, &gap_s, &limit_ns));
	CU_ASSERT_EQUAL(gap_s, 3399);
	CU_ASSERT_EQUAL(limit_ns, 3400 * NS_PER_S);
	CU_ASSERT_FALSE(history_gap_fits(
		0, 3400 * NS_PER_S, 1700 * NS_PER_S, &gap_s, &limit_ns));
	CU_ASSERT_TRUE(history_gap_fits(0, 5, INT64_MAX, &gap_s, &limit_ns));
}

static void write_leaf(const char *dir, const char *name, uint32_t index,
	int64_t start_s, int64_t seconds, uint64_t files)
{
	char leaf[UT_PATH_MAX], path[UT_PATH_MAX + 16], *text;
	struct record rec;

	make_record(&rec, index, start_s, seconds);
	rec.config.files = files;
	text = print(&rec);
	ut_join(leaf, dir, name);
	CU_ASSERT_EQUAL(file_mkdirs(leaf, NULL), 0);
	snprintf(path, sizeof(path), "%s/record.json", leaf);
	ut_file_write(path, text, strlen(text));
	free(text);
	record_fini(&rec);
}

static void test_campaigns(void)
{
	/* campaign of the runs as they come out, newest last */
	static const uint32_t want[] = {1, 1, 1, 2, 3, 4, 5};
	char dir[UT_PATH_MAX];
	struct history h;
	struct err e;
	size_t i;

	ut_dir_make(dir, "/dev/shm");
	write_leaf(dir, "a/run/1", 0, 100, 60, 70);
	write_leaf(dir, "a/run/2", 1, 170, 60, 70);
	write_leaf(dir, "a/run/3", 2, 289, 60, 70); /* 119 s after run 2 */
	write_leaf(dir, "a/run/4", 3, 409, 60, 70); /* 120 s: too late */
	write_leaf(dir, "a/run/5", 4, 410, 1, 70);  /* one of one second */
	write_leaf(dir, "b/run/1", 5, 415, 60, 70); /* another folder */
	write_leaf(dir, "a/run/6", 5, 420, 60, 71); /* other files */
	CU_ASSERT_EQUAL_FATAL(history_scan(dir, &h, &e), 0);
	CU_ASSERT_EQUAL_FATAL(h.count, 7);
	CU_ASSERT_EQUAL(h.broken_count, 0);
	/* run 5 follows run 4 by 1 s, less than twice its second */
	CU_ASSERT_EQUAL(h.runs[3].campaign, 2);
	CU_ASSERT_EQUAL(h.runs[4].campaign, 2);
	CU_ASSERT_EQUAL(
		h.runs[0].rec.runs[0].start_ns, ANCHOR_NS + 100 * NS_PER_S);
	CU_ASSERT_EQUAL(h.runs[6].rec.config.files, 71);
	for (i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(h.runs[i].campaign, want[i]);
	CU_ASSERT_EQUAL(h.runs[5].campaign, 3);
	CU_ASSERT_EQUAL(h.runs[6].campaign, 4);
	history_fini(&h);
	ut_dir_remove(dir);
}

static const char summary[] =
	"{\"start\": \"2026-07-20T10:00:03.5\", \"num_accelerators\": 2,"
	"\"num_files_train\": 70, \"epochs\": 5, \"metric\": {"
	"\"train_au_mean_percentage\": 95.5,"
	"\"train_au_meet_expectation\": \"success\"},"
	"\"end\": \"2026-07-20T10:10:03\"}";

static void test_summary(void)
{
	char dir[UT_PATH_MAX], leaf[UT_PATH_MAX], path[UT_PATH_MAX + 16];
	struct record rec;
	struct err e;

	ut_dir_make(dir, "/dev/shm");
	ut_join(leaf, dir,
		"closed/acme/results/box/training/retinanet/run/"
		"20260720_100003");
	CU_ASSERT_EQUAL(file_mkdirs(leaf, NULL), 0);
	CU_ASSERT_EQUAL(results_record_read(leaf, &rec, &e), -ENOENT);
	snprintf(path, sizeof(path), "%s/summary.json", leaf);
	ut_file_write(path, summary, strlen(summary));
	CU_ASSERT_EQUAL_FATAL(results_record_read(leaf, &rec, &e), 0);
	CU_ASSERT_TRUE(results_is_foreign(&rec));
	CU_ASSERT_STRING_EQUAL(rec.config.model, "retinanet");
	CU_ASSERT_STRING_EQUAL(rec.config.organization, "acme");
	CU_ASSERT_STRING_EQUAL(rec.config.system_name, "box");
	CU_ASSERT_EQUAL(rec.config.division, DIV_CLOSED);
	CU_ASSERT_STRING_EQUAL(rec.runs[0].stamp, "20260720_100003");
	CU_ASSERT_EQUAL(
		rec.runs[0].end_ns - rec.runs[0].start_ns, 599500 * NS_PER_MS);
	CU_ASSERT_EQUAL(rec.runs[0].metrics.au_mean_pct, 95.5);
	CU_ASSERT_TRUE(rec.runs[0].metrics.meets_exact);
	record_fini(&rec);
	/* every prefix is refused */
	for (size_t n = 0; n + 1 < sizeof(summary) - 1; n++) {
		ut_file_write(path, summary, n);
		CU_ASSERT_EQUAL(results_record_read(leaf, &rec, &e), -EBADMSG);
	}
	ut_dir_remove(dir);
}

UT_SUITE(history, UT_CASE(test_there_and_back), UT_CASE(test_parse_refuses),
	UT_CASE(test_older_fields), UT_CASE(test_version_1),
	UT_CASE(test_same_config), UT_CASE(test_gap), UT_CASE(test_campaigns),
	UT_CASE(test_summary))
