/* Random graphs in index files, made from nothing; see vdb_graph.h. */
#include "datagen/vdb_graph.h"

#include "core/rng.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWN_WORDS 128 /* floats: of each of these one has bits of the node */
#define OWN_BITS 0x7fffffu
#define KEY_LINK 1
#define KEY_VECTOR 2

uint32_t *vdb_graph_table(const struct vdb_shape *s, struct err *e)
{
	/* of the length of uniform vectors in the unit cube: norm 1 */
	double norm = sqrt((double)s->dim / 3);
	uint32_t *t = malloc(VDB_TABLE_FLOATS * sizeof(*t)), i;
	struct rng_xo r;
	float f;

	if (!t) {
		err_nomem(e, "the table of vectors");
		return NULL;
	}
	rng_xo_seed(&r, s->seed);
	for (i = 0; i < VDB_TABLE_FLOATS; i++) {
		f = (float)((double)(rng_xo_next(&r) >> 11) / 9007199254740992.0 /
			    norm);
		memcpy(&t[i], &f, sizeof(f));
		t[i] = htole32(t[i]);
	}
	return t;
}

static uint64_t mulmod(uint64_t a, uint64_t b, uint64_t n)
{
	return (uint64_t)((unsigned __int128)a * b % n);
}

/* The inverse of a modulo n, or 0 when they have a common divisor. */
static uint64_t invert(uint64_t a, uint64_t n)
{
	int64_t t = 0, next_t = 1, r = (int64_t)n, next_r = (int64_t)a, q, x;

	while (next_r) {
		q = r / next_r;
		x = t - q * next_t;
		t = next_t;
		next_t = x;
		x = r - q * next_r;
		r = next_r;
		next_r = x;
	}
	if (r != 1)
		return 0;
	return t < 0 ? (uint64_t)(t + (int64_t)n) : (uint64_t)t;
}

static void make_permutation(struct vdb_graph *g)
{
	uint64_t n = g->layout.nodes, x = rng_mix64(g->seed, 0) % n;

	g->add = rng_mix64(g->seed, 1) % n;
	if (n == 1) {
		g->mul = g->inverse = 0;
		return;
	}
	do
		x = x + 1 < n ? x + 1 : 1;
	while (!x || !(g->inverse = invert(x, n)));
	g->mul = x;
}

/* Chances of the halves as whole numbers: the same on any machine. */
static void make_levels(struct vdb_graph *g, uint32_t hub_ppm)
{
	double share = (double)hub_ppm / 1e6;
	double half = pow(share, log(2) / log(100.0 / VDB_CACHE_PCT));
	uint64_t step = (uint64_t)(half * 65536 + 0.5), p = 1ULL << 32;

	for (g->levels = 0; g->levels < VDB_LEVELS &&
			    g->layout.nodes >> (g->levels + 1);
		g->levels++) {
		p = p * step >> 16;
		g->below[g->levels] = (uint32_t)(p > UINT32_MAX ? UINT32_MAX : p);
	}
}

int vdb_graph_init(struct vdb_graph *g, const struct vdb_shape *s, uint32_t i,
	const uint32_t *table, struct err *e)
{
	int r;

	memset(g, 0, sizeof(*g));
	r = vdb_layout_init(&g->layout, vdb_segment_nodes(s, i), s->dim,
		sizeof(float), s->degree, e);
	if (r)
		return r;
	g->seed = rng_mix64(s->seed, i);
	g->table = table;
	g->hubs = g->layout.nodes * VDB_CACHE_PCT / 100;
	if (!g->hubs)
		g->hubs = 1;
	make_permutation(g);
	make_levels(g, s->hub_ppm);
	g->layout.medoid = vdb_graph_pick(g, 0, true);
	return 0;
}

static uint64_t node_of(const struct vdb_graph *g, uint64_t rank)
{
	uint64_t n = g->layout.nodes;

	return (mulmod(rank, g->mul, n) + g->add) % n;
}

static uint64_t scaled(uint64_t x, uint64_t n)
{
	return (uint64_t)((unsigned __int128)x * n >> 64);
}

uint32_t vdb_graph_link(const struct vdb_graph *g, uint64_t node, uint32_t j)
{
	uint64_t x = rng_mix64(rng_mix64(g->seed, node << 2 | KEY_LINK), j);
	uint64_t n = g->layout.nodes, low, high;
	uint32_t draw = (uint32_t)x, k = 0;

	while (k < g->levels && draw < g->below[k])
		k++;
	high = n >> k;
	low = k < g->levels ? n >> (k + 1) : 0;
	return (uint32_t)node_of(
		g, low + scaled(x & ~0xffffffffULL, high - low));
}

