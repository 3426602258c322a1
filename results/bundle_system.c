/*
 * SYSTEM.yaml: its schema as tables, the rules between its parts, and whether
 * it is the system that ran (2.1.9). See bundle.h.
 */
#include "results/bundle_tree.h"

#include "core/json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum kind { TEXT, FLAG, WHOLE, NUMBER, WORD, OBJECT, LIST };

struct field {
	const char *key;
	enum kind kind;
	bool required;
	double min; /* of a number; of a LIST's length */
	const char *words;	 /* of WORD: " a b c " */
	const struct field *sub; /* of OBJECT and LIST; NULL: anything */
	bool loose;		 /* unknown keys are taken */
};

/* A key, whether it must be there, and what its value is. */
#define TXT(key, must)                                                         \
	{                                                                      \
		key, TEXT, must, 0, NULL, NULL, false                          \
	}
#define YESNO(key, must)                                                       \
	{                                                                      \
		key, FLAG, must, 0, NULL, NULL, false                          \
	}
#define INT(key, must, least)                                                  \
	{                                                                      \
		key, WHOLE, must, least, NULL, NULL, false                     \
	}
#define NUM(key, must, least)                                                  \
	{                                                                      \
		key, NUMBER, must, least, NULL, NULL, false                    \
	}
#define ONE(key, words)                                                        \
	{                                                                      \
		key, WORD, REQ, 0, " " words " ", NULL, false                  \
	}
#define SUB(key, must, of)                                                     \
	{                                                                      \
		key, OBJECT, must, 0, NULL, of, false                          \
	}
#define MANY(key, must, of)                                                    \
	{                                                                      \
		key, LIST, must, 0, NULL, of, false                            \
	}
#define SOME(key, of) /* one or more */                                        \
	{                                                                      \
		key, LIST, REQ, 1, NULL, of, false                             \
	}
#define END                                                                    \
	{                                                                      \
		.key = NULL                                                    \
	}
#define REQ true
#define OPT false

/* clang-format off */
static const struct field architecture[] = {
	ONE("storage_location", "remote local remote_and_local"),
	ONE("benchmark_API", "file object"),
	ONE("product_API", "file object block"),
	ONE("client_footprint", "open_source closed_source n/a"),
	ONE("client_installation", "in_box installable n/a"),
	END};
static const struct field capabilities[] = {
	YESNO("multi_host", REQ),
	YESNO("simultaneous_write", REQ),
	YESNO("simultaneous_read", REQ),
	INT("remap_time_in_seconds", REQ, 0),
	END};
static const struct field solution[] = {
	TXT("submission_name", REQ),
	TXT("friendly_description", REQ),
	SUB("architecture", REQ, architecture),
	SUB("capabilities", REQ, capabilities),
	NUM("usable_capacity_tib", REQ, 1),
	ONE("availability", "available preview RDI"),
	NUM("int_client_store_tib", OPT, 1),
	END};
static const struct field psu[] = {
	INT("unit_count", REQ, 1),
	INT("inlet_voltage", REQ, 1),
	INT("nameplate_power_watts", REQ, 1),
	ONE("efficiency",
		"Standard Bronze Silver Gold Platinum Titanium Ruby Unrated"),
	END};
static const struct field power[] = {
	INT("min_psus_active", REQ, 1),
	SOME("psus_configured", psu),
	END};
static const struct field chassis[] = {
	TXT("model_name", REQ),
	INT("rack_units", OPT, 1),
	TXT("cpu_model", REQ),
	INT("cpu_qty", REQ, 1),
	INT("cpu_cores", REQ, 1),
	INT("memory_capacity", REQ, 1),
	SUB("power", OPT, power),
	END};
static const struct field port[] = {
	INT("unit_count", REQ, 1),
	ONE("type", "ethernet infiniband other"),
	ONE("state", "up down"),
	INT("speed", OPT, 1),
	MANY("traffic", OPT, NULL),
	END};
