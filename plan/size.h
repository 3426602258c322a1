#ifndef PLAN_SIZE_H
#define PLAN_SIZE_H
/*
 * How many accelerators can a drive feed? The search over N, whatever answers
 * for one N: a run in virtual time, or a probe of a real drive.
 *
 * Curves need not fall. With N accelerators a drive may collapse and with
 * N + 1 recover, so bisection alone could answer with a number below which
 * some number fails. Here the answer is the largest N that passes while none
 * that was tried below it fails; its neighbours (N - 1, N + 1, N + 2), N / 2
 * and 1 are tried too, and what passes above a failure is told as a hole.
 */
#include "core/err.h"
#include "core/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of one N. */
struct size_point {
	uint64_t accelerators;
	bool passes, reference_passes;
	/* half width of the 95 % interval of the steady AU; 0 = exact */
	double ci_pct;
	bool undecided; /* the interval still holds the floor */
	/* without the arrays of the epochs */
	struct rec_metrics metrics;
};

struct size_curve {
	struct size_point *points; /* by rising N */
	size_t count, room;
};

struct size_search {
	uint64_t first; /* where to begin: an estimate, 1 or more */
	uint64_t most;	/* do not look beyond */
	bool neighbours; /* try more than N and N + 1 */
	bool reference;	 /* by the reference AU, not the steady one */
	int (*probe)(void *ctx, uint64_t accelerators, struct size_point *p,
		struct err *e);
	void *ctx;
};

struct size_found {
	uint64_t accelerators; /* 0: cannot feed one */
	bool capped;	       /* `most` passes: there may be more */
	uint64_t again; /* smallest N above a failure that passes; 0 = none */
	uint64_t failed; /* the failure below `again`, else the smallest */
};

/*
 * Search; points that are on the curve already are not probed again. An error
 * is a probe's own; what was found until then stays on the curve.
 */
int size_find(const struct size_search *s, struct size_curve *curve,
	struct size_found *found, struct err *e);

/* What the points on the curve say so far. */
void size_judge(const struct size_curve *curve, bool reference, uint64_t most,
	struct size_found *found);

/* NULL if it was not tried. */
const struct size_point *size_at(
	const struct size_curve *curve, uint64_t accelerators);
void size_curve_fini(struct size_curve *curve);

#endif
