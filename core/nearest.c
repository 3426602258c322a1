/* Nearest names; see nearest.h. */
#include "core/nearest.h"

#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES 127
#define NEAR_MAX 4 /* edits at which a name is no longer a likely typo */

static unsigned edit_distance(const char *a, const char *b)
{
	unsigned row[NAME_MAX_BYTES + 1], diagonal, old, cost;
	size_t i, j, n = strlen(b);

	if (n > NAME_MAX_BYTES || strlen(a) > NAME_MAX_BYTES)
		return NEAR_MAX + 1;
	for (j = 0; j <= n; j++)
		row[j] = (unsigned)j;
	for (i = 0; a[i]; i++) {
		diagonal = row[0]++;
		for (j = 1; j <= n; j++) {
			old = row[j];
			cost = diagonal + (a[i] != b[j - 1]);
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
			diagonal = old;
		}
	}
	return row[n];
}

const char *nearest_name(const char *name, const char *const *names)
{
	const char *best = NULL;
	unsigned d, least = NEAR_MAX + 1;

	for (; *names; names++) {
		d = edit_distance(name, *names);
		/* a name of which every letter changed is no typo */
		if (d < least && d < strlen(*names)) {
			least = d;
			best = *names;
		}
	}
	return best;
}
