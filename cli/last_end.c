/*
 * When the runs that a folder of results holds have ended: simulations go on
 * from there, since one may end later than now. See run_leaf.h.
 */
#include "cli/run_leaf.h"

#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Local time, "2026-07-20T10:00:03.114201", as CLOCK_REALTIME. */
static int64_t wall_ns(const char *text)
{
	struct tm tm = {.tm_isdst = -1};
	const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);

	if (!end)
		return 0;
	return (int64_t)mktime(&tm) * NS_PER_S +
	       (int64_t)(strtod(end, NULL) * 1e9);
}

static int64_t end_of_leaf(
	const char *folder, const char *stamp, const char *family)
{
	char path[PATH_MAX];
	const struct cJSON *t;
	struct cJSON *m;
	struct err e;
	int64_t ns;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s_%s_metadata.json",
		    folder, stamp, family, stamp) >= sizeof(path) ||
		json_read_file(path, &m, &e))
		return 0;
	t = cJSON_GetObjectItemCaseSensitive(m, "invocation_end_time");
	ns = cJSON_IsString(t) ? wall_ns(t->valuestring) : 0;
	cJSON_Delete(m);
	return ns;
}

int64_t run_last_end_ns(const struct train_config *c, const char *division,
	const char *below, const char *family)
{
	int64_t last_ns = 0, ns;
	char folder[PATH_MAX];
	struct dirent *de;
	DIR *d;

	if (!c->results_dir[0] ||
		run_folder(c, division, below, folder, sizeof(folder)))
		return 0;
	d = opendir(folder);
	while (d && (de = readdir(d))) {
		if (de->d_name[0] == '.')
			continue;
		ns = end_of_leaf(folder, de->d_name, family);
		if (ns > last_ns)
			last_ns = ns;
	}
	if (d)
		closedir(d);
	return last_ns;
}
