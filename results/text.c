/* Text view of a record; see text.h. */
#include "results/text.h"

#include "core/units.h"
#include "results/drive.h"

#include <inttypes.h>
#include <string.h>

static const char *verdict_word(enum rec_verdict v)
{
	return v == VERDICT_PASS ? "PASS"
	       : v == VERDICT_FAIL ? "FAIL"
				   : "NOT EVALUATED";
}

static const char *run_name(
	char buf[16], const struct record *rec, const struct rec_run *run)
{
	if (run->warmup)
		snprintf(buf, 16, "warm-up");
	else
		snprintf(buf, 16, "%u", run->index - rec->campaign.warmups + 1);
	return buf;
}

static void format_steady(
	char buf[REC_AU_TEXT_MAX], const struct record *rec,
	const struct rec_metrics *m)
{
	if (m->steady_evaluated)
		rec_format_au(buf, m->steady_au_pct, rec->config.au_floor_ppm,
			m->steady_meets);
	else
		snprintf(buf, REC_AU_TEXT_MAX, "-");
}

const char *results_run_line(char *buf, size_t size, const struct record *rec,
	const struct rec_run *run)
{
	const struct rec_metrics *m = &run->metrics;
	char au[REC_AU_TEXT_MAX], steady[REC_AU_TEXT_MAX], name[16];

	run_name(name, rec, run);
	if (!m->epochs) {
		snprintf(buf, size, "%-8s %s", name,
			run->status == REC_FINISHED
				? "AU NOT EVALUATED"
				: rec_status_name(run->status));
		return buf;
	}
	rec_format_au(
		au, m->au_mean_pct, rec->config.au_floor_ppm, m->meets_exact);
	format_steady(steady, rec, m);
	snprintf(buf, size,
		"%-8s %9s %-5s %9s %-5s %10.3f %9.1f %9.1f %10.3f %8.1f", name,
		au,
		m->meets_exact ? "pass" : "FAIL", steady,
		!m->steady_evaluated ? ""
		: m->steady_meets    ? "pass"
				     : "FAIL",
		m->throughput_mean_per_s,
		m->io_mean_mib_per_s * (double)MIB_BYTES / 1e6,
		m->io_mean_mib_per_s,
		m->read_gib_per_s, m->cached_pct);
	return buf;
}

/* The last finished run with figures speaks where one must. */
static const struct rec_run *speaker(const struct record *rec)
{
	const struct rec_run *best = NULL;
	uint32_t i;

	for (i = 0; i < rec->run_count; i++)
		if (rec->runs[i].metrics.epochs &&
			(!best || best->warmup || !rec->runs[i].warmup))
			best = &rec->runs[i];
	return best;
}

void results_print_what(FILE *f, const struct record *rec)
{
	const struct train_config *c = &rec->config;

	fprintf(f, "%" PRIu64 " x %s on %s%s, %s", c->accelerators,
		c->accelerator, c->model, "", c->drive[0] ? c->drive
							  : c->data_folder);
	if (c->scale.num != c->scale.den)
		fprintf(f, ", scale %u/%u", c->scale.num, c->scale.den);
}

/* How one figure fared: the sentence that a reader wants first. */
void results_print_figure(FILE *f, const struct record *rec, bool steady)
{
	const struct rec_campaign *k = &rec->campaign;
	const struct rec_run *run = speaker(rec);
	double floor_pct = rec->config.au_floor_ppm / 1e4;
	enum rec_verdict v = steady ? k->steady : k->reference;
	uint32_t counted = 0, good = 0, i;
	char au[REC_AU_TEXT_MAX];
	double lowest = 0;
	bool meets = true;

	if (!run) {
		fprintf(f, "NOT EVALUATED");
		return;
	}
	for (i = 0; i < rec->run_count; i++) {
		const struct rec_metrics *m = &rec->runs[i].metrics;
		double pct = steady ? m->steady_au_pct : m->au_mean_pct;
		bool ok = steady ? m->steady_meets : m->meets_exact;

		if ((rec->runs[i].warmup && run != &rec->runs[i]) ||
			!m->epochs || (steady && !m->steady_evaluated))
			continue;
		if (!counted || pct < lowest)
			lowest = pct;
		meets = meets && ok;
		counted++;
		good += ok;
	}
	if (!counted) {
		fprintf(f, "NOT EVALUATED (too few steps: more than twice the "
			   "read-ahead is needed)");
		return;
	}
	rec_format_au(au, lowest, rec->config.au_floor_ppm, meets);
	if (k->stands_for_all)
		fprintf(f, "%s: AU %s %% (>= %g %% needed)%s",
			meets ? "PASS" : "FAIL", au, floor_pct,
			steady ? ""
			       : "; the drive is deterministic, one run "
				 "stands for all");
	else if (v == VERDICT_NONE)
		fprintf(f, "%s in %u of %u run%s: lowest AU %s %% (>= %g %% "
			   "needed); the rule of %u runs is NOT EVALUATED",
			meets ? "PASS" : "FAIL", good, counted,
			counted == 1 ? "" : "s", au, floor_pct,
			k->runs_rule ? k->runs_rule : 5);
	else
		fprintf(f, "%s: %u of %u runs at AU >= %g %%, lowest %s %%",
			verdict_word(v), good, counted, floor_pct, au);
}

