/*
 * A tree of a submission in which one file is whatever the input is; its first
 * byte says which. All rules are asked.
 */
#include "core/file.h"
#include "results/bundle.h"
#include "tests/fuzz/folder.h"

#define LEAF "closed/o/results/s/"
#define T LEAF "training/unet3d/run/20261101_101000/"
#define C LEAF "checkpointing/llama3-8b/20261101_130600/"
#define V LEAF "vector_database/milvus/DISKANN/run/20261101_132910/"
#define K LEAF "kv_cache/llama3.1-8b/run/20261101_140410/"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const files[] = {T "summary.json",
	T "training_metadata.json", T "provenance.json", T ".mlps-code-image",
	T "fs_separation.json", T "training_run.stdout.log",
	LEAF "training/unet3d/datasize/20261101_100000/x_metadata.json",
	LEAF "training/unet3d/run/results.json", C "summary.json",
	C "checkpointing_metadata.json", C "0_per_epoch_stats.json",
	V "summary.json", V "x_metadata.json", V "result_verdict.json",
	V "recall_stats.json", K "summary.json", K "x_metadata.json",
	"closed/o/systems/s.yaml", "closed/o/submission.yaml",
	"code-images/code-00000000/.code-hash.json", T "record.json"};

#define COUNT (sizeof(files) / sizeof(files[0]))

static void put(const char *name, const void *data, size_t size)
{
	char path[512];
	struct err e;

	fuzz_folder_make();
	snprintf(path, sizeof(path), "%s/%s", fuzz_folder, name);
	*strrchr(path, '/') = '\0';
	if (file_mkdirs(path, &e))
		abort();
	path[strlen(path)] = '/';
	if (file_write_atomic(path, data, size, &e))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;
	struct bundle_options o = {.strict = true};
	struct bundle_report r;
	struct err e;
	size_t i;

	if (!size)
		return 0;
	for (i = 0; !made && i < COUNT; i++)
		put(files[i], "{}", 2);
	made = true;
	put(files[data[0] % COUNT], data + 1, size - 1);
	o.severity = data[0] & 0x80 ? SEVERITY_V30 : SEVERITY_HEAD;
	if (bundle_check(fuzz_folder, &o, &r, &e) || r.organizations != 1)
		abort();
	for (i = 0; i < r.count; i++)
		if (!r.findings[i].path[0] || !r.findings[i].required[0])
			abort();
	bundle_report_fini(&r);
	put(files[data[0] % COUNT], "{}", 2);
	return 0;
}
