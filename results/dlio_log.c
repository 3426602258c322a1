/*
 * dlio.log: the lines that DLIO's rank 0 logs at its default level, from a
 * record. Readers want the file to exist; people grep it for AU.
 */
#include "results/invocation.h"

#include "core/file.h"
#include "core/units.h"
#include "results/dlio_json.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define RULE "=========================================================="

struct log {
	FILE *f;
	const struct invocation *v;
};

static void line(const struct log *l, int64_t ns, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void line(const struct log *l, int64_t ns, const char *fmt, ...)
{
	char stamp[RESULTS_STAMP_MAX];
	va_list ap;

	fprintf(l->f, "[OUTPUT] %s ", results_stamp(stamp, &l->v->time, ns));
	va_start(ap, fmt);
	vfprintf(l->f, fmt, ap);
	va_end(ap);
	fprintf(l->f, "\n");
}

static double seconds(int64_t ns)
{
	return (double)ns / (double)NS_PER_S;
}

static void compute_line(
	const struct log *l, const struct rec_epoch *ep, uint32_t number)
{
	double mean = 0, squares = 0, d;
	uint32_t i;

	for (i = 0; i < ep->steps; i++)
		mean += seconds(ep->compute_ns[i]) / ep->steps;
	for (i = 0; i < ep->steps; i++) {
		d = seconds(ep->compute_ns[i]) - mean;
		squares += d * d / ep->steps;
	}
	line(l, ep->block_end_ns,
		"Epoch %u - Block 1 [Training] Computation time per step "
		"(second): %.4f+/-%.4f (set value: %g)",
		number, mean, sqrt(squares),
		seconds(l->v->config->computation_ns));
}

/* Rank 0's own throughput stands for all, as DLIO has it. */
static void epoch_lines(const struct log *l, const struct rec_epoch *ep,
	uint32_t number, uint32_t ranks)
{
	line(l, ep->start_ns, "Starting epoch %u: %u steps expected", number,
		ep->steps);
	line(l, ep->block_ns, "Starting block 1");
	line(l, ep->block_end_ns,
		"Ending block 1 - %u steps completed in "
		"%.2f s",
		ep->steps, seconds(ep->block_end_ns - ep->block_ns));
	line(l, ep->block_end_ns,
		"Epoch %u - Block 1 [Training] Accelerator Utilization [AU] "
		"(%%): %.4f",
		number, ep->au_pct);
	line(l, ep->block_end_ns,
		"Epoch %u - Block 1 [Training] Throughput (samples/second): "
		"%.4f",
		number, ep->throughput_per_s * ranks);
	compute_line(l, ep, number);
	line(l, ep->train_end_ns,
		"Ending epoch %u - %u steps completed in "
		"%.2f s",
		number, ep->steps, seconds(ep->train_end_ns - ep->start_ns));
}

static void metric_lines(const struct log *l, const struct rec_metrics *m)
{
	FILE *f = l->f;

	fprintf(f, "[METRIC] " RULE "\n");
	fprintf(f, "[METRIC] Number of Simulated Accelerators: %" PRIu64 "\n",
		l->v->config->accelerators);
	fprintf(f,
		"[METRIC] Training Accelerator Utilization [AU] (%%): %.4f "
		"(%.4f)\n",
		m->au_mean_pct, m->au_stdev_pct);
	fprintf(f,
		"[METRIC] Training Throughput (samples/second): %.4f (%.4f)\n",
		m->throughput_mean_per_s, m->throughput_stdev_per_s);
	fprintf(f,
		"[METRIC] Training I/O Throughput (MiB/second): %.4f (%.4f)\n",
		m->io_mean_mib_per_s, m->io_stdev_mib_per_s);
	fprintf(f, "[METRIC] train_au_meet_expectation: %s\n",
		m->meets_double ? "success" : "fail");
	fprintf(f, "[METRIC] " RULE "\n");
}

static void run_lines(const struct log *l, const struct rec_run *run)
{
	const struct train_config *c = l->v->config;
	const struct rec_rank *k = run->rank_count ? run->ranks : NULL;
	uint32_t i, steps = k && k->epoch_count ? k->epochs[0].steps : 0;

	line(l, l->v->start_ns,
		"Max steps per epoch: %u = %" PRIu64 " * %" PRIu64 " / %" PRIu64
		" / %" PRIu64
		" (samples per file * num files / batch size / comm size)",
		steps, c->samples_per_file, c->files, c->batch_size,
		c->accelerators);
	for (i = 0; k && i < k->epoch_count; i++)
		epoch_lines(l, &k->epochs[i], i + 1, run->rank_count);
	line(l, l->v->end_ns, "Saved outputs in %s", l->v->leaf);
	if (run->metrics.epochs)
		metric_lines(l, &run->metrics);
	line(l, l->v->end_ns, "outputs saved in RANKID_output.json");
}

int results_write_dlio_log(const struct invocation *v,
	const struct rec_run *run, const char *dir, struct err *e)
{
	struct log l = {.v = v};
	char path[PATH_MAX], *text = NULL;
	size_t size = 0;
	int ret = results_path(path, dir, "dlio.log", e);

	if (ret)
		return ret;
	l.f = open_memstream(&text, &size);
	if (!l.f)
		return err_nomem(e, "dlio.log");
	line(&l, v->start_ns,
		"stoker %s, an emulator (DLIO itself did not run), with "
		"%" PRIu64 " process(es)",
		v->tool_version, v->processes);
	if (run) {
		run_lines(&l, run);
	} else if (v->config->drive[0]) {
		line(&l, v->start_ns,
			"nothing is generated: of the data set of a modelled "
			"drive (%s) there are only sizes", v->config->drive);
	} else {
		line(&l, v->start_ns, "Starting data generation");
		line(&l, v->end_ns, "Generation done");
	}
	ret = fclose(l.f) ? err_nomem(e, "dlio.log")
			  : file_write_atomic(path, text, size, e);
	free(text);
	return ret;
}
