#include "results/rules.h"

#include "tests/unit/ut.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct edition ed;
static struct train_config config;

/* 2 x b200 with a data set of just the size, 6 runs: nothing to say. */
static struct rule_facts good(void)
{
	struct rule_facts f;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(edition_load(NULL, EDITION_DEFAULT, &ed, &e), 0);
	memset(&config, 0, sizeof(config));
	strcpy(config.model, "unet3d");
	strcpy(config.accelerator, "b200");
	strcpy(config.data_dir, "/data");
	strcpy(config.results_dir, "/results");
	config.scale = (struct rec_scale){1, 1};
	config.accelerators = 4;
	config.files = 14000;
	config.prefetch_size = 2;
	config.odirect = true;
	config.au_floor_ppm = 900000;
	memset(&f, 0, sizeof(f));
	f.edition = &ed;
	f.config = &config;
	f.division = DIV_CLOSED;
	f.required_files = 14000;
	f.datagen_files = 14000;
	f.same_filesystem = FACT_NO;
	f.hosts = 2;
	f.runs_planned = 5;
	f.warmups_planned = 1;
	return f;
}

static enum rule_outcome outcome(
	const struct rule_facts *f, enum rule_phase phase, const char *id)
{
	struct rule_finding found[RULES_MAX];
	size_t i, n = rules_evaluate(f, phase, found, RULES_MAX);

	for (i = 0; i < n; i++)
		if (!strcmp(found[i].rule->id, id))
			return found[i].outcome;
	CU_FAIL("no such rule in this phase");
	return RULE_NOT_EVALUATED;
}

/* A good plan passes each rule; one defect yields exactly that finding. */
static void check_one_defect(const struct rule_facts *f, const char *id)
{
	struct rule_finding found[RULES_MAX];
	size_t i, n = rules_evaluate(f, PHASE_BEFORE, found, RULES_MAX);

	for (i = 0; i < n; i++) {
		if (strcmp(found[i].rule->id, id)) {
			CU_ASSERT_EQUAL(found[i].outcome, RULE_PASS);
		} else {
			CU_ASSERT_EQUAL(found[i].outcome, RULE_FAIL);
			CU_ASSERT_TRUE(found[i].figure[0] != 0);
		}
	}
}

static void test_C39_one_defect_one_finding(void)
{
	static const char *const epochs[] = {"train.epochs", NULL};
	struct rule_facts f = good();

	check_one_defect(&f, "none");
	config.files = 13999;
	check_one_defect(&f, "3.1.2");
	f = good();
	f.datagen_files = 13999;
	check_one_defect(&f, "3.2.1");
	f = good();
	config.accelerators = 2;
	f.hosts = 1;
	check_one_defect(&f, "3.3.3");
	f = good();
	f.hosts = 3; /* 4 accelerators on 3 hosts */
	check_one_defect(&f, "3.3.6");
	f = good();
	strcpy(config.results_dir, "/data");
	check_one_defect(&f, "3.4.1");
	f = good();
	f.same_filesystem = FACT_YES;
	check_one_defect(&f, "3.4.2");
	f = good();
	config.scale.den = 32;
	check_one_defect(&f, "S-01");
	f = good();
	f.computation_time_changed = true;
	check_one_defect(&f, "S-02");
	f = good();
	strcpy(config.drive, "null");
	check_one_defect(&f, "S-03");
	f = good();
	config.limit_read_bytes_per_s = 1;
	check_one_defect(&f, "S-04");
	f = good();
	f.caches_not_dropped = true;
	check_one_defect(&f, "S-05");
	f = good();
	config.prefetch_size = 3;
	check_one_defect(&f, "S-06");
	f = good();
	f.runs_planned = 4;
	check_one_defect(&f, "2.1.17");
	f = good();
	f.params = epochs;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "3.6.2"), RULE_FAIL);
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "3.6.3"), RULE_FAIL);
}

/* CLOSED has a shorter list than OPEN. */
static void test_open_allows_more(void)
{
	static const char *const format[] = {"dataset.format", NULL};
	struct rule_facts f = good();

	f.params = format;
	check_one_defect(&f, "3.6.2");
}

static void test_C42_h100_is_not_admitted(void)
{
	struct rule_finding found[RULES_MAX];
	struct rule_facts f = good();
	size_t i, n;

	strcpy(config.accelerator, "h100");
	n = rules_evaluate(&f, PHASE_BEFORE, found, RULES_MAX);
	for (i = 0; i < n; i++)
		if (!strcmp(found[i].rule->id, "EDN-02"))
			break;
	CU_ASSERT_NOT_EQUAL_FATAL(i, n);
	CU_ASSERT_EQUAL(found[i].outcome, RULE_FAIL);
	CU_ASSERT_STRING_EQUAL(found[i].figure,
		"H100 is not admitted to CLOSED in v3.0 (admitted: b200, "
		"mi355); continuing as what-if");
}

