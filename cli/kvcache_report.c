/* The report of a KV cache run, as text and as JSON. */
#include "cli/kvcache.h"

#include "core/json.h"
#include "core/units.h"
#include "results/kv_json.h"

#include <cJSON.h>
#include <inttypes.h>

#define STORAGE 2

static const char *io_name(const struct kv_config *c)
{
	return c->io == KV_IO_DIRECT ? "direct" : "reference";
}

static double gib(uint64_t bytes)
{
	return (double)bytes / (double)GIB_BYTES;
}

static void headline(FILE *f, const struct kv_record *rec)
{
	const struct kv_option_result *o;
	uint32_t i;

	fprintf(f, "kvcache, --io %s:", io_name(&rec->options[0].config));
	for (i = 0; i < rec->option_count; i++) {
		o = &rec->options[i];
		fprintf(f, "%s option %u %.1f tok/s", i ? "," : "",
			o->config.option, o->mean.wall_tokens_s);
	}
	fprintf(f, "\n");
}

/* What the kernel says, beside what was asked for; without caches. */
static void print_device(FILE *f, const struct kv_option_result *o)
{
	const struct kv_trial *t = &o->trials[o->trial_count - 1];
	uint64_t read = 0, written = 0, asked = 0, sent = 0;
	double cpu_s = 0;
	uint32_t i;

	for (i = 0; i < t->rank_count; i++) {
		read += t->ranks[i].device_read_bytes;
		written += t->ranks[i].device_written_bytes;
		asked += t->ranks[i].counted.file_read_bytes;
		sent += t->ranks[i].counted.file_written_bytes;
		cpu_s += (double)t->ranks[i].cpu_ns / 1e9;
	}
	fprintf(f, "  device moved    %.2f of %.2f GiB read, %.2f of %.2f GiB "
		"written; %.3f s of CPU a GiB (last trial)\n", gib(read),
		gib(asked), gib(written), gib(sent),
		asked + sent ? cpu_s / gib(asked + sent) : 0);
}

static void print_option(FILE *f, const struct kv_record *rec,
	const struct kv_option_result *o)
{
	const struct kv_aggregate *m = &o->mean;
	const struct kv_trial *t;
	const struct kv_counts *n;
	char bound[KV_BOUND_MAX];

	fprintf(f, "option %u: %s, %u users a rank, %u rank%s, %u trial%s of "
		"%g s\n", o->config.option, o->config.model.name,
		o->config.opt.users, o->config.ranks,
		o->config.ranks == 1 ? "" : "s", o->trial_count,
		o->trial_count == 1 ? "" : "s",
		(double)o->config.duration_ns / 1e9);
	if (!o->trial_count)
		return;
	t = &o->trials[o->trial_count - 1];
	n = &t->ranks[0].counted;
	fprintf(f, "  as reported     read %.2f GiB/s, write %.2f GiB/s, "
		"%.1f tok/s (wall clock), P95 of a request's I/O %.2f s\n",
		m->read_gib_s, m->write_gib_s, m->wall_tokens_s,
		m->p95_request_io_ms / 1e3);
	fprintf(f, "  when time was up read %.2f GiB/s, write %.2f GiB/s, "
		"%.1f tok/s; the drain of %.1f s is counted above\n",
		m->strict_read_gib_s, m->strict_write_gib_s,
		m->strict_tokens_s, m->drain_s);
	fprintf(f, "  P95             file read %.3f s (device %.3f), file "
		"write %.3f s (device %.3f), request from question to answer "
		"%.1f s\n", m->p95_read_ms / 1e3, m->p95_device_read_ms / 1e3,
		m->p95_write_ms / 1e3, m->p95_device_write_ms / 1e3,
		m->p95_end_to_end_ms / 1e3);
	fprintf(f, "  latency is per KV block, mean size %.0f MiB read, %.0f "
		"MiB written\n", n->decode_reads ? gib(n->read_bytes) * 1024 /
				(double)n->decode_reads : 0,
		n->prefill_writes ? gib(n->write_bytes) * 1024 /
				(double)n->prefill_writes : 0);
	fprintf(f, "  tokens          %.1f a GiB read, %.1f a GiB written "
		"(storage tier); %.2f tok/s per thread-second of I/O\n",
		m->tokens_per_gib_read, m->tokens_per_gib_written,
		m->io_tokens_s);
	if (o->config.rag_documents)
		fprintf(f, "  retrieval       %" PRIu64 " of %u documents "
			"taken in, %" PRIu64 " chunks read (%" PRIu64 " gone), "
			"%" PRIu64 " questions about documents (rank 0)\n",
			n->rag_documents, o->config.rag_documents,
			n->rag_chunk_reads, n->rag_chunk_misses,
			n->rag_questions);
	fprintf(f, "  bound by        %s\n",
		kv_bound(&o->config, m, t, bound));
	if (!rec->base.time.is_virtual)
		print_device(f, o);
}

