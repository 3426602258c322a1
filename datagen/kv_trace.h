#ifndef DATAGEN_KV_TRACE_H
#define DATAGEN_KV_TRACE_H
/*
 * Requests of a recorded service, instead of users: a CSV file whose heading
 * has the columns "Timestamp" (seconds), "Request tokens" and "Response
 * tokens", as BurstGPT has them; others are passed over.
 */
#include "core/err.h"

#include <stdint.h>

#define KV_TRACE_USERS 1000 /* row i is of user i mod this */

struct kv_trace_row {
	int64_t at_ns; /* since the first row; never goes back */
	uint32_t context, generation; /* tokens */
};

struct kv_trace {
	struct kv_trace_row *rows;
	uint32_t count;
	/* of the recorded time: 2 = twice as fast, 0 = all at once */
	double speedup;
};

/* ERR_USAGE names file, line and what is wrong with it. */
int kv_trace_load(const char *path, struct kv_trace *t, struct err *e);
void kv_trace_free(struct kv_trace *t);

/* When row i is due after the start. */
static inline int64_t kv_trace_due_ns(const struct kv_trace *t, uint32_t i)
{
	return t->speedup > 0 ? (int64_t)((double)t->rows[i].at_ns / t->speedup)
			      : 0;
}

#endif
