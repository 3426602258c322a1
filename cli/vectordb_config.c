/* What the options of vectordb commands resolve to; see vectordb.h. */
#include "cli/vectordb.h"

#include "cli/resolve.h"
#include "core/json.h"
#include "core/units.h"
#include "datagen/vdb_cache.h"
#include "datagen/vdb_made.h"
#include "datagen/vdb_pq.h"
#include "datagen/vdb_vectors.h"
#include "plan/vdb_profile.h"
#include "plan/vdb_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_LOOP_OUTSTANDING 64

static int parse_metric(const struct vectordb_options *o, struct vdb_shape *s,
	struct err *e)
{
	if (!strcmp(o->metric, "cosine"))
		s->metric = VDB_COSINE;
	else if (!strcmp(o->metric, "ip"))
		s->metric = VDB_IP;
	else if (strcmp(o->metric, "l2"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--metric %s: must be l2, cosine or ip", o->metric);
	if (!strcmp(o->builder, "knowhere"))
		s->builder = VDB_BUILD_KNOWHERE;
	else if (strcmp(o->builder, "microsoft"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--build %s: must be microsoft or knowhere",
			o->builder);
	s->norm_spread_pct = (uint32_t)o->norm_spread;
	return 0;
}

/* What the files of vectors say is not asked for otherwise. */
static int check_file_options(const struct vectordb_options *o, uint64_t rows,
	uint32_t dim, struct err *e)
{
	if (o->dimension && o->dimension != dim)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--dimension %" PRIu64 ": vectors of %s have %u",
			o->dimension, o->vectors_file, dim);
	if (o->vectors > rows)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--num-vectors %" PRIu64 ": %s has %" PRIu64, o->vectors,
			o->vectors_file, rows);
	if (strcmp(o->distribution, "uniform") || o->norm_spread)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--distribution and --norm-spread are about generated "
			"vectors; those of %s are as they are",
			o->vectors_file);
	return 0;
}

/* What only a real index has. */
static int parse_built(const struct vectordb_options *o, struct vdb_shape *s,
	struct err *e)
{
	uint64_t rows;
	uint32_t dim;

	if (o->vectors_file) {
		if (vdb_fbin_shape(o->vectors_file, &rows, &dim, e))
			return e->code;
		if (!o->queries_file)
			return err_set(e, ERR_USAGE, -EINVAL,
				"--vectors needs --query-vectors: queries of "
				"the same kind");
		if (check_file_options(o, rows, dim, e))
			return e->code;
		s->distribution = VDB_FROM_FILE;
		s->dim = dim;
		s->vectors = o->vectors ? o->vectors : rows;
		if (vdb_fbin_shape(o->queries_file, &rows, &dim, e))
			return e->code;
		s->queries = (uint32_t)(o->distinct < rows ? o->distinct : rows);
	} else if (!strcmp(o->distribution, "clustered")) {
		s->distribution = VDB_CLUSTERED;
	} else if (strcmp(o->distribution, "uniform")) {
		return err_set(e, ERR_USAGE, -EINVAL,
			"--distribution %s: must be uniform or clustered",
			o->distribution);
	}
	if (parse_metric(o, s, e))
		return e->code;
	s->built = true;
	s->hub_ppm = 0;
	s->list = (uint32_t)o->build_list;
	if (!s->queries)
		s->queries = (uint32_t)o->distinct;
	s->chunks = (uint32_t)o->chunks;
	if (!s->chunks)
		s->chunks = vdb_pq_chunks(
			s->vectors * s->dim / 2, s->vectors, s->dim);
	s->truth_k = (uint32_t)(o->truth_k < s->vectors ? o->truth_k
							: s->vectors);
	return 0;
}

/* What a copy needs: segments alike, and dimensions that can be exchanged. */
static int check_copies(const struct vectordb_options *o,
	const struct vdb_shape *s, struct err *e)
{
	if (s->distribution != VDB_UNIFORM)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--level copies exchanges dimensions, which leaves "
			"uniform vectors uniform and no others as they were: "
			"--level built");
	if (s->metric == VDB_IP)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--level copies exchanges dimensions, and inner "
			"products need one more that stays where it is: "
			"--metric cosine or l2, or --level built");
	if (!o->segments || s->vectors % s->segments)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--level copies takes --segments S and a multiple of S "
			"for --num-vectors; here %" PRIu64 " and %u (%" PRIu64
			" would be one)", s->vectors, s->segments,
			(s->vectors / s->segments + 1) * s->segments);
	if (s->chunks < VDB_COPY_CHUNKS_MIN)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--level copies exchanges chunks of dimensions: "
			"--pq-chunks %u is too few, it takes %u", s->chunks,
			VDB_COPY_CHUNKS_MIN);
	return 0;
}

