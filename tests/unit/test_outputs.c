/* What a leaf holds beside DLIO's JSON: metadata, YAML, logs, trace. */
#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/invocation.h"
#include "results/yaml.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yaml.h>

static char dir[32];

static const struct train_config base = {.model = "unet3d",
	.accelerator = "b200",
	.format = "npz",
	.framework = "pytorch",
	.accelerators = 1,
	.files = 7200,
	.samples_per_file = 1,
	.batch_size = 7,
	.epochs = 5,
	.record_bytes = 146600628,
	.record_stdev_bytes = 68341808,
	.resize_bytes = 2097152,
	.computation_ns = 162000000,
	.read_threads = 4,
	.prefetch_size = 2,
	.transfer_bytes = 1 << 20,
	.au_floor_ppm = 900000};

static const char *const given[] = {"reader.read_threads=4", NULL};

struct fixture {
	struct train_config config;
	struct invocation v;
	struct rec_host host;
	struct cJSON *args;
};

static void begin(struct fixture *f)
{
	static char meminfo[] = "MemTotal: 32767000 kB\n"
				"MemFree: 30000000 kB\n"
				"MemAvailable: 31000000 kB\n";
	static char cpuinfo[] = "processor\t: 3\nmodel name\t: Fast: no\n"
				"cpu cores\t: 2\nphysical id\t: 0\n";

	setenv("TZ", "UTC", 1);
	tzset();
	strcpy(dir, "/tmp/stoker-ut-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	memset(f, 0, sizeof(*f));
	f->config = base;
	f->config.files = 14000;
	f->config.accelerators = 2;
	f->config.odirect = true;
	strcpy(f->config.data_folder, "/mnt/sut/unet3d");
	f->host = (struct rec_host){.name = "node-a",
		.ranks = 2,
		.cpu_count = 4,
		.memory_bytes = 32767000ULL * 1024,
		.meminfo = meminfo,
		.cpuinfo = cpuinfo};
	f->args = cJSON_CreateObject();
	json_add_string(f->args, "data_dir", "/mnt/sut");
	f->v = (struct invocation){.command = "run",
		.tool_version = "1.2",
		.command_line = "stoker training run -n 2",
		.verification = "CLOSED",
		.config = &f->config,
		.base = &base,
		.params = given,
		.args = f->args,
		.processes = 2,
		.stamp = "20260720_100000",
		.leaf = "/res/closed/acme",
		.time = {.wall_anchor_ns = 1784541600 * NS_PER_S},
		.start_ns = 3114201000,
		.end_ns = 63114201000,
		.host_count = 1,
		.hosts = &f->host,
		.out_text = "report\n",
		.err_text = "rows\n"};
}

static void end(struct fixture *f)
{
	cJSON_Delete(f->args);
	CU_ASSERT_EQUAL(file_remove_tree(dir, NULL), 0);
}

/* The item at a path of keys that a slash parts. */
static const struct cJSON *item(const struct cJSON *o, const char *path)
{
	char key[64];
	size_t n;

	for (; o && *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		snprintf(key, sizeof(key), "%.*s", (int)n, path);
		o = cJSON_IsArray(o) ? cJSON_GetArrayItem(o, atoi(key))
				     : cJSON_GetObjectItemCaseSensitive(o, key);
	}
	return o;
}

#define IS_TEXT(o, path, text)                                                 \
	CU_ASSERT_STRING_EQUAL(                                                \
		cJSON_GetStringValue(item(o, path)) ?: "not a string", text)
#define IS_NUMBER(o, path, number)                                             \
	CU_ASSERT_EQUAL(cJSON_GetNumberValue(item(o, path)), number)

static const char *const key_order[] = {"benchmark_type", "model", "command",
	"run_datetime", "num_processes", "accelerator", "result_dir",
	"parameters", "override_parameters", "system_info", "runtime",
	"invocation_start_time", "invocation_end_time", "verification",
	"executed_command", "command_output_files", "args", "emulated",
	"virtual_time", "drive", "tool", NULL};

static struct cJSON *load(const char *name)
{
	struct cJSON *o = NULL;
	char path[PATH_MAX];
	struct err e;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	CU_ASSERT_EQUAL_FATAL(json_read_file(path, &o, &e), 0);
	return o;
}

static void test_metadata(void)
{
	const struct cJSON *c;
	struct fixture f;
	struct cJSON *o;
	struct err e;
	size_t i = 0;

	begin(&f);
	CU_ASSERT_EQUAL_FATAL(results_write_metadata(&f.v, dir, &e), 0);
	o = load("training_20260720_100000_metadata.json");
	for (c = o->child; c && key_order[i]; c = c->next)
		CU_ASSERT_STRING_EQUAL(c->string, key_order[i++]);
	CU_ASSERT_PTR_NULL(c);
	CU_ASSERT_PTR_NULL(key_order[i]);
	/* what was changed or named is a string, the rest has its type */
	IS_TEXT(o, "parameters/dataset/num_files_train", "14000");
	IS_TEXT(o, "parameters/reader/odirect", "True");
	IS_TEXT(o, "parameters/reader/read_threads", "4");
	IS_NUMBER(o, "parameters/reader/batch_size", 7);
	IS_NUMBER(o, "parameters/train/computation_time", 0.162);
	IS_NUMBER(o, "parameters/dataset/record_length_bytes", 146600628);
	IS_NUMBER(o, "parameters/checkpoint/checkpoint_after_epoch", 5);
	IS_NUMBER(o, "parameters/metric/au", 0.9);
	CU_ASSERT_PTR_NULL(item(o, "parameters/reader/prefetch_size"));
	CU_ASSERT_EQUAL(cJSON_GetArraySize(item(o, "override_parameters")), 4);
	IS_TEXT(o, "override_parameters/dataset.data_folder",
		"/mnt/sut/unet3d");
	IS_NUMBER(o, "runtime", 60);
	IS_TEXT(o, "invocation_start_time", "2026-07-20T10:00:03.114201");
	IS_TEXT(o, "verification", "CLOSED");
	IS_TEXT(o, "command_output_files/0/stdout", "training_run.stdout.log");
	IS_TEXT(o, "tool/name", "stoker");
	CU_ASSERT_TRUE(cJSON_IsTrue(item(o, "emulated")));
	IS_NUMBER(o, "system_info/hosts/0/memory/free", 30000000.0 * 1024);
	IS_NUMBER(o, "system_info/hosts/0/memory/used", 1767000.0 * 1024);
	IS_NUMBER(o, "system_info/hosts/0/cpu/num_cores", 2);
	IS_NUMBER(o, "system_info/hosts/0/cpu/num_logical_cores", 4);
	IS_TEXT(o, "system_info/collection_timestamp", "2026-07-20T10:00:03Z");
	cJSON_Delete(o);
	/* a drive that is no drive has no file system */
	CU_ASSERT_EQUAL(access("fs_separation.json", F_OK), -1);
	end(&f);
}

static void test_datasize(void)
{
	struct datasize d = {.required = 3500,
		.suggested_subfolders = 5,
		.disk_bytes = 513102198000};
	struct fixture f;
	struct cJSON *o;
	struct err e;

	begin(&f);
	f.v.command = "datasize";
	f.v.verification = NULL;
	f.v.size = &d;
	f.v.out_text = f.v.err_text = NULL;
	snprintf(
		f.v.leaf, sizeof(f.v.leaf), "%s/datasize/20260720_100000", dir);
	CU_ASSERT_EQUAL_FATAL(results_write_plain_leaf(&f.v, &e), 0);
	o = load("datasize/20260720_100000/"
		 "training_20260720_100000_metadata.json");
	IS_NUMBER(o, "parameters/dataset/num_files_train", 3500);
	IS_NUMBER(o, "parameters/dataset/num_subfolders_train", 5);
	IS_NUMBER(o, "parameters/dataset/total_disk_bytes", 513102198000.0);
	CU_ASSERT_TRUE(cJSON_IsNull(item(o, "verification")));
	CU_ASSERT_EQUAL(cJSON_GetArraySize(item(o, "command_output_files")), 0);
	cJSON_Delete(o);
	/* a name that is taken is an error, and nothing is put there */
	CU_ASSERT_EQUAL(results_write_plain_leaf(&f.v, &e), -EEXIST);
	end(&f);
}

/* A run of one rank, one epoch and three steps. */
static void make_record(struct record *rec, const struct fixture *f)
{
	struct rec_run *run;

	record_init(rec);
	rec->config = f->config;
	run = record_add_run(rec);
	run->status = REC_FINISHED;
	run->end_ns = NS_PER_S;
	run->rank_count = 1;
	run->ranks = calloc(1, sizeof(*run->ranks));
	CU_ASSERT_PTR_NOT_NULL_FATAL(run->ranks);
	CU_ASSERT_EQUAL_FATAL(rec_rank_init(&run->ranks[0], 1, 3), 0);
}

/* Every file of a run, under a name that appears when all are there. */
static void test_run_leaf(void)
{
	static const char *const names[] = {"record.json", "summary.json",
		"0_output.json", "0_per_epoch_stats.json", "dlio.log",
		"dlio_config/config.yaml", "dlio_config/hydra.yaml",
		"dlio_config/overrides.yaml", "trace.h5",
		"training_20260720_100000_metadata.json",
		"training_run.stdout.log", "training_run.stderr.log"};
	char stale[PATH_MAX], path[PATH_MAX];
	struct record rec;
	struct fixture f;
	struct cJSON *o;
	struct err e;
	size_t i;

	begin(&f);
	make_record(&rec, &f);
	snprintf(f.v.leaf, sizeof(f.v.leaf), "%s/run/20260720_100000", dir);
	/* half of one that an earlier process left */
	snprintf(
		stale, sizeof(stale), "%s/run/.20260720_100000.partial/x", dir);
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(stale, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		results_write_run_leaf(&f.v, &rec, &rec.runs[0], &e), 0);
	CU_ASSERT_STRING_EQUAL(rec.runs[0].leaf, f.v.leaf);
	*strrchr(stale, '/') = '\0';
	CU_ASSERT_EQUAL(access(stale, F_OK), -1);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CU_ASSERT_EQUAL(
			results_path(path, f.v.leaf, names[i], &e), 0);
		CU_ASSERT_EQUAL(access(path, F_OK), 0);
	}
	o = load("run/20260720_100000/record.json");
	IS_TEXT(o, "runs/0/leaf", f.v.leaf);
	cJSON_Delete(o);
	o = load("run/20260720_100000/summary.json");
	IS_NUMBER(o, "num_accelerators", 2);
	cJSON_Delete(o);
	/* a name that is taken: an error, and what is there stays */
	CU_ASSERT_EQUAL(results_write_run_leaf(&f.v, &rec, &rec.runs[0], &e),
		-EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, f.v.leaf));
	CU_ASSERT_EQUAL(access(path, F_OK), 0);
	record_fini(&rec);
	end(&f);
}