static const struct field performance[] = {
	INT("seq_read_MBps", REQ, 1),
	INT("seq_write_MBps", REQ, 1),
	INT("random_read_IOPS", REQ, 1),
	INT("random_write_IOPS", REQ, 1),
	{"form_factor", WORD, OPT, 0,
		" U.2 U.3 M.2 E1.S E1.L E3.S E3.L 2.5in 3.5in AIC other ",
		NULL, false},
	TXT("interface_speed", OPT),
	END};
static const struct field drive[] = {
	INT("unit_count", REQ, 1),
	TXT("vendor_name", REQ),
	TXT("model_name", REQ),
	ONE("interface", "nvme sas sata other"),
	ONE("media_type", "HDD TLC QLC other"),
	INT("capacity_in_GB", REQ, 1),
	{"performance", OBJECT, OPT, 0, NULL, performance, true},
	END};
static const struct field system_name[] = {
	TXT("name", REQ), TXT("version", REQ), END};
static const struct field setting[] = {
	TXT("name", REQ), TXT("value", REQ), END};
static const struct field node[] = {
	TXT("friendly_description", REQ),
	INT("quantity", REQ, 1),
	SUB("chassis", REQ, chassis),
	MANY("networking", OPT, port),
	{"drives", LIST, OPT, 0, NULL, drive, true},
	SUB("operating_system", REQ, system_name),
	MANY("environment", OPT, setting),
	MANY("sysctl", OPT, setting),
	END};
static const struct field product_switch[] = {
	INT("unit_count", REQ, 1),
	TXT("vendor_name", REQ),
	TXT("model_name", REQ),
	SOME("ports", port),
	MANY("configuration", OPT, setting),
	INT("rack_units", REQ, 1),
	SUB("power", OPT, power),
	END};
static const struct field sut[] = {
	SUB("solution", REQ, solution),
	ONE("deployment", "onprem cloud"),
	MANY("product_nodes", OPT, node),
	MANY("product_switches", OPT, product_switch),
	INT("total_rack_units", OPT, 0),
	MANY("rack_power_supplies", OPT, power),
	MANY("clients", REQ, node),
	END};
static const struct field top[] = {
	SUB("system_under_test", REQ, sut), END};
/* clang-format on */

struct schema {
	struct bundle *b;
	const char *path; /* of the file */
	size_t faults;
};

/* The four capabilities have rules of their own; unknown keys there have not */
static const char *rule_of(const char *where)
{
	static const char *const rules[][2] = {{"", "4.7.3"},
		{".remap_time_in_seconds", "4.7.3"}, {".multi_host", "4.7.4"},
		{".simultaneous_write", "4.7.4"},
		{".simultaneous_read", "4.7.4"}};
	const char *key = strstr(where, ".solution.capabilities");
	size_t i;

	key = key ? key + strlen(".solution.capabilities") : NULL;
	for (i = 0; key && i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(key, rules[i][0]))
			return rules[i][1];
	return "2.1.7";
}

static void fault(struct schema *s, const char *where, const char *required,
	const char *found)
{
	s->faults++;
	bundle_say_level(s->b, rule_of(where), RULE_ERROR, false, s->path,
		required, "%s: %s", where, found);
}

static void describe(const struct cJSON *item, char buf[96])
{
	if (cJSON_IsString(item) || cJSON_IsRaw(item))
		snprintf(buf, 96, "\"%.80s\"", item->valuestring);
	else if (cJSON_IsNumber(item))
		snprintf(buf, 96, "%g", item->valuedouble);
	else
		snprintf(buf, 96, "%s",
			cJSON_IsBool(item)     ? "true or false"
			: cJSON_IsNull(item)   ? "nothing"
			: cJSON_IsObject(item) ? "a mapping"
					       : "a list");
}

static bool is_word(const char *words, const char *text)
{
	char spaced[64];

	snprintf(spaced, sizeof(spaced), " %.60s ", text);
	return *text && !strchr(text, ' ') && strstr(words, spaced);
}

/* The checker's schema takes 3, "3" and true alike; NAN: no number. */
static double number_of(const struct cJSON *item)
{
	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : bundle_number(item, "");
}

