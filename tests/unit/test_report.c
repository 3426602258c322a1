/* The document of a report and its views: what strangers named stays text. */
#include "results/report_gnuplot.h"
#include "results/report_view.h"

#include "core/json.h"
#include "tests/unit/ut.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVIL "<script>alert('1')</script>&\"|`$(x)"

static void fill(struct doc *d)
{
	static const char *const columns[] = {"name", "n " EVIL, NULL};
	const double x[] = {1, 2}, y[] = {3, 1.0 / 3};

	doc_init(d, "title " EVIL);
	doc_section(d, 2, "Verdict");
	doc_text(d, TONE_GOOD, "PASS: %s", EVIL);
	doc_section(d, 2, "More");
	doc_table(d, "table " EVIL, columns);
	doc_cell(d, TONE_PLAIN, "=1+%s", EVIL);
	doc_number(d, true, 1.0 / 3, 2);
	doc_cell(d, TONE_PLAIN, "second");
	doc_number(d, false, 7, 2);
	doc_chart(d, "chart " EVIL, "x", "y");
	doc_series(d, DRAW_LINE, 2, x, y, "%s", EVIL);
	doc_series(d, DRAW_LINE, 0, x, y, "of no points");
}

static char *view(void (*print)(FILE *, const struct doc *), struct doc *d)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	print(f, d);
	fclose(f);
	return text;
}

static void test_html(void)
{
	struct doc d;
	char *text;

	fill(&d);
	text = view(report_html, &d);
	CU_ASSERT_PTR_NULL(strstr(text, "<script"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"PASS: &lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;"
		"&quot;|`$(x)</p>"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "<td class=\"n\">0.33</td>"));
	CU_ASSERT_PTR_NULL(strstr(text, "://"));
	free(text);
	doc_fini(&d);
}

static void test_markdown_and_csv(void)
{
	struct doc d;
	char *text;

	fill(&d);
	text = view(report_markdown, &d);
	CU_ASSERT_PTR_NOT_NULL(strstr(text,
		"**PASS: \\<script\\>alert('1')\\</script\\>\\&\"\\|\\`"
		"$(x)**"));
	free(text);
	text = view(report_csv, &d);
	/* all digits of a number; no formula; quotes doubled */
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ",0.3333333333333333\r\n"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(text, "\"'=1+<script>alert('1')</script>&\"\"|"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "second"));
	free(text);
	doc_fini(&d);
}

static void test_json(void)
{
	struct cJSON *o;
	struct doc d;
	char *text;

	fill(&d);
	o = report_json(&d);
	text = json_print(o, -1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(text);
	CU_ASSERT_STRING_EQUAL(cJSON_GetObjectItem(o, "answer")->valuestring,
		"PASS: " EVIL);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "[\"second\", null]"));
	CU_ASSERT_PTR_NULL(strstr(text, "of no points"));
	free(text);
	cJSON_Delete(o);
	doc_fini(&d);
}

/* Bytes that are no UTF-8, controls and what turns text around. */
static void test_clean(void)
{
	struct doc d;

	doc_init(&d, "t");
	doc_section(&d, 2, "%s", "a\xff" "b\x01" "c\nd\xe2\x80\xae" "e\xc3\xa4");
	CU_ASSERT_FATAL(!d.nomem && d.section_count == 1);
	CU_ASSERT_STRING_EQUAL(d.sections[0].title,
		"a\xef\xbf\xbd" "b\xef\xbf\xbd" "c d\xef\xbf\xbd"
		"e\xc3\xa4");
	doc_fini(&d);
}

/* Much is added to lists that grow. */
static void test_many(void)
{
	static const char *const columns[] = {"a", "b", NULL};
	struct doc d;
	int i;

	doc_init(&d, "t");
	for (i = 0; i < 100; i++)
		doc_section(&d, 2, "%d", i);
	doc_table(&d, "t", columns);
	for (i = 0; i < 1000; i++)
		doc_number(&d, i != 999, i, 0);
	CU_ASSERT_EQUAL(d.section_count, 100);
	CU_ASSERT_EQUAL(d.table->cell_count, 1000);
	CU_ASSERT_STRING_EQUAL(d.sections[42].title, "42");
	CU_ASSERT_STRING_EQUAL(d.table->cells[998].text, "998");
	CU_ASSERT_FALSE(d.table->cells[999].numeric);
	doc_fini(&d);
}

static void test_charts(void)
{
	const double x[] = {0, 1}, part[] = {60, 40};
	struct doc_chart *c;
	struct doc d;
	struct err e;
	int r;

	fill(&d);
	doc_chart(&d, "stack", "x", "y");
	d.chart->whole_x = true;
	doc_series(&d, DRAW_STACK, 2, x, part, "a");
	doc_series(&d, DRAW_STACK, 2, x, part, "b");
	doc_series(&d, DRAW_FLOOR, 1, part, part, "floor");
	r = report_draw(&d, &e);
	if (r == -ENOENT) {
		doc_fini(&d);
		ut_skip("test_charts", "no gnuplot here");
		return;
	}
	CU_ASSERT_EQUAL_FATAL(r, 0);
	c = d.chart;
	CU_ASSERT_PTR_NOT_NULL_FATAL(c->svg);
	CU_ASSERT_EQUAL(strncmp(c->svg, "<svg", 4), 0);
	/* colours of the page, nothing of the stand-ins */
	CU_ASSERT_PTR_NOT_NULL(strstr(c->svg, "var(--s1)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(c->svg, "var(--s2)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(c->svg, "var(--floor)"));
	CU_ASSERT_PTR_NULL(strstr(c->svg, "rgb("));
	CU_ASSERT_PTR_NULL(strstr(c->svg, "black"));
	CU_ASSERT_PTR_NULL(strstr(c->svg, "://"));
	/* names of the second chart */
	CU_ASSERT_PTR_NOT_NULL(strstr(c->svg, "id='c2gpPt0'"));
	CU_ASSERT_PTR_NULL(strstr(c->svg, "id='gp"));
	CU_ASSERT_PTR_NULL(strstr(c->svg, "script"));
	doc_fini(&d);
}

/* Without gnuplot the tables stay, and the reason is said. */
static void test_no_gnuplot(void)
{
	char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
	struct doc d;
	struct err e;

	fill(&d);
	setenv("PATH", "/nowhere", 1);
	CU_ASSERT_EQUAL(report_draw(&d, &e), -ENOENT);
	setenv("PATH", path, 1);
	CU_ASSERT_PTR_NOT_NULL(strstr(e.text, "gnuplot is not installed"));
	CU_ASSERT_PTR_NULL(d.chart->svg);
	free(path);
	doc_fini(&d);
}

UT_SUITE(report, UT_CASE(test_html), UT_CASE(test_markdown_and_csv),
	UT_CASE(test_json), UT_CASE(test_clean), UT_CASE(test_many),
	UT_CASE(test_charts), UT_CASE(test_no_gnuplot))
