/* What a report says of a campaign of training runs; see report.h. */
#include "results/report.h"

#include "core/datasize.h"
#include "core/units.h"
#include "results/record_read.h"
#include "results/rules.h"
#include "results/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CURVES_MAX 16

static const struct rec_run *run_at(const struct report_campaign *c, size_t i)
{
	return &c->runs[i].rec.runs[0];
}

uint32_t report_run_number(const struct report_campaign *c, size_t i)
{
	uint32_t warmups = c->runs[i].rec.campaign.warmups;
	const struct rec_run *run = run_at(c, i);

	if (run->warmup)
		return 0;
	if (results_is_foreign(&c->runs[i].rec))
		return (uint32_t)i + 1;
	return run->index - (run->index >= warmups ? warmups : 0) + 1;
}

const char *report_run_name(
	char buf[REPORT_NAME_MAX], const struct report_campaign *c, size_t i)
{
	const struct rec_run *run = run_at(c, i);

	if (run->warmup)
		snprintf(buf, REPORT_NAME_MAX, "warm-up (%s)", run->stamp);
	else
		snprintf(buf, REPORT_NAME_MAX, "run %u (%s)",
			report_run_number(c, i), run->stamp[0] ? run->stamp : "?");
	return buf;
}

size_t report_deciding_run(const struct report_campaign *c)
{
	size_t best = c->run_count, i;

	for (i = 0; i < c->run_count; i++) {
		if (!run_at(c, i)->metrics.epochs)
			continue;
		if (best == c->run_count ||
			(run_at(c, best)->warmup && !run_at(c, i)->warmup) ||
			(run_at(c, best)->warmup == run_at(c, i)->warmup &&
				run_at(c, i)->metrics.au_mean_pct <
					run_at(c, best)->metrics.au_mean_pct))
			best = i;
	}
	return best;
}

static enum doc_tone tone_of(const struct record *rec, bool steady)
{
	const struct rec_metrics *m;
	bool any = false;
	uint32_t i;

	for (i = 0; i < rec->run_count; i++) {
		m = &rec->runs[i].metrics;
		if (rec->runs[i].warmup || !m->epochs ||
			(steady && !m->steady_evaluated))
			continue;
		any = true;
		if (!(steady ? m->steady_meets : m->meets_exact))
			return TONE_BAD;
	}
	return any ? TONE_GOOD : TONE_PLAIN;
}

/* "PASS: 5 of 5 runs ...: 2 x b200 on unet3d, d7-ps1010" */
static char *sentence(const struct record *rec, bool steady, bool with_what)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	results_print_figure(f, rec, steady);
	if (with_what) {
		fprintf(f, " (");
		results_print_what(f, rec);
		fprintf(f, ")");
	}
	fclose(f);
	return text;
}

void report_campaign_verdict(struct doc *d, const struct report_campaign *c)
{
	char *text;

	if (!c->is_judged)
		return;
	text = sentence(&c->judged, false, true);
	doc_text(d, tone_of(&c->judged, false), "%s", text ? text : "");
	free(text);
}

/* Said once, however many runs say it; `closed` picks one kind. */
static size_t notes(struct doc *d, const struct report_campaign *c, bool closed)
{
	const struct rec_note *n;
	struct record seen;
	uint32_t k, before;
	size_t i;

	record_init(&seen);
	for (i = 0; i < c->run_count; i++)
		for (k = 0; k < c->runs[i].rec.note_count; k++) {
			n = &c->runs[i].rec.notes[k];
			before = seen.note_count;
			if (closed != !strcmp(n->id, "not-closed") ||
				record_note(&seen, n->id, "%s", n->text) ||
				seen.note_count == before)
				continue;
			doc_text(d, TONE_NOTE, "%s%s",
				closed ? "not CLOSED: " : "", n->text);
		}
	before = seen.note_count;
	record_fini(&seen);
	return before;
}

static void all_notes(struct doc *d, const struct report_campaign *c)
{
	uint32_t k;

	doc_section(d, 3, "Notes: what was asked for and not delivered, and "
			  "what bends the result");
	for (k = 0; k < c->judged.note_count; k++)
		doc_text(d, TONE_NOTE, "%s", c->judged.notes[k].text);
	if (notes(d, c, false) + notes(d, c, true) + c->judged.note_count == 0)
		doc_text(d, TONE_PLAIN, "None.");
}

