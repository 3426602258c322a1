/* Charts by gnuplot; see report_gnuplot.h. */
#include "results/report_gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define SVG_BYTES_MAX (8L << 20)

/* Stand-ins: #0101NN is a part of the page, #0102NN series NN. */
static void head(FILE *f, const struct doc_chart *c, unsigned number)
{
	unsigned i;

	fprintf(f,
		"set terminal svg size 720,300 dynamic noenhanced "
		"name \"c%u\" font \"sans-serif,13\"\n"
		"set encoding utf8\nset border 3 lc rgb \"#010101\"\n"
		"set tics nomirror textcolor rgb \"#010101\"\nunset key\n"
		"set grid lc rgb \"#010102\"\n"
		"set style fill solid 1.0 noborder\nset boxwidth 0.6\n"
		"set format y \"%%g\"\nset xlabel \"%s\" textcolor rgb "
		"\"#010101\"\nset ylabel \"%s\" textcolor rgb \"#010101\"\n",
		number, c->x_label, c->y_label);
	for (i = 1; i <= REPORT_COLOURS; i++)
		fprintf(f, "set linetype %u lc rgb \"#0102%02x\"\n", i, i);
	if (c->log_x)
		fprintf(f, "set logscale x\nset format x \"%%g\"\n");
	if (c->y_most > c->y_least)
		fprintf(f, "set yrange [%.17g:%.17g]\n", c->y_least,
			c->y_most);
	else
		fprintf(f, "set yrange [0:*]\n");
}

/* A chart whose x are 1, 2, 3 ...: half a step of air at either end. */
static void whole_range(FILE *f, const struct doc_chart *c)
{
	double most = 1;
	size_t i, k;

	for (i = 0; i < c->series_count; i++)
		for (k = 0; k < c->series[i].n; k++)
			if (c->series[i].draw != DRAW_FLOOR &&
				c->series[i].x[k] > most)
				most = c->series[i].x[k];
	fprintf(f, "set xrange [%s:%.17g]\nset xtics %g\n",
		c->series[0].x[0] < 1 ? "-0.5" : "0.5", most + 0.5,
		most > 20 ? (double)(long)(most / 10) : 1.0);
}

static bool stacks(const struct doc_chart *c, size_t i)
{
	return c->series[i].draw == DRAW_STACK;
}

/* y of point k of series i, on those below it where they are a stack. */
static double height(const struct doc_chart *c, size_t i, size_t k)
{
	double y = c->series[i].y[k];

	while (stacks(c, i) && i-- > 0)
		if (stacks(c, i) && k < c->series[i].n)
			y += c->series[i].y[k];
	return y;
}

static void data(FILE *f, const struct doc_chart *c)
{
	size_t i, k;

	for (i = 0; i < c->series_count; i++) {
		fprintf(f, "$s%zu << EOD\n", i);
		for (k = 0; k < c->series[i].n; k++)
			fprintf(f, "%.12g %.12g\n", c->series[i].x[k],
				height(c, i, k));
		fprintf(f, "EOD\n");
	}
}

static void plot_one(
	FILE *f, const struct doc_chart *c, size_t i, const char **comma)
{
	static const char *const with[] = {
		[DRAW_LINE] = "lines lw 2", [DRAW_BROAD] = "lines lw 6",
		[DRAW_STEPS] = "steps lw 2",
		[DRAW_POINTS] = "points pt 7 ps 1.2",
		[DRAW_RINGS] = "points pt 6 ps 1.8 lw 2", [DRAW_STACK] = "boxes"};

	if (c->series[i].draw == DRAW_FLOOR)
		fprintf(f, "%s%.12g with lines dt 2 lw 2 lc rgb \"#010103\"",
			*comma, c->series[i].y[0]);
	else
		fprintf(f, "%s$s%zu using 1:2 with %s lt %zu", *comma, i,
			with[c->series[i].draw], i % REPORT_COLOURS + 1);
	*comma = ", ";
}

static void plot(FILE *f, const struct doc_chart *c)
{
	const char *comma = "plot ";
	size_t i;

	/* a stack's highest bar first: the lower ones cover it */
	for (i = c->series_count; i-- > 0;)
		if (stacks(c, i))
			plot_one(f, c, i, &comma);
	for (i = 0; i < c->series_count; i++)
		if (!stacks(c, i))
			plot_one(f, c, i, &comma);
	fprintf(f, "\n");
}

/* rgb(1, 2, 3) -> colour of the page; the text behind it, NULL: no such. */
static const char *colour(const char *p, FILE *to)
{
	unsigned r, g, b;
	int n = 0;

	if (sscanf(p, "rgb(%u,%u,%u)%n", &r, &g, &b, &n) != 3 || !n || r != 1)
		return NULL;
	if (g == 2)
		fprintf(to, "var(--s%u)", b);
	else
		fputs(b == 2   ? "var(--grid)"
		      : b == 3 ? "var(--floor)"
			       : "currentColor",
			to);
	return p + n;
}

