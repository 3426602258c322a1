/* A probe's sentence, table and JSON; see drive_report.h. */
#include "cli/drive_report.h"

#include "core/json.h"
#include "core/units.h"

#include <cJSON.h>
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#define PLATEAU 0.95

static double gib(double gb_per_s)
{
	return gb_per_s * 1e9 / (double)GIB_BYTES;
}

static double kiops(const struct drive_point *t)
{
	return t->gb_per_s * 1e9 / t->bytes / 1e3;
}

/* Lower case, digits and dashes. */
static void plain_name(char *to, size_t size, const char *from)
{
	size_t i, n = 0;

	for (i = 0; from[i] && n + 1 < size; i++)
		if (isalnum((unsigned char)from[i]) || from[i] == '.')
			to[n++] = (char)tolower((unsigned char)from[i]);
		else if (n && to[n - 1] != '-')
			to[n++] = '-';
	to[n] = 0;
}

void drive_report_name(struct drive_profile *p, const char *name,
	const char *out, const char *dir, const struct rec_drive *d)
{
	const struct rec_device *v = d->device_count ? &d->devices[0] : NULL;
	const char *base = out ? strrchr(out, '/') : NULL;
	struct statvfs s;
	size_t n;

	base = name ? name : base ? base + 1 : out;
	if (!base)
		base = v && v->model[0] ? v->model
		       : d->device[0]	? d->device
					: "probed";
	plain_name(p->name, sizeof(p->name), base);
	n = strlen(p->name);
	if (!name && n > 5 && !strcmp(p->name + n - 5, ".json"))
		p->name[n - 5] = 0;
	if (v && v->model[0] && d->device_count == 1)
		snprintf(p->model, sizeof(p->model), "%s", v->model);
	else if (d->known)
		snprintf(p->model, sizeof(p->model), "%s on %.60s",
			d->filesystem,
			d->device[0] ? d->device : d->source);
	else
		snprintf(p->model, sizeof(p->model), "modelled");
	if (v)
		snprintf(p->interface, sizeof(p->interface), "%s",
			v->link[0] ? v->link : v->kind);
	if (v && d->device_count == 1)
		p->capacity_gb = (double)v->capacity_bytes / 1e9;
	if (p->capacity_gb <= 0 && dir && !statvfs(dir, &s))
		p->capacity_gb =
			(double)s.f_blocks * (double)s.f_frsize / 1e9;
	if (p->capacity_gb <= 0) /* a modelled drive has no end */
		p->capacity_gb = 1000;
	if (!d->device_count && d->note[0])
		snprintf(p->note, sizeof(p->note), "%.255s", d->note);
}

static bool add_sources(struct cJSON *doc, const struct probe *p,
	const struct rec_drive *drive, const struct probe_assumed *assumed)
{
	static const char *const measured[] = {"sequential_read_gb_per_s",
		"random_read_kiops", "read_latency_us",
		"command_read_gb_per_s", "buffered_read_gb_per_s"};
	static const char *const writes[] = {"sequential_write_gb_per_s",
		"random_write_kiops", "write_latency_us",
		"command_write_gb_per_s"};
	const char *const instead[] = {
		p->fill_gb_per_s > 0
			? "the first writing of the probe's file, with fsync"
			: "not measured: as reads",
		"not measured: sequential writes in 4 KiB pieces",
		"not measured: the latency of reads", ""};
	struct cJSON *o = json_add_object(doc, "sources");
	time_t now = time(NULL);
	char text[64], date[16];
	struct tm tm;
	bool ok = o != NULL;
	size_t i;

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	snprintf(text, sizeof(text), "measured by stoker drive probe %s", date);
	ok = ok && json_add_string(o, "capacity_gb",
			   !drive->known	       ? "assumed: a modelled drive"
			   : drive->device_count == 1 ? "sysfs"
						      : "the file system");
	for (i = 0; ok && i < sizeof(measured) / sizeof(measured[0]); i++)
		if (json_has(doc, measured[i]))
			ok = json_add_string(o, measured[i], text);
	for (i = 0; ok && i < sizeof(writes) / sizeof(writes[0]); i++)
		if (json_has(doc, writes[i]))
			ok = json_add_string(o, writes[i],
				assumed->writes ? instead[i] : text);
	return ok;
}

static bool add_number(struct cJSON *o, const char *key, double v, bool known)
{
	return known ? json_add_double(o, key, v)
		     : json_add(o, key, cJSON_CreateNull());
}

