#ifndef CORE_UTF8_H
#define CORE_UTF8_H
/*
 * Names of files are bytes; JSON and YAML hold characters. Where bytes are no
 * UTF-8, each wrong one stands for U+FFFD in what we write, so that a name
 * never costs a result.
 */
#include <stddef.h>
#include <stdint.h>

/*
 * One code point of UTF-8 at s, which ends with a zero byte; *n bytes of it.
 * A wrong byte stands for U+FFFD.
 */
uint32_t utf8_next(const unsigned char *s, size_t *n);

/* A malloc'd copy with every wrong byte replaced; NULL when out of memory. */
char *utf8_mended(const char *s);

#endif
