/* The report of a checkpointing run, as text and as JSON. */
#include "cli/checkpointing.h"

#include "core/json.h"
#include "core/units.h"
#include "results/ckpt_json.h"
#include "results/drive.h"

#include <cJSON.h>
#include <inttypes.h>

static const char *io_name(const struct ckpt_config *c)
{
	return c->io == CKPT_IO_DIRECT ? "direct" : "reference";
}

static void headline(FILE *f, const struct ckpt_record *rec)
{
	const struct ckpt_phase *s = &rec->save, *l = &rec->load;

	fprintf(f, "%s, %" PRIu64 " ranks, --io %s:",
		rec->config.shape.model.name, rec->config.shape.ranks,
		io_name(&rec->config));
	if (s->count)
		fprintf(f, " save %.3f GiB/s (%.3f s)", s->rate_mean_gib_s,
			s->duration_mean_s);
	if (s->count && l->count)
		fprintf(f, ",");
	if (l->count)
		fprintf(f, " load %.3f GiB/s (%.3f s)", l->rate_mean_gib_s,
			l->duration_mean_s);
	if (l->count && !l->valid)
		fprintf(f, ": %.1f %% cached, LOAD INVALID", l->cached_pct);
	fprintf(f, "\n");
}

static void print_phase(FILE *f, const struct ckpt_record *rec,
	const char *name, const struct ckpt_phase *p)
{
	if (!p->count)
		return;
	fprintf(f, "%s %u x %.6f GiB\n", name, p->count,
		checkpointing_gib(rec->bytes));
	fprintf(f, "  reference (rank 0's time)   %.3f GiB/s (stdev %.3f), "
		"%.3f s (stdev %.3f)\n", p->rate_mean_gib_s,
		p->rate_stdev_gib_s, p->duration_mean_s, p->duration_stdev_s);
	fprintf(f, "  strict (slowest rank)       %.3f GiB/s over all, "
		"%.3f s a checkpoint, slowest %.3f s (%.3f GiB/s)\n",
		p->total_gib_s, p->slowest_mean_s, p->slowest_max_s,
		p->lowest_gib_s);
	if (p == &rec->load)
		fprintf(f, "  page cache before           %.1f %%: %s\n",
			p->cached_pct,
			p->cache_unknown ? "NOT EVALUATED, this file system "
					   "cannot tell"
			: p->valid	 ? "cold"
					 : "load invalid");
	if (rec->base.time.is_virtual)
		return;
	if (p == &rec->load)
		fprintf(f, "  device moved                %.2f of %.2f GiB\n",
			checkpointing_gib(p->device_bytes),
			checkpointing_gib(p->bytes));
	if (p == &rec->save && p->fill_gib_s > 0)
		fprintf(f, "  content                     made at %.2f GiB/s a "
			"rank while it was written, %.1f times as fast\n",
			p->fill_gib_s, 100 / p->fill_pct);
	if (p == &rec->save)
		fprintf(f, "  fsync                       %.1f %% of the time\n",
			p->sync_pct);
	fprintf(f, "  CPU                         %.3f s a GiB\n",
		p->cpu_s_per_gib);
}

void checkpointing_print_text(FILE *f, const struct ckpt_record *rec)
{
	char line[RESULTS_DRIVE_LINE_MAX];
	uint64_t verified = 0, i;
	uint32_t n;

	headline(f, rec);
	for (n = 0; n < rec->base.note_count; n++)
		fprintf(f, "note: %s\n", rec->base.notes[n].text);
	print_phase(f, rec, "saves", &rec->save);
	print_phase(f, rec, "loads", &rec->load);
	for (i = 0; i < rec->config.shape.ranks * rec->op_count; i++)
		verified += rec->ops[i].verified_bytes;
	if (rec->config.verify)
		fprintf(f, "verified %" PRIu64 " bytes: all as saved\n",
			verified);
	if (rec->config.rotate)
		fprintf(f, "rank r loaded what rank r + %u has saved\n",
			rec->config.rotate);
	if (rec->base.time.is_virtual)
		fprintf(f, "modelled: %s\n", rec->base.config.drive);
	if (rec->base.drive.known)
		fprintf(f, "drive: %s\n",
			results_drive_line(
				line, sizeof(line), &rec->base.drive));
}

static bool add_ops(struct cJSON *o, const struct ckpt_record *rec)
{
	struct cJSON *list = json_add_array(o, "ranks"), *rank, *ops, *x;
	const struct ckpt_op *op;
	bool ok = list != NULL;
	uint64_t r;
	uint32_t i;

	for (r = 0; ok && r < rec->config.shape.ranks; r++) {
		rank = json_add_object(list, NULL);
		ok = rank && json_add_u64(rank, "rank", r);
		ops = ok ? json_add_array(rank, "ops") : NULL;
		for (i = 0; ops && ok && i < rec->op_count; i++) {
			op = ckpt_record_op(rec, r, i);
			x = json_add_object(ops, NULL);
			ok = x &&
			     json_add_string(
				     x, "op", op->load ? "load" : "save") &&
			     json_add_u64(x, "checkpoint", op->step) &&
			     json_add_i64(x, "start_ns", op->start_ns) &&
			     json_add_i64(x, "end_ns", op->end_ns) &&
			     json_add_u64(x, "bytes", op->bytes) &&
			     json_add_u64(x, "device_bytes", op->device_bytes) &&
			     json_add_u64(x, "cached_bytes", op->cached_bytes) &&
			     json_add_u64(x, "verified_bytes",
				     op->verified_bytes);
		}
		ok = ok && ops;
	}
	return ok;
}

static bool fill(struct cJSON *o, const struct ckpt_record *rec)
{
	const struct ckpt_config *c = &rec->config;
	struct cJSON *notes, *x;
	uint32_t i;
	bool ok;

	ok = json_add_string(o, "status",
		     rec->finished ? "finished" : "failed") &&
	     json_add_string(o, "model", c->shape.model.name) &&
	     json_add_u64(o, "num_processes", c->shape.ranks) &&
	     json_add_string(o, "io", io_name(c)) &&
	     json_add_string(o, "engine", rec->base.config.engine) &&
	     json_add_string(o, "drive", rec->base.config.drive) &&
	     (!rec->base.drive.known ||
		     json_add(o, "passport",
			     results_drive_json(&rec->base.drive))) &&
	     json_add_bool(o, "virtual_time", rec->base.time.is_virtual) &&
	     json_add_bool(o, "scaled",
		     c->shape.scale_num != c->shape.scale_den) &&
	     json_add_bool(o, "subset", c->shape.subset) &&
	     json_add_u64(o, "rotate", c->rotate) &&
	     json_add_u64(o, "checkpoint_bytes", rec->bytes) &&
	     json_add_double(o, "checkpoint_size_GB",
		     checkpointing_gib(rec->bytes)) &&
	     results_add_ckpt_phase(o, "save", "save", &rec->save) &&
	     results_add_ckpt_phase(o, "load", "load", &rec->load);
	notes = ok ? json_add_array(o, "notes") : NULL;
	ok = notes != NULL;
	for (i = 0; ok && i < rec->base.note_count; i++) {
		x = json_add_object(notes, NULL);
		ok = x && json_add_string(x, "id", rec->base.notes[i].id) &&
		     json_add_string(x, "text", rec->base.notes[i].text);
	}
	return ok && (!rec->finished || add_ops(o, rec));
}

struct cJSON *checkpointing_json(const struct ckpt_record *rec)
{
	struct cJSON *o = cJSON_CreateObject();

	if (o && fill(o, rec))
		return o;
	cJSON_Delete(o);
	return NULL;
}
