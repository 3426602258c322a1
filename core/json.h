#ifndef CORE_JSON_H
#define CORE_JSON_H
/*
 * JSON over cJSON: readers that say what is wrong with a file, and a printer
 * that writes as Python's json.dump does, since the files we write stand
 * beside files a Python program wrote. cJSON has one number type, a double:
 * whole numbers print as integers up to 2^53; json_u64() and json_double()
 * keep larger integers exact and the ".0" of whole doubles.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

#define JSON_U64_MAX (1ULL << 53) /* largest whole number a reader returns */

/*
 * Parse len bytes; `name` stands for the text in errors, which carry a line
 * number. The caller frees *out with cJSON_Delete().
 */
int json_parse(const char *text, size_t len, const char *name,
	struct cJSON **out, struct err *e);
int json_read_file(const char *path, struct cJSON **out, struct err *e);

/*
 * The value of `key` in obj, checked. `file` names the source in errors.
 * -ENOENT when it is missing, -EINVAL for a wrong type, -ERANGE. The strings
 * of json_get_string are copied, size is that of buf.
 */
int json_get_u64(const struct cJSON *obj, const char *file, const char *key,
	uint64_t min, uint64_t max, uint64_t *value, struct err *e);
int json_get_double(const struct cJSON *obj, const char *file, const char *key,
	double min, double max, double *value, struct err *e);
int json_get_string(const struct cJSON *obj, const char *file, const char *key,
	char *buf, size_t size, struct err *e);
int json_get_bool(const struct cJSON *obj, const char *file, const char *key,
	bool *value, struct err *e);
/* Borrowed from obj. */
int json_get_object(const struct cJSON *obj, const char *file, const char *key,
	const struct cJSON **out, struct err *e);
int json_get_array(const struct cJSON *obj, const char *file, const char *key,
	const struct cJSON **out, struct err *e);

bool json_has(const struct cJSON *obj, const char *key);

/* As json_get_*, but a missing key leaves *value (or buf) as it is. */
int json_opt_u64(const struct cJSON *obj, const char *file, const char *key,
	uint64_t min, uint64_t max, uint64_t *value, struct err *e);
int json_opt_double(const struct cJSON *obj, const char *file, const char *key,
	double min, double max, double *value, struct err *e);
int json_opt_string(const struct cJSON *obj, const char *file, const char *key,
	char *buf, size_t size, struct err *e);
int json_opt_bool(const struct cJSON *obj, const char *file, const char *key,
	bool *value, struct err *e);

/* Error when obj has a key that is not in known[] (ends with NULL), or twice.
 */
int json_only_keys(const struct cJSON *obj, const char *file,
	const char *const known[], struct err *e);

/*
 * New items; NULL when out of memory. An infinity or NaN becomes null, since
 * JSON has no word for it.
 */
struct cJSON *json_double(double value); /* 42.0 stays "42.0" */
struct cJSON *json_u64(uint64_t value);
struct cJSON *json_i64(int64_t value);

/* Add to an object (key given) or at the end of an array (key NULL). */
bool json_add(struct cJSON *to, const char *key, struct cJSON *item);
bool json_add_double(struct cJSON *to, const char *key, double value);
bool json_add_u64(struct cJSON *to, const char *key, uint64_t value);
bool json_add_i64(struct cJSON *to, const char *key, int64_t value);
bool json_add_bool(struct cJSON *to, const char *key, bool value);
bool json_add_string(struct cJSON *to, const char *key, const char *value);
struct cJSON *json_add_object(struct cJSON *to, const char *key);
struct cJSON *json_add_array(struct cJSON *to, const char *key);

#define JSON_REPR_MAX 32
/* The shortest text that reads back as value, as Python's repr() writes it. */
const char *json_repr(char buf[JSON_REPR_MAX], double value);

/*
 * As json.dumps(indent=indent) prints: every element on its own line, ASCII
 * only; indent < 0 is one line. Returns malloc'd text, NULL if out of memory.
 */
char *json_print(const struct cJSON *item, int indent);

/* json_print() into path, through a temporary name; no newline at the end. */
int json_write_file(
	const char *path, const struct cJSON *item, int indent, struct err *e);

#endif