static int check_index_type(const char *type, struct err *e)
{
	if (!strcmp(type, "DISKANN"))
		return 0;
	if (!strcmp(type, "AISAQ"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--index-type AISAQ is not emulated: it keeps codes "
			"beside the nodes on the drive, and no figures of what "
			"its searches read are known here. What you have "
			"measured of it can be replayed as a profile "
			"(vectordb/NAME.json of --config-dir: expansions, "
			"beam_width, cache_share 0)");
	if (!strcmp(type, "HNSW") || !strcmp(type, "FLAT") ||
		!strncmp(type, "IVF_", 4))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--index-type %s is searched in memory: its queries "
			"read nothing from the drive, which is busy only while "
			"the index is loaded, one large read (`stoker drive "
			"probe` measures those). --index-type DISKANN is the "
			"one that queries a drive", type);
	return err_set(e, ERR_USAGE, -EINVAL,
		"--index-type %s: DISKANN is emulated, which is searched on "
		"the drive", type);
}

int vectordb_shape(const struct vectordb_options *o, struct vdb_config *c,
	struct err *e)
{
	struct vdb_shape *s = &c->shape;
	uint64_t segments;
	int r = vdb_profile_load(o->config_dir, o->profile, c, e);

	if (r)
		return r;
	if (check_index_type(o->index_type, e))
		return e->code;
	if (o->dimension)
		s->dim = (uint32_t)o->dimension;
	if (o->vectors)
		s->vectors = o->vectors;
	if (o->degree)
		s->degree = (uint32_t)o->degree;
	s->copies = !strcmp(o->level, "copies");
	if (s->copies || !strcmp(o->level, "built")) {
		if (parse_built(o, s, e))
			return e->code;
	} else if (strcmp(o->level, "replay") || o->vectors_file) {
		return err_set(e, ERR_USAGE, -EINVAL,
			o->vectors_file ? "--vectors goes with --level built"
					: "--level %s: must be replay, built "
					  "or copies",
			o->level);
	}
	if (!s->built && (strcmp(o->metric, "l2") || o->norm_spread ||
				 strcmp(o->builder, "microsoft") || o->chunks ||
				 strcmp(o->distribution, "uniform") ||
				 o->queries_file))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--metric, --build, --norm-spread, --pq-chunks, "
			"--distribution and --query-vectors go with --level "
			"built: a replayed index has no vectors to tell apart");
	if (o->queries_file && !o->vectors_file)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--query-vectors goes with --vectors: queries of the "
			"same kind");
	if (o->segments)
		s->segments = (uint32_t)o->segments;
	else if (o->vectors || o->dimension || s->built) {
		segments = vdb_segments(s->vectors, s->dim);
		if (segments > VDB_SEGMENTS_MAX)
			return err_set(e, ERR_USAGE, -ERANGE,
				"%" PRIu64 " vectors of %u dimensions are %"
				PRIu64 " segments of 2 GiB, more than %u: fewer "
				"--num-vectors, or --segments", s->vectors,
				s->dim, segments, VDB_SEGMENTS_MAX);
		s->segments = (uint32_t)segments;
	}
	/* with room for links, padding and codes */
	if (s->vectors > (1ULL << 59) / 4 / s->dim)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--num-vectors %" PRIu64 " of %u dimensions: more bytes "
			"than any drive holds", s->vectors, s->dim);
	s->seed = o->seed;
	if (s->vectors >= s->segments)
		return s->copies ? check_copies(o, s, e) : 0;
	return err_set(e, ERR_USAGE, -EINVAL,
		"%" PRIu64 " vectors cannot be %u segments", s->vectors,
		s->segments);
}

int vectordb_folder(
	const struct vectordb_options *o, char folder[4096], struct err *e)
{
	if ((size_t)snprintf(folder, 4096, "%s/vectordb", o->data_dir) < 4096)
		return 0;
	return err_set(
		e, ERR_USAGE, -ENAMETOOLONG, "--data-dir: path too long");
}

int vectordb_parse_engine(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e)
{
	return resolve_engine(o->config_dir, o->drive, o->clock, o->engine,
		ENGINE_AUTO, &s->engine, &s->virtual_time, e);
}

/* A decimal number in a range. */
static int parse_number(const char *text, const char *what, double min,
	double max, double *out, struct err *e)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (!errno && end != text && !*end && v >= min && v <= max) {
		*out = v;
		return 0;
	}
	return err_set(e, ERR_USAGE, -EINVAL,
		"%s %s: must be a number from %g to %g", what, text, min, max);
}

