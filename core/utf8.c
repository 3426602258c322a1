/* Bytes that may or may not be UTF-8; see utf8.h. */
#include "core/utf8.h"

#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

uint32_t utf8_next(const unsigned char *s, size_t *n)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = s[0];
	size_t len, i;

	*n = 1;
	if (c < 0x80)
		return c;
	len = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4)
		return 0xfffd;
	c &= 0xffU >> (len + 1);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < lowest[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0xfffd;
	*n = len;
	return c;
}

char *utf8_mended(const char *s)
{
	char *out = malloc(3 * strlen(s) + 1), *p = out;
	size_t n;

	if (!out)
		return NULL;
	for (; *s; s += n) {
		/* a code point of one byte is ASCII, or that byte is wrong */
		utf8_next((const unsigned char *)s, &n);
		if (n == 1 && (unsigned char)*s >= 0x80) {
			memcpy(p, REPLACEMENT, 3);
			p += 3;
		} else {
			memcpy(p, s, n);
			p += n;
		}
	}
	*p = '\0';
	return out;
}
