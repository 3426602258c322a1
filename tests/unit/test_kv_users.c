/*
 * The generator against the vectors of the reference (users of seed 42 and 43,
 * sums and class counts), and the distributions that follow from its rules.
 */
#include "core/kv_model.h"
#include "core/kv_workload.h"
#include "core/units.h"
#include "datagen/kv_users.h"
#include "tests/unit/ut.h"

#include <math.h>
#include <string.h>

static struct kv_workload w;

static void load(void)
{
	struct err e;

	CU_ASSERT_EQUAL_FATAL(
		kv_workload_load(NULL, KV_WORKLOAD_DEFAULT, &w, &e), 0);
}

/* random.seed(42): getrandbits(32) three times, then random(), in CPython. */
static void test_python_random(void)
{
	struct rng_mt r;

	rng_mt_py_seed(&r, 42);
	CU_ASSERT_EQUAL(rng_mt_double(&r), 0.6394267984578837);
	CU_ASSERT_EQUAL(rng_mt_double(&r), 0.025010755222666936);
	/* two words of key */
	rng_mt_py_seed(&r, 1ULL << 40 | 7);
	CU_ASSERT(rng_mt_py_uniform(&r, 3, 4) >= 3);
	CU_ASSERT_EQUAL(rng_mt_py_below(&r, 1), 0);
	CU_ASSERT_EQUAL(rng_mt_py_int(&r, 9, 9), 9);
}

static void check_user(const struct kv_user *u, const char *kind,
	enum kv_class class, uint32_t context, uint32_t generation, double think)
{
	CU_ASSERT_STRING_EQUAL(w.kinds[u->kind].name, kind);
	CU_ASSERT_EQUAL(u->class, class);
	CU_ASSERT_EQUAL(u->context_cap, context);
	CU_ASSERT_EQUAL(u->generation_cap, generation);
	CU_ASSERT_EQUAL(u->think_s, think);
}

static void test_vectors(void)
{
	struct kv_user u[3];

	load();
	kv_users_make(&w, 42, 3, u);
	check_user(&u[0], "document", KV_INTERACTIVE, 16245, 481,
		0.5938702245641714);
	check_user(&u[1], "chatbot", KV_BATCH, 3283, 189, 0.13477553305176648);
	check_user(&u[2], "coding", KV_INTERACTIVE, 7166, 211,
		0.3861287147125917);
	kv_users_make(&w, 43, 1, u);
	check_user(&u[0], "chatbot", KV_RESPONSIVE, 3635, 86,
		0.4837625398115285);
}

static void test_sums(void)
{
	static const struct {
		uint32_t users, classes[KV_CLASSES];
		uint64_t context, generation;
		double per_s, interactive_per_s;
	} t[] = {
		{200, {25, 78, 97}, 1866025, 61716, 482.7, 52.0},
		{100, {14, 35, 51}, 838307, 30861, 241.6, 28.9},
		{70, {11, 23, 36}, 579311, 21988, 175.0, 22.9},
	};
	struct kv_user u[200];
	uint32_t n[KV_CLASSES], k;
	uint64_t context, generation;
	double rate[KV_CLASSES];
	size_t i;

	load();
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		kv_users_make(&w, 42, t[i].users, u);
		memset(n, 0, sizeof(n));
		memset(rate, 0, sizeof(rate));
		context = generation = 0;
		for (k = 0; k < t[i].users; k++) {
			n[u[k].class]++;
			context += u[k].context_cap;
			generation += u[k].generation_cap;
			rate[u[k].class] += 1 / u[k].think_s;
		}
		CU_ASSERT_EQUAL(context, t[i].context);
		CU_ASSERT_EQUAL(generation, t[i].generation);
		for (k = 0; k < KV_CLASSES; k++)
			CU_ASSERT_EQUAL(n[k], t[i].classes[k]);
		CU_ASSERT_DOUBLE_EQUAL(rate[0] + rate[1] + rate[2], t[i].per_s,
			0.05);
		CU_ASSERT_DOUBLE_EQUAL(
			rate[KV_INTERACTIVE], t[i].interactive_per_s, 0.05);
	}
}

struct totals {
	double requests, tokens, written, read, reads, only;
};

/* n requests of each interactive user, each counted with its user's rate. */
static void draw(uint32_t users, uint64_t token_bytes, uint32_t n,
	struct totals *s)
{
	struct kv_user u[200];
	struct kv_ask a;
	uint32_t i, k;
	double weight, size;