static void au_cell(struct doc *d, bool known, double pct, bool meets)
{
	if (known)
		doc_number_tone(d, meets ? TONE_GOOD : TONE_BAD, pct, 4);
	else
		doc_number(d, false, 0, 0);
}

static void runs(struct doc *d, const struct report_campaign *c)
{
	static const char *const columns[] = {"run", "AU %", "verdict",
		"steady AU %", "+- (95 %)", "samples/s", "nominal MB/s",
		"read GB/s", "cached %", NULL};
	char name[REPORT_NAME_MAX];
	size_t i;

	doc_section(d, 3, "AU of each run");
	report_chart_au(d, c);
	doc_table(d, "Runs", columns);
	for (i = 0; i < c->run_count; i++) {
		const struct record *rec = &c->runs[i].rec;
		const struct rec_metrics *m = &run_at(c, i)->metrics;
		bool own = m->epochs && !results_is_foreign(rec);

		doc_cell(d, TONE_PLAIN, "%s", report_run_name(name, c, i));
		au_cell(d, m->epochs, m->au_mean_pct, m->meets_exact);
		if (m->epochs)
			doc_cell(d, m->meets_exact ? TONE_GOOD : TONE_BAD,
				m->meets_exact ? "PASS" : "FAIL");
		else
			doc_cell(d, TONE_PLAIN, "NOT EVALUATED (%s)",
				rec_status_name(run_at(c, i)->status));
		au_cell(d, own && m->steady_evaluated, m->steady_au_pct,
			m->steady_meets);
		doc_number(d, own && m->steady_ci_pct > 0, m->steady_ci_pct, 3);
		doc_number(d, own, m->throughput_mean_per_s, 3);
		doc_number(d, own,
			m->io_mean_mib_per_s * (double)MIB_BYTES / 1e6, 1);
		doc_number(d, own,
			m->read_gib_per_s * (double)GIB_BYTES / 1e9, 3);
		doc_number(d, own && !rec->config.drive[0], m->cached_pct, 2);
	}
}

static void limit(struct doc *d, const struct report_campaign *c)
{
	size_t at = report_deciding_run(c);
	const struct report_extra *x;
	char name[REPORT_NAME_MAX];

	doc_section(d, 3, "What limits it");
	if (at == c->run_count) {
		doc_text(d, TONE_MISSING, "no run has an AU to explain");
		return;
	}
	x = &c->extra[at];
	report_run_name(name, c, at);
	if (!x->explained) {
		doc_text(d, TONE_MISSING, "%s: not explained: %s", name,
			x->not_explained);
		return;
	}
	doc_text(d, TONE_PLAIN, "Of %s, the counted run with the lowest AU: "
		"%s%s: %s", name, why_limit_name(x->why.limit),
		x->why.sure ? "" : " (likely)", x->why.evidence);
	if (!x->why.sure && x->why.doubt[0])
		doc_text(d, TONE_PLAIN, "%s", x->why.doubt);
	doc_text(d, TONE_PLAIN,
		"Storage delivered %.2f GB/s; the floor needs %.2f GB/s, AU "
		"100 %% asks for %.2f GB/s.",
		x->why.delivered_gb_per_s, x->why.needed_gb_per_s,
		x->why.asked_gb_per_s);
}

/* As they are here, whatever was planned. */
static void count_runs(const struct record *rec, struct rule_facts *f)
{
	uint32_t i;

	if (rec->campaign.stands_for_all) {
		f->runs_planned = rec->campaign.runs_wanted;
		f->warmups_planned = rec->campaign.warmups;
		return;
	}
	for (i = 0; i < rec->run_count; i++) {
		f->runs_planned += !rec->runs[i].warmup;
		f->warmups_planned += rec->runs[i].warmup;
	}
}

/*
 * Rules about how a run was asked for. A record keeps the outcome of that, as
 * notes, and not the facts: without them the rules would pass.
 */
