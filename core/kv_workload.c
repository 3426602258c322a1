/* The KV cache workload as data; see kv_workload.h. */
#include "core/kv_workload.h"

#include "core/config.h"
#include "core/json.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const known_keys[] = {"name", "users", "interactive_share",
	"responsive_share", "think_factor", "prefill_only_tokens",
	"decode_tokens", "prefix_share", "prefix_tokens",
	"end_conversation_share", "turns_most", "conversations_most",
	"workers_most", "seed", "trials", "delay_s", "inter_option_delay_s",
	"options", "host", "rag", NULL};

const char *kv_class_name(enum kv_class c)
{
	static const char *const names[KV_CLASSES] = {
		"interactive", "responsive", "batch"};

	return names[c];
}

/* An array of n numbers in [min, max]; rising: a range. */
static int get_numbers(const struct cJSON *o, const char *file, const char *key,
	uint32_t n, double min, double max, double *out, bool rising,
	struct err *e)
{
	const struct cJSON *a, *x;
	uint32_t i;
	int r = json_get_array(o, file, key, &a, e);

	if (r)
		return r;
	for (i = 0; i < n; i++) {
		x = cJSON_GetArrayItem(a, (int)i);
		if (!cJSON_IsNumber(x) || x->valuedouble < min ||
			x->valuedouble > max ||
			(rising && i && x->valuedouble < out[i - 1]))
			break;
		out[i] = x->valuedouble;
	}
	if (i < n || (uint32_t)cJSON_GetArraySize(a) != n)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: key '%s' must be %u numbers from %g to %g%s", file,
			key, n, min, max, rising ? ", the smaller first" : "");
	return 0;
}

static int get_tokens(const struct cJSON *o, const char *file, const char *key,
	uint32_t out[2], struct err *e)
{
	double v[2] = {0, 0};
	int r = get_numbers(o, file, key, 2, 1, KV_TOKENS_MAX, v, true, e);

	out[0] = (uint32_t)v[0];
	out[1] = (uint32_t)v[1];
	return r;
}

static int get_u32(const struct cJSON *o, const char *file, const char *key,
	uint64_t max, uint32_t *out, struct err *e)
{
	uint64_t v = 0;
	int r = json_get_u64(o, file, key, 1, max, &v, e);

	*out = (uint32_t)v;
	return r;
}

static int read_kinds(struct kv_workload *w, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct cJSON *list, *x;
	struct kv_kind *k;
	int r = json_get_array(o, file, "users", &list, e);

	if (r)
		return r;
	cJSON_ArrayForEach(x, list) {
		if (w->kind_count == KV_KINDS_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d kinds of users", file,
				KV_KINDS_MAX);
		k = &w->kinds[w->kind_count++];
		r = json_get_string(
			x, file, "name", k->name, sizeof(k->name), e);
		if (!r)
			r = get_tokens(x, file, "context", k->context, e);
		if (!r)
			r = get_tokens(
				x, file, "generation", k->generation, e);
		if (!r)
			r = get_numbers(x, file, "think_s", 2, 1e-3, 1e6,
				k->think_s, true, e);
		if (r)
			return r;
	}
	if (!w->kind_count)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s: key 'users' has no kind of users", file);
	return 0;
}

static int read_options(struct kv_workload *w, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct cJSON *list, *x;
	struct kv_option *p;
	uint64_t slots;
	int r = json_get_array(o, file, "options", &list, e);

	if (r)
		return r;
	cJSON_ArrayForEach(x, list) {
		if (w->option_count == KV_OPTIONS_MAX)
			return err_set(e, ERR_USAGE, -E2BIG,
				"%s: more than %d options", file,
				KV_OPTIONS_MAX);
		p = &w->options[w->option_count++];
		slots = 0;
		r = json_get_string(
			x, file, "label", p->label, sizeof(p->label), e);
		if (!r)
			r = json_get_string(x, file, "model", p->model,
				sizeof(p->model), e);
		if (!r)
			r = get_u32(x, file, "num_users", 65535, &p->users, e);
		if (!r)
			r = json_opt_double(x, file, "gpu_mem_gb", 0, 1e6,
				&p->gpu_gib, e);
		if (!r)
			r = json_opt_double(x, file, "cpu_mem_gb", 0, 1e6,
				&p->cpu_gib, e);
		if (!r)
			r = json_opt_u64(
				x, file, "allocations", 0, 1000, &slots, e);
		if (!r)
			r = json_get_double(x, file, "duration_s", 1, 1e6,
				&p->duration_s, e);
		p->allocations = (uint32_t)slots;
		if (r)
			return r;
	}
	return 0;
}

