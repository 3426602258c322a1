#ifndef RESULTS_RECORD_FIELDS_H
#define RESULTS_RECORD_FIELDS_H
/*
 * Most of the record is a list of numbers and texts: a table of where they
 * lie in their struct keeps names and fields side by side, for the writer and
 * the reader of record.json alike.
 */
#include <stdbool.h>
#include <stddef.h>

struct cJSON;

enum kind { K_U64, K_I64, K_U32, K_DOUBLE, K_BOOL, K_TEXT };

struct field {
	const char *key;
	size_t offset;
	enum kind kind;
	size_t bytes; /* of the member: the room of a text */
};

/* A table and how many fields it has. */
struct fields {
	const struct field *f;
	size_t n;
};

/* A row of such a table. */
#define RECORD_FIELD(type, member, kind)                                       \
	{                                                                      \
#member, offsetof(type, member), kind,                         \
			sizeof(((type *)NULL)->member)                         \
	}

/* All members of the struct at base into o; false when out of memory (or o is
 * NULL). */
bool record_add_fields(
	struct cJSON *o, const struct fields *t, const void *base);
/* All members from o; the key of the first that is missing or wrong, or NULL.
 */
const char *record_get_fields(
	const struct cJSON *o, const struct fields *t, void *base);

/* Of struct train_config, struct rec_metrics and struct rec_campaign. */
extern const struct fields record_config, record_metrics, record_campaign;

#endif
