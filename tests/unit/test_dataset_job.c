/* Generating a data set as a whole: what is complete is never touched. */
#include "datagen/manifest.h"
#include "plan/dataset_job.h"
#include "storage/loop.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 6

struct yard {
	char dir[UT_PATH_MAX], folder[UT_PATH_MAX];
	struct dataset_job job;
	struct group *group;
	struct dataset_result res;
	unsigned plans, shown;
	struct dataset_progress plan, last;
};

static void plan(void *ctx, const struct dataset_progress *p)
{
	struct yard *y = ctx;

	y->plans++;
	y->plan = *p;
}

static void progress(void *ctx, const struct dataset_progress *p)
{
	struct yard *y = ctx;

	y->shown++;
	y->last = *p;
}

static void yard_init(struct yard *y)
{
	struct err e;

	memset(y, 0, sizeof(*y));
	ut_dir_make(y->dir, "/dev/shm");
	ut_join(y->folder, y->dir, "unet3d");
	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &y->group, &e), 0);
	y->job = (struct dataset_job){.group = y->group,
		.engine = {.kind = ENGINE_PREAD},
		.layout = {.files = FILES, .samples_per_file = 1,
			.record_bytes = 200000, .record_stdev_bytes = 90000,
			.ranks = 1, .format = "npz"},
		.seed = 1, .folder = y->folder, .model = "unet3d",
		.scale = "1", .plan = plan, .ctx = y};
}

static void yard_fini(struct yard *y)
{
	group_close(y->group);
	ut_dir_remove(y->dir);
}

static int run(struct yard *y, struct err *e)
{
	return dataset_job_run(&y->job, &y->res, e);
}

static const char *file_of(struct yard *y, uint64_t i, char path[UT_PATH_MAX])
{
	CU_ASSERT_EQUAL_FATAL(dataset_file_path(&y->job.layout, y->folder, i,
				      path, UT_PATH_MAX), 0);
	return path;
}

/* What a rewrite would change. */
static void stats(struct yard *y, struct stat st[FILES + 1])
{
	char path[UT_PATH_MAX];
	uint64_t i;

	for (i = 0; i < FILES; i++)
		CU_ASSERT_EQUAL_FATAL(stat(file_of(y, i, path), &st[i]), 0);
	CU_ASSERT_EQUAL_FATAL(
		stat(ut_join(path, y->folder, MANIFEST_NAME), &st[i]), 0);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void test_new_set(void)
{
	struct yard y;
	struct manifest m;
	char path[UT_PATH_MAX];
	struct err e;
	uint64_t i, sum = 0;

	yard_init(&y);
	y.job.progress = progress;
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &m, &e), 0);
	CU_ASSERT_TRUE(m.complete);
	CU_ASSERT_EQUAL(m.layout.files, FILES);
	CU_ASSERT_EQUAL(m.seed, 1);
	CU_ASSERT_STRING_EQUAL(m.model, "unet3d");
	CU_ASSERT_PTR_NOT_NULL_FATAL(m.file_crc32);
	for (i = 0; i < FILES; i++) {
		CU_ASSERT_EQUAL(
			m.file_bytes[i], ut_file_size(file_of(&y, i, path)));
		CU_ASSERT_NOT_EQUAL(m.file_crc32[i], 0);
		sum += m.file_bytes[i];
	}
	CU_ASSERT_EQUAL(m.total_bytes, sum);
	CU_ASSERT_EQUAL(y.res.files, FILES);
	CU_ASSERT_EQUAL(y.res.bytes, sum);
	CU_ASSERT_EQUAL(y.res.files_written, FILES);
	CU_ASSERT_EQUAL(y.res.bytes_written, sum);
	CU_ASSERT(y.res.elapsed_ns > 0);
	CU_ASSERT_STRING_EQUAL(y.res.engine, "pread");
	CU_ASSERT_EQUAL(y.plans, 1);
	CU_ASSERT_EQUAL(y.plan.files_total, FILES);
	CU_ASSERT_EQUAL(y.plan.bytes_total, sum);
	CU_ASSERT(y.shown >= 1);
	CU_ASSERT(y.last.files_done <= FILES);
	/* the folders that the reference makes too */
	CU_ASSERT_TRUE(ut_file_exists(ut_join(path, y.folder, "valid")));
	CU_ASSERT_TRUE(ut_file_exists(ut_join(path, y.folder, "test")));
	/* nothing else lies there */
	CU_ASSERT_EQUAL(ut_files_ending(y.folder, ""), FILES + 1);
	manifest_free(&m);
	yard_fini(&y);
}

