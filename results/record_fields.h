#ifndef RESULTS_RECORD_FIELDS_H
#define RESULTS_RECORD_FIELDS_H
/*
 * Most of the record is a list of numbers and texts: a table of where they
 * lie in their struct keeps names and fields side by side, for the writer and
 * the reader of record.json alike.
 *
 * A field added to a table must not make the records of before unreadable:
 * raise RECORD_SCHEMA_VERSION and give the field that version (FIELD_SINCE).
 * An older record without it is read with the member as it was, zero where
 * nobody set a default before.
 */
#include "core/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

enum kind { K_U64, K_I64, K_U32, K_DOUBLE, K_BOOL, K_TEXT };

struct field {
	const char *key;
	size_t offset;
	enum kind kind;
	size_t bytes; /* of the member: the room of a text */
	uint32_t since; /* first record version that has it; 0: all */
};

#define FIELD_SINCE(version, type, name, member, kind_)                        \
	{                                                                      \
		.key = (name), .offset = offsetof(type, member),               \
		.kind = (kind_), .bytes = sizeof(((type *)NULL)->member),      \
		.since = (version)                                             \
	}
#define FIELD_AS(type, name, member, kind_)                                    \
	FIELD_SINCE(0, type, name, member, kind_)
#define FIELD(type, member, kind_) FIELD_AS(type, #member, member, kind_)

/* A table and how many fields it has. */
struct fields {
	const struct field *f;
	size_t n;
};

/* All fields of t into o; false when out of memory (or o is NULL). */
bool record_add_fields(
	struct cJSON *o, const struct fields *t, const void *base);

/*
 * The fields of t from o into base, o being of a record of `version`; 0 takes
 * what came later as it is. `name` stands for the file in errors: -EBADMSG for
 * a field that is no such value, or is missing though that version has it.
 */
int record_get_fields(const struct cJSON *o, uint32_t version,
	const struct fields *t, void *base, const char *name, struct err *e);
/* One field; false if it is missing or no such value. */
bool record_get_field(
	const struct cJSON *o, const struct field *f, void *base);
/* The same as record_get_fields from the object `key` of o. */
int record_get_object(const struct cJSON *o, const char *key, uint32_t version,
	const struct fields *t, void *base, const char *name, struct err *e);
/* "NAME: "key" is missing or not what a record holds" */
int record_bad(struct err *e, const char *name, const char *key);

/* Of struct train_config, struct rec_metrics and struct rec_campaign. */
extern const struct fields record_config, record_metrics, record_campaign;
/* Of struct rec_epoch, rec_steady, rec_rank and rec_quantiles. */
extern const struct fields record_epoch, record_steady, record_rank,
	record_quantiles;

/* The list "notes" of a record; false when out of memory. */
struct record;
bool record_add_notes(struct cJSON *root, const struct record *rec);
/* And back; -EBADMSG with `name` for the file. */
int record_get_notes(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e);

/* Hosts and runs[0].ranks of a record; see results_record_read_steps(). */
int record_get_ranks(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e);

#endif