	memset(s, 0, sizeof(*s));
	kv_users_make(&w, 42, users, u);
	for (i = 0; i < users; i++) {
		if (u[i].class != KV_INTERACTIVE)
			continue;
		weight = 1 / u[i].think_s;
		for (k = 0; k < n; k++) {
			kv_user_ask(&w, &u[i], &a);
			size = (double)a.context * (double)token_bytes /
			       (double)GIB_BYTES;
			s->requests += weight;
			s->tokens += weight * a.generation;
			s->written += weight * size;
			s->only += a.prefill_only ? weight : 0;
			if (a.prefill_only)
				continue;
			s->read += weight * size *
				   kv_decode_reads(&w, a.generation);
			s->reads += weight * kv_decode_reads(&w, a.generation);
		}
	}
}

/* Within 1 % of the distributions computed from the rules (seed 42). */
static void test_distributions(void)
{
	static const struct {
		uint32_t users;
		const char *model;
		double tokens, written, read, reads, only;
	} t[] = {
		{200, "llama3.1-8b", 171.5, 0.607, 2.849, 5.8, 0.15},
		{100, "llama3.1-8b", 193.9, 0.583, 3.122, 6.3, 0.14},
		{70, "llama3.1-70b-instruct", 172.3, 1.186, 6.736, 6.2, 0.09},
	};
	struct kv_model m;
	struct totals s;
	struct err e;
	size_t i;

	load();
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(
			kv_model_load(NULL, t[i].model, &m, &e), 0);
		draw(t[i].users, m.token_bytes, 20000, &s);
		CU_ASSERT_DOUBLE_EQUAL(s.tokens / s.requests, t[i].tokens,
			0.01 * t[i].tokens);
		CU_ASSERT_DOUBLE_EQUAL(s.written / s.requests, t[i].written,
			0.01 * t[i].written);
		CU_ASSERT_DOUBLE_EQUAL(
			s.read / s.requests, t[i].read, 0.01 * t[i].read);
		CU_ASSERT_DOUBLE_EQUAL(
			s.reads / s.requests, t[i].reads, 0.051);
		CU_ASSERT_DOUBLE_EQUAL(
			s.only / s.requests, t[i].only, 0.006);
	}
}

static void test_models(void)
{
	static const struct {
		const char *name;
		uint64_t token_bytes;
	} t[] = {
		{"tiny-1b", 24576}, {"mistral-7b", 131072},
		{"llama2-7b", 524288}, {"llama3.1-8b", 131072},
		{"llama3.1-70b-instruct", 327680}, {"deepseek-v3", 70272},
		{"qwen3-32b", 262144}, {"gpt-oss-120b", 73728},
		{"gpt-oss-20b", 49152},
	};
	uint64_t shape[KV_MODEL_DIMS_MAX], n;
	struct kv_model m;
	uint32_t k, dims;
	struct err e;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(kv_model_load(NULL, t[i].name, &m, &e),
			0);
		CU_ASSERT_EQUAL(m.token_bytes, t[i].token_bytes);
		dims = kv_model_shape(&m, 1000, shape);
		for (k = 0, n = KV_ELEMENT_BYTES; k < dims; k++)
			n *= shape[k];
		CU_ASSERT_EQUAL(n, 1000 * t[i].token_bytes);
	}
	CU_ASSERT_NOT_EQUAL(kv_model_load(NULL, "llama9", &m, &e), 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "llama3.1-8b"));
}

/* What preconditions a drive has one size, whoever asks. */
static void test_fixed_context(void)
{
	struct kv_user u[20];
	struct kv_ask a;
	int i;

	load();
	w.fixed_context = 2048;
	kv_users_make(&w, 42, 20, u);
	for (i = 0; i < 20; i++) {
		kv_user_ask(&w, &u[i], &a);
		CU_ASSERT_EQUAL(a.context, 2048);
	}
}

/* k = 1 + max(1, ceil(gen / 32)). */
static void test_decode_reads(void)
{
	load();
	CU_ASSERT_EQUAL(kv_decode_reads(&w, 0), 2);
	CU_ASSERT_EQUAL(kv_decode_reads(&w, 1), 2);
	CU_ASSERT_EQUAL(kv_decode_reads(&w, 32), 2);
	CU_ASSERT_EQUAL(kv_decode_reads(&w, 33), 3);
	CU_ASSERT_EQUAL(kv_decode_reads(&w, 800), 26);
}

UT_SUITE(kv_users, UT_CASE(test_python_random), UT_CASE(test_vectors),
	UT_CASE(test_sums), UT_CASE(test_distributions), UT_CASE(test_models),
	UT_CASE(test_fixed_context), UT_CASE(test_decode_reads))
