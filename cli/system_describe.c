/*
 * `stoker system describe`: what a submission says of its system, as far as
 * this host can tell. What it cannot know stands as FILL_IN, which `bundle
 * create` refuses.
 */
#include "cli/bundle.h"
#include "cli/cli.h"
#include "cli/commands.h"

#include "core/file.h"
#include "core/json.h"
#include "core/units.h"
#include "results/yaml.h"
#include "storage/drive.h"
#include "storage/drive_id.h"
#include "storage/drive_sysfs.h"
#include "storage/host.h"

#include <cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLANK "FILL_IN"
#define TIB_BYTES (1024 * GIB_BYTES)
#define TEXT_MAX 256

struct describe_options {
	const char *data_dir, *drive, *memory, *config_dir;
	bool json;
};

/* What is described beside this host. */
struct subject {
	struct rec_drive drives;
	bool modelled; /* `profile` stands for the drives */
	struct drive_profile profile;
	uint64_t memory_bytes; /* 0: this host's */
};

#define O struct describe_options
#include "cli/rows.h"

const struct option_row system_describe_rows[] = {
	HEADING("System"),
	TEXT("data-dir", data_dir, "DIR",
		"a folder on the drives that are to be described",
		.letter = 'd', .words = COMPLETE_DIR),
	TEXT("drive", drive, "MODEL",
		"a modelled drive instead, as runs with --drive have it: "
		"\"NAME\", \"24x NAME\" or FILE.json",
		.not_closed = true),
	TEXT("client-host-memory-in-gb", memory, "SIZE",
		"memory of the modelled client", .bare = "GiB",
		.standard = "this host's"),
	PROFILES_DIR_ROW,
	OUTPUT_ROWS,
	END,
};

static bool text_or_blank(struct cJSON *o, const char *key, const char *text)
{
	return json_add_string(o, key, text && *text ? text : BLANK);
}

/* NULL-ended pairs of key and value. */
static bool add_texts(struct cJSON *o, const char *const v[][2])
{
	size_t i;

	for (i = 0; v[i][0]; i++)
		if (!json_add_string(o, v[i][0], v[i][1]))
			return false;
	return true;
}

static uint64_t capacity_bytes(const struct subject *s)
{
	const struct rec_drive *d = &s->drives;
	uint64_t bytes = 0;
	uint32_t i;

	if (s->modelled)
		return drive_capacity_bytes(&s->profile);
	for (i = 0; i < d->device_count && i < REC_DEVICES_MAX; i++)
		bytes += d->devices[i].capacity_bytes;
	return bytes;
}

static bool add_solution(struct cJSON *sut, const struct subject *subject)
{
	static const char *const where[][2] = {{"storage_location", "local"},
		{"benchmark_API", "file"}, {"product_API", "block"},
		{"client_footprint", "open_source"},
		{"client_installation", "in_box"}, {NULL, NULL}};
	static const char *const can[][2] = {{"simultaneous_write", BLANK},
		{"simultaneous_read", BLANK}, {"remap_time_in_seconds", BLANK},
		{NULL, NULL}};
	struct cJSON *s = json_add_object(sut, "solution"), *a, *c;
	char name[TEXT_MAX];
	uint64_t bytes = capacity_bytes(subject);

	host_name(name, sizeof(name));
	/* bundle create gives it the name of the system's folder */
	return s && json_add_string(s, "submission_name", name) &&
	       json_add_string(s, "friendly_description", BLANK) &&
	       (a = json_add_object(s, "architecture")) &&
	       add_texts(a, where) &&
	       (c = json_add_object(s, "capabilities")) &&
	       json_add_bool(c, "multi_host", false) && add_texts(c, can) &&
	       (bytes >= TIB_BYTES ? json_add_double(s, "usable_capacity_tib",
					     (double)(bytes / GIB_BYTES) / 1024)
				   : json_add_string(s, "usable_capacity_tib",
					     BLANK)) &&
	       json_add_string(s, "availability", BLANK);
}

