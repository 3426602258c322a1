#ifndef CLI_VECTORDB_H
#define CLI_VECTORDB_H
/* The options of `stoker vectordb ...` and what they resolve to. */
#include "cli/options.h"
#include "cli/resolve.h"
#include "core/err.h"
#include "core/vdb_record.h"
#include "storage/engine.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cJSON;

#define VECTORDB_POINTS_MAX 256

struct vectordb_options {
	/* what */
	const char *profile, *config_dir, *index_type;
	uint64_t vectors, dimension, degree, segments; /* 0: the profile's */
	uint64_t seed;
	/* a real index */
	const char *level, *distribution, *vectors_file, *queries_file;
	const char *metric, *builder;
	uint64_t build_list, chunks, truth_k, cache_nodes, norm_spread;
	/* where */
	const char *data_dir, *drive, *clock, *engine, *hosts_list;
	const char *results_dir, *system_name, *organization, *division;
	uint64_t per_node;
	/* load */
	uint64_t clients, outstanding, batch, queries, distinct, limit, runs;
	const char *recall_target, *runtime, *rate, *sweep, *sweep_list, *goal;
	const char *stagger;
	/* search */
	uint64_t search_list, beam_width; /* 0: the profile's */
	const char *cache_share, *software_time, *schedule, *node_cache;
	bool verify, drop_caches, in_process, overwrite;
	/* output */
	bool json, dry_run, quiet;
};

extern const struct option_row vectordb_datasize_rows[];
extern const struct option_row vectordb_datagen_rows[];
extern const struct option_row vectordb_run_rows[];

void vectordb_options_default(struct vectordb_options *o);

/* Of a run: what differs from point to point of a sweep. */
struct vectordb_point {
	uint32_t outstanding, search_list;
};

struct vectordb_setup {
	struct vdb_config config; /* of the first point */
	struct engine_spec engine;
	bool virtual_time;
	uint32_t point_count;
	struct vectordb_point points[VECTORDB_POINTS_MAX];
	int64_t goal_ns; /* P95 asked for; 0: none */
	double recall_target;
	enum rec_division division;
	struct not_closed not_closed;
	bool same_filesystem; /* index and results */
};

/* What the rules say of it before it starts; as checkpointing's. */
int vectordb_check_rules(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e);

/* Profile and shape. ERR_USAGE where options contradict each other. */
int vectordb_shape(const struct vectordb_options *o, struct vdb_config *c,
	struct err *e);
/* DATA-DIR/vectordb. */
int vectordb_folder(
	const struct vectordb_options *o, char folder[4096], struct err *e);
int vectordb_parse_engine(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e);
int vectordb_resolve(const struct vectordb_options *o,
	struct vectordb_setup *s, struct err *e);
/* The configuration of one point. */
void vectordb_point_config(const struct vectordb_setup *s, uint32_t point,
	struct vdb_config *c);

/* The runs of a command, point by point. */
struct vectordb_curve {
	uint32_t count;
	const struct vdb_record *recs;
	int64_t goal_ns;
};

/*
 * The point from which more clients only wait longer: most queries per second
 * for their mean latency, among the points of the first search list. With a
 * goal: the most queries per second with P95 within it, or -1 for none. Of
 * several runs of a point, their means and the worst P95.
 */
int vectordb_knee(const struct vectordb_curve *c);

void vectordb_print_text(FILE *f, const struct vectordb_curve *c);
struct cJSON *vectordb_json(const struct vectordb_curve *c);

/* The result folder of one run (rank 0); its name goes to leaf. */
int vectordb_write_leaf(const struct vectordb_options *o,
	const struct vdb_record *rec, char leaf[4096], struct err *e);

/*
 * DATASIZE and DATAGEN leave a folder, too: what was asked for, of which
 * machine, and for datagen what was written.
 */
struct vectordb_phase {
	const char *command;	       /* "datasize" or "datagen" */
	const struct option_row *rows; /* its options */
	const struct vdb_shape *shape;
	uint64_t index_bytes;
	struct record *hosts; /* of the command; gets names */
	int64_t wall_ns, took_ns;   /* CLOCK_REALTIME at its start */
	const char *text;	    /* what it printed; NULL: no logs */
};
int vectordb_write_phase(const struct vectordb_options *o,
	const struct vectordb_phase *p, char leaf[4096], struct err *e);

/*
 * Parts of both: what stands in args for the options, what the wrapper tells of
 * the collection (the caller's, NULL without memory), where folders lie.
 */
struct cJSON *vectordb_args(const struct vectordb_options *o,
	const struct option_row *rows, const struct record *hosts);
struct cJSON *vectordb_parameters(
	const struct vectordb_options *o, const struct vdb_shape *s);
#define VECTORDB_BELOW_MAX 256
const char *vectordb_below(const struct vectordb_options *o,
	const char *command, char below[VECTORDB_BELOW_MAX]);

int cmd_vectordb_datasize(int argc, const char **argv);
int cmd_vectordb_datagen(int argc, const char **argv);
int cmd_vectordb_run(int argc, const char **argv);

#endif