static void headline(FILE *f, const struct record *rec, bool steady_first)
{
	results_print_what(f, rec);
	fprintf(f, "\n%s", steady_first ? "steady AU (what the drive keeps "
					  "up):  "
					: "reference AU (the rule's figure): ");
	results_print_figure(f, rec, steady_first);
	fprintf(f, "\n%s", steady_first ? "reference AU (the rule's figure): "
					: "steady AU (what the drive keeps "
					  "up):  ");
	results_print_figure(f, rec, !steady_first);
	fprintf(f, "\n");
	if (rec->campaign.reason[0])
		fprintf(f, "reason: %s\n", rec->campaign.reason);
	fprintf(f, "unverified, MLPerf-Storage-style; not an MLPerf result\n");
}

static void notes(FILE *f, const struct record *rec)
{
	uint32_t i;

	for (i = 0; i < rec->note_count; i++)
		if (strcmp(rec->notes[i].id, "not-closed"))
			fprintf(f, "note: %s\n", rec->notes[i].text);
	for (i = 0; i < rec->note_count; i++)
		if (!strcmp(rec->notes[i].id, "not-closed"))
			fprintf(f, "not CLOSED: %s\n", rec->notes[i].text);
}

static void effective(FILE *f, const struct record *rec)
{
	const struct train_config *c = &rec->config;
	char transfer[UNITS_TEXT_MAX], compute[UNITS_TEXT_MAX];
	char line[RESULTS_DRIVE_LINE_MAX];

	fprintf(f, "\n");
	if (rec->drive.known)
		fprintf(f, "drive: %s\n",
			results_drive_line(line, sizeof(line), &rec->drive));
	fprintf(f,
		"read: %s, engine %s, %" PRIu64 " reader%s x %" PRIu64
		" in flight x %s; batch %" PRIu64 ", compute %s, %" PRIu64
		" files, %" PRIu64 " epochs; %s clock, %s group, %u host%s\n",
		c->odirect ? "O_DIRECT" : "buffered", c->engine,
		c->read_threads, c->read_threads == 1 ? "" : "s",
		c->queue_depth,
		units_format_bytes(transfer, c->transfer_bytes), c->batch_size,
		units_format_time(compute, c->computation_ns), c->files,
		c->epochs, c->clock, c->group, rec->host_count,
		rec->host_count == 1 ? "" : "s");
}

static void table(FILE *f, const struct record *rec)
{
	const struct rec_campaign *k = &rec->campaign;
	char line[256], steady[32] = "-";
	uint32_t i;

	if (!rec->run_count)
		return;
	fprintf(f, "\n%-8s %9s %-5s %9s %-5s %10s %9s %9s %10s %8s\n", "run",
		"AU %", "", "steady %", "", "samples/s", "MB/s", "MiB/s",
		"read GiB/s", "cached %");
	for (i = 0; i < rec->run_count; i++)
		fprintf(f, "%s\n",
			results_run_line(
				line, sizeof(line), rec, &rec->runs[i]));
	if (k->runs_wanted <= 1 || rec->run_count <= 1)
		return;
	if (k->steady_mean_pct > 0) /* else no or not every run has one */
		snprintf(steady, sizeof(steady), "%.3f %%", k->steady_mean_pct);
	fprintf(f, "mean of the counted runs: AU %.3f %%, steady %s; margin of "
		   "the lowest %+.3f points\n",
		k->au_mean_pct, steady, k->margin_pct);
}

