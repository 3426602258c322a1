/* The drive's passport as text and JSON; see drive.h. */
#include "results/drive.h"

#include "core/json.h"
#include "core/units.h"
#include "results/record_fields.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define D(member, kind) FIELD(struct rec_drive, member, kind)
static const struct field drive_fields[] = {
	D(filesystem, K_TEXT),
	D(source, K_TEXT),
	D(mount_point, K_TEXT),
	D(mount_options, K_TEXT),
	D(device, K_TEXT),
	D(layers, K_TEXT),
	D(note, K_TEXT),
	D(device_count, K_U32),
};
#undef D

#define V(member, kind) FIELD(struct rec_device, member, kind)
static const struct field device_fields[] = {
	V(name, K_TEXT),
	V(kind, K_TEXT),
	V(model, K_TEXT),
	V(firmware, K_TEXT),
	V(serial, K_TEXT),
	V(capacity_bytes, K_U64),
	V(logical_block_bytes, K_U32),
	V(physical_block_bytes, K_U32),
	V(metadata_bytes, K_U32),
	V(link, K_TEXT),
	V(link_max, K_TEXT),
	V(link_reduced, K_BOOL),
	V(numa_node, K_I64),
	V(scheduler, K_TEXT),
	V(nr_requests, K_U64),
	V(max_sectors_kb, K_U64),
	V(rotational, K_BOOL),
	V(write_cache, K_TEXT),
	V(temperature_c, K_DOUBLE),
};
#undef V

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
static const struct fields drives = {drive_fields, COUNT(drive_fields)};
static const struct fields devices = {device_fields, COUNT(device_fields)};

static uint32_t listed(const struct rec_drive *d)
{
	return d->device_count < REC_DEVICES_MAX ? d->device_count
						 : REC_DEVICES_MAX;
}

const char *results_drive_line(
	char *buf, size_t size, const struct rec_drive *d)
{
	const struct rec_device *v = &d->devices[0];
	bool reduced = false;
	FILE *f = fmemopen(buf, size, "w");
	uint32_t i;

	buf[0] = 0;
	if (!f)
		return buf;
	fprintf(f, "%s on %s", d->filesystem,
		d->device[0] ? d->device : d->source);
	if (d->device_count > 1)
		fprintf(f, " over %" PRIu32 " devices", d->device_count);
	if (d->device_count)
		fprintf(f, ": %s%s%s%s%s%s", v->model[0] ? v->model : v->kind,
			v->firmware[0] ? ", firmware " : "", v->firmware,
			v->link[0] ? ", " : "", v->link,
			v->rotational && strcmp(v->kind, "virtio")
				? ", rotational" : "");
	for (i = 0; i < listed(d); i++)
		reduced = reduced || d->devices[i].link_reduced;
	if (reduced && d->device_count == 1)
		fprintf(f, " (runs below its maximum, %s)", v->link_max);
	else if (reduced)
		fprintf(f, " (some links run below their maximum)");
	if (d->device_count && !isnan(v->temperature_c))
		fprintf(f, ", %.0f C", v->temperature_c);
	if (!d->device_count)
		fprintf(f, ": %s", d->note);
	fclose(f);
	buf[size - 1] = 0;
	return buf;
}

static void fact(FILE *f, const char *what, const char *value)
{
	if (value[0])
		fprintf(f, "  %-14s %s\n", what, value);
}

static void print_device(FILE *f, const struct rec_device *v)
{
	char size[UNITS_TEXT_MAX];

	fprintf(f, "%s (%s)\n", v->name, v->kind);
	fact(f, "model", v->model);
	fact(f, "firmware", v->firmware);
	fact(f, "serial", v->serial);
	if (v->capacity_bytes)
		fprintf(f, "  %-14s %s (%.1f GB)\n", "capacity",
			units_format_bytes(size, v->capacity_bytes),
			(double)v->capacity_bytes / 1e9);
	fprintf(f, "  %-14s %" PRIu32 " logical, %" PRIu32 " physical", "blocks",
		v->logical_block_bytes, v->physical_block_bytes);
	if (v->metadata_bytes)
		fprintf(f, ", %" PRIu32 " of metadata", v->metadata_bytes);
	fprintf(f, "\n");
	if (v->link[0])
		fprintf(f, "  %-14s %s now, %s at most%s\n", "link", v->link,
			v->link_max, v->link_reduced ? " (REDUCED)" : "");
	if (v->numa_node >= 0)
		fprintf(f, "  %-14s %" PRId64 "\n", "NUMA node", v->numa_node);
	fprintf(f,
		"  %-14s scheduler %s, nr_requests %" PRIu64
		", max_sectors_kb %" PRIu64 "%s%s%s\n",
		"queue", v->scheduler[0] ? v->scheduler : "-", v->nr_requests,
		v->max_sectors_kb, v->rotational ? ", rotational" : "",
		v->write_cache[0] ? ", cache: " : "", v->write_cache);
	if (!isnan(v->temperature_c))
		fprintf(f, "  %-14s %.1f C\n", "temperature", v->temperature_c);
}

void results_drive_print(FILE *f, const struct rec_drive *d)
{
	char line[RESULTS_DRIVE_LINE_MAX];
	uint32_t i;

	fprintf(f, "%s\n", results_drive_line(line, sizeof(line), d));
	if (d->note[0] && d->device_count)
		fprintf(f, "note: %s\n", d->note);
	fact(f, "mounted at", d->mount_point);
	fact(f, "source", d->source);
	fact(f, "options", d->mount_options);
	fact(f, "device", d->device);
	fact(f, "layers", d->layers);
	for (i = 0; i < listed(d); i++)
		print_device(f, &d->devices[i]);
	if (d->device_count > REC_DEVICES_MAX)
		fprintf(f, "... and %" PRIu32 " more\n",
			d->device_count - REC_DEVICES_MAX);
}

struct cJSON *results_drive_json(const struct rec_drive *d)
{
	struct cJSON *o = cJSON_CreateObject(), *list = NULL;
	bool ok = record_add_fields(o, &drives, d);
	uint32_t i;

	if (ok)
		list = json_add_array(o, "devices");
	ok = list != NULL;
	for (i = 0; ok && i < listed(d); i++)
		ok = record_add_fields(json_add_object(list, NULL), &devices,
			&d->devices[i]);
	if (ok)
		return o;
	cJSON_Delete(o);
	return NULL;
}

int results_drive_read(const struct cJSON *root, const char *key,
	uint32_t version, struct rec_drive *d, const char *name,
	struct err *e)
{
	const struct cJSON *o, *list, *c;
	struct rec_device *v = d->devices;
	int r;

	memset(d, 0, sizeof(*d));
	if (!json_has(root, key))
		return 0;
	r = record_get_object(root, key, version, &drives, d, name, e);
	if (r)
		return r;
	o = cJSON_GetObjectItemCaseSensitive(root, key);
	list = cJSON_GetObjectItemCaseSensitive(o, "devices");
	if (!cJSON_IsArray(list) ||
		(uint32_t)cJSON_GetArraySize(list) != listed(d))
		return record_bad(e, name, "devices");
	cJSON_ArrayForEach (c, list) {
		r = record_get_fields(c, version, &devices, v, name, e);
		if (r)
			return r;
		if (v->temperature_c == 0) /* null */
			v->temperature_c = NAN;
		v++;
	}
	d->known = true;
	return 0;
}