void kvcache_print_text(FILE *f, struct kv_record *rec)
{
	uint64_t verified = 0;
	uint32_t i, t, k;

	headline(f, rec);
	for (i = 0; i < rec->base.note_count; i++)
		fprintf(f, "note: %s\n", rec->base.notes[i].text);
	for (i = 0; i < rec->option_count; i++)
		print_option(f, rec, &rec->options[i]);
	for (i = 0; i < rec->option_count; i++)
		for (t = 0; t < rec->options[i].trial_count; t++)
			for (k = 0; k < rec->options[i].config.ranks; k++)
				verified += rec->options[i].trials[t].ranks[k]
						    .counted.verified_bytes;
	if (rec->options[0].config.verify)
		fprintf(f, "verified %" PRIu64 " bytes: all as written\n",
			verified);
	if (rec->base.time.is_virtual)
		fprintf(f, "modelled: %s\n", rec->base.config.drive);
}

/* Without the samples: those are in the result files. */
static bool add_rank(struct cJSON *list, const struct kv_rank_result *k)
{
	const struct kv_counts *c = &k->counted;
	const struct {
		const char *key;
		uint64_t value;
	} t[] = {
		{"rank", k->rank}, {"seed", k->seed},
		{"requests", c->requests}, {"tokens", c->tokens},
		{"requests_interactive", c->by_class[KV_INTERACTIVE]},
		{"requests_responsive", c->by_class[KV_RESPONSIVE]},
		{"requests_batch", c->by_class[KV_BATCH]},
		{"prefill_only_requests", c->prefill_only},
		{"requests_offered", k->offered},
		{"requests_abandoned", k->abandoned},
		{"queue_peak", k->queue_peak},
		{"cache_hits", c->hits}, {"cache_misses", c->misses},
		{"multi_turn_hits", c->multi_turn_hits},
		{"prefix_hits", c->prefix_hits},
		{"rag_documents", c->rag_documents},
		{"rag_chunks_written", c->rag_chunks_written},
		{"rag_retrievals", c->rag_retrievals},
		{"rag_chunk_reads", c->rag_chunk_reads},
		{"rag_chunk_misses", c->rag_chunk_misses},
		{"rag_questions", c->rag_questions},
		{"prefill_writes", c->prefill_writes},
		{"decode_reads", c->decode_reads},
		{"storage_read_bytes", c->tier_read_bytes[STORAGE]},
		{"storage_written_bytes", c->tier_written_bytes[STORAGE]},
		{"gpu_written_bytes", c->tier_written_bytes[0]},
		{"cpu_read_bytes", c->tier_read_bytes[1]},
		{"cpu_written_bytes", c->tier_written_bytes[1]},
		{"moved_bytes", c->moved_bytes}, {"moves", c->moves},
		{"entries_deleted", c->deleted},
		{"storage_entries", k->entries[STORAGE]},
		{"file_read_bytes", c->file_read_bytes},
		{"file_written_bytes", c->file_written_bytes},
		{"frozen_requests", k->frozen.requests},
		{"frozen_tokens", k->frozen.tokens},
		{"frozen_file_read_bytes", k->frozen.file_read_bytes},
		{"device_read_bytes", k->device_read_bytes},
		{"device_written_bytes", k->device_written_bytes},
		{"verified_bytes", c->verified_bytes},
		{"peak_rss_bytes", k->peak_rss_bytes},
	};
	struct cJSON *o = json_add_object(list, NULL);
	bool ok = o != NULL;
	size_t i;

	for (i = 0; ok && i < sizeof(t) / sizeof(t[0]); i++)
		ok = json_add_u64(o, t[i].key, t[i].value);
	return ok && json_add_double(o, "elapsed_seconds",
			     (double)k->elapsed_ns / 1e9) &&
	       json_add_double(o, "drain_seconds", (double)k->drain_ns / 1e9) &&
	       json_add_double(o, "cpu_seconds", (double)k->cpu_ns / 1e9);
}

