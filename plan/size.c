/* The search for the largest N that passes; see size.h. */
#include "plan/size.h"

#include <stdlib.h>
#include <string.h>

/* What the known points leave open: all below lo pass as far as tried. */
struct gap {
	uint64_t lo; /* largest N that passes below hi; 0 = none */
	uint64_t hi; /* smallest N that fails; 0 = none */
};

static size_t place(const struct size_curve *curve, uint64_t n)
{
	size_t i = 0;

	while (i < curve->count && curve->points[i].accelerators < n)
		i++;
	return i;
}

const struct size_point *size_at(
	const struct size_curve *curve, uint64_t accelerators)
{
	size_t i = place(curve, accelerators);

	return i < curve->count &&
			       curve->points[i].accelerators == accelerators
		       ? &curve->points[i]
		       : NULL;
}

void size_curve_fini(struct size_curve *curve)
{
	free(curve->points);
	memset(curve, 0, sizeof(*curve));
}

static int try_one(const struct size_search *s, struct size_curve *curve,
	uint64_t n, struct err *e)
{
	struct size_point p = {.accelerators = n}, *more;
	size_t at;
	int r;

	if (curve->count == curve->room) {
		more = realloc(curve->points,
			(curve->room * 2 + 16) * sizeof(*more));
		if (!more)
			return err_nomem(e, "the search");
		curve->points = more;
		curve->room = curve->room * 2 + 16;
	}
	r = s->probe(s->ctx, n, &p, e);
	if (r)
		return r;
	p.accelerators = n;
	at = place(curve, n);
	memmove(&curve->points[at + 1], &curve->points[at],
		(curve->count - at) * sizeof(p));
	curve->points[at] = p;
	curve->count++;
	return 0;
}

static bool point_passes(const struct size_point *p, bool reference)
{
	return reference ? p->reference_passes : p->passes;
}

static struct gap known_gap(const struct size_curve *curve, bool reference)
{
	struct gap g = {0, 0};
	size_t i;

	for (i = 0; i < curve->count && !g.hi; i++) {
		if (point_passes(&curve->points[i], reference))
			g.lo = curve->points[i].accelerators;
		else
			g.hi = curve->points[i].accelerators;
	}
	return g;
}

/* Around the edge; a failure below moves the edge, and it goes on from there. */
static uint64_t neighbour(const struct size_search *s,
	const struct size_curve *curve, const struct gap *g)
{
	uint64_t near[4];
	size_t i;

	if (!s->neighbours)
		return 0;
	near[0] = g->lo > 1 ? g->lo - 1 : 0;
	near[1] = g->hi && g->hi < s->most ? g->hi + 1 : 0;
	near[2] = g->lo / 2;
	near[3] = 1;
	for (i = 0; i < 4; i++)
		if (near[i] && !size_at(curve, near[i]))
			return near[i];
	return 0;
}

/* The next N to try; 0 = the answer is known. */
static uint64_t next(const struct size_search *s,
	const struct size_curve *curve, uint64_t *stride)
{
	struct gap g = known_gap(curve, s->reference);
	uint64_t n;

	if (!curve->count)
		return s->first < s->most ? s->first : s->most;
	if (!g.hi) {
		if (g.lo >= s->most)
			return neighbour(s, curve, &g);
		n = s->most - g.lo > *stride ? g.lo + *stride : s->most;
		*stride *= 2;
		return n;
	}
	if (g.hi - g.lo == 1)
		return neighbour(s, curve, &g);
	if (g.lo)
		return g.lo + (g.hi - g.lo) / 2;
	n = g.hi > *stride ? g.hi - *stride : 1;
	*stride *= 2;
	return n;
}

void size_judge(const struct size_curve *curve, bool reference, uint64_t most,
	struct size_found *found)
{
	struct gap g = known_gap(curve, reference);
	const struct size_point *p;
	size_t i;

	memset(found, 0, sizeof(*found));
	found->accelerators = g.lo;
	found->capped = !g.hi && g.lo >= most;
	found->failed = g.hi;
	for (i = 0; i < curve->count && !found->again; i++) {
		p = &curve->points[i];
		if (g.hi && p->accelerators > g.hi &&
			point_passes(p, reference))
			found->again = p->accelerators;
		else if (g.hi && p->accelerators >= g.hi)
			found->failed = p->accelerators;
	}
	if (!found->again)
		found->failed = g.hi;
}

int size_find(const struct size_search *s, struct size_curve *curve,
	struct size_found *found, struct err *e)
{
	uint64_t stride = 1, n;
	int r = 0;

	while (!r && (n = next(s, curve, &stride)))
		r = try_one(s, curve, n, e);
	size_judge(curve, s->reference, s->most, found);
	return r;
}
