/*
 * Sizes of checkpoints. The figures are those of the benchmark's own size and
 * naming class, executed for every rank of every model.
 */
#include "core/ckpt_shape.h"

#include "core/file.h"
#include "core/units.h"
#include "tests/unit/ut.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ckpt_shape shape_of(
	const char *model, uint64_t ranks, enum ckpt_mode mode)
{
	struct ckpt_model m;
	struct ckpt_shape s;
	struct err e = {0};

	CU_ASSERT_EQUAL_FATAL(ckpt_model_load(NULL, model, &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		ckpt_shape_init(&s, &m, ranks ? ranks : m.closed_ranks, mode, 1,
			1, &e), 0);
	return s;
}

static uint64_t total(const char *model, uint64_t ranks)
{
	struct ckpt_shape s = shape_of(model, ranks, CKPT_AUTO);
	struct ckpt_totals t;

	ckpt_totals(&s, &t);
	return t.bytes;
}

/*
 * 8b by hand: h = 4096/32 = 128, k = 1024; a block has 2 x 4096 + 4096 x 6144
 * + 4096 x 4096 + 3 x 4096 x 14336 = 218,112,000 parameters; N = 2 x 128256 x
 * 4096 + 4096 + 32 blocks; g = N/8; a shard's block 512 + 3145728 + 2097152 +
 * 512 + 14680064 + 7340032 = 27,264,000, its embedding and head 65,667,072
 * each, its norm 512 elements of 2 bytes.
 */
static void test_worked_example(void)
{
	struct ckpt_shape s = shape_of("llama3-8b", 8, CKPT_AUTO);
	struct ckpt_bytes b;
	struct ckpt_totals t;

	CU_ASSERT_EQUAL(s.parameters,
		2ULL * 128256 * 4096 + 4096 + 32ULL * 218112000);
	CU_ASSERT_EQUAL(s.parameters, 8030261248ULL);
	CU_ASSERT_EQUAL(s.group_elements, 1003782656ULL);
	ckpt_rank_bytes(&s, 5, &b);
	CU_ASSERT_EQUAL(b.optimizer, 4 * (3 * 1003782656ULL + 61440));
	CU_ASSERT_EQUAL(b.optimizer, 12045637632ULL);
	CU_ASSERT_EQUAL(
		b.model, 2 * (2ULL * 65667072 + 32ULL * 27264000 + 512));
	CU_ASSERT_EQUAL(b.model, 2007565312ULL);
	ckpt_totals(&s, &t);
	CU_ASSERT_EQUAL(t.bytes, 14053202944ULL * 8);
	CU_ASSERT_EQUAL(t.bytes, 112425623552ULL);
}

static void test_table(void)
{
	static const struct {
		const char *model;
		uint64_t ranks, data, parameters, group, optimizer;
		uint64_t model_sum, optimizer_sum, bytes, files;
		const char *gib;
	} t[] = {
		{"llama3-8b", 8, 8, 8030261248, 1003782656, 12045637632,
			16060522496, 96365101056, 112425623552, 16,
			"104.704521"},
		{"llama3-70b", 64, 8, 69882617856, 1091915904, 13103482368,
			139783700480, 838622871552, 978406572032, 128,
			"911.212128"},
		{"llama3-405b", 512, 2, 405853388800, 792682400, 9513171840,
			811764809728, 4870743982080, 5682508791808, 1544,
			"5292.248718"},
		{"llama3-1t", 1024, 2, 1183035102480, 1155307717, 13865244924,
			2366163292416, 14198010802176, 16564174094592, 2072,
			"15426.589264"},
	};
	struct ckpt_totals sum;
	struct ckpt_bytes b;
	char gib[32];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ckpt_shape s = shape_of(t[i].model, 0, CKPT_AUTO);

		ckpt_totals(&s, &sum);
		ckpt_rank_bytes(&s, t[i].ranks - 1, &b);
		CU_ASSERT_EQUAL(s.ranks, t[i].ranks);
		CU_ASSERT_EQUAL(s.data, t[i].data);
		CU_ASSERT_EQUAL(s.parameters, t[i].parameters);
		CU_ASSERT_EQUAL(s.group_elements, t[i].group);
		CU_ASSERT_EQUAL(b.optimizer, t[i].optimizer);
		CU_ASSERT_EQUAL(sum.sum.model, t[i].model_sum);
		CU_ASSERT_EQUAL(sum.sum.optimizer, t[i].optimizer_sum);
		CU_ASSERT_EQUAL(sum.bytes, t[i].bytes);
		CU_ASSERT_EQUAL(sum.sum.files, t[i].files);
		snprintf(gib, sizeof(gib), "%.6f",
			(double)sum.bytes / (double)GIB_BYTES);
		CU_ASSERT_STRING_EQUAL(gib, t[i].gib);
	}
}

