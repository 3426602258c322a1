/* What the options of a KV cache command resolve to; see kvcache.h. */
#include "cli/kvcache.h"

#include "core/units.h"
#include "storage/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GPU 0
#define CPU 1
#define STORAGE 2
#define BUFFERS_MOST 256 /* of a rank; and the threads of the pread engine */
#define THREADS_MOST 64

/* "1,3": which of the workload's options, each once, in this order. */
static int parse_list(const char *text, struct kvcache_setup *s, struct err *e)
{
	uint32_t n = s->workload.option_count, i;
	const char *at = text;
	unsigned long v;
	char *end;

	for (i = 0; !text && i < n; i++)
		s->options[s->option_count++].option = i + 1;
	while (text && *at) {
		v = strtoul(at, &end, 10);
		for (i = 0; i < s->option_count; i++)
			if (s->options[i].option == v)
				break;
		if (end == at || (*end && *end != ',') || !v || v > n ||
			i < s->option_count)
			break;
		s->options[s->option_count++].option = (uint32_t)v;
		at = *end ? end + 1 : end;
	}
	if (s->option_count && (!text || !*at))
		return 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"--option %s: must be numbers from 1 to %u, each once, such as "
		"1 or 1,3", text ? text : "", n);
}

static int parse_gib(const char *text, const char *what, double standard_gib,
	uint64_t *bytes, struct err *e)
{
	*bytes = (uint64_t)(standard_gib * (double)GIB_BYTES);
	return text ? units_parse_bytes(text, GIB_BYTES, what, bytes, e) : 0;
}

static int parse_generation(const char *text, int64_t *token_ns, struct err *e)
{
	static const struct {
		const char *name;
		int64_t ns;
	} t[] = {{"none", 0}, {"fast", 2 * NS_PER_MS},
		{"realistic", 30 * NS_PER_MS}};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (!strcmp(text, t[i].name)) {
			*token_ns = t[i].ns;
			return 0;
		}
	return err_set(e, ERR_USAGE, -EINVAL,
		"--generation-mode %s: must be none, fast or realistic", text);
}

/* How the bytes of a file move: its pieces, and buffers for a rank. */
static int parse_io(const struct kvcache_options *o,
	const struct kvcache_setup *s, struct kv_config *c, struct err *e)
{
	bool direct = !strcmp(o->io, "direct"), modelled = o->drive != NULL;
	const struct kv_host *h = &s->workload.host;
	uint64_t bytes, most = BUFFERS_MOST;
	int r = 0;

	if (!direct && strcmp(o->io, "reference"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--io %s: must be reference or direct", o->io);
	if (!direct && o->depth)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--request-depth goes with --io direct: the reference "
			"reads and writes one piece after another");
	c->io = direct ? KV_IO_DIRECT : KV_IO_REFERENCE;
	bytes = modelled ? 8 * MIB_BYTES : direct ? MIB_BYTES : 4 * MIB_BYTES;
	if (o->request_size)
		r = units_parse_bytes(
			o->request_size, 1, "--request-size", &bytes, e);
	if (!r && (!bytes || bytes % 4096 || bytes > 64 * MIB_BYTES))
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--request-size %s: must be a multiple of 4096 bytes "
			"up to 64 MiB", o->request_size);
	if (r)
		return r;
	c->request_bytes = (uint32_t)bytes;
	c->depth = direct ? (uint32_t)(o->depth ? o->depth : 16) : 1;
	/* a modelled page cache has more than one piece on its way */
	if (modelled)
		c->depth = 4;
	if (modelled)
		most = 65536;
	else if (!direct)
		most = THREADS_MOST;
	bytes = (uint64_t)c->opt.users * c->depth;
	c->buffers = (uint32_t)(bytes < most ? bytes : most);
	c->copy_bytes_per_s = (uint64_t)(h->copy_gb_per_s * 1e9);
	if (o->copy_rate)
		r = units_parse_rate(o->copy_rate, "--host-copy-rate",
			&c->copy_bytes_per_s, e);
	if (modelled && !direct) {
		c->buffered_write_bytes_per_s =
			(uint64_t)(h->buffered_write_gb_per_s * 1e9);
		c->buffered_contention = h->buffered_contention;
	}
	return r;
}

static int parse_option(const struct kvcache_options *o,
	struct kvcache_setup *s, struct kv_config *c, struct err *e)
{
	int r;

