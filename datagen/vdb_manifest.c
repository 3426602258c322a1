/* The manifest of index files; see vdb_manifest.h. */
#include "datagen/vdb_manifest.h"

#include "core/json.h"
#include "datagen/vdb_layout.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define VECTORS "vectors_sha256"
#define QUERIES "query_vectors_sha256"

static int manifest_path(const char *folder, char *path, struct err *e)
{
	int n = snprintf(path, PATH_MAX, "%s/" VDB_MANIFEST_NAME, folder);

	return n > 0 && n < PATH_MAX
		       ? 0
		       : err_set(e, ERR_USAGE, -ENAMETOOLONG,
				 "the data folder's name is too long");
}

/* The fields that only a real index has. */
static int load_built(const struct cJSON *o, const char *path,
	struct vdb_shape *s, struct err *e);

/* Not there: as in indexes of older versions. */
static int load_input(const struct cJSON *o, const char *path,
	struct vdb_manifest *m, struct err *e)
{
	int r = 0;

	if (cJSON_HasObjectItem(o, VECTORS))
		r = json_get_string(o, path, VECTORS, m->vectors_sha256,
			sizeof(m->vectors_sha256), e);
	if (!r && cJSON_HasObjectItem(o, QUERIES))
		r = json_get_string(o, path, QUERIES, m->queries_sha256,
			sizeof(m->queries_sha256), e);
	return r;
}

static int get32(const struct cJSON *o, const char *file, const char *key,
	uint64_t most, uint32_t *out, struct err *e)
{
	uint64_t v;
	int r = json_get_u64(o, file, key, 1, most, &v, e);

	if (!r)
		*out = (uint32_t)v;
	return r;
}

int vdb_manifest_load(
	const char *folder, struct vdb_manifest *m, struct err *e)
{
	static const char *const known[] = {"level", "num_vectors", "dimension",
		"max_degree", "segments", "hub_ppm", "seed", "complete",
		"distribution", "search_list_size", "pq_chunks", "queries",
		"truth_k", "truth_vectors", "metric", "build",
		"norm_spread_pct", VECTORS, QUERIES, NULL};
	struct vdb_shape *s = &m->shape;
	char path[PATH_MAX], level[16];
	struct cJSON *o;
	int r;

	memset(m, 0, sizeof(*m));
	r = manifest_path(folder, path, e);
	if (!r)
		r = json_read_file(path, &o, e);
	if (r)
		return r;
	r = json_only_keys(o, path, known, e);
	if (!r)
		r = json_get_string(o, path, "level", level, sizeof(level), e);
	if (!r) {
		s->copies = !strcmp(level, "copies");
		s->built = s->copies || !strcmp(level, "built");
		if (!s->built && strcmp(level, "replay"))
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s: level \"%s\", this program knows "
				"\"replay\", \"built\" and \"copies\"", path,
				level);
	}
	if (!r)
		r = json_get_u64(o, path, "num_vectors", 1, UINT64_C(1) << 48,
			&s->vectors, e);
	if (!r)
		r = get32(o, path, "dimension", 1 << 18, &s->dim, e);
	if (!r)
		r = get32(o, path, "max_degree", VDB_DEGREE_MAX, &s->degree, e);
	if (!r)
		r = get32(o, path, "segments", VDB_SEGMENTS_MAX, &s->segments, e);
	if (!r && s->built)
		r = load_built(o, path, s, e);
	if (!r && s->built)
		r = load_input(o, path, m, e);
	if (!r && !s->built)
		r = get32(o, path, "hub_ppm", 999999, &s->hub_ppm, e);
	if (!r)
		r = json_get_u64(o, path, "seed", 0, JSON_U64_MAX, &s->seed, e);
	if (!r)
		r = json_get_bool(o, path, "complete", &m->complete, e);
	if (!r && s->vectors / s->segments < 1)
		r = err_set(e, ERR_IO, -EBADMSG,
			"%s: fewer vectors than segments", path);
	cJSON_Delete(o);
	if (r && e->kind != ERR_ENV) {
		e->kind = ERR_IO;
		e->code = -EBADMSG;
		return -EBADMSG;
	}
	return r;
}