/* The value of a line "KEY : VALUE" or KEY="VALUE" of a text. */
static const char *value_of(
	const char *text, const char *key, char buf[TEXT_MAX])
{
	size_t n = strlen(key);
	const char *p = text;

	buf[0] = '\0';
	while (p && (strncmp(p, key, n) || !strchr("\t :=", p[n]))) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (!p || !*p)
		return buf;
	p += n;
	p += strspn(p, "\t :=\"");
	snprintf(buf, TEXT_MAX, "%.*s", (int)strcspn(p, "\"\n"), p);
	return buf;
}

static bool add_power(struct cJSON *chassis)
{
	static const char *const psu[][2] = {{"unit_count", BLANK},
		{"inlet_voltage", BLANK}, {"nameplate_power_watts", BLANK},
		{"efficiency", BLANK}, {NULL, NULL}};
	struct cJSON *p = json_add_object(chassis, "power"), *list, *one;

	return p && json_add_string(p, "min_psus_active", BLANK) &&
	       (list = json_add_array(p, "psus_configured")) &&
	       (one = json_add_object(list, NULL)) && add_texts(one, psu);
}

static bool add_chassis(struct cJSON *node, uint64_t memory_bytes)
{
	struct cJSON *c = json_add_object(node, "chassis");
	char *cpu = host_cpuinfo_text(), text[TEXT_MAX];
	uint64_t sockets, cores;
	bool ok;

	sysfs_text("/sys/class/dmi/id", "product_name", text, sizeof(text));
	ok = c && text_or_blank(c, "model_name", text) &&
	     json_add_string(c, "rack_units", BLANK);
	/* of the last CPU: its model, its socket's number and cores */
	ok = ok && text_or_blank(c, "cpu_model",
			   value_of(cpu ? cpu : "", "model name", text));
	sockets = strtoull(value_of(cpu ? cpu : "", "physical id", text), NULL,
			  10) +
		  1;
	cores = strtoull(value_of(cpu ? cpu : "", "cpu cores", text), NULL, 10);
	ok = ok && json_add_u64(c, "cpu_qty", sockets) &&
	     json_add_u64(c, "cpu_cores", cores ? cores : host_cpu_count()) &&
	     json_add_u64(c, "memory_capacity",
		     ((memory_bytes ? memory_bytes : host_memory_bytes()) +
			     GIB_BYTES / 2) / GIB_BYTES) &&
	     add_power(c);
	free(cpu);
	return ok;
}

/* Ports with a device behind them; no bridges, no loopback. */
static bool add_port(struct cJSON *list, const char *name)
{
	char dir[512], text[TEXT_MAX];
	struct cJSON *o, *traffic;
	uint64_t type, mbits;
	bool up;

	snprintf(dir, sizeof(dir), "/sys/class/net/%s/device", name);
	if (access(dir, F_OK))
		return true;
	*strrchr(dir, '/') = '\0';
	type = sysfs_number(dir, "type"); /* ARPHRD_ETHER, _INFINIBAND */
	sysfs_text(dir, "operstate", text, sizeof(text));
	up = !strcmp(text, "up");
	sysfs_text(dir, "speed", text, sizeof(text));
	mbits = text[0] == '-' ? 0 : strtoull(text, NULL, 10);
	o = json_add_object(list, NULL);
	if (!o || !json_add_u64(o, "unit_count", 1) ||
		!json_add_string(o, "type",
			type == 1    ? "ethernet"
			: type == 32 ? "infiniband"
				     : "other") ||
		!json_add_string(o, "state", up ? "up" : "down"))
		return false;
	if (!up)
		return true;
	return (mbits ? json_add(o, "speed",
				cJSON_CreateNumber((double)mbits / 1000))
		      : json_add_string(o, "speed", BLANK)) &&
	       (traffic = json_add_array(o, "traffic")) &&
	       json_add_string(traffic, NULL, BLANK);
}

static bool add_network(struct cJSON *node)
{
	struct cJSON *list = json_add_array(node, "networking");
	DIR *d = opendir("/sys/class/net");
	struct dirent *de;
	bool ok = list != NULL;

	while (d && ok && (de = readdir(d)))
		if (de->d_name[0] != '.')
			ok = add_port(list, de->d_name);
	if (d)
		closedir(d);
	return ok;
}

