/* A report as one HTML file; see report_view.h. */
#include "results/report_gnuplot.h"
#include "results/report_view.h"

#include <string.h>

#define LONG_TEXT 40 /* bytes of a cell's text */
#define SHORT_TEXT 16

/* Colours that are told apart by most eyes, on white and on dark. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;"
	"--line:#d0d7de;--card:#f6f8fa;--good:#116329;--goodbg:#dafbe1;"
	"--bad:#a40e26;--badbg:#ffebe9;--notebg:#fff8c5;--grid:#c4ccd4;"
	"--floor:#cf222e;--s1:#0969da;--s2:#bc4c00;--s3:#1a7f37;--s4:#8250df;"
	"--s5:#9a6700;--s6:#bf3989;--s7:#1b7c83;--s8:#57606a}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;"
	"--soft:#9ea7b3;--line:#3d444d;--card:#161b22;--good:#56d364;"
	"--goodbg:#12261e;--bad:#ff7b72;--badbg:#2d1518;--notebg:#272115;"
	"--grid:#3d444d;--floor:#ff7b72;--s1:#58a6ff;--s2:#f0883e;"
	"--s3:#56d364;--s4:#bc8cff;--s5:#e3b341;--s6:#ff7eb6;--s7:#39c5cf;"
	"--s8:#9ea7b3}}\n"
	"@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;"
	"--soft:#333;--line:#999;--card:#fff;--good:#116329;--goodbg:#fff;"
	"--bad:#a40e26;--badbg:#fff;--notebg:#fff;--grid:#bbb;--floor:#cf222e;"
	"--s1:#0969da;--s2:#bc4c00;--s3:#1a7f37;--s4:#8250df;--s5:#9a6700;"
	"--s6:#bf3989;--s7:#1b7c83;--s8:#57606a}"
	"figure,tr,.verdict{break-inside:avoid}h2,h3,caption"
	"{break-after:avoid}.wide{overflow:visible!important}nav{display:none}"
	"body{max-width:none!important;font-size:10pt}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;"
	"max-width:64rem;background:var(--bg);color:var(--fg);"
	"font:15px/1.5 system-ui,sans-serif}"
	"h1{font-size:1.1rem;color:var(--soft);margin:0 0 1rem}"
	"h2{font-size:1.3rem;margin:2.2rem 0 .6rem;padding-top:.8rem;"
	"border-top:1px solid var(--line)}h3{font-size:1.05rem;"
	"margin:1.6rem 0 .4rem}p{margin:.4rem 0;overflow-wrap:anywhere}"
	".verdict{font-size:1.15rem;font-weight:600;padding:.7rem 1rem;"
	"border-left:6px solid var(--soft);background:var(--card)}"
	".verdict.good{border-color:var(--good);background:var(--goodbg)}"
	".verdict.bad{border-color:var(--bad);background:var(--badbg)}"
	"p.note{background:var(--notebg);padding:.25rem .7rem;"
	"border-left:3px solid var(--s5)}"
	".missing{color:var(--soft);font-style:italic}"
	"p.good,td.good{color:var(--good)}p.bad,td.bad{color:var(--bad);"
	"font-weight:600}"
	".wide{overflow-x:auto}table{border-collapse:collapse;margin:.6rem 0;"
	"font-size:.85rem}caption{text-align:left;font-weight:600;"
	"padding:.2rem 0;white-space:nowrap}th,td{padding:.2rem .5rem;text-align:left;"
	"border-bottom:1px solid var(--line);vertical-align:top;"
	"overflow-wrap:break-word}th{background:var(--card)}"
	".long{overflow-wrap:anywhere;min-width:14em}"
	"td.n,td.s{white-space:nowrap}.n{text-align:right;"
	"font-variant-numeric:tabular-nums}"
	"figure{margin:1rem 0}figcaption{font-weight:600}"
	"svg{width:100%;height:auto;display:block;color:var(--fg)}"
	".key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;"
	"margin:.2rem 0;padding:0;font-size:.85rem}.key i{display:inline-block;"
	"width:1.2em;height:.7em;margin-right:.4em}"
	"i.s1{background:var(--s1)}i.s2{background:var(--s2)}"
	"i.s3{background:var(--s3)}i.s4{background:var(--s4)}"
	"i.s5{background:var(--s5)}i.s6{background:var(--s6)}"
	"i.s7{background:var(--s7)}i.s8{background:var(--s8)}"
	"i.floor{height:0;border-top:2px dashed var(--floor);"
	"vertical-align:middle}i{-webkit-print-color-adjust:exact;"
	"print-color-adjust:exact}nav{font-size:.9rem}nav a{margin-right:1em;"
	"color:var(--s1)}\n";

static void escape(FILE *f, const char *text)
{
	const char *p;

	for (p = text; *p; p++) {
		switch (*p) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			fputc(*p, f);
		}
	}
}

static const char *tone_class(enum doc_tone t)
{
	static const char *const names[] = {[TONE_PLAIN] = "",
		[TONE_GOOD] = "good", [TONE_BAD] = "bad", [TONE_NOTE] = "note",
		[TONE_MISSING] = "missing"};

	return names[t];
}

/* Nothing but numbers in it, or what stands for one. */
static bool all_numbers(const struct doc_table *t, size_t column)
{
	size_t i;

	for (i = column; i < t->cell_count; i += t->column_count)
		if (!t->cells[i].numeric && t->cells[i].tone != TONE_MISSING)
			return false;
	return true;
}

