#ifndef CORE_ERR_H
#define CORE_ERR_H
/*
 * Errors as values. A function that can fail returns 0 or -errno and fills the
 * caller's struct err with a text that names what was tried, on which object,
 * with which values, and what the user can do about it. Nobody below cli/
 * exits or prints.
 */

/* Why the program stops; the value is the exit code of the process. */
enum err_kind {
	ERR_NONE = 0,
	ERR_VERDICT = 1, /* everything ran, the verdict is FAIL */
	ERR_USAGE = 2,	 /* options or input files are wrong */
	ERR_ENV = 3,	 /* the machine lacks or refuses something */
	ERR_IO = 4,	 /* reading or writing failed, or data is bad */
	ERR_BUG = 5,	 /* our own mistake */
};

struct err {
	enum err_kind kind;
	int code; /* -errno */
	char text[1024];
};

/*
 * Fill e and return code, which must be a negative errno. e may be NULL.
 * An error that is already set is replaced.
 */
int err_set(struct err *e, enum err_kind kind, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Put "fmt: " before the text that is there; returns e->code (-EIO if NULL) */
int err_wrap(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Out of memory while making `what`; returns -ENOMEM. */
int err_nomem(struct err *e, const char *what);

#endif
