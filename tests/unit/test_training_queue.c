/*
 * The rules of the read-ahead queue (DLIO with PyTorch's loader), checked on
 * the log of file opens and closes.
 */
#include "accel_sim/shard.h"
#include "tests/unit/ut.h"
#include "tests/unit/ut_sim.h"

#include <stdlib.h>
#include <string.h>

/* Opens of one accelerator, epoch after epoch, by place in its file order. */
struct place {
	bool opened;
	int64_t open_ns, close_ns;
};

struct shape {
	uint64_t files, batch, readers, factor, epochs;
	uint64_t bytes_per_s;
};

static void setup(struct sim *s, const struct shape *h)
{
	sim_shape(s, h->files, h->batch, h->readers);
	s->c.prefetch_factor = h->factor;
	s->c.epochs = h->epochs;
	s->drive.bytes_per_s = h->bytes_per_s;
	s->drive.latency_ns = 12345;
}

/* The log's slice that belongs to one epoch, by place in the order. */
static void place_all(const struct sim *s, const uint32_t *order,
	const struct rec_epoch *ep, struct place *places)
{
	size_t i;
	uint64_t p;

	memset(places, 0, s->c.files * sizeof(*places));
	for (i = 0; i < s->event_count; i++) {
		const struct sim_event *v = &s->events[i];

		/* an epoch's events lie between its block's ends */
		if (v->ns < ep->block_ns || v->ns >= ep->block_end_ns)
			continue;
		for (p = 0; p < s->c.files && order[p] != v->id; p++)
			;
		CU_ASSERT_FATAL(p < s->c.files);
		if (v->open) {
			CU_ASSERT_FALSE(places[p].opened);
			places[p].opened = true;
			places[p].open_ns = v->ns;
		} else {
			places[p].close_ns = v->ns;
		}
	}
}

/*
 * Batch b is reader b mod W's, and a reader does one thing at a time, in
 * order: the sample before, of this batch or of its batch b - W, is closed
 * when the next is opened.
 */
static void check_readers(const struct sim *s, const struct place *p,
	uint64_t used)
{
	uint64_t b = s->c.batch_size, w = s->c.read_threads, i, before;

	for (i = 0; i < used; i++) {
		CU_ASSERT_TRUE(p[i].opened);
		CU_ASSERT(p[i].close_ns > p[i].open_ns);
		if (i % b)
			before = i - 1;
		else if (i / b >= w)
			before = (i / b - w) * b + b - 1;
		else
			continue;
		CU_ASSERT(p[i].open_ns >= p[before].close_ns);
	}
}

/*
 * Batch k + window is handed out when batch k is taken, before compute: not
 * opened earlier, and at that moment if its reader is idle.
 */
static unsigned check_hand_out(const struct sim *s, const struct rec_epoch *ep,
	const struct place *p)
{
	uint64_t b = s->c.batch_size, w = s->c.read_threads, last;
	uint64_t window = w * s->c.prefetch_factor;
	int64_t taken, opened;
	unsigned idle = 0;
	uint32_t k;

	for (k = 0; k < window && k < ep->steps; k++)
		if (k < w)
			CU_ASSERT_EQUAL(p[k * b].open_ns, ep->block_ns);
	for (k = 0; k + window < ep->steps; k++) {
		taken = sim_taken_ns(ep, k);
		opened = p[(k + window) * b].open_ns;
		last = (k + window - w) * b + b - 1;
		if (p[last].close_ns <= taken) {
			CU_ASSERT_EQUAL(opened, taken);
			idle++;
		} else {
			CU_ASSERT_EQUAL(opened, p[last].close_ns);
		}
		/* a batch is taken when it is whole, not before */
		CU_ASSERT(taken >= p[k * b + b - 1].close_ns);
	}
	return idle;
}

/* Returns how often a reader was idle when its batch came. */
static unsigned check_queue(const struct shape *h)
{
	struct place *places = calloc(h->files, sizeof(*places));
	struct rec_epoch *ep;
	struct shard *shard;
	const uint32_t *order;
	unsigned idle = 0;
	uint64_t used, i, before = 0;
	uint32_t epoch;
	struct sim s;
	struct err e;

	CU_ASSERT_PTR_NOT_NULL_FATAL(places);
	setup(&s, h);
	CU_ASSERT_EQUAL_FATAL(sim_run(&s, &e), 0);
	shard = shard_new(h->files, 1, &e);
	CU_ASSERT_PTR_NOT_NULL_FATAL(shard);
	used = h->files / h->batch * h->batch;
	CU_ASSERT_EQUAL(s.opens, used * h->epochs);
	for (epoch = 0; epoch < h->epochs; epoch++) {
		CU_ASSERT_EQUAL(shard_epoch(shard, epoch + 1, &e), 0);
		order = shard_rank(shard, 0);
		ep = sim_epoch(&s, 0, epoch);
		place_all(&s, order, ep, places);
		check_readers(&s, places, used);
		/* drop_last: what makes no batch is not touched */
		for (i = used; i < h->files; i++)
			CU_ASSERT_FALSE(places[i].opened);
		idle += check_hand_out(&s, ep, places);
		before += used;
	}
	CU_ASSERT_EQUAL(before, s.opens);
	shard_free(shard);
	sim_close(&s);
	free(places);
	return idle;
}

