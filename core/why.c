/* Names and end of life; see why.h. */
#include "core/why.h"

#include <stdlib.h>
#include <string.h>

const char *why_limit_name(enum why_limit l)
{
	static const char *const names[WHY_LIMITS] = {"none", "drive", "link",
		"buffered path", "cpu", "memory", "too few readers", "barrier",
		"software", "data set", "generator", "limit-read"};

	return l < WHY_LIMITS ? names[l] : "?";
}

void why_fini(struct why *w)
{
	free(w->ranks);
	memset(w, 0, sizeof(*w));
}