static bool add_drive(
	struct cJSON *list, const struct rec_device *v, uint64_t count)
{
	static const char *const rates[][2] = {{"seq_read_MBps", BLANK},
		{"seq_write_MBps", BLANK}, {"random_read_IOPS", BLANK},
		{"random_write_IOPS", BLANK}, {NULL, NULL}};
	struct cJSON *o = json_add_object(list, NULL), *p;
	/* virtual disks call themselves rotating, whatever they lie on */
	bool is_disk = v->rotational && !strcmp(v->kind, "scsi");

	return o && json_add_u64(o, "unit_count", count) &&
	       json_add_string(o, "vendor_name", BLANK) &&
	       text_or_blank(o, "model_name", v->model) &&
	       json_add_string(o, "interface",
		       !strcmp(v->kind, "nvme")	  ? "nvme"
		       : !strcmp(v->kind, "scsi") ? BLANK /* sas or sata */
						  : "other") &&
	       json_add_string(
		       o, "media_type", is_disk ? "HDD" : BLANK) &&
	       json_add_u64(
		       o, "capacity_in_GB", v->capacity_bytes / 1000000000) &&
	       (p = json_add_object(o, "performance")) && add_texts(p, rates) &&
	       (!v->link[0] || json_add_string(p, "interface_speed", v->link));
}

/* A rating of the profile; 0 is not known. */
static bool add_rate(struct cJSON *o, const char *key, double value)
{
	return value > 0 ? json_add(o, key, cJSON_CreateNumber(round(value)))
			 : json_add_string(o, key, BLANK);
}

/* The maker is the first word of a model's name, as in the profiles. */
static bool add_modelled(struct cJSON *list, const struct drive_profile *p)
{
	struct cJSON *o = json_add_object(list, NULL), *r;
	size_t n = strcspn(p->model, " ");
	const char *rest = p->model[n] ? p->model + n + 1 : p->model;
	char vendor[TEXT_MAX], model[TEXT_MAX];

	snprintf(vendor, sizeof(vendor), "%.*s", (int)n, p->model);
	snprintf(model, sizeof(model), "%s (modelled)", rest);
	return o && json_add_u64(o, "unit_count", p->count) &&
	       text_or_blank(o, "vendor_name", vendor) &&
	       json_add_string(o, "model_name", model) &&
	       json_add_string(o, "interface",
		       !strncmp(p->interface, "PCIe", 4) ? "nvme" : "other") &&
	       text_or_blank(o, "media_type", p->media) &&
	       add_rate(o, "capacity_in_GB", p->capacity_gb) &&
	       (r = json_add_object(o, "performance")) &&
	       add_rate(r, "seq_read_MBps",
		       1000 * p->sequential_read_gb_per_s) &&
	       add_rate(r, "seq_write_MBps",
		       1000 * p->sequential_write_gb_per_s) &&
	       add_rate(r, "random_read_IOPS", 1000 * p->random_read_kiops) &&
	       add_rate(r, "random_write_IOPS", 1000 * p->random_write_kiops) &&
	       (!p->interface[0] ||
		       json_add_string(r, "interface_speed", p->interface));
}

/* Like drives together. */
static bool add_drives(struct cJSON *node, const struct subject *s)
{
	const struct rec_drive *d = &s->drives;
	struct cJSON *list = json_add_array(node, "drives");
	uint32_t n = d->device_count < REC_DEVICES_MAX ? d->device_count
						       : REC_DEVICES_MAX;
	bool counted[REC_DEVICES_MAX] = {false}, ok = list != NULL;
	uint64_t count;
	uint32_t i, k;

	if (ok && s->modelled)
		return add_modelled(list, &s->profile);
	for (i = 0; ok && i < n; i++) {
		if (counted[i])
			continue;
		for (count = 0, k = i; k < n; k++) {
			if (strcmp(d->devices[i].model, d->devices[k].model) ||
				d->devices[i].capacity_bytes !=
					d->devices[k].capacity_bytes)
				continue;
			counted[k] = true;
			count++;
		}
		ok = add_drive(list, &d->devices[i], count);
	}
	return ok;
}

