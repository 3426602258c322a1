#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H
/*
 * What a report is made of: campaigns of training runs, checkpointing runs and
 * sizing documents as they lie on disk, and the document that tells them
 * (report_doc.h). What a file does not hold is named, never made up. Files are
 * not trusted.
 */
#include "core/ckpt_record.h"
#include "core/edition.h"
#include "core/err.h"
#include "core/kv_record.h"
#include "core/record.h"
#include "core/why.h"
#include "results/history.h"
#include "results/report_doc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known of a training run beside its record. */
struct report_extra {
	bool has_steps;	     /* the record was read with ranks */
	char no_steps[512];  /* else why not */
	struct hist latency; /* of the whole run, from trace.h5 */
	char no_latency[512];
	bool explained;
	struct why why; /* filled by the caller, plan/why.h */
	char not_explained[512];
};

/* The newest campaign of one place. */
struct report_campaign {
	char place[4096];
	struct history history; /* of that place; these of its runs: */
	struct history_run *runs;
	size_t run_count;
	struct report_extra *extra; /* [run_count] */
	uint32_t older;		    /* campaigns of that place, left out */
	struct record judged; /* filled by the caller: verdict, runs borrowed */
	bool is_judged;
};

#define REPORT_OPS_MAX 1000

/* One save or load over all ranks. */
struct report_op {
	uint32_t step;
	bool load;
	double first_s, slowest_s; /* rank 0's time, the longest of a rank */
};

struct report_rule {
	const char *name;
	double interval_s, stall_pct, rework_pct, restart_pct, total_pct;
};

/* How often to save, filled by the caller (plan/ckpt_plan.h). */
struct report_plan {
	bool made;
	char why_not[256];
	double mtbf_s, accelerator_mtbf_s, save_s, restart_s;
	struct report_rule rules[3];
};

/* What the folder of a run of the other families tells of itself. */
struct report_leaf {
	char path[4096];
	char model[REC_NAME_MAX], stamp[16], verification[32];
	char drive[128]; /* modelled; "" = real or not told */
	char *command;	 /* as typed; NULL = not told */
	bool is_virtual;
	bool has_own; /* these are of run.json: */
	struct record own; /* notes, hosts, passport */
	struct cJSON *run;
	char no_own[512];
	char *said; /* what the run printed; NULL = not kept */
};

/* A checkpointing run's folder; rates are GiB/s, 0 = it has no such phase. */
struct report_ckpt {
	struct report_leaf at;
	uint64_t ranks, hosts;
	double size_gib;
	double save_gib_s, save_stdev, save_s, load_gib_s, load_stdev, load_s;
	struct report_op *ops;
	size_t op_count;
	uint64_t ranks_read; /* whose times are in ops */
	struct report_plan plan;
};

/* A run of queries; latencies in ms. */
struct report_vdb {
	struct report_leaf at;
	struct cJSON *config; /* config.json */
	char profile[REC_NAME_MAX], index_type[32];
	uint64_t vectors, dim, segments, clients, in_flight, search_list;
	uint64_t queries, unserved;
	double rate_per_s; /* asked for; 0: closed loop */
	double total_s, queries_per_s;
	double mean, p50, p95, p99, p999;
	bool has_recall; /* else it is not applicable, or not told */
	double recall, recall_target;
	uint64_t recall_k;
	char verdict[32]; /* of result_verdict.json; "" = none */
	double reads, bytes, rounds; /* of a query; 0 = not told */
	double cached_pct;	     /* of the visits; NAN = not told */
	double asked_bytes_per_s;    /* 0 = not told */
	double device_bytes_per_s;   /* NAN = not told */
};

#define REPORT_KV_OPTIONS_MAX 8
#define REPORT_KV_TRIALS_MAX 16

/* One trial of an option, or their mean; what is not told is NAN. */
struct report_kv_figures {
	double tokens_per_s, io_tokens_per_s;
	double read_gib_s, write_gib_s, p95_s;
	double file_read_p95_s, file_write_p95_s, end_to_end_p95_s;
	double tokens_per_gib_read, requests, abandoned;
	/* of the workers' time, % */
	double phase_pct[KV_PHASES];
};

struct report_kv_option {
	uint64_t option, ranks, trials_done, missing_files;
	char label[REC_NAME_MAX], model[REC_NAME_MAX];
	uint64_t users;
	bool partial;
	char bound_by[512];
	struct report_kv_figures mean, trials[REPORT_KV_TRIALS_MAX];
	size_t trial_count; /* that are told one by one */
};

struct report_kv {
	struct report_leaf at;
	uint64_t trials_wanted, failures;
	bool partial;
	struct report_kv_option options[REPORT_KV_OPTIONS_MAX];
	size_t option_count;
};

/* A document of `stoker size --json`. */
struct report_size {
	char path[4096];
	struct cJSON *doc;
};

struct report_input {
	struct report_campaign *campaigns;
	size_t campaign_count;
	struct report_ckpt *ckpts;
	size_t ckpt_count;
	struct report_vdb *vdbs;
	size_t vdb_count;
	struct report_kv *kvs;
	size_t kv_count;
	uint32_t left_out; /* runs of these families, too many */
	struct report_size *sizes;
	size_t size_count;
	struct history_broken *broken; /* what could not be read */
	size_t broken_count;
	const struct edition *edition; /* for the rules; NULL = none */
};

