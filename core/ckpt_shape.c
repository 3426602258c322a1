/* Sizes of checkpoints in whole numbers; see ckpt_shape.h. */
#include "core/ckpt_shape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint64_t kv_width(const struct ckpt_model *m)
{
	return m->hidden / m->heads * m->kv_heads;
}

static uint64_t parameters(const struct ckpt_model *m)
{
	uint64_t h = m->hidden, k = kv_width(m);
	uint64_t block = 2 * h + h * (h + 2 * k) + h * h + 3 * h * m->ffn;

	return 2 * m->vocab * h + h + m->layers * block;
}

struct ckpt_place ckpt_place(const struct ckpt_shape *s, uint64_t rank)
{
	uint64_t t = s->model.tensor, tp = t * s->model.pipeline;
	struct ckpt_place p = {
		.tp = rank % t,
		.pp = rank / t % s->model.pipeline,
		.dp = rank / tp,
		.mp = rank % tp,
	};

	return p;
}

void ckpt_stage_blocks(const struct ckpt_shape *s, uint64_t stage,
	uint64_t *first, uint64_t *count)
{
	uint64_t q = s->model.layers / s->model.pipeline;
	uint64_t more = s->model.layers % s->model.pipeline;

	*count = q + (stage < more);
	*first = 1 + stage * q + (stage < more ? stage : more);
}

/* Bytes of what one rank has of a layer, full scale. */
static uint64_t layer_bytes(const struct ckpt_shape *s, uint64_t layer)
{
	const struct ckpt_model *m = &s->model;
	uint64_t h = m->hidden, t = m->tensor, k = kv_width(m);
	uint64_t d = m->zero_stage == 3 ? s->data : 1, n;

	if (layer == 0 || layer == m->layers + 1)
		n = h * m->vocab / t / d;
	else if (layer == m->layers + 2)
		n = h / d;
	else
		n = 2 * (h / d) + h * (h + 2 * k) / t / d + h * h / t / d +
		    2 * h * m->ffn / t / d + h * m->ffn / t / d;
	return n * m->model_element_bytes;
}

/* Layer i of a stage; false behind the last. */
static bool stage_layer(const struct ckpt_shape *s, uint64_t stage, uint64_t i,
	uint64_t *layer)
{
	uint64_t first, count, ends = 0;

	ckpt_stage_blocks(s, stage, &first, &count);
	if (stage == 0) {
		first--;
		count++;
	}
	if (stage == s->model.pipeline - 1)
		ends = 2;
	*layer = first + i;
	return i < count + ends;
}

static bool has_model(const struct ckpt_shape *s, uint64_t rank)
{
	return s->model.zero_stage == 3 || !ckpt_place(s, rank).dp;
}

static uint32_t model_files(const struct ckpt_shape *s, uint64_t rank)
{
	uint64_t layer;
	uint32_t n = 0;

	if (!has_model(s, rank))
		return 0;
	if (s->model.pipeline == 1)
		return 1;
	while (stage_layer(s, ckpt_place(s, rank).pp, n, &layer))
		n++;
	return n;
}

uint32_t ckpt_rank_files(const struct ckpt_shape *s, uint64_t rank)
{
	return model_files(s, rank) + 1;
}

static uint64_t scaled(const struct ckpt_shape *s, uint64_t bytes)
{
	uint64_t n = (uint64_t)((unsigned __int128)bytes * s->scale_num /
				s->scale_den);

	return n ? n : 1;
}

void ckpt_rank_file(const struct ckpt_shape *s, uint64_t rank, uint32_t i,
	struct ckpt_file *f)
{
	uint64_t stage = ckpt_place(s, rank).pp, n = 0, layer;

	f->layer = CKPT_ALL_LAYERS;
	f->optimizer = i >= model_files(s, rank);
	if (f->optimizer) {
		f->bytes = s->model.optimizer_element_bytes *
			   (3 * s->group_elements + 15 * s->model.hidden);
	} else if (s->model.pipeline == 1) {
		f->bytes = 0;
		while (stage_layer(s, stage, n++, &layer))
			f->bytes += layer_bytes(s, layer);
	} else {
		stage_layer(s, stage, i, &f->layer);
		f->bytes = layer_bytes(s, f->layer);
	}
	f->bytes = scaled(s, f->bytes);
}

