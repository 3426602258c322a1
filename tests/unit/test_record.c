#include "core/record.h"

#include "tests/unit/ut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct rec_rank *k)
{
	struct rec_epoch *ep;
	uint32_t i, s;

	CU_ASSERT_EQUAL_FATAL(rec_rank_init(k, 2, 3), 0);
	k->rank = 5;
	k->host = 1;
	k->pid = 4242;
	for (i = 0; i < 2; i++) {
		ep = &k->epochs[i];
		ep->start_ns = 1000 * i;
		ep->bytes_asked = 1ULL << 60;
		for (s = 0; s < 3; s++) {
			ep->load_ns[s] = 10 * i + s;
			ep->proc_ns[s] = 20 * i + s;
			ep->compute_ns[s] = 30 * i + s;
			ep->barrier_ns[s] = 40 * i + s;
		}
	}
	k->epochs[1].meminfo = strdup("MemTotal: 1 kB\n");
	for (i = 0; i < 100; i++)
		hist_record(&k->hists[REC_LATENCY_NS], 80000 + i * 1000);
	hist_record(&k->hists[REC_IN_FLIGHT], 3);
}

static void test_pack_and_back(void)
{
	struct rec_rank k, out;
	struct err e = {0};
	void *buf = NULL;
	size_t size = 0;

	fill(&k);
	CU_ASSERT_EQUAL_FATAL(rec_rank_pack(&k, &buf, &size), 0);
	CU_ASSERT_EQUAL_FATAL(rec_rank_unpack(&out, buf, size, &e), 0);
	CU_ASSERT_EQUAL(out.rank, 5);
	CU_ASSERT_EQUAL(out.pid, 4242);
	CU_ASSERT_EQUAL_FATAL(out.epoch_count, 2);
	CU_ASSERT_EQUAL(out.epochs[1].steps, 3);
	CU_ASSERT_EQUAL(out.epochs[1].start_ns, 1000);
	CU_ASSERT_EQUAL(out.epochs[1].bytes_asked, 1ULL << 60);
	CU_ASSERT_EQUAL(out.epochs[1].load_ns[2], 12);
	CU_ASSERT_EQUAL(out.epochs[1].proc_ns[2], 22);
	CU_ASSERT_EQUAL(out.epochs[1].compute_ns[2], 32);
	CU_ASSERT_EQUAL(out.epochs[1].barrier_ns[2], 42);
	CU_ASSERT_EQUAL(out.hists[REC_LATENCY_NS].count, 100);
	CU_ASSERT_EQUAL(out.hists[REC_LATENCY_NS].max, 179000);
	CU_ASSERT_EQUAL(hist_percentile(&out.hists[REC_LATENCY_NS], 500000),
		hist_percentile(&k.hists[REC_LATENCY_NS], 500000));
	CU_ASSERT_EQUAL(out.hists[REC_REQUEST_BYTES].count, 0);
	CU_ASSERT_PTR_NULL(out.hists[REC_REQUEST_BYTES].counts);
	CU_ASSERT_EQUAL(out.hists[REC_IN_FLIGHT].max, 3);
	CU_ASSERT_PTR_NULL(out.epochs[0].meminfo);
	CU_ASSERT_STRING_EQUAL(out.epochs[1].meminfo, "MemTotal: 1 kB\n");
	rec_rank_fini(&out);
	rec_rank_fini(&k);
	free(buf);
}

/* Fewer steps run than were allocated: only those travel. */
static void test_pack_short_epoch(void)
{
	struct rec_rank k, out;
	struct err e = {0};
	size_t size;
	void *buf;

	fill(&k);
	k.epochs[1].steps = 1;
	CU_ASSERT_EQUAL_FATAL(rec_rank_pack(&k, &buf, &size), 0);
	CU_ASSERT_EQUAL_FATAL(rec_rank_unpack(&out, buf, size, &e), 0);
	CU_ASSERT_EQUAL(out.epochs[1].steps, 1);
	CU_ASSERT_EQUAL(out.epochs[1].barrier_ns[0], 40);
	rec_rank_fini(&out);
	rec_rank_fini(&k);
	free(buf);
}

/* Any cut and any single changed byte: an error or a record, no overrun. */
static void test_unpack_damaged(void)
{
	struct rec_rank k, out;
	unsigned char *copy;
	struct err e = {0};
	size_t size, i;
	void *buf;

	fill(&k);
	CU_ASSERT_EQUAL_FATAL(rec_rank_pack(&k, &buf, &size), 0);
	for (i = 0; i < size; i++) {
		copy = malloc(i ? i : 1);
		memcpy(copy, buf, i);
		CU_ASSERT_EQUAL(rec_rank_unpack(&out, copy, i, &e), -EBADMSG);
		CU_ASSERT_PTR_NULL(out.epochs);
		free(copy);
	}
	copy = malloc(size);
	for (i = 0; i < size; i++) {
		memcpy(copy, buf, size);
		copy[i] ^= 0xff;
		if (!rec_rank_unpack(&out, copy, size, &e))
			rec_rank_fini(&out);
	}
	CU_ASSERT_EQUAL(rec_rank_unpack(&out, copy, 0, &e), -EBADMSG);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "0 bytes"));
	free(copy);
	rec_rank_fini(&k);
	free(buf);
}