/* Not there: as indexes were before there was a choice. */
static int load_metric(const struct cJSON *o, const char *path,
	struct vdb_shape *s, struct err *e)
{
	char name[16];
	uint64_t pct;
	int r = 0;

	if (cJSON_HasObjectItem(o, "metric")) {
		r = json_get_string(o, path, "metric", name, sizeof(name), e);
		while (!r && s->metric < VDB_IP &&
			strcmp(name, vdb_metric_name(s->metric)))
			s->metric++;
		if (!r && strcmp(name, vdb_metric_name(s->metric)))
			r = err_set(e, ERR_IO, -EBADMSG, "%s: metric \"%s\"",
				path, name);
	}
	if (!r && cJSON_HasObjectItem(o, "build")) {
		r = json_get_string(o, path, "build", name, sizeof(name), e);
		while (!r && s->builder < VDB_BUILD_KNOWHERE &&
			strcmp(name, vdb_builder_name(s->builder)))
			s->builder++;
		if (!r && strcmp(name, vdb_builder_name(s->builder)))
			r = err_set(e, ERR_IO, -EBADMSG, "%s: build \"%s\"",
				path, name);
	}
	if (!r && cJSON_HasObjectItem(o, "norm_spread_pct")) {
		r = json_get_u64(o, path, "norm_spread_pct", 0, 99, &pct, e);
		if (!r)
			s->norm_spread_pct = (uint32_t)pct;
	}
	return r;
}

static int load_built(const struct cJSON *o, const char *path,
	struct vdb_shape *s, struct err *e)
{
	char name[16];
	int r = json_get_string(
		o, path, "distribution", name, sizeof(name), e);

	if (!r) {
		for (s->distribution = VDB_UNIFORM;
			s->distribution < VDB_FROM_FILE &&
			strcmp(name, vdb_distribution_name(s->distribution));
			s->distribution++)
			;
		if (strcmp(name, vdb_distribution_name(s->distribution)))
			r = err_set(e, ERR_IO, -EBADMSG,
				"%s: distribution \"%s\"", path, name);
	}
	if (!r)
		r = load_metric(o, path, s, e);
	if (!r)
		r = get32(o, path, "search_list_size", 1000000, &s->list, e);
	if (!r)
		r = get32(o, path, "pq_chunks", 512, &s->chunks, e);
	if (!r)
		r = get32(o, path, "queries", 1 << 24, &s->queries, e);
	if (!r)
		r = get32(o, path, "truth_k", 16384, &s->truth_k, e);
	if (!r)
		r = json_get_u64(o, path, "truth_vectors", 0, JSON_U64_MAX,
			&s->truth_vectors, e);
	return r;
}

static bool save_built(struct cJSON *o, const struct vdb_manifest *m)
{
	const struct vdb_shape *s = &m->shape;

	return (!*m->vectors_sha256 ||
		       json_add_string(o, VECTORS, m->vectors_sha256)) &&
	       (!*m->queries_sha256 ||
		       json_add_string(o, QUERIES, m->queries_sha256)) &&
	       json_add_string(o, "distribution",
		       vdb_distribution_name(s->distribution)) &&
	       json_add_string(o, "metric", vdb_metric_name(s->metric)) &&
	       json_add_string(o, "build", vdb_builder_name(s->builder)) &&
	       json_add_u64(o, "norm_spread_pct", s->norm_spread_pct) &&
	       json_add_u64(o, "search_list_size", s->list) &&
	       json_add_u64(o, "pq_chunks", s->chunks) &&
	       json_add_u64(o, "queries", s->queries) &&
	       json_add_u64(o, "truth_k", s->truth_k) &&
	       json_add_u64(o, "truth_vectors", s->truth_vectors);
}

