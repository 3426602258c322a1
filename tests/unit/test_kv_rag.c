/* Documents of the KV cache workload: sizes, cuts, and which chunks are read. */
#include "datagen/kv_rag.h"

#include "core/units.h"
#include "tests/unit/ut.h"

#include <string.h>

#define DOCUMENTS 20000
#define DRAWS 400000

static struct kv_workload w;

static void load(const char *model, struct kv_model *m)
{
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		kv_workload_load(NULL, KV_WORKLOAD_DEFAULT, &w, &e), 0);
	CU_ASSERT_EQUAL_FATAL(kv_model_load(NULL, model, m, &e), 0);
}

/*
 * 4,000 to 12,000 tokens; 1,024 to 4,096 where hidden >= 8192 (llama3.1-70b)
 * or layers >= 64 (qwen3-32b has 64 x 5120); both ends are drawn, the mean is
 * that of a uniform range: its standard error is (b - a) / sqrt(12 n).
 */
static void test_documents(void)
{
	static const struct {
		const char *model;
		uint32_t least, most;
	} t[] = {
		{"llama3.1-8b", 4000, 12000}, {"tiny-1b", 4000, 12000},
		{"deepseek-v3", 4000, 12000}, /* 61 x 7168 */
		{"llama3.1-70b-instruct", 1024, 4096},
		{"qwen3-32b", 1024, 4096},
	};
	static struct kv_document d[DOCUMENTS];
	uint32_t k, i, least, most, chunk, all;
	struct kv_model m;
	double sum, mean;
	size_t j;

	for (j = 0; j < sizeof(t) / sizeof(t[0]); j++) {
		load(t[j].model, &m);
		chunk = kv_chunk_tokens(&w.rag, &m);
		CU_ASSERT_EQUAL(chunk, 512);
		kv_documents_make(&w.rag, &m, 42, DOCUMENTS, d);
		least = UINT32_MAX;
		most = 0;
		sum = 0;
		for (k = 0; k < DOCUMENTS; k++) {
			least = d[k].tokens < least ? d[k].tokens : least;
			most = d[k].tokens > most ? d[k].tokens : most;
			sum += d[k].tokens;
			for (i = 0, all = 0; i < d[k].chunks; i++) {
				chunk = kv_document_chunk(&d[k], 512, i);
				CU_ASSERT(chunk >= 1 && chunk <= 512);
				all += chunk;
			}
			CU_ASSERT_EQUAL(all, d[k].tokens);
		}
		CU_ASSERT(least >= t[j].least && least < t[j].least + 10);
		CU_ASSERT(most <= t[j].most && most > t[j].most - 10);
		mean = (t[j].least + t[j].most) / 2.0;
		/* four standard errors of 8,000 wide ranges are 65 tokens */
		CU_ASSERT_DOUBLE_EQUAL(sum / DOCUMENTS, mean, 65);
	}
}

/* 256 MiB at most: at 1 MiB a token 256 of them, at 300 MiB one. */
static void test_large_chunks(void)
{
	struct kv_document d;
	struct kv_model m;

	load("llama2-7b", &m);
	/* 512 x 524,288 bytes are 256 MiB to the byte */
	CU_ASSERT_EQUAL(kv_chunk_tokens(&w.rag, &m), 512);
	m.token_bytes = 524288 + 1;
	CU_ASSERT_EQUAL(kv_chunk_tokens(&w.rag, &m), 511);
	m.token_bytes = MIB_BYTES;
	CU_ASSERT_EQUAL(kv_chunk_tokens(&w.rag, &m), 256);
	m.token_bytes = 300 * MIB_BYTES;
	CU_ASSERT_EQUAL(kv_chunk_tokens(&w.rag, &m), 1);
	kv_documents_make(&w.rag, &m, 42, 1, &d);
	CU_ASSERT_EQUAL(d.chunks, d.tokens);
}

/*
 * Two of three chunks, weights 1, 1/2, 1/3 (6/11, 3/11, 2/11). The second one
 * is drawn from what is left, so chunk i is among them with
 * p_i + sum over j != i of p_j p_i / (1 - p_j):
 *	0: 6/11 + 3/11 * 6/8 + 2/11 * 6/9 = 0.871212
 *	1: 3/11 + 6/11 * 3/5 + 2/11 * 3/9 = 0.660606
 *	2: 2/11 + 6/11 * 2/5 + 3/11 * 2/8 = 0.468182	(all: 2)
 */
static void test_pick(void)
{
	static const double first[] = {6.0 / 11, 3.0 / 11, 2.0 / 11},
			    among[] = {0.871212, 0.660606, 0.468182};
	uint32_t v[KV_RAG_CHUNKS_READ_MAX], n1[3] = {0}, n2[3] = {0}, i;
	struct rng_xo r;

	rng_xo_seed(&r, 7);
	for (i = 0; i < DRAWS; i++) {
		CU_ASSERT_EQUAL_FATAL(kv_chunks_pick(&r, 3, 2, v), 2);
		CU_ASSERT_FATAL(v[0] < 3 && v[1] < 3 && v[0] != v[1]);
		n1[v[0]]++;
		n2[v[0]]++;
		n2[v[1]]++;
	}
	/* standard error sqrt(0.25 / 400,000) = 0.0008 */
	for (i = 0; i < 3; i++) {
		CU_ASSERT_DOUBLE_EQUAL(n1[i] / (double)DRAWS, first[i], 0.004);
		CU_ASSERT_DOUBLE_EQUAL(n2[i] / (double)DRAWS, among[i], 0.004);
	}
	/* fewer than asked for: all of them, each once */
	CU_ASSERT_EQUAL(kv_chunks_pick(&r, 2, 5, v), 2);
	CU_ASSERT_EQUAL(v[0] + v[1], 1);
	CU_ASSERT_EQUAL(kv_chunks_pick(&r, 1, 5, v), 1);
	CU_ASSERT_EQUAL(v[0], 0);
}

UT_SUITE(kv_rag, UT_CASE(test_documents), UT_CASE(test_large_chunks),
	UT_CASE(test_pick))