const char *ckpt_file_name(const struct ckpt_shape *s, uint64_t rank,
	const struct ckpt_file *f, char buf[CKPT_FILE_NAME_MAX])
{
	struct ckpt_place p = ckpt_place(s, rank);

	if (f->optimizer || s->model.zero_stage == 3)
		snprintf(buf, CKPT_FILE_NAME_MAX,
			"zero_pp_rank_%" PRIu64 "_mp_rank_%" PRIu64
			"_%s_states.pt", p.dp, p.mp,
			f->optimizer ? "optim" : "model");
	else if (f->layer == CKPT_ALL_LAYERS)
		snprintf(buf, CKPT_FILE_NAME_MAX,
			"model_%" PRIu64 "_model_states.pt", p.mp);
	else
		snprintf(buf, CKPT_FILE_NAME_MAX,
			"layer_%" PRIu64 "-model_%" PRIu64 "_model_states.pt",
			f->layer, p.mp);
	return buf;
}

void ckpt_rank_bytes(
	const struct ckpt_shape *s, uint64_t rank, struct ckpt_bytes *b)
{
	uint32_t i, n = ckpt_rank_files(s, rank);
	struct ckpt_file f;

	memset(b, 0, sizeof(*b));
	b->files = n;
	for (i = 0; i < n; i++) {
		ckpt_rank_file(s, rank, i, &f);
		*(f.optimizer ? &b->optimizer : &b->model) += f.bytes;
	}
}

void ckpt_totals(const struct ckpt_shape *s, struct ckpt_totals *t)
{
	struct ckpt_bytes b;
	uint64_t r, sum;

	memset(t, 0, sizeof(*t));
	t->lightest_bytes = UINT64_MAX;
	for (r = 0; r < s->ranks; r++) {
		ckpt_rank_bytes(s, r, &b);
		sum = b.model + b.optimizer;
		t->sum.model += b.model;
		t->sum.optimizer += b.optimizer;
		t->sum.files += b.files;
		if (sum > t->heaviest_bytes)
			t->heaviest_bytes = sum;
		if (sum < t->lightest_bytes)
			t->lightest_bytes = sum;
	}
	t->bytes = t->sum.model + t->sum.optimizer;
}

static int divide(struct ckpt_shape *s, enum ckpt_mode mode, struct err *e)
{
	const struct ckpt_model *m = &s->model;
	uint64_t tp = m->tensor * m->pipeline;

	s->subset = mode == CKPT_SUBSET ||
		    (mode == CKPT_AUTO && s->ranks < m->closed_ranks);
	if (s->subset && s->ranks > m->closed_ranks)
		return err_set(e, ERR_USAGE, -EINVAL,
			"a subset of %s has at most %" PRIu64 " ranks (those "
			"of its full scale), not %" PRIu64, m->name,
			m->closed_ranks, s->ranks);
	if (!s->subset && s->ranks % tp)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%" PRIu64 " ranks cannot hold %s: they must be a "
			"multiple of tensor x pipeline = %" PRIu64 " (%" PRIu64
			" or %" PRIu64 "); a subset takes any number below %"
			PRIu64, s->ranks, m->name, tp,
			s->ranks < tp ? tp : s->ranks / tp * tp,
			(s->ranks / tp + 1) * tp, m->closed_ranks);
	s->data = (s->subset ? m->closed_ranks : s->ranks) / tp;
	return 0;
}

int ckpt_shape_init(struct ckpt_shape *s, const struct ckpt_model *m,
	uint64_t ranks, enum ckpt_mode mode, uint32_t scale_num,
	uint32_t scale_den, struct err *e)
{
	uint64_t r;
	int ret;

	memset(s, 0, sizeof(*s));
	s->model = *m;
	s->ranks = ranks;
	s->scale_num = scale_num;
	s->scale_den = scale_den;
	if (!ranks || ranks > 1 << 20)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%" PRIu64 " ranks: 1 ... %d", ranks, 1 << 20);
	ret = divide(s, mode, e);
	if (ret)
		return ret;
	s->parameters = parameters(m);
	s->group_elements =
		s->parameters / (s->data * m->tensor * m->pipeline);
	for (r = 0; r < ranks && r < m->tensor * m->pipeline; r++)
		if (ckpt_rank_files(s, r) > s->files_per_rank)
			s->files_per_rank = ckpt_rank_files(s, r);
	return 0;
}
