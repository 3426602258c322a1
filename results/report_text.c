/* A report as Markdown and as comma-separated values; see report_view.h. */
#include "core/json.h"
#include "results/report_view.h"

#include <string.h>

/* Whatever Markdown, or the HTML it lets through, might see in a text. */
static void escape(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\`*_{}[]<>#|~!&", *text))
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void markdown_table(FILE *f, const struct doc_table *t)
{
	size_t i;

	fprintf(f, "**");
	escape(f, t->caption);
	fprintf(f, "**\n\n|");
	for (i = 0; i < t->column_count; i++) {
		fprintf(f, " ");
		escape(f, t->columns[i]);
		fprintf(f, " |");
	}
	fprintf(f, "\n|");
	for (i = 0; i < t->column_count; i++)
		fprintf(f, "%s|", t->cell_count > i && t->cells[i].numeric
					  ? "---:"
					  : "---");
	for (i = 0; i < t->cell_count; i++) {
		fprintf(f, "%s ", i % t->column_count ? "" : "\n|");
		escape(f, t->cells[i].text);
		fprintf(f, " |");
	}
	fprintf(f, "\n\n");
}

void report_markdown(FILE *f, const struct doc *d)
{
	static const char *const around[] = {[TONE_PLAIN] = "",
		[TONE_GOOD] = "**", [TONE_BAD] = "**", [TONE_NOTE] = "",
		[TONE_MISSING] = "*"};
	const struct doc_section *s;
	const struct doc_item *item;
	size_t i, k;

	for (i = 0; i < d->section_count; i++) {
		s = &d->sections[i];
		if (i) {
			fprintf(f, "%s ", s->level == 2 ? "##" : "###");
			escape(f, s->title);
			fprintf(f, "\n\n");
		}
		for (k = 0; k < s->item_count; k++) {
			item = &s->items[k];
			if (doc_is_empty(item))
				continue;
			if (item->kind == DOC_TABLE)
				markdown_table(f, item->table);
			if (item->kind != DOC_TEXT)
				continue;
			fprintf(f, "%s%s", item->tone == TONE_NOTE ? "> " : "",
				around[item->tone]);
			escape(f, item->text);
			fprintf(f, "%s\n\n", around[item->tone]);
		}
	}
}

/* A cell that begins as a formula would is one to a spreadsheet. */
static void quoted(FILE *f, const char *text)
{
	fprintf(f, "\"%s", strchr("=+-@", *text) && text[0] && text[1] ? "'"
								       : "");
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static void csv_cell(FILE *f, const struct doc_section *s,
	const struct doc_table *t, size_t i)
{
	size_t column = i % t->column_count;
	char repr[JSON_REPR_MAX];

	quoted(f, s->title);
	fputc(',', f);
	quoted(f, t->caption);
	fputc(',', f);
	quoted(f, t->cells[i - column].text);
	fputc(',', f);
	quoted(f, t->columns[column]);
	fputc(',', f);
	if (t->cells[i].numeric)
		fputs(json_repr(repr, t->cells[i].value), f);
	else
		quoted(f, t->cells[i].text);
	fputs("\r\n", f);
}

void report_csv(FILE *f, const struct doc *d)
{
	const struct doc_section *s;
	const struct doc_table *t;
	size_t i, k, n;

	fprintf(f, "section,table,row,column,value\r\n");
	for (i = 0; i < d->section_count; i++) {
		s = &d->sections[i];
		for (k = 0; k < s->item_count; k++) {
			if (s->items[k].kind == DOC_TEXT && !i) {
				quoted(f, s->title);
				fputs(",\"\",\"\",\"\",", f);
				quoted(f, s->items[k].text);
				fputs("\r\n", f);
			}
			if (s->items[k].kind != DOC_TABLE)
				continue;
			t = s->items[k].table;
			for (n = 0; n < t->cell_count; n++)
				csv_cell(f, s, t, n);
		}
	}
}