int vdb_manifest_save(
	const char *folder, const struct vdb_manifest *m, struct err *e)
{
	const struct vdb_shape *s = &m->shape;
	struct cJSON *o = cJSON_CreateObject();
	char path[PATH_MAX];
	bool ok;
	int r;

	ok = o && json_add_string(o, "level", vdb_level_name(s)) &&
	     json_add_u64(o, "num_vectors", s->vectors) &&
	     json_add_u64(o, "dimension", s->dim) &&
	     json_add_u64(o, "max_degree", s->degree) &&
	     json_add_u64(o, "segments", s->segments) &&
	     (s->built ? save_built(o, m)
		       : json_add_u64(o, "hub_ppm", s->hub_ppm)) &&
	     json_add_u64(o, "seed", s->seed) &&
	     json_add_bool(o, "complete", m->complete);
	r = ok ? manifest_path(folder, path, e)
	       : err_nomem(e, VDB_MANIFEST_NAME);
	if (!r)
		r = json_write_file(path, o, 2, e);
	cJSON_Delete(o);
	return r;
}

bool vdb_shape_differs(const struct vdb_shape *have,
	const struct vdb_shape *want, char *why, size_t why_bytes)
{
	const struct {
		const char *name;
		uint64_t have, want;
	} f[] = {
		{"num_vectors", have->vectors, want->vectors},
		{"dimension", have->dim, want->dim},
		{"max_degree", have->degree, want->degree},
		{"segments", have->segments, want->segments},
		{"built", have->built, want->built},
		{"copies", have->copies, want->copies},
		{"hub_ppm", have->built ? 0 : have->hub_ppm,
			want->built ? 0 : want->hub_ppm},
		{"distribution", have->distribution, want->distribution},
		{"norm_spread_pct", have->norm_spread_pct,
			want->norm_spread_pct},
		{"search_list_size", have->list, want->list},
		{"pq_chunks", have->chunks, want->chunks},
		{"queries", have->queries, want->queries},
		{"truth_k", have->truth_k, want->truth_k},
		{"seed", have->seed, want->seed},
	};
	const struct {
		const char *name, *have, *want;
	} t[] = {
		{"metric", vdb_metric_name(have->metric),
			vdb_metric_name(want->metric)},
		{"build", vdb_builder_name(have->builder),
			vdb_builder_name(want->builder)},
	};
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (strcmp(t[i].have, t[i].want)) {
			snprintf(why, why_bytes, "%s %s, not %s", t[i].name,
				t[i].have, t[i].want);
			return true;
		}
	for (i = 0; i < sizeof(f) / sizeof(f[0]); i++)
		if (f[i].have != f[i].want) {
			snprintf(why, why_bytes, "%s %" PRIu64 ", not %" PRIu64,
				f[i].name, f[i].have, f[i].want);
			return true;
		}
	return false;
}

/* Of a digest, as much as tells it from others. */
static bool input_differs(const char *name, const char *have, const char *want,
	char *why, size_t why_bytes)
{
	if (!*have || !*want || !strcmp(have, want))
		return false;
	snprintf(why, why_bytes, "%s %.12s, not %.12s", name, have, want);
	return true;
}

bool vdb_manifest_differs(const struct vdb_manifest *have,
	const struct vdb_manifest *want, char *why, size_t why_bytes)
{
	return vdb_shape_differs(&have->shape, &want->shape, why, why_bytes) ||
	       input_differs(VECTORS, have->vectors_sha256,
		       want->vectors_sha256, why, why_bytes) ||
	       input_differs(QUERIES, have->queries_sha256,
		       want->queries_sha256, why, why_bytes);
}

static int note(char out[SHA256_HEX_MAX], const char *path, struct err *e)
{
	if (path)
		return sha256_file(path, out, e);
	snprintf(out, SHA256_HEX_MAX, "generated");
	return 0;
}

int vdb_manifest_input(struct vdb_manifest *m, const char *vectors,
	const char *queries, struct err *e)
{
	int r = note(m->vectors_sha256, vectors, e);

	return r ? r : note(m->queries_sha256, queries, e);
}