/*
 * Read a folder (of a run, or of many: the newest campaign of each folder of
 * training runs, and all runs of the other families) or a file. What cannot be read goes to in->broken; an
 * error is only a place that does not exist or holds nothing to report.
 */
int report_add(struct report_input *in, const char *path, struct err *e);
void report_input_fini(struct report_input *in);

/*
 * Runs of the other families: *taken says whether the folder is one. Then
 * those below a folder, and sizing documents; used by report_add().
 */
#define REPORT_RUNS_MAX 64 /* of a family */
int report_add_leaf(struct report_input *in, const char *leaf, bool *taken,
	struct err *e);
int report_add_leaves_below(
	struct report_input *in, const char *dir, struct err *e);
int report_add_size(struct report_input *in, const char *path, struct err *e);
/* Remember what could not be read, with e's text. */
int report_broken(
	struct report_input *in, const char *path, const char *why);

/* Room for one more at the end of a zeroed array; NULL = no memory. */
void *report_more(void **array, size_t *count, size_t bytes);

/* Of their readers. NULL with a text in e when it is no such JSON file. */
struct cJSON *report_load(const char *dir, const char *name, struct err *e);
const struct cJSON *report_member(const struct cJSON *o, const char *key);
/* 0 for what is no number above 0; NAN for what is no number. */
double report_positive(const struct cJSON *o, const char *key);
double report_number(const struct cJSON *o, const char *key);
void report_text(
	const struct cJSON *o, const char *key, char *to, size_t size);
/* metadata, run.json and what the run printed; log: "x.stdout.log" */
void report_leaf_read(
	struct report_leaf *l, const char *path, const char *log);
void report_leaf_fini(struct report_leaf *l);
/* The three families; summary is the folder's summary.json, may be NULL. */
int report_add_ckpt(struct report_input *in, const char *leaf,
	const struct cJSON *summary, struct err *e);
int report_add_vdb(struct report_input *in, const char *leaf, struct err *e);
int report_add_kv(struct report_input *in, const char *leaf,
	const struct cJSON *summary, struct err *e);

/* The whole document. */
void report_build(struct doc *d, const struct report_input *in, bool compare);

/* Its parts. */
void report_campaign_sections(struct doc *d, const struct report_input *in,
	const struct report_campaign *c);
void report_campaign_verdict(struct doc *d, const struct report_campaign *c);
void report_ckpt_sections(struct doc *d, const struct report_ckpt *c);
void report_ckpt_verdict(struct doc *d, const struct report_ckpt *c);
void report_vdb_sections(struct doc *d, const struct report_input *in);
void report_vdb_verdicts(struct doc *d, const struct report_input *in);
void report_kv_sections(struct doc *d, const struct report_kv *k);
void report_kv_verdict(struct doc *d, const struct report_kv *k);
void report_size_sections(struct doc *d, const struct report_size *s);
void report_size_verdict(struct doc *d, const struct report_size *s);
void report_compare(struct doc *d, const struct report_input *in);
/* Runs of a family side by side; nothing where there are fewer than two. */
void report_ckpt_compare(struct doc *d, const struct report_input *in);
void report_vdb_compare(struct doc *d, const struct report_input *in);
void report_kv_compare(struct doc *d, const struct report_input *in);
/* "?" for what is not told */
static inline const char *report_known(const char *text)
{
	return text[0] ? text : "?";
}
/* The modelled drive's name, or the real one in a line; returns buf. */
#define REPORT_DRIVE_MAX 512
const char *report_drive(
	const struct report_leaf *l, char buf[REPORT_DRIVE_MAX]);
/* What a run of these families says of itself: notes, then passport ... */
void report_leaf_notes(
	struct doc *d, const struct report_leaf *const *l, size_t count);
void report_leaf_facts(struct doc *d, const struct report_leaf *l);
void report_passport(struct doc *d, const struct record *rec);
/* Row of a table of two columns. */
void report_fact(struct doc *d, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "run 2 (20261130_195057)" or "warm-up"; buf is returned. */
#define REPORT_NAME_MAX 64
const char *report_run_name(
	char buf[REPORT_NAME_MAX], const struct report_campaign *c, size_t i);
/* 1, 2 ... of the measured runs, 0 of a warm-up. */
uint32_t report_run_number(const struct report_campaign *c, size_t i);
/* The counted run with the lowest AU; run_count when no run has one. */
size_t report_deciding_run(const struct report_campaign *c);

/* Charts of a campaign; the names of its runs get `prefix`. */
struct report_curve {
	const struct report_campaign *campaign;
	size_t run;
	char name[REPORT_NAME_MAX + 16];
};
void report_chart_au(struct doc *d, const struct report_campaign *c);
void report_steps(
	struct doc *d, const struct report_curve *curves, size_t count);
void report_latency(
	struct doc *d, const struct report_curve *curves, size_t count);
void report_throughput(
	struct doc *d, const struct report_curve *curves, size_t count);
void report_breakdown(struct doc *d, const struct report_curve *curve);
/* Share of n values, which get sorted, that are no larger: another curve. */
void report_cdf(struct doc *d, double *values, size_t n, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Such a chart, once it has its curves: a logarithm where they are wide. */
void report_log_if_wide(struct doc *d);

#endif
