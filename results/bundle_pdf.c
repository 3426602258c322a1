/* The description of a system as a PDF, by libharu; see bundle_create.h. */
#include "results/bundle_create.h"

#include "core/file.h"

#include <errno.h>
#include <hpdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 56.0f
#define FONT_SIZE 9.0f
#define LINE_HEIGHT 12.0f
#define LINE_CHARS 88 /* that fit in Courier of that size on A4 */

struct pages {
	HPDF_Doc doc;
	HPDF_Font font;
	HPDF_Page page;
	float y;
	bool failed;
};

static void on_error(HPDF_STATUS code, HPDF_STATUS detail, void *arg)
{
	(void)code;
	(void)detail;
	((struct pages *)arg)->failed = true;
}

static void put_line(struct pages *p, const char *text)
{
	if (!p->page || p->y < MARGIN) {
		p->page = HPDF_AddPage(p->doc);
		if (!p->page)
			return;
		HPDF_Page_SetSize(
			p->page, HPDF_PAGE_SIZE_A4, HPDF_PAGE_PORTRAIT);
		HPDF_Page_SetFontAndSize(p->page, p->font, FONT_SIZE);
		p->y = HPDF_Page_GetHeight(p->page) - MARGIN;
	}
	HPDF_Page_BeginText(p->page);
	HPDF_Page_TextOut(p->page, MARGIN, p->y, text);
	HPDF_Page_EndText(p->page);
	p->y -= LINE_HEIGHT;
}

/* The built-in fonts have no more than Latin: other bytes become '?'. */
static void put_text(struct pages *p, const char *text)
{
	char line[LINE_CHARS + 1];
	size_t n = 0;

	for (; *text && !p->failed; text++) {
		if (*text == '\n' || n == LINE_CHARS) {
			line[n] = '\0';
			put_line(p, line);
			n = 0;
			if (*text == '\n')
				continue;
		}
		line[n++] = *text < ' ' || *text > '~' ? '?' : *text;
	}
	line[n] = '\0';
	if (n)
		put_line(p, line);
}

int bundle_pdf_write(
	const char *path, const char *title, const char *text, struct err *e)
{
	struct pages p = {.page = NULL};
	HPDF_BYTE *bytes = NULL;
	HPDF_UINT32 size = 0;
	int r;

	p.doc = HPDF_New(on_error, &p);
	if (!p.doc)
		return err_nomem(e, path);
	p.font = HPDF_GetFont(p.doc, "Courier", NULL);
	HPDF_SetInfoAttr(p.doc, HPDF_INFO_TITLE, title);
	put_line(&p, title);
	put_line(&p, "");
	put_text(&p, text);
	if (!p.failed && HPDF_SaveToStream(p.doc) == HPDF_OK) {
		size = HPDF_GetStreamSize(p.doc);
		bytes = malloc(size ? size : 1);
	}
	if (bytes)
		HPDF_ReadFromStream(p.doc, bytes, &size);
	r = bytes && !p.failed
		    ? file_write_atomic(path, bytes, size, e)
		    : err_set(e, ERR_ENV, -EIO, "libharu cannot make %s", path);
	free(bytes);
	HPDF_Free(p.doc);
	return r;
}