	c->opt = s->workload.options[c->option - 1];
	if (o->users)
		c->opt.users = (uint32_t)o->users;
	if (o->allocations != UINT64_MAX)
		c->opt.allocations = (uint32_t)o->allocations;
	r = kv_model_load(
		o->config_dir, o->model ? o->model : c->opt.model, &c->model, e);
	if (!r)
		r = parse_gib(o->gpu_gib, "--gpu-mem-gb", c->opt.gpu_gib,
			&c->limits[GPU], e);
	if (!r)
		r = parse_gib(o->cpu_gib, "--cpu-mem-gb", c->opt.cpu_gib,
			&c->limits[CPU], e);
	if (!r)
		r = parse_gib(o->capacity, "--storage-capacity-gb", 0,
			&c->limits[STORAGE], e);
	c->storage_limit_set = o->capacity != NULL;
	if (!r && o->capacity && !c->limits[STORAGE])
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--storage-capacity-gb %s: entries must go somewhere",
			o->capacity);
	c->duration_ns = (int64_t)(c->opt.duration_s * 1e9);
	if (!r && o->duration)
		r = units_parse_time(
			o->duration, "--duration", &c->duration_ns, e);
	if (!r && c->duration_ns < NS_PER_S / 10)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--duration %s: must be 100 ms or more", o->duration);
	if (!r)
		r = parse_generation(o->generation, &c->token_ns, e);
	if (!r)
		r = parse_io(o, s, c, e);
	c->seed = o->seed == UINT64_MAX ? s->workload.seed : o->seed;
	c->multi_turn = !o->no_multi_turn;
	c->prefix = !o->no_prefix;
	c->closed_loop = o->closed_loop;
	c->reference_bugs = o->reference_bugs;
	if (o->rag)
		c->rag_documents = o->rag_documents
					   ? (uint32_t)o->rag_documents
					   : s->workload.rag.documents;
	c->verify = o->verify;
	c->ranks = (uint32_t)o->processes;
	if (!r && o->cache_dir &&
		(size_t)snprintf(c->cache_dir, sizeof(c->cache_dir), "%s",
			o->cache_dir) >= sizeof(c->cache_dir))
		r = err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--cache-dir: path too long");
	return r;
}

static int parse_engine(const struct kvcache_options *o,
	struct kvcache_setup *s, struct err *e)
{
	/* the reference's calls are plain reads and writes */
	return resolve_engine(o->config_dir, o->drive, o->clock, o->engine,
		strcmp(o->io, "direct") ? ENGINE_PREAD : ENGINE_AUTO,
		&s->engine, &s->virtual_time, e);
}

static int parse_trace(const struct kvcache_options *o,
	struct kvcache_setup *s, struct err *e)
{
	char *end;

	s->trace.speedup = strtod(o->trace_speedup, &end);
	if (end == o->trace_speedup || *end || !(s->trace.speedup >= 0) ||
		s->trace.speedup > 1e9)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--trace-speedup %s: must be a number from 0 to 1e9",
			o->trace_speedup);
	if (!o->trace)
		return 0;
	if (o->closed_loop)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--closed-loop is about users; --burst-trace-path has "
			"times of its own");
	return kv_trace_load(o->trace, &s->trace, e);
}

static int check_rag(const struct kvcache_options *o,
	const struct kv_workload *w, struct err *e)
{
	if (o->rag && !w->rag.documents)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--enable-rag: --workload %s has no \"rag\"", w->name);
	if (o->rag_documents && !o->rag)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--rag-num-docs goes with --enable-rag");
	if (o->rag && o->trace)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--enable-rag is about users; --burst-trace-path has "
			"requests of its own");
	return 0;
}

static int parse_times(const struct kvcache_options *o,
	struct kvcache_setup *s, struct err *e)
{
	int r = 0;

	s->trials = o->trials	      ? (uint32_t)o->trials
		    : s->virtual_time ? 1 /* all would be the same */
				      : s->workload.trials;
	s->delay_ns = (int64_t)(s->workload.delay_s * 1e9);
	s->inter_option_delay_ns =
		(int64_t)(s->workload.inter_option_delay_s * 1e9);
	if (o->delay)
		r = units_parse_time(o->delay, "--delay", &s->delay_ns, e);
	if (!r && o->inter_option_delay)
		r = units_parse_time(o->inter_option_delay,
			"--inter-option-delay", &s->inter_option_delay_ns, e);
	return r;
}

int kvcache_resolve(const struct kvcache_options *o, struct kvcache_setup *s,
	struct err *e)
{
	uint32_t i;
	int r;

	memset(s, 0, sizeof(*s));
	r = kv_workload_load(o->config_dir, o->workload, &s->workload, e);
	if (!r)
		r = parse_list(o->option, s, e);
	for (i = 0; !r && i < s->option_count; i++)
		r = parse_option(o, s, &s->options[i], e);
	if (!r)
		r = parse_engine(o, s, e);
	if (!r)
		r = parse_times(o, s, e);
	if (!r)
		r = check_rag(o, &s->workload, e);
	if (!r)
		r = parse_trace(o, s, e);
	if (!r)
		r = resolve_division(o->division, &s->division, e);
	if (r)
		return r;
	if (o->drive && (o->verify || o->precondition || o->keep_cache))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s is about files, and a modelled drive has none",
			o->verify	  ? "--verify"
			: o->precondition ? "--precondition"
					  : "--keep-cache");
	return kvcache_check_rules(o, s, e);
}
