/* What runs of all workloads open alike; see opened.h. */
#include "plan/opened.h"

#include "plan/hosts.h"
#include "plan/notes.h"
#include "storage/host.h"
#include "storage/memory.h"

#include <stdio.h>

void opened_names(
	struct record *rec, const struct group *g, bool virtual_time)
{
	snprintf(rec->config.group, sizeof(rec->config.group), "%s",
		g->ops->name);
	snprintf(rec->config.clock, sizeof(rec->config.clock), "%s",
		virtual_time ? "virtual" : "real");
}

void opened_clock(struct opened *o, bool virtual_time, int64_t not_before_ns,
	struct record *rec)
{
	struct clock *c = &o->clock;

	clock_start(c, virtual_time);
	if (c->is_virtual && !rec->config.results_dir[0])
		c->wall_anchor_ns = 0;
	else if (c->is_virtual && c->wall_anchor_ns < not_before_ns)
		c->wall_anchor_ns = not_before_ns;
	rec->time.wall_anchor_ns = c->wall_anchor_ns;
	rec->time.is_virtual = c->is_virtual;
}

int opened_check(const struct group *g, const struct engine_spec *spec,
	uint64_t each, uint64_t buffer_bytes, uint64_t files, struct err *e)
{
	struct memory_room room;
	int r;

	if (!engine_spec_is_real(spec))
		return 0;
	memory_available(&room);
	r = buffers_guard(g->ranks_on_host, each, buffer_bytes, &room, e);
	return r ? r : host_check_open_files(files, e);
}

int opened_engine(struct opened *o, const struct engine_spec *spec,
	bool tell_depth, struct record *rec, struct err *e)
{
	char why[512];
	int r = engine_open(spec, &o->clock, &o->engine, why, sizeof(why), e);

	if (r)
		return r;
	snprintf(rec->config.engine, sizeof(rec->config.engine), "%s",
		engine_name(o->engine));
	if (why[0] && tell_depth)
		record_note(
			rec, "engine", "%s, max depth %u", why, spec->depth);
	else if (why[0])
		record_note(rec, "engine", "%s", why);
	return 0;
}

int opened_buffers(struct opened *o, const struct engine_spec *spec,
	uint32_t count, uint64_t bytes, struct record *rec, struct err *e)
{
	int r = buffers_init(&o->buffers, o->engine, count, bytes,
		engine_spec_is_real(spec), e);

	notes_buffers(rec, &o->buffers);
	return r;
}

int opened_hosts(struct group *g, struct record *rec, struct err *e)
{
	/* the free memory of this minute is no part of a simulation */
	bool with_meminfo = rec->time.wall_anchor_ns != 0;

	return group_agree(g, hosts_gather(g, with_meminfo, rec, e), e);
}

int opened_shift(const struct opened *o, struct group *g, int64_t *shift_ns,
	struct err *e)
{
	int64_t anchor_ns = o->clock.wall_anchor_ns;
	int r = group_share(g, &anchor_ns, sizeof(anchor_ns), e);

	*shift_ns = o->clock.wall_anchor_ns - anchor_ns;
	return r;
}

int opened_end(const struct opened *o, struct group *g, int r,
	struct record *rec, struct err *e)
{
	if (g->host_leader)
		notes_wall_step(rec, &o->clock);
	return r ? r : group_agree(g, notes_gather(g, rec, e), e);
}

bool opened_close(struct opened *o)
{
	if (o->engine && o->engine->in_flight)
		return false;
	buffers_fini(&o->buffers);
	engine_close(o->engine);
	o->engine = NULL;
	return true;
}
