/* Inside a modelled drive; see drive_model.h. */
#include "storage/drive_model.h"

#include "core/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Calibrated (pe511, see the header): the part of a lone 4K read that its unit
 * is busy with, and how much more the units could read than the drive does.
 */
#define UNIT_SHARE 0.80
#define UNIT_SURPLUS 1.18

#define BIG_WRITE_BYTES 262144
/* Nothing has been read for so long: writes are alone. */
#define ALONE_NS (20 * NS_PER_MS)

int drive_mechanisms_parse(const char *text, uint32_t *bits, struct err *e)
{
	static const char *const names[] = {
		"command", "units", "buffer", "interference", "rmw", "link"};
	const char *s = text;
	size_t i, n;

	*bits = 0;
	while (*s) {
		n = strcspn(s, ",");
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strlen(names[i]) == n && !strncmp(names[i], s, n))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			return err_set(e, ERR_USAGE, -EINVAL,
				"\"%.*s\": no such mechanism of a modelled "
				"drive; known: command, units, buffer, "
				"interference, rmw, link", (int)n, s);
		*bits |= 1U << i;
		s += n + (s[n] == ',');
	}
	return 0;
}

static bool has(const struct drive_model *m, uint32_t mechanism)
{
	return (m->mechanisms & mechanism) != 0;
}

static int64_t whole_ns(double ns)
{
	return ns > 0 ? (int64_t)(ns + 0.5) : 0;
}

/* What a lone 4K command takes beside the parts that are modelled apart. */
static int64_t rest_ns(double latency_us, double parts_ns)
{
	return whole_ns(latency_us * 1e3 - parts_ns);
}

int drive_model_init(struct drive_model *m, const struct drive_profile *p,
	uint32_t mechanisms, uint64_t seed, struct err *e)
{
	double n = p->count, read_rate = p->random_read_kiops * 1e3 * n;
	double write_rate = p->random_write_kiops * 1e3 * n;
	double one = p->sequential_read_gb_per_s * 1e9, units, s, moved;

	memset(m, 0, sizeof(*m));
	rng_xo_seed(&m->rng, seed);
	m->mechanisms = mechanisms;
	s = UNIT_SHARE * p->read_latency_us * 1e3;
	units = UNIT_SURPLUS * read_rate * s / 1e9;
	m->unit_count = units < 1 ? 1 : (uint32_t)(units + 0.5);
	m->read_ns = whole_ns(s);
	m->command_ns = has(m, DRIVE_COMMAND) ? 1e9 / read_rate : 0;
	m->link_bytes_per_s = one * n;
	m->command_read_bytes_per_s = p->command_read_gb_per_s > 0
		? p->command_read_gb_per_s * 1e9 : one;
	m->command_write_bytes_per_s = p->command_write_gb_per_s > 0
		? p->command_write_gb_per_s * 1e9 : one;
	moved = 4096e9 / m->command_read_bytes_per_s;
	m->read_base_ns = rest_ns(
		p->read_latency_us, s + 1e9 / (read_rate / n) + moved);
	moved = 4096e9 / m->command_write_bytes_per_s;
	m->write_base_ns = rest_ns(
		p->write_latency_us, 1e9 / (read_rate / n) + moved);
	m->drain_page_ns = m->unit_count * (double)DRIVE_PAGE_BYTES /
			   (p->sequential_write_gb_per_s * n);
	m->drain_random_ns = m->unit_count * 1e9 / write_rate;
	m->random_write_bytes = p->random_write_bytes;
	m->indirection_bytes = p->indirection_bytes;
	m->backlog_most = (uint32_t)(p->write_buffer_mb * 1e6 * n /
				     DRIVE_PAGE_BYTES / m->unit_count);
	if (!m->backlog_most)
		m->backlog_most = 1;
	m->joint = true;
	m->last_read_ns = -ALONE_NS;
	m->units = calloc(m->unit_count, sizeof(*m->units));
	return m->units ? 0 : err_nomem(e, "the units of a modelled drive");
}

void drive_model_fini(struct drive_model *m)
{
	free(m->units);
	m->units = NULL;
}

/* The command server of the stripe: when it has taken this one. */
static int64_t command(struct drive_model *m, int64_t now_ns)
{
	double start = (double)now_ns;

	if (m->command_free_ns > start)
		start = m->command_free_ns;
	m->command_free_ns = start + m->command_ns;
	return (int64_t)ceil(m->command_free_ns);
}

static void drain_one(struct drive_unit *u, int64_t *free_ns)
{
	*free_ns += u->drain_ns;
	u->drained++;
	u->read_last = false;
}

