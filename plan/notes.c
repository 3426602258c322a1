/* Notes of runs; see notes.h. */
#include "plan/notes.h"

#include "core/units.h"

#include <errno.h>
#include <string.h>

void notes_buffers(struct record *rec, const struct buffers *b)
{
	if (!b->mem)
		return;
	if (!b->huge)
		record_note(rec, "huge-pages",
			"I/O buffers got 4-KiB pages instead of huge pages "
			"(/sys/kernel/mm/transparent_hugepage/enabled is "
			"\"never\", this process may not (PR_SET_THP_DISABLE), "
			"or memory is fragmented): large reads are cut into "
			"small device requests");
	if (b->register_error)
		record_note(rec, "registered-buffers",
			"I/O buffers are not registered with io_uring (%s%s): "
			"more CPU per request",
			strerror(-b->register_error),
			b->register_error == -ENOMEM
				? ", ulimit -l is too low"
				: "");
}

/* Measurements follow CLOCK_MONOTONIC; the stamps in result files do not. */
void notes_wall_step(struct record *rec, const struct clock *c)
{
	int64_t step_ns = clock_wall_step_ns(c);
	uint32_t i;

	if (step_ns < NS_PER_S && step_ns > -NS_PER_S)
		return;
	/* told once, with the first figure */
	for (i = 0; i < rec->note_count; i++)
		if (!strcmp(rec->notes[i].id, "wall-clock"))
			return;
	record_note(rec, "wall-clock",
		"the wall clock was set (or the host slept) by %+.1f s: time "
		"stamps follow the clock as it was, measured times "
		"(CLOCK_MONOTONIC) are not touched",
		(double)step_ns / 1e9);
}

void notes_model(struct record *rec, const char *drive,
	const struct engine_spec *s)
{
	const struct drive_profile *d = &s->drive;

	if (s->kind != ENGINE_MODEL)
		return;
	record_note(rec, "drive-model",
		"%s%s is modelled from %s: reads %.1f GB/s, writes %.1f GB/s, "
		"%.0f k random reads/s of 4 KiB, %g us alone%s%s",
		d->count > 1 ? "each drive of " : "", drive,
		d->measured ? "measurements (drive probe)"
			    : "its profile, not measured here",
		d->sequential_read_gb_per_s, d->sequential_write_gb_per_s,
		d->random_read_kiops, d->read_latency_us,
		d->note[0] ? "; " : "", d->note);
	if (!s->host.name[0])
		return;
	record_note(rec, "host-model",
		"host model %s: %.1f ms of software a step beside the drive%s",
		s->host.name, (double)s->host.step_ns / 1e6,
		s->host.step_ns ? " (calibrated to published results)" : "");
}

static int take_notes(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	struct record *rec = arg;
	const struct rec_note *n = buf;
	size_t i;

	for (i = 0; process && i < size_bytes / sizeof(*n); i++)
		if (record_note(rec, n[i].id, "%s", n[i].text))
			return err_nomem(e, "notes");
	return 0;
}

int notes_gather(struct group *g, struct record *rec, struct err *e)
{
	return group_gather(g, rec->notes,
		rec->note_count * sizeof(*rec->notes), take_notes, rec, e);
}