static bool add_point(struct cJSON *list, const struct probe_point *t)
{
	struct cJSON *o = json_add_object(list, NULL);

	return o && json_add_string(o, "op", t->d.write ? "write" : "read") &&
	       json_add_string(
		       o, "pattern", t->d.random ? "random" : "sequential") &&
	       json_add_bool(o, "buffered", t->buffered) &&
	       json_add_bool(o, "fsync", t->synced) &&
	       json_add_u64(o, "bytes", t->d.bytes) &&
	       json_add_u64(o, "depth", t->d.depth) &&
	       json_add_u64(o, "jobs", t->d.jobs) &&
	       json_add_double(o, "gb_per_s", t->d.gb_per_s) &&
	       json_add_double(o, "kiops", kiops(&t->d)) &&
	       json_add_double(o, "p999_us", t->p999_us) &&
	       add_number(o, "ci_percent", t->d.ci_pct, t->ci_known) &&
	       json_add_bool(o, "settled", t->settled) &&
	       json_add_bool(o, "limited_by_cpu", t->tool_limit) &&
	       json_add_double(o, "cpu_percent", t->cpu_pct) &&
	       json_add_double(o, "cpu_wait_percent", t->wait_pct) &&
	       add_number(
		       o, "cached_percent", t->cached_pct, t->cached_pct >= 0);
}

static bool add_probe(struct cJSON *passport, const struct probe *p)
{
	struct cJSON *o = json_add_object(passport, "probe"), *list;
	bool ok = o && json_add_string(o, "engine", p->engine_name) &&
		  json_add_u64(o, "file_bytes", p->size_bytes) &&
		  json_add_i64(o, "point_ns", p->point_ns) &&
		  json_add_i64(o, "took_ns", p->took_ns) &&
		  json_add_u64(o, "bytes_read", p->bytes_read) &&
		  json_add_u64(o, "bytes_written", p->bytes_written) &&
		  add_number(o, "new_file_gb_per_s", p->fill_gb_per_s,
			  p->fill_gb_per_s > 0) &&
		  add_number(o, "sustained_write_gb_per_s",
			  p->sustained_gb_per_s, p->sustained_gb_per_s > 0) &&
		  json_add_u64(
			  o, "never_written_bytes",
			  p->extents.unwritten_bytes + p->extents.hole_bytes) &&
		  add_number(o, "compressed_bytes",
			  (double)p->extents.encoded_bytes, p->extents.known);
	uint32_t i;

	list = ok ? json_add_array(o, "notes") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < p->note_count; i++)
		ok = json_add_string(list, NULL, p->notes[i]);
	list = ok ? json_add_array(o, "points") : NULL;
	ok = list != NULL;
	for (i = 0; ok && i < p->point_count; i++)
		ok = add_point(list, &p->points[i]);
	return ok;
}

struct cJSON *drive_report_json(const struct drive_profile *profile,
	const struct probe *p, const struct rec_drive *d,
	const struct probe_assumed *assumed)
{
	struct cJSON *doc = drive_profile_json(profile), *passport;
	bool ok = doc && add_sources(doc, p, d, assumed);

	passport = d->known ? results_drive_json(d) : cJSON_CreateObject();
	ok = json_add(doc, "passport", passport) && ok;
	if (ok && add_probe(passport, p))
		return doc;
	cJSON_Delete(doc);
	return NULL;
}

/* The least depth that brings the plateau; 0: none. */
static uint32_t plateau_depth(
	const struct probe *p, bool write, double gb_per_s)
{
	const struct probe_point *t;
	uint32_t i;

	for (i = 0; i < p->point_count; i++) {
		t = &p->points[i];
		if (t->d.write == write && t->d.bytes == MIB_BYTES &&
			!t->buffered && !t->synced &&
			t->d.gb_per_s >= PLATEAU * gb_per_s)
			return t->d.depth;
	}
	return 0;
}

static const struct probe_point *highest(const struct probe *p, bool write)
{
	const struct probe_point *t, *best = NULL;
	uint32_t i;

	for (i = 0; i < p->point_count; i++) {
		t = &p->points[i];
		if (t->d.bytes < MIB_BYTES && t->d.write == write &&
			t->cached_pct <= PROBE_CACHED_PCT &&
			(!best || t->d.gb_per_s > best->d.gb_per_s))
			best = t;
	}
	return best;
}

