/* Errors and the live line; see cli.h. */
#include "cli/cli.h"

#include "core/json.h"
#include "storage/clock.h"

#include <cJSON.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLAIN_GAP_NS 10000000000LL

static bool open_line;
static int64_t plain_ns;

int cli_fail(const struct err *e)
{
	cli_line_end();
	if (e->text[0])
		fprintf(stderr, "stoker: %s\n", e->text);
	if (e->code == -EINTR)
		return EXIT_INTERRUPTED;
	return e->kind ? (int)e->kind : ERR_BUG;
}

int cli_print_json(struct cJSON *o)
{
	char *text = o ? json_print(o, 2) : NULL;

	cJSON_Delete(o);
	if (!text) {
		fprintf(stderr, "stoker: out of memory for the report\n");
		return ERR_ENV;
	}
	printf("%s\n", text);
	free(text);
	return 0;
}

int cli_print_whole(struct cJSON *o, bool ok)
{
	if (ok)
		return cli_print_json(o);
	cJSON_Delete(o);
	return cli_print_json(NULL);
}

int cli_fail_report(bool json, const struct err *e)
{
	int code = cli_fail(e);
	struct cJSON *o;

	if (!json)
		return code;
	o = cJSON_CreateObject();
	json_add_string(o, "status",
		e->code == -EINTR ? "interrupted" : "failed");
	json_add_string(o, "error", e->text);
	json_add_u64(o, "exit_code", (uint64_t)code);
	cli_print_json(o);
	return code;
}

void cli_line(bool keep, const char *fmt, ...)
{
	bool tty = isatty(STDERR_FILENO);
	int64_t now = clock_monotonic_ns();
	va_list ap;

	if (!tty && !keep && plain_ns && now - plain_ns < PLAIN_GAP_NS)
		return;
	plain_ns = now;
	if (tty)
		fprintf(stderr, "\r");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, tty ? "\033[K" : "\n");
	open_line = tty;
	if (keep)
		cli_line_end();
	fflush(stderr);
}

void cli_line_end(void)
{
	if (open_line)
		fprintf(stderr, "\n");
	open_line = false;
}

int cli_print_report(struct cJSON *doc, const struct err *failed, int code)
{
	int r;

	if (doc && failed) {
		cJSON_ReplaceItemInObject(doc, "status",
			cJSON_CreateString(failed->code == -EINTR
						   ? "interrupted"
						   : "failed"));
		json_add_string(doc, "error", failed->text);
	}
	if (doc)
		json_add_u64(doc, "exit_code", (uint64_t)code);
	r = cli_print_json(doc);
	return r ? r : code;
}