static void test_complete_set_untouched(void)
{
	struct stat before[FILES + 1], after[FILES + 1];
	struct yard y;
	struct err e;
	size_t i;

	yard_init(&y);
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	stats(&y, before);
	y.job.overwrite = true; /* of other parameters, says the option */
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	y.job.overwrite = false;
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	stats(&y, after);
	for (i = 0; i <= FILES; i++)
		CU_ASSERT_TRUE(same_file(&before[i], &after[i]));
	CU_ASSERT_EQUAL(y.res.files, FILES);
	CU_ASSERT_EQUAL(y.res.files_written, 0);
	CU_ASSERT_EQUAL(y.res.bytes_written, 0);
	yard_fini(&y);
}

/* A hole and a stump in a set that calls itself complete. */
static void test_repair(void)
{
	struct stat before[FILES + 1], after[FILES + 1];
	struct manifest m, again;
	char path[UT_PATH_MAX];
	struct yard y;
	struct err e;
	size_t i;

	yard_init(&y);
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &m, &e), 0);
	stats(&y, before);
	CU_ASSERT_EQUAL(unlink(file_of(&y, 2, path)), 0);
	CU_ASSERT_EQUAL(truncate(file_of(&y, 4, path), 1000), 0);
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL(y.res.files_written, 2);
	CU_ASSERT_EQUAL(
		y.res.bytes_written, m.file_bytes[2] + m.file_bytes[4]);
	stats(&y, after);
	for (i = 0; i < FILES; i++)
		if (i != 2 && i != 4)
			CU_ASSERT_TRUE(same_file(&before[i], &after[i]));
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &again, &e), 0);
	CU_ASSERT_TRUE(again.complete);
	CU_ASSERT_EQUAL(memcmp(m.file_crc32, again.file_crc32,
				FILES * sizeof(*m.file_crc32)), 0);
	manifest_free(&m);
	manifest_free(&again);
	yard_fini(&y);
}

/* Interrupted: the manifest says so, and the same command continues. */
static void test_interrupted(void)
{
	struct manifest m;
	struct yard y;
	struct err e;

	yard_init(&y);
	loop_interrupted = 1;
	CU_ASSERT_EQUAL(run(&y, &e), -EINTR);
	loop_interrupted = 0;
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &m, &e), 0);
	CU_ASSERT_FALSE(m.complete);
	manifest_free(&m);
	CU_ASSERT_EQUAL(ut_files_ending(y.folder, ".part"), 0);
	CU_ASSERT_EQUAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &m, &e), 0);
	CU_ASSERT_TRUE(m.complete);
	manifest_free(&m);
	yard_fini(&y);
}

/* Each other parameter is refused by name, and nothing has changed. */
static void test_other_parameters(void)
{
	struct stat before[FILES + 1], after[FILES + 1];
	struct dataset_job job;
	struct manifest m;
	struct yard y;
	struct err e = {0};
	size_t i;

	yard_init(&y);
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	stats(&y, before);
	job = y.job;
	y.job.seed = 2;
	CU_ASSERT_EQUAL(run(&y, &e), -EEXIST);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "content seed: 1, not 2"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "--overwrite"));
	y.job = job;
	y.job.layout.files = 5;
	CU_ASSERT_EQUAL(run(&y, &e), -EEXIST);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "number of files: 6, not 5"));
	y.job = job;
	y.job.layout.ranks = 3;
	CU_ASSERT_EQUAL(run(&y, &e), -EEXIST);
	y.job = job;
	stats(&y, after);
	for (i = 0; i <= FILES; i++)
		CU_ASSERT_TRUE(same_file(&before[i], &after[i]));
	/* told to, it makes room: no file of the old set is left over */
	y.job.layout.files = 5;
	y.job.overwrite = true;
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL(y.res.files_written, 5);
	CU_ASSERT_EQUAL(ut_files_ending(y.folder, ".npz"), 5);
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.folder, &m, &e), 0);
	CU_ASSERT_EQUAL(m.layout.files, 5);
	manifest_free(&m);
	yard_fini(&y);
}