/* Buckets that no histogram has, or more than were sent. */
static void test_unpack_bad_buckets(void)
{
	static const struct {
		uint32_t first, n;
	} bad[] = {{HIST_BUCKETS, 32}, {HIST_BUCKETS + 1, 0}, {32, UINT32_MAX},
		{0, HIST_BUCKETS}, {UINT32_MAX, 1}, {0, 0}};
	struct rec_rank k, out;
	struct err e = {0};
	size_t size, i, at;
	struct hist *h;
	void *buf;

	fill(&k);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CU_ASSERT_EQUAL_FATAL(rec_rank_pack(&k, &buf, &size), 0);
		at = 24 + offsetof(struct rec_rank, hists); /* behind the head */
		h = malloc(sizeof(*h));
		memcpy(h, (char *)buf + at, sizeof(*h));
		CU_ASSERT_EQUAL(h->count, 100);
		h->first = bad[i].first;
		h->n = bad[i].n;
		memcpy((char *)buf + at, h, sizeof(*h));
		CU_ASSERT_EQUAL(
			rec_rank_unpack(&out, buf, size, &e), -EBADMSG);
		free(h);
		free(buf);
	}
	rec_rank_fini(&k);
}

static void test_run_hist(void)
{
	struct rec_run run = {.rank_count = 2};
	struct hist all = {0};

	run.ranks = calloc(2, sizeof(*run.ranks));
	fill(&run.ranks[0]);
	fill(&run.ranks[1]);
	hist_record(&run.ranks[1].hists[REC_LATENCY_NS], 5000000);
	CU_ASSERT_EQUAL(rec_run_hist(&run, REC_LATENCY_NS, &all), 0);
	CU_ASSERT_EQUAL(all.count, 201);
	CU_ASSERT_EQUAL(all.min, 80000);
	CU_ASSERT_EQUAL(all.max, 5000000);
	CU_ASSERT_STRING_EQUAL(rec_hist_name(REC_LATENCY_NS), "latency_ns");
	hist_fini(&all);
	rec_run_fini(&run);
}

static void test_notes_once(void)
{
	struct record r;

	record_init(&r);
	CU_ASSERT_EQUAL(record_note(&r, "cache-drop", "host %d", 1), 0);
	CU_ASSERT_EQUAL(record_note(&r, "cache-drop", "host %d", 1), 0);
	CU_ASSERT_EQUAL(record_note(&r, "cache-drop", "host %d", 2), 0);
	CU_ASSERT_EQUAL_FATAL(r.note_count, 2);
	CU_ASSERT_STRING_EQUAL(r.notes[1].text, "host 2");
	record_fini(&r);
	CU_ASSERT_EQUAL(r.note_count, 0);
}

static void test_runs(void)
{
	struct rec_run *run;
	struct record r;
	int i;

	record_init(&r);
	for (i = 0; i < 6; i++) {
		run = record_add_run(&r);
		CU_ASSERT_PTR_NOT_NULL_FATAL(run);
		CU_ASSERT_EQUAL(run->rank_count, 0);
		run->index = (uint32_t)i;
	}
	run->ranks = calloc(1, sizeof(*run->ranks));
	run->rank_count = 1;
	fill(run->ranks);
	CU_ASSERT_EQUAL(r.run_count, 6);
	CU_ASSERT_EQUAL(r.runs[3].index, 3);
	record_fini(&r);
}

static void test_names(void)
{
	CU_ASSERT_STRING_EQUAL(rec_division_name(DIV_WHATIF), "whatif");
	CU_ASSERT_STRING_EQUAL(rec_division_name(DIV_CLOSED), "closed");
	CU_ASSERT_STRING_EQUAL(rec_division_name(DIV_OPEN), "open");
	CU_ASSERT_STRING_EQUAL(rec_status_name(REC_FINISHED), "finished");
	CU_ASSERT_STRING_EQUAL(rec_status_name(REC_INTERRUPTED), "interrupted");
}

static void test_format_au(void)
{
	char b[REC_AU_TEXT_MAX];

	CU_ASSERT_STRING_EQUAL(
		rec_format_au(b, 89.99999999999999, 900000, true), "90.000");
	CU_ASSERT_STRING_EQUAL(
		rec_format_au(b, 90.0, 900000, false), "89.999999999999");
	CU_ASSERT_STRING_EQUAL(
		rec_format_au(b, 89.9999, 900000, false), "89.9999");
	CU_ASSERT_STRING_EQUAL(
		rec_format_au(b, 97.2381, 900000, true), "97.238");
	CU_ASSERT_STRING_EQUAL(rec_format_au(b, 0, 900000, false), "0.000");
	CU_ASSERT_STRING_EQUAL(rec_format_au(b, 85, 850000, true), "85.000");
	CU_ASSERT_STRING_EQUAL(
		rec_format_au(b, 84.9996, 850000, false), "84.9996");
}

UT_SUITE(record, UT_CASE(test_pack_and_back), UT_CASE(test_pack_short_epoch),
	UT_CASE(test_unpack_damaged), UT_CASE(test_unpack_bad_buckets),
	UT_CASE(test_run_hist), UT_CASE(test_notes_once),
	UT_CASE(test_runs), UT_CASE(test_names), UT_CASE(test_format_au))
