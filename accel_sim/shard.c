/*
 * File order per rank and epoch; see shard.h. An epoch is: every rank shuffles
 * its list with one common seed, deals it out to all ranks like cards, and
 * shuffles what it received with a seed of its own.
 */
#include "accel_sim/shard.h"

#include "core/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define SHARD_SEED 123	   /* the reference's default dataset seed */
#define SHARD_RANK_STEP 31 /* seed distance between ranks */

struct shard {
	uint64_t ranks;
	uint64_t per_rank;
	uint64_t epoch;	 /* 0: the unshuffled split */
	uint32_t *lists; /* [ranks][per_rank] */
	uint32_t *next;	 /* the lists being dealt */
	uint32_t *order; /* [per_rank] the common permutation */
};

static void split(struct shard *s)
{
	uint64_t r, i;

	for (r = 0; r < s->ranks; r++)
		for (i = 0; i < s->per_rank; i++)
			s->lists[r * s->per_rank + i] =
				(uint32_t)(r + i * s->ranks);
	s->epoch = 0;
}

struct shard *shard_new(uint64_t files, uint64_t ranks, struct err *e)
{
	struct shard *s;
	uint64_t n;

	if (!ranks || ranks > files || files > UINT32_MAX) {
		err_set(e, ERR_USAGE, -EINVAL,
			"cannot share %" PRIu64 " files among %" PRIu64
			" accelerators: each needs one file or more, and a "
			"data set has at most %" PRIu32,
			files, ranks, UINT32_MAX);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		goto nomem;
	s->ranks = ranks;
	s->per_rank = files / ranks;
	n = s->per_rank * ranks;
	s->lists = calloc(n, sizeof(*s->lists));
	s->next = calloc(n, sizeof(*s->next));
	s->order = calloc(s->per_rank, sizeof(*s->order));
	if (!s->lists || !s->next || !s->order)
		goto nomem;
	split(s);
	return s;
nomem:
	shard_free(s);
	err_nomem(e, "the file order");
	return NULL;
}

/*
 * Element i of rank r's shuffled list goes to rank (i + r) mod ranks, which
 * appends what it gets in order of the sender. Over all senders each i goes
 * once to every rank, so the lists keep their length.
 */
static void deal(struct shard *s)
{
	uint64_t m = s->per_rank, to, r, i;

	for (to = 0; to < s->ranks; to++) {
		uint32_t *out = s->next + to * m;

		for (r = 0; r < s->ranks; r++) {
			const uint32_t *in = s->lists + r * m;

			i = to >= r ? to - r : to + s->ranks - r;
			for (; i < m; i += s->ranks)
				*out++ = in[s->order[i]];
		}
	}
}

static void advance(struct shard *s)
{
	uint64_t epoch = s->epoch + 1, r, i;
	uint32_t *t;
	struct rng_mt mt;

	/* The same seed on every rank is the same permutation on every rank. */
	for (i = 0; i < s->per_rank; i++)
		s->order[i] = (uint32_t)i;
	rng_mt_seed(&mt, (uint32_t)(SHARD_SEED + epoch));
	rng_mt_shuffle_u32(&mt, s->order, s->per_rank);
	deal(s);
	t = s->lists;
	s->lists = s->next;
	s->next = t;
	for (r = 0; r < s->ranks; r++) {
		rng_mt_seed(&mt,
			(uint32_t)(SHARD_SEED + epoch + SHARD_RANK_STEP * r));
		rng_mt_shuffle_u32(
			&mt, s->lists + r * s->per_rank, s->per_rank);
	}
	s->epoch = epoch;
}

int shard_epoch(struct shard *s, uint64_t epoch, struct err *e)
{
	uint64_t last = UINT32_MAX - SHARD_SEED;

	/* Seeds are 32 bits wide. */
	last = s->ranks - 1 > last / SHARD_RANK_STEP
		       ? 0
		       : last - SHARD_RANK_STEP * (s->ranks - 1);
	if (!epoch || epoch > last)
		return err_set(e, ERR_USAGE, -EINVAL,
			"no file order for epoch %" PRIu64 " of %" PRIu64
			" accelerators: epochs go from 1 to %" PRIu64,
			epoch, s->ranks, last);
	if (epoch < s->epoch)
		split(s);
	while (s->epoch < epoch)
		advance(s);
	return 0;
}

const uint32_t *shard_rank(const struct shard *s, uint64_t rank)
{
	return s->lists + rank * s->per_rank;
}

uint64_t shard_files_per_rank(const struct shard *s)
{
	return s->per_rank;
}

void shard_free(struct shard *s)
{
	if (!s)
		return;
	free(s->lists);
	free(s->next);
	free(s->order);
	free(s);
}
