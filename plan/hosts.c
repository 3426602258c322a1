/* The hosts of a group; see hosts.h. */
#include "plan/hosts.h"

#include "core/units.h"
#include "storage/host.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a process says of its host; only the leader's counts. */
struct host_message {
	uint32_t host, leader;
	struct rec_host h; /* pointers mean nothing */
	char cpuinfo[4096], meminfo[4096];
};

static int take_host(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	const struct host_message *m = buf;
	struct record *rec = arg;
	struct rec_host *h;

	(void)process;
	if (size_bytes != sizeof(*m) || m->host >= rec->host_count)
		return err_set(e, ERR_BUG, -EBADMSG, "bad host message");
	if (!m->leader)
		return 0;
	h = &rec->hosts[m->host];
	*h = m->h;
	h->cpuinfo = strdup(m->cpuinfo);
	h->meminfo = strdup(m->meminfo);
	return h->cpuinfo && h->meminfo ? 0 : err_nomem(e, "host facts");
}

static void put_text(char *to, size_t size, char *text)
{
	snprintf(to, size, "%s", text ? text : "");
	free(text);
}

int hosts_gather(struct group *g, bool with_meminfo, struct record *rec,
	struct err *e)
{
	struct host_message *m = calloc(1, sizeof(*m));
	int r;

	rec->hosts = calloc(g->hosts, sizeof(*rec->hosts));
	if (!m || !rec->hosts) {
		free(m);
		return err_nomem(e, "host facts");
	}
	rec->host_count = g->hosts;
	m->host = g->host;
	m->leader = g->host_leader;
	host_name(m->h.name, sizeof(m->h.name));
	m->h.ranks = g->ranks_on_host;
	m->h.cpu_count = host_cpu_count();
	m->h.memory_bytes = host_memory_bytes();
	put_text(m->cpuinfo, sizeof(m->cpuinfo), host_cpuinfo_text());
	if (with_meminfo)
		put_text(m->meminfo, sizeof(m->meminfo), host_meminfo_text());
	r = group_gather(g, m, sizeof(*m), take_host, rec, e);
	free(m);
	return r;
}

void hosts_state_memory(struct record *rec, uint64_t bytes)
{
	char said[UNITS_TEXT_MAX], have[UNITS_TEXT_MAX];
	uint32_t i;

	if (!rec->host_count)
		return;
	record_note(rec, "client-memory",
		"the modelled client has %s of memory, as was said; this "
		"machine has %s",
		units_format_bytes(said, bytes),
		units_format_bytes(have, rec->hosts[0].memory_bytes));
	for (i = 0; i < rec->host_count; i++) {
		rec->hosts[i].memory_bytes = bytes;
		/* of another memory */
		if (rec->hosts[i].meminfo)
			rec->hosts[i].meminfo[0] = '\0';
	}
}

static int add_memory(void *arg, uint32_t process, const void *buf,
	size_t size_bytes, struct err *e)
{
	uint64_t bytes;

	(void)process;
	if (size_bytes != sizeof(bytes))
		return err_set(e, ERR_BUG, -EBADMSG, "bad memory message");
	memcpy(&bytes, buf, sizeof(bytes));
	*(uint64_t *)arg += bytes;
	return 0;
}

int hosts_memory_bytes(struct group *g, uint64_t *sum, struct err *e)
{
	uint64_t mine = g->host_leader ? host_memory_bytes() : 0;
	int r;

	*sum = 0;
	r = group_gather(g, &mine, sizeof(mine), add_memory, sum, e);
	r = group_agree(g, r, e);
	return r ? r : group_share(g, sum, sizeof(*sum), e);
}