/* Files without a manifest are another tool's. */
static void test_foreign_files(void)
{
	char path[UT_PATH_MAX];
	struct yard y;
	struct err e = {0};

	yard_init(&y);
	CU_ASSERT_EQUAL(mkdir(y.folder, 0700), 0);
	CU_ASSERT_EQUAL(mkdir(ut_join(path, y.folder, "train"), 0700), 0);
	ut_file_write(file_of(&y, 0, path), "precious", 8);
	CU_ASSERT_EQUAL(run(&y, &e), -EEXIST);
	CU_ASSERT_EQUAL(e.kind, ERR_USAGE);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "another tool's data set"));
	CU_ASSERT_EQUAL(ut_file_size(path), 8);
	CU_ASSERT_EQUAL(ut_files_ending(y.folder, ""), 1);
	/* a manifest that cannot be read is no licence either */
	ut_file_write(ut_join(path, y.folder, MANIFEST_NAME), "{", 1);
	CU_ASSERT(run(&y, &e) < 0);
	CU_ASSERT_EQUAL(ut_file_size(file_of(&y, 0, path)), 8);
	y.job.overwrite = true;
	CU_ASSERT_EQUAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL(ut_files_ending(y.folder, ".npz"), FILES);
	CU_ASSERT(ut_file_size(path) > 8);
	yard_fini(&y);
}

/* The plan writes nothing, and says how much would be. */
static void test_plan(void)
{
	struct dataset_result res;
	uint64_t free_bytes;
	struct yard y;
	struct err e;

	yard_init(&y);
	CU_ASSERT_EQUAL(dataset_job_plan(&y.job, &res, &free_bytes, &e), 0);
	CU_ASSERT_EQUAL(res.files, FILES);
	CU_ASSERT_EQUAL(res.files_written, FILES);
	CU_ASSERT_EQUAL(res.bytes_written, res.bytes);
	CU_ASSERT(free_bytes > res.bytes);
	CU_ASSERT_FALSE(ut_file_exists(y.folder));
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL(dataset_job_plan(&y.job, &res, &free_bytes, &e), 0);
	CU_ASSERT_EQUAL(res.files_written, 0);
	CU_ASSERT_EQUAL(res.bytes, y.res.bytes);
	yard_fini(&y);
}

/* 100000 files of 1 GB: 100 TB. Found out before a folder is made. */
static void test_no_room(void)
{
	struct yard y;
	struct err e = {0};

	yard_init(&y);
	y.job.layout.files = 100000;
	y.job.layout.record_bytes = 1000000000;
	y.job.layout.record_stdev_bytes = 0;
	CU_ASSERT_EQUAL(run(&y, &e), -ENOSPC);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "nothing was written"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "100000 files"));
	CU_ASSERT_FALSE(ut_file_exists(y.folder));
	/* nor with a layout that is none */
	y.job.layout.record_bytes = 0;
	CU_ASSERT_EQUAL(run(&y, &e), -EINVAL);
	CU_ASSERT_FALSE(ut_file_exists(y.folder));
	yard_fini(&y);
}

static int other_host(
	struct group *g, void *buf, size_t size_bytes, struct err *e)
{
	(void)g, (void)size_bytes, (void)e;
	*(uint64_t *)buf = 4;
	return 0;
}

/* Rank 0 on another host misses 4 files, we miss 6: not one folder. */
static void test_not_shared(void)
{
	struct group_ops ops;
	struct yard y;
	struct err e = {0};

	yard_init(&y);
	ops = *y.group->ops;
	ops.share = other_host;
	y.group->ops = &ops;
	CU_ASSERT_EQUAL(run(&y, &e), -ESTALE);
	CU_ASSERT_EQUAL(e.kind, ERR_ENV);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "6 files"));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "rank 0 misses 4"));
	CU_ASSERT_FALSE(ut_file_exists(y.folder));
	yard_fini(&y);
}

/* Sub-folders: file i lies in folder i mod 3. */
static void test_subfolders(void)
{
	char path[UT_PATH_MAX];
	struct yard y;
	struct err e;

	yard_init(&y);
	y.job.layout.subfolders = 3;
	CU_ASSERT_EQUAL_FATAL(run(&y, &e), 0);
	CU_ASSERT_EQUAL(ut_files_ending(
				ut_join(path, y.folder, "train/1"), ""), 2);
	CU_ASSERT_TRUE(ut_file_exists(
		ut_join(path, y.folder, "train/1/img_4_of_6.npz")));
	yard_fini(&y);
}

UT_SUITE(dataset_job, UT_CASE(test_new_set),
	UT_CASE(test_complete_set_untouched), UT_CASE(test_repair),
	UT_CASE(test_interrupted), UT_CASE(test_other_parameters),
	UT_CASE(test_foreign_files), UT_CASE(test_plan), UT_CASE(test_no_room),
	UT_CASE(test_not_shared), UT_CASE(test_subfolders))