static bool is_flag(const struct cJSON *item)
{
	static const char *const words[] = {"true", "false", "yes", "no", "on",
		"off", "y", "n", "t", "f", "1", "0"};
	size_t i;

	if (cJSON_IsString(item))
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (!strcasecmp(words[i], item->valuestring))
				return true;
	return cJSON_IsBool(item) ||
	       (cJSON_IsNumber(item) &&
		       (item->valuedouble == 0 || item->valuedouble == 1));
}

static void check_object(struct schema *s, const struct cJSON *o,
	const struct field *fields, const char *where, bool loose);

static void check_value(struct schema *s, const struct cJSON *item,
	const struct field *f, const char *where)
{
	const struct cJSON *c;
	char below[200], want[96] = "", found[96];
	double d = number_of(item);
	bool ok = false;
	int i = 0;

	switch (f->kind) {
	case TEXT:
		ok = cJSON_IsString(item) && item->valuestring[0];
		snprintf(want, sizeof(want), "a text (in quotes)");
		break;
	case FLAG:
		ok = is_flag(item);
		snprintf(want, sizeof(want), "true or false");
		break;
	case WHOLE:
	case NUMBER:
		ok = d >= f->min && (f->kind == NUMBER || d == floor(d));
		snprintf(want, sizeof(want), "a %snumber >= %g",
			f->kind == WHOLE ? "whole " : "", f->min);
		break;
	case WORD:
		ok = cJSON_IsString(item) &&
		     is_word(f->words, item->valuestring);
		snprintf(want, sizeof(want), "one of%.80s", f->words);
		break;
	case OBJECT:
		check_object(s, item, f->sub, where, f->loose);
		return;
	case LIST:
		snprintf(want, sizeof(want),
			f->min > 0 ? "a list that is not empty" : "a list");
		if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) < f->min)
			break;
		cJSON_ArrayForEach(c, item)
		{
			snprintf(
				below, sizeof(below), "%.180s[%d]", where, i++);
			if (f->sub)
				check_object(s, c, f->sub, below, f->loose);
		}
		return;
	}
	describe(item, found);
	if (!ok)
		fault(s, where, want, found);
}

static void check_object(struct schema *s, const struct cJSON *o,
	const struct field *fields, const char *where, bool loose)
{
	const struct cJSON *item;
	char below[200], found[96];
	const struct field *f;

	if (!cJSON_IsObject(o)) {
		describe(o, found);
		fault(s, where, "a mapping", found);
		return;
	}
	for (f = fields; f->key; f++) {
		item = cJSON_GetObjectItemCaseSensitive(o, f->key);
		snprintf(below, sizeof(below), "%.120s.%.60s", where, f->key);
		if (item && !(cJSON_IsNull(item) && !f->required))
			check_value(s, item, f, below);
		else if (f->required)
			fault(s, below, "a value", "missing");
	}
	for (item = o->child; item && !loose; item = item->next) {
		for (f = fields; f->key && strcmp(f->key, item->string);)
			f++;
		snprintf(below, sizeof(below), "%.120s.%.60s", where,
			item->string);
		if (!f->key)
			fault(s, below, "a key of the schema",
				"an unknown key");
	}
}

/* --- rules between the parts -------------------------------------------- */

static bool filled(const struct cJSON *o, const char *key)
{
	const struct cJSON *c = bundle_at(o, key);

	return c && !cJSON_IsNull(c) && !(cJSON_IsArray(c) && !c->child);
}

static void check_power(
	struct schema *s, const struct cJSON *p, const char *where)
{
	const struct cJSON *c;
	double sum = 0, v;
	char found[96];

	if (!cJSON_IsObject(p))
		return;
	cJSON_ArrayForEach(c, bundle_at(p, "psus_configured"))
	{
		v = bundle_number(c, "unit_count");
		sum += isnan(v) ? 0 : v;
	}
	v = bundle_number(p, "min_psus_active");
	snprintf(found, sizeof(found), "min_psus_active %g of %g", v, sum);
	if (v > sum)
		fault(s, where, "not more than are configured", found);
}