static int parse_search(const struct vectordb_options *o,
	struct vdb_config *c, struct err *e)
{
	if (o->search_list)
		vdb_profile_search_list(c, (uint32_t)o->search_list);
	if (o->beam_width)
		c->beam_width = (uint32_t)o->beam_width;
	if (o->cache_share && parse_number(o->cache_share, "--cache-share", 0,
				      0.999, &c->cache_share, e))
		return e->code;
	if (o->software_time && units_parse_time(o->software_time,
					"--software-time", &c->software_ns, e))
		return e->code;
	/* storage alone */
	if (!c->software_ns)
		c->client_ns = 0;
	if (!strcmp(o->schedule, "pipelined"))
		c->schedule = VDB_PIPELINED;
	else if (strcmp(o->schedule, "reference"))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--schedule %s: must be reference or pipelined",
			o->schedule);
	c->limit = (uint32_t)o->limit;
	if (c->search_list < c->limit)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--search-ef %u is below --search-limit %u: a search "
			"cannot return more than it keeps", c->search_list,
			c->limit);
	return 0;
}

static int parse_load(const struct vectordb_options *o, struct vdb_config *c,
	struct err *e)
{
	if (o->queries && o->runtime)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--queries and --runtime exclude each other");
	c->queries = o->queries;
	if (!c->queries && units_parse_time(o->runtime ? o->runtime : "60s",
				   "--runtime", &c->runtime_ns, e))
		return e->code;
	if (!c->queries && c->runtime_ns <= 0)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--runtime must be above 0");
	if (o->rate && parse_number(o->rate, "--rate", 1e-6, 1e9,
			       &c->rate_per_s, e))
		return e->code;
	c->clients = (uint32_t)o->clients;
	c->batch = (uint32_t)o->batch;
	c->outstanding = (uint32_t)(o->outstanding ? o->outstanding
				    : o->rate	   ? OPEN_LOOP_OUTSTANDING
						   : 1);
	/* an open loop's arrivals are random, and all clients share its rate */
	if (units_parse_time(o->stagger ? o->stagger : o->rate ? "0s" : "1s",
		    "--start-stagger", &c->stagger_ns, e))
		return e->code;
	if (c->stagger_ns < 0 || c->stagger_ns > 60 * NS_PER_S)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--start-stagger %s: must be from 0s to 60s",
			o->stagger);
	c->distinct = (uint32_t)o->distinct;
	c->seed = o->seed;
	c->verify = o->verify;
	return 0;
}

static int parse_list(const char *text, const char *what, uint64_t most,
	uint32_t *out, uint32_t *count, struct err *e)
{
	char copy[1024], *at = copy, *one;
	uint64_t v;

	*count = 0;
	if (strlen(text) >= sizeof(copy))
		return err_set(e, ERR_USAGE, -EINVAL, "%s: too long", what);
	strcpy(copy, text);
	while ((one = strsep(&at, ","))) {
		if (units_parse_u64(one, what, 1, most, &v, e))
			return e->code;
		if (*count == 64)
			return err_set(e, ERR_USAGE, -EINVAL,
				"%s: more than 64 values", what);
		out[(*count)++] = (uint32_t)v;
	}
	return 0;
}

static int parse_points(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e)
{
	uint32_t q[64] = {s->config.outstanding};
	uint32_t l[64] = {s->config.search_list};
	uint32_t qs = 1, ls = 1, i, k;

	if (o->sweep && parse_list(o->sweep, "--sweep", 65536, q, &qs, e))
		return e->code;
	if (o->sweep_list && parse_list(o->sweep_list, "--sweep-search-ef",
				     1000000, l, &ls, e))
		return e->code;
	if (o->sweep && o->rate)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--sweep is about closed loops: with --rate the load "
			"is given");
	if (qs * ls > VECTORDB_POINTS_MAX)
		return err_set(e, ERR_USAGE, -EINVAL,
			"%u x %u points are more than %u", qs, ls,
			VECTORDB_POINTS_MAX);
	for (i = 0; i < ls; i++)
		for (k = 0; k < qs; k++) {
			if (l[i] < s->config.limit)
				return err_set(e, ERR_USAGE, -EINVAL,
					"--sweep-search-ef %u is below "
					"--search-limit %u", l[i],
					s->config.limit);
			s->points[s->point_count].outstanding = q[k];
			s->points[s->point_count++].search_list = l[i];
		}
	return 0;
}

void vectordb_point_config(const struct vectordb_setup *s, uint32_t point,
	struct vdb_config *c)
{
	const struct vectordb_point *p = &s->points[point];

	*c = s->config;
	c->outstanding = p->outstanding;
	if (c->shape.built)
		c->search_list = p->search_list;
	else if (p->search_list != c->search_list)
		vdb_profile_search_list(c, p->search_list);
}

