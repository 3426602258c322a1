/* A tree that breaks no rule; see ut_bundle.h. */
#include "tests/unit/ut_bundle.h"

#include "core/file.h"
#include "tests/unit/ut.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *at(char path[PATH_MAX], const char *dir, const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

void ub_write(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX], *slash;
	struct err e;

	slash = strrchr(at(path, dir, name), '/');
	*slash = '\0';
	CU_ASSERT_EQUAL_FATAL(file_mkdirs(path, &e), 0);
	*slash = '/';
	CU_ASSERT_EQUAL_FATAL(
		file_write_atomic(path, text, strlen(text), &e), 0);
}

static void put(const char *dir, const char *leaf, const char *name,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void put(const char *dir, const char *leaf, const char *name,
	const char *fmt, ...)
{
	char path[PATH_MAX], text[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s%s", leaf, name);
	ub_write(dir, path, text);
}

/* What every leaf has; core "unknown" or a class of the edition. */
static void stamp(const char *dir, const char *leaf, const char *core)
{
	put(dir, leaf, ".mlps-code-image", "md5-tree-v2:" UB_HASH);
	put(dir, leaf, "provenance.json",
		"{\"schema\": \"mlps-run-provenance/1\", "
		"\"rules_edition\": \"3.0\", \"layout_version\": 3, "
		"\"tool\": {\"name\": \"emulator\", "
		"\"version\": \"0.0.0-emulated\", \"git_sha\": \"unknown\", "
		"\"code_image\": \"md5-tree-v2:" UB_HASH "\"}, "
		"\"dlio\": {\"version\": \"unknown\", \"source\": \"unknown\", "
		"\"commit\": \"unknown\"}, "
		"\"storage_library\": {\"name\": \"none\"}, "
		"\"core_config\": {\"algorithm\": \"core-config-v1\", "
		"\"allowlist\": \"training@1\", \"hash\": \"%s\", "
		"\"keys\": []}, \"stamped_at\": \"2026-11-30T12:00:00Z\", "
		"\"stamped_by\": \"emulator 0.0.0-emulated\", "
		"\"provenance\": {\"rules_edition\": \"declared\", "
		"\"layout_version\": \"declared\", \"tool\": \"runtime\", "
		"\"dlio\": \"n/a\", \"storage_library\": \"n/a\", "
		"\"core_config\": \"runtime\"}, \"notes\": \"EMULATED\"}\n",
		core);
}

static void config(const char *dir, const char *leaf)
{
	put(dir, leaf, "dlio_config/config.yaml", "# emulated\n");
	put(dir, leaf, "dlio_config/hydra.yaml", "# emulated\n");
	put(dir, leaf, "dlio_config/overrides.yaml", "# emulated\n");
}

static void separation(const char *dir, const char *leaf)
{
	put(dir, leaf, "fs_separation.json",
		"{\"version\": 1, \"method\": \"link_exdev\", "
		"\"same_filesystem\": false}\n");
}

static void outputs(const char *dir, const char *leaf, const char *family)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.stdout.log", family);
	put(dir, leaf, name, "done\n");
	snprintf(name, sizeof(name), "%s.stderr.log", family);
	put(dir, leaf, name, "\n");
	put(dir, leaf, "dlio.log", "[INFO] done\n");
	put(dir, leaf, "0_output.json", "{\"hostname\": \"h1\"}\n");
	put(dir, leaf, "0_per_epoch_stats.json",
		"{\"1\": {\"save_ckpt1\": {\"throughput\": 3.0}, "
		"\"save_ckpt2\": {\"throughput\": 3.1}}}\n");
}

static void training_metadata(
	const char *dir, const char *leaf, const char *command)
{
	put(dir, leaf, "training_20261101_100000_metadata.json",
		"{\"benchmark_type\": \"training\", \"model\": \"unet3d\", "
		"\"command\": \"%s\", \"accelerator\": \"b200\", "
		"\"parameters\": {\"dataset\": {\"num_files_train\": "
		"\"14000\", "
		"\"num_subfolders_train\": 0, \"total_disk_bytes\": 1, "
		"\"num_samples_per_file\": 1, "
		"\"record_length_bytes\": 146600628}, "
		"\"reader\": {\"batch_size\": 7, \"read_threads\": 4}}, "
		"\"override_parameters\": {\"reader.read_threads\": \"4\"}, "
		"\"verification\": \"CLOSED\", "
		"\"args\": {\"data_dir\": \"/d\", \"results_dir\": \"/r\", "
		"\"hosts\": [\"h1\"], \"model\": \"unet3d\"}}\n",
		command);
}

static void training(const char *dir)
{
	static const char *const runs[] = {
		UB_RUN0, UB_RUN1, UB_RUN2, UB_RUN3, UB_RUN4, UB_RUN5};
	size_t i;

	training_metadata(dir, UB_SIZE, "datasize");
	stamp(dir, UB_SIZE, "unknown");
	training_metadata(dir, UB_GEN, "datagen");
	outputs(dir, UB_GEN, "training_datagen");
	config(dir, UB_GEN);
	stamp(dir, UB_GEN, "unknown");
	for (i = 0; i < 6; i++) {
		training_metadata(dir, runs[i], "run");
		outputs(dir, runs[i], "training_run");
		config(dir, runs[i]);
		separation(dir, runs[i]);
		stamp(dir, runs[i], "0d3ad0dec188becd");
		put(dir, runs[i], "summary.json",
			"{\"start\": \"2026-11-01T10:00:00.000000\", "
			"\"end\": \"2026-11-01T10:28:20.000000\", "
			"\"num_accelerators\": 4, \"num_hosts\": 1, "
			"\"metric\": {\"train_au_mean_percentage\": 95.0, "
			"\"train_au_meet_expectation\": \"success\", "
			"\"train_throughput_samples_per_second\": "
			"[40.0, 41.0, 42.0], "
			"\"train_io_mean_MB_per_second\": 5800.0}, "
			"\"num_files_train\": 14000, \"num_files_eval\": 0, "
			"\"host_memory_GB\": [31.3]}");
	}
	ub_write(dir, UB_TRAINING "run/results.json", "[]\n");
}

static void checkpoint(const char *dir, const char *leaf, const char *verb,
	unsigned writes, unsigned reads, const char *start, const char *end)
{
	char name[64];
	unsigned r;

	outputs(dir, leaf, "checkpointing_run");
	config(dir, leaf);
	separation(dir, leaf);
	stamp(dir, leaf, "68df04b7240e3fb0");
	/* 104.7 GiB in 34.9 and 33.8 s */
	for (r = 0; r < 8; r++) {
		snprintf(name, sizeof(name), "%u_per_epoch_stats.json", r);
		put(dir, leaf, name,
			"{\"1\": {\"%s_ckpt1\": {\"duration\": 34.9, "
			"\"throughput\": 3.0}, \"%s_ckpt2\": {\"duration\": "
			"33.8, \"throughput\": 3.1}}}\n",
			verb, verb);
	}
	put(dir, leaf, "summary.json",
		"{\"start\": \"2026-11-01T%s\", \"end\": \"2026-11-01T%s\", "
		"\"num_accelerators\": 8, \"num_hosts\": 1, \"metric\": "
		"{\"%s_checkpoint_io_mean_GB_per_second\": 3.0, "
		"\"checkpoint_size_GB\": 104.7}, \"host_memory_GB\": [31.3]}",
		start, end, verb);
	put(dir, leaf, "checkpointing_20261101_130600_metadata.json",
		"{\"benchmark_type\": \"checkpointing\", "
		"\"model\": \"llama3-8b\", \"accelerator\": \"b200\", "
		"\"parameters\": {\"checkpoint\": {\"fsync\": true}}, "
		"\"override_parameters\": "
		"{\"checkpoint.num_checkpoints_write\": \"10\"}, "
		"\"invocation_start_time\": \"2026-11-01T%s\", "
		"\"invocation_end_time\": \"2026-11-01T%s\", "
		"\"verification\": \"CLOSED\", "
		"\"args\": {\"model\": \"llama3-8b\", \"num_processes\": 8, "
		"\"checkpoint_folder\": \"/d/c\", \"results_dir\": \"/r\", "
		"\"num_checkpoints_write\": %u, "
		"\"num_checkpoints_read\": %u}}\n",
		start, end, writes, reads);
}

static void vdb_metadata(const char *dir, const char *leaf)
{
	put(dir, leaf, "vector_database_20261101_132210_metadata.json",
		"{\"benchmark_type\": \"vector_database\", "
		"\"override_parameters\": {}, \"verification\": \"CLOSED\", "
		"\"args\": {\"storage_root\": \"/d/v\", "
		"\"results_dir\": \"/r\"}}\n");
}

static void vdb(const char *dir)
{
	static const char *const runs[] = {"20261101_132910", "20261101_133610",
		"20261101_134310", "20261101_135010", "20261101_135710"};
	char leaf[256];
	size_t i;

	vdb_metadata(dir, UB_VGEN);
	put(dir, UB_VGEN, "summary.json",
		"{\"inserted_vectors\": 1000000, \"num_vectors\": 1000000, "
		"\"dimension\": 1536, \"index_type\": \"DISKANN\"}");
	stamp(dir, UB_VGEN, "unknown");
	for (i = 0; i < 5; i++) {
		snprintf(leaf, sizeof(leaf), UB_VDB "run/%s/", runs[i]);
		vdb_metadata(dir, leaf);
		separation(dir, leaf);
		stamp(dir, leaf, "unknown");
		put(dir, leaf, "result_verdict.json",
			"{\"result\": \"valid\", \"flat_setup\": "
			"{\"ok\": true, \"coverage\": 1.0}}\n");
		put(dir, leaf, "summary.json",
			"{\"num_vectors\": 1000000, \"dimension\": 1536, "
			"\"index_type\": \"DISKANN\", \"recall\": "
			"{\"max_recall\": 1.0, \"mean_recall\": 0.95}, "
			"\"throughput_qps\": 100.0, "
			"\"total_time_seconds\": 300.0, "
			"\"mean_latency_ms\": 1, \"p95_latency_ms\": 2, "
			"\"p99_latency_ms\": 3, \"p999_latency_ms\": 4, "
			"\"database\": {\"database\": \"milvus\"}}");
	}
}

/* The rules' three options (Rules 6.3.1.1), one rank, three trials each. */
static void kv(const char *dir)
{
	static const struct {
		const char *model;
		unsigned users, cpu_gib, allocations;
	} o[] = {{"llama3.1-8b", 200, 0, 16}, {"llama3.1-8b", 100, 4, 16},
		{"llama3.1-70b-instruct", 70, 0, 4}};
	char text[2048];
	size_t i, t, n = 0;

	n += (size_t)snprintf(
		text, sizeof(text), "{\"total_ranks\": 1, \"options\": {");
	for (i = 0; i < 3; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"%s\"%zu\": {\"trial_count\": 3, "
			"\"cpu_tier_ranks\": [], \"configuration\": "
			"{\"model\": \"%s\", \"num_users\": %u, "
			"\"duration\": 300, \"gpu_mem_gb\": 0, "
			"\"cpu_mem_gb\": %u, \"max_concurrent_allocs\": %u, "
			"\"token_seconds\": 0}}",
			i ? ", " : "", i + 1, o[i].model, o[i].users,
			o[i].cpu_gib, o[i].allocations);
	snprintf(text + n, sizeof(text) - n, "}}");
	put(dir, UB_KV, "summary.json", "%s", text);
	for (i = 1; i <= 3; i++)
		for (t = 0; t < 3; t++) {
			snprintf(text, sizeof(text),
				"option_%zu/trial_%zu/rank_0/"
				"kvcache_results_20261101_140410.json",
				i, t);
			put(dir, UB_KV, text, "{\"seed\": 42}\n");
		}
}

static void system_files(const char *dir)
{
	ub_write(dir, UB_ORG "systems/emu-1.pdf", "%PDF-1.4\n");
	ub_write(dir, UB_YAML,
		"system_under_test:\n"
		"  solution:\n"
		"    submission_name: emu-1\n"
		"    friendly_description: emulated\n"
		"    architecture: {storage_location: local, "
		"benchmark_API: file, product_API: block, "
		"client_footprint: open_source, "
		"client_installation: in_box}\n"
		"    capabilities: {multi_host: false, "
		"simultaneous_write: true, simultaneous_read: true, "
		"remap_time_in_seconds: 0}\n"
		"    usable_capacity_tib: 6.9\n"
		"    availability: RDI\n"
		"  deployment: onprem\n"
		"  total_rack_units: 0\n"
		"  clients:\n"
		"    - friendly_description: client\n"
		"      quantity: 1\n"
		"      chassis:\n"
		"        model_name: m\n"
		"        rack_units: 1\n"
		"        cpu_model: c\n"
		"        cpu_qty: 1\n"
		"        cpu_cores: 8\n"
		"        memory_capacity: 32\n"
		"        power: {min_psus_active: 1, psus_configured: "
		"[{unit_count: 1, inlet_voltage: 230, "
		"nameplate_power_watts: 500, efficiency: Gold}]}\n"
		"      drives:\n"
		"        - unit_count: 1\n"
		"          vendor_name: v\n"
		"          model_name: d\n"
		"          interface: nvme\n"
		"          media_type: TLC\n"
		"          capacity_in_GB: 7680\n"
		"          performance: {seq_read_MBps: 14500, "
		"seq_write_MBps: 10000, random_read_IOPS: 3300000, "
		"random_write_IOPS: 800000}\n"
		"      operating_system: {name: Linux, version: \"6\"}\n"
		"      sysctl: [{name: vm.swappiness, value: \"60\"}]\n");
}

static void manifest(const char *dir)
{
	static const char *const leaves[] = {UB_SIZE, UB_GEN, UB_RUN0, UB_RUN1,
		UB_RUN2, UB_RUN3, UB_RUN4, UB_RUN5, UB_SAVE, UB_LOAD, UB_VGEN,
		UB_VDB "run/20261101_132910/", UB_VDB "run/20261101_133610/",
		UB_VDB "run/20261101_134310/", UB_VDB "run/20261101_135010/",
		UB_VDB "run/20261101_135710/", UB_KV};
	char text[8192];
	size_t i;
	int n = snprintf(text, sizeof(text),
		"schema: mlps-submission-manifest/1\norgname: EmuOrg\n"
		"mode: closed\nrules_edition: \"3.0\"\nlayout_version: 3\n"
		"runs:\n");

	for (i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			"  - {leaf: %.*s}\n",
			(int)(strlen(leaves[i]) - strlen(UB_ORG) - 1),
			leaves[i] + strlen(UB_ORG));
	ub_write(dir, UB_MANIFEST, text);
}

void ub_make(const char *dir)
{
	struct err e;

	CU_ASSERT_EQUAL_FATAL(file_remove_tree(dir, &e), 0);
	ub_write(dir, "code-images/.mlps-image-pool", "");
	/* paths and contents of a published digest */
	ub_write(dir, UB_IMAGE "a/x", "1");
	ub_write(dir, UB_IMAGE "a-b/x", "2");
	ub_write(dir, UB_IMAGE "a.txt", "3");
	ub_write(dir, UB_IMAGE "B", "4");
	ub_write(dir, UB_IMAGE ".code-hash.json",
		"{\"hash\": \"" UB_HASH "\", \"algorithm\": \"md5-tree-v2\", "
		"\"captured_at\": \"2026-11-30T12:00:00Z\", "
		"\"mlpstorage_version\": \"0.0.0-emulated\", "
		"\"git_sha\": null}\n");
	training(dir);
	checkpoint(dir, UB_SAVE, "save", 10, 0, "13:06:00.000000",
		"13:12:40.000000");
	checkpoint(dir, UB_LOAD, "load", 0, 10, "13:12:50.000000",
		"13:17:10.000000");
	ub_write(dir, UB_CKPT "results.json", "[]\n");
	vdb(dir);
	put(dir, UB_KV, "kv_cache_20261101_140410_metadata.json",
		"{\"benchmark_type\": \"kv_cache\", \"args\": {\"seed\": 42, "
		"\"trials\": 3, \"inter_option_delay\": 90, "
		"\"cache_dir\": \"/d/k\", \"results_dir\": \"/r\"}}\n");
	kv(dir);
	separation(dir, UB_KV);
	stamp(dir, UB_KV, "unknown");
	system_files(dir);
	manifest(dir);
	ub_write(dir, UB_ORG "results/results.json", "[]\n");
}

static void substitute(const char *dir, const struct ub_edit *x)
{
	char path[PATH_MAX], *text, *found, *out;
	struct err e;
	size_t len, k;

	CU_ASSERT_EQUAL_FATAL(
		file_read_all(at(path, dir, x->name), 1 << 20, &text, &len, &e),
		0);
	found = strstr(text, x->from);
	if (!found)
		printf("%s: no \"%s\"\n", x->name, x->from);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	k = (size_t)(found - text);
	out = malloc(len + strlen(x->to) + 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	sprintf(out, "%.*s%s%s", (int)k, text, x->to, found + strlen(x->from));
	ub_write(dir, x->name, out);
	free(out);
	free(text);
}

void ub_apply(const char *dir, const struct ub_edit *x)
{
	char path[PATH_MAX], other[PATH_MAX];
	struct err e;
	int r = 0;

	at(path, dir, x->name);
	if (!strcmp(x->what, "rm"))
		r = file_remove_tree(path, &e);
	else if (!strcmp(x->what, "put"))
		ub_write(dir, x->name, x->from);
	else if (!strcmp(x->what, "mkdir"))
		r = file_mkdirs(path, &e);
	else if (!strcmp(x->what, "mv"))
		r = rename(path, at(other, dir, x->from));
	else if (!strcmp(x->what, "link"))
		r = symlink(x->from, path);
	else
		substitute(dir, x);
	CU_ASSERT_EQUAL_FATAL(r, 0);
}