/* What is not known is never a failure. */
static void test_unknown_is_not_evaluated(void)
{
	struct rule_facts f = good();

	f.required_files = 0;
	f.datagen_files = 0;
	f.same_filesystem = FACT_UNKNOWN;
	config.results_dir[0] = 0;
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_BEFORE, "3.1.2"), RULE_NOT_EVALUATED);
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_BEFORE, "3.2.1"), RULE_NOT_EVALUATED);
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_BEFORE, "3.4.1"), RULE_NOT_EVALUATED);
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_BEFORE, "3.4.2"), RULE_NOT_EVALUATED);
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_AFTER, "3.3.2"), RULE_NOT_EVALUATED);
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_AFTER, "2.1.18"), RULE_NOT_EVALUATED);
}

/*
 * Limit is twice the shortest run, measured start to start: with runs of 1700
 * s, 3399 s passes and 3400 s fails.
 */
static void test_gap_rule(void)
{
	struct rule_facts f = good();
	struct record rec;
	struct rec_run *a, *b;

	record_init(&rec);
	record_add_run(&rec);
	record_add_run(&rec);
	a = &rec.runs[0];
	b = &rec.runs[1];
	a->start_ns = 0;
	a->end_ns = 1700000000000;
	b->start_ns = 3399000000000;
	b->end_ns = b->start_ns + 1800000000000;
	f.record = &rec;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_AFTER, "2.1.18"), RULE_PASS);
	b->start_ns += 1000000000;
	b->end_ns += 1000000000;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_AFTER, "2.1.18"), RULE_FAIL);
	record_fini(&rec);
}

/* The warm-up counts here too: rule 3.3.2 looks at every run directory. */
static void test_au_of_every_run(void)
{
	struct rule_facts f = good();
	struct record rec;

	record_init(&rec);
	record_add_run(&rec);
	record_add_run(&rec);
	rec.runs[0].warmup = true;
	rec.runs[0].metrics.epochs = rec.runs[1].metrics.epochs = 5;
	rec.runs[0].metrics.meets_exact = true;
	rec.runs[1].metrics.meets_exact = true;
	f.record = &rec;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_AFTER, "3.3.2"), RULE_PASS);
	rec.runs[0].metrics.meets_exact = false;
	rec.runs[0].metrics.au_mean_pct = 89.99;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_AFTER, "3.3.2"), RULE_FAIL);
	record_fini(&rec);
}

/* llama3-8b as CLOSED has it: 8 ranks on one host, 10 + 10 of 104.7 GiB. */
static struct rule_ckpt_facts good_ckpt(void)
{
	return (struct rule_ckpt_facts){.model = "llama3-8b",
		.known = true,
		.closed_ranks = 8,
		.multiple = 1,
		.ranks = 8,
		.hosts = 1,
		.writes = 10,
		.reads = 10,
		.count = 10,
		.written_gib = 1047,
		.memory_gib = 349, /* 3 x 349 = 1047 */
		.memory_factor = 3,
		.min_per_host = 4,
		.accelerator = "b200",
		.accelerator_gib = 180,
		.checkpoint_gib = 104.7,
		.pause_s = 5,
		.benchmark_pause_s = 5};
}

static void test_C39_checkpointing(void)
{
	struct rule_ckpt_facts c = good_ckpt();
	struct rule_facts f = good();

	f.family = FAMILY_CHECKPOINTING;
	f.ckpt = &c;
	strcpy(config.model, "llama3-8b");
	check_one_defect(&f, "none");
	c.memory_gib = 349.1; /* 3 x 349.1 > 1047 */
	check_one_defect(&f, "4.3.1");
	c = good_ckpt();
	c.checkpoint_gib = 1440.1; /* 8 x 180 = 1440 */
	check_one_defect(&f, "4.3.4");
	c = good_ckpt();
	c.accelerator = "";
	c.accelerator_gib = NAN;
	check_one_defect(&f, "4.3.4");
	c = good_ckpt();
	c.hosts = 2; /* 4 a host are not more than 4 */
	check_one_defect(&f, "4.6.2");
	c = good_ckpt();
	c.ranks = 9;
	check_one_defect(&f, "4.6.1");
	c = good_ckpt();
	c.writes = c.reads = 9;
	check_one_defect(&f, "4.7.1");
	c.reads = 0;
	check_one_defect(&f, "4.7.1");
	c.writes = 10; /* the first half of two invocations */
	check_one_defect(&f, "none");
	c = good_ckpt();
	c.removes_old = true;
	check_one_defect(&f, "S-08");
	c = good_ckpt();
	c.pause_s = 1;
	check_one_defect(&f, "S-09");
	c = good_ckpt();
	c.rotates = true;
	check_one_defect(&f, "S-10");
	c = good_ckpt();
	c.limited = true;
	check_one_defect(&f, "S-04");
	c = good_ckpt();
	strcpy(config.accelerator, "h100");
	check_one_defect(&f, "EDN-02");
	f = good();
	f.family = FAMILY_CHECKPOINTING;
	f.ckpt = &c;
	strcpy(config.model, "llama3-8b");
	f.same_filesystem = FACT_YES;
	check_one_defect(&f, "4.4.2");
	f.same_filesystem = FACT_NO;
	strcpy(config.results_dir, "/data");
	check_one_defect(&f, "4.4.1");
	/* OPEN: 12 ranks are no multiple of 8 x 1 */
	c.multiple = 8;
	c.ranks = 12;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "4.6.4"), RULE_FAIL);
	c.ranks = 16;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "4.6.4"), RULE_PASS);
	/* a subset is of 8b, and of 8 ranks */
	c.subset = true;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "4.3.5"), RULE_FAIL);
	c.ranks = 8;
	CU_ASSERT_EQUAL(outcome(&f, PHASE_BEFORE, "4.3.5"), RULE_PASS);
}

