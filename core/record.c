/* Life and transport of a run's record; see record.h. */
#include "core/record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACK_MAGIC 0x324b4e4152544b53ULL /* "SKTRANK2", little endian */
#define STEP_ARRAYS 4

const char *rec_division_name(enum rec_division d)
{
	switch (d) {
	case DIV_WHATIF:
		return "whatif";
	case DIV_CLOSED:
		return "closed";
	case DIV_OPEN:
		return "open";
	}
	return "?";
}

const char *rec_status_name(enum rec_status s)
{
	switch (s) {
	case REC_RUNNING:
		return "running";
	case REC_FINISHED:
		return "finished";
	case REC_FAILED:
		return "failed";
	case REC_INTERRUPTED:
		return "interrupted";
	}
	return "?";
}

const char *rec_hist_name(enum rec_hist h)
{
	switch (h) {
	case REC_LATENCY_NS:
		return "latency_ns";
	case REC_REQUEST_BYTES:
		return "request_bytes";
	case REC_IN_FLIGHT:
		return "in_flight";
	case REC_HISTS:
		break;
	}
	return "?";
}

const char *rec_format_au(char buf[REC_AU_TEXT_MAX], double au_pct,
	uint32_t floor_ppm, bool meets)
{
	double floor_pct = floor_ppm / 1e4;
	int digits;

	for (digits = 3; digits <= 12; digits++) {
		snprintf(buf, REC_AU_TEXT_MAX, "%.*f", digits, au_pct);
		if ((strtod(buf, NULL) >= floor_pct) == meets)
			return buf;
	}
	/* The double lies on the wrong side, less than 1e-12 from the floor. */
	if (meets)
		snprintf(buf, REC_AU_TEXT_MAX, "%.3f", floor_pct);
	else
		snprintf(buf, REC_AU_TEXT_MAX, "%.12f", floor_pct - 1e-12);
	return buf;
}

void record_init(struct record *r)
{
	memset(r, 0, sizeof(*r));
}

void record_fini(struct record *r)
{
	uint32_t i;

	for (i = 0; i < r->host_count; i++) {
		free(r->hosts[i].cpuinfo);
		free(r->hosts[i].meminfo);
	}
	free(r->hosts);
	free(r->notes);
	for (i = 0; i < r->run_count; i++)
		rec_run_fini(&r->runs[i]);
	free(r->runs);
	memset(r, 0, sizeof(*r));
}

int record_note(struct record *r, const char *id, const char *fmt, ...)
{
	struct rec_note note = {0}, *p;
	va_list ap;
	uint32_t i;

	snprintf(note.id, sizeof(note.id), "%s", id);
	va_start(ap, fmt);
	vsnprintf(note.text, sizeof(note.text), fmt, ap);
	va_end(ap);
	for (i = 0; i < r->note_count; i++)
		if (!strcmp(r->notes[i].id, note.id) &&
			!strcmp(r->notes[i].text, note.text))
			return 0;
	p = realloc(r->notes, (r->note_count + 1UL) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	r->notes = p;
	p[r->note_count++] = note;
	return 0;
}

struct rec_run *record_add_run(struct record *r)
{
	struct rec_run *p;

	p = realloc(r->runs, (r->run_count + 1UL) * sizeof(*p));
	if (!p)
		return NULL;
	r->runs = p;
	p += r->run_count++;
	memset(p, 0, sizeof(*p));
	return p;
}

/* The four arrays of an epoch are one allocation, which load_ns owns. */
static int epoch_alloc(struct rec_epoch *ep, uint32_t steps)
{
	int64_t *p;

	p = calloc(steps ? steps : 1, STEP_ARRAYS * sizeof(*p));
	if (!p)
		return -ENOMEM;
	ep->steps = steps;
	ep->load_ns = p;
	ep->proc_ns = p + steps;
	ep->compute_ns = p + 2UL * steps;
	ep->barrier_ns = p + 3UL * steps;
	return 0;
}

int rec_rank_init(struct rec_rank *k, uint32_t epochs, uint32_t steps)
{
	uint32_t i;

	memset(k, 0, sizeof(*k));
	k->epochs = calloc(epochs ? epochs : 1, sizeof(*k->epochs));
	if (!k->epochs)
		return -ENOMEM;
	k->epoch_count = epochs;
	for (i = 0; i < epochs; i++) {
		if (epoch_alloc(&k->epochs[i], steps)) {
			rec_rank_fini(k);
			return -ENOMEM;
		}
	}
	return 0;
}

void rec_rank_fini(struct rec_rank *k)
{
	uint32_t i;

	for (i = 0; k->epochs && i < k->epoch_count; i++) {
		free(k->epochs[i].load_ns);
		free(k->epochs[i].meminfo);
	}
	for (i = 0; i < REC_HISTS; i++)
		hist_fini(&k->hists[i]);
	free(k->epochs);
	memset(k, 0, sizeof(*k));
}

int rec_run_hist(
	const struct rec_run *run, enum rec_hist which, struct hist *out)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; !ret && i < run->rank_count; i++)
		ret = hist_merge(out, &run->ranks[i].hists[which]);
	return ret;
}

