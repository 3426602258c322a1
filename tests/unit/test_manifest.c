/* The manifest: there and back, damaged, and compared. */
#include "datagen/manifest.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
	strcpy(folder, "/tmp/stoker-test-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
}

static const char *path(const char *suffix)
{
	static char buf[128];

	snprintf(buf, sizeof(buf), "%s/" MANIFEST_NAME "%s", folder, suffix);
	return buf;
}

static void drop_folder(void)
{
	unlink(path(""));
	CU_ASSERT_EQUAL(rmdir(folder), 0); /* nothing else was left */
}

static struct manifest sample(uint64_t *file_bytes, uint32_t *crc)
{
	return (struct manifest){
		.layout = {3, 0, 1, 146600628, 68341808.5, 2, "npz"},
		.kind = CONTENT_UNIQUE,
		.seed = UINT64_MAX - 1,
		.complete = true,
		.model = "unet3d",
		.scale = "1/32",
		.total_bytes = 5000000009,
		.file_bytes = file_bytes,
		.file_crc32 = crc,
	};
}

static void test_round_trip(void)
{
	uint64_t sizes[] = {4000000000, 1000000000, 9};
	uint32_t crc[] = {0, UINT32_MAX, 3000000000};
	struct manifest m = sample(sizes, crc), in;
	char why[200];
	struct err e;

	make_folder();
	CU_ASSERT_EQUAL(manifest_load(folder, &in, &e), -ENOENT);
	CU_ASSERT_PTR_NULL(in.file_bytes);
	CU_ASSERT_EQUAL_FATAL(manifest_save(folder, &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(manifest_load(folder, &in, &e), 0);
	CU_ASSERT_TRUE(manifest_same_set(&m, &in, why, sizeof(why)));
	CU_ASSERT_EQUAL(in.seed, UINT64_MAX - 1);
	CU_ASSERT_EQUAL(in.layout.record_stdev_bytes, 68341808.5);
	CU_ASSERT_EQUAL(in.layout.ranks, 2);
	CU_ASSERT_STRING_EQUAL(in.layout.format, "npz");
	CU_ASSERT_STRING_EQUAL(in.model, "unet3d");
	CU_ASSERT_STRING_EQUAL(in.scale, "1/32");
	CU_ASSERT_TRUE(in.complete);
	CU_ASSERT_EQUAL(in.total_bytes, 5000000009);
	CU_ASSERT_EQUAL(memcmp(in.file_bytes, sizes, sizeof(sizes)), 0);
	CU_ASSERT_EQUAL(memcmp(in.file_crc32, crc, sizeof(crc)), 0);
	manifest_free(&in);
	CU_ASSERT_PTR_NULL(in.file_crc32);

	/* At the start of a generation: no sizes, no CRCs; it replaces. */
	m.complete = false;
	m.kind = CONTENT_REFERENCE;
	m.file_bytes = NULL;
	m.file_crc32 = NULL;
	CU_ASSERT_EQUAL_FATAL(manifest_save(folder, &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(manifest_load(folder, &in, &e), 0);
	CU_ASSERT_FALSE(in.complete);
	CU_ASSERT_EQUAL(in.kind, CONTENT_REFERENCE);
	CU_ASSERT_PTR_NULL(in.file_bytes);
	CU_ASSERT_PTR_NULL(in.file_crc32);
	manifest_free(&in);
	drop_folder();
}

static void test_save_fails(void)
{
	uint64_t sizes[] = {1, 2, 3};
	struct manifest m = sample(sizes, NULL);
	struct err e;

	make_folder();
	CU_ASSERT_EQUAL(manifest_save(folder, &m, &e), -EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "add up to 6"));
	m.total_bytes = 6;
	CU_ASSERT_EQUAL(manifest_save("/nonexistent", &m, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "/nonexistent/"));
	m.file_bytes = NULL;
	CU_ASSERT_EQUAL(manifest_save(folder, &m, &e), -EINVAL);
	drop_folder();
}

#define LAYOUT                                                                 \
	"{\"format\":\"npz\",\"files\":2,\"subfolders\":0,"                    \
	"\"samples_per_file\":1,\"record_bytes\":100,"                         \
	"\"record_stdev_bytes\":0,\"datagen_ranks\":1}"
#define HEAD                                                                   \
	"{\"stoker_manifest\":1,\"model\":\"m\",\"scale\":\"1\","              \
	"\"complete\":true,\"content\":\"unique\","
#define GOOD                                                                   \
	HEAD "\"seed\":\"42\",\"layout\":" LAYOUT                              \
	     ",\"total_bytes\":30,\"file_bytes\":[10,20],"                     \
	     "\"file_crc32\":[1,4294967295]}"

/* GOOD with the first `from` replaced must be refused, naming `word`. */
static void expect_bad(const char *from, const char *to, const char *word)
{
	static const char good[] = GOOD;
	const char *at = strstr(good, from);
	struct manifest m;
	struct err e = {0};
	int rc;
	FILE *f;

	CU_ASSERT_PTR_NOT_NULL_FATAL(at);
	f = fopen(path(""), "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	fclose(f);
	rc = manifest_load(folder, &m, &e);
	if (!word) {
		CU_ASSERT_EQUAL(rc, 0);
	} else {
		CU_ASSERT_EQUAL(rc, -EBADMSG);
		CU_ASSERT_EQUAL(e.kind, ERR_IO);
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, folder));
		CU_ASSERT_PTR_NOT_NULL(strstr(e.text, word));
		if (!strstr(e.text, word))
			printf("wanted '%s' in: %s\n", word, e.text);
		CU_ASSERT_PTR_NULL(m.file_bytes);
	}
	manifest_free(&m);
}

static void test_damaged(void)
{
	static const char *const all[][3] = {
		{"}", "} ", NULL},
		{"{", "", "not JSON"},
		{"]}", "]} x", "not JSON"},
		{"{", "[{", "not JSON"},
		{":1,\"model", ":2,\"model", "version 1"},
		{"\"model\"", "\"modell\"", "'modell' is not a known key"},
		{"\"scale\"", "\"model\"", "'model' is not there only once"},
		{"\"m\"", "7", "'model' is not a text"},
		{"\"m\"",
			"\"0123456789012345678901234567890123456789"
			"012345678901234567890123456789\"",
			"too long"},
		{"true", "1", "'complete'"},
		{"unique", "random", "'content'"},
		{"\"42\"", "42", "'seed'"},
		{"\"42\"", "\"42\",\"compress_ratio\":2.5", NULL},
		{"\"42\"", "\"42\",\"dedup_ratio\":100", NULL},
		{"\"42\"", "\"42\",\"dedup_ratio\":100.5", "'dedup_ratio'"},
		{"\"42\"", "\"42\",\"dedup_ratio\":\"2\"", "'dedup_ratio'"},
		{"\"42\"", "\"42\",\"compress_ratio\":1", "above 1"},
		{"\"42\"", "\"42\",\"compress_ratio\":-2", "above 1"},
		{"\"unique\",\"seed\":\"42\"",
			"\"reference\",\"seed\":\"42\",\"dedup_ratio\":2",
			"for unique content"},
		{"\"42\"", "\"-1\"", "'seed'"},
		{"\"42\"", "\"18446744073709551616\"", "'seed'"},
		{LAYOUT, "[]", "'layout' is not an object"},
		{"\"files\":2", "\"files\":-2", "'files'"},
		{"\"files\":2", "\"files\":2.5", "'files'"},
		{"\"files\":2", "\"files\":1e300", "'files'"},
		{"\"files\":2", "\"files\":0", "number of files is 0"},
		{"\"files\":2", "\"files\":3", "'file_bytes'"},
		{"\"format\":\"npz\"", "\"format\":\"hdf\"", "'hdf'"},
		{"stdev_bytes\":0", "stdev_bytes\":-1", "deviation"},
		{"stdev_bytes\":0", "stdev_bytes\":\"0\"", "a number"},
		{"\"total_bytes\":30", "\"total_bytes\":31", "total_bytes"},
		{"[10,20]", "[10,20,0]", "as long as"},
		{"[10,20]", "[10,\"20\"]", "'file_bytes'"},
		{"[10,20]", "30", "'file_bytes' is not an array"},
		{"\"file_bytes\":[10,20],", "", "'file_bytes' is not there"},
		{"4294967295", "4294967296", "'file_crc32'"},
		{",\"file_crc32\":[1,4294967295]", "", NULL},
	};
	size_t i;

	make_folder();
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		expect_bad(all[i][0], all[i][1], all[i][2]);
	drop_folder();
}

static void test_same_set(void)
{
	const struct manifest a = sample(NULL, NULL);
	struct manifest b = a;
	char why[200] = "";

	/* Names for people, progress and CRCs do not matter. */
	strcpy(b.model, "other");
	strcpy(b.scale, "1");
	b.complete = false;
	b.layout.subfolders = 1;
	CU_ASSERT_TRUE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.layout.files = 4;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "number of files: 3, not 4");
	b = a, b.layout.subfolders = 2;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.layout.samples_per_file = 2;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.layout.record_bytes++;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.layout.record_stdev_bytes = 0;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, strcpy(b.layout.format, "jpeg");
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "format: npz, not jpeg");
	b = a, b.kind = CONTENT_REFERENCE;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.seed--;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.ratios.compress_milli = CONTENT_RATIO_ONE;
	CU_ASSERT_TRUE(manifest_same_set(&a, &b, why, sizeof(why)));
	b.ratios.compress_milli = 2500;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(
		why, "compress ratio in thousandths: 1000, not 2500");
	b = a, b.ratios.dedup_milli = 1001;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	b = a, b.layout.ranks = 1;
	CU_ASSERT_FALSE(manifest_same_set(&a, &b, why, sizeof(why)));
	CU_ASSERT_STRING_EQUAL(why, "number of generating processes: 2, not 1");
}

/* What decides no byte may differ. */
static void test_same_set_ignores(void)
{
	struct manifest a = sample(NULL, NULL), b;
	char why[200];

	a.layout.record_stdev_bytes = 0;
	b = a, b.layout.ranks = 7;
	CU_ASSERT_TRUE(manifest_same_set(&a, &b, why, sizeof(why)));
	a.kind = b.kind = CONTENT_REFERENCE;
	b.seed = 1;
	CU_ASSERT_TRUE(manifest_same_set(&a, &b, why, sizeof(why)));
}

UT_SUITE(manifest, UT_CASE(test_round_trip), UT_CASE(test_save_fails),
	UT_CASE(test_damaged), UT_CASE(test_same_set),
	UT_CASE(test_same_set_ignores))