static void cell(FILE *f, const struct doc_cell *c, bool right)
{
	/* a long text may break anywhere, a short one keeps together */
	size_t length = strlen(c->text);
	const char *kind = right		 ? "n"
			   : length > LONG_TEXT	 ? "long"
			   : length < SHORT_TEXT ? "s"
						 : "";

	fprintf(f, "<td class=\"%s%s%s\">", kind, *kind && c->tone ? " " : "",
		tone_class(c->tone));
	escape(f, c->text);
	fprintf(f, "</td>");
}

static void table(FILE *f, const struct doc_table *t)
{
	size_t i;

	fprintf(f, "<div class=\"wide\"><table><caption>");
	escape(f, t->caption);
	fprintf(f, "</caption>\n<thead><tr>");
	for (i = 0; i < t->column_count; i++) {
		fprintf(f, "<th scope=\"col\"%s>",
			all_numbers(t, i) ? " class=\"n\"" : "");
		escape(f, t->columns[i]);
		fprintf(f, "</th>");
	}
	fprintf(f, "</tr></thead>\n<tbody>\n");
	for (i = 0; i < t->cell_count; i++) {
		if (!(i % t->column_count))
			fprintf(f, "<tr>");
		cell(f, &t->cells[i], all_numbers(t, i % t->column_count));
		if (i % t->column_count == t->column_count - 1)
			fprintf(f, "</tr>\n");
	}
	fprintf(f, "</tbody></table></div>\n");
}

/* The drawing is named by its caption; the tables beside it are its text. */
static void drawing(FILE *f, const struct doc_chart *c)
{
	fprintf(f, "<svg role=\"img\" aria-label=\"");
	escape(f, c->caption);
	fprintf(f, "\"%s", c->svg + strlen("<svg"));
}

static void chart(FILE *f, const struct doc_chart *c)
{
	size_t i;

	if (!c->svg)
		return;
	fprintf(f, "<figure><figcaption>");
	escape(f, c->caption);
	fprintf(f, "</figcaption>\n<ul class=\"key\">");
	for (i = 0; i < c->series_count; i++) {
		if (c->series[i].draw == DRAW_FLOOR)
			fprintf(f, "<li><i class=\"floor\"></i>");
		else
			fprintf(f, "<li><i class=\"s%zu\"></i>",
				i % REPORT_COLOURS + 1);
		escape(f, c->series[i].name);
		fprintf(f, "</li>");
	}
	fprintf(f, "</ul>\n");
	drawing(f, c);
	fprintf(f, "</figure>\n");
}

/* The first section is the verdict: its coloured sentences stand out. */
static void item(FILE *f, const struct doc_item *i, bool first)
{
	bool verdict = first && i->tone != TONE_MISSING && i->tone != TONE_NOTE;

	switch (i->kind) {
	case DOC_TEXT:
		fprintf(f, "<p class=\"%s%s\">", verdict ? "verdict " : "",
			tone_class(i->tone));
		escape(f, i->text);
		fprintf(f, "</p>\n");
		return;
	case DOC_TABLE:
		table(f, i->table);
		return;
	case DOC_CHART:
		chart(f, i->chart);
		return;
	}
}

static void contents(FILE *f, const struct doc *d)
{
	size_t i;

	fprintf(f, "<nav>");
	for (i = 1; i < d->section_count; i++) {
		if (d->sections[i].level != 2)
			continue;
		fprintf(f, "<a href=\"#s%zu\">", i);
		escape(f, d->sections[i].title);
		fprintf(f, "</a> ");
	}
	fprintf(f, "</nav>\n");
}

void report_html(FILE *f, const struct doc *d)
{
	const struct doc_section *s;
	size_t i, k;

	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\"><head>"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"default-src 'none'; style-src 'unsafe-inline'; "
		"img-src data:\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
		"<title>");
	escape(f, d->title);
	fprintf(f, "</title>\n<style>%s</style></head>\n<body>\n<h1>", style);
	escape(f, d->title);
	fprintf(f, "</h1>\n");
	for (i = 0; i < d->section_count; i++) {
		s = &d->sections[i];
		if (i) {
			fprintf(f, "<h%d id=\"s%zu\">", s->level, i);
			escape(f, s->title);
			fprintf(f, "</h%d>\n", s->level);
		}
		for (k = 0; k < s->item_count; k++)
			if (!doc_is_empty(&s->items[k]))
				item(f, &s->items[k], !i);
		if (!i)
			contents(f, d);
	}
	fprintf(f, "</body></html>\n");
}