static bool add_system(struct cJSON *node)
{
	static const char *const keys[] = {"vm.dirty_background_ratio",
		"vm.dirty_ratio", "vm.nr_hugepages", "vm.swappiness",
		"vm.vfs_cache_pressure"};
	struct cJSON *os = json_add_object(node, "operating_system"), *list, *o;
	char *release = NULL, text[TEXT_MAX];
	struct err e;
	size_t i;
	bool ok;

	if (file_read_all("/etc/os-release", 1 << 16, &release, NULL, &e))
		release = NULL;
	ok = os &&
	     text_or_blank(os, "name",
		     value_of(release ? release : "", "NAME", text)) &&
	     text_or_blank(os, "version",
		     value_of(release ? release : "", "VERSION_ID", text));
	free(release);
	list = ok ? json_add_array(node, "sysctl") : NULL;
	for (i = 0; list && i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!sysfs_text(
			    "/proc/sys/vm", keys[i] + 3, text, sizeof(text)))
			continue;
		o = json_add_object(list, NULL);
		if (!o || !json_add_string(o, "name", keys[i]) ||
			!json_add_string(o, "value", text))
			return false;
	}
	return list != NULL;
}

static struct cJSON *describe(const struct subject *s)
{
	struct cJSON *root = cJSON_CreateObject(), *sut, *list, *node;
	char name[TEXT_MAX], text[TEXT_MAX + 16];

	host_name(name, sizeof(name));
	snprintf(text, sizeof(text), "%sclient %s",
		s->modelled ? "modelled " : "", name);
	if (root && (sut = json_add_object(root, "system_under_test")) &&
		add_solution(sut, s) &&
		json_add_string(sut, "deployment", BLANK) &&
		json_add_u64(sut, "total_rack_units", 0) &&
		(list = json_add_array(sut, "clients")) &&
		(node = json_add_object(list, NULL)) &&
		json_add_string(node, "friendly_description", text) &&
		json_add_u64(node, "quantity", 1) && add_chassis(node, s->memory_bytes) &&
		add_network(node) && add_drives(node, s) && add_system(node))
		return root;
	cJSON_Delete(root);
	return NULL;
}

static int resolve(
	const struct describe_options *o, struct subject *s, struct err *e)
{
	if (o->data_dir && o->drive)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--data-dir (real drives) and --drive (a modelled one) "
			"exclude each other");
	if (o->memory && !o->drive)
		return err_set(e, ERR_USAGE, -EINVAL,
			"--client-host-memory-in-gb goes with --drive: the "
			"memory of this host is read from it");
	if (o->memory && units_parse_bytes(o->memory, GIB_BYTES,
				 "--client-host-memory-in-gb",
				 &s->memory_bytes, e))
		return e->code;
	if (o->data_dir && drive_identify(o->data_dir, false, &s->drives))
		return err_set(e, ERR_USAGE, -errno, "--data-dir %s: %s",
			o->data_dir, strerror(errno));
	s->modelled = o->drive != NULL;
	return o->drive ? drive_profile_load(
				  o->config_dir, o->drive, &s->profile, e)
			: 0;
}

int cmd_system_describe(int argc, const char **argv)
{
	static struct subject s;
	struct describe_options o = {.json = false};
	struct cJSON *tree;
	char *text = NULL;
	struct err e;
	int code;

	if (!command_options(system_describe_rows, &o, argc, argv, &code))
		return code;
	if (resolve(&o, &s, &e))
		return cli_fail_report(o.json, &e);
	tree = describe(&s);
	if (tree)
		text = o.json ? json_print(tree, 2)
			      : results_yaml_text(
					"of this host, by stoker; replace "
					"every "
					"FILL_IN by what is true (a number "
					"where one belongs)",
					tree);
	cJSON_Delete(tree);
	if (!text)
		return ERR_ENV;
	fputs(text, stdout);
	if (o.json)
		fputs("\n", stdout);
	free(text);
	return 0;
}
