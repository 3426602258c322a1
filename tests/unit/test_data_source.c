/* The data set a run reads: is it the right one, and is it unharmed? */
#include "datagen/npz.h"
#include "plan/data_source.h"
#include "plan/dataset_job.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES 6

struct yard {
	char dir[UT_PATH_MAX];
	struct dataset_job job;
	struct group *group;
	struct train_config c;
	struct record rec;
	struct data_source d;
};

static void yard_config(struct yard *y)
{
	memset(&y->c, 0, sizeof(y->c));
	strcpy(y->c.format, "npz");
	y->c.accelerators = 1;
	y->c.files = FILES;
	y->c.samples_per_file = 1;
	y->c.batch_size = 1;
	y->c.record_bytes = 200000;
	y->c.record_stdev_bytes = 90000;
	strcpy(y->c.data_dir, y->dir);
	snprintf(y->c.data_folder, sizeof(y->c.data_folder), "%s/unet3d",
		y->dir);
}

static void yard_init(struct yard *y, const char *base)
{
	struct dataset_result res;
	struct err e;

	memset(y, 0, sizeof(*y));
	ut_dir_make(y->dir, base);
	yard_config(y);
	record_init(&y->rec);
	CU_ASSERT_EQUAL_FATAL(group_local_open(1, &y->group, &e), 0);
	y->job = (struct dataset_job){.group = y->group,
		.engine = {.kind = ENGINE_PREAD},
		.layout = {.files = FILES, .samples_per_file = 1,
			.record_bytes = 200000, .record_stdev_bytes = 90000,
			.ranks = 2, .format = "npz"},
		.seed = 77, .folder = y->c.data_folder, .model = "unet3d",
		.scale = "1/32"};
	CU_ASSERT_EQUAL_FATAL(dataset_job_run(&y->job, &res, &e), 0);
}

static void yard_fini(struct yard *y)
{
	group_close(y->group);
	record_fini(&y->rec);
	ut_dir_remove(y->dir);
}

static int open_close(struct yard *y, bool fallback, struct err *e)
{
	int r = data_source_open(&y->d, &y->c, fallback, &y->rec, e);

	data_source_close(&y->d);
	return r;
}

static const char *file_of(struct yard *y, uint64_t i, char path[UT_PATH_MAX])
{
	CU_ASSERT_EQUAL_FATAL(dataset_file_path(&y->job.layout,
				      y->c.data_folder, i, path, UT_PATH_MAX),
		0);
	return path;
}

/* What the manifest knows better than the options is taken from it. */
static void test_open(void)
{
	char path[UT_PATH_MAX];
	struct store_file f;
	uint64_t size;
	struct yard y;
	struct err e;

	yard_init(&y, "/dev/shm");
	CU_ASSERT_EQUAL_FATAL(
		data_source_open(&y.d, &y.c, false, &y.rec, &e), 0);
	CU_ASSERT_TRUE(y.d.has_manifest);
	CU_ASSERT_EQUAL(y.c.datagen_ranks, 2);
	CU_ASSERT_EQUAL(y.c.seed, 77);
	CU_ASSERT_EQUAL(y.rec.note_count, 0);
	CU_ASSERT_EQUAL_FATAL(store_open(&y.d.store, 3, false, &f, &e), 0);
	size = ut_file_size(file_of(&y, 3, path));
	CU_ASSERT_EQUAL(f.size_bytes, size);
	store_close(&y.d.store, &f);
	data_source_close(&y.d);
	/* another tool's set has no manifest: read it all the same */
	CU_ASSERT_EQUAL(unlink(ut_join(path, y.c.data_folder, MANIFEST_NAME)),
		0);
	CU_ASSERT_EQUAL(open_close(&y, false, &e), 0);
	CU_ASSERT_FALSE(y.d.has_manifest);
	yard_fini(&y);
}

static void expect_refusal(struct yard *y, int code, enum err_kind kind,
	const char *a, const char *b)
{
	struct err e = {0};

	CU_ASSERT_EQUAL(open_close(y, false, &e), code);
	CU_ASSERT_EQUAL(e.kind, kind);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, a));
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, b));
}

