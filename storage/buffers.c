/* The buffer arena; see buffers.h. */
#include "storage/buffers.h"

#include "core/units.h"
#include "storage/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define HUGE_BYTES (2 * MIB_BYTES)

/* A "Key:   123 kB" line of a /proc file, in bytes; 0 if it is not there. */
static uint64_t proc_kb(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[256];
	uint64_t kb = 0;
	size_t n = strlen(key);

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, n) && line[n] == ':') {
			sscanf(line + n + 1, "%" SCNu64, &kb);
			break;
		}
	}
	if (f)
		fclose(f);
	return kb * 1024;
}

static int no_memory(const struct buffers *b, int code, struct err *e)
{
	char limit[UNITS_TEXT_MAX] = "";
	struct rlimit l;
	bool limited = !getrlimit(RLIMIT_AS, &l) && l.rlim_cur != RLIM_INFINITY;

	if (limited)
		units_format_bytes(limit, l.rlim_cur);
	return err_set(e, ERR_ENV, -code,
		"no memory for %u buffers of %zu bytes: %s%s%s%s; lower "
		"--queue-depth or reader.read_threads",
		b->count, b->size_bytes, strerror(code),
		limited ? " (the address space is limited to " : "", limit,
		limited ? ": ulimit -v)" : "");
}

static int map_arena(struct buffers *b, struct err *e)
{
	size_t want = b->arena_bytes + HUGE_BYTES;
	uint64_t before, after;
	uint8_t *p, *start;

	p = mmap(NULL, want, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return no_memory(b, errno, e);
	start = (uint8_t *)(((uintptr_t)p + HUGE_BYTES - 1) &
		~((uintptr_t)HUGE_BYTES - 1));
	if (start > p)
		munmap(p, (size_t)(start - p));
	if (p + want > start + b->arena_bytes)
		munmap(start + b->arena_bytes,
			(size_t)(p + want - start) - b->arena_bytes);
	madvise(start, b->arena_bytes, MADV_HUGEPAGE);
	before = proc_kb("/proc/self/smaps_rollup", "AnonHugePages");
	memset(start, 0xa5, b->arena_bytes);
	after = proc_kb("/proc/self/smaps_rollup", "AnonHugePages");
	b->huge = after >= before + b->arena_bytes / 10 * 9;
	b->mem = start;
	return 0;
}

int buffers_init(struct buffers *b, struct engine *g, uint32_t count,
	size_t size_bytes, bool with_memory, struct err *e)
{
	int r;

	memset(b, 0, sizeof(*b));
	b->count = count;
	b->size_bytes = size_bytes;
	if (!with_memory)
		return 0;
	b->arena_bytes = (size_t)count * size_bytes;
	b->arena_bytes = (b->arena_bytes + HUGE_BYTES - 1) / HUGE_BYTES *
			 HUGE_BYTES;
	r = map_arena(b, e);
	if (r)
		return r;
	if (g->ops->register_arena) {
		r = g->ops->register_arena(g, b->mem, b->arena_bytes);
		b->registered = r == 0;
		b->register_error = r;
	}
	return 0;
}

void buffers_fini(struct buffers *b)
{
	if (b->mem)
		munmap(b->mem, b->arena_bytes);
	b->mem = NULL;
}

int buffers_guard(uint64_t ranks_on_host, uint64_t buffers_per_rank,
	uint64_t buffer_bytes, const struct memory_room *room, struct err *e)
{
	unsigned __int128 need = (unsigned __int128)ranks_on_host *
				 buffers_per_rank * buffer_bytes;
	char need_text[UNITS_TEXT_MAX], have_text[UNITS_TEXT_MAX];
	char one_text[UNITS_TEXT_MAX];

	if (!room->bytes || need * 10 <= (unsigned __int128)room->bytes * 9)
		return 0;
	return err_set(e, ERR_ENV, -ENOMEM,
		"I/O buffers would take %s on this host (%" PRIu64
		" ranks here x %" PRIu64 " buffers x %s) but only %s is "
		"available (%s); lower --queue-depth, reader.read_threads or the "
		"ranks per host",
		units_format_bytes(need_text,
			need > UINT64_MAX ? UINT64_MAX : (uint64_t)need),
		ranks_on_host, buffers_per_rank,
		units_format_bytes(one_text, buffer_bytes),
		units_format_bytes(have_text, room->bytes), room->limit);
}