/* Per stage, of each tensor rank with dp = 0. */
static void test_stages(void)
{
	static const struct {
		const char *model;
		uint64_t stage, first, blocks;
		uint32_t files;
		uint64_t model_bytes, sum;
	} t[] = {
		{"llama3-405b", 0, 1, 4, 5, 3713269760, 13226441600},
		{"llama3-405b", 1, 5, 4, 4, 3187933184, 12701105024},
		{"llama3-405b", 29, 117, 4, 4, 3187933184, 12701105024},
		{"llama3-405b", 30, 121, 3, 3, 2390949888, 11904121728},
		{"llama3-405b", 31, 124, 3, 5, 2916319232, 12429491072},
		{"llama3-1t", 0, 1, 2, 3, 5425047936, 19290292860},
		{"llama3-1t", 1, 3, 2, 2, 4595488128, 18460733052},
		{"llama3-1t", 62, 125, 2, 2, 4595488128, 18460733052},
		{"llama3-1t", 63, 127, 2, 4, 5425099680, 19290344604},
	};
	uint64_t first, count, rank, tp;
	struct ckpt_bytes b;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ckpt_shape s = shape_of(t[i].model, 0, CKPT_AUTO);

		ckpt_stage_blocks(&s, t[i].stage, &first, &count);
		CU_ASSERT_EQUAL(first, t[i].first);
		CU_ASSERT_EQUAL(count, t[i].blocks);
		for (tp = 0; tp < 8; tp++) {
			rank = t[i].stage * 8 + tp;
			CU_ASSERT_EQUAL(
				ckpt_rank_files(&s, rank), t[i].files + 1);
			ckpt_rank_bytes(&s, rank, &b);
			CU_ASSERT_EQUAL(b.model, t[i].model_bytes);
			CU_ASSERT_EQUAL(b.model + b.optimizer, t[i].sum);
			/* dp = 1: the optimizer alone */
			rank += s.model.tensor * s.model.pipeline;
			CU_ASSERT_EQUAL(ckpt_rank_files(&s, rank), 1);
		}
	}
}

static void test_single_layers_and_names(void)
{
	static const struct {
		const char *model;
		uint64_t rank;
		uint32_t file;
		uint64_t bytes;
		const char *name;
	} t[] = {
		{"llama3-405b", 0, 0, 525336576,
			"layer_0-model_0_model_states.pt"},
		{"llama3-405b", 3, 1, 796983296,
			"layer_1-model_3_model_states.pt"},
		{"llama3-405b", 255, 3, 525336576,
			"layer_127-model_255_model_states.pt"},
		{"llama3-405b", 255, 4, 32768,
			"layer_128-model_255_model_states.pt"},
		{"llama3-405b", 255, 5, 9513171840,
			"zero_pp_rank_0_mp_rank_255_optim_states.pt"},
		{"llama3-405b", 256, 0, 9513171840,
			"zero_pp_rank_1_mp_rank_0_optim_states.pt"},
		{"llama3-1t", 8, 0, 2297744064,
			"layer_3-model_8_model_states.pt"},
		{"llama3-1t", 511, 3, 51744,
			"layer_130-model_511_model_states.pt"},
		{"llama3-1t", 0, 0, 829559808,
			"layer_0-model_0_model_states.pt"},
		{"llama3-8b", 5, 0, 2007565312,
			"zero_pp_rank_5_mp_rank_0_model_states.pt"},
		{"llama3-70b", 11, 0, 2184120320,
			"zero_pp_rank_1_mp_rank_3_model_states.pt"},
		{"llama3-70b", 11, 1, 13103482368,
			"zero_pp_rank_1_mp_rank_3_optim_states.pt"},
	};
	char name[CKPT_FILE_NAME_MAX];
	struct ckpt_file f;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ckpt_shape s = shape_of(t[i].model, 0, CKPT_AUTO);

		ckpt_rank_file(&s, t[i].rank, t[i].file, &f);
		CU_ASSERT_EQUAL(f.bytes, t[i].bytes);
		CU_ASSERT_STRING_EQUAL(
			ckpt_file_name(&s, t[i].rank, &f, name), t[i].name);
	}
}

