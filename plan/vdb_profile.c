/* Profiles of vector-database workloads; see vdb_profile.h. */
#include "plan/vdb_profile.h"

#include "core/config.h"
#include "core/json.h"
#include "core/units.h"
#include "datagen/vdb_layout.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MILVUS_SEGMENT_BYTES (2048 * MIB_BYTES)

static int get(const struct cJSON *o, const char *file, const char *key,
	uint64_t most, uint32_t *out, struct err *e)
{
	uint64_t v = 0;
	int r = json_get_u64(o, file, key, 1, most, &v, e);

	*out = (uint32_t)v;
	return r;
}

static int parse(const struct cJSON *o, const char *file, struct vdb_config *c,
	struct err *e)
{
	static const char *const known[] = {"name", "num_vectors", "dimension",
		"max_degree", "segments", "search_list", "expansions",
		"beam_width", "cache_share", "hub_share", "software_ms",
		"client_ms", NULL};
	struct vdb_shape *s = &c->shape;
	double hubs = 0, ms = 0, client_ms = 0;
	int r = json_only_keys(o, file, known, e);

	if (!r)
		r = json_get_string(o, file, "name", c->profile,
			sizeof(c->profile), e);
	if (!r)
		r = json_get_u64(o, file, "num_vectors", 1,
			UINT64_C(1) << 48, &s->vectors, e);
	if (!r)
		r = get(o, file, "dimension", 1 << 18, &s->dim, e);
	if (!r)
		r = get(o, file, "max_degree", VDB_DEGREE_MAX, &s->degree, e);
	if (!r)
		r = get(o, file, "segments", 65536, &s->segments, e);
	if (!r)
		r = get(o, file, "search_list", 1000000, &c->search_list, e);
	if (!r)
		r = get(o, file, "expansions", 1000000, &c->expansions, e);
	if (!r)
		r = get(o, file, "beam_width", 256, &c->beam_width, e);
	if (!r)
		r = json_get_double(o, file, "cache_share", 0, 0.999,
			&c->cache_share, e);
	if (!r)
		r = json_get_double(o, file, "hub_share", 0.01, 0.999, &hubs, e);
	if (!r)
		r = json_get_double(o, file, "software_ms", 0, 1e6, &ms, e);
	if (!r)
		r = json_opt_double(o, file, "client_ms", 0, 1e6, &client_ms,
			e);
	s->hub_ppm = (uint32_t)(hubs * 1e6 + 0.5);
	c->software_ns = (int64_t)(ms * 1e6 + 0.5);
	c->client_ns = (int64_t)(client_ms * 1e6 + 0.5);
	return r;
}

int vdb_profile_load(const char *config_dir, const char *name,
	struct vdb_config *c, struct err *e)
{
	char file[128];
	struct cJSON *o;
	int r;

	snprintf(file, sizeof(file), "vectordb/%.90s.json", name);
	r = config_load(config_dir, file, &o, e);
	if (r) {
		err_wrap(e, "--profile %s", name);
		e->kind = ERR_USAGE;
		return r;
	}
	r = parse(o, file, c, e);
	cJSON_Delete(o);
	return r;
}

static const struct {
	double list, expansions, cache_share;
} measured[] = {
	{16, 42.4, .964}, {32, 66.8, .932}, {64, 103.5, .893},
	{100, 140.9, .865}, {200, 236.3, .819}, {400, 430, .758},
	{800, 825, .678}, {1600, 1620, .582},
};
#define MEASURED (sizeof(measured) / sizeof(measured[0]))

/* Straight lines over the logarithm of L; beyond either end, the last one. */
static void at_list(double list, double *expansions, double *misses)
{
	size_t i = 1;
	double x;

	while (i + 1 < MEASURED && list > measured[i].list)
		i++;
	x = log(list / measured[i - 1].list) /
	    log(measured[i].list / measured[i - 1].list);
	*misses = 1 - measured[i - 1].cache_share -
		  x * (measured[i].cache_share - measured[i - 1].cache_share);
	/* E over L itself */
	x = (list - measured[i - 1].list) /
	    (measured[i].list - measured[i - 1].list);
	*expansions = measured[i - 1].expansions +
		      x * (measured[i].expansions - measured[i - 1].expansions);
}

void vdb_profile_search_list(struct vdb_config *c, uint32_t search_list)
{
	double e0, m0, e1, m1, share;
	double e = c->expansions;

	at_list(c->search_list, &e0, &m0);
	at_list(search_list, &e1, &m1);
	e += e1 - e0;
	c->search_list = search_list;
	c->expansions = e < 1 ? 1 : (uint32_t)(e + 0.5);
	if (c->cache_share <= 0)
		return;
	share = 1 - (1 - c->cache_share) * m1 / m0;
	c->cache_share = share < 0 ? 0 : share > 0.999 ? 0.999 : share;
}

uint64_t vdb_segments(uint64_t vectors, uint32_t dim)
{
	uint64_t each = MILVUS_SEGMENT_BYTES / (4 * (uint64_t)dim);

	return vectors / each + (vectors % each != 0);
}
