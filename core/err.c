/* Error values with text; see err.h. */
#include "core/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_kind kind, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->kind = kind;
	e->code = code;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return code;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	int n;

	if (!e)
		return -EIO;
	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n + 3 < sizeof(e->text))
		snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %.*s",
			(int)(sizeof(e->text) - (size_t)n - 3), old);
	return e->code;
}

int err_nomem(struct err *e, const char *what)
{
	return err_set(e, ERR_ENV, -ENOMEM, "out of memory for %s", what);
}
