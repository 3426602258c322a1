/* The reader of history: record.json and, without one, summary.json. */
#include "core/record.h"
#include "plan/why.h"
#include "results/history.h"
#include "results/record_read.h"
#include "tests/fuzz/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(struct record *rec)
{
	const struct rec_run *run = &rec->runs[0];
	char what[256];
	double sum = 0;
	uint32_t i;

	if (rec->run_count != 1 || run->end_ns < run->start_ns ||
		run->start_ns < 0)
		abort();
	for (i = 0; run->metrics.au_pct && i < run->metrics.epochs; i++)
		sum += run->metrics.au_pct[i] +
		       run->metrics.throughput_per_s[i];
	if (!results_same_config(
		    &rec->config, &rec->config, what, sizeof(what)))
		abort();
	record_fini(rec);
	(void)sum;
}

/* With its steps, in its folder, and explained. */
static void steps(const uint8_t *data, size_t size)
{
	struct err e = {.kind = ERR_NONE};
	char leaf[128], file[160];
	struct record rec;
	struct why w;
	int r;

	fuzz_file("run/record.json", data, size);
	snprintf(leaf, sizeof(leaf), "%s/run", fuzz_folder);
	snprintf(file, sizeof(file), "%s/record.json", leaf);
	r = results_record_read_steps(leaf, &rec, &e);
	unlink(file);
	if (r) {
		if (e.kind == ERR_NONE || !e.text[0])
			abort();
		return;
	}
	if (why_explain(&rec, &rec.runs[0], NULL, &w, &e) && !e.text[0])
		abort();
	why_fini(&w);
	check(&rec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {.kind = ERR_NONE};
	struct record rec;
	struct history h;
	char *text;

	if (size && data[0] == 's') { /* a summary, in its folder */
		fuzz_file("run/summary.json", data + 1, size - 1);
		if (history_scan(fuzz_folder, &h, &e) ||
			h.count + h.broken_count != 1)
			abort();
		if (h.count)
			check(&h.runs[0].rec);
		h.count = 0;
		history_fini(&h);
		return 0;
	}
	if (size && data[0] == 'k') {
		steps(data + 1, size - 1);
		return 0;
	}
	/* exactly as long as it is, so that a byte too far is seen */
	text = malloc(size ? size : 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	if (!results_record_parse(text, size, "fuzz", &rec, &e))
		check(&rec);
	else if (e.kind == ERR_NONE || !e.text[0])
		abort();
	free(text);
	return 0;
}
