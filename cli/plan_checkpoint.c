/* `stoker plan checkpoint`; see plan_checkpoint.h. */
#include "cli/plan_checkpoint.h"

#include "cli/cli.h"
#include "cli/commands.h"
#include "core/json.h"
#include "core/units.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define O struct plan_options
#include "cli/rows.h"

const struct option_row plan_checkpoint_rows[] = {
	OPT_HEADING("What is saved"),
	TEXT("model", model, "NAME", "a model of `checkpointing datasize`",
		.letter = 'm',
		.words = "llama3-8b llama3-70b llama3-405b llama3-1t"),
	COUNT("num-processes", processes, "N", 1, 1048576, "its ranks",
		.letter = 'n', .standard = "those of CLOSED"),
	TEXT("checkpoint-mode", mode, "MODE", "auto, default or subset",
		.standard = "auto", .words = "auto default subset"),
	TEXT("config-dir", config_dir, "DIR",
		"models and drives that override or add to the built-in ones",
		.words = COMPLETE_DIR),
	TEXT("size", size, "SIZE", "bytes of a checkpoint instead of a model",
		.bare = "bytes"),
	OPT_HEADING("How fast"),
	TEXT("result", result, "DIR",
		"times and size of a checkpointing run's result folder",
		.words = COMPLETE_DIR),
	TEXT("drive", drive, "PROFILE",
		"sequential rates of a drive profile, also \"24x NAME\""),
	TEXT("save-rate", save_rate, "RATE", "of the whole job, as in 10GiB/s",
		.bare = "bytes/s"),
	TEXT("load-rate", load_rate, "RATE", "the same, of loads",
		.bare = "bytes/s"),
	TEXT("save-time", save_time, "TIME", "instead of a rate",
		.bare = "seconds"),
	TEXT("load-time", load_time, "TIME", "instead of a rate",
		.bare = "seconds"),
	FLAG("asynchronous", asynchronous,
		"saves drain while the job computes; only the copy to host "
		"memory stalls it"),
	TEXT("copy-time", copy, "TIME", "of that copy", .bare = "seconds"),
	OPT_HEADING("How often it fails"),
	TEXT("mtbf", mtbf, "TIME", "mean time between failures of the job",
		.bare = "seconds"),
	COUNT("accelerators", accelerators, "N", 1, 100000000,
		"accelerators, each of which fails every --accelerator-mtbf"),
	TEXT("accelerator-mtbf", accelerator_mtbf, "TIME", "of one",
		.standard = "50000h", .bare = "seconds"),
	TEXT("restart-time", restart, "TIME",
		"of a restart, without loading the checkpoint",
		.standard = "0", .bare = "seconds"),
	TEXT("detection-time", detect, "TIME",
		"until a failure is noticed: no shorter interval",
		.standard = "0", .bare = "seconds"),
	TEXT("target-loss", target, "PCT,...",
		"bandwidth needed to lose no more than that, beside restarts",
		.standard = "10,5,2"),
	OPT_HEADING("Output"),
	FLAG("curve", curve, "also the loss over the interval"),
	FLAG("csv", csv, "tables as comma-separated values"),
	JSON_ROW,
	OPT_END,
};

#define CURVE_POINTS 21 /* a tenth of the best interval to ten times it */

struct answer {
	struct plan_inputs in;
	struct ckpt_loss rules[CKPT_RULES];
	struct ckpt_target targets[PLAN_TARGETS_MAX];
	struct ckpt_loss curve[CURVE_POINTS];
};

static void compute(struct answer *a)
{
	const struct ckpt_job *j = &a->in.job;
	double least, t;
	uint32_t i;

	for (i = 0; i < CKPT_RULES; i++)
		ckpt_loss_at(j, ckpt_interval_s(j, (enum ckpt_rule)i),
			&a->rules[i]);
	for (i = 0; i < a->in.target_count; i++)
		ckpt_target_for(j, a->in.targets[i], &a->targets[i]);
	least = j->asynchronous ? j->save_s - j->copy_s : 0;
	for (i = 0; i < CURVE_POINTS; i++) {
		t = a->rules[CKPT_DALY].interval_s *
		    pow(10, (double)i / (CURVE_POINTS / 2) - 1);
		ckpt_loss_at(j, t < least ? least : t, &a->curve[i]);
	}
}

/* "18.6 min": three figures, in the unit people say it in. */
static const char *time_text(char buf[32], double s)
{
	if (s < 120)
		snprintf(buf, 32, "%.3g s", s);
	else if (s < 7200)
		snprintf(buf, 32, "%.1f min", s / 60);
	else if (s < 48 * 3600)
		snprintf(buf, 32, "%.2f h", s / 3600);
	else
		snprintf(buf, 32, "%.1f days", s / 86400);
	return buf;
}