static bool add_option(struct cJSON *list, struct kv_option_result *r)
{
	const struct kv_config *c = &r->config;
	struct cJSON *o = json_add_object(list, NULL), *trials, *x, *ranks;
	char bound[KV_BOUND_MAX];
	struct kv_aggregate a;
	bool ok;
	uint32_t i, k;

	ok = o && json_add_u64(o, "option", c->option) &&
	     json_add_string(o, "label", c->opt.label) &&
	     json_add_string(o, "model", c->model.name) &&
	     json_add_u64(o, "bytes_per_token", c->model.token_bytes) &&
	     json_add_u64(o, "num_users", c->opt.users) &&
	     json_add_u64(o, "allocations", c->opt.allocations) &&
	     json_add_u64(o, "ranks", c->ranks) &&
	     json_add_u64(o, "storage_limit_bytes", c->limits[STORAGE]) &&
	     json_add_double(o, "duration_seconds",
		     (double)c->duration_ns / 1e9) &&
	     json_add(o, "mean", results_kv_figures(&r->mean));
	if (ok && r->trial_count)
		ok = json_add_string(o, "bound_by",
			kv_bound(c, &r->mean, &r->trials[r->trial_count - 1],
				bound));
	trials = ok ? json_add_array(o, "trials") : NULL;
	ok = trials != NULL;
	for (i = 0; ok && i < r->trial_count; i++) {
		kv_trial_aggregate(&r->trials[i], &a);
		x = json_add_object(trials, NULL);
		ok = x && json_add(x, "figures", results_kv_figures(&a));
		ranks = ok ? json_add_array(x, "ranks") : NULL;
		ok = ranks != NULL;
		for (k = 0; ok && k < r->trials[i].rank_count; k++)
			ok = add_rank(ranks, &r->trials[i].ranks[k]);
	}
	return ok;
}

struct cJSON *kvcache_json(struct kv_record *rec)
{
	struct cJSON *o = cJSON_CreateObject(), *list, *x;
	bool ok;
	uint32_t i;

	ok = o &&
	     json_add_string(
		     o, "status", rec->finished ? "finished" : "failed") &&
	     json_add_string(o, "io", io_name(&rec->options[0].config)) &&
	     json_add_string(o, "engine", rec->base.config.engine) &&
	     json_add_string(o, "drive", rec->base.config.drive) &&
	     json_add_bool(o, "virtual_time", rec->base.time.is_virtual);
	list = ok ? json_add_array(o, "options") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < rec->option_count; i++)
		ok = add_option(list, &rec->options[i]);
	list = ok ? json_add_array(o, "notes") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < rec->base.note_count; i++) {
		x = json_add_object(list, NULL);
		ok = x && json_add_string(x, "id", rec->base.notes[i].id) &&
		     json_add_string(x, "text", rec->base.notes[i].text);
	}
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}
