/* Users of the KV cache workload; see kv_users.h. */
#include "datagen/kv_users.h"

void kv_users_make(const struct kv_workload *w, uint64_t seed, uint32_t count,
	struct kv_user *users)
{
	const struct kv_kind *k;
	struct rng_mt mt;
	struct kv_user *u;
	uint32_t i;
	double q;

	rng_mt_py_seed(&mt, seed);
	for (i = 0; i < count; i++) {
		u = &users[i];
		u->kind = rng_mt_py_below(&mt, w->kind_count);
		k = &w->kinds[u->kind];
		q = rng_mt_double(&mt);
		u->class = q < w->interactive_share ? KV_INTERACTIVE
			   : q < w->interactive_share + w->responsive_share
				   ? KV_RESPONSIVE
				   : KV_BATCH;
		u->context_cap =
			rng_mt_py_int(&mt, k->context[0], k->context[1]);
		u->generation_cap =
			rng_mt_py_int(&mt, k->generation[0], k->generation[1]);
		u->think_s = rng_mt_py_uniform(
			&mt, k->think_s[0], k->think_s[1]);
		rng_xo_seed(&u->rng, rng_mix64(seed, i));
	}
}

/* From a quarter of the cap to the cap. */
static uint32_t tokens(struct rng_xo *r, uint32_t cap)
{
	return rng_xo_int(r, cap / 4 ? cap / 4 : 1, cap);
}

void kv_user_ask(
	const struct kv_workload *w, struct kv_user *u, struct kv_ask *a)
{
	struct rng_xo *r = &u->rng;
	double factor = w->think_factor[0] +
			(w->think_factor[1] - w->think_factor[0]) *
				rng_xo_double(r);

	a->pause_ns = (int64_t)(u->think_s * factor * 1e9);
	a->ends_conversation = rng_xo_double(r) < w->end_conversation_share;
	a->context = tokens(r, u->context_cap);
	if (w->fixed_context)
		a->context = w->fixed_context;
	a->generation = tokens(r, u->generation_cap);
	a->prefill_only = a->context >= w->prefill_only_tokens;
	a->prefix = rng_xo_double(r) < w->prefix_share
			    ? (int)rng_xo_int(r, 0, KV_PREFIXES - 1)
			    : -1;
}
