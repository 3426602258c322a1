/* The smaller of MemAvailable and what the cgroups leave; see memory.h. */
#include "storage/memory.h"

#include "core/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A cgroup hierarchy's files. */
struct names {
	const char *mount, *limit, *usage, *inactive, *active;
};

static const struct names v1 = {"/sys/fs/cgroup/memory",
	"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
	"total_active_file"};
static const struct names v2 = {"/sys/fs/cgroup", "memory.max",
	"memory.current", "inactive_file", "active_file"};

/* The first number of a file ("max" is none). */
static bool read_number(const char *dir, const char *name, uint64_t *value)
{
	char path[4096];
	FILE *f;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return false;
	f = fopen(path, "re");
	n = f ? fscanf(f, "%" SCNu64, value) : 0;
	if (f)
		fclose(f);
	return n == 1;
}

/* "key value" of memory.stat or "key: value kB" of meminfo; 0 if absent. */
static uint64_t read_key(const char *dir, const char *name, const char *key)
{
	char path[4096], line[256];
	size_t len = strlen(key);
	uint64_t value = 0;
	FILE *f;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path))
		return 0;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) ||
			(line[len] != ' ' && line[len] != ':'))
			continue;
		sscanf(line + len + 1, "%" SCNu64, &value);
		break;
	}
	if (f)
		fclose(f);
	return value;
}

static void look_at(const char *dir, const struct names *n, size_t root_len,
	struct memory_room *r)
{
	uint64_t limit, used, cache, left;
	char text[UNITS_TEXT_MAX];

	if (!read_number(dir, n->limit, &limit) ||
		!read_number(dir, n->usage, &used))
		return;
	cache = read_key(dir, "memory.stat", n->inactive) +
		read_key(dir, "memory.stat", n->active);
	used = used > cache ? used - cache : 0;
	left = limit > used ? limit - used : 1;
	if (r->bytes && left >= r->bytes)
		return;
	r->bytes = left;
	snprintf(r->limit, sizeof(r->limit),
		"the container's memory limit of %s, %.300s/%s",
		units_format_bytes(text, limit), dir + root_len, n->limit);
}

/* Every group above ours limits us, too. */
static void look_upwards(const char *root, const char *path,
	const struct names *n, struct memory_room *r)
{
	size_t root_len = strlen(root), top = root_len + strlen(n->mount);
	char dir[4096];
	char *slash;
	int len = snprintf(dir, sizeof(dir), "%s%s%s", root, n->mount, path);

	if (len < 0 || (size_t)len >= sizeof(dir))
		return;
	for (;;) {
		look_at(dir, n, root_len, r);
		slash = strrchr(dir, '/');
		if (!slash || (size_t)(slash - dir) < top)
			return;
		*slash = 0;
	}
}

static bool has_memory(const char *controllers)
{
	const char *p = strstr(controllers, "memory");

	return p && (p == controllers || p[-1] == ',') &&
	       (!p[6] || p[6] == ',');
}

void memory_available_at(const char *root, struct memory_room *r)
{
	char line[4096], controllers[256], *path;
	char proc[4096];
	FILE *f;

	snprintf(proc, sizeof(proc), "%s/proc", root);
	r->bytes = read_key(proc, "meminfo", "MemAvailable") * 1024;
	snprintf(r->limit, sizeof(r->limit), "MemAvailable of this host");
	snprintf(proc, sizeof(proc), "%s/proc/self/cgroup", root);
	f = fopen(proc, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		path = strrchr(line, ':');
		if (!path || path[1] != '/')
			continue;
		*path++ = 0;
		if (!strcmp(path, "/"))
			path++;
		if (!strcmp(line, "0:"))
			look_upwards(root, path, &v2, r);
		else if (sscanf(line, "%*d:%255s", controllers) == 1 &&
			 has_memory(controllers))
			look_upwards(root, path, &v1, r);
	}
	if (f)
		fclose(f);
}

void memory_available(struct memory_room *r)
{
	memory_available_at("", r);
}
