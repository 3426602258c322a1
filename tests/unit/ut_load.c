/* Load on a modelled drive; see ut_load.h. */
#include "tests/unit/ut_load.h"

#include "core/rng.h"
#include "storage/engine.h"

#include <CUnit/CUnit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct generator {
	struct load *l;
	struct engine *engine;
	struct rng_xo rng;
	int64_t from_ns;
	uint64_t next_offset;
	uint64_t count[2];
	double sum_ns[2];
	bool ended;
};

struct request {
	struct engine_op op;
	int64_t at_ns;
	struct generator *g;
};

static void hand_in(struct request *q);

static void request_done(struct engine_op *op)
{
	struct request *q = op->owner;
	struct generator *g = q->g;
	int64_t now = clock_now(g->engine->clock);
	bool write = op->opcode == ENGINE_WRITE;

	if (g->ended) {
		free(q);
		return;
	}
	if (now > g->from_ns) {
		g->count[write]++;
		g->sum_ns[write] += (double)(now - q->at_ns);
	}
	if (g->l->rate_per_s > 0)
		free(q);
	else
		hand_in(q);
}

static void hand_in(struct request *q)
{
	struct generator *g = q->g;
	const struct load *l = g->l;
	uint64_t at = rng_xo_next(&g->rng) % 1000000;
	bool write = l->write;

	if (l->write_pct)
		write = rng_xo_next(&g->rng) % 100 < l->write_pct;
	q->op.opcode = write ? ENGINE_WRITE : ENGINE_READ;
	q->op.len_bytes = l->bytes;
	q->op.offset_bytes = l->aligned ? (1 + at) * l->bytes
					: (1 + 2 * at) * 4096;
	if (l->sequential) {
		g->next_offset += l->bytes;
		q->op.offset_bytes = g->next_offset;
	}
	q->op.done = request_done;
	q->op.owner = q;
	q->at_ns = clock_now(g->engine->clock);
	CU_ASSERT_EQUAL_FATAL(engine_submit(g->engine, &q->op), 0);
}

static struct request *new_request(struct generator *g)
{
	struct request *q = calloc(1, sizeof(*q));

	CU_ASSERT_PTR_NOT_NULL_FATAL(q);
	q->g = g;
	return q;
}

static int64_t arrivals(struct generator *g, double *next_ns, int64_t end_ns)
{
	double u;

	while (*next_ns <= (double)clock_now(g->engine->clock)) {
		hand_in(new_request(g));
		u = (double)((rng_xo_next(&g->rng) >> 11) + 1) * 0x1p-53;
		*next_ns -= log(u) * 1e9 / g->l->rate_per_s;
	}
	return *next_ns < (double)end_ns ? (int64_t)ceil(*next_ns) : end_ns;
}

void load_run(struct load *l)
{
	struct engine_spec spec;
	struct clock clock;
	struct generator g = {.l = l};
	int64_t end_ns = (int64_t)(l->seconds * 1e9), until = end_ns;
	double next_ns = 0, t = 0.8 * l->seconds;
	char why[256];
	struct err e;
	uint32_t i;

	memset(&spec, 0, sizeof(spec));
	CU_ASSERT_EQUAL_FATAL(engine_spec_parse(NULL, l->drive, &spec, &e), 0);
	spec.without = l->without;
	clock_start(&clock, true);
	CU_ASSERT_EQUAL_FATAL(engine_open(&spec, &clock, &g.engine, why,
				      sizeof(why), &e), 0);
	rng_xo_seed(&g.rng, 7);
	g.from_ns = end_ns / 5;
	for (i = 0; l->rate_per_s <= 0 && i < l->depth; i++)
		hand_in(new_request(&g));
	while (clock_now(&clock) < end_ns) {
		if (l->rate_per_s > 0)
			until = arrivals(&g, &next_ns, end_ns);
		CU_ASSERT_EQUAL_FATAL(engine_wait(g.engine, until, &e), 0);
	}
	l->kiops = (double)(g.count[0] + g.count[1]) / t / 1e3;
	l->gb_per_s = l->kiops * l->bytes / 1e6;
	l->mean_us = (g.sum_ns[0] + g.sum_ns[1]) /
		     (double)(g.count[0] + g.count[1]) / 1e3;
	l->read_us = g.count[0] ? g.sum_ns[0] / (double)g.count[0] / 1e3 : 0;
	l->write_us = g.count[1] ? g.sum_ns[1] / (double)g.count[1] / 1e3 : 0;
	g.ended = true;
	while (g.engine->in_flight)
		CU_ASSERT_EQUAL_FATAL(
			engine_wait(g.engine, CLOCK_NEVER, &e), 0);
	engine_close(g.engine);
}