/* No two ranks of the largest model write a file of the same name. */
static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void test_names_are_unique(void)
{
	struct ckpt_shape s = shape_of("llama3-1t", 0, CKPT_AUTO);
	char(*names)[CKPT_FILE_NAME_MAX] = calloc(4096, sizeof(*names));
	struct ckpt_file f;
	size_t n = 0, i;
	uint64_t r;
	uint32_t k;

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	for (r = 0; r < s.ranks; r++)
		for (k = 0; k < ckpt_rank_files(&s, r) && n < 4096; k++) {
			ckpt_rank_file(&s, r, k, &f);
			ckpt_file_name(&s, r, &f, names[n++]);
		}
	CU_ASSERT_EQUAL(n, 2072);
	qsort(names, n, sizeof(*names), by_text);
	for (i = 1; i < n; i++)
		CU_ASSERT_STRING_NOT_EQUAL(names[i - 1], names[i]);
	free(names);
}

/* More ranks change only floors and the 60 H bytes of each. */
static void test_open_rank_counts(void)
{
	static const struct {
		const char *model;
		uint64_t ranks;
		const char *gib;
	} t[] = {{"llama3-8b", 16, "104.7064"}, {"llama3-70b", 128, "911.2414"},
		{"llama3-405b", 1024, "5292.7175"},
		{"llama3-1t", 2048, "15428.0697"}};
	char gib[32];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(gib, sizeof(gib), "%.4f",
			(double)total(t[i].model, t[i].ranks) /
				(double)GIB_BYTES);
		CU_ASSERT_STRING_EQUAL(gib, t[i].gib);
	}
}

/* C33: the shards keep their full size; the disk of ten is ten times this. */
static void test_C33_subsets_of_8_ranks(void)
{
	static const struct {
		const char *model, *gib;
	} t[] = {{"llama3-8b", "104.70"}, {"llama3-70b", "113.90"},
		{"llama3-405b", "98.54"}, {"llama3-1t", "143.72"}};
	char gib[32];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(gib, sizeof(gib), "%.2f",
			(double)total(t[i].model, 8) / (double)GIB_BYTES);
		CU_ASSERT_STRING_EQUAL(gib, t[i].gib);
	}
	/* 70b whole on 8 ranks is another thing: D = 1 */
	CU_ASSERT_EQUAL(shape_of("llama3-70b", 8, CKPT_DEFAULT).data, 1);
}

static void test_core_hashes(void)
{
	static const char *const t[][2] = {{"llama3-8b", "68df04b7240e3fb0"},
		{"llama3-70b", "3c53fe70d64f91d4"},
		{"llama3-405b", "7adcfa87a5c4c8e6"},
		{"llama3-1t", "45fd627ad9dc5f4c"}};
	struct ckpt_model m;
	struct err e;
	size_t i;

	for (i = 0; i < 4; i++) {
		CU_ASSERT_EQUAL(ckpt_model_load(NULL, t[i][0], &m, &e), 0);
		CU_ASSERT_STRING_EQUAL(m.core_hash, t[i][1]);
	}
}

static void test_refusals(void)
{
	struct ckpt_model m;
	struct ckpt_shape s;
	struct err e;

	CU_ASSERT_EQUAL(ckpt_model_load(NULL, "llama3-9b", &m, &e), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "llama3-405b"));
	CU_ASSERT_EQUAL_FATAL(
		ckpt_model_load(NULL, "llama3-405b", &m, &e), 0);
	/* 51 hosts x 8 ranks: mlcommons/storage#792 */
	CU_ASSERT_EQUAL(ckpt_shape_init(&s, &m, 408, CKPT_DEFAULT, 1, 1, &e),
		-EINVAL);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "256 or 512"));
	CU_ASSERT_EQUAL(ckpt_shape_init(&s, &m, 520, CKPT_SUBSET, 1, 1, &e),
		-EINVAL);
	CU_ASSERT_EQUAL(
		ckpt_shape_init(&s, &m, 0, CKPT_AUTO, 1, 1, &e), -EINVAL);
}