/* Drain in the time that is left free at *free_ns, up to now_ns. */
static void drain(struct drive_unit *u, int64_t *free_ns, int64_t now_ns)
{
	while (u->drained < u->put && *free_ns < now_ns)
		drain_one(u, free_ns);
	if (*free_ns < now_ns)
		*free_ns = now_ns;
}

static int64_t unit_read(
	struct drive_model *m, struct drive_unit *u, int64_t now_ns)
{
	if (!has(m, DRIVE_INTERFERENCE)) {
		if (u->free_ns < now_ns)
			u->free_ns = now_ns;
		return u->free_ns += m->read_ns;
	}
	drain(u, &u->free_ns, now_ns);
	/* full: the drain must go on, or writes would wait for ever */
	if (u->read_last && u->put - u->drained > m->backlog_most)
		drain_one(u, &u->free_ns);
	u->free_ns += m->read_ns;
	u->read_last = true;
	return u->free_ns;
}

/* What a unit's drains and, if they meet, reads share. */
static int64_t *drain_time(const struct drive_model *m, struct drive_unit *u)
{
	return has(m, DRIVE_INTERFERENCE) ? &u->free_ns : &u->apart_ns;
}

/* From one server to units: what it has left to drain, spread evenly. */
static void part(struct drive_model *m, int64_t now_ns)
{
	double left_ns = m->joint_ns - (double)now_ns, left = 0;
	struct drive_unit *u;
	uint64_t i, backlog;

	m->joint = false;
	if (left_ns > 0 && m->joint_drain_ns > 0)
		left = left_ns / m->joint_drain_ns; /* pieces of each unit */
	for (i = 0; i < m->unit_count; i++) {
		u = &m->units[i];
		u->put = (m->pieces + m->unit_count - 1 - i) / m->unit_count;
		backlog = (uint64_t)ceil(left);
		u->drained = u->put > backlog ? u->put - backlog : 0;
		u->drain_ns = whole_ns(m->joint_drain_ns);
		u->apart_ns = now_ns;
		if (backlog && u->free_ns < now_ns)
			u->free_ns = now_ns;
	}
}

static uint64_t drain_all(struct drive_model *m, int64_t now_ns)
{
	struct drive_unit *u;
	uint64_t left = 0, i;

	for (i = 0; i < m->unit_count; i++) {
		u = &m->units[i];
		drain(u, drain_time(m, u), now_ns);
		left += u->put - u->drained;
	}
	return left;
}

/* From units to one server, where nothing has been read for a while. */
static void join(struct drive_model *m, int64_t now_ns)
{
	uint64_t left = drain_all(m, now_ns);

	m->joint = true;
	m->joint_drain_ns = (double)m->units[0].drain_ns;
	m->joint_ns = (double)now_ns +
		      (double)left * m->joint_drain_ns / m->unit_count;
}

static uint32_t random_unit(struct drive_model *m)
{
	return (uint32_t)((rng_xo_next(&m->rng) >> 32) * m->unit_count >> 32);
}

static int64_t bulk_read(struct drive_model *m, int64_t taken, uint64_t pages)
{
	if (m->bulk_read_ns < taken)
		m->bulk_read_ns = taken;
	m->bulk_read_ns += (int64_t)(pages * (uint64_t)m->read_ns) /
			   m->unit_count;
	return m->bulk_read_ns + m->read_ns + m->read_base_ns;
}

int64_t drive_model_read(
	struct drive_model *m, int64_t now_ns, uint64_t len_bytes)
{
	uint64_t pages = (len_bytes + DRIVE_PAGE_BYTES - 1) / DRIVE_PAGE_BYTES;
	int64_t taken = command(m, now_ns), last = taken, t;
	uint32_t u;

	if (!has(m, DRIVE_UNITS))
		return taken + m->read_ns + m->read_base_ns;
	if (len_bytes >= DRIVE_BULK_BYTES && m->joint &&
		m->joint_ns <= (double)now_ns)
		return bulk_read(m, taken, pages);
	m->last_read_ns = now_ns;
	if (m->joint)
		part(m, now_ns);
	for (u = random_unit(m); pages; pages--) {
		t = unit_read(m, &m->units[u], taken);
		if (t > last)
			last = t;
		if (++u == m->unit_count)
			u = 0;
	}
	return last + m->read_base_ns;
}

