/* `stoker kvcache datasize`: bytes of a token, of entries and of a run. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/kvcache.h"

#include "core/json.h"
#include "core/units.h"
#include "datagen/kv_users.h"
#include "storage/store.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define DRAWS 4000 /* requests of each user for the means */

/* Of one option; means over interactive users, weighted with their rates. */
struct row {
	const struct kv_config *c;
	uint64_t smallest, largest; /* bytes of an entry that there can be */
	uint64_t in_use;   /* entries that are written or read at a time */
	double mean, tokens, read, written; /* a request: bytes and tokens */
	double offered_per_s;
	uint32_t classes[KV_CLASSES];
	uint64_t buffers;
};

struct answer {
	struct row rows[KV_OPTIONS_MAX];
	uint32_t count;
	bool room_known;
	uint64_t free_bytes;
};

static void draw(const struct kv_workload *w, struct kv_user *u, double b,
	double weight, struct row *r)
{
	struct kv_ask a;
	uint32_t k;

	for (k = 0; k < DRAWS; k++) {
		kv_user_ask(w, u, &a);
		r->tokens += weight * a.generation;
		r->written += weight * a.context * b;
		if (!a.prefill_only)
			r->read += weight * a.context * b *
				   kv_decode_reads(w, a.generation);
	}
}

static int compute(const struct kv_workload *w, const struct kv_config *c,
	struct row *r, struct err *e)
{
	struct kv_user *u = calloc(c->opt.users, sizeof(*u));
	double b = (double)c->model.token_bytes, weight, all = 0;
	uint32_t i, least = UINT32_MAX, most = 0, workers;

	if (!u)
		return err_nomem(e, "the users");
	r->c = c;
	kv_users_make(w, c->seed, c->opt.users, u);
	for (i = 0; i < c->opt.users; i++) {
		least = u[i].context_cap < least ? u[i].context_cap : least;
		most = u[i].context_cap > most ? u[i].context_cap : most;
		weight = 1 / u[i].think_s;
		r->offered_per_s += weight;
		r->classes[u[i].class]++;
		if (u[i].class != KV_INTERACTIVE)
			continue;
		all += weight * DRAWS;
		draw(w, &u[i], b, weight, r);
	}
	free(u);
	r->smallest = (uint64_t)(least / 4 ? least / 4 : 1) *
		      c->model.token_bytes;
	r->largest = most * c->model.token_bytes;
	if (all > 0) {
		r->tokens /= all;
		r->written /= all;
		r->read /= all;
	}
	r->mean = r->written;
	workers = c->opt.users < w->workers_most ? c->opt.users
						 : w->workers_most;
	r->in_use = (uint64_t)(r->mean * workers);
	r->buffers = (uint64_t)c->buffers * c->request_bytes;
	return 0;
}

static int no_path(void *ctx, uint64_t i, char *buf, size_t buf_bytes)
{
	(void)ctx, (void)i, (void)buf, (void)buf_bytes;
	return -ENOENT;
}

