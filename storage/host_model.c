/* Host models; see host_model.h. */
#include "storage/host_model.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int parse(const struct cJSON *obj, const char *file,
	struct host_model *h, struct err *e)
{
	static const char *const keys[] = {"name", "step_us", "file_open_us",
		"buffered_read_gb_per_s", "cores", "cpu_s_per_gib", "note",
		"sources", NULL};
	double step_us = 0, open_us = 0;

	if (json_only_keys(obj, file, keys, e) ||
		json_get_string(
			obj, file, "name", h->name, sizeof(h->name), e) ||
		json_opt_double(obj, file, "step_us", 0, 1e7, &step_us, e) ||
		json_opt_double(
			obj, file, "file_open_us", 0, 1e7, &open_us, e) ||
		json_opt_double(obj, file, "buffered_read_gb_per_s", 0, 1e5,
			&h->buffered_read_gb_per_s, e) ||
		json_opt_double(obj, file, "cores", 0, 1e6, &h->cores, e) ||
		json_opt_double(obj, file, "cpu_s_per_gib", 0, 1e4,
			&h->cpu_s_per_gib, e))
		return e->code;
	h->step_ns = (int64_t)(step_us * NS_PER_US + 0.5);
	h->file_open_ns = (int64_t)(open_us * NS_PER_US + 0.5);
	return 0;
}

int host_model_load(const char *config_dir, const char *text,
	struct host_model *h, struct err *e)
{
	char file[128];
	struct cJSON *obj = NULL;
	size_t n = strlen(text);
	int r;

	memset(h, 0, sizeof(*h));
	if (!strcmp(text, "none")) {
		snprintf(h->name, sizeof(h->name), "none");
		return 0;
	}
	if (strchr(text, '/') || (n > 5 && !strcmp(text + n - 5, ".json"))) {
		r = json_read_file(text, &obj, e);
		if (!r)
			r = parse(obj, text, h, e);
	} else if (n > 64) {
		r = err_set(e, ERR_USAGE, -ENAMETOOLONG,
			"--host-model %s: the name is too long", text);
	} else {
		snprintf(file, sizeof(file), "hosts/%s.json", text);
		r = config_load(config_dir, file, &obj, e);
		if (!r)
			r = parse(obj, file, h, e);
	}
	cJSON_Delete(obj);
	return r;
}

double host_model_ceiling(const struct host_model *h, int buffered)
{
	double ceiling = buffered ? h->buffered_read_gb_per_s * 1e9 : 0, cpu;

	if (h->cores > 0 && h->cpu_s_per_gib > 0) {
		cpu = h->cores / h->cpu_s_per_gib * 1073741824.0;
		if (ceiling <= 0 || cpu < ceiling)
			ceiling = cpu;
	}
	return ceiling;
}
