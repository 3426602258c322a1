/*
 * `stoker internal completion`: completion for bash, from the option tables.
 * The script is all data and one function; it never runs stoker.
 */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/params.h"
#include "core/config.h"

#include <stdio.h>
#include <string.h>

static int put_word(void *arg, const char *word)
{
	printf("%s%s", *(bool *)arg ? " " : "", word);
	*(bool *)arg = true;
	return 0;
}

/* VARIABLE='names of the embedded configurations in folder' */
static int put_names(const char *variable, const char *folder)
{
	bool more = false;
	struct err e;

	printf("%s='", variable);
	if (config_each(NULL, folder, put_word, &more, &e))
		return cli_fail(&e);
	printf("'\n");
	return 0;
}

/* The verbs of each noun, each noun once. */
static void put_commands(void)
{
	size_t i, k;

	printf("\t\tcase $COMP_CWORD:${COMP_WORDS[1]-} in\n\t\t1:*) words='");
	for (i = 0; i < command_count; i++)
		if (commands[i].help &&
			(!i || strcmp(commands[i].noun, commands[i - 1].noun)))
			printf("%s ", commands[i].noun);
	printf("help' ;;\n");
	for (i = 0; i < command_count; i = k) {
		k = i + 1;
		if (!commands[i].help || !commands[i].verb)
			continue;
		printf("\t\t2:%s) words='%s", commands[i].noun,
			commands[i].verb);
		for (; k < command_count &&
			!strcmp(commands[k].noun, commands[i].noun);
			k++)
			printf(" %s", commands[k].verb);
		printf("' ;;\n");
	}
	printf("\t\tesac\n");
}

static void put_value(const struct command *c, const struct option_row *row)
{
	char name[COMMAND_NAME_MAX];

	printf("\t\"%s%s --%s\"", command_name(c, name), c->verb ? "" : " ",
		row->name);
	if (row->letter)
		printf(" | \"%s%s -%c\"", name, c->verb ? "" : " ",
			row->letter);
	printf(") ");
	if (row->words && row->words[0] == '@')
		printf("kind=%s ;;\n", row->words + 1);
	else if (row->words)
		printf("kind=words words='%s' ;;\n", row->words);
	else
		printf("kind=none ;;\n");
}

/* The value of the option before the cursor. */
static void put_values(void)
{
	const struct option_row *row;
	size_t i;

	printf("\tcase \"$command $previous\" in\n");
	for (i = 0; i < command_count; i++)
		for (row = commands[i].rows; row && row->name; row++)
			if (row->kind != OPTION_HEADING &&
				row->kind != OPTION_FLAG)
				put_value(&commands[i], row);
	printf("\tesac\n");
}

static void put_options(void)
{
	const struct option_row *row;
	char name[COMMAND_NAME_MAX];
	size_t i;

	printf("\t\tcase $command in\n");
	for (i = 0; i < command_count; i++) {
		if (!commands[i].rows)
			continue;
		printf("\t\t\"%s%s\") words='--help",
			command_name(&commands[i], name),
			commands[i].verb ? "" : " ");
		for (row = commands[i].rows; row->name; row++)
			if (row->kind != OPTION_HEADING)
				printf(" --%s", row->name);
		printf("' ;;\n");
	}
	printf("\t\tesac\n");
}

static const char begin[] =
	"_stoker()\n{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} command words= kind=\n"
	"\tlocal previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"\tcommand=\"${COMP_WORDS[1]-} ${COMP_WORDS[2]-}\"\n"
	"\t[[ $command == *' -'* ]] && command=\"${COMP_WORDS[1]-} \"\n"
	"\t# --option=value comes as three words\n"
	"\t[[ $previous == '=' ]] && previous=${COMP_WORDS[COMP_CWORD - 2]-}\n"
	"\t[[ $current == '=' ]] && current=\n"
	"\tCOMPREPLY=()\n";

static const char end[] =
	"\tcase $kind in\n"
	"\tdir)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
	"\t\treturn\n"
	"\t\t;;\n"
	"\tmodel) words=$_stoker_models ;;\n"
	"\taccelerator) words=$_stoker_accelerators ;;\n"
	"\tedition) words=$_stoker_editions ;;\n"
	"\tparam)\n"
	"\t\twords=$_stoker_params\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\t\t;;\n"
	"\tnone) return ;;\n"
	"\tesac\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	"}\n"
	"complete -F _stoker stoker\n";

int cmd_internal_completion(int argc, const char **argv)
{
	const struct param_row *first = param_next(params_training), *row;
	int r;

	(void)argc, (void)argv;
	printf("# completion of stoker for bash; made by stoker internal "
	       "completion\n");
	r = put_names("_stoker_models", "workloads");
	if (!r)
		r = put_names("_stoker_accelerators", "accelerators");
	if (!r)
		r = put_names("_stoker_editions", "editions");
	printf("_stoker_params='");
	for (row = first; row; row = param_next(row + 1))
		printf("%s%s=", row == first ? "" : " ", row->key);
	printf("'\n");
	fputs(begin, stdout);
	put_values();
	printf("\tif [[ -z $kind && $COMP_CWORD -le 2 && $current != -* ]]; "
	       "then\n");
	put_commands();
	printf("\telif [[ -z $kind ]]; then\n");
	put_options();
	printf("\tfi\n");
	fputs(end, stdout);
	return r;
}