/* Parse a file back with libyaml; the caller deletes the document. */
static void parse(const char *name, yaml_document_t *doc)
{
	char path[PATH_MAX];
	yaml_parser_t y;
	FILE *file;

	snprintf(path, sizeof(path), "%s/dlio_config/%s", dir, name);
	file = fopen(path, "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	yaml_parser_initialize(&y);
	yaml_parser_set_input_file(&y, file);
	CU_ASSERT_TRUE_FATAL(yaml_parser_load(&y, doc));
	yaml_parser_delete(&y);
	fclose(file);
}

static yaml_node_t *find(
	yaml_document_t *doc, yaml_node_t *map, const char *key)
{
	yaml_node_pair_t *p;
	yaml_node_t *k;

	for (p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
		p++) {
		k = yaml_document_get_node(doc, p->key);
		if (!strcmp((char *)k->data.scalar.value, key))
			return yaml_document_get_node(doc, p->value);
	}
	return NULL;
}

static void is_scalar(yaml_document_t *doc, const char *group, const char *key,
	const char *value)
{
	yaml_node_t *n = yaml_document_get_root_node(doc);

	n = find(doc, n, "workload");
	n = n ? find(doc, n, group) : NULL;
	n = n ? find(doc, n, key) : NULL;
	CU_ASSERT_PTR_NOT_NULL_FATAL(n);
	CU_ASSERT_STRING_EQUAL((char *)n->data.scalar.value, value);
	/* plain: a reader sees its type */
	CU_ASSERT_EQUAL(n->data.scalar.style, YAML_PLAIN_SCALAR_STYLE);
}

static void test_dlio_config(void)
{
	static const char *const want[] = {"workload=unet3d_b200",
		"++workload.dataset.data_folder=/mnt/sut/unet3d",
		"++workload.dataset.num_files_train=14000",
		"++workload.reader.read_threads=4",
		"++workload.reader.odirect=True"};
	yaml_document_t doc;
	yaml_node_item_t *it;
	struct fixture f;
	yaml_node_t *n;
	struct err e;
	size_t i = 0;

	begin(&f);
	CU_ASSERT_EQUAL_FATAL(results_write_dlio_config(&f.v, dir, &e), 0);
	parse("config.yaml", &doc);
	is_scalar(&doc, "dataset", "num_files_train", "14000");
	is_scalar(&doc, "dataset", "record_length_bytes_stdev", "68341808");
	is_scalar(&doc, "dataset", "data_folder", "/mnt/sut/unet3d");
	is_scalar(&doc, "reader", "odirect", "true");
	is_scalar(&doc, "train", "computation_time", "0.162");
	is_scalar(&doc, "workflow", "checkpoint", "false");
	yaml_document_delete(&doc);
	parse("overrides.yaml", &doc);
	n = yaml_document_get_root_node(&doc);
	CU_ASSERT_EQUAL_FATAL(n->type, YAML_SEQUENCE_NODE);
	for (it = n->data.sequence.items.start;
		it < n->data.sequence.items.top && i < 5; it++)
		CU_ASSERT_STRING_EQUAL((char *)yaml_document_get_node(&doc, *it)
					       ->data.scalar.value,
			want[i++]);
	CU_ASSERT_EQUAL(i, 5);
	yaml_document_delete(&doc);
	parse("hydra.yaml", &doc);
	n = find(&doc, yaml_document_get_root_node(&doc), "hydra");
	CU_ASSERT_PTR_NOT_NULL_FATAL(n);
	CU_ASSERT_PTR_NOT_NULL(find(&doc, n, "overrides"));
	yaml_document_delete(&doc);
	end(&f);
}

/* Texts that YAML 1.1 takes for something else, and floats it would not. */
static void test_yaml_types(void)
{
	struct cJSON *o = cJSON_CreateObject();
	char path[PATH_MAX], *text = NULL;
	struct fixture f;
	struct err e;

	begin(&f);
	json_add_string(o, "number", "14000");
	json_add_string(o, "truth", "Yes");
	json_add_string(o, "empty", "");
	json_add_string(o, "colon", "a: b # c");
	json_add_string(o, "plus", "++a=-1");
	json_add_string(o, "negative", "-1.5");
	json_add_double(o, "small", 1e-05);
	json_add_double(o, "double", 3);
	json_add_object(o, "none");
	snprintf(path, sizeof(path), "%s/x.yaml", dir);
	CU_ASSERT_EQUAL_FATAL(results_write_yaml(path, "top", o, &e), 0);
	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 4096, &text, NULL, &e), 0);
	CU_ASSERT_STRING_EQUAL(text,
		"# top\nnumber: '14000'\ntruth: 'Yes'\nempty: ''\n"
		"colon: 'a: b # c'\nplus: ++a=-1\nnegative: '-1.5'\n"
		"small: 1.0e-05\ndouble: 3.0\nnone: {}\n");
	free(text);
	cJSON_Delete(o);
	/* names of files need be no UTF-8: 0xff never is, 0xed 0xa0 0x80 is a
	 * surrogate, 0xc3 wants a second byte */
	o = cJSON_CreateObject();
	json_add_string(o, "a\xff", "\xed\xa0\x80 \xc3\xa9 \xc3");
	CU_ASSERT_EQUAL_FATAL(results_write_yaml(path, NULL, o, &e), 0);
	CU_ASSERT_EQUAL_FATAL(file_read_all(path, 4096, &text, NULL, &e), 0);