static void print_text(const struct kvcache_options *o, const struct answer *a)
{
	char x[UNITS_TEXT_MAX], y[UNITS_TEXT_MAX], z[UNITS_TEXT_MAX];
	const struct row *r;
	uint32_t i;

	printf("kvcache, %" PRIu64 " rank%s:", o->processes,
		o->processes == 1 ? "" : "s");
	for (i = 0; i < a->count; i++)
		printf("%s option %u has entries of %s in the mean",
			i ? "," : "", a->rows[i].c->option,
			units_format_bytes(x, (uint64_t)a->rows[i].mean));
	printf("\n");
	for (i = 0; i < a->count; i++) {
		r = &a->rows[i];
		printf("option %u: %s, %" PRIu64 " bytes a token, %u users "
		       "(%u interactive, %u responsive, %u batch)\n",
			r->c->option, r->c->model.name,
			r->c->model.token_bytes, r->c->opt.users,
			r->classes[KV_INTERACTIVE], r->classes[KV_RESPONSIVE],
			r->classes[KV_BATCH]);
		printf("  entries         %s to %s\n",
			units_format_bytes(x, r->smallest),
			units_format_bytes(y, r->largest));
		printf("  a request       %.1f tokens, %s written, %s read "
		       "(interactive users, who are served first)\n",
			r->tokens, units_format_bytes(x, (uint64_t)r->written),
			units_format_bytes(y, (uint64_t)r->read));
		if (r->read > 0)
			printf("  tokens          %.1f a GiB read, %.1f a GiB "
			       "written: on any drive\n",
				r->tokens * (double)GIB_BYTES / r->read,
				r->tokens * (double)GIB_BYTES / r->written);
		printf("  asked           %.1f requests/s by users who do not "
		       "wait for answers\n", r->offered_per_s);
		printf("  room            %s in use at a time, more for all "
		       "that is written at 1 GiB/s: %s in %g s\n",
			units_format_bytes(
				x, r->in_use * o->processes),
			units_format_bytes(y, (uint64_t)((double)GIB_BYTES *
				(double)r->c->duration_ns / 1e9)),
			(double)r->c->duration_ns / 1e9);
		printf("  memory          %s of buffers, tiers of %s\n",
			units_format_bytes(x, r->buffers * o->processes),
			units_format_bytes(z, r->c->limits[0] + r->c->limits[1]));
	}
	if (a->room_known)
		printf("room: %s has %s free\n", o->cache_dir,
			units_format_bytes(x, a->free_bytes));
}

static bool add_row(struct cJSON *list, const struct row *r)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_u64(o, "option", r->c->option) &&
	       json_add_string(o, "model", r->c->model.name) &&
	       json_add_u64(o, "bytes_per_token", r->c->model.token_bytes) &&
	       json_add_u64(o, "num_users", r->c->opt.users) &&
	       json_add_u64(o, "users_interactive",
		       r->classes[KV_INTERACTIVE]) &&
	       json_add_u64(
		       o, "users_responsive", r->classes[KV_RESPONSIVE]) &&
	       json_add_u64(o, "users_batch", r->classes[KV_BATCH]) &&
	       json_add_u64(o, "smallest_entry_bytes", r->smallest) &&
	       json_add_u64(o, "largest_entry_bytes", r->largest) &&
	       json_add_double(o, "tokens_per_request", r->tokens) &&
	       json_add_double(o, "bytes_written_per_request", r->written) &&
	       json_add_double(o, "bytes_read_per_request", r->read) &&
	       json_add_double(
		       o, "offered_requests_per_second", r->offered_per_s) &&
	       json_add_u64(o, "in_use_bytes_per_rank", r->in_use) &&
	       json_add_u64(o, "buffer_bytes_per_rank", r->buffers);
}

static int print_json(const struct kvcache_options *o, const struct answer *a)
{
	struct cJSON *doc = cJSON_CreateObject(), *list;
	uint32_t i;
	bool ok;

	ok = doc && json_add_u64(doc, "num_processes", o->processes) &&
	     (!a->room_known ||
		     json_add_u64(doc, "free_bytes", a->free_bytes));
	list = ok ? json_add_array(doc, "options") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < a->count; i++)
		ok = add_row(list, &a->rows[i]);
	return cli_print_whole(doc, ok);
}

int cmd_kvcache_datasize(int argc, const char **argv)
{
	struct store_namer namer = {.path = no_path};
	struct kvcache_setup *s;
	struct answer a = {.count = 0};
	struct kvcache_options o;
	struct store store;
	struct err e;
	uint32_t i;
	int r, code;

	kvcache_options_default(&o);
	if (!command_options(kvcache_datasize_rows, &o, argc, argv, &code))
		return code;
	s = calloc(1, sizeof(*s));
	r = s ? 0 : err_nomem(&e, "the answer");
	if (!r)
		r = kvcache_resolve(&o, s, &e);
	for (i = 0; !r && i < s->option_count; i++)
		r = compute(&s->workload, &s->options[i], &a.rows[a.count++],
			&e);
	if (!r && o.cache_dir) {
		store_posix_init(&store, o.cache_dir, &namer);
		a.room_known = true;
		r = store_free_space(&store, &a.free_bytes, &e);
	}
	code = r ? cli_fail_report(o.json, &e) : 0;
	if (!r && o.json)
		code = print_json(&o, &a);
	else if (!r)
		print_text(&o, &a);
	free(s);
	return code;
}
