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

/* A checkpointing run's folder; rates are GiB/s, 0 = it has no such phase. */
struct report_ckpt {
	char leaf[4096];
	char model[REC_NAME_MAX], stamp[16], verification[32];
	char drive[128]; /* modelled; "" = real or not told */
	bool is_virtual;
	uint64_t ranks, hosts;
	double size_gib;
	double save_gib_s, save_stdev, save_s, load_gib_s, load_stdev, load_s;
	struct report_op *ops;
	size_t op_count;
	uint64_t ranks_read; /* whose times are in ops */
	char *said; /* what the run printed; NULL = not kept */
	struct report_plan plan;
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
	uint32_t ckpts_left_out;
	struct report_size *sizes;
	size_t size_count;
	struct history_broken *broken; /* what could not be read */
	size_t broken_count;
	const struct edition *edition; /* for the rules; NULL = none */
};

/*
 * Read a folder (of a run, or of many: its newest campaign and its
 * checkpointing runs) or a file. What cannot be read goes to in->broken; an
 * error is only a place that does not exist or holds nothing to report.
 */
int report_add(struct report_input *in, const char *path, struct err *e);
void report_input_fini(struct report_input *in);

/* Checkpointing runs and sizing documents; used by report_add(). */
#define REPORT_CKPTS_MAX 32
bool report_is_ckpt(const char *leaf);
int report_add_ckpt(struct report_input *in, const char *leaf, struct err *e);
int report_add_ckpts_below(
	struct report_input *in, const char *dir, struct err *e);
int report_add_size(struct report_input *in, const char *path, struct err *e);
/* Remember what could not be read, with e's text. */
int report_broken(
	struct report_input *in, const char *path, const char *why);

/* Room for one more at the end of a zeroed array; NULL = no memory. */
void *report_more(void **array, size_t *count, size_t bytes);

/* The whole document. */
void report_build(struct doc *d, const struct report_input *in, bool compare);

/* Its parts. */
void report_campaign_sections(struct doc *d, const struct report_input *in,
	const struct report_campaign *c);
void report_campaign_verdict(struct doc *d, const struct report_campaign *c);
void report_ckpt_sections(struct doc *d, const struct report_ckpt *c);
void report_ckpt_verdict(struct doc *d, const struct report_ckpt *c);
void report_size_sections(struct doc *d, const struct report_size *s);
void report_size_verdict(struct doc *d, const struct report_size *s);
void report_compare(struct doc *d, const struct report_input *in);

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

#endif