/* Is this where a recent write ended? Remember where it ends. */
static bool continues(struct drive_model *m, uint64_t offset, uint64_t len)
{
	uint32_t i;

	for (i = 0; i < DRIVE_STREAMS; i++)
		if (m->stream_end[i] == offset && offset) {
			m->stream_end[i] = offset + len;
			return true;
		}
	m->stream_end[m->stream_next++ % DRIVE_STREAMS] = offset + len;
	return false;
}

/* One piece to the next unit. */
static void put(struct drive_model *m, int64_t now_ns, double cost_ns)
{
	struct drive_unit *u = &m->units[m->pieces++ % m->unit_count];
	int64_t left;

	drain(u, drain_time(m, u), now_ns);
	left = (int64_t)(u->put++ - u->drained);
	/* the mean of what lies there: sums stay right */
	u->drain_ns = (u->drain_ns * left + whole_ns(cost_ns)) / (left + 1);
}

static void put_joint(
	struct drive_model *m, int64_t now_ns, double pieces, double cost_ns)
{
	double left = m->joint_ns - (double)now_ns, before = 0;

	if (left > 0 && m->joint_drain_ns > 0)
		before = left * m->unit_count / m->joint_drain_ns;
	else
		m->joint_ns = (double)now_ns;
	m->joint_drain_ns = (m->joint_drain_ns * before + cost_ns * pieces) /
			    (before + pieces);
	m->joint_ns += cost_ns * pieces / m->unit_count;
}

static int64_t written_joint(const struct drive_model *m, int64_t now_ns,
	const struct drive_write *w)
{
	double at = w->joint_ns - m->joint_drain_ns * m->backlog_most;

	return at > (double)now_ns ? (int64_t)ceil(at) : now_ns;
}

int64_t drive_model_written(
	struct drive_model *m, int64_t now_ns, const struct drive_write *w)
{
	uint64_t i = w->end, seq;
	uint64_t n = w->pieces < m->unit_count ? w->pieces : m->unit_count;
	struct drive_unit *u;
	int64_t *free_ns, done = now_ns, t;

	if (!has(m, DRIVE_BUFFER))
		return now_ns;
	if (m->joint)
		return written_joint(m, now_ns, w);
	for (; n; n--) {
		u = &m->units[--i % m->unit_count];
		free_ns = drain_time(m, u);
		drain(u, free_ns, now_ns);
		/* the unit's own number of this piece, from 1 */
		seq = i / m->unit_count + 1;
		if (seq <= u->drained + m->backlog_most)
			continue;
		t = *free_ns + u->drain_ns * (int64_t)(seq - u->drained -
						       m->backlog_most);
		if (t > done)
			done = t;
	}
	return done;
}

int64_t drive_model_write(struct drive_model *m, int64_t now_ns,
	uint64_t offset_bytes, uint64_t len_bytes, struct drive_write *w)
{
	bool sequential = continues(m, offset_bytes, len_bytes) ||
			  len_bytes >= BIG_WRITE_BYTES;
	uint64_t iu = has(m, DRIVE_RMW) ? m->indirection_bytes : 1;
	uint64_t piece = DRIVE_PAGE_BYTES, first, end, at;
	int64_t taken = command(m, now_ns), in;
	double cost = m->drain_page_ns, link = (double)taken;

	if (m->write_link_free_ns > link)
		link = m->write_link_free_ns;
	if (has(m, DRIVE_LINK))
		m->write_link_free_ns =
			link + (double)len_bytes * 1e9 / m->link_bytes_per_s;
	in = taken + m->write_base_ns +
	     whole_ns((double)len_bytes * 1e9 / m->command_write_bytes_per_s);
	if (m->write_link_free_ns > (double)in)
		in = (int64_t)ceil(m->write_link_free_ns);
	first = offset_bytes;
	end = offset_bytes + len_bytes;
	if (!sequential) {
		piece = m->random_write_bytes;
		first = offset_bytes / iu * iu;
		end = (end + iu - 1) / iu * iu;
		cost = m->drain_random_ns;
		if (first != offset_bytes || end != offset_bytes + len_bytes)
			cost += (double)m->read_ns;
	}
	w->pieces = (end - first + piece - 1) / piece;
	if (!m->joint && now_ns - m->last_read_ns > ALONE_NS)
		join(m, now_ns);
	if (m->joint) {
		put_joint(m, now_ns,
			sequential ? (double)(end - first) / (double)piece
				   : (double)w->pieces, cost);
		m->pieces += w->pieces;
	}
	for (at = first; !m->joint && at < end; at += piece)
		put(m, now_ns, end - at < piece && sequential
			       ? cost * (double)(end - at) / (double)piece
			       : cost);
	w->end = m->pieces;
	w->joint_ns = m->joint_ns;
	return in;
}