/* Which nodes to keep in memory, and how many. */
static int resolve_cache(const struct vectordb_options *o,
	struct vdb_config *c, struct err *e)
{
	const struct vdb_shape *s = &c->shape;
	uint64_t n = vdb_segment_nodes(s, 0), rule, most;
	const char *kind = o->node_cache ? o->node_cache : "visits";

	for (c->node_cache = VDB_CACHE_NONE;
		c->node_cache < VDB_CACHE_VISITS &&
		strcmp(kind, vdb_node_cache_name(c->node_cache));
		c->node_cache++)
		;
	if (strcmp(kind, vdb_node_cache_name(c->node_cache)))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--node-cache %s: must be visits, breadth-first or "
			"none", kind);
	rule = vdb_cache_count(n, vdb_stored_dim(s), s->degree);
	most = c->node_cache == VDB_CACHE_VISITS ? rule
	       : c->node_cache == VDB_CACHE_NONE ? 0
						 : n / 10;
	if (o->cache_nodes > most)
		return err_set(e, ERR_USAGE, -ERANGE,
			"--cache-nodes %" PRIu64 " of %" PRIu64 " nodes: "
			"--node-cache %s keeps at most %" PRIu64,
			o->cache_nodes, n, kind, most);
	c->cache_nodes = (uint32_t)o->cache_nodes;
	if (c->node_cache == VDB_CACHE_BREADTH && !c->cache_nodes)
		c->cache_nodes = (uint32_t)(rule < most ? rule : most);
	return 0;
}

/* A real index does what a profile only tells of. */
static int resolve_built(const struct vectordb_options *o,
	struct vdb_config *c, struct err *e)
{
	if (o->cache_share)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--cache-share is about a replayed index; this one is "
			"real and has --node-cache");
	if (!c->distinct)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--num-query-vectors 0 is about a replayed index: the "
			"answers of this one's %u queries are known",
			c->shape.queries);
	if (c->distinct > c->shape.queries)
		c->distinct = c->shape.queries;
	c->expansions = 0;
	c->cache_share = 0;
	if (!o->software_time)
		c->software_ns = c->client_ns = 0;
	snprintf(c->profile, sizeof(c->profile), "%s",
		vdb_distribution_name(c->shape.distribution));
	return resolve_cache(o, c, e);
}

int vectordb_resolve(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e)
{
	struct vdb_config *c = &s->config;
	struct vdb_shape asked;
	int r;

	memset(s, 0, sizeof(*s));
	r = vectordb_shape(o, c, e);
	if (!r)
		r = parse_search(o, c, e);
	if (!r)
		r = parse_load(o, c, e);
	if (!r)
		r = parse_points(o, s, e);
	if (!r && o->recall_target)
		r = parse_number(o->recall_target, "--recall-target", 0, 1,
			&s->recall_target, e);
	if (!r && o->goal)
		r = units_parse_time(o->goal, "--latency-goal", &s->goal_ns, e);
	if (!r && o->goal && s->goal_ns <= 0)
		r = err_set(e, ERR_USAGE, -ERANGE,
			"--latency-goal %s: must be more than 0", o->goal);
	if (!r)
		r = vectordb_parse_engine(o, s, e);
	if (!r)
		r = resolve_division(o->division, &s->division, e);
	if (r)
		return r;
	if (o->drive && o->verify)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--verify needs bytes, and a modelled drive has none");
	if (o->drive && (o->recall_target || o->cache_nodes || o->node_cache))
		return err_set(e, ERR_USAGE, -EINVAL,
			"--recall-target, --node-cache and --cache-nodes are "
			"about a real index, and a modelled drive has none");
	if (o->drive)
		return vectordb_check_rules(o, s, e);
	asked = c->shape;
	r = vectordb_folder(o, c->folder, e);
	if (!r)
		r = vdb_folder_shape(c->folder, &c->shape, e);
	if (r)
		return r;
	if (c->shape.built)
		r = resolve_built(o, c, e);
	else if (o->recall_target)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--recall-target is about a real index: a replayed one "
			"finds nothing");
	else if (o->cache_nodes || o->node_cache)
		r = err_set(e, ERR_USAGE, -EINVAL,
			"--node-cache and --cache-nodes are about a real "
			"index; a replayed one has --cache-share");
	if (r)
		return r;
	if ((o->vectors && asked.vectors != c->shape.vectors) ||
		(o->dimension && asked.dim != c->shape.dim) ||
		(o->degree && asked.degree != c->shape.degree) ||
		(o->segments && asked.segments != c->shape.segments))
		return err_set(e, ERR_USAGE, -EINVAL,
			"%s holds %" PRIu64 " vectors of %u dimensions, degree "
			"%u, in %u segments, which is not what was asked for",
			c->folder, c->shape.vectors, c->shape.dim,
			c->shape.degree, c->shape.segments);
	return vectordb_check_rules(o, s, e);
}