#define BAD "\xef\xbf\xbd"
	CU_ASSERT_STRING_EQUAL(
		text, "a" BAD ": " BAD BAD BAD " \xc3\xa9 " BAD "\n");
#undef BAD
	free(text);
	cJSON_Delete(o);
	end(&f);
}

static void test_separation(void)
{
	struct fixture f;
	struct cJSON *o;
	struct err e;

	begin(&f);
	f.v.separation = (struct fs_separation){.known = true,
		.same = false,
		.method = "link_exdev",
		.data = "d",
		.results = "r",
		.data_real = "/d",
		.results_real = "/r",
		.wall_ns = 1784541600 * NS_PER_S,
		.host = "node-a"};
	CU_ASSERT_EQUAL_FATAL(results_write_metadata(&f.v, dir, &e), 0);
	o = load("fs_separation.json");
	IS_NUMBER(o, "version", 1);
	CU_ASSERT_TRUE(cJSON_IsFalse(item(o, "same_filesystem")));
	IS_TEXT(o, "probed_at", "2026-07-20T10:00:00Z");
	IS_TEXT(o, "results_realpath", "/r");
	cJSON_Delete(o);
	end(&f);
}

UT_SUITE(outputs, UT_CASE(test_metadata), UT_CASE(test_datasize),
	UT_CASE(test_run_leaf),
	UT_CASE(test_dlio_config), UT_CASE(test_yaml_types),
	UT_CASE(test_separation))
