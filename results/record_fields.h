#ifndef RESULTS_RECORD_FIELDS_H
#define RESULTS_RECORD_FIELDS_H
/*
 * Most of the record is a list of numbers and texts: a table of where they
 * lie in their struct keeps names and fields side by side, for the writer and
 * the reader of record.json alike.
 */
#include <stddef.h>

enum kind { K_U64, K_I64, K_U32, K_DOUBLE, K_BOOL, K_TEXT };

struct field {
	const char *key;
	size_t offset;
	enum kind kind;
	size_t bytes; /* of the member: the room of a text */
};

/*
 * A table and how many fields it has, the last `added` of which older files
 * lack: they stay as they are, 0 or "".
 */
struct fields {
	const struct field *f;
	size_t n, added;
};

/* Of struct train_config, struct rec_metrics and struct rec_campaign. */
extern const struct fields record_config, record_metrics, record_campaign;
/* Of struct rec_epoch, rec_steady, rec_rank and rec_quantiles. */
extern const struct fields record_epoch, record_steady, record_rank,
	record_quantiles;

struct cJSON;
struct err;

/* All of t from o into base; a field that is missing or wrong is -EBADMSG. */
int record_get_fields(const struct cJSON *o, const struct fields *t,
	void *base, const char *name, struct err *e);
/* The same from the object `key` of o. */
int record_get_object(const struct cJSON *o, const char *key,
	const struct fields *t, void *base, const char *name, struct err *e);
/* "NAME: "key" is missing or not what a record holds" */
int record_bad(struct err *e, const char *name, const char *key);
/* Hosts and runs[0].ranks of a record; see results_record_read_steps(). */
struct record;
int record_get_ranks(const struct cJSON *root, struct record *rec,
	const char *name, struct err *e);

#endif