static void sentence(FILE *f, const struct probe *p, const struct rec_drive *d,
	const struct drive_profile *profile)
{
	const struct probe_point *reads = highest(p, false);
	const struct probe_point *writes = highest(p, true);

	if (!d->known)
		fprintf(f, "this modelled drive");
	else if (d->device_count)
		fprintf(f, "this file system (%s on %s)", d->filesystem,
			d->device);
	else
		fprintf(f, "this file system (%s)", d->note);
	fprintf(f, " reads %.3g GiB/s at depth %" PRIu32,
		gib(profile->sequential_read_gb_per_s),
		plateau_depth(p, false, profile->sequential_read_gb_per_s));
	if (writes)
		fprintf(f, " and writes %.3g GiB/s at depth %" PRIu32,
			gib(profile->sequential_write_gb_per_s),
			plateau_depth(
				p, true, profile->sequential_write_gb_per_s));
	if (reads)
		fprintf(f, "; 4 KiB random reads: %.1f kIOPS at %" PRIu32
			   " in flight, %.1f us one at a time",
			kiops(&reads->d), reads->d.depth * reads->d.jobs,
			profile->read_latency_us);
	fprintf(f, "\n");
}

static void point_row(FILE *f, const struct probe_point *t)
{
	char what[48], ci[16] = "-", mark[64] = "";

	snprintf(what, sizeof(what), "%s %s%s%s",
		t->d.bytes >= MIB_BYTES ? "1 MiB" : "4 KiB",
		t->buffered  ? "buffered "
		: t->d.random ? "random "
			      : "sequential ",
		t->d.write ? "write" : "read", t->synced ? " + fsync" : "");
	if (t->ci_known)
		snprintf(ci, sizeof(ci), "%.1f", t->d.ci_pct);
	if (t->cached_pct > PROBE_CACHED_PCT)
		snprintf(mark, sizeof(mark), " CACHED %.0f %%: left out",
			t->cached_pct);
	else if (t->tool_limit)
		snprintf(mark, sizeof(mark), " CPU");
	fprintf(f,
		"%-27s %5" PRIu32 " %4" PRIu32 " %8.3f %8.1f %9.1f %9.1f %9.1f "
		"%9.1f %9.1f %6s%s\n",
		what, t->d.depth, t->d.jobs, gib(t->d.gb_per_s), kiops(&t->d),
		t->d.mean_us, t->d.p50_us, t->d.p95_us, t->d.p99_us,
		t->p999_us, ci, mark);
}

void drive_report_table(FILE *f, const struct probe *p)
{
	uint32_t i;

	fprintf(f, "%-27s %5s %4s %8s %8s %9s %9s %9s %9s %9s %6s\n", "",
		"depth", "jobs", "GiB/s", "kIOPS", "mean us", "p50", "p95",
		"p99", "p99.9", "+-%");
	for (i = 0; i < p->point_count; i++)
		point_row(f, &p->points[i]);
}

static void notes(FILE *f, const struct probe *p, const struct rec_drive *d)
{
	uint32_t i;

	if (d->note[0] && d->device_count)
		fprintf(f, "note: %s\n", d->note);
	else if (d->known && !d->device_count)
		fprintf(f, "note: no device counts the bytes here, so what a "
			   "cache answered cannot be told apart\n");
	for (i = 0; i < p->note_count; i++)
		fprintf(f, "note: %s\n", p->notes[i]);
}

void drive_report_print(FILE *f, const struct probe *p,
	const struct rec_drive *d, const struct drive_profile *profile)
{
	char line[RESULTS_DRIVE_LINE_MAX], read[UNITS_TEXT_MAX];
	char written[UNITS_TEXT_MAX], took[UNITS_TEXT_MAX];

	sentence(f, p, d, profile);
	notes(f, p, d);
	if (d->known)
		fprintf(f, "drive: %s\n",
			results_drive_line(line, sizeof(line), d));
	fprintf(f, "O_DIRECT, engine %s, 95 %% interval within +-%.0f %% "
		   "wanted\n\n", p->engine_name, PROBE_CI_PCT);
	drive_report_table(f, p);
	fprintf(f, "\n");
	if (p->fill_gb_per_s > 0)
		fprintf(f, "a new file with one fsync: %.3f GiB/s\n",
			gib(p->fill_gb_per_s));
	if (p->sustained_gb_per_s > 0)
		fprintf(f, "sustained with fsyncs: %.3f GiB/s over %s (a "
			   "drive's own cache may hold that)\n",
			gib(p->sustained_gb_per_s),
			units_format_bytes(written, p->sustained_bytes));
	if (profile->buffered_read_gb_per_s > 0)
		fprintf(f, "through the page cache, cold: %.3f GiB/s\n",
			gib(profile->buffered_read_gb_per_s));
	fprintf(f, "read %s, wrote %s in %s\n",
		units_format_bytes(read, p->bytes_read),
		units_format_bytes(written, p->bytes_written),
		units_format_time(took, p->took_ns));
}