static void print_sentence(const struct answer *a)
{
	const struct ckpt_job *j = &a->in.job;
	const struct ckpt_loss *l = &a->rules[CKPT_DALY];
	char save[32], load[32], every[32];

	if (l->total >= 1) {
		printf("this job makes no progress: it fails every %s and a "
		       "save takes %s, a restart %s\n",
			time_text(every, j->mtbf_s), time_text(save, j->save_s),
			time_text(load, j->restart_s));
		return;
	}
	printf("save every %s (Daly): %.2f %% of the time is lost (%.2f stall, "
	       "%.2f rework, %.2f restart); a save takes %s, a load %s\n",
		time_text(every, l->interval_s), 100 * l->total, 100 * l->stall,
		100 * l->rework, 100 * l->restart, time_text(save, j->save_s),
		a->in.load_s > 0 ? time_text(load, a->in.load_s) : "not known");
}

static double drives(const struct answer *a, const struct ckpt_target *t)
{
	return ceil(t->bytes_per_s / a->in.drive_bytes_per_s - 1e-9);
}

static void print_targets(const struct answer *a)
{
	char save[32], every[32];
	uint32_t i;

	printf("\n%-12s %12s %14s %14s%s\n", "to lose", "save within",
		"GiB/s needed", "start to start",
		a->in.drive_bytes_per_s > 0 ? "   drives" : "");
	for (i = 0; i < a->in.target_count; i++) {
		const struct ckpt_target *t = &a->targets[i];

		if (!t->reachable) {
			printf("%8.3g %%   cannot be reached: the copy to host "
			       "memory alone costs more\n", 100 * t->loss);
			continue;
		}
		printf("%8.3g %%   %12s %14.1f %14s", 100 * t->loss,
			time_text(save, t->save_s),
			t->bytes_per_s / (double)GIB_BYTES,
			time_text(every, t->interval_s));
		if (a->in.drive_bytes_per_s > 0)
			printf(" %8.0f x %s", drives(a, t), a->in.drive_name);
		printf("\n");
	}
	printf("restarts come on top: %.3f %% of the time\n",
		100 * a->rules[CKPT_DALY].restart);
}

static void print_curve(const struct answer *a)
{
	char every[32];
	uint32_t i;

	printf("\n%-12s %9s %9s %9s %9s\n", "interval", "stall %", "rework %",
		"restart %", "lost %");
	for (i = 0; i < CURVE_POINTS; i++)
		printf("%-12s %9.3f %9.3f %9.3f %9.3f\n",
			time_text(every, a->curve[i].interval_s),
			100 * a->curve[i].stall, 100 * a->curve[i].rework,
			100 * a->curve[i].restart, 100 * a->curve[i].total);
}

static void print_text(const struct answer *a, bool curve)
{
	const struct ckpt_job *j = &a->in.job;
	char t[32], m[32];
	uint32_t i;

	print_sentence(a);
	printf("%s: %.2f GiB; times %s; %s saves; a failure every %s\n\n",
		a->in.of, j->bytes / (double)GIB_BYTES, a->in.source,
		j->asynchronous ? "asynchronous" : "synchronous",
		time_text(m, j->mtbf_s));
	printf("%-13s %-12s %9s %9s %9s %9s\n", "rule", "interval", "stall %",
		"rework %", "restart %", "lost %");
	for (i = 0; i < CKPT_RULES; i++)
		printf("%-13s %-12s %9.3f %9.3f %9.3f %9.3f\n",
			ckpt_rule_name((enum ckpt_rule)i),
			time_text(t, a->rules[i].interval_s),
			100 * a->rules[i].stall, 100 * a->rules[i].rework,
			100 * a->rules[i].restart, 100 * a->rules[i].total);
	if (j->asynchronous)
		printf("no interval is shorter than the drain of a save, %s\n",
			time_text(t, j->save_s));
	if (j->save_s >= 2 * j->mtbf_s && !j->asynchronous)
		printf("a save takes twice the time between failures or more: "
		       "Daly's formula ends, the interval is the MTBF\n");
	print_targets(a);
	if (curve)
		print_curve(a);
}

static void csv_row(const char *kind, const char *name,
	const struct ckpt_loss *l)
{
	printf("%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,,\n", kind, name, l->interval_s,
		100 * l->stall, 100 * l->rework, 100 * l->restart,
		100 * l->total);
}