/* Many charts stand in one page: their names must not meet. */
static const char *swap(const char *p, unsigned number, FILE *to)
{
	static const struct {
		const char *from, *before, *after; /* the number between */
	} swaps[] = {
		{"\"gnuplot_canvas\"", "\"c", "_canvas\""},
		{"'gp", "'c", "gp"},
		{"'#gp", "'#c", "gp"},
	};
	size_t i, n;

	if (!strncmp(p, "xlink:", 6))
		return p + 6;
	if (!strncmp(p, "\"black\"", 7)) {
		fputs("\"currentColor\"", to);
		return p + 7;
	}
	for (i = 0; i < sizeof(swaps) / sizeof(swaps[0]); i++) {
		n = strlen(swaps[i].from);
		if (strncmp(p, swaps[i].from, n))
			continue;
		fprintf(to, "%s%u%s", swaps[i].before, number, swaps[i].after);
		return p + n;
	}
	/* a title of a plot would show its gnuplot command */
	if (!strncmp(p, "<title>", 7) && strstr(p, "</title>"))
		return strstr(p, "</title>") + strlen("</title>");
	return NULL;
}

static void adapt_line(const char *p, unsigned number, FILE *to)
{
	const char *next;

	while (*p) {
		next = *p == 'r' ? colour(p, to) : swap(p, number, to);
		if (!next)
			fputc(*p++, to);
		else
			p = next;
	}
	fputc('\n', to);
}

/* The <svg> element alone, without links and what a page has no use for. */
static void adapt(char *svg, unsigned number, FILE *to)
{
	bool in_svg = false, in_filter = false;
	char *line, *rest = svg;

	while ((line = strsep(&rest, "\n"))) {
		in_svg = in_svg || !strncmp(line, "<svg", 4);
		in_filter = in_filter || strstr(line, "<filter");
		if (in_svg && !in_filter && !strstr(line, "xmlns") &&
			!strstr(line, "<desc>"))
			adapt_line(line, number, to);
		if (strstr(line, "</filter>"))
			in_filter = false;
	}
}

static int run(FILE *in, FILE *out, int *status)
{
	static char *const argv[] = {"gnuplot", "-d", NULL};
	posix_spawn_file_actions_t files;
	pid_t pid;
	int r;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fileno(in), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, fileno(out), STDOUT_FILENO);
	posix_spawn_file_actions_addopen(
		&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (r)
		return -r;
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static char *read_back(FILE *f)
{
	long size = fseek(f, 0, SEEK_END) ? -1 : ftell(f);
	char *text;

	if (size <= 0 || size > SVG_BYTES_MAX)
		return NULL;
	rewind(f);
	text = calloc(1, (size_t)size + 1);
	if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
		free(text);
		return NULL;
	}
	return text;
}

static int keep(struct doc *d, struct doc_chart *c, unsigned number, char *raw)
{
	char *text = NULL, *own;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	adapt(raw, number, f);
	if (fclose(f))
		return -ENOMEM;
	own = doc_alloc(d, size + 1);
	if (own)
		c->svg = memcpy(own, text, size);
	free(text);
	return own ? 0 : -ENOMEM;
}

static int draw(struct doc *d, struct doc_chart *c, unsigned number,
	struct err *e)
{
	FILE *in = tmpfile(), *out = tmpfile();
	char *raw = NULL;
	int r = 0, status = 0;

	if (!in || !out)
		r = -errno;
	if (!r) {
		head(in, c, number);
		if (c->whole_x)
			whole_range(in, c);
		data(in, c);
		plot(in, c);
		r = fflush(in) ? -errno : 0;
		rewind(in);
	}
	if (!r)
		r = run(in, out, &status);
	if (!r)
		raw = read_back(out);
	if (r == -ENOENT)
		err_set(e, ERR_ENV, r,
			"gnuplot is not installed (apt-get install "
			"gnuplot-nox)");
	else if (!r && (status || !raw || !strstr(raw, "</svg>")))
		r = err_set(e, ERR_ENV, -EIO, "gnuplot failed");
	else if (r)
		err_set(e, ERR_ENV, r, "gnuplot: %s", strerror(-r));
	else if (keep(d, c, number, raw))
		r = err_nomem(e, "a chart");
	free(raw);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return r;
}

static bool has_data(const struct doc_chart *c)
{
	size_t i;

	for (i = 0; i < c->series_count; i++)
		if (c->series[i].n && c->series[i].draw != DRAW_FLOOR)
			return true;
	return false;
}

int report_draw(struct doc *d, struct err *e)
{
	struct doc_section *s;
	unsigned number = 0;
	size_t i, k;
	int r = 0;

	for (i = 0; i < d->section_count; i++) {
		s = &d->sections[i];
		for (k = 0; !r && k < s->item_count; k++)
			if (s->items[k].kind == DOC_CHART &&
				has_data(s->items[k].chart))
				r = draw(d, s->items[k].chart, ++number, e);
	}
	return r;
}