/* An ample drive: readers wait for batches to be handed out. */
static void test_readers_wait(void)
{
	static const struct shape one = {41, 4, 2, 1, 3, 2000000000};
	static const struct shape two = {65, 3, 3, 2, 2, 2000000000};
	static const struct shape w1 = {30, 2, 1, 3, 2, 2000000000};

	/* 10 steps, window 2: 8 hand-outs an epoch, all readers idle */
	CU_ASSERT_EQUAL(check_queue(&one), 3 * 8);
	/*
	 * 21 steps, window 6: 15 hand-outs. Batch 0 is taken at 3.5 ms, when
	 * its reader has another to read, all others after the window's 18
	 * files are there, at 9 ms.
	 */
	CU_ASSERT_EQUAL(check_queue(&two), 2 * 14);
	/* 15 steps, window 3; the first takes come while reader 0 works */
	CU_ASSERT(check_queue(&w1) > 0);
}

/* A slow drive: with a factor of 2 the readers have a batch waiting. */
static void test_drive_is_slow(void)
{
	static const struct shape one = {41, 4, 2, 1, 2, 50000000};
	static const struct shape two = {65, 3, 3, 2, 2, 50000000};

	CU_ASSERT_EQUAL(check_queue(&one), 2 * 8);
	CU_ASSERT_EQUAL(check_queue(&two), 0);
}

/*
 * Nothing is opened before the block starts, be the barrier before it ever so
 * slow (7 s), and every epoch begins with an empty queue: 24 opens each.
 */
static void test_nothing_before_the_block(void)
{
	static const struct shape h = {24, 2, 2, 2, 4, 500000000};
	struct rec_epoch *ep;
	uint32_t epoch;
	struct sim s;
	struct err e;
	size_t i = 0;

	setup(&s, &h);
	s.barrier_ns = 7000 * MS;
	CU_ASSERT_EQUAL_FATAL(sim_run(&s, &e), 0);
	CU_ASSERT_EQUAL_FATAL(s.event_count, 4 * 2 * 24);
	for (epoch = 0; epoch < 4; epoch++) {
		ep = sim_epoch(&s, 0, epoch);
		CU_ASSERT_EQUAL(ep->block_ns,
			(epoch ? sim_epoch(&s, 0, epoch - 1)->end_ns : 0) +
				7000 * MS);
		CU_ASSERT_EQUAL(s.events[i].ns, ep->block_ns);
		for (; i < 48 * (epoch + 1); i++) {
			CU_ASSERT(s.events[i].ns >= ep->block_ns);
			CU_ASSERT(s.events[i].ns <= ep->block_end_ns);
		}
		/* a step's barrier is not part of proc */
		CU_ASSERT_EQUAL(ep->barrier_ns[3], 7000 * MS);
		CU_ASSERT_EQUAL(ep->proc_ns[11], 10 * MS);
	}
	sim_close(&s);
}

/* W readers, one whole file at a time each; requests within their depth. */
static void test_depth(void)
{
	int64_t open = 0, most = 0;
	struct sim s;
	struct err e;
	size_t i;

	sim_shape(&s, 60, 2, 3);
	s.c.queue_depth = 4;
	s.c.transfer_bytes = 65536; /* 16 requests a file: 15.3 */
	s.drive.latency_ns = 1 * MS;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 12);
	CU_ASSERT_EQUAL_FATAL(sim_run(&s, &e), 0);
	for (i = 0; i < s.event_count; i++) {
		open += s.events[i].open ? 1 : -1;
		most = open > most ? open : most;
	}
	CU_ASSERT_EQUAL(most, 3);
	CU_ASSERT_EQUAL(s.most_in_flight, 12);
	CU_ASSERT_EQUAL(s.requests, 60 * 16);
	sim_close(&s);
	/* alone, a reader does not take what its neighbour leaves */
	sim_shape(&s, 1, 1, 2);
	s.c.queue_depth = 4;
	s.c.transfer_bytes = 65536;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 8);
	CU_ASSERT_EQUAL_FATAL(sim_run(&s, &e), 0);
	CU_ASSERT_EQUAL(s.most_in_flight, 4);
	sim_close(&s);
}

/*
 * A rank's buffers are capped at 48 MiB together, but every reader has one:
 * 4 x 16 x 1 MiB -> 48; 4 MiB -> 12; 64 MiB -> 4. With fewer buffers than the
 * depth allows the readers take turns, and all is read all the same.
 */
static void test_scarce_buffers(void)
{
	struct sim s;
	struct err e;

	sim_init(&s);
	s.c.read_threads = 4;
	s.c.queue_depth = 16;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 48);
	s.c.transfer_bytes = 4 << 20;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 12);
	s.c.transfer_bytes = 64 << 20;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 4);
	s.c.queue_depth = 1;
	s.c.transfer_bytes = 1 << 20;
	CU_ASSERT_EQUAL(training_buffers(&s.c), 4);

	s.c.queue_depth = 16;
	s.c.transfer_bytes = 4 << 20;
	s.file_bytes = 50 << 20; /* 13 requests: 12 x 4 MiB + 2 MiB */
	s.c.files = 24;
	CU_ASSERT_EQUAL_FATAL(sim_run(&s, &e), 0);
	CU_ASSERT_EQUAL(s.most_in_flight, 12);
	CU_ASSERT_EQUAL(s.opens, 24);
	CU_ASSERT_EQUAL(s.closes, 24);
	CU_ASSERT_EQUAL(s.requests, 24 * 13);
	CU_ASSERT_EQUAL(s.engine->bytes_read, UINT64_C(24) * (50 << 20));
	sim_close(&s);
}

UT_SUITE(training_queue, UT_CASE(test_readers_wait),
	UT_CASE(test_drive_is_slow), UT_CASE(test_nothing_before_the_block),
	UT_CASE(test_depth), UT_CASE(test_scarce_buffers))
