/*
 * `stoker internal man`: the manual page, in roff, from the tables that also
 * parse, so that no option can be missing in it.
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/params.h"

#include <stdio.h>
#include <string.h>

/* Text of roff: a hyphen-minus that stays one, no request by accident. */
static void put(const char *text)
{
	const char *p;

	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (p = text; *p; p++) {
		if (*p == '\\')
			printf("\\e");
		else if (*p == '-')
			printf("\\-");
		else
			putchar(*p);
	}
}

static void put_option(const struct option_row *row)
{
	char text[OPTIONS_HELP_MAX];

	printf(".TP\n");
	if (row->letter)
		printf("\\fB\\-%c\\fR, ", row->letter);
	printf("\\fB");
	put("--");
	put(row->name);
	printf("\\fR");
	if (row->arg) {
		printf(" \\fI");
		put(row->arg);
		printf("\\fR");
	}
	printf("\n");
	put(options_help_text(row, text, sizeof(text)));
	printf("\n");
}

static void put_command(const struct command *c)
{
	const struct option_row *row;
	char name[COMMAND_NAME_MAX];

	printf(".SS stoker %s\n", command_name(c, name));
	put(c->help);
	printf(".\n.PP\n\\fBstoker %s\\fR ", name);
	put(c->synopsis);
	printf("\n");
	for (row = c->rows; row && row->name; row++) {
		if (row->kind == OPTION_HEADING) {
			printf(".PP\n");
			put(row->name);
			printf(":\n");
		} else {
			put_option(row);
		}
	}
}

static int put_params(void)
{
	const struct param_row *row;
	char range[PARAM_RANGE_MAX];
	struct edition ed;
	struct err e;

	if (edition_load(NULL, EDITION_DEFAULT, &ed, &e))
		return cli_fail(&e);
	printf(".SH KEYS OF \\-\\-param\nThe dotted names of DLIO.\n");
	for (row = param_next(params_training); row;
		row = param_next(row + 1)) {
		printf(".TP\n\\fB");
		put(row->key);
		printf("\\fR\n");
		put(row->help);
		printf(" (");
		put(param_range(row, range));
		printf(edition_param_allowed(&ed, DIV_CLOSED, row->key)
				? "; CLOSED allows it)\n"
				: "; not CLOSED)\n");
	}
	return 0;
}

static const char head[] =
	".SH NAME\n"
	"stoker \\- how many AI accelerators can this drive feed\n"
	".SH SYNOPSIS\n";

static const char description[] =
	".SH DESCRIPTION\n"
	"Emulates accelerators that consume training samples the way the\n"
	"workloads of MLPerf Storage do, on a real file system or on a\n"
	"modelled drive in virtual time, and computes their utilization (AU)\n"
	"against the rule of five consecutive runs.\n"
	"Results are unverified and not MLPerf results.\n"
	".PP\n"
	"Sizes take kB, MB, GB, TB (powers of 1000) and KiB, MiB, GiB, TiB\n"
	"(powers of 1024); times take ns, us, ms, s, min, h; rates are sizes\n"
	"with /s behind.\n"
	"The default stands in brackets.\n"
	".SH COMMANDS\n";

static const char tail[] =
	".SH EXIT STATUS\n"
	".TP\n.B 0\ndone; the verdict, if any, is PASS\n"
	".TP\n.B 1\ndone; a counted run is below the floor\n"
	".TP\n.B 2\noptions or configuration files are wrong\n"
	".TP\n.B 3\nthe machine lacks or refuses something\n"
	".TP\n.B 4\nreading or writing failed, or data is bad\n"
	".TP\n.B 5\na bug in stoker\n"
	".TP\n.B 130\ninterrupted; finished runs and files are kept\n"
	".SH ENVIRONMENT\n"
	".TP\n.B STOKER_CONFIG_DIR\nas \\fB\\-\\-config\\-dir\\fR\n"
	".SH FILES\n"
	".TP\n.I DATA/MODEL/stoker\\-manifest.json\n"
	"what a data folder holds\n"
	".TP\n.I "
	"RESULTS/DIVISION/ORG/results/SYSTEM/training/MODEL/run/STAMP/\n"
	"one finished run: summary.json and others with the names and keys of\n"
	"DLIO, and record.json with everything known\n"
	".SH SEE ALSO\n"
	".BR mpirun (1),\n.BR fio (1)\n";

int cmd_internal_man(int argc, const char **argv)
{
	size_t i;

	(void)argc, (void)argv;
	printf(".\\\" made by stoker internal man\n"
	       ".TH STOKER 1 \"\" \"stoker " STOKER_VERSION
	       "\" \"User Commands\"\n%s",
		head);
	for (i = 0; i < command_count; i++) {
		char name[COMMAND_NAME_MAX];

		if (!commands[i].help)
			continue;
		printf(".B stoker %s\n", command_name(&commands[i], name));
		put(commands[i].synopsis);
		printf("\n.br\n");
	}
	fputs(description, stdout);
	for (i = 0; i < command_count; i++)
		if (commands[i].help)
			put_command(&commands[i]);
	i = (size_t)put_params();
	fputs(tail, stdout);
	return (int)i;
}