static void check_ports(
	struct schema *s, const struct cJSON *list, const char *where)
{
	static const char words[] = " management data metadata backend ";
	const struct cJSON *p, *t;

	cJSON_ArrayForEach(p, list)
	{
		if (!strcmp(bundle_string(p, "state"), "up") &&
			(!filled(p, "speed") || !filled(p, "traffic")))
			fault(s, where,
				"speed and traffic of a port that is up",
				"missing");
		cJSON_ArrayForEach(t, bundle_at(p, "traffic"))
		{
			if (!cJSON_IsString(t) ||
				!is_word(words, t->valuestring))
				fault(s, where,
					"management, data, metadata, backend",
					cJSON_IsString(t) ? t->valuestring
							  : "no text");
		}
	}
}

/* Nodes or switches; returns their rack units, `count` is the quantity's key */
static double check_units(struct schema *s, const struct cJSON *list,
	const char *name, const char *box, const char *count, bool cloud)
{
	const struct cJSON *n, *c;
	double sum = 0, units, qty;
	char where[96];
	int i = 0;

	cJSON_ArrayForEach(n, list)
	{
		snprintf(where, sizeof(where), "system_under_test.%s[%d]", name,
			i++);
		c = *box ? bundle_at(n, box) : n;
		if (cloud && (filled(c, "rack_units") || filled(c, "power")))
			fault(s, where, "no rack_units and no power in a cloud",
				"they are there");
		if (!cloud && (!filled(c, "rack_units") || !filled(c, "power")))
			fault(s, where, "rack_units and power",
				"missing, deployment is onprem");
		check_power(s, bundle_at(c, "power"), where);
		check_ports(
			s, bundle_at(n, *box ? "networking" : "ports"), where);
		units = bundle_number(c, "rack_units");
		qty = bundle_number(n, count);
		sum += isnan(units) || isnan(qty) ? 0 : units * qty;
	}
	return sum;
}

static void check_networking(
	struct schema *s, const struct cJSON *list, const char *name)
{
	const struct cJSON *n;
	char where[96];
	int i = 0;

	cJSON_ArrayForEach(n, list)
	{
		snprintf(where, sizeof(where), "system_under_test.%s[%d]", name,
			i++);
		if (!filled(n, "networking"))
			fault(s, where, "networking (storage is remote)",
				"missing");
	}
}

static void check_deployment(struct schema *s, const struct cJSON *t)
{
	const char *at = bundle_string(t, "solution.architecture."
					  "storage_location");
	bool cloud = !strcmp(bundle_string(t, "deployment"), "cloud");
	double sum, total = bundle_number(t, "total_rack_units");
	char found[96];

	sum = check_units(s, bundle_at(t, "product_nodes"), "product_nodes",
		"chassis", "quantity", cloud);
	sum += check_units(s, bundle_at(t, "product_switches"),
		"product_switches", "", "unit_count", cloud);
	check_units(s, bundle_at(t, "clients"), "clients", "chassis",
		"quantity", cloud);
	snprintf(found, sizeof(found), "%g, nodes and switches have %g", total,
		sum);
	if (cloud && (filled(t, "rack_power_supplies") ||
			     filled(t, "product_switches")))
		fault(s, "system_under_test",
			"no rack_power_supplies, switches in a cloud",
			"they are there");
	if (!(total == sum) && (!cloud || filled(t, "total_rack_units")))
		fault(s, "system_under_test.total_rack_units",
			"the sum of nodes and switches",
			isnan(total) ? "missing" : found);
	if (!cloud && bundle_is_head(s->b) && strcmp(at, "local") &&
		!filled(t, "product_nodes"))
		fault(s, "system_under_test.product_nodes",
			"product nodes (storage is not local)", "missing");
	if (!strncmp(at, "remote", 6)) {
		check_networking(
			s, bundle_at(t, "product_nodes"), "product_nodes");
		check_networking(s, bundle_at(t, "clients"), "clients");
	} else if (filled(t, "product_switches")) {
		fault(s, "system_under_test.product_switches",
			"none (storage is local)", "they are there");
	}
}