static void test_other_set(void)
{
	struct manifest m;
	struct yard y;
	struct err e;

	yard_init(&y, "/dev/shm");
	y.c.files = 7;
	expect_refusal(&y, -EINVAL, ERR_USAGE,
		"holds 6 files of 200000 bytes on average (scale 1/32), the "
		"run asks for 7 of 200000",
		"--param dataset.num_files_train=6");
	yard_config(&y);
	y.c.record_bytes = 146600628;
	expect_refusal(&y, -EINVAL, ERR_USAGE, "the run asks for 6 of 1466",
		"--scale");
	/* 6 files of one sample are not 12 samples */
	yard_config(&y);
	y.c.samples_per_file = 2;
	expect_refusal(&y, -EINVAL, ERR_USAGE, "1 sample", "asks for 2");
	yard_config(&y);
	strcpy(y.c.format, "jpeg");
	expect_refusal(&y, -EINVAL, ERR_USAGE, "npz", "jpeg");

	yard_config(&y);
	CU_ASSERT_EQUAL_FATAL(manifest_load(y.c.data_folder, &m, &e), 0);
	m.complete = false;
	CU_ASSERT_EQUAL_FATAL(manifest_save(y.c.data_folder, &m, &e), 0);
	manifest_free(&m);
	expect_refusal(&y, -EINVAL, ERR_USAGE, "is not complete", "datagen");
	yard_fini(&y);
}

static void test_missing(void)
{
	char path[UT_PATH_MAX], junk[500] = {0};
	struct yard y;

	yard_init(&y, "/dev/shm");
	ut_file_write(file_of(&y, 4, path), "", 0);
	expect_refusal(&y, -ENODATA, ERR_IO, "img_4_of_6.npz is empty",
		"generate");
	CU_ASSERT_EQUAL(unlink(path), 0);
	expect_refusal(&y, -ENOENT, ERR_IO,
		"img_4_of_6.npz: No such file or directory",
		"dataset.num_files_train=6");
	CU_ASSERT_EQUAL(unlink(file_of(&y, 5, path)), 0);
	/* the last one is looked at before the others */
	expect_refusal(&y, -ENOENT, ERR_IO, "img_5_of_6.npz", "datagen");
	ut_file_write(file_of(&y, 4, path), "x", 1);
	ut_file_write(file_of(&y, 5, path), "x", 1);
	/* file 0 is there but no archive */
	ut_file_write(file_of(&y, 0, path), junk, sizeof(junk));
	expect_refusal(&y, -EBADMSG, ERR_IO, "img_0_of_6.npz", "");
	strcpy(y.c.data_dir, "/no/such/folder");
	expect_refusal(&y, -ENOENT, ERR_USAGE, "--data-dir /no/such/folder",
		"no such folder");
	yard_fini(&y);
}

static void test_verify_needs_content(void)
{
	char path[UT_PATH_MAX];
	struct yard y;

	yard_init(&y, "/dev/shm");
	y.c.verify = true;
	strcpy(y.c.drive, "constant:1GB/s");
	expect_refusal(&y, -EINVAL, ERR_USAGE, "--verify needs real files",
		"");
	y.c.drive[0] = 0;
	CU_ASSERT_EQUAL(unlink(ut_join(path, y.c.data_folder, MANIFEST_NAME)),
		0);
	expect_refusal(&y, -EINVAL, ERR_USAGE, "--verify needs the manifest",
		"has none");
	yard_fini(&y);
}

/* Without --verify the start of each sample is looked at, no more. */
static void test_start_is_checked(void)
{
	char path[UT_PATH_MAX];
	struct yard y;
	struct err e = {0};
	uint8_t head[4096] = {0};
	int fd;

	yard_init(&y, "/dev/shm");
	CU_ASSERT_EQUAL_FATAL(
		data_source_open(&y.d, &y.c, false, &y.rec, &e), 0);
	fd = open(file_of(&y, 2, path), O_RDONLY | O_CLOEXEC);
	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(pread(fd, head, 4096, 0), 4096);
	close(fd);
	CU_ASSERT_EQUAL(data_source_check(&y.d, 2, 0, head, 4096, &e), 0);
	head[1000] ^= 1;
	CU_ASSERT_EQUAL(data_source_check(&y.d, 2, 0, head, 4096, &e), 0);
	CU_ASSERT_EQUAL(data_source_check(&y.d, 2, 8192, head, 4096, &e), 0);
	memset(head, 0, 64);
	CU_ASSERT_EQUAL(
		data_source_check(&y.d, 2, 0, head, 4096, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "img_2_of_6.npz"));
	data_source_close(&y.d);
	/* a size that the manifest does not know */
	CU_ASSERT_EQUAL(truncate(path, 5000), 0);
	expect_refusal(&y, -EBADMSG, ERR_IO, "img_2_of_6.npz has 5000 bytes",
		"datagen");
	yard_fini(&y);
}