void rec_quantiles_of(const struct hist *h, struct rec_quantiles *out)
{
	memset(out, 0, sizeof(*out));
	if (!h->count)
		return;
	out->count = h->count;
	out->min = h->min;
	out->p50 = hist_percentile(h, 500000);
	out->p99 = hist_percentile(h, 990000);
	out->p999 = hist_percentile(h, 999000);
	out->max = h->max;
	out->mean = hist_mean(h);
}

int rec_run_quantiles(const struct rec_run *run, enum rec_hist which,
	struct rec_quantiles *out)
{
	struct hist h = {0};
	int r = rec_run_hist(run, which, &h);

	*out = run->requests[which];
	if (!r && h.count)
		rec_quantiles_of(&h, out);
	hist_fini(&h);
	return r;
}

void rec_run_fini(struct rec_run *run)
{
	uint32_t i;

	for (i = 0; run->ranks && i < run->rank_count; i++)
		rec_rank_fini(&run->ranks[i]);
	free(run->ranks);
	free(run->metrics.au_pct);
	free(run->metrics.throughput_per_s);
	memset(run, 0, sizeof(*run));
}

/*
 * Packed form: head, struct rec_rank, the buckets of its histograms, and for
 * every epoch its struct, the length of meminfo with its zero byte (0: none),
 * four arrays, meminfo.
 * Pointers inside the structs are zero there. Both sides are one binary, so
 * the sizes of the structs in the head only catch mistakes.
 */
struct pack_head {
	uint64_t magic;
	uint64_t size_bytes;
	uint32_t rank_bytes, epoch_bytes;
};

static size_t array_bytes(const struct rec_epoch *ep)
{
	return ep->steps * sizeof(int64_t);
}

static size_t meminfo_bytes(const struct rec_epoch *ep)
{
	return ep->meminfo ? strlen(ep->meminfo) + 1 : 0;
}

static size_t hist_bytes(const struct hist *h)
{
	return h->n * sizeof(*h->counts);
}

static char *put(char *to, const void *from, size_t n)
{
	if (n)
		memcpy(to, from, n);
	return to + n;
}

static char *pack_epoch(char *p, const struct rec_epoch *ep)
{
	uint64_t text = meminfo_bytes(ep);
	struct rec_epoch flat = *ep;

	flat.load_ns = flat.proc_ns = NULL;
	flat.compute_ns = flat.barrier_ns = NULL;
	flat.meminfo = NULL;
	p = put(p, &flat, sizeof(flat));
	p = put(p, &text, sizeof(text));
	p = put(p, ep->load_ns, array_bytes(ep));
	p = put(p, ep->proc_ns, array_bytes(ep));
	p = put(p, ep->compute_ns, array_bytes(ep));
	p = put(p, ep->barrier_ns, array_bytes(ep));
	return put(p, ep->meminfo, text);
}

int rec_rank_pack(const struct rec_rank *k, void **buf, size_t *size_bytes)
{
	struct pack_head head = {PACK_MAGIC, 0, sizeof(struct rec_rank),
		sizeof(struct rec_epoch)};
	struct rec_rank flat = *k;
	size_t n = sizeof(head) + sizeof(flat);
	uint32_t i;
	char *p;

	for (i = 0; i < k->epoch_count; i++)
		n += sizeof(struct rec_epoch) + sizeof(uint64_t) +
		     STEP_ARRAYS * array_bytes(&k->epochs[i]) +
		     meminfo_bytes(&k->epochs[i]);
	for (i = 0; i < REC_HISTS; i++) {
		n += hist_bytes(&k->hists[i]);
		flat.hists[i].counts = NULL;
	}
	p = malloc(n);
	if (!p)
		return -ENOMEM;
	*buf = p;
	*size_bytes = n;
	head.size_bytes = n;
	flat.epochs = NULL;
	p = put(p, &head, sizeof(head));
	p = put(p, &flat, sizeof(flat));
	for (i = 0; i < REC_HISTS; i++)
		p = put(p, k->hists[i].counts, hist_bytes(&k->hists[i]));
	for (i = 0; i < k->epoch_count; i++)
		p = pack_epoch(p, &k->epochs[i]);
	return 0;
}