static int read_shares(struct kv_workload *w, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct {
		const char *key;
		double max, *to;
	} t[] = {
		{"interactive_share", 1, &w->interactive_share},
		{"responsive_share", 1, &w->responsive_share},
		{"prefix_share", 1, &w->prefix_share},
		{"end_conversation_share", 1, &w->end_conversation_share},
		{"delay_s", 1e6, &w->delay_s},
		{"inter_option_delay_s", 1e6, &w->inter_option_delay_s},
	};
	double prefix[KV_PREFIXES] = {0};
	size_t i;
	int r = 0;

	for (i = 0; !r && i < sizeof(t) / sizeof(t[0]); i++)
		r = json_get_double(o, file, t[i].key, 0, t[i].max, t[i].to, e);
	if (!r)
		r = get_numbers(o, file, "think_factor", 2, 0.01, 100,
			w->think_factor, true, e);
	if (!r)
		r = get_numbers(o, file, "prefix_tokens", KV_PREFIXES, 0,
			KV_TOKENS_MAX, prefix, false, e);
	for (i = 0; i < KV_PREFIXES; i++)
		w->prefix_tokens[i] = (uint32_t)prefix[i];
	return r;
}

static int read_host(struct kv_host *h, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct cJSON *x;
	int r = json_get_object(o, file, "host", &x, e);

	if (!r)
		r = json_get_double(x, file, "copy_gb_per_s", 0, 1e4,
			&h->copy_gb_per_s, e);
	if (!r)
		r = json_get_double(x, file, "buffered_write_gb_per_s", 0, 1e4,
			&h->buffered_write_gb_per_s, e);
	if (!r)
		r = json_get_double(x, file, "buffered_contention", 0, 1e3,
			&h->buffered_contention, e);
	if (!r)
		r = json_get_double(x, file, "buffered_read_share", 0.01, 1,
			&h->buffered_read_share, e);
	return r ? r : json_opt_string(x, file, "source", h->source,
			       sizeof(h->source), e);
}

static int read_rag(struct kv_rag *g, const struct cJSON *o, const char *file,
	struct err *e)
{
	static const char *const keys[] = {"documents", "document_tokens",
		"large_document_tokens", "large_hidden_size", "large_layers",
		"chunk_tokens", "chunk_bytes_most", "share", "chunks_read",
		"generation", NULL};
	const struct cJSON *x;
	const struct {
		const char *key;
		uint64_t max;
		uint32_t *to;
	} t[] = {
		{"documents", KV_RAG_DOCUMENTS_MAX, &g->documents},
		{"large_hidden_size", UINT32_MAX, &g->large_hidden},
		{"large_layers", UINT32_MAX, &g->large_layers},
		{"chunk_tokens", KV_TOKENS_MAX, &g->chunk_tokens},
		{"chunks_read", KV_RAG_CHUNKS_READ_MAX, &g->chunks_read},
	};
	size_t i;
	int r;

	if (!json_has(o, "rag"))
		return 0; /* a file of one's own may leave it out */
	r = json_get_object(o, file, "rag", &x, e);
	if (!r)
		r = json_only_keys(x, file, keys, e);
	for (i = 0; !r && i < sizeof(t) / sizeof(t[0]); i++)
		r = get_u32(x, file, t[i].key, t[i].max, t[i].to, e);
	if (!r)
		r = get_tokens(
			x, file, "document_tokens", g->document_tokens, e);
	if (!r)
		r = get_tokens(x, file, "large_document_tokens",
			g->large_document_tokens, e);
	if (!r)
		r = json_get_u64(x, file, "chunk_bytes_most", 1, 1ULL << 40,
			&g->chunk_bytes_most, e);
	if (!r)
		r = json_get_double(x, file, "share", 0, 1, &g->share, e);
	return r ? r : get_tokens(x, file, "generation", g->generation, e);
}

static int read_workload(struct kv_workload *w, const struct cJSON *o,
	const char *file, struct err *e)
{
	const struct {
		const char *key;
		uint64_t max;
		uint32_t *to;
	} t[] = {
		{"prefill_only_tokens", UINT32_MAX, &w->prefill_only_tokens},
		{"decode_tokens", KV_TOKENS_MAX, &w->decode_tokens},
		{"turns_most", 250, &w->turns_most},
		{"conversations_most", 1000000, &w->conversations_most},
		{"workers_most", 65535, &w->workers_most},
		{"trials", 1000, &w->trials},
	};
	size_t i;
	int r = json_only_keys(o, file, known_keys, e);

	if (!r)
		r = json_get_string(
			o, file, "name", w->name, sizeof(w->name), e);
	if (!r)
		r = json_get_u64(o, file, "seed", 0, JSON_U64_MAX, &w->seed, e);
	for (i = 0; !r && i < sizeof(t) / sizeof(t[0]); i++)
		r = get_u32(o, file, t[i].key, t[i].max, t[i].to, e);
	if (!r)
		r = read_shares(w, o, file, e);
	if (!r)
		r = read_kinds(w, o, file, e);
	if (!r)
		r = read_host(&w->host, o, file, e);
	if (!r)
		r = read_rag(&w->rag, o, file, e);
	return r ? r : read_options(w, o, file, e);
}

int kv_workload_load(const char *config_dir, const char *name,
	struct kv_workload *w, struct err *e)
{
	char file[96];
	struct cJSON *o;
	int r;

	memset(w, 0, sizeof(*w));
	snprintf(file, sizeof(file), "kvcache/%.64s.json", name);
	r = config_load(config_dir, file, &o, e);
	if (r)
		return r;
	r = read_workload(w, o, file, e);
	cJSON_Delete(o);
	return r;
}