/* Read all files in pieces of an odd length and check each. */
static int check_all(struct yard *y, struct err *e)
{
	const size_t piece = 10007;
	char path[UT_PATH_MAX];
	uint8_t *buf = malloc(piece);
	uint64_t i, at;
	ssize_t n;
	int fd, r = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(buf);
	y->d.verified = 0;
	for (i = 0; !r && i < FILES; i++) {
		fd = open(file_of(y, i, path), O_RDONLY | O_CLOEXEC);
		CU_ASSERT_FATAL(fd >= 0);
		for (at = 0; !r; at += (uint64_t)n) {
			n = pread(fd, buf, piece, (off_t)at);
			if (n <= 0)
				break;
			r = data_source_check(
				&y->d, i, at, buf, (size_t)n, e);
		}
		close(fd);
	}
	free(buf);
	return r;
}

/* One bit of file 2 is other than generated: where, to the byte. */
static void test_verify_finds_flips(void)
{
	char path[UT_PATH_MAX], want[64];
	struct dataset_dims dims[FILES];
	uint64_t at[8], payload, size;
	struct yard y;
	struct err e = {0};
	size_t i;

	yard_init(&y, "/dev/shm");
	y.c.verify = true;
	CU_ASSERT_EQUAL_FATAL(
		data_source_open(&y.d, &y.c, false, &y.rec, &e), 0);
	CU_ASSERT_EQUAL(check_all(&y, &e), 0);
	CU_ASSERT_EQUAL(y.d.verified, FILES);
	CU_ASSERT_EQUAL(dataset_dims_all(&y.job.layout, dims, &e), 0);
	payload = (uint64_t)dims[2].d1 * dims[2].d2;
	size = ut_file_size(file_of(&y, 2, path));
	at[0] = 0; /* head */
	at[1] = 162;
	at[2] = 163; /* payload */
	at[3] = 10007;
	at[4] = 163 + payload / 2;
	at[5] = 163 + payload - 1;
	at[6] = 163 + payload; /* tail */
	at[7] = size - 1;
	for (i = 0; i < 8; i++) {
		ut_file_flip(path, at[i]);
		CU_ASSERT_EQUAL(check_all(&y, &e), -EBADMSG);
		CU_ASSERT_EQUAL(e.kind, ERR_IO);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "img_2_of_6.npz"));
		snprintf(want, sizeof(want), "generated at byte %llu",
			(unsigned long long)at[i]);
		CU_ASSERT_STRING_EQUAL(
			e.text + strlen(e.text) - strlen(want), want);
		ut_file_flip(path, at[i]);
	}
	CU_ASSERT_EQUAL(check_all(&y, &e), 0);
	/* a byte more than there should be */
	CU_ASSERT_EQUAL(truncate(path, (off_t)size + 1), 0);
	CU_ASSERT_EQUAL(check_all(&y, &e), -EBADMSG);
	data_source_close(&y.d);
	yard_fini(&y);
}