static void latency(FILE *f, const struct rec_run *run)
{
	char p50[UNITS_TEXT_MAX], p99[UNITS_TEXT_MAX], max[UNITS_TEXT_MAX];
	struct hist h = {0}, in_flight = {0};

	if (!rec_run_hist(run, REC_LATENCY_NS, &h) &&
		!rec_run_hist(run, REC_IN_FLIGHT, &in_flight) && h.count)
		fprintf(f,
			"latency of %" PRIu64 " requests: p50 %s, p99 %s, max "
			"%s; in flight per accelerator: p50 %" PRIu64
			", max %" PRIu64 "\n",
			h.count,
			units_format_time(
				p50, (int64_t)hist_percentile(&h, 500000)),
			units_format_time(
				p99, (int64_t)hist_percentile(&h, 990000)),
			units_format_time(max, (int64_t)h.max),
			hist_percentile(&in_flight, 500000), in_flight.max);
	hist_fini(&h);
	hist_fini(&in_flight);
}

static void why(FILE *f, const struct record *rec)
{
	const struct rec_run *run = speaker(rec);
	const struct rec_metrics *m;
	char asked[UNITS_TEXT_MAX], device[UNITS_TEXT_MAX];
	char rss[UNITS_TEXT_MAX];

	if (!run)
		return;
	m = &run->metrics;
	fprintf(f,
		"\nan accelerator's time: compute %.2f %%, waiting for storage "
		"%.2f %%, barrier %.2f %%, software %.2f %%\n",
		m->compute_pct, m->storage_pct, m->barrier_pct,
		m->software_pct);
	if (m->barrier_step_pct >= 5)
		fprintf(f,
			"barrier time >= 5 %% of a step (%.1f %%): AU does not "
			"describe the drive\n", m->barrier_step_pct);
	fprintf(f,
		"head start W/S %.2f %% (batches read during the untimed first "
		"step); AU with nominal compute %.3f %%\n",
		m->head_start_pct, m->nominal_au_pct);
	fprintf(f, "asked %s, device moved %s%s",
		units_format_bytes(asked, m->bytes_asked),
		units_format_bytes(device, m->bytes_device),
		rec->config.drive[0] ? " (modelled)" : "");
	if (!rec->config.drive[0])
		fprintf(f, " (%.1f %% cached)", m->cached_pct);
	if (!rec->time.is_virtual)
		fprintf(f, "; CPU %.4f s/GiB; peak RSS %s a process",
			m->cpu_s_per_gib,
			units_format_bytes(rss, m->peak_rss_bytes));
	fprintf(f, "\n");
	latency(f, run);
	if (!rec->config.drive[0] && m->cached_pct >= 5)
		fprintf(f, "%.0f %% served from page cache; AU does not "
			   "describe the drive\n", m->cached_pct);
}

/* Known of every run, also of one whose only step leaves no AU. */
static void unused(FILE *f, const struct record *rec)
{
	const struct train_config *c = &rec->config;
	uint64_t all = c->files * c->samples_per_file;
	uint64_t steps = c->files / c->accelerators * c->samples_per_file /
			 c->batch_size;
	uint64_t used = steps * c->batch_size * c->accelerators;

	if (used < all)
		fprintf(f, "%" PRIu64 " of %" PRIu64
			   " samples unused in each epoch (no full step)\n",
			all - used, all);
}

static void leaves(FILE *f, const struct record *rec)
{
	uint32_t i;

	for (i = 0; i < rec->run_count; i++)
		if (rec->runs[i].leaf[0])
			fprintf(f, "%s%s\n", i ? "" : "\nwritten:\n",
				rec->runs[i].leaf);
}

void results_print_text(FILE *f, const struct record *rec, bool steady_first)
{
	headline(f, rec, steady_first);
	notes(f, rec);
	effective(f, rec);
	table(f, rec);
	why(f, rec);
	unused(f, rec);
	leaves(f, rec);
}
