/*
 * `stoker version`: what this binary is made of. "built" is what it was
 * compiled against, "running" what the library itself says now, where it does.
 */
#include "cli/cli.h"
#include "cli/commands.h"

#include "accel_sim/group.h"
#include "core/json.h"
#include "results/trace_hdf5.h"
#include "results/yaml.h"
#include "storage/engine.h"

#include <cJSON.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* "liburing 2.3\nompi-c 4.1.4\n...", from the makefile */
#ifndef BUILT_WITH
#define BUILT_WITH ""
#endif

struct version_options {
	bool json;
};

#define O struct version_options
#include "cli/rows.h"

const struct option_row version_rows[] = {
	OUTPUT_ROWS,
	END,
};

#define VERSION_MAX 64

struct library {
	const char *name, *package;
	char built[VERSION_MAX], running[VERSION_MAX]; /* "" = not known */
};

static void find_built(struct library *l)
{
	static const char all[] = " " BUILT_WITH " ";
	char key[VERSION_MAX];
	const char *at;

	snprintf(key, sizeof(key), " %s ", l->package);
	at = strstr(all, key);
	if (!at) {
		snprintf(key, sizeof(key), " %s-serial ", l->package);
		at = strstr(all, key);
	}
	if (!at)
		return;
	at += strlen(key);
	snprintf(l->built, sizeof(l->built), "%.*s", (int)strcspn(at, " "), at);
}

static size_t libraries(struct library *l)
{
	static const char *const names[][2] = {
		{"liburing", "liburing"},
		{"Open MPI", "ompi-c"},
		{"cJSON", "libcjson"},
		{"popt", "popt"},
		{"isa-l", "libisal"},
		{"GMP", "gmp"},
		{"libyaml", "yaml-0.1"},
		{"HDF5", "hdf5"}, /* Debian: hdf5-serial */
	};
	size_t i, n = sizeof(names) / sizeof(names[0]);

	memset(l, 0, n * sizeof(*l));
	for (i = 0; i < n; i++) {
		l[i].name = names[i][0];
		l[i].package = names[i][1];
		find_built(&l[i]);
	}
	engine_uring_version(l[0].running, VERSION_MAX);
	group_mpi_version(l[1].running, VERSION_MAX);
	snprintf(l[2].running, VERSION_MAX, "%s", cJSON_Version());
	snprintf(l[5].running, VERSION_MAX, "%s", gmp_version);
	snprintf(l[6].running, VERSION_MAX, "%s", results_yaml_version());
	results_hdf5_version(l[7].running, VERSION_MAX);
	return n;
}

static const char *compiler(char buf[VERSION_MAX])
{
#ifdef __clang__
	snprintf(buf, VERSION_MAX, "clang %d.%d.%d", __clang_major__,
		__clang_minor__, __clang_patchlevel__);
#else
	snprintf(buf, VERSION_MAX, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__,
		__GNUC_PATCHLEVEL__);
#endif
	return buf;
}

static bool add_text(struct cJSON *o, const char *key, const char *text)
{
	return text[0] ? json_add_string(o, key, text)
		       : json_add(o, key, cJSON_CreateNull());
}

static int print_json(
	const struct library *l, size_t n, const struct utsname *u)
{
	struct cJSON *o = cJSON_CreateObject(), *list, *one;
	char buf[VERSION_MAX], *text;

	json_add_string(o, "name", "stoker");
	json_add_string(o, "version", STOKER_VERSION);
	json_add_string(o, "kernel", u->release);
	json_add_string(o, "machine", u->machine);
	json_add_string(o, "compiler", compiler(buf));
	list = json_add_array(o, "libraries");
	for (; n; n--, l++) {
		one = json_add_object(list, NULL);
		json_add_string(one, "name", l->name);
		add_text(one, "built", l->built);
		add_text(one, "running", l->running);
	}
	text = json_print(o, 2);
	cJSON_Delete(o);
	printf("%s\n", text ? text : "{}");
	free(text);
	return text ? 0 : ERR_ENV;
}

int cmd_version(int argc, const char **argv)
{
	struct version_options o = {.json = false};
	struct library l[8];
	char buf[VERSION_MAX];
	struct utsname u;
	int code;
	size_t i, n;

	if (!command_options(version_rows, &o, argc, argv, &code))
		return code;
	n = libraries(l);
	memset(&u, 0, sizeof(u));
	uname(&u);
	if (o.json)
		return print_json(l, n, &u);
	printf("stoker " STOKER_VERSION "\n");
	for (i = 0; i < n; i++)
		printf("%-9s %s%s%s%s\n", l[i].name,
			l[i].built[0] ? l[i].built : "unknown",
			l[i].running[0] ? " (running with " : "", l[i].running,
			l[i].running[0] ? ")" : "");
	printf("%-9s %s %s\n", "kernel", u.release, u.machine);
	printf("%-9s %s\n", "compiler", compiler(buf));
	return 0;
}