static void test_virtual(void)
{
	uint64_t total = 0, sum = 0, size, i;
	struct dataset_layout l;
	struct store_file f;
	struct record rec;
	struct yard y;
	struct err e;

	memset(&y, 0, sizeof(y));
	strcpy(y.dir, "/no/such/folder");
	yard_config(&y);
	strcpy(y.c.drive, "constant:1GB/s");
	record_init(&rec);
	CU_ASSERT_EQUAL_FATAL(
		data_source_open(&y.d, &y.c, false, &rec, &e), 0);
	for (i = 0; i < FILES; i++) {
		CU_ASSERT_EQUAL(store_stat(&y.d.store, i, &size), 0);
		CU_ASSERT_EQUAL(store_open(&y.d.store, i, true, &f, &e), 0);
		CU_ASSERT_EQUAL(f.size_bytes, size);
		sum += size;
	}
	data_source_layout(&y.c, &l);
	CU_ASSERT_EQUAL(l.ranks, 1);
	CU_ASSERT_EQUAL(data_source_total_bytes(&l, &total, &e), 0);
	CU_ASSERT_EQUAL(total, sum);
	data_source_close(&y.d);
	record_fini(&rec);
}

/*
 * mlcommons/storage#378: O_DIRECT asked for and refused is an error, or a note
 * if that was allowed; never silence. A ramfs refuses it.
 */
static void refused_on_ramfs(struct yard *y, const char *dir)
{
	char command[3 * UT_PATH_MAX];
	struct store_file f;
	struct err e = {0};

	/* generated elsewhere: a ramfs claims to have no space */
	snprintf(command, sizeof(command), "cp -r %s/unet3d %s/", y->dir, dir);
	CU_ASSERT_EQUAL_FATAL(system(command), 0);
	strcpy(y->c.data_dir, dir);
	snprintf(y->c.data_folder, sizeof(y->c.data_folder), "%s/unet3d", dir);
	y->c.odirect = true;
	expect_refusal(y, -EINVAL, ERR_ENV, "direct I/O refused on ",
		"(EINVAL); pass --buffered");
	CU_ASSERT_TRUE(y->c.odirect);
	CU_ASSERT_EQUAL(y->rec.note_count, 0);
	CU_ASSERT_EQUAL_FATAL(
		data_source_open(&y->d, &y->c, true, &y->rec, &e), 0);
	CU_ASSERT_FALSE(y->c.odirect);
	CU_ASSERT_EQUAL_FATAL(y->rec.note_count, 1);
	CU_ASSERT_STRING_EQUAL(y->rec.notes[0].id, "direct");
	CU_ASSERT_PTR_NOT_NULL(strstr(y->rec.notes[0].text,
		"reading through the page cache instead"));
	/* writing refuses too, and leaves no empty file behind */
	CU_ASSERT_EQUAL(
		store_create(&y->d.store, 1, 100, true, &f, &e), -EINVAL);
	CU_ASSERT_EQUAL(e.kind, ERR_ENV);
	CU_ASSERT_EQUAL(ut_files_ending(dir, ".part"), 0);
	data_source_close(&y->d);
}

static void test_C15_direct_refused(void)
{
	char dir[UT_PATH_MAX], path[UT_PATH_MAX];
	struct yard y;
	int fd;

	ut_dir_make(dir, "/tmp");
	if (mount("none", dir, "ramfs", 0, NULL)) {
		ut_skip("data_source/test_C15_direct_refused",
			"no right to mount a ramfs");
		ut_dir_remove(dir);
		return;
	}
	fd = open(ut_join(path, dir, "probe"),
		O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		ut_skip("data_source/test_C15_direct_refused",
			"this kernel's ramfs takes O_DIRECT");
	} else {
		yard_init(&y, "/dev/shm");
		refused_on_ramfs(&y, dir);
		yard_fini(&y);
	}
	CU_ASSERT_EQUAL(umount(dir), 0);
	ut_dir_remove(dir);
}

/* A disk takes it, and then the files are opened so. */
static void test_direct(void)
{
	struct yard y;
	struct err e = {0};

	yard_init(&y, "/tmp");
	y.c.odirect = true;
	CU_ASSERT_EQUAL(open_close(&y, false, &e), 0);
	CU_ASSERT_TRUE(y.c.odirect);
	yard_fini(&y);
}

UT_SUITE(data_source, UT_CASE(test_open), UT_CASE(test_other_set),
	UT_CASE(test_missing), UT_CASE(test_start_is_checked),
	UT_CASE(test_verify_needs_content),
	UT_CASE(test_verify_finds_flips), UT_CASE(test_virtual),
	UT_CASE(test_C15_direct_refused), UT_CASE(test_direct))