static void print_csv(const struct answer *a)
{
	uint32_t i;

	printf("kind,name,interval_seconds,stall_percent,rework_percent,"
	       "restart_percent,lost_percent,save_seconds,bytes_per_second\n");
	for (i = 0; i < CKPT_RULES; i++)
		csv_row("rule", ckpt_rule_name((enum ckpt_rule)i),
			&a->rules[i]);
	for (i = 0; i < CURVE_POINTS; i++)
		csv_row("curve", "", &a->curve[i]);
	for (i = 0; i < a->in.target_count; i++)
		if (a->targets[i].reachable)
			printf("target,,%.9g,,,,%.9g,%.9g,%.9g\n",
				a->targets[i].interval_s,
				100 * a->targets[i].loss, a->targets[i].save_s,
				a->targets[i].bytes_per_s);
		else
			printf("target,unreachable,,,,,%.9g,,\n",
				100 * a->targets[i].loss);
}

static bool add_loss(
	struct cJSON *list, const char *name, const struct ckpt_loss *l)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && (!name || json_add_string(o, "rule", name)) &&
	       json_add_double(o, "interval_seconds", l->interval_s) &&
	       json_add_double(o, "stall_percent", 100 * l->stall) &&
	       json_add_double(o, "rework_percent", 100 * l->rework) &&
	       json_add_double(o, "restart_percent", 100 * l->restart) &&
	       json_add_double(o, "lost_percent", 100 * l->total);
}

static bool add_target(
	struct cJSON *list, const struct answer *a, const struct ckpt_target *t)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_double(o, "loss_percent", 100 * t->loss) &&
	       json_add_bool(o, "reachable", t->reachable) &&
	       (!t->reachable ||
		       (json_add_double(o, "save_seconds", t->save_s) &&
			       json_add_double(o, "start_to_start_seconds",
				       t->interval_s) &&
			       json_add_double(o, "bytes_per_second",
				       t->bytes_per_s) &&
			       json_add_double(o, "gib_per_second",
				       t->bytes_per_s / (double)GIB_BYTES) &&
			       (a->in.drive_bytes_per_s <= 0 ||
				       json_add_double(
					       o, "drives", drives(a, t)))));
}

static bool fill_json(struct cJSON *o, const struct answer *a)
{
	const struct ckpt_job *j = &a->in.job;
	struct cJSON *rules, *targets, *curve;
	bool ok;
	uint32_t i;

	ok = json_add_string(o, "of", a->in.of) &&
	     json_add_string(o, "times", a->in.source) &&
	     json_add_double(o, "checkpoint_bytes", j->bytes) &&
	     json_add_double(o, "save_seconds", j->save_s) &&
	     json_add_double(o, "load_seconds", a->in.load_s) &&
	     json_add_double(o, "restart_seconds", j->restart_s) &&
	     json_add_double(o, "mtbf_seconds", j->mtbf_s) &&
	     json_add_bool(o, "asynchronous", j->asynchronous) &&
	     json_add_double(o, "copy_seconds", j->copy_s) &&
	     json_add_bool(
		     o, "progress", a->rules[CKPT_DALY].total < 1);
	rules = ok ? json_add_array(o, "rules") : NULL;
	targets = rules ? json_add_array(o, "targets") : NULL;
	curve = targets ? json_add_array(o, "curve") : NULL;
	ok = curve != NULL;
	for (i = 0; ok && i < CKPT_RULES; i++)
		ok = add_loss(rules, ckpt_rule_name((enum ckpt_rule)i),
			&a->rules[i]);
	for (i = 0; ok && i < a->in.target_count; i++)
		ok = add_target(targets, a, &a->targets[i]);
	for (i = 0; ok && i < CURVE_POINTS; i++)
		ok = add_loss(curve, NULL, &a->curve[i]);
	return ok;
}

static int print_json(const struct answer *a)
{
	struct cJSON *o = cJSON_CreateObject();

	return cli_print_whole(o, o && fill_json(o, a));
}

int cmd_plan_checkpoint(int argc, const char **argv)
{
	struct plan_options o;
	struct answer a;
	struct err e;
	int r = 0, code;

	memset(&o, 0, sizeof(o));
	if (!command_options(plan_checkpoint_rows, &o, argc, argv, &code))
		return code;
	if (o.json && o.csv)
		r = err_set(&e, ERR_USAGE, -EINVAL,
			"--json and --csv exclude each other");
	if (!r)
		r = plan_inputs(&o, &a.in, &e);
	if (r)
		return cli_fail_report(o.json, &e);
	compute(&a);
	if (o.json)
		return print_json(&a);
	if (o.csv)
		print_csv(&a);
	else
		print_text(&a, o.curve);
	return 0;
}