static void unmake(struct rule_finding *n, const struct train_config *c)
{
	static const char *const asked[] = {"3.6.2", "3.6.3", "S-02", "S-05"};
	size_t i;

	if (!strcmp(n->rule->id, "3.1.2") && c->scale.num != c->scale.den)
		snprintf(n->figure, sizeof(n->figure),
			"a data set of --scale %u/%u proves nothing",
			c->scale.num, c->scale.den);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (strcmp(n->rule->id, asked[i]))
			continue;
		n->outcome = RULE_NOT_EVALUATED;
		snprintf(n->figure, sizeof(n->figure),
			"judged when the run was started: see its notes");
	}
}

/* What the record itself tells of the facts; all else stays not known. */
static void facts(const struct report_campaign *c, const struct edition *ed,
	struct rule_facts *f)
{
	const struct train_config *k = &c->judged.config;
	const struct record *first = &c->runs[0].rec;
	struct datasize_input in = {
		.shape = {k->model, k->batch_size, k->samples_per_file,
			k->record_bytes},
		.accelerators = k->accelerators,
		.hosts = k->hosts ? k->hosts : 1,
	};
	struct datasize size;
	struct err e;
	uint32_t i;

	memset(f, 0, sizeof(*f));
	f->edition = ed;
	f->config = k;
	f->division = k->division;
	f->hosts = (uint32_t)k->hosts;
	count_runs(&c->judged, f);
	f->record = &c->judged;
	for (i = 0; i < first->host_count; i++)
		in.measured_memory_bytes += first->hosts[i].memory_bytes;
	in.memory_bytes_per_host =
		(uint64_t)(k->host_memory_gib * (double)GIB_BYTES);
	if (k->scale.num == k->scale.den && k->record_bytes &&
		(in.measured_memory_bytes || in.memory_bytes_per_host) &&
		!datasize_compute(&in, ed, &size, &e)) {
		f->required_files = size.required;
		f->bound_by_memory = size.bound_by_memory;
	}
}

static void findings(struct doc *d, const struct report_input *in,
	const struct report_campaign *c)
{
	static const char *const columns[] = {"rule", "name", "outcome",
		"weight", "figure", "remedy", NULL};
	struct rule_finding found[RULES_MAX];
	struct rule_facts f;
	size_t n, i;

	doc_section(d, 3, "Rules");
	if (!in->edition || results_is_foreign(&c->runs[0].rec)) {
		doc_text(d, TONE_MISSING, "no rules were evaluated: the "
			"configuration is not known%s",
			in->edition ? " (only the benchmark's summary.json)"
				    : "");
		return;
	}
	facts(c, in->edition, &f);
	n = rules_evaluate(&f, PHASE_BEFORE, found, RULES_MAX);
	n += rules_evaluate(&f, PHASE_AFTER, found + n, RULES_MAX - n);
	doc_text(d, TONE_PLAIN,
		"Rules of %s as CLOSED weighs them unless the division is "
		"OPEN (this campaign: %s). What the record does not tell is "
		"NOT EVALUATED.",
		in->edition->name, rec_division_name(f.division));
	doc_table(d, "Rule findings", columns);
	for (i = 0; i < n; i++) {
		enum rule_outcome o;

		unmake(&found[i], f.config);
		o = found[i].outcome;
		doc_cell(d, TONE_PLAIN, "%s", found[i].rule->id);
		doc_cell(d, TONE_PLAIN, "%s", found[i].rule->name);
		doc_cell(d, o == RULE_FAIL   ? TONE_BAD
			    : o == RULE_PASS ? TONE_GOOD
					     : TONE_PLAIN,
			"%s", rule_outcome_name(o));
		doc_cell(d, TONE_PLAIN, "%s", rule_level_name(found[i].level));
		doc_cell(d, TONE_PLAIN, "%s", found[i].figure);
		doc_cell(d, TONE_PLAIN, "%s",
			o == RULE_FAIL ? found[i].rule->remedy : "");
	}
}