#define USER(zero, pipeline)                                                   \
	"{\"name\":\"mine\",\"parameters\":{\"model\":{\"name\":\"m\","        \
	"\"type\":\"transformer\",\"model_datatype\":\"bf16\","                \
	"\"optimizer_datatype\":\"fp32\",\"num_layers\":3,\"parallelism\":{"   \
	"\"tensor\":2,\"pipeline\":" pipeline ",\"zero_stage\":" zero "},"     \
	"\"transformer\":{\"vocab_size\":100,\"hidden_size\":8,"               \
	"\"ffn_hidden_size\":16,\"num_attention_heads\":4,"                    \
	"\"num_kv_heads\":2}},\"checkpoint\":{}}}"

static int load_user(const char *text, struct ckpt_model *m, struct err *e)
{
	char dir[] = "/tmp/ut-ckpt-XXXXXX", path[64];
	int r;

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/models", dir);
	file_mkdirs(path, NULL);
	snprintf(path, sizeof(path), "%s/models/mine.json", dir);
	file_write_atomic(path, text, strlen(text), NULL);
	r = ckpt_model_load(dir, "mine", m, e);
	file_remove_tree(dir, NULL);
	return r;
}

/*
 * h = 2, k = 4, N = 2 x 100 x 8 + 8 + 3 (16 + 8 x 16 + 64 + 3 x 8 x 16) =
 * 1608 + 3 x 592 = 3384. T = 2, P = 1, ZeRO-1, 4 ranks: D = 2, g = 846, a
 * rank's optimizer 4 (3 x 846 + 120) = 10632; its model, dp = 0: 2 bytes x
 * (400 + 400 + 8 + 3 (8 + 64 + 32 + 8 + 128 + 64)) = 2 x 1720.
 */
static void test_users_model(void)
{
	struct ckpt_shape s;
	struct ckpt_model m;
	struct ckpt_totals t;
	struct ckpt_file f;
	char name[CKPT_FILE_NAME_MAX];
	struct err e;

	CU_ASSERT_EQUAL_FATAL(load_user(USER("1", "1"), &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		ckpt_shape_init(&s, &m, 4, CKPT_AUTO, 1, 1, &e), 0);
	CU_ASSERT_EQUAL(s.parameters, 3384);
	ckpt_totals(&s, &t);
	CU_ASSERT_EQUAL(t.sum.optimizer, 4 * 10632);
	CU_ASSERT_EQUAL(t.sum.model, 2 * 2 * 1720);
	CU_ASSERT_EQUAL(t.sum.files, 6);
	ckpt_rank_file(&s, 1, 0, &f);
	CU_ASSERT_STRING_EQUAL(
		ckpt_file_name(&s, 1, &f, name), "model_1_model_states.pt");
	CU_ASSERT_EQUAL(load_user(USER("3", "2"), &m, &e), -EINVAL);
	CU_ASSERT_EQUAL(load_user(USER("0", "1"), &m, &e), -ERANGE);
	CU_ASSERT_EQUAL(load_user(USER("1", "4"), &m, &e), -EINVAL);
}

/* 1/64 of every file; none gets empty. */
static void test_scale(void)
{
	struct ckpt_model m;
	struct ckpt_shape s;
	struct ckpt_bytes b;
	struct err e;

	CU_ASSERT_EQUAL_FATAL(ckpt_model_load(NULL, "llama3-8b", &m, &e), 0);
	CU_ASSERT_EQUAL_FATAL(
		ckpt_shape_init(&s, &m, 8, CKPT_AUTO, 1, 64, &e), 0);
	ckpt_rank_bytes(&s, 0, &b);
	CU_ASSERT_EQUAL(b.model, 2007565312 / 64);
	CU_ASSERT_EQUAL(b.optimizer, 12045637632 / 64);
	CU_ASSERT_EQUAL_FATAL(
		ckpt_shape_init(&s, &m, 8, CKPT_AUTO, 1, UINT32_MAX, &e), 0);
	ckpt_rank_bytes(&s, 0, &b);
	CU_ASSERT_EQUAL(b.model, 1);
}

UT_SUITE(ckpt_shape, UT_CASE(test_worked_example), UT_CASE(test_table),
	UT_CASE(test_stages), UT_CASE(test_single_layers_and_names),
	UT_CASE(test_names_are_unique), UT_CASE(test_open_rank_counts),
	UT_CASE(test_C33_subsets_of_8_ranks), UT_CASE(test_core_hashes),
	UT_CASE(test_refusals), UT_CASE(test_users_model), UT_CASE(test_scale))