struct span {
	const char *p;
	size_t left;
};

static int take(struct span *s, void *to, size_t n)
{
	if (n > s->left)
		return -EBADMSG;
	if (n)
		memcpy(to, s->p, n);
	s->p += n;
	s->left -= n;
	return 0;
}

static int unpack_epoch(struct rec_epoch *ep, struct span *s)
{
	struct rec_epoch flat;
	uint64_t text;
	int ret;

	if (take(s, &flat, sizeof(flat)) || take(s, &text, sizeof(text)) ||
		flat.steps > s->left / (STEP_ARRAYS * sizeof(int64_t)))
		return -EBADMSG;
	ret = epoch_alloc(ep, flat.steps);
	if (ret)
		return ret;
	flat.load_ns = ep->load_ns;
	flat.proc_ns = ep->proc_ns;
	flat.compute_ns = ep->compute_ns;
	flat.barrier_ns = ep->barrier_ns;
	flat.meminfo = NULL;
	*ep = flat;
	ret = take(s, ep->load_ns, STEP_ARRAYS * array_bytes(ep));
	if (ret || !text)
		return ret;
	if (text > s->left || s->p[text - 1])
		return -EBADMSG;
	ep->meminfo = malloc(text);
	return ep->meminfo ? take(s, ep->meminfo, text) : -ENOMEM;
}

/* h holds the flat struct; its buckets come next. */
static int unpack_hist(struct hist *h, struct span *s)
{
	h->counts = NULL;
	if (h->first > HIST_BUCKETS || h->n > HIST_BUCKETS - h->first ||
		hist_bytes(h) > s->left || (h->count && !h->n)) {
		h->n = 0;
		return -EBADMSG;
	}
	if (!h->n)
		return 0;
	h->counts = malloc(hist_bytes(h));
	return h->counts ? take(s, h->counts, hist_bytes(h)) : -ENOMEM;
}

static int unpack_hists(struct rec_rank *k, struct span *s)
{
	struct hist flat;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < REC_HISTS; i++) {
		flat = k->hists[i];
		memset(&k->hists[i], 0, sizeof(flat));
		if (ret)
			continue;
		ret = unpack_hist(&flat, s);
		k->hists[i] = flat;
	}
	return ret;
}

static int unpack(struct rec_rank *k, struct span *s)
{
	struct pack_head head;
	struct rec_rank flat;
	size_t size = s->left;
	uint32_t i;
	int ret;

	if (take(s, &head, sizeof(head)) || head.magic != PACK_MAGIC ||
		head.size_bytes != size || head.rank_bytes != sizeof(flat) ||
		head.epoch_bytes != sizeof(*flat.epochs) ||
		take(s, &flat, sizeof(flat)) ||
		flat.epoch_count > s->left / sizeof(*flat.epochs))
		return -EBADMSG;
	flat.epochs = calloc(
		flat.epoch_count ? flat.epoch_count : 1, sizeof(*flat.epochs));
	if (!flat.epochs)
		return -ENOMEM;
	*k = flat;
	ret = unpack_hists(k, s);
	for (i = 0; !ret && i < k->epoch_count; i++)
		ret = unpack_epoch(&k->epochs[i], s);
	return ret ? ret : s->left ? -EBADMSG : 0;
}

int rec_rank_unpack(
	struct rec_rank *k, const void *buf, size_t size_bytes, struct err *e)
{
	struct span s = {buf, size_bytes};
	int ret;

	memset(k, 0, sizeof(*k));
	ret = unpack(k, &s);
	if (!ret)
		return 0;
	rec_rank_fini(k);
	if (ret == -ENOMEM)
		return err_nomem(e, "a rank's record");
	return err_set(e, ERR_BUG, ret,
		"a rank's record of %zu bytes is damaged or from another "
		"build of this program; start all ranks from one binary",
		size_bytes);
}