bool vdb_graph_is_hub(const struct vdb_graph *g, uint64_t node)
{
	uint64_t n = g->layout.nodes;

	return mulmod((node + n - g->add) % n, g->inverse, n) < g->hubs;
}

uint64_t vdb_graph_pick(const struct vdb_graph *g, uint64_t x, bool hub)
{
	uint64_t n = g->layout.nodes;

	if (hub || g->hubs == n)
		return node_of(g, scaled(x, g->hubs));
	return node_of(g, g->hubs + scaled(x, n - g->hubs));
}

/* Word k of a node's vector, little-endian as in the file. */
static uint32_t vector_word(
	const struct vdb_graph *g, uint64_t key, uint64_t k)
{
	uint32_t word = g->table[(key + k) % VDB_TABLE_FLOATS];

	if (k % OWN_WORDS)
		return word;
	return (word & htole32(~OWN_BITS)) |
	       htole32((uint32_t)rng_mix64(key, k) & OWN_BITS);
}

static uint64_t vector_key(const struct vdb_graph *g, uint64_t node)
{
	return rng_mix64(g->seed, node << 2 | KEY_VECTOR);
}

static void fill_record(const void *ctx, uint64_t node, uint8_t *out)
{
	const struct vdb_graph *g = ctx;
	const struct vdb_layout *l = &g->layout;
	uint64_t key = vector_key(g, node), k, n;
	uint64_t from = key % VDB_TABLE_FLOATS;
	uint32_t word, j;

	for (k = 0; k < l->dims; k += n, from = 0) {
		n = VDB_TABLE_FLOATS - from;
		if (n > l->dims - k)
			n = l->dims - k;
		memcpy(out + 4 * k, g->table + from, 4 * n);
	}
	for (k = 0; k < l->dims; k += OWN_WORDS) {
		word = vector_word(g, key, k);
		memcpy(out + 4 * k, &word, 4);
	}
	out += l->vector_bytes;
	word = htole32(l->degree);
	memcpy(out, &word, 4);
	for (j = 0; j < l->degree; j++) {
		word = htole32(vdb_graph_link(g, node, j));
		memcpy(out + 4 + 4 * (size_t)j, &word, 4);
	}
}

void vdb_graph_fill(const struct vdb_graph *g, uint64_t offset_bytes,
	void *buf, uint64_t len_bytes)
{
	vdb_layout_fill(
		&g->layout, offset_bytes, buf, len_bytes, fill_record, g);
}

static uint32_t word_at(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, 4);
	return v;
}

uint32_t vdb_graph_record_link(
	const struct vdb_graph *g, const uint8_t *record, uint32_t j)
{
	return le32toh(word_at(
		record + g->layout.vector_bytes + 4 + 4 * (uint64_t)j));
}

bool vdb_graph_record_sane(const struct vdb_graph *g, const uint8_t *record)
{
	uint32_t j;

	if (le32toh(word_at(record + g->layout.vector_bytes)) !=
		g->layout.degree)
		return false;
	for (j = 0; j < g->layout.degree; j++)
		if (vdb_graph_record_link(g, record, j) >= g->layout.nodes)
			return false;
	return true;
}

/* Two links and two words of the vector, which ones the state decides. */
uint64_t vdb_graph_digest(const struct vdb_graph *g, uint64_t node,
	const uint8_t *record, uint64_t state)
{
	uint64_t k[2], key = record ? 0 : vector_key(g, node), words, links;
	uint32_t j[2], i, w[2], id[2];

	for (i = 0; i < 2; i++) {
		j[i] = (uint32_t)(state >> (16 * i)) % g->layout.degree;
		k[i] = (state >> (32 + 8 * i)) % g->layout.dims / OWN_WORDS *
		       OWN_WORDS;
		id[i] = record ? vdb_graph_record_link(g, record, j[i])
			       : vdb_graph_link(g, node, j[i]);
		w[i] = record ? word_at(record + 4 * k[i])
			      : vector_word(g, key, k[i]);
	}
	links = (uint64_t)id[0] << 32 | id[1];
	words = (uint64_t)le32toh(w[0]) << 32 | le32toh(w[1]);
	return rng_mix64(state ^ links, words);
}
