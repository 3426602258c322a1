/* Searches replayed in a random graph; see vdb_guide.h. */
#include "workloads/vdb_guide.h"

#include "core/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EXTRA_ROUNDS 4 /* the first ones are not full */
#define LEAD_ROUNDS 5

/* A node that was expanded: where links are taken from. */
struct source {
	uint32_t node;
	const uint32_t *links; /* copied from the record; NULL: made */
};

struct replay {
	struct vdb_guide g;
	const struct vdb_graph *graph;
	const struct vdb_config *c;
	struct vdb_counts *counts;
	uint64_t state;
	uint32_t expanded, round, rounds, lead;
	uint32_t hit_below; /* chance of a hit behind the lead, of 2^32 */
	uint32_t source_count, source_next;
	struct source *sources; /* a ring of beam_width */
	uint32_t *links;	/* [beam_width][degree], once bytes come */
};

uint32_t vdb_replay_rounds(const struct vdb_config *c)
{
	return (c->expansions + c->beam_width - 1) / c->beam_width +
	       EXTRA_ROUNDS;
}

uint32_t vdb_replay_lead(const struct vdb_config *c)
{
	double most = c->cache_share * vdb_replay_rounds(c);

	return most < LEAD_ROUNDS ? (uint32_t)most : LEAD_ROUNDS;
}

/* Expansions until the end of a round: E spread over all of them. */
static uint32_t until_round(const struct vdb_config *c, uint32_t round)
{
	return (uint32_t)((uint64_t)c->expansions * round /
			  vdb_replay_rounds(c));
}

double vdb_replay_hit_share(const struct vdb_config *c)
{
	uint32_t lead = until_round(c, vdb_replay_lead(c));
	double misses = (1 - c->cache_share) * c->expansions;

	if (lead >= c->expansions)
		return 1;
	return 1 - misses / (c->expansions - lead);
}

static void begin(struct vdb_guide *g, uint64_t query, struct vdb_counts *c)
{
	struct replay *r = (struct replay *)g;

	r->counts = c;
	r->state = rng_mix64(r->graph->seed, rng_mix64(r->c->seed, query));
	r->expanded = r->round = 0;
	r->source_count = r->source_next = 0;
}

static void add_source(struct replay *r, uint32_t node, const uint8_t *record)
{
	uint32_t degree = r->graph->layout.degree, j;
	uint32_t at = r->source_next, *links;

	r->sources[at].node = node;
	r->sources[at].links = NULL;
	if (record) {
		links = r->links + (size_t)at * degree;
		for (j = 0; j < degree; j++)
			links[j] = vdb_graph_record_link(r->graph, record, j);
		r->sources[at].links = links;
	}
	r->source_next = (at + 1) % r->c->beam_width;
	if (r->source_count < r->c->beam_width)
		r->source_count++;
}

/* A link of the last nodes that is of the wanted kind. */
static uint32_t choose(struct replay *r, uint64_t x, bool hit)
{
	uint32_t degree = r->graph->layout.degree, i, node, j;
	bool any = r->c->cache_share <= 0;
	const struct source *s;

	if (!r->source_count)
		return (uint32_t)vdb_graph_pick(r->graph, x, true);
	s = &r->sources[(x >> 32) % r->source_count];
	j = (uint32_t)(x >> 40) % degree;
	for (i = 0; i < degree; i++, j = (j + 1) % degree) {
		node = s->links ? s->links[j]
				: vdb_graph_link(r->graph, s->node, j);
		if (any || vdb_graph_is_hub(r->graph, node) == hit)
			return node;
	}
	/* none of its neighbours: as a search would go back to older ones */
	return (uint32_t)vdb_graph_pick(r->graph, x, hit);
}

static void expand_cached(struct replay *r, uint32_t node)
{
	r->counts->cache_hits++;
	add_source(r, node, NULL);
	r->state = vdb_graph_digest(r->graph, node, NULL, r->state);
}

static uint32_t next(struct vdb_guide *g, uint32_t max, uint32_t *nodes)
{
	struct replay *r = (struct replay *)g;
	uint32_t end, n = 0, node;
	uint64_t x;
	bool hit;

	/* pipelined, what is free is used at once: rounds do not divide */
	while ((!n || (r->c->schedule == VDB_PIPELINED && n < max)) &&
		r->expanded < r->c->expansions) {
		end = until_round(r->c, r->round + 1);
		for (; r->expanded < end && n < max; r->expanded++) {
			x = rng_mix64(r->state, r->expanded);
			hit = r->round < r->lead || (uint32_t)x < r->hit_below;
			node = choose(r, x, hit);
			r->counts->expansions++;
			if (hit)
				expand_cached(r, node);
			else
				nodes[n++] = node;
		}
		if (r->expanded < end)
			break; /* no room for all of this round */
		r->round++;
		r->counts->rounds++;
	}
	r->counts->reading_rounds += n != 0;
	return n;
}

static int landed(struct vdb_guide *g, uint32_t node, const uint8_t *record,
	struct err *e)
{
	struct replay *r = (struct replay *)g;

	if (record && !vdb_graph_record_sane(r->graph, record))
		return err_set(e, ERR_IO, -EBADMSG,
			"node %u is not what datagen wrote: its neighbours are "
			"not %u ids below %" PRIu64, node,
			r->graph->layout.degree, r->graph->layout.nodes);
	add_source(r, node, record);
	r->state = vdb_graph_digest(r->graph, node, record, r->state);
	return 0;
}

static void close_replay(struct vdb_guide *g)
{
	struct replay *r = (struct replay *)g;

	free(r->sources);
	free(r->links);
	free(r);
}

static const struct vdb_guide_ops replay_ops = {
	.begin = begin,
	.next = next,
	.landed = landed,
	.close = close_replay,
};

static int open_replay(const struct vdb_guides *from, uint32_t segment,
	struct vdb_guide **out, struct err *e)
{
	const struct vdb_replay *x = (const struct vdb_replay *)from;
	const struct vdb_config *c = from->config;
	struct replay *r = calloc(1, sizeof(*r));
	double hits = vdb_replay_hit_share(c) * 4294967296.0;

	if (r) {
		r->g.ops = &replay_ops;
		r->graph = &x->graphs[segment];
		r->g.layout = &r->graph->layout;
		r->c = c;
		r->lead = vdb_replay_lead(c);
		r->hit_below = hits >= 4294967295.0 ? UINT32_MAX
			       : hits > 0	    ? (uint32_t)hits
						    : 0;
		r->sources = calloc(c->beam_width, sizeof(*r->sources));
		/* a modelled drive has no bytes to copy from */
		if (c->folder[0])
			r->links = calloc((size_t)c->beam_width *
						  r->graph->layout.degree,
				sizeof(*r->links));
	}
	if (!r || !r->sources || (c->folder[0] && !r->links)) {
		if (r)
			close_replay(&r->g);
		return err_nomem(e, "the searches");
	}
	*out = &r->g;
	return 0;
}

void vdb_replay_init(struct vdb_replay *r, const struct vdb_config *c,
	const struct vdb_graph *graphs)
{
	r->guides.open = open_replay;
	r->guides.config = c;
	r->graphs = graphs;
}
