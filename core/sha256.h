#ifndef CORE_SHA256_H
#define CORE_SHA256_H
/* SHA-256 as sha256sum(1) prints it: what a file was, for logs. */
#include "core/err.h"

#include <stddef.h>

#define SHA256_HEX_MAX 65 /* with the zero byte */

void sha256_hex(const void *data, size_t len, char out[SHA256_HEX_MAX]);

/* Of a whole file, in pieces. 0 or -errno with the path (ERR_IO). */
int sha256_file(const char *path, char out[SHA256_HEX_MAX], struct err *e);

#endif