static void configuration(struct doc *d, const struct report_campaign *c)
{
	static const char *const columns[] = {"what", "value", NULL};
	const struct record *rec = &c->runs[0].rec;
	const struct train_config *k = &rec->config;
	char bytes[UNITS_TEXT_MAX], time[UNITS_TEXT_MAX];
	uint32_t i;

	doc_section(d, 3, "Configuration");
	doc_table(d, "As resolved", columns);
	report_fact(d, "division, system, organization", "%s, %s, %s",
		rec_division_name(k->division), k->system_name,
		k->organization);
	report_fact(d, "accelerators", "%" PRIu64 " x %s", k->accelerators,
		k->accelerator);
	report_fact(d, "data set", "%" PRIu64 " files, %" PRIu64 " epochs, model %s",
		k->files, k->epochs, k->model);
	if (results_is_foreign(rec)) {
		report_fact(d, "all else", "not in the benchmark's summary.json");
		return;
	}
	report_fact(d, "batch, compute of a batch", "%" PRIu64 " samples, %s",
		k->batch_size, units_format_time(time, k->computation_ns));
	report_fact(d, "scale", "%u/%u", k->scale.num, k->scale.den);
	report_fact(d, "reads", "%s, engine %s, %" PRIu64 " readers x %" PRIu64
		" in flight x %s", k->odirect ? "O_DIRECT" : "buffered",
		k->engine, k->read_threads, k->queue_depth,
		units_format_bytes(bytes, k->transfer_bytes));
	report_fact(d, "clock", "%s", rec->time.is_virtual ? "virtual" : "real");
	report_fact(d, "data folder", "%s", k->data_folder[0] ? k->data_folder : "-");
	for (i = 0; i < rec->host_count && i < 16; i++)
		report_fact(d, "host", "%s: %u CPUs, %s, %u ranks",
			rec->hosts[i].name, rec->hosts[i].cpu_count,
			units_format_bytes(bytes, rec->hosts[i].memory_bytes),
			rec->hosts[i].ranks);
	report_fact(d, "command", "%s", rec->command_line);
	report_fact(d, "stoker", "%s", rec->tool_version);
	for (i = 0; i < c->run_count; i++)
		report_fact(d, "folder", "%s", run_at(c, i)->leaf);
}

static size_t curves_of(const struct report_campaign *c,
	struct report_curve curves[CURVES_MAX])
{
	size_t i;

	for (i = 0; i < c->run_count && i < CURVES_MAX; i++) {
		curves[i].campaign = c;
		curves[i].run = i;
		report_run_name(curves[i].name, c, i);
	}
	return i;
}

void report_campaign_sections(struct doc *d, const struct report_input *in,
	const struct report_campaign *c)
{
	struct report_curve curves[CURVES_MAX];
	size_t n = curves_of(c, curves), at = report_deciding_run(c);
	char *what = NULL;
	size_t size;
	FILE *f;

	if (!c->is_judged || !(f = open_memstream(&what, &size)))
		return;
	results_print_what(f, &c->judged);
	fclose(f);
	doc_section(d, 2, "Training: %s", what);
	free(what);
	what = sentence(&c->judged, false, false);
	doc_text(d, tone_of(&c->judged, false),
		"Reference AU (the rule's figure): %s", what ? what : "");
	free(what);
	what = sentence(&c->judged, true, false);
	doc_text(d, tone_of(&c->judged, true),
		"Steady AU (what the drive keeps up): %s", what ? what : "");
	free(what);
	if (c->judged.campaign.reason[0])
		doc_text(d, TONE_PLAIN, "Reason: %s", c->judged.campaign.reason);
	if (c->older)
		doc_text(d, TONE_MISSING, "%u earlier campaign%s in %s not "
			"shown: give their run folders", c->older,
			c->older == 1 ? " is" : "s are", c->place);
	if (c->run_count > CURVES_MAX)
		doc_text(d, TONE_MISSING, "distributions are of the first %d "
			"of %zu runs", CURVES_MAX, c->run_count);
	all_notes(d, c);
	runs(d, c);
	limit(d, c);
	doc_section(d, 3, "Time of each accelerator");
	if (at < n)
		report_breakdown(d, &curves[at]);
	else
		doc_text(d, TONE_MISSING, "no run has an AU to break down");
	doc_section(d, 3, "Step times");
	report_steps(d, curves, n);
	doc_section(d, 3, "I/O latency");
	report_latency(d, curves, n);
	doc_section(d, 3, "Throughput over time");
	report_throughput(d, curves, n);
	findings(d, in, c);
	report_passport(d, &c->runs[0].rec);
	configuration(d, c);
}