static void check_capabilities(struct schema *s, const struct cJSON *t)
{
	const struct cJSON *c = bundle_at(t, "solution.capabilities");
	const struct cJSON *w = bundle_at(c, "simultaneous_write"),
			   *r = bundle_at(c, "simultaneous_read");
	double remap = number_of(bundle_at(c, "remap_time_in_seconds"));
	bool both = cJSON_IsTrue(w) && cJSON_IsTrue(r);

	if (!cJSON_IsBool(w) || !cJSON_IsBool(r) || !(remap >= 0))
		return; /* told by the schema */
	bundle_say(s->b, "4.7.3", both == (remap == 0), s->path,
		"0 if and only if both simultaneous flags are true",
		"remap_time_in_seconds %g, write %s, read %s", remap,
		cJSON_IsTrue(w) ? "true" : "false",
		cJSON_IsTrue(r) ? "true" : "false");
}

void bundle_check_system(struct bundle *b, const char *path, const char *name,
	const struct cJSON *yaml)
{
	struct schema s = {.b = b, .path = path};
	const struct cJSON *t = bundle_at(yaml, "system_under_test");
	const char *footprint = bundle_string(t, "solution.architecture."
						 "client_footprint"),
		   *installed = bundle_string(
			   t, "solution.architecture.client_installation");

	(void)name;
	check_object(&s, yaml, top, "(file)", false);
	if (cJSON_IsObject(t)) {
		if (!strcmp(footprint, "n/a") != !strcmp(installed, "n/a"))
			fault(&s, "solution.architecture",
				"client_footprint and _installation both n/a "
				"or "
				"neither",
				"one of them");
		check_deployment(&s, t);
		check_capabilities(&s, t);
	}
	if (!s.faults)
		bundle_say(b, "2.1.7", true, path, NULL, "the schema holds");
}

/* --- 2.1.9 --------------------------------------------------------------- */

void bundle_check_hosts(struct bundle *b, const struct bundle_leaf *l)
{
	const struct cJSON *clients = bundle_at(b->system, "clients"), *c;
	double hosts = bundle_number(l->summary, "num_hosts"),
	       memory = bundle_sum(l->summary, "host_memory_GB"), sum = 0, cap,
	       percent = bundle_number(b->rules, "memory_tolerance_percent"),
	       per;
	bool known = false;

	if (!cJSON_GetArraySize(clients) || !l->summary) {
		bundle_unknown(b, "2.1.9", l->path, "no %s",
			l->summary ? "clients in SYSTEM.yaml" : "summary");
		return;
	}
	cJSON_ArrayForEach(c, clients)
	{
		/* a missing one counts as none; NAN when one is no number */
		if (bundle_at(c, "quantity"))
			sum += number_of(bundle_at(c, "quantity"));
	}
	if (!isnan(hosts) && !isnan(sum) && (known = true))
		bundle_say(b, "2.1.9", hosts == sum, l->path, NULL,
			"num_hosts %g, clients %g", hosts, sum);
	if (hosts > 1 && cJSON_IsFalse(bundle_at(b->system,
				 "solution.capabilities.multi_host")))
		bundle_say(b, "2.1.9", false, l->path, "multi_host true",
			"num_hosts %g, multi_host false", hosts);
	cap = bundle_number(clients->child, "chassis.memory_capacity");
	if (cJSON_GetArraySize(clients) == 1 && !isnan(memory) && hosts >= 1 &&
		!isnan(cap) && (known = true)) {
		per = trunc(memory / hosts);
		bundle_say(b, "2.1.9", 100 * fabs(per - cap) <= percent * cap,
			l->path, NULL,
			"%g GiB a host measured, memory_capacity %g", per, cap);
	}
	if (!known)
		bundle_unknown(b, "2.1.9", l->path,
			"num_hosts or host_memory_GB not known");
}