static void test_C39_vectors(void)
{
	struct rule_vdb_facts v = {.database = "milvus",
		.closed_database = "milvus",
		.index = "DISKANN",
		.index_type = "DISKANN",
		.index_listed = true,
		.answers = FACT_YES,
		.runs = 5,
		.runs_needed = 5};
	struct rule_facts f = good();

	f.family = FAMILY_VDB;
	f.vdb = &v;
	check_one_defect(&f, "none");
	v.database = "emulated";
	check_one_defect(&f, "5.6.2");
	v.database = "milvus";
	v.index_type = "HNSW";
	check_one_defect(&f, "5.6.3");
	v.index_type = "DISKANN";
	v.answers = FACT_NO;
	check_one_defect(&f, "5.3.2");
	v.answers = FACT_YES;
	v.runs = 4;
	check_one_defect(&f, "5.3.1");
	v.runs = 5;
	f.same_filesystem = FACT_YES;
	check_one_defect(&f, "5.4.2");
}

static void test_C39_kv_cache(void)
{
	struct rule_kv_option o = {.model = "llama3.1-8b",
		.users = 200,
		.duration_s = 300,
		.allocations = 16};
	struct rule_kv_facts k = {.present = {true, true, true},
		.known = {true, true, true},
		.is = {o, o, o},
		.want = {o, o, o},
		.seed = 42,
		.trials = 3,
		.pause_s = 90,
		.want_seed = 42,
		.want_trials = 3,
		.want_pause_s = 90};
	struct rule_facts f = good();

	f.family = FAMILY_KV;
	f.kv = &k;
	check_one_defect(&f, "none");
	k.is[1].gpu_gib = 16;
	check_one_defect(&f, "6.3.1.1");
	k.is[1] = o;
	k.present[2] = false;
	check_one_defect(&f, "6.3.1.1");
	k.present[2] = true;
	k.known[0] = false;
	CU_ASSERT_EQUAL(
		outcome(&f, PHASE_BEFORE, "6.3.1.1"), RULE_NOT_EVALUATED);
	k.known[0] = true;
	k.pause_s = 20; /* tool 3.0.27 */
	check_one_defect(&f, "6.3.2.1");
	k.pause_s = 90;
	k.config = "mine";
	check_one_defect(&f, "6.3.2.1");
	k.config = NULL;
	k.changed = "--enable-rag";
	check_one_defect(&f, "6.6.1");
	k.changed = NULL;
	f.same_filesystem = FACT_YES;
	check_one_defect(&f, "6.4.1");
}

static void test_ids_are_unique(void)
{
	const struct rule *r;
	size_t i;

	for (i = 0; (r = rules_at(i)); i++) {
		CU_ASSERT_PTR_EQUAL(rule_find(r->id), r);
		CU_ASSERT_PTR_EQUAL(rule_find(r->name), r);
		CU_ASSERT_TRUE(!r->check == !r->families);
	}
	CU_ASSERT_TRUE(i <= RULES_ALL_MAX);
	CU_ASSERT_TRUE(rules_training_count <= RULES_MAX);
	CU_ASSERT_PTR_NULL(rule_find("9.9.9"));
}

UT_SUITE(rules, UT_CASE(test_C39_one_defect_one_finding),
	UT_CASE(test_open_allows_more), UT_CASE(test_C42_h100_is_not_admitted),
	UT_CASE(test_unknown_is_not_evaluated), UT_CASE(test_gap_rule),
	UT_CASE(test_au_of_every_run), UT_CASE(test_C39_checkpointing),
	UT_CASE(test_C39_vectors), UT_CASE(test_C39_kv_cache), UT_CASE(test_ids_are_unique))
